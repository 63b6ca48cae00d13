//! The objects that calls give functions pointers to.

use super::pointees::{Bytes, Reach, is_private};
use cranelift_entity::SecondaryMap;
use pumice_ir::analysis::slots::{AddressRoot, RootedAddress, SlotAddresses};
use pumice_ir::{Cfg, FuncId, Function, InstKind, Value, align_at};
use rustc_hash::FxHashSet;

/// The object that a parameter points at in all calls.
#[derive(Clone, Copy, Debug)]
pub(super) struct Object {
    /// The bytes that there are, from the pointer on. None where the object is not known.
    pub bytes: Bytes,
    /// The alignment of the pointer, in bytes.
    pub align: u32,
}

/// The objects that the parameters of a function point at.
#[derive(Clone, Debug, Default)]
pub(super) struct Given {
    /// For each parameter, once a call was seen.
    pub objects: Vec<Object>,
    /// The pairs of parameters, the first one first, by which the function may access the same bytes, and writes to them.
    same: FxHashSet<(usize, usize)>,
}

impl Given {
    /// Returns whether the function may access the same bytes by two parameters, and write to them by one.
    pub fn may_meet(&self, a: usize, b: usize) -> bool {
        self.same.contains(&(a.min(b), a.max(b)))
    }
}

/// Notes the calls of a function, of which all calls were noted before.
pub(super) fn note_calls(
    given: &mut SecondaryMap<FuncId, Given>,
    id: FuncId,
    func: &Function,
    reach: &SecondaryMap<FuncId, Reach>,
) {
    if func.calls().next().is_none() {
        return;
    }
    let cfg = Cfg::new(func);
    let addresses = SlotAddresses::of(func, &cfg);
    let blocks = cfg.reverse_postorder().iter();
    for &inst in blocks.flat_map(|&block| &func.layout.insts[block]) {
        if let InstKind::Call { func: callee, args } = &func.insts[inst].kind {
            let call = Call {
                func,
                addresses: &addresses,
                own: &given[id],
                reach: &reach[*callee],
                args,
            };
            let (objects, same) = (call.objects(), call.same());
            let noted = &mut given[*callee];
            if noted.objects.is_empty() {
                noted.objects = objects;
            } else {
                for (noted, object) in noted.objects.iter_mut().zip(objects) {
                    noted.bytes = noted.bytes.common(object.bytes);
                    noted.align = noted.align.min(object.align);
                }
            }
            noted.same.extend(same);
        }
    }
}

/// A call in a function.
struct Call<'a> {
    func: &'a Function,
    addresses: &'a SlotAddresses,
    /// The objects that the function itself is given.
    own: &'a Given,
    /// The accesses of the callee.
    reach: &'a Reach,
    args: &'a [Value],
}

impl Call<'_> {
    /// The objects that the arguments point at.
    fn objects(&self) -> Vec<Object> {
        let objects = self.args.iter().map(|&arg| self.object(arg));
        objects.collect()
    }

    fn object(&self, arg: Value) -> Object {
        let unknown = Object {
            bytes: Bytes::NONE,
            align: 1,
        };
        let Some(RootedAddress {
            root,
            offset: Some(offset),
        }) = self.addresses.rooted(arg)
        else {
            return unknown;
        };
        let whole = match root {
            AddressRoot::Slot(slot) => {
                let slot = &self.func.slots[slot];
                Object {
                    bytes: Bytes::at(0, slot.size.into()),
                    align: slot.placed_align(),
                }
            }
            AddressRoot::Param(number) => match self.own.objects.get(number) {
                Some(&object) => object,
                None => return unknown,
            },
        };
        Object {
            bytes: whole.bytes.seen_from(offset.checked_neg()),
            align: align_at(whole.align, offset.unsigned_abs()),
        }
    }

    /// The pairs of parameters by which the callee may access the same bytes, and writes to them.
    fn same(&self) -> Vec<(usize, usize)> {
        let pointees = &self.reach.pointees;
        let accessed =
            |&n: &usize| is_private(self.func, self.args[n]) && !pointees[n].bytes.is_empty();
        let numbers: Vec<usize> = (0..self.args.len()).filter(accessed).collect();
        let mut same = Vec::new();
        for (at, &a) in numbers.iter().enumerate() {
            for &b in &numbers[at + 1..] {
                let is_written = pointees[a].is_written || pointees[b].is_written;
                if is_written && self.may_meet(a, b) {
                    same.push((a, b));
                }
            }
        }
        same
    }

    fn may_meet(&self, a: usize, b: usize) -> bool {
        let address = |n: usize| self.addresses.rooted(self.args[n]);
        let (Some(first), Some(second)) = (address(a), address(b)) else {
            return true;
        };
        let bytes = |n: usize, address: RootedAddress| {
            let bytes = self.reach.pointees[n].bytes;
            bytes.seen_from(address.offset)
        };
        match (first.root, second.root) {
            (x, y) if x == y => bytes(a, first).meets(bytes(b, second)),
            (AddressRoot::Param(x), AddressRoot::Param(y)) => self.own.may_meet(x, y),
            // A variable is no other one, and nothing that was there before the call.
            _ => false,
        }
    }
}
