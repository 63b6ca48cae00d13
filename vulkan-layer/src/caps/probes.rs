//! Results of the start-up probes, as plain data.

use pumice_target::matrix::NativeProduct;

/// Results of the probes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Probes {
    /// f16 denormals survive arithmetic. Where the capability bit denies it, only a row in
    /// [`crate::quirks`] lets the probe say so.
    pub denorms_f16: bool,
    /// f32 denormals likewise.
    pub denorms_f32: bool,
    /// f64 denormals likewise.
    pub denorms_f64: bool,
    /// GLSL.std.450 Fma on f16 rounds once.
    pub exact_fma_f16: bool,
    /// GLSL.std.450 Fma on f32 rounds once.
    pub exact_fma_f32: bool,
    /// GLSL.std.450 Fma on f64 rounds once.
    pub exact_fma_f64: bool,
    /// OpFDiv on f16 is correctly rounded.
    pub exact_div_f16: bool,
    /// OpFDiv on f32 is correctly rounded.
    pub exact_div_f32: bool,
    /// OpFDiv on f32 errs by at most 2.5 ULP where its operands and result are not denormal; infinities and NaN are right.
    pub accurate_div_f32: bool,
    /// f32 arithmetic rounds to nearest without RoundingModeRTE too; found only where
    /// [`QuirkKind::RoundingSlowsDivision`](crate::quirks::QuirkKind::RoundingSlowsDivision) lets the probe look.
    pub nearest_unasked_f32: bool,
    /// OpFDiv on f64 is correctly rounded.
    pub exact_div_f64: bool,
    /// GLSL.std.450 Sqrt on f32 is correctly rounded.
    pub exact_sqrt_f32: bool,
    /// GLSL.std.450 Sqrt on f64 is correctly rounded.
    pub exact_sqrt_f64: bool,
    /// GLSL.std.450 Exp2 on f32 errs by at most 2 ULP where its result is normal.
    pub accurate_exp2_f32: bool,
    /// GLSL.std.450 Log2 on f32 errs by at most 1.5 ULP for normal arguments.
    pub accurate_log2_f32: bool,
    /// GLSL.std.450 Exp2 on f32 errs by at most 2 + 0.75 |x| ULP.
    pub relaxed_exp2_f32: bool,
    /// Logarithms made of GLSL.std.450 Log2 on f32 err by at most 3 ULP, and by 2^-21 between a half and two.
    pub relaxed_log2_f32: bool,
    /// GLSL.std.450 Sqrt and InverseSqrt on f32 err by at most 1.5 ULP, for denormal arguments too.
    pub accurate_roots_f32: bool,
    /// GLSL.std.450 Sin and Cos on f32 err by at most 2^-11 up to 256.
    pub accurate_sine_f32: bool,
    /// The device's products of matrices: exact if a probe found it or they are of integers.
    pub matrix_products: Vec<NativeProduct>,
    /// A shader reads the process's own memory at host addresses.
    pub host_addresses: bool,
    /// Log lines: capabilities raised above the capability bits, and probes that failed.
    pub notes: Vec<String>,
}

impl Probes {
    /// Adds the log line of a probe that failed.
    pub(crate) fn fail(&mut self, what: &str, error: &dyn std::fmt::Display) {
        self.notes.push(format!("{what}: {error}"));
    }
}
