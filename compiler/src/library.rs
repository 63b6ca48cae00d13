//! Building the compiled form of the built-in library from its OpenCL C sources.
//!
//! Takes the sources of `compiler/builtins-lib/lib`; gives the bytes of `library.bin`: the stored form of each
//! exported function. A build script cannot use its own crate, so the file is written
//! by `cargo xtask bless` and a test compares it with a fresh build.

use crate::kernel::extract::{exported_functions, extract};
use crate::options::{ClStd, CompileOptions};
use crate::{KernelModule, NoIncludes, Source, Target, backend, target::FEATURES};

/// Compiles `sources` (file name, text) and packs every function that they export.
///
/// # Errors
/// As [`modules`]; a function that has no stored form.
pub fn build(sources: &[(String, Vec<u8>)]) -> Result<Vec<u8>, String> {
    let store = |(name, module): (String, KernelModule)| {
        let stored = backend::library::store(&module.words);
        let stored = stored.map_err(|error| format!("{name}: {error}"))?;
        Ok((name, stored))
    };
    let functions: Result<Vec<_>, String> = modules(sources)?.into_iter().map(store).collect();
    Ok(pumice_builtins_lib::pack(&functions?))
}

/// Gives a Kernel module for each function that `sources` (file name, text) export, with its name.
///
/// # Errors
/// The build log of a source that does not compile, or a function exported twice.
pub fn modules(sources: &[(String, Vec<u8>)]) -> Result<Vec<(String, KernelModule)>, String> {
    let target = Target {
        features: FEATURES.iter().map(|name| (*name).to_string()).collect(),
        ..Target::reference()
    };
    let mut functions: Vec<(String, KernelModule)> = Vec::new();
    for (name, text) in sources {
        let options = options_of(text).map_err(|why| format!("{name}: {why}"))?;
        let outcome = crate::compile(Source { name, text }, &options, &target, &NoIncludes);
        let module = outcome.output.ok_or(outcome.log)?;
        for function in exported_functions(&module)? {
            if functions.iter().any(|(known, _)| *known == function) {
                return Err(format!("{name}: {function} is defined twice"));
            }
            functions.push((function.clone(), extract(&module, &function)?));
        }
    }
    Ok(functions)
}

/// The options that a source's first line gives (`// options: -cl-std=CL3.0`), else OpenCL C 1.2.
fn options_of(text: &[u8]) -> Result<CompileOptions, String> {
    let first = text.split(|&byte| byte == b'\n').next().unwrap_or_default();
    match std::str::from_utf8(first)
        .ok()
        .and_then(|line| line.strip_prefix("// options: "))
    {
        Some(options) => CompileOptions::parse(options).map_err(|error| format!("{error:?}")),
        None => Ok(CompileOptions {
            std: Some(ClStd::Cl12),
            ..CompileOptions::default()
        }),
    }
}
