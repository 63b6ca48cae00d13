//! `cargo xtask kit`: one file with which Pumice is tested on a machine that has a GPU and its Vulkan driver, but no
//! Rust and no Debian.
//!
//! Takes the release build, the clients, the kernel files and, if `CTS_BUILD` names one, a built OpenCL-CTS; gives a
//! tarball with these, the list of jobs (`kit.json`) that `pumice-cts kit` runs, and the script that starts it.

mod jobs;

use crate::clients;
use crate::package::{copy, fresh, write};
use crate::release::{self, Profile};
use crate::sh::{self, Result};
use jobs::{FILES, ON_REQUEST, Suite};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;

const USAGE: &str = "\
cargo xtask kit [--debug] [FILE]

Writes a test kit for machines with a GPU to FILE, target/kit/pumice-kit.tar.xz unless given. If the variable
CTS_BUILD names a built OpenCL-CTS (its folder test_conformance), the kit has its suites too.

  --debug  take the debug build: for trying the kit itself
";

/// The folder in the file.
const NAME: &str = "pumice-kit";

/// The variable that names the folder of a built OpenCL-CTS (`test_conformance`).
pub const CTS_BUILD: &str = "CTS_BUILD";

/// Folders of data that suites read, beside their programs.
const DATA: &[&str] = &[
    "spirv_bin",
    "includeTestDirectory",
    "secondIncludeTestDirectory",
];

/// Libraries for systems that lack them: the name of a folder below `loaders`, and the library. The runner takes a
/// folder only if the system does not find its library.
const LIBRARIES: &[(&str, &str)] = &[
    ("OpenCL", "libOpenCL.so.1"),
    ("Vulkan", "libvulkan.so.1"),
    ("mpfr", "libmpfr.so.6"),
    ("gmp", "libgmp.so.10"),
];

/// Programs of the harness.
const TOOLS: &[&str] = &["pumice-bench", "pumice-clrun", "pumice-cts"];

/// Runs the command.
pub fn run(args: &[String]) -> Result {
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let (profile, file) = match words[..] {
        ["--help" | "-h"] => {
            print!("{USAGE}");
            return Ok(());
        }
        ["--debug", ref rest @ ..] => (Profile::Debug, rest),
        ref rest => (Profile::Release, rest),
    };
    let folder = sh::target().join("kit");
    let file = match file {
        [] => folder.join(format!("{NAME}.tar.xz")),
        [file] if !file.starts_with('-') => PathBuf::from(file),
        _ => return Err(format!("unknown arguments\n\n{USAGE}")),
    };
    let root = folder.join(NAME);
    fresh(&root)?;
    let jobs = fill(&root, &folder, profile)?;
    pack(&folder, &file)?;
    let size = file.metadata().map_err(|error| error.to_string())?.len();
    let file = file.display();
    println!("{file}: {:.1} MB, {jobs} jobs", size as f64 / 1e6);
    Ok(())
}

/// Puts everything into the kit's folder; gives the number of jobs.
fn fill(root: &Path, folder: &Path, profile: Profile) -> Result<usize> {
    let library = release::library(profile)?;
    let info = release::info(profile)?;
    let harness = release::harness(profile)?;
    copy(&library, &root.join("lib/libpumice.so"), 0o644)?;
    let bin = root.join("bin");
    program(&info, &bin.join("pumice-info"))?;
    program(
        &info.with_file_name("pumice-probe"),
        &bin.join("pumice-probe"),
    )?;
    for tool in TOOLS {
        program(&harness.join(tool), &bin.join(tool))?;
    }
    for (name, library) in LIBRARIES {
        let place = root.join("loaders").join(name).join(library);
        copy(&found_by_loader(library)?, &place, 0o644)?;
    }
    // Messages name the source as it stands in the repository, wherever the kit was made.
    let places = format!("-fmacro-prefix-map={}/=", sh::root().display());
    let mut clients = clients::compile_into(&folder.join("clients"), &library, &[places])?;
    // They would look for the library in the folder that it was built in.
    clients.retain(|client| !client.link_driver);
    for client in &clients {
        program(&client.path, &root.join("clients").join(&client.name))?;
    }
    // A client writes its log there, below the folder that it runs in.
    sh::make_folder(&root.join("target/clients"))?;
    let files = kernel_files(root)?;
    let suites = match std::env::var_os(CTS_BUILD) {
        Some(build) => suites(&bin.join("pumice-cts"), Path::new(&build), root)?,
        None => {
            println!("{CTS_BUILD} names no folder: the kit has no suites of OpenCL-CTS");
            Vec::new()
        }
    };
    let jobs = jobs::list(&clients, &files, &suites);
    let kit = json!({
        "about": about()?,
        "library": "lib/libpumice.so",
        "on_request": [ON_REQUEST],
        "jobs": jobs.iter().map(jobs::Job::json).collect::<Vec<Value>>(),
    });
    write(&root.join("kit.json"), format!("{kit:#}\n"))?;
    let script = root.join("run");
    write(&script, include_str!("run.sh"))?;
    sh::output(Command::new("chmod").arg("755").arg(&script))?;
    Ok(jobs.len())
}

