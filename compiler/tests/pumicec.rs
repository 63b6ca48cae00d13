//! `pumicec` as a command: inputs, outputs, messages and exit codes.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A folder of a test's own.
struct Folder(PathBuf);

/// Exit code, standard output and standard error of a run.
struct Ran {
    code: Option<i32>,
    out: Vec<u8>,
    err: String,
}

impl Folder {
    fn new(test: &str) -> Folder {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("pumicec-{test}"));
        // The folder of an earlier run; none the first time.
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("a folder");
        Folder(path)
    }

    fn with(self, name: &str, text: &str) -> Folder {
        std::fs::write(self.0.join(name), text).expect("a file");
        self
    }

    fn command(&self, words: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pumicec"));
        command.current_dir(&self.0).stdin(Stdio::null());
        command.args(words.split_whitespace());
        command
    }

    fn run(&self, words: &str) -> Ran {
        let output = self.command(words).output().expect("pumicec runs");
        Ran {
            code: output.status.code(),
            out: output.stdout,
            err: String::from_utf8(output.stderr).expect("UTF-8"),
        }
    }

    /// Runs what must succeed without a message; gives standard output.
    fn ok(&self, words: &str) -> Vec<u8> {
        let ran = self.run(words);
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{words}");
        ran.out
    }

    /// Runs what must fail; compares standard error and the exit code.
    fn fails(&self, words: &str, code: i32, message: &str) {
        let ran = self.run(words);
        assert_eq!(
            (ran.code, ran.err.as_str()),
            (Some(code), message),
            "{words}"
        );
        assert!(ran.out.is_empty(), "{words}");
    }

    fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.0.join(name)).expect(name)
    }

    fn text(&self, name: &str) -> String {
        String::from_utf8(self.bytes(name)).expect("UTF-8")
    }
}

/// Remarks change neither the output nor the exit code.
#[test]
fn remarks_are_beside_the_output() {
    let source = "__attribute__((noinline)) int f(int x) { return x + 1; }\n\
                  kernel void k(global int *p) { p[0] = f(p[0]); }\n";
    let folder = Folder::new("remarks").with("k.cl", source);
    let ran = folder.run("-Rpass=inline -Rpass=private --emit=vulkan -o - k.cl");
    let remark = "remark: a call of 'f' in kernel 'k' is not inlined: it is declared noinline [-Rpass=inline]\n";
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), remark));
    assert_eq!(ran.out, folder.ok("--emit=vulkan -o - k.cl"));
    let why = "pumicec: error: unknown subject of -Rpass 'loops'; known: inline, private, addresses, all\n";
    folder.fails("-Rpass=loops k.cl", 2, why);
}

const KERNEL: &str = "int f(int x); kernel void k(global int *p) { p[0] = f(p[0]); }\n";
const FUNCTION: &str = "int f(int x) { return x + 1; }\n";

fn parts(test: &str) -> Folder {
    Folder::new(test)
        .with("k.cl", KERNEL)
        .with("f.cl", FUNCTION)
}

#[test]
fn version_and_help_are_texts_on_standard_output() {
    let folder = Folder::new("texts");
    let version = String::from_utf8(folder.ok("--version")).expect("UTF-8");
    let expected = format!("pumicec {}\nOpenCL C up to ", env!("CARGO_PKG_VERSION"));
    assert!(version.starts_with(&expected), "{version}");
    assert!(
        folder
            .ok("--help")
            .starts_with(b"usage: pumicec [OPTIONS] INPUT...")
    );
    assert!(!folder.ok("--completions=bash").is_empty());
}

#[test]
fn sources_and_modules_are_linked() {
    let folder = parts("link");
    // One source is compiled alone; its imports stay open.
    folder.ok("-o k.spv k.cl");
    folder.ok("-c -o f.module f.cl");
    let whole = folder.ok("--emit=vulkan k.cl f.cl");
    assert!(whole.starts_with(&0x0723_0203_u32.to_ne_bytes()));
    // The magic number tells a module, not the file's name.
    assert_eq!(folder.ok("--emit=vulkan k.spv f.module"), whole);
    assert_eq!(folder.ok("--emit=vulkan k.cl f.module"), whole);
    // Linked before or at the end gives the same.
    folder.ok("-o linked.spv k.spv f.module");
    assert_eq!(folder.ok("--emit=vulkan linked.spv"), whole);
    folder.fails(
        "-o x.spv k.spv k.cl",
        1,
        "error: kernel 'k' is defined more than once\n\
         error: undefined reference to 'f'\n",
    );
}

