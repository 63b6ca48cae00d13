//! The verifier: what every pass may rely on.
//!
//! Takes: a module. Gives: nothing, or what is wrong, naming the function and the
//! instruction. Never: changes anything.

use super::text::inst_to_text;
use super::{
    AccessFlags, AddressSpace, Block, BlockCall, Cfg, DomTree, FuncId, Function, GlobalData, Inst,
    KernelArgKind, KernelInfo, Linkage, Module, Scalar, Type, Value, ValueDef,
};
use cranelift_entity::SecondaryMap;
use rustc_hash::FxHashSet;

/// One broken rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyError {
    /// The place: `fn0 "name", block1: <instruction>`, `global2`, `kernel "k"`.
    pub place: String,
    /// The broken rule.
    pub message: String,
}

impl std::fmt::Display for VerifyError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}

impl std::error::Error for VerifyError {}

/// Checks a module.
///
/// # Errors
/// The first broken rule.
pub fn verify(module: &Module) -> Result<(), VerifyError> {
    for (id, global) in module.globals.iter() {
        check_global(module, global).map_err(|message| VerifyError {
            place: id.to_string(),
            message,
        })?;
    }
    for (id, payload) in module.payloads.iter() {
        let shared = payload.shares_limits_with;
        let known = shared.is_none_or(|other| other != id && module.payloads.is_valid(other));
        let shared = shared.and_then(|other| module.payloads.get(other));
        let checked = if known {
            payload.check(shared)
        } else {
            Err("the limits are shared with another type that exists".into())
        };
        checked.map_err(|message| VerifyError {
            place: id.to_string(),
            message,
        })?;
    }
    for kernel in &module.kernels {
        check_kernel(module, kernel).map_err(|message| VerifyError {
            place: format!("kernel {:?}", kernel.name),
            message,
        })?;
    }
    for (id, func) in module.functions.iter() {
        verify_function(module, id, func)?;
    }
    Ok(())
}

fn power_of_two(align: u32) -> Result<(), String> {
    if align.is_power_of_two() {
        return Ok(());
    }
    Err(format!("alignment {align} is no power of two"))
}

fn check_global(module: &Module, global: &GlobalData) -> Result<(), String> {
    power_of_two(global.align)?;
    if !matches!(
        global.space,
        AddressSpace::Global | AddressSpace::Constant | AddressSpace::Local
    ) {
        return Err(format!("address space {}", global.space.name()));
    }
    if !global.init.is_empty() && global.init.len() as u64 != global.size {
        return Err(format!(
            "{} initial bytes for size {}",
            global.init.len(),
            global.size
        ));
    }
    let initialised = !global.init.is_empty() || !global.relocations.is_empty();
    if initialised && global.space == AddressSpace::Local {
        return Err("a local variable has no initial value".into());
    }
    for relocation in &global.relocations {
        if relocation
            .offset
            .checked_add(8)
            .is_none_or(|end| end > global.size)
        {
            return Err(format!("relocation at {} lies outside", relocation.offset));
        }
        let Some(target) = module.globals.get(relocation.target) else {
            return Err(format!("{} does not exist", relocation.target));
        };
        if target.space == AddressSpace::Local {
            return Err(format!(
                "{} is local, its address varies",
                relocation.target
            ));
        }
    }
    Ok(())
}

