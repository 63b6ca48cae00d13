//! Integer operations that Vulkan lacks, or lacks for some widths and operands.
//!
//! - Division and remainder never see a zero divisor (undefined in SPIR-V, a trap on CPUs): it
//!   becomes 1. Signed quotients are those of the magnitudes, which have no overflow either.
//!   `SRem` is the remainder of the magnitudes with the dividend's sign, or the dividend minus quotient
//!   times divisor, since OpSRem is not to be trusted with negative operands.
//! - Where that is faster ([`QuirkKind::DivideInDoubles`]), integers of up to 32 bits are
//!   divided as doubles. A quotient n/d that is no integer is further from the next one than
//!   1/d, which is more than a double's rounding moves it, so that cutting off is exact.
//! - 64-bit integers are divided by [`super::divide_longs`], but for constant divisors, and for
//!   [`QuirkKind::DivideLongsByDriver`].
//! - High halves of products: Vulkan has them for 32 bits; narrower ones come from a product of
//!   twice the width, those of 64 bits from 32-bit halves.
//! - A signed comparison of a number that was extended from 32 to 64 bits with a constant is
//!   done in 32 bits: cheaper everywhere, and Mesa 22.3 (lavapipe) gets the wide form wrong:
//!   every negative number counts as greater than the constant.
//! - Bit counts and reversal exist for 32 bits only: narrow operands are widened (with a guard
//!   bit where zero must give the width), wide ones are taken in halves.

use super::divide_longs;
use crate::expand::{Expander, Replacement, expand};
use crate::pass::{Changed, FunctionCtx};
use pumice_ir::LowerError;
use pumice_ir::{
    BinaryOp, ConvertOp, FloatFlags, Function, InstKind, IntCond, MathOp, Scalar, Type, UnaryOp,
    Value,
};
use pumice_target::{QuirkKind, Target};

/// Runs the pass.
///
/// # Errors
/// A construct that the pass cannot lower.
pub fn run(func: &mut Function, ctx: &FunctionCtx<'_>) -> Result<Changed, LowerError> {
    expand(func, |x, inst| {
        let kind = x.func.insts[inst].kind.clone();
        let value = match kind {
            InstKind::Binary { op, args, .. } => binary(x, ctx.target, op, args),
            InstKind::Math { op, args, .. } => math(x, op, &args),
            InstKind::ICmp { cond, args } => narrow_comparison(x, cond, args),
            _ => None,
        };
        Ok(value.map(|v| Replacement::from_slice(&[v])))
    })
}

fn binary(
    x: &mut Expander<'_>,
    target: &Target,
    op: BinaryOp,
    [a, b]: [Value; 2],
) -> Option<Value> {
    Some(match op {
        BinaryOp::SDiv | BinaryOp::SRem => {
            let divisor = not_zero(x, b);
            let doubles = in_doubles(x, target, divisor);
            if op == BinaryOp::SRem && !doubles && x.ty(divisor).scalar == Scalar::I32 {
                return Some(remainder_of_magnitudes(x, a, divisor));
            }
            let quotient = if doubles {
                signed_quotient_of_doubles(x, a, divisor)
            } else {
                quotient_of_magnitudes(x, target, a, divisor)
            };
            if op == BinaryOp::SDiv {
                return Some(quotient);
            }
            let product = x.bin(BinaryOp::IMul, quotient, divisor);
            x.bin(BinaryOp::ISub, a, product)
        }
        BinaryOp::UDiv | BinaryOp::URem => {
            let divisor = not_zero(x, b);
            if in_doubles(x, target, divisor) {
                let quotient = quotient_of_doubles(x, [a, divisor], false);
                if op == BinaryOp::UDiv {
                    return Some(quotient);
                }
                let product = x.bin(BinaryOp::IMul, quotient, divisor);
                return Some(x.bin(BinaryOp::ISub, a, product));
            }
            if is_long(x, target, divisor) {
                let quotient = divide_longs::quotient(x, a, divisor);
                if op == BinaryOp::UDiv {
                    return Some(quotient);
                }
                let product = x.bin(BinaryOp::IMul, quotient, divisor);
                return Some(x.bin(BinaryOp::ISub, a, product));
            }
            if divisor == b {
                return None;
            }
            x.bin(op, a, divisor)
        }
        BinaryOp::SMin | BinaryOp::SMax => {
            let cond = match op {
                BinaryOp::SMin => IntCond::Slt,
                _ => IntCond::Sgt,
            };
            let first = narrow_comparison(x, cond, [a, b])?;
            x.select(first, a, b)
        }
        BinaryOp::SMulHi | BinaryOp::UMulHi if x.ty(a).scalar != Scalar::I32 => {
            mul_hi(x, a, b, op == BinaryOp::SMulHi)
        }
        _ => return None,
    })
}

