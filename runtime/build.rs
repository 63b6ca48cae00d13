//! Hashes the compiler's sources, which tells the program cache what an entry was made by: the
//! version number alone would let a changed compiler find the old one's results.

use std::path::{Path, PathBuf};

/// What decides what the compiler makes of a program, from the workspace's root.
const SOURCES: &[&str] = &[
    "Cargo.lock",
    "compiler/src",
    "compiler/reflection/src",
    "compiler/builtins-lib/src",
    "compiler/builtins-lib/library.bin",
];

fn main() -> std::io::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = Vec::new();
    for source in SOURCES {
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
    println!("cargo::rustc-env=PUMICE_COMPILER_HASH={hash:016x}");
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
