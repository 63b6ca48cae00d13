//! Promises of launches of coarse copies, which the compiler relies on and the runtime keeps.

/// The alignment of pointer arguments, in bytes.
pub const ARGUMENT_ALIGN: u64 = 16;

/// The number that integers among the arguments are multiples of, where a copy asks for it.
pub const NUMBER_MULTIPLE: u64 = 4;

/// The most bytes of the objects that they point into.
pub const ARGUMENT_BYTES: u64 = 1 << 31;
