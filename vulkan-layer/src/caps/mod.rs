//! Identity, limits and features of a device, as plain data.

use std::collections::BTreeSet;
use std::ffi::CStr;
use std::fmt;

use ash::vk;

use crate::features::{Features, Present, Promoted};
use crate::format::{Format, FormatFeatures, FormatTable};
use crate::raw::UNTYPED_POINTERS_NAME;

mod compute_units;
mod layered;
mod matrix;
mod probes;
mod properties;
pub(crate) mod query;

pub use probes::Probes;
use pumice_target::matrix::NativeProduct;
pub use pumice_target::{FloatControls, SubgroupOps};

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
    /// The driver to which it passes everything on, out of a virtual machine; `None` if it does the work itself, or does not tell.
    pub host: Option<Box<Driver>>,
    /// Those that it may be, where the driver does not tell.
    pub hosts: &'static [DriverId],
}

impl fmt::Display for Driver {
    /// Writes the driver's name and version, and those of the one to which it passes everything on.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.name, self.info)?;
        match &self.host {
            Some(host) => write!(f, ", on {host}"),
            None => Ok(()),
        }
    }
}

/// Drivers that this crate knows something about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DriverId {
    /// VK_DRIVER_ID_IMAGINATION_OPEN_SOURCE_MESA: Mesa's PowerVR on Imagination's GPUs.
    ImaginationMesa,
    /// VK_DRIVER_ID_INTEL_OPEN_SOURCE_MESA: Mesa's ANV and HASVK on Intel's GPUs.
    IntelMesa,
    /// VK_DRIVER_ID_MESA_HONEYKRISP: Mesa on Apple's GPUs.
    MesaHoneykrisp,
    /// VK_DRIVER_ID_MESA_LLVMPIPE: Mesa on the host's processor.
    MesaLlvmpipe,
    /// VK_DRIVER_ID_MESA_NVK: Mesa on NVIDIA's GPUs.
    MesaNvk,
    /// VK_DRIVER_ID_MESA_PANVK: Mesa on Arm's GPUs.
    MesaPanvk,
    /// VK_DRIVER_ID_MESA_RADV: Mesa on AMD's GPUs.
    MesaRadv,
    /// VK_DRIVER_ID_MESA_TURNIP: Mesa on Qualcomm's GPUs.
    MesaTurnip,
    /// VK_DRIVER_ID_MESA_V3DV: Mesa on Broadcom's GPUs.
    MesaV3dv,
    /// VK_DRIVER_ID_NVIDIA_PROPRIETARY.
    NvidiaProprietary,
    /// VK_DRIVER_ID_GOOGLE_SWIFTSHADER: on the host's processor.
    SwiftShader,
}

/// Those that a driver of this id may pass everything on to, for a device of that kind and vendor: it tells nothing
/// else of them.
pub(crate) fn hosts(id: u32, device_type: DeviceType, vendor_id: u32) -> &'static [DriverId] {
    if vk::DriverId::from_raw(id as i32) != vk::DriverId::MESA_VENUS {
        return &[];
    }
    match (device_type, vendor_id) {
        (DeviceType::Cpu, _) => &[DriverId::MesaLlvmpipe],
        (_, 0x1002) => &[DriverId::MesaRadv],
        (_, 0x10de) => &[DriverId::NvidiaProprietary, DriverId::MesaNvk],
        (_, 0x106b) => &[DriverId::MesaHoneykrisp],
        (_, 0x13b5) => &[DriverId::MesaPanvk],
        (_, 0x14e4) => &[DriverId::MesaV3dv],
        (_, 0x1010) => &[DriverId::ImaginationMesa],
        (_, 0x5143) => &[DriverId::MesaTurnip],
        (_, 0x8086) => &[DriverId::IntelMesa],
        _ => &[],
    }
}

