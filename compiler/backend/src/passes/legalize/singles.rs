//! Arithmetic on halves in floats.
//!
//! Every operation widens its operands, which is exact, and rounds its result to a half. Both the half and the float
//! that it is are made, and operations take the float of an operand that has one; nothing uses the other form where all
//! users take one. A float has more than twice a half's bits and two more, so that rounding a sum, difference,
//! product, quotient or root twice gives what rounding it once does (Figueroa, 1995). That does not hold of fma: there
//! the sum is rounded to odd first.

use crate::expand::Expander;
use crate::passes::legalize::round_half::HalfRounding;
use pumice_ir::{
    BinaryOp, ConvertOp, FloatCond, FloatFlags, Inst, InstKind, IntCond, MathOp, Scalar, Type,
    UnaryOp, Value,
};
use pumice_numerics::half_to_f32;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

const SIGN: u64 = 0x8000;
const MAGNITUDE: u64 = 0x7fff;
const SIGN_OF_SINGLE: u64 = 0x8000_0000;
const MAGNITUDE_OF_SINGLE: u64 = 0x7fff_ffff;
const INFINITY: u64 = 0x7c00;

/// The form of the halves in a function.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Form {
    /// The I16 of its bits, which integers make a float and back.
    Bits,
    /// An F16, which the device makes a float. Integers make a float an F16.
    Half,
}

/// The floats of a function's halves.
#[derive(Debug)]
pub(crate) struct Singles {
    form: Form,
    of: FxHashMap<Value, Value>,
}

impl Singles {
    /// Knows the floats of no halves.
    pub fn new(form: Form) -> Self {
        Self {
            form,
            of: FxHashMap::default(),
        }
    }

    /// Computes what an instruction on halves does, in floats, and moves their floats with them; `None` if it does neither.
    pub fn computed(&mut self, x: &mut Expander<'_>, kind: InstKind, inst: Inst) -> Option<Value> {
        Some(match kind {
            InstKind::Select { .. }
            | InstKind::Build { .. }
            | InstKind::Splat { .. }
            | InstKind::Extract { .. }
            | InstKind::Insert { .. }
            | InstKind::Shuffle { .. } => return self.moved(x, kind, inst),
            InstKind::Unary {
                op: UnaryOp::FNeg,
                arg,
            } => self.bitwise(x, BinaryOp::Xor, arg, (SIGN, SIGN_OF_SINGLE)),
            InstKind::Binary { op, args, flags } => {
                let [a, b] = args.map(|arg| self.widened(x, arg));
                let value = x.fbin(op, a, b, flags - FloatFlags::CONTRACT);
                self.rounded(x, value)
            }
            InstKind::FCmp { cond, args, .. } => {
                let [a, b] = args.map(|arg| self.widened(x, arg));
                x.fcmp(cond, a, b)
            }
            InstKind::Math { op, args, .. } => self.math(x, op, &args),
            _ => return None,
        })
    }

    fn math(&mut self, x: &mut Expander<'_>, op: MathOp, args: &[Value]) -> Value {
        match op {
            MathOp::FAbs => {
                let magnitudes = (MAGNITUDE, MAGNITUDE_OF_SINGLE);
                self.bitwise(x, BinaryOp::And, args[0], magnitudes)
            }
            MathOp::IsNan | MathOp::IsInf => {
                let bits = x.bits_of(args[0]);
                let magnitude = x.bin_const(BinaryOp::And, bits, MAGNITUDE);
                let cond = match op {
                    MathOp::IsNan => IntCond::Ugt,
                    _ => IntCond::Eq,
                };
                x.icmp_const(cond, magnitude, INFINITY)
            }
            MathOp::Fma => {
                let [a, b, c] = [args[0], args[1], args[2]].map(|arg| self.widened(x, arg));
                let sum = x.fma_to_odd(a, b, c);
                self.rounded(x, sum)
            }
            MathOp::FMin | MathOp::FMax if self.form == Form::Half => {
                let [a, b] = [args[0], args[1]].map(|arg| self.widened(x, arg));
                let cond = match op {
                    MathOp::FMin => FloatCond::Olt,
                    _ => FloatCond::Ogt,
                };
                let beyond = x.fcmp(cond, a, b);
                let no_number = x.fcmp(FloatCond::Une, b, b);
                let first = x.bin(BinaryOp::Or, beyond, no_number);
                let half = x.select(first, args[0], args[1]);
                let single = x.select(first, a, b);
                self.of.insert(half, single);
                half
            }
            _ => {
                let wide: SmallVec<[Value; 3]> =
                    args.iter().map(|&arg| self.widened(x, arg)).collect();
                let value = x.math(op, &wide);
                self.rounded(x, value)
            }
        }
    }

