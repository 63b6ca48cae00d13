//! Promises of launches of coarse copies, which the compiler relies on and the runtime keeps.

/// The alignment of pointer arguments, in bytes.
pub const ARGUMENT_ALIGN: u64 = 16;

/// The number that integers among the arguments are multiples of, where a copy asks for it.
pub const NUMBER_MULTIPLE: u64 = 4;

/// The most bytes of the objects that they point into.
pub const ARGUMENT_BYTES: u64 = 1 << 31;

/// Returns whether an argument is among those that a set has a bit for, the lowest for the first.
pub fn has_argument(places: u32, argument: usize) -> bool {
    argument < 32 && places >> argument & 1 == 1
}

/// Returns whether the bytes of an integer, the lowest first, are a multiple of [`NUMBER_MULTIPLE`].
pub fn is_multiple(bytes: &[u8]) -> bool {
    let low = bytes.first().copied();
    low.is_some_and(|low| u64::from(low) % NUMBER_MULTIPLE == 0)
}
