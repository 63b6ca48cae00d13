//! Loads of memory that nothing in the launch changes are marked ([`AccessFlags::READ_ONLY`]): drivers read it through
//! caches that do not see the launch's writes, and by scalar instructions where the address is the same for all
//! work-items. They may also load anywhere between the load and the uses of its value, or once more for a later use.
//!
//! So a load is marked of
//!
//! - constant memory,
//! - global memory that the kernel does not write: each write is known to go through another argument, and `restrict` tells
//!   the two apart,
//! - other global memory, if neither a write of global memory nor a wait for other work-items' writes may come before the
//!   load or before a use of its value, or of what is computed from it.
//!
//! A write of another work-item without synchronization is a data race, whichever value is read. The pass takes time that
//! is linear in the size of the kernel.

use crate::pass::{Changed, Ctx};
use cranelift_entity::{EntitySet, SecondaryMap};
use pumice_ir::analysis::alias::{Effect, Object, effect, object, space};
use pumice_ir::analysis::incoming;
use pumice_ir::{
    AccessFlags, AddressSpace, Block, Cfg, Function, InstKind, LowerError, Module, Value,
};
use rustc_hash::FxHashSet;

/// Marks the loads of all kernels. Of other functions nobody knows what was written before the call: only their
/// loads of constant memory are marked.
///
/// # Errors
/// None.
pub fn run(module: &mut Module, _ctx: &Ctx<'_>) -> Result<Changed, LowerError> {
    let kernel_of = module.kernel_of_each();
    let mut changed = Changed::No;
    for (id, func) in &mut module.functions {
        if func.entry().is_some() {
            changed |= mark(func, kernel_of[id].is_some());
        }
    }
    Ok(changed)
}

/// Writes that may have happened before a point of a kernel, from none to all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Past {
    /// No write of global memory.
    Clean,
    /// Writes of this work-item.
    Written,
    /// Writes of others became visible.
    Synchronized,
}

/// The effect of an instruction on global memory.
fn past_of(func: &Function, kind: &InstKind) -> Past {
    let is_global = |ptr| {
        !matches!(
            space(func, ptr),
            Some(AddressSpace::Local | AddressSpace::Private)
        )
    };
    match *kind {
        InstKind::Barrier { global, .. } | InstKind::Fence { global, .. } => match global {
            true => Past::Synchronized,
            false => Past::Clean,
        },
        _ => match effect(func, kind) {
            Effect::None => Past::Clean,
            Effect::Writes(ptr, _) if is_global(ptr) => Past::Written,
            Effect::Writes(..) => Past::Clean,
            // Atomics of local memory leave global memory alone.
            Effect::Syncs | Effect::Anything if kind.pointer().is_none_or(is_global) => {
                Past::Synchronized
            }
            Effect::Syncs | Effect::Anything => Past::Clean,
        },
    }
}

/// The past of each block's start, as sets of the blocks that are not clean and that are synchronized.
struct Pasts {
    written: EntitySet<Block>,
    synchronized: EntitySet<Block>,
}

impl Pasts {
    fn of(func: &Function, cfg: &Cfg, at_entry: Past) -> Self {
        let mut made: SecondaryMap<Block, Past> = SecondaryMap::with_default(Past::Clean);
        for &block in cfg.reverse_postorder() {
            let insts = func.layout.insts[block].iter();
            let most = insts.map(|&inst| past_of(func, &func.insts[inst].kind));
            made[block] = most.max().unwrap_or(Past::Clean);
        }
        let behind = |least: Past| {
            let mut work: Vec<Block> = Vec::new();
            for &block in cfg.reverse_postorder() {
                if made[block] >= least {
                    work.extend_from_slice(cfg.succs(block));
                }
            }
            if at_entry >= least {
                work.extend(func.entry());
            }
            let mut found = EntitySet::new();
            while let Some(block) = work.pop() {
                if found.insert(block) {
                    work.extend_from_slice(cfg.succs(block));
                }
            }
            found
        };
        Self {
            written: behind(Past::Written),
            synchronized: behind(Past::Synchronized),
        }
    }

    fn before(&self, block: Block) -> Past {
        if self.synchronized.contains(block) {
            Past::Synchronized
        } else if self.written.contains(block) {
            Past::Written
        } else {
            Past::Clean
        }
    }
}

/// The argument that an address is built on.
fn argument(func: &Function, ptr: Value) -> Option<Object> {
    object(func, ptr).filter(|object| matches!(object, Object::Argument(_)))
}

/// The arguments that a function changes global memory through; `None` if something does not tell where it writes.
fn written_arguments(func: &Function) -> Option<FxHashSet<Object>> {
    let mut found = FxHashSet::default();
    // Without this nothing can be said anyway.
    if func.restrict_args.is_empty() {
        return None;
    }
    for &block in &func.layout.blocks {
        for &inst in &func.layout.insts[block] {
            let kind = &func.insts[inst].kind;
            let waits = matches!(kind, InstKind::Barrier { .. } | InstKind::Fence { .. });
            if past_of(func, kind) > Past::Clean && !waits {
                found.insert(argument(func, kind.pointer()?)?);
            }
        }
    }
    Some(found)
}

