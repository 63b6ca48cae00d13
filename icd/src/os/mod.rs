//! Differences between operating systems: exit handlers, forks, the C library's stdout.
//!
//! Both modules give the same functions; the rest of the crate knows no operating system.

#[cfg(unix)]
mod unix;
#[cfg(unix)]
use unix as system;
#[cfg(windows)]
mod windows;
#[cfg(windows)]
use windows as system;

pub use system::{at_exit, end_process, flush_output, on_fork, write_output};
