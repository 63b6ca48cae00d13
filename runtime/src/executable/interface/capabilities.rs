//! Checks the capabilities that a module declares against those of the device.

use pumice_vulkan_layer::Capabilities;

use super::module_scan::ModuleScan;

/// Tells whether the device has what a SPIR-V capability needs, and the capability's name for the
/// log; `None` for a capability that no Vulkan compute module of ours or clspv's declares.
fn support(
    capability: u32,
    scan: &ModuleScan,
    caps: &Capabilities,
) -> Option<(bool, &'static str)> {
    let f = &caps.features;
    let control = |pick: fn(&pumice_vulkan_layer::caps::FloatControls) -> bool| {
        caps.float_controls.iter().any(pick)
    };
    let subgroup = &caps.subgroup.ops;
    Some(match capability {
        0 | 1 => (true, "Shader"),
        // Group instructions of SPV_AMD_shader_ballot.
        18 => (caps.shader_ballot_amd(), "Groups"),
        9 => (f.shader_float16, "Float16"),
        10 => (f.shader_float64, "Float64"),
        11 => (f.shader_int64, "Int64"),
        12 => (
            f.shader_buffer_int64_atomics || f.shader_shared_int64_atomics,
            "Int64Atomics",
        ),
        22 => (f.shader_int16, "Int16"),
        25 => (false, "ImageGatherExtended"),
        28 => (
            f.shader_uniform_buffer_array_dynamic_indexing,
            "UniformBufferArrayDynamicIndexing",
        ),
        29 => (
            f.shader_sampled_image_array_dynamic_indexing,
            "SampledImageArrayDynamicIndexing",
        ),
        30 => (
            f.shader_storage_buffer_array_dynamic_indexing,
            "StorageBufferArrayDynamicIndexing",
        ),
        31 => (
            f.shader_storage_image_array_dynamic_indexing,
            "StorageImageArrayDynamicIndexing",
        ),
        39 => (f.shader_int8, "Int8"),
        43 | 44 => (true, "Sampled1D"),
        46 | 47 => (true, "SampledBuffer"),
        49 => (
            f.shader_storage_image_extended_formats,
            "StorageImageExtendedFormats",
        ),
        50 => (true, "ImageQuery"),
        55 => (
            // Pipelines name the formats otherwise.
            f.shader_storage_image_read_without_format || scan.image_reads.are_clear(),
            "StorageImageReadWithoutFormat",
        ),
        56 => (
            f.shader_storage_image_write_without_format,
            "StorageImageWriteWithoutFormat",
        ),
        61 => (subgroup.basic, "GroupNonUniform"),
        62 => (subgroup.vote, "GroupNonUniformVote"),
        63 => (subgroup.arithmetic, "GroupNonUniformArithmetic"),
        64 => (subgroup.ballot, "GroupNonUniformBallot"),
        65 => (subgroup.shuffle, "GroupNonUniformShuffle"),
        66 => (subgroup.shuffle_relative, "GroupNonUniformShuffleRelative"),
        67 => (subgroup.clustered, "GroupNonUniformClustered"),
        68 => (subgroup.quad, "GroupNonUniformQuad"),
        4423 => (subgroup.ballot, "SubgroupBallotKHR"),
        4428 => (
            f.workgroup_memory_explicit_layout,
            "WorkgroupMemoryExplicitLayoutKHR",
        ),
        4429 => (
            f.workgroup_memory_explicit_layout8_bit_access,
            "WorkgroupMemoryExplicitLayout8BitAccessKHR",
        ),
        4430 => (
            f.workgroup_memory_explicit_layout16_bit_access,
            "WorkgroupMemoryExplicitLayout16BitAccessKHR",
        ),
        4431 => (subgroup.vote, "SubgroupVoteKHR"),
        4433 => (f.storage_buffer16_bit_access, "StorageBuffer16BitAccess"),
        4434 => (
            f.uniform_and_storage_buffer16_bit_access,
            "UniformAndStorageBuffer16BitAccess",
        ),
        4435 => (f.storage_push_constant16, "StoragePushConstant16"),
        4441 => (
            f.variable_pointers_storage_buffer,
            "VariablePointersStorageBuffer",
        ),
        4442 => (f.variable_pointers, "VariablePointers"),
        4448 => (f.storage_buffer8_bit_access, "StorageBuffer8BitAccess"),
        4449 => (
            f.uniform_and_storage_buffer8_bit_access,
            "UniformAndStorageBuffer8BitAccess",
        ),
        4450 => (f.storage_push_constant8, "StoragePushConstant8"),
        4464 => (control(|c| c.denorm_preserve), "DenormPreserve"),
        4465 => (control(|c| c.denorm_flush_to_zero), "DenormFlushToZero"),
        4466 => (
            control(|c| c.signed_zero_inf_nan_preserve),
            "SignedZeroInfNanPreserve",
        ),
        4467 => (control(|c| c.rounding_rte), "RoundingModeRTE"),
        4468 => (control(|c| c.rounding_rtz), "RoundingModeRTZ"),
        4473 => (f.shader_untyped_pointers, "UntypedPointersKHR"),
        5055 => (
            f.shader_device_clock && f.shader_subgroup_clock,
            "ShaderClockKHR",
        ),
        5067 => (f.shader_enqueue, "ShaderEnqueueAMDX"),
        5345 => (f.vulkan_memory_model, "VulkanMemoryModel"),
        5346 => (
            f.vulkan_memory_model_device_scope,
            "VulkanMemoryModelDeviceScope",
        ),
        5347 => (f.buffer_device_address, "PhysicalStorageBufferAddresses"),
        5612 => (
            f.shader_buffer_float32_atomic_min_max || f.shader_shared_float32_atomic_min_max,
            "AtomicFloat32MinMaxEXT",
        ),
        5613 => (
            f.shader_buffer_float64_atomic_min_max || f.shader_shared_float64_atomic_min_max,
            "AtomicFloat64MinMaxEXT",
        ),
        6016..=6019 => (f.shader_integer_dot_product, "DotProduct"),
        6022 => (
            f.cooperative_matrix && caps.subgroup.sizes().contains(&caps.subgroup.size),
            "CooperativeMatrixKHR",
        ),
        6026 => (subgroup.rotate, "GroupNonUniformRotateKHR"),
        6033 => (
            f.shader_buffer_float32_atomic_add || f.shader_shared_float32_atomic_add,
            "AtomicFloat32AddEXT",
        ),
        6034 => (
            f.shader_buffer_float64_atomic_add || f.shader_shared_float64_atomic_add,
            "AtomicFloat64AddEXT",
        ),
        _ => return None,
    })
}

/// Checks declared capabilities and the SPIR-V version.
///
/// # Errors
/// A line for the build log that names the first thing that the device lacks.
pub(in crate::executable) fn check_capabilities(
    scan: &ModuleScan,
    caps: &Capabilities,
) -> Result<(), String> {
    let highest = caps.spirv_version();
    if scan.version > highest {
        let ((major, minor), (top, last)) = (scan.version, highest);
        return Err(format!(
            "the module is SPIR-V {major}.{minor}, the device takes up to {top}.{last}"
        ));
    }
    for &capability in &scan.capabilities {
        match support(capability, scan, caps) {
            Some((true, _)) => {}
            Some((false, name)) => {
                return Err(format!("the module needs {name}, which the device lacks"));
            }
            None => {
                return Err(format!(
                    "the module declares capability {capability}, which is not supported"
                ));
            }
        }
    }
    Ok(())
}
