//! The RPM package, for Fedora and others of its kind; made by Debian's rpmbuild.

use super::{NAME, VERSION, compress, copy, fresh, licences, write};
use crate::layout;
use crate::packages;
use crate::release::{Built, Profile};
use crate::sh::{self, Result};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder of libraries.
const LIBRARIES: &str = "/usr/lib64/pumice";

/// The package's file.
pub fn file_name() -> String {
    format!("{NAME}-{VERSION}-1.{}.rpm", std::env::consts::ARCH)
}

/// Makes the package in a folder; `moment` is the time of everything in it.
pub fn make(built: &Built, profile: Profile, moment: &str, folder: &Path) -> Result<PathBuf> {
    packages::ensure(packages::RPM)?;
    let staging = folder.join("rpm");
    fresh(&staging)?;
    // rpmbuild empties its own root before it starts, so it copies from this one.
    let root = staging.join("files");
    let listed = stage(built, &root)?;
    let spec = staging.join("pumice.spec");
    write(&spec, text(&root, &listed, profile))?;
    let mut build = Command::new("rpmbuild");
    build
        .arg("-bb")
        .arg("--quiet")
        .args(["--target", std::env::consts::ARCH])
        .arg("--define")
        .arg(format!("_topdir {}", staging.join("top").display()))
        .arg("--define")
        .arg(format!("_rpmdir {}", staging.display()))
        .arg("--define")
        .arg(format!("_rpmfilename {}", file_name()))
        .arg(&spec)
        .env("SOURCE_DATE_EPOCH", moment);
    sh::output(&mut build)?;
    let package = folder.join(file_name());
    std::fs::rename(staging.join(file_name()), &package)
        .map_err(|error| format!("{}: {error}", package.display()))?;
    Ok(package)
}

/// Copies the files below a root; gives their places in the order of the list.
fn stage(built: &Built, root: &Path) -> Result<Vec<String>> {
    let mut listed = Vec::new();
    for file in layout::files(built)? {
        let place = match file.place == Path::new(layout::LIBRARY) {
            true => format!("{LIBRARIES}/libpumice.so"),
            false => format!("/usr/{}", file.place.display()),
        };
        let target = root.join(&place[1..]);
        copy(&file.source, &target, file.mode)?;
        match place.contains("/man/") {
            true => {
                compress(&target)?;
                listed.push(format!("{place}.gz"));
            }
            false => listed.push(place),
        }
    }
    let documents = Path::new("usr/share/doc").join(NAME);
    for document in ["LICENSE-APACHE", "LICENSE-MIT", "CHANGELOG.md"] {
        let target = documents.join(document);
        copy(&sh::root().join(document), &root.join(&target), 0o644)?;
        listed.push(format!("%doc /{}", target.display()));
    }
    let others = documents.join("THIRD-PARTY");
    write(&root.join(&others), licences::third_party()?)?;
    listed.push(format!("%doc /{}", others.display()));
    let icd = "etc/OpenCL/vendors/pumice.icd";
    write(&root.join(icd), format!("{LIBRARIES}/libpumice.so\n"))?;
    listed.push(format!("%config(noreplace) /{icd}"));
    Ok(listed)
}

