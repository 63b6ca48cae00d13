//! Ids and sizes that work-items see, for whole ranges and for regions.

use pumice_filetests::skip::skip;
use pumice_reflection::{Instruction, PushRange, SpecId, SpecIds3};
use pumice_runtime::executable::{LaunchError, NdRange};
use pumice_vulkan_layer::asm::class;

use crate::kit::{Draft, range, whole, with_kit};

/// Words that a work-item writes: six triples of push constants or ids made of them, the
/// specialized offset, dimensions, sub-group size, and the local size.
const WORDS: usize = 26;

/// Offsets in bytes of the six triples, and whether their values have 64 bits: global offset, enqueued local
/// size, global size, region offset, number of groups, region group offset.
type PushOffsets = [(u32, bool); 6];
/// All of 32 bits, in number order.
const NARROW: PushOffsets = [
    (0, false),
    (12, false),
    (24, false),
    (36, false),
    (48, false),
    (60, false),
];
/// Offsets and sizes of 64 bits, as the compiler lays them out.
const WIDE: PushOffsets = [
    (24, true),
    (72, false),
    (48, true),
    (0, true),
    (84, false),
    (96, false),
];

/// 12 to 20 and 25: every work-item writes what it learns at its place in the range. The wide form
/// has no SpecConstantGlobalOffset, which takes 32 bits.
fn ids_module(offsets: PushOffsets) -> Vec<u32> {
    let wide = offsets == WIDE;
    let mut d = if wide {
        Draft::with_addresses()
    } else {
        Draft::new()
    };
    let uint = d.uint;
    let ulong = if wide { d.m.uint(64) } else { uint };
    let out = d.m.word_buffer(0, 0);
    let members: Vec<_> = (offsets.iter())
        .flat_map(|&(offset, wide)| {
            let (ty, step) = if wide { (ulong, 8) } else { (uint, 4) };
            [0, 1, 2].map(|i| (ty, offset + i * step))
        })
        .collect();
    let push = d.m.block(class::PUSH_CONSTANT, &members);
    let (group, local) = (d.m.builtin3(26), d.m.builtin3(27));
    let spec_offset = [10, 11, 12].map(|id| d.m.spec_u32(id, 0));
    let (dim, subgroup) = (d.m.spec_u32(13, 0), d.m.spec_u32(14, 0));
    let size = [0, 1, 2].map(|id| d.m.spec_u32(id, 1));
    let kernel = d.kernel("ids", 1, 0);
    let triple = |d: &mut Draft, index: usize| {
        [0, 1, 2].map(|i| {
            let at = (index * 3 + i) as u32;
            if offsets[index].1 {
                let value = d.member(class::PUSH_CONSTANT, ulong, push, at);
                d.m.op(113, uint, &[value])
            } else {
                d.member(class::PUSH_CONSTANT, uint, push, at)
            }
        })
    };
    let global_offset = triple(&mut d, 0);
    let enqueued = triple(&mut d, 1);
    let global_size = triple(&mut d, 2);
    let region = triple(&mut d, 3);
    let num_groups = triple(&mut d, 4);
    let region_group = triple(&mut d, 5);
    let mut global = [0; 3];
    let mut groups = [0; 3];
    for i in 0..3_u32 {
        let (group, local) = (d.component(group, i), d.component(local, i));
        let at = i as usize;
        let scaled = d.mul(group, size[at]);
        let inside = d.add(scaled, local);
        global[at] = d.add(inside, region[at]);
        groups[at] = d.add(group, region_group[at]);
    }
    let relative = [0, 1, 2].map(|i: usize| d.m.op(130, uint, &[global[i], global_offset[i]]));
    let row = d.mul(relative[2], global_size[1]);
    let row = d.add(row, relative[1]);
    let row = d.mul(row, global_size[0]);
    let item = d.add(row, relative[0]);
    let stride = d.m.u32(WORDS as u32);
    let base = d.mul(item, stride);
    let values = [
        &global[..],
        &groups,
        &enqueued,
        &global_size,
        &num_groups,
        &global_offset,
        &spec_offset,
        &[dim, subgroup],
        &size,
    ]
    .concat();
    assert_eq!(values.len(), WORDS);
    for (index, value) in (0..).zip(values) {
        let index = d.m.u32(index);
        let at = d.add(base, index);
        d.set_word(out, at, value);
    }
    d.m.end();
    d.storage_argument(kernel, 0, 0, 0);
    if !wide {
        let (x, y, z) = (10, 11, 12);
        d.push(Instruction::SpecConstantGlobalOffset(SpecIds3 { x, y, z }));
    }
    d.push(Instruction::SpecConstantWorkDim(SpecId { id: 13 }));
    d.push(Instruction::SpecConstantSubgroupMaxSize(SpecId { id: 14 }));
    let [a, b, c, e, f, g] = offsets.map(|(offset, wide)| PushRange {
        offset,
        size: if wide { 24 } else { 12 },
    });
    d.push(Instruction::PushConstantGlobalOffset(a));
    d.push(Instruction::PushConstantEnqueuedLocalSize(b));
    d.push(Instruction::PushConstantGlobalSize(c));
    d.push(Instruction::PushConstantRegionOffset(e));
    d.push(Instruction::PushConstantNumWorkgroups(f));
    d.push(Instruction::PushConstantRegionGroupOffset(g));
    d.finish()
}

