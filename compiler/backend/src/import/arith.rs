//! Lane-wise instructions: arithmetic, comparisons, conversions, selects.

use super::body::Body;
use super::locals::Leaves;
use super::ops;
use super::reader::{Inst, Result};
use pumice_ir::{
    BinaryOp, ConvertOp, FloatCond, FloatFlags, InstKind, IntCond, MathOp, Rounding, Scalar, Type,
    UnaryOp, Value,
};
use rspirv::spirv::{Decoration, FPRoundingMode, Op};
use smallvec::SmallVec;

impl Body<'_, '_> {
    /// Imports a lane-wise instruction; false if the opcode is none.
    pub(super) fn arith(&mut self, inst: &Inst<'_>) -> Result<bool> {
        if let Some(op) = ops::binary(inst.op) {
            self.binary_inst(inst, op)?;
        } else if let Some(op) = ops::unary(inst.op) {
            let arg = self.arg(inst, 0)?;
            let ty = self.func.ty(arg);
            if !op.takes(ty.scalar) {
                return Err(inst.error("the operand's type is wrong"));
            }
            let value = self.emit(InstKind::Unary { op, arg }, ty);
            self.define_value(inst, value)?;
        } else if let Some(cond) = ops::icmp(inst.op) {
            let args = self.pair(inst, |s| s.is_int() || s.is_ptr())?;
            let value = self.icmp(cond, args);
            self.define_value(inst, value)?;
        } else if let Some(cond) = ops::fcmp(inst.op) {
            let args = self.pair(inst, Scalar::is_float)?;
            let flags = self.float_flags(inst.id);
            let ty = self.func.ty(args[0]).as_bool();
            let value = self.emit(InstKind::FCmp { cond, args, flags }, ty);
            self.define_value(inst, value)?;
        } else {
            return self.other_arith(inst);
        }
        Ok(true)
    }

    fn other_arith(&mut self, inst: &Inst<'_>) -> Result<bool> {
        let value = match inst.op {
            Op::LogicalEqual => {
                let args = self.pair(inst, |s| s == Scalar::Bool)?;
                let differ = self.binary(BinaryOp::Xor, args);
                self.unary(UnaryOp::Not, differ)
            }
            Op::SMod | Op::FMod => self.floored_modulo(inst)?,
            Op::VectorTimesScalar => {
                let (vector, scalar) = (self.arg(inst, 0)?, self.arg(inst, 1)?);
                let ty = self.func.ty(vector);
                if !ty.is_vector() || !ty.scalar.is_float() || self.func.ty(scalar) != ty.lane() {
                    return Err(inst.error("the operands' types are wrong"));
                }
                let splat = self.emit(InstKind::Splat { arg: scalar }, ty);
                let flags = self.sum_flags(inst.id);
                self.binary_with(BinaryOp::FMul, [vector, splat], flags)
            }
            Op::Dot => self.dot(inst)?,
            Op::Any | Op::All => {
                let arg = self.arg(inst, 0)?;
                if self.func.ty(arg).scalar != Scalar::Bool {
                    return Err(inst.error("the operand is not a bool vector"));
                }
                let op = if inst.op == Op::Any {
                    BinaryOp::Or
                } else {
                    BinaryOp::And
                };
                self.reduce(op, arg, FloatFlags::empty())
            }
            Op::IsNan | Op::IsInf | Op::IsFinite | Op::IsNormal | Op::SignBitSet => {
                self.classify(inst)?
            }
            Op::Select => return self.select(inst).map(|()| true),
            Op::IAddCarry | Op::ISubBorrow | Op::UMulExtended | Op::SMulExtended => {
                return self.extended(inst).map(|()| true);
            }
            op if ops::is_conversion(op) => self.conversion(inst)?,
            Op::Bitcast => {
                let arg = self.arg(inst, 0)?;
                let (_, to) = self.result_type(inst)?;
                self.bitcast(inst, arg, to)?
            }
            Op::ConvertPtrToU => {
                let arg = self.arg(inst, 0)?;
                let (_, to) = self.result_type(inst)?;
                let wide = self.bitcast(inst, arg, Type::I64)?;
                self.resize_int(inst, wide, to)?
            }
            Op::ConvertUToPtr => {
                let arg = self.arg(inst, 0)?;
                let (_, to) = self.result_type(inst)?;
                let wide = self.resize_int(inst, arg, Type::I64)?;
                self.bitcast(inst, wide, to)?
            }
            Op::BitCount => {
                let arg = self.arg(inst, 0)?;
                let (_, to) = self.result_type(inst)?;
                let count = self.math(inst, MathOp::PopCount, arg)?;
                self.resize_int(inst, count, to)?
            }
            Op::BitReverse => {
                let arg = self.arg(inst, 0)?;
                self.math(inst, MathOp::BitReverse, arg)?
            }
            Op::BitFieldInsert | Op::BitFieldSExtract | Op::BitFieldUExtract => {
                // Its shifts are not the program's: checks leave out what has no place in the source.
                let loc = std::mem::take(&mut self.loc);
                let value = self.bit_field(inst);
                self.loc = loc;
                value?
            }
            _ => return Ok(false),
        };
        self.define_value(inst, value)?;
        Ok(true)
    }

