//! Conversions with saturation or a rounding mode, and those that Vulkan leaves open.
//!
//! Vulkan's conversions have no saturation and no rounding modes (FPRoundingMode exists for
//! 16-bit stores only), are undefined out of range, and may round f32 to f16 either way.
//! A conversion that remains after this pass has no rounding mode and is exact or to nearest even:
//!
//! - float to integer: the rounding is a Floor, Ceil or RoundEven before; saturation clamps the
//!   float to narrow integers' bounds, which it can hold, and compares it with wide ones' next
//!   powers of two;
//! - integer to float: in a directed mode the integer is cut to the significand's length
//!   (rounded by hand), which converts exactly, and scaled back by a power of two;
//! - f64 to f32 in a directed mode: the significand is cut by integer arithmetic, which converts
//!   exactly, then stepped by one unit where the mode goes away from zero;
//! - f32 to f16: by arithmetic in every mode, to nearest unless the device promises that or has no halves;
//! - f64 to f16: to f32 rounding to odd, which keeps enough to round correctly again.

use crate::expand::{Conversion, Expander, Replacement, expand, int_like};
use crate::pass::{Changed, FunctionCtx};
use crate::passes::legalize::round_half::HalfRounding;
use pumice_ir::LowerError;
use pumice_ir::{
    BinaryOp, ConvertOp, FloatCond, Function, IntCond, MathOp, Rounding, Scalar, Type, UnaryOp,
    Value,
};
use pumice_target::{QuirkKind, Target};

/// Runs the pass.
///
/// # Errors
/// binary16 or binary64 on a device without it.
pub fn run(func: &mut Function, ctx: &FunctionCtx<'_>) -> Result<Changed, LowerError> {
    expand(func, |x, inst| {
        let conversion = x.conversion(inst);
        let value = conversion.and_then(|conversion| lower(x, ctx.target, conversion));
        Ok(value.map(|v| Replacement::from_slice(&[v])))
    })
}

/// The value of a conversion by others; `None` if it can stay.
fn lower(x: &mut Expander<'_>, target: &Target, conversion: Conversion) -> Option<Value> {
    let Conversion {
        op,
        arg,
        rounding,
        ty,
    } = conversion;
    let from = x.ty(arg);
    Some(match op {
        ConvertOp::SatSToS | ConvertOp::SatSToU | ConvertOp::SatUToS | ConvertOp::SatUToU => {
            saturate(x, op, arg, ty)
        }
        ConvertOp::FToS | ConvertOp::FToU => {
            let simple = from.scalar != Scalar::F16 && ty.scalar.bits() >= 32;
            if simple && matches!(rounding, None | Some(Rounding::Rtz)) {
                return rounding.map(|_| x.convert(op, arg, ty));
            }
            let arg = rounded(x, arg, rounding);
            float_to_int(x, op == ConvertOp::FToS, arg, ty)
        }
        ConvertOp::FToSSat | ConvertOp::FToUSat => {
            let arg = rounded(x, arg, rounding);
            float_to_int_saturated(x, op == ConvertOp::FToSSat, arg, ty)
        }
        ConvertOp::SToF | ConvertOp::UToF => {
            int_to_float(x, target, op == ConvertOp::SToF, arg, rounding, ty)?
        }
        ConvertOp::FToF if from.scalar == ty.scalar => arg,
        ConvertOp::FToF if from.scalar.bits() < ty.scalar.bits() => {
            if from.scalar == Scalar::F16 && ty.scalar == Scalar::F64 {
                let middle = x.convert(ConvertOp::FToF, arg, ty.with_scalar(Scalar::F32));
                x.convert(ConvertOp::FToF, middle, ty)
            } else {
                rounding?;
                x.convert(ConvertOp::FToF, arg, ty)
            }
        }
        ConvertOp::FToF => {
            let mode = rounding.unwrap_or(Rounding::Rte);
            match (from.scalar, ty.scalar) {
                (Scalar::F64, Scalar::F32) => {
                    if mode == Rounding::Rte {
                        rounding?;
                        x.convert(ConvertOp::FToF, arg, ty)
                    } else {
                        f64_to_f32(x, target, arg, mode, ty)
                    }
                }
                (Scalar::F64, _) => {
                    let middle = f64_to_odd_f32(x, target, arg);
                    f32_to_f16(x, target, middle, mode, ty)
                }
                _ => {
                    if mode == Rounding::Rte && rounds_to_nearest(target) {
                        rounding?;
                    }
                    f32_to_f16(x, target, arg, mode, ty)
                }
            }
        }
        // Integer conversions are exact: a rounding mode has no effect.
        ConvertOp::Trunc
        | ConvertOp::ZExt
        | ConvertOp::SExt
        | ConvertOp::Bitcast
        | ConvertOp::PtrToInt
        | ConvertOp::IntToPtr
        | ConvertOp::AddressSpaceCast => {
            rounding?;
            x.convert(op, arg, ty)
        }
    })
}

