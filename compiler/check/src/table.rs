//! The memory that a launch may access, as its kernel finds it.

use pumice_reflection::{CheckKind, CheckSite, CheckedObject};

use crate::layout::{
    ARGUMENT_BEFORE, ARGUMENT_MARKS, ARGUMENT_MEMORY, ARGUMENT_SIZE, ITEM_BITS_AT, Layout,
    MARK_BYTES, MOST_ITEM_BITS, MOST_MARKED, SLICES_AT, TABLE_AT,
};

/// The memory that a launch may access.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// One for each argument: the bytes of its object before its pointer, and the size of the object (a buffer, a part of
    /// one, shared memory, local memory); zeros for others.
    pub arguments: Vec<(u64, u64)>,
    /// The first byte and the size of each argument's object in global memory; `None` for others, and where nobody knows.
    pub ranges: Vec<Option<(u64, u64)>>,
    /// The first byte and the size of each allocation, by rising address, none within another.
    pub allocations: Vec<(u64, u64)>,
    /// Slices of [`SLICE`](crate::layout::SLICE) rounds that the loops of a work-item may go in robust mode.
    pub slices: u32,
    /// Work-items of the launch, whole work-groups counted.
    pub items: u64,
}

impl Default for Table {
    fn default() -> Self {
        Self {
            arguments: Vec::new(),
            ranges: Vec::new(),
            allocations: Vec::new(),
            slices: u32::MAX - 1,
            items: 0,
        }
    }
}

/// The race marks of an argument.
#[derive(Clone, Copy, Debug, Default)]
struct Marks {
    first: u64,
    memory: u64,
}

impl Table {
    /// The memory as it is before the launch, for a module that tests these places.
    pub fn bytes(&self, sites: &[CheckSite]) -> Vec<u8> {
        let layout = Layout::new(self.arguments.len(), sites.len());
        let (marks, size) = self.marks(sites, layout);
        let mut bytes = vec![0; size as usize];
        let mut put = |at: u64, number: u64| {
            bytes[at as usize..at as usize + 8].copy_from_slice(&number.to_le_bytes());
        };
        put(0, (self.allocations.len() as u64) << 32);
        put(TABLE_AT, layout.counters() << 32 | layout.table());
        put(SLICES_AT, u64::from(self.slices));
        if size > layout.size(self.allocations.len()) {
            put(ITEM_BITS_AT, u64::from(self.item_bits()));
        }
        for (ordinal, &(before, size)) in self.arguments.iter().enumerate() {
            let at = layout.argument(ordinal as u32);
            let marks = marks.get(ordinal).copied().unwrap_or_default();
            put(at + ARGUMENT_BEFORE, before);
            put(at + ARGUMENT_SIZE, size);
            put(at + ARGUMENT_MARKS, marks.first);
            put(at + ARGUMENT_MEMORY, marks.memory);
        }
        for (index, &(first, size)) in self.allocations.iter().enumerate() {
            let at = layout.table() + index as u64 * 16;
            put(at, first);
            put(at + 8, first.saturating_add(size));
        }
        bytes
    }

    /// Bits that number all work-items of the launch, with one number more for several of them.
    fn item_bits(&self) -> u32 {
        u64::BITS - (self.items + 1).leading_zeros()
    }

    /// The race marks of each argument, and the size of the memory with them.
    ///
    /// Objects that overlap share their marks. Small ones come first if not all fit.
    fn marks(&self, sites: &[CheckSite], layout: Layout) -> (Vec<Marks>, u64) {
        let mut size = layout.size(self.allocations.len());
        let mut marks = vec![Marks::default(); self.arguments.len()];
        if self.items == 0 || self.item_bits() > MOST_ITEM_BITS {
            return (marks, size);
        }
        let looked_at = |ordinal: usize| {
            let object = CheckedObject::Argument(ordinal as u32);
            let race =
                |site: &&CheckSite| matches!(site.kind, CheckKind::ReadRace | CheckKind::WriteRace);
            sites.iter().filter(race).any(|site| site.object == object)
        };
        let mut objects: Vec<(usize, u64, u64)> = (self.ranges.iter().enumerate())
            .filter(|&(ordinal, _)| looked_at(ordinal))
            .filter_map(|(ordinal, range)| {
                let (first, size) = (*range)?;
                Some((ordinal, first, first.saturating_add(size)))
            })
            .collect();
        objects.sort_unstable_by_key(|&(_, first, _)| first);
        let mut memory: Vec<(u64, u64, Vec<(usize, u64)>)> = Vec::new();
        for (ordinal, first, end) in objects {
            match memory.last_mut() {
                Some((_, last, parts)) if first < *last => {
                    *last = end.max(*last);
                    parts.push((ordinal, first));
                }
                _ => memory.push((first & !3, end, vec![(ordinal, first)])),
            }
        }
        memory.sort_by_key(|(first, end, _)| end - first);
        let mut left = MOST_MARKED;
        size = size.next_multiple_of(8);
        for (start, end, parts) in memory {
            let bytes = (end - start).next_multiple_of(4);
            if bytes > left {
                break;
            }
            left -= bytes;
            for (ordinal, first) in parts {
                marks[ordinal] = Marks {
                    first: size + (first - start) / 4 * MARK_BYTES,
                    memory: size,
                };
            }
            size += bytes / 4 * MARK_BYTES;
        }
        (marks, size)
    }
}
