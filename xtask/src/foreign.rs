//! The test step `foreign`: all that is installed is checked by the compiler for operating systems on which it has
//! never run.

use crate::sh::{self, Result};
use crate::test::{self, Report};
use std::process::Command;

/// Rust's names of the systems.
const TARGETS: &[&str] = &["x86_64-pc-windows-gnu", "aarch64-linux-android"];

/// The driver, the compiler and the tools that come with them; with these all crates that they consist of.
const CRATES: &[&str] = &[
    "pumice-icd",
    "pumice-compiler",
    "pumice-info",
    "pumice-trace",
];

/// Checks every target, with warnings denied.
pub fn run(report: &mut Report) -> Result {
    for target in TARGETS {
        if !target.contains(&report.filter) {
            continue;
        }
        let outcome = standard_library(target).and_then(|()| check(target));
        println!("  {} {target}", test::mark(&outcome));
        report.record(target, outcome);
    }
    Ok(())
}

/// Has rustup bring the target's standard library, if it is not there.
fn standard_library(target: &str) -> Result {
    let sysroot = sh::output(Command::new("rustc").args(["--print", "sysroot"]))?;
    let folder = std::path::Path::new(sysroot.trim())
        .join("lib/rustlib")
        .join(target);
    if folder.join("lib").is_dir() {
        return Ok(());
    }
    sh::output(Command::new("rustup").args(["target", "add", target])).map(drop)
}

fn check(target: &str) -> Result {
    let mut command = test::cargo(&["check", "--target", target]);
    for name in CRATES {
        command.args(["-p", name]);
    }
    sh::output(command.env("RUSTFLAGS", "-Dwarnings")).map(drop)
}
