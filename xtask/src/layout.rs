//! The files that an installation consists of: the one list, for `install` and `package`.

use crate::release::Built;
use crate::sh::{self, Result};
use std::path::PathBuf;
use std::process::Command;

/// The contents of a file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Item {
    Library,
    Pumicec,
    Info,
    Probe,
    Trace,
    /// A page of `docs/man`.
    Man(&'static str),
    /// A file of `compiler/share`, for tools that build programs.
    Share(&'static str),
    /// The output of a program's `--completions` for a shell.
    Completions(Completed, &'static str),
}

/// A program that writes its own completions.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Completed {
    Pumicec,
    Trace,
}

/// THE list: place below the prefix, mode, contents.
const FILES: &[(&str, u32, Item)] = &[
    ("lib/libpumice.so", 0o644, Item::Library),
    ("bin/pumicec", 0o755, Item::Pumicec),
    ("bin/pumice-info", 0o755, Item::Info),
    ("bin/pumice-trace", 0o755, Item::Trace),
    ("libexec/pumice/pumice-probe", 0o755, Item::Probe),
    ("share/man/man1/pumicec.1", 0o644, Item::Man("pumicec.1")),
    (
        "share/man/man1/pumice-info.1",
        0o644,
        Item::Man("pumice-info.1"),
    ),
    (
        "share/man/man1/pumice-trace.1",
        0o644,
        Item::Man("pumice-trace.1"),
    ),
    (
        "share/cmake/Pumice/PumiceConfig.cmake",
        0o644,
        Item::Share("PumiceConfig.cmake"),
    ),
    (
        "share/cmake/Pumice/PumiceConfigVersion.cmake",
        0o644,
        Item::Share("PumiceConfigVersion.cmake"),
    ),
    ("share/pkgconfig/pumice.pc", 0o644, Item::Share("pumice.pc")),
    (
        "share/bash-completion/completions/pumicec",
        0o644,
        Item::Completions(Completed::Pumicec, "bash"),
    ),
    (
        "share/zsh/site-functions/_pumicec",
        0o644,
        Item::Completions(Completed::Pumicec, "zsh"),
    ),
    (
        "share/fish/vendor_completions.d/pumicec.fish",
        0o644,
        Item::Completions(Completed::Pumicec, "fish"),
    ),
    (
        "share/bash-completion/completions/pumice-trace",
        0o644,
        Item::Completions(Completed::Trace, "bash"),
    ),
    (
        "share/zsh/site-functions/_pumice-trace",
        0o644,
        Item::Completions(Completed::Trace, "zsh"),
    ),
    (
        "share/fish/vendor_completions.d/pumice-trace.fish",
        0o644,
        Item::Completions(Completed::Trace, "fish"),
    ),
];

/// A file to install.
pub struct File {
    /// Place below the prefix.
    pub place: PathBuf,
    /// Permissions.
    pub mode: u32,
    /// The file that is copied.
    pub source: PathBuf,
}

/// The places below the prefix; those of the library excepted, which a user has elsewhere.
pub fn places() -> impl Iterator<Item = PathBuf> {
    let others = FILES.iter().filter(|(.., item)| *item != Item::Library);
    others.map(|(place, ..)| PathBuf::from(place))
}

/// The place below the prefix of the manifest of a lavapipe that comes along.
pub const LAVAPIPE_MANIFEST: &str = "share/vulkan/icd.d/pumice_lvp_icd.json";

/// The library's place below the prefix.
pub const LIBRARY: &str = "lib/libpumice.so";

/// The files with their sources; completions and files that name the version are written to `target/layout` first.
pub fn files(built: &Built) -> Result<Vec<File>> {
    let file = |(place, mode, item): &(&str, u32, Item)| {
        let source = match item {
            Item::Library => built.library.clone(),
            Item::Pumicec => built.pumicec.clone(),
            Item::Info => built.info.clone(),
            Item::Probe => built.probe.clone(),
            Item::Man(page) => sh::root().join("docs/man").join(page),
            Item::Trace => built.trace.clone(),
            Item::Share(name) => {
                let text = sh::read(&sh::root().join("compiler/share").join(name))?;
                let path = sh::target().join("layout/share").join(name);
                sh::write(&path, text.replace("@VERSION@", env!("CARGO_PKG_VERSION")))?;
                path
            }
            Item::Completions(of, shell) => {
                let (program, name) = match of {
                    Completed::Pumicec => (&built.pumicec, "pumicec"),
                    Completed::Trace => (&built.trace, "pumice-trace"),
                };
                let option = format!("--completions={shell}");
                let text = sh::output(Command::new(program).arg(option))?;
                let path = sh::target().join("layout").join(name).join(shell);
                sh::write(&path, text)?;
                path
            }
        };
        Ok(File {
            place: PathBuf::from(place),
            mode: *mode,
            source,
        })
    };
    FILES.iter().map(file).collect()
}

#[cfg(test)]
mod tests {
    use super::{FILES, LIBRARY, places};

    #[test]
    fn every_file_has_a_place_of_its_own() {
        let mut all: Vec<_> = FILES.iter().map(|(place, ..)| *place).collect();
        assert!(all.contains(&LIBRARY));
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), FILES.len());
        assert_eq!(places().count() + 1, FILES.len());
    }
}
