//! The stored form of the built-in library's functions.
//!
//! The library is imported and simplified once, when it is compiled, and not in each build that calls it. What
//! depends on the device is left: instructions of OpenCL.std, constants, calls.

use crate::import::{SpecConstants, VariableForm, import_as};
use crate::pass::FunctionCtx;
use crate::passes::optimize::{cse, dce, fold, simplify_cfg, speculate, sroa};
use pumice_ir::{Function, LowerError, stored, verify};
use pumice_target::{LowerOptions, Target};

/// A function is simplified so often at most. Nothing is found in the second round of most.
const ROUNDS: u32 = 4;

/// Gives a Kernel module of library functions in the form that [`stored::read`] reads.
///
/// # Errors
/// Words that are no valid Kernel SPIR-V, or an instruction that has no stored form.
pub fn store(words: &[u32]) -> Result<Vec<u8>, LowerError> {
    // The functions write what they read.
    let variables = VariableForm::Values { zero: false };
    let mut module = import_as(words, &SpecConstants::default(), variables)
        .map_err(|error| LowerError::new(error.message))?;
    let options = LowerOptions::default();
    let target = Target::reference();
    let ctx = FunctionCtx {
        target: &target,
        options: &options,
        globals: &module.globals,
    };
    for func in module.functions.values_mut() {
        if func.entry().is_some() {
            simplify(func, &ctx)?;
        }
    }
    verify(&module).map_err(|error| LowerError::new(error.to_string()))?;
    stored::write(&module).map_err(|error| LowerError::new(error.to_string()))
}

/// Runs the optimisations that ask nothing about the device.
fn simplify(func: &mut Function, ctx: &FunctionCtx<'_>) -> Result<(), LowerError> {
    for _ in 0..ROUNDS {
        let mut changed = simplify_cfg::run(func, ctx);
        changed |= sroa::run(func, ctx)?;
        changed |= fold::run(func, ctx);
        changed |= speculate::run(func, ctx);
        changed |= cse::run(func, ctx);
        changed |= dce::run(func, ctx);
        if !changed.is_yes() {
            break;
        }
    }
    Ok(())
}
