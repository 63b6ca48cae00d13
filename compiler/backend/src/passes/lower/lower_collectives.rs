//! Work-group collectives by local memory and barriers: Vulkan has none.
//!
//! The module gets one scratch array in local memory: a slot of one word, or two for 64-bit
//! values, for each work-item. With n work-items and chunks of 32:
//!
//! - Broadcast: the source stores, all load behind a barrier.
//! - Scan: all store; the first work-items scan a chunk each in place; then each work-item
//!   combines the chunks before its own with its place in its own. That is three barriers and
//!   at most 32 + n/32 steps.
//! - Reduction: the same, but at the end all chunks are combined. The order is the same in all
//!   work-items, so they get the same float.
//!
//! Sub-groups take over what is inside them if the device's can be relied on ([`Forms`]): each stores one value in a
//! slot, and behind one barrier all combine the slots. A scan needs sub-groups that number the work-items as OpenCL
//! does, a reduction does not.
//!
//! A barrier at the end keeps the next use of the scratch array away from this one's loads.
//! OpenCL requires that all work-items of the group come here together, so barriers may stand.

use crate::expand::{Expander, expand};
use crate::pass::{Changed, Ctx};
use crate::passes::lower::work_groups::{
    Scratch, barrier, built_in, combined, each_lane, item, items, on_number, sub_group,
};
use pumice_ir::{
    AtomicOp, BinaryOp, BuiltIn, ConvertOp, FuncId, GroupOp, GroupOperation, InstKind, IntCond,
    LowerError, Module, Scope, Type, Value,
};
use pumice_target::{QuirkKind, Target};
use rustc_hash::FxHashMap;

/// Work-items whose values one work-item scans in sequence.
const CHUNK: u64 = 32;

/// The collectives that the device's sub-groups may help with.
#[derive(Clone, Copy)]
struct Forms {
    /// Sub-groups are as many as OpenCL counts, and whole wherever the work-group is together.
    reductions: bool,
    /// They take the work-items in the order of their numbers, too.
    scans: bool,
}

impl Forms {
    fn new(target: &Target) -> Self {
        // Mesa 22.3's CPU driver has more sub-groups in groups of two and three dimensions than OpenCL does.
        let reductions = target.has_feature("__opencl_c_subgroups")
            && target.maximal_reconvergence
            && !target.quirks.has(QuirkKind::SubGroupsInRows);
        Self {
            reductions,
            scans: reductions && target.quirks.has(QuirkKind::LocalIdsFromLanes),
        }
    }

    fn has(self, operation: GroupOperation) -> bool {
        match operation {
            GroupOperation::Reduce => self.reductions,
            _ => self.scans,
        }
    }
}

/// Runs the pass.
///
/// # Errors
/// A work-group collective that OpenCL has for sub-groups only.
pub fn run(module: &mut Module, ctx: &Ctx<'_>) -> Result<Changed, LowerError> {
    let kernels = module.kernels.iter();
    let required: FxHashMap<FuncId, [u32; 3]> = kernels
        .filter_map(|kernel| Some((kernel.func, kernel.required_work_group_size?)))
        .collect();
    let users: Vec<(FuncId, u64)> = (module.functions.iter())
        .map(|(id, func)| {
            let size = Scratch::size(func, Scope::Workgroup, required.get(&id), ctx.target);
            (id, size)
        })
        .filter(|&(_, size)| size != 0)
        .collect();
    let Some(size) = users.iter().map(|&(_, size)| size).max() else {
        return Ok(Changed::No);
    };
    let scratch = Scratch::new(module, size);
    let forms = Forms::new(ctx.target);
    let mut changed = Changed::No;
    for (id, _) in users {
        changed |= expand(&mut module.functions[id], |x, inst| {
            let InstKind::Group { op, scope, args } = x.func.insts[inst].kind.clone() else {
                return Ok(None);
            };
            if scope != Scope::Workgroup {
                return Ok(None);
            }
            each_lane(x, inst, &args, |x, args| lower(x, scratch, forms, op, args)).map(Some)
        })?;
    }
    Ok(changed)
}

