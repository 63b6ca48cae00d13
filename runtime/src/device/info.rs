//! clGetDeviceInfo: every query and its answer.

use opencl_sys as cl;
use pumice_compiler::Abi;
use pumice_compiler::backend::import::accepted;
use pumice_vulkan_layer::DeviceType;

use crate::base::error::{Error, Result};
use crate::base::info::{Info, make_version};
use crate::base::object::{Object, Ref};
use crate::device::command_buffers;
use crate::device::doubles::Doubles;
use crate::device::extensions;
use crate::device::platform;
use crate::device::queue_limits;
use crate::device::{self, Device, format};

/// Versions of OpenCL C that the compiler takes (CL_DEVICE_OPENCL_C_ALL_VERSIONS), as far as the
/// device's own version goes. Not 2.0, which has no optional features: device queues are missing; it is
/// still taken from `-cl-std`.
const C_VERSIONS: &[(u8, u8)] = &[(1, 0), (1, 1), (1, 2), (3, 0), (3, 1)];

// cl_khr_spirv_queries, which opencl-sys lacks.
const CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS_KHR: u32 = 0x12B9;
const CL_DEVICE_SPIRV_EXTENSIONS_KHR: u32 = 0x12BA;
const CL_DEVICE_SPIRV_CAPABILITIES_KHR: u32 = 0x12BB;

/// CL_DEVICE_QUEUE_ON_HOST_PROPERTIES.
const HOST_QUEUE_PROPERTIES: u64 =
    cl::CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | cl::CL_QUEUE_PROFILING_ENABLE;

/// cl_khr_kernel_clock.
const CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR: u32 = 0x1076;

/// CL_DEVICE_TERMINATE_CAPABILITY_KHR as the headers of OpenCL 1.2 had it; clinfo asks for both.
const CL_DEVICE_TERMINATE_CAPABILITY_KHR_1X: u32 = 0x200F;
/// CL_DEVICE_TERMINATE_CAPABILITY_CONTEXT_KHR.
const TERMINATE_CAPABILITY_CONTEXT: u64 = 1;

/// cl_intel_required_subgroup_size.
const CL_DEVICE_SUB_GROUP_SIZES_INTEL: u32 = 0x4108;

/// cl_pumice_cooperative_matrix.
const CL_DEVICE_COOPERATIVE_MATRIX_PRODUCTS_PUMICE: u32 = 0x5055_4D00;
const CL_DEVICE_COOPERATIVE_MATRIX_NATIVE_PRODUCTS_PUMICE: u32 = 0x5055_4D01;

/// cl_ext_float_atomics: single, double, half.
const CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT: u32 = 0x4231;
const CL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT: u32 = 0x4233;

