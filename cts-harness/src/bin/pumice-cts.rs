//! The test tool: `pumice-cts run` over a built OpenCL-CTS, and what to do with its results.

use pumice_cts_harness::expect::{self, Deviation, Expectations};
use pumice_cts_harness::html::{Column, page};
use pumice_cts_harness::progress::Progress;
use pumice_cts_harness::result::{Outcome, Run, Status, compare};
use pumice_cts_harness::run::{Job, Options, run_all};
use pumice_cts_harness::suite::{Suite, Tier};
use pumice_cts_harness::{facts, suite};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::{Duration, Instant};

const USAGE: &str = "\
pumice-cts run --bin DIR [options]     runs sub-tests of a built OpenCL-CTS
    --bin DIR          folder with the suites (test_conformance of the build)
    --tier TIER        wimpy (default), quick or full: which of DIR's lists, with -w or not
    --list FILE        another list instead of a tier's
    --suite NAME       only this suite (may be repeated), listed or not
    --test PATTERN     only sub-tests that match (may be repeated)
    --icd PATH         the driver: a library or a folder of .icd files; default the system's
    --jobs N           processes at once; default the number of cores
    --timeout SECONDS  limit of a sub-test; default 300
    --shard I/N        only each Nth sub-test, from the Ith (1 to N)
    --expect FILE      expectations; default those that belong to the driver, if any do
    --out FILE         where the JSON result goes; default cts-result.json. The report lies
                       beside it with the extension .html. Times of an earlier result there
                       make the guess of the time left better
    -- ARGS            passed to every test binary, e.g. -w
    exit status 1 when the expectations do not hold (without any: when something fails)
pumice-cts report OUT.html [TITLE=]RESULT.json...
    one page of one result or several side by side
pumice-cts merge OUT.json RESULT.json...
    makes one result of shards, later ones win
pumice-cts compare BEFORE.json AFTER.json
    lists what changed; exit status 1 when a sub-test that passed no longer does
pumice-cts expect RESULT.json
    the lines of an expectation file that the result needs
pumice-cts facts [PLATFORM]
    what the driver says about its first device, as JSON
";

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
    expect: Option<PathBuf>,
    out: Option<PathBuf>,
    extra: Vec<String>,
}

fn parse_shard(text: &str) -> Option<(usize, usize)> {
    let (index, count) = text.split_once('/')?;
    let (index, count) = (index.parse().ok()?, count.parse().ok()?);
    (1..=count).contains(&index).then_some((index, count))
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
            "--expect" => parsed.expect = Some(value()?.into()),
            "--out" => parsed.out = Some(value()?.into()),
            "--" => {
                parsed.extra = rest.cloned().collect();
                break;
            }
            other => return Err(format!("unknown argument {other:?}\n\n{USAGE}")),
        }
    }
    Ok(parsed)
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}

