//! Kernel files (`filetests/run/*.cl`) through the front end, the importer and the interpreter:
//! what a device must compute, computed without one.
//!
//! [`KernelFile`] describes the directives; `pumice-clrun` runs the same files on devices.

use std::path::Path;

use pumice_backend::import::{SpecConstants, import};
use pumice_backend::pass::Ctx;
use pumice_backend::passes::lower::{link_builtins, lower_math};
use pumice_backend::pipeline;
use pumice_compiler::{
    CompileOptions, LinkOptions, LowerOptions, NoIncludes, Source, compile, link,
};
use pumice_filetests::golden::{Failures, files};
use pumice_filetests::{KernelFile, Run};
use pumice_interp::Options;
use pumice_ir::Module;
use pumice_test_support::{filetests, runs};

fn run_file(path: &Path) -> Result<(), String> {
    let text = std::fs::read_to_string(path).expect("readable");
    let KernelFile {
        options,
        build_log,
        runs,
    } = KernelFile::parse_test(&text)?;
    let options = CompileOptions::parse(&options).map_err(|e| format!("{e:?}"))?;
    let target = pumice_test_support::run_target();
    let name = path.file_name().expect("a file").to_string_lossy();
    let source = Source {
        name: &name,
        text: text.as_bytes(),
    };
    let built = compile(source, &options, &target, &NoIncludes);
    if !build_log.is_empty() {
        let missing = build_log.iter().find(|l| !built.log.contains(l.as_str()));
        return match (built.output, missing) {
            (None, None) => Ok(()),
            (Some(_), _) => Err("builds, and should not".to_string()),
            (None, Some(text)) => Err(format!("the log lacks {text:?}:\n{}", built.log)),
        };
    }
    let module = built.output.ok_or(built.log)?;
    let linked = link(&[&module], &LinkOptions::default());
    let module = linked.output.ok_or(linked.log)?;
    let mut ir = import(&module.words, &SpecConstants::default()).map_err(|e| e.to_string())?;
    let lower = LowerOptions::default();
    let ctx = Ctx {
        target: &target,
        options: &lower,
    };
    // The interpreter takes no OpenCL.std: link the library's functions in, as the pipeline does.
    let _ = lower_math::run(&mut ir, &ctx).map_err(|e| e.to_string())?;
    let _ = link_builtins::run(&mut ir, &ctx).map_err(|e| format!("{e:?}"))?;
    run_all(&ir, &runs, "before the passes")?;
    pipeline::run_pipeline(&mut ir, &ctx, &mut |_, _| {}).map_err(|e| format!("{e:?}"))?;
    run_all(&ir, &runs, "after the passes")
}

/// Interprets every run of a file on one form of its module.
fn run_all(ir: &Module, runs: &[Run], when: &str) -> Result<(), String> {
    for run in runs {
        runs::execute(
            ir,
            run,
            &runs::range_of_single_items(run),
            &Options::default(),
        )
        .map_err(|error| format!("{} {when}: {error}", run.kernel))?;
    }
    Ok(())
}

#[test]
fn kernel_files_compute_what_they_say() {
    let mut failures = Failures::default();
    for path in files(&filetests("run"), &["cl"], 60) {
        failures.take(&path, run_file(&path));
    }
    failures.finish();
}
