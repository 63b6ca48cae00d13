//! `pumice-cts run`.

use crate::{USAGE, environment, finish, read, read_run, write};
use pumice_cts_harness::facts;
use pumice_cts_harness::process;
use pumice_cts_harness::progress::Progress;
use pumice_cts_harness::record;
use pumice_cts_harness::result::{Outcome, Run, Status};
use pumice_cts_harness::run::{Job, RunOptions, cores, run_all};
use pumice_cts_harness::suite::{self, Suite, Tier};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::{Duration, Instant};

#[derive(Default)]
struct Arguments {
    bin: Option<PathBuf>,
    tier: Option<Tier>,
    list: Option<PathBuf>,
    suites: Vec<String>,
    tests: Vec<String>,
    icd: Option<PathBuf>,
    jobs: Option<usize>,
    timeout: Option<u64>,
    shard: Option<(usize, usize)>,
    resume: bool,
    expect: Option<PathBuf>,
    out: Option<PathBuf>,
    through: Vec<String>,
    extra: Vec<String>,
}

fn parse_shard(text: &str) -> Option<(usize, usize)> {
    let (index, count) = text.split_once('/')?;
    let (index, count) = (index.parse().ok()?, count.parse().ok()?);
    (1..=count).contains(&index).then_some((index, count))
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(String::from).collect()
}

fn parse(args: &[String]) -> Result<Arguments, String> {
    let mut parsed = Arguments::default();
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        let mut value = || rest.next().ok_or_else(|| format!("{arg} takes a value"));
        match arg.as_str() {
            "--bin" => parsed.bin = Some(value()?.into()),
            "--tier" => {
                let name = value()?;
                let tier = Tier::named(name).ok_or_else(|| format!("no tier named {name:?}"))?;
                parsed.tier = Some(tier);
            }
            "--list" => parsed.list = Some(value()?.into()),
            "--suite" => parsed.suites.push(value()?.clone()),
            "--test" => parsed.tests.push(value()?.clone()),
            "--icd" => parsed.icd = Some(value()?.into()),
            "--jobs" => parsed.jobs = Some(value()?.parse().map_err(|_| "--jobs takes a number")?),
            "--timeout" => {
                parsed.timeout = Some(value()?.parse().map_err(|_| "--timeout takes seconds")?)
            }
            "--shard" => {
                let shard = parse_shard(value()?).ok_or("--shard takes I/N with I from 1 to N")?;
                parsed.shard = Some(shard);
            }
            "--resume" => parsed.resume = true,
            "--expect" => parsed.expect = Some(value()?.into()),
            "--out" => parsed.out = Some(value()?.into()),
            "--through" => parsed.through = words(value()?),
            "--" => {
                parsed.extra = rest.cloned().collect();
                break;
            }
            other => return Err(format!("unknown argument {other:?}\n\n{USAGE}")),
        }
    }
    Ok(parsed)
}

/// The suites that the arguments select. A suite that no list names is found by its folder.
fn select(args: &Arguments, bin: &Path) -> Result<Vec<Suite>, String> {
    let tier = args.tier.unwrap_or(Tier::Wimpy);
    let mut suites = match &args.list {
        Some(list) => suite::read_list(&read(list)?, bin),
        None => tier.suites(bin)?,
    };
    if !args.suites.is_empty() {
        suites.retain(|suite| args.suites.iter().any(|wanted| suite.is_called(wanted)));
        for wanted in &args.suites {
            if suites.iter().any(|suite| suite.is_called(wanted)) {
                continue;
            }
            let found = Suite::in_folder(bin, wanted);
            suites.push(found.ok_or_else(|| format!("no suite named {wanted:?}"))?);
        }
    }
    if suites.is_empty() {
        Err("no suite is selected".to_string())
    } else {
        Ok(suites)
    }
}

/// Returns the jobs of the selected suites. The rest goes into `run.left_out`.
fn plan(args: &Arguments, bin: &Path, run: &mut Run) -> Result<Vec<Job>, String> {
    let device_type = run.facts.get(facts::DEVICE_TYPE).cloned();
    let mut jobs: Vec<Job> = Vec::new();
    for suite in select(args, bin)? {
        let other_type = |wanted: &String| {
            let short = wanted.trim_start_matches("CL_DEVICE_TYPE_");
            device_type
                .as_ref()
                .is_some_and(|is| !is.eq_ignore_ascii_case(short))
        };
        if let Some(wanted) = suite.device_type.as_ref().filter(|w| other_type(w)) {
            let why = format!("only for {wanted}");
            run.left_out.push((suite.title, why));
            continue;
        }
        match suite.jobs(&args.tests) {
            Ok(more) => jobs.extend(more),
            Err(why) => run.left_out.push((suite.name, why)),
        }
    }
    // Some suites take a repeated flag as its opposite.
    for job in &mut jobs {
        job.args
            .retain(|arg| !arg.starts_with('-') || !args.extra.contains(arg));
    }
    // Two lines of a list may select the same sub-test of the same suite.
    let mut seen = HashSet::new();
    jobs.retain(|job| seen.insert((job.suite.clone(), job.test.clone())));
    if let Some((index, count)) = args.shard {
        let mut at = 0;
        jobs.retain(|_| {
            at += 1;
            (at - 1) % count == index - 1
        });
    }
    Ok(jobs)
}

