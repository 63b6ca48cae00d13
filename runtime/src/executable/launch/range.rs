//! NDRanges: the checks of clEnqueueNDRangeKernel, and the choice of a work-group size.

use std::cmp::Reverse;

use super::join::LeastGroups;
use super::{LaunchError, Result};

/// Largest work-group that is chosen for a NULL local size: enough to fill a compute unit's
/// lanes, small enough to give every compute unit some groups.
pub(super) const TARGET: usize = 256;
/// Its largest first dimension where there is a second one.
const TARGET_X: usize = 64;
/// The group size for global sizes without a good divisor.
const NON_UNIFORM: usize = 64;
/// Ranges of so many work-items have a smaller work-group at the end of each row, where whole invocations of a kernel's
/// copy make the others: a dispatch more takes less time than they save.
const MANY_ITEMS: usize = 1 << 16;

/// The range of one launch; dimensions beyond `work_dim` have offset 0 and size 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NdRange {
    /// 1 to 3.
    pub work_dim: u32,
    /// global_work_offset.
    pub global_offset: [u64; 3],
    /// global_work_size; 0 in any dimension is an empty range.
    pub global_size: [u64; 3],
    /// The enqueued local size, chosen already where the application gave none. Not 0.
    pub local_size: [u32; 3],
}

impl NdRange {
    /// Tells whether there is nothing to run.
    pub fn is_empty(&self) -> bool {
        self.global_size.contains(&0)
    }

    /// The number of work-groups in each dimension, smaller ones at the end included.
    pub fn num_groups(&self) -> [u64; 3] {
        std::array::from_fn(|d| self.global_size[d].div_ceil(u64::from(self.local_size[d])))
    }
}

/// A range as the application gave it; `None` for NULL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RangeRequest {
    /// work_dim, 1 to 3.
    pub dimensions: u32,
    /// global_work_offset.
    pub offset: Option<[usize; 3]>,
    /// global_work_size.
    pub global: Option<[usize; 3]>,
    /// local_work_size.
    pub local: Option<[usize; 3]>,
}

/// The limits of a kernel's work-groups on a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RangeLimits {
    /// CL_KERNEL_WORK_GROUP_SIZE.
    pub group_size: usize,
    /// CL_DEVICE_MAX_WORK_GROUP_SIZE.
    pub device_group_size: usize,
    /// CL_DEVICE_MAX_WORK_ITEM_SIZES.
    pub item_sizes: [usize; 3],
    /// `reqd_work_group_size`.
    pub required: Option<[usize; 3]>,
    /// Sub-groups that each work-group must have (SubgroupsPerWorkgroup).
    pub sub_groups: Option<u32>,
    /// Work-groups are made of whole sub-groups, and groups at the end of the range are not smaller.
    pub whole_sub_groups: bool,
    /// CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE: the work-items of a sub-group.
    pub multiple: usize,
    /// The work-items of an invocation of the kernel's coarse copy; 1 if it has none.
    pub neighbours: usize,
    /// Work-groups that are chosen may have as many invocations of the copy as others have work-items: the kernel has no local
    /// memory, whose size programs choose with that of the groups in mind.
    pub large_groups: bool,
    /// True if groups at the end of the range may be smaller, whoever chooses their size.
    pub non_uniform: bool,
    /// True if they may be where the application leaves their size out.
    pub uneven_choice: bool,
    /// The fewest work-groups that a launch is left with where those that do not fill a sub-group are joined; `None` if they must
    /// not be.
    pub least_joined: Option<LeastGroups>,
}

impl RangeLimits {
    /// Checks a range; chooses the local size that the application left out.
    ///
    /// # Errors
    /// [`LaunchError::GlobalOffset`], [`LaunchError::WorkGroupSize`] or
    /// [`LaunchError::WorkItemSize`].
    pub fn resolve(&self, request: &RangeRequest) -> Result<NdRange> {
        let offset = request.offset.unwrap_or([0; 3]);
        // A NULL global size is one of zeros, which succeeds without running anything.
        let global = request.global.unwrap_or([0; 3]);
        let local = (request.local.or(self.required))
            .or_else(|| self.with_sub_groups(request.dimensions as usize, global))
            .unwrap_or_else(|| choose(request.dimensions as usize, global, self));
        let range = NdRange {
            work_dim: request.dimensions,
            global_offset: offset.map(|n| n as u64),
            global_size: global.map(|n| n as u64),
            // What is beyond 32 bits is beyond every limit.
            local_size: local.map(|n| u32::try_from(n).unwrap_or(u32::MAX)),
        };
        let may_be_uneven = match request.local.or(self.required) {
            Some(_) => self.non_uniform,
            None => self.uneven_choice,
        };
        self.check_size(&range, may_be_uneven)?;
        Ok(NdRange {
            local_size: self.joined(&range).unwrap_or(range.local_size),
            ..range
        })
    }

