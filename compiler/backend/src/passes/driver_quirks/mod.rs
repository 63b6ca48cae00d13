//! Passes that keep proven bugs of Vulkan drivers away, or suit their speed: one file each, switched
//! on by a quirk.

pub mod convert_in_doubles;
pub mod copied_calls;
pub mod deep_nests;
pub mod early_barrier;
pub mod fix_signed_zero;
pub mod flush_min_max;
pub mod halves_by_floats;
pub mod loop_values;
mod never;
pub mod round_doubles;
pub mod share_functions;
pub mod skipped_branches;
pub mod split_bit_joins;
pub mod widen_memory;
pub mod widened_compares;
