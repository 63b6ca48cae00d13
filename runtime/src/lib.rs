//! The OpenCL objects and their rules, in safe Rust.
//!
//! Takes already converted arguments from the ICD (references instead of handles, slices instead
//! of pointers and counts); gives objects, query answers and [`error::Error`]. Every semantic
//! check of the specification lives here, beside the thing that it checks, in the order in which
//! the specification lists them.
//!
//! Never: panics on what an application passes; calls back into the application with a lock
//! held; reads or writes application memory outside `memory/host_ptr.rs`.

pub mod config;
pub mod device;
pub mod error;
pub mod event;
pub mod extensions;
pub mod info;
pub mod log;
pub mod object;
pub mod platform;
