//! PoCL's own tests of its remote device, on servers with Pumice.

use super::engine::Engine;
use super::network::Network;
use super::servers;
use crate::clients::Setting;
use crate::sh::{self, Result};
use crate::test::{Report, mark};
use std::collections::BTreeSet;
use std::time::Duration;

/// Time for a test.
const LIMIT: Duration = Duration::from_secs(60);

/// Exit status of a test that does not apply.
const SKIPPED: &str = "exit status: 77";

/// Tests that fail for a reason of PoCL's own.
const KNOWN: &[(&str, &str)] = &[
    (
        "clGetKernelArgInfo",
        "its kernel prints by %s what is no literal string, which Pumice refuses",
    ),
    (
        "test_command_buffer",
        "pocld refuses the recording itself, or gives no answer; no call of the driver fails",
    ),
    (
        "test_command_buffer_images",
        "pocld creates an image without data, but with a row pitch: CL_INVALID_IMAGE_DESCRIPTOR",
    ),
    (
        "test_command_buffer_multi_device",
        "PoCL's client crashes, without the driver in its process",
    ),
    (
        "test_queue_creation_with_hints",
        "PoCL waits for ever after some queues; pocld is idle then, in no call of the driver",
    ),
];

/// A test of the list in PoCL's sources.
#[derive(Debug, PartialEq, Eq)]
struct RemoteTest {
    name: String,
    /// CMake's target, which is the file name too.
    program: String,
    /// Number of servers that its devices are of.
    servers: usize,
}

/// Reads the list of remote tests from `tests/runtime/CMakeLists.txt`; those that need a processor as a
/// device besides are left out.
fn read_tests(text: &str) -> Vec<RemoteTest> {
    let mut tests = Vec::new();
    for part in text.split("add_test(NAME \"remote/").skip(1) {
        let Some((name, rest)) = part.split_once('"') else {
            continue;
        };
        let command = rest.split(')').next().unwrap_or_default();
        let servers = match command {
            command if command.contains("_runner_single.sh") => 1,
            command if command.contains("_runner_multi.sh") => 2,
            _ => continue,
        };
        let program = command.split("\"tests/runtime/").nth(1);
        if let Some(program) = program.and_then(|rest| rest.split('"').next()) {
            tests.push(RemoteTest {
                name: name.to_string(),
                program: program.to_string(),
                servers,
            });
        }
    }
    tests
}

/// Runs the tests, each on fresh servers.
pub fn run(report: &mut Report, engine: &Engine, setting: &Setting<'_>) -> Result {
    let list = sh::read(&engine.source.join("tests/runtime/CMakeLists.txt"))?;
    let tests = read_tests(&list);
    if tests.len() < 20 {
        return Err(format!("PoCL's list has only {} remote tests", tests.len()));
    }
    let programs: BTreeSet<&str> = tests.iter().map(|test| test.program.as_str()).collect();
    for program in &programs {
        engine.make(program)?;
    }
    let (mut passed, mut skipped) = (0, 0);
    for test in &tests {
        let (outcome, skip) = run_test(test, engine, setting)?;
        let known = KNOWN.iter().find(|(name, _)| *name == test.name);
        if let (Err(_), Some((_, reason))) = (&outcome, known) {
            println!("  known {}: {reason}", test.name);
            continue;
        }
        let word = if skip { "skip" } else { mark(&outcome) };
        println!("  {word} {}", test.name);
        passed += usize::from(outcome.is_ok() && !skip);
        skipped += usize::from(skip);
        report.record(&format!("PoCL's remote test {}", test.name), outcome);
    }
    println!(
        "  of PoCL's {} remote tests {passed} pass, {skipped} do not apply",
        tests.len()
    );
    Ok(())
}

/// Runs one; also tells whether it says that it does not apply.
fn run_test(test: &RemoteTest, engine: &Engine, setting: &Setting<'_>) -> Result<(Result, bool)> {
    let folder = engine.build.join("tests/runtime");
    let program = folder.join(&test.program);
    let mut said = String::new();
    let done = servers::until_no_crash(|| {
        let network = Network::Loopback;
        let mut servers = servers::start_all(engine, &network, test.servers, setting)?;
        let mut command = servers::client(engine, &network, &program, &servers)?;
        let done = sh::run_limited(command.current_dir(&folder), LIMIT);
        said = servers.iter().map(|server| server.said() + "\n").collect();
        done.map(|done| servers::with_crashes(&mut servers, done))
    })?;
    if done.status == SKIPPED {
        return Ok((Ok(()), true));
    }
    let failed = || format!("{}\n{}{}{said}", done.status, done.stdout, done.stderr);
    Ok((if done.ok { Ok(()) } else { Err(failed()) }, false))
}

#[cfg(test)]
mod tests {
    use super::{RemoteTest, read_tests};

    #[test]
    fn tests_are_read_from_the_list() {
        let text = "add_test(NAME \"remote/a\"\n COMMAND \"x/test_remote_runner_single.sh\" \"b\" \"tests/runtime/test_a\")\n\
                    add_test(NAME \"remote/b\"\n COMMAND \"x/test_remote_runner_with_local.sh\" \"b\" \"tests/runtime/test_b\")\n\
                    add_test(NAME \"remote/c\"\n COMMAND \"x/test_remote_runner_multi.sh\" \"b\" \"tests/runtime/test_c\")\n";
        let test = |name: &str, servers| RemoteTest {
            name: name.to_string(),
            program: format!("test_{name}"),
            servers,
        };
        assert_eq!(read_tests(text), [test("a", 1), test("c", 2)]);
    }
}
