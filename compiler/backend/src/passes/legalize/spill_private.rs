//! Large private variables move to a buffer.
//!
//! Drivers keep private arrays in registers or on a stack, and their compilers take time that grows
//! with the array: lavapipe takes seconds for 32 KiB. A variable of more than [`MOST_BYTES`], or of
//! [`MOST_LOCAL_BYTES`] if it stands for a local one, moves to a buffer that the runtime provides for
//! each launch, with a part for each work-item, and so do the variables that one pointer may reach
//! beside it. All pointers to them become global ones.
//!
//! In robust mode accesses through these pointers are confined to the work-item's part.
//!
//! A variable stays if its address reaches a call, an integer, memory or a generic pointer, if its
//! function is no kernel after inlining, and in the descriptor form, in which each pointer needs a
//! known buffer.

use crate::pass::{Changed, Ctx};
use crate::passes::check::confine::confine_to;
use pumice_ir::LowerError;
use pumice_ir::analysis::partition::{Object, Partitions};
use pumice_ir::analysis::{LocalCallers, reachable_functions};
use pumice_ir::{
    AddressSpace, BuiltIn, FuncId, Function, Inst, InstKind, KernelInfo, Module, SourceLoc,
    StackSlot, StackSlotData, Type, Value, ValueDef,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// Variables of at most this many bytes stay.
pub(crate) const MOST_BYTES: u32 = 4096;
/// Likewise of those that stand for local variables. They are tables that lanes index apart from each other: a stack is no faster
/// then, and takes compilers longer from the first array on.
const MOST_LOCAL_BYTES: u32 = 256;

fn is_large(slot: &StackSlotData) -> bool {
    let most = match slot.was_local {
        true => MOST_LOCAL_BYTES,
        false => MOST_BYTES,
    };
    slot.size > most
}

/// Runs the pass.
///
/// # Errors
/// Private memory of a work-item that does not fit in 4 GiB.
pub fn run(module: &mut Module, ctx: &Ctx<'_>) -> Result<Changed, LowerError> {
    let has_large = |func: &Function| func.slots.values().any(is_large);
    if ctx.target.abi.descriptors().is_some() || !module.functions.values().any(has_large) {
        return Ok(Changed::No);
    }
    let functions = reachable_functions(module)?;
    // A difference of two pointers makes integers of them, which is harmless.
    let partitions = match functions
        .iter()
        .any(|&id| makes_pointers(&module.functions[id]))
    {
        true => Partitions::compute(module, &functions)?,
        false => Partitions::without_numbers(module, &functions)?,
    };
    let mut changed = Changed::No;
    for k in 0..module.kernels.len() {
        let id = module.kernels[k].func;
        // A node of an execution graph has no launch of its own.
        if module.kernels[k].node.is_some() || !has_large(&module.functions[id]) {
            continue;
        }
        let moved = choose(module, &partitions, id);
        changed |= move_partitions(module, k, &partitions, &moved, ctx)?;
    }
    Ok(changed)
}

/// Moves the variables of some partitions of kernel number `k`, which no other function uses, to the buffer, behind what
/// is there.
///
/// # Errors
/// Private memory of a work-item that does not fit in 4 GiB.
pub(crate) fn move_partitions(
    module: &mut Module,
    k: usize,
    partitions: &Partitions,
    moved: &FxHashSet<u32>,
    ctx: &Ctx<'_>,
) -> Result<Changed, LowerError> {
    let kernel = &module.kernels[k];
    let id = kernel.func;
    let frame = Frame::of(kernel, &module.functions[id], partitions, moved)?;
    if frame.offsets.is_empty() {
        return Ok(Changed::No);
    }
    module.kernels[k].private_bytes = frame.bytes;
    // A launch provides one buffer.
    if module.kernels[k].local_in_buffer {
        for other in LocalCallers::of(module).group_of(k) {
            module.kernels[other].local_in_buffer = false;
        }
    }
    let func = &mut module.functions[id];
    let base = rewrite(func, id, partitions, moved, &frame, ctx.target.int64);
    if ctx.target.checks.robust() {
        let is_moved = |value| {
            let partition = partitions.of_value(id, value);
            partition.is_some_and(|p| moved.contains(&p))
        };
        confine_to(func, base, u64::from(frame.bytes), is_moved)?;
    }
    Ok(Changed::Yes)
}

/// Returns whether pointers come from anything but variables and other pointers.
fn makes_pointers(func: &Function) -> bool {
    let blocks = func.layout.blocks.iter();
    let mut insts = blocks.flat_map(|&block| &func.layout.insts[block]);
    insts.any(|&inst| {
        let data = &func.insts[inst];
        let mut spaces = (data.results.iter()).filter_map(|&value| func.ty(value).address_space());
        let plain = matches!(
            data.kind,
            InstKind::StackAddr { .. }
                | InstKind::PtrAdd { .. }
                | InstKind::Select { .. }
                | InstKind::Call { .. }
        );
        !plain && spaces.any(|s| matches!(s, AddressSpace::Private | AddressSpace::Generic))
    })
}

/// The partitions of a kernel's function that hold a large variable and can move.
fn choose(module: &Module, partitions: &Partitions, id: FuncId) -> FxHashSet<u32> {
    let slots = &module.functions[id].slots;
    let large = slots.keys().filter(|&slot| is_large(&slots[slot]));
    let escaped = partitions.escaped(AddressSpace::Private);
    large
        .filter_map(|slot| partitions.of_object(Object::Slot(id, slot)))
        .filter(|&p| {
            let single = partitions.list[p as usize].single_function == Some(id);
            single && escaped != Some(p)
        })
        .collect()
}

/// The places of variables in a work-item's private memory.
#[derive(Default)]
struct Frame {
    offsets: FxHashMap<StackSlot, u32>,
    /// With what the kernel had before; a multiple of every alignment.
    bytes: u32,
}

impl Frame {
    fn of(
        kernel: &KernelInfo,
        func: &Function,
        partitions: &Partitions,
        moved: &FxHashSet<u32>,
    ) -> Result<Self, LowerError> {
        let mut frame = Frame::default();
        let (mut end, mut max_align) = (u64::from(kernel.private_bytes), 16u64);
        for (slot, data) in &func.slots {
            let partition = partitions.of_object(Object::Slot(kernel.func, slot));
            if !partition.is_some_and(|p| moved.contains(&p)) {
                continue;
            }
            let align = u64::from(data.placed_align());
            let at = end.next_multiple_of(align);
            end = at + u64::from(data.size);
            max_align = max_align.max(align);
            if end.next_multiple_of(max_align) > u64::from(u32::MAX) {
                return Err(LowerError::new(format!(
                    "kernel '{}': private variables take more than 4 GiB",
                    kernel.name
                )));
            }
            frame.offsets.insert(slot, at as u32);
        }
        frame.bytes = end.next_multiple_of(max_align) as u32;
        Ok(frame)
    }
}

/// Makes every pointer of the moved partitions a global one; gives the one to the frame.
fn rewrite(
    func: &mut Function,
    id: FuncId,
    partitions: &Partitions,
    moved: &FxHashSet<u32>,
    frame: &Frame,
    int64: bool,
) -> Value {
    let global = Type::ptr(AddressSpace::Global);
    let is_moved = |value: Value| {
        let partition = partitions.of_value(id, value);
        partition.is_some_and(|p| moved.contains(&p))
    };
    let blocks = func.layout.blocks.clone();
    let insts = |func: &Function| -> Vec<Inst> {
        let lists = blocks.iter().map(|&block| &func.layout.insts[block]);
        lists.flatten().copied().collect()
    };
    let params = blocks.iter().flat_map(|&block| &func.blocks[block].params);
    let results = insts(func)
        .into_iter()
        .flat_map(|inst| func.insts[inst].results.to_vec());
    let values: Vec<Value> = params.copied().chain(results).collect();
    for value in values.into_iter().filter(|&value| is_moved(value)) {
        let def = func.def(value).clone();
        func.place_value(value, global, def);
    }
    let base = InstKind::BuiltIn {
        which: BuiltIn::PrivateMemory,
    };
    let base = func.make_inst(base, &[global], SourceLoc::default());
    let base_value = func.result(base);
    for inst in insts(func) {
        if let InstKind::StackAddr { slot } = func.insts[inst].kind {
            if let Some(&at) = frame.offsets.get(&slot) {
                let offset = func.offset(at, int64);
                let base = base_value;
                func.insts[inst].kind = InstKind::PtrAdd { base, offset };
            }
        } else {
            constants(func, inst, &is_moved);
        }
    }
    if let Some(&entry) = blocks.first() {
        func.layout.insts[entry].insert(0, base);
    }
    base_value
}

/// Constants that merge with moved pointers become global pointers too.
fn constants(func: &mut Function, inst: Inst, is_moved: &impl Fn(Value) -> bool) {
    let global = Type::ptr(AddressSpace::Global);
    let mut kind = func.insts[inst].kind.clone();
    let becomes = |func: &mut Function, value: &mut Value| {
        if func.ty(*value) != Type::ptr(AddressSpace::Private) {
            return;
        }
        *value = match *func.def(*value) {
            ValueDef::Const(_) => {
                let bits = func.const_bits(*value).unwrap_or(0);
                func.splat_constant(global, bits)
            }
            ValueDef::Undef => func.undef(global),
            _ => return,
        };
    };
    match &mut kind {
        InstKind::Jump { .. } | InstKind::Branch { .. } | InstKind::Switch { .. } => {
            for call in kind.successors_mut() {
                let params = func.blocks[call.block].params.clone();
                for (arg, param) in call.args.iter_mut().zip(params) {
                    if is_moved(param) {
                        becomes(func, arg);
                    }
                }
            }
        }
        InstKind::Select { then, other, .. } if is_moved(func.insts[inst].results[0]) => {
            becomes(func, then);
            becomes(func, other);
        }
        InstKind::ICmp { args, .. } if args.iter().any(|&arg| is_moved(arg)) => {
            args.iter_mut().for_each(|arg| becomes(func, arg));
        }
        InstKind::PtrAdd { base, .. } if is_moved(func.insts[inst].results[0]) => {
            becomes(func, base);
        }
        _ => return,
    }
    func.insts[inst].kind = kind;
}
