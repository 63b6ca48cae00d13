//! `pumice-trace`: what Pumice ran, as a page.
//!
//! Reads traces that the driver writes (`PUMICE_TRACE`), or runs a program with one. It shares nothing with the
//! driver: the file is Chrome's format of trace events, docs/environment.md says which.
//!
//! `elements` splits the file, `event` reads an event, `trace` collects, `analysis` and `timeline` conclude, `page`
//! writes.
#![forbid(unsafe_code)]

mod analysis;
mod command_line;
mod elements;
mod event;
mod format;
mod os;
mod page;
mod run;
mod table;
mod timeline;
mod times;
mod trace;

use std::ffi::OsString;
use std::fs::File;
use std::io::{BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use command_line::Work;
use page::Run;
use run::Folder;
use trace::Trace;

/// The exit status of a run that succeeded but has no page.
const NO_PAGE: u8 = 125;

fn main() -> ExitCode {
    match command_line::parse(std::env::args_os().skip(1)) {
        Ok(Work::Tell(text)) => {
            // A reader that went away wants no more.
            let _ = std::io::stdout().write_all(text.as_bytes());
            ExitCode::SUCCESS
        }
        Ok(Work::Report { traces, page }) => match report(&traces, None, &page) {
            Ok(()) => ExitCode::SUCCESS,
            Err(why) => {
                complain(&why);
                ExitCode::FAILURE
            }
        },
        Ok(Work::Run {
            command,
            page,
            keep,
        }) => ExitCode::from(run_and_report(&command, keep, &page)),
        Err(why) => {
            complain(&format!("{why} (pumice-trace --help)"));
            ExitCode::from(2)
        }
    }
}

fn complain(why: &str) {
    tell(&format!("error: {why}"));
}

/// Writes a line to stderr, whose reader may be gone.
fn tell(line: &str) {
    let _ = writeln!(std::io::stderr(), "pumice-trace: {line}");
}

/// Runs a program and writes its page; gives the exit status.
fn run_and_report(command: &[OsString], keep: Option<PathBuf>, page: &Path) -> u8 {
    // A kept folder may hold traces of earlier runs.
    let folder = Folder::new(keep).and_then(|folder| Ok((folder.traces()?, folder)));
    let (before, folder) = match folder {
        Ok(folder) => folder,
        Err(why) => {
            complain(&why);
            return NO_PAGE;
        }
    };
    let ended = match run::run(command, &folder) {
        Ok(ended) => ended,
        Err(error) => {
            let program = command.first().map(Path::new).unwrap_or(Path::new(""));
            let (why, code) = run::not_started(program, &error);
            complain(&why);
            return code;
        }
    };
    let run = Run {
        time: ended.time,
        end: ended.words(),
    };
    let done = folder.traces().and_then(|mut traces| {
        traces.retain(|path, written| before.get(path) != Some(written));
        let traces: Vec<PathBuf> = traces.into_keys().collect();
        if traces.is_empty() {
            let why = "the program wrote no trace: it did not use a device of Pumice, or ignores its environment \
                       (pumice-info tells whether there is one)";
            return Err(why.to_string());
        }
        report(&traces, Some(&run), page)
    });
    match (done, ended.code()) {
        (Ok(()), code) => code,
        (Err(why), code) => {
            complain(&why);
            if code == 0 { NO_PAGE } else { code }
        }
    }
}

/// Reads traces and writes their page.
fn report(traces: &[PathBuf], run: Option<&Run>, page: &Path) -> Result<(), String> {
    let mut trace = Trace::default();
    for path in traces {
        let name = path.display().to_string();
        let file = File::open(path).map_err(|error| format!("{name}: {error}"))?;
        let read = trace.read(&name, BufReader::with_capacity(1 << 16, file));
        read.map_err(|fault| format!("{name}: {fault}"))?;
    }
    if trace.slices.is_empty() {
        return Err(format!(
            "{}: the trace has no event with a time",
            traces[0].display()
        ));
    }
    let html = page::page(&trace, run);
    std::fs::write(page, html).map_err(|error| format!("{}: {error}", page.display()))?;
    tell(&format!("wrote {}", page.display()));
    Ok(())
}
