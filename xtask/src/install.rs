//! Builds the release library and registers it with the ICD loaders.
//!
//! The installed `.icd` file is derived from `OpenCL.icd.json`: one line with the library's
//! path. No loader has a per-user folder, so for one user we make a vendors folder that holds
//! our file and links to the system's, and print the one environment line that selects it.

use crate::sh::{self, Result};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Default folder of the loaders.
const SYSTEM_VENDORS: &str = "/etc/OpenCL/vendors";

/// Paths of a registration's files.
struct InstallPaths {
    library: PathBuf,
    vendors: PathBuf,
    user: bool,
}

/// The library's file name from the manifest.
pub fn library_name() -> Result<String> {
    let text = sh::read(&sh::root().join("OpenCL.icd.json"))?;
    let manifest: serde_json::Value =
        serde_json::from_str(&text).map_err(|error| format!("OpenCL.icd.json: {error}"))?;
    manifest["ICD"]["library_path"]
        .as_str()
        .map(String::from)
        .ok_or_else(|| "OpenCL.icd.json: ICD.library_path is missing".to_string())
}

/// Builds the release library and returns its path.
pub fn build_release() -> Result<PathBuf> {
    sh::run(
        Command::new(env!("CARGO"))
            .args(["build", "--release", "--package", "pumice-icd"])
            .current_dir(sh::root()),
    )?;
    Ok(sh::target().join("release").join(library_name()?))
}

fn data_home() -> Result<PathBuf> {
    match std::env::var_os("XDG_DATA_HOME").filter(|value| !value.is_empty()) {
        Some(dir) => Ok(PathBuf::from(dir)),
        None => std::env::var_os("HOME")
            .map(|home| PathBuf::from(home).join(".local/share"))
            .ok_or_else(|| "neither XDG_DATA_HOME nor HOME is set".to_string()),
    }
}

fn install_paths(args: &[String]) -> Result<InstallPaths> {
    let mut prefix = None;
    let mut user = false;
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        match arg.as_str() {
            "--user" => user = true,
            "--prefix" => {
                prefix = Some(PathBuf::from(rest.next().ok_or("--prefix takes a folder")?))
            }
            other => return Err(format!("install: unknown argument {other:?}")),
        }
    }
    let name = library_name()?;
    Ok(match (prefix, user) {
        (Some(prefix), false) => InstallPaths {
            library: prefix.join("lib").join(name),
            // The loaders know only one folder; a prefix other than /usr or /usr/local keeps
            // its own, for packaging and for OCL_ICD_VENDORS.
            vendors: if prefix == Path::new("/usr") || prefix == Path::new("/usr/local") {
                PathBuf::from(SYSTEM_VENDORS)
            } else {
                prefix.join("etc/OpenCL/vendors")
            },
            user: false,
        },
        (prefix, true) => {
            let home = match prefix {
                Some(prefix) => prefix,
                None => data_home()?.join("pumice"),
            };
            InstallPaths {
                library: home.join(name),
                vendors: home.join("vendors"),
                user: true,
            }
        }
        (None, false) => InstallPaths {
            library: PathBuf::from("/usr/local/lib").join(name),
            vendors: PathBuf::from(SYSTEM_VENDORS),
            user: false,
        },
    })
}

/// `cargo xtask install`.
pub fn install(args: &[String]) -> Result {
    let paths = install_paths(args)?;
    let built = build_release()?;
    let vendors = register(&built, &paths)?;
    println!("installed {}", paths.library.display());
    if vendors == Path::new(SYSTEM_VENDORS) {
        println!("registered in {SYSTEM_VENDORS}: every OpenCL program finds it");
    } else {
        println!("to use it:\n  {}", environment_line(&vendors));
    }
    Ok(())
}

/// Installs for this user alone and returns the vendors folder.
pub fn install_for_user(built: &Path) -> Result<PathBuf> {
    register(built, &install_paths(&["--user".to_string()])?)
}

/// The line that makes a loader look into a vendors folder.
pub fn environment_line(vendors: &Path) -> String {
    format!("export OCL_ICD_VENDORS={}", vendors.display())
}

fn register(built: &Path, paths: &InstallPaths) -> Result<PathBuf> {
    let text = |error: std::io::Error, path: &Path| format!("{}: {error}", path.display());
    let dir = paths.library.parent().expect("a library lies in a folder");
    std::fs::create_dir_all(dir).map_err(|error| text(error, dir))?;
    // Copy beside and rename: a process that has the old library mapped keeps it whole.
    let fresh = paths.library.with_extension("so.new");
    std::fs::copy(built, &fresh).map_err(|error| text(error, &fresh))?;
    std::fs::rename(&fresh, &paths.library).map_err(|error| text(error, &paths.library))?;
    sh::write(
        &paths.vendors.join("pumice.icd"),
        format!("{}\n", paths.library.display()),
    )?;
    if paths.user {
        link_system_drivers(&paths.vendors)?;
    }
    Ok(paths.vendors.clone())
}

/// Links the system's other drivers into a user's vendors folder, dropping stale links.
fn link_system_drivers(vendors: &Path) -> Result {
    for old in sh::files_with(vendors, &["icd"])? {
        if old.is_symlink() {
            std::fs::remove_file(&old).map_err(|error| format!("{}: {error}", old.display()))?;
        }
    }
    for icd in sh::files_with(Path::new(SYSTEM_VENDORS), &["icd"]).unwrap_or_default() {
        let name = icd.file_name().expect("listed files have names");
        if name == "pumice.icd" {
            continue;
        }
        let link = vendors.join(name);
        std::os::unix::fs::symlink(&icd, &link)
            .map_err(|error| format!("{}: {error}", link.display()))?;
    }
    Ok(())
}

/// `cargo xtask uninstall`.
pub fn uninstall(args: &[String]) -> Result {
    let paths = install_paths(args)?;
    let mut removed = false;
    let mut remove = |path: &Path| -> Result {
        match std::fs::remove_file(path) {
            Ok(()) => {
                println!("removed {}", path.display());
                removed = true;
                Ok(())
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(format!("{}: {error}", path.display())),
        }
    };
    remove(&paths.vendors.join("pumice.icd"))?;
    remove(&paths.library)?;
    if paths.user && paths.vendors.is_dir() {
        for link in sh::files_with(&paths.vendors, &["icd"])? {
            if link.is_symlink() {
                remove(&link)?;
            }
        }
        // Only empty folders go; anything that a user put there stays.
        let _ = std::fs::remove_dir(&paths.vendors);
        let _ = std::fs::remove_dir(paths.library.parent().expect("a library lies in a folder"));
    }
    if !removed {
        println!("nothing was installed there");
    }
    Ok(())
}
