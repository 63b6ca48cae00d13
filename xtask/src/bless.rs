//! `cargo xtask bless`: writes anew every file that tests compare with: snapshots of file tests,
//! the compiled built-in library, docs/driver-quirks.md, docs/extensions.md, docs/guide/support.md and docs/architecture.svg.
//! Look at the difference before committing it.

use crate::sh::{self, Result};
use std::process::Command;

/// Runs the tests that compare with files in blessing mode.
pub fn run(args: &[String]) -> Result {
    // The library first: other snapshots may contain its functions.
    for tests in [
        &["pumice-compiler", "--test", "library"][..],
        &["pumice-compiler"],
        &["pumice-vulkan-layer", "--test", "quirks_page"],
        &["pumice-runtime", "--test", "extensions_page"],
        &["xtask", "--test", "architecture"],
        &["xtask", "--test", "support_page"],
    ] {
        sh::run(
            Command::new(env!("CARGO"))
                .args(["test", "--quiet", "--package"])
                .args(tests)
                .arg("--")
                .args(args)
                .env("PUMICE_BLESS", "1")
                .current_dir(sh::root()),
        )?;
    }
    sh::run(
        Command::new("git")
            .args(["status", "--short", "compiler", "docs"])
            .current_dir(sh::root()),
    )
}
