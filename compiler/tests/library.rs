//! The compiled built-in library is what its sources compile to, and every module is valid.
//!
//! `PUMICE_BLESS=1` writes the file anew.

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
    for name in pumice_builtins_lib::names() {
        let words = pumice_builtins_lib::function(name).expect("a listed function");
        spirv_tools::validate(&words, "opencl2.2")
            .unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}
