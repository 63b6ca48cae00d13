//! Launches of a kernel's coarse copy, whose invocations run several work-items each.

use pumice_compiler::target::coarse::{ARGUMENT_ALIGN, ARGUMENT_BYTES};

use super::regions::Region;
use super::{ArgValue, Launch, NdRange};
use crate::device::coarse::{Choice, choice};
use crate::executable::Executable;
use crate::executable::interface::coarse::CoarseCopy;

impl Executable {
    /// The kernel's copy.
    fn copy_of(&self, kernel: usize) -> Option<CoarseCopy> {
        self.interface.coarse.get(kernel).copied().flatten()
    }

    /// The work-items of an invocation of the kernel's copy; 1 if it has none.
    pub fn coarse_items(&self, kernel: usize) -> u32 {
        self.copy_of(kernel).map_or(1, |copy| copy.items)
    }

    /// The copy that a launch may take.
    pub(super) fn coarse_copy(&self, launch: &Launch<'_>) -> Option<CoarseCopy> {
        let are_served = || launch.args.iter().all(|arg| is_served(arg.as_ref()));
        let copy = self.copy_of(launch.kernel);
        copy.filter(|_| are_served())
    }
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

/// Returns whether a region may be dispatched as the copy: ids of the first dimension have no offset, and whole invocations
/// make its work-groups, whole sub-groups of `width` too if it is to pay.
pub(super) fn suits(copy: CoarseCopy, range: &NdRange, region: &Region, width: u32) -> bool {
    let [x, y, z] = region.local_size;
    let no_offset = range.global_offset[0] == 0 && region.first_group[0] == 0;
    let is_whole = x % copy.items == 0;
    let invocations = u64::from(x / copy.items) * u64::from(y) * u64::from(z);
    let pays = invocations % u64::from(width.max(1)) == 0 || choice() == Choice::Always;
    no_offset && is_whole && pays
}
