//! The device that the kernel files are compiled for.

use pumice_compiler::Target;
use pumice_target::{FloatControls, SmallStorage};

/// The modes of a device that keeps denormals and special numbers and rounds to nearest.
pub const KEEPING_MODES: FloatControls = FloatControls {
    signed_zero_inf_nan_preserve: true,
    denorm_preserve: true,
    denorm_flush_to_zero: false,
    rounding_rte: true,
    rounding_rtz: false,
};

/// The reference device with every extension and feature that the files use and that any
/// lavapipe has.
pub fn run_target() -> Target {
    let mut target = Target::reference();
    let extensions = [
        "cl_khr_async_work_group_copy_fence",
        "cl_khr_device_enqueue_local_arg_types",
        "cl_khr_extended_async_copies",
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
        "cl_pumice_cooperative_matrix",
        "cl_intel_subgroups",
        "cl_intel_subgroups_char",
        "cl_intel_subgroups_short",
        "cl_intel_subgroups_long",
        "cl_intel_subgroup_local_block_io",
        "cl_khr_kernel_clock",
    ];
    let features = [
        "__opencl_c_ext_fp16_global_atomic_add",
        "__opencl_c_ext_fp16_global_atomic_load_store",
        "__opencl_c_ext_fp16_global_atomic_min_max",
        "__opencl_c_ext_fp32_global_atomic_add",
        "__opencl_c_ext_fp32_global_atomic_min_max",
        "__opencl_c_ext_fp64_global_atomic_add",
        "__opencl_c_ext_fp64_global_atomic_min_max",
        "__opencl_c_device_enqueue",
        "__opencl_c_pipes",
        "__opencl_c_subgroups",
        "__opencl_c_work_group_collective_functions",
    ];
    // So that these passes have something to do.
    target.quirks = "VectorsByWords DivideInDoubles".parse().expect("names");
    target.extensions.extend(extensions.map(String::from));
    target.features.extend(features.map(String::from));
    target
}

/// The features that devices may lack, as the `lacks:` lines of file tests name it.
const THINGS: &[&str] = &[
    "int64",
    "int16",
    "int8",
    "small-storage",
    "float16",
    "float64",
];

/// The device of [`run_target`] without what low devices lack: each alone, then all together. Each
/// with a name.
pub fn low_targets() -> Vec<(String, Target)> {
    let alone = THINGS.iter().map(|thing| {
        let mut target = run_target();
        take_away(&mut target, thing).expect("a thing of the list");
        (format!("without {thing}"), target)
    });
    alone
        .chain([("with words only".to_string(), low_target())])
        .collect()
}

/// The device of [`run_target`] with words and floats only.
pub fn low_target() -> Target {
    let mut target = run_target();
    for thing in THINGS {
        take_away(&mut target, thing).expect("a thing of the list");
    }
    target
}

/// Makes a device one that lacks a thing.
///
/// # Errors
/// A name that no such thing has.
pub fn take_away(target: &mut Target, thing: &str) -> Result<(), String> {
    match thing {
        "int64" => {
            target.int64 = false;
            target.int64_buffer_atomics = false;
            target.int64_shared_atomics = false;
            let extensions = &mut target.extensions;
            extensions.retain(|name| !name.starts_with("cl_khr_int64_"));
            let features = &mut target.features;
            features.retain(|name| !name.starts_with("__opencl_c_ext_fp64_"));
        }
        "int16" => target.int16 = false,
        "int8" => target.int8 = false,
        "small-storage" => {
            target.storage8 = SmallStorage::default();
            target.storage16 = SmallStorage::default();
        }
        "float16" => target.float16 = false,
        "unorm16-texel-buffers" => target.unorm16_texel_buffers = false,
        "float64" => *target = target.clone().with_soft_doubles(),
        "double-denormals" => target.flushes_f64 = true,
        "16-KiB-of-shared-memory" => target.max_shared_memory_size = 16 << 10,
        "exactFma" => {
            target.arithmetic.exact_fma_f16 = false;
            target.arithmetic.exact_fma_f32 = false;
            target.arithmetic.exact_fma_f64 = false;
        }
        _ => return Err(format!("{thing:?} is nothing that a device may lack")),
    }
    Ok(())
}
