//! Generic pointers get the address space that they can only have.
//!
//! A generic pointer's space is the join over what flows into it: casts from named spaces,
//! pointer arithmetic, selects and block parameters. NULL flows from everywhere. A pointer with one space is computed in that
//! space; where its generic form is still needed, it is cast back.
//!
//! Functions that inlining has left get parameters of one space where all calls pass pointers of that space. So functions are
//! looked at behind those that call them.

use crate::pass::{Changed, Ctx};
use crate::rewrite::Replacements;
use cranelift_entity::SecondaryMap;
use cranelift_entity::packed_option::PackedOption;
use pumice_ir::analysis::reachable_functions;
use pumice_ir::{
    AddressSpace, Block, Cfg, ConvertOp, FuncId, Function, Inst, InstKind, LowerError, Module,
    Type, Value, ValueDef,
};
use rustc_hash::FxHashSet;

/// Knowledge of a generic pointer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Space {
    /// Nothing flows in (yet).
    #[default]
    None,
    /// One space.
    One(AddressSpace),
    /// More than one, or unknown.
    Any,
}

impl Space {
    fn join(self, other: Space) -> Space {
        match (self, other) {
            (Space::None, other) | (other, Space::None) => other,
            (a, b) if a == b => a,
            _ => Space::Any,
        }
    }
}

const GENERIC: Type = Type::ptr(AddressSpace::Generic);

/// Runs the pass.
///
/// # Errors
/// None of its own.
pub fn run(module: &mut Module, _ctx: &Ctx<'_>) -> Result<Changed, LowerError> {
    let reached = reachable_functions(module)?;
    let is_reached: FxHashSet<FuncId> = reached.iter().copied().collect();
    let roots: FxHashSet<FuncId> = module.roots().collect();
    // Callers first, those that no kernel reaches before all others.
    let mut order: Vec<FuncId> = (module.functions.keys())
        .filter(|id| !is_reached.contains(id))
        .collect();
    order.extend(reached.iter().rev());
    let mut passed: SecondaryMap<FuncId, Vec<Space>> = SecondaryMap::new();
    let mut renamed = FxHashSet::default();
    let mut changed = Changed::No;
    for &id in &order {
        let func = &mut module.functions[id];
        if is_reached.contains(&id) && !roots.contains(&id) {
            let named = name_params(func, &passed[id]);
            if named == Changed::Yes {
                renamed.insert(id);
            }
            changed |= named;
        }
        changed |= in_function(func);
        note_passed(&module.functions[id], &mut passed);
    }
    if !renamed.is_empty() {
        for id in order {
            pass_named(module, id, &renamed);
        }
    }
    Ok(changed)
}

/// Joins the spaces of what a function passes on in its calls to those of its callees' parameters. Its own pointers have their
/// spaces by now.
fn note_passed(func: &Function, passed: &mut SecondaryMap<FuncId, Vec<Space>>) {
    for (callee, args) in calls(func) {
        let spaces = &mut passed[callee];
        spaces.resize(args.len(), Space::None);
        for (space, &arg) in spaces.iter_mut().zip(args) {
            *space = space.join(passed_space(func, arg));
        }
    }
}

/// The space of a pointer, generic ones by the cast that makes them.
fn passed_space(func: &Function, arg: Value) -> Space {
    let named = named_of(func, arg).unwrap_or(arg);
    match func.ty(named).address_space() {
        Some(AddressSpace::Generic) if is_anywhere(func, named) => Space::None,
        Some(AddressSpace::Generic) | None => Space::Any,
        Some(space) => Space::One(space),
    }
}

fn calls(func: &Function) -> impl Iterator<Item = (FuncId, &[Value])> {
    let insts = func
        .layout
        .blocks
        .iter()
        .flat_map(|&block| &func.layout.insts[block]);
    insts.filter_map(|&inst| match &func.insts[inst].kind {
        InstKind::Call { func, args } => Some((*func, &args[..])),
        _ => None,
    })
}

