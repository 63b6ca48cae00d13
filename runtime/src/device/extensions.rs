//! The one list of extensions and features; strings, versions, queries, feature macros and the
//! compiler's target derive from it.

use pumice_vulkan_layer::Capabilities;

use crate::base::info::make_version;
pub use crate::device::conditions::*;
use crate::device::local_memory;

/// An extension of the device.
#[derive(Clone, Copy)]
pub struct Extension {
    /// Its name, which is also a macro of OpenCL C.
    pub name: &'static str,
    /// CL_MAKE_VERSION.
    pub version: u32,
    /// Tells whether a device has it.
    condition: fn(&Capabilities) -> bool,
}

impl std::fmt::Debug for Extension {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

const V1: u32 = make_version(1, 0, 0);

const fn always(name: &'static str) -> Extension {
    Extension {
        name,
        version: V1,
        condition: |_| true,
    }
}

const fn on(name: &'static str, condition: fn(&Capabilities) -> bool) -> Extension {
    Extension {
        name,
        version: V1,
        condition,
    }
}

/// Extensions of the platform itself; every device reports them too where the specification
/// makes them both.
const PLATFORM: &[(&str, u32)] = &[
    ("cl_khr_icd", V1),
    ("cl_khr_extended_versioning", V1),
    ("cl_khr_create_command_queue", V1),
    ("cl_khr_suggested_local_work_size", V1),
    ("cl_khr_priority_hints", V1),
    ("cl_khr_throttle_hints", V1),
    ("cl_khr_semaphore", V1),
    ("cl_khr_command_buffer", COMMAND_BUFFER),
    ("cl_khr_command_buffer_mutable_dispatch", MUTABLE_DISPATCH),
    ("cl_khr_command_buffer_multi_device", MULTI_DEVICE),
];

/// Extensions of the platform where every device has them: applications look for their names there as well.
const PLATFORM_OF_DEVICES: &[(&str, u32)] = &[
    ("cl_khr_gl_sharing", V1),
    ("cl_khr_gl_event", V1),
    ("cl_khr_external_memory", EXTERNAL),
    ("cl_khr_external_semaphore", EXTERNAL),
    ("cl_intel_unified_shared_memory", UNIFIED_SHARED_MEMORY),
    ("cl_khr_unified_svm", UNIFIED_SVM),
];

/// The versions of these are parts of their interfaces while they are experimental.
const COMMAND_BUFFER: u32 = make_version(0, 9, 8);
const MUTABLE_DISPATCH: u32 = make_version(0, 9, 5);
const MULTI_DEVICE: u32 = make_version(0, 9, 2);
const UNIFIED_SVM: u32 = make_version(0, 9, 0);

/// Of cl_khr_external_memory and cl_khr_external_semaphore.
const EXTERNAL: u32 = make_version(1, 0, 1);
const UNIFIED_SHARED_MEMORY: u32 = make_version(1, 1, 0);

/// Extensions of devices.
const DEVICE: &[Extension] = &[
    always("cl_khr_global_int32_base_atomics"),
    always("cl_khr_global_int32_extended_atomics"),
    always("cl_khr_local_int32_base_atomics"),
    always("cl_khr_local_int32_extended_atomics"),
    always("cl_khr_byte_addressable_store"),
    always("cl_khr_extended_bit_ops"),
    always("cl_khr_extended_versioning"),
    always("cl_khr_create_command_queue"),
    always("cl_khr_suggested_local_work_size"),
    always("cl_khr_priority_hints"),
    always("cl_khr_throttle_hints"),
    Extension {
        name: "cl_khr_command_buffer",
        version: COMMAND_BUFFER,
        condition: |_| true,
    },
    Extension {
        name: "cl_khr_command_buffer_mutable_dispatch",
        version: MUTABLE_DISPATCH,
        condition: |_| true,
    },
    Extension {
        name: "cl_khr_command_buffer_multi_device",
        version: MULTI_DEVICE,
        condition: |_| true,
    },
    always("cl_khr_semaphore"),
    Extension {
        name: "cl_khr_external_semaphore",
        version: EXTERNAL,
        condition: Capabilities::shares_semaphores,
    },
    on("cl_khr_external_semaphore_opaque_fd", |caps| {
        caps.semaphore_fds[0]
    }),
    on("cl_khr_external_semaphore_sync_fd", |caps| {
        caps.semaphore_fds[1]
    }),
    Extension {
        name: "cl_khr_external_memory",
        version: EXTERNAL,
        condition: Capabilities::imports_memory,
    },
    on("cl_khr_external_memory_opaque_fd", |caps| {
        caps.memory_fds[0]
    }),
    on("cl_khr_external_memory_dma_buf", |caps| caps.memory_fds[1]),
    on("cl_khr_initialize_memory", zeroes_local),
    on("cl_khr_terminate_context", addresses),
    always("cl_ext_immutable_memory_objects"),
    always("cl_ext_migrate_memobject"),
    always("cl_intel_command_queue_families"),
    always("cl_intel_create_buffer_with_properties"),
    always("cl_arm_non_uniform_work_group_size"),
    Extension {
        name: "cl_arm_printf",
        version: make_version(2, 0, 0),
        condition: |_| true,
    },
    Extension {
        name: "cl_arm_import_memory",
        version: make_version(1, 1, 0),
        condition: |caps| imports_host_memory(caps) || caps.memory_fds[1],
    },
    on("cl_arm_import_memory_host", imports_host_memory),
    on("cl_arm_import_memory_dma_buf", |caps| caps.memory_fds[1]),
    always("cl_pocl_content_size"),
    always("cl_khr_il_program"),
    always("cl_khr_device_uuid"),
    on("cl_khr_fp64", doubles),
    // Made up of floats where shaders have none.
    always("cl_khr_fp16"),
    Extension {
        name: "cl_khr_integer_dot_product",
        version: make_version(2, 0, 0),
        condition: |_| true,
    },
    on("cl_khr_device_enqueue_local_arg_types", device_enqueue),
    // The same products by the names that older kernels for Mali look for.
    always("cl_arm_integer_dot_product_int8"),
    always("cl_arm_integer_dot_product_accumulate_int8"),
    always("cl_arm_integer_dot_product_accumulate_int16"),
    always("cl_arm_integer_dot_product_accumulate_saturate_int8"),
    always("cl_amd_media_ops"),
    always("cl_amd_media_ops2"),
    on("cl_khr_int64_base_atomics", int64_atomics),
    on("cl_khr_int64_extended_atomics", int64_atomics),
    // Not cl_khr_subgroups, which promises that sub-groups progress independently: no Vulkan
    // driver does. The feature __opencl_c_subgroups has the same functions without it.
    on("cl_khr_subgroup_ballot", |caps| {
        sub_group_size(caps).is_some()
    }),
    on("cl_khr_subgroup_non_uniform_vote", |caps| {
        sub_group_size(caps).is_some()
    }),
    on("cl_khr_subgroup_non_uniform_arithmetic", |caps| {
        sub_group_size(caps).is_some()
    }),
    on("cl_khr_subgroup_extended_types", |caps| {
        sub_group_size(caps).is_some()
    }),
    on("cl_khr_subgroup_shuffle", shuffles),
    // What the device lacks of these three is made of shuffles.
    on("cl_khr_subgroup_shuffle_relative", shuffles),
    on("cl_khr_subgroup_clustered_reduce", shuffles),
    on("cl_khr_subgroup_rotate", shuffles),
    on("cl_pumice_amd_shader_ballot", shuffles),
    on("cl_pumice_cooperative_matrix", shuffles),
    on("cl_intel_subgroups", blocks),
    on("cl_intel_subgroups_char", blocks),
    Extension {
        name: "cl_intel_subgroups_short",
        version: make_version(1, 1, 0),
        condition: blocks,
    },
    on("cl_intel_subgroups_long", blocks),
    on("cl_intel_spirv_subgroups", blocks),
    Extension {
        name: "cl_intel_subgroup_local_block_io",
        version: make_version(1, 0, 1),
        condition: blocks,
    },
    Extension {
        name: "cl_ext_buffer_device_address",
        version: make_version(1, 0, 2),
        condition: addresses,
    },
    Extension {
        name: "cl_intel_unified_shared_memory",
        version: UNIFIED_SHARED_MEMORY,
        condition: addresses,
    },
    Extension {
        name: "cl_khr_unified_svm",
        version: UNIFIED_SVM,
        condition: addresses,
    },
    on("cl_intel_required_subgroup_size", |caps| {
        !sub_group_sizes(caps).is_empty()
    }),
    always("cl_ext_float_atomics"),
    on("cl_khr_kernel_clock", clocks),
    on("cl_khr_image2d_from_buffer", images),
    on("cl_ext_image_from_buffer", images),
    on("cl_intel_planar_yuv", images),
    on("cl_intel_packed_yuv", packed_yuv),
    on("cl_ext_image_unorm_int_2_101010", packed_2_101010),
    on("cl_ext_image_unsigned_10x6_12x4_14x2", high_bits),
    on("cl_ext_image_raw10_raw12", raw),
    Extension {
        name: "cl_ext_image_requirements_info",
        version: make_version(0, 5, 0),
        condition: images,
    },
    // Nobody knows before a context names its OpenGL, or an image its display, whether objects can be shared: the libraries are
    // those of the application.
    on("cl_khr_gl_sharing", opengl),
    on("cl_khr_gl_event", opengl),
    on("cl_khr_egl_image", opengl),
    on("cl_khr_egl_event", opengl),
    on("cl_khr_gl_depth_images", opengl),
    on("cl_khr_gl_msaa_sharing", opengl),
    on("cl_khr_3d_image_writes", images),
    on("cles_khr_int64", embedded),
    on("cl_khr_depth_images", images),
    on("cl_khr_srgb_image_writes", srgb_writes),
    on("cl_khr_mipmap_image", images),
    on("cl_khr_mipmap_image_writes", level_images),
    always("cl_khr_expect_assume"),
    // Work-items share the copies out.
    always("cl_khr_extended_async_copies"),
    always("cl_khr_spirv_queries"),
    always("cl_khr_spirv_no_integer_wrap_decoration"),
    always("cl_khr_spirv_linkonce_odr"),
    on("cl_khr_pci_bus_info", |caps| caps.pci.is_some()),
];

/// Extensions whose built-ins and SPIR-V the compiler takes but no device lists: the conformance
/// tests (`compiler_defines_for_extensions`) fail a driver that lists a `cl_khr_` or `cles_khr_` name which
/// their list of approved extensions lacks.
const UNLISTED: &[Extension] = &[
    always("cl_khr_async_work_group_copy_fence"),
    always("cl_khr_work_group_uniform_arithmetic"),
    on("cles_khr_2d_image_array_writes", embedded),
];

/// OpenCL C features (`__opencl_c_*`) of devices.
const FEATURES: &[Extension] = &[
    Extension {
        name: "__opencl_c_device_enqueue",
        version: make_version(3, 0, 0),
        condition: device_enqueue,
    },
    // The compiler makes them up of words where the device has none.
    Extension {
        name: "__opencl_c_int64",
        version: make_version(3, 0, 0),
        condition: |_| true,
    },
    Extension {
        name: "__opencl_c_fp64",
        version: make_version(3, 0, 0),
        condition: doubles,
    },
    Extension {
        name: "__opencl_c_program_scope_global_variables",
        version: make_version(3, 0, 0),
        condition: |_| true,
    },
    Extension {
        name: "__opencl_c_generic_address_space",
        version: make_version(3, 0, 0),
        condition: generic_pointers,
    },
    Extension {
        name: "__opencl_c_atomic_order_acq_rel",
        version: make_version(3, 0, 0),
        condition: |_| true,
    },
    // Fences around an operation order it with all others that have them.
    Extension {
        name: "__opencl_c_atomic_order_seq_cst",
        version: make_version(3, 0, 0),
        condition: |_| true,
    },
    Extension {
        name: "__opencl_c_atomic_scope_device",
        version: make_version(3, 0, 0),
        condition: device_scope,
    },
    // The device's memory and its atomics are the process's.
    Extension {
        name: "__opencl_c_atomic_scope_all_devices",
        version: make_version(3, 0, 0),
        condition: |caps| caps.host_addresses,
    },
    // Made of products and sums.
    Extension {
        name: "__opencl_c_integer_dot_product_input_4x8bit",
        version: make_version(3, 0, 0),
        condition: |_| true,
    },
    Extension {
        name: "__opencl_c_integer_dot_product_input_4x8bit_packed",
        version: make_version(3, 0, 0),
        condition: |_| true,
    },
    Extension {
        name: "__opencl_c_kernel_clock_scope_device",
        version: make_version(3, 0, 0),
        condition: clocks,
    },
    Extension {
        name: "__opencl_c_kernel_clock_scope_work_group",
        version: make_version(3, 0, 0),
        condition: clocks,
    },
    Extension {
        name: "__opencl_c_kernel_clock_scope_sub_group",
        version: make_version(3, 0, 0),
        condition: clocks,
    },
    Extension {
        name: "__opencl_c_images",
        version: make_version(3, 0, 0),
        condition: images,
    },
    Extension {
        name: "__opencl_c_3d_image_writes",
        version: make_version(3, 0, 0),
        condition: images,
    },
    Extension {
        name: "__opencl_c_read_write_images",
        version: make_version(3, 0, 0),
        condition: read_write_images,
    },
    Extension {
        name: "__opencl_c_ext_image_unorm_int_2_101010",
        version: V1,
        condition: packed_2_101010,
    },
    Extension {
        name: "__opencl_c_ext_image_unsigned_10x6_12x4_14x2",
        version: V1,
        condition: high_bits,
    },
    Extension {
        name: "__opencl_c_ext_image_raw10_raw12",
        version: V1,
        condition: raw,
    },
    // Made of local memory and barriers.
    Extension {
        name: "__opencl_c_work_group_collective_functions",
        version: make_version(3, 0, 0),
        condition: |_| true,
    },
    Extension {
        name: "__opencl_c_pipes",
        version: make_version(3, 0, 0),
        condition: pipes,
    },
    Extension {
        name: "__opencl_c_subgroups",
        version: make_version(3, 0, 0),
        condition: |caps| sub_group_size(caps).is_some(),
    },
];

/// The features of cl_ext_float_atomics: compare-exchanges do what the device lacks.
const FLOAT_ATOMICS: &[Extension] = &[
    on("__opencl_c_ext_fp16_global_atomic_load_store", halves),
    on("__opencl_c_ext_fp16_local_atomic_load_store", halves),
    on("__opencl_c_ext_fp16_global_atomic_add", halves),
    on("__opencl_c_ext_fp16_local_atomic_add", halves),
    on("__opencl_c_ext_fp16_global_atomic_min_max", halves),
    on("__opencl_c_ext_fp16_local_atomic_min_max", halves),
    always("__opencl_c_ext_fp32_global_atomic_add"),
    always("__opencl_c_ext_fp32_local_atomic_add"),
    always("__opencl_c_ext_fp32_global_atomic_min_max"),
    always("__opencl_c_ext_fp32_local_atomic_min_max"),
    on("__opencl_c_ext_fp64_global_atomic_add", double_atomics),
    on("__opencl_c_ext_fp64_local_atomic_add", double_atomics),
    on("__opencl_c_ext_fp64_global_atomic_min_max", double_atomics),
    on("__opencl_c_ext_fp64_local_atomic_min_max", double_atomics),
];

/// CL_PLATFORM_EXTENSIONS.
pub fn platform_string<'a>(devices: impl Iterator<Item = &'a Capabilities>) -> String {
    join(platform_versions(devices).map(|(name, _)| name))
}

