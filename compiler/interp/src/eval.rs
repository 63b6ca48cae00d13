//! Arithmetic on one lane: bits in, bits out.

use super::ErrorKind;
use super::float::{F16, Format, float_to_int, fma_f16, int_to_float, round_to_format};
use super::half::f16_to_f64;
use pumice_ir::{
    AtomicOp, BinaryOp, ConvertOp, FloatCond, IntCond, MathOp, Rounding, Scalar, UnaryOp,
};

/// Drops the bits above the type's width.
pub(super) fn truncate(scalar: Scalar, bits: u64) -> u64 {
    bits & (u64::MAX >> (64 - scalar.bits()))
}

/// The value as a signed number.
pub(super) fn signed(scalar: Scalar, bits: u64) -> i64 {
    let shift = 64 - scalar.bits();
    ((bits << shift) as i64) >> shift
}

fn float(scalar: Scalar, bits: u64) -> f64 {
    match scalar {
        Scalar::F16 => f16_to_f64(bits as u16),
        Scalar::F32 => f64::from(f32::from_bits(bits as u32)),
        _ => f64::from_bits(bits),
    }
}

/// Applies a function in the type's own precision. binary16 goes through binary64, which is
/// wide enough for one operation to round correctly.
fn float_op(
    scalar: Scalar,
    args: [u64; 2],
    single: impl Fn(f32, f32) -> f32,
    double: impl Fn(f64, f64) -> f64,
) -> u64 {
    let [a, b] = args;
    match scalar {
        Scalar::F16 => round_to_format(
            double(float(scalar, a), float(scalar, b)),
            F16,
            Rounding::Rte,
        ),
        Scalar::F32 => {
            u64::from(single(f32::from_bits(a as u32), f32::from_bits(b as u32)).to_bits())
        }
        _ => double(f64::from_bits(a), f64::from_bits(b)).to_bits(),
    }
}

pub(super) fn unary(op: UnaryOp, scalar: Scalar, a: u64) -> u64 {
    truncate(
        scalar,
        match op {
            UnaryOp::INeg => a.wrapping_neg(),
            UnaryOp::Not => !a,
            UnaryOp::FNeg => a ^ 1 << (scalar.bits() - 1),
        },
    )
}

pub(super) fn binary(op: BinaryOp, scalar: Scalar, a: u64, b: u64) -> u64 {
    let (sa, sb) = (signed(scalar, a), signed(scalar, b));
    let bits = scalar.bits();
    let count = b as u32 & (bits.max(1) - 1);
    let result = match op {
        BinaryOp::IAdd => a.wrapping_add(b),
        BinaryOp::ISub => a.wrapping_sub(b),
        BinaryOp::IMul => a.wrapping_mul(b),
        BinaryOp::SMulHi => ((i128::from(sa) * i128::from(sb)) >> bits) as u64,
        BinaryOp::UMulHi => ((u128::from(a) * u128::from(b)) >> bits) as u64,
        BinaryOp::SDiv if b == 0 => 0,
        BinaryOp::SDiv => sa.wrapping_div(sb) as u64,
        BinaryOp::UDiv => a.checked_div(b).unwrap_or(0),
        BinaryOp::SRem if b == 0 => 0,
        BinaryOp::SRem => sa.wrapping_rem(sb) as u64,
        BinaryOp::URem => a.checked_rem(b).unwrap_or(0),
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        BinaryOp::Xor => a ^ b,
        BinaryOp::Shl => a << count,
        BinaryOp::LShr => a >> count,
        BinaryOp::AShr => (sa >> count) as u64,
        BinaryOp::SMin => sa.min(sb) as u64,
        BinaryOp::SMax => sa.max(sb) as u64,
        BinaryOp::UMin => a.min(b),
        BinaryOp::UMax => a.max(b),
        BinaryOp::FAdd => float_op(scalar, [a, b], |a, b| a + b, |a, b| a + b),
        BinaryOp::FSub => float_op(scalar, [a, b], |a, b| a - b, |a, b| a - b),
        BinaryOp::FMul => float_op(scalar, [a, b], |a, b| a * b, |a, b| a * b),
        BinaryOp::FDiv => float_op(scalar, [a, b], |a, b| a / b, |a, b| a / b),
        BinaryOp::FRem => float_op(scalar, [a, b], |a, b| a % b, |a, b| a % b),
    };
    truncate(scalar, result)
}

