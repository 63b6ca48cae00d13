//! Refuses kernels whose calls multiply, for drivers that put a copy of the function in the place of each call
//! ([`CopiedCalls`](pumice_target::QuirkKind::CopiedCalls)): thirty functions that each call the next one twice are a
//! billion copies, and the application would go with the memory that they take.

use crate::pass::{Changed, Ctx};
use cranelift_entity::SecondaryMap;
use pumice_ir::analysis::reachable_functions;
use pumice_ir::{FuncId, Function, LowerError, Module};

/// The most instructions that copies of functions may add to a kernel. Lavapipe 25.0 takes 7 GB for a third of it
/// where every sixth is a branch.
const MOST_COPIED: u64 = 1 << 18;

/// Checks a module whose calls stay calls.
///
/// # Errors
/// A kernel whose calls would add too many instructions.
pub fn run(module: &mut Module, _: &Ctx<'_>) -> Result<Changed, LowerError> {
    let sizes = with_copies(module, &reachable_functions(module)?, Function::size);
    for kernel in &module.kernels {
        let calls = module.functions[kernel.func].calls();
        let copied = calls
            .map(|callee| sizes[callee])
            .fold(0, u64::saturating_add);
        if copied > MOST_COPIED {
            return Err(LowerError::new(format!(
                "kernel `{}`: functions that call others several times become {copied} instructions, as the device's driver \
                 copies a function for each call; it takes {MOST_COPIED}",
                module.functions[kernel.func].name
            )));
        }
    }
    Ok(Changed::No)
}

/// Sums up something that functions have, for each with a copy of the callee in the place of each call. Callees come first.
pub(super) fn with_copies(
    module: &Module,
    order: &[FuncId],
    own: impl Fn(&Function) -> usize,
) -> SecondaryMap<FuncId, u64> {
    let mut sums: SecondaryMap<FuncId, u64> = SecondaryMap::new();
    for &id in order {
        let func = &module.functions[id];
        let calls = func.calls().map(|callee| sums[callee]);
        sums[id] = calls.fold(own(func) as u64, u64::saturating_add);
    }
    sums
}
