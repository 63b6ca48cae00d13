//! Measures drivers, one or two alternately; [`USAGE`] says how.
//!
//! Both must be visible to the ICD loader (`OCL_ICD_VENDORS` names a folder with both).

use pumice_cts_harness::bench::{self, Choice, Clock, Report, child};
use pumice_cts_harness::isa;
use std::path::Path;
use std::process::ExitCode;

const USAGE: &str = "\
pumice-bench [options] PLATFORM [OTHER]
    --rounds N          how often each figure is taken; default 3
    --only TEXT         rows whose name contains the text; may be repeated
    --long              also what takes minutes on a slow driver
    --processor-time    kernels by the processor time of all threads
    --json FILE         everything, every round
    --markdown FILE     the table
    --svg PREFIX        PREFIX-overheads.svg and PREFIX-kernels.svg: the ratios
pumice-bench page OUT.md HEADING=RUN.json...
    the page of the documentation from several runs, its pictures beside it
";

/// Notes on the page besides the figures.
const NOTES: &str = include_str!("../../bench/notes.md");

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match args.split_first() {
        Some((word, rest)) if word == "child" => serve(rest),
        Some((word, rest)) if word == "page" => page(rest),
        Some((word, rest)) if word == "isa" => isa::command(rest),
        _ => measure(&args),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::from(2)
        }
    }
}

fn serve(words: &[String]) -> Result<(), String> {
    println!("{}", child::serve(words).map_err(|why| why.to_string())?);
    Ok(())
}

fn write(path: &str, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|error| format!("{path}: {error}"))
}

/// Writes the pictures that there are and returns their file names.
fn plots(report: &Report, prefix: &str) -> Result<Vec<String>, String> {
    let mut names = Vec::new();
    for (word, kernels) in [("overheads", false), ("kernels", true)] {
        if let Some(svg) = report.plot(kernels) {
            let path = format!("{prefix}-{word}.svg");
            write(&path, &svg)?;
            names.push(path);
        }
    }
    Ok(names)
}

fn measure(args: &[String]) -> Result<(), String> {
    let mut args = args.iter().cloned();
    let mut choice = Choice {
        rounds: 3,
        only: Vec::new(),
        long: false,
        clock: Clock::Wall,
    };
    let (mut json, mut markdown, mut svg) = (None, None, None);
    let mut platforms = Vec::new();
    while let Some(arg) = args.next() {
        let mut value = || {
            args.next()
                .ok_or_else(|| format!("{arg} needs a value\n{USAGE}"))
        };
        match arg.as_str() {
            "--rounds" => choice.rounds = value()?.parse().map_err(|_| USAGE.to_string())?,
            "--only" => choice.only.push(value()?),
            "--long" => choice.long = true,
            "--processor-time" => choice.clock = Clock::Processor,
            "--json" => json = Some(value()?),
            "--markdown" => markdown = Some(value()?),
            "--svg" => svg = Some(value()?),
            option if option.starts_with('-') => return Err(USAGE.to_string()),
            _ => platforms.push(arg),
        }
    }
    if platforms.is_empty() || platforms.len() > 2 || choice.rounds == 0 {
        return Err(format!("{USAGE}{}", isa::USAGE));
    }
    let report = bench::run(&platforms, &choice, progress).map_err(|e| e.to_string())?;
    print!("{}", report.table());
    if let Some(path) = json {
        write(&path, &format!("{:#}\n", report.json()))?;
    }
    if let Some(path) = markdown {
        write(&path, &report.table())?;
    }
    if let Some(prefix) = svg {
        plots(&report, &prefix)?;
    }
    Ok(())
}

/// Tells a figure on standard error as soon as it is taken, so that a run that is stopped is not lost.
fn progress(figure: &str) {
    eprintln!("{figure}");
}

fn page(args: &[String]) -> Result<(), String> {
    let (out, runs) = args.split_first().ok_or(USAGE)?;
    let mut text = NOTES.to_string();
    for (index, run) in runs.iter().enumerate() {
        let (heading, path) = run.split_once('=').ok_or(USAGE)?;
        let json = std::fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
        let value = serde_json::from_str(&json).map_err(|error| format!("{path}: {error}"))?;
        let report = Report::from_json(&value).map_err(|why| format!("{path}: {why}"))?;
        text += &format!("\n## {heading}\n\n{}", report.table());
        let prefix = format!("{}-{}", out.trim_end_matches(".md"), index + 1);
        for plot in plots(&report, &prefix)? {
            let name = Path::new(&plot).file_name().unwrap_or_default();
            text += &format!("\n![ratios]({})\n", name.to_string_lossy());
        }
    }
    write(out, &text)
}
