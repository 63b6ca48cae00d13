//! The word that tells kernels to end: instruction 20 of `NonSemantic.Pumice.1` (see `roles.rs`).
//!
//! `TerminationFlag` has the operand *Offset*, a byte of the push constants. The 64-bit pointer there leads to a word of 32
//! bits. Kernels that may run for long end when they find another number than 0 in it; the consumer may write it
//! while they run.

use crate::error::{ReadError, WriteError};
use crate::operand::{Operand, Sink, Source};

/// The instruction's number in our own set.
pub(crate) const NUMBER: u32 = 20;
/// The instruction's name.
pub(crate) const NAME: &str = "TerminationFlag";

/// The place of the pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TerminationFlag {
    /// The byte of the push constants at which its 8 bytes begin.
    pub offset: u32,
}

impl TerminationFlag {
    /// Decodes the operands.
    pub(crate) fn decode(source: &mut Source<'_>) -> Result<Self, ReadError> {
        let offset = u32::decode(source, "Offset")?;
        Ok(Self { offset })
    }

    /// Encodes the operands.
    pub(crate) fn encode(self, sink: &mut Sink<'_, '_>) -> Result<(), WriteError> {
        self.offset.encode(sink, "Offset")
    }
}
