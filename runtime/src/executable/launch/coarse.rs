//! Launches of a kernel's copies, whose invocations may run several work-items each.

use pumice_compiler::target::coarse::{ARGUMENT_ALIGN, ARGUMENT_BYTES};

use smallvec::SmallVec;

use super::join::use_lanes_well;
use super::regions::{Region, divide_ends};
use super::{ArgValue, Launch, NdRange, Splitting};
use crate::device::coarse::{Choice, choice};
use crate::executable::Executable;
use crate::executable::interface::coarse::CoarseCopy;

impl Executable {
    /// The kernel's copies.
    fn copies_of(&self, kernel: usize) -> &[CoarseCopy] {
        self.interface.coarse.get(kernel).map_or(&[], Vec::as_slice)
    }

    /// Returns whether the kernel has copies.
    pub fn has_copies(&self, kernel: usize) -> bool {
        !self.copies_of(kernel).is_empty()
    }

    /// The work-items of an invocation of the kernel's copies; 1 if it has none.
    pub fn coarse_items(&self, kernel: usize) -> u32 {
        let items = self.copies_of(kernel).iter().map(|copy| copy.form.items);
        items.max().unwrap_or(1)
    }

    /// Returns whether the kernel has copies for several work-items that work-groups of any size suit.
    pub fn has_roomy_copies(&self, kernel: usize) -> bool {
        let copies = self.copies_of(kernel);
        self.coarse_items(kernel) > 1 && !copies.iter().any(|copy| copy.has_local_memory)
    }

    /// Returns whether the argument at a place suits other copies of the kernel with other bytes.
    pub(super) fn changes_copies(&self, kernel: usize, place: usize, bytes: [&[u8]; 2]) -> bool {
        let mut copies = self.copies_of(kernel).iter();
        copies.any(|copy| {
            let [before, after] = bytes.map(|bytes| copy.form.suits(place, bytes));
            before != after
        })
    }

    /// A launch's regions for these copies: the ends of rows are divided for one that runs neighbours, where nothing tells how
    /// work-items are grouped.
    pub(super) fn for_copies(
        &self,
        launch: &Launch<'_>,
        regions: Vec<Region>,
        copies: &Copies,
    ) -> Vec<Region> {
        let neighbours = copies.iter().filter(|copy| copy.form.spacing == 1);
        let items = neighbours.map(|copy| copy.form.items).max();
        let is_free = self.may_join_groups(launch.kernel)
            && self.splitting == Some(Splitting::PushConstants)
            && self.interface.region_offset.is_some();
        match items.filter(|_| is_free) {
            Some(items) if items > 1 => divide_ends(regions, launch.range, items),
            _ => regions,
        }
    }

    /// The copies that a launch may take, the best first.
    pub(super) fn coarse_copies(&self, launch: &Launch<'_>) -> Copies {
        let copies = self.copies_of(launch.kernel);
        if copies.is_empty() || !launch.args.iter().all(|arg| is_served(arg.as_ref())) {
            return Copies::new();
        }
        let ask = copies.iter().any(|copy| copy.form.disjoint);
        let is_disjoint = ask && are_disjoint(launch.args);
        let copies = copies.iter().copied();
        copies
            .filter(|copy| is_disjoint || !copy.form.disjoint)
            .filter(|copy| are_multiples(copy, launch.args))
            .collect()
    }
}

/// Returns whether no two of the buffers among the arguments overlap. Memory of other APIs may be the same at two addresses.
fn are_disjoint(args: &[Option<ArgValue>]) -> bool {
    let is_external = |arg: &&Option<ArgValue>| matches!(arg, Some(ArgValue::Buffer { buffer, .. }) if buffer.is_external());
    if args.iter().filter(is_external).count() > 1 {
        return false;
    }
    let ranges = args.iter().filter_map(|arg| match arg {
        Some(ArgValue::Buffer {
            buffer,
            offset,
            size,
        }) => {
            let start = buffer.address().wrapping_add(*offset);
            Some((start, start.saturating_add(*size)))
        }
        _ => None,
    });
    let mut ranges: SmallVec<[(u64, u64); 8]> = ranges.collect();
    ranges.sort_unstable();
    ranges.windows(2).all(|two| two[0].1 <= two[1].0)
}

/// Copies of one kernel.
pub(super) type Copies = SmallVec<[CoarseCopy; 4]>;

/// Returns whether the arguments are multiples of what a copy asks for.
fn are_multiples(copy: &CoarseCopy, args: &[Option<ArgValue>]) -> bool {
    let form = &copy.form;
    form.multiples
        .hold(form.span(), |place| match args.get(place) {
            Some(Some(ArgValue::Bytes(bytes))) => Some(bytes),
            _ => None,
        })
}

/// Returns whether a copy may access an argument as it does: it points at a multiple of the bytes that a copy accesses at
/// once, in an object that is small enough, or is no pointer. Memory of the system's has no size.
fn is_served(arg: Option<&ArgValue>) -> bool {
    match arg {
        Some(ArgValue::Buffer {
            buffer,
            offset,
            size,
        }) => {
            let is_aligned = buffer.address().wrapping_add(*offset) % ARGUMENT_ALIGN == 0;
            is_aligned && offset.saturating_add(*size) <= ARGUMENT_BYTES
        }
        Some(ArgValue::Pointer(_)) => false,
        _ => true,
    }
}

/// Returns whether a region may be dispatched as the copy. One whose invocations run one work-item each always may. Otherwise
/// whole invocations make up the region's work-groups, and the range's offset in the first dimension, and use most lanes of
/// sub-groups of `width`, so that the copy pays. Rows and offset are whole sub-groups where the copy's work-items are that
/// far apart.
pub(super) fn suits(copy: CoarseCopy, range: &NdRange, region: &Region, width: u32) -> bool {
    let form = copy.form;
    if form.items == 1 {
        return true;
    }
    let [x, y, z] = region.local_size;
    // The region's offset is counted in invocations.
    let is_whole = x % form.items == 0 && region.first_item[0] % u64::from(form.items) == 0;
    let offset = range.global_offset[0];
    if !is_whole || offset % form.span() != 0 {
        return false;
    }
    let row = x / form.items;
    if form.spacing > 1 {
        // Ids of such copies have 32 bits.
        let end = offset.saturating_add(range.global_size[0]);
        if form.spacing != width || row % width != 0 || end > 1 << 32 {
            return false;
        }
    }
    let invocations = [row, y, z].map(|n| n as usize).iter().product();
    use_lanes_well(invocations, width as usize) || choice() == Choice::Always
}
