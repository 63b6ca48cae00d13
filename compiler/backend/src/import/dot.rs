//! Integer dot products (SPIR-V 1.6, SPV_KHR_integer_dot_product), expanded into products and
//! a sum: what a device has as one instruction, its driver finds again.

use super::body::Body;
use super::reader::{Inst, Result};
use pumice_ir::{BinaryOp, ConvertOp, FloatFlags, IntCond, Scalar, Type, Value};
use rspirv::spirv::Op;

/// PackedVectorFormat4x8Bit: four bytes in a word, the lowest first.
const PACKED_4X8: u32 = 0;

impl Body<'_, '_> {
    /// Imports an integer dot product; false if the opcode is none.
    pub(super) fn int_dot(&mut self, inst: &Inst<'_>) -> Result<bool> {
        let (signed, accumulate) = match inst.op {
            Op::SDot => ([true, true], false),
            Op::UDot => ([false, false], false),
            Op::SUDot => ([true, false], false),
            Op::SDotAccSat => ([true, true], true),
            Op::UDotAccSat => ([false, false], true),
            Op::SUDotAccSat => ([true, false], true),
            _ => return Ok(false),
        };
        let (_, to) = self.result_type(inst)?;
        if !to.scalar.is_int() || to.lanes != 1 {
            return Err(inst.error("the result type is not an integer"));
        }
        let format = inst.args.get(if accumulate { 3 } else { 2 });
        if format.is_some_and(|&format| format != PACKED_4X8) {
            return Err(inst.error("the packed vector format is unknown"));
        }
        let mut factors = [self.arg(inst, 0)?, self.arg(inst, 1)?];
        for (factor, signed) in factors.iter_mut().zip(signed) {
            if format.is_some() {
                if self.func.ty(*factor) != Type::I32 {
                    return Err(inst.error("packed vectors are 32-bit integers"));
                }
                let bytes = Type::vector(Scalar::I8, 4);
                *factor = self.convert(ConvertOp::Bitcast, *factor, bytes);
            }
            *factor = self.extend(inst, *factor, to, signed)?;
        }
        if self.func.ty(factors[0]) != self.func.ty(factors[1]) {
            return Err(inst.error("the vectors' types differ"));
        }
        let products = self.binary(BinaryOp::IMul, factors);
        let mut sum = self.reduce(BinaryOp::IAdd, products, FloatFlags::empty());
        if accumulate {
            let other = self.arg(inst, 2)?;
            if self.func.ty(other) != to {
                return Err(inst.error("the accumulator's type is not the result's"));
            }
            sum = self.saturating_add(sum, other, to, signed[0]);
        }
        self.define_value(inst, sum)?;
        Ok(true)
    }

    fn saturating_add(&mut self, a: Value, b: Value, ty: Type, signed: bool) -> Value {
        let sum = self.binary(BinaryOp::IAdd, [a, b]);
        let width = ty.scalar.bits();
        if !signed {
            let most = self.func.splat_constant(ty, u64::MAX >> (64 - width));
            let wrapped = self.icmp(IntCond::Ult, [sum, a]);
            return self.select_value(wrapped, most, sum);
        }
        // The sum overflows where its sign is neither operand's.
        let differs = [a, b].map(|operand| self.binary(BinaryOp::Xor, [operand, sum]));
        let both = self.binary(BinaryOp::And, differs);
        let zero = self.func.splat_constant(ty, 0);
        let overflows = self.icmp(IntCond::Slt, [both, zero]);
        let most = self.func.splat_constant(ty, (1 << (width - 1)) - 1);
        let least = self.func.splat_constant(ty, 1 << (width - 1));
        let negative = self.icmp(IntCond::Slt, [a, zero]);
        let limit = self.select_value(negative, least, most);
        self.select_value(overflows, limit, sum)
    }

    /// The lanes in the result's width.
    fn extend(&mut self, inst: &Inst<'_>, value: Value, to: Type, signed: bool) -> Result<Value> {
        let from = self.func.ty(value);
        let to = to.with_lanes(from.lanes);
        if !from.scalar.is_int() || !from.is_vector() || from.scalar.bits() > to.scalar.bits() {
            return Err(inst.error("the operand is no vector of integers that fits the result"));
        }
        Ok(if from == to {
            value
        } else if signed {
            self.convert(ConvertOp::SExt, value, to)
        } else {
            self.convert(ConvertOp::ZExt, value, to)
        })
    }
}