/// CL_PLATFORM_EXTENSIONS_WITH_VERSION.
pub fn platform_versions<'a>(
    devices: impl Iterator<Item = &'a Capabilities>,
) -> impl Iterator<Item = (&'static str, u32)> {
    let devices: Vec<_> = devices.collect();
    let has = |name: &str| {
        let mut all = devices.iter().map(|caps| of_device(caps));
        !devices.is_empty() && all.all(|mut listed| listed.any(|e| e.name == name))
    };
    let more = PLATFORM_OF_DEVICES.iter().filter(|(name, _)| has(name));
    let more: Vec<_> = more.copied().collect();
    PLATFORM.iter().copied().chain(more)
}

/// The extensions of a device.
pub fn of_device(caps: &Capabilities) -> impl Iterator<Item = &'static Extension> {
    DEVICE.iter().filter(|e| (e.condition)(caps))
}

/// Extensions that the compiler knows on the device: those listed and [`UNLISTED`].
pub fn of_compiler(caps: &Capabilities) -> impl Iterator<Item = &'static Extension> {
    of_device(caps).chain(UNLISTED.iter().filter(|e| (e.condition)(caps)))
}

/// An extension as docs/extensions.md shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// Its name.
    pub name: &'static str,
    /// CL_MAKE_VERSION.
    pub version: u32,
    /// The objects that have it.
    pub holders: Holders,
}

