//! The device that the kernel files are compiled for.

use pumice_compiler::Target;
use pumice_target::SmallStorage;

/// The reference device with every extension and feature that the files use and that any
/// lavapipe has.
pub fn run_target() -> Target {
    let mut target = Target::reference();
    let extensions = [
        "cl_khr_int64_base_atomics",
        "cl_khr_int64_extended_atomics",
        "cl_khr_subgroups",
        "cl_khr_subgroup_ballot",
        "cl_khr_subgroup_non_uniform_vote",
        "cl_khr_subgroup_non_uniform_arithmetic",
        "cl_khr_subgroup_shuffle",
        "cl_khr_subgroup_shuffle_relative",
        "cl_khr_subgroup_rotate",
        "cl_khr_subgroup_clustered_reduce",
        "cl_khr_subgroup_extended_types",
        "cl_khr_work_group_uniform_arithmetic",
        "cl_pumice_amd_shader_ballot",
        "cl_khr_kernel_clock",
    ];
    let features = [
        "__opencl_c_subgroups",
        "__opencl_c_work_group_collective_functions",
    ];
    // So that these passes have something to do.
    target.quirks = "VectorsByWords DivideInDoubles".parse().expect("names");
    target.extensions.extend(extensions.map(String::from));
    target.features.extend(features.map(String::from));
    target
}

/// The device of [`run_target`] without what low devices lack: each alone, then all together. Each
/// with a name.
pub fn low_targets() -> Vec<(&'static str, Target)> {
    let lacking = |change: &dyn Fn(&mut Target)| {
        let mut target = run_target();
        change(&mut target);
        target
    };
    vec![
        ("without 64-bit integers", lacking(&without_int64)),
        (
            "without 16-bit integers",
            lacking(&|target| target.int16 = false),
        ),
        (
            "without 8-bit integers",
            lacking(&|target| target.int8 = false),
        ),
        (
            "without small storage",
            lacking(&|target| {
                target.storage8 = SmallStorage::default();
                target.storage16 = SmallStorage::default();
            }),
        ),
        ("without halves", lacking(&|target| target.float16 = false)),
        ("without all of these", low_target()),
    ]
}

/// The device of [`run_target`] with words and floats only, but for doubles.
pub fn low_target() -> Target {
    let mut target = run_target();
    without_int64(&mut target);
    (target.int16, target.int8, target.float16) = (false, false, false);
    target.storage8 = SmallStorage::default();
    target.storage16 = SmallStorage::default();
    target
}

fn without_int64(target: &mut Target) {
    target.int64 = false;
    target.int64_buffer_atomics = false;
    target.int64_shared_atomics = false;
    target
        .extensions
        .retain(|name| !name.starts_with("cl_khr_int64_"));
}