    /// A local size with the required number of sub-groups, or of whole ones, that divides the range, the largest first
    /// dimension first; `None` if the kernel requires neither or nothing fits.
    fn with_sub_groups(&self, dimensions: usize, global: [usize; 3]) -> Option<[usize; 3]> {
        // An empty range runs no work-group.
        if global.contains(&0) {
            return None;
        }
        let width = self.multiple.max(1);
        let (least, most) = match self.sub_groups {
            // The last sub-group may be smaller.
            Some(count) => {
                let count = count as usize;
                let most = count.checked_mul(width)?;
                (count.saturating_sub(1) * width + 1, most)
            }
            None if self.whole_sub_groups => (width, TARGET.max(width)),
            None => return None,
        };
        let most = most.min(self.group_size);
        let step = if self.whole_sub_groups { width } else { 1 };
        let divides = |d: usize, size: usize| {
            size <= self.item_sizes[d] && (d < dimensions || size == 1) && global[d] % size == 0
        };
        for items in (least..=most).rev().filter(|items| items % step == 0) {
            for x in (1..=items)
                .rev()
                .filter(|x| items % x == 0 && divides(0, *x))
            {
                let rest = items / x;
                for y in (1..=rest).rev().filter(|y| rest % y == 0 && divides(1, *y)) {
                    if divides(2, rest / y) {
                        return Some([x, y, rest / y]);
                    }
                }
            }
        }
        // Smaller work-groups at the end would have fewer sub-groups.
        None
    }

    /// Checks a range, in the order of clEnqueueNDRangeKernel's errors.
    ///
    /// # Errors
    /// As [`RangeLimits::resolve`].
    pub fn check(&self, range: &NdRange) -> Result<()> {
        self.check_size(range, self.non_uniform)
    }

    fn check_size(&self, range: &NdRange, may_be_uneven: bool) -> Result<()> {
        let group_size = |text: String| Err(LaunchError::WorkGroupSize(text));
        // CL_INVALID_GLOBAL_OFFSET if an offset plus the size exceeds the range of size_t.
        let mut ends = (range.global_offset.iter()).zip(range.global_size);
        if ends.any(|(offset, size)| offset.checked_add(size).is_none()) {
            let text = "it exceeds the range of size_t with the global size".into();
            return Err(LaunchError::GlobalOffset(text));
        }
        // CL_INVALID_WORK_GROUP_SIZE if the local size is not the required one.
        let local = range.local_size.map(|n| n as usize);
        if let Some(required) = self.required.filter(|required| *required != local) {
            let (given, required) = (shown(local), shown(required));
            return group_size(format!("{given} given, the kernel requires {required}"));
        }
        // CL_INVALID_WORK_GROUP_SIZE if the local size is not consistent with the required number of
        // sub-groups. An empty range runs no work-group.
        let items = (local.iter()).try_fold(1_usize, |items, size| items.checked_mul(*size));
        if let (Some(required), Some(items), false) = (self.sub_groups, items, range.is_empty()) {
            let found = items.div_ceil(self.multiple.max(1));
            if found != required as usize {
                let given = shown(local);
                return group_size(format!(
                    "{given} given, which is {found} sub-groups; the kernel requires {required}"
                ));
            }
        }
        // The same error if the kernel needs whole sub-groups.
        let broken = items.is_some_and(|items| items % self.multiple.max(1) != 0);
        if self.whole_sub_groups && broken && !range.is_empty() {
            let (given, size) = (shown(local), self.multiple);
            return group_size(format!(
                "{given} given, the kernel needs whole sub-groups of {size} work-items"
            ));
        }
        // CL_INVALID_WORK_GROUP_SIZE if a size is 0, or all together exceed the kernel's limit.
        let limit = self.group_size.min(self.device_group_size);
        if items.is_none_or(|items| items == 0 || items > limit) {
            let given = shown(local);
            return group_size(match items {
                Some(0) => format!("{given} given, a dimension is 0"),
                _ => format!("{given} given, the kernel takes at most {limit} work-items"),
            });
        }
        // CL_INVALID_WORK_ITEM_SIZE if a size exceeds the device's for its dimension.
        if local.iter().zip(self.item_sizes).any(|(n, max)| *n > max) {
            let (given, most) = (shown(local), shown(self.item_sizes));
            let text = format!("{given} given, the device takes at most {most}");
            return Err(LaunchError::WorkItemSize(text));
        }
        // CL_INVALID_WORK_GROUP_SIZE if the local size does not divide the global size where groups
        // must be uniform.
        let mut sizes = range.global_size.iter().zip(range.local_size);
        if !may_be_uneven && !sizes.all(|(global, local)| global % u64::from(local) == 0) {
            let (local, global) = (shown(local), shown(range.global_size));
            return group_size(format!("{local} does not divide the global size {global}"));
        }
        Ok(())
    }
}

