//! Kernels for work-groups of one work-item (`passes/optimize/groups_of_one`) compute in the interpreter, in work-groups of any
//! size, what the kernels do in groups of one.

use std::sync::atomic::{AtomicUsize, Ordering};

use pumice_compiler::Target;
use pumice_filetests::golden::{Failures, files};
use pumice_filetests::{KernelFile, Run};
use pumice_interp::{NdRange, Options, Output};
use pumice_ir::Module;
use pumice_ir::analysis::{reachable_functions, summarize_functions};
use pumice_test_support::build::lowered_ir;
use pumice_test_support::runs::{self, Arguments};
use pumice_test_support::{filetests, run_target};

/// Returns whether a kernel tells how its work-items are grouped.
fn sees_groups(module: &Module, name: &str) -> bool {
    let functions = reachable_functions(module).expect("no recursion");
    let summaries = summarize_functions(module, &functions);
    let kernel = module.kernels.iter().find(|kernel| kernel.name == name);
    let kernel = kernel.expect("the kernel");
    summaries[kernel.func].sees_groups || kernel.required_work_group_size.is_some()
}

fn interpret(module: &Module, run: &Run, size: [u64; 3]) -> Result<Output, String> {
    let arguments = Arguments::of(run)?;
    let range = runs::range(run);
    let range = NdRange {
        local: std::array::from_fn(|d| size[d].min(range.global[d])),
        ..range
    };
    let options = Options::default();
    pumice_interp::run(module, &run.kernel, &arguments.inputs, &range, &options)
        .map_err(|error| error.to_string())
}

/// Runs the kernels of a file that no longer tell of groups; gives the number of runs.
fn compare(file: &KernelFile, text: &str) -> Result<usize, String> {
    let modules = [false, true].map(|groups_of_one| {
        let target = Target {
            groups_of_one,
            ..run_target()
        };
        lowered_ir(text, &file.options, &target)
    });
    let [Some(plain), Some(alone)] = modules else {
        return Ok(0);
    };
    let mut count = 0;
    for run in &file.runs {
        let name = run.kernel.as_str();
        if !sees_groups(&plain, name) || sees_groups(&alone, name) {
            continue;
        }
        // Some kernels fail in groups of one, as those do that need a larger group.
        let Ok(expected) = interpret(&plain, run, [1; 3]) else {
            continue;
        };
        for local in [[1, 1, 1], [4, 1, 1], [3, 2, 2]] {
            let found =
                interpret(&alone, run, local).map_err(|error| format!("{name}: {error}"))?;
            if found != expected {
                return Err(format!("{name}, work-groups of {local:?}: other results"));
            }
        }
        count += 1;
    }
    Ok(count)
}

#[test]
fn kernels_compute_what_groups_of_one_do() {
    let mut failures = Failures::default();
    let count = AtomicUsize::new(0);
    failures.check_all(&files(&filetests("run"), &["cl"], 60), |path| {
        let text = std::fs::read_to_string(path).expect("readable");
        let runs = compare(&KernelFile::parse_test(&text)?, &text)?;
        count.fetch_add(runs, Ordering::Relaxed);
        Ok(())
    });
    failures.finish();
    let count = count.into_inner();
    assert!(count > 30, "only {count} runs");
}
