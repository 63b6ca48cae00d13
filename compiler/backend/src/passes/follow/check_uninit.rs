//! Reads of private and local memory that nothing wrote are reported.
//!
//! A variable whose every use is an access gets a shadow of its size, whose bytes are all ones where the variable was
//! written. A read looks at the shadow's bytes at the same place. Copies take the shadow along and are no reads, since
//! structures have padding. A read whose value only gets other lanes is none either.
//!
//! The pass runs twice. Before scalar replacement it follows private variables that are accessed at constant places, which
//! leave memory together with their shadows. Behind the tests of accesses it follows local variables and what is left of
//! private ones; each access is inside its variable there, or the test of bounds was not asked for.

use crate::expand::{Expander, Replacement, expand};
use crate::pass::{Changed, Ctx};
use crate::passes::check::code::{has_places, zero_local};
use crate::passes::check::report::{self, OWN_PREFIX, Sites, call_report};
use crate::passes::lower::zero_private::zero;
use cranelift_entity::PrimaryMap;
use pumice_check::layout::Code;
use pumice_ir::{
    AccessFlags, AddressSpace, BinaryOp, BuiltIn, CheckKind, CheckSite, CheckedObject, FuncId,
    Function, GlobalData, GlobalId, Inst, InstKind, IntCond, Linkage, LowerError, MemoryOrder,
    Module, Scalar, Scope, StackSlot, Type, Value,
};
use pumice_target::Check;
use rustc_hash::{FxHashMap, FxHashSet};

/// The most bytes that a copy from elsewhere may have.
const MOST_COPIED: u64 = 256;
/// The most bytes of local memory with all shadows.
const MOST_LOCAL: u64 = 16 << 10;

/// Follows private variables that scalar replacement takes out of memory.
///
/// # Errors
/// Never.
pub fn run_values(module: &mut Module, ctx: &Ctx<'_>) -> Result<Changed, LowerError> {
    match ctx.target.zero_private {
        true => Ok(Changed::No),
        false => run(module, ctx, Part::Values),
    }
}

/// Follows local variables and private ones in memory.
///
/// # Errors
/// Never.
pub fn run_memory(module: &mut Module, ctx: &Ctx<'_>) -> Result<Changed, LowerError> {
    let changed = run(module, ctx, Part::Memory)?;
    report::mark_checked(module);
    Ok(changed)
}

/// The variables that a run follows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Values,
    Memory,
}

fn run(module: &mut Module, ctx: &Ctx<'_>, part: Part) -> Result<Changed, LowerError> {
    if !ctx.target.checks.has(Check::Uninit) || !report::applies(module, ctx) {
        return Ok(Changed::No);
    }
    let report = report::report(module, ctx);
    let mut changed = Changed::No;
    for (index, kernel) in module.kernels.iter().enumerate() {
        let func = &mut module.functions[kernel.func];
        if func.entry().is_none() {
            continue;
        }
        let uses = Uses::new(func, &module.globals, part);
        let mut followed = uses.followed(func, &module.globals);
        if part == Part::Memory && ctx.target.zero_private {
            followed.retain(|object| matches!(object, Object::Local(_)));
        }
        if ctx.target.zero_local || local_bytes(&module.globals) * 2 > MOST_LOCAL {
            followed.retain(|object| matches!(object, Object::Slot(_)));
        }
        if followed.is_empty() {
            continue;
        }
        let shadows = make_shadows(func, &mut module.globals, &followed);
        let mut pass = Pass {
            report,
            located: has_places(func),
            globals: &module.globals,
            sites: Sites::new(&mut module.checks, Some(index)),
            shadows,
            uses,
            used: used_lanes(func, true),
            pointers: FxHashMap::default(),
        };
        let mut first = true;
        let _ = expand(func, |x, inst| {
            if std::mem::take(&mut first) {
                pass.begin(x);
            }
            pass.rule(x, inst);
            Ok(None::<Replacement>)
        })?;
        changed = Changed::Yes;
    }
    Ok(changed)
}

