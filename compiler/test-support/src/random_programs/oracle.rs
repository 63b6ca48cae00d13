//! Expected results of a kernel file, computed by the interpreter.

use std::fmt::Write;

use pumice_backend::import::VariableForm;
use pumice_backend::pass::Ctx;
use pumice_backend::{pipeline, variable_form};
use pumice_compiler::target::Quirks;
use pumice_compiler::{CompileOptions, LowerOptions, Target};
use pumice_filetests::{Arg, Image, KernelFile, Run, directive};
use pumice_interp as interp;
use pumice_ir::Module;

use crate::build::linked;
use crate::runs::{Arguments, of_copies, range_of_single_items};
use crate::{interpretable, low_targets, run_target};

fn interpret(
    module: &Module,
    run: &Run,
    check_uninitialised: bool,
    flush_doubles: bool,
) -> Result<Vec<Vec<u8>>, String> {
    let arguments = Arguments::of(run)?;
    let options = interp::Options {
        check_uninitialised,
        flush_doubles,
        ..interp::Options::default()
    };
    let range = range_of_single_items(run);
    interp::run(module, &run.kernel, &arguments.inputs, &range, &options)
        .map(|output| output.buffers)
        .map_err(|error| error.to_string())
}

/// The file with expectations for each buffer that a kernel changes, in place of those that it
/// has.
///
/// # Errors
/// A program that the compiler or the interpreter refuses, or whose result the passes change.
pub fn expectations(text: &str) -> Result<String, String> {
    let enqueues = directive::value(text, "needs") == Some("device-queues");
    let target = target_of(text);
    let program = Prepared::of(text, &target)?;
    let mut ways = vec![
        ("passes".to_string(), false, target.clone()),
        ("needed passes".to_string(), true, target.clone()),
        (
            "passes for drivers with faults".to_string(),
            false,
            Target {
                quirks: Quirks::all(),
                ..target.clone()
            },
        ),
    ];
    let coarse = Target {
        coarse: true,
        quirks: Quirks::all(),
        ..target.clone()
    };
    ways.push(("passes for coarse copies".to_string(), false, coarse));
    // Those are run as work-groups of one work-item.
    if program.has_no_group_sizes() {
        let alone = Target {
            groups_of_one: true,
            ..target.clone()
        };
        ways.push(("passes for groups of one".to_string(), false, alone));
    }
    if text.contains("double") {
        let flushing = Target {
            flushes_f64: true,
            ..target.clone()
        };
        for (which, opt_disable) in [("passes", false), ("needed passes", true)] {
            let which = format!("{which} for flushed doubles");
            ways.push((which, opt_disable, flushing.clone()));
        }
    }
    if enqueues {
        let graphs = Target {
            shader_enqueue: true,
            ..target
        };
        ways.push(("passes for work graphs".to_string(), false, graphs));
    }
    program.check(&ways)?;
    Ok(annotate(text, &program.runs, &program.results))
}

/// The device that a file is written for.
pub fn target_of(text: &str) -> Target {
    let more = ["device-queues", "work_group_", "sub_group_"];
    match more.iter().any(|word| text.contains(word)) {
        true => run_target(),
        false => Target::reference(),
    }
}

/// Compares what devices compute that lack something with what the program says, optimised and not.
///
/// # Errors
/// As [`expectations`].
pub fn check_low_devices(text: &str) -> Result<(), String> {
    let program = Prepared::of(text, &target_of(text))?;
    let ways: Vec<(String, bool, Target)> = (low_targets().into_iter())
        .flat_map(|(name, target)| {
            [false, true].map(|opt_disable| {
                let which = if opt_disable {
                    "needed passes"
                } else {
                    "passes"
                };
                (format!("{which} {name}"), opt_disable, target.clone())
            })
        })
        .collect();
    program.check(&ways)
}

/// A program before the passes, and its results.
struct Prepared {
    ir: Module,
    runs: Vec<Run>,
    lower: LowerOptions,
    results: Vec<Vec<Vec<u8>>>,
}

impl Prepared {
    fn of(text: &str, target: &Target) -> Result<Self, String> {
        let KernelFile { options, runs, .. } = KernelFile::parse(text)?;
        let module = linked(text, &options, target)?;
        let options = CompileOptions::parse(&options).map_err(|error| error.to_string())?;
        let lower = LowerOptions {
            math: options.math,
            ..LowerOptions::default()
        };
        let ctx = Ctx {
            target,
            options: &lower,
        };
        let memory = interpretable(&module.words, VariableForm::Memory, &ctx)?;
        let results: Vec<Vec<Vec<u8>>> = runs
            .iter()
            // Captured structs are copied with their padding.
            .map(|run| {
                interpret(&memory, run, !run.args.contains(&Arg::Queue), false)
                    .map_err(|e| format!("before the passes: {e}"))
            })
            .collect::<Result<_, _>>()?;
        Ok(Self {
            ir: interpretable(&module.words, variable_form(target), &ctx)?,
            runs,
            lower,
            results,
        })
    }

