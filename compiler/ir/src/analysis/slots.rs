//! Finds the private variables that can leave memory, and their scalar or vector pieces.
//!
//! A slot is a candidate when every use of its address is a load, store or small copy at a
//! constant offset. Its bytes fall into pieces: a range that is always accessed whole is one
//! piece (a vector stays a vector); otherwise each lane is a piece, and lanes that overlap
//! are merged into one integer. A slot whose pieces are no power of two stays in memory.

use crate::{
    AccessFlags, Cfg, ConvertOp, Function, Inst, InstKind, Scalar, StackSlot, Type, Value,
};
use cranelift_entity::{SecondaryMap, entity_impl};

/// Copies of more bytes stay copies, and their slots stay in memory.
pub const MAX_COPY: u64 = 256;

/// A part of a slot that becomes an SSA variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Piece(u32);
entity_impl!(Piece, "piece");

/// The place and type of a piece.
#[derive(Clone, Copy, Debug)]
pub struct PieceData {
    /// Byte offset in the slot.
    pub offset: u32,
    /// Its type as a variable.
    pub ty: Type,
}

/// A slot's address with a constant offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address {
    /// The slot.
    pub slot: StackSlot,
    /// Bytes from its start.
    pub offset: i64,
}

/// An address that is computed from a slot's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlotAddress {
    /// The slot.
    pub slot: StackSlot,
    /// Bytes from its start, if they are constant.
    pub offset: Option<i64>,
}

/// The address that others are computed from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressRoot {
    /// A slot's.
    Slot(StackSlot),
    /// The parameter of the function with that number.
    Param(usize),
}

/// An address that is computed from a slot's or a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RootedAddress {
    /// The address that it is computed from.
    pub root: AddressRoot,
    /// Bytes from there, if they are constant.
    pub offset: Option<i64>,
}

/// The addresses that are computed from those of slots, and from parameters, by adding bytes and by casts to other address
/// spaces.
#[derive(Debug, Default)]
pub struct SlotAddresses {
    of_value: SecondaryMap<Value, Option<RootedAddress>>,
}

impl SlotAddresses {
    /// Finds those of a function.
    pub fn of(func: &Function, cfg: &Cfg) -> Self {
        let mut addresses = SlotAddresses::default();
        let params = func.entry().map(|entry| &func.blocks[entry].params);
        for (number, &param) in params.into_iter().flatten().enumerate() {
            if func.ty(param).scalar.is_ptr() {
                addresses.of_value[param] = Some(RootedAddress {
                    root: AddressRoot::Param(number),
                    offset: Some(0),
                });
            }
        }
        for &block in cfg.reverse_postorder() {
            for &inst in &func.layout.insts[block] {
                addresses.add(func, inst);
            }
        }
        addresses
    }

    /// The slot that a value is computed from, if it is such an address.
    pub fn get(&self, value: Value) -> Option<SlotAddress> {
        let RootedAddress { root, offset } = self.rooted(value)?;
        match root {
            AddressRoot::Slot(slot) => Some(SlotAddress { slot, offset }),
            AddressRoot::Param(_) => None,
        }
    }

    /// The slot or parameter that a value is computed from, if it is such an address.
    pub fn rooted(&self, value: Value) -> Option<RootedAddress> {
        self.of_value[value]
    }

    /// Adds the address that an instruction computes, if any; those of its operands must be known.
    fn add(&mut self, func: &Function, inst: Inst) {
        let data = &func.insts[inst];
        let address = match data.kind {
            InstKind::StackAddr { slot } => Some(RootedAddress {
                root: AddressRoot::Slot(slot),
                offset: Some(0),
            }),
            InstKind::PtrAdd { base, offset } => self.rooted(base).map(|address| RootedAddress {
                offset: (address.offset.zip(func.const_signed(offset)))
                    .map(|(at, by)| at.wrapping_add(by)),
                ..address
            }),
            InstKind::Convert {
                op: ConvertOp::AddressSpaceCast,
                arg,
                ..
            } => self.rooted(arg),
            _ => None,
        };
        if address.is_some() {
            self.of_value[data.results[0]] = address;
        }
    }
}

/// A load or store of a slot.
#[derive(Clone, Copy, Debug)]
struct Access {
    slot: StackSlot,
    offset: u32,
    ty: Type,
}

/// Addresses of slots, and what is done with them.
#[derive(Debug, Default)]
pub struct Uses {
    addresses: SlotAddresses,
    /// Slots whose address is used for anything but accesses.
    pub escaped: SecondaryMap<StackSlot, bool>,
    /// Slots with addresses at an offset that is not constant.
    pub indexed: SecondaryMap<StackSlot, bool>,
    accesses: Vec<Access>,
    /// Copies of a constant size with a slot on at least one side.
    pub copies: Vec<Inst>,
}

