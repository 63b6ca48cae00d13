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
    let copied = added_by_copies(module, &reachable_functions(module)?);
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

/// The instructions that copies in the place of calls add to each of some functions, which come callees first.
pub(super) fn added_by_copies(module: &Module, order: &[FuncId]) -> SecondaryMap<FuncId, u64> {
    let mut added: SecondaryMap<FuncId, u64> = SecondaryMap::new();
    for &id in order {
        let size = |callee| (module.functions[callee].size() as u64).saturating_add(added[callee]);
        let calls = module.functions[id].calls();
        added[id] = calls.map(size).fold(0, u64::saturating_add);
    }
    added
}