fn signed_max(bits: u32) -> u64 {
    u64::MAX >> (65 - bits)
}

fn unsigned_max(bits: u32) -> u64 {
    u64::MAX >> (64 - bits)
}

fn saturate(x: &mut Expander<'_>, op: ConvertOp, arg: Value, ty: Type) -> Value {
    let (from, to) = (x.ty(arg).scalar.bits(), ty.scalar.bits());
    let mut value = arg;
    match op {
        ConvertOp::SatSToS => {
            if to < from {
                value = x.bin_const(BinaryOp::SMax, value, !signed_max(to));
                value = x.bin_const(BinaryOp::SMin, value, signed_max(to));
            }
        }
        ConvertOp::SatSToU => {
            value = x.bin_const(BinaryOp::SMax, value, 0);
            if to < from {
                value = x.bin_const(BinaryOp::SMin, value, unsigned_max(to));
            }
        }
        ConvertOp::SatUToS => {
            if to <= from {
                value = x.bin_const(BinaryOp::UMin, value, signed_max(to));
            }
        }
        _ => {
            if to < from {
                value = x.bin_const(BinaryOp::UMin, value, unsigned_max(to));
            }
        }
    }
    let op = match op {
        _ if to < from => ConvertOp::Trunc,
        ConvertOp::SatSToS => ConvertOp::SExt,
        _ => ConvertOp::ZExt,
    };
    x.convert(op, value, ty)
}

/// The integral value in the rounding mode; f16 as f32, which is exact.
fn rounded(x: &mut Expander<'_>, arg: Value, rounding: Option<Rounding>) -> Value {
    let ty = x.ty(arg);
    let arg = match ty.scalar {
        Scalar::F16 => x.convert(ConvertOp::FToF, arg, ty.with_scalar(Scalar::F32)),
        _ => arg,
    };
    let op = match rounding {
        None | Some(Rounding::Rtz) => return arg,
        Some(Rounding::Rte) => MathOp::RoundEven,
        Some(Rounding::Rtp) => MathOp::Ceil,
        Some(Rounding::Rtn) => MathOp::Floor,
    };
    x.math(op, &[arg])
}

/// Truncation toward zero of a number in range. Narrow results come from 32 bits.
fn float_to_int(x: &mut Expander<'_>, signed: bool, arg: Value, ty: Type) -> Value {
    if ty.scalar.bits() < 32 {
        let wide = x.convert(ConvertOp::FToS, arg, ty.with_scalar(Scalar::I32));
        return x.convert(ConvertOp::Trunc, wide, ty);
    }
    let op = if signed {
        ConvertOp::FToS
    } else {
        ConvertOp::FToU
    };
    x.convert(op, arg, ty)
}

