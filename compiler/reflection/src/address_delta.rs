//! The number between pointers and device addresses: instruction 6 of `NonSemantic.Pumice.1` (see `roles.rs`).
//!
//! `AddressDelta` has the operand *Offset*, a byte of the push constants. The 64-bit number there is what the module's
//! kernels add to a pointer to get the device address of what it points at. All pointers that a module gets are without
//! it: arguments but those that FollowedArgument names, and the addresses of its data, of the printf buffer and of private memory. The consumer chooses the
//! number; 0 makes pointers device addresses.

use crate::error::{ReadError, WriteError};
use crate::operand::{Operand, Sink, Source};

/// The instruction's number in our own set.
pub(crate) const NUMBER: u32 = 6;
/// The instruction's name.
pub(crate) const NAME: &str = "AddressDelta";

/// The place of the number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AddressDelta {
    /// The byte of the push constants at which its 8 bytes begin.
    pub offset: u32,
}

impl AddressDelta {
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
