//! Arithmetic on numbers of two words, lane by lane.

use crate::expand::Expander;
use pumice_ir::{BinaryOp, ConvertOp, IntCond, MathOp, Scalar, Type, UnaryOp, Value};

/// The low and the high word of a number, or of each lane of a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Words {
    pub low: Value,
    pub high: Value,
}

impl Words {
    /// The same two-word number in each lane of a type of words.
    pub fn splat(x: &mut Expander<'_>, ty: Type, number: u64) -> Self {
        Self {
            low: x.splat(ty, number),
            high: x.splat(ty, number >> 32),
        }
    }

    /// Does the same to both words.
    pub fn map(self, mut f: impl FnMut(Value) -> Value) -> Self {
        Self {
            low: f(self.low),
            high: f(self.high),
        }
    }
}

/// The words of a number that begins as one.
pub(super) fn extended(x: &mut Expander<'_>, low: Value, signed: bool) -> Words {
    let high = match signed {
        true => x.bin_const(BinaryOp::AShr, low, 31),
        false => {
            let ty = x.ty(low);
            x.splat(ty, 0)
        }
    };
    Words { low, high }
}

/// A Bool as 0 or 1.
pub(super) fn as_word(x: &mut Expander<'_>, flag: Value) -> Value {
    let ty = x.ty(flag).with_scalar(Scalar::I32);
    x.convert(ConvertOp::ZExt, flag, ty)
}

/// The sum.
pub(super) fn add(x: &mut Expander<'_>, a: Words, b: Words) -> Words {
    let low = x.bin(BinaryOp::IAdd, a.low, b.low);
    let carry = x.icmp(IntCond::Ult, low, a.low);
    let carry = as_word(x, carry);
    let high = x.bin(BinaryOp::IAdd, a.high, b.high);
    let high = x.bin(BinaryOp::IAdd, high, carry);
    Words { low, high }
}

/// The difference.
pub(super) fn sub(x: &mut Expander<'_>, a: Words, b: Words) -> Words {
    let low = x.bin(BinaryOp::ISub, a.low, b.low);
    let borrow = x.icmp(IntCond::Ult, a.low, b.low);
    let borrow = as_word(x, borrow);
    let high = x.bin(BinaryOp::ISub, a.high, b.high);
    let high = x.bin(BinaryOp::ISub, high, borrow);
    Words { low, high }
}

/// The product's lower half.
pub(super) fn mul(x: &mut Expander<'_>, a: Words, b: Words) -> Words {
    let low = x.bin(BinaryOp::IMul, a.low, b.low);
    let high = x.bin(BinaryOp::UMulHi, a.low, b.low);
    let left = x.bin(BinaryOp::IMul, a.low, b.high);
    let right = x.bin(BinaryOp::IMul, a.high, b.low);
    let high = x.bin(BinaryOp::IAdd, high, left);
    let high = x.bin(BinaryOp::IAdd, high, right);
    Words { low, high }
}

/// Two's-complement negation.
pub(super) fn neg(x: &mut Expander<'_>, a: Words) -> Words {
    let ty = x.ty(a.low);
    let zero = Words::splat(x, ty, 0);
    sub(x, zero, a)
}

/// The number, or its negation where `minus` is all ones instead of zero.
pub(super) fn negated_by(x: &mut Expander<'_>, a: Words, minus: Value) -> Words {
    let turned = a.map(|word| x.bin(BinaryOp::Xor, word, minus));
    let minus = Words {
        low: minus,
        high: minus,
    };
    sub(x, turned, minus)
}

/// `cond ? then : other`.
pub(super) fn select(x: &mut Expander<'_>, cond: Value, then: Words, other: Words) -> Words {
    Words {
        low: x.select(cond, then.low, other.low),
        high: x.select(cond, then.high, other.high),
    }
}

/// A comparison of unsigned or signed numbers.
pub(super) fn icmp(x: &mut Expander<'_>, cond: IntCond, a: Words, b: Words) -> Value {
    let same = x.icmp(IntCond::Eq, a.high, b.high);
    let (strict, low) = match cond {
        IntCond::Eq => {
            let low = x.icmp(IntCond::Eq, a.low, b.low);
            return x.bin(BinaryOp::And, same, low);
        }
        IntCond::Ne => {
            let equal = icmp(x, IntCond::Eq, a, b);
            return x.un(UnaryOp::Not, equal);
        }
        IntCond::Slt => (IntCond::Slt, IntCond::Ult),
        IntCond::Sle => (IntCond::Slt, IntCond::Ule),
        IntCond::Sgt => (IntCond::Sgt, IntCond::Ugt),
        IntCond::Sge => (IntCond::Sgt, IntCond::Uge),
        IntCond::Ult => (IntCond::Ult, IntCond::Ult),
        IntCond::Ule => (IntCond::Ult, IntCond::Ule),
        IntCond::Ugt => (IntCond::Ugt, IntCond::Ugt),
        IntCond::Uge => (IntCond::Ugt, IntCond::Uge),
    };
    let high = x.icmp(strict, a.high, b.high);
    let low = x.icmp(low, a.low, b.low);
    let low = x.bin(BinaryOp::And, same, low);
    x.bin(BinaryOp::Or, high, low)
}