/// A variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Object {
    Slot(StackSlot),
    Local(GlobalId),
}

fn local_bytes(globals: &PrimaryMap<GlobalId, GlobalData>) -> u64 {
    let local = globals
        .values()
        .filter(|data| data.space == AddressSpace::Local);
    local.map(|data| data.size).sum()
}

fn size_of(func: &Function, globals: &PrimaryMap<GlobalId, GlobalData>, object: Object) -> u64 {
    match object {
        Object::Slot(slot) => u64::from(func.slots[slot].size),
        Object::Local(global) => globals[global].size,
    }
}

/// The uses of variables in a function.
struct Uses {
    part: Part,
    /// Pointers into variables, and how far, where that is constant.
    pointers: FxHashMap<Value, (Object, Option<u64>)>,
    /// Variables with another use than an access.
    lost: FxHashSet<Object>,
    /// Variables that are read.
    read: FxHashSet<Object>,
}

impl Uses {
    fn new(func: &Function, globals: &PrimaryMap<GlobalId, GlobalData>, part: Part) -> Self {
        let mut uses = Self {
            part,
            pointers: FxHashMap::default(),
            lost: FxHashSet::default(),
            read: FxHashSet::default(),
        };
        let order = pumice_ir::Cfg::new(func).reverse_postorder().to_vec();
        for block in order {
            for &inst in &func.layout.insts[block] {
                uses.inst(func, globals, inst);
            }
        }
        uses
    }

    fn inst(&mut self, func: &Function, globals: &PrimaryMap<GlobalId, GlobalData>, inst: Inst) {
        let data = &func.insts[inst];
        let result = data.results.first().copied();
        let mut plain: Option<Value> = None;
        match (&data.kind, result) {
            (&InstKind::StackAddr { slot }, Some(result)) => {
                self.pointers.insert(result, (Object::Slot(slot), Some(0)));
            }
            (&InstKind::GlobalAddr { global }, Some(result))
                if globals[global].space == AddressSpace::Local
                    && self.part == Part::Memory
                    && globals[global].init.is_empty()
                    && !globals[global].name.starts_with(OWN_PREFIX) =>
            {
                self.pointers
                    .insert(result, (Object::Local(global), Some(0)));
            }
            (&InstKind::PtrAdd { base, offset }, Some(result)) => {
                if let Some(&(object, at)) = self.pointers.get(&base) {
                    let offset = func.const_bits(offset);
                    let at = at.zip(offset).map(|(at, offset)| at.wrapping_add(offset));
                    self.pointers.insert(result, (object, at));
                    plain = Some(base);
                }
            }
            (&InstKind::Load { ptr, .. }, Some(result)) => {
                plain = self.access(func, globals, ptr, func.ty(result));
                self.read
                    .extend(self.pointers.get(&ptr).map(|(object, _)| *object));
            }
            (&InstKind::Store { ptr, value, .. }, _) => {
                plain = self.access(func, globals, ptr, func.ty(value));
            }
            (&InstKind::MemCopy { dst, src, size, .. }, _) => {
                let size = func.const_bits(size);
                let followed = self.pointers.contains_key(&src);
                let fits = size.is_some_and(|size| followed || size <= MOST_COPIED);
                // Scalar replacement makes accesses of copies between variables.
                let inside = |pointer: Value| {
                    let Some(&(object, at)) = self.pointers.get(&pointer) else {
                        return true;
                    };
                    let end = at.zip(size).and_then(|(at, size)| at.checked_add(size));
                    self.part == Part::Memory
                        || end.is_some_and(|end| end <= size_of(func, globals, object))
                };
                if fits && inside(dst) && inside(src) {
                    return;
                }
            }
            (
                &InstKind::AtomicLoad { ptr, .. }
                | &InstKind::AtomicStore { ptr, .. }
                | &InstKind::AtomicRmw { ptr, .. }
                | &InstKind::AtomicCmpXchg { ptr, .. },
                _,
            ) if matches!(self.pointers.get(&ptr), Some((Object::Local(_), _))) => {
                plain = Some(ptr);
                self.read
                    .extend(self.pointers.get(&ptr).map(|(object, _)| *object));
            }
            _ => {}
        }
        let mut met = false;
        data.kind.for_each_value(|value| {
            if plain == Some(value) && !std::mem::replace(&mut met, true) {
                return;
            }
            if let Some(&(object, _)) = self.pointers.get(&value) {
                self.lost.insert(object);
            }
        });
    }

