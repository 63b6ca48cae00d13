//! Divisions, square roots and fma on devices whose own are not correctly rounded.
//!
//! The start-up probes say which are; Vulkan promises much less (2.5 ULP for a quotient of normal
//! numbers, nothing of use for f64). What is asked of each width:
//!
//! * f64 and f16: correctly rounded, by the library or through f32;
//! * f32 fma: through f64 where the device has it, else by the library;
//! * f32 sqrt: 3 ULP, more than Vulkan promises, hence the library, by fma where that is exact;
//! * f32 quotients: 2.5 ULP, which the device keeps once the divisor is scaled into its range;
//!   the library with `-cl-fp32-correctly-rounded-divide-sqrt`, and inside library functions,
//!   whose error bounds count on it.
//!
//! A division with [`FloatFlags::ALLOW_RECIP`] (native_divide, relaxed builds) is the device's.

use super::{Library, call_lanes, narrow, widen};
use crate::expand::Expander;
use pumice_ir::{
    BinaryOp, ConvertOp, FloatCond, FloatFlags, Function, InstKind, IntCond, MathOp, Scalar, Type,
    Value,
};
use pumice_target::Target;

/// The operations that may be left to the device, for one function.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exact<'a> {
    pub target: &'a Target,
    /// True if f32 quotients must be correctly rounded.
    pub divide_f32: bool,
}

