//! Vulkan modules with reflection, checked, launched and read back: each reflection instruction, in
//! hand-assembled modules and in those that our compiler writes. Without a Vulkan device the launches
//! are skipped with a message.

mod arguments;
mod compiled;
mod compiled_images;
mod data;
mod images;
mod kit;
mod own_kernels;
mod printf;
mod private_memory;
mod ranges;
mod refusals;
