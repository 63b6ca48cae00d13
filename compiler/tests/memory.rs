//! Programs that would take any amount of memory are refused while they have taken little.
//!
//! Each program is compiled by the test's own executable as a process of its own, so that its
//! peak can be read.

use std::fmt::Write;
use std::process::Command;

use pumice_budget as budget;
use pumice_compiler::{
    CompileOptions, IncludeResolver, IncludedFile, KernelModule, LinkOptions, LowerOptions, Source,
    Target, compile, link, lower,
};

/// A process with its stacks and the compiler's tables takes so much beside the budget's 1 GiB.
const MOST: u64 = budget::LIMIT + (200 << 20);

/// The test that runs as the process.
const WORKER: &str = "worker";
const PROGRAM: &str = "PUMICE_TEST_PROGRAM";

/// Finds a file of 32 MiB by every name.
struct LargeFiles;

impl IncludeResolver for LargeFiles {
    fn resolve(&self, name: &str, _angled: bool, _from: &str) -> Option<IncludedFile> {
        let path = name.to_string();
        let text = vec![b' '; 32 << 20];
        Some(IncludedFile { path, text })
    }
}

fn build(text: &[u8]) -> String {
    let source = Source {
        name: "bomb.cl",
        text,
    };
    let options = CompileOptions::parse("-cl-std=CL3.0").expect("valid options");
    let target = Target::reference();
    let compiled = compile(source, &options, &target, &LargeFiles);
    let Some(module) = compiled.output else {
        return compiled.log;
    };
    let linked = link(&[&module], &LinkOptions::default());
    drop(module);
    let Some(module) = linked.output else {
        return linked.log;
    };
    lowered(&module)
}

fn lowered(module: &KernelModule) -> String {
    let lowered = lower(module, &Target::reference(), &LowerOptions::default());
    match lowered.output {
        Some(module) => format!("{} words\n", module.words.len()),
        None => lowered.log,
    }
}

/// Compiles the file that the environment names, if it names one.
#[test]
fn worker() {
    let Some(path) = std::env::var_os(PROGRAM) else {
        return;
    };
    let text = std::fs::read(&path).expect("readable");
    let thread = std::thread::Builder::new().stack_size(64 << 20);
    let is_module = path.to_string_lossy().ends_with(".spv");
    let work = move || match is_module {
        true => {
            let words = text.chunks_exact(4);
            let words = words.map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]]));
            lowered(&KernelModule {
                words: words.collect(),
                is_library: false,
            })
        }
        false => build(&text),
    };
    let log = thread.spawn(work).expect("a thread").join();
    let log = log.expect("no panic");
    assert!(log.len() < 1 << 20, "the log has {} bytes", log.len());
    println!("LOG{log}");
    let status = std::fs::read_to_string("/proc/self/status").expect("readable");
    let peak = status.lines().find(|line| line.starts_with("VmHWM:"));
    println!("{}", peak.expect("the peak"));
}

/// The build log of a program and its process's peak of memory in bytes.
fn measured(name: &str, extension: &str, program: &[u8]) -> (String, u64) {
    let file = format!("pumice-memory-{}-{name}.{extension}", std::process::id());
    let path = std::env::temp_dir().join(file);
    std::fs::write(&path, program).expect("writable");
    let mut command = Command::new(std::env::current_exe().expect("this test"));
    command.args([WORKER, "--exact", "--nocapture", "--test-threads=1"]);
    let output = command.env(PROGRAM, &path).output().expect("it runs");
    std::fs::remove_file(&path).expect("it is there");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name}: {text}\n{errors}");
    let peak = text
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .and_then(|rest| rest.trim().strip_suffix(" kB"))
        .and_then(|kib| kib.trim().parse::<u64>().ok())
        .expect("the peak");
    let log = text.split_once("LOG").expect("the log").1;
    let log = log.split_once("VmHWM:").expect("the log").0;
    (log.to_string(), peak << 10)
}

/// The program is refused with `message` in its log.
fn refused(name: &str, program: &str, message: &str) {
    let (log, peak) = measured(name, "cl", program.as_bytes());
    let brief: String = log.chars().take(300).collect();
    assert!(log.contains(message), "{name}: {brief}");
    assert!(peak < MOST, "{name}: {} MiB", peak >> 20);
    println!("{name}: {} MiB", peak >> 20);
}

const TOO_MUCH: &str = "compiling this program takes more than 1024 MiB of memory";
const TOO_MANY: &str = "macro expansion produces too many tokens";

fn doubling(levels: usize, first: &str, step: impl Fn(usize) -> String) -> String {
    let mut text = format!("{first}\n");
    for level in 1..=levels {
        let _ = writeln!(text, "{}", step(level));
    }
    text
}

#[test]
fn pasted_names_double() {
    let macros = doubling(
        40,
        "#define J(a, b) a##b\n#define D(x) J(x, x)\n#define M0 abcdefgh",
        |level| format!("#define M{level} D(M{})", level - 1),
    );
    refused("paste", &format!("{macros}int M40;\n"), TOO_MUCH);
}

