//! Lists of the SPIR-V that the importer takes: clGetDeviceInfo's answers (cl_khr_spirv_queries)
//! derive from them.

use pumice_target::Target;
use rspirv::spirv::Capability;
use std::ffi::CStr;

/// Capabilities that a module may declare. What they need of the device is checked by later
/// stages, where the module uses it.
pub const CAPABILITIES: &[Capability] = &[
    Capability::Addresses,
    Capability::Linkage,
    Capability::Kernel,
    Capability::Vector16,
    Capability::Float16Buffer,
    Capability::Float16,
    Capability::Float64,
    Capability::Int64,
    Capability::Int64Atomics,
    Capability::Groups,
    Capability::Int16,
    Capability::GenericPointer,
    Capability::Int8,
    Capability::SubgroupDispatch,
    Capability::DeviceEnqueue,
    Capability::GroupNonUniform,
    Capability::GroupNonUniformVote,
    Capability::GroupNonUniformArithmetic,
    Capability::GroupNonUniformBallot,
    Capability::GroupNonUniformShuffle,
    Capability::GroupNonUniformShuffleRelative,
    Capability::GroupNonUniformClustered,
    Capability::GroupNonUniformRotateKHR,
    Capability::GroupNonUniformQuad,
    Capability::SubgroupShuffleINTEL,
    Capability::SubgroupBufferBlockIOINTEL,
    Capability::SubgroupImageBlockIOINTEL,
    Capability::DotProduct,
    Capability::DotProductInputAll,
    Capability::DotProductInput4x8Bit,
    Capability::DotProductInput4x8BitPacked,
    Capability::UniformDecoration,
    Capability::OptNoneEXT,
    Capability::ShaderClockKHR,
    Capability::SubgroupBallotKHR,
    Capability::SubgroupVoteKHR,
    Capability::DenormPreserve,
    Capability::SignedZeroInfNanPreserve,
    Capability::RoundingModeRTE,
    Capability::AtomicFloat16AddEXT,
    Capability::AtomicFloat16MinMaxEXT,
    Capability::AtomicFloat32AddEXT,
    Capability::AtomicFloat64AddEXT,
    Capability::AtomicFloat32MinMaxEXT,
    Capability::AtomicFloat64MinMaxEXT,
    Capability::GroupUniformArithmeticKHR,
    Capability::BitInstructions,
    Capability::ImageBasic,
    Capability::ImageReadWrite,
    Capability::ImageMipmap,
    Capability::LiteralSampler,
    Capability::Sampled1D,
    Capability::Image1D,
    Capability::SampledBuffer,
    Capability::ImageBuffer,
    Capability::Pipes,
    Capability::PipeStorage,
    Capability::ExpectAssumeKHR,
    Capability::FMAKHR,
    Capability::ReplicatedCompositesEXT,
    Capability::ArithmeticFenceEXT,
    Capability::SplitBarrierINTEL,
    Capability::BFloat16ConversionINTEL,
    Capability::FPFastMathModeINTEL,
    Capability::MemoryAccessAliasingINTEL,
    Capability::UnstructuredLoopControlsINTEL,
    Capability::CooperativeMatrixKHR,
    Capability::FunctionPointersINTEL,
];

