//! Operations on doubles that are right for denormals, on a device that takes them for zeros.
//!
//! Operands are taken apart into a number from 1 to 2 and an exponent ([`Parts`]), so that the device's arithmetic
//! sees normal numbers only; the result is scaled by two powers of two. A result that is to be a denormal is
//! rounded once, to a whole number in units of 2^-1074: by a sum with 2^52 (or -2^53), whose last place is 1.

use super::{BIAS, LEAST_NORMAL, Operation, SUM_BOUND};
use crate::expand::Expander;
use crate::passes::legalize::double_bits::{INFINITY, MAGNITUDE, SIGN, choose, compare, magnitude};
use pumice_ir::{BinaryOp, ConvertOp, FloatCond, IntCond, MathOp, Scalar, Value};

/// The exponent of the least denormal, negated: the number of units in 1 is 2 to the power of it.
const UNITS: i64 = 1074;
/// The bits of 2^52, whose last place is 1.
const GRID: u64 = (BIAS + 52) << 52;
/// The bits of 2^53.
const TWICE_GRID: u64 = (BIAS + 53) << 52;
/// The exponent of zero: less than any other, and less than the sum of any two.
const OF_ZERO: i64 = -5000;

/// Emits an operation.
pub(super) fn compute(x: &mut Expander<'_>, operation: Operation) -> Value {
    match operation {
        Operation::Sum(args) => sum(x, args),
        Operation::Difference([a, b]) => {
            let minus = negative(x, b);
            sum(x, [a, minus])
        }
        Operation::Product(args) => product(x, args),
        Operation::Quotient(args) => quotient(x, args),
        Operation::Fma(args) => fma(x, args),
        Operation::Root(arg) => root(x, arg),
        Operation::Round(op, arg) => round(x, op, arg),
        Operation::Minimum(args) => choose(x, args, IntCond::Slt),
        Operation::Maximum(args) => choose(x, args, IntCond::Sgt),
        Operation::Compare(order, args) => compare(x, order, args),
    }
}

/// The double of these bits.
fn double(x: &mut Expander<'_>, bits: Value) -> Value {
    let ty = x.ty(bits).with_scalar(Scalar::F64);
    x.convert(ConvertOp::Bitcast, bits, ty)
}

/// A double constant like a value.
fn constant(x: &mut Expander<'_>, like: Value, bits: u64) -> Value {
    let ty = x.ty(like);
    x.splat(ty, bits)
}

fn sign(x: &mut Expander<'_>, value: Value) -> Value {
    let bits = x.bits_of(value);
    x.bin_const(BinaryOp::And, bits, SIGN)
}

fn clamp(x: &mut Expander<'_>, value: Value, least: i64, most: i64) -> Value {
    let value = x.bin_const(BinaryOp::SMax, value, least as u64);
    x.bin_const(BinaryOp::SMin, value, most as u64)
}

/// 2 to the power of an exponent from -1022 to 1023.
fn power(x: &mut Expander<'_>, exponent: Value) -> Value {
    let biased = x.bin_const(BinaryOp::IAdd, exponent, BIAS);
    let bits = x.bin_const(BinaryOp::Shl, biased, 52);
    double(x, bits)
}

/// Scales a number by a power of two; both are normal and the result is, or the number is no finite one or zero.
fn scaled(x: &mut Expander<'_>, value: Value, exponent: Value) -> Value {
    let power = power(x, exponent);
    x.bin(BinaryOp::FMul, value, power)
}

/// The bits of an integer below 2^52 as a double: those of a denormal are its number of units.
fn whole_bits(x: &mut Expander<'_>, integer: Value) -> Value {
    let bits = x.bin_const(BinaryOp::Or, integer, GRID);
    let sum = double(x, bits);
    let grid = constant(x, sum, GRID);
    let number = x.bin(BinaryOp::FSub, sum, grid);
    x.bits_of(number)
}

/// A number as `digits * 2^exponent`: digits from 1 to 2 with the number's sign. Zero has digits zero, an infinity
/// and a NaN are their own with the exponent 0.
struct Parts {
    digits: Value,
    exponent: Value,
}

