//! Identity, limits and features of a device, as plain data.

use std::collections::BTreeSet;
use std::ffi::CStr;

use ash::vk;

use crate::features::{Chain, Features, Present};
use crate::format::{self, Format, FormatFeatures};
use crate::raw::UNTYPED_POINTERS_NAME;

/// The kind of a device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum DeviceType {
    /// A separate GPU.
    DiscreteGpu,
    /// A GPU that shares memory with the host.
    IntegratedGpu,
    /// A GPU of a virtual machine.
    VirtualGpu,
    /// Runs on the host's processor.
    Cpu,
    /// None of these.
    #[default]
    Other,
}

/// Name and version of the device's driver.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Driver {
    /// VkDriverId's number.
    pub id: u32,
    /// driverName.
    pub name: String,
    /// driverInfo.
    pub info: String,
    /// driverVersion as the driver encodes it.
    pub version: u32,
}

/// Drivers that this crate knows something about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DriverId {
    /// VK_DRIVER_ID_MESA_LLVMPIPE: Mesa on the host's processor.
    MesaLlvmpipe,
    /// VK_DRIVER_ID_NVIDIA_PROPRIETARY.
    NvidiaProprietary,
}

impl Driver {
    /// The driver by its id, where it is one of those known.
    pub fn known_id(&self) -> Option<DriverId> {
        match vk::DriverId::from_raw(self.id as i32) {
            vk::DriverId::MESA_LLVMPIPE => Some(DriverId::MesaLlvmpipe),
            vk::DriverId::NVIDIA_PROPRIETARY => Some(DriverId::NvidiaProprietary),
            _ => None,
        }
    }

    /// Major and minor of the release, which known drivers put into driverInfo: Mesa's behind
    /// their project's name, NVIDIA's alone.
    pub fn release(&self) -> Option<(u32, u32)> {
        let numbers = match self.known_id()? {
            DriverId::MesaLlvmpipe => self.info.strip_prefix("Mesa ")?,
            DriverId::NvidiaProprietary => &self.info,
        };
        let mut numbers = numbers.split(['.', '-', ' ']);
        Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
    }
}

/// A memory heap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct MemoryHeap {
    /// Size in bytes.
    pub size: u64,
    /// On the device.
    pub device_local: bool,
    /// Some memory type of the heap can be mapped.
    pub host_visible: bool,
}

/// Float controls of one width.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FloatControls {
    /// SignedZeroInfNanPreserve may be declared.
    pub signed_zero_inf_nan_preserve: bool,
    /// DenormPreserve may be declared.
    pub denorm_preserve: bool,
    /// DenormFlushToZero may be declared.
    pub denorm_flush_to_zero: bool,
    /// RoundingModeRTE may be declared.
    pub rounding_rte: bool,
    /// RoundingModeRTZ may be declared.
    pub rounding_rtz: bool,
}

/// Subgroup properties of the compute stage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Subgroup {
    /// subgroupSize.
    pub size: u32,
    /// minSubgroupSize, equal to `size` where it does not vary.
    pub min_size: u32,
    /// maxSubgroupSize, equal to `size` where it does not vary.
    pub max_size: u32,
    /// A size can be required of a pipeline.
    pub required_size: bool,
    /// maxComputeWorkgroupSubgroups; 0 where the device does not say.
    pub max_subgroups_per_group: u32,
    /// Elect and the built-ins.
    pub basic: bool,
    /// All, any, all-equal.
    pub vote: bool,
    /// Reductions and scans.
    pub arithmetic: bool,
    /// Ballot and broadcast.
    pub ballot: bool,
    /// Shuffle and shuffle-xor.
    pub shuffle: bool,
    /// Shuffle-up and shuffle-down.
    pub shuffle_relative: bool,
    /// Clustered reductions.
    pub clustered: bool,
    /// Quad operations.
    pub quad: bool,
    /// Rotate.
    pub rotate: bool,
}

impl Subgroup {
    /// Returns whether pipelines may have sub-groups of different sizes.
    pub fn varies(&self) -> bool {
        self.min_size != self.max_size
    }

    /// The sizes that a pipeline can have for certain: the one that there is, or those that it can
    /// require.
    pub fn sizes(&self) -> Vec<u32> {
        let sizes = (0..u32::BITS).map(|log| 1 << log);
        let sizes = sizes.filter(|size| (self.min_size..=self.max_size).contains(size));
        match self.varies() && !self.required_size {
            true => Vec::new(),
            false => sizes.collect(),
        }
    }

