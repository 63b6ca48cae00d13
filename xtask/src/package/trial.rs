//! Tries the Debian package in a bare Debian: installed by apt, used, removed.

use crate::bare::System;
use crate::sh::{self, Result};
use crate::{clients, packages, private_apt};
use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// The package as the system sees it.
const PACKAGE: &str = "/pumice.deb";

/// Installs, uses and removes the package in a new system of a suite.
pub fn run(suite: &str, deb: &Path) -> Result {
    if !packages::is_root()? {
        return Err("package try makes and enters a system of its own: run it as root".to_string());
    }
    packages::ensure(packages::LOADER)?;
    packages::ensure(packages::CLIENTS)?;
    let system = System::make(suite, &format!("package-{suite}"))?;
    sh::output(
        Command::new("cp")
            .arg(deb)
            .arg(system.root.join(&PACKAGE[1..])),
    )?;
    let program = system.root.join("hello");
    clients::compile(
        &sh::root().join("demos/hello.c"),
        &program,
        &["-lOpenCL".to_string()],
    )?;

    let start = Instant::now();
    system.install(&[PACKAGE])?;
    println!(
        "  {suite}: installed in {:.0} s",
        start.elapsed().as_secs_f64()
    );
    // Without a Vulkan driver the reason and the cure are one line.
    let page = fails(&system, &["pumice-info"])?;
    contains(
        &page,
        "no Vulkan driver is installed, or none has a device; install mesa-vulkan-drivers",
    )?;
    system.install(&["mesa-vulkan-drivers", "clinfo"])?;
    if suite == "bookworm" {
        take_backports(&system)?;
    }
    contains(
        &runs(&system, &["pumice-info"])?,
        "OpenCL programs find one device of Pumice here.",
    )?;
    contains(&runs(&system, &["clinfo", "-l"])?, "Platform #0: Pumice")?;
    let source =
        "printf 'kernel void k(global int *p) { *p = 1; }' | pumicec -o /k.spv - && rm /k.spv";
    runs(&system, &["sh", "-c", source])?;
    contains(&runs(&system, &["/hello", "Pumice"])?, "RESULT|")?;
    println!("  {suite}: pumice-info, clinfo, pumicec and a program run");
    beside_others(&system, suite)?;
    lintian(&system)?;
    println!("  {suite}: lintian is content");

    let purge = "DEBIAN_FRONTEND=noninteractive apt-get -qq purge -y pumice";
    runs(&system, &["sh", "-c", purge])?;
    let find = "find / -xdev -iname '*pumice*' -not -path '/pumice.deb' -not -path '/root/.cache/*' \
                -not -path '/var/log/*' -not -path '/proc/*'";
    match runs(&system, &["sh", "-c", find])?.trim() {
        "" => println!("  {suite}: nothing is left behind"),
        left => return Err(format!("{suite}: removal left\n{left}")),
    }
    sh::output(
        Command::new("rm")
            .args(["-rf", "--one-file-system"])
            .arg(&system.root),
    )
    .map(drop)
}

/// Debian 12's own lavapipe is left out; what the message says brings one that is not.
fn take_backports(system: &System) -> Result {
    let cure = "apt install -t bookworm-backports mesa-vulkan-drivers";
    contains(
        &fails(system, &["pumice-info"])?,
        &format!("(Debian 12: {cure})"),
    )?;
    let source = format!("deb {} bookworm-backports main\n", private_apt::mirror());
    sh::write(
        &system.root.join("etc/apt/sources.list.d/backports.list"),
        source,
    )?;
    runs(system, &["apt-get", "-qq", "update"])?;
    let script = format!("DEBIAN_FRONTEND=noninteractive {cure} -qq -y");
    runs(system, &["sh", "-c", &script]).map(drop)
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
    let words = [
        "lintian",
        "--allow-root",
        "--fail-on",
        "error,warning",
        PACKAGE,
    ];
    runs(system, &words).map(drop)
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
