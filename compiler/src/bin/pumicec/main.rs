//! `pumicec`: the compiler as a command.
//!
//! ```text
//! pumicec [OPTIONS] INPUT...
//! ```
//!
//! Inputs are OpenCL C or Kernel SPIR-V; options are those of clBuildProgram and the command's own
//! (`command_line` holds the list). Messages go to standard error. Exit codes: 0 success, 1 the
//! program has errors, 2 the command line is wrong or a file cannot be read or written, 3 the
//! compiler has failed.

mod arguments;
mod command_line;
mod device_info;
mod device_report;
mod files;
mod messages;
mod remarks;

use std::ffi::OsString;
use std::process::ExitCode;
use std::time::Instant;

use arguments::{Arguments, Emit, NamedDevice, Request};
use files::{Contents, Folders, Input};
use messages::Messages;
use pumice_budget as budget;
use pumice_compiler::backend::pass::Ctx;
use pumice_compiler::backend::pipeline::run_pipeline;
use pumice_compiler::target::matrix::NativeProduct;
use pumice_compiler::target::{QuirkKind, Quirks};
use pumice_compiler::{
    KernelModule, LinkOptions, LowerOptions, STACK_BYTES, Source, Target, backend, frontend,
    full_target,
};
use pumice_ir::text::module_to_text;

/// Reason why there is no output.
enum Failure {
    /// The program has errors; the messages are printed already.
    Program,
    /// The command line or a file is wrong.
    Usage(String),
}

impl From<String> for Failure {
    fn from(message: String) -> Self {
        Failure::Usage(message)
    }
}

fn words_to_bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|w| w.to_ne_bytes()).collect()
}

/// A compilation.
struct Work<'a> {
    args: &'a Arguments,
    messages: Messages,
    target: &'a Target,
    includes: Folders<'a>,
}

impl Work<'_> {
    /// Makes the output; `None` for `--emit=none`.
    fn run(&self, inputs: &[Input]) -> Result<Option<Vec<u8>>, Failure> {
        let emit = self.args.emit;
        if let [input] = inputs {
            if let Some(text) = self.front_end_text(input)? {
                return Ok(Some(text));
            }
        }
        let mut modules = Vec::new();
        let mut failed = false;
        for input in inputs {
            match self.module(input) {
                Ok(module) => modules.push(module),
                Err(Failure::Program) => failed = true,
                Err(usage) => return Err(usage),
            }
        }
        if failed {
            return Err(Failure::Program);
        }
        let modules: Vec<&KernelModule> = modules.iter().collect();
        let unlinked = matches!(emit, Emit::Kernel | Emit::Nothing) && !self.args.link;
        let linked = match modules.as_slice() {
            [only] if unlinked => (*only).clone(),
            _ => self
                .messages
                .finish(pumice_compiler::link(&modules, &self.link_options()))?,
        };
        self.tell_remarks(&linked);
        match emit {
            Emit::Nothing => Ok(None),
            Emit::Kernel => Ok(Some(words_to_bytes(&linked.words))),
            _ => self.lowered(&linked).map(Some),
        }
    }

    fn lower_options(&self) -> LowerOptions {
        LowerOptions {
            math: self.args.options.math,
            ..LowerOptions::default()
        }
    }

    /// `-Rpass`.
    fn tell_remarks(&self, linked: &KernelModule) {
        let subjects = &self.args.remarks;
        if !subjects.is_empty() {
            let options = self.lower_options();
            let remarks = remarks::remarks(linked, self.target, &options, subjects);
            self.messages.print(&remarks);
        }
    }

    fn link_options(&self) -> LinkOptions {
        self.args.link_options.clone()
    }

    /// The outputs of the front end's stages that are text.
    fn front_end_text(&self, input: &Input) -> Result<Option<Vec<u8>>, Failure> {
        let emit = self.args.emit;
        if !matches!(emit, Emit::Preprocessed | Emit::Ast | Emit::Typed) {
            return Ok(None);
        }
        let Contents::Source(text) = &input.contents else {
            let message = format!("'{}' is SPIR-V; this output is of a source", input.name);
            return Err(Failure::Usage(message));
        };
        let name = &input.name;
        let source = Source { name, text };
        let (options, target, includes) = (&self.args.options, self.target, &self.includes);
        let messages = self.messages;
        if emit == Emit::Preprocessed {
            let text = frontend::preprocess(source, options, target, includes);
            return messages.finish(text).map(Some);
        }
        let tree = match emit {
            Emit::Ast => frontend::parse(source, options, target, includes),
            _ => frontend::check(source, options, target, includes),
        };
        Ok(Some(messages.finish(tree)?.into_bytes()))
    }

    /// Compiles an input that is a source, takes one that is a module.
    fn module(&self, input: &Input) -> Result<KernelModule, Failure> {
        let name = &input.name;
        match &input.contents {
            Contents::Source(text) => self.messages.finish(pumice_compiler::compile(
                Source { name, text },
                &self.args.options,
                self.target,
                &self.includes,
            )),
            Contents::Module(bytes) => files::kernel_module(bytes).map_err(|why| {
                self.messages.print(&format!("{name}: error: {why}\n"));
                Failure::Program
            }),
        }
    }

    /// The outputs of the back end.
    fn lowered(&self, linked: &KernelModule) -> Result<Vec<u8>, Failure> {
        let (emit, target) = (self.args.emit, self.target);
        let options = &self.lower_options();
        let complain = |error: String| {
            self.messages.print(&format!("error: {error}\n"));
            Failure::Program
        };
        if matches!(emit, Emit::Ir | Emit::Lowered) {
            let ir = backend::to_ir(&linked.words, target, options).and_then(|mut ir| {
                if emit == Emit::Lowered {
                    run_pipeline(&mut ir, &Ctx { target, options }, &mut |_, _| {})?;
                }
                Ok(module_to_text(&ir).into_bytes())
            });
            return ir.map_err(|error| complain(error.to_string()));
        }
        let vulkan = self
            .messages
            .finish(pumice_compiler::lower(linked, target, options))?;
        if emit == Emit::Vulkan {
            return Ok(words_to_bytes(&vulkan.words));
        }
        let reflection = pumice_reflection::read(&vulkan.words)
            .map_err(|e| complain(format!("the module's reflection cannot be read: {e}")))?;
        Ok(match emit {
            Emit::DescriptorMap => pumice_reflection::descriptor_map(&reflection),
            _ => reflection.to_string(),
        }
        .into_bytes())
    }
}

