//! Kernels that cannot tell how their work-items are grouped: the driver chooses sizes for them that leave a smaller
//! work-group at the end of a range, where launches are promised work-groups of one size, and Vulkan's driver the size of
//! their sub-groups. If their work-items do not wait for one another either, the driver joins small work-groups.

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
    assert_eq!(unseen(KERNELS, "-cl-std=CL3.0"), expected);
}

/// The names of the kernels whose work-items wait for no other.
fn never_wait(text: &str) -> Vec<String> {
    let need = |need: &Need| match need {
        Need::NoWaits { kernel } => Some(*kernel),
        _ => None,
    };
    kernels_with(need, text, "-cl-std=CL3.0")
}

#[test]
fn loops_that_another_work_item_may_end_are_waits() {
    let text = "\
typedef global volatile atomic_int flag_t;
bool is_set(global volatile int *flag) { return *flag != 0; }
kernel void plain(global int *o, int n) { for (int i = 0; i < n; i++) o[i] += i; while (o[0] > n) o[0] /= 2; }
kernel void counts(global int *o, int n) { for (int i = 0; i < n; i++) if (o[i]) atomic_inc(o); }
kernel void counts_down(global int *o, uint n) { while (n--) atomic_inc(o + n); }
kernel void widens(global int *o, long n) { for (int i = 0; i < n; i++) atomic_inc(o + i); }
kernel void strides(global int *o, uint n) { for (size_t i = get_global_id(0); i < n; i += 64) atomic_add(o, o[i]); }
kernel void steps(global int *o, int n) { for (int i = 0; i != n; i++) atomic_inc(o); }
kernel void asks(global int *o, global const int *n) { for (int i = 0; i < *n; i++) atomic_inc(o); }
kernel void once(global int *o) { if (atomic_cmpxchg(o, 0, 1) == 0) o[1] = 2; }
kernel void reads(global volatile int *o) { o[1] = o[0]; }
kernel void locks(global int *o) { while (atomic_cmpxchg(o, 0, 1)) ; o[1]++; atomic_xchg(o, 0); }
kernel void flag(global volatile int *o) { while (o[0] == 0) ; o[1] = 1; }
kernel void called(global volatile int *o) { while (!is_set(o)) ; o[1] = 1; }
kernel void fenced(global int *o) { while (o[0] == 0) mem_fence(CLK_GLOBAL_MEM_FENCE); o[1] = 1; }
kernel void loaded(flag_t *o) { while (!atomic_load_explicit(o, memory_order_acquire, memory_scope_device)) ; }
kernel void inner(global int *o) { while (true) { for (int i = 0; i < 4; i++) if (atomic_or(o, 0)) return; } }
kernel void jumps_over(global int *o, int n) { for (int i = 0; i != n; i += 2) atomic_inc(o); }
kernel void gives_up(global int *o) { for (int i = 0; i < 999 && atomic_or(o, 0) == 0; i++) ; o[1] = 1; }
kernel void leaves(global int *o) { for (int i = 0; i < 999; i++) { if (atomic_or(o, 0)) return; } o[1] = 1; }
kernel void tests_late(global int *o) { for (int i = 0;; i++) if (atomic_or(o, 0)) { if (i > 9) break; } }
kernel void turns(global int *o) { for (int i = 0; i < 9; i++) while (atomic_or(o, 0) != i) ; }
";
    let expected = [
        "plain",
        "counts",
        "counts_down",
        "widens",
        "strides",
        "steps",
        "asks",
        "once",
        "reads",
    ];
    assert_eq!(never_wait(text), expected);
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
