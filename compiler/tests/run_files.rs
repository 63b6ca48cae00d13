//! Kernel files (`filetests/run/*.cl`) through the front end, the importer and the interpreter:
//! what a device must compute, computed without one.
//!
//! The directives are described in cts-harness, which runs the same files on devices.

use std::fmt::Write;
use std::path::{Path, PathBuf};

mod run_target;

use pumice_backend::import::{SpecConstants, import};
use pumice_backend::pass::Ctx;
use pumice_backend::passes::lower::{link_builtins, lower_math};
use pumice_backend::pipeline;
use pumice_compiler::{
    CompileOptions, LinkOptions, LowerOptions, NoIncludes, Source, compile, link,
};
use pumice_interp::{self as interp, Arg, Inputs, NdRange};
use pumice_ir::Module;

/// A scalar type of a directive: bytes, and how text becomes bits.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Int,
    Half,
    Float,
    Double,
}

fn element(ty: &str) -> (Kind, usize, usize) {
    let stem = ty.trim_end_matches(|c: char| c.is_ascii_digit());
    let lanes = ty[stem.len()..].parse().unwrap_or(1);
    let (kind, bytes) = match stem.trim_start_matches('u') {
        "char" => (Kind::Int, 1),
        "short" => (Kind::Int, 2),
        "int" => (Kind::Int, 4),
        "long" => (Kind::Int, 8),
        "half" => (Kind::Half, 2),
        "float" => (Kind::Float, 4),
        "double" => (Kind::Double, 8),
        other => panic!("type {other}"),
    };
    (kind, bytes, lanes)
}

fn number(text: &str) -> f64 {
    match text {
        "inf" | "infinity" => f64::INFINITY,
        "-inf" | "-infinity" => f64::NEG_INFINITY,
        "nan" => f64::NAN,
        _ => text.parse().unwrap_or_else(|_| panic!("number {text}")),
    }
}

fn encode(kind: Kind, bytes: usize, text: &str) -> Vec<u8> {
    let hex = text
        .strip_prefix("0x")
        .map(|t| u64::from_str_radix(t, 16).expect("hex"));
    let bits = match (kind, hex) {
        (_, Some(bits)) => bits,
        (Kind::Int, None) => text
            .parse::<i128>()
            .unwrap_or_else(|_| panic!("integer {text}")) as u64,
        (Kind::Half, None) => u64::from(interp::half::f64_to_f16(number(text))),
        (Kind::Float, None) => u64::from((number(text) as f32).to_bits()),
        (Kind::Double, None) => number(text).to_bits(),
    };
    bits.to_le_bytes()[..bytes].to_vec()
}

/// Values with `n*x` and `a..b` expanded; `?` gives `None`.
fn values(kind: Kind, bytes: usize, words: &[&str]) -> Vec<Option<Vec<u8>>> {
    let mut out = Vec::new();
    for word in words {
        if let Some((count, value)) = word.split_once('*') {
            let value = (value != "?").then(|| encode(kind, bytes, value));
            out.extend(std::iter::repeat_n(value, count.parse().expect("a count")));
        } else if let Some((first, last)) = word.split_once("..") {
            let (first, last): (i64, i64) =
                (first.parse().expect("int"), last.parse().expect("int"));
            out.extend((first..=last).map(|n| Some(encode(kind, bytes, &n.to_string()))));
        } else {
            out.push((*word != "?").then(|| encode(kind, bytes, word)));
        }
    }
    out
}

fn decode(kind: Kind, bytes: &[u8]) -> f64 {
    match kind {
        Kind::Half => interp::half::f16_to_f64(u16::from_le_bytes([bytes[0], bytes[1]])),
        Kind::Float => f64::from(f32::from_le_bytes(bytes.try_into().expect("4 bytes"))),
        Kind::Double => f64::from_le_bytes(bytes.try_into().expect("8 bytes")),
        Kind::Int => f64::NAN,
    }
}

/// Distance in units of the last place of the expected value.
fn ulps(kind: Kind, actual: f64, expected: f64) -> f64 {
    let (digits, lowest) = match kind {
        Kind::Half => (11, -14),
        Kind::Float => (24, -126),
        _ => (53, -1022),
    };
    let exponent = (expected.abs().log2().floor() as i32).max(lowest);
    (actual - expected).abs() / 2f64.powi(exponent - digits + 1)
}

