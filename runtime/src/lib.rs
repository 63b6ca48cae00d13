//! The OpenCL objects and their rules, in safe Rust.
//!
//! Takes already converted arguments from the ICD (references instead of handles, slices instead
//! of pointers and counts); gives objects, query answers and [`base::error::Error`]. Every semantic
//! check of the specification lives here, beside the thing that it checks, in the order in which
//! the specification lists them.
//!
//! Each folder is a layer and uses those before it only (docs/runtime.md).
//!
//! Never: panics on what an application passes; calls back into the application with a lock
//! held; reads or writes application memory outside `base/host_ptr.rs`.

pub mod base;
mod cache;
pub mod command;
pub mod command_buffer;
pub mod context;
pub mod device;
pub mod executable;
pub mod hand_over;
pub mod memory;
pub mod os;

pub mod program;
pub mod queue;
pub mod report;
pub mod semaphore;