/// Sizes in a message: `8x4x1`.
fn shown<T: std::fmt::Display>([x, y, z]: [T; 3]) -> String {
    format!("{x}x{y}x{z}")
}

/// The largest divisor of `size` that is at most `limit` and a multiple of `multiple`.
fn divisor(size: usize, limit: usize, multiple: usize) -> Option<usize> {
    let mut candidates = (1..=limit / multiple.max(1)).rev().map(|n| n * multiple);
    candidates.find(|candidate| size % candidate == 0)
}

/// A range of more work-groups than this has a size of its own.
const MOST_SHARED_GROUPS: u64 = 256;

impl NdRange {
    /// A size of work-groups among `known`, for which there are pipelines, that serves as well as the chosen one: it divides
    /// the range, and leaves no more of a sub-group's `multiple` work-items idle but a few. `None` if the chosen one is among
    /// them or none serves.
    pub fn shared_local_size(&self, known: &[[u32; 3]], multiple: usize) -> Option<[u32; 3]> {
        if known.contains(&self.local_size) {
            return None;
        }
        let items = |size: &[u32; 3]| size.iter().map(|&n| u64::from(n)).product::<u64>();
        let multiple = multiple.max(1) as u64;
        // Of 64 lanes, those that have a work-item.
        let used = |size: &[u32; 3]| {
            let items = items(size);
            items * 64 / items.next_multiple_of(multiple)
        };
        let all: u64 = self.global_size.iter().product();
        let serves = |size: &&[u32; 3]| {
            let mut sides = self.global_size.iter().zip(**size);
            sides.all(|(global, local)| global % u64::from(local) == 0)
                && all / items(size) <= MOST_SHARED_GROUPS
                && used(size) * 8 >= used(&self.local_size) * 7
        };
        known
            .iter()
            .filter(serves)
            .max_by_key(|size| items(size))
            .copied()
    }
}

/// A work-group size for a NULL local size.
pub(super) fn choose(dimensions: usize, global: [usize; 3], limits: &RangeLimits) -> [usize; 3] {
    let mut local = [1; 3];
    if global.contains(&0) {
        return local;
    }
    // An invocation of a copy is more work, and a group of few takes longer to start than to run. Long rows suit the
    // processor's caches.
    let longer = match limits.large_groups && is_large(global) {
        true => limits.neighbours.max(1),
        false => 1,
    };
    let mut budget = limits.group_size.min(TARGET * longer);
    for dimension in 0..dimensions {
        let first = dimension == 0;
        let mut limit = budget.min(limits.item_sizes[dimension]);
        if first && dimensions > 1 && global[1] > 1 {
            limit = limit.min(TARGET_X * longer);
        }
        let multiple = if first { limits.multiple } else { 1 };
        let here = global[dimension];
        // Sub-groups of the copy's invocations.
        let wide = multiple * limits.neighbours.max(1);
        let size = match first && limits.neighbours > 1 {
            true => divisor(here, limit, wide).or_else(|| uneven(global, limit, wide, limits)),
            false => None,
        };
        let mut size = size
            .or_else(|| divisor(here, limit, multiple))
            .or_else(|| divisor(here, limit, 1))
            .unwrap_or(1);
        // A range without a good divisor runs in whole groups and a smaller last one.
        if first && limits.uneven_choice && size < limits.multiple.min(here) {
            size = limit.min(NON_UNIFORM).min(here);
        }
        local[dimension] = size;
        // Rows that suit no copy make groups of the usual size.
        if first && size % limits.neighbours.max(1) != 0 {
            budget = budget.min(TARGET.max(size));
        }
        budget /= size;
    }
    local
}

