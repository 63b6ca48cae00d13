//! The back half: Kernel SPIR-V through the IR to Vulkan SPIR-V.
//!
//! import → verify → [`passes::PIPELINE`] → [`vulkan::emit`], which structures what it writes.

use crate::budget::{self, WORD_BYTES};
use crate::import::{SpecConstants, import};
use crate::ir::{Module, verify::verify};
use crate::passes::{self, Ctx, LowerError};
use crate::vulkan::{self, VulkanModule};
use crate::{KernelModule, LowerOptions, Outcome, Target};

/// Lowers a linked Kernel module for one device.
pub fn lower(
    module: &KernelModule,
    target: &Target,
    options: &LowerOptions,
) -> Outcome<VulkanModule> {
    match try_lower(module, target, options) {
        Ok(output) => Outcome {
            output: Some(output),
            log: String::new(),
        },
        Err(error) => Outcome {
            output: None,
            log: format!("error: {error}\n"),
        },
    }
}

fn try_lower(
    module: &KernelModule,
    target: &Target,
    options: &LowerOptions,
) -> Result<VulkanModule, LowerError> {
    budget::begin();
    budget::charge(module.words.len() as u64 * WORD_BYTES)?;
    let mut ir = to_ir(module, options)?;
    optimise(&mut ir, target, options)?;
    vulkan::emit(&mut ir, target, options)
}

/// Imports a Kernel module and checks it: what comes out is verified IR.
///
/// # Errors
/// Words that are no valid Kernel SPIR-V, or a construct that is not supported.
pub fn to_ir(module: &KernelModule, options: &LowerOptions) -> Result<Module, LowerError> {
    let spec: SpecConstants = options.spec_constants.iter().copied().collect();
    let ir = import(&module.words, &spec).map_err(|error| LowerError::new(error.message))?;
    verify(&ir).map_err(|error| LowerError::new(format!("invalid module: {error}")))?;
    Ok(ir)
}

/// Runs the pipeline on verified IR.
///
/// # Errors
/// What a pass cannot lower.
pub fn optimise(
    ir: &mut Module,
    target: &Target,
    options: &LowerOptions,
) -> Result<(), LowerError> {
    let ctx = Ctx { target, options };
    passes::run_pipeline(ir, &ctx)
}
