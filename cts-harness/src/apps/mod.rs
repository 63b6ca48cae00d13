//! Real, unmodified applications as tests: installs them, runs them, judges what they say.
//!
//! The one list is [`APPS`]. An application whose feature the device lacks is skipped with the
//! feature's name, and so runs by itself once the device has it.

mod debian;
mod list;
mod python;

pub use list::{APPS, App, Check};

use crate::facts::Feature;
use crate::process::{self, End};
use crate::result::{Outcome, Status};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// The suite's name in results.
pub const SUITE: &str = "apps";

/// Bytes of an application's output that count. Marks of success come last.
const OUTPUT: usize = 4 << 20;
/// Bytes of output kept of one that did not pass.
const LOG: usize = 16 << 10;

/// Options of a run.
#[derive(Clone, Debug)]
pub struct AppOptions {
    /// Folder for what is installed and left; stays from run to run.
    pub home: PathBuf,
    /// Install missing applications.
    pub install: bool,
    /// More environment, e.g. `OCL_ICD_VENDORS`.
    pub env: Vec<(String, String)>,
    /// Time limit of each application; its own if `None`.
    pub limit: Option<Duration>,
}

impl App {
    /// Returns the command line with which a user installs it.
    pub fn install_line(&self) -> String {
        let mut lines = Vec::new();
        if !self.debian.is_empty() {
            lines.push(format!(
                "apt-get install --no-install-recommends {}",
                self.debian.join(" ")
            ));
        }
        if !self.python.is_empty() {
            lines.push(format!("pip install {}", self.python.join(" ")));
        }
        lines.join("; ")
    }

    /// Runs it, after installing if that is asked for.
    pub fn run(&self, facts: &BTreeMap<String, String>, options: &AppOptions) -> Outcome {
        let mut outcome = Outcome {
            suite: SUITE.to_string(),
            test: self.name.to_string(),
            status: Status::Skip,
            seconds: 0.0,
            processor_seconds: None,
            log: String::new(),
        };
        let lacks = |feature: &Feature| feature.is_in(facts) != Some(true);
        if let Some(feature) = self.needs.filter(lacks) {
            outcome.log = feature.is_missing();
            return outcome;
        }
        match self.provide(options) {
            Ok(true) => {}
            Ok(false) => {
                outcome.log = format!("not installed: {}", self.install_line());
                return outcome;
            }
            Err(why) => {
                // A package that this system does not have says nothing about the driver.
                if !why.contains("Unable to locate package") {
                    outcome.status = Status::Fail;
                }
                outcome.log = format!("could not be installed: {why}");
                return outcome;
            }
        }
        if !self.prepare.is_empty() {
            let (status, log) = self.execute(self.prepare, &[], options);
            if status != Status::Pass {
                outcome.status = status;
                outcome.log = format!("could not be prepared: {log}");
                return outcome;
            }
        }
        let (begin, used) = (Instant::now(), process::processor_time());
        let more = (self.success_with)
            .filter(|(feature, _)| feature.is_in(facts) == Some(true))
            .map_or(&[][..], |(_, checks)| checks);
        let checks = [self.success, more].concat();
        (outcome.status, outcome.log) = self.execute(self.command, &checks, options);
        outcome.seconds = begin.elapsed().as_secs_f64();
        outcome.processor_seconds = process::processor_time()
            .zip(used)
            .map(|(now, then)| now.saturating_sub(then).as_secs_f64());
        outcome
    }

    /// Returns whether everything is installed, after installing it if the options say so.
    fn provide(&self, options: &AppOptions) -> Result<bool, String> {
        let missing: Vec<&str> = (self.debian.iter().copied())
            .filter(|package| !has_package(package))
            .collect();
        let python: Vec<&str> = (self.python.iter().copied())
            .filter(|package| !marker(options, package).is_file())
            .collect();
        if missing.is_empty() && python.is_empty() {
            return Ok(true);
        }
        if !options.install {
            return Ok(false);
        }
        if !missing.is_empty() {
            apt_install(&missing, options)?;
        }
        if !python.is_empty() {
            pip_install(&python, options)?;
        }
        Ok(true)
    }

