//! The release build: the driver and the programs that come with it.
//!
//! Paths of this machine are replaced in the code, so that two builds of a commit are equal.

use crate::install;
use crate::sh::{self, Result};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The built files.
pub struct Built {
    /// libpumice.so.
    pub library: PathBuf,
    /// The compiler.
    pub pumicec: PathBuf,
    /// pumice-info, linked statically: it starts where the driver cannot be loaded.
    pub info: PathBuf,
    /// The program that loads drivers for it.
    pub probe: PathBuf,
}

/// Builds the library alone and returns its path.
pub fn library() -> Result<PathBuf> {
    sh::run(cargo(&["build", "--release", "--package", "pumice-icd"]).current_dir(sh::root()))?;
    Ok(folder().join(install::library_name()?))
}

/// Builds everything.
pub fn all() -> Result<Built> {
    let library = library()?;
    let builds: &[&[&str]] = &[
        &[
            "build",
            "--release",
            "--package",
            "pumice-compiler",
            "--bin",
            "pumicec",
        ],
        &[
            "build",
            "--release",
            "--package",
            "pumice-info",
            "--bin",
            "pumice-probe",
        ],
        &[
            "rustc",
            "--release",
            "--package",
            "pumice-info",
            "--bin",
            "pumice-info",
            "--",
            "-C",
            "target-feature=+crt-static",
        ],
    ];
    for words in builds {
        sh::run(cargo(words).current_dir(sh::root()))?;
    }
    Ok(Built {
        library,
        pumicec: folder().join("pumicec"),
        info: folder().join("pumice-info"),
        probe: folder().join("pumice-probe"),
    })
}

fn folder() -> PathBuf {
    sh::target().join("release")
}

/// A cargo command; under sudo it runs as the user who called it, whose files the builds are.
fn cargo(words: &[&str]) -> Command {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let user = || Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo"));
    let mut flags = std::env::var("RUSTFLAGS").unwrap_or_default();
    let mut remap = |from: &Path, to: &str| {
        flags += &format!(" --remap-path-prefix={}={to}", from.display());
    };
    remap(&sh::root(), "/usr/src/pumice");
    if let Some(home) = home.or_else(user) {
        remap(&home, "/cargo");
    }
    let flags = format!("RUSTFLAGS={}", flags.trim_start());
    let caller = std::env::var("SUDO_USER").unwrap_or_default();
    let mut command = match caller.as_str() {
        "" | "root" => Command::new("env"),
        caller => {
            let mut sudo = Command::new("sudo");
            sudo.args(["-u", caller, "-H", "env"]);
            sudo
        }
    };
    command.arg(flags).arg(env!("CARGO")).args(words);
    command
}
