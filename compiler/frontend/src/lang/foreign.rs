//! Names that programmers bring along from C, C++, CUDA, HLSL and GLSL, with OpenCL C's word for each.
//!
//! Takes a name that means nothing in OpenCL C; gives what stands in its place. Programs may declare
//! the names: callers ask only about undeclared ones.

/// The counterpart of a foreign name in OpenCL C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cure {
    /// A name that can be written instead.
    Name(&'static str),
    /// A sentence about what to write.
    Hint(&'static str),
}

/// Foreign names with one name of OpenCL C for each.
const NAMES: &[(&str, &str)] = &[
    // C and C++
    ("int8_t", "char"),
    ("int16_t", "short"),
    ("int32_t", "int"),
    ("int64_t", "long"),
    ("uint8_t", "uchar"),
    ("uint16_t", "ushort"),
    ("uint32_t", "uint"),
    ("uint64_t", "ulong"),
    ("int32", "int"),
    ("int64", "long"),
    ("uint32", "uint"),
    ("uint64", "ulong"),
    ("nullptr", "NULL"),
    // CUDA
    ("__shared__", "__local"),
    ("__constant__", "__constant"),
    ("__global__", "__kernel"),
    ("__forceinline__", "inline"),
    ("atomicAdd", "atomic_add"),
    ("atomicSub", "atomic_sub"),
    ("atomicExch", "atomic_xchg"),
    ("atomicMin", "atomic_min"),
    ("atomicMax", "atomic_max"),
    ("atomicAnd", "atomic_and"),
    ("atomicOr", "atomic_or"),
    ("atomicXor", "atomic_xor"),
    ("atomicCAS", "atomic_cmpxchg"),
    ("rsqrtf", "rsqrt"),
    // HLSL and GLSL
    ("lerp", "mix"),
    ("mod", "fmod"),
    ("inversesqrt", "rsqrt"),
    ("vec2", "float2"),
    ("vec3", "float3"),
    ("vec4", "float4"),
    ("ivec2", "int2"),
    ("ivec3", "int3"),
    ("ivec4", "int4"),
    ("uvec2", "uint2"),
    ("uvec3", "uint3"),
    ("uvec4", "uint4"),
];

const NO_ALLOCATION: &str = "OpenCL C has no memory allocation; use an array of constant size, or a buffer that the host passes";
const NO_MEMORY_FUNCTIONS: &str = "OpenCL C has no functions for blocks of memory; assign the elements in a loop, or a struct as a whole";
const NO_END: &str =
    "a kernel cannot end the program; store an error number in a buffer for the host, and return";
const NO_RANDOM: &str =
    "OpenCL C has no random numbers; compute them from a seed and the work-item's ID";
const ONLY_PRINTF: &str = "the only output function of OpenCL C is 'printf'";
const NO_QUALIFIER: &str = "functions that kernels call need no qualifier in OpenCL C";

/// Foreign names without a counterpart that is a name.
const HINTS: &[(&str, &str)] = &[
    // C and C++
    ("malloc", NO_ALLOCATION),
    ("calloc", NO_ALLOCATION),
    ("realloc", NO_ALLOCATION),
    ("free", NO_ALLOCATION),
    ("memcpy", NO_MEMORY_FUNCTIONS),
    ("memmove", NO_MEMORY_FUNCTIONS),
    ("memset", NO_MEMORY_FUNCTIONS),
    ("assert", NO_END),
    ("abort", NO_END),
    ("exit", NO_END),
    ("rand", NO_RANDOM),
    ("srand", NO_RANDOM),
    ("fprintf", ONLY_PRINTF),
    ("putchar", ONLY_PRINTF),
    ("puts", ONLY_PRINTF),
    // CUDA
    (
        "threadIdx",
        "in OpenCL C, 'threadIdx.x' of CUDA is 'get_local_id(0)'",
    ),
    (
        "blockIdx",
        "in OpenCL C, 'blockIdx.x' of CUDA is 'get_group_id(0)'",
    ),
    (
        "blockDim",
        "in OpenCL C, 'blockDim.x' of CUDA is 'get_local_size(0)'",
    ),
    (
        "gridDim",
        "in OpenCL C, 'gridDim.x' of CUDA is 'get_num_groups(0)'",
    ),
    (
        "warpSize",
        "in OpenCL C, 'warpSize' of CUDA is 'get_max_sub_group_size()'",
    ),
    (
        "__syncthreads",
        "in OpenCL C, '__syncthreads()' of CUDA is 'barrier(CLK_LOCAL_MEM_FENCE)'",
    ),
    (
        "__syncwarp",
        "in OpenCL C, '__syncwarp()' of CUDA is 'sub_group_barrier(CLK_LOCAL_MEM_FENCE)'",
    ),
    (
        "__threadfence_block",
        "in OpenCL C, '__threadfence_block()' of CUDA is 'mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)'",
    ),
    ("__ldg", "in OpenCL C, '__ldg(p)' of CUDA is '*p'"),
    ("__device__", NO_QUALIFIER),
    ("__host__", NO_QUALIFIER),
    (
        "make_float2",
        "in OpenCL C, 'make_float2(x, y)' of CUDA is '(float2)(x, y)'",
    ),
    (
        "make_float3",
        "in OpenCL C, 'make_float3(x, y, z)' of CUDA is '(float3)(x, y, z)'",
    ),
    (
        "make_float4",
        "in OpenCL C, 'make_float4(x, y, z, w)' of CUDA is '(float4)(x, y, z, w)'",
    ),
    (
        "make_int2",
        "in OpenCL C, 'make_int2(x, y)' of CUDA is '(int2)(x, y)'",
    ),
    (
        "make_int4",
        "in OpenCL C, 'make_int4(x, y, z, w)' of CUDA is '(int4)(x, y, z, w)'",
    ),
    // HLSL and GLSL
    (
        "saturate",
        "in OpenCL C, 'saturate(x)' of HLSL is 'clamp(x, 0.0f, 1.0f)'",
    ),
    ("frac", "in OpenCL C, 'frac(x)' of HLSL is 'x - floor(x)'"),
    (
        "gl_GlobalInvocationID",
        "in OpenCL C, 'gl_GlobalInvocationID.x' of GLSL is 'get_global_id(0)'",
    ),
    (
        "gl_LocalInvocationID",
        "in OpenCL C, 'gl_LocalInvocationID.x' of GLSL is 'get_local_id(0)'",
    ),
    (
        "gl_WorkGroupID",
        "in OpenCL C, 'gl_WorkGroupID.x' of GLSL is 'get_group_id(0)'",
    ),
];

const NO_MATRICES: Cure = Cure::Hint("OpenCL C has no matrices; use an array of vectors");

/// Returns what OpenCL C has in place of an undeclared name.
pub fn cure(name: &str) -> Option<Cure> {
    let named = NAMES.iter().find(|(foreign, _)| *foreign == name);
    if let Some((_, own)) = named {
        return Some(Cure::Name(own));
    }
    let hint = HINTS.iter().find(|(foreign, _)| *foreign == name);
    if let Some((_, hint)) = hint {
        return Some(Cure::Hint(hint));
    }
    vector(name)
}

/// Returns whether CUDA has the name in front of declarations.
pub fn is_qualifier(name: &str) -> bool {
    matches!(
        name,
        "__constant__"
            | "__device__"
            | "__forceinline__"
            | "__global__"
            | "__host__"
            | "__shared__"
    )
}

/// Advice to who wrote an undeclared name.
#[derive(Debug, Default)]
pub struct Advice {
    /// The name that was perhaps meant.
    pub name: Option<String>,
    /// A note below the message.
    pub hint: Option<&'static str>,
}

impl Advice {
    /// Ends a message with the name that was perhaps meant.
    pub fn complete(&self, mut message: String) -> String {
        if let Some(name) = &self.name {
            message.push_str(&format!("; did you mean '{name}'?"));
        }
        message
    }
}

/// Advises on an undeclared name: by its cure, else by a name that looks `similar`.
pub fn advice(name: &str, similar: impl FnOnce() -> Option<String>) -> Advice {
    match cure(name) {
        Some(Cure::Name(own)) => Advice {
            name: Some(own.to_string()),
            hint: None,
        },
        Some(Cure::Hint(hint)) => Advice {
            name: None,
            hint: Some(hint),
        },
        None => Advice {
            name: similar(),
            hint: None,
        },
    }
}

/// The cure for names of vectors and matrices that OpenCL C does not have: `float5`, `bool4`, `mat4`.
fn vector(name: &str) -> Option<Cure> {
    let digits = |c: char| c.is_ascii_digit();
    if let Some(size) = name.strip_prefix("mat") {
        return (size.len() == 1 && size.starts_with(digits)).then_some(NO_MATRICES);
    }
    let stem = name.trim_end_matches(digits);
    if stem == name {
        return None;
    }
    if let Some(elem) = stem.strip_suffix('x').map(|s| s.trim_end_matches(digits)) {
        return matches!(elem, "half" | "float" | "double").then_some(NO_MATRICES);
    }
    match stem {
        "bool" => Some(Cure::Hint(
            "OpenCL C has no vectors of bool; comparing vectors gives integers of their size, such as 'int4' for 'float4'",
        )),
        _ if super::names::is_type_name(&format!("{stem}2")) => {
            Some(Cure::Hint("vectors have 2, 3, 4, 8 or 16 elements"))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Cure, HINTS, NAMES, cure};
    use crate::builtins;
    use crate::lang::names::is_type_name;

    #[test]
    fn no_foreign_name_means_something_here() {
        let foreign = NAMES.iter().chain(HINTS).map(|(name, _)| *name);
        for name in foreign {
            assert!(!builtins::is_builtin(name) && !is_type_name(name), "{name}");
        }
    }

    #[test]
    fn every_name_instead_is_one_of_opencl_c() {
        let words = ["NULL", "__local", "__constant", "__kernel", "inline"];
        for (foreign, own) in NAMES {
            let known = builtins::is_builtin(own) || is_type_name(own) || words.contains(own);
            assert!(known, "{foreign}: {own}");
        }
    }

    #[test]
    fn vectors_of_other_lengths() {
        assert!(matches!(cure("float5"), Some(Cure::Hint(_))));
        assert!(matches!(cure("float4x4"), Some(Cure::Hint(_))));
        assert_eq!(cure("counter2"), None);
        assert_eq!(cure("matter"), None);
        assert_eq!(cure("4"), None);
    }
}
