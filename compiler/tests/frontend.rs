//! File tests of the front end.
//!
//! `filetests/pp/*.cl` go through the preprocessor, `filetests/parse/*.cl` through the parser,
//! `filetests/sema/*.cl` through sema.
//! `filetests/builtins/overloads.out` counts the built-in functions' overloads.
//! `filetests/negative/*.cl` hold many small programs each, see [`negative_corpus`].
//! A line may hold build options: `// options: -D N=4`. The `.out` file beside holds the output and
//! the log, word for word; `PUMICE_BLESS=1` writes it anew.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use pumice_filetests::directive;
use pumice_filetests::golden::{self, Failures};
use pumice_test_support::filetests;

use pumice_compiler::frontend::builtins::table::ROWS;
use pumice_compiler::frontend::builtins::table::signature::Width;
use pumice_compiler::{
    CompileOptions, IncludeResolver, IncludedFile, Source, Target, extensions, frontend,
};

/// Includes come from the test's folder.
struct Folder(PathBuf);

impl IncludeResolver for Folder {
    fn resolve(&self, name: &str, _angled: bool, _from: &str) -> Option<IncludedFile> {
        let text = std::fs::read(self.0.join(name)).ok()?;
        let path = name.to_string();
        Some(IncludedFile { path, text })
    }
}

/// Runs every test of a folder and reports all differences together.
fn run_folder(name: &str) {
    golden::run_files(&filetests(name), &["cl"], 1, "out", |path| {
        let text = std::fs::read(path).expect("readable");
        Ok(run_file(name, path, &text, &filetests(name)))
    });
}

/// Build options, and `-cl-ext=`, which changes the device.
fn parse_options(words: &str, target: &mut Target) -> CompileOptions {
    let (changes, words): (Vec<&str>, Vec<&str>) = words
        .split(' ')
        .partition(|word| word.starts_with("-cl-ext="));
    for change in changes {
        let entries = extensions::parse(change).expect("a list of extensions");
        extensions::apply(&entries, target);
    }
    CompileOptions::parse(&words.join(" ")).expect("valid options")
}

fn run_file(kind: &str, path: &Path, text: &[u8], dir: &Path) -> String {
    let head = String::from_utf8_lossy(text);
    let words = directive::value(&head, "options").unwrap_or_default();
    let mut target = Target::reference();
    let options = parse_options(words, &mut target);
    let name = path.file_name().expect("a file").to_string_lossy();
    let source = Source { name: &name, text };
    let includes = Folder(dir.to_path_buf());
    let (output, log) = if kind == "pp" {
        let outcome = frontend::preprocess(source, &options, &target, &includes);
        let text = outcome
            .output
            .map(|t| String::from_utf8_lossy(&t).into_owned());
        (text, outcome.log)
    } else if kind == "sema" {
        let outcome = frontend::check(source, &options, &target, &includes);
        (outcome.output, outcome.log)
    } else {
        let outcome = frontend::parse(source, &options, &target, &includes);
        (outcome.output, outcome.log)
    };
    match output {
        Some(output) if log.is_empty() => output,
        Some(output) => format!("{output}---- log\n{log}"),
        None => format!("---- log\n{log}"),
    }
}

/// A line `//// [options] title` begins each program of a file; its log follows the same line in
/// the `.out` file. A program must have errors, or warnings if its title begins with `warning:`.
fn run_negative(path: &Path, count: &mut usize, wrong: &mut Vec<String>) -> String {
    let text = std::fs::read_to_string(path).expect("readable");
    let mut out = String::new();
    for program in text.split("//// ").skip(1) {
        let (header, body) = program.split_once('\n').expect("a title line");
        let (words, title) = match header.strip_prefix('[') {
            Some(rest) => rest.split_once("] ").expect("options, then a title"),
            None => ("", header),
        };
        // A device with every optional feature, or one without images or doubles, instead of the
        // reference.
        let (mut target, words) = if let Some(rest) = words.strip_prefix("--device=full") {
            (pumice_compiler::full_target(), rest)
        } else if let Some(rest) = words.strip_prefix("--device=no-images") {
            (Target::reference().without_images(), rest)
        } else if let Some(rest) = words.strip_prefix("--device=no-doubles") {
            let mut target = Target::reference();
            target.float64 = false;
            target.extensions.retain(|name| name != "cl_khr_fp64");
            target.features.retain(|name| name != "__opencl_c_fp64");
            (target, rest)
        } else {
            (Target::reference(), words)
        };
        let options = parse_options(words, &mut target);
        let source = Source {
            name: "a.cl",
            text: body.as_bytes(),
        };
        let includes = Folder(filetests("negative"));
        let outcome = frontend::compile(source, &options, &target, &includes, &mut |_, _| {});
        let warns = title.starts_with("warning:");
        let _ = writeln!(out, "//// {header}\n{}", outcome.log);
        if outcome.output.is_some() != warns || outcome.log.is_empty() {
            let name = path.file_name().expect("a file").to_string_lossy();
            wrong.push(format!("{name}: {header}\n{}", outcome.log));
        }
        *count += 1;
    }
    out
}

#[test]
fn negative_corpus() {
    let mut count = 0;
    let (mut failures, mut wrong) = (Failures::default(), Vec::new());
    let files = golden::files(&filetests("negative"), &["cl"], 1);
    let all = std::env::var_os("PUMICE_FILETEST").is_none();
    for path in files {
        let actual = run_negative(&path, &mut count, &mut wrong);
        failures.take(&path, golden::compare(&path, "out", &actual));
    }
    assert!(wrong.is_empty(), "not refused:\n{}", wrong.join("\n"));
    failures.finish();
    assert!(count >= 300 || !all, "only {count} programs");
}

#[test]
fn preprocessor_files() {
    run_folder("pp");
}

#[test]
fn sema_files() {
    run_folder("sema");
}

#[test]
fn parser_files() {
    run_folder("parse");
}

/// The number of overloads of each built-in function on a device with every feature: types of
/// gentype times numbers of components. Pointers to several address spaces count once.
#[test]
fn overloads() {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for row in &ROWS {
        let of_row = row.signature.map_or(0, |signature| {
            let takes = |width| signature.params().iter().any(|p| p.width() == Some(width));
            let lanes = (1..=16).filter(|n| signature.components.has(*n)).count();
            let of = |width| if takes(width) { lanes } else { 1 };
            let n = if signature.is_scalar() {
                1
            } else {
                of(Width::N)
            };
            signature.scalars.iter().count().max(1) * n * of(Width::M)
        });
        *counts.entry(row.name).or_default() += of_row;
    }
    let lines = counts.iter().map(|(name, count)| match count {
        0 => format!("{name} by a rule of its own\n"),
        count => format!("{name} {count}\n"),
    });
    let list: String = lines.collect();
    let golden = filetests("builtins").join("overloads.out");
    golden::compare_file(&golden, &list).unwrap_or_else(|difference| panic!("{difference}"));
}
