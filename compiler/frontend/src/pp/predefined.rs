//! Macros defined before the first line: the constants of OpenCL C, the target's macros and
//! the `-D` options.
//!
//! The constants are one text, scanned once per process for the start of each definition. A
//! compile copies only the list of names and adds the target's macros; a definition is tokenised
//! when it is first used.

use std::sync::LazyLock;

use super::compiler_macros::{ADDRESS_MACROS, FIXED_MACROS};
use super::motion_estimation;
use super::token::KEYWORDS;
use crate::lang::opaque::MOTION_ESTIMATION;
use crate::lang::options::{CLANG_EXTENSIONS, first_version};
use crate::symbol::{Interner, Symbol};
use pumice_target::Target;
use pumice_target::options::{ClStd, CompileOptions, Define};

/// Condition for a constant to be defined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gate {
    Always,
    Half,
    Double,
    Cl20,
    Enqueue,
    Pipes,
    Images,
    /// An extension of this name.
    Extension(&'static str),
}

/// Definitions as they would stand behind `#define`.
const CONSTANTS: &[(Gate, &str)] = &[
    (
        Gate::Always,
        "NULL ((void *)0)
MAXFLOAT 0x1.fffffep127f
HUGE_VALF (__builtin_astype(0x7f800000u, float))
INFINITY (__builtin_astype(0x7f800000u, float))
NAN (__builtin_astype(0x7fc00000u, float))
FLT_DIG 6
FLT_MANT_DIG 24
FLT_MAX_10_EXP 38
FLT_MAX_EXP 128
FLT_MIN_10_EXP (-37)
FLT_MIN_EXP (-125)
FLT_RADIX 2
FLT_MAX 0x1.fffffep127f
FLT_MIN 0x1.0p-126f
FLT_EPSILON 0x1.0p-23f
FP_ILOGB0 (-2147483647 - 1)
FP_ILOGBNAN 2147483647
M_E_F 0x1.5bf0a8p+1f
M_LOG2E_F 0x1.715476p+0f
M_LOG10E_F 0x1.bcb7b2p-2f
M_LN2_F 0x1.62e43p-1f
M_LN10_F 0x1.26bb1cp+1f
M_PI_F 0x1.921fb6p+1f
M_PI_2_F 0x1.921fb6p+0f
M_PI_4_F 0x1.921fb6p-1f
M_1_PI_F 0x1.45f306p-2f
M_2_PI_F 0x1.45f306p-1f
M_2_SQRTPI_F 0x1.20dd76p+0f
M_SQRT2_F 0x1.6a09e6p+0f
M_SQRT1_2_F 0x1.6a09e6p-1f
CHAR_BIT 8
CHAR_MAX SCHAR_MAX
CHAR_MIN SCHAR_MIN
SCHAR_MAX 127
SCHAR_MIN (-127 - 1)
UCHAR_MAX 255
SHRT_MAX 32767
SHRT_MIN (-32767 - 1)
USHRT_MAX 65535
INT_MAX 2147483647
INT_MIN (-2147483647 - 1)
UINT_MAX 0xffffffffU
LONG_MAX 0x7fffffffffffffffL
LONG_MIN (-0x7fffffffffffffffL - 1)
ULONG_MAX 0xffffffffffffffffUL
CLK_LOCAL_MEM_FENCE 1
CLK_GLOBAL_MEM_FENCE 2
kernel_exec(X, type) __kernel_exec(X, type)
__kernel_exec(X, type) __kernel __attribute__((work_group_size_hint(X, 1, 1))) __attribute__((vec_type_hint(type)))
",
    ),
    (
        Gate::Half,
        "HALF_DIG 3
HALF_MANT_DIG 11
HALF_MAX_10_EXP 4
HALF_MAX_EXP 16
HALF_MIN_10_EXP (-4)
HALF_MIN_EXP (-13)
HALF_RADIX 2
HALF_MAX 0x1.ffcp15h
HALF_MIN 0x1.0p-14h
HALF_EPSILON 0x1.0p-10h
M_E_H 2.71828182845904523536h
M_LOG2E_H 1.44269504088896340736h
M_LOG10E_H 0.434294481903251827651h
M_LN2_H 0.693147180559945309417h
M_LN10_H 2.30258509299404568402h
M_PI_H 3.14159265358979323846h
M_PI_2_H 1.57079632679489661923h
M_PI_4_H 0.785398163397448309616h
M_1_PI_H 0.318309886183790671538h
M_2_PI_H 0.636619772367581343076h
M_2_SQRTPI_H 1.12837916709551257390h
M_SQRT2_H 1.41421356237309504880h
M_SQRT1_2_H 0.707106781186547524401h
",
    ),
    (
        Gate::Double,
        "HUGE_VAL (__builtin_astype(0x7ff0000000000000ul, double))
DBL_DIG 15
DBL_MANT_DIG 53
DBL_MAX_10_EXP 308
DBL_MAX_EXP 1024
DBL_MIN_10_EXP (-307)
DBL_MIN_EXP (-1021)
DBL_RADIX 2
DBL_MAX 0x1.fffffffffffffp1023
DBL_MIN 0x1.0p-1022
DBL_EPSILON 0x1.0p-52
M_E 0x1.5bf0a8b145769p+1
M_LOG2E 0x1.71547652b82fep+0
M_LOG10E 0x1.bcb7b1526e50ep-2
M_LN2 0x1.62e42fefa39efp-1
M_LN10 0x1.26bb1bbb55516p+1
M_PI 0x1.921fb54442d18p+1
M_PI_2 0x1.921fb54442d18p+0
M_PI_4 0x1.921fb54442d18p-1
M_1_PI 0x1.45f306dc9c883p-2
M_2_PI 0x1.45f306dc9c883p-1
M_2_SQRTPI 0x1.20dd750429b6dp+0
M_SQRT2 0x1.6a09e667f3bcdp+0
M_SQRT1_2 0x1.6a09e667f3bcdp-1
",
    ),
    (
        Gate::Images,
        "CLK_NORMALIZED_COORDS_FALSE 0
CLK_NORMALIZED_COORDS_TRUE 1
CLK_ADDRESS_NONE 0
CLK_ADDRESS_CLAMP_TO_EDGE 2
CLK_ADDRESS_CLAMP 4
CLK_ADDRESS_REPEAT 6
CLK_ADDRESS_MIRRORED_REPEAT 8
CLK_FILTER_NEAREST 0x10
CLK_FILTER_LINEAR 0x20
CLK_IMAGE_MEM_FENCE 4
CLK_SNORM_INT8 0x10D0
CLK_SNORM_INT16 0x10D1
CLK_UNORM_INT8 0x10D2
CLK_UNORM_INT16 0x10D3
CLK_UNORM_SHORT_565 0x10D4
CLK_UNORM_SHORT_555 0x10D5
CLK_UNORM_INT_101010 0x10D6
CLK_SIGNED_INT8 0x10D7
CLK_SIGNED_INT16 0x10D8
CLK_SIGNED_INT32 0x10D9
CLK_UNSIGNED_INT8 0x10DA
CLK_UNSIGNED_INT16 0x10DB
CLK_UNSIGNED_INT32 0x10DC
CLK_HALF_FLOAT 0x10DD
CLK_FLOAT 0x10DE
CLK_UNORM_INT24 0x10DF
CLK_UNORM_INT_101010_2 0x10E0
CLK_R 0x10B0
CLK_A 0x10B1
CLK_RG 0x10B2
CLK_RA 0x10B3
CLK_RGB 0x10B4
CLK_RGBA 0x10B5
CLK_BGRA 0x10B6
CLK_ARGB 0x10B7
CLK_INTENSITY 0x10B8
CLK_LUMINANCE 0x10B9
CLK_Rx 0x10BA
CLK_RGx 0x10BB
CLK_RGBx 0x10BC
CLK_DEPTH 0x10BD
CLK_DEPTH_STENCIL 0x10BE
CLK_sRGB 0x10BF
CLK_sRGBx 0x10C0
CLK_sRGBA 0x10C1
CLK_sBGRA 0x10C2
CLK_ABGR 0x10C3
",
    ),
    (
        Gate::Extension("cl_ext_image_unorm_int_2_101010"),
        "CLK_UNORM_INT_2_101010_EXT 0x10E5
",
    ),
    // The list of the extension has the names without INT, the specification of OpenCL C those with it.
    (
        Gate::Extension("cl_ext_image_unsigned_10x6_12x4_14x2"),
        "CLK_UNORM_INT10X6_EXT 0x10E1
CLK_UNORM_10X6_EXT 0x10E1
CLK_UNSIGNED_INT10X6_EXT 0x10E6
CLK_UNSIGNED_INT12X4_EXT 0x10E7
CLK_UNSIGNED_INT14X2_EXT 0x10E8
CLK_UNORM_INT12X4_EXT 0x10E9
CLK_UNORM_12X4_EXT 0x10E9
CLK_UNORM_INT14X2_EXT 0x10EA
CLK_UNORM_14X2_EXT 0x10EA
",
    ),
    (
        Gate::Extension("cl_ext_image_raw10_raw12"),
        "CLK_UNSIGNED_INT_RAW10_EXT 0x10E3
CLK_UNSIGNED_INT_RAW12_EXT 0x10E4
",
    ),
    (Gate::Extension(MOTION_ESTIMATION), motion_estimation::CONSTANTS),
    (
        Gate::Cl20,
        "ATOMIC_VAR_INIT(value) (value)
ATOMIC_FLAG_INIT 0
",
    ),
    (
        Gate::Enqueue,
        "CLK_SUCCESS 0
CLK_ENQUEUE_FAILURE (-101)
CLK_INVALID_QUEUE (-102)
CLK_INVALID_NDRANGE (-160)
CLK_INVALID_EVENT_WAIT_LIST (-57)
CLK_DEVICE_QUEUE_FULL (-161)
CLK_INVALID_ARG_SIZE (-51)
CLK_EVENT_ALLOCATION_FAILURE (-100)
CLK_OUT_OF_RESOURCES (-5)
CLK_NULL_QUEUE 0
CLK_NULL_EVENT 0
CLK_ENQUEUE_FLAGS_NO_WAIT 0
CLK_ENQUEUE_FLAGS_WAIT_KERNEL 1
CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP 2
CLK_COMPLETE 0
CLK_RUNNING 1
CLK_SUBMITTED 2
CLK_QUEUED 3
CL_COMPLETE 0
CL_RUNNING 1
CL_SUBMITTED 2
CL_QUEUED 3
CLK_PROFILING_COMMAND_EXEC_TIME 1
",
    ),
    (
        Gate::Pipes,
        "CLK_NULL_RESERVE_ID 0
",
    ),
];

