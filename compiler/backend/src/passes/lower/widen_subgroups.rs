//! Sub-groups that are larger than the device's, by local memory and barriers.
//!
//! A kernel may require a size of its sub-groups (intel_reqd_sub_group_size), and programs are written for those of
//! GPUs: 16, 32 or 64 work-items, where a processor has 4 or 8. Such a kernel gets sub-groups of its own: of n
//! work-items those with the numbers n k up to n k + n - 1.
//!
//! - Ids and sizes are computed from the number of the work-item.
//! - In an operation each work-item stores its value in a slot of local memory ([`Scratch`]) and reads
//!   the values that it needs behind a barrier: one for a shuffle, all of its sub-group for a reduction.
//! - A barrier of the sub-group is one of the work-group.
//!
//! The barriers are the work-group's, so this is right only where all its work-items are together ([`Divergence`]). A
//! kernel that has an operation elsewhere, or one of those on ballots, keeps the device's sub-groups: the runtime does
//! not launch it.

use crate::expand::{Expander, Replacement, expand};
use crate::pass::{Changed, Ctx};
use crate::passes::lower::work_groups::{Scratch, barrier, each_lane, item, items, on_number};
use crate::structurize::divergence::Divergence;
use pumice_ir::{
    AtomicOp, BinaryOp, BuiltIn, ConvertOp, Function, GroupOp, GroupOperation, InstKind, IntCond,
    LowerError, Module, Scope, Type, Value,
};

/// The largest size: that of Vulkan's sub-groups.
const LARGEST: u32 = 128;

/// Runs the pass.
///
/// # Errors
/// None of its own.
pub fn run(module: &mut Module, ctx: &Ctx<'_>) -> Result<Changed, LowerError> {
    let mut changed = Changed::No;
    for index in 0..module.kernels.len() {
        let kernel = &module.kernels[index];
        let Some(size) = kernel.required_sub_group_size else {
            continue;
        };
        let required = kernel.required_work_group_size;
        let id = kernel.func;
        let func = &mut module.functions[id];
        let fits = size.is_power_of_two() && size <= LARGEST;
        if size <= ctx.target.largest_subgroup_size || !fits || !can_be_made(func) {
            continue;
        }
        // Ids alone need no slot, but an array is never empty.
        let size_of_slots = Scratch::size(func, Scope::Subgroup, required.as_ref(), ctx.target);
        let scratch = Scratch::new(module, size_of_slots.max(8));
        let func = &mut module.functions[id];
        let _ = widen(func, scratch, size)?;
        module.kernels[index].made_sub_groups = true;
        changed = Changed::Yes;
    }
    Ok(changed)
}

/// Returns whether all that a kernel does with sub-groups can be done by its work-group.
fn can_be_made(func: &mut Function) -> bool {
    if func.entry().is_none() {
        return false;
    }
    let divergence = Divergence::new(func);
    func.layout.blocks.iter().all(|&block| {
        (func.layout.insts[block].iter()).all(|&inst| match &func.insts[inst].kind {
            InstKind::Group {
                op,
                scope: Scope::Subgroup,
                ..
            } => is_known(*op) && !divergence.is_apart(block),
            InstKind::Barrier {
                execution: Scope::Subgroup,
                ..
            } => !divergence.is_apart(block),
            InstKind::BuiltIn { which } => !which.is_of_sub_group() || is_computed(*which),
            InstKind::Matrix { .. } => false,
            _ => true,
        })
    })
}

/// Returns whether [`operation`] has an operation of sub-groups.
fn is_known(op: GroupOp) -> bool {
    matches!(
        op,
        GroupOp::Elect
            | GroupOp::All
            | GroupOp::Any
            | GroupOp::Broadcast
            | GroupOp::BroadcastFirst
            | GroupOp::Shuffle
            | GroupOp::ShuffleXor
            | GroupOp::ShuffleUp
            | GroupOp::ShuffleDown
            | GroupOp::Rotate
            | GroupOp::Arithmetic(..)
            | GroupOp::IMul(_)
            | GroupOp::FMul(_)
            | GroupOp::FAddRelaxed(_)
    )
}

