//! Building the compiled form of the built-in library from its OpenCL C sources.
//!
//! Takes the sources of `compiler/builtins-lib/lib`; gives the bytes of `library.bin`: one Kernel
//! module per exported function. A build script cannot use its own crate, so the file is written
//! by `cargo xtask bless` and a test compares it with a fresh build.

use crate::kernel::extract::{exported_functions, extract};
use crate::options::{ClStd, CompileOptions};
use crate::{NoIncludes, Source, Target};

/// Compiles `sources` (file name, text) and packs every function that they export.
///
/// # Errors
/// The build log of a source that does not compile, or a function exported twice.
pub fn build(sources: &[(String, Vec<u8>)]) -> Result<Vec<u8>, String> {
    let target = Target::reference();
    let mut functions: Vec<(String, Vec<u32>)> = Vec::new();
    for (name, text) in sources {
        let options = CompileOptions {
            std: Some(standard(name)),
            ..CompileOptions::default()
        };
        let outcome = crate::compile(Source { name, text }, &options, &target, &NoIncludes);
        let module = outcome.output.ok_or(outcome.log)?;
        for function in exported_functions(&module)? {
            if functions.iter().any(|(known, _)| *known == function) {
                return Err(format!("{name}: {function} is defined twice"));
            }
            functions.push((function.clone(), extract(&module, &function)?.words));
        }
    }
    Ok(pumice_builtins_lib::pack(&functions))
}

/// The standard that a source is written in: what is enqueued takes generic pointers.
fn standard(name: &str) -> ClStd {
    match name.ends_with("enqueue.cl") {
        true => ClStd::Cl20,
        false => ClStd::Cl12,
    }
}