/// Gives a function's generic parameters the one space that calls pass, cast back at the function's start.
fn name_params(func: &mut Function, passed: &[Space]) -> Changed {
    let Some(entry) = func.entry() else {
        return Changed::No;
    };
    let named = |(ty, space): (&Type, &Space)| match space {
        Space::One(space) if *ty == GENERIC => Some(Type::ptr(*space)),
        _ => None,
    };
    let types: Vec<Option<Type>> = func.params.iter().zip(passed).map(named).collect();
    if types.iter().all(Option::is_none) {
        return Changed::No;
    }
    let old = func.blocks[entry].params.clone();
    func.retain_params(entry, |_, _| false);
    let mut replacements = Replacements::default();
    let mut casts = Vec::new();
    for (index, (&param, ty)) in old.iter().zip(types).enumerate() {
        let Some(ty) = ty else {
            let same = func.append_param(entry, func.ty(param));
            replacements.replace(param, same);
            continue;
        };
        func.params[index] = ty;
        let param_of_space = func.append_param(entry, ty);
        let cast = func.make_inst(cast_of(param_of_space), &[GENERIC], Default::default());
        replacements.replace(param, func.result(cast));
        casts.push(cast);
    }
    replacements.apply(func);
    func.layout.insts[entry].splice(0..0, casts);
    Changed::Yes
}

/// Has a function's calls pass what the callees whose parameters have changed take now.
fn pass_named(module: &mut Module, id: FuncId, renamed: &FxHashSet<FuncId>) {
    let func = &module.functions[id];
    let insts = func
        .layout
        .blocks
        .iter()
        .flat_map(|&block| &func.layout.insts[block]);
    let calls: Vec<(Inst, FuncId)> = insts
        .filter_map(|&inst| match func.insts[inst].kind {
            InstKind::Call { func, .. } if renamed.contains(&func) => Some((inst, func)),
            _ => None,
        })
        .collect();
    for (inst, callee) in calls {
        let types = module.functions[callee].params.clone();
        let func = &mut module.functions[id];
        let mut kind = func.insts[inst].kind.clone();
        if let InstKind::Call { args, .. } = &mut kind {
            for (arg, ty) in args.iter_mut().zip(types) {
                if ty != func.ty(*arg) {
                    *arg = in_type(func, *arg, ty);
                }
            }
        }
        func.insts[inst].kind = kind;
    }
}

/// A pointer of a named space that a generic one was cast from, NULL or undefined.
fn in_type(func: &mut Function, value: Value, ty: Type) -> Value {
    match func.def(value) {
        ValueDef::Undef => func.undef(ty),
        ValueDef::Const(_) => func.splat_constant(ty, 0),
        _ => named_of(func, value).unwrap_or(value),
    }
}

/// Tells whether a generic pointer is in every space: NULL and undefined ones.
fn is_anywhere(func: &Function, value: Value) -> bool {
    match func.def(value) {
        ValueDef::Const(bits) => bits.iter().all(|&bits| bits == 0),
        ValueDef::Undef => true,
        _ => false,
    }
}

/// The pointer in its own space that a generic one was cast from.
fn named_of(func: &Function, value: Value) -> Option<Value> {
    match func.insts[func.def_inst(value)?].kind {
        InstKind::Convert {
            op: ConvertOp::AddressSpaceCast,
            arg,
            ..
        } if func.ty(value) == GENERIC && func.ty(arg) != GENERIC => Some(arg),
        _ => None,
    }
}

/// Infers address spaces in one function.
fn in_function(func: &mut Function) -> Changed {
    let cfg = Cfg::new(func);
    let Some(spaces) = infer(func, &cfg) else {
        return Changed::No;
    };
    let mut rewriter = Rewriter {
        spaces,
        named: SecondaryMap::new(),
        replacements: Replacements::default(),
        changed: false,
    };
    for &block in cfg.reverse_postorder() {
        rewriter.params(func, block);
    }
    for &block in cfg.reverse_postorder() {
        rewriter.block(func, block);
    }
    for &block in cfg.reverse_postorder() {
        rewriter.branch_args(func, block);
    }
    rewriter.replacements.apply(func);
    Changed::from_bool(rewriter.changed)
}

