//! The device that the kernel files are compiled for.

use pumice_compiler::Target;

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
