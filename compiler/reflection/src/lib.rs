//! The typed model of `NonSemantic.ClspvReflection`: reader, writer and stripping; with our own
//! small set beside it (`roles.rs`).
//!
//! Takes SPIR-V words and gives a [`Reflection`] ([`read`]), or takes a [`Reflection`] and a
//! module and gives the module with the reflection inside ([`embed`]). [`strip_non_semantic`]
//! removes every non-semantic set, which is what a Vulkan driver gets to see.
//!
//! Never does: I/O, logging, interpretation of what the instructions ask for (that is the
//! runtime's), validation of the rest of the module. Nothing read is trusted: word counts, ids,
//! operand kinds, strings and revisions are checked, and whatever is wrong is a [`ReadError`]
//! that names it.
//!
//! Invariant: `model.rs` holds the one list of instructions; reader and writer derive from it.
#![forbid(unsafe_code)]

mod address_delta;
mod check;
mod data;
mod definitions;
mod descriptor_map;
mod error;
mod facts;
mod listing;
mod model;
mod needs;
mod operand;
mod pools;
mod promise;
mod reader;
mod roles;
mod strip;
mod termination_flag;
mod writer;

pub use address_delta::AddressDelta;
pub use check::{CheckSite, CheckedObject};
pub use descriptor_map::descriptor_map;
pub use error::{ReadError, WriteError};
pub use facts::{Fact, MAX_LEVELS};
pub use model::{
    ArgumentInfo, BlockArgument, DataDescriptor, DataPush, DescriptorArgument, ImageInfoPush,
    ImageInfoUniform, Instruction, Kernel, KernelProperties, LiteralSampler, MAY_USE_PRINTF,
    PrintfBufferDescriptor, PrintfBufferPush, PrintfInfo, PushArgument, PushRange, Reflection,
    Relocation, RequiredWorkgroupSize, SpecId, SpecIds3, TABLE, TableRow, WorkgroupArgument,
    WorkgroupVariableSize,
};
pub use needs::Need;
pub use operand::{ByteString, FunctionId, HexBytes, InfoRef, KernelRef, VariableId};
pub use promise::{Promise, PromiseKind};
pub use pumice_target::CheckKind;
pub use pumice_target::image::sampler_mask::MIP_LINEAR;
pub use reader::read;
pub use roles::{KernelRole, PUMICE_SET};
pub use strip::{strip_non_semantic, strip_set};
pub use termination_flag::TerminationFlag;
pub use writer::embed;

/// The most bytes of initial contents that a buffer can have.
pub const MAX_INITIAL_DATA: u64 = 256 << 20;
/// The import string without its revision.
pub const SET_PREFIX: &str = "NonSemantic.ClspvReflection.";
/// The SPIR-V extension that non-semantic sets need below SPIR-V 1.6.
pub const NON_SEMANTIC_EXTENSION: &str = "SPV_KHR_non_semantic_info";
/// Every instruction of revisions up to this one is known; unknown numbers inside them are errors.
pub const HIGHEST_KNOWN_REVISION: u32 = 7;