/// A size of the first dimension that is a multiple of `wide` and leaves a smaller work-group at the end of each row, the
/// smallest there is; for short rows the row, as far as whole invocations of the copy make it. `None` if neither pays.
fn uneven(global: [usize; 3], limit: usize, wide: usize, limits: &RangeLimits) -> Option<usize> {
    if !limits.uneven_choice || !is_large(global) {
        return None;
    }
    let [row, ..] = global;
    let most = limit.min(row / 4) / wide;
    let sizes = (1..=most).map(|n| n * wide);
    let best = sizes.min_by_key(|size| (row % size, Reverse(*size)));
    let whole = row - row % limits.neighbours;
    best.or_else(|| (limits.multiple..=limit).contains(&whole).then_some(whole))
}

/// Returns whether a range has [`MANY_ITEMS`].
fn is_large(global: [usize; 3]) -> bool {
    let sizes = global.iter();
    sizes.fold(1_usize, |all, &size| all.saturating_mul(size)) >= MANY_ITEMS
}

#[cfg(test)]
pub(super) mod tests {
    use super::{LaunchError, NdRange, RangeLimits, RangeRequest, choose};

    pub(in crate::executable::launch) const LIMITS: RangeLimits = RangeLimits {
        group_size: 1024,
        device_group_size: 1024,
        item_sizes: [1024, 1024, 64],
        required: None,
        sub_groups: None,
        whole_sub_groups: false,
        multiple: 8,
        neighbours: 1,
        large_groups: false,
        non_uniform: true,
        uneven_choice: true,
        least_joined: None,
    };
    const UNIFORM: RangeLimits = RangeLimits {
        non_uniform: false,
        uneven_choice: false,
        ..LIMITS
    };

    fn resolve(
        limits: &RangeLimits,
        offset: Option<[usize; 3]>,
        global: Option<[usize; 3]>,
        local: Option<[usize; 3]>,
    ) -> Result<NdRange, LaunchError> {
        limits.resolve(&RangeRequest {
            dimensions: 3,
            offset,
            global,
            local,
        })
    }

    #[test]
    fn chosen_sizes_divide_where_they_can() {
        assert_eq!(choose(1, [1 << 20, 1, 1], &LIMITS), [256, 1, 1]);
        assert_eq!(choose(1, [1000, 1, 1], &LIMITS), [200, 1, 1]);
        assert_eq!(choose(2, [1024, 1024, 1], &LIMITS), [64, 4, 1]);
        assert_eq!(choose(1, [7, 1, 1], &LIMITS), [7, 1, 1]);
        assert_eq!(choose(1, [1, 1, 1], &LIMITS), [1, 1, 1]);
    }