/// `icmp (sext a), constant` on the narrow operand, if that is what the comparison is.
fn narrow_comparison(x: &mut Expander<'_>, cond: IntCond, args: [Value; 2]) -> Option<Value> {
    let (swapped, wide, constant) = match args.map(|a| x.func.const_lanes(a).is_some()) {
        [false, true] => (false, args[0], args[1]),
        [true, false] => (true, args[1], args[0]),
        _ => return None,
    };
    let signed = matches!(
        cond,
        IntCond::Slt | IntCond::Sle | IntCond::Sgt | IntCond::Sge
    );
    let def = x.func.def_inst(wide)?;
    let InstKind::Convert {
        op: ConvertOp::SExt,
        arg,
        ..
    } = x.func.insts[def].kind
    else {
        return None;
    };
    if !signed || x.ty(wide).scalar != Scalar::I64 || x.ty(arg).scalar != Scalar::I32 {
        return None;
    }
    // With a constant beyond 32 bits the comparison has one answer for all operands.
    let lanes = x.func.const_lanes(constant)?.to_vec();
    let fits = |n: u64| i32::try_from(n as i64).is_ok();
    if !lanes.iter().all(|&n| fits(n)) {
        let [n] = lanes[..] else { return None };
        let above = (n as i64) > 0;
        let less = matches!(cond, IntCond::Slt | IntCond::Sle) != swapped;
        let ty = x.ty(arg).as_bool();
        return Some(x.splat(ty, u64::from(above == less)));
    }
    let lanes: Vec<u64> = lanes.iter().map(|&n| n & 0xFFFF_FFFF).collect();
    let ty = x.ty(arg);
    let narrow = x.func.constant(ty, &lanes);
    Some(if swapped {
        x.icmp(cond, narrow, arg)
    } else {
        x.icmp(cond, arg, narrow)
    })
}

/// The divisor, or 1 for 0. A constant that holds no 0 stays.
fn not_zero(x: &mut Expander<'_>, b: Value) -> Value {
    let lanes = x.func.const_lanes(b);
    if lanes.is_some_and(|lanes| lanes.iter().all(|&n| n != 0)) {
        return b;
    }
    let ty = x.ty(b);
    let is_zero = x.icmp_const(IntCond::Eq, b, 0);
    let one = x.splat(ty, 1);
    x.select(is_zero, one, b)
}

/// Returns whether to divide by this in doubles. Drivers turn a division by a constant into a product.
fn in_doubles(x: &Expander<'_>, target: &Target, divisor: Value) -> bool {
    target.quirks.has(QuirkKind::DivideInDoubles)
        && target.has_doubles()
        && target.arithmetic.exact_div_f64
        && x.ty(divisor).scalar.bits() <= 32
        && x.func.const_lanes(divisor).is_none()
}

/// Returns whether the driver's own division would be slow.
fn is_long(x: &Expander<'_>, target: &Target, divisor: Value) -> bool {
    x.ty(divisor).scalar == Scalar::I64
        && target.int64
        && !target.quirks.has(QuirkKind::DivideLongsByDriver)
        && x.func.const_lanes(divisor).is_none()
}

/// The quotient, which must fit; the divisor is not 0.
fn quotient_of_doubles(x: &mut Expander<'_>, args: [Value; 2], signed: bool) -> Value {
    let ty = x.ty(args[0]);
    let words = ty.with_scalar(Scalar::I32);
    let doubles = ty.with_scalar(Scalar::F64);
    let (extend, from_int, to_int) = if signed {
        (ConvertOp::SExt, ConvertOp::SToF, ConvertOp::FToS)
    } else {
        (ConvertOp::ZExt, ConvertOp::UToF, ConvertOp::FToU)
    };
    let [a, b] = args.map(|arg| {
        let word = if ty == words {
            arg
        } else {
            x.convert(extend, arg, words)
        };
        x.convert(from_int, word, doubles)
    });
    let quotient = x.fbin(BinaryOp::FDiv, a, b, FloatFlags::MAY_FLUSH);
    let quotient = x.convert(to_int, quotient, words);
    if ty == words {
        quotient
    } else {
        x.convert(ConvertOp::Trunc, quotient, ty)
    }
}

