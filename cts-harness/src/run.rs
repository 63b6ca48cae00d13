//! Running sub-tests: each in its own process, several at once, under a time limit.

use crate::process::{self, End};
use crate::result::{Outcome, Status};
use std::ffi::OsStr;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Options of a run.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// Processes at once.
    pub jobs: usize,
    /// Time limit of a sub-test.
    pub limit: Duration,
    /// More arguments for every binary, e.g. `-w`.
    pub extra: Vec<String>,
    /// The command that runs the binaries; none for themselves.
    pub through: Vec<String>,
    /// Environment for the test processes.
    pub env: Vec<(String, String)>,
    /// Folder for the output of running tests.
    pub scratch: PathBuf,
}

/// A sub-test to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// Its suite, with the suite's arguments where it has some.
    pub suite: String,
    /// Its name in reports.
    pub test: String,
    /// The binary.
    pub binary: PathBuf,
    /// Arguments, the sub-test among them.
    pub args: Vec<String>,
    /// The name under which the binary reports the verdict.
    pub verdict: String,
}

/// Bytes of output kept of a test that did not pass.
const LOG_BYTES: usize = 16 << 10;

/// Text of a suite that ends because the device lacks its extension.
const SKIPS_ITSELF: &str = "Skipping test";

/// Runs one sub-test.
pub fn run_one(job: &Job, slot: usize, options: &RunOptions) -> Outcome {
    let started = Instant::now();
    let finish = |status: Status, log: String| Outcome {
        suite: job.suite.clone(),
        test: job.test.clone(),
        status,
        seconds: started.elapsed().as_secs_f64(),
        // Sub-tests run side by side, and the system counts what all of them used.
        processor_seconds: None,
        log,
    };
    // Each slot has a folder of its own: tests write files with fixed names.
    let dir = options.scratch.join(format!("slot{slot}"));
    let (log_path, verdict_path) = (dir.join("output.txt"), dir.join("verdict.json"));
    let prepared = std::fs::create_dir_all(&dir).and_then(|()| {
        // Gone already is fine.
        let _ = std::fs::remove_file(&verdict_path);
        link_data(&job.binary, &dir)
    });
    if let Err(error) = prepared {
        return finish(Status::Crash, format!("{}: {error}", dir.display()));
    }
    let mut command = process::command(&options.through, &job.binary);
    command
        .args(&job.args)
        .args(&options.extra)
        .envs(options.env.iter().map(|(key, value)| (key, value)))
        .env("CL_CONFORMANCE_RESULTS_FILENAME", &verdict_path)
        .current_dir(&dir);
    let end = process::run(&mut command, &log_path, options.limit);
    let tail = process::tail(&log_path, LOG_BYTES);
    let code = match end {
        Err(error) => {
            return finish(Status::Crash, format!("{}: {error}", job.binary.display()));
        }
        Ok(End::Timeout) => return finish(Status::Timeout, tail),
        Ok(End::Signal(signal)) => {
            return finish(Status::Crash, format!("{tail}\nkilled by signal {signal}"));
        }
        Ok(End::Exit(code)) => code,
    };
    let verdict = std::fs::read_to_string(&verdict_path).unwrap_or_default();
    match read_verdict(&verdict, &job.verdict) {
        Some(Status::Pass) if code == 0 => finish(Status::Pass, String::new()),
        Some(Status::Skip) if code == 0 => finish(Status::Skip, tail),
        // Some suites look for their extension before any sub-test, and end without a verdict.
        None if code == 0 && tail.contains(SKIPS_ITSELF) => finish(Status::Skip, tail),
        _ => finish(Status::Fail, format!("{tail}\nexit status {code}")),
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
        // Remove an earlier suite's file of this name.
        let _ = std::fs::remove_file(&link).or_else(|_| std::fs::remove_dir_all(&link));
        symlink(&data, &link)?;
    }
    Ok(())
}

/// Returns whether a folder's entry is one of CMake's own.
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

/// Returns the number of processors that this process may use.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Calls `work` with each item on a number of threads, in the items' order. It gets the number of its thread, too.
pub fn in_parallel<T: Sync>(items: &[T], threads: usize, work: impl Fn(usize, &T) + Sync) {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for slot in 0..threads.clamp(1, items.len().max(1)) {
            let (next, work) = (&next, &work);
            scope.spawn(move || {
                while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                    work(slot, item);
                }
            });
        }
    });
}

/// Makes `vendors` in a folder, which makes a library the only driver for the ICD loader.
///
/// # Errors
/// The system's, with the folder.
pub fn vendors_folder(library: &Path, folder: &Path) -> Result<PathBuf, String> {
    let vendors = folder.join("vendors");
    let text = format!("{}\n", library.display());
    std::fs::create_dir_all(&vendors)
        .and_then(|()| std::fs::write(vendors.join("driver.icd"), text))
        .map_err(|error| format!("{}: {error}", vendors.display()))?;
    Ok(vendors)
}

/// Runs all jobs on `options.jobs` processes and calls `progress` after each. Results come back
/// in the order of the jobs.
pub fn run_all(
    jobs: &[Job],
    options: &RunOptions,
    progress: impl Fn(&Outcome) + Sync,
) -> Vec<Outcome> {
    let indexed: Vec<(usize, &Job)> = jobs.iter().enumerate().collect();
    let results: Mutex<Vec<Option<Outcome>>> = Mutex::new(vec![None; jobs.len()]);
    in_parallel(&indexed, options.jobs, |slot, &(index, job)| {
        let outcome = run_one(job, slot, options);
        progress(&outcome);
        if let Ok(mut results) = results.lock() {
            results[index] = Some(outcome);
        }
    });
    results
        .into_inner()
        .unwrap_or_default()
        .into_iter()
        .flatten()
        .collect()
}
