//! Kernels that cannot tell how their work-items are grouped: the driver chooses sizes for them that leave a smaller
//! work-group at the end of a range, where launches are promised work-groups of one size, and Vulkan's driver the size of
//! their sub-groups.

use pumice_compiler::{CompileOptions, LowerOptions, lower};
use pumice_reflection::{Instruction, KernelRef, Need};
use pumice_test_support::build::linked;
use pumice_test_support::run_target;

/// The names of the kernels that have a need.
fn kernels_with(need: fn(&Need) -> Option<KernelRef>, text: &str, options: &str) -> Vec<String> {
    let target = run_target();
    let module = linked(text, options, &target).expect("links");
    let compiled = CompileOptions::parse(options).expect("options");
    let lowering = LowerOptions {
        math: compiled.math_of_source(),
        ..LowerOptions::default()
    };
    let vulkan = lower(&module, &target, &lowering);
    let words = vulkan.output.expect(&vulkan.log).words;
    let reflection = pumice_reflection::read(&words).expect("a reflection");
    let kernels: Vec<&str> = (reflection.instructions.iter())
        .filter_map(|instruction| match instruction {
            Instruction::Kernel(kernel) => Some(kernel.name.as_str()),
            _ => None,
        })
        .collect();
    let found = reflection.needs.iter().filter_map(need);
    found
        .map(|kernel| kernels[kernel.0 as usize].to_string())
        .collect()
}

/// The names of the kernels that cannot tell how their work-items are grouped.
fn unseen(text: &str, options: &str) -> Vec<String> {
    let need = |need: &Need| match need {
        Need::UnseenGroups { kernel } => Some(*kernel),
        _ => None,
    };
    kernels_with(need, text, options)
}

/// The names of the kernels that can tell how large their sub-groups are.
fn see_sub_groups(text: &str) -> Vec<String> {
    let need = |need: &Need| match need {
        Need::SeenSubgroups { kernel } => Some(*kernel),
        _ => None,
    };
    kernels_with(need, text, "-cl-std=CL3.0")
}

const KERNELS: &str = "\
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
int number(void) { return get_local_id(0); }
kernel void plain(global int *o) { o[get_global_id(0)] = get_global_size(1) + get_work_dim() + get_global_offset(0); }
kernel void prints(global int *o) { printf(\"%d\", o[get_global_id(0)]); }
kernel void ignores(global int *o) { number(); o[get_global_id(0)] = 1; }
kernel void counts(global int *o) { atomic_inc(o); }
kernel void local_id(global int *o) { o[get_global_id(0)] = number(); }
kernel void group_id(global int *o) { o[get_global_id(0)] = get_group_id(1); }
kernel void size(global int *o) { o[get_global_id(0)] = get_local_size(0); }
kernel void groups(global int *o) { o[get_global_id(0)] = get_num_groups(0); }
kernel void meets(global int *o) { o[get_global_id(0)] = 1; barrier(CLK_GLOBAL_MEM_FENCE); o[0] = 2; }
kernel void shares(global int *o) { local int n; o[get_global_id(0)] = atomic_inc(&n); }
kernel void given(global int *o, local int *n) { o[get_global_id(0)] = atomic_inc(n); }
kernel void sub_groups(global int *o) { o[get_global_id(0)] = sub_group_reduce_add(o[get_global_id(0)]); }
";

#[test]
fn ids_sizes_and_what_groups_share_are_seen() {
    let expected = ["plain", "prints", "ignores", "counts"];
    assert_eq!(unseen(KERNELS, ""), expected);
    let uniform = "-cl-std=CL3.0 -cl-uniform-work-group-size";
    assert_eq!(unseen(KERNELS, uniform), expected);
    let none = Vec::<String>::new();
    assert_eq!(unseen(KERNELS, "-cl-std=CL3.0"), none);
    assert_eq!(unseen(KERNELS, "-cl-arm-non-uniform-work-group-size"), none);
}

#[test]
fn sub_groups_are_seen_by_their_ids_sizes_functions_and_barriers() {
    assert_eq!(see_sub_groups(KERNELS), ["sub_groups"]);
    let text = "\
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
uint lane(void) { return get_sub_group_local_id(); }
kernel void called(global uint *o) { o[get_global_id(0)] = lane(); }
kernel void size(global uint *o) { o[get_global_id(0)] = get_max_sub_group_size(); }
kernel void meets(global uint *o) { o[1] = 1; sub_group_barrier(CLK_GLOBAL_MEM_FENCE); o[0] = 2; }
kernel void unused(global uint *o) { lane(); o[get_global_id(0)] = get_local_id(0); }
";
    assert_eq!(see_sub_groups(text), ["called", "size", "meets"]);
}
