//! Sub-group collectives.

use super::builder::Id;
use super::emitter::Emitter;
use pumice_ir::LowerError;
use pumice_ir::{AtomicOp, GroupOp, GroupOperation, InstKind, Scalar, Scope, Type, Value};
use rspirv::spirv::{Capability, Op};
use smallvec::SmallVec;

/// The OpGroupNonUniform* opcode of a reduction and whether it is one on Bool.
fn arithmetic_opcode(op: AtomicOp, scalar: Scalar) -> Option<Op> {
    let float = scalar.is_float();
    Some(match op {
        AtomicOp::Add if float => Op::GroupNonUniformFAdd,
        AtomicOp::FAdd => Op::GroupNonUniformFAdd,
        AtomicOp::FMin => Op::GroupNonUniformFMin,
        AtomicOp::FMax => Op::GroupNonUniformFMax,
        AtomicOp::Add => Op::GroupNonUniformIAdd,
        AtomicOp::SMin => Op::GroupNonUniformSMin,
        AtomicOp::SMax => Op::GroupNonUniformSMax,
        AtomicOp::UMin => Op::GroupNonUniformUMin,
        AtomicOp::UMax => Op::GroupNonUniformUMax,
        AtomicOp::And if scalar == Scalar::Bool => Op::GroupNonUniformLogicalAnd,
        AtomicOp::Or if scalar == Scalar::Bool => Op::GroupNonUniformLogicalOr,
        AtomicOp::Xor if scalar == Scalar::Bool => Op::GroupNonUniformLogicalXor,
        AtomicOp::And => Op::GroupNonUniformBitwiseAnd,
        AtomicOp::Or => Op::GroupNonUniformBitwiseOr,
        AtomicOp::Xor => Op::GroupNonUniformBitwiseXor,
        AtomicOp::Xchg | AtomicOp::Sub => return None,
    })
}

/// The OpGroup*NonUniformAMD opcode of a reduction.
fn amd_opcode(op: AtomicOp, scalar: Scalar) -> Option<Op> {
    Some(match op {
        AtomicOp::Add if scalar.is_int() => Op::GroupIAddNonUniformAMD,
        AtomicOp::FAdd | AtomicOp::Add => Op::GroupFAddNonUniformAMD,
        AtomicOp::FMin => Op::GroupFMinNonUniformAMD,
        AtomicOp::UMin => Op::GroupUMinNonUniformAMD,
        AtomicOp::SMin => Op::GroupSMinNonUniformAMD,
        AtomicOp::FMax => Op::GroupFMaxNonUniformAMD,
        AtomicOp::UMax => Op::GroupUMaxNonUniformAMD,
        AtomicOp::SMax => Op::GroupSMaxNonUniformAMD,
        _ => return None,
    })
}

fn operation_number(operation: GroupOperation) -> u32 {
    match operation {
        GroupOperation::Reduce => 0,
        GroupOperation::InclusiveScan => 1,
        GroupOperation::ExclusiveScan => 2,
        GroupOperation::ClusteredReduce => 3,
    }
}