/// Words that the work-item at `id` (without the offset) must have written.
fn expected(range: &NdRange, id: [u32; 3], subgroup: u32, wide: bool) -> Vec<u32> {
    let local = range.local_size;
    let global_size = range.global_size.map(|size| size as u32);
    let offset = range.global_offset.map(|offset| offset as u32);
    let each = |f: &dyn Fn(usize) -> u32| [f(0), f(1), f(2)];
    let group = each(&|d| id[d] / local[d]);
    let num_groups = each(&|d| global_size[d].div_ceil(local[d]));
    let own_size = each(&|d| (global_size[d] - group[d] * local[d]).min(local[d]));
    [
        &each(&|d| id[d] + offset[d])[..],
        &group,
        &local,
        &global_size,
        &num_groups,
        &offset,
        &offset.map(|offset| if wide { 0 } else { offset }),
        &[range.work_dim, subgroup],
        &own_size,
    ]
    .concat()
}

#[test]
fn every_work_item_learns_its_place() {
    let modules = [NARROW, WIDE].map(|offsets| (ids_module(offsets), offsets == WIDE));
    with_kit(|kit| {
        for (words, wide) in &modules {
            let executable = &kit.executable(words);
            assert!(executable.limits(0, kit.caps()).non_uniform);
            for (work_dim, global_offset, global_size, local_size) in [
                (1, [0, 0, 0], [16, 1, 1], [4, 1, 1]),
                (1, [1000, 0, 0], [19, 1, 1], [4, 1, 1]),
                (2, [3, 5, 0], [10, 7, 1], [4, 4, 1]),
                (3, [1, 2, 3], [5, 6, 7], [2, 4, 3]),
                (3, [0, 0, 9], [2, 2, 2], [8, 8, 8]),
                (3, [0, 0, 0], [1, 1, 1], [1, 1, 1]),
            ] {
                let range = NdRange {
                    work_dim,
                    global_offset,
                    global_size,
                    local_size,
                };
                let [x, y, z] = global_size.map(|size| size as u32);
                let count = (x * y * z) as usize;
                let out = kit.buffer(&vec![u32::MAX; count * WORDS]);
                kit.launch(executable, "ids", &range, &[whole(&out)])
                    .unwrap();
                let words = kit.words(&out);
                for (item, written) in (0..).zip(words.chunks_exact(WORDS)) {
                    let id = [item % x, item / x % y, item / x / y];
                    let subgroup = kit.caps().subgroup.max_size;
                    assert_eq!(
                        written,
                        expected(&range, id, subgroup, *wide),
                        "{range:?} {id:?}"
                    );
                }
            }
            // An empty range runs nothing.
            let out = kit.buffer(&[5; WORDS]);
            kit.launch(executable, "ids", &range(0, 4), &[whole(&out)])
                .unwrap();
            assert_eq!(kit.words(&out), [5; WORDS]);
        }
        // Offsets beyond 32 bits are for the wide module.
        let [narrow, wide] = [&modules[0].0, &modules[1].0].map(|words| kit.executable(words));
        let out = kit.buffer(&[5; WORDS]);
        let mut far = range(1, 1);
        far.global_offset[0] = 3 << 40 | 9;
        let result = kit.launch(&narrow, "ids", &far, &[whole(&out)]);
        assert!(
            matches!(result, Err(LaunchError::GlobalOffset(_))),
            "{result:?}"
        );
        kit.launch(&wide, "ids", &far, &[whole(&out)]).unwrap();
        assert_eq!(kit.words(&out)[0], 9);
        far.global_offset[0] = u64::MAX;
        let result = kit.launch(&wide, "ids", &far, &[whole(&out)]);
        assert!(
            matches!(result, Err(LaunchError::GlobalOffset(_))),
            "{result:?}"
        );
    });
}

