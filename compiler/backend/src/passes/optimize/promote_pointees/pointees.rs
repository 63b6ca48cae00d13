//! The accesses of functions to the memory that their parameters point at.

use cranelift_entity::SecondaryMap;
use pumice_ir::analysis::MemoryAccess;
use pumice_ir::analysis::slots::{AddressRoot, MAX_COPY, SlotAddresses};
use pumice_ir::{AccessFlags, AddressSpace, Cfg, FuncId, Function, Inst, InstKind, Value};
use smallvec::{SmallVec, smallvec};

/// A range of bytes from a pointer on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bytes {
    pub start: i64,
    pub end: i64,
}

impl Bytes {
    /// No byte.
    pub const NONE: Self = Self {
        start: i64::MAX,
        end: i64::MIN,
    };
    /// Any byte, in front of the pointer too.
    pub const ALL: Self = Self {
        start: i64::MIN,
        end: i64::MAX,
    };

    /// So many bytes from a place on.
    pub fn at(start: i64, bytes: u64) -> Self {
        Self {
            start,
            end: start.saturating_add_unsigned(bytes),
        }
    }

    /// The number of bytes of a range that is not empty.
    pub fn len(self) -> i64 {
        self.end.saturating_sub(self.start)
    }

    /// Returns whether there is none.
    pub fn is_empty(self) -> bool {
        self.start >= self.end
    }

    /// The bytes as seen from the pointer that is `offset` bytes in front of theirs.
    pub fn seen_from(self, offset: Option<i64>) -> Self {
        match offset {
            _ if self.is_empty() => Self::NONE,
            Some(offset) if self != Self::ALL => Self {
                start: self.start.saturating_add(offset),
                end: self.end.saturating_add(offset),
            },
            _ => Self::ALL,
        }
    }

    /// The smallest range with both.
    pub fn join(self, other: Self) -> Self {
        Self {
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }

    /// The bytes that are in both.
    pub fn common(self, other: Self) -> Self {
        Self {
            start: self.start.max(other.start),
            end: self.end.min(other.end),
        }
    }

    /// Returns whether both have a byte in common.
    pub fn meets(self, other: Self) -> bool {
        !self.common(other).is_empty()
    }

    /// Returns whether all bytes of another range are in this one.
    pub fn holds(self, other: Self) -> bool {
        other.is_empty() || self.common(other) == other
    }
}

/// The accesses of a function, and of those that it calls, by one of its parameters.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pointee {
    pub bytes: Bytes,
    pub is_written: bool,
}

/// The accesses of a function, and of those that it calls.
#[derive(Clone, Debug, Default)]
pub(super) struct Reach {
    /// For each parameter.
    pub pointees: Vec<Pointee>,
    /// Set where private memory is accessed by other addresses than those of variables and parameters.
    pub is_unknown: bool,
}

impl Reach {
    /// Finds those of a function, whose callees are known.
    pub fn of(func: &Function, known: &SecondaryMap<FuncId, Reach>) -> Self {
        let nothing = Pointee {
            bytes: Bytes::NONE,
            is_written: false,
        };
        let mut reach = Self {
            pointees: vec![nothing; func.params.len()],
            is_unknown: false,
        };
        let cfg = Cfg::new(func);
        let addresses = SlotAddresses::of(func, &cfg);
        let blocks = cfg.reverse_postorder().iter();
        for &inst in blocks.flat_map(|&block| &func.layout.insts[block]) {
            for access in accesses(func, inst, known) {
                reach.add(func, &addresses, access);
            }
            if let InstKind::Call { func: callee, .. } = func.insts[inst].kind {
                reach.is_unknown |= known[callee].is_unknown;
            }
        }
        reach
    }

    fn add(&mut self, func: &Function, addresses: &SlotAddresses, access: Access) {
        if access.bytes.is_empty() || !is_private(func, access.ptr) {
            return;
        }
        match addresses.rooted(access.ptr) {
            Some(address) => {
                if let AddressRoot::Param(number) = address.root {
                    let pointee = &mut self.pointees[number];
                    let bytes = access.bytes.seen_from(address.offset);
                    pointee.bytes = pointee.bytes.join(bytes);
                    pointee.is_written |= access.is_written;
                }
            }
            None => self.is_unknown = true,
        }
    }
}

/// Returns whether a value is a pointer that may be to private memory.
pub(super) fn is_private(func: &Function, value: Value) -> bool {
    let space = func.ty(value).address_space();
    matches!(space, Some(AddressSpace::Private | AddressSpace::Generic))
}

/// An access by a pointer that is an operand of an instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Access {
    pub ptr: Value,
    /// From the pointer on.
    pub bytes: Bytes,
    pub is_written: bool,
}

impl Access {
    /// An access of any byte.
    fn of_any(ptr: Value) -> Self {
        Self {
            ptr,
            bytes: Bytes::ALL,
            is_written: true,
        }
    }
}

/// The accesses of a load, a store or a copy; those that are volatile or large may be of any byte.
pub(super) fn plain_accesses(func: &Function, inst: Inst) -> SmallVec<[Access; 2]> {
    let bytes = |bytes: u64, flags: AccessFlags| match flags.contains(AccessFlags::VOLATILE) {
        true => Bytes::ALL,
        false => Bytes::at(0, bytes),
    };
    if let Some(access) = MemoryAccess::of(func, inst) {
        return smallvec![Access {
            ptr: access.ptr,
            bytes: bytes(access.ty.access_bytes().into(), access.flags),
            is_written: access.is_store(),
        }];
    }
    let InstKind::MemCopy {
        dst,
        src,
        size,
        flags,
        ..
    } = func.insts[inst].kind
    else {
        return SmallVec::new();
    };
    let size = func.const_bits(size).filter(|&size| size <= MAX_COPY);
    let bytes = size.map_or(Bytes::ALL, |size| bytes(size, flags));
    let ends = [(dst, true), (src, false)];
    let accesses = ends.map(|(ptr, is_written)| Access {
        ptr,
        bytes,
        is_written,
    });
    SmallVec::from(accesses)
}

/// The accesses of an instruction, and of the function that it calls.
fn accesses(
    func: &Function,
    inst: Inst,
    known: &SecondaryMap<FuncId, Reach>,
) -> SmallVec<[Access; 2]> {
    let kind = &func.insts[inst].kind;
    match kind {
        InstKind::Call { func: callee, args } => {
            let pointees = args.iter().zip(&known[*callee].pointees);
            let accesses = pointees.map(|(&ptr, pointee)| Access {
                ptr,
                bytes: pointee.bytes,
                is_written: pointee.is_written,
            });
            accesses.collect()
        }
        InstKind::AtomicLoad { .. }
        | InstKind::AtomicStore { .. }
        | InstKind::AtomicRmw { .. }
        | InstKind::AtomicCmpXchg { .. }
        | InstKind::Group { .. }
        | InstKind::Node { .. }
        | InstKind::Image { .. }
        | InstKind::Matrix { .. } => {
            let mut accesses = SmallVec::new();
            kind.for_each_value(|value| accesses.push(Access::of_any(value)));
            accesses
        }
        _ => plain_accesses(func, inst),
    }
}
