//! The interpreter: runs kernels of the IR on the CPU, as the oracle of tests.

pub mod float;
pub mod half;
