//! The device as the compiler knows it: plain data, part of every cache key.

use crate::abi::Abi;
use crate::arithmetic::Arithmetic;
use crate::checks::Checks;
use crate::matrix::{Component, NativeProduct};
use crate::quirks::{QuirkKind, Quirks};
use serde::{Deserialize, Serialize};

/// The storage classes that accept 8- or 16-bit accesses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SmallStorage {
    /// Storage buffers and physical storage buffers.
    pub storage_buffer: bool,
    /// Uniform buffers.
    pub uniform: bool,
    /// Push constants.
    pub push_constant: bool,
}

/// Float controls of one width (VkPhysicalDeviceFloatControlsProperties).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
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

/// Subgroup operations that the device has in compute shaders.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SubgroupOps {
    /// OpGroupNonUniformElect, built-ins.
    pub basic: bool,
    /// All, any, all-equal.
    pub vote: bool,
    /// Reductions and scans.
    pub arithmetic: bool,
    /// Ballot and broadcast.
    pub ballot: bool,
    /// Shuffle, shuffle-xor.
    pub shuffle: bool,
    /// Shuffle-up, shuffle-down.
    pub shuffle_relative: bool,
    /// Clustered reductions.
    pub clustered: bool,
    /// Quad operations.
    pub quad: bool,
    /// Rotate (VK_KHR_shader_subgroup_rotate).
    pub rotate: bool,
}