/// Version and commit.
fn about() -> Result<String> {
    let mut git = Command::new("git");
    git.args([
        "describe",
        "--always",
        "--dirty",
        "--abbrev=12",
        "--exclude=*",
    ]);
    let commit = sh::output(git.current_dir(sh::root()))?;
    let version = env!("CARGO_PKG_VERSION");
    Ok(format!("Pumice {version}, commit {}", commit.trim()))
}

/// Copies a program without its symbols.
fn program(from: &Path, to: &Path) -> Result {
    copy(from, to, 0o755)?;
    sh::output(Command::new("strip").arg(to)).map(drop)
}

/// The file of a library that the dynamic linker finds on this system.
fn found_by_loader(library: &str) -> Result<PathBuf> {
    // Users other than root do not have its folder on their PATH.
    let list = sh::output(Command::new("/sbin/ldconfig").arg("-p"))?;
    find_in_list(&list, library).ok_or_else(|| format!("{library} is not installed"))
}

/// The path in a line of `ldconfig -p`, of the 64-bit library.
fn find_in_list(list: &str, library: &str) -> Option<PathBuf> {
    list.lines().find_map(|line| {
        let (name, path) = line.split_once(" => ")?;
        let (name, kind) = name.trim().split_once(' ')?;
        let fits = name == library && (kind.contains("x86-64") || kind.contains("AArch64"));
        fits.then(|| PathBuf::from(path))
    })
}

/// Copies the kernel files; gives their names by folder.
fn kernel_files(root: &Path) -> Result<Vec<(&'static str, Vec<String>)>> {
    let mut all = Vec::new();
    for (folder, _) in FILES {
        let source = sh::root().join("compiler/filetests").join(folder);
        let mut names = Vec::new();
        for file in sh::files_with(&source, &["cl"])? {
            let name = sh::file_name(&file);
            copy(&file, &root.join("files").join(folder).join(&name), 0o644)?;
            names.push(name);
        }
        all.push((*folder, names));
    }
    Ok(all)
}

/// Copies the test programs of an OpenCL-CTS build with the data that they read; gives the lines of its quick list.
/// Lines for one type of device are left out: nobody knows yet which device it will be.
fn suites(tool: &Path, build: &Path, root: &Path) -> Result<Vec<Suite>> {
    let list = sh::output(Command::new(tool).args(["suites", "--bin"]).arg(build))?;
    let list: Value = serde_json::from_str(&list).map_err(|error| error.to_string())?;
    let mut suites = Vec::new();
    for line in list.as_array().into_iter().flatten() {
        let binary = line["binary"].as_str().unwrap_or_default().to_string();
        let source = build.join(&binary);
        if line["device_type"].is_string() {
            continue;
        }
        if !source.is_file() {
            println!("left out: {} is not built", source.display());
            continue;
        }
        let to = root.join("cts").join(&binary);
        if !to.exists() {
            program(&source, &to)?;
            for name in DATA {
                let data = source.with_file_name(name);
                if data.is_dir() {
                    sh::output(
                        Command::new("cp")
                            .arg("-rL")
                            .arg(&data)
                            .arg(to.with_file_name(name)),
                    )?;
                }
            }
        }
        let words = line["words"].as_array().into_iter().flatten();
        let words = words.filter_map(|word| Some(word.as_str()?.to_string()));
        suites.push(Suite {
            binary,
            words: words.collect(),
        });
    }
    Ok(suites)
}

/// Packs the folder.
fn pack(folder: &Path, file: &Path) -> Result {
    if let Some(parent) = file.parent() {
        sh::make_folder(parent)?;
    }
    let mut tar = Command::new("tar");
    tar.args(["--sort=name", "--owner=0", "--group=0", "--numeric-owner"])
        .arg("--use-compress-program=xz -T2")
        .arg("-C")
        .arg(folder)
        .arg("-cf")
        .arg(file)
        .arg(NAME);
    sh::output(&mut tar).map(drop)
}

#[cfg(test)]
mod tests {
    use super::find_in_list;
    use std::path::Path;

    #[test]
    fn libraries_of_this_architecture_are_found() {
        let list = "2 libs found in cache `/etc/ld.so.cache'\n\
                    \tlibstdc++.so.6 (libc6) => /lib32/libstdc++.so.6\n\
                    \tlibstdc++.so.6 (libc6,x86-64) => /lib/x86_64-linux-gnu/libstdc++.so.6\n\
                    \tlibmpfr.so (libc6,x86-64) => /lib/x86_64-linux-gnu/libmpfr.so\n";
        let found = find_in_list(list, "libstdc++.so.6");
        let expected = Path::new("/lib/x86_64-linux-gnu/libstdc++.so.6");
        assert_eq!(found.as_deref(), Some(expected));
        assert_eq!(find_in_list(list, "libmpfr.so.6"), None);
    }
}
