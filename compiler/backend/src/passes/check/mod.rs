//! Check mode: kernels test what they do, report it and go on.
//!
//! A test is a comparison and a branch, and its failure a call of [`report`]'s function with the number of the place
//! ([`pumice_ir::CheckSite`]). Afterwards the memory of the launch's checks (`pumice_check::layout`) holds what happened.
//! Modules with device-side enqueue are left as they are.

pub mod check_arithmetic;
pub mod check_memory;
mod offsets;
pub(crate) mod report;
mod roots;
