//! The geometric functions: cross products, lengths, distances and unit vectors.

use super::float::{fabs, flushed, fmul, fsub, rsqrt, zero};
use crate::expand::Expander;
use pumice_ir::{BinaryOp, FloatCond, FloatFlags, MathOp, Scalar, Type, Value};
use smallvec::SmallVec;

pub(super) fn cross(x: &mut Expander<'_>, a: &[Value], ty: Type) -> Value {
    let p: [Value; 3] = [0, 1, 2].map(|i| x.lane(a[0], i));
    let q: [Value; 3] = [0, 1, 2].map(|i| x.lane(a[1], i));
    let mut lanes: SmallVec<[Value; 4]> = SmallVec::new();
    for (i, j) in [(1, 2), (2, 0), (0, 1)] {
        let left = fmul(x, p[i], q[j]);
        let right = fmul(x, p[j], q[i]);
        lanes.push(fsub(x, left, right));
    }
    if ty.lanes == 4 {
        lanes.push(zero(x, ty.lane()));
    }
    x.build(&lanes)
}

/// The sum of the lanes' squares, contracted where the device's fma is exact.
fn dot(x: &mut Expander<'_>, v: Value) -> Value {
    let first = x.lane(v, 0);
    let mut sum = fmul(x, first, first);
    for lane in 1..x.ty(v).lanes {
        let lane = x.lane(v, lane);
        let square = x.fbin(BinaryOp::FMul, lane, lane, FloatFlags::CONTRACT);
        sum = x.fbin(BinaryOp::FAdd, sum, square, FloatFlags::CONTRACT);
    }
    sum
}

/// The power of two by which big vectors of floats are scaled down.
const BIG_STEP: i32 = 80;

/// A vector scaled by a power of two so that squares neither overflow nor vanish.
struct Scaled {
    vector: Value,
    /// The greatest magnitude among the lanes before scaling.
    most: Value,
    is_big: Value,
    is_small: Value,
    factor: Value,
    /// The factor that undoes the scaling.
    undo: Value,
}

fn scaled(x: &mut Expander<'_>, v: Value) -> Scaled {
    let ty = x.ty(v);
    let lane = ty.lane();
    let magnitudes = fabs(x, v);
    let mut most = x.lane(magnitudes, 0);
    for i in 1..ty.lanes {
        let other = x.lane(magnitudes, i);
        most = x.math(MathOp::FMax, &[most, other]);
    }
    // The squares of the smallest denormals become normal.
    let (threshold, down, up) = if ty.scalar == Scalar::F64 {
        (400, 600, 600)
    } else {
        (50, BIG_STEP, 100)
    };
    let pow = |x: &mut Expander<'_>, e: i32| x.float(lane, f64::from(e).exp2());
    let (big, small) = (pow(x, threshold), pow(x, -threshold));
    let (big_factor, small_factor, one) = (pow(x, -down), pow(x, up), pow(x, 0));
    let (big_undo, small_undo) = (pow(x, down), pow(x, -up));
    let is_big = x.fcmp(FloatCond::Ogt, most, big);
    let is_small = x.fcmp(FloatCond::Olt, most, small);
    let factor = x.select(is_big, big_factor, one);
    let factor = x.select(is_small, small_factor, factor);
    let undo = x.select(is_big, big_undo, one);
    let undo = x.select(is_small, small_undo, undo);
    let factors = broadcast(x, factor, ty);
    Scaled {
        vector: fmul(x, v, factors),
        most,
        is_big,
        is_small,
        factor,
        undo,
    }
}

fn broadcast(x: &mut Expander<'_>, scalar: Value, ty: Type) -> Value {
    if ty.lanes == 1 {
        return scalar;
    }
    let to = x.ty(scalar).with_lanes(ty.lanes);
    x.value(pumice_ir::InstKind::Splat { arg: scalar }, to)
}

pub(super) fn length(x: &mut Expander<'_>, a: &[Value], _: Type) -> Value {
    if x.ty(a[0]).lanes == 1 {
        return fabs(x, a[0]);
    }
    let scaled = scaled(x, a[0]);
    let square = dot(x, scaled.vector);
    let root = x.math(MathOp::Sqrt, &[square]);
    fmul(x, root, scaled.undo)
}