impl Driver {
    /// The driver by its id, where it is one of those known.
    pub fn known_id(&self) -> Option<DriverId> {
        /// VK_DRIVER_ID_MESA_HONEYKRISP, which ash lacks.
        const MESA_HONEYKRISP: vk::DriverId = vk::DriverId::from_raw(26);
        match vk::DriverId::from_raw(self.id as i32) {
            MESA_HONEYKRISP => Some(DriverId::MesaHoneykrisp),
            vk::DriverId::IMAGINATION_OPEN_SOURCE_MESA => Some(DriverId::ImaginationMesa),
            vk::DriverId::INTEL_OPEN_SOURCE_MESA => Some(DriverId::IntelMesa),
            vk::DriverId::MESA_LLVMPIPE => Some(DriverId::MesaLlvmpipe),
            vk::DriverId::MESA_NVK => Some(DriverId::MesaNvk),
            vk::DriverId::MESA_PANVK => Some(DriverId::MesaPanvk),
            vk::DriverId::MESA_RADV => Some(DriverId::MesaRadv),
            vk::DriverId::MESA_TURNIP => Some(DriverId::MesaTurnip),
            vk::DriverId::MESA_V3DV => Some(DriverId::MesaV3dv),
            vk::DriverId::NVIDIA_PROPRIETARY => Some(DriverId::NvidiaProprietary),
            vk::DriverId::GOOGLE_SWIFTSHADER => Some(DriverId::SwiftShader),
            _ => None,
        }
    }

