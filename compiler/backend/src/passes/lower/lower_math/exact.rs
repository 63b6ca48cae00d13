//! Divisions, square roots and fma on devices whose own are not correctly rounded.
//!
//! The start-up probes say which are; Vulkan promises much less (2.5 ULP for a quotient of normal
//! numbers, nothing of use for f64). What is asked of each width:
//!
//! * f64 and f16: correctly rounded, by the library or through f32; a root of f16 by any root of f32 that is near;
//! * f32 fma: through f64 where the device has it, else by the library;
//! * f32 sqrt: 3 ULP, more than Vulkan promises: the device's where a probe finds it accurate, else its 1/sqrt refined;
//!   the library with `-cl-fp32-correctly-rounded-divide-sqrt` and inside library functions;
//! * f32 quotients: 2.5 ULP, which the device keeps once the divisor is scaled into its range, or for
//!   all divisors where a probe finds that; half_divide likewise. The library with
//!   `-cl-fp32-correctly-rounded-divide-sqrt`, and inside library functions, whose error bounds
//!   count on it.
//!
//! Quotients and roots with [`FloatFlags::CORRECTLY_ROUNDED`] are as with that option.
//!
//! A division with [`FloatFlags::ALLOW_RECIP`] (native_divide, relaxed builds) is the device's.
//!
//! The library's sources name the exactness that they need ([`library_form`]): `a / b` is correctly
//! rounded for all operands, half_divide and half_sqrt nearly so for operands and results between
//! 2^-100 and 2^100 (half_sqrt also for 0), native_divide the device's where its own is not exact,
//! native_sqrt the device's within 1.5 ULP or a better one, native_exp2 the device's or a better one.
//! A contracted sum is an fma, or a product and a sum that the driver leaves alone.

use super::{Library, call_lanes, narrow, widen};
use crate::expand::Expander;
use crate::pass::Ctx;
use crate::passes::lower::contract;
use pumice_ir::{
    BinaryOp, ConvertOp, FloatCond, FloatFlags, Function, InstKind, MathOp, Scalar, Type, UnaryOp,
    Value,
};
use pumice_target::Target;
use pumice_target::options::MathOptions;
use rspirv::spirv::OpenclStd100Op as Ocl;

/// The operations that may be left to the device, for one function.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exact<'a> {
    pub target: &'a Target,
    /// True if f32 quotients must be correctly rounded.
    pub divide_f32: bool,
    /// True if the device's f32 quotients are, in this program.
    exact_div_f32: bool,
    /// The options of the program's code; the defaults for the library's.
    pub math: MathOptions,
}

impl<'a> Exact<'a> {
    /// The operations of a function, the program's or the library's.
    pub fn new(ctx: &Ctx<'a>, func: &Function) -> Self {
        let math = match func.is_builtin() {
            true => MathOptions::default(),
            false => ctx.options.math,
        };
        Self {
            target: ctx.target,
            divide_f32: math.correctly_rounded_divide_sqrt || func.is_builtin(),
            exact_div_f32: divides_exactly(ctx),
            math,
        }
    }

