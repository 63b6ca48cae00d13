//! Hashes the sources of the compiler and of the start-up probes. The hashes are part of the keys of the cache on disk: with
//! the version number alone, a changed compiler would find the old one's results.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Files beside the compiler's crates that decide its output, from the workspace's root.
const OTHERS: &[&str] = &["Cargo.lock", "compiler/builtins-lib/library.bin"];

/// Folders that decide the results of the start-up probes and their form, from the workspace's root.
const PROBES: &[&str] = &["compiler/target/src", "vulkan-layer/src"];

fn main() -> std::io::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut crates = BTreeSet::new();
    add_crate(&root, "compiler", &mut crates)?;
    let sources = crates.iter().map(|folder| format!("{folder}/src"));
    let sources = sources.chain(OTHERS.iter().map(|other| other.to_string()));
    let compiler = hash(sources.map(|source| root.join(source)))?;
    let probes = hash(PROBES.iter().map(|source| root.join(source)))?;
    let crates: Vec<&str> = crates.iter().map(String::as_str).collect();
    println!("cargo::rustc-env=PUMICE_COMPILER_HASH={compiler:016x}");
    println!("cargo::rustc-env=PUMICE_PROBES_HASH={probes:016x}");
    println!(
        "cargo::rustc-env=PUMICE_COMPILER_CRATES={}",
        crates.join(" ")
    );
    Ok(())
}

/// Hashes files and the files in folders (FNV-1a, 64 bits: a name for the sources, not a defence against anybody).
fn hash(sources: impl Iterator<Item = PathBuf>) -> std::io::Result<u64> {
    let mut files = Vec::new();
    for path in sources {
        println!("cargo::rerun-if-changed={}", path.display());
        collect(path, &mut files)?;
    }
    files.sort();
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for file in files {
        for byte in std::fs::read(file)? {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    Ok(hash)
}

/// Adds a crate's folder and, by its manifest, those of the crates below `compiler` that it uses.
fn add_crate(root: &Path, folder: &str, crates: &mut BTreeSet<String>) -> std::io::Result<()> {
    if !crates.insert(folder.to_string()) {
        return Ok(());
    }
    let path = root.join(folder).join("Cargo.toml");
    println!("cargo::rerun-if-changed={}", path.display());
    let manifest = std::fs::read_to_string(path)?;
    let mut lines = manifest.lines();
    lines.find(|line| *line == "[dependencies]");
    for line in lines.take_while(|line| !line.starts_with('[')) {
        let name = line.strip_prefix("pumice-");
        if let Some((name, _)) = name.and_then(|name| name.split_once('.')) {
            add_crate(root, &format!("compiler/{name}"), crates)?;
        }
    }
    Ok(())
}

fn collect(path: PathBuf, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    if !path.is_dir() {
        files.push(path);
        return Ok(());
    }
    for entry in std::fs::read_dir(path)? {
        collect(entry?.path(), files)?;
    }
    Ok(())
}
