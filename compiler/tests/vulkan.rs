//! File tests of the Vulkan emitter: IR text in, SPIR-V out, spirv-val clean, disassembly
//! pinned beside the file where there is a `.spvasm` (or `PUMICE_BLESS=1` and a small module).

mod support;

use cranelift_entity::SecondaryMap;
use pumice_compiler::ir::text::parse_module;
use pumice_compiler::passes::structurize::StructuredCfg;
use pumice_compiler::{LowerOptions, Target, vulkan};
use std::path::{Path, PathBuf};

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("filetests/ir/vulkan");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("filetests/ir/vulkan")
        .map(|entry| entry.expect("entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "ir"))
        .collect();
    files.sort();
    files
}

fn emit(text: &str) -> Result<Vec<u32>, String> {
    let module = parse_module(text).map_err(|e| e.to_string())?;
    let target = Target::reference();
    let options = LowerOptions::default();
    let mut cfgs = SecondaryMap::new();
    for id in module.functions.keys() {
        cfgs[id] = StructuredCfg::default();
    }
    let module = vulkan::emit(&module, &cfgs, &target, &options).map_err(|e| e.to_string())?;
    Ok(module.words)
}

#[test]
fn every_file_is_valid_and_as_blessed() {
    let bless = std::env::var_os("PUMICE_BLESS").is_some();
    let mut failures = Vec::new();
    for path in files() {
        let name = path
            .file_name()
            .expect("name")
            .to_string_lossy()
            .into_owned();
        let text = std::fs::read_to_string(&path).expect("readable");
        let words = match emit(&text) {
            Ok(words) => words,
            Err(e) => {
                failures.push(format!("{name}: {e}"));
                continue;
            }
        };
        if let Err(e) = support::validate(&words, "vulkan1.2") {
            failures.push(format!("{name}: {e}\n{}", support::disassemble(&words)));
            continue;
        }
        let pinned = path.with_extension("spvasm");
        if !text.contains("; snapshot") {
            continue;
        }
        let got = support::disassemble(&words);
        if bless {
            std::fs::write(&pinned, got).expect("writable");
        } else if std::fs::read_to_string(&pinned).unwrap_or_default() != got {
            failures.push(format!("{name}: differs from {}", pinned.display()));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
