//! Times the way to Vulkan SPIR-V, pass by pass: `cargo run --release -p pumice-compiler --example backend_bench FILE.cl [OPTIONS]`.
//!
//! Each figure is the least of many runs in µs; behind it stand the instructions and blocks that a pass leaves.
//! With `PROFILE=SECONDS` in the environment it only goes round for so long, for a profiler to watch.

use std::time::{Duration, Instant};

use pumice_compiler::{
    CompileOptions, KernelModule, LowerOptions, NoIncludes, Source, Target, compile, ir::Module,
    link, lower_observed,
};

/// The least time of each stage, in the order they were first met.
#[derive(Default)]
struct Times(Vec<Stage>);

struct Stage {
    name: &'static str,
    least: Duration,
    /// Instructions and blocks of the module behind it.
    size: Option<(usize, usize)>,
}

impl Times {
    fn take<T>(&mut self, name: &'static str, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = work();
        self.add(name, start.elapsed(), None);
        result
    }

    fn add(&mut self, name: &'static str, time: Duration, size: Option<(usize, usize)>) {
        match self.0.iter_mut().find(|stage| stage.name == name) {
            Some(stage) => stage.least = time.min(stage.least),
            None => self.0.push(Stage {
                name,
                least: time,
                size,
            }),
        }
    }
}

/// The instructions and blocks of all functions.
fn size(module: &Module) -> (usize, usize) {
    let functions = module.functions.values();
    functions.fold((0, 0), |(insts, blocks), func| {
        (insts + func.size(), blocks + func.layout.blocks.len())
    })
}

fn round(times: &mut Times, text: &[u8], options: &CompileOptions, target: &Target) {
    let lower = LowerOptions {
        math: options.math,
        ..LowerOptions::default()
    };
    let source = Source {
        name: "bench.cl",
        text,
    };
    let outcome = times.take("compile", || compile(source, options, target, &NoIncludes));
    let module: KernelModule = outcome.output.expect("source that compiles");
    let linked = times.take("link", || link(&[&module], &Default::default()));
    let linked = linked.output.expect("a module that links");
    let mut start = Instant::now();
    let lowered = lower_observed(&linked, target, &lower, &mut |step, done| {
        times.add(step, start.elapsed(), done.ok().map(size));
        start = Instant::now();
    });
    times.add("emit and free", start.elapsed(), None);
    lowered.output.expect("a module that can be lowered");
}

fn main() {
    let mut args = std::env::args().skip(1);
    let file = args.next().expect("a file");
    let words: Vec<String> = args.map(|a| format!("\"{a}\"")).collect();
    let options = CompileOptions::parse(&words.join(" ")).expect("valid options");
    let text = std::fs::read(&file).expect("a readable file");
    let target = Target::reference();

    let profile = std::env::var("PROFILE").ok();
    let seconds = profile.as_ref().map_or(2, |s| s.parse().expect("seconds"));
    let mut times = Times::default();
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_secs(seconds) {
        round(&mut times, &text, &options, &target);
    }
    if profile.is_none() {
        let sum: Duration = times.0.iter().map(|stage| stage.least).sum();
        for Stage { name, least, size } in times.0 {
            let size = size.map_or(String::new(), |(insts, blocks)| {
                format!(" {insts:>8} {blocks:>6}")
            });
            println!("{name:<24} {:>9.1}{size}", least.as_secs_f64() * 1e6);
        }
        println!("{:<24} {:>9.1}", "sum", sum.as_secs_f64() * 1e6);
    }
}
