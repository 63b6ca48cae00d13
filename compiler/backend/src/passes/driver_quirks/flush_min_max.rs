//! For drivers whose minimum of two negative denormals is the greater one, and whose maximum is the less
//! ([`QuirkKind::FlushMinMax`](pumice_target::QuirkKind::FlushMinMax)).
//!
//! They compare denormals as zeros, and choose between equal numbers by the integers that their bits are. A device
//! that flushes may give a zero or the right number, no other denormal: so denormal results become zeros of their
//! sign.

use crate::expand::{Expander, Replacement, expand};
use crate::pass::{Changed, FunctionCtx};
use pumice_ir::{
    BinaryOp, ConvertOp, Function, InstKind, IntCond, LowerError, MathOp, Scalar, Value,
};
use smallvec::smallvec;

/// The bits of the least normal number.
const LEAST_NORMAL: u64 = 0x0080_0000;
/// The sign bit.
const SIGN: u64 = 0x8000_0000;

/// Runs the pass.
///
/// # Errors
/// None of its own.
pub fn run(func: &mut Function, _: &FunctionCtx<'_>) -> Result<Changed, LowerError> {
    expand(func, |x, inst| {
        let kind = x.func.insts[inst].kind.clone();
        let InstKind::Math {
            op: MathOp::FMin | MathOp::FMax,
            args,
            ..
        } = &kind
        else {
            return Ok(None);
        };
        let ty = x.ty(args[0]);
        if ty.scalar != Scalar::F32 {
            return Ok(None);
        }
        let chosen = x.value(kind, ty);
        let value: Replacement = smallvec![flushed(x, chosen)];
        Ok(Some(value))
    })
}

fn flushed(x: &mut Expander<'_>, value: Value) -> Value {
    let ty = x.ty(value);
    let bits = x.bits_of(value);
    let size = x.bin_const(BinaryOp::And, bits, SIGN - 1);
    let sign = x.bin_const(BinaryOp::And, bits, SIGN);
    let denormal = x.icmp_const(IntCond::Ult, size, LEAST_NORMAL);
    let bits = x.select(denormal, sign, bits);
    x.convert(ConvertOp::Bitcast, bits, ty)
}
