//! File tests of the lowering passes and the Vulkan emitter.
//!
//! Each `.ir` file is verified, lowered, verified after every pass and emitted; the module must
//! please spirv-val. A `; run` line runs the kernel in the interpreter before and after
//! lowering: the buffers must agree. `; snapshot` pins the disassembly (`PUMICE_BLESS=1`).

mod lowering_passes;
mod support;

use pumice_compiler::interp::{self, Arg, Inputs, NdRange, Options};
use pumice_compiler::ir::text::{module_to_text, parse_module};
use pumice_compiler::ir::verify;
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

/// `global G local L args …`: buffers of a fixed pattern (`buf:N`), zeros, local sizes, bytes,
/// integers and floats by bits.
fn parse_run(line: &str) -> (NdRange, Inputs) {
    let words: Vec<&str> = line.split_whitespace().collect();
    let number = |after: &str| -> u64 {
        let at = words.iter().position(|w| *w == after).expect(after);
        words[at + 1].parse().expect("number")
    };
    let range = NdRange::linear(number("global"), number("local"));
    let args_at = words.iter().position(|w| *w == "args").expect("args");
    let mut inputs = Inputs::default();
    for word in &words[args_at + 1..] {
        let (kind, text) = word.split_once(':').expect("kind:value");
        let arg = match kind {
            "buf" | "zeros" => {
                let size: usize = text.parse().expect("size");
                let index = inputs.buffers.len();
                inputs.buffers.push(
                    (0..size)
                        .map(|i| {
                            if kind == "zeros" {
                                0
                            } else {
                                ((i * 37 + 11 + index * 5) % 251) as u8
                            }
                        })
                        .collect(),
                );
                Arg::Buffer { index, offset: 0 }
            }
            "local" => Arg::Local(text.parse().expect("size")),
            "bytes" => Arg::Bytes(
                (0..text.len() / 2)
                    .map(|i| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).expect("hex"))
                    .collect(),
            ),
            "i8" => Arg::Bytes(vec![text.parse::<i64>().expect("integer") as u8]),
            "i32" => Arg::Bytes(
                (text.parse::<i64>().expect("integer") as i32)
                    .to_le_bytes()
                    .into(),
            ),
            "i64" => Arg::Bytes(text.parse::<i64>().expect("integer").to_le_bytes().into()),
            _ => {
                // fNxM: bit patterns in hexadecimal.
                let mut bytes: Vec<u8> = text
                    .split(',')
                    .flat_map(|t| u32::from_str_radix(t, 16).expect("hex").to_le_bytes())
                    .collect();
                bytes.resize(bytes.len().next_power_of_two(), 0);
                Arg::Bytes(bytes)
            }
        };
        inputs.args.push(arg);
    }
    (range, inputs)
}

fn check_file(path: &Path, bless: bool) -> Result<(), String> {
    let text = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
    let mut module = parse_module(&text).map_err(|e| e.to_string())?;
    verify(&module).map_err(|e| e.to_string())?;
    let target = Target::reference();
    let run = text
        .lines()
        .find_map(|l| l.strip_prefix("; run "))
        .map(parse_run);
    let kernel = module.kernels[0].name.clone();
    let before = run
        .as_ref()
        .map(|(range, inputs)| interp::run(&module, &kernel, inputs, range, &Options::default()))
        .transpose()
        .map_err(|e| format!("before: {e:?}"))?;
    lowering_passes::lower(&mut module, &target)?;
    let after = run
        .as_ref()
        .map(|(range, inputs)| interp::run(&module, &kernel, inputs, range, &Options::default()))
        .transpose()
        .map_err(|e| format!("after: {e:?}\n{}", module_to_text(&module)))?;
    if before != after {
        return Err(format!(
            "the interpreter sees a difference\n{before:?}\n{after:?}"
        ));
    }
    let words = vulkan::emit(&mut module, &target, &LowerOptions::default())
        .map_err(|e| format!("{e}\n{}", module_to_text(&module)))?
        .words;
    support::validate(&words, "vulkan1.2")
        .map_err(|e| format!("{e}\n{}", support::disassemble(&words)))?;
    if text.contains("; snapshot") {
        let pinned = path.with_extension("spvasm");
        let got = support::disassemble(&words);
        if bless {
            std::fs::write(&pinned, got).map_err(|e| e.to_string())?;
        } else if std::fs::read_to_string(&pinned).unwrap_or_default() != got {
            return Err(format!("differs from {}", pinned.display()));
        }
    }
    Ok(())
}

#[test]
fn every_file_lowers_and_validates() {
    let bless = std::env::var_os("PUMICE_BLESS").is_some();
    let files = files();
    assert!(files.len() >= 10, "the files are there");
    let failures: Vec<String> = files
        .iter()
        .filter_map(|path| {
            let name = path.file_name()?.to_string_lossy().into_owned();
            check_file(path, bless)
                .err()
                .map(|e| format!("{name}: {e}"))
        })
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}
