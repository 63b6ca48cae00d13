//! Running sub-tests: each in its own process, several at once, under a time limit.

use crate::result::{Outcome, Status};
use crate::suite::Suite;
use std::ffi::OsStr;
use std::os::unix::fs::symlink;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// How to run.
#[derive(Clone, Debug)]
pub struct Options {
    /// Processes at once.
    pub jobs: usize,
    /// Time limit of a sub-test.
    pub limit: Duration,
    /// More arguments for every binary, e.g. `-w`.
    pub extra: Vec<String>,
    /// Environment for the test processes.
    pub env: Vec<(String, String)>,
    /// Folder for the output of running tests.
    pub scratch: PathBuf,
}

/// A sub-test to run.
#[derive(Clone, Debug)]
pub struct Job {
    /// Its suite.
    pub suite: Suite,
    /// Its name.
    pub test: String,
}

/// Bytes of output kept of a test that did not pass.
const LOG_BYTES: usize = 16 << 10;

/// Runs one sub-test.
pub fn run_one(job: &Job, slot: usize, options: &Options) -> Outcome {
    let started = Instant::now();
    let finish = |status: Status, log: String| Outcome {
        suite: job.suite.name.clone(),
        test: job.test.clone(),
        status,
        seconds: started.elapsed().as_secs_f64(),
        log,
    };
    // Each slot has a folder of its own: tests write files with fixed names.
    let dir = options.scratch.join(format!("slot{slot}"));
    let (log_path, verdict_path) = (dir.join("output.txt"), dir.join("verdict.json"));
    let prepared = std::fs::create_dir_all(&dir).and_then(|()| {
        // Gone already is fine.
        let _ = std::fs::remove_file(&verdict_path);
        link_data(&job.suite.binary, &dir)?;
        std::fs::File::create(&log_path)
    });
    let (out, err) = match prepared.and_then(|file| Ok((file.try_clone()?, file))) {
        Ok(pair) => pair,
        Err(error) => return finish(Status::Crash, format!("{}: {error}", dir.display())),
    };
    let mut command = Command::new(&job.suite.binary);
    command
        .args(&job.suite.flags)
        .args(&options.extra)
        .arg(&job.test)
        .envs(options.env.iter().map(|(key, value)| (key, value)))
        .env("CL_CONFORMANCE_RESULTS_FILENAME", &verdict_path)
        .current_dir(&dir)
        .stdin(Stdio::null())
        .stdout(out)
        .stderr(err);
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => {
            return finish(
                Status::Crash,
                format!("{}: {error}", job.suite.binary.display()),
            );
        }
    };
    let exit = loop {
        match child.try_wait() {
            Ok(Some(exit)) => break Some(exit),
            Ok(None) if started.elapsed() < options.limit => {
                std::thread::sleep(Duration::from_millis(10))
            }
            _ => {
                // Killing a process that has just ended does no harm.
                let _ = child.kill();
                let _ = child.wait();
                break None;
            }
        }
    };
    let output = std::fs::read(&log_path).unwrap_or_default();
    let tail =
        String::from_utf8_lossy(&output[output.len().saturating_sub(LOG_BYTES)..]).into_owned();
    let Some(exit) = exit else {
        return finish(Status::Timeout, tail);
    };
    if let Some(signal) = exit.signal() {
        return finish(Status::Crash, format!("{tail}\nkilled by signal {signal}"));
    }
    let verdict = std::fs::read_to_string(&verdict_path).unwrap_or_default();
    match read_verdict(&verdict, &job.test) {
        Some(Status::Pass) if exit.success() => finish(Status::Pass, String::new()),
        Some(Status::Skip) if exit.success() => finish(Status::Skip, tail),
        _ => finish(Status::Fail, tail),
    }
}

/// Makes the data that lies beside a suite's binary (include folders, SPIR-V files; the build
/// puts them there) reachable from `dir`: the tests name it relative to where they run.
fn link_data(binary: &Path, dir: &Path) -> std::io::Result<()> {
    let Some(Ok(home)) = binary.parent().map(Path::canonicalize) else {
        return Ok(());
    };
    for entry in std::fs::read_dir(home)? {
        let entry = entry?;
        let name = entry.file_name();
        if Some(name.as_os_str()) == binary.file_name() || is_build_system(&name) {
            continue;
        }
        let (data, link) = (entry.path(), dir.join(&name));
        if std::fs::read_link(&link).is_ok_and(|old| old == data) {
            continue;
        }
        // What an earlier suite left under this name belongs to that suite.
        let _ = std::fs::remove_file(&link).or_else(|_| std::fs::remove_dir_all(&link));
        symlink(&data, &link)?;
    }
    Ok(())
}