    /// The pointer of an access, if the variable can be followed there.
    fn access(
        &self,
        func: &Function,
        globals: &PrimaryMap<GlobalId, GlobalData>,
        ptr: Value,
        ty: Type,
    ) -> Option<Value> {
        let &(object, at) = self.pointers.get(&ptr)?;
        let bytes = u64::from(ty.access_bytes());
        let end = at.and_then(|at| at.checked_add(bytes));
        let inside = end.is_some_and(|end| end <= size_of(func, globals, object));
        (inside || self.part == Part::Memory).then_some(ptr)
    }

    /// The variables that are followed, in order.
    fn followed(&self, func: &Function, globals: &PrimaryMap<GlobalId, GlobalData>) -> Vec<Object> {
        let mut all: Vec<Object> = (self.read.iter().copied())
            .filter(|object| !self.lost.contains(object))
            .filter(|&object| size_of(func, globals, object) > 0)
            .collect();
        all.sort_unstable();
        all
    }
}

/// The shadows of variables.
fn make_shadows(
    func: &mut Function,
    globals: &mut PrimaryMap<GlobalId, GlobalData>,
    followed: &[Object],
) -> Vec<(Object, Object)> {
    let shadow = |&object: &Object| match object {
        Object::Slot(slot) => {
            let data = func.slots[slot];
            (object, Object::Slot(func.slots.push(data)))
        }
        Object::Local(global) => {
            let data = &globals[global];
            let data = GlobalData {
                name: format!("{OWN_PREFIX}written"),
                space: AddressSpace::Local,
                size: data.size.next_multiple_of(4),
                align: data.align.max(4),
                init: Vec::new(),
                relocations: Vec::new(),
                linkage: Linkage::Internal,
            };
            (object, Object::Local(globals.push(data)))
        }
    };
    followed.iter().map(shadow).collect()
}

/// The run on one kernel.
struct Pass<'a> {
    report: FuncId,
    /// Accesses without a place are not the program's.
    located: bool,
    globals: &'a PrimaryMap<GlobalId, GlobalData>,
    sites: Sites<'a>,
    shadows: Vec<(Object, Object)>,
    uses: Uses,
    /// The lanes of values that are more than carried along.
    used: FxHashMap<Value, u32>,
    /// Pointers into shadows by those into variables.
    pointers: FxHashMap<Value, Value>,
}

