//! The front end: OpenCL C to Kernel SPIR-V.
//!
//! Takes a [`Source`], options, a [`Target`] and an include callback; gives SPIR-V words and the
//! build log. [`compile`] shows its few steps: preprocess (`pp`), parse (`parse`), check (`sema`),
//! emit (`emit`). Never: I/O, globals, threads. Recursion follows the source's nesting, so a
//! caller provides [`STACK_BYTES`] of stack.
//!
//! The modules are layers, and each knows those before it only: `symbol`, `diagnostics`, `source`,
//! `lang` (types, names, version), `builtins`, `pp`, `parse`, `sema`, `emit`.
#![forbid(unsafe_code)]

pub mod builtins;
pub mod diagnostics;
mod emit;
mod lang;
mod parse;
mod pp;
mod sema;
mod source;
mod symbol;

pub use source::{IncludeResolver, IncludedFile, NoIncludes, Source, plain_path};

use crate::diagnostics::{Diagnostics, Loc, WarningOptions};
use crate::lang::LangOptions;
use crate::pp::token::Token;
use crate::sema::typed::TypedModule;
use crate::source::Interner;
use pumice_budget as budget;
use pumice_target::options::{ClStd, CompileOptions};
use pumice_target::{FEATURES, Target};

/// Stack in bytes that a call into the front end needs at most; only what is used of it becomes
/// memory.
pub const STACK_BYTES: usize = 512 << 20;

/// Output of a stage of the compiler, if there is one, and its build log.
#[derive(Clone, Debug)]
pub struct Outcome<T> {
    /// The stage's output; `None` when the log holds at least one error.
    pub output: Option<T>,
    /// Errors, warnings and notes in clang's layout, ready for CL_PROGRAM_BUILD_LOG.
    pub log: String,
}

/// A device that lacks nothing the front end knows (`pumicec --device=full`).
///
/// Not every program for it can be lowered.
pub fn full_target() -> Target {
    let mut target = Target::reference();
    for name in builtins::extensions() {
        if !target.has_extension(name) {
            target.extensions.push(name.to_string());
        }
    }
    target.features = FEATURES.iter().map(|f| (*f).to_string()).collect();
    target.opencl_version = (3, 1);
    target.opencl_c_version = (3, 1);
    target
}

/// A source after preprocessing, with what is needed to go on.
struct Preprocessed {
    tokens: Vec<Token>,
    names: Interner,
    diagnostics: Diagnostics,
}

fn run_preprocessor(
    source: Source<'_>,
    options: &CompileOptions,
    target: &Target,
    includes: &dyn IncludeResolver,
) -> Preprocessed {
    budget::begin();
    let mut names = pp::base_interner();
    let mut diagnostics = Diagnostics::new();
    diagnostics.no_warnings = options.no_warnings;
    diagnostics.error_limit = options.error_limit;
    let flags = options.warning_flags.iter().map(String::as_str);
    diagnostics.warning_options = WarningOptions::new(flags);
    check_version(options, target, &diagnostics);
    let config = pp::Config {
        options,
        target,
        includes,
        has_builtin: &crate::builtins::has_builtin,
    };
    let tokens = pp::preprocess(source, &config, &mut names, &mut diagnostics);
    Preprocessed {
        tokens,
        names,
        diagnostics,
    }
}

/// `-cl-std=` must name a version that the device has (OpenCL 3.0 API §5.8.6.5). A device of
/// 3.0 or later answers for every earlier version.
fn check_version(options: &CompileOptions, target: &Target, diagnostics: &Diagnostics) {
    let (major, minor) = target.opencl_c_version;
    let highest = u32::from(major) * 100 + u32::from(minor) * 10;
    let asked = pp::version_number(options.std.unwrap_or(ClStd::Cl10));
    if asked > highest {
        let message = format!(
            "'-cl-std=CL{}.{}' is not supported by this device; its highest version is CL{major}.{minor}",
            asked / 100,
            asked / 10 % 10
        );
        diagnostics.fatal(Loc::NONE, message);
    }
}

