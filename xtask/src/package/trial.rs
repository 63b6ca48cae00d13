//! Tries the packages in a bare Debian: installed as the guide says, used, removed.

use super::{DEBIAN_SCRIPT, deb, folder, tarball};
use crate::bare::System;
use crate::release::Profile;
use crate::sh::{self, Result};
use crate::{clients, guide, packages, private_apt};
use std::process::Command;
use std::time::Instant;

/// The folder of the packages as the system sees it.
const PACKAGES: &str = "/packages";

/// Begins every script of the guide: root has no need of sudo, and a system without a GPU no group for it.
const PRELUDE: &str = "\
set -e
sudo() { \"$@\"; }
export USER=root DEBIAN_FRONTEND=noninteractive
getent group render >/dev/null || groupadd --system render
cd /packages
";

/// Installs, uses and removes the packages that are there in a new system of a suite.
pub fn run(suite: &str) -> Result {
    if !packages::is_root()? {
        return Err("package try makes and enters a system of its own: run it as root".to_string());
    }
    packages::ensure(packages::LOADER)?;
    packages::ensure(packages::CLIENTS)?;
    let system = System::make(suite, &format!("package-{suite}"))?;
    bring_packages(&system)?;
    two_commands(&system, suite)?;
    without_driver(&system, suite)?;
    system.install(&["clinfo"])?;
    guide_boxes(&system, suite)?;
    guide_boxes(&system, "debian")?;
    println!("  {suite}: the guide's commands run");
    contains(&runs(&system, &["clinfo", "-l"])?, "Platform #0: Pumice")?;
    let source =
        "printf 'kernel void k(global int *p) { *p = 1; }' | pumicec -o /k.spv - && rm /k.spv";
    runs(&system, &["sh", "-c", source])?;
    println!("  {suite}: pumice-info, clinfo and pumicec run");
    beside_others(&system, suite)?;
    lintian(&system)?;
    println!("  {suite}: lintian is content");
    remove(&system)?;
    nothing_is_left(&system, "the package")?;
    // xz is no part of a minimal system.
    system.install(&["xz-utils"])?;
    guide_boxes(&system, "tarball")?;
    nothing_is_left(&system, "the tarball")?;
    println!("  {suite}: nothing is left behind by package and tarball");
    sh::output(
        Command::new("rm")
            .args(["-rf", "--one-file-system"])
            .arg(&system.root),
    )
    .map(drop)
}

/// Copies packages and the client into the system, and lets apt install without a question.
fn bring_packages(system: &System) -> Result {
    let to = system.root.join(&PACKAGES[1..]);
    sh::make_folder(&to)?;
    let names = [
        deb::file_name()?,
        tarball::file_name(Profile::Release),
        DEBIAN_SCRIPT.to_string(),
    ];
    for name in names {
        let from = folder().join(&name);
        if !from.exists() {
            return Err(format!(
                "{} is not there: make it with cargo xtask package",
                from.display()
            ));
        }
        sh::output(Command::new("cp").arg(&from).arg(&to))?;
    }
    sh::write(
        &system.root.join("etc/apt/apt.conf.d/98yes"),
        "APT::Get::Assume-Yes \"true\";\n",
    )?;
    clients::compile(
        &sh::root().join("demos/hello.c"),
        &system.root.join("hello"),
        &["-lOpenCL".to_string()],
    )
}

/// From nothing to a running program.
fn two_commands(system: &System, suite: &str) -> Result {
    let start = Instant::now();
    let said = script(system, &format!("sudo sh ./{DEBIAN_SCRIPT}"))?;
    let installed = start.elapsed().as_secs_f64();
    contains(&said, "OpenCL programs find one device of Pumice here.")?;
    contains(&runs(system, &["/hello", "Pumice"])?, "RESULT|")?;
    println!(
        "  {suite}: from nothing to a running program: installed in {installed:.0} s, the program's first run {:.1} s",
        start.elapsed().as_secs_f64() - installed
    );
    Ok(())
}

/// Without a Vulkan driver that is right, the reason and the cure are one line.
fn without_driver(system: &System, suite: &str) -> Result {
    script(system, "apt-get -qq purge mesa-vulkan-drivers")?;
    contains(
        &fails(system, &["pumice-info"])?,
        "no Vulkan driver is installed, or none has a device; install mesa-vulkan-drivers",
    )?;
    if suite == "bookworm" {
        // Its own lavapipe is left out; what the message says brings one that is not.
        script(system, "apt-get -qq install mesa-vulkan-drivers/bookworm")?;
        let cure = "apt install -t bookworm-backports mesa-vulkan-drivers";
        contains(
            &fails(system, &["pumice-info"])?,
            &format!("(Debian 12: {cure})"),
        )?;
        script(system, cure)?;
    } else {
        script(system, "apt-get -qq install mesa-vulkan-drivers")?;
    }
    contains(
        &runs(system, &["pumice-info"])?,
        "OpenCL programs find one device of Pumice here.",
    )
}

/// Runs the guide's boxes for a place.
fn guide_boxes(system: &System, place: &str) -> Result {
    let mirror = private_apt::mirror();
    for text in guide::boxes_of(place)? {
        let text = text.replace("http://deb.debian.org/debian", &mirror);
        script(system, &text).map_err(|why| format!("{text}\n{why}"))?;
    }
    Ok(())
}

/// PoCL and rusticl are there too, and clinfo lists all.
fn beside_others(system: &System, suite: &str) -> Result {
    system.install(&["pocl-opencl-icd", "mesa-opencl-icd"])?;
    let list = runs(system, &["clinfo", "-l"])?;
    for platform in ["Pumice", "Portable Computing Language", "rusticl"] {
        contains(&list, platform)?;
    }
    println!("  {suite}: clinfo lists it beside PoCL and rusticl");
    Ok(())
}

fn lintian(system: &System) -> Result {
    system.install(&["lintian"])?;
    let deb = format!("{PACKAGES}/{}", deb::file_name()?);
    let words = [
        "lintian",
        "--allow-root",
        "--fail-on",
        "error,warning",
        &deb,
    ];
    runs(system, &words).map(drop)
}

fn remove(system: &System) -> Result {
    script(system, "apt-get -qq purge pumice").map(drop)
}

/// No file of ours is in the system, but for caches and what was brought.
fn nothing_is_left(system: &System, by: &str) -> Result {
    let find = "find / -xdev -iname '*pumice*' -not -path '/packages/*' -not -path '/root/.cache/*' \
                -not -path '/var/log/*' -not -path '/proc/*'";
    match runs(system, &["sh", "-c", find])?.trim() {
        "" => Ok(()),
        left => Err(format!("removal of {by} left\n{left}")),
    }
}

/// Runs a script of the guide's kind; gives its standard output.
fn script(system: &System, text: &str) -> Result<String> {
    runs(system, &["sh", "-c", &format!("{PRELUDE}{text}")])
}

/// Runs a command in the system; gives its standard output.
fn runs(system: &System, words: &[&str]) -> Result<String> {
    sh::output(&mut system.enter(words))
}

/// The same for a command that must fail.
fn fails(system: &System, words: &[&str]) -> Result<String> {
    match runs(system, words) {
        Ok(text) => Err(format!("{} succeeds:\n{text}", words.join(" "))),
        Err(text) => Ok(text),
    }
}

fn contains(text: &str, part: &str) -> Result {
    match text.contains(part) {
        true => Ok(()),
        false => Err(format!("no {part:?} in\n{text}")),
    }
}
