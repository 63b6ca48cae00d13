//! The bits of doubles as integers: order, NaN, magnitude. A double may be given as its bits, an I64.

use crate::expand::Expander;
use pumice_ir::{BinaryOp, FloatCond, IntCond, UnaryOp, Value};

/// All bits but the sign.
pub(super) const MAGNITUDE: u64 = u64::MAX >> 1;
/// The sign bit.
pub(super) const SIGN: u64 = !MAGNITUDE;
/// The bits of infinity.
pub(super) const INFINITY: u64 = 0x7ff << 52;

/// A comparison of doubles as one of integers in their order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Order {
    pub cond: IntCond,
    /// False for a NaN, else true.
    pub ordered: bool,
}

impl Order {
    /// `None` for the tests for NaN, which order nothing.
    pub fn of(cond: FloatCond) -> Option<Self> {
        let (cond, ordered) = match cond {
            FloatCond::Oeq => (IntCond::Eq, true),
            FloatCond::One => (IntCond::Ne, true),
            FloatCond::Olt => (IntCond::Slt, true),
            FloatCond::Ole => (IntCond::Sle, true),
            FloatCond::Ogt => (IntCond::Sgt, true),
            FloatCond::Oge => (IntCond::Sge, true),
            FloatCond::Ueq => (IntCond::Eq, false),
            FloatCond::Une => (IntCond::Ne, false),
            FloatCond::Ult => (IntCond::Slt, false),
            FloatCond::Ule => (IntCond::Sle, false),
            FloatCond::Ugt => (IntCond::Sgt, false),
            FloatCond::Uge => (IntCond::Sge, false),
            FloatCond::Ord | FloatCond::Uno => return None,
        };
        Some(Self { cond, ordered })
    }
}

/// The bits without the sign.
pub(super) fn magnitude(x: &mut Expander<'_>, value: Value) -> Value {
    let bits = x.bits_of(value);
    x.bin_const(BinaryOp::And, bits, MAGNITUDE)
}

/// An integer that orders doubles as they are: both zeros are 0.
fn key(x: &mut Expander<'_>, value: Value) -> Value {
    let (bits, size) = (x.bits_of(value), magnitude(x, value));
    let negative = x.icmp_const(IntCond::Slt, bits, 0);
    let ty = x.ty(size);
    let none = x.splat(ty, 0);
    let minus = x.bin(BinaryOp::ISub, none, size);
    x.select(negative, minus, size)
}

/// Returns whether a double is a NaN, as Bool.
pub(super) fn is_nan(x: &mut Expander<'_>, value: Value) -> Value {
    let size = magnitude(x, value);
    x.icmp_const(IntCond::Sgt, size, INFINITY)
}

/// The minimum (`Slt`) or maximum (`Sgt`); a NaN loses.
pub(super) fn choose(x: &mut Expander<'_>, [a, b]: [Value; 2], cond: IntCond) -> Value {
    let (key_a, key_b) = (key(x, a), key(x, b));
    let first = x.icmp(cond, key_a, key_b);
    let (nan_a, nan_b) = (is_nan(x, a), is_nan(x, b));
    let chosen = x.select(first, a, b);
    let chosen = x.select(nan_a, b, chosen);
    x.select(nan_b, a, chosen)
}

/// Compares two doubles by integers.
pub(super) fn compare(x: &mut Expander<'_>, order: Order, [a, b]: [Value; 2]) -> Value {
    let (key_a, key_b) = (key(x, a), key(x, b));
    let holds = x.icmp(order.cond, key_a, key_b);
    let unordered = either_nan(x, [a, b]);
    if !order.ordered {
        return x.bin(BinaryOp::Or, holds, unordered);
    }
    let ordered = x.un(UnaryOp::Not, unordered);
    x.bin(BinaryOp::And, holds, ordered)
}

/// Returns whether one of two doubles is a NaN, as Bool.
pub(super) fn either_nan(x: &mut Expander<'_>, args: [Value; 2]) -> Value {
    let [a, b] = args.map(|arg| is_nan(x, arg));
    x.bin(BinaryOp::Or, a, b)
}
