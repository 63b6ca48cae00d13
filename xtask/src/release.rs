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
    /// pumice-trace.
    pub trace: PathBuf,
}

/// The profile to build with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    /// For users.
    Release,
    /// Built quickly, for trying what becomes of the files.
    Debug,
}

impl Profile {
    fn folder(self) -> PathBuf {
        sh::target().join(match self {
            Profile::Release => "release",
            Profile::Debug => "debug",
        })
    }
}

/// Builds the library alone and returns its path.
pub fn library(profile: Profile) -> Result<PathBuf> {
    build(profile, &["build", "--package", "pumice-icd"], &[])?;
    Ok(profile.folder().join(install::library_name()?))
}

/// Builds pumice-info with its probe beside it and returns its path.
pub fn info(profile: Profile) -> Result<PathBuf> {
    build_info(profile)?;
    Ok(profile.folder().join("pumice-info"))
}

fn build_info(profile: Profile) -> Result {
    let of = |verb, name| [verb, "--package", "pumice-info", "--bin", name];
    build(profile, &of("build", "pumice-probe"), &[])?;
    let fixed = ["--", "-C", "target-feature=+crt-static"];
    build(profile, &of("rustc", "pumice-info"), &fixed)
}

/// Builds the tools of the harness, which need an OpenCL loader, and returns their folder.
pub fn harness(profile: Profile) -> Result<PathBuf> {
    build(
        profile,
        &["build", "--package", "pumice-cts-harness", "--bins"],
        &[],
    )?;
    Ok(profile.folder())
}

/// Builds everything.
pub fn all(profile: Profile) -> Result<Built> {
    build(profile, &["build", "--package", "pumice-icd"], &[])?;
    let compiler = ["build", "--package", "pumice-compiler", "--bin", "pumicec"];
    build(profile, &compiler, &[])?;
    build_info(profile)?;
    build(profile, &["build", "--package", "pumice-trace"], &[])?;
    let folder = profile.folder();
    Ok(Built {
        library: folder.join(install::library_name()?),
        pumicec: folder.join("pumicec"),
        info: folder.join("pumice-info"),
        probe: folder.join("pumice-probe"),
        trace: folder.join("pumice-trace"),
    })
}

fn build(profile: Profile, words: &[&str], last: &[&str]) -> Result {
    let release: &[&str] = match profile {
        Profile::Release => &["--release"],
        Profile::Debug => &[],
    };
    let words = [words, release, last].concat();
    sh::run(cargo(profile, &words).current_dir(sh::root()))
}

/// A cargo command; under sudo it runs as the user who called it, whose files the builds are.
fn cargo(profile: Profile, words: &[&str]) -> Command {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let user = || Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo"));
    let mut flags = std::env::var("RUSTFLAGS").unwrap_or_default();
    let mut remap = |from: &Path, to: &str| {
        flags += &format!(" --remap-path-prefix={}={to}", from.display());
    };
    // The debug build is the one of the tests.
    if profile == Profile::Release {
        remap(&sh::root(), "/usr/src/pumice");
        if let Some(home) = home.or_else(user) {
            remap(&home, "/cargo");
        }
    }
    let caller = std::env::var("SUDO_USER").unwrap_or_default();
    let mut command = match caller.as_str() {
        "" | "root" => Command::new("env"),
        caller => {
            let mut sudo = Command::new("sudo");
            sudo.args(["-u", caller, "-H", "env"]);
            sudo
        }
    };
    if !flags.is_empty() {
        command.arg(format!("RUSTFLAGS={}", flags.trim_start()));
    }
    command.arg(env!("CARGO")).args(words);
    command
}
