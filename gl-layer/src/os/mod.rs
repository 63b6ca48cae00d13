//! Differences between operating systems: libraries that the process has loaded.

#[cfg(unix)]
mod unix;
#[cfg(unix)]
use unix as system;
#[cfg(windows)]
mod windows;
#[cfg(windows)]
use windows as system;

pub(crate) use system::Library;
