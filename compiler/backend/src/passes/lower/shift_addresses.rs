//! Accesses of global memory get the device's address delta added.
//!
//! On devices whose addresses are not the host's, a pointer has the value that the host knows
//! ([`Target::address_delta`](pumice_target::Target::address_delta)); a byte lies at that value plus the delta.
//! Every access here goes through a second pointer, which is nothing but an address: what is stored, compared or
//! turned into a number stays the first one.
//!
//! The delta is added where a pointer comes from (an argument, a variable, a load, a block parameter), and the
//! pointer's arithmetic is repeated behind it. So each pointer costs one addition, outside of the loop that
//! moves along it; the arithmetic on the first pointer goes where nothing else uses it.
//!
//! An argument of which a kernel uses nothing but accesses through it costs none: launches give it with the delta in it
//! ([`KernelInfo::followed`](pumice_ir::KernelInfo::followed)).

use crate::pass::{Changed, Ctx};
use crate::passes::legalize::legalize_memory::with_pointer;
use pumice_ir::{
    AddressSpace, ArgLayout, ArgPlace, Block, BuiltIn, EnqueueRole, FuncId, Function, Inst,
    InstKind, KernelArgKind, Module, SourceLoc, Type, Value, ValueDef,
};
use pumice_target::abi::Abi;
use rustc_hash::{FxHashMap, FxHashSet};

/// Runs the pass.
pub fn run(module: &mut Module, ctx: &Ctx<'_>) -> Changed {
    let mut changed = Changed::No;
    for id in module.functions.keys().collect::<Vec<_>>() {
        let arguments = arguments_of(module, id, &ctx.target.abi);
        let func = &mut module.functions[id];
        let Some(entry) = func.entry() else {
            continue;
        };
        let (mut ordinals, mut followed) = (Vec::new(), FxHashSet::default());
        if !arguments.is_empty() {
            let kept = kept_pointers(func);
            for (ordinal, place) in arguments {
                if is_followed(func, place, &kept) {
                    ordinals.push(ordinal);
                    followed.insert(place.offset);
                }
            }
        }
        if !ordinals.is_empty() {
            changed = Changed::Yes;
        }
        changed |= shift(func, entry, &followed);
        if let Some(kernel) = module.kernels.iter_mut().find(|kernel| kernel.func == id) {
            kernel.followed = ordinals;
        }
    }
    changed
}

/// The pointer arguments that launches may give with the delta in them: those of a kernel that applications launch.
/// Blocks get their arguments from the kernels that enqueue them.
fn arguments_of(module: &Module, func: FuncId, abi: &Abi) -> Vec<(u32, ArgPlace)> {
    let mut kernels = module.kernels.iter().filter(|kernel| kernel.func == func);
    let (Some(kernel), None) = (kernels.next(), kernels.next()) else {
        return Vec::new();
    };
    if !matches!(kernel.enqueue, None | Some(EnqueueRole::Parent)) || kernel.node.is_some() {
        return Vec::new();
    }
    let layout = ArgLayout::of(kernel, abi);
    let places = (0..).zip(kernel.args.iter().zip(layout.places));
    places
        .filter(|(_, (arg, _))| matches!(arg.kind, KernelArgKind::Pointer(_)))
        .filter_map(|(ordinal, (_, place))| Some((ordinal, place?)))
        .collect()
}

/// The pointers that are used otherwise than by accesses through them and through sums with them.
fn kept_pointers(func: &Function) -> FxHashSet<Value> {
    let mut kept = FxHashSet::default();
    let mut sums = Vec::new();
    for &inst in func
        .layout
        .blocks
        .iter()
        .flat_map(|&block| &func.layout.insts[block])
    {
        let kind = &func.insts[inst].kind;
        let mut free = global_pointer(func, inst);
        if let InstKind::PtrAdd { base, .. } = *kind {
            free = Some(base);
            sums.push((base, func.result(inst)));
        }
        // The second time it is an operand it is something else: a number that is stored.
        kind.for_each_value(|value| {
            if free.take_if(|free| *free == value).is_none() {
                kept.insert(value);
            }
        });
    }
    let mut more = true;
    while more {
        more = false;
        for &(base, sum) in &sums {
            more |= kept.contains(&sum) && kept.insert(base);
        }
    }
    kept
}

/// Returns whether an argument is used, and is nothing but an address.
fn is_followed(func: &Function, place: ArgPlace, kept: &FxHashSet<Value>) -> bool {
    let insts = (func.layout.blocks.iter()).flat_map(|&block| &func.layout.insts[block]);
    let loads = insts.filter_map(|&inst| match func.insts[inst].kind {
        InstKind::LoadArg { offset } => Some((offset, func.result(inst))),
        _ => None,
    });
    let end = place.offset + place.size;
    let mut its = loads.filter(|&(offset, value)| {
        offset < end && place.offset < offset + func.ty(value).alloc_bytes()
    });
    let mut used = false;
    its.all(|(offset, value)| {
        used = true;
        let space = func.ty(value).address_space();
        let global = matches!(space, Some(AddressSpace::Global | AddressSpace::Constant));
        offset == place.offset && global && !kept.contains(&value)
    }) && used
}

