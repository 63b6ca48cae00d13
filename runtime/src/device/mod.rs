//! Devices: found through Vulkan, opened when something needs them.
//!
//! - `platform.rs`: the platform, which has the list of devices
//! - `info.rs`, `extensions.rs`: the answers of clGetDeviceInfo; `conditions.rs`: on what they depend
//! - `gpu.rs`, `gpu_image.rs`: memory, transfers and streams of an open device
//! - `found.rs`: the search for devices, and those left out
//! - `staging.rs`: memory of transfers; `local_memory.rs`: the size of local memory
//! - `format.rs`: the list of image formats
//! - `pipelines.rs`: the driver's pipeline cache on disk

pub mod checks;
pub mod coarse;
pub mod command_buffers;
mod conditions;
mod copies;
pub mod depth_stencil;
pub mod doubles;
pub mod extensions;
pub mod format;
mod format_sets;
mod found;
pub mod gpu;
mod gpu_image;
mod info;
pub(crate) mod local_memory;
mod opened;
mod pipelines;
pub mod platform;
pub mod queue_limits;
pub mod staging;
pub mod svm_types;

use std::any::Any;
use std::sync::{Arc, OnceLock};

use pumice_compiler::abi::DescriptorOptions;
use pumice_compiler::target::matrix::NativeProduct;
use pumice_compiler::target::{FloatAtomics, SmallStorage};
use pumice_compiler::{Abi, Target};
use pumice_vulkan_layer::quirks::{self, QuirkKind};
use pumice_vulkan_layer::{Capabilities, DeviceType, Format, PhysicalDevice};

use crate::base::config;
use crate::base::error::{Error, Result};
use crate::base::log;
use crate::base::object::Kind;
use crate::base::processors::processors;
use crate::device::doubles::Doubles;
pub use crate::device::found::{Absent, Found};
pub(crate) use crate::device::found::{enumerate, report_validation};
use crate::device::opened::Opened;

/// CL_DEVICE_PRINTF_BUFFER_SIZE in MiB, where nothing else is set.
const PRINTF_BUFFER_MIB: u32 = 1;
/// The most that can be set: every launch in flight that may print has a buffer.
const MAX_PRINTF_BUFFER_MIB: u32 = 1024;
/// The highest version of SPIR-V that modules are emitted in: later ones bring nothing that they need.
const SPIRV_VERSION: (u8, u8) = (1, 5);
/// CL_DEVICE_MAX_PARAMETER_SIZE in bytes, see [`Device::max_parameter_size`].
const MAX_PARAMETER_SIZE: usize = 4096;
/// Bytes of arguments above which kernels are refused, whatever the device has room for.
const MAX_ARGUMENT_BYTES: u32 = 64 << 10;
/// The CL_DEVICE_MAX_PARAMETER_SIZE with which a kernel has no more than 128 arguments (section
/// 4.2, table 5), the smallest of the full profile.
const SMALL_PARAMETER_SIZE: usize = 1024;
/// A GPU's compute unit runs so many sub-groups side by side, and takes turns with them while they wait for memory.
const OF_GPU_UNIT: u64 = 16;

/// A device object. Devices live as long as the platform.
pub struct Device {
    platform: usize,
    physical: PhysicalDevice,
    name: String,
    device_type: u64,
    /// The device opened for work.
    gpu: Opened,
    target: OnceLock<Arc<Target>>,
    /// The capabilities with what probes have found, once that is known to differ.
    offered: OnceLock<Capabilities>,
    /// The doubles, once probes have told.
    doubles: OnceLock<Doubles>,
    kept: OnceLock<Kept>,
}

/// An object of a folder that devices do not know.
pub type Kept = Arc<dyn Any + Send + Sync>;

impl std::fmt::Debug for Device {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Device")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl Kind for Device {
    const TAG: u64 = u64::from_le_bytes(*b"pmcDEVIC");
    const INVALID: Error = Error::InvalidDevice;
}

/// CL_DEVICE_PRINTF_BUFFER_SIZE in bytes, as far as a device can bind it.
pub fn printf_buffer_size(caps: &Capabilities) -> u32 {
    static MIB: OnceLock<u32> = OnceLock::new();
    let mib = *MIB.get_or_init(|| {
        let Some(text) = config::PRINTF_BUFFER.value() else {
            return PRINTF_BUFFER_MIB;
        };
        let set = text.parse().ok();
        set.filter(|mib| (1..=MAX_PRINTF_BUFFER_MIB).contains(mib))
            .unwrap_or_else(|| {
                config::PRINTF_BUFFER.refused(&format!(
                    "not a number of MiB from 1 to {MAX_PRINTF_BUFFER_MIB}; it has {PRINTF_BUFFER_MIB} MiB"
                ));
                PRINTF_BUFFER_MIB
            })
    });
    let most = caps.limits.max_storage_buffer_range & !3;
    (mib << 20).min(most.max(PRINTF_BUFFER_MIB << 20))
}