    /// The same for an operation with these flags.
    pub fn for_flags(self, flags: FloatFlags) -> Self {
        Self {
            divide_f32: self.divide_f32 || flags.contains(FloatFlags::CORRECTLY_ROUNDED),
            ..self
        }
    }

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
                        Scalar::F16 => !target.arithmetic.exact_div_f16,
                        Scalar::F64 => !target.arithmetic.exact_div_f64,
                        _ => !self.exact_div_f32,
                    }
            }
            InstKind::Math {
                op: MathOp::Sqrt,
                args,
                ..
            } => match func.ty(args[0]).scalar {
                Scalar::F16 => true,
                Scalar::F64 => !target.arithmetic.exact_sqrt_f64,
                _ => !target.arithmetic.exact_sqrt_f32,
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
                let value = if self.exact_div_f32 {
                    x.bin(BinaryOp::FDiv, args[0], args[1])
                } else {
                    let name = self.named(wide, ["div", "div_fma"]);
                    call_lanes(x, library, name, &args, wide, None)
                };
                narrow(x, value, ty)
            }
            Scalar::F32
                if !self.divide_f32
                    && (self.target.arithmetic.accurate_div_f32
                        || is_moderate(x.func, args[1])) =>
            {
                device_quotient(x, args[0], args[1])
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
        let fused = self.target.arithmetic.exact_fma_f32 && self.target.arithmetic.denorms_f32;
        match ty.scalar == Scalar::F32 && fused {
            true => by_fma,
            false => by_integers,
        }
    }

    /// The square root of `args[0]`.
    pub fn sqrt(&self, x: &mut Expander<'_>, library: &mut Library, args: &[Value]) -> Value {
        let ty = x.ty(args[0]);
        let (args, wide) = widen(x, args, ty);
        let value = if wide.scalar == Scalar::F32 && self.target.arithmetic.exact_sqrt_f32 {
            x.math(MathOp::Sqrt, &args)
        } else if ty.scalar == Scalar::F16 {
            root_of_half(x, &self.math, args[0])
        } else if ty.scalar == Scalar::F32
            && !self.divide_f32
            && self.target.arithmetic.accurate_roots_f32
        {
            x.math(MathOp::NativeSqrt, &args)
        } else if ty.scalar == Scalar::F32 && !self.divide_f32 {
            scaled_root(x, self, args[0])
        } else {
            let name = self.named(wide, ["sqrt", "sqrt_fma"]);
            call_lanes(x, library, name, &args, wide, None)
        };
        narrow(x, value, ty)
    }
}

/// Returns whether the device's f32 quotients are correctly rounded in a program.
fn divides_exactly(ctx: &Ctx<'_>) -> bool {
    let asked = ctx.options.math.correctly_rounded_divide_sqrt;
    ctx.target.divides_exactly_f32(asked)
}

/// Gives what an instruction on f32 means in the library's code, where that is not what it means in
/// programs; `None` for all others.
pub(super) fn library_form(
    x: &mut Expander<'_>,
    op: Ocl,
    args: &[Value],
    ctx: &Ctx<'_>,
) -> Option<Value> {
    let target = ctx.target;
    let scalar = x.ty(*args.first()?).scalar;
    match op {
        Ocl::mad if !contract::is_fused(target, scalar) => {
            let product = x.bin(BinaryOp::FMul, args[0], args[1]);
            Some(x.bin(BinaryOp::FAdd, product, args[2]))
        }
        Ocl::half_divide | Ocl::native_divide if divides_exactly(ctx) => {
            Some(x.bin(BinaryOp::FDiv, args[0], args[1]))
        }
        Ocl::half_divide => Some(near_quotient(x, target, args[0], args[1])),
        Ocl::native_sqrt if target.arithmetic.accurate_roots_f32 => {
            Some(x.math(MathOp::NativeSqrt, args))
        }
        Ocl::half_sqrt | Ocl::native_sqrt if target.arithmetic.exact_sqrt_f32 => {
            Some(x.math(MathOp::Sqrt, args))
        }
        Ocl::half_sqrt if !target.arithmetic.exact_fma_f32 => Some(x.math(MathOp::Sqrt, args)),
        Ocl::half_sqrt | Ocl::native_sqrt => Some(root_of_normal(x, target, args[0])),
        _ => None,
    }
}

