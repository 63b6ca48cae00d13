//! Integer functions, exact by OpenCL C §6.15.3.

use crate::expand::Expander;
use pumice_ir::{BinaryOp, ConvertOp, IntCond, Scalar, Type, UnaryOp, Value};

fn bits(ty: Type) -> u64 {
    u64::from(ty.scalar.bits())
}

/// The greatest signed value of a type.
fn smax(ty: Type) -> u64 {
    u64::MAX >> (65 - bits(ty))
}

pub(super) fn s_abs(x: &mut Expander<'_>, a: &[Value], _: Type) -> Value {
    let negated = x.un(UnaryOp::INeg, a[0]);
    let negative = x.icmp_const(IntCond::Slt, a[0], 0);
    x.select(negative, negated, a[0])
}

pub(super) fn u_abs(_: &mut Expander<'_>, a: &[Value], _: Type) -> Value {
    a[0]
}

fn abs_diff(x: &mut Expander<'_>, a: &[Value], greater: IntCond) -> Value {
    let forward = x.bin(BinaryOp::ISub, a[0], a[1]);
    let backward = x.bin(BinaryOp::ISub, a[1], a[0]);
    let first = x.icmp(greater, a[0], a[1]);
    x.select(first, forward, backward)
}

pub(super) fn s_abs_diff(x: &mut Expander<'_>, a: &[Value], _: Type) -> Value {
    abs_diff(x, a, IntCond::Sgt)
}

pub(super) fn u_abs_diff(x: &mut Expander<'_>, a: &[Value], _: Type) -> Value {
    abs_diff(x, a, IntCond::Ugt)
}

/// MAX for a non-negative operand, MIN for a negative one.
fn saturated_like(x: &mut Expander<'_>, a: Value) -> Value {
    let ty = x.ty(a);
    let sign = x.bin_const(BinaryOp::AShr, a, bits(ty) - 1);
    x.bin_const(BinaryOp::Xor, sign, smax(ty))
}

pub(super) fn s_add_sat(x: &mut Expander<'_>, a: &[Value], _: Type) -> Value {
    let sum = x.bin(BinaryOp::IAdd, a[0], a[1]);
    let d0 = x.bin(BinaryOp::Xor, a[0], sum);
    let d1 = x.bin(BinaryOp::Xor, a[1], sum);
    let both = x.bin(BinaryOp::And, d0, d1);
    let overflow = x.icmp_const(IntCond::Slt, both, 0);
    let saturated = saturated_like(x, a[0]);
    x.select(overflow, saturated, sum)
}

pub(super) fn u_add_sat(x: &mut Expander<'_>, a: &[Value], ty: Type) -> Value {
    let sum = x.bin(BinaryOp::IAdd, a[0], a[1]);
    let overflow = x.icmp(IntCond::Ult, sum, a[0]);
    let max = x.splat(ty, u64::MAX);
    x.select(overflow, max, sum)
}

pub(super) fn s_sub_sat(x: &mut Expander<'_>, a: &[Value], _: Type) -> Value {
    let difference = x.bin(BinaryOp::ISub, a[0], a[1]);
    let d0 = x.bin(BinaryOp::Xor, a[0], a[1]);
    let d1 = x.bin(BinaryOp::Xor, a[0], difference);
    let both = x.bin(BinaryOp::And, d0, d1);
    let overflow = x.icmp_const(IntCond::Slt, both, 0);
    let saturated = saturated_like(x, a[0]);
    x.select(overflow, saturated, difference)
}

pub(super) fn u_sub_sat(x: &mut Expander<'_>, a: &[Value], ty: Type) -> Value {
    let difference = x.bin(BinaryOp::ISub, a[0], a[1]);
    let below = x.icmp(IntCond::Ult, a[0], a[1]);
    let zero = x.splat(ty, 0);
    x.select(below, zero, difference)
}

fn half_add(x: &mut Expander<'_>, a: &[Value], shift: BinaryOp, round_up: bool) -> Value {
    let differ = x.bin(BinaryOp::Xor, a[0], a[1]);
    let half = x.bin_const(shift, differ, 1);
    if round_up {
        let any = x.bin(BinaryOp::Or, a[0], a[1]);
        x.bin(BinaryOp::ISub, any, half)
    } else {
        let both = x.bin(BinaryOp::And, a[0], a[1]);
        x.bin(BinaryOp::IAdd, both, half)
    }
}

pub(super) fn s_hadd(x: &mut Expander<'_>, a: &[Value], _: Type) -> Value {
    half_add(x, a, BinaryOp::AShr, false)
}

pub(super) fn u_hadd(x: &mut Expander<'_>, a: &[Value], _: Type) -> Value {
    half_add(x, a, BinaryOp::LShr, false)
}

pub(super) fn s_rhadd(x: &mut Expander<'_>, a: &[Value], _: Type) -> Value {
    half_add(x, a, BinaryOp::AShr, true)
}

pub(super) fn u_rhadd(x: &mut Expander<'_>, a: &[Value], _: Type) -> Value {
    half_add(x, a, BinaryOp::LShr, true)
}

pub(super) fn s_clamp(x: &mut Expander<'_>, a: &[Value], _: Type) -> Value {
    let low = x.bin(BinaryOp::SMax, a[0], a[1]);
    x.bin(BinaryOp::SMin, low, a[2])
}

pub(super) fn u_clamp(x: &mut Expander<'_>, a: &[Value], _: Type) -> Value {
    let low = x.bin(BinaryOp::UMax, a[0], a[1]);
    x.bin(BinaryOp::UMin, low, a[2])
}

pub(super) fn s_max(x: &mut Expander<'_>, a: &[Value], _: Type) -> Value {
    x.bin(BinaryOp::SMax, a[0], a[1])
}

