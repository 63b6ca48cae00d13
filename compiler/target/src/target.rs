//! The device as the compiler knows it: plain data, part of every cache key.

use crate::abi::Abi;

/// Which storage classes accept 8- or 16-bit accesses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SmallStorage {
    /// Storage buffers and physical storage buffers.
    pub storage_buffer: bool,
    /// Uniform buffers.
    pub uniform: bool,
    /// Push constants.
    pub push_constant: bool,
}

/// Float controls of one width (VkPhysicalDeviceFloatControlsProperties).
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

/// Subgroup operations that the device has in compute shaders.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
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
/// Built by the runtime from capability bits (never from names) and from its one list of
/// extensions; equal targets give equal output for equal input.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Target {
    /// How kernels get at their arguments.
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
    /// `shaderFloat64`.
    pub float64: bool,
    /// Images and samplers of all of OpenCL's types, for reading or writing; storage images
    /// need `shaderStorageImageWriteWithoutFormat`. Goes with `__opencl_c_images`.
    pub images: bool,
    /// Images for both, with `shaderStorageImageReadWithoutFormat`. Goes with
    /// `__opencl_c_read_write_images`.
    pub read_write_images: bool,
    /// Writing 3D images. Goes with `__opencl_c_3d_image_writes`.
    pub image_3d_writes: bool,
    /// Whether the device's samplers are coarser than OpenCL wants them, so that reads through
    /// samplers are computed pixel by pixel (known of some drivers).
    pub sample_exactly: bool,
    /// `shaderInt8` arithmetic.
    pub int8: bool,
    /// `shaderInt16` arithmetic.
    pub int16: bool,
    /// `shaderBufferInt64Atomics`.
    pub int64_buffer_atomics: bool,
    /// `shaderSharedInt64Atomics`.
    pub int64_shared_atomics: bool,
    /// 8-bit storage by class.
    pub storage8: SmallStorage,
    /// 16-bit storage by class.
    pub storage16: SmallStorage,
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
    /// Whether f16 denormals survive arithmetic (by capability or by start-up probe).
    pub denorms_f16: bool,
    /// Whether f32 denormals survive arithmetic likewise.
    pub denorms_f32: bool,
    /// Whether GLSL.std.450 Fma on f16 is one correctly rounded operation (probe).
    pub exact_fma_f16: bool,
    /// Whether GLSL.std.450 Fma on f32 is one correctly rounded operation (probe).
    pub exact_fma_f32: bool,
    /// Whether GLSL.std.450 Fma on f64 is one correctly rounded operation (probe).
    pub exact_fma_f64: bool,
    /// Whether OpFDiv on f16 is correctly rounded (probe).
    pub exact_div_f16: bool,
    /// Whether OpFDiv on f32 is correctly rounded (probe).
    pub exact_div_f32: bool,
    /// Whether OpFDiv on f64 is correctly rounded (probe).
    pub exact_div_f64: bool,
    /// Whether GLSL.std.450 Sqrt on f32 is correctly rounded (probe).
    pub exact_sqrt_f32: bool,
    /// Whether GLSL.std.450 Sqrt on f64 is correctly rounded (probe).
    pub exact_sqrt_f64: bool,
    /// Whether the driver needs values that leave a loop to go through an OpPhi whose sources
    /// differ (a driver's bug; the runtime knows which).
    pub loop_values_by_phi: bool,
    /// Whether `(a & C) | (b & !C)` must be written as `(a | !C) & (b | C)` (a bug of the
    /// driver's compiler; the runtime knows which).
    pub split_bit_joins: bool,
    /// Whether a global load that no branch leads to is made all the same when its address is one
    /// for all work-items (a bug of the driver; the runtime knows which).
    pub loads_ignore_branches: bool,
    /// Whether vectors of small lanes are accessed faster as words of up to 64 bits, because the
    /// driver gathers a vector's components one by one (known of some drivers).
    pub vectors_by_words: bool,
    /// Whether work-items are numbered by sub-group and lane, in sub-groups of
    /// `max_subgroup_size`, and local ids are had faster from those numbers than from the
    /// built-in (known of some drivers).
    pub local_ids_from_lanes: bool,
    /// Whether integers of up to 32 bits are divided faster as doubles, which is exact, because the
    /// driver divides them one work-item at a time (known of some drivers).
    pub divide_in_doubles: bool,
    /// Whether a sub-group holds work-items of one row of the work-group only, so that a group
    /// that is to have OpenCL's sub-groups must be a single row (known of some drivers).
    pub sub_groups_in_rows: bool,
    /// Whether `x + 0.0` needs help for `-0.0`, and `fabs` (a driver's bug; the runtime knows
    /// which).
    pub guard_zero_sums: bool,
    /// Whether `x * 0.0` needs help for NaN and negative numbers (likewise).
    pub guard_zero_products: bool,
    /// Whether signed comparisons of an i32 extended to i64 must be written as unsigned ones (a
    /// driver's bug; the runtime knows which).
    pub guard_widened_compares: bool,
    /// `maxPushConstantsSize` in bytes.
    pub max_push_constants_size: u32,
    /// `maxComputeSharedMemorySize` in bytes.
    pub max_local_memory_size: u32,
    /// `maxComputeWorkGroupInvocations`.
    pub max_work_group_size: u32,
    /// `subgroupSize`, or the maximum where it varies.
    pub max_subgroup_size: u32,
    /// Subgroup operations.
    pub subgroup: SubgroupOps,
    /// VK_AMD_shader_ballot: SPV_AMD_shader_ballot's instructions pass through.
    pub amd_shader_ballot: bool,
    /// `shaderDeviceClock` and `shaderSubgroupClock`.
    pub clocks: bool,
    /// `shaderMaximalReconvergence`: work-items of a sub-group that part meet again where the
    /// source lets them.
    pub maximal_reconvergence: bool,
    /// VK_AMDX_shader_enqueue: kernels may be nodes of an execution graph.
    pub shader_enqueue: bool,
    /// Size in bytes of the printf buffer (CL_DEVICE_PRINTF_BUFFER_SIZE).
    pub printf_buffer_size: u32,
    /// The highest version that Kernel SPIR-V may have. Modules are 1.0 unless they hold what
    /// came later; operands without which a module is still right are left out above it.
    pub il_version: (u8, u8),
    /// SPIR-V version to emit for Vulkan, e.g. `(1, 5)`.
    pub spirv_version: (u8, u8),
}