fn lower(
    x: &mut Expander<'_>,
    scratch: Scratch,
    forms: Forms,
    op: GroupOp,
    args: &[Value],
) -> Result<Value, LowerError> {
    let boolean = match op {
        GroupOp::All => Some(AtomicOp::And),
        GroupOp::Any => Some(AtomicOp::Or),
        _ => None,
    };
    let op = match (boolean, op) {
        (Some(combine), _) => GroupOp::Arithmetic(combine, GroupOperation::Reduce),
        (None, GroupOp::AmdArithmetic(combine, operation)) => {
            GroupOp::Arithmetic(combine, operation)
        }
        (None, GroupOp::Broadcast) => return Ok(broadcast(x, scratch, args[0], args[1])),
        _ => op,
    };
    let operation = match (op, op.operation()) {
        (
            GroupOp::Arithmetic(..) | GroupOp::IMul(_) | GroupOp::FMul(_) | GroupOp::FAddRelaxed(_),
            Some(operation),
        ) if operation != GroupOperation::ClusteredReduce => operation,
        _ => {
            return Err(LowerError::new(format!(
                "the group operation {} has no work-group scope",
                op.name()
            )));
        }
    };
    Ok(on_number(x, args[0], |x, value| {
        match forms.has(operation) {
            true => by_sub_groups(x, scratch, op, operation, value),
            false => scan(x, scratch, op, operation, value),
        }
    }))
}

fn broadcast(x: &mut Expander<'_>, scratch: Scratch, value: Value, id: Value) -> Value {
    let own = built_in(x, BuiltIn::LocalId);
    let id_lanes = x.ty(id).lanes;
    let mut here = None;
    for lane in 0..3 {
        let mine = x.lane(own, lane);
        let wanted = if lane < id_lanes {
            let lane = x.lane(id, lane);
            x.convert(ConvertOp::ZExt, lane, Type::I64)
        } else {
            x.func.i64(0)
        };
        let same = x.icmp(IntCond::Eq, mine, wanted);
        here = Some(match here {
            Some(before) => x.bin(BinaryOp::And, before, same),
            None => same,
        });
    }
    let zero = x.func.i32(0);
    if let Some(here) = here {
        x.when(here, |x| scratch.store(x, zero, value));
    }
    barrier(x);
    let ty = x.ty(value);
    let result = scratch.load(x, zero, ty);
    barrier(x);
    result
}

fn scan(
    x: &mut Expander<'_>,
    scratch: Scratch,
    op: GroupOp,
    operation: GroupOperation,
    value: Value,
) -> Value {
    let ty = x.ty(value);
    let item = item(x);
    let items = items(x, BuiltIn::LocalSize);
    let chunks = x.bin_const(BinaryOp::IAdd, items, CHUNK - 1);
    let chunks = x.bin_const(BinaryOp::UDiv, chunks, CHUNK);

    scratch.store(x, item, value);
    barrier(x);
    let scans = x.icmp(IntCond::Ult, item, chunks);
    x.when(scans, |x| {
        let begin = x.bin_const(BinaryOp::IMul, item, CHUNK);
        let end = x.bin_const(BinaryOp::IAdd, begin, CHUNK);
        let end = x.bin(BinaryOp::UMin, end, items);
        let second = x.bin_const(BinaryOp::IAdd, begin, 1);
        let start = scratch.load(x, begin, ty);
        x.fold_range([second, end], start, |x, index, sum| {
            let part = scratch.load(x, index, ty);
            let sum = combined(x, op, sum, part);
            scratch.store(x, index, sum);
            sum
        });
    });
    barrier(x);
    let identity = x.splat(ty, op.identity(ty.scalar));
    let zero = x.func.i32(0);
    let result = if operation == GroupOperation::Reduce {
        let last = last_of_chunk(x, zero, items);
        let start = scratch.load(x, last, ty);
        let one = x.func.i32(1);
        scratch.fold(x, op, [one, chunks], start, |x, chunk| {
            last_of_chunk(x, chunk, items)
        })
    } else {
        let chunk = x.bin_const(BinaryOp::UDiv, item, CHUNK);
        let before = scratch.fold(x, op, [zero, chunk], identity, |x, chunk| {
            last_of_chunk(x, chunk, items)
        });
        if operation == GroupOperation::InclusiveScan {
            let own = scratch.load(x, item, ty);
            combined(x, op, before, own)
        } else {
            let place = x.bin_const(BinaryOp::URem, item, CHUNK);
            let first = x.icmp_const(IntCond::Eq, place, 0);
            let left = x.bin_const(BinaryOp::ISub, item, 1);
            let left = x.select(first, item, left);
            let own = scratch.load(x, left, ty);
            let own = x.select(first, identity, own);
            combined(x, op, before, own)
        }
    };
    barrier(x);
    result
}

