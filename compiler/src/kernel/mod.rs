//! Kernel-flavour SPIR-V modules: what the front end writes and the back half reads.
//!
//! [`link`](link::link) merges them (clLinkProgram). Takes words of any origin, also
//! `clCreateProgramWithIL`'s; malformed words give an error in the log, never a panic.

pub mod compat;
pub mod entry;
pub mod extract;
pub mod link;
pub mod merge;
pub mod operands;

/// A Kernel SPIR-V module (header and instruction words, host byte order).
///
/// Holding one says nothing about validity: modules from `clCreateProgramWithIL` are
/// checked by the importer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct KernelModule {
    /// The SPIR-V words, magic number first.
    pub words: Vec<u32>,
    /// True for a library made by `-create-library`; unresolved imports are then legal.
    pub is_library: bool,
}
