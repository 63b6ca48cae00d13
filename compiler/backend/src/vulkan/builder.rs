//! The builder of Vulkan modules: [`pumice_spirv::Builder`] with address arithmetic on constants
//! folded, and the instruction sets that Vulkan modules use.

use pumice_budget as budget;
use rspirv::spirv::{Capability, GlslStd450Op, Op, StorageClass};
use smallvec::SmallVec;
use std::ops::{Deref, DerefMut};

pub(crate) use pumice_spirv::Id;

/// A Vulkan module under construction.
pub(crate) struct Builder(pumice_spirv::Builder);

impl Deref for Builder {
    type Target = pumice_spirv::Builder;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for Builder {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

impl Builder {
    /// An empty module of the given SPIR-V version.
    pub fn new(version: (u8, u8)) -> Self {
        Self(pumice_spirv::Builder::new(
            version,
            Capability::Float16,
            budget::spend,
        ))
    }

    /// OpSpecConstantOp.
    pub fn spec_op(&mut self, op: Op, ty: Id, operands: &[Id]) -> Id {
        let operands = [&[op as u32], operands].concat();
        self.global(Op::SpecConstantOp, Some(ty), &operands)
    }

    /// A module-scope variable.
    pub fn variable(&mut self, pointer: Id, class: StorageClass) -> Id {
        self.global(Op::Variable, Some(pointer), &[class as u32])
    }

    /// A variable of a module that is an array. With `zero_local`, one in local memory is zero at its start.
    pub fn array_variable(
        &mut self,
        class: StorageClass,
        element: Id,
        length: Id,
        zero_local: bool,
    ) -> Id {
        let array = self.unique(Op::TypeArray, None, &[element, length]);
        let pointer = self.ty_pointer(class, array);
        let mut operands = vec![class as u32];
        if zero_local && class == StorageClass::Workgroup {
            operands.push(self.unique(Op::ConstantNull, Some(array), &[]));
        }
        self.global(Op::Variable, Some(pointer), &operands)
    }

    /// SPV_AMD_shader_ballot's extended instructions.
    pub fn amd_ballot_set(&mut self) -> Id {
        const NAME: &str = "SPV_AMD_shader_ballot";
        self.extension(NAME);
        self.import(NAME)
    }

    /// An instruction with a result in the current function.
    pub fn op(&mut self, op: Op, ty: Id, operands: &[u32]) -> Id {
        if let &[a, b] = operands {
            match (self.const_value(a), self.const_value(b)) {
                (Some(a), Some(b)) => {
                    if let Some(result) = folded(op, a, b) {
                        return self.const_u32(result);
                    }
                }
                (Some(0), None) if op == Op::IAdd => return b,
                (None, Some(0)) if op == Op::IAdd => return a,
                _ => {}
            }
        }
        self.inst(op, ty, operands)
    }

    /// A GLSL.std.450 instruction.
    pub fn glsl(&mut self, inst: GlslStd450Op, ty: Id, args: &[Id]) -> Id {
        let set = self.import("GLSL.std.450");
        let mut operands: SmallVec<[u32; 6]> = SmallVec::from_slice(&[set, inst as u32]);
        operands.extend_from_slice(args);
        self.op(Op::ExtInst, ty, &operands)
    }

    /// Joins the sections.
    pub fn finish(mut self) -> Vec<u32> {
        self.sort_declarations();
        self.0.finish()
    }
}

/// The result of an instruction of address arithmetic on two constants.
fn folded(op: Op, a: u32, b: u32) -> Option<u32> {
    Some(match op {
        Op::IAdd => a.wrapping_add(b),
        Op::ISub => a.wrapping_sub(b),
        Op::BitwiseAnd => a & b,
        Op::ShiftLeftLogical => a.checked_shl(b)?,
        Op::ShiftRightLogical => a.checked_shr(b)?,
        _ => return None,
    })
}