impl Emitter<'_> {
    /// Returns whether it matters which work-items make a sub-group.
    pub fn uses_sub_groups(&self) -> bool {
        self.has_inst(InstKind::sees_sub_groups)
    }

    /// Returns whether the module has matrices of the device's own.
    pub fn uses_matrices(&self) -> bool {
        self.has_inst(|kind| matches!(kind, InstKind::Matrix { .. }))
    }

    /// Returns whether a function that is written has such an instruction.
    fn has_inst(&self, wanted: impl Fn(&InstKind) -> bool) -> bool {
        self.functions.iter().any(|&id| {
            let f = &self.module.functions[id];
            let mut insts = (f.layout.blocks.iter()).flat_map(|&block| &f.layout.insts[block]);
            insts.any(|&inst| wanted(&f.insts[inst].kind))
        })
    }

    /// A collective of the sub-group.
    pub fn group(
        &mut self,
        op: GroupOp,
        scope: Scope,
        args: &[Value],
        ty: Type,
    ) -> Result<Id, LowerError> {
        if scope != Scope::Subgroup {
            return Err(LowerError::new(
                "internal: a work-group collective reached emission",
            ));
        }
        let have = self.target.subgroup;
        let (capability, available, opcode) = match op {
            GroupOp::Elect => (
                Capability::GroupNonUniform,
                have.basic,
                Op::GroupNonUniformElect,
            ),
            GroupOp::All => (
                Capability::GroupNonUniformVote,
                have.vote,
                Op::GroupNonUniformAll,
            ),
            GroupOp::Any => (
                Capability::GroupNonUniformVote,
                have.vote,
                Op::GroupNonUniformAny,
            ),
            GroupOp::AllEqual => (
                Capability::GroupNonUniformVote,
                have.vote,
                Op::GroupNonUniformAllEqual,
            ),
            // The id of a broadcast need not be constant: a shuffle takes any.
            GroupOp::Broadcast | GroupOp::Shuffle => (
                Capability::GroupNonUniformShuffle,
                have.shuffle,
                Op::GroupNonUniformShuffle,
            ),
            GroupOp::BroadcastFirst => (
                Capability::GroupNonUniformBallot,
                have.ballot,
                Op::GroupNonUniformBroadcastFirst,
            ),
            GroupOp::Ballot => (
                Capability::GroupNonUniformBallot,
                have.ballot,
                Op::GroupNonUniformBallot,
            ),
            GroupOp::InverseBallot => (
                Capability::GroupNonUniformBallot,
                have.ballot,
                Op::GroupNonUniformInverseBallot,
            ),
            GroupOp::BallotBitExtract => (
                Capability::GroupNonUniformBallot,
                have.ballot,
                Op::GroupNonUniformBallotBitExtract,
            ),
            GroupOp::BallotBitCount(_) => (
                Capability::GroupNonUniformBallot,
                have.ballot,
                Op::GroupNonUniformBallotBitCount,
            ),
            GroupOp::BallotFindLsb => (
                Capability::GroupNonUniformBallot,
                have.ballot,
                Op::GroupNonUniformBallotFindLSB,
            ),
            GroupOp::BallotFindMsb => (
                Capability::GroupNonUniformBallot,
                have.ballot,
                Op::GroupNonUniformBallotFindMSB,
            ),
            GroupOp::ShuffleXor => (
                Capability::GroupNonUniformShuffle,
                have.shuffle,
                Op::GroupNonUniformShuffleXor,
            ),
            GroupOp::ShuffleUp => (
                Capability::GroupNonUniformShuffleRelative,
                have.shuffle_relative,
                Op::GroupNonUniformShuffleUp,
            ),
            GroupOp::ShuffleDown => (
                Capability::GroupNonUniformShuffleRelative,
                have.shuffle_relative,
                Op::GroupNonUniformShuffleDown,
            ),
            GroupOp::Rotate => {
                self.b.extension("SPV_KHR_subgroup_rotate");
                (
                    Capability::GroupNonUniformRotateKHR,
                    have.rotate,
                    Op::GroupNonUniformRotateKHR,
                )
            }
            GroupOp::AmdArithmetic(which, _) => {
                let opcode = amd_opcode(which, ty.scalar).ok_or_else(|| {
                    LowerError::new(format!("no AMD sub-group reduction by {which:?}"))
                })?;
                self.b.extension("SPV_AMD_shader_ballot");
                (Capability::Groups, self.target.amd_shader_ballot, opcode)
            }
            GroupOp::AmdSwizzle(_)
            | GroupOp::AmdSwizzleMasked(_)
            | GroupOp::AmdWriteInvocation
            | GroupOp::AmdMbcnt => return self.amd_extended(op, args, ty),
            GroupOp::Arithmetic(which, operation) => {
                let opcode = arithmetic_opcode(which, ty.scalar).ok_or_else(|| {
                    LowerError::new(format!("no sub-group reduction by {which:?}"))
                })?;
                self.reduction_capability(operation, opcode)
            }
            GroupOp::IMul(operation) => {
                self.reduction_capability(operation, Op::GroupNonUniformIMul)
            }
            GroupOp::FMul(operation) => {
                self.reduction_capability(operation, Op::GroupNonUniformFMul)
            }
            GroupOp::FAddRelaxed(operation) => {
                self.reduction_capability(operation, Op::GroupNonUniformFAdd)
            }
        };
        if !available {
            return Err(LowerError::new(format!(
                "this device has no sub-group operation {op:?}"
            )));
        }
        self.b.capability(capability);
        let mut operands: SmallVec<[u32; 6]> = SmallVec::new();
        operands.push(self.scope(scope));
        if let Some(operation) = op.operation() {
            operands.push(operation_number(operation));
        }
        for &arg in args {
            operands.push(self.value(arg));
        }
        let ty = self.ty(ty);
        Ok(self.b.op(opcode, ty, &operands))
    }

    /// SPV_AMD_shader_ballot's extended instructions.
    fn amd_extended(&mut self, op: GroupOp, args: &[Value], ty: Type) -> Result<Id, LowerError> {
        if !self.target.amd_shader_ballot {
            return Err(LowerError::new(format!(
                "internal: {} reached emission",
                op.name()
            )));
        }
        let constants: SmallVec<[u8; 4]> = match op {
            GroupOp::AmdSwizzle(picks) => (0..4).map(|lane| picks >> (2 * lane) & 3).collect(),
            GroupOp::AmdSwizzleMasked(masks) => SmallVec::from_slice(&masks),
            _ => SmallVec::new(),
        };
        let number = match op {
            GroupOp::AmdSwizzle(_) => 1,
            GroupOp::AmdSwizzleMasked(_) => 2,
            GroupOp::AmdWriteInvocation => 3,
            _ => 4,
        };
        let mut operands: SmallVec<[u32; 6]> = SmallVec::new();
        operands.extend([self.b.amd_ballot_set(), number]);
        for &arg in args {
            operands.push(self.value(arg));
        }
        if !constants.is_empty() {
            let lanes: Vec<Id> = constants
                .iter()
                .map(|&c| self.b.const_u32(u32::from(c)))
                .collect();
            let word = self.b.ty_int(32);
            let vector = self.b.ty_vector(word, lanes.len() as u32);
            operands.push(self.b.unique(Op::ConstantComposite, Some(vector), &lanes));
        }
        let ty = self.ty(ty);
        Ok(self.b.op(Op::ExtInst, ty, &operands))
    }

    fn reduction_capability(
        &self,
        operation: GroupOperation,
        opcode: Op,
    ) -> (Capability, bool, Op) {
        match operation {
            GroupOperation::ClusteredReduce => (
                Capability::GroupNonUniformClustered,
                self.target.subgroup.clustered,
                opcode,
            ),
            _ => (
                Capability::GroupNonUniformArithmetic,
                self.target.subgroup.arithmetic,
                opcode,
            ),
        }
    }
}