impl Uses {
    /// Follows slot addresses through the function.
    pub fn new(func: &Function, cfg: &Cfg) -> Self {
        let mut uses = Uses::default();
        uses.addresses.of_value.resize(func.num_values());
        uses.escaped.resize(func.slots.len());
        uses.indexed.resize(func.slots.len());
        for &block in cfg.reverse_postorder() {
            for &inst in &func.layout.insts[block] {
                uses.inst(func, inst);
            }
        }
        uses
    }

    /// The slot and constant offset that an address stands for.
    pub fn address(&self, value: Value) -> Option<Address> {
        let SlotAddress { slot, offset } = self.addresses.get(value)?;
        Some(Address {
            slot,
            offset: offset?,
        })
    }

    /// Returns whether a slot has other uses than accesses at constant offsets: then it stays in memory.
    pub fn stays(&self, slot: StackSlot) -> bool {
        self.escaped[slot] || self.indexed[slot]
    }

    /// The slot of an address at an offset that is not constant.
    pub fn indexed_slot(&self, value: Value) -> Option<StackSlot> {
        let address = self.addresses.get(value)?;
        address.offset.is_none().then_some(address.slot)
    }

    /// Returns whether a value is computed from a slot's address.
    pub fn is_slot_address(&self, value: Value) -> bool {
        self.addresses.get(value).is_some()
    }

    fn escape(&mut self, value: Value) {
        if let Some(address) = self.addresses.get(value) {
            self.escaped[address.slot] = true;
        }
    }

    fn inst(&mut self, func: &Function, inst: Inst) {
        self.addresses.add(func, inst);
        let data = &func.insts[inst];
        match &data.kind {
            InstKind::StackAddr { .. }
            | InstKind::Convert {
                op: ConvertOp::AddressSpaceCast,
                ..
            } => {}
            InstKind::PtrAdd { base, offset } => {
                if let (Some(address), None) =
                    (self.addresses.get(*base), func.const_signed(*offset))
                {
                    self.indexed[address.slot] = true;
                }
                self.escape(*offset);
            }
            InstKind::Load { ptr, flags, .. } => {
                self.access(func, *ptr, func.ty(data.results[0]), *flags);
            }
            InstKind::Store {
                ptr, value, flags, ..
            } => {
                self.escape(*value);
                self.access(func, *ptr, func.ty(*value), *flags);
            }
            InstKind::MemCopy {
                dst,
                src,
                size,
                flags,
                ..
            } => {
                let small = func.const_bits(*size).is_some_and(|size| size <= MAX_COPY);
                let plain = small && !flags.contains(AccessFlags::VOLATILE);
                for ptr in [*dst, *src] {
                    let Some(address) = self.address(ptr) else {
                        self.escape(ptr);
                        continue;
                    };
                    let end = func
                        .const_bits(*size)
                        .and_then(|size| address.offset.checked_add_unsigned(size));
                    let inside = address.offset >= 0
                        && end.is_some_and(|end| end <= i64::from(func.slots[address.slot].size));
                    if !plain || !inside {
                        self.escaped[address.slot] = true;
                    }
                }
                if plain && [*dst, *src].iter().any(|&ptr| self.address(ptr).is_some()) {
                    self.copies.push(inst);
                }
            }
            // Comparing an address with NULL reads no memory and tells nobody the address.
            InstKind::ICmp { args, .. }
                if args.iter().any(|&arg| func.const_bits(arg) == Some(0)) => {}
            kind => kind.for_each_value(|value| self.escape(value)),
        }
    }

    fn access(&mut self, func: &Function, ptr: Value, ty: Type, flags: AccessFlags) {
        let Some(SlotAddress { slot, offset }) = self.addresses.get(ptr) else {
            return;
        };
        let Some(offset) = offset else {
            self.escaped[slot] |= flags.contains(AccessFlags::VOLATILE);
            return;
        };
        let end = offset.checked_add(i64::from(ty.access_bytes()));
        let inside = offset >= 0 && end.is_some_and(|end| end <= i64::from(func.slots[slot].size));
        if !inside || flags.contains(AccessFlags::VOLATILE) {
            self.escaped[slot] = true;
            return;
        }
        self.accesses.push(Access {
            slot,
            offset: offset as u32,
            ty,
        });
    }

    /// Lists the known reads and writes of each slot, as (offset, type).
    pub fn ranges(&self) -> SecondaryMap<StackSlot, Vec<(u32, Type)>> {
        let mut ranges: SecondaryMap<StackSlot, Vec<(u32, Type)>> = SecondaryMap::new();
        for access in &self.accesses {
            ranges[access.slot].push((access.offset, access.ty));
        }
        for list in ranges.values_mut() {
            list.sort_unstable();
            list.dedup();
        }
        ranges
    }
}

