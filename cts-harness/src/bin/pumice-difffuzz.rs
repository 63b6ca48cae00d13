//! Runs random programs on a platform and compares with the interpreter:
//! `pumice-difffuzz --generator FILE [--kind WORD] --folder FOLDER [--from N] [--count N]
//! [--options OPTIONS]... [--share SECONDS] [--jobs N] [--form NAME [--env VARIABLE=VALUE]... [--skip TEXT]...]... PLATFORM`.
//!
//! The generator is the compiler's example `random_kernels`, which writes kernel files with what
//! the interpreter expects; `--kind enqueues` asks it for kernels that enqueue kernels, `--kind grids` for such that work on grids.
//! Each file is built and run once with its own options, and once more
//! for each `--options`. Files that take more than the `--share` of processor time are
//! left out. Each `--form` runs every program, in processes with its variables and without the files that hold the
//! text of a `--skip`; the interpreter is asked once for all forms. Before the first `--form`, `--env` and `--skip`
//! are for all of them. Programs run in batches, each in a process of its own, so that a crash
//! or a hang costs one program; `--jobs` processes run at once, one for each processor unless told otherwise. `FOLDER/next` holds the next seed: without `--from` a run goes on
//! where the last one stopped. Files that failed stay in `FOLDER/failed`, with the reason beside
//! them. The exit status is 1 when one did.

use pumice_cts_harness::difffuzz::{Campaign, Form, run_files};
use std::process::ExitCode;

const USAGE: &str = "usage: pumice-difffuzz --generator FILE [--kind WORD] --folder FOLDER \
                     [--from N] [--count N] [--options OPTIONS]... [--share SECONDS] [--jobs N] \
                     [--form NAME [--env VARIABLE=VALUE]... [--skip TEXT]...]... PLATFORM";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match args.as_slice() {
        [flag, share, platform, rest @ ..] if flag == "--files" => {
            run_files(share, platform, rest).map(|()| true)
        }
        _ => parse(args.into_iter()).and_then(|campaign| campaign.run()),
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::from(2)
        }
    }
}

fn parse(mut args: impl Iterator<Item = String>) -> Result<Campaign, String> {
    let mut campaign = Campaign::default();
    let mut common = Form::default();
    let mut forms: Vec<Form> = Vec::new();
    while let Some(arg) = args.next() {
        let mut value = || {
            args.next()
                .ok_or_else(|| format!("{arg} needs a value\n{USAGE}"))
        };
        let number = |text: String| text.parse().map_err(|_| USAGE.to_string());
        match arg.as_str() {
            "--generator" => campaign.generator = value()?.into(),
            "--kind" => campaign.kind = Some(value()?),
            "--folder" => campaign.folder = value()?.into(),
            "--from" => campaign.from = Some(number(value()?)?),
            "--count" => campaign.count = number(value()?)?,
            "--share" => campaign.share = number(value()?)?,
            "--jobs" => campaign.jobs = number(value()?)? as usize,
            "--form" => forms.push(Form {
                name: value()?,
                ..common.clone()
            }),
            "--env" => {
                let text = value()?;
                let (name, value) = text.split_once('=').ok_or(USAGE)?;
                let form = forms.last_mut().unwrap_or(&mut common);
                form.env.push((name.to_string(), value.to_string()));
            }
            "--skip" => {
                let text = value()?;
                forms.last_mut().unwrap_or(&mut common).skip.push(text);
            }
            "--options" => campaign.options.push(value()?),
            option if option.starts_with('-') => return Err(USAGE.to_string()),
            _ => campaign.platform = arg,
        }
    }
    if forms.is_empty() {
        forms.push(common);
    }
    campaign.forms = forms;
    let empty = |path: &std::path::Path| path.as_os_str().is_empty();
    if empty(&campaign.generator) || empty(&campaign.folder) || campaign.platform.is_empty() {
        return Err(USAGE.to_string());
    }
    Ok(campaign)
}
