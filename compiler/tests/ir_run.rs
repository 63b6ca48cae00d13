//! File tests of the IR: `filetests/ir/run/*.ir`, and `*.spvasm` that are imported, say in their comments how to run them and what
//! to expect, in the language of kernel files ([`pumice_filetests::KernelFile`]).
//!
//! Each run happens as written, as parsed from the text that the module is written as, after
//! the structurizer, and after every pass of the pipeline; then the emitted module must please
//! spirv-val.
//!
//! ```text
//! ; no pipeline                   only the interpreter runs the file
//! ```

use pumice_backend::import::{SpecConstants, import};
use pumice_backend::pass::Ctx;
use pumice_backend::passes::lower::link_builtins;
use pumice_backend::pipeline::run_pipeline;
use pumice_backend::structurize;
use pumice_backend::vulkan;
use pumice_compiler::{LowerOptions, Target};
use pumice_filetests::golden::{Failures, files};
use pumice_filetests::{KernelFile, Run, directive};
use pumice_interp::Options;
use pumice_ir::text::{module_to_text, parse_module};
use pumice_ir::{Module, verify};
use pumice_test_support::spirv_tools;
use pumice_test_support::{filetests, runs};
use std::path::Path;

fn execute(module: &Module, run: &Run) -> Result<(), String> {
    runs::execute(module, run, &runs::range(run), &Options::default())
}

/// A file's module: IR text, or SPIR-V assembly that is imported.
fn read(path: &Path, text: &str) -> Result<Module, String> {
    if path.extension().is_some_and(|e| e == "spvasm") {
        let words = spirv_tools::assemble(text);
        let mut module = import(&words, &SpecConstants::default()).map_err(|e| e.to_string())?;
        // The importer's own calls of the library.
        let ctx = Ctx {
            target: &Target::reference(),
            options: &LowerOptions::default(),
        };
        let _ = link_builtins::run(&mut module, &ctx).map_err(|e| e.to_string())?;
        return Ok(module);
    }
    parse_module(text).map_err(|e| e.to_string())
}

fn run_file(path: &Path, text: &str) -> Result<(), String> {
    if path.extension().is_some_and(|e| e == "spvasm") && spirv_tools::missing() {
        return Ok(());
    }
    let module = read(path, text)?;
    verify(&module).map_err(|e| e.to_string())?;
    let written = module_to_text(&module);
    let again = parse_module(&written).map_err(|e| format!("round trip: {e}"))?;
    if module_to_text(&again) != written {
        return Err("the text does not round-trip".into());
    }
    let mut structured = module.clone();
    for func in structured.functions.values_mut() {
        structurize::structure(func).map_err(|e| e.to_string())?;
        structurize::check(func)?;
    }
    verify(&structured).map_err(|e| format!("structured: {e}"))?;
    let runs = KernelFile::parse_test(text)?.runs;
    for (i, run) in runs.iter().enumerate() {
        for (what, module) in [
            ("as written", &module),
            ("structured", &structured),
            ("parsed again", &again),
        ] {
            execute(module, run).map_err(|e| format!("run {i} of {}, {what}: {e}", run.kernel))?;
        }
    }
    if directive::has_flag(text, "no pipeline") {
        return Ok(());
    }
    lower(module.clone(), &runs, false)?;
    lower(module, &runs, true).map_err(|e| format!("unoptimised: {e}"))
}

/// Every pass keeps every run's results; what comes out is valid SPIR-V.
fn lower(mut module: Module, runs: &[Run], opt_disable: bool) -> Result<(), String> {
    let target = Target::reference();
    let mut options = LowerOptions::default();
    options.math.opt_disable = opt_disable;
    let ctx = Ctx {
        target: &target,
        options: &options,
    };
    let mut outcome = Ok(());
    let lowered = run_pipeline(&mut module, &ctx, &mut |pass, result| {
        let (Ok(module), Ok(())) = (result, &outcome) else {
            return;
        };
        // Functions that it calls are linked next.
        if pass == "lower_math" {
            return;
        }
        let mut runs = runs.iter().filter(|run| run.error.is_none());
        outcome = runs
            .try_for_each(|run| execute(module, run))
            .map_err(|e| format!("after {pass}: {e}\n{}", module_to_text(module)));
    });
    outcome?;
    lowered.map_err(|e| format!("{e}\n{}", module_to_text(&module)))?;
    let emitted = vulkan::emit(&module, &target, &options).map_err(|e| format!("emit: {e}"))?;
    spirv_tools::validate(&emitted.words, "vulkan1.2")
        .map_err(|e| format!("{e}\n{}", spirv_tools::disassemble(&emitted.words)))
}

#[test]
fn every_file_runs_as_it_says() {
    let mut failures = Failures::default();
    for path in files(&filetests("ir/run"), &["ir", "spvasm"], 30) {
        let text = std::fs::read_to_string(&path).expect("readable");
        failures.take(&path, run_file(&path, &text));
    }
    failures.finish();
}
