//! Sub-group operations that the device lacks, by shuffles and ballots.
//!
//! - Vectors of small elements, element by element, where the driver wants that.
//! - Votes, ballots and scans where drivers make loops of them ([`lane_loops`](super::lane_loops)).
//! - Rotation and relative shuffles: a shuffle from a computed lane.
//! - Clustered reductions: each lane combines the active lanes of its cluster in order.
//! - Reductions and scans of 64-bit integers on devices without, and of doubles on devices without or that
//!   flush their denormals: each lane combines the active lanes.
//! - SPV_AMD_shader_ballot where the driver has no VK_AMD_shader_ballot: reductions and scans
//!   are the KHR ones; a swizzle is a shuffle whose result counts only where the ballot says
//!   that the source lane is active, else it is 0; WriteInvocationAMD is a select, MbcntAMD a
//!   population count of the bits below.

use crate::expand::{Expander, Replacement, expand};
use crate::pass::{Changed, Ctx};
use crate::passes::legalize::legalize_int64::is_word_by_word;
use crate::passes::lower::lane_loops::LaneLoops;
use crate::passes::lower::work_groups::{built_in, combined, sub_group};
use pumice_budget as budget;
use pumice_ir::LowerError;
use pumice_ir::{
    BinaryOp, BuiltIn, Function, GroupOp, GroupOperation, Inst, InstKind, IntCond, MathOp, Module,
    Scalar, Scope, Type, Value,
};
use pumice_target::{QuirkKind, Target};

/// Runs the pass.
///
/// # Errors
/// None of its own.
pub fn run(module: &mut Module, ctx: &Ctx<'_>) -> Result<Changed, LowerError> {
    let mut changed = Changed::No;
    let kernel_of = module.kernel_of_each();
    for (id, func) in &mut module.functions {
        if func.entry().is_some() {
            // Others may be called where only some work-items are.
            changed |= lower_function(func, kernel_of[id].is_some(), ctx.target)?;
            budget::check()?;
        }
    }
    Ok(changed)
}

fn lower_function(
    func: &mut Function,
    is_kernel: bool,
    target: &Target,
) -> Result<Changed, LowerError> {
    let lane_loops = LaneLoops::new(func, is_kernel, target);
    expand(func, |x, inst| {
        let InstKind::Group {
            op,
            scope: Scope::Subgroup,
            args,
        } = x.func.insts[inst].kind.clone()
        else {
            return Ok(None);
        };
        if by_element(x, target, inst, &args) {
            let lanes = 0..x.ty(args[0]).lanes;
            let elements: Vec<Value> = lanes
                .map(|lane| {
                    let args: Vec<Value> = args.iter().map(|&arg| x.lane(arg, lane)).collect();
                    let ty = x.ty(args[0]);
                    let made = lower(x, target, op, &args);
                    made.unwrap_or_else(|| sub_group(x, op, &args, ty))
                })
                .collect();
            let value = x.build(&elements);
            return Ok(Some(Replacement::from_slice(&[value])));
        }
        let replaced = lane_loops.as_ref();
        let replaced = replaced.and_then(|loops| loops.replaced(x, inst, (op, &args)));
        let value = replaced.or_else(|| lower(x, target, op, &args));
        Ok(value.map(|value| Replacement::from_slice(&[value])))
    })
}

/// Returns whether an operation on a vector gives a vector of the same type, and the driver wants it for each element
/// ([`NarrowVectorsByElement`](QuirkKind::NarrowVectorsByElement)).
fn by_element(x: &Expander<'_>, target: &Target, inst: Inst, args: &[Value]) -> bool {
    let narrow = |ty: Type| ty.lanes > 1 && ty.scalar != Scalar::Bool && ty.scalar.bytes() < 4;
    let results = &x.func.insts[inst].results;
    target.quirks.has(QuirkKind::NarrowVectorsByElement)
        && args.first().is_some_and(|&arg| {
            let ty = x.ty(arg);
            narrow(ty) && results.iter().all(|&result| x.ty(result) == ty)
        })
}

