//! Build options: the one table of them, and their parsed form.
//!
//! The parser takes the string of clBuildProgram, clCompileProgram or clLinkProgram as the
//! application gave it (OpenCL 3.0 API §5.8.6 and §5.8.7).

/// Parsed options of the front end (clBuildProgram, clCompileProgram).
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct CompileOptions {
    /// `-D` and `-U` in order: the text after the flag, e.g. `N=4`, `F(x)=((x)+1)`.
    pub defines: Vec<Define>,
    /// `-I` folders in order.
    pub include_dirs: Vec<String>,
    /// `-cl-std=`; `None` selects the highest OpenCL C 1.x the device offers (the spec's default).
    pub std: Option<ClStd>,
    /// `-w`: no warnings.
    pub no_warnings: bool,
    /// `-Werror`.
    pub warnings_as_errors: bool,
    /// `-g`: keep line information.
    pub debug_info: bool,
    /// `-cl-kernel-arg-info`.
    pub kernel_arg_info: bool,
    /// Floating-point and optimisation switches.
    pub math: MathOptions,
}

/// One `-D` or `-U`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Define {
    /// `-D name`, `-D name=value`, `-D name(params)=value`.
    Define(String),
    /// `-U name`.
    Undefine(String),
}

/// `-cl-std=` values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ClStd {
    /// CL1.0
    Cl10,
    /// CL1.1
    Cl11,
    /// CL1.2
    Cl12,
    /// CL2.0
    Cl20,
    /// CL3.0
    Cl30,
    /// CL3.1
    Cl31,
}

/// The `-cl-…` switches that change arithmetic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct MathOptions {
    /// `-cl-single-precision-constant`
    pub single_precision_constant: bool,
    /// `-cl-denorms-are-zero`
    pub denorms_are_zero: bool,
    /// `-cl-fp32-correctly-rounded-divide-sqrt`
    pub correctly_rounded_divide_sqrt: bool,
    /// `-cl-opt-disable`
    pub opt_disable: bool,
    /// `-cl-mad-enable`
    pub mad_enable: bool,
    /// `-cl-no-signed-zeros`
    pub no_signed_zeros: bool,
    /// `-cl-unsafe-math-optimizations`
    pub unsafe_math: bool,
    /// `-cl-finite-math-only`
    pub finite_math_only: bool,
    /// `-cl-fast-relaxed-math`
    pub fast_relaxed: bool,
    /// `-cl-uniform-work-group-size`
    pub uniform_work_group_size: bool,
    /// `-cl-no-subgroup-ifp`
    pub no_subgroup_ifp: bool,
}

/// Parsed options of clLinkProgram.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct LinkOptions {
    /// `-create-library`
    pub create_library: bool,
    /// `-enable-link-options`
    pub enable_link_options: bool,
    /// Floating-point switches given at link time.
    pub math: MathOptions,
}

/// Options of [`crate::lower`]. Whatever the front end knew travels inside the Kernel module;
/// these are the switches that apply to IL as well.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct LowerOptions {
    /// Floating-point and optimisation switches.
    pub math: MathOptions,
}
