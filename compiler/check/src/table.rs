//! The memory that a launch may access, as its kernel finds it.

use pumice_reflection::{CheckKind, CheckSite, CheckedObject};

use crate::layout::{
    ALLOCATION_END, ALLOCATION_SHADOW, ARGUMENT_ALIGNED_LIMITS, ARGUMENT_BEFORE, ARGUMENT_LIMITS,
    ARGUMENT_MARKS, ARGUMENT_SHADOW, ARGUMENT_SIZE, ITEM_BITS_AT, LIMITS, Layout, MARK_BYTES,
    MOST_ITEM_BITS, MOST_MARKS, SLICES_AT, TABLE_AT,
};

/// The memory that a launch may access.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// One for each argument.
    pub arguments: Vec<Object>,
    /// The allocations by rising address, none within another.
    pub allocations: Vec<Range>,
    /// Slices of [`SLICE`](crate::layout::SLICE) rounds that the loops of a work-item may go in robust mode.
    pub slices: u32,
    /// Work-items of the launch, whole work-groups counted.
    pub items: u64,
}

/// The object that an argument points into: a buffer, a part of one, shared memory, local memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Object {
    /// The argument's pointer; 0 for local memory, and for what is no pointer.
    pub pointer: u64,
    /// Bytes of the object before the pointer.
    pub before: u64,
    /// Its bytes.
    pub size: u64,
    /// True for global memory whose place is known.
    pub is_placed: bool,
    /// The number that is added to an address to get that of its shadow; 0 if there is none.
    pub shadow: u64,
}

impl Object {
    /// Global memory that begins at `first`, and a pointer to it.
    pub fn at(first: u64, size: u64) -> Self {
        Self {
            pointer: first,
            size,
            is_placed: true,
            ..Self::default()
        }
    }

    /// Local memory.
    pub fn local(size: u64) -> Self {
        Self {
            size,
            ..Self::default()
        }
    }

    /// The first byte, and the one behind the last, of global memory whose place is known.
    fn range(&self) -> Option<(u64, u64)> {
        let first = self.pointer.wrapping_sub(self.before);
        (self.is_placed).then(|| (first, first.saturating_add(self.size)))
    }

    /// Offsets in the object that have `bytes` bytes behind them.
    fn limit(&self, bytes: u64) -> u64 {
        (self.size + 1).saturating_sub(bytes)
    }
}

/// An allocation of global memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Range {
    /// Its first byte.
    pub first: u64,
    /// Its bytes.
    pub size: u64,
    /// The number that is added to an address to get that of its shadow; 0 if there is none.
    pub shadow: u64,
}

/// The launch that a table is written for.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// The module's tested places.
    pub sites: &'a [CheckSite],
    /// The kernel's number in the module.
    pub kernel: u32,
    /// The address of the memory.
    pub address: u64,
    /// The most bytes of race marks.
    pub most_marks: u64,
}

impl Default for Table {
    fn default() -> Self {
        Self {
            arguments: Vec::new(),
            allocations: Vec::new(),
            slices: u32::MAX - 1,
            items: 0,
        }
    }
}

/// Memory that objects of arguments lie in.
struct Memory {
    first: u64,
    end: u64,
    arguments: Vec<usize>,
    /// True if the kernel writes there.
    is_written: bool,
}

impl Table {
    /// Bytes without race marks.
    pub fn size(&self, sites: &[CheckSite]) -> u64 {
        Layout::new(self.arguments.len(), sites.len()).size(self.allocations.len())
    }

    /// Bytes of the race marks that a launch has, which are zero at first and follow the rest on a multiple of 8.
    pub fn marks_size(&self, sites: &[CheckSite], kernel: u32, most: u64) -> u64 {
        let place = Place {
            sites,
            kernel,
            address: 0,
            most_marks: most,
        };
        self.marks(&place).1
    }