/// Extensions whose instructions and enumerants are imported.
pub const EXTENSIONS: &[&CStr] = &[
    c"SPV_AMD_shader_ballot",
    c"SPV_EXT_arithmetic_fence",
    c"SPV_EXT_replicated_composites",
    c"SPV_EXT_shader_atomic_float16_add",
    c"SPV_EXT_shader_atomic_float_add",
    c"SPV_EXT_shader_atomic_float_min_max",
    c"SPV_EXT_optnone",
    c"SPV_GOOGLE_decorate_string",
    c"SPV_INTEL_bfloat16_conversion",
    c"SPV_INTEL_fp_fast_math_mode",
    c"SPV_INTEL_function_pointers",
    c"SPV_INTEL_memory_access_aliasing",
    c"SPV_INTEL_optnone",
    c"SPV_INTEL_split_barrier",
    c"SPV_INTEL_subgroups",
    c"SPV_INTEL_unstructured_loop_controls",
    c"SPV_KHR_bit_instructions",
    c"SPV_KHR_cooperative_matrix",
    c"SPV_KHR_expect_assume",
    c"SPV_KHR_float_controls",
    c"SPV_KHR_fma",
    c"SPV_KHR_integer_dot_product",
    c"SPV_KHR_linkonce_odr",
    c"SPV_KHR_no_integer_wrap_decoration",
    c"SPV_KHR_non_semantic_info",
    c"SPV_KHR_relaxed_extended_instruction",
    c"SPV_KHR_shader_ballot",
    c"SPV_KHR_shader_clock",
    c"SPV_KHR_subgroup_rotate",
    c"SPV_KHR_subgroup_vote",
    c"SPV_KHR_uniform_group_instructions",
];

/// Extended instruction sets. Those that begin with `NonSemantic.` are taken, and dropped, all.
pub const INSTRUCTION_SETS: &[&CStr] = &[
    c"OpenCL.std",
    c"OpenCL.DebugInfo.100",
    c"NonSemantic.Shader.DebugInfo.100",
    c"SPV_AMD_shader_ballot",
];

/// SPIR-V versions that are imported, major and minor.
pub const VERSIONS: &[(u32, u32)] = &[(1, 0), (1, 1), (1, 2), (1, 3), (1, 4), (1, 5), (1, 6)];

/// The numbers of the capabilities that a device serves with everything that a module which
/// declares them may hold.
pub fn capabilities(target: &Target) -> Vec<u32> {
    let list = CAPABILITIES.iter();
    list.filter(|&&capability| serves(capability, target))
        .map(|&capability| capability as u32)
        .collect()
}

fn serves(capability: Capability, target: &Target) -> bool {
    let ops = &target.subgroup;
    let sub_groups = ops.basic && ops.vote && ops.arithmetic && ops.ballot;
    match capability {
        Capability::ShaderClockKHR => target.clocks,
        Capability::Pipes | Capability::PipeStorage => target.has_feature("__opencl_c_pipes"),
        Capability::ImageReadWrite => target.read_write_images,
        Capability::DeviceEnqueue => target.has_feature("__opencl_c_device_enqueue"),
        Capability::ImageMipmap => target.has_extension("cl_khr_mipmap_image_writes"),
        Capability::ImageBasic
        | Capability::LiteralSampler
        | Capability::Sampled1D
        | Capability::Image1D
        | Capability::SampledBuffer
        | Capability::ImageBuffer => target.images,
        Capability::AtomicFloat16AddEXT | Capability::AtomicFloat16MinMaxEXT => target.float16,
        Capability::Float16 => target.has_extension("cl_khr_fp16"),
        Capability::Float64 => target.float64 && target.has_extension("cl_khr_fp64"),
        Capability::Int64Atomics
        | Capability::AtomicFloat64AddEXT
        | Capability::AtomicFloat64MinMaxEXT => {
            target.int64_buffer_atomics && target.int64_shared_atomics
        }
        Capability::Groups
        | Capability::GroupUniformArithmeticKHR
        | Capability::GroupNonUniform
        | Capability::GroupNonUniformVote
        | Capability::GroupNonUniformArithmetic
        | Capability::GroupNonUniformBallot
        | Capability::SubgroupBallotKHR
        | Capability::SubgroupVoteKHR
        | Capability::SubgroupDispatch
        | Capability::SubgroupBufferBlockIOINTEL => sub_groups,
        Capability::GroupNonUniformShuffle
        | Capability::GroupNonUniformShuffleRelative
        | Capability::GroupNonUniformClustered
        | Capability::GroupNonUniformQuad
        | Capability::GroupNonUniformRotateKHR
        | Capability::CooperativeMatrixKHR
        | Capability::SubgroupShuffleINTEL => sub_groups && ops.shuffle,
        Capability::SubgroupImageBlockIOINTEL => sub_groups && ops.shuffle && target.images,
        _ => true,
    }
}
