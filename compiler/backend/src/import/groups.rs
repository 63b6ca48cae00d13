//! Collectives: of the core, of KHR, INTEL and AMD extensions.

use super::body::Body;
use super::preamble::Def;
use super::reader::{Inst, Result};
use pumice_ir::{
    AtomicOp, BinaryOp, BuiltIn, GroupOp, GroupOperation, InstKind, IntCond, Scalar, Scope, Type,
    Value,
};
use rspirv::spirv::Op;
use smallvec::SmallVec;

impl Body<'_, '_> {
    /// Imports a collective; false if the opcode is none.
    pub(super) fn group(&mut self, inst: &Inst<'_>) -> Result<bool> {
        // KHR instructions without a scope operand act on the sub-group.
        let subgroup = match inst.op {
            Op::SubgroupBallotKHR => Some(GroupOp::Ballot),
            Op::SubgroupFirstInvocationKHR => Some(GroupOp::BroadcastFirst),
            Op::SubgroupAllKHR => Some(GroupOp::All),
            Op::SubgroupAnyKHR => Some(GroupOp::Any),
            Op::SubgroupAllEqualKHR => Some(GroupOp::AllEqual),
            Op::SubgroupReadInvocationKHR => Some(GroupOp::Shuffle),
            _ => None,
        };
        if let Some(op) = subgroup {
            return self.group_inst(inst, op, Scope::Subgroup, 0).map(|()| true);
        }
        if self.intel_subgroup(inst)? || self.quad(inst)? || self.subgroup_query(inst)? {
            return Ok(true);
        }
        let simple = match inst.op {
            Op::GroupAll | Op::GroupNonUniformAll => Some(GroupOp::All),
            Op::GroupAny | Op::GroupNonUniformAny => Some(GroupOp::Any),
            Op::GroupNonUniformAllEqual => Some(GroupOp::AllEqual),
            Op::GroupBroadcast | Op::GroupNonUniformBroadcast => Some(GroupOp::Broadcast),
            Op::GroupNonUniformElect => Some(GroupOp::Elect),
            Op::GroupNonUniformBroadcastFirst => Some(GroupOp::BroadcastFirst),
            Op::GroupNonUniformBallot => Some(GroupOp::Ballot),
            Op::GroupNonUniformInverseBallot => Some(GroupOp::InverseBallot),
            Op::GroupNonUniformBallotBitExtract => Some(GroupOp::BallotBitExtract),
            Op::GroupNonUniformBallotFindLSB => Some(GroupOp::BallotFindLsb),
            Op::GroupNonUniformBallotFindMSB => Some(GroupOp::BallotFindMsb),
            Op::GroupNonUniformShuffle => Some(GroupOp::Shuffle),
            Op::GroupNonUniformShuffleXor => Some(GroupOp::ShuffleXor),
            Op::GroupNonUniformShuffleUp => Some(GroupOp::ShuffleUp),
            Op::GroupNonUniformShuffleDown => Some(GroupOp::ShuffleDown),
            Op::GroupNonUniformRotateKHR => Some(GroupOp::Rotate),
            _ => None,
        };
        if let Some(op) = simple {
            let scope = self.scope(inst, 0)?;
            return self.group_inst(inst, op, scope, 1).map(|()| true);
        }
        let combine: fn(GroupOperation) -> GroupOp = match inst.op {
            Op::GroupIAdd | Op::GroupNonUniformIAdd => |o| GroupOp::Arithmetic(AtomicOp::Add, o),
            Op::GroupFAdd | Op::GroupNonUniformFAdd => |o| GroupOp::Arithmetic(AtomicOp::FAdd, o),
            Op::GroupFMin | Op::GroupNonUniformFMin => |o| GroupOp::Arithmetic(AtomicOp::FMin, o),
            Op::GroupUMin | Op::GroupNonUniformUMin => |o| GroupOp::Arithmetic(AtomicOp::UMin, o),
            Op::GroupSMin | Op::GroupNonUniformSMin => |o| GroupOp::Arithmetic(AtomicOp::SMin, o),
            Op::GroupFMax | Op::GroupNonUniformFMax => |o| GroupOp::Arithmetic(AtomicOp::FMax, o),
            Op::GroupUMax | Op::GroupNonUniformUMax => |o| GroupOp::Arithmetic(AtomicOp::UMax, o),
            Op::GroupSMax | Op::GroupNonUniformSMax => |o| GroupOp::Arithmetic(AtomicOp::SMax, o),
            Op::GroupBitwiseAndKHR
            | Op::GroupLogicalAndKHR
            | Op::GroupNonUniformBitwiseAnd
            | Op::GroupNonUniformLogicalAnd => |o| GroupOp::Arithmetic(AtomicOp::And, o),
            Op::GroupBitwiseOrKHR
            | Op::GroupLogicalOrKHR
            | Op::GroupNonUniformBitwiseOr
            | Op::GroupNonUniformLogicalOr => |o| GroupOp::Arithmetic(AtomicOp::Or, o),
            Op::GroupBitwiseXorKHR
            | Op::GroupLogicalXorKHR
            | Op::GroupNonUniformBitwiseXor
            | Op::GroupNonUniformLogicalXor => |o| GroupOp::Arithmetic(AtomicOp::Xor, o),
            Op::GroupIAddNonUniformAMD => |o| GroupOp::AmdArithmetic(AtomicOp::Add, o),
            Op::GroupFAddNonUniformAMD => |o| GroupOp::AmdArithmetic(AtomicOp::FAdd, o),
            Op::GroupFMinNonUniformAMD => |o| GroupOp::AmdArithmetic(AtomicOp::FMin, o),
            Op::GroupUMinNonUniformAMD => |o| GroupOp::AmdArithmetic(AtomicOp::UMin, o),
            Op::GroupSMinNonUniformAMD => |o| GroupOp::AmdArithmetic(AtomicOp::SMin, o),
            Op::GroupFMaxNonUniformAMD => |o| GroupOp::AmdArithmetic(AtomicOp::FMax, o),
            Op::GroupUMaxNonUniformAMD => |o| GroupOp::AmdArithmetic(AtomicOp::UMax, o),
            Op::GroupSMaxNonUniformAMD => |o| GroupOp::AmdArithmetic(AtomicOp::SMax, o),
            Op::GroupIMulKHR | Op::GroupNonUniformIMul => GroupOp::IMul,
            Op::GroupFMulKHR | Op::GroupNonUniformFMul => GroupOp::FMul,
            Op::GroupNonUniformBallotBitCount => GroupOp::BallotBitCount,
            _ => return Ok(false),
        };
        let scope = self.scope(inst, 0)?;
        let operation = match inst.arg(1)? {
            0 => GroupOperation::Reduce,
            1 => GroupOperation::InclusiveScan,
            2 => GroupOperation::ExclusiveScan,
            3 => GroupOperation::ClusteredReduce,
            other => {
                return Err(inst.error(format_args!("group operation {other} is not supported")));
            }
        };
        let op = combine(operation);
        // Neither instruction has an operand for the size of a cluster.
        let takes_no_clusters =
            matches!(op, GroupOp::AmdArithmetic(..) | GroupOp::BallotBitCount(..));
        if takes_no_clusters && operation == GroupOperation::ClusteredReduce {
            return Err(inst.error("this instruction has no clustered form"));
        }
        self.group_inst(inst, op, scope, 2)?;
        Ok(true)
    }