/// The objects that have an extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holders {
    /// The platform alone.
    Platform,
    /// All devices.
    AllDevices,
    /// Devices whose Vulkan driver has what the extension needs.
    SomeDevices,
    /// No extension string has it ([`UNLISTED`]).
    Unlisted,
}

/// Every extension that is built.
pub fn rows() -> Vec<Row> {
    // Only the embedded profile has less.
    let mut least = Capabilities::default();
    least.limits.max_shared_memory = local_memory::LEAST;
    let row = |extension: &Extension, holders| Row {
        name: extension.name,
        version: extension.version,
        holders,
    };
    let mut rows: Vec<Row> = UNLISTED.iter().map(|e| row(e, Holders::Unlisted)).collect();
    rows.extend(DEVICE.iter().map(|e| match (e.condition)(&least) {
        true => row(e, Holders::AllDevices),
        false => row(e, Holders::SomeDevices),
    }));
    for &(name, version) in PLATFORM {
        if rows.iter().all(|row| row.name != name) {
            let holders = Holders::Platform;
            rows.push(Row {
                name,
                version,
                holders,
            });
        }
    }
    rows.sort_by_key(|row| row.name);
    rows
}

/// The OpenCL C features of a device.
pub fn features(caps: &Capabilities) -> impl Iterator<Item = &'static Extension> {
    let all = FEATURES.iter().chain(FLOAT_ATOMICS);
    all.filter(|e| (e.condition)(caps))
}

