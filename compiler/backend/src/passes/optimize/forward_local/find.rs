//! Finds the kernels that pass values by one local variable, each work-item one.

use super::elements::{Condition, Linear, Source, apart, id, source};
use cranelift_entity::{PrimaryMap, SecondaryMap};
use pumice_ir::analysis::MemoryAccess;
use pumice_ir::analysis::alias::{Effect, are_disjoint, effect, space};
use pumice_ir::{
    AccessFlags, AddressSpace, BuiltIn, Cfg, Function, GlobalData, GlobalId, Inst, InstKind, Scope,
    Value, ValueDef,
};
use rustc_hash::FxHashSet;

/// Instructions of kernels that are looked at: they are there twice.
const MOST: usize = 200;
/// Instructions that compute what is stored, once for each load.
const MOST_COMPUTED: usize = 64;

/// A kernel's exchange of values by local memory.
pub(super) struct Exchange {
    pub store: Inst,
    pub barrier: Inst,
    /// The value that is stored.
    pub value: Value,
    /// The instructions that compute it and depend on the work-item's ids, in their order.
    pub computed: Vec<Inst>,
    pub loads: Vec<(Inst, Source)>,
    pub conditions: Vec<Condition>,
}

/// The local variable that addresses point into, and the numbers of bytes from its start.
type Places = SecondaryMap<Value, Option<(GlobalId, Linear)>>;

/// Finds the exchange of a kernel's function, if that is all that it uses local memory for.
pub(super) fn exchange(
    func: &Function,
    globals: &PrimaryMap<GlobalId, GlobalData>,
) -> Option<Exchange> {
    let entry = func.entry()?;
    if func.size() > MOST || !Cfg::new(func).preds(entry).is_empty() {
        return None;
    }
    let found = Found::of(func)?;
    let ([(store, (stored, at))], Some(barrier)) = (&found.stores[..], found.barrier) else {
        return None;
    };
    let (store, stored, at) = (*store, *stored, *at);
    // All of this is executed by each work-item, in this order.
    let insts = &func.layout.insts[entry];
    let place_of = |inst: Inst| insts.iter().position(|&other| other == inst);
    let (stored_at, waits_at) = (place_of(store)?, place_of(barrier)?);
    let is_behind =
        |&(load, _): &(Inst, (GlobalId, Linear))| place_of(load).is_none_or(|at| at > waits_at);
    if stored_at > waits_at || !found.loads.iter().all(is_behind) {
        return None;
    }
    let access = MemoryAccess::of(func, store)?;
    let value = access.stored?;
    let bytes = u64::from(access.ty.access_bytes());
    let mut conditions = apart(at, bytes, globals[stored].size)?;
    let mut loads = Vec::new();
    for &(load, (global, place)) in &found.loads {
        let from = source(at, place)?;
        if global != stored || func.ty(func.result(load)) != access.ty {
            return None;
        }
        for (dim, &other) in from.iter().enumerate() {
            let condition = Condition::NotAbove(other, dim);
            if other != dim && !conditions.contains(&condition) {
                conditions.push(condition);
            }
        }
        loads.push((load, from));
    }
    let computed = found.computed(func, insts, value)?;
    (!loads.is_empty()).then_some(Exchange {
        store,
        barrier,
        value,
        computed,
        loads,
        conditions,
    })
}

/// The accesses of local memory, and what else decides.
#[derive(Default)]
struct Found {
    stores: Vec<(Inst, (GlobalId, Linear))>,
    loads: Vec<(Inst, (GlobalId, Linear))>,
    barrier: Option<Inst>,
    /// The addresses that the kernel writes at.
    written: Vec<Value>,
}

impl Found {
    /// Looks through a function; `None` where it does more with local memory, or waits more than once.
    fn of(func: &Function) -> Option<Self> {
        let mut found = Self::default();
        let mut places = Places::new();
        let cfg = Cfg::new(func);
        let blocks = cfg.reverse_postorder().iter();
        for &inst in blocks.flat_map(|&block| &func.layout.insts[block]) {
            found.add(func, &mut places, inst)?;
        }
        Some(found)
    }

