//! `cargo xtask package`: a Debian package and a tarball of the release, in `target/package`.
//!
//! Takes what `release` builds and `layout` lists; gives files that are equal for equal contents: times
//! are the commit's, owners root, and nothing of this machine stands in them. `try` installs the
//! package in a bare Debian.

mod deb;
mod licences;
mod tarball;
mod trial;

use crate::release::{self, Profile};
use crate::sh::{self, Result};
use std::path::{Path, PathBuf};
use std::process::Command;

const USAGE: &str = "\
cargo xtask package [--debug]
cargo xtask package try [SUITE]...

Writes a Debian package and a tarball with an install script to target/package.

  --debug take the debug build, without compression: for trying the packaging itself
  try     install the package that is there in a minimal Debian (bookworm, or the suites given),
          run lintian, clinfo and a program in it, and remove the package; needs root and a network
";

/// The packages' name.
const NAME: &str = "pumice";

/// The packages' version.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Runs the command.
pub fn run(args: &[String]) -> Result {
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    match words[..] {
        [] => make(Profile::Release),
        ["--debug"] => make(Profile::Debug),
        ["try"] => try_in(&["bookworm"]),
        ["try", ref suites @ ..] => try_in(suites),
        ["--help" | "-h"] => {
            print!("{USAGE}");
            Ok(())
        }
        [other, ..] => Err(format!("unknown argument {other:?}\n\n{USAGE}")),
    }
}

fn folder() -> PathBuf {
    sh::target().join("package")
}

/// Builds everything and makes the files.
fn make(profile: Profile) -> Result {
    let built = release::all(profile)?;
    let moment = commit_time()?;
    let deb = twice(|folder| deb::make(&built, profile, &moment, folder))?;
    let tarball = twice(|folder| tarball::make(&built, profile, &moment, folder))?;
    for file in [&deb, &tarball] {
        let size = file.metadata().map_err(|error| error.to_string())?.len();
        println!("{}: {:.1} MB", file.display(), size as f64 / 1e6);
    }
    Ok(())
}

fn try_in(suites: &[&str]) -> Result {
    let deb = folder().join(deb::file_name()?);
    if !deb.exists() {
        return Err(format!(
            "{} is not there: make it with cargo xtask package",
            deb.display()
        ));
    }
    suites.iter().try_for_each(|suite| trial::run(suite, &deb))
}

/// Makes a file twice and checks that both are equal: nothing but the contents may decide.
fn twice(make: impl Fn(&Path) -> Result<PathBuf>) -> Result<PathBuf> {
    let folder = folder();
    let (again, file) = (make(&folder.join("again"))?, make(&folder)?);
    let read =
        |path: &Path| std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()));
    match read(&again)? == read(&file)? {
        true => Ok(file),
        false => Err(format!(
            "{} differs from {}",
            file.display(),
            again.display()
        )),
    }
}

/// Seconds since 1970 of the commit.
fn commit_time() -> Result<String> {
    let mut git = Command::new("git");
    let time = sh::output(
        git.args(["log", "-1", "--format=%ct"])
            .current_dir(sh::root()),
    )?;
    Ok(time.trim().to_string())
}

/// A folder for a package's files, empty.
fn fresh(folder: &Path) -> Result {
    if folder.exists() {
        std::fs::remove_dir_all(folder)
            .map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))
}

/// Copies a file with its permissions.
fn copy(from: &Path, to: &Path, mode: u32) -> Result {
    let mode = format!("{mode:o}");
    sh::output(
        Command::new("install")
            .args(["-D", "-m", &mode])
            .args([from, to]),
    )
    .map(drop)
}

/// Writes a text file that everybody can read.
fn write(path: &Path, text: impl AsRef<[u8]>) -> Result {
    sh::write(path, text)?;
    sh::output(Command::new("chmod").arg("644").arg(path)).map(drop)
}

/// Replaces a file by its compressed form.
fn compress(path: &Path) -> Result {
    sh::output(Command::new("gzip").args(["-9", "-n"]).arg(path)).map(drop)
}
