//! Kernels for work-groups of one work-item, of which launches run many as one work-group.
//!
//! Such a work-item has nobody in its group to meet or to share with: its local variables become private ones, its barriers and
//! functions of work-groups go, and its ids and sizes of groups follow from the global ones. What is left does not tell how
//! work-items are grouped (`UnseenGroups`). The pass runs for launches of that size alone, which the runtime builds programs for
//! a second time.
//!
//! A kernel stays as it is if it takes part in device-side enqueue, asks for sub-groups, has local arguments, whose size is not
//! known, or generic pointers beside local ones, since those tell one kind of memory from the other. So does one that shares
//! functions about groups with a kernel that stays. The pass takes time that is linear in the size of the functions.

use crate::expand::{Expander, Replacement, expand};
use crate::pass::{Changed, Ctx};
use cranelift_entity::{EntitySet, SecondaryMap};
use pumice_ir::analysis::reachable_functions;
use pumice_ir::{
    AccessFlags, AddressSpace, AtomicOp, BinaryOp, BuiltIn, FuncId, Function, GlobalId, GroupOp,
    GroupOperation, Inst, InstKind, IntCond, KernelInfo, LowerError, Module, Scope, StackSlot,
    StackSlotData, Type, Value,
};
use rustc_hash::FxHashMap;

const LOCAL: Type = Type::ptr(AddressSpace::Local);
const PRIVATE: Type = Type::ptr(AddressSpace::Private);

/// Runs the pass.
///
/// # Errors
/// Functions that call one another in a circle, which the inliner has refused before.
pub fn run(module: &mut Module, _ctx: &Ctx<'_>) -> Result<Changed, LowerError> {
    let functions = reachable_functions(module)?;
    let mut called: EntitySet<FuncId> = EntitySet::new();
    for &id in &functions {
        called.extend(module.functions[id].calls());
    }
    let facts = find(module, &functions, &called);
    let may_change = |kernel: &KernelInfo| may_change(kernel) && facts[kernel.func].may_change();
    let all = module.kernels.iter().all(may_change);
    let is_apart = |id: FuncId| !facts[id].calls_concerned && !called.contains(id);
    let kernels: Vec<usize> = (0..module.kernels.len())
        .filter(|&k| may_change(&module.kernels[k]))
        .filter(|&k| all || is_apart(module.kernels[k].func))
        .collect();
    let mut changing: Vec<FuncId> = match all {
        true => functions,
        false => kernels.iter().map(|&k| module.kernels[k].func).collect(),
    };
    changing.retain(|&id| facts[id].concerned);
    for &k in &kernels {
        module.kernels[k].required_work_group_size = None;
    }
    let mut changed = Changed::from_bool(!kernels.is_empty());
    for id in changing {
        let mut func = std::mem::replace(
            &mut module.functions[id],
            Function::new("", Vec::new(), Vec::new()),
        );
        changed |= rewrite(&mut func, module)?;
        module.functions[id] = func;
    }
    Ok(changed)
}

/// Facts about a function, and those that it calls.
#[derive(Clone, Copy, Default)]
struct Facts {
    /// It has to do with groups itself.
    concerned: bool,
    /// It calls functions that have.
    calls_concerned: bool,
    /// It has, or calls, what the pass cannot change.
    fixed: bool,
    has_local: bool,
    has_generic: bool,
}

impl Facts {
    fn is_concerned(self) -> bool {
        self.concerned || self.calls_concerned
    }

    fn may_change(self) -> bool {
        !(self.fixed || self.has_local && self.has_generic)
    }
}

/// Finds the facts about functions, callees first. `called` has those that others call.
fn find(
    module: &Module,
    functions: &[FuncId],
    called: &EntitySet<FuncId>,
) -> SecondaryMap<FuncId, Facts> {
    let mut facts: SecondaryMap<FuncId, Facts> = SecondaryMap::new();
    for &id in functions {
        let func = &module.functions[id];
        let mut own = Facts::default();
        let blocks = func.layout.blocks.iter();
        let params = (blocks.clone()).flat_map(|&block| &func.blocks[block].params);
        let insts = blocks.flat_map(|&block| &func.layout.insts[block]);
        let results = insts.clone().flat_map(|&inst| &func.insts[inst].results);
        for &value in params.chain(results) {
            let space = func.ty(value).address_space();
            own.has_local |= space == Some(AddressSpace::Local);
            own.has_generic |= space == Some(AddressSpace::Generic);
        }
        own.concerned = own.has_local;
        for &inst in insts {
            let kind = &func.insts[inst].kind;
            own.concerned |= is_about_groups(kind);
            // A variable lasts longer than a call, and belongs to all functions that name it.
            let lasts = called.contains(id) && variable_of(module, kind).is_some();
            own.fixed |= lasts || is_fixed(module, func, inst);
        }
        for callee in func.calls() {
            let callee = facts[callee];
            own.calls_concerned |= callee.is_concerned();
            own.fixed |= callee.fixed;
            own.has_local |= callee.has_local;
            own.has_generic |= callee.has_generic;
        }
        facts[id] = own;
    }
    facts
}

