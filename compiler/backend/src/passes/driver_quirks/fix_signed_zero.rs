//! For drivers that get zeros wrong ([`QuirkKind::GuardZeroSums`] and
//! [`QuirkKind::GuardZeroProducts`]).
//!
//! Some take `x + 0.0` for `x`, which is wrong for -0.0, and `fabs(x)` for `x` where they know no
//! more of it than that it is not below zero. Sums with a constant zero, and differences from one,
//! get the constant's own value by a selection where the other operand is a zero. Absolute values
//! are made of bits.
//!
//! Some take `x * 0.0` for 0.0, whatever `x`: such a product is made of the bits of `x`.
//!
//! The same holds of values that the driver may find out where this compiler does not: integers
//! made floats (in work-groups of one, local ids are zero), and contents of private and local
//! memory. Contents of global memory it cannot know, so those cost nothing.

use crate::expand::{Expander, Replacement, expand};
use crate::pass::{Changed, FunctionCtx};
use pumice_ir::LowerError;
use pumice_ir::analysis::known_values::{known_values, may_be_known};
use pumice_ir::{
    BinaryOp, ConvertOp, FloatCond, FloatFlags, Function, InstKind, IntCond, MathOp, Scalar, Type,
    UnaryOp, Value,
};
use pumice_target::QuirkKind;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

/// The number of operands that are followed into the depth.
const DEPTH: u32 = 6;

/// Runs the pass.
///
/// # Errors
/// A construct that the pass cannot lower.
pub fn run(func: &mut Function, ctx: &FunctionCtx<'_>) -> Result<Changed, LowerError> {
    let quirks = ctx.target.quirks;
    let sums = quirks.has(QuirkKind::GuardZeroSums);
    let products = quirks.has(QuirkKind::GuardZeroProducts);
    let mut zeros = known_values(func);
    expand(func, |x, inst| {
        let value = match x.func.insts[inst].kind.clone() {
            InstKind::Binary { op, args, flags } => match op {
                BinaryOp::FAdd | BinaryOp::FSub if sums => guarded_sum(x, op, args, flags, &zeros),
                BinaryOp::FMul if products => {
                    let product = guarded_product(x, args, flags, &zeros);
                    zeros.extend(product);
                    product
                }
                _ => None,
            },
            InstKind::Math { op, args, flags } => match (op, &args[..]) {
                (MathOp::FAbs, &[arg]) if sums => Some(magnitude(x, arg)),
                (MathOp::Fma, &[a, b, c]) => guarded_fma(x, [a, b, c], flags, products, &zeros),
                _ => None,
            },
            _ => None,
        };
        if let Some(value) = value {
            if zeros.contains(&x.func.result(inst)) {
                zeros.insert(value);
            }
        }
        Ok(value.map(|value| Replacement::from_slice(&[value])))
    })
}

/// The sum or difference, where `zeros` may be zeros of either sign for the driver.
fn guarded_sum(
    x: &mut Expander<'_>,
    op: BinaryOp,
    [a, b]: [Value; 2],
    flags: FloatFlags,
    zeros: &FxHashSet<Value>,
) -> Option<Value> {
    if flags.contains(FloatFlags::NO_SIGNED_ZERO) {
        return None;
    }
    let subtracted = op == BinaryOp::FSub;
    if is_zero(x, a) {
        return Some(positive_sum(x, op, [a, b], flags, [a, b]));
    }
    if !subtracted && is_zero(x, b) {
        return Some(positive_sum(x, op, [a, b], flags, [b, a]));
    }
    let (of_a, of_b) = (constant_zeros(x, a), constant_zeros(x, b));
    // `a - -0.0` is `a + 0.0`.
    let of_b = if subtracted {
        of_b.map(Zeros::negated)
    } else {
        of_b
    };
    // With a constant that is no zero, a zero makes that constant.
    let other = |zeros: Option<Zeros>| zeros.is_none_or(|zeros| zeros != Zeros::default());
    let known = zeros.contains(&a) && other(of_b) || zeros.contains(&b) && other(of_a);
    let positive = [of_a, of_b]
        .into_iter()
        .flatten()
        .any(|zeros| zeros.positive);
    (known || positive).then(|| sum_of_zeros(x, op, [a, b], flags))
}

/// The zeros among the lanes of a constant.
#[derive(Clone, Copy, Default, PartialEq)]
struct Zeros {
    positive: bool,
    negative: bool,
}

impl Zeros {
    fn negated(self) -> Self {
        Self {
            positive: self.negative,
            negative: self.positive,
        }
    }
}