    fn add(&mut self, func: &Function, places: &mut Places, inst: Inst) -> Option<()> {
        let kind = &func.insts[inst].kind;
        match *kind {
            InstKind::GlobalAddr { global } => {
                let result = func.result(inst);
                if space(func, result) == Some(AddressSpace::Local) {
                    places[result] = Some((global, Linear::default()));
                }
                return Some(());
            }
            InstKind::PtrAdd { base, offset } => {
                if let Some((global, place)) = places[base] {
                    let place = place.plus(Linear::of(func, offset)?)?;
                    places[func.result(inst)] = Some((global, place));
                    return Some(());
                }
            }
            InstKind::Load { ptr, flags, .. } => {
                if let Some(place) = places[ptr] {
                    self.loads.push((inst, place));
                    return (!flags.contains(AccessFlags::VOLATILE)).then_some(());
                }
            }
            InstKind::Store {
                ptr, value, flags, ..
            } => {
                if let Some(place) = places[ptr].filter(|_| places[value].is_none()) {
                    self.stores.push((inst, place));
                    return (!flags.contains(AccessFlags::VOLATILE)).then_some(());
                }
            }
            InstKind::Barrier {
                execution, global, ..
            } => {
                let is_first = self.barrier.replace(inst).is_none();
                return (is_first && !global && execution == Scope::Workgroup).then_some(());
            }
            InstKind::LocalArg { .. } | InstKind::Fence { .. } | InstKind::Call { .. } => {
                return None;
            }
            _ => {}
        }
        // Other uses of the variable's address, and of other local or generic ones.
        let mut is_plain = true;
        kind.for_each_value(|value| {
            let space = space(func, value);
            let may_be_local = matches!(space, Some(AddressSpace::Local | AddressSpace::Generic));
            is_plain &= !may_be_local;
        });
        match effect(func, kind) {
            Effect::None => {}
            Effect::Writes(ptr, _) => self.written.push(ptr),
            Effect::Syncs | Effect::Anything => return None,
        }
        is_plain.then_some(())
    }

    /// The instructions that compute a value and depend on the work-item's ids, in the entry block's order; `None` if other
    /// work-items cannot compute it too.
    fn computed(&self, func: &Function, entry: &[Inst], value: Value) -> Option<Vec<Inst>> {
        let mut needed: SecondaryMap<Inst, bool> = func.inst_map();
        let mut work = vec![value];
        while let Some(value) = work.pop() {
            let inst = match func.def(value) {
                &ValueDef::Result(inst, _) => inst,
                ValueDef::Param(..) => return None,
                _ => continue,
            };
            let is_new = !std::mem::replace(&mut needed[inst], true);
            if is_new && id(func, value).is_none() {
                func.insts[inst].kind.for_each_value(|arg| work.push(arg));
            }
        }
        let mut depends: FxHashSet<Value> = FxHashSet::default();
        let mut computed = Vec::new();
        for &inst in entry.iter().filter(|&&inst| needed[inst]) {
            let result = func.result(inst);
            let is_own = match id(func, result) {
                Some((which, _)) => is_own(which)?,
                None => {
                    if !self.is_same_for_same_ids(func, inst) {
                        return None;
                    }
                    let mut own = false;
                    let kind = &func.insts[inst].kind;
                    kind.for_each_value(|arg| own |= depends.contains(&arg));
                    own
                }
            };
            if is_own {
                depends.insert(result);
                computed.push(inst);
            }
        }
        (computed.len() * self.loads.len() <= MOST_COMPUTED).then_some(computed)
    }

    /// Returns whether an instruction gives all work-items of a group the same result that give it the same operands.
    fn is_same_for_same_ids(&self, func: &Function, inst: Inst) -> bool {
        match func.insts[inst].kind {
            InstKind::GlobalAddr { .. }
            | InstKind::LoadArg { .. }
            | InstKind::LoadArgWord { .. } => true,
            InstKind::BuiltIn { which } => is_own(which) == Some(false),
            InstKind::Load { ptr, flags, .. } => {
                !flags.contains(AccessFlags::VOLATILE) && self.is_unwritten(func, ptr)
            }
            ref kind => kind.is_computation(),
        }
    }

    /// Returns whether the kernel writes nothing of what an address points into.
    fn is_unwritten(&self, func: &Function, ptr: Value) -> bool {
        let is_apart = |at: &Value| match space(func, *at) {
            Some(AddressSpace::Private | AddressSpace::Local) => true,
            _ => are_disjoint(func, ptr, *at),
        };
        match space(func, ptr) {
            Some(AddressSpace::Constant) => true,
            Some(AddressSpace::Global) => self.written.iter().all(is_apart),
            _ => false,
        }
    }
}

/// Returns whether a built-in value is a work-item's own id, and not its group's; `None` if it is neither.
fn is_own(which: BuiltIn) -> Option<bool> {
    match which {
        BuiltIn::LocalId | BuiltIn::GlobalId => Some(true),
        BuiltIn::GroupId
        | BuiltIn::GlobalSize
        | BuiltIn::LocalSize
        | BuiltIn::EnqueuedLocalSize
        | BuiltIn::NumGroups
        | BuiltIn::GlobalOffset
        | BuiltIn::WorkDim => Some(false),
        _ => None,
    }
}
