//! The test tool: `pumice-cts run` over a built OpenCL-CTS, `pumice-cts compare` of two results.

use pumice_cts_harness::result::{Run, Status, compare};
use pumice_cts_harness::run::{Job, Options, run_all};
use pumice_cts_harness::suite::{Suite, read_list};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

const USAGE: &str = "\
pumice-cts run --bin DIR [options]     runs sub-tests of a built OpenCL-CTS
    --bin DIR          folder with the suites (test_conformance of the build)
    --list FILE        CTS list; default opencl_conformance_tests_quick.csv of DIR
    --suite NAME       only this suite (may be repeated), listed or not
    --test PATTERN     only sub-tests that match (may be repeated)
    --icd PATH         the driver: a library or a folder of .icd files; default the system's
    --jobs N           processes at once; default the number of cores
    --timeout SECONDS  limit of a sub-test; default 300
    --out FILE         where the JSON result goes; default cts-result.json
    -- ARGS            passed to every test binary, e.g. -w
pumice-cts compare BEFORE.json AFTER.json
    lists what changed; exit status 1 when a sub-test that passed no longer does
";

#[derive(Default)]
struct Arguments {
    bin: Option<PathBuf>,
    list: Option<PathBuf>,
    suites: Vec<String>,
    tests: Vec<String>,
    icd: Option<PathBuf>,
    jobs: Option<usize>,
    timeout: Option<u64>,
    out: Option<PathBuf>,
    extra: Vec<String>,
}

fn parse(args: &[String]) -> Result<Arguments, String> {
    let mut parsed = Arguments::default();
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        let mut value = || rest.next().ok_or_else(|| format!("{arg} takes a value"));
        match arg.as_str() {
            "--bin" => parsed.bin = Some(value()?.into()),
            "--list" => parsed.list = Some(value()?.into()),
            "--suite" => parsed.suites.push(value()?.clone()),
            "--test" => parsed.tests.push(value()?.clone()),
            "--icd" => parsed.icd = Some(value()?.into()),
            "--jobs" => parsed.jobs = Some(value()?.parse().map_err(|_| "--jobs takes a number")?),
            "--timeout" => {
                parsed.timeout = Some(value()?.parse().map_err(|_| "--timeout takes seconds")?)
            }
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

/// The suites that the arguments select. A suite that no list names is found by its folder.
fn select(args: &Arguments, bin: &Path) -> Result<Vec<Suite>, String> {
    let list = args
        .list
        .clone()
        .unwrap_or_else(|| bin.join("opencl_conformance_tests_quick.csv"));
    let text =
        std::fs::read_to_string(&list).map_err(|error| format!("{}: {error}", list.display()))?;
    let mut suites = read_list(&text, bin);
    if !args.suites.is_empty() {
        suites.retain(|suite| args.suites.contains(&suite.name));
        for wanted in &args.suites {
            let binary = bin.join(wanted).join(format!("test_{wanted}"));
            if suites.iter().all(|suite| suite.name != *wanted) && binary.is_file() {
                suites.push(Suite {
                    title: wanted.clone(),
                    name: wanted.clone(),
                    binary,
                    flags: Vec::new(),
                    patterns: Vec::new(),
                });
            }
        }
    }
    if !args.tests.is_empty() {
        for suite in &mut suites {
            suite.patterns = args.tests.clone();
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
    let mut jobs = Vec::new();
    for suite in select(&args, &bin)? {
        match suite.sub_tests() {
            Ok(tests) => jobs.extend(tests.into_iter().map(|test| Job {
                suite: suite.clone(),
                test,
            })),
            Err(why) => eprintln!("left out: {why}"),
        }
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
    let start = Instant::now();
    let total = jobs.len();
    let outcomes = run_all(&jobs, &options, |done, outcome| {
        let left = start.elapsed().as_secs_f64() / done as f64 * (total - done) as f64;
        let mark = if outcome.status == Status::Pass {
            ""
        } else {
            "  <--"
        };
        println!(
            "[{done}/{total}, {left:.0} s left] {:8} {} {} ({:.1} s){mark}",
            outcome.status.word(),
            outcome.suite,
            outcome.test,
            outcome.seconds
        );
        // Progress only.
        let _ = std::io::stdout().flush();
    });
    // Scratch files of tests are of no further use.
    let _ = std::fs::remove_dir_all(&scratch);
    let mut run = Run {
        outcomes,
        ..Run::default()
    };
    if let Some(icd) = &args.icd {
        run.facts
            .insert("icd".to_string(), icd.display().to_string());
    }
    run.facts.insert(
        "seconds".to_string(),
        format!("{:.0}", start.elapsed().as_secs_f64()),
    );
    let out = args.out.unwrap_or_else(|| "cts-result.json".into());
    std::fs::write(&out, run.to_json()).map_err(|error| format!("{}: {error}", out.display()))?;
    print!("\n{}", run.table());
    println!("written to {}", out.display());
    let bad = run
        .outcomes
        .iter()
        .any(|outcome| !matches!(outcome.status, Status::Pass | Status::Skip));
    Ok(if bad {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

fn compare_files(args: &[String]) -> Result<ExitCode, String> {
    let [before, after] = args else {
        return Err(USAGE.to_string());
    };
    let read = |path: &String| {
        let text = std::fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
        Run::from_json(&text).map_err(|error| format!("{path}: {error}"))
    };
    let changes = compare(&read(before)?, &read(after)?);
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

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let result = match args.split_first() {
        Some((command, rest)) if command == "run" => run(rest),
        Some((command, rest)) if command == "compare" => compare_files(rest),
        _ => Err(USAGE.to_string()),
    };
    result.unwrap_or_else(|message| {
        eprintln!("pumice-cts: {message}");
        ExitCode::from(2)
    })
}
