//! Quotients of 64-bit integers, of which GPUs have none: drivers divide bit by bit.
//!
//! A branch takes the device's division of words if both high words are zero, as those of most numbers are.
//! Else the divisor's reciprocal, 2^64 / d, begins as a float's and is refined twice by Newton's step
//! `r + high(r * -(d * r))`. The float is cut by 16 units, which is more than Vulkan lets its conversion, division
//! and product be wrong (2.5 ULP for the quotient), so that r stays at or below the reciprocal: by 2^-19 of it at
//! first, 2^-38 then, and by less than 2 units in the end. The quotient `high(n * r)` is then at most 2 too
//! small, which two comparisons of what is left mend.

use super::lower_integers::mul_hi;
use crate::expand::Expander;
use pumice_ir::{BinaryOp, ConvertOp, FloatFlags, InstKind, IntCond, MathOp, Scalar, Type, Value};

/// 2^64, less 16 units of the last place below it.
const REACH: u64 = 0x5f7f_fff0;

/// Gives the quotient of unsigned numbers, lane by lane. The divisor is not 0.
pub(super) fn quotient(x: &mut Expander<'_>, a: Value, b: Value) -> Value {
    let ty = x.ty(a);
    if let (Some(a), Some(b)) = (extended(x, a), extended(x, b)) {
        let quotient = x.bin(BinaryOp::UDiv, a, b);
        return x.convert(ConvertOp::ZExt, quotient, ty);
    }
    let lanes: Vec<Value> = (0..ty.lanes)
        .map(|lane| {
            let (a, b) = (x.lane(a, lane), x.lane(b, lane));
            of_lane(x, a, b)
        })
        .collect();
    x.build(&lanes)
}

/// The words that a number was extended from.
fn extended(x: &Expander<'_>, value: Value) -> Option<Value> {
    let inst = x.func.def_inst(value)?;
    match x.func.insts[inst].kind {
        InstKind::Convert {
            op: ConvertOp::ZExt,
            arg,
            ..
        } if x.ty(arg).scalar == Scalar::I32 => Some(arg),
        _ => None,
    }
}

fn of_lane(x: &mut Expander<'_>, a: Value, b: Value) -> Value {
    let (short, long, done) = (x.new_block(), x.new_block(), x.new_block());
    let result = x.func.append_param(done, Type::I64);
    let either = x.bin(BinaryOp::Or, a, b);
    let high = x.bin_const(BinaryOp::LShr, either, 32);
    let is_short = x.icmp_const(IntCond::Eq, high, 0);
    x.branch_bare(is_short, [short, long], short);
    let dividend = x.convert(ConvertOp::Trunc, a, Type::I32);
    let low = x.convert(ConvertOp::Trunc, b, Type::I32);
    // The divisor's low word here. Elsewhere no zero either, should somebody compute it there.
    let high = high_word(x, b);
    let divisor = x.bin(BinaryOp::Or, low, high);
    let quotient = x.bin(BinaryOp::UDiv, dividend, divisor);
    let quotient = x.convert(ConvertOp::ZExt, quotient, Type::I64);
    x.jump(done, &[quotient], long);
    let quotient = by_reciprocal(x, a, b);
    x.jump(done, &[quotient], done);
    result
}

fn high_word(x: &mut Expander<'_>, value: Value) -> Value {
    let high = x.bin_const(BinaryOp::LShr, value, 32);
    x.convert(ConvertOp::Trunc, high, Type::I32)
}

/// The reciprocal by floats.
fn first_guess(x: &mut Expander<'_>, b: Value) -> Value {
    let f32 = Type::F32;
    let (low, high) = (x.convert(ConvertOp::Trunc, b, Type::I32), high_word(x, b));
    let [low, high] = [low, high].map(|word| x.convert(ConvertOp::UToF, word, f32));
    let [word, back, one] = [32, -32, 0].map(|e| x.float(f32, f64::from(e).exp2()));
    let high = x.bin(BinaryOp::FMul, high, word);
    let divisor = x.bin(BinaryOp::FAdd, high, low);
    let reciprocal = x.fbin(BinaryOp::FDiv, one, divisor, FloatFlags::ALLOW_RECIP);
    let reach = x.splat(f32, REACH);
    let scaled = x.bin(BinaryOp::FMul, reciprocal, reach);
    // Its words: the high one by cutting off, the low one is what is left, exactly.
    let high = x.bin(BinaryOp::FMul, scaled, back);
    let high = x.math(MathOp::Trunc, &[high]);
    let taken = x.bin(BinaryOp::FMul, high, word);
    let low = x.bin(BinaryOp::FSub, scaled, taken);
    let [low, high] = [low, high].map(|part| {
        let part = x.convert(ConvertOp::FToU, part, Type::I32);
        x.convert(ConvertOp::ZExt, part, Type::I64)
    });
    let high = x.bin_const(BinaryOp::Shl, high, 32);
    x.bin(BinaryOp::Or, high, low)
}

fn by_reciprocal(x: &mut Expander<'_>, a: Value, b: Value) -> Value {
    let zero = x.splat(Type::I64, 0);
    let negated = x.bin(BinaryOp::ISub, zero, b);
    let mut reciprocal = first_guess(x, b);
    for _ in 0..2 {
        let missing = x.bin(BinaryOp::IMul, negated, reciprocal);
        let step = mul_hi(x, reciprocal, missing, false);
        reciprocal = x.bin(BinaryOp::IAdd, reciprocal, step);
    }
    let mut quotient = mul_hi(x, a, reciprocal, false);
    let product = x.bin(BinaryOp::IMul, quotient, b);
    let mut rest = x.bin(BinaryOp::ISub, a, product);
    for _ in 0..2 {
        let more = x.icmp(IntCond::Uge, rest, b);
        let one_more = x.bin_const(BinaryOp::IAdd, quotient, 1);
        let less = x.bin(BinaryOp::ISub, rest, b);
        quotient = x.select(more, one_more, quotient);
        rest = x.select(more, less, rest);
    }
    quotient
}