    #[test]
    fn sizes_of_kernels_with_copies_are_whole_invocations() {
        let limits = RangeLimits {
            neighbours: 4,
            large_groups: true,
            ..LIMITS
        };
        assert_eq!(choose(1, [1 << 20, 1, 1], &limits), [1024, 1, 1]);
        assert_eq!(choose(2, [1024, 1024, 1], &limits), [256, 4, 1]);
        assert_eq!(choose(1, [1 << 15, 1, 1], &limits), [256, 1, 1]);
        let with_local_memory = RangeLimits {
            large_groups: false,
            ..limits
        };
        assert_eq!(choose(1, [1 << 20, 1, 1], &with_local_memory), [256, 1, 1]);
        // A divisor that is a multiple of 32, not only of 8.
        assert_eq!(choose(1, [352, 1, 1], &limits), [32, 1, 1]);
        // No such divisor: the last group of each row is smaller, if there are many work-items.
        assert_eq!(choose(1, [1000, 1, 1], &limits), [200, 1, 1]);
        assert_eq!(choose(1, [100_000, 1, 1], &limits), [800, 1, 1]);
        assert_eq!(choose(1, [100_001, 1, 1], &limits), [800, 1, 1]);
        assert_eq!(choose(2, [1022, 510, 1], &limits), [32, 30, 1]);
        assert_eq!(choose(2, [1022, 4, 1], &limits), [14, 4, 1]);
        // Narrow rows as a whole, but for work-items that no invocation of the copy takes.
        assert_eq!(choose(2, [36, 1 << 20, 1], &limits), [36, 16, 1]);
        assert_eq!(choose(2, [100, 1020, 1], &limits), [100, 10, 1]);
        assert_eq!(choose(2, [103, 1020, 1], &limits), [100, 10, 1]);
        assert_eq!(choose(2, [103, 102, 1], &limits), [64, 3, 1]);
        let uniform = RangeLimits {
            neighbours: 4,
            ..UNIFORM
        };
        assert_eq!(choose(1, [100_001, 1, 1], &uniform), [11, 1, 1]);
    }

    #[test]
    fn small_ranges_share_sizes_that_serve_as_well() {
        let range = |global: [u64; 3], local| NdRange {
            work_dim: 3,
            global_offset: [0; 3],
            global_size: global,
            local_size: local,
        };
        let known = [[1, 1, 1], [4, 2, 1], [4, 2, 3], [3, 1, 1]];
        let shared = |global, local| range(global, local).shared_local_size(&known, 8);
        assert_eq!(shared([12, 4, 3], [12, 4, 3]), Some([4, 2, 3]));
        assert_eq!(shared([12, 4, 2], [12, 4, 2]), Some([4, 2, 1]));
        // One of them already, or none that divides the range.
        assert_eq!(shared([4, 2, 3], [4, 2, 3]), None);
        assert_eq!(shared([10, 3, 1], [10, 3, 1]), None);
        // Lanes would be idle, or the groups too many.
        assert_eq!(shared([9, 1, 1], [9, 1, 1]), None);
        assert_eq!(shared([5, 1, 1], [5, 1, 1]), None);
        assert_eq!(shared([4096, 2, 1], [64, 2, 1]), None);
        assert_eq!(shared([0, 2, 1], [1, 1, 1]), None);
    }

    #[test]
    fn primes_run_in_uneven_groups_where_that_is_allowed() {
        assert_eq!(choose(1, [10007, 1, 1], &LIMITS), [64, 1, 1]);
        assert_eq!(choose(1, [10007, 1, 1], &UNIFORM), [1, 1, 1]);
    }

    #[test]
    fn required_numbers_of_sub_groups() {
        let limits = RangeLimits {
            sub_groups: Some(3),
            ..LIMITS
        };
        let with = |global, local| {
            let range = resolve(&limits, None, Some(global), local);
            range.map(|range| range.local_size)
        };
        // Sub-groups have 8 work-items, the last one may have fewer.
        assert_eq!(with([48, 1, 1], Some([24, 1, 1])), Ok([24, 1, 1]));
        assert_eq!(with([48, 1, 1], Some([17, 1, 1])), Ok([17, 1, 1]));
        for wrong in [16, 25] {
            let given = with([48, 1, 1], Some([wrong, 1, 1]));
            assert!(matches!(given, Err(LaunchError::WorkGroupSize(_))));
        }
        assert_eq!(with([48, 1, 1], None), Ok([24, 1, 1]));
        assert_eq!(with([40, 1, 1], None), Ok([20, 1, 1]));
        // No divisor has three sub-groups.
        let none = with([7, 1, 1], None);
        assert!(matches!(none, Err(LaunchError::WorkGroupSize(_))));
        assert!(with([0, 1, 1], None).is_ok());
    }

