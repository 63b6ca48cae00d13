//! Mutated programs through the whole front end: errors or a module, never a panic.
//! All inputs come from fixed seeds.

use std::path::Path;

use pumice_compiler::{CompileOptions, NoIncludes, Source, Target, compile};
use pumice_test_support::mutants::Random;
use pumice_test_support::on_large_stack;

fn run(text: &str, std: &str) {
    let options = CompileOptions::parse(std).expect("valid options");
    let source = Source {
        name: "fuzz.cl",
        text: text.as_bytes(),
    };
    let outcome = on_large_stack(|| compile(source, &options, &Target::reference(), &NoIncludes));
    assert!(
        !outcome.log.contains("which is a bug"),
        "{}\n{text}",
        outcome.log
    );
    let failed = outcome.log.contains("error");
    assert_eq!(outcome.output.is_none(), failed, "{}\n{text}", outcome.log);
}

/// Words, numbers, strings, single characters and white space.
fn split(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let mut kind = 0;
    for c in text.chars() {
        let this = if c.is_alphanumeric() || c == '_' {
            1
        } else if c.is_whitespace() {
            2
        } else {
            0
        };
        match tokens.last_mut() {
            Some(last) if this != 0 && this == kind => last.push(c),
            _ => tokens.push(c.to_string()),
        }
        kind = this;
    }
    tokens
}

fn corpus() -> Vec<Vec<String>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("filetests");
    let mut files = Vec::new();
    for folder in ["sema", "run"] {
        for entry in std::fs::read_dir(root.join(folder)).expect("the folder exists") {
            let path = entry.expect("readable").path();
            if path.extension().is_some_and(|e| e == "cl") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
        .iter()
        .map(|p| split(&std::fs::read_to_string(p).expect("UTF-8")))
        .collect()
}

#[test]
fn mutated_programs() {
    let rounds: usize = std::env::var("PUMICE_FUZZ_ROUNDS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(400);
    let corpus = corpus();
    let mut random = Random(0x5EED_0000_0002);
    for round in 0..rounds {
        let mut tokens = corpus[random.below(corpus.len())].clone();
        for _ in 0..=random.below(6) {
            let at = random.below(tokens.len());
            let other = &corpus[random.below(corpus.len())];
            let from = random.below(other.len());
            match random.below(5) {
                0 => {
                    tokens.remove(at);
                }
                1 => tokens[at] = other[from].clone(),
                2 => tokens.insert(at, other[from].clone()),
                3 => {
                    let with = random.below(tokens.len());
                    tokens.swap(at, with);
                }
                _ => {
                    let to = (from + random.below(12)).min(other.len());
                    tokens.splice(at..at, other[from..to].iter().cloned());
                }
            }
        }
        let std = ["", "-cl-std=CL2.0", "-cl-std=CL3.0"][round % 3];
        run(&tokens.concat(), std);
    }
}

#[test]
fn long_and_deep_programs() {
    let sum = vec!["a"; 11_000].join(" + ");
    run(&format!("int f(int a) {{ return {sum}; }}"), "");
    let sum = vec!["a"; 20_000].join(" + ");
    run(&format!("int f(int a) {{ return {sum}; }}"), "");
    let nested = "{".repeat(1000) + &"}".repeat(1000);
    run(&format!("void f(void) {nested}"), "");
    let chain = "if (a) ; else ".repeat(1000);
    run(&format!("void f(int a) {{ {chain} ; }}"), "");
    let stars = "*".repeat(1000);
    run(&format!("void f(int {stars}p) {{ {stars}p; }}"), "");
    let braces = "{".repeat(500) + "1" + &"}".repeat(500);
    run(&format!("__constant int x = {braces};"), "");
    let mut structs = String::from("struct S0 { int a[64]; };");
    for i in 1..40 {
        let before = i - 1;
        structs.push_str(&format!("struct S{i} {{ struct S{before} a[64]; }};"));
    }
    run(&structs, "");
    let arrays = "[4]".repeat(400);
    run(&format!("void f(void) {{ int a{arrays}; }}"), "");
}
