//! `pumicec`: the compiler as a command.
//!
//! ```text
//! pumicec [build options] [--emit=pp|ast|typed|kernel|ir|vulkan|reflection] [-o FILE] FILE.cl|-
//! ```
//!
//! Build options are those of clBuildProgram. The output goes to FILE, else to standard output
//! (SPIR-V only to a file or a pipe). Messages go to standard error. Exit codes: 0 success, 1 the
//! program has errors, 2 the command line is wrong.

use std::io::{IsTerminal, Read, Write};
use std::path::Path;
use std::process::ExitCode;

use pumice_compiler::{
    CompileOptions, IncludeResolver, IncludedFile, LinkOptions, LowerOptions, Outcome, Source,
    Target, frontend, options,
};

const USAGE: &str = "\
usage: pumicec [OPTIONS] FILE.cl      ('-' reads standard input)

  -D NAME[=VALUE]  -U NAME  -I FOLDER  -cl-std=CL1.2|CL2.0|CL3.0  -cl-...  -w  -Werror  -g
                   the options of clBuildProgram
  --emit=WHAT      pp          the preprocessed source
                   ast         the syntax tree
                   typed       the checked, typed tree
                   kernel      Kernel SPIR-V (the default)
                   vulkan      Vulkan SPIR-V
                   reflection  what the Vulkan module says about its kernels
  -o FILE          where the output goes
";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Emit {
    Preprocessed,
    Ast,
    Typed,
    Kernel,
    Vulkan,
    Reflection,
}

const EMITS: &[(&str, Emit)] = &[
    ("pp", Emit::Preprocessed),
    ("ast", Emit::Ast),
    ("typed", Emit::Typed),
    ("kernel", Emit::Kernel),
    ("vulkan", Emit::Vulkan),
    ("reflection", Emit::Reflection),
];

struct Arguments {
    emit: Emit,
    output: Option<String>,
    input: String,
    options: CompileOptions,
}

/// Finds includes beside the including file and in the `-I` folders.
struct Folders(Vec<String>);

impl IncludeResolver for Folders {
    fn resolve(&self, name: &str, angled: bool, from: &str) -> Option<IncludedFile> {
        let beside = Path::new(from).parent().filter(|_| !angled);
        let folders = beside.into_iter().chain(self.0.iter().map(Path::new));
        for folder in folders {
            let path = folder.join(name);
            if let Ok(text) = std::fs::read(&path) {
                let path = path.to_string_lossy().into_owned();
                return Some(IncludedFile { path, text });
            }
        }
        None
    }
}

fn arguments() -> Result<Arguments, String> {
    let mut emit = Emit::Kernel;
    let mut output = None;
    let mut input = None;
    let mut words = Vec::new();
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        if let Some(what) = arg.strip_prefix("--emit=") {
            emit = EMITS
                .iter()
                .find(|(name, _)| *name == what)
                .map(|(_, emit)| *emit)
                .ok_or_else(|| format!("unknown output '{what}'"))?;
        } else if arg == "-o" {
            output = Some(args.next().ok_or("option '-o' lacks its value")?);
        } else if arg == "--help" || arg == "-h" {
            return Err(String::new());
        } else if matches!(arg.as_str(), "-D" | "-U" | "-I" | "-x") {
            words.push(arg);
            words.extend(args.next());
        } else if arg.starts_with('-') && arg != "-" {
            words.push(arg);
        } else if input.replace(arg).is_some() {
            return Err("more than one input file".to_string());
        }
    }
    // The option parser takes one string; each word is quoted into it.
    let quoted: Vec<String> = words
        .iter()
        .map(|w| format!("\"{}\"", w.replace('\\', "\\\\").replace('"', "\\\"")))
        .collect();
    let (options, _) = options::parse_build(&quoted.join(" ")).map_err(|e| e.to_string())?;
    Ok(Arguments {
        emit,
        output,
        input: input.ok_or("no input file")?,
        options,
    })
}

fn words_to_bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|w| w.to_ne_bytes()).collect()
}

/// Runs what was asked for. `Err` when the program has errors (the log is printed already).
fn run(args: &Arguments, text: &[u8]) -> Result<Vec<u8>, ()> {
    let name = if args.input == "-" {
        "<stdin>"
    } else {
        &args.input
    };
    let source = Source { name, text };
    let target = Target::reference();
    let includes = Folders(args.options.include_dirs.clone());
    let options = &args.options;
    match args.emit {
        Emit::Preprocessed => {
            return finish(frontend::preprocess(source, options, &target, &includes));
        }
        Emit::Ast => {
            let ast = finish(frontend::parse(source, options, &target, &includes))?;
            return Ok(ast.into_bytes());
        }
        Emit::Typed => {
            let tree = finish(frontend::check(source, options, &target, &includes))?;
            return Ok(tree.into_bytes());
        }
        Emit::Kernel | Emit::Vulkan | Emit::Reflection => {}
    }
    let module = finish(pumice_compiler::compile(
        source, options, &target, &includes,
    ))?;
    if args.emit == Emit::Kernel {
        return Ok(words_to_bytes(&module.words));
    }
    let linked = finish(pumice_compiler::link(&[&module], &LinkOptions::default()))?;
    let lower = LowerOptions {
        math: options.math,
        ..LowerOptions::default()
    };
    let vulkan = finish(pumice_compiler::lower(&linked, &target, &lower))?;
    if args.emit == Emit::Vulkan {
        return Ok(words_to_bytes(&vulkan.words));
    }
    match pumice_reflection::read(&vulkan.words) {
        Ok(reflection) => Ok(format!("{reflection}").into_bytes()),
        Err(e) => {
            eprintln!("error: the module's reflection cannot be read: {e}");
            Err(())
        }
    }
}

fn finish<T>(outcome: Outcome<T>) -> Result<T, ()> {
    eprint!("{}", outcome.log);
    outcome.output.ok_or(())
}

fn main() -> ExitCode {
    let args = match arguments() {
        Ok(args) => args,
        Err(why) => {
            if why.is_empty() {
                print!("{USAGE}");
                return ExitCode::SUCCESS;
            }
            eprintln!("pumicec: error: {why}");
            return ExitCode::from(2);
        }
    };
    let mut text = Vec::new();
    let read = if args.input == "-" {
        std::io::stdin().read_to_end(&mut text).map(|_| ())
    } else {
        std::fs::read(&args.input).map(|bytes| text = bytes)
    };
    if let Err(e) = read {
        eprintln!("pumicec: error: {}: {e}", args.input);
        return ExitCode::from(2);
    }
    let Ok(output) = run(&args, &text) else {
        return ExitCode::FAILURE;
    };
    let binary = matches!(args.emit, Emit::Kernel | Emit::Vulkan);
    let written = match &args.output {
        Some(path) => std::fs::write(path, &output),
        None if binary && std::io::stdout().is_terminal() => {
            eprintln!("pumicec: error: SPIR-V is not written to a terminal; use -o");
            return ExitCode::from(2);
        }
        None => std::io::stdout().write_all(&output),
    };
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("pumicec: error: {e}");
            ExitCode::from(2)
        }
    }
}