    /// The memory as it is before the launch, without the race marks.
    pub fn bytes(&self, place: &Place<'_>) -> Vec<u8> {
        let layout = Layout::new(self.arguments.len(), place.sites.len());
        let (marks, marks_size) = self.marks(place);
        let mut bytes = vec![0; self.size(place.sites) as usize];
        let mut put = |at: u64, number: u64| {
            bytes[at as usize..at as usize + 8].copy_from_slice(&number.to_le_bytes());
        };
        put(0, (self.allocations.len() as u64) << 32);
        put(TABLE_AT, layout.counters() << 32 | layout.table());
        put(SLICES_AT, u64::from(self.slices));
        if marks_size > 0 {
            put(ITEM_BITS_AT, u64::from(self.item_bits()));
        }
        for (ordinal, object) in self.arguments.iter().enumerate() {
            let at = layout.argument(ordinal as u32);
            put(at + ARGUMENT_BEFORE, object.before);
            put(at + ARGUMENT_SIZE, object.size);
            put(at + ARGUMENT_MARKS, marks[ordinal]);
            put(at + ARGUMENT_SHADOW, object.shadow);
            for log in 0..LIMITS {
                let limit = object.limit(1 << log);
                let is_aligned = object.pointer.trailing_zeros() as u64 >= log;
                let aligned = if is_aligned { limit } else { 0 };
                put(at + ARGUMENT_LIMITS + log * 8, limit);
                put(at + ARGUMENT_ALIGNED_LIMITS + log * 8, aligned);
            }
        }
        for (index, range) in self.allocations.iter().enumerate() {
            let at = layout.allocation(index);
            put(at, range.first);
            put(at + ALLOCATION_END, range.first.saturating_add(range.size));
            put(at + ALLOCATION_SHADOW, range.shadow);
        }
        bytes
    }

    /// Bits that number all work-items of the launch, with one number more for several of them.
    fn item_bits(&self) -> u32 {
        u64::BITS - (self.items + 1).leading_zeros()
    }

    /// The numbers that the kernel adds to find the race marks of each argument, and the bytes of all marks.
    ///
    /// Objects that overlap share their marks. Memory that is only read needs none. Small objects come first if not all
    /// fit.
    fn marks(&self, place: &Place<'_>) -> (Vec<u64>, u64) {
        let mut marks = vec![0; self.arguments.len()];
        if self.items == 0 || self.item_bits() > MOST_ITEM_BITS {
            return (marks, 0);
        }
        // Bytes of the parts that have a mark each: those of the kernel's smallest access.
        let mut part = 16;
        let mut memory: Vec<Memory> = Vec::new();
        let mut looked_at: Vec<(u64, u64, usize, bool)> = Vec::new();
        for site in place
            .sites
            .iter()
            .filter(|site| site.kernel == Some(place.kernel))
        {
            let is_written = site.kind == CheckKind::WriteRace;
            let CheckedObject::Argument(ordinal) = site.object else {
                continue;
            };
            if !is_written && site.kind != CheckKind::ReadRace {
                continue;
            }
            let object = self.arguments.get(ordinal as usize);
            if let Some((first, end)) = object.and_then(Object::range) {
                part = part.min(u64::from(site.align.max(1)));
                looked_at.push((first, end, ordinal as usize, is_written));
            }
        }
        looked_at.sort_unstable();
        for (first, end, ordinal, is_written) in looked_at {
            match memory.last_mut() {
                Some(last) if first < last.end => {
                    last.end = end.max(last.end);
                    last.arguments.push(ordinal);
                    last.is_written |= is_written;
                }
                _ => memory.push(Memory {
                    first,
                    end,
                    arguments: vec![ordinal],
                    is_written,
                }),
            }
        }
        memory.retain(|one| one.is_written);
        memory.sort_by_key(|one| one.end - one.first);
        let begin = self.size(place.sites).next_multiple_of(8);
        let mut size = 0;
        for one in memory {
            // All marks of a word, or one of a larger part.
            let (unit, of_unit) = match part {
                0..=4 => (4, MARK_BYTES / part * 4),
                _ => (part, MARK_BYTES),
            };
            let first = one.first / unit;
            let needed = (one.end.div_ceil(unit) - first).saturating_mul(of_unit);
            if needed > place.most_marks.min(MOST_MARKS) - size {
                break;
            }
            let start = place.address.wrapping_add(begin + size);
            for ordinal in one.arguments {
                marks[ordinal] = start.wrapping_sub(first.wrapping_mul(of_unit));
            }
            size += needed;
        }
        (marks, size)
    }
}

