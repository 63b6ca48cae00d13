//! Rounding to a floating-point format in software: conversions in all four modes.

use pumice_ir::{Rounding, Scalar};

/// A binary interchange format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    exponent_bits: u32,
    fraction_bits: u32,
}

/// binary16
pub const F16: Format = Format {
    exponent_bits: 5,
    fraction_bits: 10,
};
/// binary32
pub const F32: Format = Format {
    exponent_bits: 8,
    fraction_bits: 23,
};
/// binary64
pub const F64: Format = Format {
    exponent_bits: 11,
    fraction_bits: 52,
};

impl Format {
    /// The format of a float type.
    pub fn of(scalar: Scalar) -> Option<Format> {
        match scalar {
            Scalar::F16 => Some(F16),
            Scalar::F32 => Some(F32),
            Scalar::F64 => Some(F64),
            _ => None,
        }
    }

    fn infinity(self) -> u64 {
        ((1 << self.exponent_bits) - 1) << self.fraction_bits
    }
}

/// Rounds `(-1)^sign × mantissa × 2^exponent` to `format`.
pub fn round_parts(
    sign: bool,
    mantissa: u128,
    exponent: i32,
    format: Format,
    mode: Rounding,
) -> u64 {
    let sign_bit = u64::from(sign) << (format.exponent_bits + format.fraction_bits);
    if mantissa == 0 {
        return sign_bit;
    }
    let bias = (1 << (format.exponent_bits - 1)) - 1;
    let fraction_bits = format.fraction_bits as i32;
    let top = 127 - mantissa.leading_zeros() as i32 + exponent;
    let mut quantum = top.max(1 - bias) - fraction_bits;
    let shift = quantum - exponent;
    let mut rounded = if shift <= 0 {
        mantissa << -shift
    } else {
        let (kept, more_than_half, half, inexact) = if shift > 127 {
            // Everything lies below the quantum; exactly half only when the top bit is alone.
            let half = shift == 128 && mantissa == 1 << 127;
            let more = shift == 128 && mantissa > 1 << 127;
            (0, more, half, true)
        } else {
            let rest = mantissa & ((1 << shift) - 1);
            let middle = 1 << (shift - 1);
            (mantissa >> shift, rest > middle, rest == middle, rest != 0)
        };
        let up = match mode {
            Rounding::Rte => more_than_half || (half && kept & 1 == 1),
            Rounding::Rtz => false,
            Rounding::Rtp => inexact && !sign,
            Rounding::Rtn => inexact && sign,
        };
        kept + u128::from(up)
    };
    if rounded >> (fraction_bits + 1) != 0 {
        rounded >>= 1;
        quantum += 1;
    }
    if rounded >> fraction_bits == 0 {
        return sign_bit | rounded as u64;
    }
    let biased = quantum + fraction_bits + bias;
    if biased >= (1 << format.exponent_bits) - 1 {
        let to_infinity = match mode {
            Rounding::Rte => true,
            Rounding::Rtz => false,
            Rounding::Rtp => !sign,
            Rounding::Rtn => sign,
        };
        return sign_bit | (format.infinity() - u64::from(!to_infinity));
    }
    let fraction = rounded as u64 & ((1 << fraction_bits) - 1);
    sign_bit | (biased as u64) << fraction_bits | fraction
}

/// Sign, mantissa and exponent of a finite value.
fn parts(value: f64) -> (bool, u64, i32) {
    let bits = value.to_bits();
    let biased = (bits >> 52 & 0x7ff) as i32;
    let fraction = bits & ((1 << 52) - 1);
    let sign = bits >> 63 != 0;
    if biased == 0 {
        (sign, fraction, -1074)
    } else {
        (sign, fraction | 1 << 52, biased - 1075)
    }
}

/// Rounds a value to `format`; gives its bits. NaN becomes a quiet NaN.
pub fn round_to_format(value: f64, format: Format, mode: Rounding) -> u64 {
    let sign_bit =
        u64::from(value.is_sign_negative()) << (format.exponent_bits + format.fraction_bits);
    if value.is_nan() {
        return sign_bit | format.infinity() | 1 << (format.fraction_bits - 1);
    }
    if value.is_infinite() {
        return sign_bit | format.infinity();
    }
    let (sign, mantissa, exponent) = parts(value);
    round_parts(sign, u128::from(mantissa), exponent, format, mode)
}

