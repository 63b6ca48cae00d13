//! Modules as the interpreter takes them: before the passes, without OpenCL.std.

use pumice_backend::import::{SpecConstants, VariableForm, import_as};
use pumice_backend::pass::{Changed, Ctx};
use pumice_backend::passes::lower::{link_builtins, lower_math};
use pumice_ir::{LowerError, Module};

/// Imports a linked Kernel module, and links the library's functions in.
///
/// # Errors
/// A module that the importer refuses, or a function that the library does not have.
pub fn interpretable(
    words: &[u32],
    variables: VariableForm,
    ctx: &Ctx<'_>,
) -> Result<Module, String> {
    let mut module = import_as(words, &SpecConstants::default(), variables)
        .map_err(|error| error.to_string())?;
    let _ = link_library(&mut module, ctx).map_err(|error| error.to_string())?;
    Ok(module)
}

/// Replaces OpenCL.std's instructions by the library's functions, as the pipeline does.
///
/// # Errors
/// A function that the library does not have.
pub fn link_library(module: &mut Module, ctx: &Ctx<'_>) -> Result<Changed, LowerError> {
    let mut changed = lower_math::run(module, ctx)?;
    changed |= link_builtins::run(module, ctx)?;
    Ok(changed)
}
