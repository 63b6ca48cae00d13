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

/// Debian's archive as an apt configuration of our own knows it, below `home`.
struct Archive<'a> {
    home: PathBuf,
    /// Suites, with blanks between them.
    suites: &'a str,
    /// Debian's name of another architecture; `None` for this machine's.
    architecture: Option<&'a str>,
}

impl<'a> Archive<'a> {
    /// Packages of a suite for this machine.
    fn of(suite: &'a str) -> Self {
        Self {
            home: sh::target().join("debian").join(suite),
            suites: suite,
            architecture: None,
        }
    }

    /// A command of apt that knows this archive alone.
    fn apt(&self, tool: &str) -> Command {
        let home = &self.home;
        let below = |name: &str, folder: &str| format!("{name}={}", home.join(folder).display());
        let mut options = vec![
            "Dir::Etc::sourcelist=/dev/null".to_string(),
            "APT::Sandbox::User=root".to_string(),
            below("Dir::Etc::sourceparts", "etc"),
            below("Dir::State::lists", "lists"),
            below("Dir::Cache", "cache"),
            "Dir::State::status=/dev/null".to_string(),
            // A mirror may be a snapshot from before its suite's date ran out; the signature still counts.
            "Acquire::Check-Valid-Until=false".to_string(),
        ];
        if let Some(architecture) = self.architecture {
            options.push(format!("APT::Architecture={architecture}"));
            options.push(format!("APT::Architectures::={architecture}"));
        }
        let mut command = Command::new(tool);
        command.arg("-qq");
        for option in options {
            command.args(["-o", &option]);
        }
        command
    }

    /// Writes the configuration and reads the lists of packages of one kind (`deb` or `deb-src`).
    fn prepare(&self, kind: &str) -> Result {
        let home = &self.home;
        for dir in ["etc", "lists/partial", "cache/archives/partial"] {
            sh::make_folder(&home.join(dir))?;
        }
        let (mirror, suites) = (mirror(), self.suites);
        sh::write(
            &home.join("etc/suite.sources"),
            format!(
                "Types: {kind}\nURIs: {mirror}\nSuites: {suites}\nComponents: main\nSigned-By: {KEYRING}\n",
            ),
        )?;
        sh::output(self.apt("apt-get").arg("update")).map(drop)
    }

    /// Downloads packages and everything that they depend on into a folder.
    fn download_closure(&self, packages: &[&str], place: &Path) -> Result {
        let partial = place.join("partial");
        sh::make_folder(&partial)?;
        let archives = format!("Dir::Cache::archives={}", place.display());
        let mut command = self.apt("apt-get");
        command.args(["-o", &archives, "-o", "Debug::NoLocking=true"]);
        command.args([
            "install",
            "-y",
            "--no-install-recommends",
            "--download-only",
        ]);
        sh::output(command.args(packages)).map(drop)
    }

    /// Unpacks the archives of `packages`, which `download` puts into the folder given. Done once for a list of packages.
    fn unpack(
        &self,
        name: &str,
        packages: &[&str],
        download: impl Fn(&Path) -> Result,
    ) -> Result<PathBuf> {
        let place = self.home.join(name);
        let (complete, list) = (place.join("complete"), packages.join("\n"));
        if std::fs::read_to_string(&complete).is_ok_and(|unpacked| unpacked == list) {
            return Ok(place);
        }
        self.prepare("deb")?;
        clear(&place)?;
        download(&place)?;
        for archive in sh::files_with(&place, &["deb"])? {
            sh::output(Command::new("dpkg").arg("-x").arg(&archive).arg(&place))?;
            std::fs::remove_file(&archive)
                .map_err(|error| format!("{}: {error}", archive.display()))?;
        }
        sh::write(&complete, list)?;
        Ok(place)
    }
}

/// Downloads `packages` of `suite` (without their dependencies) and unpacks them into one
/// folder, which is returned.
pub fn unpack(suite: &str, packages: &[&str]) -> Result<PathBuf> {
    let archive = Archive::of(suite);
    archive.unpack(&packages.join("+"), packages, |place| {
        let mut command = archive.apt("apt-get");
        command.arg("download").args(packages).current_dir(place);
        sh::output(&mut command).map(drop)
    })
}

/// The same with everything that the packages depend on, down to the C library: programs run with
/// these libraries alone. The folder is named `name`.
pub fn unpack_closure(suite: &str, name: &str, packages: &[&str]) -> Result<PathBuf> {
    let archive = Archive::of(suite);
    archive.unpack(name, packages, |place| {
        archive.download_closure(packages, place)
    })
}

/// The same for another architecture, by Debian's name of it, of some suites with blanks between them.
/// A package of the suite that is not preferred is named `NAME/SUITE`.
pub fn unpack_foreign(
    architecture: &str,
    name: &str,
    suites: &str,
    packages: &[&str],
) -> Result<PathBuf> {
    let folder = format!("{architecture}-{}", suites.replace(' ', "+"));
    let archive = Archive {
        home: sh::target().join("debian").join(folder),
        suites,
        architecture: Some(architecture),
    };
    archive.unpack(name, packages, |place| {
        archive.download_closure(packages, place)
    })
}

/// Downloads the source package `name` of `suite` into a folder, which is returned. Done once.
pub fn source(suite: &str, name: &str) -> Result<PathBuf> {
    let archive = Archive {
        home: sh::target().join("debian").join(format!("{suite}-source")),
        ..Archive::of(suite)
    };
    let place = archive.home.join(name);
    if place.join("complete").is_file() {
        return Ok(place);
    }
    archive.prepare("deb-src")?;
    clear(&place)?;
    let mut command = archive.apt("apt-get");
    command.args(["source", "--download-only", name]);
    sh::output(command.current_dir(&place))?;
    sh::write(&place.join("complete"), "")?;
    Ok(place)
}

/// Makes an empty folder: what an interrupted run left must not be mistaken for the whole.
fn clear(place: &Path) -> Result {
    let _ = std::fs::remove_dir_all(place);
    sh::make_folder(place)
}
