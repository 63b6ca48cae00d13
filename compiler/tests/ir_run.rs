//! File tests of the IR: `filetests/ir/run/*.ir`, and `*.spvasm` that are imported, say in their comments how to run them and what
//! to expect, in the language of the kernel files:
//!
//! ```text
//! ; kernel: k                     starts a run; several runs a file
//! ; global: 8 2                   one to three sizes
//! ; local: 4 1                    optional, else the global size
//! ; offset: 16 0                  optional
//! ; arg: buffer int 1 2 0..5 8*0  contents; `@1+8` is the address of argument 1's buffer plus 8
//! ; arg: buffer null
//! ; arg: alias 0 16               argument 0's buffer again, 16 bytes further on
//! ; arg: int4 1 2 3 4             by value
//! ; arg: local 64                 bytes of local memory
//! ; expect 0: int 2 3 4 5         argument 0 afterwards; `?` expects anything
//! ; expect printf: v=%d [5]       one printf record: format, then the arguments' bits
//! ; expect error: text            the run fails with this in its message
//! ```
//!
//! Each run happens as written, as parsed from the text that the module is written as, after
//! the structurizer, and after every pass of the pipeline; then the emitted module must please
//! spirv-val.
//!
//! ```text
//! ; no pipeline                   only the interpreter runs the file
//! ```

mod support;

use pumice_backend::import::{SpecConstants, import};
use pumice_backend::pass::Ctx;
use pumice_backend::pipeline::run_pipeline;
use pumice_backend::structurize;
use pumice_backend::vulkan;
use pumice_compiler::{LowerOptions, Target};
use pumice_interp::float::{F16, round_to_format};
use pumice_interp::{self as interp, Arg, Inputs, NdRange, Options, buffer_address};
use pumice_ir::text::{module_to_text, parse_module};
use pumice_ir::{Module, Rounding, verify};
use std::path::{Path, PathBuf};

/// A scalar of OpenCL C: size in bytes, whether float.
fn scalar(name: &str) -> Option<(usize, bool)> {
    Some(match name {
        "char" | "uchar" => (1, false),
        "short" | "ushort" => (2, false),
        "int" | "uint" => (4, false),
        "long" | "ulong" => (8, false),
        "half" => (2, true),
        "float" => (4, true),
        "double" => (8, true),
        _ => return None,
    })
}

fn element(name: &str, text: &str) -> Result<Vec<u8>, String> {
    let (size, float) = scalar(name).ok_or_else(|| format!("no type {name}"))?;
    let bad = || format!("{text:?} is no {name}");
    let bits: u64 = if let Some(hex) = text.strip_prefix("0x") {
        u64::from_str_radix(hex, 16).map_err(|_| bad())?
    } else if let Some(place) = text.strip_prefix('@') {
        let (index, offset) = place.split_once('+').ok_or_else(bad)?;
        let index: usize = index.parse().map_err(|_| bad())?;
        buffer_address(index) + offset.parse::<u64>().map_err(|_| bad())?
    } else if float {
        let value: f64 = text.parse().map_err(|_| bad())?;
        match size {
            2 => round_to_format(value, F16, Rounding::Rte),
            4 => u64::from(text.parse::<f32>().map_err(|_| bad())?.to_bits()),
            _ => value.to_bits(),
        }
    } else if text.starts_with('-') {
        text.parse::<i64>().map_err(|_| bad())? as u64
    } else {
        text.parse::<u64>().map_err(|_| bad())?
    };
    Ok(bits.to_le_bytes()[..size].to_vec())
}

/// Elements with `8*0` and `0..5` spelled out; `None` for `?`.
fn elements(name: &str, words: &[&str]) -> Result<Vec<Option<Vec<u8>>>, String> {
    let mut list = Vec::new();
    for word in words {
        if let Some((count, value)) = word.split_once('*') {
            let count: usize = count.parse().map_err(|_| format!("count {word}"))?;
            let value = if value == "?" {
                None
            } else {
                Some(element(name, value)?)
            };
            list.extend(std::iter::repeat_n(value, count));
        } else if let Some((low, high)) = word.split_once("..") {
            let bound = |t: &str| t.parse::<i64>().map_err(|_| format!("range {word}"));
            for value in bound(low)?..=bound(high)? {
                list.push(Some(element(name, &value.to_string())?));
            }
        } else if *word == "?" {
            list.push(None);
        } else {
            list.push(Some(element(name, word)?));
        }
    }
    Ok(list)
}

fn bytes(name: &str, words: &[&str]) -> Result<Vec<u8>, String> {
    let list = elements(name, words)?;
    let known: Option<Vec<Vec<u8>>> = list.into_iter().collect();
    Ok(known.ok_or("`?` in an argument")?.concat())
}

