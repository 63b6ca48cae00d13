//! Finds the kernels whose work-items wait for no other, so that the driver may choose which of them run side by side.
//!
//! A work-item can wait for another in a loop alone, which reads what the other writes: by an atomic access, a volatile one,
//! or behind a fence. Such a loop is no wait if nothing but its counters ends it (`trip_count::left_by_counters`). One with
//! another exit may be a wait that gives up after so many rounds. OpenCL promises nobody that two work-items of different
//! work-groups run at the same time; kernels that count on it run nevertheless where work-groups are launched as they
//! were asked for.

use crate::pass::{Changed, Ctx};
use crate::passes::optimize::long_cycles;
use crate::passes::optimize::trip_count::left_by_counters;
use cranelift_entity::SecondaryMap;
use pumice_ir::analysis::reachable_functions;
use pumice_ir::{AccessFlags, Cfg, FuncId, Function, InstKind, LoopNest, LowerError, Module};

/// Facts about a function and those that it calls.
#[derive(Clone, Copy, Default)]
struct Found {
    /// It may see what another work-item has just written.
    looks: bool,
    /// It may look until another work-item has written something.
    waits: bool,
}

/// Runs the pass.
///
/// # Errors
/// Recursive calls, which the inliner has refused before.
pub fn run(module: &mut Module, _ctx: &Ctx<'_>) -> Result<Changed, LowerError> {
    let mut found: SecondaryMap<FuncId, Found> = SecondaryMap::new();
    for id in reachable_functions(module)? {
        found[id] = find(&module.functions[id], &found);
    }
    for kernel in &mut module.kernels {
        kernel.no_waits = !found[kernel.func].waits;
    }
    Ok(Changed::from_bool(
        module.kernels.iter().any(|kernel| kernel.no_waits),
    ))
}

fn find(func: &Function, known: &SecondaryMap<FuncId, Found>) -> Found {
    let waits = func.calls().any(|callee| known[callee].waits);
    let looks = |inst: &_| match func.insts[*inst].kind {
        InstKind::Call { func, .. } => known[func].looks,
        ref kind => looks(kind),
    };
    let blocks = func.layout.blocks.iter().copied();
    let looking: Vec<_> = blocks
        .filter(|&block| func.layout.insts[block].iter().any(looks))
        .collect();
    let looks = !looking.is_empty();
    if waits || !looks {
        return Found { looks, waits };
    }
    let cfg = Cfg::new(func);
    let Some((dom, nest)) = LoopNest::find(&cfg) else {
        return Found { looks, waits };
    };
    // A cycle with several entries has no counters.
    let mut heads = long_cycles::heads(func, &cfg, &dom, &nest, 0).into_iter();
    if heads.any(|head| head.natural.is_none()) {
        return Found { looks, waits: true };
    }
    let counted = left_by_counters(func, &cfg, &dom, &nest);
    let mut loops = looking.iter().flat_map(|&block| nest.around(block));
    let waits = loops.any(|this| !counted[this]);
    Found { looks, waits }
}

/// Returns whether an instruction reads, or lets later ones read, what another work-item has just written.
fn looks(kind: &InstKind) -> bool {
    match kind {
        InstKind::AtomicLoad { .. }
        | InstKind::AtomicRmw { .. }
        | InstKind::AtomicCmpXchg { .. }
        | InstKind::Fence { .. } => true,
        InstKind::Load { flags, .. } | InstKind::MemCopy { flags, .. } => {
            flags.contains(AccessFlags::VOLATILE)
        }
        _ => kind.is_convergent(),
    }
}