/// An array of `const char *`: the strings live as long as the library, which is never unloaded.
fn names(names: &[&'static std::ffi::CStr]) -> Info {
    let addresses: Vec<usize> = names.iter().map(|name| name.as_ptr() as usize).collect();
    Info::sizes(&addresses)
}

impl Object<Device> {
    /// clGetDeviceInfo.
    ///
    /// # Errors
    /// [`Error::InvalidValue`] for other names.
    pub fn info(self: &Ref<Device>, name: u32) -> Result<Info> {
        if let Some(info) = self.identity(name) {
            return Ok(info);
        }
        if let Some(info) = self.absent(name) {
            return Ok(info);
        }
        let optional = self.images(name).or_else(|| self.pipes(name));
        let optional = optional.or_else(|| self.device_queues(name));
        if let Some(info) = optional.or_else(|| self.extension_info(name)) {
            return Ok(info);
        }
        self.limits(name)
    }

    /// Who the device is, and what it is compiled for.
    fn identity(self: &Ref<Device>, name: u32) -> Option<Info> {
        let caps = self.capabilities();
        Some(match name {
            cl::CL_DEVICE_TYPE => Info::u64(self.device_type()),
            cl::CL_DEVICE_VENDOR_ID => Info::u32(caps.vendor_id),
            cl::CL_DEVICE_NAME => Info::string(self.name()),
            cl::CL_DEVICE_VENDOR => Info::string(vendor(caps.vendor_id)),
            cl::CL_DRIVER_VERSION => Info::string(env!("CARGO_PKG_VERSION")),
            cl::CL_DEVICE_PROFILE => Info::string(extensions::profile(caps).name()),
            cl::CL_DEVICE_VERSION => {
                Info::string(&platform::version_string(extensions::version(caps)))
            }
            cl::CL_DEVICE_NUMERIC_VERSION => {
                Info::u32(platform::numeric_version(extensions::version(caps)))
            }
            cl::CL_DEVICE_OPENCL_C_VERSION => Info::string("OpenCL C 1.2 Pumice"),
            // cl_khr_extended_versioning's number of the string above.
            cl::CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR => Info::u32(make_version(1, 2, 0)),
            cl::CL_DEVICE_OPENCL_C_ALL_VERSIONS => Info::name_versions(
                C_VERSIONS
                    .iter()
                    .filter(|&&version| version <= extensions::version(caps))
                    .map(|&version| ("OpenCL C", platform::numeric_version(version))),
            ),
            cl::CL_DEVICE_OPENCL_C_FEATURES => Info::name_versions(
                extensions::features(self.offered()).map(|f| (f.name, f.version)),
            ),
            cl::CL_DEVICE_EXTENSIONS => Info::string(&extensions::join(
                extensions::of_device(self.offered()).map(|e| e.name),
            )),
            cl::CL_DEVICE_EXTENSIONS_WITH_VERSION => Info::name_versions(
                extensions::of_device(self.offered()).map(|e| (e.name, e.version)),
            ),
            cl::CL_DEVICE_IL_VERSION => {
                let names: Vec<String> = accepted::VERSIONS
                    .iter()
                    .map(|(major, minor)| format!("SPIR-V_{major}.{minor}"))
                    .collect();
                Info::string(&names.join(" "))
            }
            cl::CL_DEVICE_ILS_WITH_VERSION => Info::name_versions(
                accepted::VERSIONS
                    .iter()
                    .map(|(major, minor)| ("SPIR-V", make_version(*major, *minor, 0))),
            ),
            CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS_KHR => names(accepted::INSTRUCTION_SETS),
            CL_DEVICE_SPIRV_EXTENSIONS_KHR => names(accepted::EXTENSIONS),
            CL_DEVICE_SPIRV_CAPABILITIES_KHR => Info::u32s(&self.spirv_capabilities()),
            cl::CL_DEVICE_BUILT_IN_KERNELS => Info::string(""),
            cl::CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION => Info::empty(),
            // Not submitted for conformance: the specification's form for "none".
            cl::CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED => {
                // A date that is none: no version has passed yet, and the text must have the
                // form of a date.
                Info::string("v0000-01-01-00")
            }
            cl::CL_DEVICE_PLATFORM => Info::size(self.platform()),
            cl::CL_DEVICE_REFERENCE_COUNT => Info::u32(1),
            cl::CL_DEVICE_AVAILABLE
            | cl::CL_DEVICE_COMPILER_AVAILABLE
            | cl::CL_DEVICE_LINKER_AVAILABLE => Info::bool(true),
            _ => return None,
        })
    }

    /// Answers about device queues: zeros where the device has none.
    fn device_queues(self: &Ref<Device>, name: u32) -> Option<Info> {
        let there = extensions::device_enqueue(self.offered());
        let long = |value: u64| Info::u64(if there { value } else { 0 });
        let word = |value: u32| Info::u32(if there { value } else { 0 });
        Some(match name {
            cl::CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES => {
                long(cl::CL_DEVICE_QUEUE_SUPPORTED | cl::CL_DEVICE_QUEUE_REPLACEABLE_DEFAULT)
            }
            cl::CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES => long(queue_limits::PROPERTIES),
            cl::CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE => word(queue_limits::PREFERRED_SIZE),
            cl::CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE => word(queue_limits::MAX_SIZE),
            cl::CL_DEVICE_MAX_ON_DEVICE_QUEUES => word(queue_limits::MOST_QUEUES),
            cl::CL_DEVICE_MAX_ON_DEVICE_EVENTS => word(queue_limits::MOST_EVENTS),
            _ => return None,
        })
    }

    /// Answers about what no device has: sub-devices.
    fn absent(self: &Ref<Device>, name: u32) -> Option<Info> {
        Some(match name {
            cl::CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT => Info::bool(true),
            cl::CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS => Info::bool(false),
            cl::CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE
            | cl::CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE => Info::size(64 << 10),
            cl::CL_DEVICE_PARENT_DEVICE => Info::size(0),
            cl::CL_DEVICE_PARTITION_MAX_SUB_DEVICES => Info::u32(0),
            // A list of one zero, as the specification asks where there is no partition type.
            cl::CL_DEVICE_PARTITION_PROPERTIES => Info::u64s(&[0]),
            cl::CL_DEVICE_PARTITION_AFFINITY_DOMAIN => Info::u64(0),
            cl::CL_DEVICE_PARTITION_TYPE => Info::empty(),
            _ => return None,
        })
    }

    /// Pipes: zeros where the device has none.
    fn pipes(self: &Ref<Device>, name: u32) -> Option<Info> {
        let caps = self.capabilities();
        let count = |most| Info::u32(if extensions::pipes(caps) { most } else { 0 });
        Some(match name {
            cl::CL_DEVICE_PIPE_SUPPORT => Info::bool(extensions::pipes(caps)),
            // A pipe is an address among the other arguments.
            cl::CL_DEVICE_MAX_PIPE_ARGS => count(16),
            // A reservation is a number: a pipe bounds only its packets.
            cl::CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS => count(1024),
            cl::CL_DEVICE_PIPE_MAX_PACKET_SIZE => Info::u32(extensions::max_packet_size(caps)),
            _ => return None,
        })
    }

    /// Images and samplers: zeros where the device has none.
    fn images(self: &Ref<Device>, name: u32) -> Option<Info> {
        let caps = self.capabilities();
        let limits = &caps.limits;
        let images = self.has_images();
        let count = |most: u32, cap: u32| Info::u32(if images { most.min(cap) } else { 0 });
        let size = |most: u32| Info::size(if images { most as usize } else { 0 });
        // Samplers and images share a pipeline's descriptors with buffers. These numbers are more
        // than any kernel has, and no more than the smallest device that has images.
        Some(match name {
            cl::CL_DEVICE_IMAGE_SUPPORT => Info::bool(images),
            cl::CL_DEVICE_MAX_READ_IMAGE_ARGS => count(limits.max_sampled_images, 128),
            cl::CL_DEVICE_MAX_WRITE_IMAGE_ARGS => count(limits.max_storage_images, 64),
            cl::CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS => {
                let both = extensions::read_write_images(caps);
                count(if both { limits.max_storage_images } else { 0 }, 64)
            }
            cl::CL_DEVICE_MAX_SAMPLERS => count(limits.max_samplers, 16),
            // In texels: the rows of a buffer are copied, wherever they are.
            cl::CL_DEVICE_IMAGE_PITCH_ALIGNMENT | cl::CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT => {
                Info::u32(u32::from(images))
            }
            cl::CL_DEVICE_IMAGE2D_MAX_WIDTH => size(limits.max_image_2d.min(limits.max_image_1d)),
            cl::CL_DEVICE_IMAGE2D_MAX_HEIGHT => size(limits.max_image_2d),
            cl::CL_DEVICE_PLANAR_YUV_MAX_WIDTH_INTEL if images => Info::size(format::planar_size(
                limits.max_image_2d.min(limits.max_image_1d),
            )),
            cl::CL_DEVICE_PLANAR_YUV_MAX_HEIGHT_INTEL if images => {
                Info::size(format::planar_size(limits.max_image_2d))
            }
            cl::CL_DEVICE_IMAGE3D_MAX_WIDTH
            | cl::CL_DEVICE_IMAGE3D_MAX_HEIGHT
            | cl::CL_DEVICE_IMAGE3D_MAX_DEPTH => size(limits.max_image_3d),
            cl::CL_DEVICE_IMAGE_MAX_BUFFER_SIZE => size(limits.max_texel_buffer_elements),
            cl::CL_DEVICE_IMAGE_MAX_ARRAY_SIZE => size(limits.max_image_layers),
            _ => return None,
        })
    }

    /// Queries of extensions that the device has.
    fn extension_info(self: &Ref<Device>, name: u32) -> Option<Info> {
        let caps = self.capabilities();
        Some(match name {
            cl::CL_DEVICE_UUID => Info::raw(caps.device_uuid.to_vec()),
            cl::CL_DRIVER_UUID => Info::raw(caps.driver_uuid.to_vec()),
            cl::CL_DEVICE_LUID_VALID => Info::bool(caps.luid.is_some()),
            cl::CL_DEVICE_LUID => Info::raw(caps.luid.map_or([0; 8], |(luid, _)| luid).to_vec()),
            cl::CL_DEVICE_NODE_MASK => Info::u32(caps.luid.map_or(0, |(_, mask)| mask)),
            cl::CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES => Info::u64(
                cl::CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_PACKED
                    | cl::CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT,
            ),
            // Six cl_bools. We write products and sums; whether a driver makes one instruction
            // of them is not known.
            cl::CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT
            | cl::CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_4x8BIT_PACKED => {
                Info::raw(vec![0; 24])
            }
            CL_DEVICE_SUB_GROUP_SIZES_INTEL => {
                let sizes = extensions::sub_group_sizes(caps);
                let sizes: Vec<usize> = sizes.into_iter().map(|size| size as usize).collect();
                Info::sizes(&sizes)
            }
            CL_DEVICE_COOPERATIVE_MATRIX_PRODUCTS_PUMICE => {
                let products = extensions::matrix_products(self.offered())?;
                Info::u32s(products.as_flattened())
            }
            CL_DEVICE_COOPERATIVE_MATRIX_NATIVE_PRODUCTS_PUMICE => {
                let target = self.target().ok()?;
                let products = extensions::native_matrix_products(self.offered(), &target)?;
                Info::u32s(products.as_flattened())
            }
            CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT
                ..=CL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT => {
                let kind = name - CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT;
                Info::u64(extensions::float_atomics(caps)[kind as usize])
            }
            CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR => {
                // Device, work-group and sub-group.
                Info::u64(if extensions::clocks(caps) { 7 } else { 0 })
            }
            cl::CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR => {
                let device_queues = extensions::device_enqueue(self.offered());
                Info::u64(command_buffers::device_capabilities(device_queues))
            }
            cl::CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR => Info::u64(0),
            cl::CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR => {
                Info::u64(command_buffers::QUEUE_PROPERTIES)
            }
            cl::CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR => Info::u64(command_buffers::FIELDS),
            // A device synchronizes natively with itself alone.
            cl::CL_DEVICE_COMMAND_BUFFER_NUM_SYNC_DEVICES_KHR => Info::u32(1),
            cl::CL_DEVICE_COMMAND_BUFFER_SYNC_DEVICES_KHR => Info::object(self),
            // Images are copied from rows and to rows, so that all their memory is linear.
            cl::CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR
            | cl::CL_DEVICE_EXTERNAL_MEMORY_IMPORT_ASSUME_LINEAR_IMAGES_HANDLE_TYPES_KHR => {
                if !caps.imports_memory() {
                    return None;
                }
                Info::u32s(&extensions::memory_handles(caps))
            }
            cl::CL_DEVICE_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR
            | cl::CL_DEVICE_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR => {
                if !caps.shares_semaphores() {
                    return None;
                }
                Info::u32s(&extensions::semaphore_handles(caps))
            }
            cl::CL_DEVICE_QUEUE_FAMILY_PROPERTIES_INTEL => queue_families(caps.opened_queues()),
            cl::CL_DEVICE_SEMAPHORE_TYPES_KHR => Info::u32s(&[cl::CL_SEMAPHORE_TYPE_BINARY_KHR]),
            cl::CL_DEVICE_PCI_BUS_INFO_KHR => {
                let pci = caps.pci?;
                Info::raw(pci.iter().flat_map(|n| n.to_ne_bytes()).collect())
            }
            _ => return None,
        })
    }

    /// Sizes, counts and numeric abilities.
    fn limits(self: &Ref<Device>, name: u32) -> Result<Info> {
        let caps = self.capabilities();
        let on_cpu = caps.device_type == DeviceType::Cpu;
        Ok(match name {
            cl::CL_DEVICE_MAX_COMPUTE_UNITS => Info::u32(self.compute_units()),
            cl::CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS => Info::u32(3),
            cl::CL_DEVICE_MAX_WORK_ITEM_SIZES => Info::sizes(&self.max_work_item_sizes()),
            cl::CL_DEVICE_MAX_WORK_GROUP_SIZE => Info::size(self.max_work_group_size()),
            cl::CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE => {
                Info::size(self.preferred_multiple())
            }
            // One work-item is one invocation, and the driver below vectorises across them.
            cl::CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR
            | cl::CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT
            | cl::CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT
            | cl::CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG
            | cl::CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT
            | cl::CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR
            | cl::CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT
            | cl::CL_DEVICE_NATIVE_VECTOR_WIDTH_INT
            | cl::CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG
            | cl::CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT
            | cl::CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF
            | cl::CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF => Info::u32(1),
            cl::CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE
            | cl::CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE => {
                Info::u32(u32::from(extensions::doubles(self.offered())))
            }
            // Vulkan does not tell; 0 is "not known".
            cl::CL_DEVICE_MAX_CLOCK_FREQUENCY => Info::u32(clock_frequency(on_cpu)),
            cl::CL_DEVICE_ADDRESS_BITS => Info::u32(64),
            cl::CL_DEVICE_MAX_MEM_ALLOC_SIZE => Info::u64(self.max_allocation()),
            cl::CL_DEVICE_MAX_PARAMETER_SIZE => Info::size(self.max_parameter_size()),
            cl::CL_DEVICE_MEM_BASE_ADDR_ALIGN => Info::u32(self.base_alignment() as u32 * 8),
            cl::CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE => Info::u32(128),
            cl::CL_DEVICE_SINGLE_FP_CONFIG => Info::u64(self.single_config()?),
            cl::CL_DEVICE_DOUBLE_FP_CONFIG => Info::u64(self.double_config()),
            cl::CL_DEVICE_HALF_FP_CONFIG => Info::u64(self.half_config()?),
            // On a processor the caches are the host's; of others Vulkan does not tell.
            cl::CL_DEVICE_GLOBAL_MEM_CACHE_TYPE => Info::u32(if on_cpu {
                cl::CL_READ_WRITE_CACHE
            } else {
                cl::CL_NONE
            }),
            cl::CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE => Info::u32(if on_cpu { 64 } else { 0 }),
            cl::CL_DEVICE_GLOBAL_MEM_CACHE_SIZE => Info::u64(if on_cpu { cache_size() } else { 0 }),
            cl::CL_DEVICE_GLOBAL_MEM_SIZE => Info::u64(caps.device_memory()),
            cl::CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE => Info::u64(self.max_allocation()),
            // Constant pointers are addresses among the other arguments, of which kernels in SPIR-V
            // have 255 at most (one is for results), or storage buffers beside those of plain data,
            // printf and program-scope data.
            cl::CL_DEVICE_MAX_CONSTANT_ARGS => Info::u32(match self.abi() {
                Abi::Addresses => 254,
                Abi::Descriptors(_) => caps.limits.max_storage_buffers.saturating_sub(4).min(254),
            }),
            cl::CL_DEVICE_LOCAL_MEM_TYPE => {
                Info::u32(if on_cpu { cl::CL_GLOBAL } else { cl::CL_LOCAL })
            }
            cl::CL_DEVICE_LOCAL_MEM_SIZE => Info::u64(self.local_memory()),
            cl::CL_DEVICE_ERROR_CORRECTION_SUPPORT => Info::bool(false),
            cl::CL_DEVICE_HOST_UNIFIED_MEMORY => Info::bool(caps.unified_memory),
            cl::CL_DEVICE_PROFILING_TIMER_RESOLUTION => {
                Info::size((caps.timestamp_period.ceil() as usize).max(1))
            }
            cl::CL_DEVICE_ENDIAN_LITTLE => Info::bool(cfg!(target_endian = "little")),
            cl::CL_DEVICE_EXECUTION_CAPABILITIES => {
                Info::u64(cl::CL_EXEC_KERNEL | cl::CL_EXEC_NATIVE_KERNEL)
            }
            // CL_DEVICE_QUEUE_PROPERTIES is the same query.
            cl::CL_DEVICE_QUEUE_ON_HOST_PROPERTIES => Info::u64(HOST_QUEUE_PROPERTIES),
            cl::CL_DEVICE_PREFERRED_INTEROP_USER_SYNC => Info::bool(true),
            cl::CL_DEVICE_PRINTF_BUFFER_SIZE => {
                Info::size(device::printf_buffer_size(self.capabilities()) as usize)
            }
            // 0: the natural alignment of the atomic's type.
            cl::CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT
            | cl::CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT
            | cl::CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT => Info::u32(0),
            cl::CL_DEVICE_SVM_CAPABILITIES => Info::u64(self.svm_capabilities()),
            cl::CL_DEVICE_TERMINATE_CAPABILITY_KHR | CL_DEVICE_TERMINATE_CAPABILITY_KHR_1X
                if self.has_addresses() =>
            {
                Info::u64(TERMINATE_CAPABILITY_CONTEXT)
            }
            cl::CL_DEVICE_SVM_TYPE_CAPABILITIES_KHR if self.has_addresses() => {
                Info::u64s(&self.svm_types())
            }
            cl::CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL
            | cl::CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL
            | cl::CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL
            | cl::CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL
            | cl::CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL
                if self.has_addresses() =>
            {
                Info::u64(self.usm_capabilities(name))
            }
            cl::CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT => {
                Info::bool(extensions::generic_pointers(caps))
            }
            cl::CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES | cl::CL_DEVICE_ATOMIC_FENCE_CAPABILITIES => {
                Info::u64(self.atomic_capabilities())
            }
            cl::CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT => Info::bool(true),
            cl::CL_DEVICE_MAX_NUM_SUB_GROUPS => Info::u32(self.max_sub_groups()),
            _ => return Err(Error::InvalidValue),
        })
    }

    /// The orders and scopes of atomics and fences: those that no device may lack, and the features'
    /// `__opencl_c_atomic_*`.
    fn atomic_capabilities(self: &Ref<Device>) -> u64 {
        let scope = match extensions::device_scope(self.capabilities()) {
            true => cl::CL_DEVICE_ATOMIC_SCOPE_DEVICE,
            false => 0,
        };
        let all_devices = match self.offered().host_addresses {
            true => cl::CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES,
            false => 0,
        };
        cl::CL_DEVICE_ATOMIC_ORDER_RELAXED
            | cl::CL_DEVICE_ATOMIC_ORDER_ACQ_REL
            | cl::CL_DEVICE_ATOMIC_ORDER_SEQ_CST
            | cl::CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP
            | scope
            | all_devices
    }

    /// CL_DEVICE_DOUBLE_FP_CONFIG: 0 without doubles.
    fn double_config(self: &Ref<Device>) -> u64 {
        if !extensions::doubles(self.offered()) {
            return 0;
        }
        let own = match self.doubles() {
            Doubles::Flushed => 0,
            Doubles::Soft => cl::CL_FP_DENORM | cl::CL_FP_SOFT_FLOAT,
            _ => cl::CL_FP_DENORM,
        };
        cl::CL_FP_FMA
            | cl::CL_FP_ROUND_TO_NEAREST
            | cl::CL_FP_ROUND_TO_ZERO
            | cl::CL_FP_ROUND_TO_INF
            | cl::CL_FP_INF_NAN
            | own
    }

    /// CL_DEVICE_HALF_FP_CONFIG. Halves made up of floats keep their denormals, which are normal floats.
    fn half_config(self: &Ref<Device>) -> Result<u64> {
        let kept =
            !self.capabilities().features.shader_float16 || self.target()?.arithmetic.denorms_f16;
        let denorms = if kept { cl::CL_FP_DENORM } else { 0 };
        Ok(cl::CL_FP_ROUND_TO_NEAREST | cl::CL_FP_INF_NAN | denorms)
    }

    /// CL_DEVICE_SINGLE_FP_CONFIG: what holds for every device, and what the probes found.
    fn single_config(self: &Ref<Device>) -> Result<u64> {
        let target = self.target()?;
        // Where the device's own division and root are not correctly rounded, the compiler
        // computes them for the programs that ask for it.
        let mut config = cl::CL_FP_ROUND_TO_NEAREST
            | cl::CL_FP_INF_NAN
            | cl::CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT;
        if target.arithmetic.denorms_f32 {
            config |= cl::CL_FP_DENORM;
        }
        if target.arithmetic.exact_fma_f32 {
            config |= cl::CL_FP_FMA;
        }
        Ok(config)
    }
}

/// The one `cl_queue_family_properties_intel`: queues that take every command.
fn queue_families(count: u32) -> Info {
    const NAME: &[u8] = b"compute and transfer";
    let mut name = [0; cl::CL_QUEUE_FAMILY_MAX_NAME_SIZE_INTEL];
    name[..NAME.len()].copy_from_slice(NAME);
    let mut bytes = HOST_QUEUE_PROPERTIES.to_ne_bytes().to_vec();
    bytes.extend(cl::CL_QUEUE_DEFAULT_CAPABILITIES_INTEL.to_ne_bytes());
    bytes.extend(count.to_ne_bytes());
    bytes.extend(name);
    // The struct ends on a multiple of its alignment.
    bytes.resize(size_of::<cl::cl_queue_family_properties_intel>(), 0);
    Info::raw(bytes)
}

/// The vendor of a PCI or Khronos vendor id. Applications compare these strings.
fn vendor(id: u32) -> &'static str {
    match id {
        0x1002 | 0x1022 => "Advanced Micro Devices, Inc.",
        0x10de => "NVIDIA Corporation",
        0x8086 => "Intel(R) Corporation",
        0x106b => "Apple",
        0x13b5 => "ARM",
        0x5143 => "QUALCOMM",
        0x1010 => "Imagination Technologies",
        0x14e4 => "Broadcom",
        0x10005 => "Mesa",
        0x1414 => "Microsoft",
        _ => "Unknown vendor",
    }
}