/// The most bytes that GPUs store at once, where the address is a multiple of their number.
const STORED_AT_ONCE: u32 = 16;

/// Returns whether drivers may carry out a write in several steps: what a step uses, it uses behind the step before.
fn has_steps(func: &Function, kind: &InstKind) -> bool {
    match *kind {
        InstKind::Store {
            value,
            align,
            flags,
            ..
        } => {
            let bytes = func.ty(value).access_bytes();
            let at_once = bytes.is_power_of_two() && bytes <= align.min(STORED_AT_ONCE);
            !at_once || flags.part_bytes().is_some()
        }
        _ => match effect(func, kind) {
            Effect::None | Effect::Syncs => false,
            Effect::Writes(..) => true,
            // An atomic operation is one step. Calls are many.
            Effect::Anything => kind.pointer().is_none(),
        },
    }
}

/// Returns whether an instruction puts a value into private memory, where drivers find it again for later uses.
fn is_kept(func: &Function, kind: &InstKind) -> bool {
    match *kind {
        InstKind::Store { ptr, .. } => space(func, ptr) == Some(AddressSpace::Private),
        _ => false,
    }
}

/// Finds the values that are used where memory may have been written before, or from which such values are computed by what
/// drivers may move to the use. They move loads of a pointer that `moves` names.
fn used_late(
    func: &Function,
    cfg: &Cfg,
    pasts: &Pasts,
    moves: impl Fn(Value) -> bool,
) -> EntitySet<Value> {
    let mut work: Vec<Value> = Vec::new();
    for &block in cfg.reverse_postorder() {
        let mut past = pasts.before(block);
        for &inst in &func.layout.insts[block] {
            let kind = &func.insts[inst].kind;
            if past > Past::Clean || has_steps(func, kind) || is_kept(func, kind) {
                kind.for_each_value(|value| work.push(value));
            }
            past = past.max(past_of(func, kind));
        }
    }
    let incoming = incoming(func);
    let mut found = EntitySet::with_capacity(func.num_values());
    while let Some(value) = work.pop() {
        if !found.insert(value) {
            continue;
        }
        if let Some(args) = incoming.get(&value) {
            work.extend_from_slice(args);
        } else if let Some(inst) = func.def_inst(value) {
            let kind = &func.insts[inst].kind;
            let may_move = match *kind {
                InstKind::Load { ptr, .. } => moves(ptr),
                _ => !kind.has_side_effects(),
            };
            if may_move {
                kind.for_each_value(|operand| work.push(operand));
            }
        }
    }
    found
}

/// The address of a load that may get the mark.
fn unmarked_address(func: &Function, kind: &InstKind) -> Option<Value> {
    let InstKind::Load { ptr, flags, .. } = *kind else {
        return None;
    };
    let is_unmarked = flags.is_plain() && !flags.contains(AccessFlags::READ_ONLY);
    let spaces = [AddressSpace::Constant, AddressSpace::Global].map(Some);
    (is_unmarked && spaces.contains(&space(func, ptr))).then_some(ptr)
}

fn mark(func: &mut Function, is_kernel: bool) -> Changed {
    let mut kinds = func.insts.values().map(|data| &data.kind);
    if !kinds.any(|kind| unmarked_address(func, kind).is_some()) {
        return Changed::No;
    }
    let cfg = Cfg::new(func);
    let at_entry = match is_kernel {
        true => Past::Clean,
        false => Past::Synchronized,
    };
    let pasts = Pasts::of(func, &cfg, at_entry);
    let written = written_arguments(func);
    let is_unwritten = |func: &Function, ptr| {
        let both = written.as_ref().zip(argument(func, ptr));
        both.is_some_and(|(written, argument)| {
            let mut written = written.iter();
            written.all(|&other| argument.is_disjoint(other, func))
        })
    };
    let late = used_late(func, &cfg, &pasts, |ptr| match space(func, ptr) {
        Some(AddressSpace::Global | AddressSpace::Generic) => is_unwritten(func, ptr),
        _ => true,
    });
    let mut changed = Changed::No;
    for &block in cfg.reverse_postorder() {
        let mut past = pasts.before(block);
        for index in 0..func.layout.insts[block].len() {
            let inst = func.layout.insts[block][index];
            let suits = unmarked_address(func, &func.insts[inst].kind).is_some_and(|ptr| {
                space(func, ptr) == Some(AddressSpace::Constant)
                    || past == Past::Clean && !late.contains(func.result(inst))
                    || past < Past::Synchronized && is_unwritten(func, ptr)
            });
            if let (true, InstKind::Load { flags, .. }) = (suits, &mut func.insts[inst].kind) {
                *flags |= AccessFlags::READ_ONLY;
                changed = Changed::Yes;
            }
            past = past.max(past_of(func, &func.insts[inst].kind));
        }
    }
    changed
}
