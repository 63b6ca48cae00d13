//! NDRanges: the checks of clEnqueueNDRangeKernel, and the choice of a work-group size.

use crate::error::{Error, Result};

/// Largest work-group that is chosen for a NULL local size: enough to fill a compute unit's
/// lanes, small enough to give every compute unit some groups.
const TARGET: usize = 256;
/// Its largest first dimension where there is a second one.
const TARGET_X: usize = 64;
/// The group size for global sizes without a good divisor.
const NON_UNIFORM: usize = 64;

/// What limits the work-groups of a kernel on a device.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// CL_KERNEL_WORK_GROUP_SIZE.
    pub group_size: usize,
    /// CL_DEVICE_MAX_WORK_ITEM_SIZES.
    pub item_sizes: [usize; 3],
    /// `reqd_work_group_size`.
    pub required: Option<[usize; 3]>,
    /// CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE.
    pub multiple: usize,
    /// Whether groups at the end of the range may be smaller.
    pub non_uniform: bool,
}

/// A checked range, low dimension first; unused dimensions have size 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// Dimensions given by the application, 1 to 3.
    pub dimensions: u32,
    /// First global id.
    pub offset: [usize; 3],
    /// Work-items.
    pub global: [usize; 3],
    /// Work-items in a group.
    pub local: [usize; 3],
}

impl Range {
    /// Whether there is nothing to run.
    pub fn is_empty(&self) -> bool {
        self.global.contains(&0)
    }
}

/// Checks a range in the specification's order and fills in the local size.
pub fn check(
    dimensions: u32,
    offset: Option<[usize; 3]>,
    global: Option<[usize; 3]>,
    local: Option<[usize; 3]>,
    limits: &Limits,
) -> Result<Range> {
    let used = dimensions as usize;
    let offset = offset.unwrap_or([0; 3]);
    // A NULL global size is one of zeros, which succeeds without running anything.
    let global = global.unwrap_or([0; 3]);
    // CL_INVALID_GLOBAL_OFFSET if an offset plus the size exceeds the range of size_t.
    if offset
        .iter()
        .zip(global)
        .any(|(offset, size)| offset.checked_add(size).is_none())
    {
        return Err(Error::InvalidGlobalOffset);
    }
    let mut range = Range {
        dimensions,
        offset,
        global,
        local: [1; 3],
    };
    if let Some(local) = local {
        range.local = local;
        // CL_INVALID_WORK_GROUP_SIZE if the local size is not the required one.
        if limits.required.is_some_and(|required| required != local) {
            return Err(Error::InvalidWorkGroupSize);
        }
        // CL_INVALID_WORK_GROUP_SIZE if a size is 0, or all together exceed the kernel's limit.
        let items = local
            .iter()
            .try_fold(1_usize, |items, size| items.checked_mul(*size));
        if items.is_none_or(|items| items == 0 || items > limits.group_size) {
            return Err(Error::InvalidWorkGroupSize);
        }
        // CL_INVALID_WORK_ITEM_SIZE if a size exceeds the device's for its dimension.
        if local.iter().zip(limits.item_sizes).any(|(n, max)| *n > max) {
            return Err(Error::InvalidWorkItemSize);
        }
    } else if let Some(required) = limits.required {
        range.local = required;
    } else {
        range.local = choose(used, global, limits);
    }
    // CL_INVALID_WORK_GROUP_SIZE if the local size does not divide the global size where groups
    // must be uniform.
    let divides = range
        .global
        .iter()
        .zip(range.local)
        .all(|(g, l)| g % l == 0);
    if !limits.non_uniform && !divides {
        return Err(Error::InvalidWorkGroupSize);
    }
    Ok(range)
}

/// The largest divisor of `size` that is at most `limit`, multiples of `multiple` first.
fn divisor(size: usize, limit: usize, multiple: usize) -> usize {
    let divides = |candidate: &usize| size % candidate == 0;
    let aligned = (1..=limit / multiple.max(1))
        .rev()
        .map(|n| n * multiple)
        .find(divides);
    aligned
        .or_else(|| (1..=limit).rev().find(divides))
        .unwrap_or(1)
}

