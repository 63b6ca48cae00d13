//! Reads of private and local memory that nothing wrote are reported.
//!
//! A variable whose every use is an access gets a shadow of its size, whose bytes are all ones where the variable was
//! written. A read looks at the shadow's bytes at the same place. Copies take the shadow along and are no reads, since
//! structures have padding. A read whose value only gets other lanes is none either. Of a local argument, whose size
//! nobody knows here, the first [`ARGUMENT_BYTES`] are followed; what is copied from it counts as written.
//!
//! The pass runs twice. Before scalar replacement it follows private variables that are accessed at constant places, which
//! leave memory together with their shadows, through parameters of inlined functions as well ([`HeldPointers`]). Behind the
//! tests of accesses it follows local variables and what is left of private ones; each access is inside its variable there, or the test of bounds was not asked for.

use super::held_pointers::HeldPointers;
use super::shadow::{bits_of, lacks_ones, mark, ones, used_lanes};
use crate::expand::{Expander, Replacement, expand};
use crate::pass::{Changed, Ctx};
use crate::passes::check::code::{built_in, has_places, zero_local};
use crate::passes::check::report::{self, OWN_PREFIX, Sites, call_report};
use crate::passes::lower::zero_private::zero;
use cranelift_entity::PrimaryMap;
use pumice_check::layout::Code;
use pumice_ir::analysis::local_variables;
use pumice_ir::{
    AddressSpace, AtomicOp, BinaryOp, BuiltIn, CheckKind, CheckSite, CheckedObject, FuncId,
    Function, GlobalData, GlobalId, Inst, InstKind, IntCond, Linkage, LowerError, MemoryOrder,
    Module, Scope, StackSlot, Type, Value,
};
use pumice_target::Check;
use rustc_hash::{FxHashMap, FxHashSet};

