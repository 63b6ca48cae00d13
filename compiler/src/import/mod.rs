//! Kernel SPIR-V to IR.