/// `mark`: out[id] += 1, the id taken as `form` says.
#[derive(Clone, Copy, PartialEq)]
enum Ids {
    /// GlobalInvocationId alone.
    Global,
    /// GlobalInvocationId plus the region's offset.
    GlobalAndRegion,
    /// WorkgroupId alone.
    Group,
    /// WorkgroupId and LocalInvocationId, nothing of the region.
    GroupAndLocal,
    /// NumWorkgroups from Vulkan.
    Count,
    /// LocalInvocationId alone.
    Local,
}

fn mark_module(ids: Ids) -> Vec<u32> {
    let mut d = Draft::new();
    let uint = d.uint;
    let out = d.m.word_buffer(0, 0);
    let push =
        d.m.block(class::PUSH_CONSTANT, &[(uint, 0), (uint, 4), (uint, 8)]);
    let first = match ids {
        Ids::Global | Ids::GlobalAndRegion => d.m.builtin3(28),
        Ids::Group | Ids::GroupAndLocal => d.m.builtin3(26),
        Ids::Count => d.m.builtin3(24),
        Ids::Local => d.m.builtin3(27),
    };
    let second = (ids == Ids::GroupAndLocal).then(|| d.m.builtin3(27));
    let kernel = d.kernel("mark", 1, 0);
    let mut id = d.component(first, 0);
    if let Some(second) = second {
        let local = d.component(second, 0);
        id = d.add(id, local);
    }
    if ids == Ids::GlobalAndRegion {
        let region = d.member(class::PUSH_CONSTANT, uint, push, 0);
        id = d.add(id, region);
    }
    let (zero, one) = (d.zero, d.m.u32(1));
    let pointer = d.m.access(class::STORAGE_BUFFER, uint, out, &[zero, id]);
    d.m.op(234, uint, &[pointer, one, zero, one]);
    d.m.end();
    d.storage_argument(kernel, 0, 0, 0);
    if ids == Ids::GlobalAndRegion {
        d.push(Instruction::PushConstantRegionOffset(PushRange {
            offset: 0,
            size: 12,
        }));
    }
    d.finish()
}

/// More work-groups than one dispatch takes.
#[test]
fn large_ranges_are_split() {
    let words = mark_module(Ids::GlobalAndRegion);
    with_kit(|kit| {
        let most = kit.caps().limits.max_group_count[0];
        if most > 1 << 22 {
            skip(&format!("the device dispatches {most} groups at once"));
            return;
        }
        let executable = kit.executable(&words);
        for (global, local) in [(most + 1, 1), (most * 2 + 3, 2), (most * 3, 1)] {
            let mut range = range(u64::from(global), local);
            range.global_offset[0] = 7;
            let out = kit.buffer(&vec![0; global as usize + 14]);
            kit.launch(&executable, "mark", &range, &[whole(&out)])
                .unwrap();
            let counts = kit.words(&out);
            let inside = 7..7 + global as usize;
            let right = |(at, &count): (usize, &u32)| count == u32::from(inside.contains(&at));
            assert!(
                counts.iter().enumerate().all(right),
                "{global} in groups of {local}"
            );
        }
        let endless = kit.launch(
            &executable,
            "mark",
            &range(u64::MAX, 1),
            &[whole(&kit.buffer(&[0]))],
        );
        assert!(
            matches!(endless, Err(LaunchError::Resources(_))),
            "{endless:?}"
        );
    });
}