/// Returns whether [`number`] has a built-in value.
fn is_computed(which: BuiltIn) -> bool {
    matches!(
        which,
        BuiltIn::SubgroupSize
            | BuiltIn::SubgroupMaxSize
            | BuiltIn::NumSubgroups
            | BuiltIn::NumEnqueuedSubgroups
            | BuiltIn::SubgroupId
            | BuiltIn::SubgroupLocalId
    )
}

fn widen(func: &mut Function, scratch: Scratch, size: u32) -> Result<Changed, LowerError> {
    expand(func, |x, inst| {
        let mut kind = x.func.insts[inst].kind.clone();
        match &mut kind {
            InstKind::BuiltIn { which } if is_computed(*which) => {
                let value = number(x, size, *which);
                Ok(Some(Replacement::from_slice(&[value])))
            }
            InstKind::Group {
                op,
                scope: Scope::Subgroup,
                args,
            } => {
                let (op, args) = (*op, &*args);
                each_lane(x, inst, args, |x, args| {
                    Ok(operation(x, scratch, size, op, args))
                })
                .map(Some)
            }
            InstKind::Barrier {
                execution: scope @ Scope::Subgroup,
                memory,
                ..
            } => {
                *scope = Scope::Workgroup;
                if *memory == Scope::Subgroup {
                    *memory = Scope::Workgroup;
                }
                x.emit(kind, &[]);
                Ok(Some(Replacement::new()))
            }
            InstKind::Fence { scope, .. }
            | InstKind::AtomicLoad { scope, .. }
            | InstKind::AtomicStore { scope, .. }
            | InstKind::AtomicRmw { scope, .. }
            | InstKind::AtomicCmpXchg { scope, .. }
                if *scope == Scope::Subgroup =>
            {
                // The work-items may be of several sub-groups of the device.
                *scope = Scope::Workgroup;
                x.func.insts[inst].kind = kind;
                Ok(None)
            }
            _ => Ok(None),
        }
    })
}

/// The first work-item of the own sub-group, and the one behind its last.
fn own_range(x: &mut Expander<'_>, size: u32) -> [Value; 2] {
    let item = item(x);
    let begin = x.bin_const(BinaryOp::And, item, u64::from(!(size - 1)));
    let end = x.bin_const(BinaryOp::IAdd, begin, u64::from(size));
    let items = items(x, BuiltIn::LocalSize);
    [begin, x.bin(BinaryOp::UMin, end, items)]
}

fn lane_of(x: &mut Expander<'_>, size: u32) -> Value {
    let item = item(x);
    x.bin_const(BinaryOp::And, item, u64::from(size - 1))
}

/// A built-in value about sub-groups of this size.
fn number(x: &mut Expander<'_>, size: u32, which: BuiltIn) -> Value {
    let shift = u64::from(size.trailing_zeros());
    match which {
        BuiltIn::SubgroupSize => {
            let [begin, end] = own_range(x, size);
            x.bin(BinaryOp::ISub, end, begin)
        }
        BuiltIn::NumSubgroups | BuiltIn::NumEnqueuedSubgroups => {
            let items = match which {
                BuiltIn::NumSubgroups => items(x, BuiltIn::LocalSize),
                _ => items(x, BuiltIn::EnqueuedLocalSize),
            };
            let up = x.bin_const(BinaryOp::IAdd, items, u64::from(size - 1));
            x.bin_const(BinaryOp::LShr, up, shift)
        }
        BuiltIn::SubgroupId => {
            let item = item(x);
            x.bin_const(BinaryOp::LShr, item, shift)
        }
        BuiltIn::SubgroupLocalId => lane_of(x, size),
        _ => x.splat(Type::I32, u64::from(size)),
    }
}

