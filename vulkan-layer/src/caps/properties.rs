//! Identity, limits and other properties of a device.

use std::ffi::CStr;

use ash::vk;

use super::query::text;
use super::{Capabilities, Driver, FloatControls, Limits, Subgroup, SubgroupOps, hosts};
use super::{compute_units, layered};
use crate::features::Present;
use crate::promoted::promoted;
use crate::raw::enqueue::ShaderEnqueueProperties;

/// The properties that Vulkan's versions brought.
#[derive(Default)]
pub(super) struct Reported {
    v11: vk::PhysicalDeviceVulkan11Properties<'static>,
    v12: vk::PhysicalDeviceVulkan12Properties<'static>,
    v13: vk::PhysicalDeviceVulkan13Properties<'static>,
}

promoted! {
    Reported, PhysicalDeviceProperties2;
    id PhysicalDeviceIDProperties (1, 2) None => v11 {
        device_uuid driver_uuid device_luid device_node_mask device_luid_valid
    }
    maintenance3 PhysicalDeviceMaintenance3Properties (1, 2) None => v11 {
        max_memory_allocation_size
    }
    driver PhysicalDeviceDriverProperties (1, 2) Some(ash::khr::driver_properties::NAME) => v12 {
        driver_id driver_name driver_info
    }
    float_controls PhysicalDeviceFloatControlsProperties (1, 2)
        Some(ash::khr::shader_float_controls::NAME) => v12 {
        shader_signed_zero_inf_nan_preserve_float16 shader_signed_zero_inf_nan_preserve_float32
        shader_signed_zero_inf_nan_preserve_float64
        shader_denorm_preserve_float16 shader_denorm_preserve_float32
        shader_denorm_preserve_float64
        shader_denorm_flush_to_zero_float16 shader_denorm_flush_to_zero_float32
        shader_denorm_flush_to_zero_float64
        shader_rounding_mode_rte_float16 shader_rounding_mode_rte_float32
        shader_rounding_mode_rte_float64
        shader_rounding_mode_rtz_float16 shader_rounding_mode_rtz_float32
        shader_rounding_mode_rtz_float64
    }
    descriptor_indexing PhysicalDeviceDescriptorIndexingProperties (1, 2)
        Some(ash::ext::descriptor_indexing::NAME) => v12 {
        max_per_stage_descriptor_update_after_bind_storage_buffers
        max_per_stage_descriptor_update_after_bind_uniform_buffers
        max_per_stage_descriptor_update_after_bind_sampled_images
        max_per_stage_descriptor_update_after_bind_storage_images
        max_per_stage_descriptor_update_after_bind_samplers
        max_per_stage_update_after_bind_resources
    }
    subgroup_size PhysicalDeviceSubgroupSizeControlProperties (1, 3)
        Some(ash::ext::subgroup_size_control::NAME) => v13 {
        min_subgroup_size max_subgroup_size max_compute_workgroup_subgroups
        required_subgroup_size_stages
    }
    maintenance4 PhysicalDeviceMaintenance4Properties (1, 3) Some(ash::khr::maintenance4::NAME) => v13 {
        max_buffer_size
    }
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

/// Fills in identity, limits, float controls and sub-groups.
pub(super) fn query(
    caps: &mut Capabilities,
    instance: &ash::Instance,
    physical: vk::PhysicalDevice,
    present: Present,
) {
    let host_memory = caps.has_extension("VK_EXT_external_memory_host");
    let pci_info = caps.has_extension("VK_EXT_pci_bus_info");
    let has = |name: &CStr| name.to_str().is_ok_and(|name| caps.has_extension(name));
    let promoted = Promoted::of(caps.api_version, has);
    let mut reported = Reported::default();
    let mut structs = Structs::of(&reported);
    let mut imports = vk::PhysicalDeviceExternalMemoryHostPropertiesEXT::default();
    let mut pci = vk::PhysicalDevicePCIBusInfoPropertiesEXT::default();
    let mut subgroup = vk::PhysicalDeviceSubgroupProperties::default();
    let mut enqueue = ShaderEnqueueProperties::default();
    let mut head = vk::PhysicalDeviceProperties2::default();
    head = match present.v12 {
        true => head
            .push_next(&mut reported.v11)
            .push_next(&mut reported.v12),
        false => head.push_next(&mut subgroup),
    };
    if present.v13 {
        head = head.push_next(&mut reported.v13);
    }
    head = structs.link(promoted, head);
    if host_memory {
        head = head.push_next(&mut imports);
    }
    if pci_info {
        head = head.push_next(&mut pci);
    }
    if caps.features.shader_enqueue {
        head = head.push_next(&mut enqueue);
    }
    // SAFETY: `head` links only structs that the device's version or extensions define.
    unsafe { instance.get_physical_device_properties2(physical, &mut head) };
    let properties = head.properties;
    structs.give(promoted, &mut reported);
    if !present.v12 {
        // Vulkan 1.2 has other names for these.
        reported.v11.subgroup_size = subgroup.subgroup_size;
        reported.v11.subgroup_supported_stages = subgroup.supported_stages;
        reported.v11.subgroup_supported_operations = subgroup.supported_operations;
    }
    let Reported { v11, v12, v13 } = reported;

    let id = v12.driver_id.as_raw() as u32;
    let host = layered::query(caps, instance, physical);
    caps.driver = Driver {
        id,
        name: text(&v12.driver_name),
        info: text(&v12.driver_info),
        version: properties.driver_version,
        hosts: match host {
            Some(_) => &[],
            None => hosts(id, caps.device_type, caps.vendor_id),
        },
        host,
    };
    caps.device_uuid = v11.device_uuid;
    caps.driver_uuid = v11.driver_uuid;
    caps.luid = (v11.device_luid_valid != 0).then_some((v11.device_luid, v11.device_node_mask));
    caps.compute_units = compute_units::query(caps, instance, physical);
    caps.pci = pci_info.then_some([
        pci.pci_domain,
        pci.pci_bus,
        pci.pci_device,
        pci.pci_function,
    ]);
    caps.host_import_alignment = host_memory.then_some(imports.min_imported_host_pointer_alignment);

    let l = properties.limits;
    caps.limits = Limits {
        max_group_count: l.max_compute_work_group_count,
        max_group_size: l.max_compute_work_group_size,
        max_group_invocations: (l.max_compute_work_group_invocations)
            .min(pumice_target::MOST_GROUP_INVOCATIONS),
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
        max_payload_size: enqueue.max_payload_size,
        max_payloads: enqueue.max_payload_count.min(enqueue.max_output_nodes),
        max_graph_depth: enqueue.max_depth,
        max_node_groups: match caps.features.shader_enqueue {
            true => node_groups(&enqueue, l.max_compute_work_group_count),
            false => [0; 2],
        },
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

/// The most work-groups of a node in the first dimension, and in all; `other` are those of other dispatches.
fn node_groups(enqueue: &ShaderEnqueueProperties, other: [u32; 3]) -> [u32; 2] {
    let said = |number: u32, otherwise: u32| if number == 0 { otherwise } else { number };
    let across = said(enqueue.max_group_count[0], other[0]).min(other[0]);
    let rows = said(enqueue.max_group_count[1], other[1]).min(other[1]);
    let all = across.saturating_mul(rows);
    [across, said(enqueue.max_groups, all).min(all)]
}
