#![allow(warnings)]
// The pipeline against the interpreter: every kernel file of `filetests/run` gives the same
// buffers after each pass as right after import, and what its comments expect.

use pumice_compiler::interp::{self, Arg, Inputs, NdRange, Options};
use pumice_compiler::ir::Module;
use pumice_compiler::ir::verify::verify;

use pumice_compiler::passes::{Ctx, PIPELINE, run_pass};
use pumice_compiler::{LowerOptions, Target, backend};
use std::path::Path;

/// One `// kernel:` block of a kernel file (the format is told in
/// `cts-harness/src/kernel_file.rs`; expectations with a tolerance are left to that runner).
#[derive(Debug, Default)]
struct Run {
    kernel: String,
    range: [[u64; 3]; 3],
    dims: u32,
    args: Vec<Arg>,
    buffers: Vec<Vec<u8>>,
    expects: Vec<(usize, Vec<Option<Vec<u8>>>)>,
}

fn element_bytes(name: &str) -> (usize, usize) {
    let digits = name.trim_start_matches(|c: char| !c.is_ascii_digit());
    let bytes = match name[..name.len() - digits.len()].trim_start_matches('u') {
        "char" => 1,
        "short" | "half" => 2,
        "int" | "float" => 4,
        _ => 8,
    };
    (bytes, digits.parse().unwrap_or(1))
}

fn encode(ty: &str, text: &str) -> Vec<u8> {
    let (size, _) = element_bytes(ty);
    let bits = if let Some(hex) = text.strip_prefix("0x") {
        u64::from_str_radix(hex, 16).expect("hex")
    } else if ty.starts_with("float") {
        u64::from(text.parse::<f32>().expect("float").to_bits())
    } else if ty.starts_with("double") {
        text.parse::<f64>().expect("double").to_bits()
    } else if text.starts_with('-') {
        text.parse::<i64>().expect("integer") as u64
    } else {
        text.parse::<u64>().expect("integer")
    };
    bits.to_le_bytes()[..size].to_vec()
}

fn elements(ty: &str, words: &[&str]) -> Vec<Option<Vec<u8>>> {
    let mut list = Vec::new();
    let one = |text: &str| (text != "?").then(|| encode(ty, text));
    for word in words {
        if let Some((count, value)) = word.split_once('*') {
            list.extend(vec![one(value); count.parse().expect("count")]);
        } else if let Some((first, last)) = word.split_once("..") {
            let bounds: [i64; 2] = [first, last].map(|t| t.parse().expect("bound"));
            list.extend((bounds[0]..=bounds[1]).map(|n| one(&n.to_string())));
        } else {
            list.push(one(word));
        }
    }
    list
}

fn sizes(text: &str, fill: u64) -> [u64; 3] {
    let mut sizes = [fill; 3];
    for (size, word) in sizes.iter_mut().zip(text.split_whitespace()) {
        *size = word.parse().expect("size");
    }
    sizes
}

/// The build options and the runs of a file; no runs for files that must not build.
fn parse(text: &str) -> (String, Vec<Run>) {
    let (mut options, mut runs): (String, Vec<Run>) = Default::default();
    for line in text.lines() {
        let directive = line
            .trim()
            .strip_prefix("// ")
            .and_then(|l| l.split_once(':'));
        let Some((key, value)) = directive else {
            continue;
        };
        let value = value.trim();
        let words: Vec<&str> = value.split_whitespace().collect();
        match (key, runs.last_mut()) {
            ("options", _) => options = value.to_string(),
            ("build-log", _) => return (options, Vec::new()),
            ("kernel", _) => runs.push(Run {
                kernel: value.to_string(),
                range: [[1; 3], [0; 3], [0; 3]],
                ..Run::default()
            }),
            ("global", Some(run)) => {
                run.range[0] = sizes(value, 1);
                run.dims = words.len() as u32;
            }
            ("local", Some(run)) => run.range[1] = sizes(value, 1),
            ("offset", Some(run)) => run.range[2] = sizes(value, 0),
            ("arg", Some(run)) => run.args.push(match words[..] {
                ["buffer", "null"] => Arg::Null,
                ["buffer", ty, ..] => {
                    let list = elements(ty, &words[2..]);
                    run.buffers
                        .push(list.into_iter().flatten().flatten().collect());
                    Arg::Buffer {
                        index: run.buffers.len() - 1,
                        offset: 0,
                    }
                }
                ["local", size] => Arg::Local(size.parse().expect("size")),
                _ => {
                    let list = elements(words[0], &words[1..]);
                    let mut bytes: Vec<u8> = list.into_iter().flatten().flatten().collect();
                    let (size, lanes) = element_bytes(words[0]);
                    bytes.resize(size * if lanes == 3 { 4 } else { lanes }, 0);
                    Arg::Bytes(bytes)
                }
            }),
            (_, Some(run)) => {
                if let Some(arg) = key.strip_prefix("expect ") {
                    if !words.iter().any(|w| matches!(*w, "ulp" | "abs")) {
                        let arg = arg.trim().parse().expect("argument number");
                        run.expects.push((arg, elements(words[0], &words[1..])));
                    }
                }
            }
            _ => {}
        }
    }
    (options, runs)
}