/// Features that OpenCL C 2.0 has itself. As with clang's headers, it has their macros too.
const FEATURES_OF_CL20: &[&str] = &[
    "__opencl_c_atomic_order_acq_rel",
    "__opencl_c_atomic_order_seq_cst",
    "__opencl_c_atomic_scope_all_devices",
    "__opencl_c_atomic_scope_device",
    "__opencl_c_device_enqueue",
    "__opencl_c_generic_address_space",
    "__opencl_c_images",
    "__opencl_c_pipes",
    "__opencl_c_program_scope_global_variables",
    "__opencl_c_read_write_images",
    "__opencl_c_work_group_collective_functions",
];

/// One constant of [`CONSTANTS`].
#[derive(Clone, Copy, Debug)]
struct Constant {
    name: Symbol,
    gate: Gate,
    /// Start of the definition, in bytes of [`Base::text`].
    offset: u32,
}

/// Predefined macros that all compiles share. Never changes once made.
struct Base {
    interner: Interner,
    text: String,
    constants: Vec<Constant>,
}

static BASE: LazyLock<Base> = LazyLock::new(|| {
    let mut interner = Interner::new();
    // Keywords come first, so that a symbol's number finds its keyword.
    for (text, _) in KEYWORDS {
        interner.intern(text);
    }
    for (name, _) in BUILTIN_MACROS {
        interner.intern(name);
    }
    let mut text = String::new();
    let mut constants = Vec::new();
    for (gate, definitions) in CONSTANTS {
        for line in definitions.lines() {
            let name = line.split(['(', ' ']).next().unwrap_or(line);
            text.push_str("#define ");
            constants.push(Constant {
                name: interner.intern(name),
                gate: *gate,
                offset: text.len() as u32,
            });
            text.push_str(line);
            text.push('\n');
        }
    }
    Base {
        interner,
        text,
        constants,
    }
});