pub(super) fn distance(x: &mut Expander<'_>, a: &[Value], ty: Type) -> Value {
    let difference = fsub(x, a[0], a[1]);
    length(x, &[difference], ty)
}

/// A zero vector stays as it is. Lanes far below the greatest are divided as they are: scaled
/// down with the others they would become subnormal and lose digits that the quotient keeps.
pub(super) fn normalize(x: &mut Expander<'_>, a: &[Value], ty: Type) -> Value {
    let lane = ty.lane();
    let scaled = scaled(x, a[0]);
    let square = dot(x, scaled.vector);
    let root = x.math(MathOp::Sqrt, &[square]);
    // The length of a big vector may be beyond the largest number: an eighth of it is not.
    let (one, eighth) = (x.float(lane, 1.0), x.float(lane, 0.125));
    let before = x.select(scaled.is_big, eighth, one);
    let before = x.select(scaled.is_small, scaled.factor, before);
    let shrunk = fmul(x, scaled.undo, eighth);
    let after = x.select(scaled.is_big, shrunk, one);
    let length = fmul(x, root, after);
    let before = broadcast(x, before, ty);
    let dividend = fmul(x, a[0], before);
    let lengths = broadcast(x, length, ty);
    let unit = x.bin(BinaryOp::FDiv, dividend, lengths);
    let none = zero(x, lane);
    let is_zero = x.fcmp(FloatCond::Oeq, scaled.most, none);
    let zeros = flushed(x, a[0]);
    x.select(is_zero, zeros, unit)
}

/// The same by the device's 1/sqrt, which Vulkan bounds by 2 ULP for the scaled vector's square; with
/// the errors of the sum and the products that is within the 2 + n ULP of n lanes. A big vector's lanes are
/// scaled down by so little that only those are lost whose quotient is 0, and its 1/sqrt by the rest. Any finite 1/sqrt keeps
/// a zero vector as it is.
pub(super) fn normalize_by_rsqrt(x: &mut Expander<'_>, a: &[Value], ty: Type) -> Value {
    const LANE_STEP: i32 = 4;
    let lane = ty.lane();
    let scaled = scaled(x, a[0]);
    let square = dot(x, scaled.vector);
    let [least, little, rest, one] =
        [-126, -LANE_STEP, LANE_STEP - BIG_STEP, 0].map(|e| x.float(lane, f64::from(e).exp2()));
    let is_zero = x.fcmp(FloatCond::Olt, square, least);
    let square = x.select(is_zero, least, square);
    let inverse = x.math(MathOp::NativeRsqrt, &[square]);
    let after = x.select(scaled.is_big, rest, one);
    let inverse = fmul(x, inverse, after);
    let before = x.select(scaled.is_big, little, one);
    let before = x.select(scaled.is_small, scaled.factor, before);
    let [before, inverse] = [before, inverse].map(|factor| broadcast(x, factor, ty));
    let unit = fmul(x, a[0], before);
    fmul(x, unit, inverse)
}

pub(super) fn fast_length(x: &mut Expander<'_>, a: &[Value], _: Type) -> Value {
    if x.ty(a[0]).lanes == 1 {
        return fabs(x, a[0]);
    }
    let square = dot(x, a[0]);
    x.math(MathOp::Sqrt, &[square])
}

pub(super) fn fast_distance(x: &mut Expander<'_>, a: &[Value], ty: Type) -> Value {
    let difference = fsub(x, a[0], a[1]);
    fast_length(x, &[difference], ty)
}

pub(super) fn fast_normalize(x: &mut Expander<'_>, a: &[Value], ty: Type) -> Value {
    let square = dot(x, a[0]);
    let inverse = rsqrt(x, &[square], ty.lane());
    let inverses = broadcast(x, inverse, ty);
    let unit = fmul(x, a[0], inverses);
    let none = zero(x, ty.lane());
    let is_zero = x.fcmp(FloatCond::Oeq, square, none);
    let zeros = flushed(x, a[0]);
    x.select(is_zero, zeros, unit)
}
