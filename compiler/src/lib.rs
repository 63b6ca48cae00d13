//! The Pumice compiler: OpenCL C and Kernel SPIR-V in, Vulkan SPIR-V out.
//!
//! ```text
//! .cl text --compile--> KernelModule --link--> KernelModule --lower--> VulkanModule
//! ```
//!
//! Takes source text, options and a [`Target`]; gives SPIR-V words and a build log.
//! [`compile`], [`link`] and [`lower`] are pure: no I/O, no environment, no globals, no threads.
//! Includes come through [`IncludeResolver`]; the device is known only as [`Target`]. Deeply nested
//! source needs [`STACK_BYTES`] of stack, and a panic is a bug of the compiler: callers with users
//! to protect run all three on a thread of their own behind `catch_unwind`.
//!
//! Invariant: everything that is compiled meets at Kernel SPIR-V ([`KernelModule`]);
//! everything that is dispatched is described by `NonSemantic.ClspvReflection` inside
//! [`VulkanModule`] alone.
#![forbid(unsafe_code)]

pub mod extensions;
pub mod kernel;
pub mod library;
pub mod vulkan_check;

pub use kernel::KernelModule;
pub use pumice_backend::{self as backend, VulkanModule};
pub use pumice_frontend::{
    self as frontend, IncludeResolver, IncludedFile, NoIncludes, Outcome, STACK_BYTES, Source,
    full_target, plain_path,
};
pub use pumice_ir as ir;
pub use pumice_target::{
    self as target, Abi, CompileOptions, LinkOptions, LowerOptions, Target, abi, options,
};

/// Compiles one OpenCL C source to Kernel SPIR-V (clCompileProgram's work for one program).
///
/// ```
/// use pumice_compiler::{CompileOptions, NoIncludes, Source, Target, compile};
///
/// let source = Source {
///     name: "twice.cl",
///     text: b"kernel void twice(global int *p) { p[get_global_id(0)] *= 2 }",
/// };
/// let options = CompileOptions::parse("-cl-std=CL3.0").unwrap();
/// let outcome = compile(source, &options, &Target::reference(), &NoIncludes);
///
/// assert!(outcome.output.is_none());
/// assert!(outcome.log.starts_with("twice.cl:1:60: error: expected ';'"), "{}", outcome.log);
/// ```
pub fn compile(
    source: Source<'_>,
    options: &CompileOptions,
    target: &Target,
    includes: &dyn IncludeResolver,
) -> Outcome<KernelModule> {
    compile_observed(source, options, target, includes, &mut |_, _| {})
}

/// Does the work of [`compile`]; the observer is told of the front end's stages.
pub fn compile_observed(
    source: Source<'_>,
    options: &CompileOptions,
    target: &Target,
    includes: &dyn IncludeResolver,
    observer: &mut frontend::Observer<'_>,
) -> Outcome<KernelModule> {
    let Outcome { output, log } = frontend::compile(source, options, target, includes, observer);
    let output = output.map(|words| KernelModule {
        words,
        is_library: false,
    });
    Outcome { output, log }
}

/// Links Kernel modules (clLinkProgram): resolves imports by name, renumbers ids, checks types.
///
/// ```
/// use pumice_compiler::{
///     CompileOptions, KernelModule, LinkOptions, NoIncludes, Source, Target, compile, link,
/// };
///
/// fn module(text: &str) -> KernelModule {
///     let source = Source { name: "part.cl", text: text.as_bytes() };
///     let options = CompileOptions::default();
///     compile(source, &options, &Target::reference(), &NoIncludes).output.unwrap()
/// }
/// let kernel = module("int f(int x); kernel void k(global int *p) { p[0] = f(p[0]); }");
/// let function = module("int f(int x) { return x + 1; }");
///
/// assert!(link(&[&kernel, &function], &LinkOptions::default()).output.is_some());
/// let alone = link(&[&kernel], &LinkOptions::default());
/// assert!(alone.output.is_none() && alone.log.contains("'f'"), "{}", alone.log);
/// ```
pub fn link(modules: &[&KernelModule], options: &LinkOptions) -> Outcome<KernelModule> {
    kernel::link::link(modules, options)
}

/// Checks a Kernel module that some other compiler made (clCompileProgram of intermediate language):
/// it can be imported, whatever symbols it leaves open.
pub fn check_module(module: &KernelModule, target: &Target) -> Outcome<()> {
    match backend::to_ir(&module.words, target, &LowerOptions::default()) {
        Ok(_) => Outcome {
            output: Some(()),
            log: String::new(),
        },
        Err(error) => Outcome {
            output: None,
            log: format!("error: {error}\n"),
        },
    }
}

/// Lowers a linked Kernel module to Vulkan SPIR-V with reflection for one device.
///
/// ```
/// use pumice_compiler::{
///     CompileOptions, LinkOptions, LowerOptions, NoIncludes, Source, Target, compile, link, lower,
/// };
///
/// let source = Source {
///     name: "twice.cl",
///     text: b"kernel void twice(global int *p) { p[get_global_id(0)] *= 2; }",
/// };
/// let target = Target::reference();
/// let kernel = compile(source, &CompileOptions::default(), &target, &NoIncludes).output.unwrap();
/// let linked = link(&[&kernel], &LinkOptions::default()).output.unwrap();
/// let vulkan = lower(&linked, &target, &LowerOptions::default()).output.unwrap();
///
/// // The module describes its own interface.
/// let reflection = pumice_reflection::read(&vulkan.words).unwrap();
/// assert!(reflection.to_string().contains("twice"));
/// ```
pub fn lower(
    module: &KernelModule,
    target: &Target,
    options: &LowerOptions,
) -> Outcome<VulkanModule> {
    lower_observed(module, target, options, &mut |_, _| {})
}

/// Does the work of [`lower`]; the observer is told of the import and of each pass.
pub fn lower_observed(
    module: &KernelModule,
    target: &Target,
    options: &LowerOptions,
    observer: &mut backend::pass::Observer<'_>,
) -> Outcome<VulkanModule> {
    match backend::lower(&module.words, target, options, observer) {
        Ok(output) => Outcome {
            output: Some(output),
            log: String::new(),
        },
        Err(error) => Outcome {
            output: None,
            log: format!("error: {error}\n"),
        },
    }
}