fn interpret(module: &Module, run: &Run) -> Result<Vec<Vec<u8>>, String> {
    let [global, local, offset] = run.range;
    let range = NdRange {
        work_dim: run.dims,
        global,
        local: if local == [0; 3] { global } else { local },
        offset,
    };
    let inputs = Inputs {
        buffers: run.buffers.clone(),
        args: run.args.clone(),
    };
    let options = Options {
        check_uninitialised: false,
        ..Options::default()
    };
    interp::run(module, &run.kernel, &inputs, &range, &options)
        .map(|output| output.buffers)
        .map_err(|error| format!("{error:?}"))
}

fn check_expectations(run: &Run, buffers: &[Vec<u8>]) -> Result<(), String> {
    for (arg, list) in &run.expects {
        let Some(Arg::Buffer { index, .. }) = run.args.get(*arg) else {
            return Err(format!("argument {arg} is no buffer"));
        };
        let mut at = 0;
        for (n, want) in list.iter().enumerate() {
            let Some(want) = want else {
                at += list.iter().flatten().next().map_or(4, Vec::len);
                continue;
            };
            let got = &buffers[*index][at..at + want.len()];
            if got != want.as_slice() {
                return Err(format!(
                    "argument {arg}, element {n}: {got:02x?} instead of {want:02x?}"
                ));
            }
            at += want.len();
        }
    }
    Ok(())
}

fn check_file(path: &Path) -> Result<(), String> {
    let text = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
    let (options, runs) = parse(&text);
    if runs.is_empty() {
        return Ok(());
    }
    let _ = options;
    let target = Target::reference();
    let bytes = std::fs::read(std::env::args().nth(2).unwrap()).unwrap();
    let words: Vec<u32> = bytes
        .chunks_exact(4)
        .map(|c| u32::from_le_bytes(c.try_into().unwrap()))
        .collect();
    let module = pumice_compiler::KernelModule {
        words,
        is_library: false,
    };
    let lower = LowerOptions::default();
    let ctx = Ctx {
        target: &target,
        options: &lower,
    };
    let mut ir = backend::to_ir(&module, &lower).map_err(|e| e.to_string())?;
    let mut before: Option<Vec<Vec<Vec<u8>>>> = None;
    for pass in PIPELINE {
        let _ = run_pass(pass, &mut ir, &ctx).map_err(|e| format!("{}: {e}", pass.name))?;
        verify(&ir).map_err(|e| format!("after {}: {e}", pass.name))?;
        // Until OpenCL.std instructions are lowered the interpreter has no answer.
        if before.is_none() && pass.name != "lower_math" {
            continue;
        }
        let mut after = Vec::new();
        for run in &runs {
            let place = |e| format!("after {}, kernel {}: {e}", pass.name, run.kernel);
            let buffers = interpret(&ir, run).map_err(place)?;
            check_expectations(run, &buffers).map_err(place)?;
            after.push(buffers);
        }
        match &before {
            Some(before) if *before != after => {
                return Err(format!("{} changes what the kernels compute", pass.name));
            }
            _ => before = Some(after),
        }
    }
    Ok(())
}

fn main() {
    match check_file(Path::new(&std::env::args().nth(1).unwrap())) {
        Ok(()) => println!("ok"),
        Err(e) => println!("FAIL {e}"),
    }
}
