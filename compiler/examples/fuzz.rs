//! Fuzzes the compiler on stable Rust, with a corpus that a later run takes up again.
//!
//! ```text
//! cargo run --release -p pumice-compiler --example fuzz -- pp|parse|compile FOLDER SECONDS [SEED.cl…]
//! cargo run --release -p pumice-compiler --example fuzz -- import|lower FOLDER SECONDS SEED.spv…
//! ```
//!
//! The first three take OpenCL C. `import` takes Kernel SPIR-V up to the end of the passes,
//! `lower` up to Vulkan SPIR-V; their inputs are changed by instructions and words.
//!
//! Inputs are changed by bytes and by tokens, and crossed with each other. There is no coverage
//! instrumentation; an input is kept when its answer has something new: a message (without what
//! it quotes), a pair of neighbouring syntax tree nodes or SPIR-V opcodes. FOLDER keeps those
//! inputs (`corpus/`), how long and how often it ran (`state`) and what was found (`finding-*`, `slow-*`).
//! The input at work stands in `current`; when a run finds one there at its start, the run before
//! was killed by it (a stack overflow, say), and it becomes a finding.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::{Duration, Instant};
use std::{fs, io};

use pumice_compiler::backend::pass::Ctx;
use pumice_compiler::backend::pipeline::run_pipeline;
use pumice_compiler::options::ClStd;
use pumice_compiler::{
    CompileOptions, KernelModule, LowerOptions, NoIncludes, Source, Target, backend, compile,
    frontend, lower,
};
use pumice_test_support::mutants::{Random, change_module, change_text, words_of};

/// Longer than this is a hang, also on a machine with much else to do.
const HANG: Duration = Duration::from_secs(300);
/// An input that takes longer is kept as `slow-*`; on a busy machine, run it once more by itself.
const SLOW: Duration = Duration::from_secs(10);
/// Longer inputs are cut: time is better spent on many.
const LONGEST: usize = 6000;
/// The same for SPIR-V.
const LONGEST_MODULE: usize = 40_000;

fn hash(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Part of the front end that runs.
#[derive(Clone, Copy, PartialEq)]
enum Stage {
    Preprocess,
    Parse,
    Compile,
    Import,
    Lower,
}

impl Stage {
    fn is_binary(self) -> bool {
        matches!(self, Stage::Import | Stage::Lower)
    }

    fn longest(self) -> usize {
        if self.is_binary() {
            LONGEST_MODULE
        } else {
            LONGEST
        }
    }
}

/// The opcodes of a module.
fn opcodes(words: &[u32]) -> impl Iterator<Item = u64> {
    pumice_spirv::instructions(words)
        .flatten()
        .map(|inst| u64::from(inst.opcode))
}

/// The result of a module: an error that stands for one, or what its output is made of.
fn module_answer(stage: Stage, bytes: &[u8], target: &Target) -> (String, Vec<u64>) {
    let module = KernelModule {
        words: words_of(bytes),
        is_library: false,
    };
    let options = LowerOptions::default();
    let work = || {
        if stage == Stage::Lower {
            let out = lower(&module, target, &options);
            let words = out.output.map(|m| m.words).unwrap_or_default();
            let mut last = 0;
            let pairs = opcodes(&words).map(|op| hash((std::mem::replace(&mut last, op), op)));
            return (out.log, pairs.collect());
        }
        let ctx = Ctx {
            target,
            options: &options,
        };
        let mut ir = match backend::to_ir(&module.words, target, &options) {
            Ok(ir) => ir,
            Err(error) => return (format!("f.cl: {}", error.message), Vec::new()),
        };
        let imported: Vec<u64> = ir
            .functions
            .values()
            .flat_map(|f| {
                f.insts
                    .values()
                    .map(|inst| hash(std::mem::discriminant(&inst.kind)))
            })
            .collect();
        match run_pipeline(&mut ir, &ctx, &mut |_, _| {}) {
            Ok(()) => (String::new(), imported),
            Err(error) => (format!("f.cl: {}", error.message), imported),
        }
    };
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned().unwrap_or_default();
        (format!("a panic, which is a bug: {text}"), Vec::new())
    })
}