    fn group_inst(
        &mut self,
        inst: &Inst<'_>,
        op: GroupOp,
        scope: Scope,
        first: usize,
    ) -> Result<()> {
        let mut args: SmallVec<[Value; 3]> = (first..inst.args.len())
            .map(|n| self.arg(inst, n))
            .collect::<Result<_>>()?;
        // A lane, a delta or a cluster's size: OpGroupBroadcast gives 64 bits.
        if scope == Scope::Subgroup && !matches!(op, GroupOp::Ballot) {
            for number in args.iter_mut().skip(1) {
                *number = self.resize_int(inst, *number, Type::I32)?;
            }
        }
        let (_, ty) = self.result_type(inst)?;
        let needed = match op {
            GroupOp::Elect => 0,
            GroupOp::Broadcast
            | GroupOp::BallotBitExtract
            | GroupOp::Shuffle
            | GroupOp::ShuffleXor
            | GroupOp::ShuffleUp
            | GroupOp::ShuffleDown
            | GroupOp::Rotate
            | GroupOp::Arithmetic(_, GroupOperation::ClusteredReduce)
            | GroupOp::IMul(GroupOperation::ClusteredReduce)
            | GroupOp::FMul(GroupOperation::ClusteredReduce) => 2,
            _ => 1,
        };
        if args.len() < needed {
            return Err(inst.error("an operand is missing"));
        }
        if let Some(value) = args.first() {
            self.check_group_types(inst, op, self.func.ty(*value), ty)?;
        }
        let value = self.emit(InstKind::Group { op, scope, args }, ty);
        self.define_value(inst, value)
    }