    /// The optimiser's freedom with a sum or a product.
    pub(super) fn sum_flags(&self, id: u32) -> FloatFlags {
        // FPFastMathMode decides where it stands, AllowContract or not.
        let decided = self
            .pre
            .decoration(id, Decoration::FPFastMathMode)
            .is_some();
        if self.decls.contracts && !decided {
            return FloatFlags::CONTRACT;
        }
        self.float_flags(id)
    }

    /// The optimiser's freedom in two-operand arithmetic.
    pub(super) fn binary_flags(&self, id: u32, op: BinaryOp) -> FloatFlags {
        match op {
            BinaryOp::FAdd | BinaryOp::FSub | BinaryOp::FMul => self.sum_flags(id),
            _ => self.float_flags(id),
        }
    }

    /// The optimiser's freedom from the FPFastMathMode decoration.
    pub(super) fn float_flags(&self, id: u32) -> FloatFlags {
        let Some(deco) = self.pre.decoration(id, Decoration::FPFastMathMode) else {
            return FloatFlags::empty();
        };
        let bits = deco.args.first().copied().unwrap_or(0);
        // Fast allows everything.
        if bits & 0x10 != 0 {
            return FloatFlags::FAST;
        }
        let mut flags = FloatFlags::from_bits_truncate((bits & 0xF) as u8);
        if bits & 0x1_0000 != 0 {
            flags |= FloatFlags::CONTRACT;
        }
        if bits & 0x2_0000 != 0 {
            flags |= FloatFlags::REASSOC;
        }
        flags
    }

    /// The first two operands, of one type that fits.
    fn pair(&mut self, inst: &Inst<'_>, fits: impl Fn(Scalar) -> bool) -> Result<[Value; 2]> {
        let args = [self.arg(inst, 0)?, self.arg(inst, 1)?];
        let ty = self.func.ty(args[0]);
        if ty != self.func.ty(args[1]) || !fits(ty.scalar) {
            return Err(inst.error("the operands' types are wrong"));
        }
        Ok(args)
    }

    fn binary_inst(&mut self, inst: &Inst<'_>, op: BinaryOp) -> Result<()> {
        let mut args = [self.arg(inst, 0)?, self.arg(inst, 1)?];
        let ty = self.func.ty(args[0]);
        if ops::is_shift(op) {
            args[1] = self.resize_int(inst, args[1], ty)?;
        }
        if !op.takes(ty.scalar) || self.func.ty(args[1]) != ty {
            return Err(inst.error("the operands' types are wrong"));
        }
        let flags = self.binary_flags(inst.id, op);
        let value = self.binary_with(op, args, flags);
        self.define_value(inst, value)
    }