/// The space of every generic pointer; `None` when there is none.
fn infer(func: &Function, cfg: &Cfg) -> Option<SecondaryMap<Value, Space>> {
    let mut spaces: SecondaryMap<Value, Space> = SecondaryMap::new();
    let mut any = false;
    loop {
        let mut grown = false;
        for &block in cfg.reverse_postorder() {
            if func.entry() == Some(block) {
                for &param in &func.blocks[block].params {
                    if func.ty(param) == GENERIC {
                        any = true;
                        spaces[param] = Space::Any;
                    }
                }
            }
            for &inst in &func.layout.insts[block] {
                let data = &func.insts[inst];
                for call in data.kind.successors() {
                    let params = &func.blocks[call.block].params;
                    for (&param, &arg) in params.iter().zip(&call.args) {
                        if func.ty(param) == GENERIC {
                            any = true;
                            let joined = spaces[param].join(space_of(func, &spaces, arg));
                            grown |= joined != spaces[param];
                            spaces[param] = joined;
                        }
                    }
                }
                for &result in &data.results {
                    if func.ty(result) != GENERIC {
                        continue;
                    }
                    any = true;
                    let space = match data.kind {
                        InstKind::Convert {
                            op: ConvertOp::AddressSpaceCast,
                            arg,
                            ..
                        } => space_of(func, &spaces, arg),
                        InstKind::PtrAdd { base, .. } => space_of(func, &spaces, base),
                        InstKind::Select { then, other, .. } => {
                            space_of(func, &spaces, then).join(space_of(func, &spaces, other))
                        }
                        _ => Space::Any,
                    };
                    let joined = spaces[result].join(space);
                    grown |= joined != spaces[result];
                    spaces[result] = joined;
                }
            }
        }
        if !any {
            return None;
        }
        if !grown {
            return Some(spaces);
        }
    }
}

fn space_of(func: &Function, spaces: &SecondaryMap<Value, Space>, value: Value) -> Space {
    match func.ty(value).address_space() {
        Some(AddressSpace::Generic) => match func.def(value) {
            _ if is_anywhere(func, value) => Space::None,
            ValueDef::Const(_) => Space::Any,
            _ => spaces[value],
        },
        Some(named) => Space::One(named),
        None => Space::Any,
    }
}

struct Rewriter {
    spaces: SecondaryMap<Value, Space>,
    /// The pointer in its own space, for generic pointers that have one.
    named: SecondaryMap<Value, PackedOption<Value>>,
    replacements: Replacements,
    changed: bool,
}

impl Rewriter {
    /// Generic parameters with one space become parameters of that space, cast back at the
    /// start of the block.
    fn params(&mut self, func: &mut Function, block: Block) {
        if func.entry() == Some(block) {
            return;
        }
        let old = func.blocks[block].params.clone();
        let has_one = |this: &Self, param: Value| match this.spaces[param] {
            Space::One(space) => Some(space),
            _ => None,
        };
        if !old.iter().any(|&param| has_one(self, param).is_some()) {
            return;
        }
        func.retain_params(block, |_, _| false);
        let mut casts = Vec::new();
        for param in old {
            let ty = has_one(self, param).map_or(func.ty(param), Type::ptr);
            let new = func.append_param(block, ty);
            if ty == func.ty(param) {
                self.replacements.replace(param, new);
                if func.ty(param) == GENERIC {
                    self.spaces[new] = self.spaces[param];
                }
                continue;
            }
            let cast = func.make_inst(cast_of(new), &[GENERIC], Default::default());
            let generic = func.result(cast);
            casts.push(cast);
            self.replacements.replace(param, generic);
            self.spaces[generic] = self.spaces[param];
            self.named[generic] = new.into();
        }
        func.layout.insts[block].splice(0..0, casts);
        self.changed = true;
    }

    fn block(&mut self, func: &mut Function, block: Block) {
        let insts = std::mem::take(&mut func.layout.insts[block]);
        let mut out = Vec::with_capacity(insts.len());
        for inst in insts {
            let replacements = &mut self.replacements;
            func.insts[inst]
                .kind
                .for_each_value_mut(|value| *value = replacements.resolve(*value));
            self.inst(func, inst, &mut out);
            out.push(inst);
        }
        func.layout.insts[block] = out;
    }

    /// The pointer in its own space, if that is known.
    fn named_of(&self, func: &Function, value: Value) -> Option<Value> {
        named_of(func, value).or_else(|| self.named[value].expand())
    }

    /// A value of the given space that equals a generic one, NULL included.
    fn in_space(&self, func: &mut Function, value: Value, space: AddressSpace) -> Option<Value> {
        let ty = Type::ptr(space);
        match is_anywhere(func, value) {
            true => Some(in_type(func, value, ty)),
            false => self
                .named_of(func, value)
                .filter(|&named| func.ty(named) == ty),
        }
    }

