//! Unix.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

/// The number of the signal that has ended a process.
pub fn crash(status: ExitStatus) -> Option<i32> {
    status.signal()
}

/// Tells whether a program runs with rights that its user lacks: set-uid or set-gid.
pub fn is_privileged(meta: &Metadata) -> bool {
    meta.mode() & 0o6000 != 0
}