    pub(super) fn binary(&mut self, op: BinaryOp, args: [Value; 2]) -> Value {
        self.binary_with(op, args, FloatFlags::empty())
    }

    pub(super) fn binary_with(
        &mut self,
        op: BinaryOp,
        args: [Value; 2],
        flags: FloatFlags,
    ) -> Value {
        let ty = self.func.ty(args[0]);
        self.emit(InstKind::Binary { op, args, flags }, ty)
    }

    pub(super) fn unary(&mut self, op: UnaryOp, arg: Value) -> Value {
        let ty = self.func.ty(arg);
        self.emit(InstKind::Unary { op, arg }, ty)
    }

    pub(super) fn icmp(&mut self, cond: IntCond, args: [Value; 2]) -> Value {
        let ty = self.func.ty(args[0]).as_bool();
        self.emit(InstKind::ICmp { cond, args }, ty)
    }

    pub(super) fn select_value(&mut self, cond: Value, then: Value, other: Value) -> Value {
        let ty = self.func.ty(then);
        self.emit(InstKind::Select { cond, then, other }, ty)
    }

    fn math(&mut self, inst: &Inst<'_>, op: MathOp, arg: Value) -> Result<Value> {
        let ty = self.func.ty(arg);
        let result = match op {
            MathOp::IsNan | MathOp::IsInf if ty.scalar.is_float() => ty.as_bool(),
            MathOp::PopCount | MathOp::BitReverse if ty.scalar.is_int() => ty,
            MathOp::FAbs if ty.scalar.is_float() => ty,
            _ => return Err(inst.error("the operand's type is wrong")),
        };
        Ok(self.emit(
            InstKind::Math {
                op,
                args: SmallVec::from_elem(arg, 1),
                flags: FloatFlags::empty(),
            },
            result,
        ))
    }

    /// Combines the lanes of a vector from the first to the last.
    pub(super) fn reduce(&mut self, op: BinaryOp, vector: Value, flags: FloatFlags) -> Value {
        let ty = self.func.ty(vector);
        let mut sum = None;
        for lane in 0..ty.lanes {
            let part = if ty.is_vector() {
                self.emit(InstKind::Extract { vector, lane }, ty.lane())
            } else {
                vector
            };
            sum = Some(match sum {
                Some(sum) => self.binary_with(op, [sum, part], flags),
                None => part,
            });
        }
        sum.unwrap_or(vector)
    }

    /// The sum of the lanes' products. Its error is bounded as a whole (OpenCL C 3.0, relative error as ULPs), so
    /// that it is contracted where expressions are not.
    fn dot(&mut self, inst: &Inst<'_>) -> Result<Value> {
        let args = self.pair(inst, Scalar::is_float)?;
        let ty = self.func.ty(args[0]);
        let flags = self.sum_flags(inst.id) | FloatFlags::CONTRACT;
        let mut sum = None;
        for lane in 0..ty.lanes {
            let factors = match ty.is_vector() {
                true => args.map(|vector| self.emit(InstKind::Extract { vector, lane }, ty.lane())),
                false => args,
            };
            let product = self.binary_with(BinaryOp::FMul, factors, flags);
            sum = Some(match sum {
                Some(sum) => self.binary_with(BinaryOp::FAdd, [sum, product], flags),
                None => product,
            });
        }
        sum.ok_or_else(|| inst.error("the operand has no lanes"))
    }

