//! Coarse copies of kernels (`passes/optimize/coarsen`) compute in the interpreter what the kernels do.

use std::path::Path;

use pumice_backend::pass::Ctx;
use pumice_backend::{pipeline, to_ir};
use pumice_compiler::{
    CompileOptions, LinkOptions, LowerOptions, NoIncludes, Source, Target, compile, link,
};
use pumice_filetests::KernelFile;
use pumice_filetests::golden::{Failures, files};
use pumice_interp::Options;
use pumice_ir::Module;
use pumice_target::Quirks;
use pumice_test_support::{filetests, run_target, runs};

fn coarse_target() -> Target {
    Target {
        coarse: true,
        quirks: Quirks::all(),
        ..run_target()
    }
}

/// The module of a source behind the passes; `None` if it does not build.
fn lowered(text: &str, options: &str) -> Option<Module> {
    let target = coarse_target();
    let options = CompileOptions::parse(options).ok()?;
    let source = Source {
        name: "kernels.cl",
        text: text.as_bytes(),
    };
    let module = compile(source, &options, &target, &NoIncludes).output?;
    let words = link(&[&module], &LinkOptions::default()).output?.words;
    let lower = LowerOptions::default();
    let mut ir = to_ir(&words, &target, &lower).ok()?;
    let ctx = Ctx {
        target: &target,
        options: &lower,
    };
    pipeline::run_pipeline(&mut ir, &ctx, &mut |_, _| {}).ok()?;
    Some(ir)
}

/// Runs the copies that a file's runs can take; gives their number.
fn run_copies(path: &Path) -> Result<usize, String> {
    let text = std::fs::read_to_string(path).expect("readable");
    let file = KernelFile::parse_test(&text)?;
    let Some(module) = lowered(&text, &file.options) else {
        return match file.build_log.is_empty() {
            true => Err("does not build".into()),
            false => Ok(0),
        };
    };
    let mut count = 0;
    for run in file
        .runs
        .iter()
        .flat_map(|run| runs::of_copies(&module, run))
    {
        runs::execute(&module, &run, &runs::range(&run), &Options::default())
            .map_err(|error| format!("{}: {error}", run.kernel))?;
        count += 1;
    }
    Ok(count)
}

#[test]
fn copies_compute_what_kernel_files_say() {
    let mut failures = Failures::default();
    let count = std::sync::atomic::AtomicUsize::new(0);
    failures.check_all(&files(&filetests("run"), &["cl"], 60), |path| {
        let runs = run_copies(path)?;
        count.fetch_add(runs, std::sync::atomic::Ordering::Relaxed);
        Ok(())
    });
    failures.finish();
    let count = count.into_inner();
    assert!(count > 60, "only {count} runs of copies");
}
