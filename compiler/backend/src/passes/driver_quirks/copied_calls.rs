//! Refuses kernels whose calls multiply, for drivers that put a copy of the function in the place of each call
//! ([`CopiedCalls`](pumice_target::QuirkKind::CopiedCalls)): thirty functions that each call the next one twice are a
//! billion copies, and the application would go with the memory that they take.

use crate::pass::{Changed, Ctx};
use cranelift_entity::SecondaryMap;
use pumice_ir::analysis::reachable_functions;
use pumice_ir::{FuncId, LowerError, Module};

/// The most instructions that copies of functions may add to a kernel. Lavapipe 25.0 takes 7 GB for a third of it
/// where every sixth is a branch.
const MOST_COPIED: u64 = 1 << 18;

/// Checks a module whose calls stay calls.
///
/// # Errors
/// A kernel whose calls would add too many instructions.
pub fn run(module: &mut Module, _: &Ctx<'_>) -> Result<Changed, LowerError> {
    // Instructions of the functions that each one calls, directly or not.
    let mut copied: SecondaryMap<FuncId, u64> = SecondaryMap::new();
    for id in reachable_functions(module)? {
        let func = &module.functions[id];
        let size = |callee| (module.functions[callee].size() as u64).saturating_add(copied[callee]);
        copied[id] = func.calls().map(size).fold(0, u64::saturating_add);
    }
    for kernel in &module.kernels {
        if copied[kernel.func] > MOST_COPIED {
            return Err(LowerError::new(format!(
                "kernel `{}`: functions that call others several times become {} instructions, as the device's driver \
                 copies a function for each call; it takes {MOST_COPIED}",
                module.functions[kernel.func].name, copied[kernel.func]
            )));
        }
    }
    Ok(Changed::No)
}
