//! Kernels that index private memory in many places begin with a barrier, for drivers whose compiler compares each such access
//! with each other one ([`EarlyBarrier`](pumice_target::QuirkKind::EarlyBarrier)).
//!
//! Lavapipe makes a coroutine of each kernel. LLVM then looks, variable by variable, for two uses between which the
//! coroutine may stop, at a barrier, and goes through all pairs where there are none. The driver clears a variable before
//! the kernel's first instruction: with a barrier behind that, the first pair is one. All work-items of a group begin a kernel
//! together, so that nobody waits there for long.

use super::copied_calls::with_copies;
use crate::pass::{Changed, Ctx};
use cranelift_entity::EntitySet;
use pumice_ir::analysis::reachable_functions;
use pumice_ir::{
    AddressSpace, FuncId, Function, InstKind, LowerError, MemoryOrder, Module, Scope, SourceLoc,
    Value,
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
    let calls = module.functions.values().flat_map(Function::calls);
    let mut called: EntitySet<FuncId> = EntitySet::new();
    called.extend(calls);
    let mut changed = Changed::No;
    for kernel in &module.kernels {
        let id = kernel.func;
        // A kernel that others call is not entered by whole groups alone.
        if accesses[id] < FROM_ACCESSES || called.contains(id) {
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

/// The loads and stores of private memory at places that are no constants.
fn indexed_accesses(func: &Function) -> u64 {
    let blocks = func.layout.blocks.iter();
    let insts = blocks.flat_map(|&block| &func.layout.insts[block]);
    let pointers = insts.filter_map(|&inst| func.insts[inst].kind.pointer());
    pointers.filter(|&ptr| is_indexed(func, ptr)).count() as u64
}

/// Returns whether a pointer leads into private memory, but not to a constant place of a known variable.
fn is_indexed(func: &Function, pointer: Value) -> bool {
    if func.ty(pointer).address_space() != Some(AddressSpace::Private) {
        return false;
    }
    let mut at = pointer;
    loop {
        match func.def_inst(at).map(|inst| &func.insts[inst].kind) {
            Some(&InstKind::PtrAdd { base, offset }) if func.const_bits(offset).is_some() => {
                at = base;
            }
            Some(InstKind::StackAddr { .. }) => return false,
            _ => return true,
        }
    }
}