impl Device {
    /// The platform's handle.
    pub(crate) fn platform(&self) -> usize {
        self.platform
    }

    /// The capabilities of the Vulkan device.
    pub fn capabilities(&self) -> &Capabilities {
        self.physical.capabilities()
    }

    /// The capabilities as OpenCL has them: with what the probe of addresses found, and with doubles only where these
    /// are such as OpenCL C allows ([`Doubles`]).
    pub fn offered(&self) -> &Capabilities {
        let caps = self.capabilities();
        let doubles = self.doubles();
        let lacking = caps.features.shader_float64 && doubles == Doubles::Absent;
        let shared = self.has_host_addresses();
        if !lacking && !shared && doubles != Doubles::Soft {
            return caps;
        }
        self.offered.get_or_init(|| {
            let mut caps = caps.clone();
            caps.host_addresses = shared;
            caps.features.shader_float64 |= doubles == Doubles::Soft;
            if lacking {
                log::warn!(
                    "{1}: no doubles, since their denormals are flushed and divisions, roots or fma are not exact \
                     ({0}=flushed offers them so, {0}=soft such as are made of integers)",
                    config::DOUBLES.name,
                    self.name,
                );
                caps.features.shader_float64 = false;
            }
            caps
        })
    }

    /// Tells whether device addresses are the process's own. Only devices whose drivers may have such are opened for
    /// the answer.
    pub fn has_host_addresses(&self) -> bool {
        quirks::has(&self.capabilities().driver, QuirkKind::ProbeHostAddresses)
            && self.gpu().is_ok_and(|gpu| gpu.probes().host_addresses)
    }

    /// The device's doubles. Only devices that do not promise to keep denormals are opened for the answer.
    pub fn doubles(&self) -> Doubles {
        let caps = self.capabilities();
        if let Some(doubles) = self.doubles.get() {
            return *doubles;
        }
        let probes = match Doubles::depend_on_probes(caps).then(|| self.gpu()) {
            Some(Ok(gpu)) => Some(gpu.probes()),
            Some(Err(_)) => return Doubles::of(caps, None),
            None => None,
        };
        *(self.doubles).get_or_init(|| Doubles::of(caps, probes.as_ref()))
    }

    /// The place of the driver's own kernels, which live as long as the device.
    pub fn kept(&self) -> &OnceLock<Kept> {
        &self.kept
    }

    /// CL_DEVICE_NAME.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// CL_DEVICE_TYPE.
    pub fn device_type(&self) -> u64 {
        self.device_type
    }

    /// The device, opened at the first call that can.
    ///
    /// # Errors
    /// CL_DEVICE_NOT_AVAILABLE when Vulkan cannot open it.
    pub fn gpu(&self) -> Result<&gpu::OpenDevice> {
        self.gpu.get(|| self.open())
    }

    /// Opens the device again if it is lost, for a new context. Those that there are go on with what was lost.
    ///
    /// # Errors
    /// CL_DEVICE_NOT_AVAILABLE when Vulkan cannot open it.
    pub fn renew(&self) -> Result<&gpu::OpenDevice> {
        self.gpu.renew(|| self.open())
    }

    /// The number of Vulkan devices that were opened so far: one, and another after each loss.
    pub fn openings(&self) -> usize {
        self.gpu.number()
    }

    /// Tells whether the Vulkan device is lost that a context got when [`Device::openings`] had the value.
    pub fn was_lost(&self, openings: usize) -> bool {
        self.gpu.was_lost(openings)
    }

    fn open(&self) -> Result<gpu::OpenDevice> {
        gpu::OpenDevice::open(&self.physical).map_err(|error| {
            log::error!("{}: {error}", self.name);
            Error::DeviceNotAvailable
        })
    }

    /// CL_DEVICE_MAX_MEM_ALLOC_SIZE in bytes.
    pub fn max_allocation(&self) -> u64 {
        let caps = self.capabilities();
        let all = caps
            .limits
            .max_buffer
            .min(caps.limits.max_allocation)
            .min(caps.device_memory());
        match self.abi() {
            Abi::Addresses => all,
            // What a descriptor can show of a buffer.
            Abi::Descriptors(_) => all.min(u64::from(caps.limits.max_storage_buffer_range)),
        }
    }

