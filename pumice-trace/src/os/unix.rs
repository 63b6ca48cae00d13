//! Unix.

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use signal_hook::consts::{SIGINT, SIGQUIT};

/// The signals by which a terminal interrupts programs.
pub const INTERRUPTS: &[i32] = &[SIGINT, SIGQUIT];

/// The number of the signal that has ended a process.
pub fn signal(status: ExitStatus) -> Option<i32> {
    status.signal()
}

/// Lets nobody else read the folder.
pub fn make_private(builder: &mut DirBuilder) {
    builder.mode(0o700);
}