/// A shift by `count` modulo 64, of which all lanes hold a number.
pub(super) fn shift(x: &mut Expander<'_>, op: BinaryOp, a: Words, count: Value) -> Words {
    let known = x.func.const_lanes(count);
    if let Some(n) = known.and_then(same_in_all) {
        return shift_by(x, op, a, n % 64);
    }
    // What crosses from word to word is shifted in two steps, since a count of 32 would be 0.
    let rest = x.bin_const(BinaryOp::Xor, count, 31);
    let far = x.bin_const(BinaryOp::And, count, 32);
    let far = x.icmp_const(IntCond::Ne, far, 0);
    if op == BinaryOp::Shl {
        let crossing = x.bin_const(BinaryOp::LShr, a.low, 1);
        let crossing = x.bin(BinaryOp::LShr, crossing, rest);
        let low = x.bin(BinaryOp::Shl, a.low, count);
        let high = x.bin(BinaryOp::Shl, a.high, count);
        let high = x.bin(BinaryOp::Or, high, crossing);
        let ty = x.ty(low);
        let zero = x.splat(ty, 0);
        return Words {
            low: x.select(far, zero, low),
            high: x.select(far, low, high),
        };
    }
    let crossing = x.bin_const(BinaryOp::Shl, a.high, 1);
    let crossing = x.bin(BinaryOp::Shl, crossing, rest);
    let low = x.bin(BinaryOp::LShr, a.low, count);
    let low = x.bin(BinaryOp::Or, low, crossing);
    let high = x.bin(op, a.high, count);
    let filled = fill(x, op, a.high);
    Words {
        low: x.select(far, high, low),
        high: x.select(far, filled, high),
    }
}

fn same_in_all(lanes: &[u64]) -> Option<u64> {
    let first = *lanes.first()?;
    lanes.iter().all(|&lane| lane == first).then_some(first)
}

/// The word that comes in from above when a number is shifted right.
fn fill(x: &mut Expander<'_>, op: BinaryOp, high: Value) -> Value {
    match op {
        BinaryOp::AShr => x.bin_const(BinaryOp::AShr, high, 31),
        _ => {
            let ty = x.ty(high);
            x.splat(ty, 0)
        }
    }
}

fn shift_by(x: &mut Expander<'_>, op: BinaryOp, a: Words, n: u64) -> Words {
    let ty = x.ty(a.low);
    match (op, n) {
        (_, 0) => a,
        (BinaryOp::Shl, 32..) => Words {
            low: x.splat(ty, 0),
            high: match n {
                32 => a.low,
                _ => x.bin_const(BinaryOp::Shl, a.low, n - 32),
            },
        },
        (BinaryOp::Shl, _) => {
            let crossing = x.bin_const(BinaryOp::LShr, a.low, 32 - n);
            let high = x.bin_const(BinaryOp::Shl, a.high, n);
            Words {
                low: x.bin_const(BinaryOp::Shl, a.low, n),
                high: x.bin(BinaryOp::Or, high, crossing),
            }
        }
        (_, 32..) => Words {
            low: match n {
                32 => a.high,
                _ => x.bin_const(op, a.high, n - 32),
            },
            high: fill(x, op, a.high),
        },
        _ => {
            let crossing = x.bin_const(BinaryOp::Shl, a.high, 32 - n);
            let low = x.bin_const(BinaryOp::LShr, a.low, n);
            Words {
                low: x.bin(BinaryOp::Or, low, crossing),
                high: x.bin_const(op, a.high, n),
            }
        }
    }
}

/// The number of zero bits above the highest set one: one word. 64 for 0.
pub(super) fn leading_zeros(x: &mut Expander<'_>, a: Words) -> Value {
    let of_low = x.math(MathOp::Clz, &[a.low]);
    let of_high = x.math(MathOp::Clz, &[a.high]);
    let beyond = x.bin_const(BinaryOp::IAdd, of_low, 32);
    let empty = x.icmp_const(IntCond::Eq, a.high, 0);
    x.select(empty, beyond, of_high)
}

/// The smaller or larger of two numbers.
pub(super) fn extremum(x: &mut Expander<'_>, op: BinaryOp, a: Words, b: Words) -> Words {
    let cond = match op {
        BinaryOp::SMin => IntCond::Slt,
        BinaryOp::SMax => IntCond::Sgt,
        BinaryOp::UMin => IntCond::Ult,
        _ => IntCond::Ugt,
    };
    let first = icmp(x, cond, a, b);
    select(x, first, a, b)
}
