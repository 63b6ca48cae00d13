//! Writes random kernel files with what they must compute, for `pumice-difffuzz`:
//! `random_kernels [enqueues|grids] FROM COUNT FOLDER`, or new expectations into edited files:
//! `random_kernels FILE...`. With `enqueues` the kernels enqueue kernels, with
//! `grids` they work on grids.
//!
//! `random_kernels low COUNT FOLDER` writes none: it compares in the interpreter what each device that lacks something
//! computes, optimised and not. `FOLDER/next` holds the next seed, and `FOLDER/failed` gets the programs that
//! disagree, with the reason beside them.
//!
//! A seed's file is `FOLDER/SEED.cl`. What the compiler refuses, and what the passes change, is
//! printed as `SEED: why`; the file is then `SEED.bad.cl`.

use pumice_test_support::random_programs::{
    check_low_devices, enqueueing_program, expectations, grid_program, program,
};
use std::path::Path;
use std::process::ExitCode;

const USAGE: &str = "usage: random_kernels [enqueues|grids] FROM COUNT FOLDER | random_kernels low COUNT FOLDER | random_kernels FILE...";

/// Makes the file of a seed, without expectations.
type Generate = fn(u64) -> String;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if let [word, count, folder] = args.as_slice() {
        if word == "low" {
            let count = count.parse().map_err(|_| USAGE.to_string());
            return exit(count.and_then(|count| compare_low(count, Path::new(folder))));
        }
    }
    let (generate, args): (Generate, _) = match args.as_slice() {
        [word, rest @ ..] if word == "enqueues" => (enqueueing_program, rest),
        [word, rest @ ..] if word == "grids" => (grid_program, rest),
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
    exit(outcome)
}

fn exit(outcome: Result<bool, String>) -> ExitCode {
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
fn caught<T>(check: fn(&str) -> Result<T, String>, text: &str) -> Result<T, String> {
    std::panic::catch_unwind(|| check(text)).unwrap_or_else(|_| Err("a panic".to_string()))
}

/// Compares the next programs on low devices; whether all agree.
fn compare_low(count: u64, folder: &Path) -> Result<bool, String> {
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))
    };
    std::fs::create_dir_all(folder.join("failed")).map_err(|e| e.to_string())?;
    let remembered = std::fs::read_to_string(folder.join("next")).ok();
    let from = remembered
        .and_then(|text| text.trim().parse().ok())
        .unwrap_or(1);
    let mut failed = 0;
    for seed in from..from + count {
        let text = program(seed);
        if let Err(why) = caught(check_low_devices, &text) {
            failed += 1;
            println!("{seed}: {}", why.trim());
            write(&format!("failed/{seed}.cl"), &text)?;
            write(&format!("failed/{seed}.txt"), &why)?;
        }
        write("next", &format!("{}\n", seed + 1))?;
    }
    println!("{} programs agree, {failed} do not", count - failed);
    Ok(failed == 0)
}

fn write(generate: Generate, from: u64, count: u64, folder: &Path) -> Result<bool, String> {
    let mut good = true;
    for seed in from..from + count {
        let text = generate(seed);
        let (name, text) = match caught(expectations, &text) {
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
    match caught(expectations, &text) {
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
