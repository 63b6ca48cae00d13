//! Passes that keep proven bugs of Vulkan drivers away: one file each, switched on by a quirk.

pub mod fix_signed_zero;
pub mod split_bit_joins;
pub mod widened_compares;