    fn execute(&self, script: &str, success: &[Check], options: &AppOptions) -> (Status, String) {
        let dir = options.home.join(self.name);
        let log = dir.join("output.txt");
        // Caches of another driver or an earlier run must not speed this one up.
        let cache = dir.join("cache");
        let _ = std::fs::remove_dir_all(&cache);
        if let Err(error) = std::fs::create_dir_all(&cache) {
            return (Status::Fail, format!("{}: {error}", cache.display()));
        }
        let clrun = std::env::current_exe()
            .map(|own| own.with_file_name("pumice-clrun"))
            .unwrap_or_default();
        let mut shell = Command::new("sh");
        shell
            .args(["-u", "-c", script])
            .envs(options.env.iter().map(|(key, value)| (key, value)))
            .env("APPS", sources())
            .env("APPS_HOME", &options.home)
            .env("PYTHON", venv(options).join("bin/python"))
            .env("CLRUN", clrun)
            .env("XDG_CACHE_HOME", cache)
            .current_dir(&dir);
        let limit = (options.limit).unwrap_or(Duration::from_secs(self.limit));
        let end = process::run(&mut shell, &log, limit);
        let output = process::tail(&log, OUTPUT);
        let kept = process::tail(&log, LOG);
        match end {
            Err(error) => (Status::Fail, error.to_string()),
            Ok(End::Timeout) => (Status::Timeout, kept),
            Ok(End::Signal(signal)) => {
                (Status::Crash, format!("{kept}\nkilled by signal {signal}"))
            }
            Ok(End::Exit(code)) => match judge(success, &output) {
                Ok(()) if code == 0 => (Status::Pass, String::new()),
                Ok(()) => (Status::Fail, format!("{kept}\nexit status {code}")),
                Err(why) => (Status::Fail, format!("{kept}\n{why} (exit status {code})")),
            },
        }
    }
}

/// This crate's scripts and programs.
fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("apps")
}

fn venv(options: &AppOptions) -> PathBuf {
    options.home.join("venv")
}

/// The file that says that a Python package is in the virtual environment.
fn marker(options: &AppOptions, package: &str) -> PathBuf {
    venv(options).join(format!("has-{package}"))
}

fn has_package(name: &str) -> bool {
    let query = Command::new("dpkg-query")
        .args(["-W", "-f", "${db:Status-Status}", name])
        .output();
    query.is_ok_and(|output| output.stdout == b"installed")
}

/// Runs an installer; an error with the end of what it said when it fails.
fn install(mut command: Command, options: &AppOptions) -> Result<(), String> {
    let log = options.home.join("install.txt");
    std::fs::create_dir_all(&options.home)
        .map_err(|error| format!("{}: {error}", options.home.display()))?;
    let end = process::run(&mut command, &log, Duration::from_secs(1200));
    match end.map_err(|error| error.to_string())? {
        End::Exit(0) => Ok(()),
        _ => Err(process::tail(&log, 2000)),
    }
}

fn apt_install(packages: &[&str], options: &AppOptions) -> Result<(), String> {
    let root = Command::new("id").arg("-u").output();
    let root = root.is_ok_and(|output| output.stdout == b"0\n");
    let apt = |words: &[&str]| {
        let mut command = Command::new(if root { "env" } else { "sudo" });
        if !root {
            command.args(["-n", "env"]);
        }
        command
            .args(["DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq"])
            // Seconds, while another program installs packages.
            .args(["-o", "DPkg::Lock::Timeout=300"])
            .args(words);
        command
    };
    let mut words = vec!["install", "-y", "--no-install-recommends"];
    words.extend(packages);
    // The package lists may be absent or old.
    install(apt(&words), options).or_else(|_| {
        install(apt(&["update"]), options)?;
        install(apt(&words), options)
    })
}