/// Macros whose expansion the preprocessor computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BuiltinMacro {
    File,
    BaseFile,
    Line,
    Counter,
    IncludeLevel,
    HasBuiltin,
    HasFeature,
    HasExtension,
    HasAttribute,
    HasInclude,
    HasWarning,
}

pub(super) const BUILTIN_MACROS: &[(&str, BuiltinMacro)] = &[
    ("__FILE__", BuiltinMacro::File),
    ("__BASE_FILE__", BuiltinMacro::BaseFile),
    ("__LINE__", BuiltinMacro::Line),
    ("__COUNTER__", BuiltinMacro::Counter),
    ("__INCLUDE_LEVEL__", BuiltinMacro::IncludeLevel),
    ("__has_builtin", BuiltinMacro::HasBuiltin),
    ("__has_feature", BuiltinMacro::HasFeature),
    ("__has_extension", BuiltinMacro::HasExtension),
    ("__has_attribute", BuiltinMacro::HasAttribute),
    ("__has_include", BuiltinMacro::HasInclude),
    ("__has_warning", BuiltinMacro::HasWarning),
];

/// An interner that knows the keywords and predefined names; the preprocessor needs this one.
pub fn base_interner() -> Interner {
    BASE.interner.clone()
}

/// The counterpart for floats of a constant that is there with doubles alone.
pub fn float_constant(name: &str) -> Option<String> {
    let doubles = CONSTANTS.iter().find(|(gate, _)| *gate == Gate::Double)?.1;
    let names = |line: &str| line.split_once(' ').is_some_and(|(own, _)| own == name);
    doubles.lines().find(|line| names(line))?;
    Some(match (name, name.strip_prefix("DBL_")) {
        (_, Some(rest)) => format!("FLT_{rest}"),
        ("HUGE_VAL", _) => "HUGE_VALF".to_string(),
        _ => format!("{name}_F"),
    })
}