/// Returns whether a kernel is one that applications launch, in groups of one work-item for all that it says.
fn may_change(kernel: &KernelInfo) -> bool {
    let fits = kernel
        .required_work_group_size
        .is_none_or(|size| size == [1; 3]);
    kernel.is_of_application() && !kernel.asks_for_sub_groups() && fits && !kernel.checked
}

/// The local variable that an instruction names.
fn variable_of(module: &Module, kind: &InstKind) -> Option<GlobalId> {
    match *kind {
        InstKind::GlobalAddr { global } => {
            (module.globals[global].space == AddressSpace::Local).then_some(global)
        }
        _ => None,
    }
}

/// Returns whether the pass changes such an instruction, whatever its operands are.
fn is_about_groups(kind: &InstKind) -> bool {
    match *kind {
        InstKind::BuiltIn { which } => matches!(
            which,
            BuiltIn::LocalId
                | BuiltIn::GroupId
                | BuiltIn::LocalSize
                | BuiltIn::EnqueuedLocalSize
                | BuiltIn::NumGroups
                | BuiltIn::LocalLinearId
        ),
        InstKind::Barrier { .. } | InstKind::Fence { .. } | InstKind::Group { .. } => true,
        _ => false,
    }
}

/// Returns whether the pass cannot change an instruction that has to do with groups.
fn is_fixed(module: &Module, func: &Function, inst: Inst) -> bool {
    let data = &func.insts[inst];
    let is_local = |value: Value| func.ty(value) == LOCAL;
    match data.kind {
        ref kind if kind.sees_sub_groups() => true,
        InstKind::BuiltInWord { .. } | InstKind::LocalArg { .. } | InstKind::Node { .. } => true,
        InstKind::BuiltIn { which } => matches!(
            which,
            BuiltIn::DispatchGroup | BuiltIn::DeviceLaunch | BuiltIn::DeviceRecord
        ),
        InstKind::GlobalAddr { global } => {
            let global = &module.globals[global];
            global.space == AddressSpace::Local && u32::try_from(global.size).is_err()
        }
        InstKind::Group { op, .. } => without_others(op).is_none(),
        InstKind::AtomicRmw { op, ptr, .. } => {
            is_local(ptr) && matches!(op, AtomicOp::FAdd | AtomicOp::FMin | AtomicOp::FMax)
        }
        // Addresses that are made of numbers, or read from memory that others may write.
        InstKind::Convert { .. } | InstKind::Load { .. } => {
            data.results.iter().any(|&value| is_local(value))
        }
        _ => false,
    }
}

/// The result of a function of work-groups for a group of one.
#[derive(Clone, Copy)]
enum Alone {
    Operand,
    /// The value that changes nothing where it is combined.
    Identity,
}

/// The result of a function of work-groups for a group of one; `None` if only sub-groups have it.
fn without_others(op: GroupOp) -> Option<Alone> {
    match (op, op.operation()) {
        (GroupOp::BallotBitCount(_), _) => None,
        (GroupOp::All | GroupOp::Any | GroupOp::Broadcast, _) => Some(Alone::Operand),
        (_, Some(GroupOperation::Reduce | GroupOperation::InclusiveScan)) => Some(Alone::Operand),
        (_, Some(GroupOperation::ExclusiveScan)) => Some(Alone::Identity),
        _ => None,
    }
}

