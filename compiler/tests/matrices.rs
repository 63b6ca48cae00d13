//! File tests of matrices that the device has itself (`filetests/matrices`), for a device that multiplies matrices
//! of 16x16.
//!
//! The `.out` file beside holds how many matrix instructions the Vulkan module has, then the matrix operations of the
//! imported IR. `// exact: no`: the device's products of floats are not exact. `// lacks: rounding`: conversions are
//! not rounded to nearest for certain. Modules must pass the check of modules from outside (`PUMICE_BLESS=1`).

use pumice_compiler::target::matrix::NativeProduct;
use pumice_compiler::{
    CompileOptions, KernelModule, LowerOptions, Target, full_target, lower_observed, vulkan_check,
};
use pumice_filetests::{directive, golden};
use pumice_ir::text::module_to_text;
use pumice_test_support::build::{compiled, linked_alone};
use pumice_test_support::{KEEPING_MODES, filetests, spirv_tools};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

fn target(text: &str) -> Target {
    let mut target = Target {
        native_products: NativeProduct::all_of_16(),
        float_controls: [KEEPING_MODES; 3],
        ..full_target()
    };
    if directive::value(text, "exact") == Some("no") {
        for native in &mut target.native_products {
            native.exact = !native.product.result.is_float();
        }
    }
    if directive::value(text, "lacks") == Some("rounding") {
        target.float_controls = Target::reference().float_controls;
    }
    target
}

/// The opcodes that are matrices' own.
const OPCODES: [(u16, &str); 5] = [
    (4456, "OpTypeCooperativeMatrixKHR"),
    (4457, "OpCooperativeMatrixLoadKHR"),
    (4458, "OpCooperativeMatrixStoreKHR"),
    (4459, "OpCooperativeMatrixMulAddKHR"),
    (4460, "OpCooperativeMatrixLengthKHR"),
];

fn run(path: &Path) -> Result<String, String> {
    let text = std::fs::read_to_string(path).expect("readable");
    let target = target(&text);
    let options = directive::value(&text, "options").unwrap_or("-cl-std=CL3.0");
    let module = match path
        .extension()
        .is_some_and(|extension| extension == "spvasm")
    {
        true => KernelModule {
            words: spirv_tools::assemble(&text),
            is_library: false,
        },
        false => compiled(&text, options, &target)?,
    };
    let linked = linked_alone(&module)?;
    let options = CompileOptions::parse(options).map_err(|error| error.to_string())?;
    let lower_options = LowerOptions {
        math: options.math,
        ..LowerOptions::default()
    };
    // The road that was taken is the last import's.
    let mut imported = String::new();
    let lowered = lower_observed(&linked, &target, &lower_options, &mut |stage, module| {
        if let ("import", Ok(module)) = (stage, module) {
            imported = module_to_text(module);
        }
    });
    let words = lowered.output.ok_or(lowered.log)?.words;
    vulkan_check::check(&pumice_reflection::strip_non_semantic(&words))?;
    let mut counts: BTreeMap<u16, usize> = BTreeMap::new();
    for inst in pumice_spirv::instructions(&words) {
        let inst = inst.map_err(|error| error.to_string())?;
        *counts.entry(inst.opcode).or_default() += 1;
    }
    let mut out = String::new();
    for (opcode, name) in OPCODES {
        let count = counts.get(&opcode).copied().unwrap_or(0);
        writeln!(out, "{count} {name}").expect("a string");
    }
    for line in imported.lines().filter(|line| line.contains("matrix.")) {
        writeln!(out, "{}", line.trim()).expect("a string");
    }
    Ok(out)
}

#[test]
fn matrices_take_the_road_that_they_should() {
    if spirv_tools::missing() {
        return;
    }
    golden::run_files(&filetests("matrices"), &["cl", "spvasm"], 10, "out", run);
}