    /// Major and minor of the release, which known drivers put into driverInfo (Mesa's behind their
    /// project's name, NVIDIA's alone) or, SwiftShader's, into driverVersion.
    pub fn release(&self) -> Option<(u32, u32)> {
        let numbers = match self.known_id()? {
            DriverId::ImaginationMesa
            | DriverId::IntelMesa
            | DriverId::MesaHoneykrisp
            | DriverId::MesaLlvmpipe
            | DriverId::MesaNvk
            | DriverId::MesaPanvk
            | DriverId::MesaRadv
            | DriverId::MesaTurnip
            | DriverId::MesaV3dv => self.info.strip_prefix("Mesa ")?,
            DriverId::NvidiaProprietary => &self.info,
            DriverId::SwiftShader => {
                let (major, minor) = (
                    vk::api_version_major(self.version),
                    vk::api_version_minor(self.version),
                );
                return Some((major, minor));
            }
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
    /// Bytes that the process could use when the device was found (VK_EXT_memory_budget); the size where the driver
    /// does not tell.
    pub budget: u64,
    /// On the device.
    pub device_local: bool,
    /// Some memory type of the heap can be mapped.
    pub host_visible: bool,
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
    /// Operations in compute shaders.
    pub ops: SubgroupOps,
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
    /// maxComputeWorkGroupInvocations, at most [`pumice_target::MOST_GROUP_INVOCATIONS`].
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
    /// True if descriptor sets are made so that they could be updated after they are bound, because
    /// there may be too few descriptors of images otherwise: the numbers of descriptors and resources
    /// are then those of such sets.
    pub update_after_bind: bool,
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
    /// maxExecutionGraphShaderPayloadSize; 0 without graphs.
    pub max_payload_size: u32,
    /// The most payloads that a work-group can make, and nodes that a kernel can enqueue them for:
    /// maxExecutionGraphShaderPayloadCount and maxExecutionGraphShaderOutputNodes, the smaller one; 0 without graphs.
    pub max_payloads: u32,
    /// maxExecutionGraphDepth: the node that the host starts counts as 1. 0 without graphs.
    pub max_graph_depth: u32,
    /// The most work-groups of a node's dispatch in the first dimension, and of all of it
    /// (maxExecutionGraphWorkgroupCount, maxExecutionGraphWorkgroups). A device that says neither has those of other
    /// dispatches. 0 without graphs.
    pub max_node_groups: [u32; 2],
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
    /// Compute units, where an extension of the device's maker tells them.
    pub compute_units: Option<u32>,
    /// PCI domain, bus, device and function (VK_EXT_pci_bus_info).
    pub pci: Option<[u32; 4]>,
    /// Memory heaps.
    pub heaps: Vec<MemoryHeap>,
    /// Every heap is device-local: host and device share their memory.
    pub unified_memory: bool,
    /// Limits.
    pub limits: Limits,
    /// Device addresses are the process's own. False until a probe has found it
    /// ([`Probes::host_addresses`](crate::caps::Probes::host_addresses)), for whoever keeps the findings here.
    pub host_addresses: bool,
    /// Features, masked ones cleared.
    pub features: Features,
    /// Names in the mask: features, device extensions and results of probes.
    pub masked: Vec<String>,
    /// Float controls for 16-, 32- and 64-bit floats.
    pub float_controls: [FloatControls; 3],
    /// Subgroup properties.
    pub subgroup: Subgroup,
    /// Products of cooperative matrices that sub-groups compute in compute shaders, as far as OpenCL programs can have
    /// them. Only those of integers are exact.
    pub matrix_products: Vec<NativeProduct>,
    /// minImportedHostPointerAlignment where host memory can be imported.
    pub host_import_alignment: Option<u64>,
    /// Memory of other APIs that can be imported: opaque file descriptors, dma-bufs.
    pub memory_fds: [bool; 2],
    /// Binary semaphores that can be imported and exported: opaque file descriptors, sync files.
    pub semaphore_fds: [bool; 2],
    /// Nanoseconds per timestamp tick; 0 where the compute queue has no timestamps.
    pub timestamp_period: f32,
    /// Meaningful bits of a timestamp; 0 where there are none.
    pub timestamp_bits: u32,
    /// VK_EXT_calibrated_timestamps with CLOCK_MONOTONIC.
    pub calibrated_timestamps: bool,
    /// Compute queues that can run side by side.
    pub queue_count: u32,
    /// There is a queue that only copies, beside those of kernels.
    pub transfer_queue: bool,
    /// Supported uses of each texel format.
    pub formats: FormatTable,
    /// Every extension that the device lists, masked ones left out.
    pub extensions: BTreeSet<String>,
}

/// The mask's name of the times that queues write.
pub(crate) const TIMESTAMPS: &str = "timestamps";

/// More queues than this are not asked for: the number of lanes of an out-of-order queue. NVIDIA's driver takes 20 ms to open
/// each, and 10 to close it.
const MAX_QUEUES: u32 = 4;

impl Capabilities {
    /// Queues that an open device has.
    pub fn opened_queues(&self) -> u32 {
        self.queue_count.clamp(1, MAX_QUEUES)
    }

    /// Returns whether the mask has a word.
    pub fn is_masked(&self, word: &str) -> bool {
        self.masked.iter().any(|name| name == word)
    }

    /// Returns whether the device lists an extension. Features are tested by their bit.
    pub fn has_extension(&self, name: &str) -> bool {
        self.extensions.contains(name)
    }

    /// Returns the supported uses of a format.
    pub fn format(&self, format: Format) -> FormatFeatures {
        let row = self.formats.rows.iter().find(|(row, _)| *row == format);
        row.map(|(_, features)| *features).unwrap_or_default()
    }

    /// Offers writes of texel buffers without a format wherever the device has storage texel buffers, if
    /// its own feature of such writes allows it.
    pub(crate) fn write_texels_by_device(&mut self) {
        let there = self.features.shader_storage_image_write_without_format;
        for (_, features) in &mut self.formats.rows {
            features.storage_texel_write = there && features.storage_texel;
        }
    }

    /// Prefers sub-groups of 16 work-items to larger ones ([`QuirkKind::SubGroupsOf16`]) where pipelines can have them.
    pub(crate) fn prefer_sub_groups_of_16(&mut self) {
        let sizes = self.subgroup.sizes();
        if !self.features.shader_maximal_reconvergence && sizes.contains(&16) {
            self.subgroup.size = self.subgroup.size.min(16);
        }
    }

    /// Bytes of device-local memory in the largest heap; on a card with memory of its own no more than the process
    /// may use.
    pub fn device_memory(&self) -> u64 {
        let local = self.heaps.iter().filter(|heap| heap.device_local);
        let bytes = local.map(|heap| match self.unified_memory {
            // The budget of the host's memory is what happens to be free.
            true => heap.size,
            false => heap.size.min(heap.budget),
        });
        bytes.max().unwrap_or(0)
    }

    /// Returns whether the driver tells how much memory the process may use.
    pub(crate) fn has_budget(&self) -> bool {
        self.has_extension("VK_EXT_memory_budget")
    }

    /// The highest version of SPIR-V that the device takes.
    pub fn spirv_version(&self) -> (u8, u8) {
        match self.api_version {
            version if version >= (1, 3, 0) => (1, 6),
            version if version >= (1, 2, 0) => (1, 5),
            _ if self.has_extension("VK_KHR_spirv_1_4") => (1, 4),
            _ => (1, 3),
        }
    }

    /// VK_AMD_shader_ballot, which has no feature bit.
    pub fn shader_ballot_amd(&self) -> bool {
        self.has_extension("VK_AMD_shader_ballot")
    }

    /// Returns whether memory of other APIs can be imported.
    pub fn imports_memory(&self) -> bool {
        self.memory_fds.contains(&true)
    }

    /// Returns whether semaphores can be shared with other APIs.
    pub fn shares_semaphores(&self) -> bool {
        self.semaphore_fds.contains(&true)
    }

    /// Returns the feature structs that may be chained.
    pub(crate) fn present(&self) -> Present {
        let has = |name: &CStr| name.to_str().is_ok_and(|name| self.has_extension(name));
        Present {
            v12: self.api_version >= (1, 2, 0),
            v13: self.api_version >= (1, 3, 0),
            promoted: Promoted::of(self.api_version, has),
            atomic_float: has(ash::ext::shader_atomic_float::NAME),
            atomic_float2: has(ash::ext::shader_atomic_float2::NAME),
            explicit_layout: has(ash::khr::workgroup_memory_explicit_layout::NAME)
                && self.spirv_version() >= (1, 4),
            rotate: has(ash::khr::shader_subgroup_rotate::NAME),
            clock: has(ash::khr::shader_clock::NAME),
            matrix: has(ash::khr::cooperative_matrix::NAME),
            reconvergence: has(ash::khr::shader_maximal_reconvergence::NAME),
            untyped: has(UNTYPED_POINTERS_NAME),
            // What the extension depends on, as far as the device's version does not bring it.
            enqueue: has(ash::amdx::shader_enqueue::NAME)
                && has(ash::khr::pipeline_library::NAME)
                && has(ash::khr::maintenance5::NAME)
                && self.api_version >= (1, 3, 0),
        }
    }

    /// Returns the feature structs to chain at device creation. A driver may list work graphs without
    /// the feature bit; the extension then stays off.
    pub(crate) fn to_enable(&self) -> Present {
        let present = self.present();
        Present {
            enqueue: present.enqueue && self.features.shader_enqueue,
            ..present
        }
    }

    /// The extensions to enable: those that a feature or a call of this crate needs.
    pub(crate) fn extensions_to_enable(&self) -> Vec<&'static CStr> {
        let present = self.to_enable();
        // Core since Vulkan 1.2, and without a struct.
        let has = |name: &CStr| name.to_str().is_ok_and(|name| self.has_extension(name));
        let before_12 = |name: &CStr| !present.v12 && has(name);
        let single = [
            (
                ash::khr::spirv_1_4::NAME,
                before_12(ash::khr::spirv_1_4::NAME),
            ),
            (
                ash::khr::sampler_mirror_clamp_to_edge::NAME,
                before_12(ash::khr::sampler_mirror_clamp_to_edge::NAME),
            ),
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
            (ash::khr::cooperative_matrix::NAME, present.matrix),
            (UNTYPED_POINTERS_NAME, present.untyped),
            (ash::amdx::shader_enqueue::NAME, present.enqueue),
            (ash::khr::pipeline_library::NAME, present.enqueue),
            (ash::khr::maintenance5::NAME, present.enqueue),
            (ash::amd::shader_ballot::NAME, self.shader_ballot_amd()),
            (
                ash::ext::external_memory_host::NAME,
                self.host_import_alignment.is_some(),
            ),
            (ash::khr::external_memory_fd::NAME, self.imports_memory()),
            (
                ash::khr::external_semaphore_fd::NAME,
                self.shares_semaphores(),
            ),
            (ash::ext::external_memory_dma_buf::NAME, self.memory_fds[1]),
            (
                ash::ext::calibrated_timestamps::NAME,
                self.calibrated_timestamps,
            ),
        ];
        let single = single.into_iter();
        let single = single.filter_map(|(name, there)| there.then_some(name));
        let of_properties = properties::Promoted::of(self.api_version, has).extensions();
        let promoted = present
            .promoted
            .extensions()
            .into_iter()
            .chain(of_properties);
        let all: BTreeSet<_> = single.chain(promoted).collect();
        all.into_iter().collect()
    }
}
