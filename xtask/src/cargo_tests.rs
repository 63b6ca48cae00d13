//! The workspace's tests, several test programs at once.
//!
//! `cargo test` runs one program after the other. Some spend most of their time in one long test, during which the other
//! processors would have nothing to do.

use crate::sh::{self, Result};
use crate::test::{REQUIRE_ALL, Report, cargo, mark};
use crate::workers;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// A test program.
#[derive(Debug, PartialEq)]
struct Program {
    /// The folder of its package and its own name, "runtime: kernels_on_device".
    name: String,
    path: PathBuf,
    /// The package's folder, in which the tests count on running.
    folder: PathBuf,
}

/// Builds and runs the tests of packages, named as for `cargo test`, and records each that fails by its name. `set_up`
/// gives a command the environment of the tests.
pub fn run(report: &mut Report, packages: &[&str], set_up: impl Fn(&mut Command) + Sync) -> Result {
    let programs = build(packages)?;
    let outcomes = workers::map(&programs, workers::count(), |program| {
        let mut command = Command::new(&program.path);
        command
            .args(["--quiet", &report.filter])
            .current_dir(&program.folder)
            .env("CARGO_MANIFEST_DIR", &program.folder)
            .env(REQUIRE_ALL, "1");
        run_one(&program.name, &mut command, &set_up)
    });
    let mut documentation = cargo(&["test", "--quiet", "--doc"]);
    documentation.args(packages).args(["--", &report.filter]);
    let documentation = run_one("examples in doc comments", &mut documentation, &set_up);
    let failed: Result<Vec<_>> = outcomes.into_iter().chain([documentation]).collect();
    record(report, failed?.concat())
}

/// Runs one command of cargo's, shown by a name, and records each test that fails by its name.
pub fn run_command(report: &mut Report, name: &str, command: &mut Command) -> Result {
    let failed = run_one(name, command, |_| ())?;
    record(report, failed)
}

fn record(report: &mut Report, failed: Vec<String>) -> Result {
    let count = failed.len();
    report.fail(failed);
    match count {
        0 => Ok(()),
        count => Err(format!("{count} tests failed")),
    }
}

/// Builds the test programs and finds them in cargo's messages.
fn build(packages: &[&str]) -> Result<Vec<Program>> {
    let mut command = cargo(&["test", "--quiet", "--no-run"]);
    command
        .arg("--message-format=json-render-diagnostics")
        .args(packages)
        .stderr(Stdio::inherit());
    let output = command
        .output()
        .map_err(|error| format!("cargo: {error}"))?;
    if !output.status.success() {
        return Err("the tests cannot be built".to_string());
    }
    let programs = programs(&String::from_utf8_lossy(&output.stdout));
    match programs.is_empty() {
        true => Err("cargo names no test program".to_string()),
        false => Ok(programs),
    }
}

/// The test programs that cargo's messages name, one message in a line.
fn programs(messages: &str) -> Vec<Program> {
    let messages = messages
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let program = |message: Value| {
        let is_test = message["profile"]["test"] == true;
        let path = message["executable"].as_str().filter(|_| is_test)?;
        let folder = Path::new(message["manifest_path"].as_str()?).parent()?;
        let package = folder.strip_prefix(sh::root()).unwrap_or(folder);
        let target = message["target"]["name"].as_str()?;
        Some(Program {
            name: format!("{}: {target}", package.display()),
            path: path.into(),
            folder: folder.into(),
        })
    };
    messages.filter_map(program).collect()
}

/// Runs a program of tests and shows a line about it, below its output if it failed. Gives the names of the tests that
/// failed; the program's own where it failed before any test did.
fn run_one(
    name: &str,
    command: &mut Command,
    set_up: impl Fn(&mut Command),
) -> Result<Vec<String>> {
    set_up(command.stdin(Stdio::null()));
    let began = Instant::now();
    let output = (command.output()).map_err(|error| format!("{}: {error}", sh::shown(command)))?;
    let text = sh::both(&output);
    let mut failed = failed_tests(&text);
    if !output.status.success() && failed.is_empty() {
        failed.push(format!("{}: {}", sh::shown(command), output.status));
    }
    let outcome: Result = match failed.is_empty() {
        true => Ok(()),
        false => Err(format!("{}\n", text.trim())),
    };
    let (mark, shown) = (mark(&outcome), outcome.err().unwrap_or_default());
    let (passed, seconds) = (passed_tests(&text), began.elapsed().as_secs_f64());
    println!("{shown}  {mark} {name}, {passed} tests passed ({seconds:.1} s)");
    Ok(failed)
}

/// The number of tests that passed, of one program or several.
fn passed_tests(text: &str) -> usize {
    let passed = |line: &str| -> Option<usize> {
        let (_, counts) = line.strip_prefix("test result: ")?.split_once(". ")?;
        counts.split_once(" passed")?.0.parse().ok()
    };
    text.lines().filter_map(passed).sum()
}

/// The names of the tests that failed, from the headings above their output.
fn failed_tests(text: &str) -> Vec<String> {
    let heading = |line: &str| {
        let name = line.strip_prefix("---- ")?.strip_suffix(" stdout ----")?;
        Some(name.to_string())
    };
    text.lines().filter_map(heading).collect()
}

#[cfg(test)]
mod tests {
    use super::{Program, failed_tests, passed_tests, programs};

    #[test]
    fn programs_of_tests_are_found_in_messages() {
        let messages = [
            r#"{"reason":"compiler-artifact","manifest_path":"/w/a/Cargo.toml","target":{"name":"a"},"profile":{"test":true},"executable":"/t/a-1"}"#,
            r#"{"reason":"compiler-artifact","manifest_path":"/w/a/Cargo.toml","profile":{"test":false},"executable":"/t/tool"}"#,
            r#"{"reason":"compiler-artifact","manifest_path":"/w/b/Cargo.toml","profile":{"test":true},"executable":null}"#,
            r#"{"reason":"build-finished","success":true}"#,
            "no message",
        ];
        let found = Program {
            name: "/w/a: a".to_string(),
            path: "/t/a-1".into(),
            folder: "/w/a".into(),
        };
        assert_eq!(programs(&messages.join("\n")), [found]);
    }

    #[test]
    fn failures_are_read_from_headings() {
        let text = "running 2 tests\n.F\nfailures:\n\n---- a::b stdout ----\nthread 'a::b' panicked\n\n\
                    ---- no heading\n\nfailures:\n    a::b\n\ntest result: FAILED. 1 passed; 1 failed";
        assert_eq!(failed_tests(text), ["a::b"]);
        assert_eq!(passed_tests(text), 1);
        assert_eq!(
            passed_tests("test result: ok. 2 passed; 0 failed\ntest result: ok. 30 passed;"),
            32
        );
        assert!(failed_tests("test result: ok. 2 passed").is_empty());
    }
}
