//! For drivers whose minimum of two negative denormals is the greater one, and whose maximum is the less
//! ([`QuirkKind::FlushMinMax`](pumice_target::QuirkKind::FlushMinMax)).
//!
//! They compare denormals as zeros, and choose between equal numbers by the integers that their bits are. A device
//! that flushes may give a zero or the right number, no other denormal: so denormal results become zeros of their
//! sign.

use crate::expand::{Replacement, expand};
use crate::pass::{Changed, FunctionCtx};
use pumice_ir::{Function, InstKind, LowerError, MathOp, Scalar};
use smallvec::smallvec;

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
        let value: Replacement = smallvec![x.flush_denormal(chosen)];
        Ok(Some(value))
    })
}
