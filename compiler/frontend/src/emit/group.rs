//! Work-group and sub-group collectives.

use rspirv::spirv::{Capability, GroupOperation, Op, Scope, SpvAmdShaderBallotOp as Amd};

use super::EmitError;
use super::function::FunctionEmitter;
use crate::builtins::table::Lower;
use crate::lang::opaque::OpaqueKind;
use crate::lang::types::{TypeId, TypeTable};
use crate::sema::typed::{ConvertKind, ExprId};

/// Returns whether an instruction belongs to SPV_KHR_uniform_group_instructions.
fn is_uniform(op: Op) -> bool {
    (Op::GroupIMulKHR as u32..=Op::GroupLogicalXorKHR as u32).contains(&(op as u32))
}

impl FunctionEmitter<'_, '_> {
    /// Collective functions; `None` for other rows.
    pub fn group(
        &mut self,
        lower: Lower,
        args: &[ExprId],
        ty: TypeId,
    ) -> Result<Option<u32>, EmitError> {
        let is_group = matches!(
            lower,
            Lower::GroupVote(..)
                | Lower::GroupBroadcast(_)
                | Lower::GroupArith(..)
                | Lower::Shuffles(_)
                | Lower::NonUniformVote(_)
                | Lower::NonUniform(..)
                | Lower::NonUniformArith(..)
                | Lower::IntelShuffle(_)
                | Lower::BlockRead
                | Lower::BlockWrite
                | Lower::AmdArith(..)
                | Lower::AmdBallot(_)
        );
        if !is_group {
            return Ok(None);
        }
        let mut values = Vec::new();
        for arg in args {
            values.push(self.expr(*arg)?);
        }
        let result = match ty {
            // Writes of blocks have none.
            _ if ty == TypeTable::VOID => 0,
            _ => self.e.value_type(ty),
        };
        let value = match lower {
            Lower::GroupVote(op, scope) => {
                self.e.b.capability(Capability::Groups);
                let bool_ty = self.e.b.ty_bool();
                let predicate = self.non_zero(values[0], TypeTable::INT);
                let scope = self.scope_constant(scope);
                let vote = self.e.b.op(op, bool_ty, &[scope, predicate]);
                self.truth(vote, ty)
            }
            Lower::GroupBroadcast(scope) => {
                self.e.b.capability(Capability::Groups);
                let scope = self.scope_constant(scope);
                let local = match values[1..] {
                    [only] => only,
                    ref parts => {
                        let lanes = parts.len() as u8;
                        let size = self.e.module.types.size_type();
                        let vector = self.vector_type((size, lanes));
                        self.e.b.op(Op::CompositeConstruct, vector, parts)
                    }
                };
                let operands = [scope, values[0], local];
                self.e.b.op(Op::GroupBroadcast, result, &operands)
            }
            Lower::GroupArith(ops, operation, scope) if is_uniform(ops[0]) => {
                self.uniform(ops, operation, scope, values[0], ty)
            }
            Lower::GroupArith(ops, operation, scope) => {
                self.group_arith(ops, operation, scope, values[0], ty)
            }
            Lower::Shuffles(op) => {
                let capability = match op {
                    Op::GroupNonUniformShuffle | Op::GroupNonUniformShuffleXor => {
                        Capability::GroupNonUniformShuffle
                    }
                    _ => Capability::GroupNonUniformShuffleRelative,
                };
                self.non_uniform(capability);
                let scope = self.scope_constant(Scope::Subgroup);
                let operands = [scope, values[0], values[1]];
                self.e.b.op(op, result, &operands)
            }
            Lower::NonUniformVote(op) => {
                self.non_uniform(if op == Op::GroupNonUniformElect {
                    Capability::GroupNonUniform
                } else {
                    Capability::GroupNonUniformVote
                });
                let bool_ty = self.e.b.ty_bool();
                let scope = self.scope_constant(Scope::Subgroup);
                let mut operands = vec![scope];
                match op {
                    Op::GroupNonUniformElect => {}
                    Op::GroupNonUniformAllEqual => operands.push(values[0]),
                    _ => {
                        let from = self.body.expr(args[0]).ty;
                        let kind = ConvertKind::ToBool;
                        operands.push(self.convert_value(kind, values[0], from, TypeTable::BOOL));
                    }
                }
                let vote = self.e.b.op(op, bool_ty, &operands);
                self.truth(vote, ty)
            }
            Lower::NonUniform(op, operation) => self.non_uniform_op(op, operation, &values, ty),
            Lower::NonUniformArith(ops, operation) => {
                let op = self.op_of(ops, ty);
                self.non_uniform(if operation == GroupOperation::ClusteredReduce {
                    Capability::GroupNonUniformClustered
                } else {
                    Capability::GroupNonUniformArithmetic
                });
                let logical = matches!(
                    op,
                    Op::GroupNonUniformLogicalAnd
                        | Op::GroupNonUniformLogicalOr
                        | Op::GroupNonUniformLogicalXor
                );
                let scope = self.scope_constant(Scope::Subgroup);
                let mut operands = vec![scope, operation as u32];
                operands.extend(&values);
                if logical {
                    operands[2] = self.non_zero(values[0], TypeTable::INT);
                    let bool_ty = self.e.b.ty_bool();
                    let value = self.e.b.op(op, bool_ty, &operands);
                    self.truth(value, ty)
                } else {
                    self.e.b.op(op, result, &operands)
                }
            }
            Lower::IntelShuffle(op) => {
                self.e.b.extension("SPV_INTEL_subgroups");
                self.e.b.capability(Capability::SubgroupShuffleINTEL);
                self.e.b.op(op, result, &values)
            }
            Lower::BlockRead => {
                let op = match self.of_blocks(args[0]) {
                    true => Op::SubgroupImageBlockReadINTEL,
                    false => Op::SubgroupBlockReadINTEL,
                };
                self.e.b.op(op, result, &values)
            }
            Lower::BlockWrite => {
                let op = match self.of_blocks(args[0]) {
                    true => Op::SubgroupImageBlockWriteINTEL,
                    false => Op::SubgroupBlockWriteINTEL,
                };
                self.e.b.op_void(op, &values);
                0
            }
            Lower::AmdArith(ops, operation, scope) => {
                self.e.b.extension("SPV_AMD_shader_ballot");
                self.group_arith(ops, operation, scope, values[0], ty)
            }
            Lower::AmdBallot(op) => {
                if matches!(
                    op,
                    Amd::SwizzleInvocationsAMD | Amd::SwizzleInvocationsMaskedAMD
                ) {
                    // The pattern is one constant vector.
                    let pattern = values.split_off(1);
                    let vector = self.vector_type((TypeTable::UINT, pattern.len() as u8));
                    values.push(self.e.b.construct(vector, &pattern));
                }
                self.e.b.amd_ballot(op as u32, result, &values)
            }
            _ => return Ok(None),
        };
        Ok(Some(value))
    }

