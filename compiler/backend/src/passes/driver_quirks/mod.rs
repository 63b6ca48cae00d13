//! Passes that keep proven bugs of Vulkan drivers away, or suit their speed: one file each, switched
//! on by a quirk.

pub mod convert_in_doubles;
pub mod copied_calls;
pub mod deep_nests;
pub mod fix_signed_zero;
pub mod flush_min_max;
pub mod halves_by_floats;
pub mod invariants_behind_loops;
pub mod local_in_buffers;
pub mod loop_values;
pub mod round_doubles;
pub mod share_functions;
pub mod split_bit_joins;
pub mod widen_memory;
pub mod widened_compares;