struct Expect {
    line: usize,
    arg: usize,
    kind: Kind,
    bytes: usize,
    values: Vec<Option<Vec<u8>>>,
    /// `ulp`, `abs` or empty, and how much.
    tolerance: (String, f64),
}

#[derive(Default)]
struct Run {
    kernel: String,
    global: Vec<u64>,
    local: Vec<u64>,
    offset: Vec<u64>,
    inputs: Inputs,
    expects: Vec<Expect>,
}

fn argument(inputs: &mut Inputs, text: &str) {
    let words: Vec<&str> = text.split_whitespace().collect();
    let arg = match words[..] {
        ["buffer", "null"] => Arg::Null,
        ["buffer", ty, ..] => {
            let (kind, bytes, _) = element(ty);
            let list = values(kind, bytes, &words[2..]);
            let contents = list.into_iter().flat_map(|v| v.expect("contents"));
            inputs.buffers.push(contents.collect());
            Arg::Buffer {
                index: inputs.buffers.len() - 1,
                offset: 0,
            }
        }
        ["local", size] => Arg::Local(size.parse().expect("a size")),
        _ => {
            let (kind, bytes, lanes) = element(words[0]);
            let list = values(kind, bytes, &words[1..]);
            let mut contents: Vec<u8> = list
                .into_iter()
                .flat_map(|v| v.expect("contents"))
                .collect();
            if lanes == 3 {
                contents.resize(4 * bytes, 0);
            }
            Arg::Bytes(contents)
        }
    };
    inputs.args.push(arg);
}

fn expectation(line: usize, arg: &str, text: &str) -> Expect {
    let mut words: Vec<&str> = text.split_whitespace().collect();
    let mut tolerance = (String::new(), 0.0);
    if let [.., how @ ("ulp" | "abs"), amount] = words[..] {
        tolerance = (how.to_string(), number(amount));
        words.truncate(words.len() - 2);
    }
    let (kind, bytes, _) = element(words[0]);
    Expect {
        line,
        arg: arg.trim().parse().expect("an argument number"),
        kind,
        bytes,
        values: values(kind, bytes, &words[1..]),
        tolerance,
    }
}

/// Options, texts that the build log must hold, runs.
fn directives(text: &str) -> (String, Vec<String>, Vec<Run>) {
    let (mut options, mut log, mut runs) = (String::new(), Vec::new(), Vec::<Run>::new());
    let sizes = |v: &str| {
        v.split_whitespace()
            .map(|n| n.parse().expect("a size"))
            .collect()
    };
    for (index, line) in text.lines().enumerate() {
        let found = line
            .trim()
            .strip_prefix("// ")
            .and_then(|l| l.split_once(':'));
        let Some((key, value)) = found else { continue };
        let value = value.trim();
        match (key, runs.last_mut()) {
            ("options", _) => options = value.to_string(),
            ("build-log", _) => log.push(value.to_string()),
            ("kernel", _) => runs.push(Run {
                kernel: value.to_string(),
                ..Run::default()
            }),
            ("global", Some(run)) => run.global = sizes(value),
            ("local", Some(run)) => run.local = sizes(value),
            ("offset", Some(run)) => run.offset = sizes(value),
            ("arg", Some(run)) => argument(&mut run.inputs, value),
            (key, Some(run)) => {
                if let Some(arg) = key.strip_prefix("expect ") {
                    run.expects.push(expectation(index + 1, arg, value));
                }
            }
            _ => {}
        }
    }
    (options, log, runs)
}

