//! The OpenCL objects and their rules, in safe Rust.
//!
//! Takes already converted arguments from the ICD (references instead of handles, slices instead
//! of pointers and counts); gives objects, query answers and [`error::Error`]. Every semantic
//! check of the specification lives here, beside the thing that it checks, in the order in which
//! the specification lists them.
//!
//! Never: panics on what an application passes; calls back into the application with a lock
//! held; reads or writes application memory outside `memory/host_ptr.rs`.

mod cache;
mod callback;
pub mod command;
pub mod config;
pub mod context;
pub mod device;
mod device_info;
mod dump;
pub mod error;
pub mod event;
pub mod executable;
pub mod exit;
pub mod extensions;
mod files;
mod gpu;
mod gpu_image;
pub mod info;
pub mod kernel;
pub mod log;
pub mod memory;
pub mod ndrange;
pub mod object;
mod os;
pub mod platform;
pub mod printf;
pub mod program;
pub mod queue;
mod queue_properties;
pub mod sampler;
mod scheduler;
pub mod trace;