    /// Work-items of the largest work-group with sub-groups of `size`, if that limits it.
    pub fn most_work_items(&self, size: u32) -> Option<u32> {
        let limits = self.varies() && self.max_subgroups_per_group != 0;
        limits.then(|| size.saturating_mul(self.max_subgroups_per_group))
    }
}

/// Limits; sizes in bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Limits {
    /// maxComputeWorkGroupCount.
    pub max_group_count: [u32; 3],
    /// maxComputeWorkGroupSize.
    pub max_group_size: [u32; 3],
    /// maxComputeWorkGroupInvocations.
    pub max_group_invocations: u32,
    /// maxComputeSharedMemorySize.
    pub max_shared_memory: u32,
    /// maxPushConstantsSize.
    pub max_push_constants: u32,
    /// maxBoundDescriptorSets.
    pub max_bound_sets: u32,
    /// maxStorageBufferRange.
    pub max_storage_buffer_range: u32,
    /// maxUniformBufferRange.
    pub max_uniform_buffer_range: u32,
    /// minStorageBufferOffsetAlignment.
    pub min_storage_buffer_alignment: u64,
    /// minUniformBufferOffsetAlignment.
    pub min_uniform_buffer_alignment: u64,
    /// minTexelBufferOffsetAlignment.
    pub min_texel_buffer_alignment: u64,
    /// maxTexelBufferElements.
    pub max_texel_buffer_elements: u32,
    /// maxPerStageDescriptorStorageBuffers.
    pub max_storage_buffers: u32,
    /// maxPerStageDescriptorUniformBuffers.
    pub max_uniform_buffers: u32,
    /// maxPerStageDescriptorSampledImages.
    pub max_sampled_images: u32,
    /// maxPerStageDescriptorStorageImages.
    pub max_storage_images: u32,
    /// maxPerStageDescriptorSamplers.
    pub max_samplers: u32,
    /// maxPerStageResources.
    pub max_resources: u32,
    /// maxImageDimension1D.
    pub max_image_1d: u32,
    /// maxImageDimension2D.
    pub max_image_2d: u32,
    /// maxImageDimension3D.
    pub max_image_3d: u32,
    /// maxImageArrayLayers.
    pub max_image_layers: u32,
    /// maxMemoryAllocationSize.
    pub max_allocation: u64,
    /// The largest buffer (maxBufferSize; maxMemoryAllocationSize where the device does not say).
    pub max_buffer: u64,
}

/// A device's identity, limits and features. Plain data: nothing here asks Vulkan.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Capabilities {
    /// deviceName.
    pub name: String,
    /// The kind of device.
    pub device_type: DeviceType,
    /// Major, minor and patch of the device's API version.
    pub api_version: (u32, u32, u32),
    /// PCI or Khronos vendor id.
    pub vendor_id: u32,
    /// deviceID.
    pub device_id: u32,
    /// The driver.
    pub driver: Driver,
    /// deviceUUID.
    pub device_uuid: [u8; 16],
    /// driverUUID.
    pub driver_uuid: [u8; 16],
    /// deviceLUID and deviceNodeMask, where valid.
    pub luid: Option<([u8; 8], u32)>,
    /// PCI domain, bus, device and function (VK_EXT_pci_bus_info).
    pub pci: Option<[u32; 4]>,
    /// Memory heaps.
    pub heaps: Vec<MemoryHeap>,
    /// Every heap is device-local: host and device share their memory.
    pub unified_memory: bool,
    /// Limits.
    pub limits: Limits,
    /// Features, masked ones cleared.
    pub features: Features,
    /// Names in the mask: features, device extensions and results of probes.
    pub masked: Vec<String>,
    /// Float controls for 16-, 32- and 64-bit floats.
    pub float_controls: [FloatControls; 3],
    /// Subgroup properties.
    pub subgroup: Subgroup,
    /// minImportedHostPointerAlignment where host memory can be imported.
    pub host_import_alignment: Option<u64>,
    /// Nanoseconds per timestamp tick; 0 where the compute queue has no timestamps.
    pub timestamp_period: f32,
    /// Meaningful bits of a timestamp; 0 where there are none.
    pub timestamp_bits: u32,
    /// VK_EXT_calibrated_timestamps with CLOCK_MONOTONIC.
    pub calibrated_timestamps: bool,
    /// Compute queues that can run side by side.
    pub queue_count: u32,
    /// Supported uses of each texel format.
    pub formats: Vec<(Format, FormatFeatures)>,
    /// Every extension that the device lists, masked ones left out.
    pub extensions: BTreeSet<String>,
}

