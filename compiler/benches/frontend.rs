//! Benchmark `frontend`: OpenCL C to Kernel SPIR-V, by size of the source.
//!
//! ```text
//! cargo bench -p pumice-compiler --bench frontend [-- FILE.cl [build options]]
//! ```
//!
//! Prints tokens after preprocessing, lines, bytes and the best time of several runs. With FILE,
//! that file is measured as well, for example hashcat's `m00000_a0-optimized.cl`.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use pumice_compiler::{
    CompileOptions, IncludeResolver, IncludedFile, NoIncludes, Source, Target, compile, frontend,
};

const SMALL: &str = "\
// A small kernel as applications have them: 30 lines.
#define BLOCK 16

typedef struct {
    float scale;
    float offset;
    int count;
} params;

float transform(float value, params p)
{
    return fma(value, p.scale, p.offset);
}

__kernel void scale(__global const float *input,
                    __global float *output,
                    __local float *tile,
                    params p)
{
    size_t i = get_global_id(0);
    size_t l = get_local_id(0);
    tile[l] = i < p.count ? input[i] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0.0f;
    for (int k = 0; k < BLOCK; k++) {
        sum += transform(tile[(l + k) % BLOCK], p);
    }
    if (i < p.count)
        output[i] = sqrt(sum);
}
";

/// Includes from the file system, beside the including file or in the `-I` folders.
struct Folders(Vec<PathBuf>);

impl IncludeResolver for Folders {
    fn resolve(&self, name: &str, _angled: bool, from: &str) -> Option<IncludedFile> {
        let beside = Path::new(from).parent();
        let mut folders = beside
            .into_iter()
            .chain(self.0.iter().map(PathBuf::as_path));
        folders.find_map(|folder| {
            let path = folder.join(name);
            let text = std::fs::read(&path).ok()?;
            let path = path.to_string_lossy().into_owned();
            Some(IncludedFile { path, text })
        })
    }
}

/// A kernel of about `lines` lines.
fn generated(lines: usize) -> String {
    let mut text = String::from("__kernel void big(__global int *d, __global float *f)\n{\n");
    text.push_str("    int i = get_global_id(0);\n    int a = d[i];\n    float x = f[i];\n");
    for n in 0..lines / 4 {
        text.push_str(&format!(
            "    if ((a & {n}) != 0) {{\n        a += d[(i + {n}) & 255] * {n};\n        x = mad(x, {n}.5f, (float)a);\n    }}\n"
        ));
    }
    text.push_str("    d[i] = a;\n    f[i] = x;\n}\n");
    text
}

fn measure(label: &str, name: &str, text: &str, words: &str, includes: &dyn IncludeResolver) {
    let options = CompileOptions::parse(words).expect("valid options");
    let target = Target::reference();
    let source = Source {
        name,
        text: text.as_bytes(),
    };
    let mut best = Duration::MAX;
    let begin = Instant::now();
    let mut size = 0;
    for _ in 0..200 {
        let start = Instant::now();
        let outcome = compile(source, &options, &target, includes);
        best = best.min(start.elapsed());
        let Some(module) = outcome.output else {
            println!("{label}: {}", outcome.log);
            return;
        };
        size = module.words.len() * 4;
        if begin.elapsed() > Duration::from_secs(5) {
            break;
        }
    }
    let tokens = frontend::token_count(source, &options, &target, includes);
    println!(
        "{label:24} {tokens:8} tokens {:6} lines {:8} bytes  {:10.1} us  {size:8} bytes of SPIR-V",
        text.lines().count(),
        text.len(),
        best.as_secs_f64() * 1e6,
    );
}

fn main() {
    // Cargo's own arguments begin with "--".
    let mut args = std::env::args().skip(1).filter(|a| !a.starts_with("--"));
    measure("30 lines", "small.cl", SMALL, "", &NoIncludes);
    measure("2000 lines", "big.cl", &generated(2000), "", &NoIncludes);
    if let Some(path) = args.next() {
        let words = args.collect::<Vec<_>>().join(" ");
        let folders = CompileOptions::parse(&words).expect("valid options");
        let includes = Folders(folders.include_dirs);
        let text = std::fs::read_to_string(&path).expect("a readable file");
        measure(&path, &path, &text, &words, &includes);
    }
}
