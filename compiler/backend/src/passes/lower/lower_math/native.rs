//! The device's own functions in place of the library's, for -cl-native-math and, where they are close enough, for
//! -cl-unsafe-math-optimizations.

use super::relaxed::relaxed_form;
use crate::expand::{Expander, Replacement, expand};
use crate::pass::Ctx;
use pumice_ir::{Inst, InstKind, LowerError, MathOp, Module, Scalar, Type, Value};
use rspirv::spirv::OpenclStd100Op as Ocl;
use smallvec::SmallVec;

/// Gives what -cl-native-math takes in place of a function on float.
fn native(op: Ocl) -> Option<MathOp> {
    Some(MathOp::Ocl(match op {
        Ocl::cos | Ocl::half_cos => Ocl::native_cos,
        Ocl::sin | Ocl::half_sin => Ocl::native_sin,
        Ocl::tan | Ocl::half_tan => Ocl::native_tan,
        Ocl::exp | Ocl::half_exp => Ocl::native_exp,
        Ocl::exp2 | Ocl::half_exp2 => Ocl::native_exp2,
        Ocl::exp10 | Ocl::half_exp10 => Ocl::native_exp10,
        Ocl::log | Ocl::half_log => Ocl::native_log,
        Ocl::log2 | Ocl::half_log2 => Ocl::native_log2,
        Ocl::log10 | Ocl::half_log10 => Ocl::native_log10,
        Ocl::powr | Ocl::half_powr => Ocl::native_powr,
        Ocl::rsqrt | Ocl::half_rsqrt => Ocl::native_rsqrt,
        Ocl::sqrt | Ocl::half_sqrt => Ocl::native_sqrt,
        Ocl::distance => Ocl::fast_distance,
        Ocl::length => Ocl::fast_length,
        Ocl::normalize => Ocl::fast_normalize,
        Ocl::fma => return Some(MathOp::Fma),
        _ => return None,
    }))
}

/// Takes the device's own functions in the program's code; the library's stays exact.
///
/// # Errors
/// An OpenCL.std instruction without a result.
pub(super) fn use_native_functions(module: &mut Module, ctx: &Ctx<'_>) -> Result<(), LowerError> {
    let math = &ctx.options.math;
    if !math.native && !math.unsafe_math {
        return Ok(());
    }
    for func in module.functions.values_mut() {
        let _ = expand(func, |x, inst| {
            let Some((op, args, ty)) = function_of(x, inst)? else {
                return Ok(None);
            };
            if ty.scalar != Scalar::F32 {
                return Ok(None);
            }
            if let Some(native) = native(op).filter(|_| math.native) {
                if let InstKind::Math { op, .. } = &mut x.func.insts[inst].kind {
                    *op = native;
                }
                return Ok(None);
            }
            if !math.unsafe_math {
                return Ok(None);
            }
            let value = relaxed_form(x, op, &args, ty, ctx.target);
            Ok(value.map(|value| Replacement::from_slice(&[value])))
        })?;
    }
    Ok(())
}

/// A function of OpenCL.std, its operands and its result's type.
type Call = (Ocl, SmallVec<[Value; 3]>, Type);

/// The call that an instruction is; `None` for those that are not of OpenCL.std.
pub(super) fn function_of(x: &Expander<'_>, inst: Inst) -> Result<Option<Call>, LowerError> {
    let data = &x.func.insts[inst];
    let InstKind::Math {
        op: MathOp::Ocl(op),
        args,
        ..
    } = &data.kind
    else {
        return Ok(None);
    };
    match data.results.first() {
        Some(&result) => Ok(Some((*op, args.iter().copied().collect(), x.ty(result)))),
        None => Err(LowerError::new(format!("{op:?} without a result"))),
    }
}