fn pip_install(packages: &[&str], options: &AppOptions) -> Result<(), String> {
    let venv = venv(options);
    if !venv.join("bin/pip").is_file() {
        let mut make = Command::new("python3");
        make.args(["-m", "venv"]).arg(&venv);
        install(make, options)?;
    }
    let pip = || Command::new(venv.join("bin/pip"));
    let mut add = pip();
    add.args(["install", "-q"]).args(packages);
    install(add, options)?;
    // Tests are in the source distribution only.
    if let Some(package) = packages.iter().find(|name| name.starts_with("pyopencl==")) {
        let mut fetch = pip();
        fetch
            .args([
                "download",
                "-q",
                "--no-deps",
                "--no-binary",
                "pyopencl",
                package,
                "-d",
            ])
            .arg(options.home.join("sdist"));
        install(fetch, options)?;
    }
    for package in packages {
        let path = marker(options, package);
        std::fs::write(&path, "").map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}

/// Checks the output for success; the error names the missing text.
fn judge(checks: &[Check], output: &str) -> Result<(), String> {
    for check in checks {
        let good = match *check {
            Check::Says(text) => output.contains(text),
            Check::Never(text) => !output.contains(text),
            Check::Before(text, least) => numbers_before(output, text)
                .last()
                .is_some_and(|n| *n >= least),
            Check::After(text, least) => output
                .rsplit_once(text)
                .and_then(|(_, rest)| {
                    let word = rest.split_whitespace().next()?;
                    word.parse::<u64>().ok()
                })
                .is_some_and(|n| n >= least),
            Check::Zero(text) => {
                let numbers = numbers_before(output, text);
                !numbers.is_empty() && numbers.iter().all(|n| *n == 0)
            }
        };
        if !good {
            return Err(format!("does not hold: {check:?}"));
        }
    }
    Ok(())
}

/// The numbers that stand right before each occurrence of a text.
fn numbers_before(output: &str, text: &str) -> Vec<u64> {
    output
        .match_indices(text)
        .filter_map(|(at, _)| {
            let head = &output[..at];
            let digits = head.len() - head.trim_end_matches(|c: char| c.is_ascii_digit()).len();
            head[at - digits..].parse().ok()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{APPS, AppOptions, Check, judge};
    use crate::apps::App;
    use crate::facts::Feature;
    use crate::result::Status;
    use std::collections::BTreeMap;
    use std::time::Duration;

    #[test]
    fn judged_by_what_it_says() {
        let output = "12 passed, 1 skipped\n  0 test(s) failed\n 0 test(s) failed\npass: 525\n";
        for (check, good) in [
            (Check::Says("skipped"), true),
            (Check::Never("skipped"), false),
            (Check::Before(" passed", 12), true),
            (Check::Before(" passed", 13), false),
            (Check::After("pass:", 525), true),
            (Check::After("fail:", 0), false),
            (Check::Zero(" test(s) failed"), true),
            (Check::Zero(" skipped"), false),
            (Check::Zero(" nothing"), false),
        ] {
            assert_eq!(judge(&[check], output).is_ok(), good, "{check:?}");
        }
    }

    #[test]
    fn rows_say_what_they_are() {
        for (at, app) in APPS.iter().enumerate() {
            assert!(
                !app.success.is_empty() && !app.command.is_empty(),
                "{}",
                app.name
            );
            assert!(!app.install_line().is_empty(), "{}", app.name);
            assert!(
                APPS[..at].iter().all(|other| other.name != app.name),
                "{}",
                app.name
            );
            if let Some(rest) = app.command.strip_prefix("sh -u \"$APPS\"/") {
                let script = rest.split(' ').next().unwrap();
                assert!(super::sources().join(script).is_file(), "{script}");
            }
        }
    }

    #[test]
    fn a_row_passes_fails_and_waits_for_its_feature() {
        let home = std::env::temp_dir().join(format!("pumice-apps-{}", std::process::id()));
        let options = AppOptions {
            home: home.clone(),
            install: false,
            env: vec![("MARK".to_string(), "7 right".to_string())],
            limit: None,
        };
        let app = App {
            name: "fake",
            command: "echo \"$MARK\"; i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done",
            success: &[Check::Before(" right", 7)],
            ..APPS[0]
        };
        let app = App { debian: &[], ..app };
        let none = BTreeMap::new();
        let outcome = app.run(&none, &options);
        assert_eq!(outcome.status, Status::Pass);
        assert!(outcome.processor_seconds.is_some_and(|s| s > 0.0));
        let wrong = App {
            command: "echo \"$MARK\"; exit 3",
            ..app
        };
        let outcome = wrong.run(&none, &options);
        assert_eq!(outcome.status, Status::Fail);
        assert!(outcome.log.contains("exit status 3"), "{}", outcome.log);
        let endless = App {
            command: "exec sleep 600",
            limit: 600,
            ..app
        };
        let short = AppOptions {
            limit: Some(Duration::from_secs(1)),
            ..options.clone()
        };
        assert_eq!(endless.run(&none, &short).status, Status::Timeout);
        let unmade = App {
            prepare: "echo no compiler; exit 1",
            ..app
        };
        let outcome = unmade.run(&none, &options);
        assert_eq!(outcome.status, Status::Fail);
        assert!(outcome.log.contains("no compiler"), "{}", outcome.log);
        // A command begins with an empty cache.
        let cached = App {
            prepare: "touch \"$XDG_CACHE_HOME\"/old",
            command: "ls \"$XDG_CACHE_HOME\"; touch \"$XDG_CACHE_HOME\"/older; echo 7 right",
            success: &[Check::Never("old"), Check::Says("right")],
            ..app
        };
        assert_eq!(cached.run(&none, &options).status, Status::Pass);
        assert_eq!(cached.run(&none, &options).status, Status::Pass);
        let waits = App {
            needs: Some(Feature::Images),
            ..app
        };
        let outcome = waits.run(&none, &options);
        assert_eq!(outcome.status, Status::Skip);
        assert!(outcome.log.contains("images"));
        let yes = BTreeMap::from([("images".to_string(), "yes".to_string())]);
        assert_eq!(waits.run(&yes, &options).status, Status::Pass);
        let more = App {
            success_with: Some((Feature::Images, &[Check::Before(" right", 8)])),
            ..app
        };
        assert_eq!(more.run(&none, &options).status, Status::Pass);
        assert_eq!(more.run(&yes, &options).status, Status::Fail);
        let absent = App {
            debian: &["no-such-package"],
            ..app
        };
        assert!(absent.run(&none, &options).log.contains("apt-get install"));
        std::fs::remove_dir_all(&home).unwrap();
    }
}
