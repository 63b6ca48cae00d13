//! For drivers that take `x + 0.0` for `x` (`guard_zero_sums` of [`crate::Target`]), which is
//! wrong for -0.0: sums with a constant zero, and differences from one, get the constant's own
//! value by a selection where the other operand is a zero.

use super::expand::{Expander, Replacement, expand};
use super::{Changed, FunctionCtx, LowerError};
use crate::ir::{BinaryOp, FloatCond, Function, InstKind, Scalar, Value};

/// Runs the pass.
pub fn run(func: &mut Function, ctx: &FunctionCtx<'_>) -> Result<Changed, LowerError> {
    if !ctx.target.guard_zero_sums {
        return Ok(Changed::No);
    }
    expand(func, |x, inst| {
        let InstKind::Binary { op, args, flags } = x.func.insts[inst].kind else {
            return Ok(None);
        };
        let [a, b] = args;
        let (constant, other) = match op {
            BinaryOp::FAdd if has_zero(x, b) => (b, a),
            BinaryOp::FAdd | BinaryOp::FSub if has_zero(x, a) => (a, b),
            _ => return Ok(None),
        };
        let sum = x.fbin(op, a, b, flags);
        let ty = x.ty(other);
        let zero = x.float(ty, 0.0);
        let is_zero = x.fcmp(FloatCond::Oeq, other, zero);
        let value = x.select(is_zero, constant, sum);
        Ok(Some(Replacement::from_slice(&[value])))
    })
}

/// A constant with a positive zero. One with a negative zero too is left alone: its lanes would
/// need different rules.
fn has_zero(x: &Expander<'_>, value: Value) -> bool {
    let negative = match x.ty(value).scalar {
        Scalar::F16 => 1 << 15,
        Scalar::F32 => 1 << 31,
        Scalar::F64 => 1 << 63,
        _ => return false,
    };
    x.func
        .const_lanes(value)
        .is_some_and(|lanes| lanes.contains(&0) && !lanes.contains(&negative))
}
