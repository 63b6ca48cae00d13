//! IEEE floats as bit patterns: conversion and rounding in every mode, by integers.
//!
//! Serves the front end's constants, the back end's folding and the runtime's printf. The
//! interpreter has arithmetic of its own, since it checks what folding gives.
#![forbid(unsafe_code)]

use serde::{Deserialize, Serialize};

/// Rounding modes of conversions, numbered as SPIR-V's FPRoundingMode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Rounding {
    /// To nearest, ties to even.
    Rte = 0,
    /// Toward zero.
    Rtz = 1,
    /// Toward positive infinity.
    Rtp = 2,
    /// Toward negative infinity.
    Rtn = 3,
}

impl Rounding {
    /// Every mode.
    pub const ALL: [Self; 4] = [Self::Rte, Self::Rtz, Self::Rtp, Self::Rtn];

    /// The suffix of OpenCL C's conversions, `rte` for example.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rte => "rte",
            Self::Rtz => "rtz",
            Self::Rtp => "rtp",
            Self::Rtn => "rtn",
        }
    }

    /// The mode of a suffix.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.name() == name)
    }
}

/// A binary format of IEEE 754.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FloatFormat {
    /// binary16
    Half,
    /// binary32
    Single,
    /// binary64
    Double,
}

impl FloatFormat {
    /// Width in bits.
    pub const fn bits(self) -> u32 {
        match self {
            Self::Half => 16,
            Self::Single => 32,
            Self::Double => 64,
        }
    }

    /// Mantissa bits (the hidden one not counted) and the exponent of the smallest normal number.
    const fn parameters(self) -> (u32, i32) {
        match self {
            Self::Half => (10, -14),
            Self::Single => (23, -126),
            Self::Double => (52, -1022),
        }
    }
}

/// A float taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decoded {
    /// Not a number.
    Nan,
    /// Infinity; true when negative.
    Infinity(bool),
    /// `(-1)^negative * mantissa * 2^exponent`.
    Finite {
        /// The sign.
        negative: bool,
        /// The mantissa, hidden bit included; 0 for zeros.
        mantissa: u64,
        /// The power of two.
        exponent: i32,
    },
}

/// Takes a float apart.
pub fn decode(format: FloatFormat, bits: u64) -> Decoded {
    let (mantissa_bits, min_exponent) = format.parameters();
    let negative = bits >> (format.bits() - 1) & 1 == 1;
    let exponent_mask = (1u64 << (format.bits() - 1 - mantissa_bits)) - 1;
    let field = bits >> mantissa_bits & exponent_mask;
    let fraction = bits & ((1 << mantissa_bits) - 1);
    if field == exponent_mask {
        if fraction == 0 {
            Decoded::Infinity(negative)
        } else {
            Decoded::Nan
        }
    } else {
        let (mantissa, field) = if field == 0 {
            (fraction, 1)
        } else {
            (fraction | 1 << mantissa_bits, field)
        };
        Decoded::Finite {
            negative,
            mantissa,
            exponent: field as i32 - 1 + min_exponent - mantissa_bits as i32,
        }
    }
}

/// Tells whether to round the magnitude up, given the dropped part against one half.
fn rounds_up(
    rounding: Rounding,
    negative: bool,
    odd: bool,
    dropped: u64,
    half: Option<u64>,
) -> bool {
    match rounding {
        Rounding::Rte => match half {
            Some(half) => dropped > half || (dropped == half && odd),
            None => false,
        },
        Rounding::Rtz => false,
        Rounding::Rtp => dropped != 0 && !negative,
        Rounding::Rtn => dropped != 0 && negative,
    }
}

