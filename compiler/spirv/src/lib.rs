//! SPIR-V's binary form, read and written in one place.
//!
//! Takes words that nobody has checked; gives a checked header and instructions whose word counts
//! fit the module. Knows the grammar's names and numbers and nothing of what instructions mean.
#![forbid(unsafe_code)]

pub mod op;
mod words;

pub use words::{
    HEADER_WORDS, Header, Inst, Instructions, MAGIC, MAX_BOUND, MAX_INSTRUCTION_WORDS, Malformed,
    header, instructions, push_inst, push_string, string, string_words,
};
