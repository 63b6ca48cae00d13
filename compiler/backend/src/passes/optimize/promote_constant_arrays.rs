//! Private arrays that only ever hold constants become constant data.
//!
//! `const int t[16] = {…}` in a function is a private variable that each work-item fills before it reads it at a computed
//! place, or copies from constant data. When all stores to a variable have constant places and values, and no two of them
//! disagree about a byte, a load gives either that value or, where nothing was stored yet, any value: so the loads may read
//! the program's constant data, and the variable and its stores go. Equal tables share their data.
//!
//! Variables whose address does anything but reach loads and stores stay, and so do those of
//! [`MIN_BYTES`] or less, which a device may hold in registers. In robust mode all stay: private memory is confined
//! where it is emitted, constant data is not.

use crate::pass::{Changed, Ctx};
use crate::passes::optimize::dce;
use cranelift_entity::PrimaryMap;
use pumice_ir::analysis::alias::root;
use pumice_ir::analysis::slots::{SlotAddress, SlotAddresses};
use pumice_ir::{
    AccessFlags, AddressSpace, Cfg, Function, GlobalData, GlobalId, InstKind, Linkage, Module,
    Scalar, StackSlot, Type, Value, ValueDef,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// Smaller tables stay.
const MIN_BYTES: u32 = 16;

/// Runs the pass.
pub fn run(module: &mut Module, ctx: &Ctx<'_>) -> Changed {
    let mut changed = Changed::No;
    if ctx.target.checks.robust() {
        return changed;
    }
    for id in module.functions.keys().collect::<Vec<_>>() {
        let func = &mut module.functions[id];
        if func.entry().is_none() || func.slots.is_empty() {
            continue;
        }
        // The addresses of slots are not known there.
        changed |= dce::remove_unreachable_blocks(func);
        let tables = find(func, &module.globals);
        if tables.slots.is_empty() {
            continue;
        }
        let mut globals = FxHashMap::default();
        for (&slot, bytes) in &tables.slots {
            let align = module.functions[id].slots[slot].placed_align();
            globals.insert(slot, table(module, bytes, align));
        }
        rewrite(&mut module.functions[id], &tables, &globals);
        changed = Changed::Yes;
    }
    changed
}

/// The variable with these bytes, an old one if there is one.
fn table(module: &mut Module, bytes: &[u8], align: u32) -> GlobalId {
    let known = module.globals.iter().find(|(_, data)| {
        data.space == AddressSpace::Constant
            && data.linkage == Linkage::Internal
            && data.init == bytes
            && data.align >= align
            && data.relocations.is_empty()
    });
    if let Some((id, _)) = known {
        return id;
    }
    module.globals.push(GlobalData {
        name: String::new(),
        space: AddressSpace::Constant,
        size: bytes.len() as u64,
        align,
        init: bytes.to_vec(),
        relocations: Vec::new(),
        linkage: Linkage::Internal,
    })
}

/// The tables that were found in a function.
struct Tables {
    /// The tables' bytes, in the order of the slots.
    slots: BTreeMap<StackSlot, Vec<u8>>,
    addresses: SlotAddresses,
}

impl Tables {
    /// Returns whether an address points into a table.
    fn contains(&self, address: Value) -> bool {
        let slot = self.addresses.get(address).map(|address| address.slot);
        slot.is_some_and(|slot| self.slots.contains_key(&slot))
    }
}

/// Knowledge of a slot while the function is read.
struct Contents {
    /// Each byte that is stored.
    bytes: Vec<Option<u8>>,
    /// True if it is loaded at a place that is not constant.
    wanted: bool,
}

fn find(func: &Function, globals: &PrimaryMap<GlobalId, GlobalData>) -> Tables {
    let cfg = Cfg::new(func);
    let addresses = SlotAddresses::of(func, &cfg);
    let mut contents: FxHashMap<StackSlot, Contents> = FxHashMap::default();
    let mut out: FxHashSet<StackSlot> = FxHashSet::default();
    let blocks = cfg.reverse_postorder().iter();
    for &inst in blocks.flat_map(|&block| &func.layout.insts[block]) {
        let data = &func.insts[inst];
        let mut escapes = |value: Value| {
            if let Some(SlotAddress { slot, .. }) = addresses.get(value) {
                out.insert(slot);
            }
        };
        match &data.kind {
            InstKind::StackAddr { .. } => {}
            InstKind::PtrAdd { offset, .. } => escapes(*offset),
            InstKind::Load { ptr, flags, .. } => {
                let Some(SlotAddress { slot, offset }) = addresses.get(*ptr) else {
                    continue;
                };
                if flags.contains(AccessFlags::VOLATILE) {
                    escapes(*ptr);
                } else if offset.is_none() {
                    contents_of(&mut contents, func, slot).wanted = true;
                }
            }
            InstKind::Store {
                ptr, value, flags, ..
            } => {
                escapes(*value);
                let Some(SlotAddress { slot, offset }) = addresses.get(*ptr) else {
                    continue;
                };
                let bytes = constant_bytes(func, *value);
                let stored = bytes.zip(offset).is_some_and(|(bytes, offset)| {
                    let contents = contents_of(&mut contents, func, slot);
                    !flags.contains(AccessFlags::VOLATILE) && put(contents, offset, &bytes)
                });
                if !stored {
                    escapes(*ptr);
                }
            }
            InstKind::MemCopy {
                dst,
                src,
                size,
                flags,
                ..
            } => {
                escapes(*src);
                let Some(SlotAddress { slot, offset }) = addresses.get(*dst) else {
                    continue;
                };
                let bytes = (func.const_bits(*size))
                    .and_then(|size| global_bytes(func, globals, *src, size));
                let copied = bytes.zip(offset).is_some_and(|(bytes, offset)| {
                    let contents = contents_of(&mut contents, func, slot);
                    !flags.contains(AccessFlags::VOLATILE) && put(contents, offset, &bytes)
                });
                if !copied {
                    escapes(*dst);
                }
            }
            kind => kind.for_each_value(escapes),
        }
    }
    let mut slots = BTreeMap::new();
    for (slot, contents) in contents {
        if contents.wanted && !out.contains(&slot) && func.slots[slot].size > MIN_BYTES {
            let bytes = contents.bytes.into_iter();
            slots.insert(slot, bytes.map(Option::unwrap_or_default).collect());
        }
    }
    Tables { slots, addresses }
}

fn contents_of<'a>(
    contents: &'a mut FxHashMap<StackSlot, Contents>,
    func: &Function,
    slot: StackSlot,
) -> &'a mut Contents {
    contents.entry(slot).or_insert_with(|| Contents {
        bytes: vec![None; func.slots[slot].size as usize],
        wanted: false,
    })
}

