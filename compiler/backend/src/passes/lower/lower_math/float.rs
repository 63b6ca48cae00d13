//! Floating-point functions that are a few exact instructions, and the native_ ones.

use super::exact::device_quotient;
use super::store;
use crate::expand::{Expander, int_like};
use pumice_ir::{
    BinaryOp, ConvertOp, FloatCond, FloatFlags, IntCond, MathOp, Scalar, Type, UnaryOp, Value,
};

/// Layout of a binary format.
#[derive(Clone, Copy)]
struct Format {
    width: u64,
    /// Fraction bits.
    fraction: u64,
    bias: u64,
}

fn format(ty: Type) -> Format {
    let (width, fraction, bias) = match ty.scalar {
        Scalar::F16 => (16, 10, 15),
        Scalar::F64 => (64, 52, 1023),
        _ => (32, 23, 127),
    };
    Format {
        width,
        fraction,
        bias,
    }
}

impl Format {
    fn sign(self) -> u64 {
        1 << (self.width - 1)
    }

    fn magnitude(self) -> u64 {
        self.sign() - 1
    }

    fn fraction_mask(self) -> u64 {
        (1 << self.fraction) - 1
    }

    fn exponent_max(self) -> u64 {
        2 * self.bias + 1
    }

    fn infinity(self) -> u64 {
        self.exponent_max() << self.fraction
    }
}

pub(super) fn fadd(x: &mut Expander<'_>, a: Value, b: Value) -> Value {
    x.bin(BinaryOp::FAdd, a, b)
}

pub(super) fn fsub(x: &mut Expander<'_>, a: Value, b: Value) -> Value {
    x.bin(BinaryOp::FSub, a, b)
}

pub(super) fn fmul(x: &mut Expander<'_>, a: Value, b: Value) -> Value {
    x.bin(BinaryOp::FMul, a, b)
}

pub(super) fn fmul_const(x: &mut Expander<'_>, a: Value, factor: f64) -> Value {
    let ty = x.ty(a);
    let factor = x.float(ty, factor);
    x.bin(BinaryOp::FMul, a, factor)
}

pub(super) fn fabs(x: &mut Expander<'_>, a: Value) -> Value {
    x.math(MathOp::FAbs, &[a])
}

pub(super) fn zero(x: &mut Expander<'_>, ty: Type) -> Value {
    x.splat(ty, 0)
}

/// A selection instead of masks: LLVM 15 under Mesa 22.3, where the machine has AVX-512, folds
/// a bit-wise operation of three values into a masked store of one of them with the wrong table,
/// so that `sign & ~magnitude` comes out of two joined halves behind a branch.
fn with_sign_of(x: &mut Expander<'_>, magnitude: Value, sign: Value) -> Value {
    let magnitude = fabs(x, magnitude);
    let negated = x.un(UnaryOp::FNeg, magnitude);
    let bits = x.bits_of(sign);
    let negative = x.icmp_const(IntCond::Slt, bits, 0);
    x.select(negative, negated, magnitude)
}

pub(super) fn copysign(x: &mut Expander<'_>, a: &[Value], _: Type) -> Value {
    with_sign_of(x, a[0], a[1])
}

/// `x <= y` is false for NaN, so that the difference carries the NaN on.
pub(super) fn fdim(x: &mut Expander<'_>, a: &[Value], ty: Type) -> Value {
    let below = x.fcmp(FloatCond::Ole, a[0], a[1]);
    let difference = fsub(x, a[0], a[1]);
    let none = zero(x, ty);
    x.select(below, none, difference)
}

/// The product of two binary16 numbers is exact in binary64.
pub(super) fn fma_by_f64(x: &mut Expander<'_>, a: &[Value], ty: Type) -> Value {
    let wide = ty.with_scalar(Scalar::F64);
    let [p, q, r] = [0, 1, 2].map(|i| x.convert(ConvertOp::FToF, a[i], wide));
    let product = fmul(x, p, q);
    let sum = fadd(x, product, r);
    x.convert(ConvertOp::FToF, sum, ty)
}

