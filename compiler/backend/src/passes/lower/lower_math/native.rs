//! The device's own functions in place of the library's, for -cl-native-math and, where they are close enough, for
//! -cl-unsafe-math-optimizations.

use super::relaxed::relaxed_form;
use crate::expand::{Replacement, expand};
use crate::pass::Ctx;
use pumice_ir::{InstKind, LowerError, MathOp, Module, Scalar};
use rspirv::spirv::OpenclStd100Op;

/// Gives what -cl-native-math takes in place of a function on float.
fn native(op: OpenclStd100Op) -> Option<MathOp> {
    use OpenclStd100Op as O;
    Some(MathOp::Ocl(match op {
        O::cos | O::half_cos => O::native_cos,
        O::sin | O::half_sin => O::native_sin,
        O::tan | O::half_tan => O::native_tan,
        O::exp | O::half_exp => O::native_exp,
        O::exp2 | O::half_exp2 => O::native_exp2,
        O::exp10 | O::half_exp10 => O::native_exp10,
        O::log | O::half_log => O::native_log,
        O::log2 | O::half_log2 => O::native_log2,
        O::log10 | O::half_log10 => O::native_log10,
        O::powr | O::half_powr => O::native_powr,
        O::rsqrt | O::half_rsqrt => O::native_rsqrt,
        O::sqrt | O::half_sqrt => O::native_sqrt,
        O::distance => O::fast_distance,
        O::length => O::fast_length,
        O::normalize => O::fast_normalize,
        O::fma => return Some(MathOp::Fma),
        _ => return None,
    }))
}

/// Takes the device's own functions in the program's code; the library's stays exact.
///
/// # Errors
/// Never.
pub(super) fn use_native_functions(module: &mut Module, ctx: &Ctx<'_>) -> Result<(), LowerError> {
    let math = &ctx.options.math;
    if !math.native && !math.unsafe_math {
        return Ok(());
    }
    for func in module.functions.values_mut() {
        let _ = expand(func, |x, inst| {
            let data = &x.func.insts[inst];
            let InstKind::Math {
                op: MathOp::Ocl(op),
                args,
                ..
            } = &data.kind
            else {
                return Ok(None);
            };
            let (op, args) = (*op, args.clone());
            let Some(ty) = data.results.first().map(|&result| x.ty(result)) else {
                return Ok(None);
            };
            if ty.scalar != Scalar::F32 {
                return Ok(None);
            }
            let value = match native(op).filter(|_| math.native) {
                Some(native) => Some(x.math(native, &args)),
                None if math.unsafe_math => relaxed_form(x, op, &args, ty, ctx.target),
                None => None,
            };
            Ok(value.map(|value| Replacement::from_slice(&[value])))
        })?;
    }
    Ok(())
}