/// The pieces of every slot that can leave memory, sorted by offset.
#[derive(Debug, Default)]
pub struct Pieces {
    /// Each slot's pieces; `None` for slots that stay.
    pub of_slot: SecondaryMap<StackSlot, Option<Vec<Piece>>>,
    /// All pieces.
    pub data: cranelift_entity::PrimaryMap<Piece, PieceData>,
}

impl Pieces {
    /// Decides for every slot.
    pub fn new(func: &Function, uses: &Uses) -> Self {
        let mut pieces = Pieces::default();
        pieces.of_slot.resize(func.slots.len());
        let mut accesses = uses.accesses.clone();
        accesses.sort_unstable_by_key(|access| (access.slot, access.offset, access.ty));
        let mut rest = accesses.as_slice();
        for slot in func.slots.keys() {
            let count = rest.iter().take_while(|access| access.slot == slot).count();
            let (own, others) = rest.split_at(count);
            rest = others;
            if uses.stays(slot) {
                continue;
            }
            if let Some(found) = split(own) {
                let list = found.into_iter().map(|data| pieces.data.push(data));
                pieces.of_slot[slot] = Some(list.collect());
            }
        }
        pieces
    }

    /// The pieces that an access of `bytes` bytes at an address touches.
    pub fn touched(&self, address: Address, bytes: u32) -> Option<&[Piece]> {
        let list = self.of_slot[address.slot].as_ref()?;
        let (start, end) = (address.offset, address.offset + i64::from(bytes));
        let first = list.partition_point(|&piece| {
            let data = &self.data[piece];
            i64::from(data.offset) + i64::from(data.ty.access_bytes()) <= start
        });
        let last = list.partition_point(|&piece| i64::from(self.data[piece].offset) < end);
        list.get(first..last.max(first))
    }

    /// Returns whether no slot can leave memory.
    pub fn is_empty(&self) -> bool {
        self.of_slot.values().all(Option::is_none)
    }
}

/// Splits one slot's accesses, sorted by offset, into pieces.
fn split(accesses: &[Access]) -> Option<Vec<PieceData>> {
    let mut pieces = Vec::new();
    let mut at = 0;
    while at < accesses.len() {
        // A cluster of accesses that overlap.
        let start = accesses[at].offset;
        let mut end = start + accesses[at].ty.access_bytes();
        let mut next = at + 1;
        while next < accesses.len() && accesses[next].offset < end {
            end = end.max(accesses[next].offset + accesses[next].ty.access_bytes());
            next += 1;
        }
        let cluster = &accesses[at..next];
        at = next;
        let whole = cluster
            .iter()
            .all(|access| access.offset == start && access.ty.access_bytes() == end - start);
        if whole {
            pieces.push(PieceData {
                offset: start,
                ty: preferred_type(cluster),
            });
        } else {
            split_lanes(cluster, &mut pieces)?;
        }
    }
    Some(pieces)
}

/// The type of a range that is accessed whole: the most frequent one.
fn preferred_type(cluster: &[Access]) -> Type {
    let mut counts: Vec<(Type, u32)> = Vec::new();
    for access in cluster {
        match counts.iter_mut().find(|(ty, _)| *ty == access.ty) {
            Some((_, count)) => *count += 1,
            None => counts.push((access.ty, 1)),
        }
    }
    let best = counts.iter().rev().max_by_key(|(_, count)| *count);
    best.map_or(cluster[0].ty, |&(ty, _)| ty)
}

fn split_lanes(cluster: &[Access], pieces: &mut Vec<PieceData>) -> Option<()> {
    let mut lanes: Vec<(u32, Scalar)> = cluster
        .iter()
        .flat_map(|access| {
            let bytes = access.ty.scalar.bytes();
            (0..u32::from(access.ty.lanes))
                .map(move |lane| (access.offset + lane * bytes, access.ty.scalar))
        })
        .collect();
    lanes.sort_unstable();
    let mut at = 0;
    while at < lanes.len() {
        let (start, scalar) = lanes[at];
        let mut end = start + scalar.bytes();
        let mut same = true;
        at += 1;
        while at < lanes.len() && lanes[at].0 < end {
            same &= lanes[at] == (start, scalar);
            end = end.max(lanes[at].0 + lanes[at].1.bytes());
            at += 1;
        }
        let ty = if same {
            Type::scalar(scalar)
        } else {
            Type::scalar(Scalar::int_of_bits((end - start) * 8)?)
        };
        pieces.push(PieceData { offset: start, ty });
    }
    Some(())
}