/// The places of the arguments that the pass has found to be nothing but addresses, of a kernel's function.
pub(crate) fn followed_of(module: &Module, func: &Function, abi: &Abi) -> FxHashSet<u32> {
    let mut kernels = module.kernels.iter();
    let kernel = kernels.find(|kernel| std::ptr::eq(&module.functions[kernel.func], func));
    let Some(kernel) = kernel else {
        return FxHashSet::default();
    };
    let layout = ArgLayout::of(kernel, abi);
    let places = kernel
        .followed
        .iter()
        .map(|&ordinal| layout.places[ordinal as usize]);
    places.flatten().map(|place| place.offset).collect()
}

/// Adds the delta in a function, but not to the arguments that have it.
fn shift(func: &mut Function, entry: Block, followed: &FxHashSet<u32>) -> Changed {
    let accesses: Vec<(Inst, Value)> = (func.layout.blocks.iter())
        .flat_map(|&block| &func.layout.insts[block])
        .filter_map(|&inst| Some((inst, global_pointer(func, inst)?)))
        .filter(|&(_, pointer)| !is_shifted(func, pointer, followed))
        .collect();
    if accesses.is_empty() {
        return Changed::No;
    }
    let delta = InstKind::BuiltIn {
        which: BuiltIn::AddressDelta,
    };
    let delta = func.make_inst(delta, &[Type::I64], SourceLoc::default());
    let mut shift = Shift {
        delta: func.result(delta),
        shifted: FxHashMap::default(),
        behind: FxHashMap::default(),
        heads: FxHashMap::default(),
        entry,
    };
    shift.heads.entry(entry).or_default().push(delta);
    for (inst, pointer) in accesses {
        let pointer = shift.of(func, pointer);
        func.insts[inst].kind = with_pointer(&func.insts[inst].kind, pointer);
    }
    shift.place(func);
    Changed::Yes
}

/// The pointer of an access of memory that has addresses.
pub(crate) fn global_pointer(func: &Function, inst: Inst) -> Option<Value> {
    let pointer = func.insts[inst].kind.pointer()?;
    let space = func.ty(pointer).address_space();
    matches!(space, Some(AddressSpace::Global | AddressSpace::Constant)).then_some(pointer)
}

/// Returns whether an access goes through a pointer with the delta in it; `followed` are the places of arguments that have
/// it.
pub(crate) fn is_shifted(func: &Function, mut pointer: Value, followed: &FxHashSet<u32>) -> bool {
    while let Some(inst) = func.def_inst(pointer) {
        let (base, offset) = match func.insts[inst].kind {
            InstKind::PtrAdd { base, offset } => (base, offset),
            InstKind::LoadArg { offset } => return followed.contains(&offset),
            _ => return false,
        };
        let which = func.def_inst(offset).map(|inst| &func.insts[inst].kind);
        let is_delta = |kind: &InstKind| {
            matches!(
                kind,
                InstKind::BuiltIn {
                    which: BuiltIn::AddressDelta
                }
            )
        };
        if which.is_some_and(is_delta) {
            return true;
        }
        pointer = base;
    }
    false
}

/// The pointers with the delta in them, and the new instructions until they have their places.
struct Shift {
    delta: Value,
    shifted: FxHashMap<Value, Value>,
    /// New instructions right behind others.
    behind: FxHashMap<Inst, Vec<Inst>>,
    /// New instructions at the beginning of blocks.
    heads: FxHashMap<Block, Vec<Inst>>,
    entry: Block,
}

impl Shift {
    /// The pointer with the delta in it.
    fn of(&mut self, func: &mut Function, pointer: Value) -> Value {
        // Pointers whose arithmetic is to be repeated, the last one first.
        let mut chain = Vec::new();
        let mut at = pointer;
        let mut shifted = loop {
            if let Some(&shifted) = self.shifted.get(&at) {
                break shifted;
            }
            let arithmetic = func.def_inst(at).and_then(|inst| {
                let InstKind::PtrAdd { base, offset } = func.insts[inst].kind else {
                    return None;
                };
                Some((inst, base, offset))
            });
            let Some((inst, base, offset)) = arithmetic else {
                break self.add(func, at);
            };
            chain.push((at, inst, offset));
            at = base;
        };
        for (value, inst, offset) in chain.into_iter().rev() {
            let base = shifted;
            let (ty, loc) = (func.ty(value), func.insts[inst].loc);
            let add = func.make_inst(InstKind::PtrAdd { base, offset }, &[ty], loc);
            self.behind.entry(inst).or_default().push(add);
            shifted = func.result(add);
            self.shifted.insert(value, shifted);
        }
        shifted
    }

    /// Adds the delta where the pointer comes from.
    fn add(&mut self, func: &mut Function, pointer: Value) -> Value {
        let add = InstKind::PtrAdd {
            base: pointer,
            offset: self.delta,
        };
        let add = func.make_inst(add, &[func.ty(pointer)], SourceLoc::default());
        match *func.def(pointer) {
            ValueDef::Result(inst, _) => self.behind.entry(inst).or_default().push(add),
            ValueDef::Param(block, _) => self.heads.entry(block).or_default().push(add),
            // Constants have no place of their own.
            _ => self.heads.entry(self.entry).or_default().push(add),
        }
        let shifted = func.result(add);
        self.shifted.insert(pointer, shifted);
        shifted
    }

    /// Puts the new instructions into the layout.
    fn place(mut self, func: &mut Function) {
        for block in func.layout.blocks.clone() {
            let old = std::mem::take(&mut func.layout.insts[block]);
            let mut new = self.heads.remove(&block).unwrap_or_default();
            for inst in old {
                new.push(inst);
                new.extend(self.behind.remove(&inst).unwrap_or_default());
            }
            func.layout.insts[block] = new;
        }
    }
}
