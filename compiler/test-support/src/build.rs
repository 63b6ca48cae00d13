//! Sources through the stages of a build, without files to include. An error is the log of the stage that failed.

use pumice_backend::pass::Ctx;
use pumice_backend::{pipeline, to_ir};
use pumice_compiler::{
    CompileOptions, KernelModule, LinkOptions, LowerOptions, NoIncludes, Source, Target,
    VulkanModule, compile, link, lower,
};
use pumice_ir::Module;

/// Compiles a source to a Kernel module that is not linked yet.
///
/// # Errors
/// Options that there are not, and what is wrong with the source.
pub fn compiled(text: &str, options: &str, target: &Target) -> Result<KernelModule, String> {
    let options = CompileOptions::parse(options).map_err(|error| error.to_string())?;
    let source = Source {
        name: "<source>",
        text: text.as_bytes(),
    };
    let compiled = compile(source, &options, target, &NoIncludes);
    compiled.output.ok_or(compiled.log)
}

/// Compiles a source and links its module.
///
/// # Errors
/// As [`compiled`], and functions that are nowhere defined.
pub fn linked(text: &str, options: &str, target: &Target) -> Result<KernelModule, String> {
    linked_alone(&compiled(text, options, target)?)
}

/// Links a module with no other one.
///
/// # Errors
/// Functions that are nowhere defined.
pub fn linked_alone(module: &KernelModule) -> Result<KernelModule, String> {
    let linked = link(&[module], &LinkOptions::default());
    linked.output.ok_or(linked.log)
}

/// Compiles a source, links it and lowers it to a Vulkan module.
///
/// # Errors
/// As [`linked`], and what the device cannot do.
pub fn vulkan_module(text: &str, options: &str, target: &Target) -> Result<VulkanModule, String> {
    let module = linked(text, options, target)?;
    let lowered = lower(&module, target, &LowerOptions::default());
    lowered.output.ok_or(lowered.log)
}

/// The IR of a source behind the passes; `None` if it does not build.
pub fn lowered_ir(text: &str, options: &str, target: &Target) -> Option<Module> {
    let words = linked(text, options, target).ok()?.words;
    let lower = LowerOptions::default();
    let mut ir = to_ir(&words, target, &lower).ok()?;
    let ctx = Ctx {
        target,
        options: &lower,
    };
    pipeline::run_pipeline(&mut ir, &ctx, &mut |_, _| {}).ok()?;
    Some(ir)
}