    #[test]
    fn errors_are_the_specifications() {
        use LaunchError as E;
        let global = Some([64, 1, 1]);
        let local = |l| resolve(&LIMITS, None, global, Some(l)).map(|range| range.local_size);
        assert!(matches!(local([0, 1, 1]), Err(E::WorkGroupSize(_))));
        assert!(matches!(local([2048, 1, 1]), Err(E::WorkGroupSize(_))));
        assert!(matches!(local([1 << 40, 1, 1]), Err(E::WorkGroupSize(_))));
        assert!(matches!(local([1, 1, 65]), Err(E::WorkItemSize(_))));
        assert_eq!(local([48, 1, 1]), Ok([48, 1, 1]));
        let far = resolve(&LIMITS, Some([usize::MAX, 0, 0]), global, None);
        assert!(matches!(far, Err(E::GlobalOffset(_))));
        let required = RangeLimits {
            required: Some([16, 1, 1]),
            group_size: 16,
            ..LIMITS
        };
        let other = resolve(&required, None, global, Some([8, 1, 1]));
        assert!(matches!(other, Err(E::WorkGroupSize(_))));
        let chosen = resolve(&required, None, global, None).unwrap();
        assert_eq!(chosen.local_size, [16, 1, 1]);
        let uneven = resolve(&UNIFORM, None, global, Some([48, 1, 1]));
        assert!(matches!(uneven, Err(E::WorkGroupSize(_))));
        // A required size that the device does not have.
        let required = RangeLimits {
            required: Some([1, 1, 65]),
            group_size: 65,
            ..LIMITS
        };
        let beyond = resolve(&required, None, global, None);
        assert!(matches!(beyond, Err(E::WorkItemSize(_))));
        let required = RangeLimits {
            required: Some([1024, 2, 1]),
            group_size: 2048,
            ..LIMITS
        };
        let beyond = resolve(&required, None, global, None);
        assert!(matches!(beyond, Err(E::WorkGroupSize(_))));
    }

    #[test]
    fn kernels_that_cannot_tell_get_smaller_groups_at_the_end() {
        let hidden = RangeLimits {
            uneven_choice: true,
            ..UNIFORM
        };
        let prime = Some([1_000_003, 1, 1]);
        let local = |limits, local| resolve(limits, None, prime, local).map(|r| r.local_size);
        assert_eq!(local(&hidden, None), Ok([64, 1, 1]));
        assert_eq!(local(&UNIFORM, None), Ok([1, 1, 1]));
        let given = local(&hidden, Some([64, 1, 1]));
        assert!(matches!(given, Err(LaunchError::WorkGroupSize(_))));
        // A size that the kernel requires is no choice.
        let required = RangeLimits {
            required: Some([8, 1, 1]),
            ..hidden
        };
        let given = local(&required, None);
        assert!(matches!(given, Err(LaunchError::WorkGroupSize(_))));
    }

    #[test]
    fn kernels_that_need_whole_sub_groups_get_them() {
        let limits = RangeLimits {
            whole_sub_groups: true,
            ..UNIFORM
        };
        let local =
            |global, local| resolve(&limits, None, Some(global), local).map(|r| r.local_size);
        assert_eq!(local([64, 1, 1], Some([16, 1, 1])), Ok([16, 1, 1]));
        assert_eq!(local([4, 6, 1], Some([4, 2, 1])), Ok([4, 2, 1]));
        for (global, given) in [
            ([64, 1, 1], [4, 1, 1]),
            ([12, 1, 1], [12, 1, 1]),
            ([20, 1, 1], [8, 1, 1]),
        ] {
            assert!(matches!(
                local(global, Some(given)),
                Err(LaunchError::WorkGroupSize(_))
            ));
        }
        // Chosen sizes are of whole sub-groups too, in whatever dimension.
        assert_eq!(local([1 << 20, 1, 1], None), Ok([256, 1, 1]));
        assert_eq!(local([24, 1, 1], None), Ok([24, 1, 1]));
        assert_eq!(local([4, 6, 1], None), Ok([4, 6, 1]));
        assert!(matches!(
            local([12, 1, 1], None),
            Err(LaunchError::WorkGroupSize(_))
        ));
        assert_eq!(local([0, 1, 1], None), Ok([1, 1, 1]));
    }

    #[test]
    fn empty_ranges_are_legal() {
        assert!(resolve(&LIMITS, None, None, None).unwrap().is_empty());
        let range = resolve(&LIMITS, None, Some([4, 0, 1]), Some([4, 1, 1])).unwrap();
        assert!(range.is_empty());
    }
}