/// Every optional feature of OpenCL C 3.0 (§6.2.1).
pub const FEATURES: &[&str] = &[
    "__opencl_c_3d_image_writes",
    "__opencl_c_atomic_order_acq_rel",
    "__opencl_c_atomic_order_seq_cst",
    "__opencl_c_atomic_scope_device",
    "__opencl_c_atomic_scope_all_devices",
    "__opencl_c_device_enqueue",
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

impl Target {
    /// Whether the device offers an extension of that name.
    pub fn has_extension(&self, name: &str) -> bool {
        self.extensions.iter().any(|e| e == name)
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
            images: true,
            read_write_images: true,
            image_3d_writes: true,
            sample_exactly: false,
            int8: true,
            int16: true,
            int64_buffer_atomics: true,
            int64_shared_atomics: true,
            storage8: small,
            storage16: small,
            variable_pointers: true,
            max_parameter_size: 4096,
            max_uniform_buffer_size: 64 << 10,
            vulkan_memory_model: true,
            memory_model_device_scope: true,
            float_controls: [FloatControls::default(); 3],
            denorms_f16: true,
            denorms_f32: true,
            exact_fma_f16: true,
            exact_fma_f32: true,
            exact_fma_f64: true,
            exact_div_f16: true,
            exact_div_f32: true,
            exact_div_f64: true,
            exact_sqrt_f32: true,
            exact_sqrt_f64: true,
            loop_values_by_phi: false,
            split_bit_joins: false,
            loads_ignore_branches: false,
            vectors_by_words: false,
            local_ids_from_lanes: false,
            divide_in_doubles: false,
            sub_groups_in_rows: false,
            guard_zero_sums: false,
            guard_zero_products: false,
            guard_widened_compares: false,
            max_push_constants_size: 128,
            max_local_memory_size: 32768,
            max_work_group_size: 1024,
            max_subgroup_size: 8,
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
            amd_shader_ballot: false,
            clocks: true,
            maximal_reconvergence: false,
            shader_enqueue: false,
            printf_buffer_size: 1 << 20,
            il_version: (1, 6),
            spirv_version: (1, 5),
        }
    }
}
