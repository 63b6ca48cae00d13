//! Typed tree to Kernel SPIR-V.
