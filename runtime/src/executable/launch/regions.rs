//! Cuts a range into regions that one dispatch can run.
//!
//! A region is a box of work-groups of one size. A range needs more than one where its size is
//! no multiple of the local size (the rest in each dimension is a region of smaller groups), and
//! where it has more groups than the device dispatches at once. The rest of rows may be two
//! regions, for a copy that takes several work-items at once.

use super::range::NdRange;

/// A box of equal work-groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// The first work-group's id in each dimension.
    pub first_group: [u64; 3],
    /// Its first work-item's id without the range's offset.
    pub first_item: [u64; 3],
    /// The number of work-groups.
    pub groups: [u32; 3],
    /// Their size.
    pub local_size: [u32; 3],
}

/// Fewer work-items at the end of rows are not worth another dispatch.
const MANY_LAST_ITEMS: u64 = 1 << 12;
/// Ends that are a smaller part of their rows are not worth another pipeline.
const LEAST_END: u64 = 64;

impl Region {
    fn work_items(&self) -> u64 {
        let sides = self.groups.iter().zip(self.local_size);
        sides.fold(1, |all, (&groups, size)| {
            all.saturating_mul(u64::from(groups) * u64::from(size))
        })
    }

    /// The part of each row that takes `items` work-items at once, and what is left of it, where the region is the end of rows
    /// and has both.
    fn divided(self, range: &NdRange, items: u32) -> Option<[Self; 2]> {
        let [size, ..] = self.local_size;
        let left = size % items;
        let is_end = size < range.local_size[0];
        let has_both = left > 0 && size > left;
        let is_large = self.work_items() >= MANY_LAST_ITEMS
            && u64::from(size) * LEAST_END >= range.global_size[0];
        if !is_end || !has_both || !is_large {
            return None;
        }
        let part = |skipped: u32, size: u32| {
            let mut part = self;
            part.first_item[0] += u64::from(skipped);
            part.local_size[0] = size;
            part
        };
        Some([part(0, size - left), part(size - left, left)])
    }
}

/// Divides the ends of rows into what takes `items` work-items at once and what is left.
pub(super) fn divide_ends(regions: Vec<Region>, range: &NdRange, items: u32) -> Vec<Region> {
    let parts = regions
        .into_iter()
        .flat_map(|region| match region.divided(range, items) {
            Some(parts) => parts.to_vec(),
            None => vec![region],
        });
    parts.collect()
}

/// More regions than this are not recorded: such a range would run for days.
pub const MAX_REGIONS: u64 = 1 << 16;

/// The sides of a box of at most `most` work-groups of a range, no longer than `longest`: the range's rows come first.
pub(super) fn sides(most: u64, range: &NdRange, longest: [u32; 3]) -> [u32; 3] {
    let mut left = most.max(1);
    let groups = range.num_groups();
    [0, 1, 2].map(|d| {
        let here = left.min(groups[d]).min(u64::from(longest[d])).max(1);
        left /= here;
        here as u32
    })
}

/// Cuts one dimension into (first group, groups, local size).
fn cut(global: u64, local: u32, max_groups: u32) -> impl Iterator<Item = (u64, u32, u32)> + Clone {
    let wide = u64::from(local);
    let (full, rest) = (global / wide, (global % wide) as u32);
    let step = u64::from(max_groups.max(1));
    let pieces = (0..full.div_ceil(step)).map(move |piece| {
        let first = piece * step;
        (first, (full - first).min(step) as u32, local)
    });
    let last = (rest > 0).then_some((full, 1, rest));
    pieces.chain(last)
}

fn pieces(global: u64, local: u32, max_groups: u32) -> u64 {
    let wide = u64::from(local);
    (global / wide).div_ceil(u64::from(max_groups.max(1))) + u64::from(global % wide != 0)
}

/// The regions of a range, for a device that dispatches at most `max_groups` work-groups in each
/// dimension; `None` beyond [`MAX_REGIONS`].
pub fn regions(range: &NdRange, max_groups: [u32; 3]) -> Option<Vec<Region>> {
    if range.global_size.contains(&0) || range.local_size.contains(&0) {
        return Some(Vec::new());
    }
    let count = (0..3)
        .map(|d| pieces(range.global_size[d], range.local_size[d], max_groups[d]))
        .fold(1, u64::saturating_mul);
    if count > MAX_REGIONS {
        return None;
    }
    let dimension = |d: usize| cut(range.global_size[d], range.local_size[d], max_groups[d]);
    let mut all = Vec::with_capacity(count as usize);
    for (z, groups_z, local_z) in dimension(2) {
        for (y, groups_y, local_y) in dimension(1) {
            for (x, groups_x, local_x) in dimension(0) {
                let first_group = [x, y, z];
                all.push(Region {
                    first_group,
                    first_item: [0, 1, 2].map(|d| first_group[d] * u64::from(range.local_size[d])),
                    groups: [groups_x, groups_y, groups_z],
                    local_size: [local_x, local_y, local_z],
                });
            }
        }
    }
    Some(all)
}

#[cfg(test)]
pub(super) mod tests {
    use super::{MAX_REGIONS, NdRange, Region, divide_ends, regions, sides};

    /// A range of three dimensions without an offset.
    pub fn range(global_size: [u64; 3], local_size: [u32; 3]) -> NdRange {
        NdRange {
            work_dim: 3,
            global_offset: [0; 3],
            global_size,
            local_size,
        }
    }