/// Everything about a device that changes what the compiler accepts or emits.
///
/// Built by the runtime from capability bits (never from names), from its one list of extensions
/// and the Vulkan layer's list of quirks; equal targets give equal output for equal input.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default = "Target::reference", deny_unknown_fields)]
pub struct Target {
    /// The form in which kernels get their arguments.
    pub abi: Abi,
    /// CL_DEVICE_NUMERIC_VERSION's major and minor, e.g. `(3, 0)`.
    pub opencl_version: (u8, u8),
    /// The highest OpenCL C version offered, e.g. `(3, 0)`.
    pub opencl_c_version: (u8, u8),
    /// Extensions that the device reports, without versions, e.g. `cl_khr_fp64`. Each is a
    /// predefined macro too.
    pub extensions: Vec<String>,
    /// `__opencl_c_*` feature macros that the device reports.
    pub features: Vec<String>,
    /// `shaderFloat16`.
    pub float16: bool,
    /// Programs have doubles: `shaderFloat64`, or [`Target::soft_f64`].
    pub float64: bool,
    /// Doubles are made of integers (`soft_doubles`), whether or not the device has any.
    pub soft_f64: bool,
    /// `EMBEDDED_PROFILE`: OpenCL C defines `__EMBEDDED_PROFILE__`.
    pub embedded_profile: bool,
    /// Images and samplers of all of OpenCL's types, for reading or writing; storage images
    /// need `shaderStorageImageWriteWithoutFormat`. Goes with `__opencl_c_images`.
    pub images: bool,
    /// Images for both, with `shaderStorageImageReadWithoutFormat`. Goes with
    /// `__opencl_c_read_write_images`.
    pub read_write_images: bool,
    /// Uniform texel buffers of R16G16B16A16_UNORM. Without them image buffers of that format are bound as
    /// R16G16B16A16_UINT.
    pub unorm16_texel_buffers: bool,
    /// Writing 3D images. Goes with `__opencl_c_3d_image_writes`.
    pub image_3d_writes: bool,
    /// `shaderInt8` arithmetic.
    pub int8: bool,
    /// `shaderInt16` arithmetic.
    pub int16: bool,
    /// `shaderInt64` arithmetic.
    pub int64: bool,
    /// `shaderBufferInt64Atomics`.
    pub int64_buffer_atomics: bool,
    /// `shaderSharedInt64Atomics`.
    pub int64_shared_atomics: bool,
    /// 8-bit storage by class.
    pub storage8: SmallStorage,
    /// 16-bit storage by class.
    pub storage16: SmallStorage,
    /// Float atomics on memory behind device addresses.
    pub float_atomics: FloatAtomics,
    /// `variablePointers`.
    pub variable_pointers: bool,
    /// Bytes that a kernel's arguments can take in all: CL_DEVICE_MAX_PARAMETER_SIZE or more.
    pub max_parameter_size: u32,
    /// `maxUniformBufferRange` in bytes.
    pub max_uniform_buffer_size: u32,
    /// `vulkanMemoryModel`.
    pub vulkan_memory_model: bool,
    /// `vulkanMemoryModelDeviceScope`.
    pub memory_model_device_scope: bool,
    /// Float controls for 16-, 32- and 64-bit floats, in this order.
    pub float_controls: [FloatControls; 3],
    /// The exactness of the device's own arithmetic.
    pub arithmetic: Arithmetic,
    /// True if arithmetic on f64 takes denormals for zeros (probe) and programs must not see it:
    /// `legalize_doubles` makes it exact.
    pub flushes_f64: bool,
    /// Pointers to global memory are not device addresses: those are the pointers plus a number that each launch
    /// is given. With device addresses only.
    pub address_delta: bool,
    /// The driver's faults and habits: they switch passes on and change what others write. From the
    /// Vulkan layer's list, by driver and version.
    pub quirks: Quirks,
    /// `maxPushConstantsSize` in bytes.
    pub max_push_constants_size: u32,
    /// CL_DEVICE_LOCAL_MEM_SIZE in bytes.
    pub max_local_memory_size: u32,
    /// `maxComputeSharedMemorySize` in bytes. A kernel with more local memory has it in a buffer.
    pub max_shared_memory_size: u32,
    /// `maxComputeWorkGroupInvocations`, at most [`MOST_GROUP_INVOCATIONS`].
    pub max_work_group_size: u32,
    /// `subgroupSize`, or the maximum where it varies.
    pub max_subgroup_size: u32,
    /// The largest size that sub-groups can have for certain; 0 if no kernel can choose one.
    pub largest_subgroup_size: u32,
    /// Subgroup operations.
    pub subgroup: SubgroupOps,
    /// Code may be shorter where launches promise something, for a larger module: worth it where the driver's
    /// compiler counts registers and kinds of loads, not on processors.
    pub launch_promises: bool,
    /// VK_AMD_shader_ballot: SPV_AMD_shader_ballot's instructions pass through.
    pub amd_shader_ballot: bool,
    /// Products of matrices that the device computes itself (VK_KHR_cooperative_matrix): matrices that only meet in
    /// these are the device's own, others are made of plain code.
    pub native_products: Vec<NativeProduct>,
    /// `shaderDeviceClock` and `shaderSubgroupClock`.
    pub clocks: bool,
    /// `shaderMaximalReconvergence`: work-items of a sub-group that part meet again where the
    /// source lets them.
    pub maximal_reconvergence: bool,
    /// VK_AMDX_shader_enqueue: kernels may be nodes of an execution graph.
    pub shader_enqueue: bool,
    /// Kernels have copies whose invocations run several work-items each, for launches to choose: worth it on processors,
    /// where chains of dependent instructions take long. With device addresses only.
    #[serde(skip)]
    pub coarse: bool,
    /// Work-groups are of one work-item, and kernels that may be are written so that launches can run many as one
    /// work-group.
    #[serde(skip)]
    pub groups_of_one: bool,
    /// All local memory is in buffers, in kernels that can have it there: for launches that ask for more than Vulkan has.
    #[serde(skip)]
    pub local_in_buffers: bool,
    /// Local memory is zero when a work-group starts (`shaderZeroInitializeWorkgroupMemory`).
    #[serde(skip)]
    pub zero_local: bool,
    /// Private variables are zero before anything is written to them.
    #[serde(skip)]
    pub zero_private: bool,
    /// Kernels that may run for long look at a flag that tells them to end (cl_khr_terminate_context). With device
    /// addresses only.
    #[serde(skip)]
    pub terminable: bool,
    /// The checks that kernels are built with. With device addresses only.
    #[serde(skip)]
    pub checks: Checks,
    /// Size in bytes of the printf buffer (CL_DEVICE_PRINTF_BUFFER_SIZE).
    pub printf_buffer_size: u32,
    /// The highest version that Kernel SPIR-V may have. Modules are 1.0 unless they hold what
    /// came later; operands without which a module is still right are left out above it.
    pub il_version: (u8, u8),
    /// SPIR-V version to emit for Vulkan, e.g. `(1, 5)`.
    pub spirv_version: (u8, u8),
}

/// No device has more work-items in a work-group: the compiler bounds local ids and sizes with it.
pub const MOST_GROUP_INVOCATIONS: u32 = 1 << 16;