/// A quotient within 0.51 ULP: the device's, refined by what it leaves of the dividend. One that is too
/// small for the pieces of its product, or whose product is, stays the device's.
fn near_quotient(x: &mut Expander<'_>, target: &Target, a: Value, b: Value) -> Value {
    let ty = x.ty(b);
    if target.arithmetic.exact_fma_f32 {
        let one = x.float(ty, 1.0);
        let inverse = device_quotient(x, one, b);
        let quotient = x.bin(BinaryOp::FMul, a, inverse);
        let minus = x.un(UnaryOp::FNeg, b);
        let rest = x.math(MathOp::Fma, &[minus, quotient, a]);
        return x.math(MathOp::Fma, &[rest, inverse, quotient]);
    }
    let quotient = device_quotient(x, a, b);
    // quotient * b = product + tail, by the products of 12-bit heads and tails.
    let product = x.bin(BinaryOp::FMul, quotient, b);
    let [(qh, ql), (bh, bl)] = [quotient, b].map(|value| {
        let bits = x.bits_of(value);
        let head = x.bin_const(BinaryOp::And, bits, 0xffff_f000);
        let head = x.convert(ConvertOp::Bitcast, head, ty);
        (head, x.bin(BinaryOp::FSub, value, head))
    });
    let heads = x.bin(BinaryOp::FMul, qh, bh);
    let mut tail = x.bin(BinaryOp::FSub, heads, product);
    for (p, q) in [(qh, bl), (ql, bh), (ql, bl)] {
        let part = x.bin(BinaryOp::FMul, p, q);
        tail = x.bin(BinaryOp::FAdd, tail, part);
    }
    let rest = x.bin(BinaryOp::FSub, a, product);
    let rest = x.bin(BinaryOp::FSub, rest, tail);
    let more = device_quotient(x, rest, b);
    let refined = x.bin(BinaryOp::FAdd, quotient, more);
    let least = x.float(ty, f64::from(-90).exp2());
    let [quotient_is_big, product_is_big] = [quotient, product].map(|value| {
        let magnitude = x.math(MathOp::FAbs, &[value]);
        x.fcmp(FloatCond::Ogt, magnitude, least)
    });
    let whole = x.bin(BinaryOp::And, quotient_is_big, product_is_big);
    x.select(whole, refined, quotient)
}

/// A root of normal numbers and 0, within 0.51 ULP by an exact fma, else within 1.3.
fn root_of_normal(x: &mut Expander<'_>, target: &Target, v: Value) -> Value {
    let root = near_root(x, target, v);
    let none = x.splat(x.func.ty(v), 0);
    let is_zero = x.fcmp(FloatCond::Oeq, v, none);
    x.select(is_zero, v, root)
}

/// A root of normal numbers: the device's 1/sqrt times the number, refined by what its square leaves of it. Without an
/// exact fma by what the root's product with the 1/sqrt, rounded, leaves of one.
fn near_root(x: &mut Expander<'_>, target: &Target, v: Value) -> Value {
    let ty = x.ty(v);
    let inverse = x.math(MathOp::NativeRsqrt, &[v]);
    let root = x.bin(BinaryOp::FMul, v, inverse);
    let one_half = x.float(ty, 0.5);
    let half = x.bin(BinaryOp::FMul, inverse, one_half);
    if target.arithmetic.exact_fma_f32 {
        let minus = x.un(UnaryOp::FNeg, root);
        let rest = x.math(MathOp::Fma, &[minus, root, v]);
        x.math(MathOp::Fma, &[rest, half, root])
    } else {
        // Not root + (v - root * root) * half: the square of the greatest numbers' roots may overflow.
        let share = x.bin(BinaryOp::FMul, root, half);
        let rest = x.bin(BinaryOp::FSub, one_half, share);
        let more = x.bin(BinaryOp::FMul, root, rest);
        x.bin(BinaryOp::FAdd, root, more)
    }
}

/// The same for all numbers: denormal ones are scaled, or zeros in relaxed arithmetic; infinity and NaN stay.
fn scaled_root(x: &mut Expander<'_>, exact: &Exact<'_>, v: Value) -> Value {
    let ty = x.ty(v);
    let root = if exact.math.unsafe_math {
        let root = near_root(x, exact.target, v);
        let magnitude = x.math(MathOp::FAbs, &[v]);
        let least = x.float(ty, f64::from(f32::MIN_POSITIVE));
        let is_small = x.fcmp(FloatCond::Olt, magnitude, least);
        let none = x.splat(ty, 0);
        x.select(is_small, none, root)
    } else {
        let [least, up, down] = [-96, 64, -32].map(|e| x.float(ty, f64::from(e).exp2()));
        let is_small = x.fcmp(FloatCond::Olt, v, least);
        let raised = x.bin(BinaryOp::FMul, v, up);
        let scaled = x.select(is_small, raised, v);
        let root = root_of_normal(x, exact.target, scaled);
        let lowered = x.bin(BinaryOp::FMul, root, down);
        x.select(is_small, lowered, root)
    };
    if exact.math.finite_math_only {
        return root;
    }
    let infinity = x.splat(ty, 0x7f80_0000);
    let finite = x.fcmp(FloatCond::Olt, v, infinity);
    x.select(finite, root, v)
}

