//! The exactness of a device's own arithmetic.

use serde::{Deserialize, Serialize};

/// The findings of start-up probes about a device's floating-point instructions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default = "Arithmetic::exact", deny_unknown_fields)]
pub struct Arithmetic {
    /// f16 denormals survive arithmetic.
    pub denorms_f16: bool,
    /// f32 denormals survive arithmetic.
    pub denorms_f32: bool,
    /// GLSL.std.450 Fma on f16 is one correctly rounded operation.
    pub exact_fma_f16: bool,
    /// GLSL.std.450 Fma on f32 is one correctly rounded operation.
    pub exact_fma_f32: bool,
    /// GLSL.std.450 Fma on f64 is one correctly rounded operation.
    pub exact_fma_f64: bool,
    /// OpFDiv on f16 is correctly rounded.
    pub exact_div_f16: bool,
    /// OpFDiv on f32 is correctly rounded.
    pub exact_div_f32: bool,
    /// OpFDiv on f32 errs by at most 2.5 ULP for all operands and results that are not denormal, and is right for
    /// infinities and NaN. Vulkan promises that for divisors between 2^-126 and 2^126.
    pub accurate_div_f32: bool,
    /// Arithmetic on f32 rounds to nearest also where no mode asks for it, and the mode makes OpFDiv exact, but
    /// slow ([`QuirkKind::RoundingSlowsDivision`](crate::QuirkKind::RoundingSlowsDivision), without which no probe looks).
    pub nearest_unasked_f32: bool,
    /// OpFDiv on f64 is correctly rounded.
    pub exact_div_f64: bool,
    /// GLSL.std.450 Sqrt on f32 is correctly rounded.
    pub exact_sqrt_f32: bool,
    /// GLSL.std.450 Sqrt on f64 is correctly rounded.
    pub exact_sqrt_f64: bool,
    /// GLSL.std.450 Exp2 on f32 errs by at most 2 ULP for every argument whose result is normal.
    pub accurate_exp2_f32: bool,
    /// GLSL.std.450 Log2 on f32 errs by at most 1.5 ULP for every normal argument, near 1 too.
    pub accurate_log2_f32: bool,
    /// The exponential functions that are made of GLSL.std.450 Exp2 keep the bounds of relaxed arithmetic on f32
    /// (OpenCL C 3.0 §7.4): it errs by at most 2 + 0.75 |x| ULP.
    pub relaxed_exp2_f32: bool,
    /// The logarithms that are made of GLSL.std.450 Log2 keep the bounds of relaxed arithmetic on f32: they err by
    /// at most 3 ULP, and by 2^-21 between a half and two.
    pub relaxed_log2_f32: bool,
    /// GLSL.std.450 Sqrt and InverseSqrt on f32 err by at most 1.5 ULP for every argument, denormal ones
    /// too if the device keeps denormals, and are right for zeros, infinities and NaN.
    pub accurate_roots_f32: bool,
    /// GLSL.std.450 Sin and Cos on f32 err by at most 2^-11 for magnitudes up to 256.
    pub accurate_sine_f32: bool,
}

impl Arithmetic {
    /// Denormals are kept, and what IEEE 754 defines is exact. The functions beyond it are not trusted.
    pub const fn exact() -> Self {
        Self {
            denorms_f16: true,
            denorms_f32: true,
            exact_fma_f16: true,
            exact_fma_f32: true,
            exact_fma_f64: true,
            exact_div_f16: true,
            exact_div_f32: true,
            accurate_div_f32: false,
            nearest_unasked_f32: false,
            exact_div_f64: true,
            exact_sqrt_f32: true,
            exact_sqrt_f64: true,
            accurate_exp2_f32: false,
            accurate_log2_f32: false,
            relaxed_exp2_f32: false,
            relaxed_log2_f32: false,
            accurate_roots_f32: false,
            accurate_sine_f32: false,
        }
    }

    /// The findings as JSON on one line.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}