#[test]
fn files_that_are_neither_and_names_that_are_close_are_told() {
    let folder = parts("mistaken");
    let bitcode = b"BC\xc0\xde\x00\x00";
    std::fs::write(folder.0.join("b.bc"), bitcode).expect("writable");
    folder.fails(
        "b.bc",
        2,
        "pumicec: error: 'b.bc' is neither OpenCL C nor SPIR-V: it is LLVM bitcode; llvm-spirv makes SPIR-V of it\n",
    );
    let folder = folder
        .with(
            "use.cl",
            "int scael(int x); kernel void k(global int *p) { *p = scael(*p); }\n",
        )
        .with("scale.cl", "int scale(int x) { return x; }\n");
    folder.fails(
        "-o x.spv use.cl scale.cl",
        1,
        "error: undefined reference to 'scael'; did you mean 'scale'?\n",
    );
}

#[test]
fn compiling_ends_at_the_time_limit() {
    let folder = parts("time");
    folder.ok("--emit=vulkan --time-limit=600 -o k.vulkan k.cl f.cl");
    folder.fails(
        "--emit=vulkan --time-limit 0 k.cl",
        1,
        "fatal error: compiling this program takes too long\n1 error generated.\n",
    );
    folder.fails(
        "--time-limit=soon k.cl",
        2,
        "pumicec: error: 'soon' is no number of seconds\n",
    );
}

#[test]
fn messages_are_in_colours_where_that_is_asked() {
    let folder = Folder::new("colours").with("a.cl", "kernel void k(global imt *p) { }\n");
    let ran = folder.run("--emit=none -fcolor-diagnostics a.cl");
    let line = "\x1b[1ma.cl:1:22: \x1b[1;31merror: \x1b[0m\x1b[1munknown type name 'imt'";
    assert!(ran.err.starts_with(line), "{}", ran.err);
    assert!(
        ran.err
            .contains("\n                     \x1b[1;32mint\x1b[0m\n"),
        "{}",
        ran.err
    );
    let plain = folder.run("--emit=none a.cl");
    assert!(!plain.err.contains('\x1b'), "{}", plain.err);
}

#[test]
fn libraries_keep_open_symbols() {
    let folder = parts("library").with("g.cl", "int h(int x); int g(int x) { return h(x); }\n");
    folder.ok("-create-library -o library.spv f.cl g.cl");
    // The library's own open symbol is an error where a program needs it to be whole.
    let ran = folder.run("-o k.spv k.cl library.spv");
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("'h'"), "{}", ran.err);
    let folder = folder.with("h.cl", "int h(int x) { return x; }\n");
    assert!(!folder.ok("--emit=vulkan k.cl library.spv h.cl").is_empty());
}

#[test]
fn standard_input_and_output_have_the_name_of_a_dash() {
    let folder = parts("dash");
    let module = folder.ok("-c k.cl");
    assert_eq!(folder.ok("-o - k.cl"), module);
    assert!(!folder.0.join("-").exists());
    let mut command = folder.command("-");
    command.stdin(File::open(folder.0.join("k.cl")).expect("a file"));
    assert_eq!(command.output().expect("pumicec runs").stdout, module);
    let mut command = folder.command("-");
    command.stdin(File::open(folder.0.join("k.cl")).expect("a file"));
    command.args(["-D", "global=nothing"]);
    let err = String::from_utf8(command.output().expect("pumicec runs").stderr).expect("UTF-8");
    assert!(err.starts_with("<stdin>:1:"), "{err}");
}

/// The other end of a pseudo-terminal counts as one too.
#[test]
fn spirv_is_not_written_to_a_terminal() {
    let folder = parts("terminal");
    let terminal = || File::options().read(true).write(true).open("/dev/ptmx");
    for (words, refused) in [
        ("f.cl", true),
        ("--emit=vulkan -o - k.cl f.cl", true),
        ("--emit=pp f.cl", false),
        ("-M f.cl", false),
    ] {
        let Ok(terminal) = terminal() else {
            pumice_filetests::skip::skip("there is no /dev/ptmx");
            return;
        };
        let mut command = folder.command(words);
        let output = command.stdout(terminal).output().expect("pumicec runs");
        let err = String::from_utf8(output.stderr).expect("UTF-8");
        let message =
            "pumicec: error: SPIR-V is not written to a terminal; use '-o FILE' or a pipe\n";
        let expected = if refused {
            (Some(2), message)
        } else {
            (Some(0), "")
        };
        assert_eq!((output.status.code(), err.as_str()), expected, "{words}");
    }
}

#[cfg(unix)]
#[test]
fn arguments_are_utf8() {
    use std::os::unix::ffi::OsStrExt;
    let folder = parts("bytes");
    let mut command = folder.command("f.cl");
    command.arg(std::ffi::OsStr::from_bytes(b"-DA=\xe9"));
    let output = command.output().expect("pumicec runs");
    let message = "pumicec: error: argument \"-DA=\\xE9\" is not UTF-8\n";
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(String::from_utf8_lossy(&output.stderr), message);
}

