//! Motion estimation: cl_intel_device_side_avc_motion_estimation becomes
//! SPV_INTEL_device_side_avc_motion_estimation.

use rspirv::spirv::Op;

use super::function::FunctionEmitter;
use super::{EmitError, Emitter};
use crate::builtins::table::Lower;
use crate::lang::opaque::{MotionKind, OpaqueKind};
use crate::lang::types::{Type, TypeId};
use crate::sema::typed::ExprId;

impl Emitter<'_> {
    /// A type of the extension.
    pub(super) fn motion_type(&mut self, op: Op, operands: &[u32]) -> u32 {
        self.motion_needs(op);
        self.b.unique(op, None, operands)
    }

    /// Declares what an instruction of the extension needs.
    fn motion_needs(&mut self, op: Op) {
        self.b
            .extension("SPV_INTEL_device_side_avc_motion_estimation");
        let entry = pumice_spirv::entry(op as u16);
        for &capability in entry.map_or(&[][..], |entry| entry.grammar.capabilities) {
            self.b.capability(capability);
        }
    }
}

impl FunctionEmitter<'_, '_> {
    /// Functions of motion estimation; `None` for other rows.
    pub fn motion(
        &mut self,
        lower: Lower,
        args: &[ExprId],
        ty: TypeId,
    ) -> Result<Option<u32>, EmitError> {
        let (through, op) = match lower {
            Lower::Motion(op) => (None, op),
            Lower::MotionOfMce(to_mce, op) => (Some(to_mce), op),
            _ => return Ok(None),
        };
        let operands = self.motion_operands(args)?;
        let result = self.e.value_type(ty);
        let Some(to_mce) = through else {
            return Ok(Some(self.motion_op(op, result, &operands)));
        };
        // The payload or result is the last argument. A payload comes back as its own kind.
        let (last, others) = operands.split_last().unwrap_or((&0, &[]));
        let back = match self.e.module.types.get(ty) {
            Type::Opaque(OpaqueKind::Motion(MotionKind::ImePayload)) => {
                Some(Op::SubgroupAvcMceConvertToImePayloadINTEL)
            }
            Type::Opaque(OpaqueKind::Motion(MotionKind::RefPayload)) => {
                Some(Op::SubgroupAvcMceConvertToRefPayloadINTEL)
            }
            Type::Opaque(OpaqueKind::Motion(MotionKind::SicPayload)) => {
                Some(Op::SubgroupAvcMceConvertToSicPayloadINTEL)
            }
            _ => None,
        };
        let mce = match back {
            Some(_) => Op::TypeAvcMcePayloadINTEL,
            None => Op::TypeAvcMceResultINTEL,
        };
        let mce = self.e.motion_type(mce, &[]);
        let converted = self.motion_op(to_mce, mce, &[*last]);
        let operands = [others, &[converted]].concat();
        Ok(Some(match back {
            Some(back) => {
                let payload = self.motion_op(op, mce, &operands);
                self.motion_op(back, result, &[payload])
            }
            None => self.motion_op(op, result, &operands),
        }))
    }

    fn motion_op(&mut self, op: Op, ty: u32, operands: &[u32]) -> u32 {
        self.e.motion_needs(op);
        self.e.b.op(op, ty, operands)
    }

    /// The values of the arguments; the sampler joins each image.
    fn motion_operands(&mut self, args: &[ExprId]) -> Result<Vec<u32>, EmitError> {
        let kind = |this: &Self, arg: ExprId| this.e.module.types.opaque(this.body.expr(arg).ty);
        let is_sampler = |&&arg: &&ExprId| kind(self, arg) == Some(OpaqueKind::Sampler);
        let sampler = args.iter().find(is_sampler).copied();
        let sampler = sampler.map(|arg| self.expr(arg)).transpose()?;
        let mut operands = Vec::with_capacity(args.len());
        for &arg in args {
            match (kind(self, arg), sampler) {
                (Some(OpaqueKind::Sampler), _) => {}
                (Some(OpaqueKind::Image(..)), Some(sampler)) => {
                    let image = self.expr(arg)?;
                    let image_type = self.e.value_type(self.body.expr(arg).ty);
                    let ty = self.e.motion_type(Op::TypeVmeImageINTEL, &[image_type]);
                    operands.push(self.motion_op(Op::VmeImageINTEL, ty, &[image, sampler]));
                }
                _ => operands.push(self.expr(arg)?),
            }
        }
        Ok(operands)
    }
}
