//! Fills [`Capabilities`] from what Vulkan reports.

use std::collections::BTreeSet;

use ash::vk;

use super::{
    Capabilities, DeviceType, Driver, FloatControls, Limits, MemoryHeap, Subgroup, SubgroupOps,
};
use crate::features::{Chain, Features, Present};
use crate::format;

fn text(chars: &[std::ffi::c_char]) -> String {
    let bytes: Vec<u8> = (chars.iter().map(|&c| c as u8))
        .take_while(|&c| c != 0)
        .collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Asks Vulkan everything about a physical device, then clears what `masked` names.
pub(crate) fn capabilities(
    entry: &ash::Entry,
    instance: &ash::Instance,
    physical: vk::PhysicalDevice,
    masked: &[String],
) -> Result<Capabilities, vk::Result> {
    // SAFETY: `physical` was enumerated from `instance`.
    let (basic, listed) = unsafe {
        (
            instance.get_physical_device_properties(physical),
            instance.enumerate_device_extension_properties(physical)?,
        )
    };
    let version = (
        vk::api_version_major(basic.api_version),
        vk::api_version_minor(basic.api_version),
        vk::api_version_patch(basic.api_version),
    );
    let extensions: BTreeSet<String> = (listed.iter())
        .map(|extension| text(&extension.extension_name))
        .filter(|name| !masked.contains(name))
        .collect();
    let mut caps = Capabilities {
        name: text(&basic.device_name),
        device_type: match basic.device_type {
            vk::PhysicalDeviceType::DISCRETE_GPU => DeviceType::DiscreteGpu,
            vk::PhysicalDeviceType::INTEGRATED_GPU => DeviceType::IntegratedGpu,
            vk::PhysicalDeviceType::VIRTUAL_GPU => DeviceType::VirtualGpu,
            vk::PhysicalDeviceType::CPU => DeviceType::Cpu,
            _ => DeviceType::Other,
        },
        api_version: version,
        vendor_id: basic.vendor_id,
        device_id: basic.device_id,
        extensions,
        masked: masked.to_vec(),
        ..Capabilities::default()
    };
    if version < (1, 2, 0) {
        // The structs below came with 1.2; the floor refuses the device anyway.
        return Ok(caps);
    }

    let present = caps.present();
    let mut chain = Chain::default();
    chain.link(present, |head| {
        // SAFETY: `head` links only structs that the device's version or extensions define.
        unsafe { instance.get_physical_device_features2(physical, head) }
    });
    caps.features = Features::from_chain(&chain);
    for name in masked {
        caps.features.mask(name);
    }
    caps.features.settle();
    properties(&mut caps, instance, physical, present);
    if masked.iter().any(|name| name == "denormals") {
        for controls in &mut caps.float_controls {
            controls.denorm_preserve = false;
        }
    }
    let without_format = [
        caps.features.shader_storage_image_read_without_format,
        caps.features.shader_storage_image_write_without_format,
    ];
    caps.formats = format::query(instance, physical, without_format, present.v13);
    memory(&mut caps, instance, physical);
    memory_fds(&mut caps, instance, physical);
    semaphore_fds(&mut caps, instance, physical);
    queues(&mut caps, entry, instance, physical);
    Ok(caps)
}

/// Descriptors of sampled and of storage images that every kernel of OpenCL's full profile may use.
const IMAGES_OF_A_KERNEL: [u32; 2] = [128, 64];

/// Takes the limits of sets that can be updated after they are bound where the others are too low: they
/// may be far higher, and cost a flag of each layout and pool.
fn widen_sets(limits: &mut Limits, v12: &vk::PhysicalDeviceVulkan12Properties<'_>) {
    let [sampled, storage] = IMAGES_OF_A_KERNEL;
    let few = limits.max_sampled_images < sampled || limits.max_storage_images < storage;
    let more = v12.max_per_stage_descriptor_update_after_bind_sampled_images >= sampled
        && v12.max_per_stage_descriptor_update_after_bind_storage_images >= storage;
    if few && more {
        limits.update_after_bind = true;
        limits.max_storage_buffers = v12.max_per_stage_descriptor_update_after_bind_storage_buffers;
        limits.max_uniform_buffers = v12.max_per_stage_descriptor_update_after_bind_uniform_buffers;
        limits.max_sampled_images = v12.max_per_stage_descriptor_update_after_bind_sampled_images;
        limits.max_storage_images = v12.max_per_stage_descriptor_update_after_bind_storage_images;
        limits.max_samplers = v12.max_per_stage_descriptor_update_after_bind_samplers;
        limits.max_resources = v12.max_per_stage_update_after_bind_resources;
    }
}

fn properties(
    caps: &mut Capabilities,
    instance: &ash::Instance,
    physical: vk::PhysicalDevice,
    present: Present,
) {
    let host_memory = caps.has_extension("VK_EXT_external_memory_host");
    let pci_info = caps.has_extension("VK_EXT_pci_bus_info");
    let mut v11 = vk::PhysicalDeviceVulkan11Properties::default();
    let mut v12 = vk::PhysicalDeviceVulkan12Properties::default();
    let mut v13 = vk::PhysicalDeviceVulkan13Properties::default();
    let mut host = vk::PhysicalDeviceExternalMemoryHostPropertiesEXT::default();
    let mut pci = vk::PhysicalDevicePCIBusInfoPropertiesEXT::default();
    let mut head = vk::PhysicalDeviceProperties2::default()
        .push_next(&mut v11)
        .push_next(&mut v12);
    if present.v13 {
        head = head.push_next(&mut v13);
    }
    if host_memory {
        head = head.push_next(&mut host);
    }
    if pci_info {
        head = head.push_next(&mut pci);
    }
    // SAFETY: `head` links only structs that the device's version or extensions define.
    unsafe { instance.get_physical_device_properties2(physical, &mut head) };
    let properties = head.properties;

    caps.driver = Driver {
        id: v12.driver_id.as_raw() as u32,
        name: text(&v12.driver_name),
        info: text(&v12.driver_info),
        version: properties.driver_version,
    };
    caps.device_uuid = v11.device_uuid;
    caps.driver_uuid = v11.driver_uuid;
    caps.luid = (v11.device_luid_valid != 0).then_some((v11.device_luid, v11.device_node_mask));
    caps.pci = pci_info.then_some([
        pci.pci_domain,
        pci.pci_bus,
        pci.pci_device,
        pci.pci_function,
    ]);
    caps.host_import_alignment = host_memory.then_some(host.min_imported_host_pointer_alignment);

    let l = properties.limits;
    caps.limits = Limits {
        max_group_count: l.max_compute_work_group_count,
        max_group_size: l.max_compute_work_group_size,
        max_group_invocations: l.max_compute_work_group_invocations,
        max_shared_memory: l.max_compute_shared_memory_size,
        max_push_constants: l.max_push_constants_size,
        max_bound_sets: l.max_bound_descriptor_sets,
        max_storage_buffer_range: l.max_storage_buffer_range,
        max_uniform_buffer_range: l.max_uniform_buffer_range,
        min_storage_buffer_alignment: l.min_storage_buffer_offset_alignment,
        min_uniform_buffer_alignment: l.min_uniform_buffer_offset_alignment,
        min_texel_buffer_alignment: l.min_texel_buffer_offset_alignment,
        max_texel_buffer_elements: l.max_texel_buffer_elements,
        update_after_bind: false,
        max_storage_buffers: l.max_per_stage_descriptor_storage_buffers,
        max_uniform_buffers: l.max_per_stage_descriptor_uniform_buffers,
        max_sampled_images: l.max_per_stage_descriptor_sampled_images,
        max_storage_images: l.max_per_stage_descriptor_storage_images,
        max_samplers: l.max_per_stage_descriptor_samplers,
        max_resources: l.max_per_stage_resources,
        max_image_1d: l.max_image_dimension1_d,
        max_image_2d: l.max_image_dimension2_d,
        max_image_3d: l.max_image_dimension3_d,
        max_image_layers: l.max_image_array_layers,
        max_allocation: v11.max_memory_allocation_size,
        max_buffer: if caps.features.maintenance4 {
            v13.max_buffer_size
        } else {
            v11.max_memory_allocation_size
        },
    };
    widen_sets(&mut caps.limits, &v12);
    caps.timestamp_period = l.timestamp_period;

    let bit = |value: vk::Bool32| value != vk::FALSE;
    caps.float_controls = [
        FloatControls {
            signed_zero_inf_nan_preserve: bit(v12.shader_signed_zero_inf_nan_preserve_float16),
            denorm_preserve: bit(v12.shader_denorm_preserve_float16),
            denorm_flush_to_zero: bit(v12.shader_denorm_flush_to_zero_float16),
            rounding_rte: bit(v12.shader_rounding_mode_rte_float16),
            rounding_rtz: bit(v12.shader_rounding_mode_rtz_float16),
        },
        FloatControls {
            signed_zero_inf_nan_preserve: bit(v12.shader_signed_zero_inf_nan_preserve_float32),
            denorm_preserve: bit(v12.shader_denorm_preserve_float32),
            denorm_flush_to_zero: bit(v12.shader_denorm_flush_to_zero_float32),
            rounding_rte: bit(v12.shader_rounding_mode_rte_float32),
            rounding_rtz: bit(v12.shader_rounding_mode_rtz_float32),
        },
        FloatControls {
            signed_zero_inf_nan_preserve: bit(v12.shader_signed_zero_inf_nan_preserve_float64),
            denorm_preserve: bit(v12.shader_denorm_preserve_float64),
            denorm_flush_to_zero: bit(v12.shader_denorm_flush_to_zero_float64),
            rounding_rte: bit(v12.shader_rounding_mode_rte_float64),
            rounding_rtz: bit(v12.shader_rounding_mode_rtz_float64),
        },
    ];

    let in_compute = (v11.subgroup_supported_stages).contains(vk::ShaderStageFlags::COMPUTE);
    let operation = |flag| in_compute && v11.subgroup_supported_operations.contains(flag);
    let varies = caps.features.subgroup_size_control;
    caps.subgroup = Subgroup {
        size: v11.subgroup_size,
        min_size: if varies {
            v13.min_subgroup_size
        } else {
            v11.subgroup_size
        },
        max_size: if varies {
            v13.max_subgroup_size
        } else {
            v11.subgroup_size
        },
        required_size: varies
            && (v13.required_subgroup_size_stages).contains(vk::ShaderStageFlags::COMPUTE),
        max_subgroups_per_group: if varies {
            v13.max_compute_workgroup_subgroups
        } else {
            0
        },
        ops: SubgroupOps {
            basic: operation(vk::SubgroupFeatureFlags::BASIC),
            vote: operation(vk::SubgroupFeatureFlags::VOTE),
            arithmetic: operation(vk::SubgroupFeatureFlags::ARITHMETIC),
            ballot: operation(vk::SubgroupFeatureFlags::BALLOT),
            shuffle: operation(vk::SubgroupFeatureFlags::SHUFFLE),
            shuffle_relative: operation(vk::SubgroupFeatureFlags::SHUFFLE_RELATIVE),
            clustered: operation(vk::SubgroupFeatureFlags::CLUSTERED),
            quad: operation(vk::SubgroupFeatureFlags::QUAD),
            rotate: in_compute && caps.features.shader_subgroup_rotate,
        },
    };
}

/// Asks for binary semaphores that can be shared.
fn semaphore_fds(caps: &mut Capabilities, instance: &ash::Instance, physical: vk::PhysicalDevice) {
    if !caps.has_extension("VK_KHR_external_semaphore_fd") {
        return;
    }
    let kinds = [
        vk::ExternalSemaphoreHandleTypeFlags::OPAQUE_FD,
        vk::ExternalSemaphoreHandleTypeFlags::SYNC_FD,
    ];
    caps.semaphore_fds = kinds.map(|kind| {
        let info = vk::PhysicalDeviceExternalSemaphoreInfo::default().handle_type(kind);
        let mut properties = vk::ExternalSemaphoreProperties::default();
        // SAFETY: `physical` was enumerated from `instance`, which is of Vulkan 1.1 or later.
        unsafe {
            instance.get_physical_device_external_semaphore_properties(
                physical,
                &info,
                &mut properties,
            );
        }
        properties.external_semaphore_features.contains(
            vk::ExternalSemaphoreFeatureFlags::IMPORTABLE
                | vk::ExternalSemaphoreFeatureFlags::EXPORTABLE,
        )
    });
}

/// Asks for memory that buffers can be imported from without an allocation of its own.
fn memory_fds(caps: &mut Capabilities, instance: &ash::Instance, physical: vk::PhysicalDevice) {
    if !caps.has_extension("VK_KHR_external_memory_fd") {
        return;
    }
    let dma_bufs = caps.has_extension("VK_EXT_external_memory_dma_buf");
    let kinds = [
        (vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD, true),
        (vk::ExternalMemoryHandleTypeFlags::DMA_BUF_EXT, dma_bufs),
    ];
    caps.memory_fds = kinds.map(|(kind, there)| {
        let info = vk::PhysicalDeviceExternalBufferInfo::default()
            .usage(vk::BufferUsageFlags::STORAGE_BUFFER | vk::BufferUsageFlags::TRANSFER_DST)
            .handle_type(kind);
        let mut properties = vk::ExternalBufferProperties::default();
        if there {
            // SAFETY: `physical` was enumerated from `instance`, which is of Vulkan 1.1 or later.
            unsafe {
                instance.get_physical_device_external_buffer_properties(
                    physical,
                    &info,
                    &mut properties,
                );
            }
        }
        let features = properties
            .external_memory_properties
            .external_memory_features;
        features.contains(vk::ExternalMemoryFeatureFlags::IMPORTABLE)
            && !features.contains(vk::ExternalMemoryFeatureFlags::DEDICATED_ONLY)
    });
}

fn memory(caps: &mut Capabilities, instance: &ash::Instance, physical: vk::PhysicalDevice) {
    // SAFETY: `physical` was enumerated from `instance`.
    let memory = unsafe { instance.get_physical_device_memory_properties(physical) };
    let types = memory.memory_types_as_slice();
    let heap = |(index, heap): (usize, &vk::MemoryHeap)| MemoryHeap {
        size: heap.size,
        device_local: heap.flags.contains(vk::MemoryHeapFlags::DEVICE_LOCAL),
        host_visible: types.iter().any(|ty| {
            ty.heap_index as usize == index
                && (ty.property_flags).contains(vk::MemoryPropertyFlags::HOST_VISIBLE)
        }),
    };
    caps.heaps = memory
        .memory_heaps_as_slice()
        .iter()
        .enumerate()
        .map(heap)
        .collect();
    caps.unified_memory = caps.heaps.iter().all(|heap| heap.device_local);
}

/// The queue family that compute work goes to, with its properties: a family without graphics
/// where there is one, since its queues run beside a desktop's.
pub(crate) fn compute_family(
    instance: &ash::Instance,
    physical: vk::PhysicalDevice,
) -> Option<(u32, vk::QueueFamilyProperties)> {
    // SAFETY: `physical` was enumerated from `instance`.
    let families = unsafe { instance.get_physical_device_queue_family_properties(physical) };
    let computes = |family: &vk::QueueFamilyProperties| {
        family.queue_flags.contains(vk::QueueFlags::COMPUTE) && family.queue_count > 0
    };
    let graphics =
        |family: &vk::QueueFamilyProperties| family.queue_flags.contains(vk::QueueFlags::GRAPHICS);
    let indexed = || (0_u32..).zip(families.iter().copied());
    indexed()
        .find(|(_, family)| computes(family) && !graphics(family))
        .or_else(|| indexed().find(|(_, family)| computes(family)))
}

fn queues(
    caps: &mut Capabilities,
    entry: &ash::Entry,
    instance: &ash::Instance,
    physical: vk::PhysicalDevice,
) {
    if let Some((_, family)) = compute_family(instance, physical) {
        caps.queue_count = family.queue_count;
        caps.timestamp_bits = family.timestamp_valid_bits;
    }
    if caps.timestamp_bits == 0 {
        caps.timestamp_period = 0.0;
    } else if caps.has_extension("VK_EXT_calibrated_timestamps") {
        let calibrated = ash::ext::calibrated_timestamps::Instance::new(entry, instance);
        // SAFETY: the device has the extension and belongs to `instance`.
        let domains =
            unsafe { calibrated.get_physical_device_calibrateable_time_domains(physical) };
        caps.calibrated_timestamps = domains.is_ok_and(|domains| {
            domains.contains(&vk::TimeDomainEXT::DEVICE)
                && domains.contains(&vk::TimeDomainEXT::CLOCK_MONOTONIC)
        });
    }
}
