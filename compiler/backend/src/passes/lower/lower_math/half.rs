//! binary16 through binary32: operands are widened, and a result is rounded once.

use crate::expand::Expander;
use pumice_ir::{ConvertOp, Scalar, Type, Value};
use smallvec::SmallVec;

/// Gives binary16 operands as binary32, other operands as they are, and the wide result type.
pub(super) fn widen(
    x: &mut Expander<'_>,
    args: &[Value],
    ty: Type,
) -> (SmallVec<[Value; 3]>, Type) {
    let args = args
        .iter()
        .map(|&arg| {
            let from = x.ty(arg);
            if from.scalar == Scalar::F16 {
                x.convert(ConvertOp::FToF, arg, from.with_scalar(Scalar::F32))
            } else {
                arg
            }
        })
        .collect();
    let wide = if ty.scalar == Scalar::F16 {
        ty.with_scalar(Scalar::F32)
    } else {
        ty
    };
    (args, wide)
}

/// Converts a wide result back.
pub(super) fn narrow(x: &mut Expander<'_>, value: Value, ty: Type) -> Value {
    if x.ty(value) == ty {
        return value;
    }
    x.convert(ConvertOp::FToF, value, ty)
}
