//! Packages of another Debian suite, unpacked under `target/` through an apt configuration of
//! our own. The user's sources and package database are only read, never changed.

use crate::sh::{self, Result};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The keyring that signs all suites used here.
const KEYRING: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";

/// The mirror that the user's own sources name for Debian's main archive, so that a local
/// mirror is respected; Debian's public address otherwise.
pub fn mirror() -> String {
    let lists = Command::new("apt-get")
        .args(["indextargets", "--format", "$(REPO_URI) $(ORIGIN) $(SUITE)"])
        .output()
        .map(|output| sh::both(&output))
        .unwrap_or_default();
    lists
        .lines()
        .filter_map(|line| {
            let mut words = line.split_whitespace();
            let uri = words.next()?;
            (words.next()? == "Debian" && !uri.contains("security"))
                .then(|| uri.trim_end_matches('/').to_string())
        })
        .next()
        .unwrap_or_else(|| "http://deb.debian.org/debian".to_string())
}

fn apt(tool: &str, home: &Path) -> Command {
    let mut command = Command::new(tool);
    let option = |name: &str, value: String| format!("{name}={value}");
    command
        .args([
            "-qq",
            "-o",
            "Dir::Etc::sourcelist=/dev/null",
            "-o",
            "APT::Sandbox::User=root",
        ])
        .args([
            "-o",
            &option(
                "Dir::Etc::sourceparts",
                home.join("etc").display().to_string(),
            ),
        ])
        .args([
            "-o",
            &option(
                "Dir::State::lists",
                home.join("lists").display().to_string(),
            ),
        ])
        .args([
            "-o",
            &option("Dir::Cache", home.join("cache").display().to_string()),
        ])
        // A mirror may be a snapshot from before its suite's date ran out; the signature still counts.
        .args([
            "-o",
            "Dir::State::status=/dev/null",
            "-o",
            "Acquire::Check-Valid-Until=false",
        ]);
    command
}

/// Downloads `packages` of `suite` (without their dependencies) and unpacks them into one
/// folder, which is returned. Done once; later calls find the folder.
pub fn unpack(suite: &str, packages: &[&str]) -> Result<PathBuf> {
    let download = |home: &Path, place: &Path| {
        let mut command = apt("apt-get", home);
        command.arg("download").args(packages).current_dir(place);
        sh::output(&mut command).map(drop)
    };
    unpack_into(suite, &packages.join("+"), download)
}

/// The same with everything that the packages depend on, down to the C library: programs run with
/// these libraries alone. The folder is named `name`.
pub fn unpack_closure(suite: &str, name: &str, packages: &[&str]) -> Result<PathBuf> {
    let download = |home: &Path, place: &Path| {
        let partial = place.join("partial");
        std::fs::create_dir_all(&partial)
            .map_err(|error| format!("{}: {error}", partial.display()))?;
        let archives = format!("Dir::Cache::archives={}", place.display());
        let mut command = apt("apt-get", home);
        command.args(["-o", &archives, "-o", "Debug::NoLocking=true"]);
        command.args([
            "install",
            "-y",
            "--no-install-recommends",
            "--download-only",
        ]);
        sh::output(command.args(packages)).map(drop)
    };
    unpack_into(suite, name, download)
}

/// Downloads the source package `name` of `suite` into a folder, which is returned. Done once.
pub fn source(suite: &str, name: &str) -> Result<PathBuf> {
    let home = sh::target().join("debian").join(format!("{suite}-source"));
    let place = home.join(name);
    if place.join("complete").is_file() {
        return Ok(place);
    }
    prepare(&home, suite, "deb-src")?;
    clear(&place)?;
    let mut command = apt("apt-get", &home);
    command.args(["source", "--download-only", name]);
    sh::output(command.current_dir(&place))?;
    sh::write(&place.join("complete"), "")?;
    Ok(place)
}

/// Makes an apt configuration below `home` that knows a suite's packages of one kind (`deb` or `deb-src`).
fn prepare(home: &Path, suite: &str, kind: &str) -> Result {
    for dir in ["etc", "lists/partial", "cache/archives/partial"] {
        std::fs::create_dir_all(home.join(dir))
            .map_err(|error| format!("{}: {error}", home.display()))?;
    }
    sh::write(
        &home.join("etc/suite.sources"),
        format!(
            "Types: {kind}\nURIs: {}\nSuites: {suite}\nComponents: main\nSigned-By: {KEYRING}\n",
            mirror()
        ),
    )?;
    sh::output(apt("apt-get", home).arg("update")).map(drop)
}

/// Makes an empty folder: what an interrupted run left must not be mistaken for the whole.
fn clear(place: &Path) -> Result {
    let _ = std::fs::remove_dir_all(place);
    std::fs::create_dir_all(place).map_err(|error| format!("{}: {error}", place.display()))
}

/// Unpacks the archives that `download` puts into the folder given second.
fn unpack_into(
    suite: &str,
    name: &str,
    download: impl Fn(&Path, &Path) -> Result,
) -> Result<PathBuf> {
    let home = sh::target().join("debian").join(suite);
    let place = home.join(name);
    if place.join("complete").is_file() {
        return Ok(place);
    }
    prepare(&home, suite, "deb")?;
    clear(&place)?;
    download(&home, &place)?;
    for archive in sh::files_with(&place, &["deb"])? {
        sh::output(Command::new("dpkg").arg("-x").arg(&archive).arg(&place))?;
        std::fs::remove_file(&archive)
            .map_err(|error| format!("{}: {error}", archive.display()))?;
    }
    sh::write(&place.join("complete"), "")?;
    Ok(place)
}