fn parts(x: &mut Expander<'_>, value: Value) -> Parts {
    let bits = x.bits_of(value);
    let (sign, size) = (sign(x, value), magnitude(x, value));
    let low = x.icmp_const(IntCond::Slt, size, LEAST_NORMAL);
    let raised = whole_bits(x, size);
    let number = x.select(low, raised, size);
    let exponent = x.bin_const(BinaryOp::LShr, number, 52);
    let ty = x.ty(size);
    let (bias, of_units) = (x.splat(ty, BIAS), x.splat(ty, BIAS + UNITS as u64));
    let bias = x.select(low, of_units, bias);
    let exponent = x.bin(BinaryOp::ISub, exponent, bias);
    let digits = x.bin_const(BinaryOp::And, number, LEAST_NORMAL - 1);
    let digits = x.bin_const(BinaryOp::Or, digits, BIAS << 52);
    let digits = x.bin(BinaryOp::Or, digits, sign);
    let (none, of_zero) = (x.splat(ty, 0), x.splat(ty, OF_ZERO as u64));
    let is_zero = x.icmp(IntCond::Eq, size, none);
    let is_special = x.icmp_const(IntCond::Sge, size, INFINITY);
    let exponent = x.select(is_zero, of_zero, exponent);
    let exponent = x.select(is_special, none, exponent);
    let as_it_is = x.bin(BinaryOp::Or, is_zero, is_special);
    let digits = x.select(as_it_is, bits, digits);
    let digits = double(x, digits);
    Parts { digits, exponent }
}

/// Gives `digits * 2^exponent`, where this is no denormal, else `units` of 2^-1074. The digits are the correctly rounded
/// ones and lie between 2^-120 and 2^202, or are zero or not finite.
fn put_together(x: &mut Expander<'_>, digits: Value, exponent: Value, units: Value) -> Value {
    let bounded = clamp(x, exponent, -2000, 2046);
    let first = x.bin_const(BinaryOp::AShr, bounded, 1);
    let second = x.bin(BinaryOp::ISub, bounded, first);
    let result = scaled(x, digits, first);
    let result = scaled(x, result, second);
    let size = magnitude(x, digits);
    let own = x.bin_const(BinaryOp::LShr, size, 52);
    let whole = x.bin(BinaryOp::IAdd, own, exponent);
    let below = x.icmp_const(IntCond::Slt, whole, 1);
    let before = x.bin_const(BinaryOp::ISub, size, 1);
    let finite = x.icmp_const(IntCond::Ult, before, INFINITY - 1);
    let is_denormal = x.bin(BinaryOp::And, below, finite);
    let sign = sign(x, digits);
    let denormal = unit_bits(x, units);
    let denormal = x.bin(BinaryOp::Or, denormal, sign);
    let result = x.bits_of(result);
    let result = x.select(is_denormal, denormal, result);
    double(x, result)
}

/// The integer that a whole number of at most 2^52 is, without its sign.
fn unit_bits(x: &mut Expander<'_>, units: Value) -> Value {
    let size = magnitude(x, units);
    let size = double(x, size);
    let grid = constant(x, size, GRID);
    let sum = x.bin(BinaryOp::FAdd, size, grid);
    let bits = x.bits_of(sum);
    x.bin_const(BinaryOp::ISub, bits, GRID)
}

/// 2^52 with the sign of a number.
fn signed_grid(x: &mut Expander<'_>, like: Value) -> Value {
    let sign = sign(x, like);
    let bits = x.bin_const(BinaryOp::Or, sign, GRID);
    double(x, bits)
}

/// The exponent of a number of units, kept where digits can be scaled by it: smaller numbers only decide in which
/// direction a sum is rounded.
fn of_units(x: &mut Expander<'_>, exponent: Value) -> Value {
    let exponent = x.bin_const(BinaryOp::IAdd, exponent, UNITS as u64);
    clamp(x, exponent, -600, 300)
}

fn fused(x: &mut Expander<'_>, a: Value, b: Value, c: Value) -> Value {
    x.math(MathOp::Fma, &[a, b, c])
}

fn negative(x: &mut Expander<'_>, value: Value) -> Value {
    let bits = x.bits_of(value);
    let bits = x.bin_const(BinaryOp::Xor, bits, SIGN);
    double(x, bits)
}

