//! SPIR-V's binary form, read and written in one place.
//!
//! Takes words that nobody has checked; gives a checked header and instructions whose word counts
//! fit the module. Knows the grammar's names and numbers and nothing of what instructions mean.
#![forbid(unsafe_code)]

mod builder;
mod grammar;
pub mod op;
mod words;

pub use rspirv::spirv::{
    AddressingModel, Capability, Decoration, ExecutionMode, ExecutionModel, FunctionControl,
    ImageFormat, MemoryModel, Op, StorageClass,
};

pub use builder::{Builder, FunctionWords, Id, Section};
pub use grammar::{Entry, capability_name, entry, op_name};
pub use words::{
    HEADER_WORDS, Header, Inst, Instructions, MAGIC, MAX_BOUND, MAX_INSTRUCTION_WORDS, Malformed,
    first_word, has_magic, header, inst_words, instructions, module_words, native_order, push_inst,
    push_parts, push_string, string, string_words, text, why_no_module,
};