    /// Modulo with the sign of the divisor.
    fn floored_modulo(&mut self, inst: &Inst<'_>) -> Result<Value> {
        let float = inst.op == Op::FMod;
        let args = self.pair(inst, |s| if float { s.is_float() } else { s.is_int() })?;
        let ty = self.func.ty(args[0]);
        let zero = self.func.splat_constant(ty, 0);
        let flags = FloatFlags::empty();
        let less = |body: &mut Self, value| {
            let kind = if float {
                InstKind::FCmp {
                    cond: FloatCond::Olt,
                    args: [value, zero],
                    flags,
                }
            } else {
                InstKind::ICmp {
                    cond: IntCond::Slt,
                    args: [value, zero],
                }
            };
            body.emit(kind, ty.as_bool())
        };
        let (rem_op, add_op) = if float {
            (BinaryOp::FRem, BinaryOp::FAdd)
        } else {
            (BinaryOp::SRem, BinaryOp::IAdd)
        };
        let rem = self.binary(rem_op, args);
        let nonzero = if float {
            self.emit(
                InstKind::FCmp {
                    cond: FloatCond::Une,
                    args: [rem, zero],
                    flags,
                },
                ty.as_bool(),
            )
        } else {
            self.is_nonzero(rem)
        };
        let (rem_less, divisor_less) = (less(self, rem), less(self, args[1]));
        let signs_differ = self.binary(BinaryOp::Xor, [rem_less, divisor_less]);
        let fix = self.binary(BinaryOp::And, [nonzero, signs_differ]);
        let sum = self.binary(add_op, [rem, args[1]]);
        Ok(self.select_value(fix, sum, rem))
    }

    fn classify(&mut self, inst: &Inst<'_>) -> Result<Value> {
        let arg = self.arg(inst, 0)?;
        let ty = self.func.ty(arg);
        match inst.op {
            Op::IsNan => return self.math(inst, MathOp::IsNan, arg),
            Op::IsInf => return self.math(inst, MathOp::IsInf, arg),
            _ => {}
        }
        let int = Scalar::int_of_bits(ty.scalar.bits())
            .filter(|_| ty.scalar.is_float())
            .ok_or_else(|| inst.error("the operand is not a float"))?;
        let int_ty = ty.with_scalar(int);
        let bits = self.convert(ConvertOp::Bitcast, arg, int_ty);
        if inst.op == Op::SignBitSet {
            let zero = self.func.splat_constant(int_ty, 0);
            return Ok(self.icmp(IntCond::Slt, [bits, zero]));
        }
        let mantissa = match ty.scalar {
            Scalar::F16 => 10,
            Scalar::F32 => 23,
            _ => 52,
        };
        let width = ty.scalar.bits();
        let magnitude_mask = self.func.splat_constant(int_ty, u64::MAX >> (65 - width));
        let magnitude = self.binary(BinaryOp::And, [bits, magnitude_mask]);
        let infinity_bits = (1u64 << (width - 1)) - (1 << mantissa);
        let infinity = self.func.splat_constant(int_ty, infinity_bits);
        let finite = self.icmp(IntCond::Ult, [magnitude, infinity]);
        if inst.op == Op::IsFinite {
            return Ok(finite);
        }
        let smallest = self.func.splat_constant(int_ty, 1 << mantissa);
        let no_subnormal = self.icmp(IntCond::Uge, [magnitude, smallest]);
        Ok(self.binary(BinaryOp::And, [finite, no_subnormal]))
    }

    fn select(&mut self, inst: &Inst<'_>) -> Result<()> {
        let cond = self.arg(inst, 0)?;
        let (_, then) = self.leaves(inst, inst.arg(1)?)?;
        let (_, other) = self.leaves(inst, inst.arg(2)?)?;
        let cond_ty = self.func.ty(cond);
        if cond_ty.scalar != Scalar::Bool || then.len() != other.len() {
            return Err(inst.error("the operands' types are wrong"));
        }
        let mut leaves = Leaves::new();
        for (&then, &other) in then.iter().zip(&other) {
            let ty = self.func.ty(then);
            if ty != self.func.ty(other) || (cond_ty.lanes != 1 && cond_ty.lanes != ty.lanes) {
                return Err(inst.error("the operands' types are wrong"));
            }
            leaves.push(self.select_value(cond, then, other));
        }
        self.define_leaves(inst, leaves)
    }

