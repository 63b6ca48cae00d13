//! For drivers that round no double beyond 2²⁴ to a whole number, and lose the sign of zeros
//! ([`QuirkKind::RoundDoubles`](pumice_target::QuirkKind::RoundDoubles)).
//!
//! A magnitude below 2⁵² plus 2⁵² is rounded to a whole number, ties to even, since the sum's last bit has the weight 1.
//! `trunc` takes one off where that number is beyond the magnitude. The sign is the argument's.

use crate::expand::{Expander, Replacement, expand};
use crate::pass::{Changed, FunctionCtx};
use pumice_ir::{
    BinaryOp, ConvertOp, FloatCond, FloatFlags, Function, InstKind, LowerError, MathOp, Scalar,
    Value,
};
use smallvec::smallvec;

/// Magnitudes from here on are whole numbers.
const WHOLE: f64 = (1_u64 << 52) as f64;
/// The sign bit.
const SIGN: u64 = 1 << 63;

/// Runs the pass.
///
/// # Errors
/// None of its own.
pub fn run(func: &mut Function, _: &FunctionCtx<'_>) -> Result<Changed, LowerError> {
    expand(func, |x, inst| {
        let InstKind::Math { op, ref args, .. } = x.func.insts[inst].kind else {
            return Ok(None);
        };
        let arg = args[0];
        let rounds = matches!(op, MathOp::Trunc | MathOp::RoundEven);
        if !rounds || x.ty(arg).scalar != Scalar::F64 {
            return Ok(None);
        }
        let value: Replacement = smallvec![rounded(x, op, arg)];
        Ok(Some(value))
    })
}

fn rounded(x: &mut Expander<'_>, op: MathOp, arg: Value) -> Value {
    let ty = x.ty(arg);
    let exact = FloatFlags::empty();
    let bits = x.bits_of(arg);
    let magnitude = x.bin_const(BinaryOp::And, bits, SIGN - 1);
    let magnitude = x.convert(ConvertOp::Bitcast, magnitude, ty);
    let large = x.float(ty, WHOLE);
    let sum = x.fbin(BinaryOp::FAdd, magnitude, large, exact);
    let even = x.fbin(BinaryOp::FSub, sum, large, exact);
    let whole = match op {
        MathOp::Trunc => {
            let one = x.float(ty, 1.0);
            let beyond = x.fcmp(FloatCond::Ogt, even, magnitude);
            let below = x.fbin(BinaryOp::FSub, even, one, exact);
            x.select(beyond, below, even)
        }
        _ => even,
    };
    // Infinities and NaNs stay as they are.
    let is_small = x.fcmp(FloatCond::Olt, magnitude, large);
    let whole = x.select(is_small, whole, magnitude);
    let whole = x.bits_of(whole);
    let sign = x.bin_const(BinaryOp::And, bits, SIGN);
    let signed = x.bin(BinaryOp::Or, whole, sign);
    x.convert(ConvertOp::Bitcast, signed, ty)
}
