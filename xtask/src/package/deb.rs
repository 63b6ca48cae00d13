//! The Debian package.

use super::{NAME, VERSION, compress, copy, fresh, licences, write};
use crate::layout;
use crate::release::{Built, Profile};
use crate::sh::{self, Result};
use std::path::{Path, PathBuf};
use std::process::Command;

fn architecture() -> Result<String> {
    let print = sh::output(Command::new("dpkg").arg("--print-architecture"))?;
    Ok(print.trim().to_string())
}

/// The package's file.
pub fn file_name() -> Result<String> {
    Ok(format!("{NAME}_{VERSION}_{}.deb", architecture()?))
}

/// Makes the package in a folder; `moment` is the time of everything in it.
pub fn make(built: &Built, profile: Profile, moment: &str, folder: &Path) -> Result<PathBuf> {
    let architecture = &architecture()?;
    let triplet = sh::output(Command::new("gcc").arg("-print-multiarch"))?;
    let root = folder.join("deb");
    fresh(&root)?;
    // Programs do not link with it, and its name has no version: a folder of its own.
    let library = Path::new("usr/lib")
        .join(triplet.trim())
        .join("pumice/libpumice.so");
    for file in layout::files(built)? {
        let place = match file.place == Path::new(layout::LIBRARY) {
            true => library.clone(),
            false => Path::new("usr").join(&file.place),
        };
        // Debian's zsh reads packages' completions from a folder of their own.
        let place = place.display().to_string();
        let place = place.replace("zsh/site-functions", "zsh/vendor-completions");
        let target = root.join(&place);
        copy(&file.source, &target, file.mode)?;
        if place.contains("/man/") {
            compress(&target)?;
        }
    }
    write(
        &root.join("etc/OpenCL/vendors/pumice.icd"),
        format!("/{}\n", library.display()),
    )?;
    documents(&root, moment)?;
    control(&root, built, architecture)?;
    sh::output(Command::new("chmod").args(["-R", "u=rwX,go=rX"]).arg(&root))?;
    let package = folder.join(file_name()?);
    let mut dpkg = Command::new("dpkg-deb");
    let compression = match profile {
        Profile::Release => "-Zxz",
        Profile::Debug => "-Znone",
    };
    dpkg.args(["--root-owner-group", compression, "--build"])
        .args([&root, &package])
        .env("SOURCE_DATE_EPOCH", moment);
    sh::output(&mut dpkg)?;
    Ok(package)
}

/// Name and address of the packager: those of Debian's tools, else the commit's.
fn maintainer() -> Result<String> {
    if let (Ok(name), Ok(address)) = (std::env::var("DEBFULLNAME"), std::env::var("DEBEMAIL")) {
        return Ok(format!("{name} <{address}>"));
    }
    let mut git = Command::new("git");
    let author = git
        .args(["log", "-1", "--format=%an <%ae>"])
        .current_dir(sh::root());
    Ok(sh::output(author)?.trim().to_string())
}

/// README.Debian.
const README: &str = "\
Pumice on Debian
================

Pumice needs a Vulkan driver. `pumice-info` says whether there is one, what is
in the way and what would help.

Debian 12 (bookworm): its own mesa-vulkan-drivers, 22.3, ends the loops of a
work-item after 65,535 rounds, which gives wrong results. Pumice leaves that
device out. The one of Debian's backports is right:

  echo 'deb http://deb.debian.org/debian bookworm-backports main' |
    sudo tee /etc/apt/sources.list.d/backports.list
  sudo apt update
  sudo apt install -t bookworm-backports mesa-vulkan-drivers

PUMICE_FAULTY_DRIVERS=on uses the old one all the same.
";

