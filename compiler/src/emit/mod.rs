//! Typed tree to Kernel SPIR-V.

pub mod builder;
