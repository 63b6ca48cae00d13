//! The pipeline against the interpreter: every kernel file of `filetests/run` gives the same
//! buffers after each pass as right after import, and what its comments expect.

mod kernel_runs;
mod run_target;
mod support;

use kernel_runs::{Run, check_expectations, parse};
use pumice_backend::pass::Ctx;
use pumice_backend::pipeline::{pipeline, run_pipeline};
use pumice_compiler::options::CompileOptions;
use pumice_compiler::{LinkOptions, LowerOptions, NoIncludes, Source, backend};
use pumice_interp::{self as interp, Inputs, NdRange, Options};
use pumice_ir::Module;
use std::path::Path;

fn interpret(module: &Module, run: &Run) -> Result<Vec<Vec<u8>>, String> {
    let [global, local, offset] = run.range;
    let range = NdRange {
        work_dim: run.dims,
        global,
        local: if local == [0; 3] { global } else { local },
        offset,
    };
    let inputs = Inputs {
        buffers: run.buffers.clone(),
        args: run.args.clone(),
    };
    let options = Options {
        check_uninitialised: false,
        ..Options::default()
    };
    interp::run(module, &run.kernel, &inputs, &range, &options)
        .map(|output| output.buffers)
        .map_err(|error| format!("{error:?}"))
}

fn check_file(path: &Path, opt_disable: bool) -> Result<(), String> {
    let text = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
    let (options, runs) = parse(&text);
    if runs.is_empty() {
        return Ok(());
    }
    let target = run_target::run_target();
    let options = CompileOptions::parse(&options);
    let options = options.map_err(|e| format!("{e:?}"))?;
    let source = Source {
        name: "<source>",
        text: text.as_bytes(),
    };
    let compiled = pumice_compiler::compile(source, &options, &target, &NoIncludes);
    let module = compiled.output.ok_or(compiled.log)?;
    let linked = pumice_compiler::link(&[&module], &LinkOptions::default());
    let module = linked.output.ok_or(linked.log)?;
    let mut lower = LowerOptions::default();
    lower.math.opt_disable = opt_disable;
    let ctx = Ctx {
        target: &target,
        options: &lower,
    };
    let mut ir = backend::to_ir(&module.words, &lower).map_err(|e| e.to_string())?;
    let mut before: Option<Vec<Vec<Vec<u8>>>> = None;
    let last = pipeline(&ctx).last().map(|pass| pass.name);
    let mut outcome = Ok(());
    let lowered = run_pipeline(&mut ir, &ctx, &mut |pass, result| {
        let (Ok(module), Ok(())) = (result, &outcome) else {
            return;
        };
        // Until the library is linked the interpreter has no answer.
        if before.is_none() && pass != "link_builtins" {
            return;
        }
        // The rows that both pipelines share are looked at one by one in the full one.
        if before.is_some() && opt_disable && Some(pass) != last {
            return;
        }
        outcome = check_runs(module, pass, &runs, &mut before);
    });
    outcome?;
    lowered.map_err(|e| e.to_string())
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
        let buffers = interpret(module, run).map_err(place)?;
        check_expectations(run, &buffers).map_err(place)?;
        after.push(buffers);
    }
    if before.as_ref().is_some_and(|before| *before != after) {
        return Err(format!("{pass} changes what the kernels compute"));
    }
    *before = Some(after);
    Ok(())
}

#[test]
fn no_pass_changes_what_kernels_compute() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("filetests/run");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("filetests/run")
        .map(|entry| entry.expect("entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "cl"))
        .collect();
    files.sort();
    assert!(!files.is_empty());
    let failures: Vec<String> = files
        .iter()
        .flat_map(|path| [(path, false), (path, true)])
        .filter_map(|(path, opt_disable)| {
            let error = check_file(path, opt_disable).err()?;
            let how = if opt_disable { "unoptimised: " } else { "" };
            Some(format!("{}: {how}{error}", path.display()))
        })
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