    /// Applies an operation to a half's bits, and to those of its float if it has one; the constants are for these two.
    fn bitwise(
        &mut self,
        x: &mut Expander<'_>,
        op: BinaryOp,
        half: Value,
        constants: (u64, u64),
    ) -> Value {
        let ty = x.ty(half);
        let bits = x.bits_of(half);
        // Mesa finds negations and magnitudes in these operations, but not in a sum and a minimum.
        let bits = match (self.form, op) {
            (Form::Bits, _) => x.bin_const(op, bits, constants.0),
            (Form::Half, BinaryOp::Xor) => x.bin_const(BinaryOp::IAdd, bits, SIGN),
            (Form::Half, _) => {
                let negated = x.bin_const(BinaryOp::Xor, bits, SIGN);
                x.bin(BinaryOp::UMin, bits, negated)
            }
        };
        let result = x.convert(ConvertOp::Bitcast, bits, ty);
        if let Some(&single) = self.of.get(&half) {
            let ty = x.ty(single);
            let bits = x.bits_of(single);
            let bits = x.bin_const(op, bits, constants.1);
            let single = x.convert(ConvertOp::Bitcast, bits, ty);
            self.of.insert(result, single);
        }
        result
    }

    /// Moves the floats of halves as an instruction moves the halves, if each of them has one.
    fn moved(&mut self, x: &mut Expander<'_>, kind: InstKind, inst: Inst) -> Option<Value> {
        let result = *x.func.insts[inst].results.first()?;
        let ty = x.ty(result).with_scalar(Scalar::F32);
        let half = match self.form {
            Form::Bits => Scalar::I16,
            Form::Half => Scalar::F16,
        };
        let mut of_singles = kind.clone();
        let mut complete = true;
        of_singles.for_each_value_mut(|value| {
            if x.func.ty(*value).scalar == half {
                match self.known(x, *value) {
                    Some(single) => *value = single,
                    None => complete = false,
                }
            }
        });
        if !complete {
            return None;
        }
        let half = x.value(kind, x.ty(result));
        let single = x.value(of_singles, ty);
        self.of.insert(half, single);
        Some(half)
    }

    /// The float of a half that has been made before, or of a constant.
    fn known(&self, x: &mut Expander<'_>, half: Value) -> Option<Value> {
        if let Some(&single) = self.of.get(&half) {
            return Some(single);
        }
        let lanes = x.func.const_lanes(half)?;
        let numbers: SmallVec<[u64; 4]> = (lanes.iter())
            .map(|&bits| u64::from(half_to_f32(bits as u16).to_bits()))
            .collect();
        let ty = x.ty(half).with_scalar(Scalar::F32);
        Some(x.func.constant(ty, &numbers))
    }

    /// Makes a half a float, which is exact.
    pub fn widened(&self, x: &mut Expander<'_>, half: Value) -> Value {
        if let Some(single) = self.known(x, half) {
            return single;
        }
        if self.form == Form::Bits {
            return single_of_bits(x, half);
        }
        let ty = x.ty(half).with_scalar(Scalar::F32);
        let single = x.convert(ConvertOp::FToF, half, ty);
        // LLVM puts a comparison of halves in the place of one of floats that were halves, and the like. A sign
        // that the float has already keeps it from that.
        let bits = x.bits_of(half);
        let single = x.bits_of(single);
        let words = x.ty(single);
        let bits = x.convert(ConvertOp::SExt, bits, words);
        let sign = x.bin_const(BinaryOp::And, bits, SIGN_OF_SINGLE);
        let single = x.bin(BinaryOp::Or, single, sign);
        x.convert(ConvertOp::Bitcast, single, ty)
    }

    /// The half nearest to a float. The float that it is, is kept.
    pub fn rounded(&mut self, x: &mut Expander<'_>, value: Value) -> Value {
        let rounding = HalfRounding::of(x, value);
        let mut half = rounding.bits(x);
        if self.form == Form::Half {
            let ty = x.ty(value).with_scalar(Scalar::F16);
            half = x.convert(ConvertOp::Bitcast, half, ty);
        }
        let single = rounding.single(x);
        self.of.insert(half, single);
        half
    }
}

/// Returns whether a type is a half, or a vector of them.
pub(crate) fn is_half(ty: Type) -> bool {
    ty.scalar == Scalar::F16
}

/// Converts a half's bits to a float, exactly. A denormal half is a normal float, which is made from the
/// significand as an integer: so it does not matter how the device treats denormals.
fn single_of_bits(x: &mut Expander<'_>, half: Value) -> Value {
    let words = x.ty(half).with_scalar(Scalar::I32);
    let single = words.with_scalar(Scalar::F32);
    let bits = x.convert(ConvertOp::ZExt, half, words);
    let sign = x.bin_const(BinaryOp::And, bits, SIGN);
    let sign = x.bin_const(BinaryOp::Shl, sign, 16);
    let magnitude = x.bin_const(BinaryOp::And, bits, MAGNITUDE);
    let moved = x.bin_const(BinaryOp::Shl, magnitude, 13);
    let normal = x.bin_const(BinaryOp::IAdd, moved, (127 - 15) << 23);
    // Infinity and NaN have the largest exponent in both.
    let special = x.bin_const(BinaryOp::IAdd, moved, (255 - 31) << 23);
    let is_special = x.icmp_const(IntCond::Uge, magnitude, INFINITY);
    let normal = x.select(is_special, special, normal);
    let small = x.convert(ConvertOp::SToF, magnitude, single);
    let unit = x.float(single, (-24f64).exp2());
    let small = x.bin(BinaryOp::FMul, small, unit);
    let small = x.bits_of(small);
    let is_small = x.icmp_const(IntCond::Ult, magnitude, 0x400);
    let magnitude = x.select(is_small, small, normal);
    let bits = x.bin(BinaryOp::Or, magnitude, sign);
    x.convert(ConvertOp::Bitcast, bits, single)
}