fn read_run(path: &str) -> Result<Run, String> {
    Run::from_json(&read(Path::new(path))?).map_err(|error| format!("{path}: {error}"))
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

/// The vendors folder for a driver library or folder.
fn vendors(icd: &Path, scratch: &Path) -> Result<PathBuf, String> {
    let icd = icd
        .canonicalize()
        .map_err(|error| format!("{}: {error}", icd.display()))?;
    if icd.is_dir() {
        return Ok(icd);
    }
    let dir = scratch.join("vendors");
    let text = format!("{}\n", icd.display());
    std::fs::create_dir_all(&dir)
        .and_then(|()| std::fs::write(dir.join("driver.icd"), text))
        .map_err(|error| format!("{}: {error}", dir.display()))?;
    Ok(dir)
}

/// What to run of the selected suites. The rest goes into `run.left_out`.
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

/// The expectations for a run: a file's, or those of the repository for its driver.
fn expectations(args: &Arguments, run: &Run) -> Result<Option<Expectations>, String> {
    match &args.expect {
        Some(path) => Expectations::parse(&path.display().to_string(), &read(path)?).map(Some),
        None => Expectations::for_run(run),
    }
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

fn run(args: &[String]) -> Result<ExitCode, String> {
    let args = parse(args)?;
    let bin = args.bin.clone().ok_or("--bin is missing")?;
    let bin = bin
        .canonicalize()
        .map_err(|error| format!("{}: {error}", bin.display()))?;
    let scratch = std::env::temp_dir().join(format!("pumice-cts-{}", std::process::id()));
    let mut env = Vec::new();
    if let Some(icd) = &args.icd {
        env.push((
            "OCL_ICD_VENDORS".to_string(),
            vendors(icd, &scratch)?.display().to_string(),
        ));
    }
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut run = Run {
        facts: facts::ask(&own, "", &env, &scratch, Duration::from_secs(60)),
        ..Run::default()
    };
    if let Some(error) = run.facts.get(facts::ERROR) {
        eprintln!("the driver does not describe itself: {error}");
    }
    let jobs = plan(&args, &bin, &mut run)?;
    for (suite, why) in &run.left_out {
        eprintln!("left out: {suite}: {why}");
    }
    let options = Options {
        jobs: args
            .jobs
            .unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from)),
        limit: Duration::from_secs(args.timeout.unwrap_or(300)),
        extra: args.extra.clone(),
        env,
        scratch: scratch.clone(),
    };
    let out = args.out.clone().unwrap_or_else(|| "cts-result.json".into());
    let names: Vec<(String, String)> = (jobs.iter())
        .map(|job| (job.suite.clone(), job.test.clone()))
        .collect();
    let start = Instant::now();
    let progress = Progress::new(&names, known_times(&out));
    let so_far = Mutex::new((run.clone(), Instant::now()));
    run.outcomes = run_all(&jobs, &options, |outcome| {
        progress.ended(outcome);
        keep(&so_far, outcome, &out);
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
    write(&out, &run.to_json())?;
    print!("\n{}", run.table());
    let expected = expectations(&args, &run)?;
    let deviations = expected.as_ref().map(|file| file.deviations(&run));
    let report = out.with_extension("html");
    let column = Column {
        title: title(&run),
        deviations: deviations.clone().unwrap_or_default(),
        run: run.clone(),
    };
    write(&report, &page(&[column]))?;
    println!("written to {} and {}", out.display(), report.display());
    Ok(verdict(&run, expected.as_ref(), deviations.as_deref()))
}

/// Says whether the expectations hold, and the exit status.
fn verdict(
    run: &Run,
    expected: Option<&Expectations>,
    deviations: Option<&[Deviation]>,
) -> ExitCode {
    let bad = match (expected, deviations) {
        (Some(file), Some(deviations)) => {
            for d in deviations {
                let words: Vec<&str> = d.expected.iter().map(|s| s.word()).collect();
                println!(
                    "{:8} {} {}, expected {}",
                    d.got.word(),
                    d.suite,
                    d.test,
                    words.join(" or ")
                );
            }
            println!(
                "expectations of {}: {}",
                file.name,
                if deviations.is_empty() {
                    "hold".to_string()
                } else {
                    format!("{} sub-tests ended otherwise", deviations.len())
                }
            );
            !deviations.is_empty()
        }
        _ => run
            .outcomes
            .iter()
            .any(|outcome| !matches!(outcome.status, Status::Pass | Status::Skip)),
    };
    if bad || run.outcomes.is_empty() {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    }
}

/// A run's heading: its platform.
fn title(run: &Run) -> String {
    (run.facts.get(facts::PLATFORM).cloned()).unwrap_or_else(|| "unknown driver".to_string())
}

fn report(args: &[String]) -> Result<ExitCode, String> {
    let (out, results) = args.split_first().ok_or(USAGE)?;
    let mut columns = Vec::new();
    for result in results {
        let (name, path) = match result.split_once('=') {
            Some((name, path)) => (Some(name.to_string()), path),
            None => (None, result.as_str()),
        };
        let run = read_run(path)?;
        let deviations = Expectations::for_run(&run)?.map(|file| file.deviations(&run));
        columns.push(Column {
            title: name.unwrap_or_else(|| title(&run)),
            deviations: deviations.unwrap_or_default(),
            run,
        });
    }
    if columns.is_empty() {
        return Err(USAGE.to_string());
    }
    write(Path::new(out), &page(&columns))?;
    Ok(ExitCode::SUCCESS)
}

fn merge(args: &[String]) -> Result<ExitCode, String> {
    let (out, shards) = args.split_first().ok_or(USAGE)?;
    let (first, rest) = shards.split_first().ok_or(USAGE)?;
    let mut whole = read_run(first)?;
    for shard in rest {
        whole.merge(read_run(shard)?);
    }
    write(Path::new(out), &whole.to_json())?;
    print!("{}", whole.table());
    Ok(ExitCode::SUCCESS)
}

fn compare_files(args: &[String]) -> Result<ExitCode, String> {
    let [before, after] = args else {
        return Err(USAGE.to_string());
    };
    let changes = compare(&read_run(before)?, &read_run(after)?);
    for (test, was, is) in &changes {
        println!("{:8} -> {:8} {test}", was.word(), is.word());
    }
    let regressed = changes
        .iter()
        .filter(|(_, was, _)| *was == Status::Pass)
        .count();
    println!("{} changed, {regressed} no longer pass", changes.len());
    Ok(if regressed > 0 {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

fn expect_lines(args: &[String]) -> Result<ExitCode, String> {
    let [result] = args else {
        return Err(USAGE.to_string());
    };
    print!("{}", expect::lines_for(&read_run(result)?));
    Ok(ExitCode::SUCCESS)
}

fn print_facts(args: &[String]) -> Result<ExitCode, String> {
    let platform = args.first().map_or("", String::as_str);
    let facts = facts::gather(platform).map_err(|error| error.to_string())?;
    println!("{:#}", serde_json::json!(facts));
    Ok(ExitCode::SUCCESS)
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (command, rest) = args
        .split_first()
        .map_or(("", &[][..]), |(command, rest)| (command.as_str(), rest));
    let result = match command {
        "run" => run(rest),
        "report" => report(rest),
        "merge" => merge(rest),
        "compare" => compare_files(rest),
        "expect" => expect_lines(rest),
        "facts" => print_facts(rest),
        _ => Err(USAGE.to_string()),
    };
    result.unwrap_or_else(|message| {
        eprintln!("pumice-cts: {message}");
        ExitCode::from(2)
    })
}