/// Times of an earlier result.
fn known_times(out: &Path) -> HashMap<(String, String), f64> {
    let earlier = std::fs::read_to_string(out)
        .ok()
        .and_then(|text| Run::from_json(&text).ok())
        .unwrap_or_default();
    (earlier.outcomes.into_iter())
        .map(|o| ((o.suite, o.test), o.seconds))
        .collect()
}

/// The sub-tests that passed or were skipped in the earlier run whose result lies at `out`, if one does.
fn ended_before(out: &Path, run: &Run) -> Result<Vec<Outcome>, String> {
    if !out.exists() {
        return Ok(Vec::new());
    }
    let earlier = read_run(out)?;
    let fact = |run: &Run| run.facts.get(facts::VULKAN_DRIVER).cloned();
    if fact(&earlier) != fact(run) {
        return Err(format!("{} is of another driver", out.display()));
    }
    let ended = |outcome: &Outcome| matches!(outcome.status, Status::Pass | Status::Skip);
    Ok(earlier.outcomes.into_iter().filter(ended).collect())
}

/// Writes what there is from time to time, so that a run that is killed is not lost.
fn keep(so_far: &Mutex<(Run, Instant)>, outcome: &Outcome, out: &Path) {
    let Ok(mut so_far) = so_far.lock() else {
        return;
    };
    let (run, written) = &mut *so_far;
    run.outcomes.push(outcome.clone());
    if written.elapsed() > Duration::from_secs(30) {
        run.facts
            .insert("unfinished".to_string(), "yes".to_string());
        // The end of the run says what stands in the way.
        let _ = write(out, &run.to_json());
        *written = Instant::now();
    }
}

/// Runs the sub-tests that the arguments select.
pub fn run(args: &[String]) -> Result<ExitCode, String> {
    let args = parse(args)?;
    let bin = args.bin.clone().ok_or("--bin is missing")?;
    let bin = bin
        .canonicalize()
        .map_err(|error| format!("{}: {error}", bin.display()))?;
    let scratch = std::env::temp_dir().join(format!("pumice-cts-{}", std::process::id()));
    let env = environment(args.icd.as_deref(), &scratch)?;
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let command = process::command(&args.through, &own);
    let mut run = Run {
        facts: facts::ask(command, "", &env, &scratch, Duration::from_secs(60)),
        ..Run::default()
    };
    if let Some(error) = run.facts.get(facts::ERROR) {
        eprintln!("the driver does not describe itself: {error}");
    }
    run.facts.extend(record::facts_of_now());
    let mut jobs = plan(&args, &bin, &mut run)?;
    for (suite, why) in &run.left_out {
        eprintln!("left out: {suite}: {why}");
    }
    let options = RunOptions {
        jobs: args.jobs.unwrap_or_else(cores),
        limit: Duration::from_secs(args.timeout.unwrap_or(300)),
        extra: args.extra.clone(),
        env,
        through: args.through.clone(),
        scratch: scratch.clone(),
    };
    let out = args.out.clone().unwrap_or_else(|| "cts-result.json".into());
    if args.resume {
        run.outcomes = ended_before(&out, &run)?;
        let ended = run.by_name();
        jobs.retain(|job| !ended.contains_key(&(&*job.suite, &*job.test)));
    }
    let names: Vec<(String, String)> = (jobs.iter())
        .map(|job| (job.suite.clone(), job.test.clone()))
        .collect();
    let start = Instant::now();
    let progress = Progress::new(&names, known_times(&out));
    let so_far = Mutex::new((run.clone(), Instant::now()));
    let outcomes = run_all(&jobs, &options, |outcome| {
        progress.ended(outcome);
        keep(&so_far, outcome, &out);
    });
    run.merge(Run {
        outcomes,
        ..Run::default()
    });
    // Scratch files of tests are of no further use.
    let _ = std::fs::remove_dir_all(&scratch);
    let tier = args.tier.unwrap_or(Tier::Wimpy);
    let tier = Tier::ALL.iter().find(|(_, t)| *t == tier).map(|(n, _)| *n);
    let about = [
        (
            "tier",
            args.list
                .as_ref()
                .map_or(tier.unwrap_or_default().to_string(), |l| {
                    l.display().to_string()
                }),
        ),
        ("arguments", args.extra.join(" ")),
        ("seconds", format!("{:.0}", start.elapsed().as_secs_f64())),
        ("jobs", options.jobs.to_string()),
        ("time limit", format!("{} s", options.limit.as_secs())),
    ];
    for (key, value) in about {
        if !value.is_empty() {
            run.facts.insert(key.to_string(), value);
        }
    }
    finish(&run, "OpenCL-CTS", &out, args.expect.as_deref())
}

/// Prints the suites of a build, each with the words that run all of it in one process.
pub fn list(args: &[String]) -> Result<ExitCode, String> {
    let args = parse(args)?;
    let bin = args.bin.clone().ok_or("--bin is missing")?;
    let suites: Vec<serde_json::Value> = (select(&args, &bin)?.iter())
        .map(|suite| {
            let words = [suite.flags.as_slice(), &suite.words].concat();
            serde_json::json!({
                "title": suite.title,
                "name": suite.name,
                "binary": suite.binary.strip_prefix(&bin).unwrap_or(&suite.binary),
                "words": words,
                "device_type": suite.device_type,
            })
        })
        .collect();
    println!("{:#}", serde_json::Value::from(suites));
    Ok(ExitCode::SUCCESS)
}
