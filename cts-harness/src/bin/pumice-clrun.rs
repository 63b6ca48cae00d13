//! Runs kernel files on a platform, with more build options behind each file's own if any are given.
//!
//! Prints a line for each file and ends with exit status 1 when one failed. Of files whose kernels have faults for checks to
//! find, it counts those found. The format is described in `pumice_filetests::KernelFile`.
//!
//! With `--skip-missing`, files are skipped whose `needs:` lines name a feature that the device does not have. With
//! `--all-kernels` every kernel of a file is launched once, with arguments of zeros, and no result is looked at: files
//! need no directives then.

use pumice_cts_harness::cl::Session;
use pumice_cts_harness::facts::{self, Feature};
use pumice_cts_harness::kernel_file;
use pumice_filetests::KernelFile;
use std::collections::BTreeMap;
use std::process::ExitCode;

const USAGE: &str =
    "usage: pumice-clrun [--options OPTIONS] [--skip-missing] [--all-kernels] PLATFORM FILE...";

/// Returns whether the first word is a flag, and the words behind it.
fn take_flag<'a>(words: &'a [String], flag: &str) -> (bool, &'a [String]) {
    match words {
        [first, rest @ ..] if first == flag => (true, rest),
        all => (false, all),
    }
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (more, args) = match args.as_slice() {
        [flag, more, rest @ ..] if flag == "--options" => (more.as_str(), rest),
        all => ("", all),
    };
    let (skip_missing, args) = take_flag(args, "--skip-missing");
    let (all_kernels, args) = take_flag(args, "--all-kernels");
    let Some((platform, files)) = args.split_first() else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let facts = match skip_missing {
        true => facts::gather(platform),
        false => Ok(BTreeMap::new()),
    };
    let opened = facts.and_then(|facts| Ok((Session::open(platform)?, facts)));
    let (device, facts) = match opened {
        Ok(opened) => opened,
        Err(error) => {
            eprintln!("no device on a platform named like {platform:?}: {error}");
            return ExitCode::from(2);
        }
    };
    let (mut passed, mut failed, mut skipped) = (0, 0, 0);
    let (mut faulty, mut found) = (0, 0);
    for path in files {
        let outcome = std::fs::read_to_string(path)
            .map_err(|error| error.to_string())
            .and_then(|source| {
                let missing = Feature::first_missing(&kernel_file::needed(&source), &facts);
                if missing.is_some() {
                    return Ok(missing);
                }
                if all_kernels {
                    return kernel_file::launch_all(&device, &source, more).map(|()| None);
                }
                let file = KernelFile::parse_test(&source)?;
                let faults = file.runs.iter().filter(|run| run.has_faults()).count();
                faulty += faults;
                kernel_file::check(&file, &device, &source, more)?;
                found += faults;
                Ok(None)
            });
        match outcome {
            Ok(None) => {
                passed += 1;
                println!("ok   {path}");
            }
            Ok(Some(feature)) => {
                skipped += 1;
                println!("skip {path}: {}", feature.is_missing());
            }
            Err(why) => {
                failed += 1;
                println!("FAIL {path}\n     {}", why.replace('\n', "\n     "));
            }
        }
    }
    if faulty > 0 {
        println!("{found} of {faulty} kernels' faults found");
    }
    if skipped > 0 {
        println!("{skipped} skipped");
    }
    println!("{passed} passed, {failed} failed on {}", device.name);
    if failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
