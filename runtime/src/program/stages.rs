//! The stages of one build: compile, link, lower, for one target.

use std::sync::Arc;

use pumice_compiler::ir::{LowerError, Module};
use pumice_compiler::{
    CompileOptions, IncludeResolver, KernelModule, LinkOptions, LowerOptions, Outcome, Source,
    Target, VulkanModule, check_module, compile_observed, link, lower, lower_observed,
};

use crate::base::log;
use crate::base::progress::Step;
use crate::base::trace;
use crate::program::Build;
use crate::program::dump::Dump;
use crate::program::input::Input;

/// The stages, with what they share.
pub(super) struct Stages<'a> {
    pub target: &'a Target,
    /// The target of the program's second form, if it is to have one.
    pub descriptor_target: Option<&'a Target>,
    pub includes: &'a dyn IncludeResolver,
    /// The files of the build, if they are asked for.
    pub dump: Option<&'a Dump>,
    /// The step that the build is at.
    pub step: &'a Step,
    /// The build log so far.
    pub log: &'a mut String,
}

impl Stages<'_> {
    /// Adds a stage's log and gives its output.
    fn output<T>(&mut self, outcome: Outcome<T>) -> Option<T> {
        self.log.push_str(&outcome.log);
        outcome.output
    }

    fn dump_words(&self, name: &str, words: &[u32]) {
        if let Some(dump) = self.dump {
            dump.words(name, words);
        }
    }

    /// Compiles source, or takes a module as it is.
    pub fn compile(
        &mut self,
        input: &Input,
        options: &CompileOptions,
    ) -> Option<Arc<KernelModule>> {
        let text = match input {
            Input::Source(text) => text,
            Input::Module(module, _) => return Some(module.clone()),
            Input::Modules(_) | Input::Vulkan(_) | Input::Nothing => {
                let error = "error: the program has no source or intermediate language\n";
                self.log.push_str(error);
                return None;
            }
        };
        let _span = trace::span("build", "compile");
        self.step.begin("compile");
        let source = Source {
            name: "<source>",
            text,
        };
        let dump = self.dump;
        let mut observer = |stage: &'static str, text: &dyn Fn() -> Vec<u8>| {
            if let Some(dump) = dump {
                dump.front_end(stage, &text());
            }
        };
        if let Some(dump) = dump {
            dump.source(text);
        }
        let (target, includes) = (self.target, self.includes);
        let outcome = compile_observed(source, options, target, includes, &mut observer);
        let module = self.output(outcome)?;
        self.dump_words("kernel.spv", &module.words);
        Some(Arc::new(module))
    }

    /// Checks a module that clCompileProgram takes as it is.
    pub fn check(&mut self, module: &KernelModule) -> Option<()> {
        let _span = trace::span("build", "check");
        self.step.begin("check");
        let checked = check_module(module, self.target);
        self.output(checked)
    }

    /// Links modules.
    pub fn link(
        &mut self,
        modules: &[&KernelModule],
        options: &LinkOptions,
    ) -> Option<Arc<KernelModule>> {
        let _span = trace::span("build", "link");
        self.step.begin("link");
        let module = self.output(link(modules, options))?;
        self.dump_words("linked.spv", &module.words);
        Some(Arc::new(module))
    }

    /// Lowers a linked module; no device has it yet.
    pub fn lower(&mut self, module: Arc<KernelModule>, options: &LowerOptions) -> Option<Build> {
        let _span = trace::span("build", "lower");
        let (dump, progress) = (self.dump, self.step);
        let mut steps = 0;
        let mut observer = |step: &'static str, result: Result<&Module, &LowerError>| {
            if let Some(dump) = dump {
                dump.step(steps, step, result);
            }
            steps += 1;
            progress.begin(step);
        };
        let lowered = lower_observed(&module, self.target, options, &mut observer);
        let vulkan = self.output(lowered)?;
        self.dump_words("vulkan.spv", &vulkan.words);
        let descriptor_module = self.lower_with_descriptors(&module, options);
        Some(Build {
            kernel_module: Some(module),
            vulkan_module: Some(Arc::new(vulkan)),
            descriptor_module: descriptor_module.map(Arc::new),
            lowered_with: options.math,
            ..Build::default()
        })
    }

    /// The program's second form. A program that needs addresses has none, which is no error.
    fn lower_with_descriptors(
        &mut self,
        module: &KernelModule,
        options: &LowerOptions,
    ) -> Option<VulkanModule> {
        let target = self.descriptor_target?;
        self.step.begin("lower with descriptors");
        let lowered = lower(module, target, options);
        match &lowered.output {
            Some(vulkan) => self.dump_words("vulkan-descriptors.spv", &vulkan.words),
            None => log::debug!("the program needs addresses: {}", lowered.log),
        }
        lowered.output
    }
}
