//! File tests of images and samplers: what `pumicec` makes of `filetests/images/*.cl` in both
//! forms of the interface.
//!
//! A line `// options:` holds more words of the command line, `// form: descriptors` says that they
//! are for that form alone. The reflection, without what other tests pin, and the image
//! instructions, types and capabilities of the module with their numbers stand in the `.map` file
//! beside (`PUMICE_BLESS=1`), or the messages where the program cannot be lowered. Every module
//! must pass spirv-val with its reflection stripped.

use pumice_filetests::{directive, golden};
use pumice_test_support::filetests;
use pumice_test_support::mutants::words_of;
use pumice_test_support::spirv_tools;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

fn pumicec(words: &[&str], emit: &str, path: &Path) -> Result<Vec<u8>, String> {
    let output = Command::new(env!("CARGO_BIN_EXE_pumicec"))
        .args(["-cl-std=CL3.0"])
        .args(words)
        .arg(format!("--emit={emit}"))
        .arg(path)
        .output()
        .expect("pumicec runs");
    if output.status.success() {
        return Ok(output.stdout);
    }
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{text}");
    let folder = path.parent().expect("a folder").display().to_string();
    Err(text.replace(&format!("{folder}/"), ""))
}

/// The interface of images and samplers in a listing of the reflection.
fn interface(listing: &str) -> String {
    let mut out = String::new();
    for line in listing.lines() {
        let skipped = [
            "ArgumentInfo",
            "SpecConstant",
            "PushConstant",
            "PropertyRequired",
            "Printf",
        ];
        if skipped.iter().any(|word| line.starts_with(word)) {
            continue;
        }
        let line = match (line.split_once("function: FunctionId("), line) {
            (Some((_, rest)), _) => {
                let (_, rest) = rest.split_once("name: ").unwrap_or(("", rest));
                let (name, _) = rest.split_once(',').unwrap_or((rest, ""));
                format!("Kernel {name}")
            }
            (None, line) => line.split(", info:").next().unwrap_or(line).to_string(),
        };
        let _ = writeln!(out, "{line}");
    }
    out
}

/// Counts each image instruction, type and capability in a module.
fn instructions(words: &[u32]) -> String {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let text = spirv_tools::disassemble(words);
    for line in text.lines() {
        let line = line.split_once(" = ").map_or(line, |(_, rest)| rest);
        let words: Vec<&str> = line.split_whitespace().collect();
        let Some(&op) = words.first() else { continue };
        let is_image = op.contains("Image") || op.contains("Sampler");
        let key = match op {
            "OpCapability" if ["Image", "Sampled"].iter().any(|w| words[1].contains(w)) => {
                line.to_string()
            }
            // The operands behind the sampled type tell what a type is.
            "OpTypeImage" => format!("OpTypeImage {}", words[2..].join(" ")),
            // Operands that are words are no ids.
            _ if is_image => {
                let masks = words[1..].iter().filter(|word| !word.starts_with('%'));
                let masks: Vec<&str> = masks.copied().collect();
                format!("{op} {}", masks.join(" ")).trim_end().to_string()
            }
            _ => continue,
        };
        *counts.entry(key).or_default() += 1;
    }
    let mut out = String::new();
    for (key, count) in counts {
        let _ = writeln!(out, "{count:4} {key}");
    }
    out
}

fn run(path: &Path) -> Result<String, String> {
    let text = std::fs::read_to_string(path).expect("readable");
    let options = directive::value(&text, "options").unwrap_or_default();
    let forms: &[&str] = match directive::value(&text, "form") {
        Some("descriptors") => &["descriptors"],
        _ => &["addresses", "descriptors"],
    };
    let mut out = String::new();
    for form in forms {
        let abi = format!("--abi={form}");
        let mut words: Vec<&str> = options.split_whitespace().collect();
        words.push(&abi);
        let _ = writeln!(out, "== {form}");
        let listing = match pumicec(&words, "reflection", path) {
            Ok(listing) => String::from_utf8(listing).expect("text"),
            Err(messages) => {
                out.push_str(&messages);
                continue;
            }
        };
        let module = pumicec(&words, "vulkan", path)?;
        let module = words_of(&module);
        let stripped = pumice_reflection::strip_non_semantic(&module);
        spirv_tools::validate(&stripped, "vulkan1.2")
            .map_err(|e| format!("{form}: {e}\n{}", spirv_tools::disassemble(&stripped)))?;
        out.push_str(&interface(&listing));
        out.push_str(&instructions(&stripped));
    }
    Ok(out)
}

#[test]
fn interfaces_and_instructions() {
    if spirv_tools::missing() {
        return;
    }
    golden::run_files(&filetests("images"), &["cl"], 14, "map", run);
}
