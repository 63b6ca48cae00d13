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

/// The scripts of a workflow as YAML gives them to the shell: in a plain line ` #` begins a comment.
fn scripts(workflow: &str) -> Vec<String> {
    let lines: Vec<&str> = workflow.lines().collect();
    let indentation = |line: &str| line.len() - line.trim_start().len();
    let mut scripts = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let Some((before, script)) = line.split_once("run: ") else {
            continue;
        };
        if script == "|" {
            let depth = before.len();
            let inside = |line: &&&str| line.is_empty() || indentation(line) > depth;
            let block: Vec<&str> = (lines[index + 1..].iter())
                .take_while(inside)
                .map(|line| line.trim_start())
                .collect();
            scripts.push(block.join("\n"));
        } else {
            let end = script.find(" #").unwrap_or(script.len());
            scripts.push(script[..end].to_string());
        }
    }
    scripts
}

#[test]
fn the_scripts_of_the_release_workflow_are_whole() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let workflow = std::fs::read_to_string(root.join(".github/workflows/release.yml")).unwrap();
    let scripts = scripts(&workflow);
    assert_eq!(scripts.len(), workflow.matches("run: ").count());
    assert!(scripts.len() > 10);
    for script in scripts {
        let checked = Command::new("sh").args(["-n", "-c", &script]).output();
        let checked = checked.unwrap();
        let complaint = String::from_utf8_lossy(&checked.stderr);
        assert!(checked.status.success(), "{script}\n{complaint}");
    }
}

#[test]
fn a_comment_in_a_plain_line_is_none_of_the_script() {
    let workflow =
        "  - run: grep 'Platform #0'\n  - run: |\n      one\n      two # 2\n  - uses: x\n";
    assert_eq!(scripts(workflow), ["grep 'Platform", "one\ntwo # 2"]);
}

/// The job `The tag is the version` looks for the line that the workspace's version stands in.
#[test]
fn the_version_stands_where_the_release_workflow_looks() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let manifest = std::fs::read_to_string(root.join("Cargo.toml")).unwrap();
    let line = format!("version = \"{}\"", env!("CARGO_PKG_VERSION"));
    assert!(manifest.lines().any(|other| other == line));
}