/// The same with the device's sub-groups for what is inside them.
fn by_sub_groups(
    x: &mut Expander<'_>,
    scratch: Scratch,
    op: GroupOp,
    operation: GroupOperation,
    value: Value,
) -> Value {
    let ty = x.ty(value);
    let inside = sub_group(x, op, &[value], ty);
    let number = built_in(x, BuiltIn::SubgroupId);
    let lane = built_in(x, BuiltIn::SubgroupLocalId);
    // The work-item that knows the sum of its sub-group stores it.
    let (sum, knows) = match operation {
        GroupOperation::Reduce => (inside, x.func.i32(0)),
        _ => {
            let size = built_in(x, BuiltIn::SubgroupSize);
            let last = x.bin_const(BinaryOp::ISub, size, 1);
            let sum = match operation {
                GroupOperation::InclusiveScan => inside,
                _ => combined(x, op, inside, value),
            };
            (sum, last)
        }
    };
    let knows = x.icmp(IntCond::Eq, lane, knows);
    x.when(knows, |x| scratch.store(x, number, sum));
    barrier(x);
    let result = match operation {
        GroupOperation::Reduce => {
            let count = built_in(x, BuiltIn::NumSubgroups);
            combine_slots(x, scratch, op, count, ty)
        }
        _ => {
            let before = combine_slots(x, scratch, op, number, ty);
            combined(x, op, before, inside)
        }
    };
    barrier(x);
    result
}

/// Combines the first `end` slots, in the same order for all, so that they get the same float.
///
/// Whole sub-groups let each work-item combine the slots that are a sub-group's size apart, then all of it what each has. Others
/// combine one slot after the other.
fn combine_slots(
    x: &mut Expander<'_>,
    scratch: Scratch,
    op: GroupOp,
    end: Value,
    ty: Type,
) -> Value {
    let lane = built_in(x, BuiltIn::SubgroupLocalId);
    let size = built_in(x, BuiltIn::SubgroupMaxSize);
    let count = built_in(x, BuiltIn::NumSubgroups);
    let items = items(x, BuiltIn::LocalSize);
    let lanes = x.bin(BinaryOp::IMul, count, size);
    let is_whole = x.icmp(IntCond::Eq, lanes, items);
    let zero = x.func.i32(0);
    let identity = x.splat(ty, op.identity(ty.scalar));

    // All slots, so that the number of rounds is the same for all sub-groups.
    let side_by_side = x.select(is_whole, count, zero);
    let of_lane = x.fold_steps([zero, side_by_side], size, identity, |x, first, sum| {
        let slot = x.bin(BinaryOp::IAdd, first, lane);
        let part = scratch.load(x, slot, ty);
        let counts = x.icmp(IntCond::Ult, slot, end);
        let part = x.select(counts, part, identity);
        combined(x, op, sum, part)
    });
    let of_lanes = sub_group(x, op.with_operation(GroupOperation::Reduce), &[of_lane], ty);
    let one_by_one = x.select(is_whole, zero, end);
    scratch.fold(x, op, [zero, one_by_one], of_lanes, |_, slot| slot)
}

/// The slot of a chunk's last value.
fn last_of_chunk(x: &mut Expander<'_>, chunk: Value, items: Value) -> Value {
    let end = x.bin_const(BinaryOp::IMul, chunk, CHUNK);
    let end = x.bin_const(BinaryOp::IAdd, end, CHUNK);
    let end = x.bin(BinaryOp::UMin, end, items);
    x.bin_const(BinaryOp::ISub, end, 1)
}