/// Returns whether the device has an operation of sub-groups.
pub fn has(target: &Target, op: GroupOp) -> bool {
    let have = target.subgroup;
    if op.operation() == Some(GroupOperation::ClusteredReduce) && !have.clustered {
        return false;
    }
    match op {
        GroupOp::Rotate => have.rotate,
        GroupOp::ShuffleUp | GroupOp::ShuffleDown => have.shuffle_relative,
        GroupOp::AmdArithmetic(..)
        | GroupOp::AmdSwizzle(_)
        | GroupOp::AmdSwizzleMasked(_)
        | GroupOp::AmdWriteInvocation
        | GroupOp::AmdMbcnt => target.amd_shader_ballot,
        _ => true,
    }
}

fn lower(x: &mut Expander<'_>, target: &Target, op: GroupOp, args: &[Value]) -> Option<Value> {
    let made_up = args.first().is_some_and(|&arg| match x.ty(arg).scalar {
        Scalar::I64 => !target.int64 && !is_word_by_word(op),
        Scalar::F64 => target.flushes_f64 || target.soft_f64,
        _ => false,
    });
    if made_up {
        if let Some(operation) = op.operation() {
            return Some(by_shuffles(x, op, operation, args));
        }
    }
    if has(target, op) {
        return None;
    }
    let lacks_clusters = !target.subgroup.clustered;
    Some(match op {
        GroupOp::Rotate => rotate(x, args),
        GroupOp::ShuffleUp => relative(x, BinaryOp::ISub, args),
        GroupOp::ShuffleDown => relative(x, BinaryOp::IAdd, args),
        _ if op.operation() == Some(GroupOperation::ClusteredReduce) && lacks_clusters => {
            clustered_reduce(x, op, args)
        }
        GroupOp::AmdArithmetic(combine, operation) => {
            let ty = x.ty(args[0]);
            sub_group(x, GroupOp::Arithmetic(combine, operation), args, ty)
        }
        GroupOp::AmdSwizzle(picks) => {
            let lane = built_in(x, BuiltIn::SubgroupLocalId);
            let place = x.bin_const(BinaryOp::And, lane, 3);
            let shift = x.bin_const(BinaryOp::IMul, place, 2);
            let picks = x.func.i32(i32::from(picks));
            let pick = x.bin(BinaryOp::LShr, picks, shift);
            let pick = x.bin_const(BinaryOp::And, pick, 3);
            let base = x.bin(BinaryOp::ISub, lane, place);
            let source = x.bin(BinaryOp::IAdd, base, pick);
            active_or_zero(x, args[0], lane, source)
        }
        GroupOp::AmdSwizzleMasked([and, or, xor]) => {
            let lane = built_in(x, BuiltIn::SubgroupLocalId);
            let low = x.bin_const(BinaryOp::And, lane, u64::from(and & 31));
            let low = x.bin_const(BinaryOp::Or, low, u64::from(or & 31));
            let low = x.bin_const(BinaryOp::Xor, low, u64::from(xor & 31));
            let half = x.bin_const(BinaryOp::And, lane, 32);
            let source = x.bin(BinaryOp::Or, low, half);
            active_or_zero(x, args[0], lane, source)
        }
        GroupOp::AmdWriteInvocation => {
            let lane = built_in(x, BuiltIn::SubgroupLocalId);
            let here = x.icmp(IntCond::Eq, lane, args[2]);
            x.select(here, args[1], args[0])
        }
        GroupOp::AmdMbcnt => {
            let lower = built_in(x, BuiltIn::SubgroupLtMask);
            let lower = x.lane(lower, 0);
            let bits = x.bin(BinaryOp::And, args[0], lower);
            x.math(MathOp::PopCount, &[bits])
        }
        _ => return None,
    })
}

fn shuffle(x: &mut Expander<'_>, value: Value, lane: Value) -> Value {
    let ty = x.ty(value);
    sub_group(x, GroupOp::Shuffle, &[value, lane], ty)
}

/// The size of the cluster is a power of two.
fn rotate(x: &mut Expander<'_>, args: &[Value]) -> Value {
    let lane = built_in(x, BuiltIn::SubgroupLocalId);
    let size = match args.get(2) {
        Some(&size) => size,
        None => built_in(x, BuiltIn::SubgroupMaxSize),
    };
    let inside = x.bin_const(BinaryOp::ISub, size, 1);
    let sum = x.bin(BinaryOp::IAdd, lane, args[1]);
    // The lane's bits above the cluster, the sum's inside.
    let changed = x.bin(BinaryOp::Xor, lane, sum);
    let changed = x.bin(BinaryOp::And, changed, inside);
    let source = x.bin(BinaryOp::Xor, lane, changed);
    shuffle(x, args[0], source)
}