/// The result of one input: the log, and numbers that stand for what its output is made of.
fn answer(stage: Stage, text: &[u8]) -> (String, Vec<u64>) {
    if stage.is_binary() {
        return module_answer(stage, text, &Target::reference());
    }
    let source = Source { name: "f.cl", text };
    // Any version, on a device that lacks nothing or most; the text decides, so that a finding
    // is found again.
    let versions = [
        None,
        Some(ClStd::Cl20),
        Some(ClStd::Cl30),
        Some(ClStd::Cl31),
    ];
    let choice = hash(text) as usize;
    let options = CompileOptions {
        std: versions[choice % 4],
        ..CompileOptions::default()
    };
    let target = &match choice / 4 % 4 {
        0 => Target::reference(),
        _ => pumice_compiler::full_target(),
    };
    let pairs = |items: &mut dyn Iterator<Item = u64>| {
        let mut last = 0;
        let mut found = Vec::new();
        for item in items {
            found.push(hash((last, item)));
            last = item;
        }
        found
    };
    match stage {
        Stage::Preprocess => {
            let out = frontend::preprocess(source, &options, target, &NoIncludes);
            (out.log, Vec::new())
        }
        Stage::Parse => {
            let out = frontend::parse(source, &options, target, &NoIncludes);
            let tree = out.output.unwrap_or_default();
            let mut heads = tree.lines().map(|l| {
                let head = l.trim_start().split([' ', '(']).next();
                hash(head)
            });
            (out.log, pairs(&mut heads))
        }
        Stage::Compile => {
            let out = compile(source, &options, target, &NoIncludes);
            let words = out.output.map(|m| m.words).unwrap_or_default();
            (out.log, pairs(&mut opcodes(&words)))
        }
        Stage::Import | Stage::Lower => (String::new(), Vec::new()),
    }
}

/// Beginnings of the messages of a log, without what they quote and count: what a program says itself
/// by `#error` must not count as new each time.
fn messages(log: &str) -> impl Iterator<Item = u64> {
    let lines = log.lines();
    let known = lines.filter(|l| l.starts_with("f.cl:") || l.starts_with("error: "));
    known.map(|line| {
        let text = line.split_once(": ").map_or(line, |(_, text)| text);
        let unquoted: Vec<&str> = text.split('\'').step_by(2).collect();
        let plain: String = unquoted.concat();
        let letters = plain.replace(|c: char| !c.is_ascii_alphabetic() && c != ' ', "");
        hash(letters.split(' ').take(5).collect::<Vec<_>>())
    })
}

/// The folder of one fuzzing campaign.
struct Campaign {
    folder: PathBuf,
    corpus: Vec<Vec<u8>>,
    seen: HashSet<u64>,
    rounds: u64,
    seconds: u64,
    /// The longest time that an input of this run took.
    slowest: Duration,
}

impl Campaign {
    fn open(folder: &Path) -> io::Result<Self> {
        fs::create_dir_all(folder.join("corpus"))?;
        let current = folder.join("current");
        if let Ok(text) = fs::read(&current) {
            fs::rename(
                &current,
                folder.join(format!("finding-{:016x}.cl", hash(text))),
            )?;
        }
        let state = fs::read_to_string(folder.join("state")).unwrap_or_default();
        let mut numbers = state.split_whitespace().filter_map(|n| n.parse().ok());
        let (rounds, seconds) = (numbers.next(), numbers.next());
        let mut corpus = Vec::new();
        for entry in fs::read_dir(folder.join("corpus"))? {
            corpus.push(fs::read(entry?.path())?);
        }
        corpus.sort();
        Ok(Self {
            folder: folder.to_path_buf(),
            corpus,
            seen: HashSet::new(),
            rounds: rounds.unwrap_or(0),
            seconds: seconds.unwrap_or(0),
            slowest: Duration::ZERO,
        })
    }

