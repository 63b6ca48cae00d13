//! The front end's few visible steps: preprocess, parse, check, emit.
//!
//! Takes a [`Source`], options, [`Target`] and include callback; gives Kernel SPIR-V and the
//! build log. Work happens on a thread with a large stack behind `catch_unwind`, so that deep
//! nesting cannot overflow and a bug in the compiler is a failed build, never an abort.

use crate::diagnostics::{Diagnostics, Loc};
use crate::options::{ClStd, CompileOptions};
use crate::pp::token::Token;
use crate::source::Interner;
use crate::target::Target;
use crate::{IncludeResolver, Outcome, Source, pp};

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
        has_builtin: &|_| false,
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
    let pre = run_preprocessor(source, options, target, includes);
    let text = pp::print_tokens(&pre.tokens, &pre.names);
    Outcome {
        output: (!pre.diagnostics.has_errors()).then_some(text),
        log: pre.diagnostics.render(),
    }
}