/// A float that rounds to the root of a widened half as the exact root does. The device's 1/sqrt may err by hundreds of
/// ULP of float: of the numbers with one digit more than a half has, halves and the middles between them, the nearest one
/// is then the one below or above the exact root. A half is the answer; beside a middle, which is no root of a half, the
/// sign of what its square leaves of `v` tells the side on which the exact root lies. Twelve digits have an exact square.
fn root_of_half(x: &mut Expander<'_>, math: &MathOptions, v: Value) -> Value {
    let ty = x.ty(v);
    let inverse = x.math(MathOp::NativeRsqrt, &[v]);
    let near = x.bin(BinaryOp::FMul, v, inverse);
    let bits = x.bits_of(near);
    let bits = x.bin_const(BinaryOp::IAdd, bits, 0x800);
    let bits = x.bin_const(BinaryOp::And, bits, 0xffff_f000);
    let middle = x.convert(ConvertOp::Bitcast, bits, ty);
    let square = x.bin(BinaryOp::FMul, middle, middle);
    let rest = x.bin(BinaryOp::FSub, v, square);
    // One ULP of float down where the rest is negative, else up.
    let rest = x.bits_of(rest);
    let sign = x.bin_const(BinaryOp::AShr, rest, 31);
    let step = x.bin_const(BinaryOp::Or, sign, 1);
    let bits = x.bin(BinaryOp::IAdd, bits, step);
    let root = x.convert(ConvertOp::Bitcast, bits, ty);
    let none = x.splat(ty, 0);
    let mut has_root = x.fcmp(FloatCond::Ogt, v, none);
    if math.finite_math_only {
        return x.select(has_root, root, v);
    }
    let infinity = x.splat(ty, 0x7f80_0000);
    let finite = x.fcmp(FloatCond::Olt, v, infinity);
    has_root = x.bin(BinaryOp::And, has_root, finite);
    let root = x.select(has_root, root, v);
    let negative = x.fcmp(FloatCond::Olt, v, none);
    let nan = x.splat(ty, 0x7fc0_0000);
    x.select(negative, nan, root)
}

/// The device's own quotient, whatever its error: what native_ functions want.
pub(super) fn device_quotient(x: &mut Expander<'_>, a: Value, b: Value) -> Value {
    x.fbin(BinaryOp::FDiv, a, b, FloatFlags::ALLOW_RECIP)
}

/// Returns whether a divisor surely is 0 or of a magnitude for which Vulkan bounds a quotient's
/// error: an integer, or a constant.
fn is_moderate(func: &Function, divisor: Value) -> bool {
    let integer = func.def_inst(divisor).is_some_and(|inst| {
        matches!(
            func.insts[inst].kind,
            InstKind::Convert {
                op: ConvertOp::SToF | ConvertOp::UToF,
                ..
            }
        )
    });
    let constant = func.const_bits(divisor).is_some_and(|bits| {
        let magnitude = f32::from_bits(bits as u32).abs();
        (f32::MIN_POSITIVE..=126f32.exp2()).contains(&magnitude)
    });
    integer || constant
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
    let quotient = device_quotient(x, a, divisor);
    x.bin(BinaryOp::FMul, quotient, factor)
}

/// half_divide where the device's quotients by large or denormal divisors may be anything.
pub(super) fn half_divide(x: &mut Expander<'_>, a: &[Value], _: Type) -> Value {
    scaled_quotient(x, a[0], a[1])
}

/// half_recip likewise.
pub(super) fn half_recip(x: &mut Expander<'_>, a: &[Value], ty: Type) -> Value {
    let one = x.float(ty, 1.0);
    scaled_quotient(x, one, a[0])
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

/// fma of halves by floats: there the product is exact, and the sum, rounded to odd, has enough digits
/// to round correctly again.
pub(super) fn fma_by_floats(x: &mut Expander<'_>, a: &[Value], ty: Type) -> Value {
    let wide = ty.with_scalar(Scalar::F32);
    let [p, q, r] = [0, 1, 2].map(|i| x.convert(ConvertOp::FToF, a[i], wide));
    let sum = x.fma_to_odd(p, q, r);
    x.convert(ConvertOp::FToF, sum, ty)
}