    /// Runs one input; true when its answer has something new.
    fn run(&mut self, stage: Stage, text: &[u8]) -> io::Result<bool> {
        fs::write(self.folder.join("current"), text)?;
        let start = Instant::now();
        let (log, output) = answer(stage, text);
        let taken = start.elapsed();
        self.slowest = self.slowest.max(taken);
        if taken > SLOW {
            let name = format!("slow-{:016x}.cl", hash(text));
            eprintln!("{name}: {} s", taken.as_secs());
            fs::write(self.folder.join(name), text)?;
        }
        if log.contains("which is a bug") {
            let name = format!("finding-{:016x}.cl", hash(text));
            eprintln!("{name}: {}", log.lines().next().unwrap_or_default());
            fs::write(self.folder.join(name), text)?;
        }
        self.rounds += 1;
        let mut new = false;
        for feature in messages(&log).chain(output) {
            new |= self.seen.insert(feature);
        }
        Ok(new)
    }

    fn save(&self, seconds: u64) -> io::Result<()> {
        let _ = fs::remove_file(self.folder.join("current"));
        let text = format!("{} {}\n", self.rounds, self.seconds + seconds);
        fs::write(self.folder.join("state"), text)
    }
}

fn fuzz(stage: Stage, folder: &Path, limit: Duration, seeds: &[String]) -> io::Result<()> {
    let mut campaign = Campaign::open(folder)?;
    let start = Instant::now();
    let mut inputs = std::mem::take(&mut campaign.corpus);
    for seed in seeds {
        let mut text = fs::read(seed)?;
        if !stage.is_binary() {
            text.truncate(LONGEST);
        }
        inputs.push(text);
    }
    static WORKING: Mutex<Option<Instant>> = Mutex::new(None);
    std::thread::spawn(|| {
        loop {
            std::thread::sleep(Duration::from_secs(5));
            let since = *WORKING.lock().expect("no holder panics");
            if since.is_some_and(|s| s.elapsed() > HANG) {
                eprintln!("a hang: see 'current'");
                std::process::exit(3);
            }
        }
    });
    let begin = || *WORKING.lock().expect("no holder panics") = Some(Instant::now());
    // What brings nothing new any more need not be kept.
    let mut kept = Vec::new();
    for text in inputs {
        begin();
        if campaign.run(stage, &text)? {
            kept.push(text);
        } else {
            let name = format!("{:016x}.cl", hash(&text));
            let _ = fs::remove_file(folder.join("corpus").join(name));
        }
    }
    let mut inputs = kept;
    if inputs.is_empty() {
        inputs.push(b"kernel void f(global int *p) { *p = 1; }\n".to_vec());
    }
    let mut random = Random(0x9E37_79B9_7F4A_7C15 ^ (campaign.rounds + 1));
    let mut saved = Instant::now();
    while start.elapsed() < limit {
        let mut text = inputs[random.below(inputs.len())].clone();
        let other = random.below(inputs.len());
        for _ in 0..=random.below(5) {
            if stage.is_binary() {
                change_module(&mut text, &inputs[other], &mut random);
            } else {
                change_text(&mut text, &inputs[other], &mut random);
            }
        }
        text.truncate(stage.longest());
        begin();
        if campaign.run(stage, &text)? {
            let name = format!("{:016x}.cl", hash(&text));
            fs::write(folder.join("corpus").join(name), &text)?;
            inputs.push(text);
        }
        if saved.elapsed() > Duration::from_secs(30) {
            saved = Instant::now();
            campaign.save(start.elapsed().as_secs())?;
        }
    }
    campaign.save(start.elapsed().as_secs())?;
    println!(
        "{} rounds, {} s in sum, {} inputs, {} ms at most",
        campaign.rounds,
        campaign.seconds + start.elapsed().as_secs(),
        inputs.len(),
        campaign.slowest.as_millis()
    );
    Ok(())
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [stage, folder, seconds, seeds @ ..] = args.as_slice() else {
        eprintln!("usage: fuzz pp|parse|compile|import|lower FOLDER SECONDS [SEED…]");
        return ExitCode::from(2);
    };
    let stage = match stage.as_str() {
        "pp" => Stage::Preprocess,
        "parse" => Stage::Parse,
        "import" => Stage::Import,
        "lower" => Stage::Lower,
        _ => Stage::Compile,
    };
    let limit = Duration::from_secs(seconds.parse().unwrap_or(60));
    match fuzz(stage, Path::new(folder), limit, seeds) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("{folder}: {e}");
            ExitCode::FAILURE
        }
    }
}