    /// CL_DEVICE_MAX_COMPUTE_UNITS: the processors that the driver may use on a CPU, the number that the device's maker tells
    /// on a GPU. If none is told, a middling number serves better than 1: applications multiply it with a work-group size to
    /// fill the device.
    pub fn compute_units(&self) -> u32 {
        let caps = self.capabilities();
        match caps.device_type {
            DeviceType::Cpu => processors(),
            _ => caps.compute_units.unwrap_or(32),
        }
    }

    /// The work-groups that keep the whole device busy, even if some of them run for longer than others.
    pub fn groups_that_fill_it(&self) -> u64 {
        let of_a_unit = match self.capabilities().device_type {
            DeviceType::Cpu => 4,
            _ => OF_GPU_UNIT,
        };
        u64::from(self.compute_units()) * of_a_unit
    }

    /// The work-groups of a sub-group each that the whole device takes part in: a processor runs one at a time.
    pub fn groups_that_use_it(&self) -> u64 {
        let of_a_unit = match self.capabilities().device_type {
            DeviceType::Cpu => 1,
            _ => OF_GPU_UNIT,
        };
        u64::from(self.compute_units()) * of_a_unit
    }

    /// CL_DEVICE_MEM_BASE_ADDR_ALIGN in bytes: at least the largest OpenCL type.
    pub fn base_alignment(&self) -> usize {
        self.offset_alignment().max(128)
    }

    /// The bytes that Vulkan wants a part of a buffer to begin at a multiple of.
    pub fn offset_alignment(&self) -> usize {
        let limits = &self.capabilities().limits;
        let alignment = limits
            .min_storage_buffer_alignment
            .max(limits.min_uniform_buffer_alignment)
            .max(limits.min_texel_buffer_alignment);
        alignment.max(1) as usize
    }

    /// Tells whether kernels see addresses of global memory, not descriptors.
    pub fn has_addresses(&self) -> bool {
        extensions::addresses(self.capabilities())
    }

    /// CL_DEVICE_IMAGE_SUPPORT.
    pub fn has_images(&self) -> bool {
        extensions::images(self.capabilities())
    }

    /// CL_DEVICE_MAX_PARAMETER_SIZE in bytes. Every image is a descriptor and the other arguments
    /// are one in sum: where a device counts no more than 128 of them a kernel, its kernels have
    /// 128 arguments, as OpenCL allows with this size.
    pub fn max_parameter_size(&self) -> usize {
        let few = self.capabilities().limits.max_resources <= 128;
        if few && self.has_images() {
            SMALL_PARAMETER_SIZE
        } else {
            MAX_PARAMETER_SIZE
        }
    }

    /// CL_DEVICE_MAX_WORK_GROUP_SIZE.
    pub fn max_work_group_size(&self) -> usize {
        self.capabilities().limits.max_group_invocations as usize
    }

    /// CL_DEVICE_MAX_WORK_ITEM_SIZES.
    pub fn max_work_item_sizes(&self) -> [usize; 3] {
        self.capabilities()
            .limits
            .max_group_size
            .map(|n| n as usize)
    }

    /// CL_DEVICE_LOCAL_MEM_SIZE in bytes.
    pub fn local_memory(&self) -> u64 {
        u64::from(local_memory::offered(self.capabilities(), &self.abi()))
    }

    /// CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE.
    pub fn preferred_multiple(&self) -> usize {
        self.capabilities().subgroup.size.max(1) as usize
    }

    /// CL_DEVICE_MAX_NUM_SUB_GROUPS; 0 without sub-groups.
    pub fn max_sub_groups(&self) -> u32 {
        let caps = self.capabilities();
        let Some(size) = extensions::sub_group_size(caps) else {
            return 0;
        };
        let most = caps.limits.max_group_invocations.div_ceil(size);
        // Vulkan's limit is for pipelines that require a size.
        match caps.subgroup.max_subgroups_per_group {
            limit if limit != 0 && caps.subgroup.min_size != caps.subgroup.max_size => {
                most.min(limit)
            }
            _ => most,
        }
    }

    /// The form in which kernels get their arguments on this device.
    pub fn abi(&self) -> Abi {
        let asked = config::ABI
            .value()
            .is_some_and(|form| form == "descriptors");
        if asked || !self.capabilities().features.buffer_device_address {
            Abi::Descriptors(DescriptorOptions::of_driver())
        } else {
            Abi::Addresses
        }
    }