fn float_to_int_saturated(x: &mut Expander<'_>, signed: bool, arg: Value, ty: Type) -> Value {
    let float = x.ty(arg);
    let bits = ty.scalar.bits();
    let none = x.splat(float, 0);
    let precision = if float.scalar == Scalar::F64 { 53 } else { 24 };
    if bits <= precision {
        let (most, least) = if signed {
            let bound = f64::from(bits - 1).exp2();
            (bound - 1.0, -bound)
        } else {
            (f64::from(bits).exp2() - 1.0, 0.0)
        };
        let (most, least) = (x.float(float, most), x.float(float, least));
        let mut inside = arg;
        if signed {
            // Below, a NaN counts as small.
            let number = x.fcmp(FloatCond::Ord, arg, arg);
            inside = x.select(number, arg, none);
        }
        for (cond, bound) in [(FloatCond::Ogt, least), (FloatCond::Olt, most)] {
            let within = x.fcmp(cond, inside, bound);
            inside = x.select(within, inside, bound);
        }
        return float_to_int(x, signed, inside, ty);
    }
    let (upper, lower, most, least) = if signed {
        let bound = f64::from(bits - 1).exp2();
        (bound, -bound, signed_max(bits), 1u64 << (bits - 1))
    } else {
        (f64::from(bits).exp2(), 0.0, unsigned_max(bits), 0)
    };
    let (upper, lower) = (x.float(float, upper), x.float(float, lower));
    let high = x.fcmp(FloatCond::Oge, arg, upper);
    let low = x.fcmp(FloatCond::Ole, arg, lower);
    let nan = x.math(MathOp::IsNan, &[arg]);
    let outside = x.bin(BinaryOp::Or, high, low);
    let outside = x.bin(BinaryOp::Or, outside, nan);
    let inside = x.select(outside, none, arg);
    let value = float_to_int(x, signed, inside, ty);
    let (most, least) = (x.splat(ty, most), x.splat(ty, least));
    let value = x.select(high, most, value);
    x.select(low, least, value)
}

fn int_to_float(
    x: &mut Expander<'_>,
    target: &Target,
    signed: bool,
    arg: Value,
    rounding: Option<Rounding>,
    ty: Type,
) -> Option<Value> {
    let from = x.ty(arg);
    let bits = from.scalar.bits();
    let (extend, op) = if signed {
        (ConvertOp::SExt, ConvertOp::SToF)
    } else {
        (ConvertOp::ZExt, ConvertOp::UToF)
    };
    if ty.scalar == Scalar::F16 {
        // Beyond 2^17 everything is too large for f16 anyway, and below it f32 is exact.
        let bound = 1u64 << 17;
        let mut value = arg;
        if bits >= 32 {
            value = if signed {
                let low = x.bin_const(BinaryOp::SMax, value, bound.wrapping_neg());
                x.bin_const(BinaryOp::SMin, low, bound)
            } else {
                x.bin_const(BinaryOp::UMin, value, bound)
            };
        }
        let words = from.with_scalar(Scalar::I32);
        let resize = if bits > 32 { ConvertOp::Trunc } else { extend };
        let value = x.convert(resize, value, words);
        let single = x.convert(op, value, ty.with_scalar(Scalar::F32));
        let mode = rounding.unwrap_or(Rounding::Rte);
        return Some(f32_to_f16(x, target, single, mode, ty));
    }
    if bits < 32 {
        let value = x.convert(extend, arg, from.with_scalar(Scalar::I32));
        return Some(x.convert(op, value, ty));
    }
    let precision = if ty.scalar == Scalar::F32 { 24 } else { 53 };
    let by_halves = target.quirks.has(QuirkKind::UnsignedToFloatByHalves);
    let nearest = matches!(rounding, None | Some(Rounding::Rte));
    if by_halves && nearest && !signed && bits == 32 && ty.scalar == Scalar::F32 {
        return Some(unsigned_by_halves(x, arg, ty));
    }
    let mode = rounding?;
    if mode == Rounding::Rte || bits <= precision {
        return Some(x.convert(op, arg, ty));
    }
    Some(int_to_float_directed(x, signed, arg, mode, precision, ty))
}

