//! Times the way to Vulkan SPIR-V, pass by pass: `cargo run --release -p pumice-compiler --example backend_bench FILE.cl [OPTIONS]`.
//!
//! Each figure is the least of many runs in µs. With `PROFILE=SECONDS` in the environment it only
//! goes round for so long, for a profiler to watch.

use std::time::{Duration, Instant};

use pumice_backend::pass::Ctx;
use pumice_backend::pipeline::{pipeline, run_pass};
use pumice_backend::vulkan;
use pumice_compiler::{
    CompileOptions, KernelModule, LowerOptions, NoIncludes, Source, Target, backend, compile, link,
};

/// The least time of each stage, in the order they were first met.
#[derive(Default)]
struct Times(Vec<(&'static str, Duration)>);

impl Times {
    fn take<T>(&mut self, name: &'static str, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = work();
        let time = start.elapsed();
        match self.0.iter_mut().find(|(known, _)| *known == name) {
            Some((_, least)) => *least = time.min(*least),
            None => self.0.push((name, time)),
        }
        result
    }
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
    let mut ir = times.take("import and verify", || {
        backend::to_ir(&linked.words, &lower).expect("a module that is accepted")
    });
    let ctx = Ctx {
        target,
        options: &lower,
    };
    for pass in pipeline(&ctx) {
        let done = times.take(pass.name, || run_pass(pass, &mut ir, &ctx));
        let _ = done.expect("a module that can be lowered");
    }
    let words = times.take("emit", || vulkan::emit(&mut ir, target, &lower));
    words.expect("a module that can be written");
    times.take("free", || drop(ir));
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
        let sum: Duration = times.0.iter().map(|(_, time)| *time).sum();
        for (name, time) in times.0 {
            println!("{name:<24} {:>9.1}", time.as_secs_f64() * 1e6);
        }
        println!("{:<24} {:>9.1}", "sum", sum.as_secs_f64() * 1e6);
    }
}