/// Every optional feature of OpenCL C 3.0 (§6.2.1) and of cl_ext_float_atomics.
pub const FEATURES: &[&str] = &[
    "__opencl_c_3d_image_writes",
    "__opencl_c_atomic_order_acq_rel",
    "__opencl_c_atomic_order_seq_cst",
    "__opencl_c_atomic_scope_device",
    "__opencl_c_atomic_scope_all_devices",
    "__opencl_c_device_enqueue",
    "__opencl_c_ext_fp16_global_atomic_add",
    "__opencl_c_ext_fp16_global_atomic_load_store",
    "__opencl_c_ext_fp16_global_atomic_min_max",
    "__opencl_c_ext_fp16_local_atomic_add",
    "__opencl_c_ext_fp16_local_atomic_load_store",
    "__opencl_c_ext_fp16_local_atomic_min_max",
    "__opencl_c_ext_fp32_global_atomic_add",
    "__opencl_c_ext_fp32_global_atomic_min_max",
    "__opencl_c_ext_fp32_local_atomic_add",
    "__opencl_c_ext_fp32_local_atomic_min_max",
    "__opencl_c_ext_fp64_global_atomic_add",
    "__opencl_c_ext_fp64_global_atomic_min_max",
    "__opencl_c_ext_fp64_local_atomic_add",
    "__opencl_c_ext_fp64_local_atomic_min_max",
    "__opencl_c_fp64",
    "__opencl_c_generic_address_space",
    "__opencl_c_images",
    "__opencl_c_int64",
    "__opencl_c_integer_dot_product_input_4x8bit",
    "__opencl_c_integer_dot_product_input_4x8bit_packed",
    "__opencl_c_pipes",
    "__opencl_c_program_scope_global_variables",
    "__opencl_c_read_write_images",
    "__opencl_c_subgroups",
    "__opencl_c_work_group_collective_functions",
];

/// Read-modify-writes of floats in buffers that a device has itself (VK_EXT_shader_atomic_float,
/// VK_EXT_shader_atomic_float2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct FloatAtomics {
    /// Sums of single precision.
    pub add_f32: bool,
    /// Sums of double precision.
    pub add_f64: bool,
    /// Minima and maxima of single precision.
    pub min_max_f32: bool,
    /// Minima and maxima of double precision.
    pub min_max_f64: bool,
}

impl FloatAtomics {
    /// Returns whether the device has sums, else minima and maxima, of floats of so many bytes.
    pub fn has(self, sum: bool, bytes: u32) -> bool {
        match (sum, bytes) {
            (true, 4) => self.add_f32,
            (true, 8) => self.add_f64,
            (false, 4) => self.min_max_f32,
            (false, 8) => self.min_max_f64,
            _ => false,
        }
    }
}

impl Target {
    /// Returns whether kernels ask for arithmetic on f32 that rounds to nearest (RoundingModeRTE). `divide_exactly`: the program
    /// asked for correctly rounded divisions.
    pub fn asks_for_nearest_f32(&self, divide_exactly: bool) -> bool {
        self.float_controls[1].rounding_rte
            && (divide_exactly || !self.arithmetic.nearest_unasked_f32)
    }

    /// Returns whether OpFDiv on f32 is correctly rounded in a program that asked for that or did not.
    pub fn divides_exactly_f32(&self, divide_exactly: bool) -> bool {
        self.arithmetic.exact_div_f32 && (divide_exactly || !self.arithmetic.nearest_unasked_f32)
    }

    /// Returns whether kernels may have their local memory in a buffer. Checks know its limits where it is the device's own.
    pub fn may_keep_local_in_buffers(&self) -> bool {
        !self.checks.any() && !self.zero_local && self.abi.descriptors().is_none()
    }

    /// Returns whether kernels with more local memory than Vulkan's shared memory holds have it in a buffer.
    pub fn keeps_large_local_in_buffers(&self) -> bool {
        self.max_local_memory_size > self.max_shared_memory_size && self.may_keep_local_in_buffers()
    }

    /// Returns whether kernels have their local memory in a buffer though it would fit in Vulkan's.
    pub fn keeps_local_in_buffers(&self) -> bool {
        let wanted = self.local_in_buffers || self.quirks.has(QuirkKind::LocalMemoryInBuffers);
        wanted && self.may_keep_local_in_buffers()
    }

    /// Returns whether the device offers an extension of that name.
    pub fn has_extension(&self, name: &str) -> bool {
        self.extensions.iter().any(|e| e == name)
    }

    /// Returns whether the device has an OpenCL C feature (`__opencl_c_…`).
    pub fn has_feature(&self, name: &str) -> bool {
        self.features.iter().any(|feature| feature == name)
    }

    /// Returns whether the device computes with integers of so many bytes and has them in memory. Else
    /// words hold them.
    pub fn has_integers(&self, bytes: u32) -> bool {
        let addresses = self.abi.descriptors().is_none();
        match bytes {
            // With descriptors memory is words wherever it has to be.
            1 => self.int8 && (self.storage8.storage_buffer || !addresses),
            2 => self.int16 && (self.storage16.storage_buffer || !addresses),
            8 => self.int64,
            _ => true,
        }
    }

    /// Returns whether the device computes with halves. Else floats do, and 16-bit integers hold them: also
    /// where a pass for the driver looks at the bits of halves and there are no such integers.
    pub fn has_halves(&self) -> bool {
        let guards = [
            QuirkKind::GuardZeroSums,
            QuirkKind::GuardZeroProducts,
            QuirkKind::HalvesByFloats,
        ];
        let guarded = guards.iter().any(|&kind| self.quirks.has(kind));
        self.float16 && (self.has_integers(2) || !guarded)
    }

