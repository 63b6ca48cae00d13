//! The Pumice compiler: OpenCL C and Kernel SPIR-V in, Vulkan SPIR-V out.
//!
//! ```text
//! .cl text --compile--> KernelModule --link--> KernelModule --lower--> VulkanModule
//! ```
//!
//! Takes source text, options and a [`Target`]; gives SPIR-V words and a build log.
//! [`compile`], [`link`] and [`lower`] are pure: no I/O, no environment, no globals.
//! Includes come through [`IncludeResolver`]; the device is known only as [`Target`].
//!
//! Invariant: everything that is compiled meets at Kernel SPIR-V ([`KernelModule`]);
//! everything that is dispatched is described by `NonSemantic.ClspvReflection` inside
//! [`VulkanModule`] alone.
#![forbid(unsafe_code)]

pub mod abi;
pub mod backend;
pub mod budget;
pub mod builtins;
pub mod diagnostics;
pub mod emit;
pub mod frontend;
pub mod import;
pub mod interp;
pub mod ir;
pub mod kernel;
pub mod library;
pub mod options;
pub mod parse;
pub mod passes;
pub mod pp;
pub mod sema;
pub mod source;
mod symbol;
pub mod target;
pub mod vulkan;

pub use abi::Abi;
pub use kernel::KernelModule;
pub use options::{CompileOptions, LinkOptions, LowerOptions};
pub use target::Target;
pub use vulkan::VulkanModule;

/// A source text with the name that diagnostics show for it.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// Name shown in diagnostics and by `__FILE__`, for example `<source>`.
    pub name: &'a str,
    /// The text as the application gave it: any bytes, not necessarily UTF-8.
    pub text: &'a [u8],
}

/// A file that an `#include` directive brought in.
#[derive(Clone, Debug)]
pub struct IncludedFile {
    /// The path that identifies the file (for diagnostics and `#pragma once`).
    pub path: String,
    /// The contents.
    pub text: Vec<u8>,
}

/// Answers `#include` directives. The compiler itself does no I/O.
pub trait IncludeResolver: Sync {
    /// Finds `name` as written between the quotes or angle brackets.
    ///
    /// `from` is the path of the including file. The resolver knows the `-I` folders
    /// (it is built from the same options) and the headers given to clCompileProgram.
    fn resolve(&self, name: &str, angled: bool, from: &str) -> Option<IncludedFile>;

    /// Says why [`Self::resolve`] gives nothing for these arguments, where it is more than that no
    /// file has the name.
    fn refusal(&self, _name: &str, _angled: bool, _from: &str) -> Option<String> {
        None
    }
}

/// An [`IncludeResolver`] that finds nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoIncludes;

impl IncludeResolver for NoIncludes {
    fn resolve(&self, _name: &str, _angled: bool, _from: &str) -> Option<IncludedFile> {
        None
    }
}

/// What a stage of the compiler gives back: its output, if there is one, and the build log.
#[derive(Clone, Debug)]
pub struct Outcome<T> {
    /// The stage's output; `None` when the log holds at least one error.
    pub output: Option<T>,
    /// Errors, warnings and notes in clang's layout, ready for CL_PROGRAM_BUILD_LOG.
    pub log: String,
}

/// Compiles one OpenCL C source to Kernel SPIR-V (clCompileProgram's work for one program).
pub fn compile(
    source: Source<'_>,
    options: &CompileOptions,
    target: &Target,
    includes: &dyn IncludeResolver,
) -> Outcome<KernelModule> {
    frontend::compile(source, options, target, includes)
}

/// Links Kernel modules (clLinkProgram): resolves imports by name, renumbers ids, checks types.
pub fn link(modules: &[&KernelModule], options: &LinkOptions) -> Outcome<KernelModule> {
    kernel::link::link(modules, options)
}

/// Lowers a linked Kernel module to Vulkan SPIR-V with reflection for one device.
pub fn lower(
    module: &KernelModule,
    target: &Target,
    options: &LowerOptions,
) -> Outcome<VulkanModule> {
    backend::lower(module, target, options)
}
