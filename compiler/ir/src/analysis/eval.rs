//! Exact evaluation of operations on constant bit patterns, one lane at a time.
//!
//! Takes and gives zero-extended bit patterns as [`crate::ValueDef::Const`] holds them.
//! `None` means that the result is unspecified or depends on the device.

use crate::{BinaryOp, ConvertOp, FloatCond, IntCond, MathOp, Scalar, Type, UnaryOp};
use pumice_numerics::{
    FloatFormat, Rounding, convert as convert_float, decode, half_from_f32, half_to_f32,
    half_to_f64, pack, to_integer,
};
use smallvec::SmallVec;

/// Keeps the bits that the scalar has.
pub fn mask(scalar: Scalar, bits: u64) -> u64 {
    match scalar.bits() {
        64 => bits,
        width => bits & ((1 << width) - 1),
    }
}

/// Sign-extends from the scalar's width.
pub fn sign_extend(scalar: Scalar, bits: u64) -> i64 {
    let shift = 64 - scalar.bits();
    ((bits << shift) as i64) >> shift
}

/// One-operand arithmetic.
pub fn unary(op: UnaryOp, scalar: Scalar, a: u64) -> Option<u64> {
    Some(mask(
        scalar,
        match op {
            UnaryOp::INeg => a.wrapping_neg(),
            UnaryOp::Not => !a,
            UnaryOp::FNeg => a ^ (1 << (scalar.bits() - 1)),
        },
    ))
}

/// Two-operand arithmetic.
pub fn binary(op: BinaryOp, scalar: Scalar, a: u64, b: u64) -> Option<u64> {
    let (sa, sb) = (sign_extend(scalar, a), sign_extend(scalar, b));
    let width = scalar.bits();
    // Shift counts are taken modulo the width.
    let count = (b % u64::from(width)) as u32;
    let bits = match op {
        BinaryOp::IAdd => a.wrapping_add(b),
        BinaryOp::ISub => a.wrapping_sub(b),
        BinaryOp::IMul => a.wrapping_mul(b),
        BinaryOp::SMulHi => ((i128::from(sa) * i128::from(sb)) >> width) as u64,
        BinaryOp::UMulHi => ((u128::from(a) * u128::from(b)) >> width) as u64,
        BinaryOp::UDiv => a.checked_div(b)?,
        BinaryOp::URem => a.checked_rem(b)?,
        BinaryOp::SDiv | BinaryOp::SRem => {
            let min = i64::MIN >> (64 - width);
            if sb == 0 || (sa == min && sb == -1) {
                return None;
            }
            if op == BinaryOp::SDiv {
                (sa / sb) as u64
            } else {
                (sa % sb) as u64
            }
        }
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
        BinaryOp::FAdd | BinaryOp::FSub | BinaryOp::FMul | BinaryOp::FDiv | BinaryOp::FRem => {
            return float_binary(op, scalar, a, b);
        }
    };
    Some(mask(scalar, bits))
}

fn float_binary(op: BinaryOp, scalar: Scalar, a: u64, b: u64) -> Option<u64> {
    macro_rules! apply {
        ($a:expr, $b:expr) => {
            match op {
                BinaryOp::FAdd => $a + $b,
                BinaryOp::FSub => $a - $b,
                BinaryOp::FMul => $a * $b,
                BinaryOp::FDiv => $a / $b,
                BinaryOp::FRem => $a % $b,
                _ => return None,
            }
        };
    }
    Some(match scalar {
        Scalar::F32 => {
            u64::from(apply!(f32::from_bits(a as u32), f32::from_bits(b as u32)).to_bits())
        }
        Scalar::F64 => apply!(f64::from_bits(a), f64::from_bits(b)).to_bits(),
        // f32 has more than twice the precision of f16 plus two bits, so that rounding
        // twice gives what rounding once gives.
        Scalar::F16 => half_from_f32(apply!(half_to_f32(a as u16), half_to_f32(b as u16))).into(),
        _ => return None,
    })
}

