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

use crate::expand::{Expander, Replacement, expand, int_like};
use crate::pass::{Changed, Ctx};
use crate::passes::lower::lower_atomics::combine;
use pumice_ir::LowerError;
use pumice_ir::{
    AccessFlags, AddressSpace, AtomicOp, BinaryOp, BuiltIn, ConvertOp, FuncId, Function,
    GlobalData, GlobalId, GroupOp, GroupOperation, InstKind, IntCond, Linkage, MemoryOrder, Module,
    Scalar, Scope, Type, Value,
};
use pumice_target::{QuirkKind, Target};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

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
            let words = u64::from(slot_words(func));
            (id, 4 * words * work_items(required.get(&id), ctx.target))
        })
        .filter(|&(_, size)| size != 0)
        .collect();
    let Some(size) = users.iter().map(|&(_, size)| size).max() else {
        return Ok(Changed::No);
    };
    let scratch = module.globals.push(GlobalData {
        name: String::new(),
        space: AddressSpace::Local,
        size,
        align: 8,
        init: Vec::new(),
        relocations: Vec::new(),
        linkage: Linkage::Internal,
    });
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
            let result = x.func.result(inst);
            let lanes = x.ty(result).lanes;
            let parts = (0..lanes)
                .map(|lane| {
                    let mut args = args.clone();
                    if let Some(first) = args.first_mut() {
                        *first = x.lane(*first, lane);
                    }
                    lower(x, Scratch(scratch), forms, op, &args)
                })
                .collect::<Result<SmallVec<[Value; 4]>, _>>()?;
            let value = x.build(&parts);
            Ok(Some(Replacement::from_slice(&[value])))
        })?;
    }
    Ok(changed)
}

/// Words of the widest value that a work-group collective handles; 0 if there is none.
fn slot_words(func: &Function) -> u32 {
    let blocks = func.layout.blocks.iter();
    let insts = blocks.flat_map(|&block| &func.layout.insts[block]);
    let words = insts.filter_map(|&inst| match &func.insts[inst].kind {
        InstKind::Group {
            scope: Scope::Workgroup,
            args,
            ..
        } => {
            let ty = args.first().map_or(Type::BOOL, |&arg| func.ty(arg));
            Some(words_of(ty.scalar))
        }
        _ => None,
    });
    words.max().unwrap_or(0)
}

pub(super) fn words_of(scalar: Scalar) -> u32 {
    if scalar.bits() == 64 { 2 } else { 1 }
}

