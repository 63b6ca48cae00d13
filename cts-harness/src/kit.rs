//! A test kit: a folder with the driver, tools, test programs and a list of jobs (`kit.json`), which
//! `cargo xtask kit` makes and `pumice-cts kit` runs where there is a Vulkan driver and little else.
//!
//! All that a run has found so far is on disk at any moment: `results.jsonl` gets a line a job, and
//! `report.txt` is written again after each.

use crate::facts::Feature;
use crate::process::{self, End};
use crate::run;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::time::{Duration, Instant};

mod environment;
mod report;

/// Bytes of output kept of a job that did not pass, or whose output is its result.
const LOG_BYTES: usize = 256 << 10;

/// Bytes of output kept of other jobs.
const PASS_BYTES: usize = 2 << 10;

/// Time that must be left for a job to start.
const SHORTEST: Duration = Duration::from_secs(1);

/// In a job's words, this in front of a path stands for the folder of the results.
const OUT: &str = "@OUT/";

/// The folder of the jobs' output below that of the results.
const LOGS: &str = "logs";

/// The file of the results, a line a job.
const LIST: &str = "results.jsonl";

/// The loader's words about a library that the system lacks.
const LACKS_LIBRARY: &str = "error while loading shared libraries";

/// One command of a kit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// The part of the kit that it belongs to, for example `clients`.
    pub part: String,
    /// Its name in reports.
    pub name: String,
    /// The program, relative to the kit, and its arguments.
    pub words: Vec<String>,
    /// The folder that it runs in, relative to the kit.
    pub folder: PathBuf,
    /// More environment.
    pub env: Vec<(String, String)>,
    /// Words for what the device must have ([`Feature::name`]); words that are no feature's are passed over.
    pub needs: Vec<String>,
    /// Time limit.
    pub limit: Duration,
    /// Nothing may run beside it, and its output is a result that is kept.
    pub alone: bool,
    /// The beginning of lines that it says only if it fails, whatever its exit status.
    pub never: Option<String>,
}

/// A kit as `kit.json` describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kit {
    /// The folder that it lies in, absolute.
    pub folder: PathBuf,
    /// Version and commit, in words.
    pub about: String,
    /// The driver's library, absolute.
    pub library: PathBuf,
    /// Parts that run only if they are asked for.
    pub on_request: Vec<String>,
    /// The jobs in their order.
    pub jobs: Vec<Job>,
}

/// Options of a run.
#[derive(Clone, Debug)]
pub struct Options {
    /// Time after which no job starts and those that run are killed.
    pub time: Option<Duration>,
    /// Jobs at once.
    pub workers: usize,
    /// The parts to run; if empty, all that need not be asked for.
    pub parts: Vec<String>,
    /// The folder of the results.
    pub out: PathBuf,
}

/// The way in which a job ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ended {
    /// With exit status 0.
    Pass,
    /// With another exit status, or with words that only a failure has.
    Fail,
    /// By a signal.
    Crash,
    /// It was killed at its own limit.
    Timeout,
    /// It was killed because the time of the whole run was over.
    Cut,
    /// The system lacks a library that its program is linked with, or the device what it needs.
    Skip,
}

impl Ended {
    /// All, in the order of reports.
    pub const ALL: [Ended; 6] = [
        Ended::Pass,
        Ended::Fail,
        Ended::Crash,
        Ended::Timeout,
        Ended::Cut,
        Ended::Skip,
    ];

    /// The word used in files and reports.
    pub fn word(self) -> &'static str {
        match self {
            Ended::Pass => "pass",
            Ended::Fail => "fail",
            Ended::Crash => "crash",
            Ended::Timeout => "timeout",
            Ended::Cut => "cut",
            Ended::Skip => "skip",
        }
    }

    /// Returns whether the driver did something wrong, as far as the job can tell.
    pub fn is_bad(self) -> bool {
        matches!(self, Ended::Fail | Ended::Crash | Ended::Timeout)
    }
}

/// A job's result.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The job's part.
    pub part: String,
    /// The job's name.
    pub name: String,
    /// Result.
    pub ended: Ended,
    /// Wall time.
    pub seconds: f64,
    /// Its output, or the end of it.
    pub log: String,
}

/// The results of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Results {
    /// The driver's words about its first device.
    pub facts: BTreeMap<String, String>,
    /// True if the jobs use the kit's loader of OpenCL although the system has one, which does not find the driver.
    pub own_loader: bool,
    /// The selected jobs, by part and name.
    pub selected: Vec<(String, String)>,
    /// Outcomes in the order in which the jobs ended.
    pub outcomes: Vec<Outcome>,
    /// Wall time of the run.
    pub seconds: f64,
}

