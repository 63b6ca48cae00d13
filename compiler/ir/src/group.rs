//! Work-group and sub-group collectives.

use super::{AtomicOp, Scalar};

/// The form of a group operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GroupOperation {
    /// One result for all.
    Reduce,
    /// Inclusive scan.
    InclusiveScan,
    /// Exclusive scan.
    ExclusiveScan,
    /// Clustered reduction; the cluster size is the last operand.
    ClusteredReduce,
}

/// Work-group and sub-group collectives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GroupOp {
    /// True for exactly one active work-item.
    Elect,
    /// All predicates true.
    All,
    /// Any predicate true.
    Any,
    /// All values equal.
    AllEqual,
    /// Value of the work-item with the given id (v or scalar id operand).
    Broadcast,
    /// Value of the lowest active work-item.
    BroadcastFirst,
    /// Ballot: v4 I32.
    Ballot,
    /// Own bit of a ballot.
    InverseBallot,
    /// Given bit of a ballot.
    BallotBitExtract,
    /// Number of set bits of a ballot, by operation.
    BallotBitCount(GroupOperation),
    /// Lowest set bit of a ballot.
    BallotFindLsb,
    /// Highest set bit of a ballot.
    BallotFindMsb,
    /// Value of lane.
    Shuffle,
    /// Value of lane xor mask.
    ShuffleXor,
    /// Value of lane minus delta.
    ShuffleUp,
    /// Value of lane plus delta.
    ShuffleDown,
    /// Value of lane plus delta, wrapping at the cluster size (the optional last operand), else
    /// at the largest size of a sub-group.
    Rotate,
    /// Reduction or scan with an operator of [`BinaryOp`](super::BinaryOp)'s meaning.
    Arithmetic(AtomicOp, GroupOperation),
    /// Integer multiply reduction or scan.
    IMul(GroupOperation),
    /// Float multiply reduction or scan.
    FMul(GroupOperation),
    /// Logical and/or/xor reductions are `Arithmetic(And|Or|Xor)` on Bool.
    FAddRelaxed(GroupOperation),
    /// SPV_AMD_shader_ballot's reductions and scans over the active work-items.
    AmdArithmetic(AtomicOp, GroupOperation),
    /// SwizzleInvocationsAMD: among each four lanes, from the lane that the own two bits name
    /// (lowest first); 0 from an inactive lane.
    AmdSwizzle(u8),
    /// SwizzleInvocationsMaskedAMD: among each 32 lanes, from `((lane & a) | b) ^ c`; 0 from an
    /// inactive lane.
    AmdSwizzleMasked([u8; 3]),
    /// WriteInvocationAMD: the first operand, in the lane of the third the second.
    AmdWriteInvocation,
    /// MbcntAMD: how many of the mask's bits belong to lower lanes.
    AmdMbcnt,
}

impl GroupOp {
    /// Gives the form of a reduction or scan.
    pub fn operation(self) -> Option<GroupOperation> {
        match self {
            GroupOp::Arithmetic(_, operation)
            | GroupOp::AmdArithmetic(_, operation)
            | GroupOp::IMul(operation)
            | GroupOp::FMul(operation)
            | GroupOp::FAddRelaxed(operation)
            | GroupOp::BallotBitCount(operation) => Some(operation),
            _ => None,
        }
    }

    /// The same operator in another form, for reductions and scans.
    pub fn with_operation(self, operation: GroupOperation) -> GroupOp {
        match self {
            GroupOp::Arithmetic(op, _) => GroupOp::Arithmetic(op, operation),
            GroupOp::AmdArithmetic(op, _) => GroupOp::AmdArithmetic(op, operation),
            GroupOp::IMul(_) => GroupOp::IMul(operation),
            GroupOp::FMul(_) => GroupOp::FMul(operation),
            GroupOp::FAddRelaxed(_) => GroupOp::FAddRelaxed(operation),
            _ => self,
        }
    }

    /// The bits that a reduction or scan begins with: combining them changes nothing.
    pub fn identity(self, scalar: Scalar) -> u64 {
        let one = match scalar {
            Scalar::F16 => 0x3c00,
            Scalar::F32 => 0x3f80_0000,
            Scalar::F64 => 1f64.to_bits(),
            _ => 1,
        };
        match self {
            GroupOp::IMul(_) | GroupOp::FMul(_) => one,
            GroupOp::Arithmetic(op, _) | GroupOp::AmdArithmetic(op, _) => {
                let ones = u64::MAX >> (64 - scalar.bits());
                let top = 1u64 << (scalar.bits() - 1);
                let infinity: u64 = match scalar {
                    Scalar::F16 => 0x7c00,
                    Scalar::F32 => 0x7f80_0000,
                    _ => 0x7ff0_0000_0000_0000,
                };
                match op {
                    AtomicOp::SMin => ones >> 1,
                    AtomicOp::SMax => top,
                    AtomicOp::UMin | AtomicOp::And => ones,
                    AtomicOp::FMin => infinity,
                    AtomicOp::FMax => infinity | top,
                    _ => 0,
                }
            }
            _ => 0,
        }
    }
}