    fn inst(&mut self, func: &mut Function, inst: Inst, out: &mut Vec<Inst>) {
        let mut kind = func.insts[inst].kind.clone();
        let loc = func.insts[inst].loc;
        let result = func.insts[inst].results.first().copied();
        let one = match result.map(|result| (func.ty(result), self.spaces[result])) {
            Some((GENERIC, Space::One(space))) => Some(space),
            _ => None,
        };
        match (&mut kind, one) {
            // Computed in the named space, then cast back; the cast dies if nobody needs it.
            (InstKind::PtrAdd { base, offset }, Some(space)) => {
                let Some(base) = self.in_space(func, *base, space) else {
                    return;
                };
                let offset = *offset;
                let add = InstKind::PtrAdd { base, offset };
                let named = func.make_inst(add, &[Type::ptr(space)], loc);
                self.found(func, inst, named, out);
                return;
            }
            (InstKind::Select { cond, then, other }, Some(space)) => {
                let cond = *cond;
                let then = self.in_space(func, *then, space);
                let other = self.in_space(func, *other, space);
                let (Some(then), Some(other)) = (then, other) else {
                    return;
                };
                let select = InstKind::Select { cond, then, other };
                let named = func.make_inst(select, &[Type::ptr(space)], loc);
                self.found(func, inst, named, out);
                return;
            }
            (
                InstKind::Convert {
                    op: ConvertOp::AddressSpaceCast,
                    arg,
                    ..
                },
                None,
            ) => {
                if let Some(named) = self.named_of(func, *arg) {
                    if result.is_some_and(|result| func.ty(named) == func.ty(result)) {
                        if let Some(result) = result {
                            self.replacements.replace(result, named);
                            self.changed = true;
                        }
                    }
                }
                return;
            }
            (InstKind::ICmp { args, .. }, _) => {
                let spaces = args.map(|arg| space_of(func, &self.spaces, arg));
                if let Space::One(space) = spaces[0].join(spaces[1]) {
                    if func.ty(args[0]) == GENERIC {
                        let a = self.in_space(func, args[0], space);
                        let b = self.in_space(func, args[1], space);
                        if let (Some(a), Some(b)) = (a, b) {
                            *args = [a, b];
                        }
                    }
                }
            }
            (
                InstKind::Load { ptr, .. }
                | InstKind::Store { ptr, .. }
                | InstKind::AtomicLoad { ptr, .. }
                | InstKind::AtomicStore { ptr, .. }
                | InstKind::AtomicRmw { ptr, .. }
                | InstKind::AtomicCmpXchg { ptr, .. },
                _,
            ) => {
                if let Some(named) = self.named_of(func, *ptr) {
                    *ptr = named;
                }
            }
            (InstKind::MemCopy { dst, src, .. }, _) => {
                for ptr in [dst, src] {
                    if let Some(named) = self.named_of(func, *ptr) {
                        *ptr = named;
                    }
                }
            }
            // Results of OpenCL.std functions go through pointers of any space.
            (InstKind::Math { args, .. } | InstKind::Matrix { args, .. }, _) => {
                for arg in args {
                    if let Some(named) = self.named_of(func, *arg) {
                        *arg = named;
                    }
                }
            }
            _ => {}
        }
        if func.insts[inst].kind != kind {
            func.insts[inst].kind = kind;
            self.changed = true;
        }
    }

    /// `named` computes what `inst` did, in its own space.
    fn found(&mut self, func: &mut Function, inst: Inst, named: Inst, out: &mut Vec<Inst>) {
        out.push(named);
        let value = func.result(named);
        self.named[func.result(inst)] = value.into();
        func.insts[inst].kind = cast_of(value);
        self.changed = true;
    }

    /// Arguments for parameters that changed their space.
    fn branch_args(&mut self, func: &mut Function, block: Block) {
        let Some(inst) = func.terminator(block) else {
            return;
        };
        let mut kind = func.insts[inst].kind.clone();
        for call in kind.successors_mut() {
            for (index, arg) in call.args.iter_mut().enumerate() {
                let Some(&param) = func.blocks[call.block].params.get(index) else {
                    continue;
                };
                let ty = func.ty(param);
                *arg = self.replacements.resolve(*arg);
                if let (GENERIC, Some(space)) = (func.ty(*arg), ty.address_space()) {
                    if space != AddressSpace::Generic {
                        if let Some(named) = self.in_space(func, *arg, space) {
                            *arg = named;
                        }
                    }
                }
            }
        }
        func.insts[inst].kind = kind;
    }
}

fn cast_of(arg: Value) -> InstKind {
    InstKind::Convert {
        op: ConvertOp::AddressSpaceCast,
        arg,
        rounding: None,
    }
}
