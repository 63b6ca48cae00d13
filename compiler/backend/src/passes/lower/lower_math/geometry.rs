//! The geometric functions: cross products, lengths, distances and unit vectors.

use super::float::{fabs, flushed, fmul, fsub, infinity_to_power, rsqrt, zero};
use crate::expand::Expander;
use pumice_ir::{BinaryOp, FloatCond, FloatFlags, MathOp, Scalar, Type, Value};
use pumice_target::options::MathOptions;
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

/// The size of a vector: its squares may overflow if it is big, or vanish if it is small.
struct Size {
    lane: Type,
    /// The greatest magnitude among the lanes.
    most: Value,
    is_big: Value,
    is_small: Value,
    /// The exponent by which small vectors are scaled up: squares of the smallest denormals become normal.
    up: i32,
    /// The exponent by which big vectors are scaled down.
    down: i32,
}

impl Size {
    fn of(x: &mut Expander<'_>, v: Value) -> Self {
        let ty = x.ty(v);
        let lane = ty.lane();
        let magnitudes = fabs(x, v);
        let mut most = x.lane(magnitudes, 0);
        for i in 1..ty.lanes {
            let other = x.lane(magnitudes, i);
            most = x.math(MathOp::FMax, &[most, other]);
        }
        let (threshold, down, up) = if ty.scalar == Scalar::F64 {
            (400, 600, 600)
        } else {
            (50, 80, 100)
        };
        let [big, small] = [threshold, -threshold].map(|e| x.float(lane, f64::from(e).exp2()));
        Self {
            lane,
            most,
            is_big: x.fcmp(FloatCond::Ogt, most, big),
            is_small: x.fcmp(FloatCond::Olt, most, small),
            up,
            down,
        }
    }

    /// A power of two, by its exponents for small vectors, for those between and for big ones.
    fn pick(&self, x: &mut Expander<'_>, [small, between, big]: [i32; 3]) -> Value {
        let mut power = x.float(self.lane, f64::from(between).exp2());
        for (exponent, applies) in [(big, self.is_big), (small, self.is_small)] {
            if exponent != between {
                let other = x.float(self.lane, f64::from(exponent).exp2());
                power = x.select(applies, other, power);
            }
        }
        power
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
    let ty = x.ty(a[0]);
    if ty.lanes == 1 {
        return fabs(x, a[0]);
    }
    let size = Size::of(x, a[0]);
    let factor = size.pick(x, [size.up, 0, -size.down]);
    let undo = size.pick(x, [-size.up, 0, size.down]);
    let factors = broadcast(x, factor, ty);
    let scaled = fmul(x, a[0], factors);
    let square = dot(x, scaled);
    let root = x.math(MathOp::Sqrt, &[square]);
    fmul(x, root, undo)
}

pub(super) fn distance(x: &mut Expander<'_>, a: &[Value], ty: Type) -> Value {
    let difference = fsub(x, a[0], a[1]);
    length(x, &[difference], ty)
}

/// The exponent by which the lanes of a big vector are scaled down before they are divided. The length of what
/// is left is not beyond the largest number, and only those lanes are lost whose quotient is 0. Lanes far below the
/// greatest would become subnormal by more, and lose digits that the quotient keeps.
const LANE_STEP: i32 = 4;

/// A vector to be divided by its length.
struct Dividend {
    size: Size,
    /// The vector, scaled.
    vector: Value,
    /// The square of the scaled vector's product with `factor`.
    square: Value,
    factor: Value,
    /// The inverse of `factor` for big vectors, as an exponent; for others both are 1.
    rest: i32,
}

impl Dividend {
    /// Infinite lanes count as ones and all lanes beside them as zeros of their sign (OpenCL C, "Additional
    /// Requirements Beyond C99 TC2"); NaN stays NaN.
    fn of(x: &mut Expander<'_>, v: Value, math: &MathOptions) -> Self {
        let ty = x.ty(v);
        let size = Size::of(x, v);
        let rest = size.down - LANE_STEP;
        let mut factor = size.pick(x, [size.up, 0, -LANE_STEP]);
        if !math.finite_math_only {
            let none = zero(x, size.lane);
            let infinite = x.math(MathOp::IsInf, &[size.most]);
            factor = x.select(infinite, none, factor);
        }
        let factors = broadcast(x, factor, ty);
        let mut vector = fmul(x, v, factors);
        if !math.finite_math_only {
            let infinite = x.math(MathOp::IsInf, &[v]);
            // These are scaled as a big vector's are, by `rest`.
            let one = infinity_to_power(x, v, rest);
            vector = x.select(infinite, one, vector);
        }
        let factor = size.pick(x, [0, 0, -rest]);
        let factors = broadcast(x, factor, ty);
        let scaled = fmul(x, vector, factors);
        let square = dot(x, scaled);
        Self {
            size,
            vector,
            square,
            factor,
            rest,
        }
    }
}

/// A zero vector stays as it is.
pub(super) fn normalize(x: &mut Expander<'_>, a: &[Value], math: &MathOptions) -> Value {
    let ty = x.ty(a[0]);
    let Dividend {
        size,
        vector,
        square,
        rest,
        ..
    } = Dividend::of(x, a[0], math);
    let root = x.math(MathOp::Sqrt, &[square]);
    let after = size.pick(x, [0, 0, rest]);
    let length = fmul(x, root, after);
    let lengths = broadcast(x, length, ty);
    let unit = x.bin(BinaryOp::FDiv, vector, lengths);
    let none = zero(x, size.lane);
    let is_zero = x.fcmp(FloatCond::Oeq, size.most, none);
    let zeros = flushed(x, a[0]);
    x.select(is_zero, zeros, unit)
}

/// The same by the device's 1/sqrt, which Vulkan bounds by 2 ULP for the scaled vector's square; with
/// the errors of the sum and the products that is within the 2 + n ULP of n lanes. Any finite 1/sqrt keeps
/// a zero vector as it is.
pub(super) fn normalize_by_rsqrt(x: &mut Expander<'_>, a: &[Value], math: &MathOptions) -> Value {
    let ty = x.ty(a[0]);
    let Dividend {
        size,
        vector,
        square,
        factor,
        ..
    } = Dividend::of(x, a[0], math);
    let least = x.float(size.lane, f64::from(-126).exp2());
    let is_zero = x.fcmp(FloatCond::Olt, square, least);
    let square = x.select(is_zero, least, square);
    let inverse = x.math(MathOp::NativeRsqrt, &[square]);
    let inverse = fmul(x, inverse, factor);
    let inverses = broadcast(x, inverse, ty);
    fmul(x, vector, inverses)
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
