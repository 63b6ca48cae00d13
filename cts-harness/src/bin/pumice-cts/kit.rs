//! `pumice-cts kit`.

use crate::USAGE;
use pumice_cts_harness::kit::{Kit, Options, Outcome, Results};
use pumice_cts_harness::run::cores;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// Most jobs at once, if nobody asks for more: processes that open a device at once wait for each other.
const MOST_JOBS: usize = 8;

/// Runs a kit.
pub fn run(args: &[String]) -> Result<ExitCode, String> {
    let (mut folder, mut time, mut jobs, mut out) = (None, None, None, None);
    let mut parts = Vec::new();
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        let mut value = || rest.next().ok_or_else(|| format!("{arg} takes a value"));
        match arg.as_str() {
            "--seconds" => {
                let seconds: u64 = value()?.parse().map_err(|_| "--seconds takes a number")?;
                time = Some(Duration::from_secs(seconds));
            }
            "--jobs" => jobs = Some(value()?.parse().map_err(|_| "--jobs takes a number")?),
            "--part" => parts.push(value()?.clone()),
            "--out" => out = Some(PathBuf::from(value()?)),
            word if !word.starts_with('-') && folder.is_none() => folder = Some(word),
            other => return Err(format!("unknown argument {other:?}\n\n{USAGE}")),
        }
    }
    let kit = Kit::read(folder.ok_or("the kit's folder is missing")?.as_ref())?;
    let options = Options {
        time,
        workers: jobs.unwrap_or_else(|| cores().min(MOST_JOBS)),
        parts,
        out: out.unwrap_or_else(|| kit.folder.join("results")),
    };
    println!("{}: results go to {}", kit.about, options.out.display());
    let results = kit.run(&options, progress)?;
    let mut stdout = std::io::stdout().lock();
    // The report is on disk, too.
    let _ = write!(stdout, "\n{}", kit.report(&results));
    let _ = writeln!(stdout, "\nwritten to {}", options.out.display());
    Ok(match results.good() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}

/// Prints a line a job.
fn progress(results: &Results, outcome: &Outcome) {
    let (done, all) = (results.outcomes.len(), results.selected.len());
    let (word, part) = (outcome.ended.word(), &outcome.part);
    let (name, seconds) = (&outcome.name, outcome.seconds);
    // A line that cannot be shown must not end the run.
    let mut stdout = std::io::stdout().lock();
    let _ = writeln!(
        stdout,
        "[{done}/{all}] {word:8}{part} {name} ({seconds:.1} s)"
    );
    let _ = stdout.flush();
}