/// Rewrites a function for a group of one.
fn rewrite(func: &mut Function, module: &Module) -> Result<Changed, LowerError> {
    let values = func.values().filter(|&value| func.ty(value) == LOCAL);
    for value in values.collect::<Vec<Value>>() {
        let def = func.def(value).clone();
        func.place_value(value, PRIVATE, def);
    }
    for ty in func.params.iter_mut().chain(&mut func.results) {
        if *ty == LOCAL {
            *ty = PRIVATE;
        }
    }
    let mut slots: FxHashMap<GlobalId, StackSlot> = FxHashMap::default();
    expand(func, |x, inst| {
        let kind = x.func.insts[inst].kind.clone();
        if let Some(global) = variable_of(module, &kind) {
            let data = &module.globals[global];
            let slot = *slots.entry(global).or_insert_with(|| {
                x.func.slots.push(StackSlotData {
                    was_local: true,
                    ..StackSlotData::new(data.size as u32, data.align)
                })
            });
            let address = x.value(InstKind::StackAddr { slot }, PRIVATE);
            return Ok(Some(Replacement::from_elem(address, 1)));
        }
        Ok(replacement(x, inst, &kind))
    })
}

/// The replacement of an instruction that names no variable, behind the change of pointers.
fn replacement(x: &mut Expander<'_>, inst: Inst, kind: &InstKind) -> Option<Replacement> {
    let is_private = |x: &Expander<'_>, ptr: Value| x.ty(ptr) == PRIVATE;
    let value = match *kind {
        InstKind::BuiltIn { which } => built_in(x, which)?,
        InstKind::Barrier {
            memory: scope,
            order,
            global,
            ..
        }
        | InstKind::Fence {
            scope,
            order,
            global,
            ..
        } => {
            let seen_by_others = global && scope > Scope::Workgroup;
            if let (InstKind::Fence { local: false, .. }, true) = (kind, seen_by_others) {
                return None;
            }
            if seen_by_others {
                let local = false;
                let fence = InstKind::Fence {
                    scope,
                    order,
                    global,
                    local,
                };
                x.emit(fence, &[]);
            }
            return Some(Replacement::new());
        }
        InstKind::Group { op, ref args, .. } => match without_others(op)? {
            Alone::Operand => args[0],
            Alone::Identity => {
                let ty = x.ty(args[0]);
                x.splat(ty, op.identity(ty.scalar))
            }
        },
        InstKind::Load { ptr, flags, .. } | InstKind::Store { ptr, flags, .. } => {
            // Nobody else writes it.
            if is_private(x, ptr) && flags.contains(AccessFlags::VOLATILE) {
                if let InstKind::Load { flags, .. } | InstKind::Store { flags, .. } =
                    &mut x.func.insts[inst].kind
                {
                    flags.remove(AccessFlags::VOLATILE);
                }
            }
            return None;
        }
        InstKind::AtomicLoad { ptr, .. } if is_private(x, ptr) => {
            let ty = x.ty(x.func.result(inst));
            x.load(ptr, ty, ty.access_bytes())
        }
        InstKind::AtomicStore { ptr, value, .. } if is_private(x, ptr) => {
            let align = x.ty(value).access_bytes();
            x.store(ptr, value, align);
            return Some(Replacement::new());
        }
        InstKind::AtomicRmw { op, ptr, value, .. } if is_private(x, ptr) => {
            let ty = x.ty(value);
            let old = x.load(ptr, ty, ty.access_bytes());
            let new = op.combining(old, value);
            let new = new.map_or(value, |combined| x.value(combined, ty));
            x.store(ptr, new, ty.access_bytes());
            old
        }
        InstKind::AtomicCmpXchg {
            ptr,
            expected,
            desired,
            ..
        } if is_private(x, ptr) => {
            let ty = x.ty(desired);
            let old = x.load(ptr, ty, ty.access_bytes());
            let is_expected = x.icmp(IntCond::Eq, old, expected);
            let new = x.select(is_expected, desired, old);
            x.store(ptr, new, ty.access_bytes());
            old
        }
        _ => return None,
    };
    Some(Replacement::from_elem(value, 1))
}

/// A built-in value of a group of one; `None` if it is the same in all groups.
fn built_in(x: &mut Expander<'_>, which: BuiltIn) -> Option<Value> {
    let other = |x: &mut Expander<'_>, which: BuiltIn| {
        let ty = which.ty();
        x.value(InstKind::BuiltIn { which }, ty)
    };
    Some(match which {
        BuiltIn::LocalId | BuiltIn::LocalLinearId => x.splat(which.ty(), 0),
        BuiltIn::LocalSize | BuiltIn::EnqueuedLocalSize => x.splat(which.ty(), 1),
        BuiltIn::NumGroups => other(x, BuiltIn::GlobalSize),
        BuiltIn::GroupId => {
            let id = other(x, BuiltIn::GlobalId);
            let offset = other(x, BuiltIn::GlobalOffset);
            x.bin(BinaryOp::ISub, id, offset)
        }
        _ => return None,
    })
}
