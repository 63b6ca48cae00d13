//! Measures drivers: `pumice-bench [--rounds N] [--only TEXT] [--processor-time] [--json FILE]
//! [--markdown FILE] PLATFORM [OTHER]`.
//!
//! With two platforms each figure is taken on both alternately. Both must be visible to the ICD
//! loader (`OCL_ICD_VENDORS` names a folder with both).

use pumice_cts_harness::bench::{self, Clock};
use std::process::ExitCode;

const USAGE: &str = "usage: pumice-bench [--rounds N] [--only TEXT] [--processor-time] \
                     [--json FILE] [--markdown FILE] PLATFORM [OTHER]";

fn main() -> ExitCode {
    match measure() {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::from(2)
        }
    }
}

fn measure() -> Result<(), String> {
    let mut args = std::env::args().skip(1);
    let (mut rounds, mut only, mut json, mut markdown) = (3, String::new(), None, None);
    let mut platforms = Vec::new();
    let mut clock = Clock::Wall;
    while let Some(arg) = args.next() {
        let mut value = || {
            args.next()
                .ok_or_else(|| format!("{arg} needs a value\n{USAGE}"))
        };
        match arg.as_str() {
            "--rounds" => rounds = value()?.parse().map_err(|_| USAGE.to_string())?,
            "--only" => only = value()?,
            "--processor-time" => clock = Clock::Processor,
            "--json" => json = Some(value()?),
            "--markdown" => markdown = Some(value()?),
            option if option.starts_with('-') => return Err(USAGE.to_string()),
            _ => platforms.push(arg),
        }
    }
    if platforms.is_empty() || platforms.len() > 2 || rounds == 0 {
        return Err(USAGE.to_string());
    }
    let report = bench::run(&platforms, rounds, &only, clock).map_err(|e| e.to_string())?;
    print!("{}", report.table());
    let write = |path: Option<String>, text: String| match path {
        Some(path) => std::fs::write(&path, text).map_err(|e| format!("{path}: {e}")),
        None => Ok(()),
    };
    write(json, format!("{:#}\n", report.json()))?;
    let head = "# Benchmarks\n\nWritten by `pumice-bench --markdown`: medians of the rounds, \
                and how much better driver 1 is than driver 2 (above 1 is better, whatever the \
                unit).\n\n";
    write(markdown, format!("{head}{}", report.table()))
}
