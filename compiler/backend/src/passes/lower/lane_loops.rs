//! Votes, ballots and scans of sub-groups by reductions and shuffles, for drivers that make loops over the lanes of the first
//! and vector instructions of the second ([`QuirkKind::LoopsOverLanes`]).

use crate::expand::Expander;
use crate::passes::lower::work_groups::{built_in, combined, sub_group};
use crate::structurize::divergence::Divergence;
use cranelift_entity::EntitySet;
use pumice_ir::{
    AtomicOp, BinaryOp, BuiltIn, ConvertOp, Function, GroupOp, GroupOperation, Inst, InstKind,
    IntCond, Scalar, Scope, Type, Value,
};
use pumice_target::{QuirkKind, Target};

/// The operations of a function that can be made of others.
pub(super) struct LaneLoops {
    /// The lanes of a sub-group, a power of two.
    width: u32,
    /// Scans that all lanes of a sub-group come to together. Lanes that are missing in the last one are above all others.
    scans: EntitySet<Inst>,
}

impl LaneLoops {
    /// Looks at a function; `None` if the driver makes no such loops. All work-items of a group begin a kernel together.
    pub fn new(func: &mut Function, is_kernel: bool, target: &Target) -> Option<Self> {
        let width = target.max_subgroup_size;
        let has_others = target.subgroup.arithmetic && target.subgroup.shuffle;
        let is_quirky = target.quirks.has(QuirkKind::LoopsOverLanes);
        if !is_quirky || !has_others || !width.is_power_of_two() || width > 32 {
            return None;
        }
        let blocks = func.layout.blocks.iter();
        let all =
            blocks.flat_map(|&block| func.layout.insts[block].iter().map(move |&i| (block, i)));
        let scans: Vec<_> = all.filter(|&(_, inst)| is_scan(func, inst)).collect();
        let mut together = EntitySet::new();
        if is_kernel && !scans.is_empty() {
            let divergence = Divergence::new(func);
            let scans = scans
                .iter()
                .filter(|&&(block, _)| !divergence.is_apart(block));
            together.extend(scans.map(|&(_, inst)| inst));
        }
        Some(Self {
            width,
            scans: together,
        })
    }

    /// The result of an operation of sub-groups; `None` if the driver's own form is as good.
    pub fn replaced(
        &self,
        x: &mut Expander<'_>,
        inst: Inst,
        (op, args): (GroupOp, &[Value]),
    ) -> Option<Value> {
        let value = *args.first()?;
        match op {
            GroupOp::All => Some(vote(x, AtomicOp::And, value)),
            GroupOp::Any => Some(vote(x, AtomicOp::Or, value)),
            GroupOp::Ballot => Some(ballot(x, value)),
            _ if self.scans.contains(inst) => Some(self.scan(x, op, value)),
            _ => None,
        }
    }

    /// Combines what each lane has with what those before it have, in steps of 1, 2, 4 lanes and so on.
    fn scan(&self, x: &mut Expander<'_>, op: GroupOp, value: Value) -> Value {
        let lane = built_in(x, BuiltIn::SubgroupLocalId);
        let mut sum = value;
        let mut distance = 1;
        while distance < self.width {
            let before = self.lane_before(x, sum, (lane, distance));
            let more = combined(x, op, before, sum);
            let has_before = x.icmp_const(IntCond::Uge, lane, u64::from(distance));
            sum = x.select(has_before, more, sum);
            distance *= 2;
        }
        if op.operation() == Some(GroupOperation::InclusiveScan) {
            return sum;
        }
        let ty = x.ty(value);
        let identity = x.splat(ty, op.identity(ty.scalar));
        let before = self.lane_before(x, sum, (lane, 1));
        let has_before = x.icmp_const(IntCond::Ne, lane, 0);
        x.select(has_before, before, identity)
    }

    /// The value of the lane so far before the own one; the first lanes get that of another.
    fn lane_before(
        &self,
        x: &mut Expander<'_>,
        value: Value,
        (lane, distance): (Value, u32),
    ) -> Value {
        let most = u64::from(self.width - 1);
        let from = x.bin_const(BinaryOp::IAdd, lane, u64::from(self.width - distance));
        let from = x.bin_const(BinaryOp::And, from, most);
        let ty = x.ty(value);
        if ty.scalar.bytes() == 4 {
            return sub_group(x, GroupOp::Shuffle, &[value, from], ty);
        }
        // Words of 64 bits are shuffled in a loop.
        let words = x.convert(ConvertOp::Bitcast, value, Type::vector(Scalar::I32, 2));
        let words = [0, 1].map(|part| {
            let word = x.lane(words, part);
            sub_group(x, GroupOp::Shuffle, &[word, from], Type::I32)
        });
        x.of_words(&words, ty)
    }
}

/// Returns whether an instruction is a scan of numbers of 32 or 64 bits.
fn is_scan(func: &Function, inst: Inst) -> bool {
    let InstKind::Group {
        op,
        scope: Scope::Subgroup,
        args,
    } = &func.insts[inst].kind
    else {
        return false;
    };
    let is_arithmetic = matches!(
        op,
        GroupOp::Arithmetic(..) | GroupOp::IMul(_) | GroupOp::FMul(_) | GroupOp::FAddRelaxed(_)
    );
    let is_scan = matches!(
        op.operation(),
        Some(GroupOperation::InclusiveScan | GroupOperation::ExclusiveScan)
    );
    let is_of_words = args.first().is_some_and(|&arg| {
        let ty = func.ty(arg);
        let is_number = ty.scalar.is_int() || ty.scalar.is_float();
        !ty.is_vector() && is_number && matches!(ty.scalar.bytes(), 4 | 8)
    });
    is_arithmetic && is_scan && is_of_words
}

/// Votes: the condition holds for all active lanes (`And`), or for any of them (`Or`).
fn vote(x: &mut Expander<'_>, op: AtomicOp, cond: Value) -> Value {
    let [yes, no] = [1, 0].map(|bits| x.splat(Type::I32, bits));
    let word = x.select(cond, yes, no);
    let op = GroupOp::Arithmetic(op, GroupOperation::Reduce);
    let word = sub_group(x, op, &[word], Type::I32);
    x.icmp_const(IntCond::Ne, word, 0)
}

/// A bit for each active lane, at most 32 of them, for which a condition holds.
fn ballot(x: &mut Expander<'_>, cond: Value) -> Value {
    let lane = built_in(x, BuiltIn::SubgroupLocalId);
    let [one, no] = [1, 0].map(|bits| x.splat(Type::I32, bits));
    let bit = x.bin(BinaryOp::Shl, one, lane);
    let word = x.select(cond, bit, no);
    let op = GroupOp::Arithmetic(AtomicOp::Or, GroupOperation::Reduce);
    let word = sub_group(x, op, &[word], Type::I32);
    x.build(&[word, no, no, no])
}
