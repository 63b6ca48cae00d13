//! Passes that turn types and widths that a device lacks into those that it has.

mod divide_longs;
mod double_bits;
pub mod legalize_conversions;
pub mod legalize_doubles;
pub mod legalize_half;
pub mod legalize_int64;
pub mod legalize_memory;
pub mod legalize_small_ints;
pub mod local_in_buffers;
pub mod lower_integers;
pub mod lower_wide_vectors;
pub mod private_alignment;
mod retype;
mod round_half;
pub(crate) mod singles;
pub mod soft_doubles;
pub mod spill_private;