impl Exact<'_> {
    /// Returns whether an instruction is one that the device does not do well enough.
    pub fn concerns(&self, func: &Function, kind: &InstKind) -> bool {
        let target = self.target;
        match kind {
            InstKind::Binary {
                op: BinaryOp::FDiv,
                args,
                flags,
            } => {
                !flags.contains(FloatFlags::ALLOW_RECIP)
                    && match func.ty(args[0]).scalar {
                        Scalar::F16 => !target.exact_div_f16,
                        Scalar::F64 => !target.exact_div_f64,
                        _ => !target.exact_div_f32,
                    }
            }
            InstKind::Math {
                op: MathOp::Sqrt,
                args,
                ..
            } => match func.ty(args[0]).scalar {
                Scalar::F16 => true,
                Scalar::F64 => !target.exact_sqrt_f64,
                _ => !target.exact_sqrt_f32,
            },
            _ => false,
        }
    }

    /// The quotient of `args`.
    pub fn divide(&self, x: &mut Expander<'_>, library: &mut Library, args: &[Value]) -> Value {
        let ty = x.ty(args[0]);
        match ty.scalar {
            // A quotient of 24 digits rounded to 11 is the exact one's rounding.
            Scalar::F16 => {
                let (args, wide) = widen(x, args, ty);
                let value = if self.target.exact_div_f32 {
                    x.bin(BinaryOp::FDiv, args[0], args[1])
                } else {
                    let name = self.named(wide, ["div", "div_fma"]);
                    call_lanes(x, library, name, &args, wide, None)
                };
                narrow(x, value, ty)
            }
            Scalar::F32 if !self.divide_f32 => scaled_quotient(x, args[0], args[1]),
            _ => call_lanes(
                x,
                library,
                self.named(ty, ["div", "div_fma"]),
                args,
                ty,
                None,
            ),
        }
    }

    /// The name of the library's function by integers, or of the one by fma where the device's is exact.
    fn named(&self, ty: Type, [by_integers, by_fma]: [&'static str; 2]) -> &'static str {
        let fused = self.target.exact_fma_f32 && self.target.denorms_f32;
        match ty.scalar == Scalar::F32 && fused {
            true => by_fma,
            false => by_integers,
        }
    }

    /// The square root of `args[0]`.
    pub fn sqrt(&self, x: &mut Expander<'_>, library: &mut Library, args: &[Value]) -> Value {
        let ty = x.ty(args[0]);
        let (args, wide) = widen(x, args, ty);
        let value = if wide.scalar == Scalar::F32 && self.target.exact_sqrt_f32 {
            x.math(MathOp::Sqrt, &args)
        } else {
            let name = self.named(wide, ["sqrt", "sqrt_fma"]);
            call_lanes(x, library, name, &args, wide, None)
        };
        narrow(x, value, ty)
    }
}

/// The device's own quotient. Vulkan bounds its error for divisors between 2^-126 and 2^126: a
/// greater one is divided by 2^64 first and the quotient after it, a denormal one multiplied.
fn scaled_quotient(x: &mut Expander<'_>, a: Value, b: Value) -> Value {
    let ty = x.ty(b);
    let [big, down, small, up, one] =
        [126, -64, -126, 64, 0].map(|e| x.float(ty, f64::from(e).exp2()));
    let magnitude = x.math(MathOp::FAbs, &[b]);
    let is_big = x.fcmp(FloatCond::Ogt, magnitude, big);
    let is_small = x.fcmp(FloatCond::Olt, magnitude, small);
    let factor = x.select(is_big, down, one);
    let factor = x.select(is_small, up, factor);
    let divisor = x.bin(BinaryOp::FMul, b, factor);
    let quotient = x.fbin(BinaryOp::FDiv, a, divisor, FloatFlags::ALLOW_RECIP);
    x.bin(BinaryOp::FMul, quotient, factor)
}

/// 1/sqrt for f32 where quotient or root are not exact: Vulkan's own is within 2 ULP, OpenCL's
/// limit, for normal operands; denormal ones are scaled, and the special cases are chosen.
pub(super) fn rsqrt(x: &mut Expander<'_>, a: &[Value], ty: Type) -> Value {
    let arg = a[0];
    let [least, up, back, one] = [-126, 24, 12, 0].map(|e| x.float(ty, f64::from(e).exp2()));
    let is_small = x.fcmp(FloatCond::Olt, arg, least);
    let factor = x.select(is_small, up, one);
    let scaled = x.bin(BinaryOp::FMul, arg, factor);
    let root = x.math(MathOp::NativeRsqrt, &[scaled]);
    let undo = x.select(is_small, back, one);
    let root = x.bin(BinaryOp::FMul, root, undo);
    let (none, infinity) = (x.splat(ty, 0), x.splat(ty, 0x7f80_0000));
    let finite = x.fcmp(FloatCond::Olt, arg, infinity);
    let root = x.select(finite, root, none);
    // Zeros give infinities of their sign, what is left (negative or no number) NaN.
    let bits = x.bits_of(arg);
    let sign = x.bin_const(BinaryOp::And, bits, 0x8000_0000);
    let signed = x.bin_const(BinaryOp::Or, sign, 0x7f80_0000);
    let signed = x.convert(ConvertOp::Bitcast, signed, ty);
    let zero = x.fcmp(FloatCond::Oeq, arg, none);
    let root = x.select(zero, signed, root);
    let defined = x.fcmp(FloatCond::Oge, arg, none);
    let nan = x.splat(ty, 0x7fc0_0000);
    x.select(defined, root, nan)
}

/// fma by arithmetic of twice the width: there the product is exact, and the sum, rounded to odd,
/// has enough digits to round correctly again.
pub(super) fn fma_by_wider(x: &mut Expander<'_>, a: &[Value], ty: Type) -> Value {
    let wide = ty.with_scalar(match ty.scalar {
        Scalar::F16 => Scalar::F32,
        _ => Scalar::F64,
    });
    let [p, q, r] = [0, 1, 2].map(|i| x.convert(ConvertOp::FToF, a[i], wide));
    let product = x.bin(BinaryOp::FMul, p, q);
    let sum = x.bin(BinaryOp::FAdd, product, r);
    // What the sum lost, exactly.
    let back = x.bin(BinaryOp::FSub, sum, product);
    let rest = x.bin(BinaryOp::FSub, sum, back);
    let lost_product = x.bin(BinaryOp::FSub, product, rest);
    let lost_addend = x.bin(BinaryOp::FSub, r, back);
    let lost = x.bin(BinaryOp::FAdd, lost_product, lost_addend);
    // The odd neighbour of an inexact even sum lies towards what was lost.
    let (none, bits) = (x.splat(wide, 0), x.bits_of(sum));
    let int = x.ty(bits);
    let inexact = x.fcmp(FloatCond::One, lost, none);
    let low = x.bin_const(BinaryOp::And, bits, 1);
    let even = x.icmp_const(IntCond::Eq, low, 0);
    let change = x.bin(BinaryOp::And, inexact, even);
    let negative_sum = x.fcmp(FloatCond::Olt, sum, none);
    let negative_lost = x.fcmp(FloatCond::Olt, lost, none);
    let shrinks = x.bin(BinaryOp::Xor, negative_sum, negative_lost);
    let all_ones = u64::MAX >> (64 - wide.scalar.bits());
    let (one, minus) = (x.splat(int, 1), x.splat(int, all_ones));
    let step = x.select(shrinks, minus, one);
    let next = x.bin(BinaryOp::IAdd, bits, step);
    let bits = x.select(change, next, bits);
    let value = x.convert(ConvertOp::Bitcast, bits, wide);
    x.convert(ConvertOp::FToF, value, ty)
}
