//! Functions on float in relaxed arithmetic (-cl-unsafe-math-optimizations): made of the device's own exp2, log2, sin
//! and cos, as OpenCL C 3.0 §7.4 allows in its last table, where start-up probes find these close enough.

use super::float::{self, fabs, fadd, fmul, fmul_const, fsub};
use super::store;
use crate::expand::Expander;
use pumice_ir::{BinaryOp, ConvertOp, FloatCond, IntCond, MathOp, Type, UnaryOp, Value};
use pumice_target::Target;
use rspirv::spirv::OpenclStd100Op as Ocl;
use std::f64::consts::PI;

/// Below this magnitude tanh is a polynomial.
const SMALL_TANH: f64 = 0.25;
/// Below this magnitude sinh is a polynomial.
const SMALL_SINH: f64 = 0.5;

/// Writes what takes the place of a function on float; `None` where it stays. A pointer in the arguments gets its value.
pub(super) fn relaxed_form(
    x: &mut Expander<'_>,
    op: Ocl,
    args: &[Value],
    ty: Type,
    target: &Target,
) -> Option<Value> {
    let (exp2, log2) = (
        target.arithmetic.relaxed_exp2_f32,
        target.arithmetic.relaxed_log2_f32,
    );
    let sine = target.arithmetic.accurate_sine_f32;
    Some(match op {
        Ocl::exp if exp2 => float::native_exp(x, args, ty),
        Ocl::exp2 if exp2 => float::native_exp2(x, args, ty),
        Ocl::exp10 if exp2 => float::native_exp10(x, args, ty),
        Ocl::cosh if exp2 => cosh(x, args[0], ty),
        Ocl::sinh if exp2 => sinh(x, args[0], ty),
        Ocl::tanh if exp2 => tanh(x, args[0], ty),
        Ocl::log if log2 => float::native_log(x, args, ty),
        Ocl::log2 if log2 => float::native_log2(x, args, ty),
        Ocl::log10 if log2 => float::native_log10(x, args, ty),
        Ocl::powr if exp2 && log2 => float::native_powr(x, args, ty),
        Ocl::pow if exp2 && log2 => pow(x, args, ty),
        Ocl::pown if exp2 && log2 => pown(x, args, ty),
        Ocl::sin if sine => float::native_sin(x, args, ty),
        Ocl::cos if sine => float::native_cos(x, args, ty),
        Ocl::tan if sine => float::native_tan(x, args, ty),
        Ocl::sincos if sine => {
            let cos = float::native_cos(x, &args[..1], ty);
            store(x, args[1], cos);
            float::native_sin(x, &args[..1], ty)
        }
        Ocl::sinpi | Ocl::cospi | Ocl::tanpi if sine => {
            let angle = within_a_turn(x, args[0], ty);
            match op {
                Ocl::sinpi => float::native_sin(x, &[angle], ty),
                Ocl::cospi => float::native_cos(x, &[angle], ty),
                _ => float::native_tan(x, &[angle], ty),
            }
        }
        _ => return None,
    })
}

/// pi times the number, less whole turns.
fn within_a_turn(x: &mut Expander<'_>, v: Value, ty: Type) -> Value {
    let half = fmul_const(x, v, 0.5);
    let turns = x.math(MathOp::RoundEven, &[half]);
    let two = x.float(ty, 2.0);
    let whole = fmul(x, turns, two);
    let rest = fsub(x, v, whole);
    fmul_const(x, rest, PI)
}

/// `exp2(y * log2(|x|))`, with the sign of `x` where `is_odd`.
fn power(x: &mut Expander<'_>, v: Value, exponent: Value, is_odd: Value) -> Value {
    let ty = x.ty(v);
    let magnitude = fabs(x, v);
    let power = float::native_powr(x, &[magnitude, exponent], ty);
    let signed = float::copysign(x, &[power, v], ty);
    x.select(is_odd, signed, power)
}

fn pow(x: &mut Expander<'_>, args: &[Value], ty: Type) -> Value {
    // Half of an odd number lies half way between whole ones.
    let half = fmul_const(x, args[1], 0.5);
    let below = x.math(MathOp::Floor, &[half]);
    let rest = fsub(x, half, below);
    let between = x.float(ty, 0.5);
    let is_odd = x.fcmp(FloatCond::Oeq, rest, between);
    power(x, args[0], args[1], is_odd)
}

fn pown(x: &mut Expander<'_>, args: &[Value], ty: Type) -> Value {
    let exponent = x.convert(ConvertOp::SToF, args[1], ty);
    let low = x.bin_const(BinaryOp::And, args[1], 1);
    let is_odd = x.icmp_const(IntCond::Ne, low, 0);
    power(x, args[0], exponent, is_odd)
}

/// `exp(x) / 2`.
fn half_exp(x: &mut Expander<'_>, v: Value, ty: Type) -> Value {
    let exp = float::native_exp(x, &[v], ty);
    fmul_const(x, exp, 0.5)
}

fn cosh(x: &mut Expander<'_>, v: Value, ty: Type) -> Value {
    let minus = x.un(UnaryOp::FNeg, v);
    let [up, down] = [v, minus].map(|v| half_exp(x, v, ty));
    fadd(x, up, down)
}

/// `first + second * square`.
fn line(x: &mut Expander<'_>, square: Value, first: f64, second: Value) -> Value {
    let product = fmul(x, second, square);
    let ty = x.ty(square);
    let first = x.float(ty, first);
    fadd(x, product, first)
}

/// `near` where the magnitude is below a bound, else `far`.
fn near_zero(x: &mut Expander<'_>, v: Value, bound: f64, near: Value, far: Value) -> Value {
    let magnitude = fabs(x, v);
    let bound = x.float(x.func.ty(v), bound);
    let is_near = x.fcmp(FloatCond::Olt, magnitude, bound);
    x.select(is_near, near, far)
}

fn sinh(x: &mut Expander<'_>, v: Value, ty: Type) -> Value {
    // Of small numbers: x + x^3/6 + x^5/120.
    let square = fmul(x, v, v);
    let last = x.float(ty, 1.0 / 120.0);
    let sum = line(x, square, 1.0 / 6.0, last);
    let sum = line(x, square, 1.0, sum);
    let near = fmul(x, v, sum);
    let minus = x.un(UnaryOp::FNeg, v);
    let [up, down] = [v, minus].map(|v| half_exp(x, v, ty));
    let far = fsub(x, up, down);
    near_zero(x, v, SMALL_SINH, near, far)
}

fn tanh(x: &mut Expander<'_>, v: Value, ty: Type) -> Value {
    // Of small numbers: x - x^3/3 + 2x^5/15.
    let square = fmul(x, v, v);
    let last = x.float(ty, 2.0 / 15.0);
    let sum = line(x, square, -1.0 / 3.0, last);
    let sum = line(x, square, 1.0, sum);
    let near = fmul(x, v, sum);
    // 1 - 2 / (exp(2x) + 1), which is right where the exponential is 0 or infinite.
    let (one, two) = (x.float(ty, 1.0), x.float(ty, 2.0));
    let double = fmul(x, v, two);
    let exp = float::native_exp(x, &[double], ty);
    let divisor = fadd(x, exp, one);
    let quotient = float::divide(x, &[two, divisor], ty);
    let far = fsub(x, one, quotient);
    near_zero(x, v, SMALL_TANH, near, far)
}