/// The most bytes that a copy from elsewhere may have.
const MOST_COPIED: u64 = 256;
/// The most bytes of local memory with all shadows.
const MOST_LOCAL: u64 = 16 << 10;
/// The first bytes of a local argument that are followed.
const ARGUMENT_BYTES: u64 = 1 << 10;
/// The largest alignment of a type of OpenCL C.
const MOST_ALIGN: u32 = 128;

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
            followed.retain(|object| !matches!(object, Object::Slot(_)));
        }
        if ctx.target.zero_local || local_bytes(func, &module.globals, &followed) > MOST_LOCAL {
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
            offsets: FxHashMap::default(),
        };
        let _ = expand(func, |x, inst| {
            if x.at_entry {
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
    /// Local memory that the kernel gets as the argument of this ordinal.
    Argument(u32),
}

/// The bytes of a kernel's local variables and of the shadows of local memory.
fn local_bytes(
    func: &Function,
    globals: &PrimaryMap<GlobalId, GlobalData>,
    followed: &[Object],
) -> u64 {
    let variables = local_variables(func, globals);
    let own: u64 = variables.iter().map(|&global| globals[global].size).sum();
    let shadows = followed.iter().map(|&object| match object {
        Object::Slot(_) => 0,
        _ => size_of(func, globals, object),
    });
    own + shadows.sum::<u64>()
}

/// The bytes of an object that are followed.
fn size_of(func: &Function, globals: &PrimaryMap<GlobalId, GlobalData>, object: Object) -> u64 {
    match object {
        Object::Slot(slot) => u64::from(func.slots[slot].size),
        Object::Local(global) => globals[global].size,
        Object::Argument(_) => ARGUMENT_BYTES,
    }
}

/// The uses of variables in a function.
struct Uses {
    part: Part,
    /// Pointers into variables, and how far, where that is constant.
    pointers: FxHashMap<Value, (Object, Option<u64>)>,
    /// Variables whose loads give such pointers.
    held: HeldPointers,
    /// Pointers that were loaded from a variable before they were stored there.
    unknown: FxHashSet<Value>,
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
            held: match part {
                Part::Values => HeldPointers::of(func),
                Part::Memory => HeldPointers::default(),
            },
            unknown: FxHashSet::default(),
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
            (&InstKind::LocalArg { ordinal }, Some(result)) if self.part == Part::Memory => {
                self.pointers
                    .insert(result, (Object::Argument(ordinal), Some(0)));
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
                if let Some(held) = self.held.at(ptr) {
                    match self.pointers.get(&held).copied() {
                        Some(place) => _ = self.pointers.insert(result, place),
                        None => _ = self.unknown.insert(held),
                    }
                }
            }
            (&InstKind::Store { ptr, value, .. }, _) => {
                plain = self.access(func, globals, ptr, func.ty(value));
                if self.held.at(ptr).is_some() && !self.unknown.contains(&value) {
                    return;
                }
            }
            (&InstKind::MemCopy { dst, src, size, .. }, _) => {
                let size = func.const_bits(size);
                let followed = matches!(
                    self.pointers.get(&src),
                    Some((Object::Slot(_) | Object::Local(_), _))
                ) && !self.is_argument(dst);
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
            ) if matches!(
                self.pointers.get(&ptr),
                Some((Object::Local(_) | Object::Argument(_), _))
            ) =>
            {
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

    /// Returns whether a pointer leads into a local argument.
    fn is_argument(&self, pointer: Value) -> bool {
        matches!(self.pointers.get(&pointer), Some((Object::Argument(_), _)))
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
    let shadow = |&object: &Object| {
        let (size, align) = match object {
            Object::Slot(slot) => {
                let data = func.slots[slot];
                return (object, Object::Slot(func.slots.push(data)));
            }
            Object::Local(global) => (globals[global].size, globals[global].align),
            Object::Argument(_) => (ARGUMENT_BYTES, MOST_ALIGN),
        };
        let shadow = globals.push(GlobalData {
            name: format!("{OWN_PREFIX}written"),
            space: AddressSpace::Local,
            // With room for the fourth lane of a last vector of three.
            size: size.next_multiple_of(u64::from(align.max(4))),
            align: align.max(4),
            init: Vec::new(),
            relocations: Vec::new(),
            linkage: Linkage::Internal,
        });
        (object, Object::Local(shadow))
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
    /// Offsets of pointers into local arguments, in bytes.
    offsets: FxHashMap<Value, Value>,
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
                // No shadow.
                Object::Argument(_) => {}
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
            (InstKind::LocalArg { ordinal }, Some(result)) => {
                if let Some(Object::Local(global)) = self.shadow_of(Object::Argument(ordinal)) {
                    let shadow = x.value(InstKind::GlobalAddr { global }, x.ty(result));
                    self.pointers.insert(result, shadow);
                    let start = x.func.i64(0);
                    self.offsets.insert(result, start);
                }
            }
            (InstKind::PtrAdd { base, offset }, Some(result)) => {
                if let Some(&before) = self.offsets.get(&base) {
                    let at = x.bin(BinaryOp::IAdd, before, offset);
                    self.offsets.insert(result, at);
                }
                if let Some(&base) = self.pointers.get(&base) {
                    let shadow = x.value(InstKind::PtrAdd { base, offset }, x.ty(result));
                    self.pointers.insert(result, shadow);
                }
            }
            (InstKind::Load { ptr, align, .. }, Some(result)) => {
                if let Some(&lanes) = self.used.get(&result) {
                    self.read(x, ptr, (x.ty(result), lanes), align);
                }
                self.load_pointer(x, result);
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
                // An exchange whose result nobody uses is a store.
                let is_exchange = matches!(
                    x.func.insts[inst].kind,
                    InstKind::AtomicRmw {
                        op: AtomicOp::Xchg,
                        ..
                    }
                );
                if !is_exchange || result.is_some_and(|result| self.used.contains_key(&result)) {
                    self.read(x, ptr, (ty, u32::MAX), ty.access_bytes());
                }
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
                let Some(&shadow) = self.pointers.get(&dst) else {
                    return;
                };
                let bytes = x.func.const_bits(size).unwrap_or(0);
                let of_argument = [dst, src].iter().any(|one| self.offsets.contains_key(one));
                match self.pointers.get(&src) {
                    Some(&src) if !of_argument => {
                        let copy = InstKind::MemCopy {
                            dst: shadow,
                            src,
                            size,
                            dst_align,
                            src_align,
                            flags,
                        };
                        x.emit(copy, &[]);
                    }
                    _ => self.inside(x, dst, bytes, |x| mark(x, shadow, bytes, dst_align)),
                }
            }
            _ => {}
        }
    }

    /// Makes the pointer into the shadow for a pointer that was loaded from a variable which holds it.
    fn load_pointer(&mut self, x: &mut Expander<'_>, loaded: Value) {
        let Some(&(object, Some(at))) = self.uses.pointers.get(&loaded) else {
            return;
        };
        if let Some(Object::Slot(slot)) = self.shadow_of(object) {
            let start = x.value(InstKind::StackAddr { slot }, x.ty(loaded));
            let shadow = x.offset(start, at);
            self.pointers.insert(loaded, shadow);
        }
    }

    /// Writes code for an access of so many bytes that are followed.
    fn inside(
        &self,
        x: &mut Expander<'_>,
        ptr: Value,
        bytes: u64,
        write: impl FnOnce(&mut Expander<'_>),
    ) {
        match self.offsets.get(&ptr) {
            Some(&at) => {
                let fits = x.icmp_const(IntCond::Ule, at, ARGUMENT_BYTES - bytes);
                x.when(fits, write);
            }
            None => write(x),
        }
    }

    fn write(&self, x: &mut Expander<'_>, ptr: Value, ty: Type, align: u32) {
        let Some(&shadow) = self.pointers.get(&ptr) else {
            return;
        };
        // A vector of three has the room of four, and asynchronous copies take all of it along.
        let is_local = x.ty(ptr).address_space() == Some(AddressSpace::Local);
        let ty = match ty.lanes {
            3 if is_local && align % ty.alloc_bytes() == 0 => ty.with_lanes(4),
            _ => ty,
        };
        let bytes = u64::from(ty.access_bytes());
        self.inside(x, ptr, bytes, |x| ones(x, shadow, 0, bits_of(ty), align));
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
                Object::Argument(ordinal) => CheckedObject::Argument(ordinal),
            },
            loc: x.loc,
        });
        let report = self.report;
        let at = self.offsets.get(&ptr).copied();
        let bytes = u64::from(ty.access_bytes());
        self.inside(x, ptr, bytes, |x| {
            let any = lacks_ones(x, shadow, (ty, lanes), align);
            x.when(any, |x| {
                let memory = built_in(x, BuiltIn::CheckMemory);
                let code = x.func.i32(Code::Operation as i32);
                let size = x.func.i64(bytes as i64);
                let at = at.unwrap_or_else(|| x.func.i64(0));
                call_report(x, report, memory, (site, code), [at, size]);
            });
        });
    }
}