/// The processors' highest frequency in MHz as Linux tells it; 0 where it is not known.
fn clock_frequency(on_cpu: bool) -> u32 {
    if !on_cpu {
        return 0;
    }
    let maximum = "/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq";
    if let Some(khz) = std::fs::read_to_string(maximum)
        .ok()
        .and_then(|text| text.trim().parse::<u32>().ok())
    {
        return khz / 1000;
    }
    std::fs::read_to_string("/proc/cpuinfo")
        .ok()
        .and_then(|text| {
            text.lines()
                .filter(|line| line.starts_with("cpu MHz"))
                .filter_map(|line| line.split(':').nth(1)?.trim().parse::<f64>().ok())
                .max_by(f64::total_cmp)
        })
        .map_or(0, |mhz| mhz as u32)
}

/// The last-level cache of the first processor in bytes, as Linux tells it; one cache line where
/// it is not known.
fn cache_size() -> u64 {
    (0..8)
        .filter_map(|index| {
            let path = format!("/sys/devices/system/cpu/cpu0/cache/index{index}/size");
            let text = std::fs::read_to_string(path).ok()?;
            let text = text.trim();
            let (digits, factor) = match text.strip_suffix('K') {
                Some(digits) => (digits, 1024),
                None => match text.strip_suffix('M') {
                    Some(digits) => (digits, 1024 * 1024),
                    None => (text, 1),
                },
            };
            digits.parse::<u64>().ok().map(|n| n * factor)
        })
        .max()
        .unwrap_or(64)
}