    /// Refuses a value that a group operation does not take, and a result of another type.
    fn check_group_types(
        &self,
        inst: &Inst<'_>,
        op: GroupOp,
        value: Type,
        result: Type,
    ) -> Result<()> {
        let fits = match op {
            GroupOp::InverseBallot
            | GroupOp::BallotBitExtract
            | GroupOp::BallotBitCount(_)
            | GroupOp::BallotFindLsb
            | GroupOp::BallotFindMsb => value == Type::vector(Scalar::I32, 4),
            GroupOp::Arithmetic(op, _) | GroupOp::AmdArithmetic(op, _) => {
                let of_floats = matches!(op, AtomicOp::FAdd | AtomicOp::FMin | AtomicOp::FMax);
                value == result && value.scalar.is_float() == of_floats
            }
            GroupOp::IMul(_) => value == result && !value.scalar.is_float(),
            GroupOp::FMul(_) => value == result && value.scalar.is_float(),
            _ => true,
        };
        match fits {
            true => Ok(()),
            false => Err(inst.error(format_args!("no form takes {value} and gives {result}"))),
        }
    }

    /// A sub-group operation whose result has its first operand's type.
    pub(super) fn subgroup_value(&mut self, op: GroupOp, args: &[Value]) -> Value {
        let ty = self.func.ty(args[0]);
        let kind = InstKind::Group {
            op,
            scope: Scope::Subgroup,
            args: SmallVec::from_slice(args),
        };
        self.emit(kind, ty)
    }

    pub(super) fn subgroup_built_in(&mut self, which: BuiltIn) -> Value {
        self.emit(InstKind::BuiltIn { which }, which.ty())
    }

    /// The n-th operand as an I32.
    pub(super) fn word_arg(&mut self, inst: &Inst<'_>, n: usize) -> Result<Value> {
        let value = self.arg(inst, n)?;
        self.resize_int(inst, value, Type::I32)
    }

    /// Swaps and broadcasts among four neighbours.
    fn quad(&mut self, inst: &Inst<'_>) -> Result<bool> {
        let value = match inst.op {
            Op::GroupNonUniformQuadSwap => {
                let value = self.arg(inst, 1)?;
                let direction = self.word_arg(inst, 2)?;
                let mask = match self.func.const_bits(direction) {
                    Some(direction @ 0..=2) => self.func.i32(direction as i32 + 1),
                    _ => return Err(inst.error("the direction is not 0, 1 or 2")),
                };
                self.subgroup_value(GroupOp::ShuffleXor, &[value, mask])
            }
            Op::GroupNonUniformQuadBroadcast => {
                let value = self.arg(inst, 1)?;
                let index = self.word_arg(inst, 2)?;
                let lane = self.subgroup_built_in(BuiltIn::SubgroupLocalId);
                let three = self.func.i32(3);
                let place = self.binary(BinaryOp::And, [lane, three]);
                let first = self.binary(BinaryOp::Xor, [lane, place]);
                let index = self.binary(BinaryOp::And, [index, three]);
                let source = self.binary(BinaryOp::Or, [first, index]);
                self.subgroup_value(GroupOp::Shuffle, &[value, source])
            }
            _ => return Ok(false),
        };
        if self.scope(inst, 0)? != Scope::Subgroup {
            return Err(inst.error("the scope is not Subgroup"));
        }
        self.define_value(inst, value)?;
        Ok(true)
    }

