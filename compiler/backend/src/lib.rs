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
pub mod pass;
pub mod passes;
pub mod pipeline;
mod properties;
mod rewrite;
pub mod structurize;
pub mod vulkan;

pub use vulkan::VulkanModule;

use import::{SpecConstants, import_for};
use pass::{Ctx, Observer};
use pumice_budget::{self as budget, WORD_BYTES};
use pumice_ir::verify::verify;
use pumice_ir::{LowerError, Module};
use pumice_target::{LowerOptions, Target};

/// Lowers the words of a linked Kernel module for one device. The observer is told of the import
/// and of each pass.
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
    budget::begin();
    budget::charge(words.len() as u64 * WORD_BYTES)?;
    let imported = to_ir(words, target, options);
    observer("import", imported.as_ref());
    let mut ir = imported?;
    pipeline::run_pipeline(&mut ir, &Ctx { target, options }, observer)?;
    vulkan::emit(&ir, target, options)
}

/// Imports a Kernel module and verifies what comes out.
///
/// # Errors
/// Words that are no valid Kernel SPIR-V, or a construct that is not supported.
pub fn to_ir(words: &[u32], target: &Target, options: &LowerOptions) -> Result<Module, LowerError> {
    let spec: SpecConstants = options.spec_constants.iter().copied().collect();
    let ir = import_for(words, &spec, target.max_subgroup_size)
        .map_err(|error| LowerError::new(error.message))?;
    verify(&ir).map_err(|error| LowerError::new(format!("invalid module: {error}")))?;
    Ok(ir)
}