    /// Instructions with a low and a high or carry part.
    fn extended(&mut self, inst: &Inst<'_>) -> Result<()> {
        let args = self.pair(inst, Scalar::is_int)?;
        let ty = self.func.ty(args[0]);
        let (low, high) = match inst.op {
            Op::IAddCarry => {
                let sum = self.binary(BinaryOp::IAdd, args);
                let carry = self.icmp(IntCond::Ult, [sum, args[0]]);
                (sum, self.convert(ConvertOp::ZExt, carry, ty))
            }
            Op::ISubBorrow => {
                let difference = self.binary(BinaryOp::ISub, args);
                let borrow = self.icmp(IntCond::Ult, args);
                (difference, self.convert(ConvertOp::ZExt, borrow, ty))
            }
            _ => {
                let high = if inst.op == Op::UMulExtended {
                    BinaryOp::UMulHi
                } else {
                    BinaryOp::SMulHi
                };
                (self.binary(BinaryOp::IMul, args), self.binary(high, args))
            }
        };
        self.define_leaves(inst, Leaves::from_slice(&[low, high]))
    }

    fn conversion(&mut self, inst: &Inst<'_>) -> Result<Value> {
        let arg = self.arg(inst, 0)?;
        let (_, to) = self.result_type(inst)?;
        self.converted(inst, arg, to)
    }

    /// A value as the instruction converts it.
    pub(super) fn converted(&mut self, inst: &Inst<'_>, arg: Value, to: Type) -> Result<Value> {
        let from = self.func.ty(arg);
        let (from_ok, to_ok) = match inst.op {
            Op::ConvertFToU | Op::ConvertFToS => (from.scalar.is_float(), to.scalar.is_int()),
            Op::ConvertSToF | Op::ConvertUToF => (from.scalar.is_int(), to.scalar.is_float()),
            Op::FConvert => (from.scalar.is_float(), to.scalar.is_float()),
            _ => (from.scalar.is_int(), to.scalar.is_int()),
        };
        if !from_ok || !to_ok || from.lanes != to.lanes {
            return Err(inst.error("the operand's type is wrong"));
        }
        let saturate = self
            .pre
            .decoration(inst.id, Decoration::SaturatedConversion)
            .is_some();
        let rounding = match self.pre.decoration(inst.id, Decoration::FPRoundingMode) {
            None => None,
            Some(deco) => Some(rounding(inst, deco.args.first().copied().unwrap_or(0))?),
        };
        let op = ops::convert(inst.op, from.scalar.bits(), to.scalar.bits(), saturate);
        Ok(match op.flatten() {
            Some(op) => {
                // Rounding has a meaning only where a float takes part.
                let rounding = rounding.filter(|_| from.scalar.is_float() || to.scalar.is_float());
                self.emit(InstKind::Convert { op, arg, rounding }, to)
            }
            None => arg,
        })
    }

    /// Zero-extends or truncates an integer.
    pub(super) fn resize_int(&mut self, inst: &Inst<'_>, arg: Value, to: Type) -> Result<Value> {
        let from = self.func.ty(arg);
        if !from.scalar.is_int() || !to.scalar.is_int() || from.lanes != to.lanes {
            return Err(inst.error("the operand is not an integer"));
        }
        Ok(match from.scalar.bits().cmp(&to.scalar.bits()) {
            std::cmp::Ordering::Equal => arg,
            std::cmp::Ordering::Less => self.convert(ConvertOp::ZExt, arg, to),
            std::cmp::Ordering::Greater => self.convert(ConvertOp::Trunc, arg, to),
        })
    }

