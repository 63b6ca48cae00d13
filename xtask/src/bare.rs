//! `cargo xtask bare`: the README's two commands on a minimal Debian 12, from a clean clone.
//!
//! Debootstrap (unpacked under `target/`) makes the system anew in `target/bare/root`; it gets gcc
//! and CA certificates and nothing else. Rust is the host's toolchain, mounted read-only, and Cargo's
//! registry starts as a copy of the host's: rustup itself is not tested.
//! Mounts live in a namespace of their own and end with the command. Needs root. Only what is
//! committed is tested.

use crate::sh::{self, Result};
use crate::{packages, private_apt};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The release that the README promises.
const SUITE: &str = "bookworm";

/// The clone's folder as the system sees it.
const CLONE: &str = "/pumice";

/// The certificate authorities that programs trust, in one file.
const CERTIFICATES: &str = "/etc/ssl/certs/ca-certificates.crt";

/// The toolchain's folder as the system sees it.
const RUST: &str = "/opt/rust";

/// Mounts what every system has, and Rust where it is given, then runs the arguments behind the first two
/// in it.
const ENTER: &str = "\
set -eu
root=$1; rust=$2; shift 2
mount -t proc proc \"$root/proc\"
mount --rbind /dev \"$root/dev\"
mount --rbind /sys \"$root/sys\"
if [ -n \"$rust\" ]; then
    mount --bind \"$rust\" \"$root/opt/rust\"
    mount -o remount,bind,ro \"$root/opt/rust\"
fi
exec chroot \"$root\" \"$@\"
";

/// Runs both commands, or the xtask command given instead of them (`bare test fmt`).
pub fn run(args: &[String]) -> Result {
    if !packages::is_root()? {
        return Err("bare makes and enters a system of its own: run it as root".to_string());
    }
    let system = System::with_clone()?;
    let given: Vec<&str> = args.iter().map(String::as_str).collect();
    let commands = match given.is_empty() {
        true => vec![vec!["demo"], vec!["test"]],
        false => vec![given],
    };
    for command in commands {
        println!("\n=== bare: cargo xtask {}", command.join(" "));
        let script = format!("cd {CLONE} && exec cargo xtask \"$@\"");
        sh::run(system.enter(&["sh", "-c", &script, "sh"]).args(command))?;
    }
    Ok(())
}

/// A minimal system in a folder.
pub struct System {
    /// The folder.
    pub root: PathBuf,
    /// The host's Rust toolchain, where the system sees one.
    rust: Option<PathBuf>,
}

impl System {
    /// Makes a system of a Debian suite anew, with CA certificates beside what every system has.
    pub fn make(suite: &str, name: &str) -> Result<System> {
        let root = sh::target().join("bare").join(name);
        if root.exists() {
            // Nothing is mounted here: mounts end with their namespace.
            sh::run(
                Command::new("rm")
                    .args(["-rf", "--one-file-system"])
                    .arg(&root),
            )?;
        }
        create(&root)?;
        println!("making a minimal {suite} in {}", root.display());
        let tool = private_apt::unpack(SUITE, &["debootstrap"])?;
        let mut make = Command::new(tool.join("usr/sbin/debootstrap"));
        make.env("DEBOOTSTRAP_DIR", tool.join("usr/share/debootstrap"))
            .args(["--variant=minbase", suite])
            .arg(&root)
            .arg(private_apt::mirror());
        sh::output(&mut make)?;
        let system = System { root, rust: None };
        system.copy_network_settings()?;
        system.install(&["ca-certificates"])?;
        // A network may have a certificate authority of its own.
        system.copy(Path::new(CERTIFICATES), "etc/ssl/certs")?;
        Ok(system)
    }

    /// Makes the system anew with gcc, Rust and the clone in it.
    fn with_clone() -> Result<System> {
        let mut system = System::make(SUITE, "root")?;
        create(&system.root.join(&RUST[1..]))?;
        let sysroot = sh::output(Command::new("rustc").args(["--print", "sysroot"]))?;
        system.rust = Some(PathBuf::from(sysroot.trim()));
        system.copy_cargo_settings()?;
        system.install(&["gcc", "libc6-dev"])?;
        let mut clone = Command::new("git");
        clone.args(["clone", "--quiet", "--no-hardlinks"]);
        sh::output(clone.arg(sh::root()).arg(system.root.join(&CLONE[1..])))?;
        Ok(system)
    }

    /// Installs Debian packages, without those that they recommend.
    pub fn install(&self, packages: &[&str]) -> Result {
        let script = "apt-get -qq update && DEBIAN_FRONTEND=noninteractive \
                      apt-get -qq install -y --no-install-recommends \"$@\"";
        let words = [&["sh", "-c", script, "sh"], packages].concat();
        sh::output(&mut self.enter(&words)).map(drop)
    }

    /// Copies what belongs to the network rather than to the system: name servers, and no end of suites.
    fn copy_network_settings(&self) -> Result {
        // A mirror may be a snapshot from before its suite's date ran out.
        let apt = self.root.join("etc/apt/apt.conf.d/99valid-until");
        sh::write(&apt, "Acquire::Check-Valid-Until \"false\";\n")?;
        self.copy(Path::new("/etc/resolv.conf"), "etc")
    }

    /// Copies Cargo's settings and registry.
    fn copy_cargo_settings(&self) -> Result {
        let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
        let user = || Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo"));
        let Some(home) = home.or_else(user) else {
            return Ok(());
        };
        create(&self.root.join("root/.cargo"))?;
        for name in ["config.toml", "registry"] {
            self.copy(&home.join(name), "root/.cargo")?;
        }
        Ok(())
    }

    /// Copies a file or folder of the host, where there is one, into a folder of the system.
    pub fn copy(&self, from: &Path, folder: &str) -> Result {
        if !from.exists() {
            return Ok(());
        }
        let to = self.root.join(folder);
        sh::run(Command::new("cp").args(["-rL"]).arg(from).arg(to))
    }

    /// A command that runs in the system, with the network's variables of the environment alone.
    pub fn enter(&self, command: &[&str]) -> Command {
        let mut enter = Command::new("unshare");
        enter
            .args(["--mount", "--", "sh", "-c", ENTER, "sh"])
            .arg(&self.root)
            .arg(self.rust.as_deref().unwrap_or(Path::new("")))
            .args(command)
            .env_clear()
            .env("HOME", "/root")
            .env(
                "PATH",
                format!("{RUST}/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"),
            );
        for name in ["http_proxy", "https_proxy", "no_proxy"] {
            if let Some(value) = std::env::var_os(name) {
                enter.env(name, value);
            }
        }
        enter
    }
}

fn create(folder: &Path) -> Result {
    sh::make_folder(folder)
}