/// MIN / -1 does not fit: by -1 the dividend is negated.
fn signed_quotient_of_doubles(x: &mut Expander<'_>, a: Value, divisor: Value) -> Value {
    let ty = x.ty(divisor);
    let ones = u64::MAX >> (64 - ty.scalar.bits());
    let is_minus = x.icmp_const(IntCond::Eq, divisor, ones);
    let one = x.splat(ty, 1);
    let safe = x.select(is_minus, one, divisor);
    let quotient = quotient_of_doubles(x, [a, safe], true);
    let negated = x.un(UnaryOp::INeg, a);
    x.select(is_minus, negated, quotient)
}

/// `a`, or `-a` where `sign` is negative. 64-bit numbers get no comparison: Mesa 22.3
/// may do it in fewer bits and get it wrong.
fn negated_by(x: &mut Expander<'_>, a: Value, sign: Value) -> Value {
    if x.ty(a).scalar == Scalar::I64 {
        let mask = x.bin_const(BinaryOp::AShr, sign, 63);
        let turned = x.bin(BinaryOp::Xor, a, mask);
        return x.bin(BinaryOp::ISub, turned, mask);
    }
    let negated = x.un(UnaryOp::INeg, a);
    let negative = x.icmp_const(IntCond::Slt, sign, 0);
    x.select(negative, negated, a)
}

/// Unsigned division of the magnitudes, then the sign: no device gets that wrong. MIN is its own
/// magnitude, read as unsigned, and MIN / -1 comes out as MIN.
fn quotient_of_magnitudes(
    x: &mut Expander<'_>,
    target: &Target,
    a: Value,
    divisor: Value,
) -> Value {
    let (p, q) = (negated_by(x, a, a), negated_by(x, divisor, divisor));
    let quotient = match is_long(x, target, divisor) {
        true => divide_longs::quotient(x, p, q),
        false => x.bin(BinaryOp::UDiv, p, q),
    };
    let signs = x.bin(BinaryOp::Xor, a, divisor);
    negated_by(x, quotient, signs)
}

/// Unsigned remainder of the magnitudes, which has the dividend's sign: that takes neither a quotient nor
/// its product. Drivers turn a constant divisor into products all the same.
fn remainder_of_magnitudes(x: &mut Expander<'_>, a: Value, divisor: Value) -> Value {
    let [p, q] = [a, divisor].map(|value| {
        let negated = x.un(UnaryOp::INeg, value);
        x.bin(BinaryOp::SMax, value, negated)
    });
    let rest = x.bin(BinaryOp::URem, p, q);
    negated_by(x, rest, a)
}

