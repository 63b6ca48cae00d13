//! `pumicec`: the compiler as a command.
//!
//! ```text
//! pumicec [build options] [--emit=pp|ast|typed|kernel|ir|lowered|vulkan|reflection|
//!         descriptor-map] [--abi=addresses|descriptors] [-o FILE] FILE.cl|-
//! ```
//!
//! Build options are those of clBuildProgram. The output goes to FILE, else to standard output
//! (SPIR-V only to a file or a pipe). Messages go to standard error. Exit codes: 0 success, 1 the
//! program has errors, 2 the command line is wrong, 3 the compiler has failed.

mod arguments;
mod device_info;

use std::io::{IsTerminal, Read, Write};
use std::path::Path;
use std::process::ExitCode;

use arguments::{Arguments, DevicePreset, Emit, usage};
use pumice_compiler::backend::pass::Ctx;
use pumice_compiler::backend::pipeline::run_pipeline;
use pumice_compiler::target::{QuirkKind, Quirks};
use pumice_compiler::{
    IncludeResolver, IncludedFile, LinkOptions, LowerOptions, Outcome, STACK_BYTES, Source, Target,
    backend, frontend, full_target,
};
use pumice_ir::text::module_to_text;

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

fn words_to_bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|w| w.to_ne_bytes()).collect()
}

/// Runs what was asked for. `Err` when the program has errors (the log is printed already).
fn run(args: &Arguments, text: &[u8], target: &Target) -> Result<Vec<u8>, ()> {
    let name = if args.input == "-" {
        "<stdin>"
    } else {
        &args.input
    };
    let source = Source { name, text };
    let includes = Folders(args.options.include_dirs.clone());
    let options = &args.options;
    match args.emit {
        Emit::Preprocessed => {
            return finish(frontend::preprocess(source, options, target, &includes));
        }
        Emit::Ast => {
            let ast = finish(frontend::parse(source, options, target, &includes))?;
            return Ok(ast.into_bytes());
        }
        Emit::Typed => {
            let tree = finish(frontend::check(source, options, target, &includes))?;
            return Ok(tree.into_bytes());
        }
        Emit::Kernel
        | Emit::Ir
        | Emit::Lowered
        | Emit::Vulkan
        | Emit::Reflection
        | Emit::DescriptorMap => {}
    }
    let module = finish(pumice_compiler::compile(source, options, target, &includes))?;
    if args.emit == Emit::Kernel {
        return Ok(words_to_bytes(&module.words));
    }
    let linked = finish(pumice_compiler::link(&[&module], &LinkOptions::default()))?;
    let lower = LowerOptions {
        math: options.math,
        ..LowerOptions::default()
    };
    if matches!(args.emit, Emit::Ir | Emit::Lowered) {
        let ctx = Ctx {
            target,
            options: &lower,
        };
        let ir = backend::to_ir(&linked.words, &lower).and_then(|mut ir| {
            if args.emit == Emit::Lowered {
                run_pipeline(&mut ir, &ctx, &mut |_, _| {})?;
            }
            Ok(module_to_text(&ir))
        });
        return match ir {
            Ok(text) => Ok(text.into_bytes()),
            Err(error) => {
                eprintln!("error: {error}");
                Err(())
            }
        };
    }
    let vulkan = finish(pumice_compiler::lower(&linked, target, &lower))?;
    if args.emit == Emit::Vulkan {
        return Ok(words_to_bytes(&vulkan.words));
    }
    match pumice_reflection::read(&vulkan.words) {
        Ok(reflection) if args.emit == Emit::DescriptorMap => {
            Ok(pumice_reflection::descriptor_map(&reflection).into_bytes())
        }
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

/// Compiles on a thread whose stack fits the deepest nesting that the compiler takes.
fn main() -> ExitCode {
    let compiler = std::thread::Builder::new()
        .stack_size(STACK_BYTES)
        .spawn(compile);
    match compiler {
        // A panic is a bug of the compiler, whose text is on standard error.
        Ok(thread) => thread.join().unwrap_or(ExitCode::from(3)),
        Err(e) => {
            eprintln!("pumicec: error: no thread for the compiler: {e}");
            ExitCode::from(2)
        }
    }
}

fn compile() -> ExitCode {
    let args = match Arguments::parse(std::env::args().skip(1)) {
        Ok(args) => args,
        Err(why) => {
            if why.is_empty() {
                print!("{}", usage());
                return ExitCode::SUCCESS;
            }
            eprintln!("pumicec: error: {why}");
            return ExitCode::from(2);
        }
    };
    let target = match &args.device_info {
        None => Ok(match args.device {
            DevicePreset::Reference => Target::reference(),
            DevicePreset::Coarse => Target {
                quirks: Quirks::NONE.with(QuirkKind::SampleExactly),
                ..Target::reference()
            },
            DevicePreset::Full => full_target(),
        }),
        Some(path) => std::fs::read_to_string(path)
            .map_err(|e| e.to_string())
            .and_then(|text| device_info::target(&text))
            .map_err(|e| format!("{path}: {e}")),
    };
    let target = match target {
        Ok(mut target) => {
            args.flags.restrict(&mut target);
            target.abi = args.abi.clone();
            target
        }
        Err(why) => {
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
    let Ok(output) = run(&args, &text, &target) else {
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
