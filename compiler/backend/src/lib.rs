//! The back end: Kernel SPIR-V to Vulkan SPIR-V with NonSemantic.ClspvReflection.
//!
//! Takes the words of a linked Kernel module, a [`Target`] and options; gives a [`VulkanModule`]
//! or the reason why there is none. [`lower`] shows its few steps: import, verify, run the
//! pipeline, emit. Never: I/O, globals, threads.
//!
//! The modules are layers, and each knows those before it only: `import`; `pass`, `rewrite` and
//! `expand` (what passes are made of); `structurize`; `passes`; `properties`; `pipeline`; `vulkan`.
#![forbid(unsafe_code)]

mod expand;
pub mod import;
pub mod library;
pub mod pass;
pub mod passes;
pub mod pipeline;
mod properties;
mod rewrite;
pub mod structurize;
pub mod vulkan;

pub use vulkan::VulkanModule;

use import::{ImportOptions, NativeMatrices, SpecConstants, VariableForm, import_for};
use pass::{Ctx, Observer};
use pumice_budget::{self as budget, WORD_BYTES};
use pumice_ir::analysis::matrices;
use pumice_ir::verify::verify;
use pumice_ir::{LowerError, Module};
use pumice_target::{LowerOptions, Target};

/// Lowers the words of a linked Kernel module for one device. The observer is told of the import
/// and of each pass, of two roads if the first one ends: a program whose matrices cannot all be kept as the device's own
/// is made of plain code.
///
/// # Errors
/// Words that are no valid Kernel SPIR-V, or a construct that the device or the back end has no
/// form for.
pub fn lower(
    words: &[u32],
    target: &Target,
    options: &LowerOptions,
    observer: &mut Observer<'_>,
) -> Result<VulkanModule, LowerError> {
    let native = NativeMatrices::of(target, options.math.unsafe_math);
    budget::begin();
    if native.are_used(words) {
        if let Ok(module) = lower_with(words, target, options, &native, observer) {
            return Ok(module);
        }
    }
    lower_with(words, target, options, &NativeMatrices::default(), observer)
}

fn lower_with(
    words: &[u32],
    target: &Target,
    options: &LowerOptions,
    native: &NativeMatrices,
    observer: &mut Observer<'_>,
) -> Result<VulkanModule, LowerError> {
    budget::begin();
    budget::charge(words.len() as u64 * WORD_BYTES)?;
    let imported = import_with(words, target, options, native);
    observer("import", imported.as_ref());
    let mut ir = imported?;
    pipeline::run_pipeline(&mut ir, &Ctx { target, options }, observer)?;
    matrices::check_places(&ir)?;
    vulkan::emit(&ir, target, options)
}

/// Imports a Kernel module and verifies what comes out.
///
/// # Errors
/// Words that are no valid Kernel SPIR-V, or a construct that is not supported.
pub fn to_ir(words: &[u32], target: &Target, options: &LowerOptions) -> Result<Module, LowerError> {
    budget::begin();
    budget::charge(words.len() as u64 * WORD_BYTES)?;
    let native = NativeMatrices::of(target, options.math.unsafe_math);
    import_with(words, target, options, &native)
}

/// The form of a module's variables. Checks test each access of the source, so that variables keep their memory there.
pub fn variable_form(target: &Target) -> VariableForm {
    match target.checks.any() {
        true => VariableForm::Memory,
        false => VariableForm::Values {
            zero: target.zero_private,
        },
    }
}

fn import_with(
    words: &[u32],
    target: &Target,
    options: &LowerOptions,
    native: &NativeMatrices,
) -> Result<Module, LowerError> {
    let spec: SpecConstants = options.spec_constants.iter().copied().collect();
    let options = ImportOptions {
        sub_group_size: target.max_subgroup_size,
        native,
        variables: variable_form(target),
    };
    let ir = import_for(words, &spec, &options).map_err(|error| LowerError::new(error.message))?;
    verify(&ir).map_err(|error| LowerError::new(format!("invalid module: {error}")))?;
    Ok(ir)
}
