//! The test tool: `pumice-cts run` over a built OpenCL-CTS, `pumice-cts apps` over real
//! applications, and what to do with their results.

mod apps;
mod kit;
mod run;

use pumice_cts_harness::apps::SUITE;
use pumice_cts_harness::expect::{self, Deviation, Expectations};
use pumice_cts_harness::facts;
use pumice_cts_harness::html::{Column, page};
use pumice_cts_harness::record::{self, Record};
use pumice_cts_harness::result::{Run, Status, compare};
use pumice_cts_harness::run::vendors_folder;
use std::path::Path;
use std::process::ExitCode;

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
    --through WORDS    the command that runs the test binaries, without quotes; for example
                       \"env NAME=VALUE ld.so --library-path DIR\"
    --shard I/N        only each Nth sub-test, from the Ith (1 to N)
    --resume           goes on with an earlier run: keeps the passes and skips that FILE of --out has
    --expect FILE      expectations; default those that belong to the driver, if any do
    --out FILE         where the JSON result goes; default cts-result.json. The report lies
                       beside it with the extension .html. Times of an earlier result there
                       make the guess of the time left better
    -- ARGS            passed to every test binary, e.g. -w
    exit status 1 when the expectations do not hold (without any: when something fails)
pumice-cts apps [options] [NAME...]    runs real applications, all or those named
    --icd PATH         as above
    --quick            only those that install within a minute
    --install          installs what is missing (apt-get, pip)
    --home DIR         folder for what is installed; default pumice-apps in the cache folder
    --timeout SECONDS  limit of an application, for slow devices; default its own
    --list             shows the applications and how to install them
    --expect FILE, --out FILE   as above; default apps-result.json
pumice-cts kit FOLDER [options]        runs the test kit that cargo xtask kit made
    --seconds N        starts nothing after this time and kills what runs; default no limit
    --jobs N           processes at once; default the number of cores, at most 8
    --part PART        only this part of the kit (may be repeated)
    --out FOLDER       where results.jsonl, report.txt and logs go; default FOLDER/results
    exit status 1 when something fails
pumice-cts suites --bin DIR [--tier TIER]
    the suites of a built OpenCL-CTS as JSON: binary and words of each line of the tier's lists
pumice-cts report OUT.html [TITLE=]RESULT.json...
    one page of one result or several side by side
pumice-cts merge OUT.json RESULT.json...
    makes one result of shards, later ones win
pumice-cts compare BEFORE.json AFTER.json
    lists what changed; exit status 1 when a sub-test that passed no longer does
pumice-cts expect RESULT.json
    the lines of an expectation file that the result needs
pumice-cts record [RESULT.json...]
    notes in cts-harness/record what each sub-test did, and makes docs/conformance-record.md from it
pumice-cts facts [PLATFORM]
    what the driver says about its first device, as JSON
";

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}

fn read_run(path: impl AsRef<Path>) -> Result<Run, String> {
    let path = path.as_ref();
    Run::from_json(&read(path)?).map_err(|error| format!("{}: {error}", path.display()))
}

/// The environment that makes a driver (a library, or a folder of .icd files) the only one, and Pumice
/// take a Vulkan driver with wrong results too: the expectations know them.
fn environment(icd: Option<&Path>, scratch: &Path) -> Result<Vec<(String, String)>, String> {
    let faulty = ("PUMICE_FAULTY_DRIVERS".to_string(), "on".to_string());
    let Some(icd) = icd else {
        return Ok(vec![faulty]);
    };
    let icd = icd
        .canonicalize()
        .map_err(|error| format!("{}: {error}", icd.display()))?;
    let vendors = if icd.is_dir() {
        icd
    } else {
        vendors_folder(&icd, scratch)?
    };
    let vendors = vendors.display().to_string();
    Ok(vec![("OCL_ICD_VENDORS".to_string(), vendors), faulty])
}

/// Writes result and report, prints the counts, and says whether the expectations hold: a file's,
/// or those of the repository for the driver.
fn finish(run: &Run, what: &str, out: &Path, expect: Option<&Path>) -> Result<ExitCode, String> {
    write(out, &run.to_json())?;
    print!("\n{}", run.table());
    let expected = match expect {
        Some(path) => {
            let name = path.display().to_string();
            Some(Expectations::parse(&name, &read(path)?)?)
        }
        None => Expectations::for_run(run)?,
    };
    let deviations = expected.as_ref().map(|file| file.deviations(run));
    let report = out.with_extension("html");
    let column = Column {
        title: title(run),
        deviations: deviations.clone().unwrap_or_default(),
        run: run.clone(),
    };
    write(&report, &page(what, &[column]))?;
    println!("written to {} and {}", out.display(), report.display());
    Ok(verdict(run, expected.as_ref(), deviations.as_deref()))
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
    let of_apps = |column: &Column| column.run.outcomes.iter().all(|o| o.suite == SUITE);
    let what = if columns.iter().all(of_apps) {
        "Applications"
    } else {
        "OpenCL-CTS"
    };
    write(Path::new(out), &page(what, &columns))?;
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

/// Notes results in the repository's record and makes its page again.
fn note(args: &[String]) -> Result<ExitCode, String> {
    let folder = record::folder();
    for result in args {
        let run = read_run(result)?;
        let driver = Record::driver_of(&run).map_err(|error| format!("{result}: {error}"))?;
        let path = folder.join(Record::file_name(&driver));
        let mut record = match path.exists() {
            true => Record::parse(&path.display().to_string(), &read(&path)?)?,
            false => Record::new(driver),
        };
        record
            .note(&run)
            .map_err(|error| format!("{result}: {error}"))?;
        write(&path, &record.text())?;
    }
    let page = record::page_path();
    write(&page, &record::page(&record::read_all(&folder)?))?;
    println!("written to {} and {}", folder.display(), page.display());
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
    let is_help = |word: &str| matches!(word, "help" | "--help" | "-h");
    let asked = rest.first().map_or(command, String::as_str);
    let result = match command {
        _ if is_help(command) || is_help(asked) => {
            println!("{USAGE}");
            Ok(ExitCode::SUCCESS)
        }
        "run" => run::run(rest),
        "apps" => apps::run(rest),
        "kit" => kit::run(rest),
        "suites" => run::list(rest),
        "report" => report(rest),
        "merge" => merge(rest),
        "compare" => compare_files(rest),
        "expect" => expect_lines(rest),
        "record" => note(rest),
        "facts" => print_facts(rest),
        _ => Err(USAGE.to_string()),
    };
    result.unwrap_or_else(|message| {
        eprintln!("pumice-cts: {message}");
        ExitCode::from(2)
    })
}
