//! The device's own functions in place of the library's, for -cl-native-math and, where they keep what is left
//! of the bounds, for -cl-unsafe-math-optimizations.

use crate::pass::Ctx;
use pumice_ir::{InstKind, MathOp, Module, Scalar};
use pumice_target::Target;
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

/// Returns whether the device's own form of a function keeps the bounds of -cl-unsafe-math-optimizations (OpenCL C
/// 3.0 §7.4, the last table): exp and exp2 3 + 2 |x| ULP; logarithms 3 ULP, and 2^-21 between a half and two; sin
/// and cos 2^-11 up to pi; exp10, powr and tan as they are derived of these.
fn is_close_enough(op: OpenclStd100Op, target: &Target) -> bool {
    use OpenclStd100Op as O;
    match op {
        O::exp | O::exp2 | O::exp10 => target.accurate_exp2_f32,
        O::log | O::log2 | O::log10 => target.accurate_log2_f32,
        O::powr => target.accurate_exp2_f32 && target.accurate_log2_f32,
        O::sin | O::cos | O::tan => target.accurate_sine_f32,
        _ => false,
    }
}

/// Takes the device's own functions in the program's code; the library's stays exact.
pub(super) fn use_native_functions(module: &mut Module, ctx: &Ctx<'_>) {
    let math = &ctx.options.math;
    if !math.native && !math.unsafe_math {
        return;
    }
    for func in module.functions.values_mut() {
        for inst in func.insts.keys().collect::<Vec<_>>() {
            let float = (func.insts[inst].results.first())
                .is_some_and(|&result| func.ty(result).scalar == Scalar::F32);
            if let InstKind::Math { op, .. } = &mut func.insts[inst].kind {
                if let (MathOp::Ocl(ocl), true) = (*op, float) {
                    if math.native || is_close_enough(ocl, ctx.target) {
                        *op = native(ocl).unwrap_or(*op);
                    }
                }
            }
        }
    }
}
