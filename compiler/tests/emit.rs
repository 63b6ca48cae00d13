//! File tests of emission: OpenCL C in, disassembled Kernel SPIR-V out.
//!
//! `filetests/emit/*.cl`; the first line may hold build options: `// RUN: -cl-std=CL2.0`. The
//! module, or the build log where there is none, stands in the `.spvasm` file beside;
//! `PUMICE_BLESS=1` writes those anew. Every module must pass spirv-val.

use pumice_filetests::golden;
use pumice_test_support::filetests;
use pumice_test_support::spirv_tools;
use std::path::Path;

use pumice_compiler::{CompileOptions, NoIncludes, Source, compile};

fn run(path: &Path) -> Result<String, String> {
    let text = std::fs::read(path).expect("readable");
    let first = String::from_utf8_lossy(text.split(|b| *b == b'\n').next().unwrap_or(&[]));
    let options = first.strip_prefix("// RUN:").unwrap_or("").trim();
    let options = CompileOptions::parse(options).map_err(|e| format!("{e:?}"))?;
    let source = Source {
        name: "test.cl",
        text: &text,
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
    // The OpenCL environments refuse what an extension of OpenCL adds.
    let has = |what: &str| listing.contains(what);
    let extended = has("OpCapability Float16\n")
        || has("OpCapability ImageMipmap\n")
        || has(" 1 0 Unknown ReadOnly\n");
    let environment = if module.words[1] > 0x0001_0200 {
        "spv1.6"
    } else if extended {
        "spv1.2"
    } else {
        "opencl2.2"
    };
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
