//! Sub-groups that are larger than the device's, by local memory and barriers.
//!
//! A kernel may require a size of its sub-groups (intel_reqd_sub_group_size), and programs are written for those of
//! GPUs: 16, 32 or 64 work-items, where a processor has 4 or 8. Such a kernel gets sub-groups of its own: of n
//! work-items those with the numbers n k up to n k + n - 1.
//!
//! - Ids and sizes are computed from the number of the work-item.
//! - In an operation each work-item stores its value in a slot of local memory (those of `lower_collectives`) and reads
//!   the values that it needs behind a barrier: one for a shuffle, all of its sub-group for a reduction.
//! - A barrier of the sub-group is one of the work-group.
//!
//! The barriers are the work-group's, so this is right only where all its work-items are together ([`Divergence`]). A
//! kernel that has an operation elsewhere, or one of those on ballots, keeps the device's sub-groups: the runtime does
//! not launch it.

use crate::expand::{Expander, Replacement, expand};
use crate::pass::{Changed, Ctx};
use crate::passes::lower::lower_collectives::{
    Scratch, barrier, built_in, combined, words_of, work_items,
};
use crate::structurize::divergence::Divergence;
use pumice_ir::LowerError;
use pumice_ir::{
    AddressSpace, AtomicOp, BinaryOp, BuiltIn, ConvertOp, Function, GlobalData, GroupOp,
    GroupOperation, InstKind, IntCond, Linkage, Module, Scalar, Scope, Type, Value,
};
use smallvec::SmallVec;

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
        let func = &mut module.functions[kernel.func];
        let fits = size.is_power_of_two() && size <= LARGEST;
        if size <= ctx.target.largest_subgroup_size || !fits || !can_be_made(func) {
            continue;
        }
        let words = u64::from(slot_words(func));
        let scratch = Scratch(module.globals.push(GlobalData {
            name: String::new(),
            space: AddressSpace::Local,
            size: 4 * words * work_items(required.as_ref(), ctx.target),
            align: 8,
            init: Vec::new(),
            relocations: Vec::new(),
            linkage: Linkage::Internal,
        }));
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

/// Words of the widest value that an operation of sub-groups handles, one at least.
fn slot_words(func: &Function) -> u32 {
    let blocks = func.layout.blocks.iter();
    let insts = blocks.flat_map(|&block| &func.layout.insts[block]);
    let words = insts.filter_map(|&inst| match &func.insts[inst].kind {
        InstKind::Group {
            scope: Scope::Subgroup,
            args,
            ..
        } => args.first().map(|&arg| words_of(func.ty(arg).scalar)),
        _ => None,
    });
    words.max().unwrap_or(1)
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
                let result = x.func.result(inst);
                let lanes = x.ty(result).lanes;
                let parts: SmallVec<[Value; 4]> = (0..lanes)
                    .map(|lane| {
                        let mut args = args.clone();
                        if let Some(first) = args.first_mut() {
                            *first = x.lane(*first, lane);
                        }
                        operation(x, scratch, size, *op, &args)
                    })
                    .collect();
                let value = x.build(&parts);
                Ok(Some(Replacement::from_slice(&[value])))
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

/// The number of a work-item in its group.
fn item(x: &mut Expander<'_>) -> Value {
    let item = built_in(x, BuiltIn::LocalLinearId);
    x.convert(ConvertOp::Trunc, item, Type::I32)
}

/// The number of work-items of a group of this size.
fn items(x: &mut Expander<'_>, sizes: BuiltIn) -> Value {
    let sizes = built_in(x, sizes);
    let sizes: [Value; 3] = std::array::from_fn(|lane| x.lane(sizes, lane as u8));
    let area = x.bin(BinaryOp::IMul, sizes[0], sizes[1]);
    let items = x.bin(BinaryOp::IMul, area, sizes[2]);
    x.convert(ConvertOp::Trunc, items, Type::I32)
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
    // Truth values are numbers 0 and 1.
    let is_bool = x.ty(args[0]).scalar == Scalar::Bool;
    let value = match is_bool {
        true => x.convert(ConvertOp::ZExt, args[0], Type::I32),
        false => args[0],
    };
    let result = match op.operation() {
        Some(form) => reduction(x, scratch, size, op, form, value, args.get(1).copied()),
        None => {
            let source = source(x, size, op, lane, args);
            shuffle(x, scratch, size, value, source)
        }
    };
    match is_bool {
        true => x.icmp_const(IntCond::Ne, result, 0),
        false => result,
    }
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
    let result = x.fold_range(range, start, |x, other, sum| {
        let part = scratch.load(x, other, ty);
        combined(x, op, sum, part)
    });
    barrier(x);
    result
}
