//! For drivers whose conversions of floats to integers take many instructions
//! ([`QuirkKind::ConvertInDoubles`](pumice_target::QuirkKind::ConvertInDoubles)).
//!
//! A whole number below 2⁵¹ plus 1.5 · 2⁵² has that number in the low bits of its significand, a negative one as its two's
//! complement. So the sum's low word is the integer, signed or not. A float is a double exactly.

use crate::expand::{Conversion, Replacement, expand};
use crate::pass::{Changed, FunctionCtx};
use pumice_ir::{
    BinaryOp, ConvertOp, FloatFlags, Function, InstKind, LowerError, MathOp, Scalar, Value,
};
use smallvec::smallvec;

/// The sum's last bit has the weight 1, whatever the sign of what is added.
const OFFSET: f64 = 1.5 * (1_u64 << 52) as f64;

/// Runs the pass.
///
/// # Errors
/// None of its own.
pub fn run(func: &mut Function, ctx: &FunctionCtx<'_>) -> Result<Changed, LowerError> {
    if !ctx.target.has_doubles() {
        return Ok(Changed::No);
    }
    expand(func, |x, inst| {
        let Some(Conversion {
            op,
            arg,
            rounding,
            ty,
        }) = x.conversion(inst)
        else {
            return Ok(None);
        };
        let is_cut = matches!(op, ConvertOp::FToS | ConvertOp::FToU) && rounding.is_none();
        let has_bits = matches!(x.ty(arg).scalar, Scalar::F32 | Scalar::F64);
        if !is_cut || !has_bits || ty.scalar != Scalar::I32 {
            return Ok(None);
        }
        let whole = match is_whole(x.func, arg) {
            true => arg,
            false => x.math(MathOp::Trunc, &[arg]),
        };
        let doubles = ty.with_scalar(Scalar::F64);
        let whole = match x.ty(arg).scalar {
            Scalar::F64 => whole,
            _ => x.convert(ConvertOp::FToF, whole, doubles),
        };
        let offset = x.float(doubles, OFFSET);
        let sum = x.fbin(BinaryOp::FAdd, whole, offset, FloatFlags::empty());
        let bits = x.bits_of(sum);
        let value: Replacement = smallvec![x.convert(ConvertOp::Trunc, bits, ty)];
        Ok(Some(value))
    })
}

/// Returns whether a float is a whole number, infinite or NaN.
fn is_whole(func: &Function, value: Value) -> bool {
    let inst = func.def_inst(value);
    inst.is_some_and(|inst| match func.insts[inst].kind {
        InstKind::Math { op, .. } => matches!(
            op,
            MathOp::Trunc | MathOp::RoundEven | MathOp::Floor | MathOp::Ceil
        ),
        _ => false,
    })
}
