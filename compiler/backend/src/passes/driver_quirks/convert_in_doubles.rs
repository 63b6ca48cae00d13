//! For drivers whose conversions of floats to integers take many instructions
//! ([`QuirkKind::ConvertInDoubles`](pumice_target::QuirkKind::ConvertInDoubles)).
//!
//! A whole number below 2⁵¹ plus 1.5 · 2⁵² has that number in the low bits of its significand, a negative one as its two's
//! complement. So the sum's low word is the integer, signed or not. A float is a double exactly.
//!
//! An integer of 64 bits is made of two such sums: `h` is the whole number next to `x · 2⁻³²`, and `x - h · 2³²` has 32 bits with its sign.
//! All of these products and differences are exact.

use crate::expand::{Conversion, Expander, Replacement, expand};
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
        if !is_cut || !has_bits || !matches!(ty.scalar, Scalar::I32 | Scalar::I64) {
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
        let value: Replacement = smallvec![match ty.scalar {
            Scalar::I64 => long_of(x, whole),
            _ => {
                let sum = with_offset(x, BinaryOp::FAdd, whole);
                let bits = x.bits_of(sum);
                x.convert(ConvertOp::Trunc, bits, ty)
            }
        }];
        Ok(Some(value))
    })
}

/// The integer of 64 bits that a whole double is.
fn long_of(x: &mut Expander<'_>, whole: Value) -> Value {
    let scaled = times(x, whole, -32);
    let high = with_offset(x, BinaryOp::FAdd, scaled);
    let nearest = with_offset(x, BinaryOp::FSub, high);
    let nearest = times(x, nearest, 32);
    let rest = x.fbin(BinaryOp::FSub, whole, nearest, FloatFlags::empty());
    let low = with_offset(x, BinaryOp::FAdd, rest);
    let [high, low] = [high, low].map(|sum| x.bits_of(sum));
    let high = x.bin_const(BinaryOp::Shl, high, 32);
    let low = x.bin_const(BinaryOp::ISub, low, OFFSET.to_bits());
    x.bin(BinaryOp::IAdd, high, low)
}

/// A double's sum with the offset, or the difference.
fn with_offset(x: &mut Expander<'_>, op: BinaryOp, value: Value) -> Value {
    let ty = x.ty(value);
    let offset = x.float(ty, OFFSET);
    x.fbin(op, value, offset, FloatFlags::empty())
}

/// A double times a power of 2.
fn times(x: &mut Expander<'_>, value: Value, exponent: i32) -> Value {
    let ty = x.ty(value);
    let factor = x.float(ty, 2.0_f64.powi(exponent));
    x.fbin(BinaryOp::FMul, value, factor, FloatFlags::empty())
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