impl Pass<'_> {
    /// Nothing is written when the kernel starts.
    fn begin(&mut self, x: &mut Expander<'_>) {
        let mut local = false;
        for (_, shadow) in self.shadows.clone() {
            match shadow {
                Object::Slot(slot) => zero(x, slot),
                Object::Local(global) => {
                    zero_local(x, global, self.globals[global].size);
                    local = true;
                }
            }
        }
        if local {
            let scope = Scope::Workgroup;
            let barrier = InstKind::Barrier {
                execution: scope,
                memory: scope,
                order: MemoryOrder::AcqRel,
                global: false,
                local: true,
            };
            x.emit(barrier, &[]);
        }
    }

    fn shadow_of(&self, object: Object) -> Option<Object> {
        let pair = self.shadows.iter().find(|(of, _)| *of == object);
        pair.map(|(_, shadow)| *shadow)
    }

    fn rule(&mut self, x: &mut Expander<'_>, inst: Inst) {
        let data = x.func.insts[inst].clone();
        let result = data.results.first().copied();
        match (data.kind, result) {
            (InstKind::StackAddr { slot }, Some(result)) => {
                if let Some(Object::Slot(slot)) = self.shadow_of(Object::Slot(slot)) {
                    let shadow = x.value(InstKind::StackAddr { slot }, x.ty(result));
                    self.pointers.insert(result, shadow);
                }
            }
            (InstKind::GlobalAddr { global }, Some(result)) => {
                if let Some(Object::Local(global)) = self.shadow_of(Object::Local(global)) {
                    let shadow = x.value(InstKind::GlobalAddr { global }, x.ty(result));
                    self.pointers.insert(result, shadow);
                }
            }
            (InstKind::PtrAdd { base, offset }, Some(result)) => {
                if let Some(&base) = self.pointers.get(&base) {
                    let shadow = x.value(InstKind::PtrAdd { base, offset }, x.ty(result));
                    self.pointers.insert(result, shadow);
                }
            }
            (InstKind::Load { ptr, align, .. }, Some(result)) => {
                if let Some(&lanes) = self.used.get(&result) {
                    self.read(x, ptr, (x.ty(result), lanes), align);
                }
            }
            (
                InstKind::Store {
                    ptr, value, align, ..
                },
                _,
            ) => self.write(x, ptr, x.ty(value), align),
            (InstKind::AtomicLoad { ptr, .. }, Some(result)) => {
                let ty = x.ty(result);
                self.read(x, ptr, (ty, u32::MAX), ty.access_bytes());
            }
            (InstKind::AtomicStore { ptr, value, .. }, _) => {
                let ty = x.ty(value);
                self.write(x, ptr, ty, ty.access_bytes());
            }
            (
                InstKind::AtomicRmw { ptr, value, .. }
                | InstKind::AtomicCmpXchg {
                    ptr,
                    expected: value,
                    ..
                },
                _,
            ) => {
                let ty = x.ty(value);
                self.read(x, ptr, (ty, u32::MAX), ty.access_bytes());
                self.write(x, ptr, ty, ty.access_bytes());
            }
            (
                InstKind::MemCopy {
                    dst,
                    src,
                    size,
                    dst_align,
                    src_align,
                    flags,
                },
                _,
            ) => {
                let Some(&dst) = self.pointers.get(&dst) else {
                    return;
                };
                if let Some(&src) = self.pointers.get(&src) {
                    let copy = InstKind::MemCopy {
                        dst,
                        src,
                        size,
                        dst_align,
                        src_align,
                        flags,
                    };
                    x.emit(copy, &[]);
                    return;
                }
                let bytes = x.func.const_bits(size).unwrap_or(0);
                let words = if dst_align >= 4 { bytes / 4 } else { 0 };
                for word in 0..words {
                    ones(x, dst, word * 4, Type::I32, 4);
                }
                for byte in words * 4..bytes {
                    ones(x, dst, byte, Type::I8, 1);
                }
            }
            _ => {}
        }
    }

    fn write(&self, x: &mut Expander<'_>, ptr: Value, ty: Type, align: u32) {
        if let Some(&shadow) = self.pointers.get(&ptr) {
            ones(x, shadow, 0, bits_of(ty), align);
        }
    }

    fn read(&mut self, x: &mut Expander<'_>, ptr: Value, (ty, lanes): (Type, u32), align: u32) {
        let (Some(&shadow), Some(&(object, _))) =
            (self.pointers.get(&ptr), self.uses.pointers.get(&ptr))
        else {
            return;
        };
        if self.located && x.loc.line == 0 {
            return;
        }
        let ty = bits_of(ty);
        let any = lacks_ones(x, shadow, (ty, lanes), align);
        let site = self.sites.add(CheckSite {
            kernel: None,
            kind: CheckKind::Unwritten,
            size: ty.access_bytes(),
            align: 1,
            object: match object {
                Object::Slot(slot) => CheckedObject::Private {
                    size: x.func.slots[slot].size,
                },
                Object::Local(global) => CheckedObject::Variable {
                    name: self.globals[global].name.clone(),
                    size: self.globals[global].size,
                },
            },
            loc: x.loc,
        });
        let report = self.report;
        x.when(any, |x| {
            let which = BuiltIn::CheckMemory;
            let memory = x.value(InstKind::BuiltIn { which }, which.ty());
            let code = x.func.i32(Code::Operation as i32);
            let size = x.func.i64(i64::from(ty.access_bytes()));
            let none = x.func.i64(0);
            call_report(x, report, memory, (site, code), [none, size]);
        });
    }
}

