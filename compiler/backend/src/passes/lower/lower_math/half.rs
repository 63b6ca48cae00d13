//! binary16 through binary32: operands are widened, and a result is rounded once.

use super::{Expansion, float};
use crate::expand::Expander;
use pumice_ir::{ConvertOp, Scalar, Type, Value};
use pumice_target::Target;
use rspirv::spirv::OpenclStd100Op as Ocl;
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

/// The form of a function by the device's own exp2 and log2 in binary32. Errors that relaxed arithmetic allows them are
/// small beside those of a binary16 result: an exponential's by less than a hundredth of its last place. A logarithm errs by
/// 2^-21 near 1, which is one of the last place where it is least (of 1 - 2^-11), and OpenCL allows 2.
pub(super) fn by_device(op: Ocl, target: &Target) -> Option<Expansion> {
    Some(match op {
        Ocl::exp if target.arithmetic.relaxed_exp2_f32 => float::native_exp,
        Ocl::exp2 if target.arithmetic.relaxed_exp2_f32 => float::native_exp2,
        Ocl::exp10 if target.arithmetic.relaxed_exp2_f32 => float::native_exp10,
        Ocl::log if target.arithmetic.relaxed_log2_f32 => float::native_log,
        Ocl::log2 if target.arithmetic.relaxed_log2_f32 => float::native_log2,
        Ocl::log10 if target.arithmetic.relaxed_log2_f32 => float::native_log10,
        _ => return None,
    })
}