/// What an argument's buffer must hold; `None` for `?`.
struct Expect {
    arg: usize,
    ty: String,
    elements: Vec<Option<Vec<u8>>>,
}

#[derive(Default)]
struct Run {
    kernel: String,
    range: Option<NdRange>,
    inputs: Inputs,
    /// Buffer of each argument, and where in it the argument starts.
    buffer_of: Vec<Option<(usize, usize)>>,
    expect: Vec<Expect>,
    printf: Vec<String>,
    error: Option<String>,
    local: Option<[u64; 3]>,
    offset: [u64; 3],
}

impl Run {
    fn arg(&mut self, words: &[&str]) -> Result<(), String> {
        let number = |text: &str| text.parse::<u64>().map_err(|_| format!("number {text}"));
        let mut place = None;
        let arg = match *words {
            ["buffer", "null"] => Arg::Null,
            ["buffer", ty, ref values @ ..] => {
                let index = self.inputs.buffers.len();
                self.inputs.buffers.push(bytes(ty, values)?);
                place = Some((index, 0));
                Arg::Buffer { index, offset: 0 }
            }
            ["alias", of, offset] => {
                let of = self.buffer_of.get(number(of)? as usize).copied().flatten();
                let (index, start) = of.ok_or("alias of no buffer")?;
                let offset = number(offset)? + start as u64;
                place = Some((index, offset as usize));
                Arg::Buffer { index, offset }
            }
            ["local", size] => Arg::Local(number(size)?),
            [ty, ref values @ ..] => {
                let name = ty.trim_end_matches(|c: char| c.is_ascii_digit());
                Arg::Bytes(bytes(name, values)?)
            }
            [] => return Err("empty argument".into()),
        };
        self.inputs.args.push(arg);
        self.buffer_of.push(place);
        Ok(())
    }
}

fn sizes(words: &[&str], fill: u64) -> Result<[u64; 3], String> {
    let mut all = [fill; 3];
    for (dest, word) in all.iter_mut().zip(words) {
        *dest = word.parse().map_err(|_| format!("size {word}"))?;
    }
    Ok(all)
}

fn directives(text: &str) -> Result<Vec<Run>, String> {
    let mut runs: Vec<Run> = Vec::new();
    for line in text.lines() {
        let Some((key, rest)) = line.strip_prefix("; ").and_then(|l| l.split_once(':')) else {
            continue;
        };
        let words: Vec<&str> = rest.split_whitespace().collect();
        if key == "kernel" {
            runs.push(Run {
                kernel: rest.trim().to_string(),
                ..Run::default()
            });
            continue;
        }
        let Some(run) = runs.last_mut() else { continue };
        match key {
            "global" => {
                run.range = Some(NdRange {
                    work_dim: words.len() as u32,
                    global: sizes(&words, 1)?,
                    local: [0; 3],
                    offset: [0; 3],
                });
            }
            "local" => run.local = Some(sizes(&words, 1)?),
            "offset" => run.offset = sizes(&words, 0)?,
            "arg" => run.arg(&words)?,
            "expect printf" => run.printf.push(rest.trim().to_string()),
            "expect error" => run.error = Some(rest.trim().to_string()),
            _ => {
                let Some(number) = key.strip_prefix("expect ") else {
                    continue;
                };
                let arg = number.parse().map_err(|_| format!("argument {number}"))?;
                let (ty, values) = words.split_first().ok_or("empty expectation")?;
                run.expect.push(Expect {
                    arg,
                    ty: (*ty).to_string(),
                    elements: elements(ty, values)?,
                });
            }
        }
    }
    Ok(runs)
}

/// The format without its line end, then the arguments' bits in hexadecimal.
fn record_text(record: &interp::PrintfRecord) -> String {
    let mut text = String::from_utf8_lossy(&record.format)
        .trim_end()
        .to_string();
    for arg in &record.args {
        text += &match arg {
            interp::PrintfValue::String(s) => format!(" {}", String::from_utf8_lossy(s)),
            interp::PrintfValue::Value(_, lanes) => format!(" {lanes:x?}"),
        };
    }
    text
}