    /// Declares the capability for blocks of what the argument is; tells whether it is an image.
    fn of_blocks(&mut self, arg: ExprId) -> bool {
        let opaque = self.e.module.types.opaque(self.body.expr(arg).ty);
        let is_image = matches!(opaque, Some(OpaqueKind::Image(..)));
        self.e.b.extension("SPV_INTEL_subgroups");
        self.e.b.capability(match is_image {
            true => Capability::SubgroupImageBlockIOINTEL,
            false => Capability::SubgroupBufferBlockIOINTEL,
        });
        is_image
    }

    /// Products and bitwise and logical sums of a group (SPV_KHR_uniform_group_instructions).
    fn uniform(
        &mut self,
        ops: [Op; 3],
        operation: GroupOperation,
        scope: Scope,
        value: u32,
        ty: TypeId,
    ) -> u32 {
        self.e.b.capability(Capability::GroupUniformArithmeticKHR);
        self.e.b.extension("SPV_KHR_uniform_group_instructions");
        let op = self.op_of(ops, ty);
        let scope = self.scope_constant(scope);
        let logical = matches!(
            op,
            Op::GroupLogicalAndKHR | Op::GroupLogicalOrKHR | Op::GroupLogicalXorKHR
        );
        if logical {
            let bool_ty = self.e.b.ty_bool();
            let value = self.non_zero(value, TypeTable::INT);
            let operands = [scope, operation as u32, value];
            let result = self.e.b.op(op, bool_ty, &operands);
            return self.truth(result, ty);
        }
        let result = self.e.value_type(ty);
        self.e.b.op(op, result, &[scope, operation as u32, value])
    }

    /// Ballots, broadcasts and rotations among the active work-items.
    fn non_uniform_op(
        &mut self,
        op: Op,
        operation: Option<GroupOperation>,
        values: &[u32],
        ty: TypeId,
    ) -> u32 {
        if op == Op::GroupNonUniformRotateKHR {
            self.e.b.extension("SPV_KHR_subgroup_rotate");
            self.non_uniform(Capability::GroupNonUniformRotateKHR);
        } else {
            self.non_uniform(Capability::GroupNonUniformBallot);
        }
        if op == Op::GroupNonUniformBroadcast {
            // A lane that is no constant came with 1.5.
            self.e.b.need_version((1, 5));
        }
        let mut operands = vec![self.scope_constant(Scope::Subgroup)];
        operands.extend(operation.map(|o| o as u32));
        operands.extend(values);
        if op == Op::GroupNonUniformBallot {
            operands[1] = self.non_zero(values[0], TypeTable::INT);
        }
        if matches!(
            op,
            Op::GroupNonUniformInverseBallot | Op::GroupNonUniformBallotBitExtract
        ) {
            let bool_ty = self.e.b.ty_bool();
            let value = self.e.b.op(op, bool_ty, &operands);
            return self.truth(value, ty);
        }
        let result = self.e.value_type(ty);
        self.e.b.op(op, result, &operands)
    }

    /// Selects the form of an operation for a type: signed, unsigned or float.
    fn op_of(&self, [signed, unsigned, float]: [Op; 3], ty: TypeId) -> Op {
        if self.is_float(ty) {
            float
        } else if self.e.module.types.is_signed(ty) {
            signed
        } else {
            unsigned
        }
    }

    /// A reduction or scan of the Groups capability.
    fn group_arith(
        &mut self,
        ops: [Op; 3],
        operation: GroupOperation,
        scope: Scope,
        value: u32,
        ty: TypeId,
    ) -> u32 {
        self.e.b.capability(Capability::Groups);
        let op = self.op_of(ops, ty);
        let scope = self.scope_constant(scope);
        let result = self.e.value_type(ty);
        self.e.b.op(op, result, &[scope, operation as u32, value])
    }

    fn scope_constant(&mut self, scope: Scope) -> u32 {
        self.e.b.const_u32(scope as u32)
    }

    /// OpGroupNonUniform* came with SPIR-V 1.3.
    fn non_uniform(&mut self, capability: Capability) {
        self.e.b.need_version((1, 3));
        self.e.b.capability(capability);
    }
}