/// The high half of a product.
pub(super) fn mul_hi(x: &mut Expander<'_>, a: Value, b: Value, signed: bool) -> Value {
    let ty = x.ty(a);
    let bits = ty.scalar.bits();
    if let Some(wide) = Scalar::int_of_bits(bits * 2) {
        let wide = ty.with_scalar(wide);
        let extend = if signed {
            ConvertOp::SExt
        } else {
            ConvertOp::ZExt
        };
        let (p, q) = (x.convert(extend, a, wide), x.convert(extend, b, wide));
        let product = x.bin(BinaryOp::IMul, p, q);
        let high = x.bin_const(BinaryOp::LShr, product, u64::from(bits));
        return x.convert(ConvertOp::Trunc, high, ty);
    }
    // a = ah * 2^32 + al; the middle sum cannot overflow: (2^32-1)^2 + 2 * (2^32-1) < 2^64.
    // Words that are extended tell drivers that two of them make a product.
    let low = 0xFFFF_FFFF;
    let words = ty.with_scalar(Scalar::I32);
    let (ah, bh) = (
        x.bin_const(BinaryOp::LShr, a, 32),
        x.bin_const(BinaryOp::LShr, b, 32),
    );
    let [al, bl, ah, bh] = [a, b, ah, bh].map(|part| {
        let word = x.convert(ConvertOp::Trunc, part, words);
        x.convert(ConvertOp::ZExt, word, ty)
    });
    let ll = x.bin(BinaryOp::IMul, al, bl);
    let lh = x.bin(BinaryOp::IMul, al, bh);
    let hl = x.bin(BinaryOp::IMul, ah, bl);
    let hh = x.bin(BinaryOp::IMul, ah, bh);
    let carry = x.bin_const(BinaryOp::LShr, ll, 32);
    let middle = x.bin(BinaryOp::IAdd, hl, carry);
    let middle_low = x.bin_const(BinaryOp::And, middle, low);
    let middle_high = x.bin_const(BinaryOp::LShr, middle, 32);
    let second = x.bin(BinaryOp::IAdd, lh, middle_low);
    let second = x.bin_const(BinaryOp::LShr, second, 32);
    let high = x.bin(BinaryOp::IAdd, hh, middle_high);
    let high = x.bin(BinaryOp::IAdd, high, second);
    if !signed {
        return high;
    }
    // Signed: take b away for a negative a, and a away for a negative b.
    let a_sign = x.bin_const(BinaryOp::AShr, a, 63);
    let b_sign = x.bin_const(BinaryOp::AShr, b, 63);
    let minus_b = x.bin(BinaryOp::And, a_sign, b);
    let minus_a = x.bin(BinaryOp::And, b_sign, a);
    let high = x.bin(BinaryOp::ISub, high, minus_b);
    x.bin(BinaryOp::ISub, high, minus_a)
}

fn math(x: &mut Expander<'_>, op: MathOp, args: &[Value]) -> Option<Value> {
    if !matches!(
        op,
        MathOp::PopCount | MathOp::Clz | MathOp::Ctz | MathOp::BitReverse
    ) {
        return None;
    }
    let ty = x.ty(args[0]);
    let bits = ty.scalar.bits();
    match bits {
        32 => None,
        64 => Some(wide_bits(x, op, args[0], ty)),
        _ => Some(narrow_bits(x, op, args[0], ty, u64::from(bits))),
    }
}

fn narrow_bits(x: &mut Expander<'_>, op: MathOp, a: Value, ty: Type, bits: u64) -> Value {
    let words = ty.with_scalar(Scalar::I32);
    let wide = x.convert(ConvertOp::ZExt, a, words);
    let result = match op {
        MathOp::Clz => {
            let all = x.math(op, &[wide]);
            let extra = x.splat(words, 32 - bits);
            x.bin(BinaryOp::ISub, all, extra)
        }
        MathOp::Ctz => {
            let guarded = x.bin_const(BinaryOp::Or, wide, 1 << bits);
            x.math(op, &[guarded])
        }
        MathOp::BitReverse => {
            let reversed = x.math(op, &[wide]);
            x.bin_const(BinaryOp::LShr, reversed, 32 - bits)
        }
        _ => x.math(op, &[wide]),
    };
    x.convert(ConvertOp::Trunc, result, ty)
}

fn wide_bits(x: &mut Expander<'_>, op: MathOp, a: Value, ty: Type) -> Value {
    let words = ty.with_scalar(Scalar::I32);
    let low = x.convert(ConvertOp::Trunc, a, words);
    let high = x.bin_const(BinaryOp::LShr, a, 32);
    let high = x.convert(ConvertOp::Trunc, high, words);
    let (of_low, of_high) = (x.math(op, &[low]), x.math(op, &[high]));
    let result = match op {
        MathOp::PopCount => x.bin(BinaryOp::IAdd, of_low, of_high),
        MathOp::Clz | MathOp::Ctz => {
            let (first, near, far) = match op {
                MathOp::Clz => (high, of_high, of_low),
                _ => (low, of_low, of_high),
            };
            let beyond = x.bin_const(BinaryOp::IAdd, far, 32);
            let empty = x.icmp_const(IntCond::Eq, first, 0);
            x.select(empty, beyond, near)
        }
        _ => {
            let top = x.convert(ConvertOp::ZExt, of_low, ty);
            let top = x.bin_const(BinaryOp::Shl, top, 32);
            let bottom = x.convert(ConvertOp::ZExt, of_high, ty);
            return x.bin(BinaryOp::Or, top, bottom);
        }
    };
    x.convert(ConvertOp::ZExt, result, ty)
}
