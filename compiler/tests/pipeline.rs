//! The pipeline against the interpreter: every kernel file of `filetests/run` gives the same
//! buffers after each pass as right after import, and what its comments expect.

use pumice_backend::pass::Ctx;
use pumice_backend::pipeline::{pipeline, run_pipeline};
use pumice_compiler::{LowerOptions, Target, backend};
use pumice_filetests::golden::{Failures, files};
use pumice_filetests::{KernelFile, Run};
use pumice_interp::{self as interp, Options};
use pumice_ir::text::module_to_text;
use pumice_ir::{EnqueueRole, Module};
use pumice_target::QuirkKind;
use pumice_test_support::build::linked;
use pumice_test_support::filetests;
use pumice_test_support::runs::{Arguments, range};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

fn interpret(module: &Module, run: &Run) -> Result<Vec<Vec<u8>>, String> {
    let arguments = Arguments::of(run)?;
    let options = Options {
        check_uninitialised: false,
        ..Options::default()
    };
    let output = interp::run(
        module,
        &run.kernel,
        &arguments.inputs,
        &range(run),
        &options,
    )
    .map_err(|error| format!("{error:?}"))?;
    arguments.check(run, &output.buffers)?;
    Ok(output.buffers)
}

/// Checks a file for a target. Returns whether its kernels enqueue by the nodes of a work graph in the end.
fn check_file(path: &Path, target: &Target, opt_disable: bool) -> Result<bool, String> {
    let text = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
    let KernelFile {
        options,
        runs,
        defined_by,
        ..
    } = KernelFile::parse(&text)?;
    // Until the library is linked the interpreter has no answer.
    let first = defined_by.as_deref().unwrap_or("link_builtins");
    if runs.is_empty() {
        return Ok(false);
    }
    let module = linked(&text, &options, target)?;
    let mut lower = LowerOptions::default();
    lower.math.opt_disable = opt_disable;
    let ctx = Ctx {
        target,
        options: &lower,
    };
    let mut ir = backend::to_ir(&module.words, target, &lower).map_err(|e| e.to_string())?;
    let mut before: Option<Vec<Vec<Vec<u8>>>> = None;
    let mut interpreted = String::new();
    let last = pipeline(&ctx).last().map(|pass| pass.name);
    let mut outcome = Ok(());
    let mut has_nodes = false;
    let lowered = run_pipeline(&mut ir, &ctx, &mut |pass, result| {
        let (Ok(module), Ok(())) = (result, &outcome) else {
            return;
        };
        let node = Some(EnqueueRole::SchedulerNode);
        has_nodes = module.kernels.iter().any(|kernel| kernel.enqueue == node);
        if before.is_none() && pass != first {
            return;
        }
        // The rows that both pipelines share are looked at one by one in the full one.
        if before.is_some() && opt_disable && Some(pass) != last {
            return;
        }
        // A pass that changed nothing needs no second run.
        let text = module_to_text(module);
        if text != interpreted {
            outcome = check_runs(module, pass, &runs, &mut before);
            interpreted = text;
        }
    });
    outcome?;
    lowered.map_err(|e| e.to_string())?;
    Ok(has_nodes)
}

/// Interprets the runs after a pass and compares with what they gave before it.
fn check_runs(
    module: &Module,
    pass: &str,
    runs: &[Run],
    before: &mut Option<Vec<Vec<Vec<u8>>>>,
) -> Result<(), String> {
    let mut after = Vec::new();
    for run in runs {
        let place = |e| format!("after {pass}, kernel {}: {e}", run.kernel);
        after.push(interpret(module, run).map_err(place)?);
    }
    if before.as_ref().is_some_and(|before| *before != after) {
        return Err(format!("{pass} changes what the kernels compute"));
    }
    *before = Some(after);
    Ok(())
}

/// A device whose sub-groups compute what is inside them for its work-groups.
fn reconverging_target() -> Target {
    let target = pumice_test_support::run_target();
    Target {
        maximal_reconvergence: true,
        quirks: target.quirks.with(QuirkKind::LocalIdsFromLanes),
        ..target
    }
}

#[test]
fn every_pass_keeps_what_kernels_compute() {
    let target = pumice_test_support::run_target();
    let reconverging = reconverging_target();
    let mut failures = Failures::default();
    failures.check_all(&files(&filetests("run"), &["cl"], 60), |path| {
        check_file(path, &target, false)?;
        let source = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
        if source.contains("work_group_") {
            check_file(path, &reconverging, false).map_err(|why| format!("reconverging: {why}"))?;
        }
        let unoptimised = check_file(path, &target, true);
        unoptimised
            .map(drop)
            .map_err(|why| format!("unoptimised: {why}"))
    });
    failures.finish();
}

/// Blocks that kernels enqueue have the same results by the nodes of a work graph as by the scheduler's dispatches, which run
/// them before the pass that makes the nodes.
#[test]
fn work_graphs_keep_what_kernels_compute() {
    let target = Target {
        shader_enqueue: true,
        ..pumice_test_support::run_target()
    };
    let mut failures = Failures::default();
    let by_nodes = AtomicUsize::new(0);
    let mut paths = files(&filetests("run"), &["cl"], 60);
    paths.retain(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("enqueue_")
    });
    failures.check_all(&paths, |path| {
        for opt_disable in [false, true] {
            let has_nodes = check_file(path, &target, opt_disable)?;
            by_nodes.fetch_add(usize::from(has_nodes), Ordering::Relaxed);
        }
        Ok(())
    });
    failures.finish();
    // One file asks for times of commands, which a graph cannot tell.
    if std::env::var_os("PUMICE_FILETEST").is_none() {
        let by_nodes = by_nodes.into_inner();
        assert!(by_nodes >= 12, "{by_nodes} modules have nodes");
    }
}
