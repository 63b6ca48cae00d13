//! The front end's few visible steps: preprocess, parse, check, emit.
//!
//! Takes a [`Source`], options, [`Target`] and include callback; gives Kernel SPIR-V and the
//! build log. Work happens on a thread with a large stack behind `catch_unwind`, so that deep
//! nesting cannot overflow and a bug in the compiler is a failed build, never an abort.

use crate::diagnostics::{Diagnostics, Loc};
use crate::options::{ClStd, CompileOptions};
use crate::pp::token::Token;
use crate::sema::lang::LangOptions;
use crate::sema::typed::TypedModule;
use crate::source::Interner;
use crate::target::Target;
use crate::{IncludeResolver, KernelModule, Outcome, Source, budget, emit, parse, pp, sema};
use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

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
    let mut names = pp::base_interner();
    let mut diagnostics = Diagnostics::new();
    diagnostics.no_warnings = options.no_warnings;
    diagnostics.warnings_as_errors = options.warnings_as_errors;
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
            "OpenCL C {}.{} was asked for; the device has {major}.{minor}",
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
    guarded(|| {
        let pre = run_preprocessor(source, options, target, includes);
        let text = pp::print_tokens(&pre.tokens, &pre.names);
        outcome(text, &pre.diagnostics)
    })
}

/// How many tokens a source has after preprocessing: what the benchmarks measure by.
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
    guarded(|| {
        let mut pre = run_preprocessor(source, options, target, includes);
        let ast = parse::parse(&pre.tokens, &mut pre.names, &pre.diagnostics);
        let text = if pre.diagnostics.has_errors() {
            String::new()
        } else {
            parse::print_ast(&ast, &pre.names)
        };
        outcome(text, &pre.diagnostics)
    })
}

/// Preprocesses, parses and checks only (`pumicec --emit=typed`): the typed tree as text.
pub fn check(
    source: Source<'_>,
    options: &CompileOptions,
    target: &Target,
    includes: &dyn IncludeResolver,
) -> Outcome<String> {
    guarded(|| {
        let (module, diagnostics) = analyse(source, options, target, includes);
        let text = if diagnostics.has_errors() {
            String::new()
        } else {
            sema::dump::dump(&module)
        };
        outcome(text, &diagnostics)
    })
}

/// The whole front end: OpenCL C to Kernel SPIR-V.
pub fn compile(
    source: Source<'_>,
    options: &CompileOptions,
    target: &Target,
    includes: &dyn IncludeResolver,
) -> Outcome<KernelModule> {
    guarded(|| {
        let (module, diagnostics) = analyse(source, options, target, includes);
        let mut words = Vec::new();
        if !diagnostics.has_errors() {
            let sources = options.debug_info.then_some(&diagnostics.sources);
            match emit::emit(&module, options, target, sources) {
                Ok(emitted) => words = emitted,
                Err(e) => {
                    diagnostics.error(e.span, e.message);
                }
            }
        }
        let module = KernelModule {
            words,
            is_library: false,
        };
        outcome(module, &diagnostics)
    })
}

fn analyse(
    source: Source<'_>,
    options: &CompileOptions,
    target: &Target,
    includes: &dyn IncludeResolver,
) -> (TypedModule, Diagnostics) {
    let mut pre = run_preprocessor(source, options, target, includes);
    if pre.diagnostics.should_stop() {
        return (TypedModule::default(), pre.diagnostics);
    }
    let ast = parse::parse(&pre.tokens, &mut pre.names, &pre.diagnostics);
    let lang = LangOptions::new(options, target);
    let module = if pre.diagnostics.should_stop() {
        TypedModule::default()
    } else {
        sema::check(&ast, &pre.names, &pre.diagnostics, lang)
    };
    (module, pre.diagnostics)
}

fn outcome<T>(output: T, diagnostics: &Diagnostics) -> Outcome<T> {
    Outcome {
        output: (!diagnostics.has_errors()).then_some(output),
        log: diagnostics.render(),
    }
}

/// Stack that compiling needs at most, in bytes; only what is used of it becomes memory.
pub const STACK_BYTES: usize = 512 << 20;

thread_local! {
    /// Whether this thread has such a stack.
    static LARGE_STACK: Cell<bool> = const { Cell::new(false) };
}

/// Says that the calling thread was made with [`STACK_BYTES`] of stack: what it compiles from now
/// on needs no thread of its own.
pub fn has_large_stack() {
    LARGE_STACK.set(true);
}

/// Runs one compile on its own thread with a large stack. A panic there is a bug of the
/// compiler and becomes a failed build.
fn guarded<T: Send>(work: impl FnOnce() -> Outcome<T> + Send) -> Outcome<T> {
    let failed = |why: &str| Outcome {
        output: None,
        log: format!("fatal error: {why}\n1 error generated.\n"),
    };
    let panicked = |panic: Box<dyn Any + Send>| {
        let text = panic
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| panic.downcast_ref::<&str>().copied())
            .unwrap_or("unknown");
        failed(&format!("the compiler has failed, which is a bug: {text}"))
    };
    let work = move || {
        budget::begin();
        work()
    };
    if LARGE_STACK.get() {
        return catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(panicked);
    }
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new()
            .name("pumice-compile".to_string())
            .stack_size(STACK_BYTES)
            .spawn_scoped(scope, work);
        match thread {
            Err(e) => failed(&format!("no thread for the compiler: {e}")),
            Ok(thread) => thread.join().unwrap_or_else(panicked),
        }
    })
}