/// The most work-items of a group that may run a function with this required size.
pub(super) fn work_items(required: Option<&[u32; 3]>, target: &Target) -> u64 {
    let most = u64::from(target.max_work_group_size);
    required.map_or(most, |size| {
        size.iter()
            .map(|&n| u64::from(n))
            .product::<u64>()
            .min(most)
    })
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
    let ty = x.ty(args[0]);
    // Truth values are combined as numbers 0 and 1.
    let value = if ty.scalar == Scalar::Bool {
        x.convert(ConvertOp::ZExt, args[0], Type::I32)
    } else {
        args[0]
    };
    let result = match forms.has(operation) {
        true => by_sub_groups(x, scratch, op, operation, value),
        false => scan(x, scratch, op, operation, value),
    };
    Ok(if ty.scalar == Scalar::Bool {
        x.icmp_const(IntCond::Ne, result, 0)
    } else {
        result
    })
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
    let item = built_in(x, BuiltIn::LocalLinearId);
    let item = x.convert(ConvertOp::Trunc, item, Type::I32);
    let sizes = built_in(x, BuiltIn::LocalSize);
    let sizes: [Value; 3] = std::array::from_fn(|lane| x.lane(sizes, lane as u8));
    let area = x.bin(BinaryOp::IMul, sizes[0], sizes[1]);
    let items = x.bin(BinaryOp::IMul, area, sizes[2]);
    let items = x.convert(ConvertOp::Trunc, items, Type::I32);
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
        let start = chunk_sum(x, scratch, zero, items, ty);
        let one = x.func.i32(1);
        x.fold_range([one, chunks], start, |x, chunk, sum| {
            let part = chunk_sum(x, scratch, chunk, items, ty);
            combined(x, op, sum, part)
        })
    } else {
        let chunk = x.bin_const(BinaryOp::UDiv, item, CHUNK);
        let before = x.fold_range([zero, chunk], identity, |x, chunk, sum| {
            let part = chunk_sum(x, scratch, chunk, items, ty);
            combined(x, op, sum, part)
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
    let zero = x.func.i32(0);
    let result = if operation == GroupOperation::Reduce {
        let count = built_in(x, BuiltIn::NumSubgroups);
        let start = scratch.load(x, zero, ty);
        let one = x.func.i32(1);
        // In the same order for all, so that they get the same float.
        x.fold_range([one, count], start, |x, index, sum| {
            let part = scratch.load(x, index, ty);
            combined(x, op, sum, part)
        })
    } else {
        let identity = x.splat(ty, op.identity(ty.scalar));
        let before = x.fold_range([zero, number], identity, |x, index, sum| {
            let part = scratch.load(x, index, ty);
            combined(x, op, sum, part)
        });
        combined(x, op, before, inside)
    };
    barrier(x);
    result
}

/// Gives the value in a chunk's last place after the chunk was scanned.
fn chunk_sum(
    x: &mut Expander<'_>,
    scratch: Scratch,
    chunk: Value,
    items: Value,
    ty: Type,
) -> Value {
    let end = x.bin_const(BinaryOp::IMul, chunk, CHUNK);
    let end = x.bin_const(BinaryOp::IAdd, end, CHUNK);
    let end = x.bin(BinaryOp::UMin, end, items);
    let last = x.bin_const(BinaryOp::ISub, end, 1);
    scratch.load(x, last, ty)
}

/// Two values by the operator of a reduction or scan.
pub(super) fn combined(x: &mut Expander<'_>, op: GroupOp, a: Value, b: Value) -> Value {
    match op {
        GroupOp::IMul(_) => x.bin(BinaryOp::IMul, a, b),
        GroupOp::FMul(_) => x.bin(BinaryOp::FMul, a, b),
        GroupOp::Arithmetic(op, _) | GroupOp::AmdArithmetic(op, _) => combine(x, op, a, b),
        _ => x.bin(BinaryOp::FAdd, a, b),
    }
}

/// A sub-group operation.
pub(super) fn sub_group(x: &mut Expander<'_>, op: GroupOp, args: &[Value], ty: Type) -> Value {
    x.value(
        InstKind::Group {
            op,
            scope: Scope::Subgroup,
            args: SmallVec::from_slice(args),
        },
        ty,
    )
}

/// A work-item's built-in value.
pub(super) fn built_in(x: &mut Expander<'_>, which: BuiltIn) -> Value {
    x.value(InstKind::BuiltIn { which }, which.ty())
}

/// A barrier of the work-group that orders local memory.
pub(crate) fn barrier(x: &mut Expander<'_>) {
    x.emit(
        InstKind::Barrier {
            execution: Scope::Workgroup,
            memory: Scope::Workgroup,
            order: MemoryOrder::AcqRel,
            global: false,
            local: true,
        },
        &[],
    );
}

/// The scratch array: slots for values of any type.
#[derive(Clone, Copy)]
pub(super) struct Scratch(pub GlobalId);

impl Scratch {
    fn place(self, x: &mut Expander<'_>, index: Value, words: u32) -> (Value, u32) {
        let ty = Type::ptr(AddressSpace::Local);
        let base = x.value(InstKind::GlobalAddr { global: self.0 }, ty);
        let index = x.convert(ConvertOp::ZExt, index, Type::I64);
        let offset = x.bin_const(BinaryOp::IMul, index, 4 * u64::from(words));
        (x.value(InstKind::PtrAdd { base, offset }, ty), 4 * words)
    }

    pub fn store(self, x: &mut Expander<'_>, index: Value, value: Value) {
        let ty = x.ty(value);
        let bits = x.bits_of(value);
        let words = words_of(ty.scalar);
        let value = if words == 2 {
            x.convert(ConvertOp::Bitcast, bits, Type::vector(Scalar::I32, 2))
        } else {
            x.convert(ConvertOp::ZExt, bits, Type::I32)
        };
        let (ptr, align) = self.place(x, index, words);
        let flags = AccessFlags::empty();
        x.emit(
            InstKind::Store {
                ptr,
                value,
                align,
                flags,
            },
            &[],
        );
    }

    pub fn load(self, x: &mut Expander<'_>, index: Value, ty: Type) -> Value {
        let words = words_of(ty.scalar);
        let (ptr, align) = self.place(x, index, words);
        let flags = AccessFlags::empty();
        let memory = Type::I32.with_lanes(words as u8);
        let value = x.value(InstKind::Load { ptr, align, flags }, memory);
        let bits = int_like(ty);
        let value = if words == 2 {
            x.convert(ConvertOp::Bitcast, value, bits)
        } else {
            x.convert(ConvertOp::Trunc, value, bits)
        };
        x.convert(ConvertOp::Bitcast, value, ty)
    }
}
