//! Differences between operating systems: rights, the user's folders, how files are opened, pages of memory.
//!
//! Both modules give the same functions; the rest of the crate knows no operating system. One of the runtime's
//! few places with `unsafe`.

use std::io::{self, ErrorKind};

mod folders;
#[cfg(unix)]
mod unix;
#[cfg(unix)]
use unix as system;
#[cfg(windows)]
mod windows;
#[cfg(windows)]
use windows as system;

pub use pumice_vulkan_layer::os::{Fd, adopt, duplicate, into_raw};
pub use system::check_own;

pub(crate) use folders::{Folder, SYSTEM};
pub(crate) use system::{
    check_owner, is_link_refusal, is_mapped, is_privileged, is_stream, keep_private, make_private,
    may_write_in, page_size, plain_open, write_at,
};

/// Says whether a file to be read may be reached by a symbolic link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Links {
    /// It may.
    Followed,
    /// It may not.
    Refused,
}

/// An error with a reason in words.
pub(crate) fn refused(why: impl Into<String>) -> io::Error {
    io::Error::new(ErrorKind::PermissionDenied, why.into())
}