    /// Queries of kernels to be enqueued: the answer is the device's, whatever the kernel.
    pub(super) fn subgroup_query(&mut self, inst: &Inst<'_>) -> Result<bool> {
        let invoke = match inst.op {
            Op::GetKernelLocalSizeForSubgroupCount => inst.arg(1)?,
            Op::GetKernelMaxNumSubgroups => inst.arg(0)?,
            _ => return Ok(false),
        };
        if !matches!(self.pre.def(invoke), Def::Func(_)) {
            return Err(inst.error(format_args!("id {invoke} is not a function")));
        }
        let most = self.subgroup_built_in(BuiltIn::MaxWorkGroupSize);
        let size = self.subgroup_built_in(BuiltIn::SubgroupMaxSize);
        let value = if inst.op == Op::GetKernelMaxNumSubgroups {
            self.binary(BinaryOp::UDiv, [most, size])
        } else {
            // 0 where no work-group has as many sub-groups.
            let count = self.word_arg(inst, 0)?;
            let available = self.binary(BinaryOp::UDiv, [most, size]);
            let fits = self.icmp(IntCond::Ule, [count, available]);
            let items = self.binary(BinaryOp::IMul, [count, size]);
            let none = self.func.i32(0);
            self.select_value(fits, items, none)
        };
        let (_, to) = self.result_type(inst)?;
        let value = self.resize_int(inst, value, to)?;
        self.define_value(inst, value)?;
        Ok(true)
    }

    /// SPV_AMD_shader_ballot's extended instructions.
    pub(super) fn amd_shader_ballot(&mut self, inst: &Inst<'_>) -> Result<()> {
        let (op, constants) = match inst.arg(1)? {
            1 => {
                let [a, b, c, d] = self.small_constants::<4>(inst, 3)?;
                let picks = a | b << 2 | c << 4 | d << 6;
                (GroupOp::AmdSwizzle(picks), 3)
            }
            2 => {
                let masks = self.small_constants::<3>(inst, 31)?;
                (GroupOp::AmdSwizzleMasked(masks), 31)
            }
            3 => (GroupOp::AmdWriteInvocation, 0),
            4 => (GroupOp::AmdMbcnt, 0),
            other => {
                return Err(inst.error(format_args!(
                    "unknown SPV_AMD_shader_ballot instruction {other}"
                )));
            }
        };
        let count = match op {
            GroupOp::AmdWriteInvocation => 3,
            _ => 1,
        };
        if inst.args.len() != 2 + count + usize::from(constants != 0) {
            return Err(inst.error("the number of operands is wrong"));
        }
        let mut args: SmallVec<[Value; 3]> = SmallVec::new();
        for n in 0..count {
            args.push(if n == 2 || op == GroupOp::AmdMbcnt {
                self.word_arg(inst, 2 + n)?
            } else {
                self.arg(inst, 2 + n)?
            });
        }
        let ty = self.func.ty(args[0]);
        if args
            .get(1)
            .is_some_and(|&written| self.func.ty(written) != ty)
        {
            return Err(inst.error("the operands' types differ"));
        }
        if op == GroupOp::AmdMbcnt && ty != Type::I32 {
            return Err(inst.error("the mask is not a 32-bit integer"));
        }
        let kind = InstKind::Group {
            op,
            scope: Scope::Subgroup,
            args,
        };
        let value = self.emit(kind, ty);
        self.define_value(inst, value)
    }

    /// The second operand of a swizzle: a constant vector of N numbers up to `most`.
    fn small_constants<const N: usize>(&self, inst: &Inst<'_>, most: u64) -> Result<[u8; N]> {
        let id = inst.arg(3)?;
        let Def::Const(_) = self.pre.def(id) else {
            return Err(inst.error("the swizzle's pattern is not a constant"));
        };
        let lanes = self
            .pre
            .constant(inst, id)?
            .lanes(&self.pre.types)
            .filter(|lanes| lanes.len() == N && lanes.iter().all(|&lane| lane <= most))
            .ok_or_else(|| {
                inst.error(format_args!(
                    "the pattern is not {N} numbers from 0 to {most}"
                ))
            })?;
        Ok(std::array::from_fn(|lane| lanes[lane] as u8))
    }
}
