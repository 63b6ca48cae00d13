//! Hashes the compiler's sources. The hash is part of the program cache's keys: with the version
//! number alone, a changed compiler would find the old one's results.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Files beside the compiler's crates that decide its output, from the workspace's root.
const OTHERS: &[&str] = &["Cargo.lock", "compiler/builtins-lib/library.bin"];

fn main() -> std::io::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut crates = BTreeSet::new();
    add_crate(&root, "compiler", &mut crates)?;
    let sources = crates.iter().map(|folder| format!("{folder}/src"));
    let sources = sources.chain(OTHERS.iter().map(|other| other.to_string()));
    let mut files = Vec::new();
    for source in sources {
        let path = root.join(source);
        println!("cargo::rerun-if-changed={}", path.display());
        collect(path, &mut files)?;
    }
    files.sort();
    // FNV-1a, 64 bits: a name for the sources, not a defence against anybody.
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for file in files {
        for byte in std::fs::read(file)? {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    let crates: Vec<&str> = crates.iter().map(String::as_str).collect();
    println!("cargo::rustc-env=PUMICE_COMPILER_HASH={hash:016x}");
    println!(
        "cargo::rustc-env=PUMICE_COMPILER_CRATES={}",
        crates.join(" ")
    );
    Ok(())
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