/// The lanes of values that are used, one bit for each: a vector that gets lanes is carried along, and so is what a block's
/// parameter without a use takes. What is stored counts if `stores_use`.
pub(super) fn used_lanes(func: &Function, stores_use: bool) -> FxHashMap<Value, u32> {
    let mut used: FxHashMap<Value, u32> = FxHashMap::default();
    let mut carried: FxHashMap<Value, Vec<Value>> = FxHashMap::default();
    let blocks = func.layout.blocks.iter();
    for &inst in blocks.flat_map(|&block| &func.layout.insts[block]) {
        let kind = &func.insts[inst].kind;
        let mut carries: Vec<Value> = Vec::new();
        for call in kind.successors() {
            let params = &func.blocks[call.block].params;
            for (&param, &arg) in params.iter().zip(&call.args) {
                carried.entry(param).or_default().push(arg);
                carries.push(arg);
            }
        }
        match *kind {
            InstKind::Insert { vector, .. } => carries.push(vector),
            InstKind::Store { value, .. } if !stores_use => carries.push(value),
            // Other lanes of a vector are set this way too.
            InstKind::Shuffle { .. } => continue,
            InstKind::Extract { vector, lane } => {
                *used.entry(vector).or_default() |= 1 << lane;
                continue;
            }
            _ => {}
        }
        kind.for_each_value(|value| match carries.iter().position(|&one| one == value) {
            Some(at) => drop(carries.swap_remove(at)),
            None => drop(used.insert(value, u32::MAX)),
        });
    }
    let mut new: Vec<Value> = used.keys().copied().collect();
    while let Some(param) = new.pop() {
        let lanes = used[&param];
        for &arg in carried.get(&param).into_iter().flatten() {
            let known = used.entry(arg).or_default();
            if *known | lanes != *known {
                *known |= lanes;
                new.push(arg);
            }
        }
    }
    used
}

/// True if a byte of a shadow does not say that it was written; only some lanes count.
pub(super) fn lacks_ones(
    x: &mut Expander<'_>,
    shadow: Value,
    (ty, lanes): (Type, u32),
    align: u32,
) -> Value {
    let load = InstKind::Load {
        ptr: shadow,
        align,
        flags: AccessFlags::empty(),
    };
    let written = x.value(load, ty);
    let bad = x.icmp_const(IntCond::Ne, written, u64::MAX >> (64 - ty.scalar.bits()));
    let chosen = (0..ty.lanes).filter(|&lane| lanes >> lane & 1 != 0);
    let all: Vec<Value> = chosen.map(|lane| x.lane(bad, lane)).collect();
    let any = all
        .into_iter()
        .reduce(|any, one| x.bin(BinaryOp::Or, any, one));
    any.unwrap_or_else(|| x.splat(Type::BOOL, 0))
}

/// The type of a value's shadow.
pub(super) fn bits_of(ty: Type) -> Type {
    ty.with_scalar(Scalar::int_of_bits(ty.scalar.bytes() * 8).unwrap_or(Scalar::I8))
}

/// Marks bytes of a shadow as written.
pub(super) fn ones(x: &mut Expander<'_>, shadow: Value, at: u64, ty: Type, align: u32) {
    let ptr = x.offset(shadow, at);
    let value = x.splat(ty, u64::MAX >> (64 - ty.scalar.bits()));
    let flags = AccessFlags::empty();
    let store = InstKind::Store {
        ptr,
        value,
        align,
        flags,
    };
    x.emit(store, &[]);
}