impl Results {
    /// Returns whether something passed and nothing failed. Jobs that were cut or never started say nothing.
    pub fn good(&self) -> bool {
        let passed = |outcome: &Outcome| outcome.ended == Ended::Pass;
        self.outcomes.iter().any(passed) && !self.outcomes.iter().any(|o| o.ended.is_bad())
    }
}

fn text(value: &Value, key: &str) -> Result<String, String> {
    let text = value[key].as_str().map(String::from);
    text.ok_or_else(|| format!("`{key}` is no text"))
}

fn texts(value: &Value, key: &str) -> Result<Vec<String>, String> {
    let list = value[key].as_array();
    list.and_then(|list| list.iter().map(|t| t.as_str().map(String::from)).collect())
        .ok_or_else(|| format!("`{key}` is no list of texts"))
}

impl Job {
    fn read(value: &Value) -> Result<Job, String> {
        let words = texts(value, "words")?;
        if words.is_empty() {
            return Err("`words` is empty".to_string());
        }
        let env = match &value["env"] {
            Value::Null => Vec::new(),
            Value::Object(env) => (env.iter())
                .map(|(key, value)| Some((key.clone(), value.as_str()?.to_string())))
                .collect::<Option<Vec<_>>>()
                .ok_or("`env` has a value that is no text")?,
            _ => return Err("`env` is no object".to_string()),
        };
        let needs = match &value["needs"] {
            Value::Null => Vec::new(),
            _ => texts(value, "needs")?,
        };
        let limit = value["limit"].as_f64();
        let limit = limit
            .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
            .ok_or("`limit` is no number of seconds")?;
        Ok(Job {
            part: text(value, "part")?,
            name: text(value, "name")?,
            words,
            folder: value["folder"].as_str().unwrap_or(".").into(),
            env,
            needs,
            limit,
            alone: value["alone"].as_bool().unwrap_or(false),
            never: value["never"].as_str().map(String::from),
        })
    }

    /// Returns a feature that it needs and that a device, by its facts, does not have.
    fn missing(&self, facts: &BTreeMap<String, String>) -> Option<Feature> {
        let words: Vec<&str> = self.needs.iter().map(String::as_str).collect();
        Feature::first_missing(&words, facts)
    }

    /// A file name for its output, whatever its name is.
    fn log_name(&self) -> String {
        let plain = |c: char| match c.is_alphanumeric() || "-_.".contains(c) {
            true => c,
            false => '_',
        };
        let name = format!("{}-{}.txt", self.part, self.name);
        name.chars().map(plain).collect()
    }
}

impl Kit {
    /// Reads the kit in a folder.
    ///
    /// # Errors
    /// No `kit.json` there, or one that is no list of jobs: the message names the file.
    pub fn read(folder: &Path) -> Result<Kit, String> {
        let shown = |error: std::io::Error| format!("{}: {error}", folder.display());
        let folder = folder.canonicalize().map_err(shown)?;
        let path = folder.join("kit.json");
        let parse = || {
            let text = std::fs::read_to_string(&path).map_err(|error| error.to_string())?;
            let value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
            Kit::parse(&folder, &value)
        };
        parse().map_err(|error| format!("{}: {error}", path.display()))
    }

    fn parse(folder: &Path, value: &Value) -> Result<Kit, String> {
        let mut jobs = Vec::new();
        for (index, job) in (1..).zip(value["jobs"].as_array().ok_or("`jobs` is no list")?) {
            jobs.push(Job::read(job).map_err(|error| format!("job {index}: {error}"))?);
        }
        Ok(Kit {
            folder: folder.to_path_buf(),
            about: text(value, "about")?,
            library: folder.join(text(value, "library")?),
            on_request: texts(value, "on_request")?,
            jobs,
        })
    }

    /// The parts in the order of their first jobs.
    pub fn parts(&self) -> Vec<&str> {
        let mut parts = Vec::new();
        for job in &self.jobs {
            if !parts.contains(&job.part.as_str()) {
                parts.push(job.part.as_str());
            }
        }
        parts
    }

    /// The jobs of the parts that a run takes, part by part.
    ///
    /// # Errors
    /// A part that the kit does not have.
    fn select(&self, wanted: &[String]) -> Result<Vec<&Job>, String> {
        let parts = self.parts();
        if let Some(unknown) = wanted.iter().find(|part| !parts.contains(&part.as_str())) {
            let parts = parts.join(", ");
            return Err(format!("the kit has no part {unknown:?}, but {parts}"));
        }
        let taken = |part: &&str| {
            let among = |list: &[String]| list.iter().any(|name| name == part);
            among(wanted) || wanted.is_empty() && !among(&self.on_request)
        };
        let of_part = |part| self.jobs.iter().filter(move |job| job.part == part);
        Ok(parts.into_iter().filter(taken).flat_map(of_part).collect())
    }

