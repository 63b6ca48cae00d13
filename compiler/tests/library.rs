//! The compiled built-in library is what its sources compile to, and every module is valid.
//!
//! `PUMICE_BLESS=1` writes the file anew.

use pumice_compiler::{LowerOptions, Target, lower};
use pumice_test_support::build::compiled;
use pumice_test_support::spirv_tools;
use std::path::{Path, PathBuf};

fn lib_dir() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("builtins-lib")
}

fn sources() -> Vec<(String, Vec<u8>)> {
    let mut list: Vec<(String, Vec<u8>)> = std::fs::read_dir(lib_dir().join("lib"))
        .expect("the folder of sources")
        .map(|entry| entry.expect("a folder entry").path())
        .filter(|path| path.extension().is_some_and(|ext| ext == "cl"))
        .map(|path| {
            let name = path
                .file_name()
                .expect("a file name")
                .to_string_lossy()
                .into_owned();
            (name, std::fs::read(&path).expect("a readable source"))
        })
        .collect();
    list.sort();
    list
}

#[test]
fn library_is_what_the_sources_compile_to() {
    let built = pumice_compiler::library::build(&sources()).unwrap_or_else(|log| panic!("{log}"));
    let path = lib_dir().join("library.bin");
    if pumice_filetests::golden::blessing() {
        std::fs::write(&path, &built).expect("a writable library");
        return;
    }
    let stored = std::fs::read(&path).expect("library.bin");
    assert!(
        stored == built,
        "library.bin is stale: run cargo xtask bless"
    );
}

#[test]
fn every_function_is_valid_spirv() {
    let modules = pumice_compiler::library::modules(&sources());
    for (name, module) in modules.unwrap_or_else(|log| panic!("{log}")) {
        spirv_tools::validate(&module.words, "opencl2.2")
            .unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}

/// Results that functions hand back through pointers and structures become values once the functions are inlined.
#[test]
fn nothing_of_the_library_stays_in_memory() {
    if spirv_tools::missing() {
        return;
    }
    for call in [
        "log(x)",
        "log2(x)",
        "sin(x)",
        "tan(x)",
        "lgamma(x)",
        "pow(x, x)",
        "tgamma(x)",
        "hypot(x, x)",
    ] {
        let text = format!("kernel void k(global float *p) {{ float x = p[1]; p[0] = {call}; }}");
        let target = Target::reference();
        let module = compiled(&text, "", &target).expect("compiles");
        let lowered = lower(&module, &target, &LowerOptions::default());
        let words = lowered.output.expect(&lowered.log).words;
        let listing = spirv_tools::disassemble(&words);
        assert!(!listing.contains(" Private"), "{call}:\n{listing}");
    }
}