    /// Same bits as another type; pointers become integers and back.
    pub(super) fn bitcast(&mut self, inst: &Inst<'_>, arg: Value, to: Type) -> Result<Value> {
        let from = self.func.ty(arg);
        if from == to {
            return Ok(arg);
        }
        let wrong = || inst.error("the types have different sizes");
        match (from.scalar, to.scalar) {
            (Scalar::Bool, _) | (_, Scalar::Bool) => Err(inst.error("a bool has no bits")),
            (Scalar::Ptr(_), Scalar::Ptr(_)) => Err(inst.error("a cast between address spaces")),
            (Scalar::Ptr(_), _) => {
                let bits = self.convert(ConvertOp::PtrToInt, arg, Type::I64);
                self.bitcast(inst, bits, to)
            }
            (_, Scalar::Ptr(_)) => {
                let bits = self.bitcast(inst, arg, Type::I64)?;
                Ok(self.convert(ConvertOp::IntToPtr, bits, to))
            }
            _ if from.access_bytes() == to.access_bytes() => {
                Ok(self.convert(ConvertOp::Bitcast, arg, to))
            }
            _ => Err(wrong()),
        }
    }

    /// Bit fields by shifts; counts of 0 and of the whole width are handled.
    fn bit_field(&mut self, inst: &Inst<'_>) -> Result<Value> {
        let insert = inst.op == Op::BitFieldInsert;
        let base = self.arg(inst, 0)?;
        let ty = self.func.ty(base);
        if !ty.scalar.is_int() {
            return Err(inst.error("the operand is not an integer"));
        }
        let first = usize::from(insert) + 1;
        let mut numbers = [base; 2];
        for (i, number) in numbers.iter_mut().enumerate() {
            let arg = self.arg(inst, first + i)?;
            // Offset and count are scalars even where the base is a vector.
            let scalar = self.resize_int(inst, arg, ty.lane())?;
            *number = if ty.is_vector() {
                self.emit(InstKind::Splat { arg: scalar }, ty)
            } else {
                scalar
            };
        }
        let [offset, count] = numbers;
        let width = self.func.splat_constant(ty, u64::from(ty.scalar.bits()));
        let zero = self.func.splat_constant(ty, 0);
        let ones = self.func.splat_constant(ty, u64::MAX);
        let unused = self.binary(BinaryOp::ISub, [width, count]);
        let empty = self.icmp(IntCond::Eq, [count, zero]);
        if !insert {
            // Move the field to the top, then down again with zeros or the sign behind.
            let above = self.binary(BinaryOp::ISub, [unused, offset]);
            let top = self.binary(BinaryOp::Shl, [base, above]);
            let shift = if inst.op == Op::BitFieldSExtract {
                BinaryOp::AShr
            } else {
                BinaryOp::LShr
            };
            let field = self.binary(shift, [top, unused]);
            return Ok(self.select_value(empty, zero, field));
        }
        let new = self.arg(inst, 1)?;
        if self.func.ty(new) != ty {
            return Err(inst.error("the operands' types are wrong"));
        }
        let low_mask = self.binary(BinaryOp::LShr, [ones, unused]);
        let low_mask = self.select_value(empty, zero, low_mask);
        let mask = self.binary(BinaryOp::Shl, [low_mask, offset]);
        let moved = self.binary(BinaryOp::Shl, [new, offset]);
        let inside = self.binary(BinaryOp::And, [moved, mask]);
        let keep = self.unary(UnaryOp::Not, mask);
        let outside = self.binary(BinaryOp::And, [base, keep]);
        Ok(self.binary(BinaryOp::Or, [inside, outside]))
    }
}

/// The IR's name of an FPRoundingMode.
pub(super) fn rounding(inst: &Inst<'_>, mode: u32) -> Result<Rounding> {
    Ok(match FPRoundingMode::from_u32(mode) {
        Some(FPRoundingMode::RTE) => Rounding::Rte,
        Some(FPRoundingMode::RTZ) => Rounding::Rtz,
        Some(FPRoundingMode::RTP) => Rounding::Rtp,
        Some(FPRoundingMode::RTN) => Rounding::Rtn,
        _ => return Err(inst.error(format_args!("unknown rounding mode {mode}"))),
    })
}