pub(super) fn u_max(x: &mut Expander<'_>, a: &[Value], _: Type) -> Value {
    x.bin(BinaryOp::UMax, a[0], a[1])
}

pub(super) fn s_min(x: &mut Expander<'_>, a: &[Value], _: Type) -> Value {
    x.bin(BinaryOp::SMin, a[0], a[1])
}

pub(super) fn u_min(x: &mut Expander<'_>, a: &[Value], _: Type) -> Value {
    x.bin(BinaryOp::UMin, a[0], a[1])
}

pub(super) fn s_mul_hi(x: &mut Expander<'_>, a: &[Value], _: Type) -> Value {
    x.bin(BinaryOp::SMulHi, a[0], a[1])
}

pub(super) fn u_mul_hi(x: &mut Expander<'_>, a: &[Value], _: Type) -> Value {
    x.bin(BinaryOp::UMulHi, a[0], a[1])
}

pub(super) fn s_mad_hi(x: &mut Expander<'_>, a: &[Value], _: Type) -> Value {
    let high = x.bin(BinaryOp::SMulHi, a[0], a[1]);
    x.bin(BinaryOp::IAdd, high, a[2])
}

pub(super) fn u_mad_hi(x: &mut Expander<'_>, a: &[Value], _: Type) -> Value {
    let high = x.bin(BinaryOp::UMulHi, a[0], a[1]);
    x.bin(BinaryOp::IAdd, high, a[2])
}

pub(super) fn u_mad_sat(x: &mut Expander<'_>, a: &[Value], ty: Type) -> Value {
    let high = x.bin(BinaryOp::UMulHi, a[0], a[1]);
    let low = x.bin(BinaryOp::IMul, a[0], a[1]);
    let sum = x.bin(BinaryOp::IAdd, low, a[2]);
    let carry = x.icmp(IntCond::Ult, sum, low);
    let big = x.icmp_const(IntCond::Ne, high, 0);
    let overflow = x.bin(BinaryOp::Or, carry, big);
    let max = x.splat(ty, u64::MAX);
    x.select(overflow, max, sum)
}

/// The product and the addend as double-width numbers (high and low halves); in range if the
/// high half is the sign of the low one.
pub(super) fn s_mad_sat(x: &mut Expander<'_>, a: &[Value], ty: Type) -> Value {
    let high = x.bin(BinaryOp::SMulHi, a[0], a[1]);
    let low = x.bin(BinaryOp::IMul, a[0], a[1]);
    let sum = x.bin(BinaryOp::IAdd, low, a[2]);
    let carry = x.icmp(IntCond::Ult, sum, low);
    let carry = x.convert(ConvertOp::ZExt, carry, ty);
    let sign = x.bin_const(BinaryOp::AShr, a[2], bits(ty) - 1);
    let high = x.bin(BinaryOp::IAdd, high, sign);
    let high = x.bin(BinaryOp::IAdd, high, carry);
    let expected = x.bin_const(BinaryOp::AShr, sum, bits(ty) - 1);
    let fits = x.icmp(IntCond::Eq, high, expected);
    let saturated = saturated_like(x, high);
    x.select(fits, sum, saturated)
}

pub(super) fn rotate(x: &mut Expander<'_>, a: &[Value], _: Type) -> Value {
    let left = x.bin(BinaryOp::Shl, a[0], a[1]);
    let back = x.un(UnaryOp::INeg, a[1]);
    let right = x.bin(BinaryOp::LShr, a[0], back);
    x.bin(BinaryOp::Or, left, right)
}

fn upsample(x: &mut Expander<'_>, a: &[Value], ty: Type, extend: ConvertOp) -> Value {
    let high = x.convert(extend, a[0], ty);
    let low = x.convert(ConvertOp::ZExt, a[1], ty);
    let high = x.bin_const(BinaryOp::Shl, high, bits(ty) / 2);
    x.bin(BinaryOp::Or, high, low)
}

pub(super) fn u_upsample(x: &mut Expander<'_>, a: &[Value], ty: Type) -> Value {
    upsample(x, a, ty, ConvertOp::ZExt)
}

pub(super) fn s_upsample(x: &mut Expander<'_>, a: &[Value], ty: Type) -> Value {
    upsample(x, a, ty, ConvertOp::SExt)
}

/// Operands beyond 24 bits give an implementation-defined result: the full product.
pub(super) fn mul24(x: &mut Expander<'_>, a: &[Value], _: Type) -> Value {
    x.bin(BinaryOp::IMul, a[0], a[1])
}

pub(super) fn mad24(x: &mut Expander<'_>, a: &[Value], _: Type) -> Value {
    let product = x.bin(BinaryOp::IMul, a[0], a[1]);
    x.bin(BinaryOp::IAdd, product, a[2])
}

/// Each bit of the result is the second operand's where the third has a 1.
pub(super) fn bitselect(x: &mut Expander<'_>, a: &[Value], ty: Type) -> Value {
    let [first, second, mask] = [0, 1, 2].map(|i| x.bits_of(a[i]));
    let differ = x.bin(BinaryOp::Xor, first, second);
    let picked = x.bin(BinaryOp::And, differ, mask);
    let merged = x.bin(BinaryOp::Xor, first, picked);
    x.convert(ConvertOp::Bitcast, merged, ty)
}

/// Vectors look at each lane's most significant bit, scalars at the whole value.
pub(super) fn select(x: &mut Expander<'_>, a: &[Value], ty: Type) -> Value {
    let cond = match x.ty(a[2]) {
        c if c.scalar == Scalar::Bool => a[2],
        _ if ty.is_vector() => x.icmp_const(IntCond::Slt, a[2], 0),
        _ => x.icmp_const(IntCond::Ne, a[2], 0),
    };
    x.select(cond, a[1], a[0])
}