#[test]
fn messages_name_the_file() {
    let folder = parts("messages")
        .with("vulkan.cl", "kernel void k() {}\n")
        .with("bad.cl", "kernel void k() { x; }\n");
    let no_file = "pumicec: error: no such file or directory: 'nowhere/a.cl'\n";
    folder.fails("nowhere/a.cl", 2, no_file);
    folder.fails(".", 2, "pumicec: error: cannot read '.': Is a directory\n");
    folder.fails(
        "-o nowhere/a.spv f.cl",
        2,
        "pumicec: error: unable to open output file 'nowhere/a.spv': No such file or directory\n",
    );
    folder.fails(
        "--cl-device-info nowhere f.cl",
        2,
        "pumicec: error: cannot read 'nowhere': No such file or directory\n",
    );
    let no_device = "pumicec: error: f.cl: expected value at line 1 column 1\n";
    folder.fails("--device-report f.cl f.cl", 2, no_device);
    folder.fails(
        "--emit=asm f.cl",
        2,
        "pumicec: error: unknown output of --emit 'asm'; known: pp, ast, typed, kernel, ir, lowered, \
         vulkan, reflection, descriptor-map, none\n",
    );
    folder.ok("--emit=vulkan -o vulkan.spv vulkan.cl");
    folder.fails(
        "--emit=vulkan vulkan.spv",
        1,
        "vulkan.spv: error: not Kernel SPIR-V: the module lacks the capability Kernel\n",
    );
    folder.ok("-o f.spv f.cl");
    folder.fails(
        "--emit=pp f.spv",
        2,
        "pumicec: error: 'f.spv' is SPIR-V; this output is of a source\n",
    );
    let module = folder.bytes("f.spv");
    std::fs::write(folder.0.join("cut.spv"), &module[..module.len() - 3]).expect("a file");
    folder.fails(
        "--emit=ir cut.spv",
        1,
        "cut.spv: error: a SPIR-V module that is cut off\n",
    );
    folder.fails(
        "-fsyntax-only bad.cl",
        1,
        "bad.cl:1:19: error: use of undeclared identifier 'x'\nkernel void k() { x; }\n                  ^\n1 error generated.\n",
    );
    assert!(folder.ok("-fsyntax-only f.cl k.cl").is_empty());
}

#[test]
fn forced_includes_come_first() {
    let folder = Folder::new("include")
        .with(
            "a.cl",
            "kernel void k(global number *p) { p[0] = TWICE(p[0]) + X; }\n",
        )
        .with("types.h", "typedef int number;\n")
        .with("maths.h", "#define TWICE(x) ((x) * Y)\n#define X 3\n");
    folder.ok("-include types.h -DY=2 -include maths.h -o a.spv a.cl");
    let text = String::from_utf8(folder.ok("-E -include types.h a.cl")).expect("UTF-8");
    assert!(text.contains("typedef int number"), "{text}");
    let ran = folder.run("-include other.h a.cl");
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("'other.h' file not found"), "{}", ran.err);
    // Lines of the source keep their numbers.
    let ran = folder.run("-include types.h a.cl");
    assert!(ran.err.starts_with("a.cl:1:"), "{}", ran.err);
}

#[test]
fn make_rules_name_what_was_read() {
    let folder = Folder::new("rules")
        .with(
            "a.cl",
            "#include \"b.h\"\nkernel void k(global int *p) { p[0] = B; }\n",
        )
        .with("b.h", "#include <c.h>\n#include <c.h>\n#define B C\n")
        .with("d.cl", FUNCTION);
    std::fs::create_dir(folder.0.join("more")).expect("a folder");
    let folder = folder.with("more/c.h", "#define C 1\n");
    let rule = "a.spv: \\\n  a.cl \\\n  b.h \\\n  more/c.h\n";
    let all = format!("{rule}d.spv: \\\n  d.cl\n");
    assert_eq!(folder.ok("-M -Imore a.cl d.cl"), all.as_bytes());
    folder.ok("-MD -Imore -o a.spv a.cl");
    assert_eq!(folder.text("a.d"), rule);
    assert!(!folder.bytes("a.spv").is_empty());
    folder.ok("-MD -MF all.d -MT whole.o -MP -Imore -o whole.spv a.cl d.cl");
    assert_eq!(
        folder.text("all.d"),
        "whole.o: \\\n  a.cl \\\n  d.cl \\\n  b.h \\\n  more/c.h\n\nb.h:\n\nmore/c.h:\n"
    );
    folder.fails(
        "-MD -MF nowhere/a.d -Imore -o a.spv a.cl",
        2,
        "pumicec: error: unable to open output file 'nowhere/a.d': No such file or directory\n",
    );
}
