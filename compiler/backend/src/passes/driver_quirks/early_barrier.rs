//! Kernels that index private memory in many places begin with a barrier, for drivers whose compiler compares each such access
//! with each other one ([`EarlyBarrier`](pumice_target::QuirkKind::EarlyBarrier)).
//!
//! Lavapipe makes a coroutine of each kernel. LLVM then looks, variable by variable, for two uses between which the
//! coroutine may stop, at a barrier, and goes through all pairs where there are none. The driver clears a variable before
//! the kernel's first instruction: with a barrier behind that, the first pair is one. All work-items of a group begin a kernel
//! together, so that nobody waits there for long.

use super::copied_calls::with_copies;
use crate::pass::{Changed, Ctx};
use pumice_ir::analysis::reachable_functions;
use pumice_ir::analysis::slots::SlotAddresses;
use pumice_ir::{
    AddressSpace, Cfg, Function, InstKind, LowerError, MemoryOrder, Module, Scope, SourceLoc, Value,
};

/// Indexed accesses from which on a kernel gets the barrier. Lavapipe 25.0 (LLVM 15) takes 7 s for the pairs of so many. Fewer are
/// not worth it: with a barrier the masks of loops stay in memory, and a kernel of many loops takes a quarter longer.
const FROM_ACCESSES: u64 = 1024;

/// A barrier of the work-group.
const BARRIER: InstKind = InstKind::Barrier {
    execution: Scope::Workgroup,
    memory: Scope::Workgroup,
    order: MemoryOrder::AcqRel,
    global: false,
    local: true,
};

/// Runs the pass on a structured module.
///
/// # Errors
/// Recursive calls, which the inliner has refused before.
pub fn run(module: &mut Module, ctx: &Ctx<'_>) -> Result<Changed, LowerError> {
    // The form of programs that have run for long is built beside them: its speed counts, not the time that it takes.
    if ctx.target.coarse {
        return Ok(Changed::No);
    }
    let order = reachable_functions(module)?;
    let accesses = with_copies(module, &order, indexed_accesses);
    let mut changed = Changed::No;
    for kernel in &module.kernels {
        let id = kernel.func;
        if accesses[id] < FROM_ACCESSES {
            continue;
        }
        // A kernel that others call is not entered by whole groups alone.
        let mut functions = module.functions.values();
        if functions.any(|func| func.calls().any(|callee| callee == id)) {
            continue;
        }
        let func = &mut module.functions[id];
        if let Some(entry) = func.entry() {
            func.insert(entry, 0, BARRIER, &[], SourceLoc::default());
            changed = Changed::Yes;
        }
    }
    Ok(changed)
}

/// The number of loads and stores of private memory that are not at a constant place of a known variable.
fn indexed_accesses(func: &Function) -> usize {
    let blocks = func.layout.blocks.iter();
    let insts = blocks.flat_map(|&block| &func.layout.insts[block]);
    let pointers = insts.filter_map(|&inst| func.insts[inst].kind.pointer());
    let is_private = |ptr| func.ty(ptr).address_space() == Some(AddressSpace::Private);
    let pointers: Vec<Value> = pointers.filter(|&ptr| is_private(ptr)).collect();
    if pointers.is_empty() {
        return 0;
    }
    let addresses = SlotAddresses::of(func, &Cfg::new(func));
    let is_constant = |ptr| addresses.get(ptr).is_some_and(|at| at.offset.is_some());
    pointers
        .into_iter()
        .filter(|&ptr| !is_constant(ptr))
        .count()
}