    /// The target of the second form that programs have, in which buffers are descriptors; `None` if they have none.
    pub fn descriptor_target(&self, target: &Target) -> Option<Target> {
        let quirks = target.quirks;
        let wanted = match config::ABI.value().as_deref() {
            Some(form) => form == "mixed",
            None => {
                quirks.has(QuirkKind::BuffersByDescriptors)
                    || quirks.has(QuirkKind::OldGpusByDescriptors)
            }
        };
        // Checks and the flag of a terminable context need addresses, and forms must not differ in the memory that checks
        // count.
        let needs_addresses = target.checks.any() || target.terminable;
        let has_both = wanted && target.abi == Abi::Addresses && !needs_addresses;
        has_both.then(|| Target {
            abi: Abi::Descriptors(DescriptorOptions::beside_addresses()),
            address_delta: false,
            ..target.clone()
        })
    }

    /// CL_DEVICE_SPIRV_CAPABILITIES_KHR. Of what probes find only doubles matter to it.
    pub fn spirv_capabilities(&self) -> Vec<u32> {
        let probes = gpu::Probes::default();
        let target = make_target(
            (self.capabilities(), self.offered()),
            &probes,
            self.doubles(),
            self.abi(),
        );
        pumice_compiler::backend::import::accepted::capabilities(&target)
    }

    /// The device as the compiler knows it.
    ///
    /// # Errors
    /// The device cannot be opened.
    pub fn target(&self) -> Result<Arc<Target>> {
        if let Some(target) = self.target.get() {
            return Ok(target.clone());
        }
        let probes = self.gpu()?.probes();
        let target = make_target(
            (self.capabilities(), self.offered()),
            &probes,
            self.doubles(),
            self.abi(),
        );
        Ok(self.target.get_or_init(|| Arc::new(target)).clone())
    }
}

/// The wishes of a context about its programs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wishes {
    /// Local memory is zero when a work-group starts (cl_khr_initialize_memory).
    pub zero_local: bool,
    /// Private variables are zero before anything is written to them.
    pub zero_private: bool,
    /// The least size of a printf buffer in bytes (cl_arm_printf).
    pub printf_buffer: u64,
    /// Kernels end when they are told to (cl_khr_terminate_context).
    pub terminable: bool,
}

impl Wishes {
    /// The line of the build log for a Vulkan module, which is not lowered again: `None` if it is taken as it is.
    pub fn refusal_of_vulkan(self) -> Option<&'static str> {
        if self.terminable {
            return Some(
                "error: the kernels of a Vulkan module cannot be ended (CL_CONTEXT_TERMINATE_KHR)\n",
            );
        }
        (self.zero_local || self.zero_private).then_some(
            "error: the memory of a Vulkan module cannot be initialized \
             (CL_CONTEXT_MEMORY_INITIALIZE_KHR)\n",
        )
    }

    /// The target of a context's programs, on a device that can bind storage buffers of `most` bytes.
    pub fn apply(self, target: &Arc<Target>, most: u32) -> Arc<Target> {
        let size = self
            .printf_buffer
            .min(u64::from(MAX_PRINTF_BUFFER_MIB) << 20) as u32;
        let wished = Target {
            zero_local: self.zero_local,
            zero_private: self.zero_private,
            terminable: self.terminable,
            printf_buffer_size: target.printf_buffer_size.max(size.min(most) & !3),
            ..(**target).clone()
        };
        match wished == **target {
            true => target.clone(),
            false => Arc::new(wished),
        }
    }
}

