//! Promises that a launch may make: instructions 7 and 19 of `NonSemantic.Pumice.1` (see `roles.rs`).
//!
//! Each has the operand *SpecId*, the number of a 32-bit specialization constant. It is 0 by default, which
//! promises nothing; a consumer that sets it to 1 promises for all work-items of the dispatch what
//! [`PromiseKind`] says.

use crate::error::{ReadError, WriteError};
use crate::operand::{Operand, Sink, Source};

/// The promise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PromiseKind {
    /// Every pointer argument is the start of an object of at most 4 GiB, or NULL.
    NearArguments,
    /// The offsets of the range and of the region are 0 in all dimensions.
    NoOffset,
}

impl PromiseKind {
    /// All of them.
    pub const ALL: [PromiseKind; 2] = [PromiseKind::NearArguments, PromiseKind::NoOffset];

    /// The instruction's number in our own set.
    pub(crate) fn number(self) -> u32 {
        match self {
            PromiseKind::NearArguments => 7,
            PromiseKind::NoOffset => 19,
        }
    }

    /// The promise of an instruction's number.
    pub(crate) fn of(number: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.number() == number)
    }

    /// The instruction's name.
    pub fn name(self) -> &'static str {
        match self {
            PromiseKind::NearArguments => "NearArguments",
            PromiseKind::NoOffset => "NoOffset",
        }
    }
}

/// A promise and where it is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Promise {
    /// The promise.
    pub kind: PromiseKind,
    /// The number of the specialization constant.
    pub spec_id: u32,
}

impl Promise {
    /// Decodes the operands.
    pub(crate) fn decode(kind: PromiseKind, source: &mut Source<'_>) -> Result<Self, ReadError> {
        let spec_id = u32::decode(source, "SpecId")?;
        Ok(Self { kind, spec_id })
    }

    /// Encodes the operands.
    pub(crate) fn encode(self, sink: &mut Sink<'_, '_>) -> Result<(), WriteError> {
        self.spec_id.encode(sink, "SpecId")
    }
}