/// The target that `--device` names.
fn named_target(device: NamedDevice) -> Result<Target, String> {
    Ok(match device {
        NamedDevice::Reference => Target::reference(),
        NamedDevice::Coarse => Target {
            quirks: Quirks::NONE.with(QuirkKind::SampleExactly),
            ..Target::reference()
        },
        NamedDevice::Matrices => Target {
            native_products: NativeProduct::all_of_16(),
            ..full_target()
        },
        NamedDevice::Full => full_target(),
        NamedDevice::Described(device) => device.target()?,
    })
}

/// The target that the arguments choose.
fn target_of(args: &Arguments) -> Result<Target, String> {
    let described = [
        (&args.device_info, device_info::target as fn(&str) -> _),
        (&args.device_report, device_report::target),
    ];
    let mut files = described
        .iter()
        .filter_map(|(path, read)| Some((path.as_ref()?, read)));
    let mut target = match files.next() {
        Some((path, read)) => {
            read(&files::read_text(path)?).map_err(|error| format!("{path}: {error}"))?
        }
        None => named_target(args.device)?,
    };
    pumice_compiler::extensions::apply(&args.extensions, &mut target);
    args.flags.restrict(&mut target);
    if let Some(abi) = &args.abi {
        target.abi = abi.clone();
    }
    target.checks = args.options.checks.or(args.link_options.checks);
    Ok(target)
}

/// `-M`: a rule for each input.
fn write_rules(args: &Arguments, target: &Target, inputs: &[Input]) -> Result<(), Failure> {
    let mut rules = String::new();
    for (path, input) in args.inputs.iter().zip(inputs) {
        let includes = Folders::new(&args.options.include_dirs);
        if let Contents::Source(text) = &input.contents {
            let name = &input.name;
            let source = Source { name, text };
            Messages::new(args.colours).finish(frontend::preprocess(
                source,
                &args.options,
                target,
                &includes,
            ))?;
        }
        let module = files::default_target(path);
        let sources = std::slice::from_ref(path);
        let options = &args.dependencies;
        rules += &files::make_rule(options, &module, sources, &includes.into_paths());
    }
    let file = args.dependencies.file.as_deref().or(args.output.as_deref());
    Ok(files::write_output(file, rules.as_bytes())?)
}

fn compile(args: &Arguments) -> Result<(), Failure> {
    let target = &target_of(args)?;
    files::check_output(args)?;
    budget::end_at(args.time_limit.map(|limit| Instant::now() + limit));
    let inputs = args.inputs.iter().map(|path| files::read_input(path));
    let inputs: Vec<Input> = inputs.collect::<Result<_, String>>()?;
    if args.dependencies.alone {
        return write_rules(args, target, &inputs);
    }
    let work = Work {
        args,
        messages: Messages::new(args.colours),
        target,
        includes: Folders::new(&args.options.include_dirs),
    };
    let output = work.run(&inputs)?;
    if let Some(output) = output {
        files::write_output(args.output.as_deref(), &output)?;
    }
    if args.dependencies.beside {
        let default = files::default_target(&args.inputs[0]);
        let module = args.output.clone().unwrap_or(default);
        let includes = work.includes.into_paths();
        let rule = files::make_rule(&args.dependencies, &module, &args.inputs, &includes);
        files::write_output(Some(&files::rule_file(args)), rule.as_bytes())?;
    }
    Ok(())
}

/// The arguments of the command.
fn arguments() -> Result<Vec<String>, String> {
    let text = |arg: OsString| {
        arg.into_string()
            .map_err(|arg| format!("argument {arg:?} is not UTF-8"))
    };
    std::env::args_os().skip(1).map(text).collect()
}

fn run() -> ExitCode {
    let request = arguments().and_then(|args| Request::parse(args.into_iter()));
    let done = match request {
        Ok(Request::Compile(args)) => compile(&args),
        Ok(Request::Text(text)) => {
            files::write_output(None, text.as_bytes()).map_err(Failure::Usage)
        }
        Err(why) => Err(Failure::Usage(why)),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Program) => ExitCode::FAILURE,
        Err(Failure::Usage(why)) => {
            eprintln!("pumicec: error: {why}");
            ExitCode::from(2)
        }
    }
}

/// Compiles on a thread whose stack fits the deepest nesting that the compiler takes.
fn main() -> ExitCode {
    let compiler = std::thread::Builder::new()
        .stack_size(STACK_BYTES)
        .spawn(run);
    match compiler {
        // A panic is a bug of the compiler, whose text is on standard error.
        Ok(thread) => thread.join().unwrap_or(ExitCode::from(3)),
        Err(e) => {
            eprintln!("pumicec: error: no thread for the compiler: {e}");
            ExitCode::from(2)
        }
    }
}
