//! Differences between operating systems: mapping memory, file descriptors, the clock, the loader's name.
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

pub use system::{Fd, adopt, duplicate, into_raw};
pub(crate) use system::{
    SharedMemory, VULKAN_LIBRARY, close_refused, commit, duplicate_own, file_size, fresh,
    monotonic_ns, most_address_space, number, page_size, release, reserve, uncommit,
};
