//! Windows.

use std::fs::DirBuilder;
use std::process::ExitStatus;

use signal_hook::consts::SIGINT;

/// The signal by which a console interrupts programs.
pub const INTERRUPTS: &[i32] = &[SIGINT];

/// Is always `None`: an exit status tells of exceptions too.
pub fn signal(_status: ExitStatus) -> Option<i32> {
    None
}

/// Does nothing: folders for temporary files are the user's own.
pub fn make_private(_builder: &mut DirBuilder) {}
