//! The licences of Pumice and of the crates that are linked into it.

use crate::sh::{self, Result};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

/// The packages whose code is shipped.
const ROOTS: &[&str] = &[
    "pumice-icd",
    "pumice-compiler",
    "pumice-info",
    "pumice-trace",
];

/// Debian's copyright file.
pub fn copyright() -> Result<String> {
    let mit = sh::read(&sh::root().join("LICENSE-MIT"))?;
    let notice = mit.lines().find(|line| line.contains("Copyright"));
    let notice = notice.unwrap_or("Copyright the Pumice contributors").trim();
    let paragraph = |text: &str| -> String {
        let line = |line: &str| match line.trim() {
            "" => " .\n".to_string(),
            text => format!(" {text}\n"),
        };
        text.lines().map(line).collect()
    };
    Ok(format!(
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n\
         Upstream-Name: Pumice\n\
         \n\
         Files: *\n\
         Copyright: {}\n\
         License: Apache-2.0 or Expat\n\
         Comment: Crates of others are linked into the binaries. THIRD-PARTY.gz in this folder has\n\
         \x20their names and licences.\n\
         \n\
         License: Apache-2.0\n\
         \x20On Debian systems, the text is in /usr/share/common-licenses/Apache-2.0.\n\
         \n\
         License: Expat\n{}",
        notice
            .trim_start_matches("Copyright (c) ")
            .trim_start_matches("Copyright "),
        paragraph(&mit)
    ))
}

/// Names, versions, licences and licence texts of the crates that are linked into the binaries. Equal
/// texts stand there once.
pub fn third_party() -> Result<String> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo
        .args(["metadata", "--format-version=1", "--locked"])
        .args(["--filter-platform", &host()?])
        .current_dir(sh::root());
    let metadata: Value =
        serde_json::from_str(&sh::output(&mut cargo)?).map_err(|error| error.to_string())?;
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut list = String::new();
    for package in linked(&metadata) {
        let (name, version) = (text(&package["name"]), text(&package["version"]));
        list += &format!("{name} {version}: {}\n", text(&package["license"]));
        let manifest = Path::new(text(&package["manifest_path"]));
        for licence in licence_files(manifest.parent().unwrap_or(Path::new("/")))? {
            texts.entry(licence).or_default().push(name.to_string());
        }
    }
    list += "Rust's standard library: MIT OR Apache-2.0\n";
    list += "The GNU C library, in pumice-info alone: LGPL-2.1-or-later (pumice-info can be linked\n\
             again with another one from Pumice's sources: cargo xtask package)\n";
    let mut whole = format!("Crates that are linked into Pumice's binaries\n\n{list}");
    for (licence, names) in texts {
        let line = "-".repeat(80);
        whole += &format!(
            "\n{line}\n{}\n{line}\n\n{}\n",
            names.join(", "),
            licence.trim()
        );
    }
    Ok(whole)
}

/// The target that is built for.
fn host() -> Result<String> {
    let version = sh::output(Command::new("rustc").arg("-vV"))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(String::from)
        .ok_or("rustc names no host".to_string())
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// The crates of others that the shipped packages need at run time, by name.
fn linked(metadata: &Value) -> Vec<&Value> {
    let list = |value: &'_ Value| value.as_array().cloned().unwrap_or_default();
    let packages = metadata["packages"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    let nodes = list(&metadata["resolve"]["nodes"]);
    let root = |package: &&Value| ROOTS.contains(&text(&package["name"]));
    let mut work: Vec<String> = packages
        .iter()
        .filter(root)
        .map(|package| text(&package["id"]).to_string())
        .collect();
    let mut seen = BTreeSet::new();
    while let Some(id) = work.pop() {
        if !seen.insert(id.clone()) {
            continue;
        }
        for node in nodes.iter().filter(|node| text(&node["id"]) == id) {
            for dependency in list(&node["deps"]) {
                // Others are for tests and build scripts alone.
                let normal = list(&dependency["dep_kinds"])
                    .iter()
                    .any(|kind| kind["kind"].is_null());
                if normal {
                    work.push(text(&dependency["pkg"]).to_string());
                }
            }
        }
    }
    let others = packages
        .iter()
        .filter(|package| seen.contains(text(&package["id"])) && !package["source"].is_null());
    let mut others: Vec<&Value> = others.collect();
    others.sort_by_key(|package| text(&package["name"]).to_string() + text(&package["version"]));
    others
}

/// The licence texts in a crate's folder.
fn licence_files(folder: &Path) -> Result<Vec<String>> {
    let entries =
        std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    let is_licence = |path: &&std::path::PathBuf| {
        let name = sh::file_name(path).to_uppercase();
        path.is_file()
            && ["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE"]
                .iter()
                .any(|start| name.starts_with(start))
    };
    paths
        .iter()
        .filter(is_licence)
        .map(|path| sh::read(path))
        .collect()
}
