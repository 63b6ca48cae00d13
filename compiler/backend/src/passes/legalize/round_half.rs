//! Rounding floats to halves, to nearest even, where the device does not promise that it does.
//!
//! A sum of two floats does the rounding: a power of two whose last place is the result's last place is added
//! to the magnitude. Halves have denormal numbers below 2^-14, where the last place stays 2^-24; these sums are
//! all normal floats, so that it does not matter how the device treats denormal ones.

use crate::expand::Expander;
use pumice_ir::{BinaryOp, ConvertOp, IntCond, Scalar, Value};

/// The exponent bits of a float.
const EXPONENT: u64 = 0x7f80_0000;
/// The bits of 2^16, the first magnitude that is infinite whatever is rounded.
const TOO_LARGE: u64 = (127 + 16) << 23;
/// The bits of 2^-14, the least normal half.
const LEAST_NORMAL: u64 = (127 - 14) << 23;
/// Exponent steps between a number and the power of two whose last place is that of a half.
const STEPS: u64 = 13 << 23;

/// The sum that rounds a float.
pub(crate) struct HalfRounding {
    /// The bits of the float without its sign.
    magnitude: Value,
    /// The sign bit in its place.
    sign: Value,
    /// The bits of the exponent of the magnitude, limited to those of halves from 2^-14 on.
    exponent: Value,
    /// The bits of the power of two.
    power: Value,
    /// The magnitude with the power of two, as a float.
    sum: Value,
}

impl HalfRounding {
    /// Builds the sum.
    pub fn of(x: &mut Expander<'_>, value: Value) -> Self {
        let single = x.ty(value);
        let bits = x.bits_of(value);
        let sign = x.bin_const(BinaryOp::And, bits, 0x8000_0000);
        let magnitude = x.bin_const(BinaryOp::And, bits, 0x7fff_ffff);
        let limited = x.bin_const(BinaryOp::UMin, magnitude, TOO_LARGE);
        let exponent = x.bin_const(BinaryOp::And, limited, EXPONENT);
        let exponent = x.bin_const(BinaryOp::UMax, exponent, LEAST_NORMAL);
        let power = x.bin_const(BinaryOp::IAdd, exponent, STEPS);
        let number = x.convert(ConvertOp::Bitcast, limited, single);
        let of_power = x.convert(ConvertOp::Bitcast, power, single);
        let sum = x.bin(BinaryOp::FAdd, number, of_power);
        Self {
            magnitude,
            sign,
            exponent,
            power,
            sum,
        }
    }

    /// The half's bits. A NaN becomes the quiet one of its sign.
    pub fn bits(&self, x: &mut Expander<'_>) -> Value {
        let int = x.ty(self.magnitude);
        // Units of the last place, then the exponent where the first of the units' eleven bits adds one.
        let sum = x.bits_of(self.sum);
        let units = x.bin(BinaryOp::ISub, sum, self.power);
        let exponent = x.bin_const(BinaryOp::LShr, self.exponent, 13);
        let half = x.bin(BinaryOp::IAdd, units, exponent);
        let half = x.bin_const(BinaryOp::ISub, half, LEAST_NORMAL >> 13);
        let is_nan = x.icmp_const(IntCond::Ugt, self.magnitude, EXPONENT);
        let nan = x.splat(int, 0x7e00);
        let half = x.select(is_nan, nan, half);
        let sign = x.bin_const(BinaryOp::LShr, self.sign, 16);
        let half = x.bin(BinaryOp::Or, half, sign);
        x.convert(ConvertOp::Trunc, half, int.with_scalar(Scalar::I16))
    }

    /// The float that is the half.
    pub fn single(&self, x: &mut Expander<'_>) -> Value {
        let single = x.ty(self.sum);
        let of_power = x.convert(ConvertOp::Bitcast, self.power, single);
        let rounded = x.bin(BinaryOp::FSub, self.sum, of_power);
        let rounded = x.bits_of(rounded);
        // Infinite, whether it was before or not, or the NaN that it was.
        let special = x.bin_const(BinaryOp::UMax, self.magnitude, EXPONENT);
        let is_special = x.icmp_const(IntCond::Eq, rounded, TOO_LARGE);
        let rounded = x.select(is_special, special, rounded);
        let rounded = x.bin(BinaryOp::Or, rounded, self.sign);
        x.convert(ConvertOp::Bitcast, rounded, single)
    }
}