/// Preprocesses only (`pumicec --emit=pp`).
pub fn preprocess(
    source: Source<'_>,
    options: &CompileOptions,
    target: &Target,
    includes: &dyn IncludeResolver,
) -> Outcome<Vec<u8>> {
    let pre = run_preprocessor(source, options, target, includes);
    let text = pp::print_tokens(&pre.tokens, &pre.names);
    outcome(text, &pre.diagnostics)
}

/// Counts the tokens of a source after preprocessing; benchmarks report their speed per token.
pub fn token_count(
    source: Source<'_>,
    options: &CompileOptions,
    target: &Target,
    includes: &dyn IncludeResolver,
) -> usize {
    run_preprocessor(source, options, target, includes)
        .tokens
        .len()
}

/// Preprocesses and parses only (`pumicec --emit=ast`).
pub fn parse(
    source: Source<'_>,
    options: &CompileOptions,
    target: &Target,
    includes: &dyn IncludeResolver,
) -> Outcome<String> {
    let mut pre = run_preprocessor(source, options, target, includes);
    let ast = parse::parse(&pre.tokens, &mut pre.names, &pre.diagnostics);
    let text = if pre.diagnostics.has_errors() {
        String::new()
    } else {
        parse::print_ast(&ast, &pre.names)
    };
    outcome(text, &pre.diagnostics)
}

/// Preprocesses, parses and checks only (`pumicec --emit=typed`): the typed tree as text.
pub fn check(
    source: Source<'_>,
    options: &CompileOptions,
    target: &Target,
    includes: &dyn IncludeResolver,
) -> Outcome<String> {
    let (module, diagnostics) = analyse(source, options, target, includes, &mut |_, _| {});
    let text = if diagnostics.has_errors() {
        String::new()
    } else {
        sema::dump::dump(&module)
    };
    outcome(text, &diagnostics)
}

/// Told of each stage of the front end that ends without errors: `preprocessed`, `parsed` or
/// `checked`, and a function that writes the stage's result as text.
pub type Observer<'a> = dyn FnMut(&'static str, &dyn Fn() -> Vec<u8>) + 'a;

/// The whole front end: OpenCL C to Kernel SPIR-V.
pub fn compile(
    source: Source<'_>,
    options: &CompileOptions,
    target: &Target,
    includes: &dyn IncludeResolver,
    observer: &mut Observer<'_>,
) -> Outcome<Vec<u32>> {
    let (module, diagnostics) = analyse(source, options, target, includes, observer);
    let mut words = Vec::new();
    if !diagnostics.has_errors() {
        match emit::emit(&module, options, target, &diagnostics.sources) {
            Ok(emitted) => words = emitted,
            Err(e) => {
                diagnostics.error(e.span, e.message);
            }
        }
    }
    outcome(words, &diagnostics)
}

fn analyse(
    source: Source<'_>,
    options: &CompileOptions,
    target: &Target,
    includes: &dyn IncludeResolver,
    observer: &mut Observer<'_>,
) -> (TypedModule, Diagnostics) {
    let mut pre = run_preprocessor(source, options, target, includes);
    if pre.diagnostics.should_stop() {
        return (TypedModule::default(), pre.diagnostics);
    }
    if !pre.diagnostics.has_errors() {
        observer("preprocessed", &|| {
            pp::print_tokens(&pre.tokens, &pre.names)
        });
    }
    let ast = parse::parse(&pre.tokens, &mut pre.names, &pre.diagnostics);
    if !pre.diagnostics.has_errors() {
        observer("parsed", &|| {
            parse::print_ast(&ast, &pre.names).into_bytes()
        });
    }
    let lang = LangOptions::new(options, target);
    let module = if pre.diagnostics.should_stop() {
        TypedModule::default()
    } else {
        sema::check(&ast, &pre.names, &pre.diagnostics, lang)
    };
    if !pre.diagnostics.has_errors() {
        observer("checked", &|| sema::dump::dump(&module).into_bytes());
    }
    (module, pre.diagnostics)
}

fn outcome<T>(output: T, diagnostics: &Diagnostics) -> Outcome<T> {
    Outcome {
        output: (!diagnostics.has_errors()).then_some(output),
        log: diagnostics.render(pp::measure_token),
    }
}
