//! Writes random kernel files with what they must compute, for `pumice-difffuzz`:
//! `random_kernels [enqueues] FROM COUNT FOLDER`, or new expectations into edited files:
//! `random_kernels FILE...`. With `enqueues` the kernels enqueue kernels.
//!
//! A seed's file is `FOLDER/SEED.cl`. What the compiler refuses, and what the passes change, is
//! printed as `SEED: why`; the file is then `SEED.bad.cl`.

use pumice_test_support::random_programs::{enqueueing_program, expectations, program};
use std::path::Path;
use std::process::ExitCode;

const USAGE: &str = "usage: random_kernels [enqueues] FROM COUNT FOLDER | random_kernels FILE...";

/// Makes the file of a seed, without expectations.
type Generate = fn(u64) -> String;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (generate, args): (Generate, _) = match args.as_slice() {
        [word, rest @ ..] if word == "enqueues" => (enqueueing_program, rest),
        args => (program, args),
    };
    let outcome = match args {
        [] => Err(USAGE.to_string()),
        [from, count, folder] if from.parse::<u64>().is_ok() => {
            let numbers = (from.parse(), count.parse());
            match numbers {
                (Ok(from), Ok(count)) => write(generate, from, count, Path::new(folder)),
                _ => Err(USAGE.to_string()),
            }
        }
        files => files
            .iter()
            .try_fold(true, |good, file| Ok(annotate(file)? && good)),
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

/// A panic in a pass is a finding like any other.
fn caught(text: &str) -> Result<String, String> {
    std::panic::catch_unwind(|| expectations(text)).unwrap_or_else(|_| Err("a panic".to_string()))
}

fn write(generate: Generate, from: u64, count: u64, folder: &Path) -> Result<bool, String> {
    let mut good = true;
    for seed in from..from + count {
        let text = generate(seed);
        let (name, text) = match caught(&text) {
            Ok(text) => (format!("{seed}.cl"), text),
            Err(why) => {
                good = false;
                println!("{seed}: {}", why.trim());
                (format!("{seed}.bad.cl"), text)
            }
        };
        let path = folder.join(name);
        std::fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))?;
    }
    Ok(good)
}

fn annotate(file: &str) -> Result<bool, String> {
    let text = std::fs::read_to_string(file).map_err(|e| format!("{file}: {e}"))?;
    match caught(&text) {
        Ok(text) => {
            std::fs::write(file, text).map_err(|e| format!("{file}: {e}"))?;
            Ok(true)
        }
        Err(why) => {
            println!("{file}: {}", why.trim());
            Ok(false)
        }
    }
}