/// The spec file. Nothing of this machine or moment gets into the package.
fn text(root: &Path, listed: &[String], profile: Profile) -> String {
    let payload = match profile {
        Profile::Release => "w19.zstdio",
        Profile::Debug => "w0.gzdio",
    };
    format!(
        "%global debug_package %{{nil}}\n\
         %global __os_install_post %{{nil}}\n\
         %global _build_id_links none\n\
         %global _buildhost localhost\n\
         %global _binary_payload {payload}\n\
         %global use_source_date_epoch_as_buildtime 1\n\
         %global clamp_mtime_to_source_date_epoch 1\n\
         Name: {NAME}\n\
         Version: {VERSION}\n\
         Release: 1\n\
         Summary: OpenCL driver that runs on top of Vulkan\n\
         License: Apache-2.0 OR MIT\n\
         AutoProv: no\n\
         Requires: libvulkan.so.1()(64bit)\n\
         Requires: libOpenCL.so.1()(64bit)\n\
         Recommends: mesa-vulkan-drivers\n\
         Provides: opencl-driver\n\
         %description\n\
         Pumice makes OpenCL programs run on devices that have a Vulkan driver but no\n\
         OpenCL driver, and on the processor by Mesa's lavapipe. It has its own compiler\n\
         of OpenCL C.\n\
         \n\
         The package has the driver, the compiler as a command (pumicec),\n\
         pumice-info, which tells what the driver finds and what is in its way, and\n\
         pumice-trace, which shows what it ran.\n\
         %install\n\
         mkdir -p %{{buildroot}}\n\
         cp -a '{}/.' %{{buildroot}}\n\
         %files\n\
         %defattr(-,root,root)\n\
         %dir {LIBRARIES}\n\
         %dir /usr/libexec/pumice\n\
         %dir /usr/share/cmake/Pumice\n\
         %dir /usr/share/doc/{NAME}\n\
         {}\n",
        root.display(),
        listed.join("\n")
    )
}

/// Checks a package by rpm itself: its digests, that it has every file and asks for the loaders, and that
/// installing it into an empty root and removing it leaves nothing.
pub fn check(package: &Path) -> Result {
    packages::ensure(packages::RPM)?;
    let rpm = |words: &[&str]| sh::output(Command::new("rpm").args(words).arg(package));
    rpm(&["-K", "--nosignature"])?;
    let files = rpm(&["-qlp"])?;
    let places = layout::places().map(|place| format!("/usr/{}", place.display()));
    let library = format!("{LIBRARIES}/libpumice.so");
    for place in places.chain([library, "/etc/OpenCL/vendors/pumice.icd".to_string()]) {
        // Manual pages are compressed.
        let has = |line: &str| line == place || line == format!("{place}.gz");
        if !files.lines().any(has) {
            return Err(format!("{}: no {place}", package.display()));
        }
    }
    let needs = rpm(&["-qp", "--requires"])?;
    for soname in [
        "libvulkan.so.1()(64bit)",
        "libOpenCL.so.1()(64bit)",
        "libc.so.6(GLIBC_2",
    ] {
        if !needs.contains(soname) {
            return Err(format!("{}: does not require {soname}", package.display()));
        }
    }
    let tell = "%{BUILDHOST} %{VENDOR} %{PACKAGER}";
    let maker = rpm(&["-qp", "--queryformat", tell])?;
    match maker.as_str() {
        "localhost (none) (none)" => try_root(package),
        other => Err(format!("{}: names {other}", package.display())),
    }
}

/// Installs the package into a root without anything else, where only root may, and removes it.
fn try_root(package: &Path) -> Result {
    if !packages::is_root()? {
        println!("  installing the RPM is left out: it needs root");
        return Ok(());
    }
    let root = package.with_extension("root");
    fresh(&root)?;
    let rpm = |words: &[&str]| {
        let mut command = Command::new("rpm");
        command.arg("--root").arg(&root).args(words);
        command
    };
    // Debian's rpm knows no package of the system: nothing is there that the package could need.
    sh::output(rpm(&["-i", "--nodeps", "--ignorearch"]).arg(package))?;
    for place in [
        &format!("{LIBRARIES}/libpumice.so"),
        "/usr/bin/pumicec",
        "/usr/bin/pumice-trace",
    ] {
        if !root.join(&place[1..]).is_file() {
            return Err(format!("{}: {place} was not installed", package.display()));
        }
    }
    sh::output(&mut rpm(&["-e", "--nodeps", NAME]))?;
    let words = [".", "-iname", "*pumice*", "-not", "-path", "./var/*"];
    let left = sh::output(Command::new("find").args(words).current_dir(&root))?;
    match left.trim() {
        "" => {
            std::fs::remove_dir_all(&root).map_err(|error| format!("{}: {error}", root.display()))
        }
        left => Err(format!("{}: removal left\n{left}", package.display())),
    }
}