/// Names with spaces between them.
pub fn join<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::{DEVICE, FEATURES, features, of_device, version};
    use pumice_vulkan_layer::Capabilities;

    #[test]
    fn names_are_unique() {
        let mut names: Vec<_> = DEVICE.iter().chain(FEATURES).map(|e| e.name).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    /// Checks that a device which says 3.1 lists what it must (OpenCL 3.1 API §4.2).
    #[test]
    fn version_3_1_has_what_it_demands() {
        let mut caps = Capabilities::default();
        assert_eq!(version(&caps), (3, 0));
        let subgroup = &mut caps.subgroup;
        (subgroup.size, subgroup.min_size, subgroup.max_size) = (8, 8, 8);
        let ops = &mut subgroup.ops;
        (ops.basic, ops.vote, ops.arithmetic, ops.ballot) = (true, true, true, true);
        caps.features.shader_subgroup_extended_types = true;
        assert_eq!(version(&caps), (3, 0));
        caps.subgroup.ops.shuffle = true;
        assert_eq!(version(&caps), (3, 1));
        for demanded in [
            "cl_khr_device_uuid",
            "cl_khr_extended_bit_ops",
            "cl_khr_integer_dot_product",
            "cl_khr_spirv_queries",
            "cl_khr_subgroup_extended_types",
            "cl_khr_subgroup_rotate",
            "cl_khr_subgroup_shuffle",
            "cl_khr_subgroup_shuffle_relative",
            "cl_khr_suggested_local_work_size",
        ] {
            assert!(of_device(&caps).any(|e| e.name == demanded), "{demanded}");
        }
    }

    #[test]
    fn conditions_follow_the_capabilities() {
        let mut caps = Capabilities::default();
        assert!(of_device(&caps).all(|e| e.name != "cl_khr_fp64"));
        caps.features.shader_float64 = true;
        assert!(of_device(&caps).any(|e| e.name == "cl_khr_fp64"));
        assert!(features(&caps).any(|e| e.name == "__opencl_c_fp64"));
    }
}