fn check_kernel(module: &Module, kernel: &KernelInfo) -> Result<(), String> {
    let Some(func) = module.functions.get(kernel.func) else {
        return Err(format!("{} does not exist", kernel.func));
    };
    if func.entry().is_none() {
        return Err(format!("{} has no body", kernel.func));
    }
    if !func.results.is_empty() {
        return Err("a kernel returns nothing".into());
    }
    if let Some(node) = &kernel.node {
        node.check()?;
        if node
            .input
            .is_some_and(|input| !module.payloads.is_valid(input))
        {
            return Err("the input's payload type does not exist".into());
        }
    }
    for arg in &kernel.args {
        match arg.kind {
            KernelArgKind::ByVal { align, .. } | KernelArgKind::Local { align } => {
                power_of_two(align)?;
            }
            KernelArgKind::Value(_)
            | KernelArgKind::Pointer(_)
            | KernelArgKind::Image(_)
            | KernelArgKind::Sampler => {}
        }
    }
    let expected: Vec<Type> = kernel
        .args
        .iter()
        .map(|arg| match arg.kind {
            KernelArgKind::Value(ty) => ty,
            KernelArgKind::ByVal { .. } => Type::ptr(AddressSpace::Private),
            KernelArgKind::Pointer(space) => Type::ptr(space),
            KernelArgKind::Local { .. } => Type::ptr(AddressSpace::Local),
            KernelArgKind::Image(_) | KernelArgKind::Sampler => Type::I32,
        })
        .collect();
    // `lower_kernel_args` takes the parameters away.
    if !func.params.is_empty() && func.params != expected {
        return Err("arguments and parameters of the function differ".into());
    }
    if kernel.initializer || kernel.finalizer {
        if !kernel.args.is_empty() {
            return Err("a program's own kernel has arguments".into());
        }
        if kernel.required_work_group_size != Some([1; 3]) {
            return Err("a program's own kernel runs as one work-item".into());
        }
    }
    for size in [kernel.required_work_group_size, kernel.work_group_size_hint] {
        if size.is_some_and(|size| size.contains(&0)) {
            return Err("a work-group size of 0".into());
        }
    }
    Ok(())
}

/// The context of the checks of one function.
pub(super) struct Context<'a> {
    pub id: FuncId,
    pub module: &'a Module,
    pub func: &'a Function,
    cfg: Cfg,
    dom: DomTree,
    /// Block and position of each instruction.
    position: SecondaryMap<Inst, Option<(Block, u32)>>,
}

/// Checks one function of a module.
///
/// # Errors
/// The first broken rule.
pub fn verify_function(module: &Module, id: FuncId, func: &Function) -> Result<(), VerifyError> {
    let at = |place: String, message: String| VerifyError {
        place: format!("{id} {:?}{place}", func.name),
        message,
    };
    if func.entry().is_none() {
        if func.linkage == Linkage::Internal {
            return Err(at(String::new(), "an internal function has no body".into()));
        }
        return Ok(());
    }
    for (slot, data) in func.slots.iter() {
        power_of_two(data.align).map_err(|message| at(format!(", {slot}"), message))?;
    }
    let mut position: SecondaryMap<Inst, Option<(Block, u32)>> = func.inst_map();
    let mut blocks: FxHashSet<Block> = FxHashSet::default();
    for &block in &func.layout.blocks {
        let here = || format!(", {block}");
        if !func.blocks.is_valid(block) || !blocks.insert(block) {
            return Err(at(here(), "not a block, or twice in the layout".into()));
        }
        for (index, &param) in func.blocks[block].params.iter().enumerate() {
            if *func.def(param) != ValueDef::Param(block, index as u16) {
                return Err(at(here(), format!("{param} is not its parameter {index}")));
            }
        }
        let insts = &func.layout.insts[block];
        for (index, &inst) in insts.iter().enumerate() {
            if !func.insts.is_valid(inst) || position[inst].is_some() {
                return Err(at(
                    here(),
                    format!("{inst} is no instruction or used twice"),
                ));
            }
            position[inst] = Some((block, index as u32));
            let last = index + 1 == insts.len();
            if func.insts[inst].kind.is_terminator() != last {
                let what = if last {
                    "the last instruction is no terminator"
                } else {
                    "a terminator before the end"
                };
                return Err(at(here(), what.into()));
            }
        }
        if insts.is_empty() {
            return Err(at(here(), "no instructions".into()));
        }
    }
    for &block in &func.layout.blocks {
        let inst = func.layout.insts[block][func.layout.insts[block].len() - 1];
        for call in func.insts[inst].kind.successors() {
            if !blocks.contains(&call.block) {
                let message = format!("branches to {}, which is not in the layout", call.block);
                return Err(at(format!(", {block}"), message));
            }
        }
    }
    let cfg = Cfg::new(func);
    let dom = DomTree::new(&cfg);
    let context = Context {
        id,
        module,
        func,
        cfg,
        dom,
        position,
    };
    let entry = func.layout.blocks[0];
    let params: Vec<Type> = func.blocks[entry]
        .params
        .iter()
        .map(|&p| func.ty(p))
        .collect();
    if params != func.params {
        return Err(at(
            format!(", {entry}"),
            "the entry's parameters are not the function's".into(),
        ));
    }
    for &block in &func.layout.blocks {
        for (index, &inst) in func.layout.insts[block].iter().enumerate() {
            context
                .check_inst(block, index as u32, inst)
                .map_err(|message| {
                    at(format!(", {block}: {}", inst_to_text(func, inst)), message)
                })?;
        }
    }
    Ok(())
}