    /// Returns whether the device computes with doubles. Else integers do, or programs have none.
    pub fn has_doubles(&self) -> bool {
        self.float64 && !self.soft_f64
    }

    /// The device with doubles that are made of integers. The library has their quotients and roots.
    #[must_use]
    pub fn with_soft_doubles(mut self) -> Self {
        (self.float64, self.soft_f64, self.flushes_f64) = (true, true, false);
        self.arithmetic.exact_fma_f64 = true;
        (
            self.arithmetic.exact_div_f64,
            self.arithmetic.exact_sqrt_f64,
        ) = (false, false);
        self.without_double_units()
    }

    /// The device with doubles that `legalize_doubles` makes exact.
    #[must_use]
    pub fn with_exact_doubles(mut self) -> Self {
        self.flushes_f64 = true;
        self.without_double_units()
    }

    /// The device without atomics and products of matrices on doubles, which no pass could make exact.
    fn without_double_units(mut self) -> Self {
        (self.float_atomics.add_f64, self.float_atomics.min_max_f64) = (false, false);
        self.native_products
            .retain(|native| native.product.result != Component::Double);
        self
    }

    /// The device without images.
    #[must_use]
    pub fn without_images(mut self) -> Self {
        (self.images, self.read_write_images, self.image_3d_writes) = (false, false, false);
        self.features.retain(|feature| !feature.contains("image"));
        self
    }

    /// A generous target for tests and `pumicec` without a device: what lavapipe 22.3 offers.
    pub fn reference() -> Self {
        let small = SmallStorage {
            storage_buffer: true,
            uniform: true,
            push_constant: true,
        };
        Self {
            abi: Abi::Addresses,
            opencl_version: (3, 0),
            opencl_c_version: (3, 0),
            extensions: [
                "cl_amd_media_ops",
                "cl_amd_media_ops2",
                "cl_arm_integer_dot_product_accumulate_int16",
                "cl_arm_integer_dot_product_accumulate_int8",
                "cl_arm_integer_dot_product_accumulate_saturate_int8",
                "cl_arm_integer_dot_product_int8",
                "cl_khr_global_int32_base_atomics",
                "cl_khr_global_int32_extended_atomics",
                "cl_khr_local_int32_base_atomics",
                "cl_khr_local_int32_extended_atomics",
                "cl_khr_byte_addressable_store",
                "cl_khr_extended_bit_ops",
                "cl_khr_fp16",
                "cl_khr_fp64",
                "cl_khr_integer_dot_product",
            ]
            .map(String::from)
            .to_vec(),
            features: [
                "__opencl_c_int64",
                "__opencl_c_fp64",
                "__opencl_c_integer_dot_product_input_4x8bit",
                "__opencl_c_integer_dot_product_input_4x8bit_packed",
                "__opencl_c_program_scope_global_variables",
                "__opencl_c_images",
                "__opencl_c_3d_image_writes",
                "__opencl_c_read_write_images",
            ]
            .map(String::from)
            .to_vec(),
            float16: true,
            float64: true,
            soft_f64: false,
            embedded_profile: false,
            images: true,
            read_write_images: true,
            unorm16_texel_buffers: true,
            image_3d_writes: true,
            int8: true,
            int16: true,
            int64: true,
            int64_buffer_atomics: true,
            int64_shared_atomics: true,
            storage8: small,
            storage16: small,
            variable_pointers: true,
            float_atomics: FloatAtomics::default(),
            max_parameter_size: 4096,
            max_uniform_buffer_size: 64 << 10,
            vulkan_memory_model: true,
            memory_model_device_scope: true,
            float_controls: [FloatControls::default(); 3],
            arithmetic: Arithmetic::exact(),
            flushes_f64: false,
            address_delta: false,
            quirks: Quirks::NONE,
            max_push_constants_size: 128,
            max_local_memory_size: 32768,
            max_shared_memory_size: 32768,
            max_work_group_size: 1024,
            max_subgroup_size: 8,
            largest_subgroup_size: 8,
            subgroup: SubgroupOps {
                basic: true,
                vote: true,
                arithmetic: true,
                ballot: true,
                shuffle: true,
                shuffle_relative: true,
                clustered: false,
                quad: true,
                rotate: false,
            },
            launch_promises: true,
            amd_shader_ballot: false,
            native_products: Vec::new(),
            clocks: true,
            maximal_reconvergence: false,
            shader_enqueue: false,
            coarse: false,
            groups_of_one: false,
            local_in_buffers: false,
            zero_local: false,
            zero_private: false,
            terminable: false,
            checks: Checks::NONE,
            printf_buffer_size: 1 << 20,
            il_version: (1, 6),
            spirv_version: (1, 5),
        }
    }
}