    /// Runs the jobs and calls `progress` after each.
    ///
    /// # Errors
    /// A part that the kit does not have; a folder of results that cannot be written.
    pub fn run(
        &self,
        options: &Options,
        progress: impl Fn(&Results, &Outcome) + Sync,
    ) -> Result<Results, String> {
        let started = Instant::now();
        let jobs = self.select(&options.parts)?;
        let out = &options.out;
        let shown = |error: std::io::Error| format!("{}: {error}", out.display());
        // What an earlier run logged says nothing about this one. Another folder of that name is no run's.
        if out.join(LIST).exists() && out.join(LOGS).exists() {
            std::fs::remove_dir_all(out.join(LOGS)).map_err(shown)?;
        }
        std::fs::create_dir_all(out.join(LOGS)).map_err(shown)?;
        let out = out.canonicalize().map_err(shown)?;
        let list = File::create(out.join(LIST)).map_err(shown)?;
        let reached = self.reach_driver(&out, options.time)?;
        let results = Results {
            facts: reached.facts,
            own_loader: reached.own_loader,
            selected: (jobs.iter())
                .map(|job| (job.part.clone(), job.name.clone()))
                .collect(),
            ..Results::default()
        };
        let running = Running {
            kit: self,
            facts: results.facts.clone(),
            env: reached.env,
            out: &out,
            started,
            time: options.time,
            so_far: Mutex::new((results, list)),
        };
        running.write_report();
        for group in jobs.chunk_by(|one, next| !one.alone && !next.alone) {
            run::in_parallel(group, options.workers, |_, job| {
                if let Some(outcome) = running.job(job) {
                    running.keep(outcome, &progress);
                }
            });
        }
        running.write_report();
        // Caches of a run are of no further use.
        let _ = std::fs::remove_dir_all(out.join("cache"));
        let (results, _) = (running.so_far.into_inner()).map_err(|error| error.to_string())?;
        Ok(results)
    }
}

/// A run under way.
struct Running<'a> {
    kit: &'a Kit,
    facts: BTreeMap<String, String>,
    env: Vec<(String, String)>,
    out: &'a Path,
    started: Instant,
    time: Option<Duration>,
    so_far: Mutex<(Results, File)>,
}

impl Running<'_> {
    /// Runs a job; `None` if the time is over.
    fn job(&self, job: &Job) -> Option<Outcome> {
        let left = match self.time {
            None => Duration::MAX,
            Some(time) => time
                .checked_sub(self.started.elapsed())
                .filter(|left| *left >= SHORTEST)?,
        };
        let outcome = |ended, seconds, log| Outcome {
            part: job.part.clone(),
            name: job.name.clone(),
            ended,
            seconds,
            log,
        };
        if let Some(missing) = job.missing(&self.facts) {
            return Some(outcome(Ended::Skip, 0.0, missing.is_missing()));
        }
        let (program, arguments) = job.words.split_first()?;
        let mut command = Command::new(self.kit.folder.join(program));
        command
            .args(arguments.iter().map(|word| match word.strip_prefix(OUT) {
                Some(name) => self.out.join(name).into_os_string(),
                None => word.into(),
            }))
            .current_dir(self.kit.folder.join(&job.folder))
            .env_remove("OCL_ICD_FILENAMES")
            .envs(self.env.iter().map(|(key, value)| (key, value)))
            .envs(job.env.iter().map(|(key, value)| (key, value)));
        let path = self.out.join(LOGS).join(job.log_name());
        let begun = Instant::now();
        let end = process::run(&mut command, &path, job.limit.min(left));
        let seconds = begun.elapsed().as_secs_f64();
        let mut log = process::tail(&path, LOG_BYTES);
        let has = |text: &str| log.contains(text);
        let says = |text: &str| log.lines().any(|line| line.starts_with(text));
        let (ended, last) = match end {
            Err(error) => (Ended::Fail, format!("{program}: {error}")),
            Ok(End::Timeout) if job.limit <= left => {
                let limit = job.limit.as_secs_f64();
                (Ended::Timeout, format!("killed after {limit} s"))
            }
            Ok(End::Timeout) => (Ended::Cut, String::new()),
            Ok(End::Signal(signal)) => (Ended::Crash, format!("killed by signal {signal}")),
            Ok(End::Exit(0)) => match job.never.as_deref().filter(|text| says(text)) {
                Some(text) => (Ended::Fail, format!("exit status 0, but it said {text}")),
                None => (Ended::Pass, String::new()),
            },
            Ok(End::Exit(127)) if has(LACKS_LIBRARY) => (Ended::Skip, String::new()),
            Ok(End::Exit(code)) => (Ended::Fail, format!("exit status {code}")),
        };
        if ended == Ended::Pass && !job.alone {
            // The file is of no further use; one that stays does no harm.
            let _ = std::fs::remove_file(&path);
            log = last_bytes(&log, PASS_BYTES).to_string();
        }
        if !last.is_empty() {
            if !log.is_empty() && !log.ends_with('\n') {
                log.push('\n');
            }
            log += &last;
        }
        Some(outcome(ended, seconds, log))
    }

    /// Writes an outcome down.
    fn keep(&self, outcome: Outcome, progress: &impl Fn(&Results, &Outcome)) {
        let Ok(mut so_far) = self.so_far.lock() else {
            return;
        };
        let (results, list) = &mut *so_far;
        let line = json!({
            "part": outcome.part,
            "name": outcome.name,
            "result": outcome.ended.word(),
            "seconds": (outcome.seconds * 1000.0).round() / 1000.0,
            "log": outcome.log,
        });
        // A full disk must not end the run: the report is printed, too.
        let _ = writeln!(list, "{line}").and_then(|()| list.flush());
        results.outcomes.push(outcome);
        results.seconds = self.started.elapsed().as_secs_f64();
        if let Some(outcome) = results.outcomes.last() {
            progress(results, outcome);
        }
        drop(so_far);
        self.write_report();
    }

    fn write_report(&self) {
        if let Ok(so_far) = self.so_far.lock() {
            let report = self.kit.report(&so_far.0);
            let _ = std::fs::write(self.out.join("report.txt"), report);
        }
    }
}

