//! `cargo xtask bless`: writes anew every file that tests compare with: snapshots of file tests
//! and the compiled built-in library. Look at the difference before committing it.

use crate::sh::{self, Result};
use std::process::Command;

/// Runs the compiler's tests in blessing mode.
pub fn run(args: &[String]) -> Result {
    // The library first: other snapshots may contain its functions.
    for filter in [&["--test", "library"][..], &[]] {
        sh::run(
            Command::new(env!("CARGO"))
                .args(["test", "--quiet", "--package", "pumice-compiler"])
                .args(filter)
                .arg("--")
                .args(args)
                .env("PUMICE_BLESS", "1")
                .current_dir(sh::root()),
        )?;
    }
    sh::run(
        Command::new("git")
            .args(["status", "--short", "compiler"])
            .current_dir(sh::root()),
    )
}
