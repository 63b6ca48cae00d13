//! Sub-group collectives.

use super::builder::Id;
use super::emitter::Emitter;
use crate::ir::{AtomicOp, GroupOp, GroupOperation, Scalar, Scope, Type, Value};
use crate::passes::LowerError;
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

fn operation_number(operation: GroupOperation) -> u32 {
    match operation {
        GroupOperation::Reduce => 0,
        GroupOperation::InclusiveScan => 1,
        GroupOperation::ExclusiveScan => 2,
        GroupOperation::ClusteredReduce => 3,
    }
}

impl Emitter<'_> {
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
                "work-group collective functions are not supported yet",
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
                return Err(LowerError::new(
                    "sub_group_rotate is not supported on this device",
                ));
            }
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
        if let GroupOp::BallotBitCount(operation)
        | GroupOp::Arithmetic(_, operation)
        | GroupOp::IMul(operation)
        | GroupOp::FMul(operation)
        | GroupOp::FAddRelaxed(operation) = op
        {
            operands.push(operation_number(operation));
        }
        for &arg in args {
            operands.push(self.value(arg));
        }
        let ty = self.ty(ty);
        Ok(self.b.op(opcode, ty, &operands))
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