/// `min(x - floor(x), 1 - ulp)`; zeros keep their sign, infinities give a signed zero.
pub(super) fn fract(x: &mut Expander<'_>, a: &[Value], ty: Type) -> Value {
    let f = format(ty);
    let floor = x.math(MathOp::Floor, &[a[0]]);
    store(x, a[1], floor);
    let rest = fsub(x, a[0], floor);
    // The greatest number below 1: exponent bias - 1, fraction all ones.
    let below_one = x.splat(ty, ((f.bias - 1) << f.fraction) | f.fraction_mask());
    let least = x.math(MathOp::FMin, &[rest, below_one]);
    let none = zero(x, ty);
    let signed_zero = with_sign_of(x, none, a[0]);
    let infinite = x.math(MathOp::IsInf, &[a[0]]);
    let is_zero = x.fcmp(FloatCond::Oeq, a[0], none);
    let flat = x.bin(BinaryOp::Or, infinite, is_zero);
    let value = x.select(flat, signed_zero, least);
    let nan = x.math(MathOp::IsNan, &[a[0]]);
    x.select(nan, a[0], value)
}

pub(super) fn modf(x: &mut Expander<'_>, a: &[Value], ty: Type) -> Value {
    let whole = x.math(MathOp::Trunc, &[a[0]]);
    store(x, a[1], whole);
    let rest = fsub(x, a[0], whole);
    let infinite = x.math(MathOp::IsInf, &[a[0]]);
    let none = zero(x, ty);
    let rest = x.select(infinite, none, rest);
    let signed = with_sign_of(x, rest, a[0]);
    let nan = x.math(MathOp::IsNan, &[a[0]]);
    x.select(nan, a[0], signed)
}

/// Infinities become 2^`power` of their sign; what other numbers become is of no use.
pub(super) fn infinity_to_power(x: &mut Expander<'_>, a: Value, power: i32) -> Value {
    let ty = x.ty(a);
    let f = format(ty);
    let exponent = f.bias.saturating_add_signed(power.into());
    let bits = x.bits_of(a);
    // The exponent of an infinity has all bits.
    let bits = x.bin_const(BinaryOp::And, bits, f.sign() | (exponent << f.fraction));
    x.convert(ConvertOp::Bitcast, bits, ty)
}

/// Half away from zero: exact because `|x| - trunc(|x|)` is.
pub(super) fn round(x: &mut Expander<'_>, a: &[Value], ty: Type) -> Value {
    let magnitude = fabs(x, a[0]);
    let whole = x.math(MathOp::Trunc, &[magnitude]);
    let rest = fsub(x, magnitude, whole);
    let half = x.float(ty, 0.5);
    let up = x.fcmp(FloatCond::Oge, rest, half);
    let one = x.float(ty, 1.0);
    let none = zero(x, ty);
    let step = x.select(up, one, none);
    let sum = fadd(x, whole, step);
    with_sign_of(x, sum, a[0])
}

pub(super) fn mad(x: &mut Expander<'_>, a: &[Value], _: Type) -> Value {
    let product = x.fbin(BinaryOp::FMul, a[0], a[1], FloatFlags::CONTRACT);
    x.fbin(BinaryOp::FAdd, product, a[2], FloatFlags::CONTRACT)
}

fn magnitude_pick(x: &mut Expander<'_>, a: &[Value], first: FloatCond, tie: MathOp) -> Value {
    let (m0, m1) = (fabs(x, a[0]), fabs(x, a[1]));
    let tied = x.math(tie, &[a[0], a[1]]);
    let second = x.fcmp(first, m1, m0);
    let value = x.select(second, a[1], tied);
    let one = x.fcmp(first, m0, m1);
    x.select(one, a[0], value)
}

