//! Times the front end's stages: `cargo run --release -p pumice-compiler --example frontend_bench [FILE.cl [OPTIONS]]`.
//!
//! Without a file it takes a small kernel, ten kernels and a text full of macros. Each figure is
//! the best of many runs, thread start included.

use std::fmt::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use pumice_compiler::{
    CompileOptions, IncludeResolver, IncludedFile, Source, Target, compile, frontend,
};

const SMALL: &str = "
kernel void saxpy(global const float *x, global float *y, float a, uint n)
{
  size_t i = get_global_id(0);
  if (i < n)
    y[i] = a * x[i] + y[i];
}
";

/// Includes from the file system, relative to the working directory and `-I`.
struct Folders(Vec<PathBuf>);

impl IncludeResolver for Folders {
    fn resolve(&self, name: &str, _angled: bool, _from: &str) -> Option<IncludedFile> {
        let bare = std::iter::once(PathBuf::from(name));
        let mut paths = bare.chain(self.0.iter().map(|folder| folder.join(name)));
        paths.find_map(|path| {
            let text = std::fs::read(&path).ok()?;
            let path = path.to_string_lossy().into_owned();
            Some(IncludedFile { path, text })
        })
    }
}

fn best(mut work: impl FnMut()) -> Duration {
    let start = Instant::now();
    let mut best = Duration::MAX;
    let mut rounds = 0;
    while rounds < 3 || (start.elapsed() < Duration::from_millis(500) && rounds < 2000) {
        let begin = Instant::now();
        work();
        best = best.min(begin.elapsed());
        rounds += 1;
    }
    best
}

fn measure(what: &str, text: &[u8], options: &CompileOptions) {
    let source = Source {
        name: "bench.cl",
        text,
    };
    let target = Target::reference();
    let includes = Folders(options.include_dirs.clone());
    let outcome = compile(source, options, &target, &includes);
    if outcome.output.is_none() {
        println!("{what}: does not compile\n{}", outcome.log);
        return;
    }
    let pp = best(|| drop(frontend::preprocess(source, options, &target, &includes)));
    let ast = best(|| drop(frontend::parse(source, options, &target, &includes)));
    let all = best(|| drop(compile(source, options, &target, &includes)));
    println!(
        "{what:<16} {:>9} bytes   preprocess and print {pp:>9.1?}   parse and print {ast:>9.1?}   \
         compile {all:>9.1?}",
        text.len()
    );
}

fn main() {
    let mut args = std::env::args().skip(1);
    if let Some(file) = args.next() {
        let words: Vec<String> = args.map(|a| format!("\"{a}\"")).collect();
        let options = CompileOptions::parse(&words.join(" ")).expect("valid options");
        let text = std::fs::read(&file).expect("a readable file");
        measure(&file, &text, &options);
        return;
    }
    let options = CompileOptions::default();
    measure("empty", b"", &options);
    measure("small kernel", SMALL.as_bytes(), &options);
    let ten: String = (0..10)
        .map(|i| SMALL.replace("saxpy", &format!("saxpy{i}")))
        .collect();
    measure("ten kernels", ten.as_bytes(), &options);
    let mut macros = String::from(
        "#define ROUND(a, b, c) { a += (b ^ c) + rotate(a, 5u); b = rotate(b, 30u) + M_0; }\n\
         #define M_0 0x5a827999u\n#define TWO(x) x x\n#define FOUR(x) TWO(x) TWO(x)\n",
    );
    for i in 0..100 {
        let _ = writeln!(
            macros,
            "kernel void hash{i}(global uint *o) {{\n  uint a = o[0], b = o[1], c = o[2];\n  \
             FOUR(FOUR(ROUND(a, b, c) ROUND(b, c, a)))\n  o[0] = a + b + c;\n}}"
        );
    }
    measure("macros", macros.as_bytes(), &options);
}