    fn has_no_group_sizes(&self) -> bool {
        self.runs.iter().all(|run| run.local.is_none())
    }

    /// Compares the results behind the passes, without optimisation or with, of each device.
    fn check(&self, ways: &[(String, bool, Target)]) -> Result<(), String> {
        for (which, opt_disable, target) in ways {
            let mut lower = self.lower.clone();
            lower.math.opt_disable = *opt_disable;
            let ctx = Ctx {
                target,
                options: &lower,
            };
            let mut ir = self.ir.clone();
            pipeline::run_pipeline(&mut ir, &ctx, &mut |_, _| {})
                .map_err(|e| format!("{which}: {e}"))?;
            for (run, expected) in self.runs.iter().zip(&self.results) {
                // Passes copy structs in whole words, padding included.
                let after = interpret(&ir, run, false, target.flushes_f64)
                    .map_err(|e| format!("after the {which}: {e}"))?;
                if after != *expected {
                    return Err(format!("{}: the {which} change the result", run.kernel));
                }
                for run in of_copies(&ir, run) {
                    let after = interpret(&ir, &run, false, target.flushes_f64)
                        .map_err(|e| format!("{}: {e}", run.kernel))?;
                    if after != *expected {
                        return Err(format!("{} has another result", run.kernel));
                    }
                }
            }
        }
        Ok(())
    }
}

fn annotate(text: &str, runs: &[Run], results: &[Vec<Vec<u8>>]) -> String {
    let mut out = String::new();
    let mut run = 0;
    let mut types: Vec<String> = Vec::new();
    let mut flush = |types: &mut Vec<String>, out: &mut String| {
        if types.is_empty() {
            return;
        }
        let (before, after) = (&runs[run], &results[run]);
        let mut after = after.iter();
        for (at, arg) in before.args.iter().enumerate() {
            let bytes = match arg {
                Arg::Buffer { bytes, .. } | Arg::Image { bytes, .. } => bytes,
                _ => continue,
            };
            let first = after.len() == results[run].len();
            let after = after.next().expect("a buffer of each argument");
            if bytes != after || first {
                let words = elements(&types[at], after);
                let _ = writeln!(out, "// expect {at}: {}{words}", types[at]);
            }
        }
        run += 1;
        types.clear();
    };
    for line in text.lines() {
        if line.starts_with("// expect ") {
            continue;
        }
        if let Some(arg) = line.strip_prefix("// arg: ") {
            let words: Vec<&str> = arg.split_whitespace().collect();
            types.push(element_type(&words).to_string());
        } else {
            flush(&mut types, &mut out);
        }
        out.push_str(line);
        out.push('\n');
    }
    flush(&mut types, &mut out);
    out
}

/// The type of an argument's elements.
fn element_type<'a>(words: &[&'a str]) -> &'a str {
    match *words {
        ["buffer", name, ..] => name,
        ["pattern", ..] => "uchar",
        [kind, sizes, order, data_type, ..] if Image::is_kind(kind) => {
            let image = Image::parse([kind, sizes, order, data_type]);
            image.map_or("uchar", |image| image.scalar().name())
        }
        _ => words[0],
    }
}

/// Buffer contents as bits, repetitions counted.
fn elements(ty: &str, bytes: &[u8]) -> String {
    let size = match ty.trim_start_matches('u') {
        "char" => 1,
        "short" | "half" => 2,
        "int" | "float" => 4,
        _ => 8,
    };
    let mut words: Vec<(u64, usize)> = Vec::new();
    for chunk in bytes.chunks_exact(size) {
        let bits = chunk
            .iter()
            .rev()
            .fold(0, |bits, b| bits << 8 | u64::from(*b));
        match words.last_mut() {
            Some((last, count)) if *last == bits => *count += 1,
            _ => words.push((bits, 1)),
        }
    }
    let mut out = String::new();
    for (bits, count) in words {
        let _ = match count {
            1 => write!(out, " {bits:#x}"),
            _ => write!(out, " {count}*{bits:#x}"),
        };
    }
    out
}
