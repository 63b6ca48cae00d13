//! Helpers that the tests of the compiler and of the runtime share.
//!
//! Sources are built ([`build`]), kernel files run in the interpreter ([`runs`], [`graphs`]), the SPIR-V tools serve as judges
//! ([`spirv_tools`]), and generators make kernels that nobody wrote ([`random_programs`],
//! [`random_cfg`], [`number_kernels`], [`shapes`], [`mutants`]).
#![forbid(unsafe_code)]

pub mod build;
pub mod graphs;
mod interpretable;
pub mod lowering_passes;
pub mod mutants;
pub mod number_kernels;
pub mod random_cfg;
pub mod random_programs;
pub mod reference;
mod run_target;
pub mod runs;
pub mod shapes;
pub mod spirv_tools;

pub use interpretable::{interpretable, link_library};
pub use run_target::{KEEPING_MODES, low_target, low_targets, run_target, take_away};

use std::path::PathBuf;

/// A folder of test files below `compiler/filetests`.
pub fn filetests(folder: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../filetests")
        .join(folder)
}

/// Runs a part of the compiler with the stack that its callers provide.
///
/// # Panics
/// As `work` does.
pub fn on_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        std::thread::Builder::new()
            .stack_size(pumice_compiler::STACK_BYTES)
            .spawn_scoped(scope, work)
            .expect("a thread")
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}