fn check(run: &Run, buffers: &[Vec<u8>], failures: &mut String) {
    for expect in &run.expects {
        let Arg::Buffer { index, .. } = run.inputs.args[expect.arg] else {
            panic!("argument {} is no buffer", expect.arg);
        };
        let actual: Vec<&[u8]> = buffers[index].chunks(expect.bytes).collect();
        for (i, value) in expect.values.iter().enumerate() {
            let Some(value) = value else { continue };
            let got = actual.get(i).copied().unwrap_or(&[]);
            let (want, have) = if expect.kind == Kind::Int {
                (0.0, 0.0)
            } else {
                (decode(expect.kind, value), decode(expect.kind, got))
            };
            let both_nan = expect.kind != Kind::Int && want.is_nan() && have.is_nan();
            let close = match expect.tolerance.0.as_str() {
                "ulp" => want == have || ulps(expect.kind, have, want) <= expect.tolerance.1,
                "abs" => (have - want).abs() <= expect.tolerance.1,
                _ => false,
            };
            if got != &value[..] && !both_nan && !close {
                let _ = writeln!(
                    failures,
                    "  line {}, element {i}: expected {value:02x?} ({want}), got {got:02x?} ({have})",
                    expect.line
                );
            }
        }
    }
}

fn run_file(path: &Path, failures: &mut String) -> Result<(), String> {
    let text = std::fs::read_to_string(path).expect("readable");
    let (options, log, runs) = directives(&text);
    let options = CompileOptions::parse(&options).map_err(|e| format!("{e:?}"))?;
    let target = run_target::run_target();
    let name = path.file_name().expect("a file").to_string_lossy();
    let source = Source {
        name: &name,
        text: text.as_bytes(),
    };
    let built = compile(source, &options, &target, &NoIncludes);
    if !log.is_empty() {
        let missing = log.iter().find(|l| !built.log.contains(l.as_str()));
        return match (built.output, missing) {
            (None, None) => Ok(()),
            (Some(_), _) => Err("builds, and should not".to_string()),
            (None, Some(text)) => Err(format!("the log lacks {text:?}:\n{}", built.log)),
        };
    }
    let module = built.output.ok_or(built.log)?;
    let linked = link(&[&module], &LinkOptions::default());
    let module = linked.output.ok_or(linked.log)?;
    let mut ir = import(&module.words, &SpecConstants::default()).map_err(|e| e.to_string())?;
    let lower = LowerOptions::default();
    let ctx = Ctx {
        target: &target,
        options: &lower,
    };
    // The interpreter takes no OpenCL.std: link the library's functions in, as the pipeline does.
    let _ = lower_math::run(&mut ir, &ctx).map_err(|e| e.to_string())?;
    let _ = link_builtins::run(&mut ir, &ctx).map_err(|e| format!("{e:?}"))?;
    run_all(&ir, &runs, "before the passes", failures)?;
    pipeline::run_pipeline(&mut ir, &ctx, &mut |_, _| {}).map_err(|e| format!("{e:?}"))?;
    run_all(&ir, &runs, "after the passes", failures)
}

/// Interprets every run of a file on one form of its module.
fn run_all(ir: &Module, runs: &[Run], when: &str, failures: &mut String) -> Result<(), String> {
    for run in runs {
        let three = |list: &[u64], fill| {
            let mut out = [fill; 3];
            out[..list.len()].copy_from_slice(list);
            out
        };
        let local = if run.local.is_empty() {
            &[1][..]
        } else {
            &run.local
        };
        let range = NdRange {
            work_dim: run.global.len() as u32,
            global: three(&run.global, 1),
            local: three(local, 1),
            offset: three(&run.offset, 0),
        };
        let options = interp::Options::default();
        let output = interp::run(ir, &run.kernel, &run.inputs, &range, &options)
            .map_err(|e| format!("{} {when}: {e}", run.kernel))?;
        let before = failures.len();
        check(run, &output.buffers, failures);
        if failures.len() > before {
            let _ = writeln!(failures, "  {} {when}", run.kernel);
        }
    }
    Ok(())
}

#[test]
fn kernel_files_compute_what_they_say() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("filetests/run");
    let mut files: Vec<PathBuf> = std::fs::read_dir(&dir)
        .expect("the folder exists")
        .map(|e| e.expect("readable").path())
        .filter(|p| p.extension().is_some_and(|e| e == "cl"))
        .collect();
    files.sort();
    assert!(!files.is_empty());
    let mut report = String::new();
    for path in files {
        let mut failures = String::new();
        if let Err(error) = run_file(&path, &mut failures) {
            let _ = writeln!(failures, "  {error}");
        }
        if !failures.is_empty() {
            let _ = writeln!(report, "{}:\n{failures}", path.display());
        }
    }
    assert!(report.is_empty(), "\n{report}");
}
