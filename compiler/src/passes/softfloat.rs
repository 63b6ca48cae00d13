//! Conversions between numbers and IEEE bit patterns in every rounding mode, by integers.

use crate::ir::{Rounding, Scalar};

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

/// Mantissa bits and smallest normal exponent of a float format.
fn format(scalar: Scalar) -> Option<(u32, i32)> {
    Some(match scalar {
        Scalar::F16 => (10, -14),
        Scalar::F32 => (23, -126),
        Scalar::F64 => (52, -1022),
        _ => return None,
    })
}

/// Takes a float apart; `None` for other scalars.
pub fn decode(scalar: Scalar, bits: u64) -> Option<Decoded> {
    let (mantissa_bits, min_exponent) = format(scalar)?;
    let negative = bits >> (scalar.bits() - 1) & 1 == 1;
    let exponent_mask = (1u64 << (scalar.bits() - 1 - mantissa_bits)) - 1;
    let field = bits >> mantissa_bits & exponent_mask;
    let fraction = bits & ((1 << mantissa_bits) - 1);
    Some(if field == exponent_mask {
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
    })
}

/// Whether to round the magnitude up, given the dropped part against one half.
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
    scalar: Scalar,
    negative: bool,
    mantissa: u64,
    exponent: i32,
    rounding: Rounding,
) -> Option<u64> {
    let (mantissa_bits, min_exponent) = format(scalar)?;
    let sign = u64::from(negative) << (scalar.bits() - 1);
    if mantissa == 0 {
        return Some(sign);
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
    let exponent_mask = (1u64 << (scalar.bits() - 1 - mantissa_bits)) - 1;
    let infinity = exponent_mask << mantissa_bits;
    if bits >= infinity {
        let to_infinity = match rounding {
            Rounding::Rte => true,
            Rounding::Rtz => false,
            Rounding::Rtp => !negative,
            Rounding::Rtn => negative,
        };
        return Some(sign | if to_infinity { infinity } else { infinity - 1 });
    }
    Some(sign | bits)
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
pub fn convert(from: Scalar, to: Scalar, bits: u64, rounding: Rounding) -> Option<u64> {
    if from == to {
        return Some(bits);
    }
    let (mantissa_bits, _) = format(to)?;
    let infinity = ((1u64 << (to.bits() - 1 - mantissa_bits)) - 1) << mantissa_bits;
    let sign = |negative: bool| u64::from(negative) << (to.bits() - 1);
    match decode(from, bits)? {
        Decoded::Nan => {
            let negative = bits >> (from.bits() - 1) & 1 == 1;
            Some(sign(negative) | infinity | 1 << (mantissa_bits - 1))
        }
        Decoded::Infinity(negative) => Some(sign(negative) | infinity),
        Decoded::Finite {
            negative,
            mantissa,
            exponent,
        } => pack(to, negative, mantissa, exponent, rounding),
    }
}

/// binary16 bits as f32; exact.
pub fn f16_to_f32(bits: u64) -> f32 {
    let bits = convert(Scalar::F16, Scalar::F32, bits, Rounding::Rte);
    f32::from_bits(bits.map_or(0, |bits| bits as u32))
}

/// f32 rounded to nearest even binary16 bits.
pub fn f32_to_f16(value: f32) -> u64 {
    convert(
        Scalar::F32,
        Scalar::F16,
        u64::from(value.to_bits()),
        Rounding::Rte,
    )
    .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::{Rounding, Scalar, convert, decode, f16_to_f32, f32_to_f16, pack, to_integer};

    #[test]
    fn every_half_survives_the_way_through_float() {
        for bits in 0..=0xFFFFu64 {
            let float = f16_to_f32(bits);
            if !float.is_nan() {
                assert_eq!(f32_to_f16(float), bits, "{bits:#06x}");
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
            let ours = convert(Scalar::F64, Scalar::F32, value.to_bits(), Rounding::Rte);
            assert_eq!(ours, Some(u64::from((value as f32).to_bits())), "{value:e}");
        }
    }

    #[test]
    fn integers_round_in_each_direction() {
        let one_more = (1 << 24) + 1;
        let packed = |mode, negative| pack(Scalar::F32, negative, one_more, 0, mode);
        let below = Some(u64::from(16_777_216f32.to_bits()));
        let above = Some(u64::from(16_777_218f32.to_bits()));
        assert_eq!(packed(Rounding::Rte, false), below);
        assert_eq!(packed(Rounding::Rtz, false), below);
        assert_eq!(packed(Rounding::Rtp, false), above);
        assert_eq!(packed(Rounding::Rtn, false), below);
        assert_eq!(
            packed(Rounding::Rtn, true),
            above.map(|bits| bits | 1 << 31)
        );
    }

    #[test]
    fn floats_round_to_integers_in_each_direction() {
        let round =
            |value: f64, mode| to_integer(&decode(Scalar::F64, value.to_bits()).unwrap(), mode);
        assert_eq!(round(2.5, Rounding::Rte), Some(2));
        assert_eq!(round(3.5, Rounding::Rte), Some(4));
        assert_eq!(round(-2.5, Rounding::Rtn), Some(-3));
        assert_eq!(round(-2.5, Rounding::Rtp), Some(-2));
        assert_eq!(round(2.1, Rounding::Rtp), Some(3));
        assert_eq!(round(-0.1, Rounding::Rtz), Some(0));
        assert_eq!(round(1e-300, Rounding::Rtp), Some(1));
        assert_eq!(round(f64::NAN, Rounding::Rte), None);
    }
}
