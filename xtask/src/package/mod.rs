//! `cargo xtask package`: a Debian package, an RPM and a tarball of the release, in `target/package`.
//!
//! Takes what `release` builds and `layout` lists; gives files that are equal for equal contents: times
//! are the commit's, owners root, and nothing of this machine stands in them. `again` builds the commit in
//! another folder and compares. `try` installs the package in a bare Debian.

mod deb;
mod licences;
mod rpm;
mod tarball;
mod trial;

use crate::release::{self, Profile};
use crate::sh::{self, Result};
use crate::test::Report;
use std::path::{Path, PathBuf};
use std::process::Command;

const USAGE: &str = "\
cargo xtask package [--debug]
cargo xtask package again
cargo xtask package try [SUITE]...

Writes a Debian package with a script that installs it, an RPM and a tarball to target/package.

  --debug take the debug build, without compression: for trying the packaging itself
  again   build the commit once more in a new clone, and fail unless all packages are equal to those
          that are there
  try     install the package that is there in a minimal Debian (bookworm, or the suites given),
          run the guide's commands for it, lintian, clinfo and a program in it, and remove the
          package; needs root and a network
";

/// The packages' name.
const NAME: &str = "pumice";

/// The script that installs the Debian package with a Vulkan driver; it stands beside the package.
const DEBIAN_SCRIPT: &str = "install-debian.sh";

/// The packages' version.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Runs the command.
pub fn run(args: &[String]) -> Result {
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    match words[..] {
        [] => make(Profile::Release),
        ["--debug"] => make(Profile::Debug),
        ["again"] => again(),
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
    let rpm = twice(|folder| rpm::make(&built, profile, &moment, folder))?;
    rpm::check(&rpm)?;
    let tarball = twice(|folder| tarball::make(&built, profile, &moment, folder))?;
    write(
        &folder().join(DEBIAN_SCRIPT),
        include_str!("install-debian.sh").replace("@VERSION@", VERSION),
    )?;
    for file in [&deb, &rpm, &tarball] {
        let size = file.metadata().map_err(|error| error.to_string())?.len();
        println!("{}: {:.1} MB", file.display(), size as f64 / 1e6);
    }
    Ok(())
}

/// The step of `cargo xtask test`: the packages of the debug build.
pub fn test(_: &mut Report) -> Result {
    make(Profile::Debug)
}

/// Builds the commit in a clone of its own, whose folder has another name, and compares the packages.
fn again() -> Result {
    let clone = sh::target().join("package-again");
    if clone.exists() {
        std::fs::remove_dir_all(&clone).map_err(|error| format!("{}: {error}", clone.display()))?;
    }
    let mut git = Command::new("git");
    git.args(["clone", "--quiet", "--no-hardlinks"]);
    sh::output(git.arg(sh::root()).arg(&clone))?;
    let mut build = Command::new(env!("CARGO"));
    build
        .args(["run", "--quiet", "--package", "xtask", "--", "package"])
        .current_dir(&clone)
        .env_remove("CARGO_TARGET_DIR");
    sh::run(&mut build)?;
    let names = [
        deb::file_name()?,
        rpm::file_name(),
        tarball::file_name(Profile::Release),
    ];
    for name in names {
        let other = clone.join("target/package").join(&name);
        equal(&folder().join(&name), &other)?;
        println!("{name} is equal in both builds");
    }
    std::fs::remove_dir_all(&clone).map_err(|error| format!("{}: {error}", clone.display()))
}

fn try_in(suites: &[&str]) -> Result {
    let deb = folder().join(deb::file_name()?);
    if !deb.exists() {
        return Err(format!(
            "{} is not there: make it with cargo xtask package",
            deb.display()
        ));
    }
    suites.iter().try_for_each(|suite| trial::run(suite))
}

/// Makes a file twice and checks that both are equal: nothing but the contents may decide.
fn twice(make: impl Fn(&Path) -> Result<PathBuf>) -> Result<PathBuf> {
    let folder = folder();
    let (again, file) = (make(&folder.join("again"))?, make(&folder)?);
    equal(&again, &file)?;
    Ok(file)
}

/// Checks that two files are equal.
fn equal(one: &Path, other: &Path) -> Result {
    let read =
        |path: &Path| std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()));
    match read(one)? == read(other)? {
        true => Ok(()),
        false => Err(format!(
            "{} differs from {}",
            one.display(),
            other.display()
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
pub fn fresh(folder: &Path) -> Result {
    if folder.exists() {
        std::fs::remove_dir_all(folder)
            .map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    sh::make_folder(folder)
}

/// Copies a file with its permissions.
pub fn copy(from: &Path, to: &Path, mode: u32) -> Result {
    let mode = format!("{mode:o}");
    sh::output(
        Command::new("install")
            .args(["-D", "-m", &mode])
            .args([from, to]),
    )
    .map(drop)
}

/// Writes a text file that everybody can read.
pub fn write(path: &Path, text: impl AsRef<[u8]>) -> Result {
    sh::write(path, text)?;
    sh::output(Command::new("chmod").arg("644").arg(path)).map(drop)
}

/// Replaces a file by its compressed form.
fn compress(path: &Path) -> Result {
    sh::output(Command::new("gzip").args(["-9", "-n"]).arg(path)).map(drop)
}
