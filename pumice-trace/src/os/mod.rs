//! Differences between operating systems: rights of folders, interrupts, the ends of processes.

#[cfg(unix)]
mod unix;
#[cfg(unix)]
use unix as system;
#[cfg(windows)]
mod windows;
#[cfg(windows)]
use windows as system;

pub use system::{INTERRUPTS, make_private, signal};
