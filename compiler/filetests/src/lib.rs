//! The language of test files, read in one place.
//!
//! Test files say in comments how to run them and what to expect. A *directive* is a comment line
//! `// key: value` (OpenCL C) or `; key: value` (IR and SPIR-V assembly). [`directive`] finds them,
//! [`KernelFile`] reads those that run kernels, and [`golden`] compares outputs with the files
//! beside and writes these anew (`PUMICE_BLESS=1`).
//!
//! [`skip`] tells what the system cannot run.
//!
//! Knows nothing of the compiler or of a driver, so that the compiler's tests and clients of the
//! ICD loader read the same files.
#![forbid(unsafe_code)]

pub mod directive;
mod expect;
pub mod golden;
mod image;
mod kernel_file;
mod scalar;
pub mod skip;

pub use expect::{Expect, Tolerance};
pub use image::{Image, ImageKind, Sampler};
pub use kernel_file::{Address, Arg, KernelFile, Run};
pub use scalar::Scalar;
