//! Fills [`Capabilities`] from what Vulkan reports.

use std::collections::BTreeSet;

use ash::vk;

use super::{Capabilities, DeviceType, MemoryHeap, TIMESTAMPS, matrix, properties};
use crate::features::{Chain, Features};
use crate::format;
use crate::raw::enqueue;

pub(super) fn text(chars: &[std::ffi::c_char]) -> String {
    let bytes: Vec<u8> = (chars.iter().map(|&c| c as u8))
        .take_while(|&c| c != 0)
        .collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Returns whether this crate knows the revision of an extension. Revision 1 of VK_AMDX_shader_enqueue has
/// commands of the same names with other arguments.
fn speaks(extension: &vk::ExtensionProperties) -> bool {
    extension.extension_name_as_c_str() != Ok(ash::amdx::shader_enqueue::NAME)
        || extension.spec_version == enqueue::SPEC_VERSION
}

/// The version to which the mask `vulkan1.N` lowers instance and devices.
pub(crate) fn highest_version(masked: &[String]) -> (u32, u32) {
    let versions = masked
        .iter()
        .filter_map(|name| name.strip_prefix("vulkan1."));
    let minor = versions.filter_map(|minor| minor.parse().ok()).min();
    (1, minor.unwrap_or(u32::MAX))
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
    let reported = (
        vk::api_version_major(basic.api_version),
        vk::api_version_minor(basic.api_version),
        vk::api_version_patch(basic.api_version),
    );
    let (major, minor) = highest_version(masked);
    let version = reported.min((major, minor, 0));
    let extensions: BTreeSet<String> = (listed.iter())
        .filter(|extension| speaks(extension))
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
    if version < (1, 1, 0) {
        // The calls below came with 1.1; the floor refuses the device anyway.
        return Ok(caps);
    }

    let present = caps.present();
    let mut chain = Chain::default();
    chain.link(present, |head| {
        // SAFETY: `head` links only structs that the device's version or extensions define.
        unsafe { instance.get_physical_device_features2(physical, head) }
    });
    if !present.v12 {
        // The extension has no feature struct.
        let there = caps.has_extension("VK_KHR_sampler_mirror_clamp_to_edge");
        chain.v12.sampler_mirror_clamp_to_edge = vk::Bool32::from(there);
    }
    caps.features = Features::from_chain(&chain);
    for name in masked {
        caps.features.mask(name);
    }
    caps.features.settle();
    properties::query(&mut caps, instance, physical, present);
    if caps.is_masked("denormals") {
        for controls in &mut caps.float_controls {
            controls.denorm_preserve = false;
        }
    }
    caps.formats = format::query(instance, physical, &caps.features, present.v13);
    if caps.features.cooperative_matrix {
        matrix::query(&mut caps, entry, instance, physical)?;
    }
    memory(&mut caps, instance, physical);
    memory_fds(&mut caps, instance, physical);
    semaphore_fds(&mut caps, instance, physical);
    queues(&mut caps, entry, instance, physical);
    Ok(caps)
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

/// The memory that the process may use, and that it uses. The device has VK_EXT_memory_budget.
pub(crate) fn budgets(
    instance: &ash::Instance,
    physical: vk::PhysicalDevice,
) -> vk::PhysicalDeviceMemoryBudgetPropertiesEXT<'static> {
    let mut budget = vk::PhysicalDeviceMemoryBudgetPropertiesEXT::default();
    let mut memory = vk::PhysicalDeviceMemoryProperties2::default().push_next(&mut budget);
    // SAFETY: `physical` was enumerated from `instance`, and has the extension.
    unsafe { instance.get_physical_device_memory_properties2(physical, &mut memory) };
    budget
}

fn memory(caps: &mut Capabilities, instance: &ash::Instance, physical: vk::PhysicalDevice) {
    // SAFETY: `physical` was enumerated from `instance`.
    let memory = unsafe { instance.get_physical_device_memory_properties(physical) };
    let types = memory.memory_types_as_slice();
    let budgets = caps.has_budget().then(|| budgets(instance, physical));
    let budget = |index: usize| Some(budgets?.heap_budget[index]).filter(|bytes| *bytes > 0);
    let heap = |(index, heap): (usize, &vk::MemoryHeap)| MemoryHeap {
        size: heap.size,
        budget: budget(index).unwrap_or(heap.size),
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

/// The queue family that does nothing but copy, which a device's copy engines are: none where another family
/// would have to do it.
pub(crate) fn transfer_family(
    instance: &ash::Instance,
    physical: vk::PhysicalDevice,
) -> Option<u32> {
    // SAFETY: `physical` was enumerated from `instance`.
    let families = unsafe { instance.get_physical_device_queue_family_properties(physical) };
    let index = families.iter().position(only_copies)?;
    u32::try_from(index).ok()
}

fn only_copies(family: &vk::QueueFamilyProperties) -> bool {
    let beside = vk::QueueFlags::SPARSE_BINDING | vk::QueueFlags::PROTECTED;
    family.queue_count > 0 && family.queue_flags & !beside == vk::QueueFlags::TRANSFER
}

fn queues(
    caps: &mut Capabilities,
    entry: &ash::Entry,
    instance: &ash::Instance,
    physical: vk::PhysicalDevice,
) {
    if let Some((_, family)) = compute_family(instance, physical) {
        caps.queue_count = family.queue_count;
        if !caps.is_masked(TIMESTAMPS) {
            caps.timestamp_bits = family.timestamp_valid_bits;
        }
    }
    caps.transfer_queue = transfer_family(instance, physical).is_some();
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

#[cfg(test)]
mod tests {
    use super::{enqueue, only_copies, speaks};
    use ash::vk;

    #[test]
    fn families_that_only_copy() {
        let family = |queue_flags, queue_count| vk::QueueFamilyProperties {
            queue_flags,
            queue_count,
            ..Default::default()
        };
        let copies = vk::QueueFlags::TRANSFER;
        assert!(only_copies(&family(copies, 2)));
        assert!(only_copies(&family(
            copies | vk::QueueFlags::SPARSE_BINDING,
            1
        )));
        assert!(!only_copies(&family(copies, 0)));
        for more in [
            vk::QueueFlags::COMPUTE,
            vk::QueueFlags::GRAPHICS,
            vk::QueueFlags::VIDEO_DECODE_KHR,
        ] {
            assert!(!only_copies(&family(copies | more, 1)));
        }
        assert!(!only_copies(&family(vk::QueueFlags::SPARSE_BINDING, 1)));
    }

    #[test]
    fn work_graphs_are_known_in_one_revision() {
        let listed = |name: &std::ffi::CStr, spec_version| {
            let mut extension = vk::ExtensionProperties {
                spec_version,
                ..Default::default()
            };
            for (to, &from) in extension.extension_name.iter_mut().zip(name.to_bytes()) {
                *to = from as std::ffi::c_char;
            }
            extension
        };
        let graphs = ash::amdx::shader_enqueue::NAME;
        assert!(!speaks(&listed(graphs, 1)));
        assert!(speaks(&listed(graphs, enqueue::SPEC_VERSION)));
        assert!(!speaks(&listed(graphs, enqueue::SPEC_VERSION + 1)));
        assert!(speaks(&listed(ash::khr::maintenance5::NAME, 1)));
    }
}