/// Integer and pointer comparison.
pub fn icmp(cond: IntCond, scalar: Scalar, a: u64, b: u64) -> bool {
    let (sa, sb) = (sign_extend(scalar, a), sign_extend(scalar, b));
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

/// A float of any width as f64; exact.
pub fn to_f64(scalar: Scalar, bits: u64) -> Option<f64> {
    Some(match scalar {
        Scalar::F16 => half_to_f64(bits as u16),
        Scalar::F32 => f64::from(f32::from_bits(bits as u32)),
        Scalar::F64 => f64::from_bits(bits),
        _ => return None,
    })
}

/// Floating comparison.
pub fn fcmp(cond: FloatCond, scalar: Scalar, a: u64, b: u64) -> Option<bool> {
    use std::cmp::Ordering::{Equal, Greater, Less};
    let order = to_f64(scalar, a)?.partial_cmp(&to_f64(scalar, b)?);
    Some(match cond {
        FloatCond::Oeq => order == Some(Equal),
        FloatCond::One => matches!(order, Some(Less | Greater)),
        FloatCond::Olt => order == Some(Less),
        FloatCond::Ole => matches!(order, Some(Less | Equal)),
        FloatCond::Ogt => order == Some(Greater),
        FloatCond::Oge => matches!(order, Some(Greater | Equal)),
        FloatCond::Ueq => matches!(order, None | Some(Equal)),
        FloatCond::Une => order != Some(Equal),
        FloatCond::Ult => matches!(order, None | Some(Less)),
        FloatCond::Ule => order != Some(Greater),
        FloatCond::Ugt => matches!(order, None | Some(Greater)),
        FloatCond::Uge => order != Some(Less),
        FloatCond::Ord => order.is_some(),
        FloatCond::Uno => order.is_none(),
    })
}

/// Conversion of one lane; `Bitcast` between types of other lane counts is [`bitcast`].
pub fn convert(
    op: ConvertOp,
    from: Scalar,
    to: Scalar,
    rounding: Option<Rounding>,
    a: u64,
) -> Option<u64> {
    let signed = sign_extend(from, a);
    let width = to.bits();
    let (smin, smax) = (i64::MIN >> (64 - width), i64::MAX >> (64 - width));
    let umax = u64::MAX >> (64 - width);
    let bits = match op {
        ConvertOp::Trunc | ConvertOp::ZExt | ConvertOp::Bitcast => a,
        ConvertOp::SExt => signed as u64,
        ConvertOp::SatSToS => signed.clamp(smin, smax) as u64,
        ConvertOp::SatSToU => (signed.max(0) as u64).min(umax),
        ConvertOp::SatUToS => a.min(smax as u64),
        ConvertOp::SatUToU => a.min(umax),
        ConvertOp::FToS | ConvertOp::FToU | ConvertOp::FToSSat | ConvertOp::FToUSat => {
            let to_signed = matches!(op, ConvertOp::FToS | ConvertOp::FToSSat);
            let saturate = matches!(op, ConvertOp::FToSSat | ConvertOp::FToUSat);
            let (low, high) = if to_signed {
                (i128::from(smin), i128::from(smax))
            } else {
                (0, i128::from(umax))
            };
            match to_integer(
                &decode(from.float_format()?, a),
                rounding.unwrap_or(Rounding::Rtz),
            ) {
                Some(value) if (low..=high).contains(&value) => value as u64,
                Some(value) if saturate => value.clamp(low, high) as u64,
                None if saturate => 0,
                _ => return None,
            }
        }
        ConvertOp::SToF => pack(
            to.float_format()?,
            signed < 0,
            signed.unsigned_abs(),
            0,
            rounding.unwrap_or(Rounding::Rte),
        ),
        ConvertOp::UToF => pack(
            to.float_format()?,
            false,
            a,
            0,
            rounding.unwrap_or(Rounding::Rte),
        ),
        ConvertOp::FToF => convert_float(
            from.float_format()?,
            to.float_format()?,
            a,
            rounding.unwrap_or(Rounding::Rte),
        ),
        // Addresses are numbers only for NULL.
        ConvertOp::PtrToInt | ConvertOp::IntToPtr => a,
        ConvertOp::AddressSpaceCast => return (a == 0).then_some(0),
    };
    Some(mask(to, bits))
}

/// Same bits as lanes of another type.
pub fn bitcast(from: Type, to: Type, lanes: &[u64]) -> Option<SmallVec<[u64; 16]>> {
    if from.scalar == Scalar::Bool || to.scalar == Scalar::Bool {
        return (from == to).then(|| SmallVec::from_slice(lanes));
    }
    if from.access_bytes() != to.access_bytes() {
        return None;
    }
    let mut bytes: SmallVec<[u8; 128]> = SmallVec::new();
    for lane in lanes {
        bytes.extend_from_slice(&lane.to_le_bytes()[..from.scalar.bytes() as usize]);
    }
    Some(
        bytes
            .chunks(to.scalar.bytes() as usize)
            .map(|chunk| {
                let mut word = [0; 8];
                word[..chunk.len()].copy_from_slice(chunk);
                u64::from_le_bytes(word)
            })
            .collect(),
    )
}

/// Mathematical operations whose result is the same on every device.
pub fn math(op: MathOp, scalar: Scalar, args: &[u64]) -> Option<u64> {
    let (&a, width) = (args.first()?, scalar.bits());
    let rounded = |f64_op: fn(f64) -> f64| {
        let value = f64_op(to_f64(scalar, a)?);
        Some(convert_float(
            FloatFormat::Double,
            scalar.float_format()?,
            value.to_bits(),
            Rounding::Rte,
        ))
    };
    Some(match op {
        MathOp::FAbs => a & !(1 << (width - 1)),
        MathOp::Floor => rounded(f64::floor)?,
        MathOp::Ceil => rounded(f64::ceil)?,
        MathOp::Trunc => rounded(f64::trunc)?,
        MathOp::RoundEven => rounded(f64::round_ties_even)?,
        MathOp::FMin | MathOp::FMax => {
            let b = *args.get(1)?;
            let (x, y) = (to_f64(scalar, a)?, to_f64(scalar, b)?);
            let first = if x.is_nan() {
                false
            } else if y.is_nan() {
                true
            } else if op == MathOp::FMin {
                x <= y
            } else {
                x >= y
            };
            if first { a } else { b }
        }
        MathOp::Fma => match (scalar, args) {
            (Scalar::F32, &[a, b, c]) => u64::from(
                f32::from_bits(a as u32)
                    .mul_add(f32::from_bits(b as u32), f32::from_bits(c as u32))
                    .to_bits(),
            ),
            (Scalar::F64, &[a, b, c]) => f64::from_bits(a)
                .mul_add(f64::from_bits(b), f64::from_bits(c))
                .to_bits(),
            _ => return None,
        },
        MathOp::Sqrt => match scalar {
            Scalar::F32 => u64::from(f32::from_bits(a as u32).sqrt().to_bits()),
            Scalar::F64 => f64::from_bits(a).sqrt().to_bits(),
            Scalar::F16 => half_from_f32(half_to_f32(a as u16).sqrt()).into(),
            _ => return None,
        },
        MathOp::PopCount => u64::from(a.count_ones()),
        MathOp::Clz => u64::from(a.leading_zeros() - (64 - width)),
        MathOp::Ctz => u64::from(a.trailing_zeros().min(width)),
        MathOp::BitReverse => a.reverse_bits() >> (64 - width),
        MathOp::IsNan => u64::from(to_f64(scalar, a)?.is_nan()),
        MathOp::IsInf => u64::from(to_f64(scalar, a)?.is_infinite()),
        MathOp::Ocl(_)
        | MathOp::NativeSin
        | MathOp::NativeCos
        | MathOp::NativeExp2
        | MathOp::NativeLog2
        | MathOp::NativeSqrt
        | MathOp::NativeRsqrt => return None,
    })
}