/// The constants that this compile has, and where in the text each is defined.
pub(super) fn constants(std: ClStd, target: &Target) -> impl Iterator<Item = (Symbol, u32)> {
    let open = move |gate| match gate {
        Gate::Always => true,
        Gate::Half => target.has_extension("cl_khr_fp16"),
        Gate::Double => target.float64,
        Gate::Cl20 => std >= ClStd::Cl20,
        Gate::Enqueue => target.has_feature("__opencl_c_device_enqueue"),
        Gate::Pipes => target.has_feature("__opencl_c_pipes"),
        Gate::Images => target.has_feature("__opencl_c_images"),
        Gate::Extension(name) => target.has_extension(name),
    };
    BASE.constants
        .iter()
        .filter(move |c| open(c.gate))
        .map(|c| (c.name, c.offset))
}

/// The language version of a compile: what `-cl-std=` says, else the highest OpenCL C 1.x
/// (OpenCL 3.0 API §5.8.6.5).
pub fn language_version(options: &CompileOptions) -> ClStd {
    options.std.unwrap_or(ClStd::Cl12)
}

/// `__OPENCL_C_VERSION__` of a language version.
pub fn version_number(std: ClStd) -> u32 {
    match std {
        ClStd::Cl10 => 100,
        ClStd::Cl11 => 110,
        ClStd::Cl12 => 120,
        ClStd::Cl20 => 200,
        ClStd::Cl30 => 300,
        ClStd::Cl31 => 310,
    }
}