pub(super) fn icmp(cond: IntCond, scalar: Scalar, a: u64, b: u64) -> bool {
    let (sa, sb) = (signed(scalar, a), signed(scalar, b));
    match cond {
        IntCond::Eq => a == b,
        IntCond::Ne => a != b,
        IntCond::Slt => sa < sb,
        IntCond::Sle => sa <= sb,
        IntCond::Sgt => sa > sb,
        IntCond::Sge => sa >= sb,
        IntCond::Ult => a < b,
        IntCond::Ule => a <= b,
        IntCond::Ugt => a > b,
        IntCond::Uge => a >= b,
    }
}

pub(super) fn fcmp(cond: FloatCond, scalar: Scalar, a: u64, b: u64) -> bool {
    let (a, b) = (float(scalar, a), float(scalar, b));
    let unordered = a.is_nan() || b.is_nan();
    match cond {
        FloatCond::Oeq => a == b,
        FloatCond::One => !unordered && a != b,
        FloatCond::Olt => a < b,
        FloatCond::Ole => a <= b,
        FloatCond::Ogt => a > b,
        FloatCond::Oge => a >= b,
        FloatCond::Ueq => unordered || a == b,
        FloatCond::Une => a != b,
        FloatCond::Ult => unordered || a < b,
        FloatCond::Ule => unordered || a <= b,
        FloatCond::Ugt => unordered || a > b,
        FloatCond::Uge => unordered || a >= b,
        FloatCond::Ord => !unordered,
        FloatCond::Uno => unordered,
    }
}

fn clamp(value: i128, scalar: Scalar, to_signed: bool) -> u64 {
    let bits = scalar.bits();
    let (low, high) = if to_signed {
        (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)
    } else {
        (0, (1i128 << bits) - 1)
    };
    truncate(scalar, value.clamp(low, high) as u64)
}

/// Lane-wise conversions other than `Bitcast` and `AddressSpaceCast`.
pub(super) fn convert(
    op: ConvertOp,
    from: Scalar,
    to: Scalar,
    bits: u64,
    rounding: Option<Rounding>,
) -> u64 {
    let to_int = rounding.unwrap_or(Rounding::Rtz);
    let to_float = rounding.unwrap_or(Rounding::Rte);
    let format = Format::of(to);
    let from_int = |value: i128| format.map_or(0, |f| int_to_float(value, f, to_float));
    match op {
        ConvertOp::SExt => truncate(to, signed(from, bits) as u64),
        ConvertOp::SatSToS => clamp(i128::from(signed(from, bits)), to, true),
        ConvertOp::SatSToU => clamp(i128::from(signed(from, bits)), to, false),
        ConvertOp::SatUToS => clamp(i128::from(bits), to, true),
        ConvertOp::SatUToU => clamp(i128::from(bits), to, false),
        // Out of range is unspecified for the plain forms; the nearest value serves.
        ConvertOp::FToS | ConvertOp::FToSSat => {
            clamp(float_to_int(float(from, bits), to_int), to, true)
        }
        ConvertOp::FToU | ConvertOp::FToUSat => {
            clamp(float_to_int(float(from, bits), to_int), to, false)
        }
        ConvertOp::SToF => from_int(i128::from(signed(from, bits))),
        ConvertOp::UToF => from_int(i128::from(bits)),
        ConvertOp::FToF => format.map_or(0, |f| round_to_format(float(from, bits), f, to_float)),
        ConvertOp::Trunc
        | ConvertOp::ZExt
        | ConvertOp::PtrToInt
        | ConvertOp::IntToPtr
        | ConvertOp::Bitcast
        | ConvertOp::AddressSpaceCast => truncate(to, bits),
    }
}