/// Converts an unsigned word to the nearest f32 by the signed conversion. A large word is halved first; its
/// last bit then tells whether a bit was lost, which is all that rounding needs: f32 has fewer than 31 bits.
fn unsigned_by_halves(x: &mut Expander<'_>, arg: Value, ty: Type) -> Value {
    let large = x.icmp_const(IntCond::Slt, arg, 0);
    let half = x.bin_const(BinaryOp::LShr, arg, 1);
    let last = x.bin_const(BinaryOp::And, arg, 1);
    let half = x.bin(BinaryOp::Or, half, last);
    let word = x.select(large, half, arg);
    let number = x.convert(ConvertOp::SToF, word, ty);
    let twice = x.bin(BinaryOp::FAdd, number, number);
    x.select(large, twice, number)
}

fn int_to_float_directed(
    x: &mut Expander<'_>,
    signed: bool,
    arg: Value,
    mode: Rounding,
    precision: u32,
    ty: Type,
) -> Value {
    let from = x.ty(arg);
    let bits = from.scalar.bits();
    let negative = if signed {
        x.icmp_const(IntCond::Slt, arg, 0)
    } else {
        x.splat(from.as_bool(), 0)
    };
    let negated = x.un(UnaryOp::INeg, arg);
    let magnitude = x.select(negative, negated, arg);
    let leading = x.math(MathOp::Clz, &[magnitude]);
    let surplus = x.splat(from, u64::from(bits - precision));
    let drop = x.bin(BinaryOp::ISub, surplus, leading);
    let drop = x.bin_const(BinaryOp::SMax, drop, 0);
    let kept = x.bin(BinaryOp::LShr, magnitude, drop);
    let back = x.bin(BinaryOp::Shl, kept, drop);
    let inexact = x.icmp(IntCond::Ne, back, magnitude);
    let away = away_from_zero(x, mode, negative);
    let up = x.bin(BinaryOp::And, inexact, away);
    let step = x.convert(ConvertOp::ZExt, up, from);
    let kept = x.bin(BinaryOp::IAdd, kept, step);
    let value = x.convert(ConvertOp::UToF, kept, ty);
    let int = int_like(ty);
    let (bias, fraction) = if precision == 24 {
        (127, 23)
    } else {
        (1023, 52)
    };
    let drop = resize(x, drop, int);
    let exponent = x.bin_const(BinaryOp::IAdd, drop, bias);
    let scale = x.bin_const(BinaryOp::Shl, exponent, fraction);
    let scale = x.convert(ConvertOp::Bitcast, scale, ty);
    let value = x.bin(BinaryOp::FMul, value, scale);
    let minus = x.un(UnaryOp::FNeg, value);
    x.select(negative, minus, value)
}

fn resize(x: &mut Expander<'_>, value: Value, ty: Type) -> Value {
    let op = if x.ty(value).scalar.bits() > ty.scalar.bits() {
        ConvertOp::Trunc
    } else {
        ConvertOp::ZExt
    };
    x.convert(op, value, ty)
}

/// A Bool: true where the directed mode rounds the magnitude of a number of this sign up.
fn away_from_zero(x: &mut Expander<'_>, mode: Rounding, negative: Value) -> Value {
    match mode {
        Rounding::Rtp => x.un(UnaryOp::Not, negative),
        Rounding::Rtn => negative,
        Rounding::Rte | Rounding::Rtz => {
            let ty = x.ty(negative);
            x.splat(ty, 0)
        }
    }
}

/// An f64 cut to what f32 can hold, with what the cut lost.
struct Cut {
    /// The magnitude's f32 bits: rounded toward zero, at most the largest finite number unless
    /// the argument was infinite.
    magnitude: Value,
    /// True if anything was lost, lane by lane.
    inexact: Value,
    /// The sign bit in its f32 place.
    sign: Value,
    /// True if the argument is negative.
    negative: Value,
}