/// Rounds an integer to `format`; gives its bits.
pub fn int_to_float(value: i128, format: Format, mode: Rounding) -> u64 {
    round_parts(value < 0, value.unsigned_abs(), 0, format, mode)
}

/// Rounds to an integer, limited to ±2^100 so that every destination can clamp it; NaN is 0.
pub fn float_to_int(value: f64, mode: Rounding) -> i128 {
    if value.is_nan() {
        return 0;
    }
    let limit = 2f64.powi(100);
    let rounded = match mode {
        Rounding::Rte => value.round_ties_even(),
        Rounding::Rtz => value.trunc(),
        Rounding::Rtp => value.ceil(),
        Rounding::Rtn => value.floor(),
    };
    rounded.clamp(-limit, limit) as i128
}

/// `a × b + c` with one rounding to binary16, for operands that are binary16 values.
pub fn fma_f16(a: f64, b: f64, c: f64) -> u16 {
    // The product is exact in binary64. The sum is rounded to odd there, which makes the
    // second rounding to 11 bits exact.
    let product = a * b;
    let sum = product + c;
    if !sum.is_finite() {
        return round_to_format(sum, F16, Rounding::Rte) as u16;
    }
    let back = sum - product;
    let error = (product - (sum - back)) + (c - back);
    let odd = if error != 0.0 && sum.to_bits() & 1 == 0 {
        let away = (error > 0.0) == (sum > 0.0);
        f64::from_bits(if away {
            sum.to_bits() + 1
        } else {
            sum.to_bits() - 1
        })
    } else {
        sum
    };
    round_to_format(odd, F16, Rounding::Rte) as u16
}

#[cfg(test)]
mod tests {
    use super::{F16, F32, fma_f16, int_to_float, round_to_format};
    use crate::half::f16_to_f64;
    use pumice_ir::Rounding;

    #[test]
    fn every_half_survives_the_round_trip() {
        for bits in 0..=u16::MAX {
            let value = f16_to_f64(bits);
            if !value.is_nan() {
                assert_eq!(round_to_format(value, F16, Rounding::Rte), u64::from(bits));
            }
        }
    }

    #[test]
    fn single_precision_agrees_with_the_hardware() {
        let mut state = 1u64;
        for _ in 0..20_000 {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            let value = f64::from_bits(state ^ state >> 29);
            if value.is_nan() {
                continue;
            }
            let expected = u64::from((value as f32).to_bits());
            assert_eq!(
                round_to_format(value, F32, Rounding::Rte),
                expected,
                "{value:e}"
            );
            let int = state as i64;
            let expected = u64::from((int as f32).to_bits());
            assert_eq!(int_to_float(i128::from(int), F32, Rounding::Rte), expected);
        }
    }

    #[test]
    fn directed_modes_bracket_the_value() {
        let bits = |mode| round_to_format(0.1, F16, mode) as u16;
        assert_eq!(bits(Rounding::Rtz), bits(Rounding::Rtn));
        assert_eq!(bits(Rounding::Rtp), bits(Rounding::Rtn) + 1);
        assert_eq!(round_to_format(1e30, F16, Rounding::Rtz), 0x7bff);
        assert_eq!(round_to_format(1e30, F16, Rounding::Rtp), 0x7c00);
        assert_eq!(round_to_format(-1e30, F16, Rounding::Rtp), 0xfbff);
        assert_eq!(round_to_format(1e-30, F16, Rounding::Rtp), 1);
        assert_eq!(round_to_format(f64::from_bits(1), F16, Rounding::Rtp), 1);
    }

    #[test]
    fn half_fma_rounds_once() {
        // 1.0009765625² = 1.00195407867431640625; adding 2^-24 must tip the tie upwards.
        let a = f16_to_f64(0x3c01);
        let exact = fma_f16(a, a, f16_to_f64(0x0001));
        assert_eq!(exact, 0x3c02);
        assert_eq!(fma_f16(f16_to_f64(0x7bff), 2.0, 0.0), 0x7c00);
    }
}
