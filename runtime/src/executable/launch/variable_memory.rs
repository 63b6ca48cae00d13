//! Sizes the memory that kernels have in a buffer for private or local variables, and cuts ranges so that it stays within
//! bounds.
//!
//! Every work-item or work-group of a dispatch has a part of the buffer. A range that needs more than the bound becomes several
//! dispatches of fewer work-groups, one after the other, which use the same buffer.

use pumice_vulkan_layer::caps::Limits;

use super::range::NdRange;
use super::regions::{Region, sides};
use super::{Executable, LaunchError, Result};
use crate::base::processors::processors;

/// Bytes of private variables that the work-items of a dispatch have together, unless one work-group needs more.
const MOST_PRIVATE: u64 = 256 << 20;

/// Bytes of local variables that the work-groups of a dispatch have together, for each processor. It is processors that ask for
/// local variables in a buffer, and a dispatch takes them as long as many work-groups do.
const MOST_LOCAL: u64 = 2 << 20;

/// The same for all processors: each program keeps such a buffer.
const MOST_TOGETHER: u64 = 16 << 20;

/// A dispatch has at least so many work-groups for each processor, whatever their local variables take: all are busy.
const LEAST_GROUPS: u64 = 16;

/// The most work-items of a work-group with so many bytes of private variables each: those that a dispatch has room for.
pub(in crate::executable) fn most_work_items(bytes: u32) -> usize {
    (MOST_PRIVATE / u64::from(bytes)).max(1) as usize
}

/// The memory of a kernel's variables in a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum VariableMemory {
    /// So many bytes for each work-item.
    Private(u32),
    /// So many bytes for each work-group.
    Local(u64),
}

impl VariableMemory {
    /// Bytes of a work-group.
    fn of_group(self, local_size: [u32; 3]) -> u64 {
        match self {
            Self::Private(bytes) => local_size
                .iter()
                .fold(u64::from(bytes), |all, &n| all.saturating_mul(u64::from(n))),
            Self::Local(bytes) => bytes,
        }
    }

    /// The most work-groups of a dispatch in each dimension.
    ///
    /// # Errors
    /// A single work-group needs more than the device's largest buffer.
    pub fn groups_within(self, range: &NdRange, limits: &Limits) -> Result<[u32; 3]> {
        let group = self.of_group(range.local_size).max(1);
        if group > limits.max_buffer {
            let kind = match self {
                Self::Private(_) => "private",
                Self::Local(_) => "local",
            };
            return Err(LaunchError::Resources(format!(
                "a work-group has {group} bytes of {kind} memory, the device has buffers of {}",
                limits.max_buffer
            )));
        }
        let most = match self {
            Self::Private(_) => MOST_PRIVATE / group,
            Self::Local(_) => {
                let processors = u64::from(processors());
                let bytes = (MOST_LOCAL * processors).min(MOST_TOGETHER);
                (bytes / group).max(LEAST_GROUPS * processors)
            }
        };
        Ok(sides(most, range, limits.max_group_count))
    }

    /// Bytes of the buffer that the dispatches of these regions use in turn.
    pub fn size(self, regions: &[Region]) -> u64 {
        let sizes = regions.iter().map(|region| {
            let group = self.of_group(region.local_size);
            let groups = region.groups.iter();
            groups.fold(group, |all, &n| all.saturating_mul(u64::from(n)))
        });
        sizes.max().unwrap_or(0)
    }
}

impl Executable {
    /// The memory that launches of a kernel give it for variables, with these specialization values.
    pub(super) fn variable_memory(
        &self,
        kernel: usize,
        specialization: &[(u32, u32)],
    ) -> Option<VariableMemory> {
        let interface = self.interface.kernels.get(kernel)?;
        if let Some(bytes) = interface.info.private_bytes {
            return Some(VariableMemory::Private(bytes));
        }
        let of_kernel = interface.local_buffer?;
        let sizes = interface.local_sizes(&specialization.iter().copied().collect());
        // Dispatches may be of its copies, whose variables may be others.
        let copies = self.interface.coarse.get(kernel).into_iter().flatten();
        let copies = copies.filter_map(|copy| self.interface.kernels[copy.index].local_buffer);
        let strides = copies.map(|local| local.stride(&sizes));
        let stride = strides.fold(of_kernel.stride(&sizes), u64::max);
        Some(VariableMemory::Local(stride))
    }
}

#[cfg(test)]
mod tests {
    use super::{LEAST_GROUPS, MOST_LOCAL, MOST_PRIVATE, MOST_TOGETHER, VariableMemory};
    use crate::base::processors::processors;
    use crate::executable::launch::regions::regions;
    use crate::executable::launch::regions::tests::range;
    use pumice_vulkan_layer::caps::Limits;

    fn limits() -> Limits {
        Limits {
            max_buffer: 1 << 31,
            max_group_count: [65_535; 3],
            ..Limits::default()
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
            let memory = VariableMemory::Private(bytes);
            let most = memory.groups_within(&range, &limits()).unwrap();
            let all = regions(&range, most).unwrap();
            assert_eq!(all.len(), dispatches, "{range:?}");
            assert!(memory.size(&all) <= MOST_PRIVATE);
        }
        // One group at a time where it needs more by itself.
        let large = range([2048, 1, 1], [1024, 1, 1]);
        let memory = VariableMemory::Private(1 << 20);
        let groups = memory.groups_within(&large, &limits()).unwrap();
        assert_eq!(groups, [1, 1, 1]);
        let all = regions(&large, groups).unwrap();
        assert_eq!(memory.size(&all), 1 << 30);
        let memory = VariableMemory::Private(1 << 22);
        assert!(memory.groups_within(&large, &limits()).is_err());
    }

    #[test]
    fn dispatches_have_work_for_all_processors() {
        let units = u64::from(processors());
        // The number of dispatches; each work-group has its bytes.
        let dispatches = |bytes, groups| {
            let range = range([groups * 64, 1, 1], [64, 1, 1]);
            let memory = VariableMemory::Local(bytes);
            let most = memory.groups_within(&range, &limits()).unwrap();
            let all = regions(&range, most).unwrap();
            let largest = all.iter().map(|region| u64::from(region.groups[0])).max();
            assert_eq!(largest.unwrap() * bytes, memory.size(&all));
            all.len()
        };
        let fits = (MOST_LOCAL * units).min(MOST_TOGETHER) / 1024;
        assert_eq!(dispatches(1024, fits), 1);
        assert_eq!(dispatches(1024, fits + 1), 2);
        assert_eq!(dispatches(1 << 20, LEAST_GROUPS * units), 1);
        assert_eq!(dispatches(1 << 20, 2 * LEAST_GROUPS * units), 2);
    }
}