fn product(x: &mut Expander<'_>, [a, b]: [Value; 2]) -> Value {
    let (a, b) = (parts(x, a), parts(x, b));
    let exponent = x.bin(BinaryOp::IAdd, a.exponent, b.exponent);
    let digits = x.bin(BinaryOp::FMul, a.digits, b.digits);
    let in_units = of_units(x, exponent);
    let factor = scaled(x, b.digits, in_units);
    let grid = signed_grid(x, digits);
    let rounded = fused(x, a.digits, factor, grid);
    let units = x.bin(BinaryOp::FSub, rounded, grid);
    put_together(x, digits, exponent, units)
}

fn fma(x: &mut Expander<'_>, [a, b, c]: [Value; 3]) -> Value {
    let (a, b, addend) = (parts(x, a), parts(x, b), parts(x, c));
    let of_product = x.bin(BinaryOp::IAdd, a.exponent, b.exponent);
    // The greater one of product and addend is at least 1; the other may vanish but for its sign.
    let least = x.bin_const(BinaryOp::IAdd, addend.exponent, -200_i64 as u64);
    let exponent = x.bin(BinaryOp::SMax, of_product, least);
    let [product_shift, addend_shift] = [of_product, addend.exponent].map(|own| {
        let shift = x.bin(BinaryOp::ISub, own, exponent);
        x.bin_const(BinaryOp::SMax, shift, -600_i64 as u64)
    });
    let factor = scaled(x, b.digits, product_shift);
    let moved = scaled(x, addend.digits, addend_shift);
    let digits = fused(x, a.digits, factor, moved);

    let in_units = of_units(x, of_product);
    let factor = scaled(x, b.digits, in_units);
    let in_units = of_units(x, addend.exponent);
    let moved = scaled(x, addend.digits, in_units);
    // An addend of up to 2^53 units, to which a bound is added that leaves the sum below 2^53.
    let (result_sign, addend_sign) = (sign(x, digits), sign(x, addend.digits));
    let differ = x.bin(BinaryOp::Xor, result_sign, addend_sign);
    let same = x.icmp_const(IntCond::Eq, differ, 0);
    let ty = x.ty(differ);
    let (below, above) = (x.splat(ty, TWICE_GRID | SIGN), x.splat(ty, GRID));
    let bound = x.select(same, below, above);
    let bound = x.bin(BinaryOp::Xor, bound, result_sign);
    let bound = double(x, bound);
    let start = x.bin(BinaryOp::FAdd, moved, bound);
    let rounded = fused(x, a.digits, factor, start);
    let beside_small = x.bin(BinaryOp::FSub, rounded, bound);
    // A greater addend, of which the product leaves little: their difference is exact, and so is the product with
    // its tail.
    let head = x.bin(BinaryOp::FMul, a.digits, factor);
    let minus = negative(x, head);
    let tail = fused(x, a.digits, factor, minus);
    let difference = x.bin(BinaryOp::FAdd, head, moved);
    let grid = signed_grid(x, digits);
    let start = x.bin(BinaryOp::FAdd, grid, difference);
    let rounded = x.bin(BinaryOp::FAdd, start, tail);
    let beside_great = x.bin(BinaryOp::FSub, rounded, grid);

    let size = magnitude(x, moved);
    let small = x.icmp_const(IntCond::Sle, size, TWICE_GRID);
    let units = x.select(small, beside_small, beside_great);
    put_together(x, digits, exponent, units)
}

