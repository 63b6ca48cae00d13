//! Pixels that are written to images of sRGB (cl_khr_srgb_image_writes).
//!
//! Vulkan has no storage images of sRGB: such an image is written as the numbers that its channels hold, which the kernel
//! computes (OpenCL C, "Conversion rules for sRGBA and sBGRA images"). A specialization constant tells whether an
//! argument is such an image, so that other pipelines have nothing of it. It chooses between values and not between ways:
//! SwiftShader takes the wrong way where the other one begins with a constant.

use crate::expand::Expander;
use pumice_ir::{BinaryOp, FloatCond, HandleInfo, InstKind, IntCond, MathOp, Type, Value};

/// Up to here the curve is a line.
const LINE: f64 = 0.003_130_8;
const SLOPE: f64 = 12.92;
const SCALE: f64 = 1.055;
const OFFSET: f64 = -0.055;
const EXPONENT: f64 = 1.0 / 2.4;

/// The pixel that is written to the image which is argument `ordinal`.
pub(super) fn of_image(x: &mut Expander<'_>, pixel: Value, ordinal: u32) -> Value {
    let which = HandleInfo::WritesSrgb;
    let is_srgb = x.value(InstKind::HandleInfo { ordinal, which }, Type::I32);
    let is_srgb = x.icmp_const(IntCond::Ne, is_srgb, 0);
    let lanes = [0, 1, 2, 3].map(|n| {
        let linear = x.lane(pixel, n);
        let share = share(x, linear);
        let encoded = match n {
            3 => share,
            _ => curve(x, share),
        };
        let encoded = whole_step(x, encoded);
        x.select(is_srgb, encoded, linear)
    });
    x.build(&lanes)
}

/// A number as 0 to 1; 0 of NaN.
fn share(x: &mut Expander<'_>, value: Value) -> Value {
    let [zero, one] = [0.0, 1.0].map(|number| x.float(Type::F32, number));
    let value = x.math(MathOp::FMax, &[value, zero]);
    x.math(MathOp::FMin, &[value, one])
}

/// The nearest number that a channel of 8 bits holds. OpenCL rounds to even, and NVIDIA's driver stores 127 for a half.
fn whole_step(x: &mut Expander<'_>, value: Value) -> Value {
    let [steps, step] = [255.0, 1.0 / 255.0].map(|number| x.float(Type::F32, number));
    let value = x.bin(BinaryOp::FMul, value, steps);
    let value = x.math(MathOp::RoundEven, &[value]);
    x.bin(BinaryOp::FMul, value, step)
}

/// The curve of sRGB.
fn curve(x: &mut Expander<'_>, linear: Value) -> Value {
    let number = |x: &mut Expander<'_>, value| x.float(Type::F32, value);
    let slope = number(x, SLOPE);
    let line = x.bin(BinaryOp::FMul, linear, slope);
    let exponent = number(x, EXPONENT);
    let log = x.math(MathOp::NativeLog2, &[linear]);
    let power = x.bin(BinaryOp::FMul, log, exponent);
    let power = x.math(MathOp::NativeExp2, &[power]);
    let (scale, offset) = (number(x, SCALE), number(x, OFFSET));
    let scaled = x.bin(BinaryOp::FMul, power, scale);
    let curve = x.bin(BinaryOp::FAdd, scaled, offset);
    let end = number(x, LINE);
    let is_line = x.fcmp(FloatCond::Ole, linear, end);
    x.select(is_line, line, curve)
}