/// Vulkan's primitives. `Native…` gives the exact function rounded, a value that every device
/// approximates.
pub(super) fn math(op: MathOp, scalar: Scalar, args: &[u64]) -> Result<u64, ErrorKind> {
    let a = args.first().copied().unwrap_or(0);
    let b = args.get(1).copied().unwrap_or(0);
    let bits = scalar.bits();
    let one = |single: fn(f32) -> f32, double: fn(f64) -> f64| {
        float_op(scalar, [a, 0], |x, _| single(x), |x, _| double(x))
    };
    let wide = |double: fn(f64) -> f64| {
        let format = Format::of(scalar);
        format.map_or(0, |f| {
            round_to_format(double(float(scalar, a)), f, Rounding::Rte)
        })
    };
    Ok(match op {
        MathOp::Ocl(_) => return Err(ErrorKind::Unsupported(format!("math.{}", op.name()))),
        MathOp::Fma => {
            let c = args.get(2).copied().unwrap_or(0);
            match scalar {
                Scalar::F16 => u64::from(fma_f16(
                    float(scalar, a),
                    float(scalar, b),
                    float(scalar, c),
                )),
                Scalar::F32 => {
                    let f = |bits: u64| f32::from_bits(bits as u32);
                    u64::from(f(a).mul_add(f(b), f(c)).to_bits())
                }
                _ => f64::from_bits(a)
                    .mul_add(f64::from_bits(b), f64::from_bits(c))
                    .to_bits(),
            }
        }
        MathOp::Sqrt => one(f32::sqrt, f64::sqrt),
        MathOp::FAbs => a & !(1 << (bits - 1)),
        MathOp::Floor => one(f32::floor, f64::floor),
        MathOp::Ceil => one(f32::ceil, f64::ceil),
        MathOp::Trunc => one(f32::trunc, f64::trunc),
        MathOp::RoundEven => one(f32::round_ties_even, f64::round_ties_even),
        MathOp::FMin | MathOp::FMax => {
            let (x, y) = (float(scalar, a), float(scalar, b));
            let first = if op == MathOp::FMin { x < y } else { x > y };
            if y.is_nan() || (!x.is_nan() && first) {
                a
            } else {
                b
            }
        }
        MathOp::PopCount => u64::from(a.count_ones()),
        MathOp::Clz => u64::from(a.leading_zeros() - (64 - bits)),
        MathOp::Ctz => u64::from(a.trailing_zeros().min(bits)),
        MathOp::BitReverse => a.reverse_bits() >> (64 - bits),
        MathOp::IsNan => u64::from(float(scalar, a).is_nan()),
        MathOp::IsInf => u64::from(float(scalar, a).is_infinite()),
        MathOp::NativeSin => wide(f64::sin),
        MathOp::NativeCos => wide(f64::cos),
        MathOp::NativeExp2 => wide(f64::exp2),
        MathOp::NativeLog2 => wide(f64::log2),
        MathOp::NativeSqrt => wide(f64::sqrt),
        MathOp::NativeRsqrt => wide(|x| 1.0 / x.sqrt()),
    })
}

/// The new value of a read-modify-write operation.
pub(super) fn atomic(op: AtomicOp, scalar: Scalar, old: u64, value: u64) -> u64 {
    let via = |op| binary(op, scalar, old, value);
    let min_max = |op| math(op, scalar, &[old, value]).unwrap_or(value);
    match op {
        AtomicOp::Xchg => value,
        AtomicOp::Add => via(BinaryOp::IAdd),
        AtomicOp::Sub => via(BinaryOp::ISub),
        AtomicOp::SMin => via(BinaryOp::SMin),
        AtomicOp::SMax => via(BinaryOp::SMax),
        AtomicOp::UMin => via(BinaryOp::UMin),
        AtomicOp::UMax => via(BinaryOp::UMax),
        AtomicOp::And => via(BinaryOp::And),
        AtomicOp::Or => via(BinaryOp::Or),
        AtomicOp::Xor => via(BinaryOp::Xor),
        AtomicOp::FAdd => via(BinaryOp::FAdd),
        AtomicOp::FMin => min_max(MathOp::FMin),
        AtomicOp::FMax => min_max(MathOp::FMax),
    }
}