/// Lanes outside the sub-group have no value: any will do.
fn relative(x: &mut Expander<'_>, op: BinaryOp, args: &[Value]) -> Value {
    let lane = built_in(x, BuiltIn::SubgroupLocalId);
    let source = x.bin(op, lane, args[1]);
    let size = built_in(x, BuiltIn::SubgroupMaxSize);
    let exists = x.icmp(IntCond::Ult, source, size);
    let source = x.select(exists, source, lane);
    shuffle(x, args[0], source)
}

/// The ballot of the active lanes.
fn active_lanes(x: &mut Expander<'_>) -> Value {
    let yes = x.splat(Type::BOOL, 1);
    sub_group(x, GroupOp::Ballot, &[yes], Type::vector(Scalar::I32, 4))
}

/// Makes a Bool: a lane below 128 is in a ballot; others of the sub-group's own size never are.
fn is_active(x: &mut Expander<'_>, ballot: Value, lane: Value) -> Value {
    let index = x.bin_const(BinaryOp::LShr, lane, 5);
    let word = x.value(
        InstKind::ExtractDyn {
            vector: ballot,
            index,
        },
        Type::I32,
    );
    let bit = x.bin(BinaryOp::LShr, word, lane);
    let bit = x.bin_const(BinaryOp::And, bit, 1);
    x.icmp_const(IntCond::Ne, bit, 0)
}

fn active_or_zero(x: &mut Expander<'_>, value: Value, lane: Value, source: Value) -> Value {
    let ballot = active_lanes(x);
    let active = is_active(x, ballot, source);
    let source = x.select(active, source, lane);
    let found = shuffle(x, value, source);
    let ty = x.ty(value);
    let zero = x.splat(ty, 0);
    x.select(active, found, zero)
}

/// A reduction or scan of numbers that the device has no such operations of.
fn by_shuffles(
    x: &mut Expander<'_>,
    op: GroupOp,
    operation: GroupOperation,
    args: &[Value],
) -> Value {
    let lane = built_in(x, BuiltIn::SubgroupLocalId);
    let zero = x.splat(Type::I32, 0);
    let size = built_in(x, BuiltIn::SubgroupMaxSize);
    let counts = match operation {
        GroupOperation::ClusteredReduce => return clustered_reduce(x, op, args),
        GroupOperation::Reduce => None,
        GroupOperation::InclusiveScan => Some(IntCond::Ule),
        GroupOperation::ExclusiveScan => Some(IntCond::Ult),
    };
    combine_lanes(x, op, args[0], [zero, size], |x, other| {
        counts.map(|cond| x.icmp(cond, other, lane))
    })
}

fn clustered_reduce(x: &mut Expander<'_>, op: GroupOp, args: &[Value]) -> Value {
    let (value, size) = (args[0], args[1]);
    let lane = built_in(x, BuiltIn::SubgroupLocalId);
    let inside = x.bin_const(BinaryOp::ISub, size, 1);
    let place = x.bin(BinaryOp::And, lane, inside);
    let first = x.bin(BinaryOp::ISub, lane, place);
    let end = x.bin(BinaryOp::IAdd, first, size);
    combine_lanes(x, op, value, [first, end], |_, _| None)
}

/// Combines the values of the active lanes of a range, of those that count if not all do.
fn combine_lanes(
    x: &mut Expander<'_>,
    op: GroupOp,
    value: Value,
    range: [Value; 2],
    counts: impl FnOnce(&mut Expander<'_>, Value) -> Option<Value>,
) -> Value {
    let ty = x.ty(value);
    let lane = built_in(x, BuiltIn::SubgroupLocalId);
    let ballot = active_lanes(x);
    let start = x.splat(ty, op.identity(ty.scalar));
    // Every lane of a sub-group goes round as often, so the shuffles meet.
    x.fold_range(range, start, |x, other, sum| {
        let active = is_active(x, ballot, other);
        let source = x.select(active, other, lane);
        let part = shuffle(x, value, source);
        let more = combined(x, op, sum, part);
        let taken = match counts(x, other) {
            Some(counts) => x.bin(BinaryOp::And, active, counts),
            None => active,
        };
        x.select(taken, more, sum)
    })
}