#[test]
fn strings_double() {
    // Each level of # escapes what the one below it has made.
    let macros = doubling(
        60,
        "#define Q(x) #x\n#define S(x) Q(x)\n#define M0 \"a\\\\b\"",
        |level| format!("#define M{level} S(M{} M{0})", level - 1),
    );
    refused(
        "stringify",
        &format!("{macros}constant char s[] = M60;\n"),
        TOO_MUCH,
    );
}

#[test]
fn adjacent_strings_are_joined() {
    let megabyte = "x".repeat(1 << 20);
    let macros = doubling(16, &format!("#define M0 \"{megabyte}\""), |level| {
        format!("#define M{level} M{} M{0}", level - 1)
    });
    refused(
        "adjacent",
        &format!("{macros}constant char s[] = M16;\n"),
        TOO_MUCH,
    );
}

#[test]
fn arguments_multiply() {
    let argument = "a,".repeat(50_000);
    let uses = "x ".repeat(50_000);
    let text =
        format!("#define F(x) {uses}\n#define G(...) F((__VA_ARGS__))\nint v = G({argument});\n");
    refused("arguments", &text, TOO_MANY);
}

#[test]
fn tokens_double() {
    let macros = doubling(40, "#define M0 1,", |level| {
        format!("#define M{level} M{} M{0}", level - 1)
    });
    refused(
        "tokens",
        &format!("{macros}constant int t[] = {{ M40 }};\n"),
        TOO_MANY,
    );
    // As many as the preprocessor passes, and more than the trees may have.
    let text = format!("constant int t[] = {{ {} }};\n", "1,".repeat(10 << 20));
    refused("elements", &text, TOO_MUCH);
}

#[test]
fn designators_multiply() {
    let text = "constant struct { int a[1000]; int n; } t[1000000] = \
                { [0 ... 999999] = { .a = { [0 ... 999] = 1 } } };\n";
    refused("ranges", text, TOO_MUCH);
}

#[test]
fn large_objects_add_up() {
    let list = |count: usize, of: &dyn Fn(usize) -> String| (0..count).map(of).collect::<String>();
    let text = list(40, &|i| format!("global char v{i}[268435456];\n"));
    refused("objects", &text, TOO_MUCH);
    refused(
        "one",
        "global char v[1099511627776];\n",
        "initialized object is too large (1099511627776 bytes, at most 256 MiB)",
    );
    let text =
        "kernel void k(global int *p) { struct { int x[1 << 30]; } s = {}; *p = s.x[*p]; }\n";
    let (log, peak) = measured("private", "cl", text.as_bytes());
    assert!(peak < MOST, "{} MiB: {log}", peak >> 20);
}

#[test]
fn long_lines_are_not_shown_whole() {
    let blanks = " ".repeat(60 << 20);
    let text = format!(
        "{blanks}int a = b;{blanks}\n#line 7 \"{}\"\nint c = d;\n",
        "n".repeat(30 << 20)
    );
    refused("line", &text, "use of undeclared identifier 'b'");
}

/// A file that is only asked for is kept, in case that it is included.
#[test]
fn files_that_are_asked_for_add_up() {
    let text = (0..200).fold(String::new(), |text, i| {
        format!("{text}#if __has_include(\"{i}.h\")\n#endif\n")
    });
    refused("asked", &text, TOO_MUCH);
    refused(
        "included",
        &text.replace("#endif", "#include \"x.h\"\n#endif"),
        "translation unit is too large",
    );
}

#[test]
fn constants_of_a_module_multiply() {
    // Arrays of 250 elements each, nested: every level is 250 times as large.
    let mut words = vec![0x0723_0203, 0x0001_0000, 0, 100, 0];
    let mut inst = |op: u32, operands: &[u32]| {
        words.push((operands.len() as u32 + 1) << 16 | op);
        words.extend_from_slice(operands);
    };
    inst(17, &[4]);
    inst(17, &[6]);
    inst(14, &[2, 2]);
    inst(15, &[6, 1, u32::from(b'k')]);
    inst(21, &[2, 32, 0]);
    inst(43, &[2, 3, 7]);
    inst(43, &[2, 4, 250]);
    let (mut ty, mut value) = (2, 3);
    for level in 0..3 {
        let ids = [10 + 2 * level, 11 + 2 * level];
        inst(28, &[ids[0], ty, 4]);
        inst(44, &[&[ids[0], ids[1]], [value; 250].as_slice()].concat());
        [ty, value] = ids;
    }
    // 62.5 MB; twelve more of them in one structure.
    inst(30, &[&[50], [ty; 12].as_slice()].concat());
    inst(44, &[&[50, 51], [value; 12].as_slice()].concat());
    inst(32, &[52, 0, 50]);
    inst(59, &[52, 53, 0, 51]);
    inst(19, &[60]);
    inst(33, &[61, 60]);
    inst(54, &[60, 1, 0, 61]);
    inst(248, &[62]);
    inst(253, &[]);
    inst(56, &[]);
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    let (log, peak) = measured("composites", "spv", &bytes);
    assert!(log.contains("too large"), "{log}");
    assert!(peak < MOST, "{} MiB", peak >> 20);
}
