//! The base of every other part: errors, logs and options, API objects, the process's end, and
//! memory that the runtime does not own.

pub(crate) mod callback;
pub mod clock;
pub mod config;
pub mod error;
pub mod exit;
pub(crate) mod files;
pub mod host_ptr;
pub mod info;
pub mod json;
pub mod log;
pub mod object;
pub mod printf;
pub(crate) mod processors;
pub(crate) mod progress;
pub mod property;
pub mod reason;
pub mod region;
pub(crate) mod robust_limits;
pub mod trace;