/// Cuts the significand by integer arithmetic, after which the device's conversion is exact. No
/// comparison with the number converted back: a driver may fold that to the original (lavapipe
/// 25.0 does).
fn cut_to_f32(x: &mut Expander<'_>, target: &Target, arg: Value) -> Cut {
    let bits = x.bits_of(arg);
    let long = x.ty(bits);
    let int = long.with_scalar(Scalar::I32);
    let negative = x.icmp_const(IntCond::Slt, bits, 0);
    let magnitude = x.bin_const(BinaryOp::And, bits, i64::MAX as u64);
    let exponent = x.bin_const(BinaryOp::LShr, magnitude, 52);
    // 29 bits more than f32 has; below its smallest normal exponent one more for each step. Beyond 52
    // the implicit bit is lost too, which the bits of the exponent do not show: 62 leaves none of either.
    let subnormal = x.splat(long, 29 + 1023 - 126);
    let lost = x.bin(BinaryOp::ISub, subnormal, exponent);
    let lost = {
        let least = x.splat(long, 29);
        x.bin(BinaryOp::SMax, lost, least)
    };
    let lost = {
        let all = x.icmp_const(IntCond::Sgt, lost, 52);
        let most = x.splat(long, 62);
        x.select(all, most, lost)
    };
    let special = x.icmp_const(IntCond::Uge, magnitude, 0x7ff0_0000_0000_0000);
    let kept = x.bin(BinaryOp::LShr, magnitude, lost);
    let kept = x.bin(BinaryOp::Shl, kept, lost);
    let kept = x.select(special, magnitude, kept);
    let cut = x.icmp(IntCond::Ne, kept, magnitude);
    let from = x.ty(arg);
    let exact = x.convert(ConvertOp::Bitcast, kept, from);
    let near = x.convert(ConvertOp::FToF, exact, from.with_scalar(Scalar::F32));
    let mut near = x.bits_of(near);
    if !target.arithmetic.denorms_f32 {
        // The device makes a zero of it, to which no step may be added.
        let significand = x.bin_const(BinaryOp::And, magnitude, (1 << 52) - 1);
        let significand = x.bin_const(BinaryOp::Or, significand, 1 << 52);
        let units = x.bin(BinaryOp::LShr, significand, lost);
        let units = x.convert(ConvertOp::Trunc, units, int);
        let denormal = x.icmp_const(IntCond::Sgt, lost, 29);
        near = x.select(denormal, units, near);
    }
    // Finite, but beyond f32.
    let large = x.icmp_const(IntCond::Uge, magnitude, (1023 + 128) << 52);
    let finite = x.un(UnaryOp::Not, special);
    let over = x.bin(BinaryOp::And, large, finite);
    let largest = x.splat(int, 0x7f7f_ffff);
    let magnitude = x.select(over, largest, near);
    let inexact = x.bin(BinaryOp::Or, cut, over);
    let (sign_bit, none) = (x.splat(int, 0x8000_0000), x.splat(int, 0));
    let sign = x.select(negative, sign_bit, none);
    Cut {
        magnitude,
        inexact,
        sign,
        negative,
    }
}

fn f64_to_f32(
    x: &mut Expander<'_>,
    target: &Target,
    arg: Value,
    mode: Rounding,
    ty: Type,
) -> Value {
    let cut = cut_to_f32(x, target, arg);
    let away = away_from_zero(x, mode, cut.negative);
    let grow = x.bin(BinaryOp::And, cut.inexact, away);
    let int = x.ty(cut.magnitude);
    let step = x.convert(ConvertOp::ZExt, grow, int);
    let magnitude = x.bin(BinaryOp::IAdd, cut.magnitude, step);
    let bits = x.bin(BinaryOp::Or, magnitude, cut.sign);
    x.convert(ConvertOp::Bitcast, bits, ty)
}

/// Rounds to odd: toward zero, and the last bit is 1 if anything was cut off.
fn f64_to_odd_f32(x: &mut Expander<'_>, target: &Target, arg: Value) -> Value {
    let cut = cut_to_f32(x, target, arg);
    let int = x.ty(cut.magnitude);
    let odd = x.convert(ConvertOp::ZExt, cut.inexact, int);
    let bits = x.bin(BinaryOp::Or, cut.magnitude, odd);
    let bits = x.bin(BinaryOp::Or, bits, cut.sign);
    let ty = x.ty(arg).with_scalar(Scalar::F32);
    x.convert(ConvertOp::Bitcast, bits, ty)
}

