//! Kernels that share their functions (`passes/driver_quirks/share_functions`) compute in the interpreter what those
//! with a copy for each call do.

use pumice_backend::pass::{Changed, Ctx};
use pumice_backend::passes::driver_quirks::share_functions::{self, Limits};
use pumice_backend::{pipeline, to_ir};
use pumice_compiler::{LowerOptions, Target};
use pumice_filetests::KernelFile;
use pumice_filetests::golden::{Failures, files};
use pumice_interp::Options;
use pumice_ir::Module;
use pumice_ir::verify::verify;
use pumice_target::QuirkKind;
use pumice_test_support::build::{compiled, linked_alone};
use pumice_test_support::random_programs::{expectations, program};
use pumice_test_support::{filetests, run_target, runs, take_away};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Everything that can be shared is, and variables that functions are given the addresses of lie in memory.
const ALL: Limits = Limits {
    copied: 0,
    small: 0,
    parts: u64::MAX,
    call: 0,
    looked_for: 0,
};

/// Private accesses that are not aligned as their type is are split where the variable is known, which it is not behind a
/// call.
const OF_KNOWN_VARIABLES: &str = "unaligned_private.cl";

/// Lowers a file's kernels; with [`ALL`] no function is inlined that need not be. Gives `None` where nothing is shared.
fn lowered(
    file: &KernelFile,
    text: &str,
    target: &Target,
    limits: Limits,
) -> Result<Option<Module>, String> {
    let Ok(module) = compiled(text, &file.options, target) else {
        return Ok(None);
    };
    let words = linked_alone(&module)?.words;
    let options = LowerOptions::default();
    let ctx = Ctx {
        target,
        options: &options,
    };
    let mut module = to_ir(&words, target, &options).map_err(|e| e.to_string())?;
    let mut shared = Changed::No;
    for pass in pipeline::pipeline(&ctx) {
        // Where little is shared unasked, nothing is inlined that need not be.
        if pass.name == "inline" && limits.copied == 0 {
            for func in module.functions.values_mut() {
                (func.no_inline, func.always_inline) = (true, false);
            }
        }
        let done = match pass.name {
            "share_functions" => share_functions::share(&mut module, &ctx, limits),
            _ => pipeline::run_pass(pass, &mut module, &ctx),
        };
        let changed = done.map_err(|error| format!("{}: {error}", pass.name))?;
        if pass.name == "share_functions" {
            shared = changed;
            verify(&module).map_err(|error| error.to_string())?;
        }
    }
    verify(&module).map_err(|error| error.to_string())?;
    Ok(shared.is_yes().then_some(module))
}

fn run_files(target: &Target, limits: Limits) {
    let mut failures = Failures::default();
    let count = AtomicUsize::new(0);
    failures.check_all(&files(&filetests("run"), &["cl"], 60), |path: &Path| {
        if path.ends_with(OF_KNOWN_VARIABLES) {
            return Ok(());
        }
        let text = std::fs::read_to_string(path).expect("readable");
        let file = KernelFile::parse_test(&text)?;
        let Some(module) = lowered(&file, &text, target, limits)? else {
            return Ok(());
        };
        for run in &file.runs {
            runs::execute(&module, run, &runs::range(run), &Options::default())
                .map_err(|error| format!("{}: {error}", run.kernel))?;
        }
        count.fetch_add(1, Ordering::Relaxed);
        Ok(())
    });
    failures.finish();
    let count = count.into_inner();
    assert!(count >= 40, "only {count} files with shared functions");
}

fn target() -> Target {
    let target = run_target();
    let quirks = target.quirks.with(QuirkKind::ShareFunctions);
    Target { quirks, ..target }
}

#[test]
fn kernel_files_compute_the_same() {
    run_files(&target(), ALL);
}

#[test]
fn kernel_files_compute_the_same_with_addresses_in_private_memory() {
    let limits = Limits {
        looked_for: u64::MAX,
        ..ALL
    };
    run_files(&target(), limits);
}

#[test]
fn kernel_files_compute_the_same_without_wide_integers() {
    let mut target = target();
    take_away(&mut target, "int64").expect("known");
    run_files(&target, ALL);
}

#[test]
fn random_programs_compute_the_same() {
    let mut count = 0;
    for seed in 1..=50 {
        let text = program(seed);
        let text = expectations(&text).unwrap_or_else(|why| panic!("seed {seed}: {why}\n{text}"));
        let file = KernelFile::parse(&text).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{text}"));
        let module =
            lowered(&file, &text, &target(), ALL).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let Some(module) = module else { continue };
        count += 1;
        for run in &file.runs {
            let done = runs::execute(&module, run, &runs::range(run), &Options::default());
            done.unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
        }
    }
    assert!(count >= 8, "only {count} programs with shared functions");
}

/// 200,000 instructions with copies, without anything forced. Not one of the kernel files: without device addresses it is
/// too large.
#[test]
fn a_kernel_of_many_calls_computes_what_c_does() {
    let text = include_str!("shared_functions.cl");
    let file = KernelFile::parse_test(text).expect("a kernel file");
    let module = lowered(&file, text, &target(), Limits::default());
    let module = module.expect("builds").expect("shares functions");
    let [run] = &file.runs[..] else {
        panic!("one run");
    };
    let options = Options::default();
    runs::execute(&module, run, &runs::range(run), &options).expect("the same");
}
