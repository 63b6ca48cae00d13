//! Conversions between floats and integers of two words, rounded once.

use super::words::{Words, leading_zeros, negated_by, shift};
use crate::expand::Expander;
use pumice_ir::{BinaryOp, ConvertOp, FloatCond, IntCond, MathOp, Scalar, Type, Value};

const TWO_TO_32: f64 = 4_294_967_296.0;

/// An integer to the nearest float.
pub(super) fn from_words(x: &mut Expander<'_>, a: Words, signed: bool, ty: Type) -> Value {
    if ty.scalar == Scalar::F64 {
        // Both words and the product are exact: the sum is what is rounded.
        let op = if signed {
            ConvertOp::SToF
        } else {
            ConvertOp::UToF
        };
        let high = x.convert(op, a.high, ty);
        let low = x.convert(ConvertOp::UToF, a.low, ty);
        let scale = x.float(ty, TWO_TO_32);
        let high = x.bin(BinaryOp::FMul, high, scale);
        return x.bin(BinaryOp::FAdd, high, low);
    }
    let single = ty.with_scalar(Scalar::F32);
    if !signed {
        let number = to_single(x, a, ty);
        return x.convert(ConvertOp::FToF, number, ty);
    }
    let minus = x.bin_const(BinaryOp::AShr, a.high, 31);
    let magnitude = negated_by(x, a, minus);
    let number = to_single(x, magnitude, ty);
    let bits = x.bits_of(number);
    let sign = x.bin_const(BinaryOp::And, minus, 1 << 31);
    let bits = x.bin(BinaryOp::Or, bits, sign);
    let number = x.convert(ConvertOp::Bitcast, bits, single);
    x.convert(ConvertOp::FToF, number, ty)
}

/// Converts the highest bits, in a signed word whose lowest bit tells whether any bit below them is set,
/// and scales the result back, which is exact. For halves it takes so few bits that the float in between
/// is exact too.
fn to_single(x: &mut Expander<'_>, a: Words, ty: Type) -> Value {
    let kept: u64 = if ty.scalar == Scalar::F16 { 24 } else { 31 };
    let single = ty.with_scalar(Scalar::F32);
    let words = ty.with_scalar(Scalar::I32);
    let zeros = leading_zeros(x, a);
    let normal = shift(x, BinaryOp::Shl, a, zeros);
    let top = x.bin_const(BinaryOp::LShr, normal.high, 32 - kept);
    let lost = x.bin_const(BinaryOp::Shl, normal.high, kept);
    let lost = x.bin(BinaryOp::Or, lost, normal.low);
    let lost = x.icmp_const(IntCond::Ne, lost, 0);
    let sticky = super::words::as_word(x, lost);
    let top = x.bin(BinaryOp::Or, top, sticky);
    let number = x.convert(ConvertOp::SToF, top, single);
    let largest = x.splat(words, 127 + 64 - kept);
    let exponent = x.bin(BinaryOp::ISub, largest, zeros);
    let scale = x.bin_const(BinaryOp::Shl, exponent, 23);
    let scale = x.convert(ConvertOp::Bitcast, scale, single);
    x.bin(BinaryOp::FMul, number, scale)
}

/// A float in range, cut toward zero.
pub(super) fn to_words(x: &mut Expander<'_>, arg: Value, signed: bool) -> Words {
    let mut arg = arg;
    if x.ty(arg).scalar == Scalar::F16 {
        let single = x.ty(arg).with_scalar(Scalar::F32);
        arg = x.convert(ConvertOp::FToF, arg, single);
    }
    let float = x.ty(arg);
    let words = float.with_scalar(Scalar::I32);
    let magnitude = match signed {
        true => x.math(MathOp::FAbs, &[arg]),
        false => arg,
    };
    let down = x.float(float, 1.0 / TWO_TO_32);
    let up = x.float(float, TWO_TO_32);
    let high = x.bin(BinaryOp::FMul, magnitude, down);
    let high = x.convert(ConvertOp::FToU, high, words);
    // No more bits than the float has: exact, and so is what is left.
    let whole = x.convert(ConvertOp::UToF, high, float);
    let whole = x.bin(BinaryOp::FMul, whole, up);
    let low = x.bin(BinaryOp::FSub, magnitude, whole);
    let low = x.convert(ConvertOp::FToU, low, words);
    let number = Words { low, high };
    if !signed {
        return number;
    }
    let zero = x.splat(float, 0);
    let negative = x.fcmp(FloatCond::Olt, arg, zero);
    let minus = x.convert(ConvertOp::SExt, negative, words);
    negated_by(x, number, minus)
}