/// A work-group size for a NULL local size.
pub fn choose(dimensions: usize, global: [usize; 3], limits: &Limits) -> [usize; 3] {
    let mut local = [1; 3];
    if global.contains(&0) {
        return local;
    }
    let mut budget = limits.group_size.min(TARGET);
    for dimension in 0..dimensions {
        let first = dimension == 0;
        let mut limit = budget.min(limits.item_sizes[dimension]);
        if first && dimensions > 1 && global[1] > 1 {
            limit = limit.min(TARGET_X);
        }
        let multiple = if first { limits.multiple } else { 1 };
        let mut size = divisor(global[dimension], limit, multiple);
        // A range without a good divisor runs in whole groups and a smaller last one.
        if first && limits.non_uniform && size < limits.multiple.min(global[0]) {
            size = limit.min(NON_UNIFORM).min(global[0]);
        }
        local[dimension] = size;
        budget /= size;
    }
    local
}

#[cfg(test)]
mod tests {
    use super::{Limits, check, choose};
    use crate::error::Error;

    const LIMITS: Limits = Limits {
        group_size: 1024,
        item_sizes: [1024, 1024, 64],
        required: None,
        multiple: 8,
        non_uniform: true,
    };

    #[test]
    fn chosen_sizes_divide_where_they_can() {
        assert_eq!(choose(1, [1 << 20, 1, 1], &LIMITS), [256, 1, 1]);
        assert_eq!(choose(1, [1000, 1, 1], &LIMITS), [200, 1, 1]);
        assert_eq!(choose(2, [1024, 1024, 1], &LIMITS), [64, 4, 1]);
        assert_eq!(choose(1, [7, 1, 1], &LIMITS), [7, 1, 1]);
        assert_eq!(choose(1, [1, 1, 1], &LIMITS), [1, 1, 1]);
    }

    #[test]
    fn primes_run_in_uneven_groups_where_that_is_allowed() {
        assert_eq!(choose(1, [10007, 1, 1], &LIMITS), [64, 1, 1]);
        let uniform = Limits {
            non_uniform: false,
            ..LIMITS
        };
        assert_eq!(choose(1, [10007, 1, 1], &uniform), [1, 1, 1]);
    }

    #[test]
    fn errors_are_the_specifications() {
        let global = Some([64, 1, 1]);
        let local = |l| check(1, None, global, Some(l), &LIMITS).map(|r| r.local);
        assert_eq!(local([0, 1, 1]), Err(Error::InvalidWorkGroupSize));
        assert_eq!(local([2048, 1, 1]), Err(Error::InvalidWorkGroupSize));
        assert_eq!(local([1, 1, 65]), Err(Error::InvalidWorkItemSize));
        assert_eq!(local([48, 1, 1]), Ok([48, 1, 1]));
        assert_eq!(
            check(1, Some([usize::MAX, 0, 0]), global, None, &LIMITS),
            Err(Error::InvalidGlobalOffset)
        );
        let required = Limits {
            required: Some([16, 1, 1]),
            ..LIMITS
        };
        assert_eq!(
            check(1, None, global, Some([8, 1, 1]), &required),
            Err(Error::InvalidWorkGroupSize)
        );
        assert_eq!(
            check(1, None, global, None, &required).unwrap().local,
            [16, 1, 1]
        );
        let uniform = Limits {
            non_uniform: false,
            ..LIMITS
        };
        assert_eq!(
            check(1, None, global, Some([48, 1, 1]), &uniform),
            Err(Error::InvalidWorkGroupSize)
        );
    }

    #[test]
    fn empty_ranges_are_legal() {
        assert!(check(1, None, None, None, &LIMITS).unwrap().is_empty());
        let range = check(2, None, Some([4, 0, 1]), Some([4, 1, 1]), &LIMITS).unwrap();
        assert!(range.is_empty());
    }
}
