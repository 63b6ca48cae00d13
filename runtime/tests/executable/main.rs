//! Hand-assembled Vulkan modules with reflection, checked, launched and read back: each
//! reflection instruction that needs no image. Without a Vulkan device the launches are skipped
//! with a message.

mod arguments;
mod data;
mod kit;
mod printf;
mod ranges;
mod refusals;
