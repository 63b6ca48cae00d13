//! Loads that nothing in the launch can have changed the memory of are marked
//! ([`AccessFlags::READ_ONLY`]): drivers read those through caches that do not see the launch's writes,
//! and by scalar instructions where the address is the same for all work-items.
//!
//! That holds for constant memory, and for global memory that is read before anything in the kernel may
//! have written global memory or waited for other work-items' writes. Behind writes it still holds for
//! arguments that are `const` and `restrict`, as long as each write is known to go through another
//! argument. One forward pass over the control flow tells what may come before a point. What other
//! work-items write without synchronization is a data race, whichever value is read.

use crate::pass::{Changed, Ctx};
use pumice_ir::analysis::alias::{Effect, base, effect, space};
use pumice_ir::{
    AccessFlags, AddressSpace, ArgLayout, Block, Cfg, Function, InstKind, KernelInfo, LowerError,
    Module, Value,
};
use pumice_target::Target;
use rustc_hash::FxHashSet;

/// CL_KERNEL_ARG_TYPE_CONST and CL_KERNEL_ARG_TYPE_RESTRICT.
const CONST_RESTRICT: u32 = 3;

/// Marks the loads of all kernels. Of other functions nobody knows what was written before the call: only their
/// loads of constant memory are marked.
///
/// # Errors
/// None.
pub fn run(module: &mut Module, ctx: &Ctx<'_>) -> Result<Changed, LowerError> {
    let Module {
        functions, kernels, ..
    } = module;
    let mut changed = Changed::No;
    for (id, func) in functions {
        if func.entry().is_some() {
            let kernel = kernels.iter().find(|kernel| kernel.func == id);
            changed |= mark(func, kernel, ctx.target);
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

/// The argument that an address is built on, by its place in the argument block.
fn argument(func: &Function, ptr: Value) -> Option<u32> {
    match func.insts[func.def_inst(base(func, ptr))?].kind {
        InstKind::LoadArg { offset } => Some(offset),
        _ => None,
    }
}

/// The `const restrict` arguments that nothing in the kernel writes to, as far as every write tells where
/// it goes.
fn restricted(func: &Function, kernel: &KernelInfo, target: &Target) -> FxHashSet<u32> {
    let layout = ArgLayout::of(kernel, &target.abi);
    let mut found: FxHashSet<u32> = (kernel.args.iter().zip(&layout.places))
        .filter_map(|(arg, place)| {
            let bits = arg.info.as_ref()?.type_qualifier?;
            (bits & CONST_RESTRICT == CONST_RESTRICT).then_some(place.as_ref()?.offset)
        })
        .collect();
    if found.is_empty() {
        return found;
    }
    for &block in &func.layout.blocks {
        for &inst in &func.layout.insts[block] {
            let kind = &func.insts[inst].kind;
            if past_of(func, kind) == Past::Written {
                match kind.pointer().and_then(|ptr| argument(func, ptr)) {
                    Some(written) => found.remove(&written),
                    None => return FxHashSet::default(),
                };
            }
        }
    }
    found
}

fn mark(func: &mut Function, kernel: Option<&KernelInfo>, target: &Target) -> Changed {
    let cfg = Cfg::new(func);
    let at_entry = match kernel {
        Some(_) => Past::Clean,
        None => Past::Synchronized,
    };
    let pasts = Pasts::of(func, &cfg, at_entry);
    let restricted = kernel.map(|kernel| restricted(func, kernel, target));
    let restricted = restricted.unwrap_or_default();
    let mut changed = Changed::No;
    for &block in cfg.reverse_postorder() {
        let mut past = pasts.before(block);
        for index in 0..func.layout.insts[block].len() {
            let inst = func.layout.insts[block][index];
            if let InstKind::Load { ptr, flags, .. } = func.insts[inst].kind {
                let is_restricted =
                    || argument(func, ptr).is_some_and(|at| restricted.contains(&at));
                let suits = match (space(func, ptr), past) {
                    (Some(AddressSpace::Constant), _) => true,
                    (Some(AddressSpace::Global), Past::Clean) => true,
                    (Some(AddressSpace::Global), Past::Written) => is_restricted(),
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