pub(super) fn maxmag(x: &mut Expander<'_>, a: &[Value], _: Type) -> Value {
    magnitude_pick(x, a, FloatCond::Ogt, MathOp::FMax)
}

/// The same on devices that compare denormals as zeros: what they then take for equal is one of them, or two zeros.
pub(super) fn maxmag_flushed(x: &mut Expander<'_>, a: &[Value], ty: Type) -> Value {
    let value = maxmag(x, a, ty);
    x.flush_denormal(value)
}

/// As [`maxmag_flushed`].
pub(super) fn minmag_flushed(x: &mut Expander<'_>, a: &[Value], ty: Type) -> Value {
    let value = minmag(x, a, ty);
    x.flush_denormal(value)
}

pub(super) fn minmag(x: &mut Expander<'_>, a: &[Value], _: Type) -> Value {
    magnitude_pick(x, a, FloatCond::Olt, MathOp::FMin)
}

/// A quiet NaN with the code in its fraction.
pub(super) fn nan(x: &mut Expander<'_>, a: &[Value], ty: Type) -> Value {
    let f = format(ty);
    let quiet = 1 << (f.fraction - 1);
    let code = x.bin_const(BinaryOp::And, a[0], quiet - 1);
    let bits = x.bin_const(BinaryOp::Or, code, f.infinity() | quiet);
    x.convert(ConvertOp::Bitcast, bits, ty)
}

/// Neighbours are neighbours as integers once the sign is folded in.
pub(super) fn nextafter(x: &mut Expander<'_>, a: &[Value], ty: Type) -> Value {
    let f = format(ty);
    let int = int_like(ty);
    let (from, to) = (x.bits_of(a[0]), x.bits_of(a[1]));
    let ordered = |x: &mut Expander<'_>, bits: Value| {
        let magnitude = x.bin_const(BinaryOp::And, bits, f.magnitude());
        let none = x.splat(int, 0);
        let negated = x.bin(BinaryOp::ISub, none, magnitude);
        let negative = x.icmp_const(IntCond::Slt, bits, 0);
        x.select(negative, negated, magnitude)
    };
    let (p, q) = (ordered(x, from), ordered(x, to));
    let up = x.icmp(IntCond::Slt, p, q);
    let (one, minus) = (x.splat(int, 1), x.splat(int, u64::MAX));
    let step = x.select(up, one, minus);
    let next = x.bin(BinaryOp::IAdd, p, step);
    let none = x.splat(int, 0);
    let negated = x.bin(BinaryOp::ISub, none, next);
    let signed = x.bin_const(BinaryOp::Or, negated, f.sign());
    let negative = x.icmp_const(IntCond::Slt, next, 0);
    let bits = x.select(negative, signed, next);
    let equal = x.icmp(IntCond::Eq, p, q);
    let bits = x.select(equal, to, bits);
    let value = x.convert(ConvertOp::Bitcast, bits, ty);
    let unordered = x.fcmp(FloatCond::Uno, a[0], a[1]);
    let sum = fadd(x, a[0], a[1]);
    x.select(unordered, sum, value)
}

/// Exponent and fraction of a number, denormals normalised: (biased exponent as a signed
/// integer, fraction bits, all bits).
fn decompose(x: &mut Expander<'_>, value: Value) -> (Value, Value, Value) {
    let f = format(x.ty(value));
    let bits = x.bits_of(value);
    let ty = x.ty(bits);
    let fraction = x.bin_const(BinaryOp::And, bits, f.fraction_mask());
    let exponent = x.bin_const(BinaryOp::LShr, bits, f.fraction);
    let exponent = x.bin_const(BinaryOp::And, exponent, f.exponent_max());
    let leading = x.math(MathOp::Clz, &[fraction]);
    let shift = {
        let lead = x.splat(ty, f.width - f.fraction - 1);
        x.bin(BinaryOp::ISub, leading, lead)
    };
    let shifted = x.bin(BinaryOp::Shl, fraction, shift);
    let shifted = x.bin_const(BinaryOp::And, shifted, f.fraction_mask());
    // One less the shift.
    let most = x.splat(ty, f.width - f.fraction);
    let small = x.bin(BinaryOp::ISub, most, leading);
    let denormal = x.icmp_const(IntCond::Eq, exponent, 0);
    let exponent = x.select(denormal, small, exponent);
    let fraction = x.select(denormal, shifted, fraction);
    (exponent, fraction, bits)
}

