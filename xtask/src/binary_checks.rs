//! Checks of the built library with readelf.

use crate::sh::{self, Result};
use std::path::Path;
use std::process::Command;

/// Checks relocations, needed libraries, exported names and flags of the driver.
pub fn check(library: &Path, release: bool) -> Result {
    let readelf = |flag: &str| sh::output(Command::new("readelf").args(["-W", flag]).arg(library));

    let dynamic = readelf("-d")?;
    for banned in ["libOpenCL", "libLLVM", "libstdc++", "libvulkan"] {
        if dynamic
            .lines()
            .any(|line| line.contains("(NEEDED)") && line.contains(banned))
        {
            return Err(format!("{} needs {banned}:\n{dynamic}", library.display()));
        }
    }
    for flag in ["SYMBOLIC", "NODELETE"] {
        if !dynamic.contains(flag) {
            return Err(format!(
                "{} is not linked with {flag}:\n{dynamic}",
                library.display()
            ));
        }
    }

    // A relocation by the name of an OpenCL function would be bound to the loader's function of
    // that name in a program linked with -lOpenCL, and the loader would call itself for ever.
    let relocations = readelf("-r")?;
    if let Some(line) = relocations.lines().find(|line| {
        line.split_whitespace()
            .any(|word| word.starts_with("cl") && word[2..].starts_with(char::is_uppercase))
    }) {
        return Err(format!(
            "{}: preemptible relocation: {line}",
            library.display()
        ));
    }

    let symbols = readelf("--dyn-syms")?;
    let mut exported = 0;
    for line in symbols.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        // Num: Value Size Type Bind Vis Ndx Name
        let [_, _, _, kind, bind, _, index, name, ..] = words[..] else {
            continue;
        };
        if index == "UND" || bind == "LOCAL" || !matches!(kind, "FUNC" | "OBJECT" | "NOTYPE") {
            continue;
        }
        let plain = name.split('@').next().unwrap_or(name);
        if !(plain.starts_with("cl") && plain[2..].starts_with(char::is_uppercase)) {
            return Err(format!(
                "{} exports {plain}, which is no OpenCL name",
                library.display()
            ));
        }
        exported += 1;
    }
    if exported < 100 {
        return Err(format!(
            "{} exports only {exported} OpenCL functions",
            library.display()
        ));
    }

    if release {
        const LIMIT: u64 = 10_000_000;
        let size = library.metadata().map_err(|error| error.to_string())?.len();
        if size > LIMIT {
            return Err(format!(
                "{} has {size} bytes, more than {LIMIT}",
                library.display()
            ));
        }
    }
    Ok(())
}
