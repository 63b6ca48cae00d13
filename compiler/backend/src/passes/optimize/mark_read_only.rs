//! Loads that nothing in the launch can have changed the memory of are marked
//! ([`AccessFlags::READ_ONLY`]): drivers read those through caches that do not see the launch's writes,
//! and by scalar instructions where the address is the same for all work-items.
//!
//! That holds for constant memory, and for global memory that is read before anything in the kernel may
//! have written global memory or waited for other work-items' writes. Behind writes it still holds where
//! each write is known to go through another argument, and `restrict` tells the two apart. One forward pass over the control flow tells what may come before a point. What other
//! work-items write without synchronization is a data race, whichever value is read.

use crate::pass::{Changed, Ctx};
use pumice_ir::analysis::alias::{Effect, Object, effect, object, space};
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
    let Module {
        functions, kernels, ..
    } = module;
    let mut changed = Changed::No;
    for (id, func) in functions {
        if func.entry().is_some() {
            let is_kernel = kernels.iter().any(|kernel| kernel.func == id);
            changed |= mark(func, is_kernel);
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
    written: FxHashSet<Block>,
    synchronized: FxHashSet<Block>,
}

impl Pasts {
    fn of(func: &Function, cfg: &Cfg, at_entry: Past) -> Self {
        let behind = |least: Past| {
            let mut work: Vec<Block> = Vec::new();
            for &block in cfg.reverse_postorder() {
                let insts = &func.layout.insts[block];
                let mut kinds = insts.iter().map(|&inst| &func.insts[inst].kind);
                if kinds.any(|kind| past_of(func, kind) >= least) {
                    work.extend_from_slice(cfg.succs(block));
                }
            }
            if at_entry >= least {
                work.extend(func.entry());
            }
            let mut found = FxHashSet::default();
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
        if self.synchronized.contains(&block) {
            Past::Synchronized
        } else if self.written.contains(&block) {
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

/// The arguments that a function writes global memory through; `None` if some write does not tell where it goes.
fn written_arguments(func: &Function) -> Option<FxHashSet<Object>> {
    let mut found = FxHashSet::default();
    // Without this nothing can be said anyway.
    if func.restrict_args.is_empty() {
        return None;
    }
    for &block in &func.layout.blocks {
        for &inst in &func.layout.insts[block] {
            let kind = &func.insts[inst].kind;
            if past_of(func, kind) == Past::Written {
                found.insert(argument(func, kind.pointer()?)?);
            }
        }
    }
    Some(found)
}

fn mark(func: &mut Function, is_kernel: bool) -> Changed {
    let cfg = Cfg::new(func);
    let at_entry = match is_kernel {
        true => Past::Clean,
        false => Past::Synchronized,
    };
    let pasts = Pasts::of(func, &cfg, at_entry);
    let written = written_arguments(func);
    let mut changed = Changed::No;
    for &block in cfg.reverse_postorder() {
        let mut past = pasts.before(block);
        for index in 0..func.layout.insts[block].len() {
            let inst = func.layout.insts[block][index];
            if let InstKind::Load { ptr, flags, .. } = func.insts[inst].kind {
                let is_unwritten = || {
                    let both = written.as_ref().zip(argument(func, ptr));
                    both.is_some_and(|(written, argument)| {
                        let mut written = written.iter();
                        written.all(|&other| argument.is_disjoint(other, func))
                    })
                };
                let suits = match (space(func, ptr), past) {
                    (Some(AddressSpace::Constant), _) => true,
                    (Some(AddressSpace::Global), Past::Clean) => true,
                    (Some(AddressSpace::Global), Past::Written) => is_unwritten(),
                    _ => false,
                };
                if suits && flags.is_plain() && !flags.contains(AccessFlags::READ_ONLY) {
                    if let InstKind::Load { flags, .. } = &mut func.insts[inst].kind {
                        *flags |= AccessFlags::READ_ONLY;
                        changed = Changed::Yes;
                    }
                }
            }
            past = past.max(past_of(func, &func.insts[inst].kind));
        }
    }
    changed
}
