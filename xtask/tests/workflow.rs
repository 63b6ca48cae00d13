//! The release workflow calls commands that exist.

use std::path::Path;
use std::process::Command;

#[test]
fn the_release_workflow_calls_commands_that_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let workflow = std::fs::read_to_string(root.join(".github/workflows/release.yml")).unwrap();
    let help = Command::new(env!("CARGO_BIN_EXE_xtask"))
        .arg("help")
        .output()
        .unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    let called = workflow
        .lines()
        .filter_map(|line| line.split_once("cargo xtask "));
    let called: Vec<&str> = called.map(|(_, words)| words.trim()).collect();
    assert_eq!(called, ["test", "package", "package again"]);
    for words in called {
        let begins = |line: &str| {
            line.strip_prefix("  ")
                .is_some_and(|line| line.starts_with(words))
        };
        assert!(
            help.lines().any(begins),
            "xtask has no command {words:?}:\n{help}"
        );
    }
}

/// The job `The tag is the version` looks for the line that the workspace's version stands in.
#[test]
fn the_version_stands_where_the_release_workflow_looks() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let manifest = std::fs::read_to_string(root.join("Cargo.toml")).unwrap();
    let line = format!("version = \"{}\"", env!("CARGO_PKG_VERSION"));
    assert!(manifest.lines().any(|other| other == line));
}
