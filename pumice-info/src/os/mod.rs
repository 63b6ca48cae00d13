//! Differences between operating systems: rights of files, the ends of processes.

#[cfg(unix)]
mod unix;
#[cfg(unix)]
use unix as system;
#[cfg(windows)]
mod windows;
#[cfg(windows)]
use windows as system;

pub use system::{crash, is_privileged};