/// Rounds `(-1)^negative * mantissa * 2^exponent` to a float's bits.
pub fn pack(
    format: FloatFormat,
    negative: bool,
    mantissa: u64,
    exponent: i32,
    rounding: Rounding,
) -> u64 {
    let (mantissa_bits, min_exponent) = format.parameters();
    let sign = u64::from(negative) << (format.bits() - 1);
    if mantissa == 0 {
        return sign;
    }
    let zeros = mantissa.leading_zeros();
    let mantissa = mantissa << zeros;
    // The value is mantissa * 2^(top - 63) with the mantissa's top bit set.
    let top = exponent - zeros as i32 + 63;
    let below = (min_exponent - top).max(0) as u32;
    let drop = 63 - mantissa_bits + below;
    let (kept, dropped, half) = match drop {
        0..=63 => (
            mantissa >> drop,
            mantissa & ((1 << drop) - 1),
            Some(1u64 << (drop - 1)),
        ),
        64 => (0, mantissa, Some(1 << 63)),
        _ => (0, mantissa, None),
    };
    let kept = kept + u64::from(rounds_up(rounding, negative, kept & 1 == 1, dropped, half));
    // A carry out of the mantissa lands in the exponent, which is what rounding up means.
    let bits = if below > 0 {
        kept
    } else {
        kept + (((top - min_exponent) as u64) << mantissa_bits)
    };
    let exponent_mask = (1u64 << (format.bits() - 1 - mantissa_bits)) - 1;
    let infinity = exponent_mask << mantissa_bits;
    if bits >= infinity {
        let to_infinity = match rounding {
            Rounding::Rte => true,
            Rounding::Rtz => false,
            Rounding::Rtp => !negative,
            Rounding::Rtn => negative,
        };
        return sign | if to_infinity { infinity } else { infinity - 1 };
    }
    sign | bits
}

/// Rounds a float to an integer; `None` for a NaN. Magnitudes beyond 2^100 are clamped there.
pub fn to_integer(value: &Decoded, rounding: Rounding) -> Option<i128> {
    const HUGE: i128 = 1 << 100;
    let (negative, magnitude) = match *value {
        Decoded::Nan => return None,
        Decoded::Infinity(negative) => (negative, HUGE),
        Decoded::Finite {
            negative,
            mantissa,
            exponent,
        } => {
            let magnitude = if exponent >= 0 {
                match exponent {
                    0..=46 => i128::from(mantissa) << exponent,
                    _ if mantissa == 0 => 0,
                    _ => HUGE,
                }
            } else {
                let drop = exponent.unsigned_abs();
                let (kept, dropped, half) = match drop {
                    1..=63 => (
                        mantissa >> drop,
                        mantissa & ((1 << drop) - 1),
                        Some(1u64 << (drop - 1)),
                    ),
                    _ => (0, mantissa, None),
                };
                let up = rounds_up(rounding, negative, kept & 1 == 1, dropped, half);
                i128::from(kept) + i128::from(up)
            };
            (negative, magnitude)
        }
    };
    Some(if negative { -magnitude } else { magnitude })
}

/// Converts between float formats. A NaN stays a quiet NaN with its sign.
pub fn convert(from: FloatFormat, to: FloatFormat, bits: u64, rounding: Rounding) -> u64 {
    if from == to {
        return bits;
    }
    let (mantissa_bits, _) = to.parameters();
    let infinity = ((1u64 << (to.bits() - 1 - mantissa_bits)) - 1) << mantissa_bits;
    let sign = |negative: bool| u64::from(negative) << (to.bits() - 1);
    match decode(from, bits) {
        Decoded::Nan => {
            let negative = bits >> (from.bits() - 1) & 1 == 1;
            sign(negative) | infinity | 1 << (mantissa_bits - 1)
        }
        Decoded::Infinity(negative) => sign(negative) | infinity,
        Decoded::Finite {
            negative,
            mantissa,
            exponent,
        } => pack(to, negative, mantissa, exponent, rounding),
    }
}

/// The value of binary16 bits; exact.
pub fn half_to_f32(bits: u16) -> f32 {
    let wide = convert(
        FloatFormat::Half,
        FloatFormat::Single,
        bits.into(),
        Rounding::Rte,
    );
    f32::from_bits(wide as u32)
}

/// The value of binary16 bits; exact.
pub fn half_to_f64(bits: u16) -> f64 {
    f64::from(half_to_f32(bits))
}

/// The nearest binary16, ties to even.
pub fn half_from_f32(value: f32) -> u16 {
    convert(
        FloatFormat::Single,
        FloatFormat::Half,
        value.to_bits().into(),
        Rounding::Rte,
    ) as u16
}

/// The nearest binary16, ties to even.
pub fn half_from_f64(value: f64) -> u16 {
    convert(
        FloatFormat::Double,
        FloatFormat::Half,
        value.to_bits(),
        Rounding::Rte,
    ) as u16
}

