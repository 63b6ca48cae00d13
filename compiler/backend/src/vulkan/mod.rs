//! IR to Vulkan SPIR-V with NonSemantic.ClspvReflection.
//!
//! Takes: a module with every property that [`crate::pipeline::PIPELINE`] ensures, and the device.
//! Gives: one [`VulkanModule`] with all kernels as GLCompute entry points.
//! Never: whatever needs more than one instruction's look (that is a pass's work); silence about
//! what it cannot write ([`LowerError`] names it).
//!
//! Invariant: pointers are integers. Generic ones are 64-bit, local and private ones 32-bit
//! offsets into their partition's array ([`partition`]) or the work-group's part of a buffer ([`local_memory`]). Global and constant ones are 64-bit
//! addresses or, with [`pumice_target::Abi::Descriptors`], 32-bit offsets into their buffer ([`buffers`]).

mod abi;
mod access;
mod arguments;
mod arith;
mod atomics;
mod buffers;
mod builder;
mod byte_swaps;
mod checks;
mod descriptors;
mod emitter;
mod entry_points;
mod func;
pub mod graph;
mod groups;
mod images;
mod inst;
mod local_memory;
mod matrix;
mod narrow;
mod narrow_sums;
mod nodes;
mod parts;
mod promises;
mod reflect;
mod rotations;
mod wide;
mod work_items;

use emitter::Emitter;
use pumice_budget as budget;
use pumice_ir::LowerError;
use pumice_ir::Module;
use pumice_target::{LowerOptions, Target};

/// A Vulkan SPIR-V module with its NonSemantic.ClspvReflection instructions.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct VulkanModule {
    /// The SPIR-V words, magic number first, reflection included.
    pub words: Vec<u32>,
}

/// Writes a lowered module.
///
/// # Errors
/// A construct that the device or the emitter has no form for.
pub fn emit(
    module: &Module,
    target: &Target,
    options: &LowerOptions,
) -> Result<VulkanModule, LowerError> {
    let mut emitter = Emitter::new(module, target, options)?;
    for func in emitter.functions.clone() {
        emitter.function(func)?;
        budget::check()?;
    }
    emitter.check_types()?;
    emitter.declare_entry_points();
    emitter.declare_extensions()?;
    let reflection = emitter.reflection()?;
    let words = pumice_reflection::embed(&emitter.b.finish(), &reflection).map_err(|e| {
        // Names and printf's strings come from the program: an OpString holds at most 256 KiB.
        LowerError::new(format!("the program cannot be described: {e}"))
    })?;
    Ok(VulkanModule { words })
}
