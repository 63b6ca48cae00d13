//! The stored form of the built-in library's functions.
//!
//! The library is imported and simplified once, when it is compiled, and not in each build that calls it. What
//! depends on the device is left: instructions of OpenCL.std, constants, calls.

use crate::import::{SpecConstants, VariableForm, import_as};
use crate::pass::{Changed, FunctionCtx};
use crate::passes::optimize::{dce, simplify_cfg, sroa};
use pumice_ir::{LowerError, stored, verify};
use pumice_target::{LowerOptions, Target};

/// Gives a Kernel module of library functions in the form that [`stored::read`] reads.
///
/// # Errors
/// Words that are no valid Kernel SPIR-V, or an instruction that has no stored form.
pub fn store(words: &[u32]) -> Result<Vec<u8>, LowerError> {
    // The functions write what they read.
    let variables = VariableForm::Values { zero: false };
    let mut module = import_as(words, &SpecConstants::default(), variables)
        .map_err(|error| LowerError::new(error.message))?;
    let mut options = LowerOptions::default();
    // Constants are folded as each device computes.
    options.math.opt_disable = true;
    let target = Target::reference();
    let ctx = FunctionCtx {
        target: &target,
        options: &options,
        globals: &module.globals,
    };
    for func in module.functions.values_mut() {
        let mut changed = Changed::Yes;
        while changed.is_yes() {
            changed = simplify_cfg::run(func, &ctx);
            changed |= sroa::run(func, &ctx);
            changed |= dce::run(func, &ctx);
        }
    }
    verify(&module).map_err(|error| LowerError::new(error.to_string()))?;
    stored::write(&module).map_err(|error| LowerError::new(error.to_string()))
}