/// Notes a store; false when it lies outside or another store has put something else there.
fn put(contents: &mut Contents, offset: i64, bytes: &[u8]) -> bool {
    let Ok(start) = usize::try_from(offset) else {
        return false;
    };
    let Some(place) = contents.bytes.get_mut(start..start + bytes.len()) else {
        return false;
    };
    for (old, &new) in place.iter_mut().zip(bytes) {
        if old.is_some_and(|old| old != new) {
            return false;
        }
        *old = Some(new);
    }
    true
}

/// A constant of numbers as it lies in memory.
fn constant_bytes(func: &Function, value: Value) -> Option<Vec<u8>> {
    let ty = func.ty(value);
    let ValueDef::Const(lanes) = func.def(value) else {
        return None;
    };
    if matches!(ty.scalar, Scalar::Ptr(_) | Scalar::Bool) {
        return None;
    }
    let size = ty.scalar.bytes() as usize;
    Some(
        (lanes.iter())
            .flat_map(|lane| lane.to_le_bytes().into_iter().take(size))
            .collect(),
    )
}

/// The bytes of constant data without pointers, at a constant place.
fn global_bytes(
    func: &Function,
    globals: &PrimaryMap<GlobalId, GlobalData>,
    address: Value,
    size: u64,
) -> Option<Vec<u8>> {
    let (at, start) = root(func, address);
    let InstKind::GlobalAddr { global } = func.insts[func.def_inst(at)?].kind else {
        return None;
    };
    let data = globals.get(global)?;
    let start = u64::try_from(start).ok()?;
    let end = start.checked_add(size).filter(|&end| end <= data.size)?;
    let plain = data.is_known_constant() && data.relocations.is_empty();
    match data.init.get(start as usize..end as usize) {
        Some(bytes) if plain => Some(bytes.to_vec()),
        None if plain && data.init.is_empty() => Some(vec![0; size as usize]),
        _ => None,
    }
}

/// Lets the addresses of tables be addresses of constant data, and removes the stores.
fn rewrite(func: &mut Function, tables: &Tables, globals: &FxHashMap<StackSlot, GlobalId>) {
    let ty = Type::ptr(AddressSpace::Constant);
    let mut renamed: FxHashMap<Value, Value> = FxHashMap::default();
    for block in func.layout.blocks.clone() {
        let mut list = Vec::with_capacity(func.layout.insts[block].len());
        for inst in func.layout.insts[block].clone() {
            let loc = func.insts[inst].loc;
            let new = match func.insts[inst].kind {
                InstKind::Store { ptr, .. } if tables.contains(ptr) => continue,
                InstKind::MemCopy { dst, .. } if tables.contains(dst) => continue,
                InstKind::StackAddr { slot } => globals
                    .get(&slot)
                    .map(|&global| InstKind::GlobalAddr { global }),
                InstKind::PtrAdd { base, offset } if tables.contains(base) => {
                    Some(InstKind::PtrAdd { base, offset })
                }
                _ => None,
            };
            match new {
                Some(kind) => {
                    let old = func.insts[inst].results[0];
                    let new = func.make_inst(kind, &[ty], loc);
                    renamed.insert(old, func.insts[new].results[0]);
                    list.push(new);
                }
                None => list.push(inst),
            }
        }
        func.layout.insts[block] = list;
    }
    func.rewrite_values(|value| renamed.get(&value).copied().unwrap_or(value));
}
