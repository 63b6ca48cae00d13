//! Instructions of extensions that say in one what others say in several, or with another name.

use super::body::Body;
use super::reader::{Inst, Result};
use pumice_ir::{
    BinaryOp, ConvertOp, FloatCond, FloatFlags, InstKind, MathOp, MemoryOrder, Scalar, Scope, Type,
    Value,
};
use rspirv::spirv::{Op, OpenclStd100Op};

impl Body<'_, '_> {
    /// Imports such an instruction; false if the opcode is none.
    pub(super) fn extension(&mut self, inst: &Inst<'_>) -> Result<bool> {
        match inst.op {
            // SPV_KHR_fma
            Op::FmaKHR => {
                let args = [self.arg(inst, 0)?, self.arg(inst, 1)?, self.arg(inst, 2)?];
                let (_, ty) = self.result_type(inst)?;
                if !ty.scalar.is_float() || args.iter().any(|&arg| self.func.ty(arg) != ty) {
                    return Err(inst.error("the operands' types are wrong"));
                }
                let kind = InstKind::Math {
                    op: MathOp::Ocl(OpenclStd100Op::fma),
                    args: args.into_iter().collect(),
                    flags: self.float_flags(inst.id),
                };
                let value = self.emit(kind, ty);
                self.define_value(inst, value)?;
            }
            // SPV_INTEL_split_barrier: arriving makes visible what was written, and waiting
            // does all of the waiting.
            Op::ControlBarrierArriveINTEL => {
                let scope = self.scope(inst, 1)?;
                let semantics = self.semantics(inst, 2)?.strongest();
                self.effect(InstKind::Fence {
                    scope,
                    order: MemoryOrder::Release,
                    global: semantics.global,
                    local: semantics.local,
                });
            }
            Op::ControlBarrierWaitINTEL => {
                let execution = self.scope(inst, 0)?;
                if execution != Scope::Workgroup && execution != Scope::Subgroup {
                    return Err(inst.error("the execution scope is no work-group or sub-group"));
                }
                let memory = self.scope(inst, 1)?;
                let semantics = self.semantics(inst, 2)?.strongest();
                self.effect(InstKind::Barrier {
                    execution,
                    memory,
                    order: MemoryOrder::AcqRel,
                    global: semantics.global,
                    local: semantics.local,
                });
            }
            // SPV_INTEL_bfloat16_conversion
            Op::ConvertBF16ToFINTEL => {
                let arg = self.arg(inst, 0)?;
                let (words, floats) = self.bfloat_types(inst, arg, Scalar::I16, Scalar::F32)?;
                let wide = self.convert(ConvertOp::ZExt, arg, words);
                let sixteen = self.func.splat_constant(words, 16);
                let bits = self.binary(BinaryOp::Shl, [wide, sixteen]);
                let value = self.bitcast(inst, bits, floats)?;
                self.define_value(inst, value)?;
            }
            Op::ConvertFToBF16INTEL => {
                let arg = self.arg(inst, 0)?;
                let (words, result) = self.bfloat_types(inst, arg, Scalar::F32, Scalar::I16)?;
                let value = self.bfloat_of(inst, arg, words, result)?;
                self.define_value(inst, value)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The words between an operand and the result, whose lanes must be of these types.
    fn bfloat_types(
        &self,
        inst: &Inst<'_>,
        arg: Value,
        from: Scalar,
        to: Scalar,
    ) -> Result<(Type, Type)> {
        let (_, ty) = self.result_type(inst)?;
        if self.func.ty(arg) != ty.with_scalar(from) || ty.scalar != to {
            return Err(inst.error("the operand's or the result's type is wrong"));
        }
        Ok((ty.with_scalar(Scalar::I32), ty))
    }

    /// The upper half of the bits, rounded to nearest even; a NaN stays one.
    fn bfloat_of(&mut self, inst: &Inst<'_>, arg: Value, words: Type, to: Type) -> Result<Value> {
        let bits = self.bitcast(inst, arg, words)?;
        let constant = |this: &mut Self, n| this.func.splat_constant(words, n);
        let [one, sixteen] = [1, 16].map(|n| constant(self, n));
        let upper = self.binary(BinaryOp::LShr, [bits, sixteen]);
        let odd = self.binary(BinaryOp::And, [upper, one]);
        let half = constant(self, 0x7FFF);
        let step = self.binary(BinaryOp::IAdd, [odd, half]);
        let rounded = self.binary(BinaryOp::IAdd, [bits, step]);
        let rounded = self.binary(BinaryOp::LShr, [rounded, sixteen]);
        let quiet = constant(self, 0x40);
        let nan = self.binary(BinaryOp::Or, [upper, quiet]);
        let is_number = self.emit(
            InstKind::FCmp {
                cond: FloatCond::Ord,
                args: [arg, arg],
                flags: FloatFlags::empty(),
            },
            words.as_bool(),
        );
        let value = self.select_value(is_number, rounded, nan);
        Ok(self.convert(ConvertOp::Trunc, value, to))
    }
}