/// True for zeros, infinities and NaNs.
fn special(x: &mut Expander<'_>, value: Value, bits: Value) -> Value {
    let f = format(x.ty(value));
    let magnitude = x.bin_const(BinaryOp::And, bits, f.magnitude());
    let is_zero = x.icmp_const(IntCond::Eq, magnitude, 0);
    let big = x.icmp_const(IntCond::Uge, magnitude, f.infinity());
    x.bin(BinaryOp::Or, is_zero, big)
}

fn to_i32(x: &mut Expander<'_>, value: Value) -> Value {
    let ty = x.ty(value).with_scalar(Scalar::I32);
    x.convert(ConvertOp::Trunc, value, ty)
}

pub(super) fn frexp(x: &mut Expander<'_>, a: &[Value], ty: Type) -> Value {
    let f = format(ty);
    let (exponent, fraction, bits) = decompose(x, a[0]);
    let int = x.ty(bits);
    let sign = x.bin_const(BinaryOp::And, bits, f.sign());
    let mantissa = x.bin_const(BinaryOp::Or, fraction, (f.bias - 1) << f.fraction);
    let mantissa = x.bin(BinaryOp::Or, mantissa, sign);
    let bias = x.splat(int, f.bias - 1);
    let power = x.bin(BinaryOp::ISub, exponent, bias);
    let odd = special(x, a[0], bits);
    let none = x.splat(int, 0);
    let power = x.select(odd, none, power);
    let power = to_i32(x, power);
    store(x, a[1], power);
    let mantissa = x.convert(ConvertOp::Bitcast, mantissa, ty);
    x.select(odd, a[0], mantissa)
}

/// FP_ILOGB0 is INT_MIN, FP_ILOGBNAN and infinities give INT_MAX.
pub(super) fn ilogb(x: &mut Expander<'_>, a: &[Value], _: Type) -> Value {
    let from = x.ty(a[0]);
    let f = format(from);
    let (exponent, _, bits) = decompose(x, a[0]);
    let int = x.ty(bits);
    let bias = x.splat(int, f.bias);
    let power = x.bin(BinaryOp::ISub, exponent, bias);
    let power = to_i32(x, power);
    let i32s = x.ty(power);
    let magnitude = x.bin_const(BinaryOp::And, bits, f.magnitude());
    let is_zero = x.icmp_const(IntCond::Eq, magnitude, 0);
    let big = x.icmp_const(IntCond::Uge, magnitude, f.infinity());
    let least = x.splat(i32s, 0x8000_0000);
    let most = x.splat(i32s, 0x7FFF_FFFF);
    let value = x.select(is_zero, least, power);
    x.select(big, most, value)
}

pub(super) fn logb(x: &mut Expander<'_>, a: &[Value], ty: Type) -> Value {
    let f = format(ty);
    let (exponent, _, bits) = decompose(x, a[0]);
    let int = x.ty(bits);
    let bias = x.splat(int, f.bias);
    let power = x.bin(BinaryOp::ISub, exponent, bias);
    let value = x.convert(ConvertOp::SToF, power, ty);
    let magnitude = x.bin_const(BinaryOp::And, bits, f.magnitude());
    let is_zero = x.icmp_const(IntCond::Eq, magnitude, 0);
    let big = x.icmp_const(IntCond::Uge, magnitude, f.infinity());
    let least = x.splat(ty, f.infinity() | f.sign());
    let value = x.select(is_zero, least, value);
    let magnitude = fabs(x, a[0]);
    x.select(big, magnitude, value)
}

