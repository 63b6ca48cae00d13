//! A right Vulkan driver for a Debian 12 whose own lavapipe gives wrong results: that of the backports,
//! installed beside it.
//!
//! Pumice itself is asked what it finds here. The driver comes from Debian's archive through an apt
//! configuration of our own; nothing of the system is replaced. It is registered where the Vulkan loader
//! looks, so other Vulkan programs see it too.

use crate::drivers;
use crate::install::{Hands, InstallPaths};
use crate::sh::{self, Result};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The driver's name in Mesa's file names.
const DRIVER: &str = "lvp";

/// Places of the installed driver.
pub struct Place {
    /// Its library.
    pub library: PathBuf,
    /// Its manifest.
    pub manifest: PathBuf,
    /// The Vulkan loader looks there unasked.
    pub searched: bool,
}

/// What Pumice finds on this system.
#[derive(Debug, PartialEq, Eq)]
enum State {
    /// A device.
    Works,
    /// None but those whose drivers give wrong results: why one is left out, and the cure.
    Faulty(String),
    /// None at all.
    Nothing,
}

/// Makes sure that an installed library finds a device that gives right results; tells what it does.
/// `info` is pumice-info; `wanted` is false where the user has forbidden to install a driver.
///
/// # Errors
/// Files that cannot be written. A driver that cannot be had is no error: the line that says what helps
/// is printed.
pub fn ensure(paths: &InstallPaths, info: &Path, wanted: bool) -> Result {
    // One of an earlier installation may be of no use by now.
    remove(paths)?;
    let why = match state(info, &paths.library)? {
        State::Works => return Ok(()),
        State::Nothing => {
            println!("OpenCL programs find no device here; pumice-info says why");
            return Ok(());
        }
        State::Faulty(why) => why,
    };
    println!("{why}");
    if !wanted {
        return Ok(());
    }
    if !is_debian_12(&sh::read(Path::new("/etc/os-release")).unwrap_or_default()) {
        println!("this system is no Debian 12, so no other driver is installed");
        return Ok(());
    }
    println!("installing lavapipe of bookworm-backports beside the system's:");
    match drivers::backports() {
        Ok(driver) => copy(&driver, paths)?,
        Err(error) => {
            println!("it cannot be had: {error}");
            return Ok(());
        }
    }
    match state(info, &paths.library)? {
        State::Works => println!("  other Vulkan programs see it too; uninstall removes it"),
        _ if !paths.lavapipe.searched => {
            let manifest = paths.lavapipe.manifest.display();
            println!("to use it: export VK_ADD_DRIVER_FILES='{manifest}'");
        }
        other => println!("Pumice does not find it; it finds {other:?}"),
    }
    Ok(())
}

/// Copies the unpacked driver to its place.
fn copy(driver: &drivers::VulkanDriver, paths: &InstallPaths) -> Result {
    let Place {
        library, manifest, ..
    } = &paths.lavapipe;
    let unpacked = driver.manifest.parent().unwrap_or(Path::new("/"));
    let file = drivers::library_file(unpacked, DRIVER)?;
    let text = drivers::manifest_naming(unpacked, DRIVER, library)?;
    let written = sh::target().join("layout/lavapipe.json");
    sh::write(&written, text)?;
    let sources = [unpacked.join(drivers::LIBRARIES).join(file), written];
    for (source, place) in sources.iter().zip([library, manifest]) {
        let folder = place.parent().expect("a file lies in a folder");
        Hands::for_folder(folder)?.copy(source, place, 0o644)?;
        println!("  installed {}", place.display());
    }
    Ok(())
}

/// Removes an installed driver, if there is one.
fn remove(paths: &InstallPaths) -> Result {
    for path in [&paths.lavapipe.manifest, &paths.lavapipe.library] {
        if path.exists() {
            let folder = path.parent().expect("a file lies in a folder");
            Hands::for_folder(folder)?.remove(path)?;
        }
    }
    Ok(())
}

/// Asks Pumice, in processes of their own.
fn state(info: &Path, library: &Path) -> Result<State> {
    let mut command = Command::new(info);
    command.args(["--json", "--library"]).arg(library);
    // It fails where there is no device, and says so in its answer.
    let output = command
        .output()
        .map_err(|error| format!("{}: {error}", info.display()))?;
    let answer: Value = serde_json::from_slice(&output.stdout)
        .map_err(|error| format!("{}: {error}", info.display()))?;
    Ok(read_state(&answer["driver"]["answer"]))
}

/// Reads the driver's part of pumice-info's answer.
fn read_state(answer: &Value) -> State {
    let list = |name: &str| answer[name].as_array().cloned().unwrap_or_default();
    if !list("devices").is_empty() {
        return State::Works;
    }
    let faulty = |device: &Value| device["faulty"] == true;
    match list("left_out").into_iter().find(faulty) {
        Some(device) => {
            let word = |key: &str| device[key].as_str().unwrap_or_default().to_string();
            let (name, reason, cure) = (word("name"), word("reason"), word("cure"));
            State::Faulty(format!("{name} is left out: {reason}; {cure}"))
        }
        None => State::Nothing,
    }
}

/// Tells from /etc/os-release whether the packages of bookworm-backports fit the system.
fn is_debian_12(release: &str) -> bool {
    let has = |line: &str| release.lines().any(|other| other.replace('"', "") == line);
    has("ID=debian") && has("VERSION_CODENAME=bookworm")
}

#[cfg(test)]
mod tests {
    use super::{State, is_debian_12, read_state};
    use serde_json::json;

    #[test]
    fn answers_are_told_apart() {
        let faulty = json!({ "name": "A", "reason": "why", "cure": "do", "faulty": true });
        let low = json!({ "name": "B", "reason": "it lacks x", "cure": "-", "faulty": false });
        let state =
            |devices, left_out| read_state(&json!({ "devices": devices, "left_out": left_out }));
        assert_eq!(state(json!([{}]), json!([faulty])), State::Works);
        let told = State::Faulty("A is left out: why; do".into());
        assert_eq!(state(json!([]), json!([low, faulty])), told);
        assert_eq!(state(json!([]), json!([low])), State::Nothing);
        assert_eq!(read_state(&json!(null)), State::Nothing);
    }

    #[test]
    fn only_debian_12_takes_its_backports() {
        assert!(is_debian_12("ID=debian\nVERSION_CODENAME=bookworm\n"));
        assert!(is_debian_12("ID=\"debian\"\nVERSION_CODENAME=\"bookworm\""));
        assert!(!is_debian_12("ID=debian\nVERSION_CODENAME=trixie\n"));
        assert!(!is_debian_12("ID=devuan\nVERSION_CODENAME=bookworm\n"));
        assert!(!is_debian_12(""));
    }
}