/// The text of all predefined macros, as diagnostics show it. `define` is told of each macro that
/// depends on target and options, and where in the text its definition begins; [`constants`] names
/// the others.
pub(super) fn text(
    options: &CompileOptions,
    target: &Target,
    mut define: impl FnMut(&str, u32),
) -> String {
    let mut text = String::with_capacity(BASE.text.len() + 8192);
    text.push_str(&BASE.text);
    target_macros(options, target, |name, value| {
        text.push_str("#define ");
        define(name, text.len() as u32);
        for part in [name, " ", value, "\n"] {
            text.push_str(part);
        }
    });
    text
}

/// Tells `define` of the name and value of each macro that depends on target and options.
fn target_macros(options: &CompileOptions, target: &Target, mut define: impl FnMut(&str, &str)) {
    let std = language_version(options);
    let addresses = ADDRESS_MACROS[usize::from(options.narrow_addresses)];
    for (name, value) in FIXED_MACROS.iter().chain(addresses) {
        define(name, value);
    }
    let (major, minor) = target.opencl_version;
    let version = u32::from(major) * 100 + u32::from(minor) * 10;
    define("__OPENCL_VERSION__", &version.to_string());
    define("__OPENCL_C_VERSION__", &version_number(std).to_string());
    if target.has_feature("__opencl_c_images") {
        define("__IMAGE_SUPPORT__", "1");
    }
    if target.embedded_profile {
        define("__EMBEDDED_PROFILE__", "1");
    }
    if options.math.fast_relaxed {
        define("__FAST_RELAXED_MATH__", "1");
    }
    for feature in &target.features {
        let of_version = std == ClStd::Cl20 && FEATURES_OF_CL20.contains(&feature.as_str());
        if std >= ClStd::Cl30 || of_version {
            define(feature, "1");
        }
    }
    let known = |name: &&String| std >= first_version(name);
    for extension in target.extensions.iter().filter(known) {
        define(extension, "1");
    }
    for extension in CLANG_EXTENSIONS {
        define(extension, "1");
    }
}

/// Directives for the `-D` and `-U` options and the forced includes, one line each.
pub(super) fn command_line_text(options: &CompileOptions) -> Vec<u8> {
    let mut text = Vec::new();
    for define in &options.defines {
        let line = match define {
            Define::Define(definition) => match definition.iter().position(|byte| *byte == b'=') {
                Some(at) => [b"#define ", &definition[..at], b" ", &definition[at + 1..]].concat(),
                None => [b"#define ", definition.as_slice(), b" 1"].concat(),
            },
            Define::Undefine(name) => [b"#undef ", name.as_slice()].concat(),
        };
        // A definition ends at a line end in it (OpenCL 3.0 API §5.8.6.1).
        let end = line.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
        text.extend_from_slice(&line[..end.unwrap_or(line.len())]);
        text.push(b'\n');
    }
    for file in &options.forced_includes {
        text.extend_from_slice(format!("#include \"{file}\"\n").as_bytes());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{CompileOptions, Define, KEYWORDS, base_interner, command_line_text};

    #[test]
    fn definitions_end_at_line_ends() {
        let options = CompileOptions {
            defines: vec![
                Define::Define(b"A=1\n#error injected".to_vec()),
                Define::Define(b"F(x)=x".to_vec()),
                Define::Undefine(b"A\r\nB".to_vec()),
            ],
            ..CompileOptions::default()
        };
        let text = command_line_text(&options);
        assert_eq!(text, b"#define A 1\n#define F(x) x\n#undef A\n");
    }

    #[test]
    fn keyword_symbols_are_their_indices() {
        let names = base_interner();
        for (index, (text, _)) in KEYWORDS.iter().enumerate() {
            assert_eq!(names.get(text).map(|s| s.index()), Some(index), "{text}");
        }
    }
}