/// Modules without regions' offsets run whole ranges; others only where results stay right.
#[test]
fn modules_without_offsets() {
    let modules: Vec<_> = [
        Ids::Global,
        Ids::Group,
        Ids::GroupAndLocal,
        Ids::Count,
        Ids::Local,
    ]
    .map(|ids| (ids, mark_module(ids)))
    .to_vec();
    with_kit(|kit| {
        for (ids, words) in &modules {
            let executable = kit.executable(words);
            let splits = matches!(ids, Ids::Group | Ids::Local);
            assert_eq!(executable.limits(0, kit.caps()).non_uniform, splits);
            // One region: uniform, or smaller than a group where groups may differ.
            let ranges = [(8, 4), (3, 4)];
            for (global, local) in ranges.into_iter().take(1 + usize::from(splits)) {
                let out = kit.buffer(&[0; 16]);
                kit.launch(&executable, "mark", &range(global, local), &[whole(&out)])
                    .unwrap();
                assert_eq!(kit.words(&out).iter().sum::<u32>(), global as u32);
            }
            let out = kit.buffer(&[0; 16]);
            let result = kit.launch(&executable, "mark", &range(10, 4), &[whole(&out)]);
            match ids {
                // Groups 0, 1 and 2 with 4, 4 and 2 work-items.
                Ids::Group => assert_eq!(kit.words(&out)[..4], [4, 4, 2, 0]),
                Ids::Local => assert_eq!(kit.words(&out)[..5], [3, 3, 2, 2, 0]),
                _ => assert!(matches!(result, Err(LaunchError::WorkGroupSize(_)))),
            }
            let most = u64::from(kit.caps().limits.max_group_count[0]);
            if *ids == Ids::Global && most < 1 << 22 {
                let result = kit.launch(&executable, "mark", &range(most + 1, 1), &[whole(&out)]);
                assert!(
                    matches!(result, Err(LaunchError::GlobalSize(_))),
                    "{result:?}"
                );
                let mut offset = range(4, 4);
                offset.global_offset[0] = 1;
                let result = kit.launch(&executable, "mark", &offset, &[whole(&out)]);
                assert!(
                    matches!(result, Err(LaunchError::GlobalOffset(_))),
                    "{result:?}"
                );
            }
        }
    });
}

/// A module whose execution mode fixes the work-group size.
#[test]
fn fixed_work_group_sizes() {
    let mut d = Draft::with_fixed_size();
    let out = d.m.word_buffer(0, 0);
    let id = d.m.builtin3(28);
    let function = d.m.begin("fixed");
    d.m.mode(function, 17, &[4, 2, 1]);
    let (x, one) = (d.component(id, 0), d.m.u32(1));
    d.set_word(out, x, one);
    d.m.end();
    let kernel = d.declare(function, "fixed", 1, 0);
    d.storage_argument(kernel, 0, 0, 0);
    let words = d.finish();
    with_kit(|kit| {
        let executable = kit.executable(&words);
        assert!(!executable.limits(0, kit.caps()).non_uniform);
        let out = kit.buffer(&[0; 10]);
        let mut range = NdRange {
            work_dim: 2,
            global_offset: [0; 3],
            global_size: [8, 2, 1],
            local_size: [4, 2, 1],
        };
        kit.launch(&executable, "fixed", &range, &[whole(&out)])
            .unwrap();
        assert_eq!(kit.words(&out), [1, 1, 1, 1, 1, 1, 1, 1, 0, 0]);
        for (global, local) in [
            ([8, 2, 1], [2, 2, 1]),
            ([9, 2, 1], [4, 2, 1]),
            ([3, 2, 1], [4, 2, 1]),
        ] {
            range.global_size = global;
            range.local_size = local;
            let result = kit.launch(&executable, "fixed", &range, &[whole(&out)]);
            assert!(
                matches!(result, Err(LaunchError::WorkGroupSize(_))),
                "{result:?}"
            );
        }
    });
}

#[test]
fn sizes_beyond_the_device() {
    let words = mark_module(Ids::Local);
    with_kit(|kit| {
        let executable = kit.executable(&words);
        let out = kit.buffer(&[0; 16]);
        let limits = &kit.caps().limits;
        let mut wide = range(1, 1);
        wide.local_size = limits.max_group_size;
        let result = kit.launch(&executable, "mark", &wide, &[whole(&out)]);
        assert!(
            matches!(result, Err(LaunchError::WorkGroupSize(_))),
            "{result:?}"
        );
        // The error of all work-items together comes first.
        let long = limits.max_group_size[2] + 1;
        wide.local_size = [1, 1, long];
        let result = kit.launch(&executable, "mark", &wide, &[whole(&out)]);
        let suits = match long > limits.max_group_invocations {
            true => matches!(result, Err(LaunchError::WorkGroupSize(_))),
            false => matches!(result, Err(LaunchError::WorkItemSize(_))),
        };
        assert!(suits, "{result:?}");
        wide.local_size = [0, 1, 1];
        let result = kit.launch(&executable, "mark", &wide, &[whole(&out)]);
        assert!(
            matches!(result, Err(LaunchError::WorkGroupSize(_))),
            "{result:?}"
        );
    });
}
