//! Check mode: kernels test what they do, report it and go on.
//!
//! A test is a comparison and a branch, and its failure a call of [`report`]'s function with the number of the place
//! ([`pumice_ir::CheckSite`]); long kernels report in groups (`gathered.rs`). Afterwards the memory of the launch's checks (`pumice_check::layout`) holds what happened.
//! Modules with device-side enqueue are left as they are.
//!
//! Robust mode is for kernels that nobody trusts: `robust/check_loops.rs` ends their loops, and their accesses of global memory
//! go elsewhere where they would leave it (`confine`). Local and private memory is confined where it is emitted
//! (`vulkan/access.rs`), large private variables where they move to a buffer (`spill_private`). What cannot be protected
//! does not build.

pub mod check_arithmetic;
pub mod check_memory;
pub(crate) mod code;
pub(crate) mod confine;
mod failures;
pub(crate) mod gathered;
pub(crate) mod limits;
pub(crate) mod offsets;
pub(crate) mod report;
pub(crate) mod roots;
pub(crate) mod writer;
