//! Writes or times source texts of one shape at any size:
//!
//! ```text
//! cargo run --release -p pumice-compiler --example shapes -- NAME TOKENS        the text
//! cargo run --release -p pumice-compiler --example shapes -- time TOKENS,... [NAME...]
//! ```
//!
//! `time` compiles each shape at each size (in rising order) and prints the seconds of the whole
//! and of its slowest stages at the largest size, each with its growth: the exponent `e` of
//! `seconds = c * tokens ^ e` between the last two sizes. A shape that takes 20 s is not made larger.

use pumice_compiler::{
    CompileOptions, LinkOptions, LowerOptions, NoIncludes, Source, Target, compile, link,
    lower_observed,
};
use pumice_test_support::shapes::{SHAPES, Shape};
use std::process::ExitCode;
use std::time::Instant;

const USAGE: &str = "usage: shapes NAME TOKENS | shapes time TOKENS,... [NAME...]";

/// Seconds after which a shape is not made larger.
const PATIENCE: f64 = 20.0;

/// Seconds of each stage in order, and what stopped the build.
#[derive(Default)]
struct Run {
    stages: Vec<(&'static str, f64)>,
    error: Option<String>,
    words: usize,
}

impl Run {
    fn stage<T>(&mut self, name: &'static str, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = work();
        self.stages.push((name, start.elapsed().as_secs_f64()));
        result
    }

    fn sum(&self) -> f64 {
        self.stages.iter().map(|(_, seconds)| seconds).sum()
    }

    fn build(&mut self, text: &str) -> Result<(), String> {
        let target = Target::reference();
        let lower = LowerOptions::default();
        let source = Source {
            name: "shape.cl",
            text: text.as_bytes(),
        };
        let options = CompileOptions::parse("-cl-std=CL3.0").map_err(|e| e.to_string())?;
        let built = self.stage("compile", || {
            compile(source, &options, &target, &NoIncludes)
        });
        let module = built.output.ok_or(built.log)?;
        let linked = self.stage("link", || link(&[&module], &LinkOptions::default()));
        let linked = linked.output.ok_or(linked.log)?;
        let mut start = Instant::now();
        let lowered = lower_observed(&linked, &target, &lower, &mut |step, _| {
            self.stages.push((step, start.elapsed().as_secs_f64()));
            start = Instant::now();
        });
        self.stages.push(("emit", start.elapsed().as_secs_f64()));
        let emitted = lowered.output.ok_or(lowered.log)?;
        self.words = emitted.words.len();
        let read = self.stage("read", || pumice_reflection::read(&emitted.words));
        read.map_err(|e| e.to_string())?;
        Ok(())
    }
}

fn exponent(small: (usize, f64), large: (usize, f64)) -> f64 {
    let ratio = (large.1 / small.1.max(1e-6)).ln();
    ratio / (large.0 as f64 / small.0 as f64).ln()
}

fn time(shape: &Shape, sizes: &[usize]) {
    let mut runs: Vec<(usize, Run)> = Vec::new();
    let mut line = format!("{:<26}", shape.name);
    for &size in sizes {
        let mut run = Run::default();
        run.error = run.build(&shape.of_tokens(size)).err();
        line += &format!(" {size:>8}: {:>7.3} s", run.sum());
        let stop = run.sum() > PATIENCE || run.error.is_some();
        runs.push((size, run));
        if stop {
            break;
        }
    }
    let Some((size, last)) = runs.last() else {
        return;
    };
    line += &format!(" {:>9} words", last.words);
    let before = runs.len().checked_sub(2).map(|at| &runs[at]);
    if let Some((small, run)) = before {
        let growth = exponent((*small, run.sum()), (*size, last.sum()));
        line += &format!("  growth {growth:.2} |");
    }
    let mut slowest = last.stages.clone();
    slowest.sort_by(|a, b| b.1.total_cmp(&a.1));
    for (name, seconds) in slowest.iter().take(5).filter(|s| s.1 > last.sum() / 20.0) {
        line += &format!(" {name} {seconds:.2}");
        let other = before.and_then(|(small, run)| {
            let stage = run.stages.iter().find(|(other, _)| other == name)?;
            Some((*small, stage.1))
        });
        if let Some(other) = other {
            line += &format!(" ({:.2})", exponent(other, (*size, *seconds)));
        }
    }
    println!("{line}");
    if let Some(error) = &last.error {
        println!("    {}", error.lines().next().unwrap_or_default());
    }
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args[..] {
        ["time", sizes, ref names @ ..] => {
            let sizes: Option<Vec<usize>> = sizes.split(',').map(|s| s.parse().ok()).collect();
            let chosen = SHAPES
                .iter()
                .filter(|shape| names.is_empty() || names.contains(&shape.name));
            if let Some(sizes) = sizes {
                // The whole run is on one thread with a stack as compilations have it.
                let work = move || {
                    chosen.for_each(|shape| time(shape, &sizes));
                };
                let stack = pumice_compiler::frontend::STACK_BYTES;
                return std::thread::scope(|scope| {
                    let thread = std::thread::Builder::new().stack_size(stack);
                    match thread.spawn_scoped(scope, work).map(|thread| thread.join()) {
                        Ok(Ok(())) => ExitCode::SUCCESS,
                        _ => ExitCode::FAILURE,
                    }
                });
            }
        }
        [name, tokens] => {
            if let (Some(shape), Ok(tokens)) = (Shape::find(name), tokens.parse()) {
                print!("{}", shape.of_tokens(tokens));
                return ExitCode::SUCCESS;
            }
        }
        _ => {}
    }
    eprintln!("{USAGE}");
    for shape in SHAPES {
        eprintln!("    {}", shape.name);
    }
    ExitCode::from(2)
}