fn quotient(x: &mut Expander<'_>, [a, b]: [Value; 2]) -> Value {
    let (a, b) = (parts(x, a), parts(x, b));
    let exponent = x.bin(BinaryOp::ISub, a.exponent, b.exponent);
    let digits = x.bin(BinaryOp::FDiv, a.digits, b.digits);
    let in_units = of_units(x, exponent);
    let number = scaled(x, digits, in_units);
    let grid = signed_grid(x, digits);
    let rounded = x.bin(BinaryOp::FAdd, grid, number);
    let units = x.bin(BinaryOp::FSub, rounded, grid);
    // The number of units was rounded before. Where it seems to lie half-way between two whole numbers, what the
    // division leaves tells which is nearer.
    let away = x.bin(BinaryOp::FSub, number, units);
    let minus = negative(x, digits);
    let rest = fused(x, minus, b.digits, a.digits);
    let (divisor_sign, rest_sign) = (sign(x, b.digits), sign(x, rest));
    let rest_sign = x.bin(BinaryOp::Xor, rest_sign, divisor_sign);
    let away_sign = sign(x, away);
    let differ = x.bin(BinaryOp::Xor, rest_sign, away_sign);
    let further = x.icmp_const(IntCond::Eq, differ, 0);
    let (half, none) = (constant(x, away, (BIAS - 1) << 52), constant(x, away, 0));
    let size = magnitude(x, away);
    let size = double(x, size);
    let half_way = x.fcmp(FloatCond::Oeq, size, half);
    let inexact = x.fcmp(FloatCond::Une, rest, none);
    let moves = x.bin(BinaryOp::And, further, half_way);
    let moves = x.bin(BinaryOp::And, moves, inexact);
    let step = x.bin(BinaryOp::FAdd, away, away);
    let moved = x.bin(BinaryOp::FAdd, units, step);
    let units = x.select(moves, moved, units);
    put_together(x, digits, exponent, units)
}

/// A sum of small numbers is one of units; where one is great, the device's is right.
fn sum(x: &mut Expander<'_>, [a, b]: [Value; 2]) -> Value {
    let native = x.bin(BinaryOp::FAdd, a, b);
    let bits = [a, b].map(|arg| x.bits_of(arg));
    let either = x.bin(BinaryOp::Or, bits[0], bits[1]);
    let either = x.bin_const(BinaryOp::And, either, MAGNITUDE);
    let small = x.icmp_const(IntCond::Slt, either, SUM_BOUND);
    let [a, b] = [a, b].map(|arg| {
        let (sign, size) = (sign(x, arg), magnitude(x, arg));
        let low = x.icmp_const(IntCond::Slt, size, LEAST_NORMAL);
        let raised = whole_bits(x, size);
        let shifted = x.bin_const(BinaryOp::IAdd, size, (UNITS as u64) << 52);
        let number = x.select(low, raised, shifted);
        let number = x.bin(BinaryOp::Or, number, sign);
        double(x, number)
    });
    let units = x.bin(BinaryOp::FAdd, a, b);
    let (sign, size) = (sign(x, units), magnitude(x, units));
    let low = x.icmp_const(IntCond::Slt, size, GRID);
    let denormal = unit_bits(x, units);
    let shifted = x.bin_const(BinaryOp::ISub, size, (UNITS as u64) << 52);
    let number = x.select(low, denormal, shifted);
    let number = x.bin(BinaryOp::Or, number, sign);
    let native = x.bits_of(native);
    let result = x.select(small, number, native);
    double(x, result)
}

/// No root is a denormal.
fn root(x: &mut Expander<'_>, arg: Value) -> Value {
    let Parts { digits, exponent } = parts(x, arg);
    let odd = x.bin_const(BinaryOp::And, exponent, 1);
    let is_odd = x.icmp_const(IntCond::Ne, odd, 0);
    let twice = x.bin(BinaryOp::FAdd, digits, digits);
    let number = x.select(is_odd, twice, digits);
    let exponent = x.bin_const(BinaryOp::AShr, exponent, 1);
    let exponent = clamp(x, exponent, -1000, 1000);
    let root = x.math(MathOp::Sqrt, &[number]);
    scaled(x, root, exponent)
}

/// A denormal becomes what a quarter does.
fn round(x: &mut Expander<'_>, op: MathOp, arg: Value) -> Value {
    let (bits, sign, size) = (x.bits_of(arg), sign(x, arg), magnitude(x, arg));
    let before = x.bin_const(BinaryOp::ISub, size, 1);
    let is_denormal = x.icmp_const(IntCond::Ult, before, LEAST_NORMAL - 1);
    let quarter = x.bin_const(BinaryOp::Or, sign, (BIAS - 2) << 52);
    let bits = x.select(is_denormal, quarter, bits);
    let number = double(x, bits);
    x.math(op, &[number])
}