fn execute(module: &Module, run: &Run) -> Result<(), String> {
    let mut range = run.range.ok_or("no global size")?;
    range.local = run.local.unwrap_or(range.global);
    range.offset = run.offset;
    let result = interp::run(
        module,
        &run.kernel,
        &run.inputs,
        &range,
        &Options::default(),
    );
    if let Some(expected) = &run.error {
        return match result {
            Err(error) if error.to_string().contains(expected.as_str()) => Ok(()),
            Err(error) => Err(format!("fails with {error}")),
            Ok(_) => Err("does not fail".into()),
        };
    }
    let output = result.map_err(|e| e.to_string())?;
    if run.expect.is_empty() && run.printf.is_empty() {
        return Err("expects nothing".into());
    }
    // After `lower_printf` the records are words in a buffer, which the runtime decodes.
    if output.printf_buffer.is_empty() {
        let records: Vec<String> = output.printf.iter().map(record_text).collect();
        if records != run.printf {
            return Err(format!("prints {records:?}, expected {:?}", run.printf));
        }
    }
    for Expect { arg, ty, elements } in &run.expect {
        let place = run.buffer_of.get(*arg).copied().flatten();
        let (index, start) = place.ok_or(format!("argument {arg} is no buffer"))?;
        let size = scalar(ty).map_or(1, |(size, _)| size);
        let found: Vec<&[u8]> = output.buffers[index][start..].chunks(size).collect();
        if found.len() < elements.len() {
            return Err(format!("argument {arg} is too short"));
        }
        for (i, value) in elements.iter().enumerate() {
            if value.as_ref().is_some_and(|v| v != found[i]) {
                return Err(format!(
                    "argument {arg}: element {i} is {:02x?}, expected {:02x?} (little-endian)",
                    found[i],
                    value.as_deref().unwrap_or_default()
                ));
            }
        }
    }
    Ok(())
}

/// A file's module: IR text, or SPIR-V assembly that is imported.
fn read(path: &Path, text: &str) -> Result<Module, String> {
    if path.extension().is_some_and(|e| e == "spvasm") {
        let words = support::assemble(text);
        return import(&words, &SpecConstants::default()).map_err(|e| e.to_string());
    }
    parse_module(text).map_err(|e| e.to_string())
}

fn run_file(path: &Path, text: &str) -> Result<usize, String> {
    let module = read(path, text)?;
    verify(&module).map_err(|e| e.to_string())?;
    let written = module_to_text(&module);
    let again = parse_module(&written).map_err(|e| format!("round trip: {e}"))?;
    if module_to_text(&again) != written {
        return Err("the text does not round-trip".into());
    }
    let mut structured = module.clone();
    for func in structured.functions.values_mut() {
        structurize::structure(func).map_err(|e| e.to_string())?;
        structurize::check(func)?;
    }
    verify(&structured).map_err(|e| format!("structured: {e}"))?;
    let runs = directives(text)?;
    for (i, run) in runs.iter().enumerate() {
        for (what, module) in [
            ("as written", &module),
            ("structured", &structured),
            ("parsed again", &again),
        ] {
            execute(module, run).map_err(|e| format!("run {i} of {}, {what}: {e}", run.kernel))?;
        }
    }
    if text.lines().any(|line| line == "; no pipeline") {
        return Ok(runs.len());
    }
    lower(module.clone(), &runs, false)?;
    lower(module, &runs, true).map_err(|e| format!("unoptimised: {e}"))?;
    Ok(runs.len())
}

/// Every pass keeps every run's results; what comes out is valid SPIR-V.
fn lower(mut module: Module, runs: &[Run], opt_disable: bool) -> Result<(), String> {
    let target = Target::reference();
    let mut options = LowerOptions::default();
    options.math.opt_disable = opt_disable;
    let ctx = Ctx {
        target: &target,
        options: &options,
    };
    let mut outcome = Ok(());
    let lowered = run_pipeline(&mut module, &ctx, &mut |pass, result| {
        let (Ok(module), Ok(())) = (result, &outcome) else {
            return;
        };
        let mut runs = runs.iter().filter(|run| run.error.is_none());
        outcome = runs
            .try_for_each(|run| execute(module, run))
            .map_err(|e| format!("after {pass}: {e}\n{}", module_to_text(module)));
    });
    outcome?;
    lowered.map_err(|e| format!("{e}\n{}", module_to_text(&module)))?;
    let emitted = vulkan::emit(&module, &target, &options).map_err(|e| format!("emit: {e}"))?;
    support::validate(&emitted.words, "vulkan1.2")
        .map_err(|e| format!("{e}\n{}", support::disassemble(&emitted.words)))
}

#[test]
fn every_file_runs_as_it_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("filetests/ir/run");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("filetests/ir/run")
        .map(|entry| entry.expect("entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "ir" || e == "spvasm"))
        .collect();
    files.sort();
    assert!(files.len() >= 30, "{} files", files.len());
    let mut failures = Vec::new();
    for path in files {
        let name = path
            .file_name()
            .expect("name")
            .to_string_lossy()
            .into_owned();
        let text = std::fs::read_to_string(&path).expect("readable");
        match run_file(&path, &text) {
            Ok(0) => failures.push(format!("{name}: no run")),
            Ok(_) => {}
            Err(error) => failures.push(format!("{name}: {error}")),
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