#[cfg(test)]
mod tests {
    use super::{Object, Place, Table};
    use crate::layout::{
        ARGUMENT_ALIGNED_LIMITS, ARGUMENT_LIMITS, ARGUMENT_MARKS, Layout, MOST_MARKS,
    };
    use pumice_reflection::{CheckKind, CheckSite, CheckedObject};

    fn site(kernel: u32, kind: CheckKind, argument: u32, part: u32) -> CheckSite {
        CheckSite {
            kernel: Some(kernel),
            kind,
            size: 4,
            align: part,
            object: CheckedObject::Argument(argument),
            file: String::new(),
            line: 0,
            column: 0,
            text: String::new(),
        }
    }

    fn table(arguments: &[(u64, u64)]) -> Table {
        let arguments = arguments
            .iter()
            .map(|&(first, size)| Object::at(first, size));
        Table {
            arguments: arguments.collect(),
            items: 64,
            ..Table::default()
        }
    }

    #[test]
    fn what_is_written_has_marks() {
        let sites = [
            site(0, CheckKind::ReadRace, 0, 4),
            site(0, CheckKind::WriteRace, 1, 4),
            site(1, CheckKind::WriteRace, 0, 1),
        ];
        let mib = 1 << 20;
        let apart = table(&[(mib << 8, 64 * mib), (mib << 16, 16 * mib)]);
        assert_eq!(apart.marks_size(&sites, 0, MOST_MARKS), 16 * mib * 3);
        // Another kernel writes bytes, and more than has room.
        assert_eq!(apart.marks_size(&sites, 1, MOST_MARKS), 0);
        let small = table(&[(mib << 8, mib), (mib << 16, mib)]);
        assert_eq!(small.marks_size(&sites, 1, MOST_MARKS), 12 * mib);
        assert_eq!(small.marks_size(&sites, 0, 3 * mib - 1), 0);
        // What overlaps shares the marks, read or written.
        let joined = table(&[(1 << 20, 64), ((1 << 20) + 32, 64)]);
        assert_eq!(joined.marks_size(&sites, 0, MOST_MARKS), 96 * 3);
        // Parts of 16 bytes, of which the first and the last one begin before and end behind the object.
        let wide = [site(0, CheckKind::WriteRace, 0, 16)];
        assert_eq!(
            table(&[(1 << 20, 64)]).marks_size(&wide, 0, MOST_MARKS),
            4 * 12
        );
        let inner = table(&[((1 << 20) + 8, 56 + 4)]);
        assert_eq!(inner.marks_size(&wide, 0, MOST_MARKS), 5 * 12);
        let place = Place {
            sites: &sites,
            kernel: 0,
            address: 1 << 40,
            most_marks: MOST_MARKS,
        };
        let bytes = joined.bytes(&place);
        let number = |at: u64| {
            let at = at as usize;
            u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap())
        };
        let layout = Layout::new(2, sites.len());
        let [one, other] = [0, 1].map(|ordinal| number(layout.argument(ordinal) + ARGUMENT_MARKS));
        assert_eq!(one, other);
        let first = one.wrapping_add((1 << 20) * 3);
        assert_eq!(first, (1 << 40) + (bytes.len() as u64).next_multiple_of(8));
    }

    #[test]
    fn limits_count_offsets() {
        let bytes = table(&[((1 << 20) + 8, 20)]).bytes(&Place {
            sites: &[],
            kernel: 0,
            address: 0,
            most_marks: 0,
        });
        let at = Layout::new(1, 0).argument(0);
        let numbers = |at: u64| -> Vec<u64> {
            let all = bytes[at as usize..].chunks(8).take(8);
            all.map(|one| u64::from_le_bytes(one.try_into().unwrap()))
                .collect()
        };
        assert_eq!(numbers(at + ARGUMENT_LIMITS), [20, 19, 17, 13, 5, 0, 0, 0]);
        // The pointer is a multiple of 8.
        let aligned = [20, 19, 17, 13, 0, 0, 0, 0];
        assert_eq!(numbers(at + ARGUMENT_ALIGNED_LIMITS), aligned);
    }
}