    /// Every work-item of the range is in exactly one region, at the right place.
    fn assert_partition(range: &NdRange, max_groups: [u32; 3]) -> Vec<Region> {
        let all = regions(range, max_groups).unwrap();
        let [x, y, z] = range.global_size.map(|size| size as usize);
        let mut seen = vec![0_u8; x * y * z];
        for region in &all {
            for (d, &most) in max_groups.iter().enumerate() {
                assert!(region.groups[d] > 0 && region.groups[d] <= most);
                let full = region.local_size[d] == range.local_size[d];
                let last = region.first_group[d] + 1 == range.num_groups()[d];
                assert!(full || (region.groups[d] == 1 && last), "{region:?}");
            }
            let ids = |d: usize| {
                let first = region.first_group[d] * u64::from(range.local_size[d]);
                let count = u64::from(region.groups[d]) * u64::from(region.local_size[d]);
                first as usize..(first + count) as usize
            };
            for k in ids(2) {
                for j in ids(1) {
                    for i in ids(0) {
                        seen[(k * y + j) * x + i] += 1;
                    }
                }
            }
        }
        assert!(
            seen.iter().all(|&count| count == 1),
            "{range:?} {max_groups:?}"
        );
        all
    }

    #[test]
    fn every_item_is_in_one_region() {
        let none = [u32::MAX; 3];
        assert_eq!(
            assert_partition(&range([64, 1, 1], [16, 1, 1]), none).len(),
            1
        );
        assert_eq!(
            assert_partition(&range([65, 1, 1], [16, 1, 1]), none).len(),
            2
        );
        assert_eq!(
            assert_partition(&range([7, 5, 3], [4, 4, 2]), none).len(),
            8
        );
        assert_eq!(
            assert_partition(&range([3, 3, 3], [8, 8, 8]), none).len(),
            1
        );
        assert_eq!(
            assert_partition(&range([100, 1, 1], [1, 1, 1]), [9, 9, 9]).len(),
            12
        );
        assert_eq!(
            assert_partition(&range([50, 9, 4], [4, 2, 4]), [5, 2, 1]).len(),
            12
        );
        assert_eq!(
            assert_partition(&range([8, 8, 8], [8, 8, 8]), [1, 1, 1]).len(),
            1
        );
    }

    #[test]
    fn ends_of_rows_are_divided() {
        let range = range([2046, 1022, 1], [64, 14, 1]);
        let all = regions(&range, [u32::MAX; 3]).unwrap();
        let divided = divide_ends(all.clone(), &range, 4);
        assert_eq!(divided[0], all[0]);
        let ends: Vec<_> = divided[1..]
            .iter()
            .map(|region| (region.first_item, region.local_size, region.groups))
            .collect();
        assert_eq!(
            ends,
            [
                ([1984, 0, 0], [60, 14, 1], [1, 73, 1]),
                ([2044, 0, 0], [2, 14, 1], [1, 73, 1])
            ]
        );
        // Whole invocations, fewer work-items than one has, few rows and long ones stay as they are.
        assert_eq!(divide_ends(all.clone(), &range, 2), all);
        assert_eq!(divide_ends(all.clone(), &range, 64), all);
        for global in [[2046, 28, 1], [6462, 1022, 1]] {
            let range = super::tests::range(global, [64, 14, 1]);
            let all = regions(&range, [u32::MAX; 3]).unwrap();
            assert_eq!(divide_ends(all.clone(), &range, 4), all);
        }
    }

    #[test]
    fn every_small_range() {
        for global in 1..=12 {
            for local in 1..=13 {
                for most in [1, 2, 3, 12] {
                    assert_partition(&range([global, 3, 2], [local, 2, 1]), [most, 1, 2]);
                }
            }
        }
    }

    #[test]
    fn boxes_of_few_groups() {
        let range = range([70, 9, 4], [4, 2, 1]);
        assert_eq!(range.num_groups(), [18, 5, 4]);
        let cases = [
            (0, [1, 1, 1]),
            (7, [7, 1, 1]),
            (18, [18, 1, 1]),
            (40, [18, 2, 1]),
            (200, [18, 5, 2]),
            (u64::MAX, [18, 5, 4]),
        ];
        for (most, expected) in cases {
            assert_eq!(sides(most, &range, [u32::MAX; 3]), expected, "{most}");
            assert_partition(&range, expected);
        }
        assert_eq!(sides(40, &range, [9, 3, 3]), [9, 3, 1]);
    }

    #[test]
    fn extremes() {
        assert_eq!(regions(&range([0, 5, 5], [1, 1, 1]), [9; 3]), Some(vec![]));
        assert_eq!(
            regions(&range([u64::MAX, 1, 1], [1, 1, 1]), [65535; 3]),
            None
        );
        let most = range([MAX_REGIONS, 1, 1], [1, 1, 1]);
        assert_eq!(
            regions(&most, [1; 3]).map(|all| all.len() as u64),
            Some(MAX_REGIONS)
        );
        let large = regions(&range([1 << 40, 1, 1], [1024, 1, 1]), [u32::MAX; 3]).unwrap();
        assert_eq!(large[0].groups, [1 << 30, 1, 1]);
        assert_eq!(range([65, 7, 1], [64, 7, 1]).num_groups(), [2, 1, 1]);
    }
}