/// `offered` decides what programs see, `caps` what code may use.
fn make_target(
    (caps, offered): (&Capabilities, &Capabilities),
    probes: &gpu::Probes,
    doubles: Doubles,
    abi: Abi,
) -> Target {
    let names = |list: &mut dyn Iterator<Item = &'static extensions::Extension>| {
        list.map(|e| e.name.to_string()).collect::<Vec<_>>()
    };
    let features = &caps.features;
    let subgroup = &caps.subgroup;
    let macros = names(&mut extensions::features(offered));
    let has = |name: &str| macros.iter().any(|m| m == name);
    let mut quirks = quirks::kinds(&caps.driver);
    if caps.is_masked(conditions::SAMPLE_EXACTLY) {
        quirks = quirks.without(QuirkKind::SampleExactly);
    }
    if features.shader_float16 {
        quirks = quirks.without(QuirkKind::OldGpusByDescriptors);
    }
    let by_words = quirks.has(QuirkKind::NarrowIntegersByWords);
    let target = Target {
        address_delta: abi == Abi::Addresses && !probes.host_addresses,
        opencl_version: extensions::version(caps),
        opencl_c_version: extensions::version(caps),
        extensions: names(&mut extensions::of_compiler(offered)),
        embedded_profile: extensions::embedded(caps),
        images: has("__opencl_c_images"),
        read_write_images: has("__opencl_c_read_write_images"),
        image_3d_writes: has("__opencl_c_3d_image_writes"),
        unorm16_texel_buffers: caps.format(Format::Rgba16Unorm).uniform_texel,
        features: macros,
        float16: features.shader_float16,
        float64: features.shader_float64,
        soft_f64: false,
        int8: features.shader_int8 && !by_words,
        int16: features.shader_int16 && !by_words,
        int64: features.shader_int64,
        int64_buffer_atomics: features.shader_buffer_int64_atomics,
        int64_shared_atomics: features.shader_shared_int64_atomics,
        storage8: SmallStorage {
            storage_buffer: features.storage_buffer8_bit_access,
            uniform: features.uniform_and_storage_buffer8_bit_access,
            push_constant: features.storage_push_constant8,
        },
        storage16: SmallStorage {
            storage_buffer: features.storage_buffer16_bit_access,
            uniform: features.uniform_and_storage_buffer16_bit_access,
            push_constant: features.storage_push_constant16,
        },
        variable_pointers: features.variable_pointers,
        float_atomics: FloatAtomics {
            add_f32: features.shader_buffer_float32_atomic_add,
            add_f64: features.shader_buffer_float64_atomic_add,
            min_max_f32: features.shader_buffer_float32_atomic_min_max,
            min_max_f64: features.shader_buffer_float64_atomic_min_max,
        },
        // More than CL_DEVICE_MAX_PARAMETER_SIZE promises: arguments that do not fit push constants
        // lie in a uniform buffer.
        max_parameter_size: (caps.limits.max_uniform_buffer_range)
            .clamp(MAX_PARAMETER_SIZE as u32, MAX_ARGUMENT_BYTES),
        max_uniform_buffer_size: caps.limits.max_uniform_buffer_range,
        vulkan_memory_model: features.vulkan_memory_model,
        memory_model_device_scope: features.vulkan_memory_model_device_scope,
        float_controls: caps.float_controls,
        arithmetic: probes.arithmetic,
        flushes_f64: false,
        quirks,
        max_push_constants_size: caps.limits.max_push_constants,
        max_local_memory_size: local_memory::offered(caps, &abi),
        max_shared_memory_size: caps.limits.max_shared_memory,
        abi,
        max_work_group_size: caps.limits.max_group_invocations,
        max_subgroup_size: extensions::sub_group_size(caps).unwrap_or(subgroup.max_size),
        largest_subgroup_size: subgroup.sizes().last().copied().unwrap_or(0),
        subgroup: subgroup.ops,
        launch_promises: takes_promises(caps),
        amd_shader_ballot: caps.shader_ballot_amd(),
        native_products: native_products(caps, probes),
        clocks: features.shader_device_clock && features.shader_subgroup_clock,
        maximal_reconvergence: features.shader_maximal_reconvergence,
        // Nodes need SPIR-V 1.4.
        shader_enqueue: features.shader_enqueue && caps.spirv_version() >= (1, 4),
        coarse: coarse::takes_copies(caps),
        groups_of_one: false,
        local_in_buffers: false,
        zero_local: false,
        zero_private: false,
        terminable: false,
        checks: checks::of_all_programs(),
        printf_buffer_size: printf_buffer_size(caps),
        il_version: (1, 6),
        spirv_version: caps.spirv_version().min(SPIRV_VERSION),
    };
    match doubles {
        Doubles::Soft => target.with_soft_doubles(),
        Doubles::MadeExact => target.with_exact_doubles(),
        _ => target,
    }
}

/// The products of matrices that code may leave to the device: its sub-groups are as OpenCL's.
fn native_products(caps: &Capabilities, probes: &gpu::Probes) -> Vec<NativeProduct> {
    match extensions::sub_group_size(caps) {
        Some(_) => probes.matrix_products.clone(),
        None => Vec::new(),
    }
}

/// Returns whether modules hold code for launches that promise something. It is larger, and compilers for processors
/// make nothing of it.
fn takes_promises(caps: &Capabilities) -> bool {
    match caps.device_type {
        DeviceType::Cpu => caps.is_masked(conditions::LAUNCH_PROMISES_TOO),
        _ => !caps.is_masked(conditions::LAUNCH_PROMISES),
    }
}
