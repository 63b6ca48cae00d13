//! Private variables that hold one pointer for good: parameters of functions that are inlined, mostly.

use pumice_ir::{Function, InstKind, StackSlot, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// The pointers that variables hold, by the addresses of the variables.
#[derive(Default)]
pub(super) struct HeldPointers(FxHashMap<Value, Value>);

impl HeldPointers {
    /// Finds the variables that are stored once and otherwise loaded, as pointers.
    pub fn of(func: &Function) -> Self {
        let blocks = func.layout.blocks.iter();
        let insts = || blocks.clone().flat_map(|&block| &func.layout.insts[block]);
        let addresses: FxHashMap<Value, StackSlot> = insts()
            .filter_map(|&inst| match func.insts[inst].kind {
                InstKind::StackAddr { slot } => Some((func.result(inst), slot)),
                _ => None,
            })
            .collect();
        let is_pointer = |value: Value| func.ty(value).address_space().is_some();
        let mut held: FxHashMap<StackSlot, Value> = FxHashMap::default();
        let mut others: FxHashSet<StackSlot> = FxHashSet::default();
        for &inst in insts() {
            let kind = &func.insts[inst].kind;
            let mut plain = None;
            match *kind {
                InstKind::Load { ptr, .. } if is_pointer(func.result(inst)) => plain = Some(ptr),
                InstKind::Store { ptr, value, .. } if is_pointer(value) => {
                    plain = Some(ptr).filter(|_| value != ptr);
                    if let Some(&slot) = addresses.get(&ptr) {
                        if held.insert(slot, value).is_some() {
                            others.insert(slot);
                        }
                    }
                }
                _ => {}
            }
            kind.for_each_value(|value| {
                if plain != Some(value) {
                    others.extend(addresses.get(&value));
                }
            });
        }
        let pointer = |(address, slot): (Value, StackSlot)| {
            let pointer = held.get(&slot).filter(|_| !others.contains(&slot));
            Some((address, *pointer?))
        };
        Self(addresses.into_iter().filter_map(pointer).collect())
    }

    /// The pointer that the variable at an address holds once it holds one.
    pub fn at(&self, address: Value) -> Option<Value> {
        self.0.get(&address).copied()
    }
}