/// Up to three multiplications by powers of two. Downward steps keep the value normal until
/// the last, so that it is rounded once.
pub(super) fn ldexp(x: &mut Expander<'_>, a: &[Value], ty: Type) -> Value {
    let f = format(ty);
    let bias = f.bias as i64;
    let down = bias - 1 - f.fraction as i64 - 1;
    let ints = x.ty(a[1]);
    let (mut value, mut power) = (a[0], a[1]);
    let power_of_two = |exponent: i64| (((exponent + bias) as u64) << f.fraction).to_owned();
    let (up_factor, down_factor) = (
        x.splat(ty, power_of_two(bias)),
        x.splat(ty, power_of_two(-down)),
    );
    for _ in 0..2 {
        let high = x.icmp_const(IntCond::Sgt, power, bias as u64);
        let low = x.icmp_const(IntCond::Slt, power, (1 - bias) as u64);
        let raised = fmul(x, value, up_factor);
        let lowered = fmul(x, value, down_factor);
        value = x.select(high, raised, value);
        value = x.select(low, lowered, value);
        let less = x.bin_const(BinaryOp::IAdd, power, (-bias) as u64);
        let more = x.bin_const(BinaryOp::IAdd, power, down as u64);
        let after = x.select(high, less, power);
        power = x.select(low, more, after);
    }
    let most = x.splat(ints, bias as u64);
    let least = x.splat(ints, (1 - bias) as u64);
    power = x.bin(BinaryOp::SMin, power, most);
    power = x.bin(BinaryOp::SMax, power, least);
    let int = int_like(ty);
    let biased = x.bin_const(BinaryOp::IAdd, power, bias as u64);
    let biased = x.convert(ConvertOp::ZExt, biased, int);
    let bits = x.bin_const(BinaryOp::Shl, biased, f.fraction);
    let factor = x.convert(ConvertOp::Bitcast, bits, ty);
    fmul(x, value, factor)
}

pub(super) fn rsqrt(x: &mut Expander<'_>, a: &[Value], ty: Type) -> Value {
    let root = x.math(MathOp::Sqrt, &[a[0]]);
    let one = x.float(ty, 1.0);
    x.bin(BinaryOp::FDiv, one, root)
}

pub(super) fn divide(x: &mut Expander<'_>, a: &[Value], _: Type) -> Value {
    device_quotient(x, a[0], a[1])
}

pub(super) fn recip(x: &mut Expander<'_>, a: &[Value], ty: Type) -> Value {
    let one = x.float(ty, 1.0);
    device_quotient(x, one, a[0])
}

pub(super) fn native_cos(x: &mut Expander<'_>, a: &[Value], _: Type) -> Value {
    x.math(MathOp::NativeCos, &[a[0]])
}

pub(super) fn native_sin(x: &mut Expander<'_>, a: &[Value], _: Type) -> Value {
    x.math(MathOp::NativeSin, &[a[0]])
}

pub(super) fn native_tan(x: &mut Expander<'_>, a: &[Value], _: Type) -> Value {
    let sin = x.math(MathOp::NativeSin, &[a[0]]);
    let cos = x.math(MathOp::NativeCos, &[a[0]]);
    device_quotient(x, sin, cos)
}

pub(super) fn native_exp(x: &mut Expander<'_>, a: &[Value], _: Type) -> Value {
    let scaled = fmul_const(x, a[0], std::f64::consts::LOG2_E);
    x.math(MathOp::NativeExp2, &[scaled])
}

pub(super) fn native_exp2(x: &mut Expander<'_>, a: &[Value], _: Type) -> Value {
    x.math(MathOp::NativeExp2, &[a[0]])
}

pub(super) fn native_exp10(x: &mut Expander<'_>, a: &[Value], _: Type) -> Value {
    let scaled = fmul_const(x, a[0], std::f64::consts::LOG2_10);
    x.math(MathOp::NativeExp2, &[scaled])
}