impl Context<'_> {
    fn check_inst(&self, block: Block, index: u32, inst: Inst) -> Result<(), String> {
        let data = &self.func.insts[inst];
        for (n, &result) in data.results.iter().enumerate() {
            if *self.func.def(result) != ValueDef::Result(inst, n as u16) {
                return Err(format!("{result} is not its result {n}"));
            }
            check_type(self.func.ty(result)).map_err(|e| format!("{result}: {e}"))?;
        }
        let mut outcome = Ok(());
        data.kind.for_each_value(|value| {
            if outcome.is_ok() {
                outcome = self.check_use(value, block, index);
            }
        });
        outcome?;
        self.check_types(inst)
    }

    /// The operand exists and is defined on every path to here.
    fn check_use(&self, value: Value, block: Block, index: u32) -> Result<(), String> {
        if value.as_u32() as usize >= self.func.num_values() {
            return Err(format!("{value} does not exist"));
        }
        let ty = self.func.ty(value);
        let dominated = match self.func.def(value) {
            ValueDef::Const(lanes) => {
                let width = ty.scalar.bits();
                let fits = |&lane: &u64| width == 64 || lane >> width == 0;
                if lanes.len() != usize::from(ty.lanes) || !lanes.iter().all(fits) {
                    return Err(format!("a constant of type {ty} does not have its form"));
                }
                true
            }
            ValueDef::Undef => true,
            &ValueDef::Param(home, n) => {
                let is_param = self.func.blocks[home].params.get(usize::from(n)) == Some(&value);
                if !is_param {
                    return Err(format!("{value} is no longer a parameter of {home}"));
                }
                self.dom.dominates(home, block)
            }
            &ValueDef::Result(inst, _) => match self.position[inst] {
                None => return Err(format!("{value} is defined outside of the layout")),
                Some((home, at)) if home == block => at < index,
                Some((home, _)) => self.dom.dominates(home, block),
            },
        };
        if !dominated && self.cfg.is_reachable(block) {
            return Err(format!("{value} is not defined on every path to here"));
        }
        Ok(())
    }

    /// Arguments of a branch against the target's parameters.
    pub(super) fn check_call(&self, call: &BlockCall) -> Result<(), String> {
        let params = &self.func.blocks[call.block].params;
        if params.len() != call.args.len() {
            return Err(format!(
                "{} takes {} arguments, not {}",
                call.block,
                params.len(),
                call.args.len()
            ));
        }
        for (&param, &arg) in params.iter().zip(&call.args) {
            let (expected, found) = (self.func.ty(param), self.func.ty(arg));
            if expected != found {
                return Err(format!(
                    "{param} of {} is {expected}, not {found}",
                    call.block
                ));
            }
        }
        Ok(())
    }
}

fn check_type(ty: Type) -> Result<(), String> {
    if matches!(ty.lanes, 1 | 2 | 3 | 4 | 8 | 16) {
        return Ok(());
    }
    Err(format!("{} lanes", ty.lanes))
}

pub(super) fn check_align(align: u32) -> Result<(), String> {
    power_of_two(align)
}

/// I64 for the two words that stand for it on devices without; other types as they are.
pub(super) fn long(ty: Type) -> Type {
    match ty == Type::vector(Scalar::I32, 2) {
        true => Type::I64,
        false => ty,
    }
}

/// The type of an access to memory, or Bool, which is never there, for a part of what is no I32.
pub(super) fn in_part(flags: AccessFlags, ty: Type) -> Type {
    match flags.part_bytes().is_some() && ty != Type::I32 {
        true => Type::BOOL,
        false => ty,
    }
}