fn f32_to_f16(
    x: &mut Expander<'_>,
    target: &Target,
    arg: Value,
    mode: Rounding,
    ty: Type,
) -> Value {
    if mode == Rounding::Rte && rounds_to_nearest(target) {
        return x.convert(ConvertOp::FToF, arg, ty);
    }
    let narrow = match mode {
        Rounding::Rte => HalfRounding::of(x, arg).bits(x),
        _ => f32_bits_to_f16_bits(x, arg, mode),
    };
    x.convert(ConvertOp::Bitcast, narrow, ty)
}

/// Returns whether conversions to f16 that are left round to nearest even: the device's own where they are fast, or those
/// that `legalize_half` makes on a device without halves.
fn rounds_to_nearest(target: &Target) -> bool {
    let by_driver =
        target.float_controls[0].rounding_rte && !target.quirks.has(QuirkKind::HalvesByFloats);
    !target.has_halves() || by_driver
}

/// The bits of the f16 that an f32 becomes in a directed mode.
fn f32_bits_to_f16_bits(x: &mut Expander<'_>, arg: Value, mode: Rounding) -> Value {
    let bits = x.bits_of(arg);
    let int = x.ty(bits);
    let sign = x.bin_const(BinaryOp::LShr, bits, 16);
    let sign = x.bin_const(BinaryOp::And, sign, 0x8000);
    let magnitude = x.bin_const(BinaryOp::And, bits, 0x7FFF_FFFF);
    // Normal results: rebias and cut 13 bits. Denormal ones: the significand in units of
    // 2^-24, cut by 126 - exponent bits (25 and more leave nothing but the sticky part).
    let normal = x.icmp_const(IntCond::Uge, magnitude, 0x3880_0000);
    let rebased = x.bin_const(BinaryOp::ISub, magnitude, 0x3800_0000);
    let exponent = x.bin_const(BinaryOp::LShr, magnitude, 23);
    let fraction = x.bin_const(BinaryOp::And, magnitude, 0x7F_FFFF);
    let tiny = x.icmp_const(IntCond::Eq, exponent, 0);
    let whole = x.bin_const(BinaryOp::Or, fraction, 0x80_0000);
    let significand = x.select(tiny, fraction, whole);
    let top = x.splat(int, 126);
    let cut = x.bin(BinaryOp::ISub, top, exponent);
    let cut = x.bin_const(BinaryOp::UMin, cut, 25);
    let thirteen = x.splat(int, 13);
    let cut = x.select(normal, thirteen, cut);
    let source = x.select(normal, rebased, significand);
    let quotient = x.bin(BinaryOp::LShr, source, cut);
    let back = x.bin(BinaryOp::Shl, quotient, cut);
    let rest = x.bin(BinaryOp::ISub, source, back);
    let negative = x.icmp_const(IntCond::Slt, bits, 0);
    let away = away_from_zero(x, mode, negative);
    let inexact = x.icmp_const(IntCond::Ne, rest, 0);
    let up = x.bin(BinaryOp::And, inexact, away);
    let step = x.convert(ConvertOp::ZExt, up, int);
    let result = x.bin(BinaryOp::IAdd, quotient, step);
    // Too large: infinity, or the greatest finite number where rounding goes toward zero.
    let infinity = x.splat(int, 0x7C00);
    let greatest = x.splat(int, 0x7BFF);
    let limit = x.select(away, infinity, greatest);
    let result = x.bin(BinaryOp::UMin, result, limit);
    let is_infinite = x.icmp_const(IntCond::Eq, magnitude, 0x7F80_0000);
    let result = x.select(is_infinite, infinity, result);
    let payload = x.bin_const(BinaryOp::LShr, fraction, 13);
    let quiet = x.bin_const(BinaryOp::Or, payload, 0x7E00);
    let nan = x.icmp_const(IntCond::Ugt, magnitude, 0x7F80_0000);
    let result = x.select(nan, quiet, result);
    let result = x.bin(BinaryOp::Or, result, sign);
    x.convert(ConvertOp::Trunc, result, int.with_scalar(Scalar::I16))
}