/// The last bytes of a text, from the start of a character.
fn last_bytes(text: &str, bytes: usize) -> &str {
    let mut at = text.len().saturating_sub(bytes);
    while !text.is_char_boundary(at) {
        at += 1;
    }
    &text[at..]
}

#[cfg(test)]
mod tests {
    use super::{Kit, last_bytes};
    use crate::facts::Feature;
    use serde_json::json;
    use std::collections::BTreeMap;
    use std::path::Path;

    fn kit(jobs: serde_json::Value) -> Result<Kit, String> {
        let on_request = ["rough"];
        let value =
            json!({"about": "a", "library": "lib/l.so", "on_request": on_request, "jobs": jobs});
        Kit::parse(Path::new("/kit"), &value)
    }

    #[test]
    fn jobs_come_part_by_part_and_rough_ones_on_request() {
        let job = |part: &str, name: &str| json!({"part": part, "name": name, "words": ["x"], "limit": 1});
        let kit = kit(json!([
            job("facts", "a"),
            job("clients", "b"),
            job("facts", "c"),
            job("rough", "d"),
        ]))
        .unwrap();
        let names = |parts: &[&str]| {
            let parts: Vec<String> = parts.iter().map(|part| part.to_string()).collect();
            let jobs = kit.select(&parts)?;
            Ok::<_, String>(jobs.iter().map(|job| job.name.as_str()).collect::<String>())
        };
        assert_eq!(names(&[]), Ok("acb".to_string()));
        assert_eq!(names(&["rough", "clients"]), Ok("bd".to_string()));
        let error = names(&["client"]).unwrap_err();
        assert!(
            error.contains("\"client\", but facts, clients, rough"),
            "{error}"
        );
    }

    #[test]
    fn a_job_is_left_out_where_the_device_says_that_it_lacks_something() {
        let job = json!({"part": "p", "name": "a", "words": ["x"], "limit": 1, "needs": ["long-loops", "images"]});
        let kit = kit(json!([job])).unwrap();
        let missing = |key: &str, value: &str| {
            kit.jobs[0].missing(&BTreeMap::from([(key.to_string(), value.to_string())]))
        };
        assert_eq!(missing("images", "no"), Some(Feature::Images));
        assert_eq!(missing("images", "yes"), None);
        // It does not need doubles, and a device that did not answer may have images.
        assert_eq!(missing("double config", "0x0"), None);
        assert_eq!(missing("facts error", "exit status 1"), None);
    }

    #[test]
    fn a_job_without_sense_is_named() {
        let bad = [
            (json!({}), "`words` is no list of texts"),
            (json!({"words": []}), "`words` is empty"),
            (json!({"words": ["x", 1]}), "`words` is no list of texts"),
            (json!({"words": ["x"], "limit": -1}), "`limit` is no number"),
            (json!({"words": ["x"], "limit": 1}), "`part` is no text"),
            (
                json!({"words": ["x"], "env": {"A": 1}}),
                "`env` has a value",
            ),
            (
                json!({"words": ["x"], "needs": "images"}),
                "`needs` is no list of texts",
            ),
        ];
        for (job, why) in bad {
            let error = kit(json!([job])).unwrap_err();
            assert!(error.starts_with(&format!("job 1: {why}")), "{error}");
        }
        assert!(kit(json!(7)).is_err());
    }

    #[test]
    fn the_end_of_a_text_begins_with_a_whole_character() {
        assert_eq!(last_bytes("aµs", 2), "s");
        assert_eq!(last_bytes("aµs", 3), "µs");
        assert_eq!(last_bytes("a", 9), "a");
    }
}