pub(super) fn native_log(x: &mut Expander<'_>, a: &[Value], _: Type) -> Value {
    let log2 = x.math(MathOp::NativeLog2, &[a[0]]);
    fmul_const(x, log2, std::f64::consts::LN_2)
}

pub(super) fn native_log2(x: &mut Expander<'_>, a: &[Value], _: Type) -> Value {
    x.math(MathOp::NativeLog2, &[a[0]])
}

pub(super) fn native_log10(x: &mut Expander<'_>, a: &[Value], _: Type) -> Value {
    let log2 = x.math(MathOp::NativeLog2, &[a[0]]);
    fmul_const(x, log2, std::f64::consts::LOG10_2)
}

pub(super) fn native_powr(x: &mut Expander<'_>, a: &[Value], _: Type) -> Value {
    let log2 = x.math(MathOp::NativeLog2, &[a[0]]);
    let scaled = fmul(x, log2, a[1]);
    x.math(MathOp::NativeExp2, &[scaled])
}

pub(super) fn native_rsqrt(x: &mut Expander<'_>, a: &[Value], ty: Type) -> Value {
    if ty.scalar == Scalar::F32 {
        x.math(MathOp::NativeRsqrt, &[a[0]])
    } else {
        rsqrt(x, a, ty)
    }
}

pub(super) fn clamp(x: &mut Expander<'_>, a: &[Value], _: Type) -> Value {
    let low = x.math(MathOp::FMax, &[a[0], a[1]]);
    x.math(MathOp::FMin, &[low, a[2]])
}

pub(super) fn degrees(x: &mut Expander<'_>, a: &[Value], _: Type) -> Value {
    fmul_const(x, a[0], 180.0 / std::f64::consts::PI)
}

pub(super) fn radians(x: &mut Expander<'_>, a: &[Value], _: Type) -> Value {
    fmul_const(x, a[0], std::f64::consts::PI / 180.0)
}

pub(super) fn mix(x: &mut Expander<'_>, a: &[Value], _: Type) -> Value {
    let difference = fsub(x, a[1], a[0]);
    let scaled = fmul(x, difference, a[2]);
    fadd(x, a[0], scaled)
}

pub(super) fn step(x: &mut Expander<'_>, a: &[Value], ty: Type) -> Value {
    let below = x.fcmp(FloatCond::Olt, a[1], a[0]);
    let (none, one) = (zero(x, ty), x.float(ty, 1.0));
    x.select(below, none, one)
}

pub(super) fn smoothstep(x: &mut Expander<'_>, a: &[Value], ty: Type) -> Value {
    let up = fsub(x, a[2], a[0]);
    let range = fsub(x, a[1], a[0]);
    let t = x.bin(BinaryOp::FDiv, up, range);
    let (none, one) = (zero(x, ty), x.float(ty, 1.0));
    let t = clamp(x, &[t, none, one], ty);
    let square = fmul(x, t, t);
    let (two, three) = (x.float(ty, 2.0), x.float(ty, 3.0));
    let twice = fmul(x, t, two);
    let rest = fsub(x, three, twice);
    fmul(x, square, rest)
}

/// A zero of the operand's sign where the device compares it equal to zero, which may be a denormal; NaN
/// stays NaN.
pub(super) fn flushed(x: &mut Expander<'_>, zero: Value) -> Value {
    fadd(x, zero, zero)
}

/// 1, -1, a zero of the operand's sign, or 0 for NaN.
pub(super) fn sign(x: &mut Expander<'_>, a: &[Value], ty: Type) -> Value {
    let none = zero(x, ty);
    let one = x.float(ty, 1.0);
    let one = with_sign_of(x, one, a[0]);
    let nonzero = x.fcmp(FloatCond::One, a[0], none);
    let signed_zero = flushed(x, a[0]);
    let value = x.select(nonzero, one, signed_zero);
    let nan = x.math(MathOp::IsNan, &[a[0]]);
    x.select(nan, none, value)
}