/// The number that binary16 has nearest to a value, ties to even.
pub fn nearest_half(value: f64) -> f64 {
    half_to_f64(half_from_f64(value))
}

#[cfg(test)]
mod tests {
    use super::{
        FloatFormat, Rounding, convert, decode, half_from_f32, half_from_f64, half_to_f32,
        half_to_f64, nearest_half, pack, to_integer,
    };

    #[test]
    fn every_half_survives_the_way_through_float() {
        for bits in 0..=0xFFFFu16 {
            let float = half_to_f32(bits);
            if !float.is_nan() {
                assert_eq!(half_from_f32(float), bits, "{bits:#06x}");
                assert_eq!(half_from_f64(half_to_f64(bits)), bits, "{bits:#06x}");
            }
        }
    }

    #[test]
    fn double_to_float_agrees_with_the_machine() {
        let mut state = 0x9E37_79B9_7F4A_7C15u64;
        for _ in 0..100_000 {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            // Exponents around the float range, subnormals and overflow included.
            let exponent = 1023 - 160 + state % 320;
            let value = f64::from_bits(state & !(0x7FF << 52) | exponent << 52);
            let ours = convert(
                FloatFormat::Double,
                FloatFormat::Single,
                value.to_bits(),
                Rounding::Rte,
            );
            assert_eq!(ours, u64::from((value as f32).to_bits()), "{value:e}");
        }
    }

    #[test]
    fn integers_round_in_each_direction() {
        let one_more = (1 << 24) + 1;
        let packed = |mode, negative| pack(FloatFormat::Single, negative, one_more, 0, mode);
        let below = u64::from(16_777_216f32.to_bits());
        let above = u64::from(16_777_218f32.to_bits());
        assert_eq!(packed(Rounding::Rte, false), below);
        assert_eq!(packed(Rounding::Rtz, false), below);
        assert_eq!(packed(Rounding::Rtp, false), above);
        assert_eq!(packed(Rounding::Rtn, false), below);
        assert_eq!(packed(Rounding::Rtn, true), above | 1 << 31);
    }

    #[test]
    fn floats_round_to_integers_in_each_direction() {
        let round =
            |value: f64, mode| to_integer(&decode(FloatFormat::Double, value.to_bits()), mode);
        assert_eq!(round(2.5, Rounding::Rte), Some(2));
        assert_eq!(round(3.5, Rounding::Rte), Some(4));
        assert_eq!(round(-2.5, Rounding::Rtn), Some(-3));
        assert_eq!(round(-2.5, Rounding::Rtp), Some(-2));
        assert_eq!(round(2.1, Rounding::Rtp), Some(3));
        assert_eq!(round(-0.1, Rounding::Rtz), Some(0));
        assert_eq!(round(1e-300, Rounding::Rtp), Some(1));
        assert_eq!(round(f64::NAN, Rounding::Rte), None);
    }

    #[test]
    fn halves_round_to_even() {
        for (value, bits) in [
            (0.0, 0x0000),
            (-0.0, 0x8000),
            (1.0, 0x3c00),
            (-2.0, 0xc000),
            (65504.0, 0x7bff),
            (65519.0, 0x7bff),
            (65520.0, 0x7c00),
            (2f64.powi(-14), 0x0400),
            (2f64.powi(-14) - 2f64.powi(-26), 0x0400),
            (2f64.powi(-24) * 1.5, 0x0002),
            (2f64.powi(-24), 0x0001),
            (2f64.powi(-25) * 1.5, 0x0001),
            (2f64.powi(-25), 0x0000),
            (0.1, 0x2e66),
            (1.0 / 3.0, 0x3555),
            (1.0 + 2f64.powi(-11), 0x3c00),
            (1.0 + 3.0 * 2f64.powi(-11), 0x3c02),
            (f64::NAN, 0x7e00),
            (f64::INFINITY, 0x7c00),
            (f64::NEG_INFINITY, 0xfc00),
        ] {
            assert_eq!(half_from_f64(value), bits, "{value}");
        }
        assert_eq!(nearest_half(2049.0), 2048.0);
        assert!(half_to_f64(0x7e00).is_nan());
    }
}
