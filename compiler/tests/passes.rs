//! File tests of single passes: `filetests/ir/<pass>/*.ir` in, the text after the pass out,
//! pinned beside the file as `.out`. What a pass refuses is pinned the same way.

use pumice_backend::pass::{Ctx, Pass};
use pumice_backend::pipeline;
use pumice_backend::pipeline::run_pass;
use pumice_compiler::{CompileOptions, LowerOptions, Target};
use pumice_filetests::directive;
use pumice_filetests::golden::{Failures, compare, files};
use pumice_ir::text::{module_to_text, parse_module};
use pumice_ir::verify::verify;
use pumice_test_support::{filetests, take_away};
use std::path::PathBuf;

/// Folders of other tests.
const OTHER_TESTS: &[&str] = &["graph", "node", "run", "vulkan"];

fn folders() -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = std::fs::read_dir(filetests("ir"))
        .expect("a folder")
        .map(|entry| entry.expect("entry").path())
        .collect();
    folders.sort();
    folders
}

fn run(pass: &Pass, text: &str) -> Result<String, String> {
    let mut module = parse_module(text).map_err(|e| e.to_string())?;
    verify(&module).map_err(|e| format!("before: {e}"))?;
    let mut target = Target {
        quirks: directive::value(text, "quirks")
            .unwrap_or_default()
            .parse()?,
        terminable: true,
        ..Target::reference()
    };
    for thing in directive::value(text, "lacks")
        .unwrap_or_default()
        .split_whitespace()
    {
        take_away(&mut target, thing)?;
    }
    let options = directive::value(text, "options").unwrap_or_default();
    let options = CompileOptions::parse(options).map_err(|e| e.to_string())?;
    let options = LowerOptions {
        math: options.math,
        ..LowerOptions::default()
    };
    let ctx = Ctx {
        target: &target,
        options: &options,
    };
    let changed = match run_pass(pass, &mut module, &ctx) {
        Ok(changed) => changed,
        Err(error) => return Ok(format!("error: {error}\n")),
    };
    verify(&module).map_err(|e| format!("after: {e}"))?;
    let again = run_pass(pass, &mut module.clone(), &ctx).map_err(|e| e.to_string())?;
    let out = module_to_text(&module);
    // Passes that clean up reach their end in one run.
    let settles = matches!(pass.name, "dce" | "simplify_cfg" | "cse" | "sroa");
    if settles && again.is_yes() {
        return Err(format!("a second run changes more:\n{out}"));
    }
    if !changed.is_yes() && parse_module(text).map(|m| module_to_text(&m)).as_ref() != Ok(&out) {
        return Err("the pass changed the module but says it did not".to_string());
    }
    Ok(out)
}

#[test]
fn every_file_is_rewritten_as_blessed() {
    let mut failures = Failures::default();
    for folder in folders() {
        let name = folder.file_name().expect("name").to_string_lossy();
        if OTHER_TESTS.contains(&&*name) {
            continue;
        }
        let pass = pipeline::find(&name).unwrap_or_else(|| panic!("no pass is called {name}"));
        for path in files(&folder, &["ir"], 1) {
            let text = std::fs::read_to_string(&path).expect("readable");
            let outcome = run(pass, &text).and_then(|got| compare(&path, "out", &got));
            failures.take(&path, outcome);
        }
    }
    failures.finish();
}

/// Each function calls the next one twice, thirty deep: a billion calls when run, but the
/// code stays of the order of the source.
#[test]
fn deep_calls_stay_linear() {
    let mut text = String::from("kernel \"k\" fn0 {\n  pointer global\n}\n\n");
    text += "func fn0 \"k\"(ptr.global) -> () internal {\nblock0(v0: ptr.global):\n  \
             v1: i32 = load v0, align 4\n  v2: i32 = call fn1(v1)\n  store v0, v2, align 4\n  \
             return\n}\n";
    for level in 1..=30 {
        let next = level + 1;
        text += &format!(
            "\nfunc fn{level} \"f{level}\"(i32) -> (i32) internal {{\nblock0(v0: i32):\n  \
             v1: i32 = call fn{next}(v0)\n  v2: i32 = call fn{next}(v1)\n  \
             v3: i32 = iadd v1, v2\n  return v3\n}}\n"
        );
    }
    text += "\nfunc fn31 \"f31\"(i32) -> (i32) internal {\nblock0(v0: i32):\n  \
             v1: i32 = imul v0, v0\n  return v1\n}\n";
    let pass = pipeline::find("inline").expect("the inliner");
    let out = run(pass, &text).expect("inlines");
    let lines = out.lines().count();
    assert!(lines < 4000, "{lines} lines");
}
