//! Work-groups that leave lanes of their sub-groups idle, as the many programs ask for that launch work-groups of one
//! work-item, and work-groups that the kernel's coarse copy cannot run, or of which each is one sub-group of it: several of
//! them run as one, where nothing tells.

use super::range::{NdRange, RangeLimits, TARGET, choose};

/// Percent of the lanes: work-groups of more than a sub-group that use so many are left alone, and pay for coarse copies.
const WELL_USED: usize = 75;

/// The share of lanes that have one of so many work-items, or invocations, in sub-groups of `width`: in percent.
fn used_lanes(items: usize, width: usize) -> usize {
    items * 100 / items.next_multiple_of(width.max(1))
}

/// Returns whether so many work-items, or invocations, use most lanes of sub-groups of `width`.
pub(super) fn use_lanes_well(items: usize, width: usize) -> bool {
    used_lanes(items, width) >= WELL_USED
}

/// The fewest work-groups that a launch is left with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeastGroups {
    /// Of several sub-groups each: so many keep the whole device busy, even if some of them run for longer than others.
    pub large: u64,
    /// Of a sub-group each.
    pub small: u64,
    /// They may be parts of a sub-group, each size with a pipeline of its own.
    pub parts: bool,
}

impl RangeLimits {
    /// The size of work-groups that each do the work of several of the range's; `None` if those fill their sub-groups and suit
    /// the kernel's coarse copies, must not be joined or would be too few for the device.
    pub fn joined(&self, range: &NdRange) -> Option<[u32; 3]> {
        let least_joined = self.least_joined?;
        let items_of = |size: [u32; 3]| size.iter().map(|&n| n as usize).product::<usize>();
        let used = |items| used_lanes(items, self.multiple);
        let items = items_of(range.local_size);
        let well_used = items >= self.multiple && use_lanes_well(items, self.multiple);
        // Whether the coarse copy of most work-items can run such work-groups.
        let coarse = |size: [u32; 3]| {
            size[0] as usize % self.neighbours == 0
                && items_of(size) / self.neighbours % self.multiple.max(1) == 0
        };
        let is_coarse = coarse(range.local_size);
        let suits = self.neighbours == 1 || is_coarse && items >= TARGET;
        if self.required.is_some() {
            return None;
        }
        let global = range.global_size.map(|n| n as usize);
        let groups_of = |size: [usize; 3]| {
            let joined = NdRange {
                local_size: size.map(|n| n as u32),
                ..*range
            };
            let groups = joined.num_groups().into_iter();
            (joined.local_size, groups.fold(1, u64::saturating_mul))
        };
        // Rows are joined to the size that is chosen for none given. Other shapes keep theirs, in which memory may be near.
        if self.large_groups && range.local_size[1..] == [1, 1] {
            let (size, groups) = groups_of(choose(1, global, self));
            let is_longer = size[0] > range.local_size[0];
            if is_longer && coarse(size) && groups >= least_joined.large {
                return Some(size);
            }
        }
        if well_used && suits {
            return None;
        }
        let small = std::iter::successors(Some(self.multiple), |&size| Some(size / 2));
        let small =
            small.take_while(|&size| size == self.multiple || least_joined.parts && size > 1);
        let sizes = small.map(|size| (size, least_joined.small));
        let mut sizes = std::iter::once((TARGET, least_joined.large)).chain(sizes);
        sizes.find_map(|(most, least)| {
            let limits = RangeLimits {
                group_size: self.group_size.min(most),
                large_groups: false,
                ..*self
            };
            let (size, groups) = groups_of(choose(range.work_dim as usize, global, &limits));
            let more = items_of(size);
            let fills = more >= self.multiple || least_joined.parts;
            let better = match well_used {
                true => (more > items || !is_coarse) && coarse(size),
                false => used(more) > used(items),
            };
            (fills && better && groups >= least).then_some(size)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::range::tests::LIMITS as SEEN;
    use super::super::range::{RangeLimits, RangeRequest};
    use super::LeastGroups;

    const LIMITS: RangeLimits = RangeLimits {
        least_joined: Some(LeastGroups {
            large: 8,
            small: 8,
            parts: false,
        }),
        ..SEEN
    };

    fn size(limits: &RangeLimits, global: [usize; 3], local: [usize; 3]) -> [u32; 3] {
        let request = RangeRequest {
            dimensions: 3,
            offset: None,
            global: Some(global),
            local: Some(local),
        };
        limits.resolve(&request).expect("a range").local_size
    }

    #[test]
    fn groups_that_leave_lanes_idle_are_joined() {
        assert_eq!(size(&LIMITS, [1 << 16, 1, 1], [1, 1, 1]), [256, 1, 1]);
        assert_eq!(size(&LIMITS, [1 << 16, 1, 1], [4, 1, 1]), [256, 1, 1]);
        assert_eq!(size(&LIMITS, [1 << 16, 1, 1], [8, 1, 1]), [8, 1, 1]);
        assert_eq!(size(&LIMITS, [1 << 16, 1, 1], [64, 1, 1]), [64, 1, 1]);
        // Six of 16 lanes are idle, one of 24.
        assert_eq!(size(&LIMITS, [16_000, 1, 1], [10, 1, 1]), [200, 1, 1]);
        assert_eq!(size(&LIMITS, [2300, 1, 1], [23, 1, 1]), [23, 1, 1]);
        assert_eq!(size(&LIMITS, [1024, 1024, 1], [2, 2, 1]), [64, 4, 1]);
    }

    #[test]
    fn groups_that_suit_no_coarse_copy_are_joined() {
        let coarse = RangeLimits {
            neighbours: 8,
            ..LIMITS
        };
        assert_eq!(size(&coarse, [960_000, 1, 1], [100, 1, 1]), [256, 1, 1]);
        assert_eq!(size(&coarse, [960_000, 1, 1], [96, 1, 1]), [256, 1, 1]);
        assert_eq!(size(&coarse, [1000, 1000, 1], [10, 10, 1]), [64, 4, 1]);
        assert_eq!(size(&coarse, [1009 * 99, 1, 1], [99, 1, 1]), [256, 1, 1]);
        // A sub-group of the copy's invocations each.
        assert_eq!(size(&coarse, [960_000, 1, 1], [64, 1, 1]), [256, 1, 1]);
        assert_eq!(size(&coarse, [1 << 20, 1, 1], [512, 1, 1]), [512, 1, 1]);
        assert_eq!(size(&coarse, [1024, 1024, 1], [16, 16, 1]), [16, 16, 1]);
        assert_eq!(size(&LIMITS, [960_000, 1, 1], [100, 1, 1]), [100, 1, 1]);
    }

    #[test]
    fn rows_are_joined_for_coarse_copies() {
        let coarse = RangeLimits {
            neighbours: 8,
            large_groups: true,
            ..LIMITS
        };
        assert_eq!(size(&coarse, [1 << 20, 1, 1], [64, 1, 1]), [1024, 1, 1]);
        assert_eq!(size(&coarse, [1 << 20, 1, 1], [512, 1, 1]), [1024, 1, 1]);
        assert_eq!(size(&coarse, [960_000, 1, 1], [100, 1, 1]), [960, 1, 1]);
        assert_eq!(size(&coarse, [1024, 1024, 1], [64, 1, 1]), [1024, 1, 1]);
        assert_eq!(size(&coarse, [1024, 1024, 1], [16, 16, 1]), [16, 16, 1]);
        // Eight groups keep the device busy.
        assert_eq!(size(&coarse, [1 << 13, 1, 1], [64, 1, 1]), [256, 1, 1]);
    }

    #[test]
    fn the_device_stays_busy() {
        // One sub-group each where larger groups would be too few.
        assert_eq!(size(&LIMITS, [128, 1, 1], [1, 1, 1]), [8, 1, 1]);
        assert_eq!(size(&LIMITS, [50, 1, 1], [1, 1, 1]), [1, 1, 1]);
        assert_eq!(size(&LIMITS, [8, 1, 1], [1, 1, 1]), [1, 1, 1]);
        let most = 1 << 62;
        assert_eq!(size(&LIMITS, [most, most, 1], [1, 1, 1]), [64, 4, 1]);
    }

    #[test]
    fn groups_may_be_parts_of_sub_groups() {
        let parts = RangeLimits {
            least_joined: Some(LeastGroups {
                large: 8,
                small: 2,
                parts: true,
            }),
            ..LIMITS
        };
        for (items, group) in [
            (1 << 16, 256),
            (128, 8),
            (16, 8),
            (8, 4),
            (4, 2),
            (3, 2),
            (2, 1),
        ] {
            assert_eq!(
                size(&parts, [items, 1, 1], [1, 1, 1]),
                [group, 1, 1],
                "{items}"
            );
        }
    }

    #[test]
    fn what_may_tell_is_left_alone() {
        assert_eq!(size(&SEEN, [1 << 16, 1, 1], [1, 1, 1]), [1, 1, 1]);
        let required = RangeLimits {
            required: Some([1; 3]),
            ..LIMITS
        };
        assert_eq!(size(&required, [1 << 16, 1, 1], [1, 1, 1]), [1, 1, 1]);
        assert_eq!(size(&LIMITS, [0, 1, 1], [1, 1, 1]), [1, 1, 1]);
    }

    #[test]
    fn sizes_that_must_divide_do() {
        let uniform = RangeLimits {
            non_uniform: false,
            uneven_choice: false,
            ..LIMITS
        };
        assert_eq!(size(&uniform, [10_000, 1, 1], [1, 1, 1]), [200, 1, 1]);
        assert_eq!(size(&uniform, [1009, 1, 1], [1, 1, 1]), [1, 1, 1]);
    }
}