impl Capabilities {
    /// Returns whether the device lists an extension. Features are tested by their bit.
    pub fn has_extension(&self, name: &str) -> bool {
        self.extensions.contains(name)
    }

    /// Returns the supported uses of a format.
    pub fn format(&self, format: Format) -> FormatFeatures {
        let row = self.formats.iter().find(|(row, _)| *row == format);
        row.map(|(_, features)| *features).unwrap_or_default()
    }

    /// Bytes of device-local memory in the largest heap.
    pub fn device_memory(&self) -> u64 {
        let local = self.heaps.iter().filter(|heap| heap.device_local);
        local.map(|heap| heap.size).max().unwrap_or(0)
    }

    /// VK_AMD_shader_ballot, which has no feature bit.
    pub fn shader_ballot_amd(&self) -> bool {
        self.has_extension("VK_AMD_shader_ballot")
    }

    /// Returns the feature structs that may be chained.
    pub(crate) fn present(&self) -> Present {
        let has = |name: &CStr| name.to_str().is_ok_and(|name| self.has_extension(name));
        Present {
            v13: self.api_version >= (1, 3, 0),
            atomic_float: has(ash::ext::shader_atomic_float::NAME),
            atomic_float2: has(ash::ext::shader_atomic_float2::NAME),
            explicit_layout: has(ash::khr::workgroup_memory_explicit_layout::NAME),
            rotate: has(ash::khr::shader_subgroup_rotate::NAME),
            clock: has(ash::khr::shader_clock::NAME),
            reconvergence: has(ash::khr::shader_maximal_reconvergence::NAME),
            untyped: has(UNTYPED_POINTERS_NAME),
        }
    }

    /// The extensions to enable: those that a feature or a call of this crate needs.
    pub(crate) fn extensions_to_enable(&self) -> Vec<&'static CStr> {
        let present = self.present();
        [
            (ash::ext::shader_atomic_float::NAME, present.atomic_float),
            (
                ash::ext::shader_atomic_float2::NAME,
                present.atomic_float2 && present.atomic_float,
            ),
            (
                ash::khr::workgroup_memory_explicit_layout::NAME,
                present.explicit_layout,
            ),
            (ash::khr::shader_subgroup_rotate::NAME, present.rotate),
            (ash::khr::shader_clock::NAME, present.clock),
            (
                ash::khr::shader_maximal_reconvergence::NAME,
                present.reconvergence,
            ),
            (UNTYPED_POINTERS_NAME, present.untyped),
            (ash::amd::shader_ballot::NAME, self.shader_ballot_amd()),
            (
                ash::ext::external_memory_host::NAME,
                self.host_import_alignment.is_some(),
            ),
            (
                ash::ext::calibrated_timestamps::NAME,
                self.calibrated_timestamps,
            ),
        ]
        .into_iter()
        .filter_map(|(name, there)| there.then_some(name))
        .collect()
    }
}

fn text(chars: &[std::ffi::c_char]) -> String {
    let bytes: Vec<u8> = (chars.iter().map(|&c| c as u8))
        .take_while(|&c| c != 0)
        .collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Asks Vulkan everything about a physical device, then clears what `masked` names.
pub(crate) fn query(
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
    queues(&mut caps, entry, instance, physical);
    Ok(caps)
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
        basic: operation(vk::SubgroupFeatureFlags::BASIC),
        vote: operation(vk::SubgroupFeatureFlags::VOTE),
        arithmetic: operation(vk::SubgroupFeatureFlags::ARITHMETIC),
        ballot: operation(vk::SubgroupFeatureFlags::BALLOT),
        shuffle: operation(vk::SubgroupFeatureFlags::SHUFFLE),
        shuffle_relative: operation(vk::SubgroupFeatureFlags::SHUFFLE_RELATIVE),
        clustered: operation(vk::SubgroupFeatureFlags::CLUSTERED),
        quad: operation(vk::SubgroupFeatureFlags::QUAD),
        rotate: in_compute && caps.features.shader_subgroup_rotate,
    };
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
