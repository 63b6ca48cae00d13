//! Sizes the private memory that kernels have in a buffer, and cuts ranges so that it stays within
//! bounds.
//!
//! Every work-item of a dispatch has a part of the buffer. A range that needs more than
//! [`MOST_BYTES`] becomes several dispatches of fewer work-groups, one after the other, which use
//! the same buffer.

use pumice_vulkan_layer::caps::Limits;

use super::range::NdRange;
use super::regions::{Region, sides};
use super::{LaunchError, Result};

/// Bytes that the work-items of a dispatch have together, unless one work-group needs more.
const MOST_BYTES: u64 = 256 << 20;

/// The most work-items of a work-group with so many bytes each: those that a dispatch has room for.
pub(in crate::executable) fn most_work_items(bytes: u32) -> usize {
    (MOST_BYTES / u64::from(bytes)).max(1) as usize
}

/// The most work-groups of a dispatch in each dimension for work-items with so many bytes.
///
/// # Errors
/// A single work-group needs more than the device's largest buffer.
pub(super) fn groups_within(bytes: u32, range: &NdRange, limits: &Limits) -> Result<[u32; 3]> {
    let items: u64 = range.local_size.iter().map(|&n| u64::from(n)).product();
    let group = items.saturating_mul(u64::from(bytes));
    if group > limits.max_buffer {
        return Err(LaunchError::Resources(format!(
            "a work-group has {group} bytes of private memory, the device has buffers of {}",
            limits.max_buffer
        )));
    }
    Ok(sides(
        MOST_BYTES / group.max(1),
        range,
        limits.max_group_count,
    ))
}

/// Bytes of the buffer that the dispatches of these regions use in turn.
pub(super) fn private_size(bytes: u32, regions: &[Region]) -> u64 {
    let items = regions.iter().map(|region| {
        let sizes = region.groups.iter().chain(&region.local_size);
        sizes.fold(1, |all: u64, &n| all.saturating_mul(u64::from(n)))
    });
    items.max().unwrap_or(0).saturating_mul(u64::from(bytes))
}

#[cfg(test)]
mod tests {
    use super::{MOST_BYTES, groups_within, private_size};
    use crate::executable::launch::range::NdRange;
    use crate::executable::launch::regions::regions;
    use pumice_vulkan_layer::caps::Limits;

    fn limits() -> Limits {
        Limits {
            max_buffer: 1 << 31,
            max_group_count: [65_535; 3],
            ..Limits::default()
        }
    }

    fn range(global_size: [u64; 3], local_size: [u32; 3]) -> NdRange {
        NdRange {
            work_dim: 3,
            global_offset: [0; 3],
            global_size,
            local_size,
        }
    }

    #[test]
    fn dispatches_stay_within_the_bound() {
        for (bytes, global, local, dispatches) in [
            (4096, [64, 1, 1], [64, 1, 1], 1),
            // 4 KiB for each of a million work-items: 16 times the bound.
            (4096, [1 << 20, 1, 1], [64, 1, 1], 16),
            (4096, [1 << 10, 1 << 10, 1], [8, 8, 1], 16),
            (4096, [1 << 7, 1 << 7, 1 << 6], [4, 4, 4], 16),
            (4096, [1 << 20, 1, 1], [1000, 1, 1], 18),
        ] {
            let range = range(global, local);
            let all = regions(&range, groups_within(bytes, &range, &limits()).unwrap()).unwrap();
            assert_eq!(all.len(), dispatches, "{range:?}");
            assert!(private_size(bytes, &all) <= MOST_BYTES);
        }
        // One group at a time where it needs more by itself.
        let large = range([2048, 1, 1], [1024, 1, 1]);
        let groups = groups_within(1 << 20, &large, &limits()).unwrap();
        assert_eq!(groups, [1, 1, 1]);
        let all = regions(&large, groups).unwrap();
        assert_eq!(private_size(1 << 20, &all), 1 << 30);
        assert!(groups_within(1 << 22, &large, &limits()).is_err());
    }
}