/// An operation on one value of each work-item.
fn operation(
    x: &mut Expander<'_>,
    scratch: Scratch,
    size: u32,
    op: GroupOp,
    args: &[Value],
) -> Value {
    let lane = lane_of(x, size);
    let boolean = match op {
        GroupOp::Elect => return x.icmp_const(IntCond::Eq, lane, 0),
        GroupOp::All => Some(AtomicOp::And),
        GroupOp::Any => Some(AtomicOp::Or),
        _ => None,
    };
    let op = boolean.map_or(op, |combine| {
        GroupOp::Arithmetic(combine, GroupOperation::Reduce)
    });
    on_number(x, args[0], |x, value| match op.operation() {
        Some(form) => reduction(x, scratch, size, op, form, value, args.get(1).copied()),
        None => {
            let source = source(x, size, op, lane, args);
            shuffle(x, scratch, size, value, source)
        }
    })
}

/// The lane whose value a shuffle gives.
fn source(x: &mut Expander<'_>, size: u32, op: GroupOp, lane: Value, args: &[Value]) -> Value {
    let arg = match args.get(1) {
        Some(&arg) => x.convert(ConvertOp::Trunc, arg, Type::I32),
        None => x.splat(Type::I32, 0),
    };
    match op {
        GroupOp::ShuffleXor => x.bin(BinaryOp::Xor, lane, arg),
        GroupOp::ShuffleUp => x.bin(BinaryOp::ISub, lane, arg),
        GroupOp::ShuffleDown => x.bin(BinaryOp::IAdd, lane, arg),
        GroupOp::Rotate => {
            let cluster = match args.get(2) {
                Some(&cluster) => cluster,
                None => x.splat(Type::I32, u64::from(size)),
            };
            let inside = x.bin_const(BinaryOp::ISub, cluster, 1);
            let sum = x.bin(BinaryOp::IAdd, lane, arg);
            // The lane's bits above the cluster, the sum's inside.
            let changed = x.bin(BinaryOp::Xor, lane, sum);
            let changed = x.bin(BinaryOp::And, changed, inside);
            x.bin(BinaryOp::Xor, lane, changed)
        }
        // Broadcasts and plain shuffles.
        _ => arg,
    }
}

/// The value of a lane; the own one for a lane that is not there.
fn shuffle(
    x: &mut Expander<'_>,
    scratch: Scratch,
    size: u32,
    value: Value,
    source: Value,
) -> Value {
    let item = item(x);
    let [begin, end] = own_range(x, size);
    let count = x.bin(BinaryOp::ISub, end, begin);
    let exists = x.icmp(IntCond::Ult, source, count);
    let place = x.bin(BinaryOp::IAdd, begin, source);
    let place = x.select(exists, place, item);
    scratch.store(x, item, value);
    barrier(x);
    let ty = x.ty(value);
    let result = scratch.load(x, place, ty);
    barrier(x);
    result
}

/// A reduction or scan, in the order of the lanes; `cluster` is the size of clusters.
fn reduction(
    x: &mut Expander<'_>,
    scratch: Scratch,
    size: u32,
    op: GroupOp,
    form: GroupOperation,
    value: Value,
    cluster: Option<Value>,
) -> Value {
    let ty = x.ty(value);
    let item = item(x);
    let [mut begin, mut end] = own_range(x, size);
    if let (GroupOperation::ClusteredReduce, Some(cluster)) = (form, cluster) {
        let inside = x.bin_const(BinaryOp::ISub, cluster, 1);
        let place = x.bin(BinaryOp::And, item, inside);
        begin = x.bin(BinaryOp::ISub, item, place);
        let behind = x.bin(BinaryOp::IAdd, begin, cluster);
        end = x.bin(BinaryOp::UMin, end, behind);
    }
    scratch.store(x, item, value);
    barrier(x);
    let second = x.bin_const(BinaryOp::IAdd, begin, 1);
    let (range, start) = match form {
        GroupOperation::ExclusiveScan => {
            let identity = x.splat(ty, op.identity(ty.scalar));
            ([begin, item], identity)
        }
        GroupOperation::InclusiveScan => {
            let behind = x.bin_const(BinaryOp::IAdd, item, 1);
            ([second, behind], scratch.load(x, begin, ty))
        }
        GroupOperation::Reduce | GroupOperation::ClusteredReduce => {
            ([second, end], scratch.load(x, begin, ty))
        }
    };
    let result = scratch.fold(x, op, range, start, |_, other| other);
    barrier(x);
    result
}
