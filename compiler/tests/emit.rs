//! File tests of emission: OpenCL C in, disassembled Kernel SPIR-V out.
//!
//! `filetests/emit/*.cl`; a line may hold build options: `// options: -cl-std=CL2.0`. The
//! module, or the build log where there is none, stands in the `.spvasm` file beside;
//! `PUMICE_BLESS=1` writes those anew. Every module must pass spirv-val.

use pumice_filetests::{directive, golden};
use pumice_test_support::filetests;
use pumice_test_support::spirv_tools;
use std::path::Path;

use pumice_compiler::{CompileOptions, NoIncludes, Source, compile};

fn run(path: &Path) -> Result<String, String> {
    let text = std::fs::read_to_string(path).expect("readable");
    let options = directive::value(&text, "options").unwrap_or_default();
    let options = CompileOptions::parse(options).map_err(|e| format!("{e:?}"))?;
    let source = Source {
        name: "test.cl",
        text: text.as_bytes(),
    };
    let outcome = compile(
        source,
        &options,
        &pumice_compiler::full_target(),
        &NoIncludes,
    );
    let Some(module) = outcome.output else {
        return Ok(outcome.log);
    };
    let listing = spirv_tools::disassemble(&module.words);
    let environment = spirv_tools::kernel_environment(&module.words, &listing);
    spirv_tools::validate(&module.words, environment).map_err(|e| format!("{e}\n{listing}"))?;
    Ok(format!("{}{listing}", outcome.log))
}

#[test]
fn emitted_modules() {
    if spirv_tools::missing() {
        return;
    }
    golden::run_files(&filetests("emit"), &["cl"], 1, "spvasm", run);
}