/// Whether CMake keeps a folder's entry for itself.
fn is_build_system(name: &OsStr) -> bool {
    name == "CMakeFiles" || name.to_string_lossy().ends_with(".cmake")
}

/// The harness's own verdict: `{"results": {"name": "pass"}}`.
fn read_verdict(text: &str, test: &str) -> Option<Status> {
    let value: serde_json::Value = serde_json::from_str(text).ok()?;
    match value["results"][test].as_str()? {
        "pass" => Some(Status::Pass),
        "skip" => Some(Status::Skip),
        _ => Some(Status::Fail),
    }
}

/// Runs all jobs on `options.jobs` processes and calls `progress` after each with the number
/// done. Results come back in the order of the jobs.
pub fn run_all(
    jobs: &[Job],
    options: &Options,
    progress: impl Fn(usize, &Outcome) + Sync,
) -> Vec<Outcome> {
    let next = AtomicUsize::new(0);
    let done = AtomicUsize::new(0);
    let results: Mutex<Vec<Option<Outcome>>> = Mutex::new(vec![None; jobs.len()]);
    std::thread::scope(|scope| {
        for slot in 0..options.jobs.max(1) {
            let (next, done, results, progress) = (&next, &done, &results, &progress);
            scope.spawn(move || {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(job) = jobs.get(index) else { break };
                    let outcome = run_one(job, slot, options);
                    progress(done.fetch_add(1, Ordering::Relaxed) + 1, &outcome);
                    if let Ok(mut results) = results.lock() {
                        results[index] = Some(outcome);
                    }
                }
            });
        }
    });
    results
        .into_inner()
        .unwrap_or_default()
        .into_iter()
        .flatten()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{Job, Options, run_all};
    use crate::result::Status;
    use crate::suite::Suite;
    use std::os::unix::fs::PermissionsExt;
    use std::time::Duration;

    /// A scripted test binary that passes, fails, skips, crashes, hangs or lies as its name says.
    const FAKE: &str = r#"#!/bin/sh
for name; do :; done
say() { printf '{"results": {"%s": "%s"}}' "$name" "$1" >"$CL_CONFORMANCE_RESULTS_FILENAME"; }
case "$name" in
good) say pass ;;
bad) say fail; echo "wrong value"; exit 1 ;;
absent) say skip ;;
crash) kill -SEGV $$ ;;
hang) sleep 60 ;;
silent) exit 0 ;;
liar) say pass; exit 1 ;;
data) test -f spirv_bin/kernel.spv && say pass ;;
esac
"#;

    #[test]
    fn each_kind_of_end_is_told_apart() {
        let dir = std::env::temp_dir().join(format!("pumice-cts-fake-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        let binary = dir.join("test_fake");
        std::fs::write(&binary, FAKE).unwrap();
        std::fs::create_dir_all(dir.join("spirv_bin")).unwrap();
        std::fs::write(dir.join("spirv_bin/kernel.spv"), "data").unwrap();
        std::fs::set_permissions(&binary, std::fs::Permissions::from_mode(0o755)).unwrap();
        let suite = Suite {
            title: "Fake".into(),
            name: "fake".into(),
            binary,
            flags: vec!["-w".into()],
            patterns: vec![],
        };
        let names = [
            "good", "bad", "absent", "crash", "hang", "silent", "liar", "data",
        ];
        let jobs: Vec<Job> = names
            .iter()
            .map(|name| Job {
                suite: suite.clone(),
                test: name.to_string(),
            })
            .collect();
        let options = Options {
            jobs: 2,
            limit: Duration::from_secs(2),
            extra: vec![],
            env: vec![],
            scratch: dir.join("scratch"),
        };
        let outcomes = run_all(&jobs, &options, |_, _| {});
        let statuses: Vec<Status> = outcomes.iter().map(|outcome| outcome.status).collect();
        use Status::{Crash, Fail, Pass, Skip, Timeout};
        assert_eq!(
            statuses,
            [Pass, Fail, Skip, Crash, Timeout, Fail, Fail, Pass]
        );
        assert!(outcomes[1].log.contains("wrong value"));
        std::fs::remove_dir_all(&dir).unwrap();
    }
}