fn constant_zeros(x: &Expander<'_>, value: Value) -> Option<Zeros> {
    let (sign, _) = sign_and_infinity(x.ty(value));
    let lanes = x.func.const_lanes(value)?;
    Some(Zeros {
        positive: lanes.contains(&0),
        negative: lanes.contains(&sign),
    })
}

fn guarded_product(
    x: &mut Expander<'_>,
    [a, b]: [Value; 2],
    flags: FloatFlags,
    zeros: &FxHashSet<Value>,
) -> Option<Value> {
    if flags.contains(FloatFlags::NO_NAN | FloatFlags::NO_SIGNED_ZERO) {
        return None;
    }
    let factors = zero_factors(x, [a, b], zeros);
    if let Some(&(factor, other)) = factors.first() {
        let (sign, _) = sign_and_infinity(x.ty(factor));
        let lanes = x.func.const_lanes(factor);
        if lanes.is_some_and(|lanes| lanes.iter().all(|bits| bits & !sign == 0)) {
            return Some(zero_product(x, factor, other));
        }
    } else {
        return None;
    }
    let mut product = x.fbin(BinaryOp::FMul, a, b, flags);
    for (factor, other) in factors {
        let zero = zero_product(x, factor, other);
        let is_zero = equals_zero(x, factor);
        product = x.select(is_zero, zero, product);
    }
    Some(product)
}

/// The factors that a driver may know for zeros, constants first, each with the other one.
fn zero_factors(
    x: &Expander<'_>,
    [a, b]: [Value; 2],
    zeros: &FxHashSet<Value>,
) -> SmallVec<[(Value, Value); 2]> {
    let mut factors: SmallVec<[(Value, Value); 2]> = [(a, b), (b, a)]
        .into_iter()
        .filter(|&(factor, _)| zeros.contains(&factor) || has_zero(x, factor))
        .collect();
    factors.sort_by_key(|&(factor, _)| x.func.const_lanes(factor).is_none());
    factors
}

/// `fma(a, b, c)`, where a product with a zero is not left to the driver, and neither is a sum
/// with one.
fn guarded_fma(
    x: &mut Expander<'_>,
    [a, b, c]: [Value; 3],
    flags: FloatFlags,
    products: bool,
    zeros: &FxHashSet<Value>,
) -> Option<Value> {
    let factors = if products {
        zero_factors(x, [a, b], zeros)
    } else {
        SmallVec::new()
    };
    let positive = is_zero(x, c);
    let added =
        positive || zeros.contains(&c) || constant_zeros(x, c).is_some_and(|zeros| zeros.positive);
    if factors.is_empty() && !added {
        return None;
    }
    let ty = x.ty(a);
    let fma = InstKind::Math {
        op: MathOp::Fma,
        args: [a, b, c].into_iter().collect(),
        flags,
    };
    let mut value = x.value(fma, ty);
    if added {
        // The sum of a zero product and a zero: negative if both are.
        let [no_a, no_b, sum] = [a, b, value].map(|value| equals_zero(x, value));
        let product = x.bin(BinaryOp::Or, no_a, no_b);
        let both = x.bin(BinaryOp::And, product, sum);
        let zero = if positive {
            c
        } else {
            let [a, b, c] = [a, b, c].map(|value| x.bits_of(value));
            let signs = x.bin(BinaryOp::Xor, a, b);
            let signs = x.bin(BinaryOp::And, signs, c);
            x.convert(ConvertOp::Bitcast, signs, ty)
        };
        value = x.select(both, zero, value);
    }
    for (factor, other) in factors {
        let zero = zero_product(x, factor, other);
        let sum = sum_of_zeros(x, BinaryOp::FAdd, [zero, c], flags);
        let is_zero = equals_zero(x, factor);
        value = x.select(is_zero, sum, value);
    }
    Some(value)
}

fn equals_zero(x: &mut Expander<'_>, value: Value) -> Value {
    let ty = x.ty(value);
    if ty.scalar == Scalar::F16 {
        // LLVM compares halves one by one.
        let (sign, _) = sign_and_infinity(ty);
        let bits = x.bits_of(value);
        let magnitude = x.bin_const(BinaryOp::And, bits, !sign);
        return x.icmp_const(IntCond::Eq, magnitude, 0);
    }
    let zero = x.float(ty, 0.0);
    x.fcmp(FloatCond::Oeq, value, zero)
}

/// The sum or difference: `positive`, which is never -0.0, where the other operand is a zero. The comparison is of an
/// operand, not of the sum: many sums have it in common.
fn positive_sum(
    x: &mut Expander<'_>,
    op: BinaryOp,
    [a, b]: [Value; 2],
    flags: FloatFlags,
    [positive, other]: [Value; 2],
) -> Value {
    let sum = x.fbin(op, a, b, flags);
    let is_zero = equals_zero(x, other);
    x.select(is_zero, positive, sum)
}