/// `usr/share/doc`, and the reasons for what lintian would not have.
fn documents(root: &Path, moment: &str) -> Result {
    let folder = root.join("usr/share/doc").join(NAME);
    write(&folder.join("copyright"), licences::copyright()?)?;
    write(&folder.join("README.Debian"), README)?;
    write(&folder.join("THIRD-PARTY"), licences::third_party()?)?;
    compress(&folder.join("THIRD-PARTY"))?;
    let mut date = Command::new("date");
    let date = sh::output(
        date.args(["-R", "-u", "-d", &format!("@{moment}")])
            .env("LC_ALL", "C"),
    )?;
    let changelog = format!(
        "{NAME} ({VERSION}) unstable; urgency=medium\n\n  * See NEWS.gz for what is new.\n\n -- {}  {}\n",
        maintainer()?,
        date.trim()
    );
    write(&folder.join("changelog"), changelog)?;
    compress(&folder.join("changelog"))?;
    write(
        &folder.join("NEWS"),
        sh::read(&sh::root().join("CHANGELOG.md"))?,
    )?;
    compress(&folder.join("NEWS"))?;
    let reasons = format!(
        "# It is to start where the C library is too old for the driver, and say so.\n\
         {NAME}: shared-library-lacks-prerequisites [usr/bin/pumice-info]\n"
    );
    write(
        &root.join("usr/share/lintian/overrides").join(NAME),
        reasons,
    )
}

/// The folder `DEBIAN`.
fn control(root: &Path, built: &Built, architecture: &str) -> Result {
    let size = sh::output(
        Command::new("du")
            .args(["-sk", "--apparent-size"])
            .arg(root),
    )?;
    let size = size.split_whitespace().next().unwrap_or("0").to_string();
    let text = format!(
        "Package: {NAME}\n\
         Version: {VERSION}\n\
         Architecture: {architecture}\n\
         Maintainer: {}\n\
         Installed-Size: {size}\n\
         Depends: libc6 (>= {}), libgcc-s1, libvulkan1, ocl-icd-libopencl1 | libopencl1\n\
         Recommends: mesa-vulkan-drivers | vulkan-icd\n\
         Suggests: clinfo, vulkan-tools\n\
         Provides: opencl-icd\n\
         Section: libs\n\
         Priority: optional\n\
         Description: OpenCL driver that runs on top of Vulkan\n\
         \x20Pumice makes OpenCL programs run on devices that have a Vulkan driver\n\
         \x20but no OpenCL driver, and on the processor by Mesa's lavapipe. It has\n\
         \x20its own compiler of OpenCL C.\n\
         \x20.\n\
         \x20The package has the driver, the compiler as a command (pumicec),\n\
         \x20pumice-info, which tells what the driver finds and what is in its way, and\n\
         \x20pumice-trace, which shows what it ran.\n",
        maintainer()?,
        needed_glibc(built)?
    );
    let debian = root.join("DEBIAN");
    write(&debian.join("control"), text)?;
    write(
        &debian.join("conffiles"),
        "/etc/OpenCL/vendors/pumice.icd\n",
    )?;
    let script = "find usr -type f | LC_ALL=C sort | xargs md5sum";
    let sums = sh::output(Command::new("sh").args(["-c", script]).current_dir(root))?;
    write(&debian.join("md5sums"), sums)
}

/// The newest version of glibc that a program or library of ours needs, for example `2.34`.
fn needed_glibc(built: &Built) -> Result<String> {
    let mut newest = (2, 0);
    for path in [&built.library, &built.pumicec, &built.probe, &built.trace] {
        let text = sh::output(Command::new("readelf").args(["-V", "-W"]).arg(path))?;
        for word in text.split_whitespace() {
            let version = word
                .strip_prefix("GLIBC_")
                .and_then(|text| text.split_once('.'));
            if let Some((major, minor)) = version {
                let minor = minor.split('.').next().unwrap_or_default();
                if let (Ok(major), Ok(minor)) = (major.parse(), minor.parse()) {
                    newest = newest.max((major, minor));
                }
            }
        }
    }
    Ok(format!("{}.{}", newest.0, newest.1))
}
