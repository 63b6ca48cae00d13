//! The one list of extensions and features; strings, versions, queries, feature macros and the
//! compiler's target derive from it.

use pumice_vulkan_layer::Capabilities;
use pumice_vulkan_layer::quirks::{self, QuirkKind};

use crate::base::info::make_version;
use crate::device::format;

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
    ("cl_intel_unified_shared_memory", UNIFIED_SHARED_MEMORY),
    ("cl_khr_unified_svm", UNIFIED_SVM),
];

/// The versions of these are parts of their interfaces while they are experimental.
const COMMAND_BUFFER: u32 = make_version(0, 9, 8);
const MUTABLE_DISPATCH: u32 = make_version(0, 9, 5);
const MULTI_DEVICE: u32 = make_version(0, 9, 2);
const UNIFIED_SVM: u32 = make_version(0, 9, 0);

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
        version: make_version(1, 0, 1),
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
        version: make_version(1, 0, 1),
        condition: Capabilities::imports_memory,
    },
    on("cl_khr_external_memory_opaque_fd", |caps| {
        caps.memory_fds[0]
    }),
    on("cl_khr_external_memory_dma_buf", |caps| caps.memory_fds[1]),
    on("cl_khr_initialize_memory", zeroes_local),
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
    Extension {
        name: "cl_khr_fp64",
        version: V1,
        condition: doubles,
    },
    Extension {
        name: "cl_khr_fp16",
        version: V1,
        condition: |caps| caps.features.shader_float16,
    },
    Extension {
        name: "cl_khr_integer_dot_product",
        version: make_version(2, 0, 0),
        condition: |_| true,
    },
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
    on("cl_khr_kernel_clock", clocks),
    on("cl_khr_image2d_from_buffer", images),
    on("cl_ext_image_from_buffer", images),
    on("cl_intel_planar_yuv", images),
    on("cl_ext_image_unorm_int_2_101010", packed_2_101010),
    Extension {
        name: "cl_ext_image_requirements_info",
        version: make_version(0, 5, 0),
        condition: images,
    },
    on("cl_khr_3d_image_writes", images),
    on("cl_khr_depth_images", images),
    always("cl_khr_expect_assume"),
    always("cl_khr_spirv_queries"),
    always("cl_khr_spirv_no_integer_wrap_decoration"),
    always("cl_khr_spirv_linkonce_odr"),
    Extension {
        name: "cl_khr_pci_bus_info",
        version: V1,
        condition: |caps| caps.pci.is_some(),
    },
];

/// Extensions whose built-ins and SPIR-V the compiler takes but no device lists: the conformance
/// tests (`compiler_defines_for_extensions`) fail a driver that lists a `cl_khr_` name which their
/// list of approved extensions lacks.
const UNLISTED: &[Extension] = &[always("cl_khr_work_group_uniform_arithmetic")];

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

/// Tells whether doubles are offered, of capabilities as OpenCL has them
/// ([`Device::offered`](crate::device::Device::offered)).
pub fn doubles(caps: &Capabilities) -> bool {
    caps.features.shader_float64
}

/// Tells whether doubles depend on what the probe finds: the device does not promise to keep denormals.
pub fn doubles_probed(caps: &Capabilities) -> bool {
    !caps.float_controls[2].denorm_preserve
}

/// Kernels can enqueue kernels: records hold addresses, and the device reads its own times.
pub fn device_enqueue(caps: &Capabilities) -> bool {
    // The scheduler is one work-item, whose loops look at all that is ready.
    let loops_end = !quirks::has(&caps.driver, QuirkKind::LoopsStop);
    generic_pointers(caps) && caps.features.shader_int64 && caps.timestamp_bits > 0 && loops_end
}

/// Tells whether a pointer can lead anywhere: a generic one is an address, or an offset with a tag.
pub fn generic_pointers(caps: &Capabilities) -> bool {
    addresses(caps)
}

/// Tells whether kernels see addresses of global memory, not descriptors.
pub fn addresses(caps: &Capabilities) -> bool {
    caps.features.buffer_device_address
}

/// Tells whether kernels can use pipes: their functions take generic pointers and atomics with the
/// device's scope.
pub fn pipes(caps: &Capabilities) -> bool {
    generic_pointers(caps) && device_scope(caps)
}