/// The sum or difference, where the driver may know an operand for a zero. Such a sum is -0.0 where
/// it should be 0.0, and never the other way round: -0.0 stays where both operands have that sign.
/// Compares bits: Mesa makes a sum of two magnitudes of two comparisons with zero, which costs more
/// than the sum, ten times as much for halves.
fn sum_of_zeros(
    x: &mut Expander<'_>,
    op: BinaryOp,
    [a, b]: [Value; 2],
    flags: FloatFlags,
) -> Value {
    let sum = x.fbin(op, a, b, flags);
    let ty = x.ty(sum);
    let [p, mut q, bits] = [a, b, sum].map(|value| x.bits_of(value));
    if op == BinaryOp::FSub {
        q = x.un(UnaryOp::Not, q);
    }
    let negative = x.icmp_const(IntCond::Eq, bits, sign_and_infinity(ty).0);
    let both = x.bin(BinaryOp::And, p, q);
    let zero = x.bin(BinaryOp::And, bits, both);
    let zero = x.convert(ConvertOp::Bitcast, zero, ty);
    x.select(negative, zero, sum)
}

/// A float without its sign.
fn magnitude(x: &mut Expander<'_>, value: Value) -> Value {
    let ty = x.ty(value);
    let (sign, _) = sign_and_infinity(ty);
    let bits = x.bits_of(value);
    let bits = x.bin_const(BinaryOp::And, bits, !sign);
    x.convert(ConvertOp::Bitcast, bits, ty)
}

/// The product of a zero and `other`: a zero with the sign of both, or NaN where `other` is
/// infinite or NaN.
fn zero_product(x: &mut Expander<'_>, zero: Value, other: Value) -> Value {
    let ty = x.ty(other);
    let (sign, infinity) = sign_and_infinity(ty);
    let (zero, bits) = (x.bits_of(zero), x.bits_of(other));
    let both = x.bin(BinaryOp::Xor, zero, bits);
    let signs = x.bin_const(BinaryOp::And, both, sign);
    let magnitude = x.bin_const(BinaryOp::And, bits, !sign);
    let infinite = x.icmp_const(IntCond::Uge, magnitude, infinity);
    let bits_ty = x.ty(bits);
    let nan = x.splat(bits_ty, infinity | infinity >> 1);
    let product = x.select(infinite, nan, signs);
    x.convert(ConvertOp::Bitcast, product, ty)
}

/// The bits of -0.0 and of infinity.
fn sign_and_infinity(ty: Type) -> (u64, u64) {
    match ty.scalar {
        Scalar::F16 => (1 << 15, 0x7c00),
        Scalar::F32 => (1 << 31, u64::from(f32::INFINITY.to_bits())),
        _ => (1 << 63, f64::INFINITY.to_bits()),
    }
}

/// A constant with a zero of either sign, or what the driver may know for one.
fn has_zero(x: &Expander<'_>, value: Value) -> bool {
    let (sign, _) = sign_and_infinity(x.ty(value));
    match x.func.const_lanes(value) {
        Some(lanes) => lanes.iter().any(|bits| bits & !sign == 0),
        None => is_zero(x, value),
    }
}

/// Returns whether the driver may know this for a zero, and it is never -0.0. A constant that has a
/// negative zero too is left alone: its lanes would need different rules.
fn is_zero(x: &Expander<'_>, value: Value) -> bool {
    matches!(zero(x.func, value, DEPTH), Some(true))
}

/// Returns whether a driver may know the value for a zero; `None` if it may be -0.0.
fn zero(func: &Function, value: Value, depth: u32) -> Option<bool> {
    if let Some(lanes) = func.const_lanes(value) {
        let (sign, _) = sign_and_infinity(func.ty(value));
        return (!lanes.contains(&sign)).then(|| lanes.contains(&0));
    }
    let depth = depth.checked_sub(1)?;
    let any = |values: &[Value]| {
        values.iter().try_fold(false, |known, &value| {
            Some(zero(func, value, depth)? || known)
        })
    };
    match &func.insts[func.def_inst(value)?].kind {
        InstKind::Convert { op, arg, .. } => match op {
            ConvertOp::SToF | ConvertOp::UToF => Some(may_be_known(func, *arg, depth)),
            ConvertOp::FToF => zero(func, *arg, depth),
            _ => None,
        },
        InstKind::Build { lanes } => any(lanes),
        InstKind::Splat { arg } => any(&[*arg]),
        InstKind::Extract { vector, .. } => any(&[*vector]),
        InstKind::Insert { vector, scalar, .. } => any(&[*vector, *scalar]),
        InstKind::Shuffle { args, .. } => any(args),
        _ => None,
    }
}
