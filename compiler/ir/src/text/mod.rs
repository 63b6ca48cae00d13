//! The text form of the IR: what tests are written in and dumps are read as.
//!
//! Takes: a [`Module`] or text. Gives: text, or a module that prints as the same text.
//! Never: checks types or dominance; [`super::verify`] does.
//!
//! ```text
//! string str0 = "x=%d\n"
//! global global0 "table" constant size 8 align 4 internal init "\x01\x00\x00\x00\x02\x00\x00\x00"
//! global global1 "p" global size 8 align 8 internal reloc [0: global0 + 4]
//!
//! kernel "k" fn0 reqd(8, 1, 1) attributes "..." {
//!   pointer global info(name "out", type "int*", address global)
//!   value i32
//!   byval size 16 align 4
//!   local align 4
//! }
//!
//! declare fn1 "f"(i32) -> (i32) import
//! func fn0 "k"(ptr.global, i32, ptr.private, ptr.local) -> () internal {
//!   slot0 = size 16 align 4
//! block0(v0: ptr.global, v1: i32, v2: ptr.private, v3: ptr.local):
//!   v4: i32 = iadd v1, i32 5            @12:3
//!   v5: f32x4 = fmul.contract v6, f32x4 [1.5]
//!   store.volatile v0, v4, align 4
//!   branch v7, block1(v4), block2
//! }
//! ```
//!
//! Comments run from `;` to the end of the line. A value's type stands where it is defined.
//! Constants stand inline as a type and bits: integers in decimal or `0x…`, floats in decimal
//! or as `0x…` bits, `true`/`false`, pointers as `0x…`; vectors in brackets, one number for a
//! splat; `undef i32` is an unspecified value. Dotted suffixes are flags and modes
//! (`icmp.slt`, `load.volatile`, `f_to_s.rte`, `atomic_rmw.add.relaxed.device`,
//! `group.subgroup.arith.add.reduce`, `builtin.global_id`, `math.ocl.sin`). Values, blocks and
//! slots keep their numbers in both directions.

mod lex;
mod matrix;
mod names;
mod node;
mod parse;
mod parse_function;
mod parse_inst;
mod write;
mod write_kernel;

#[cfg(test)]
mod tests;

pub use node::{node_to_text, payload_to_text};
pub use parse::parse_module;
pub use write::{function_to_text, inst_to_text, module_to_text};

#[allow(unused_imports, reason = "named by the documentation")]
use super::Module;

/// The reason why a text is not a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// One-based line.
    pub line: u32,
    /// One-based column in bytes.
    pub column: u32,
    /// The token that was expected or found.
    pub message: String,
}

impl std::fmt::Display for ParseError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for ParseError {}