/// CL_DEVICE_PIPE_MAX_PACKET_SIZE; 0 where there are no pipes.
pub fn max_packet_size(caps: &Capabilities) -> u32 {
    if pipes(caps) { 4096 } else { 0 }
}

/// Tells whether atomics can have the device's scope: by the memory model's own bit, or by the model that
/// was before it, where every scope is legal.
pub fn device_scope(caps: &Capabilities) -> bool {
    !caps.features.vulkan_memory_model || caps.features.vulkan_memory_model_device_scope
}

/// Tells whether both global and local memory have 64-bit atomics.
pub fn int64_atomics(caps: &Capabilities) -> bool {
    caps.features.shader_buffer_int64_atomics && caps.features.shader_shared_int64_atomics
}

/// Tells whether a buffer can be memory of the process itself.
pub fn imports_host_memory(caps: &Capabilities) -> bool {
    caps.unified_memory && caps.host_import_alignment.is_some()
}

/// Tells whether local memory can be zero when a work-group starts.
pub fn zeroes_local(caps: &Capabilities) -> bool {
    caps.features.shader_zero_initialize_workgroup_memory
}

/// The name of images in the mask.
pub const IMAGES: &str = "images";

/// Tells whether the device has images and samplers.
pub fn images(caps: &Capabilities) -> bool {
    !caps.masked.iter().any(|name| name == IMAGES) && format::minimum(caps)
}

/// Tells whether the device has the format of cl_ext_image_unorm_int_2_101010.
fn packed_2_101010(caps: &Capabilities) -> bool {
    images(caps) && format::has_2_101010(caps)
}

/// Tells whether a kernel can read and write one image.
pub fn read_write_images(caps: &Capabilities) -> bool {
    images(caps) && caps.features.shader_storage_image_read_without_format
}

/// Tells whether kernels can read the clocks of the device and of a sub-group.
pub fn clocks(caps: &Capabilities) -> bool {
    caps.features.shader_device_clock && caps.features.shader_subgroup_clock
}

/// Tells whether the device's sub-groups have shuffles by any lane number.
fn shuffles(caps: &Capabilities) -> bool {
    sub_group_size(caps).is_some() && caps.subgroup.ops.shuffle
}

/// The size of the device's sub-groups; `None` where it has none that OpenCL's functions can be
/// made of. Where the size varies, every pipeline requires this one.
pub fn sub_group_size(caps: &Capabilities) -> Option<u32> {
    let subgroup = &caps.subgroup;
    let fixed = subgroup.min_size == subgroup.max_size || subgroup.required_size;
    let ops = subgroup.ops;
    let operations = ops.basic && ops.vote && ops.arithmetic && ops.ballot && fixed;
    // The functions take 8-, 16- and 64-bit integers and half as well, where these are not words.
    let features = &caps.features;
    let words_only = !features.shader_int8
        && !features.shader_int16
        && !features.shader_int64
        && !features.shader_float16;
    (operations && (words_only || features.shader_subgroup_extended_types)).then_some(subgroup.size)
}

/// The version of OpenCL that a device has: 3.1 demands sub-groups with shuffles (and rotations and
/// the wider types, which follow from them); whatever else it demands every device has.
pub fn version(caps: &Capabilities) -> (u8, u8) {
    if shuffles(caps) { (3, 1) } else { (3, 0) }
}

/// CL_DEVICE_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR and CL_DEVICE_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR.
pub fn semaphore_handles(caps: &Capabilities) -> Vec<u32> {
    let kinds = [
        opencl_sys::CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR,
        opencl_sys::CL_SEMAPHORE_HANDLE_SYNC_FD_KHR,
    ];
    let known = kinds.into_iter().zip(caps.semaphore_fds);
    known
        .filter_map(|(kind, there)| there.then_some(kind))
        .collect()
}

/// CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR.
pub fn memory_handles(caps: &Capabilities) -> Vec<u32> {
    let kinds = [
        opencl_sys::CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR,
        opencl_sys::CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR,
    ];
    let known = kinds.into_iter().zip(caps.memory_fds);
    known
        .filter_map(|(kind, there)| there.then_some(kind))
        .collect()
}

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
    /// All devices, in no extension string ([`UNLISTED`]).
    Unlisted,
}

/// Every extension that is built.
pub fn rows() -> Vec<Row> {
    let least = Capabilities::default();
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
    FEATURES.iter().filter(|e| (e.condition)(caps))
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
