//! Passes that turn OpenCL's operations into those that Vulkan has.

mod channel_types;
pub mod contract;
pub mod graph_nodes;
mod handles;
mod image_bytes;
pub mod infer_address_spaces;
pub mod link_builtins;
pub mod loop_arg_copies;
pub mod lower_atomics;
pub mod lower_collectives;
pub mod lower_images;
pub mod lower_kernel_args;
pub mod lower_math;
pub mod lower_printf;
pub mod lower_subgroups;
mod mip_levels;
pub mod mixed_atomics;
mod part_atomics;
pub mod place_blocks;
pub mod poll_termination;
pub mod sample_exactly;
mod samples;
pub mod select_buffers;
pub mod shift_addresses;
pub mod short_atomics;
mod srgb;
pub mod zero_private;
