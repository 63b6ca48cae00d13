//! A linked program, which further forms are made from when launches ask for them.

use std::sync::Arc;

use pumice_budget as budget;
use pumice_compiler::options::MathOptions;
use pumice_compiler::{KernelModule, LowerOptions, Target, lower};
use pumice_vulkan_layer::Capabilities;

use crate::executable::Executable;

/// A program as it is lowered.
#[derive(Clone)]
pub(super) struct Lowering {
    /// The linked program.
    pub module: Arc<KernelModule>,
    /// The options of the build.
    pub math: MathOptions,
    /// The build's target.
    pub target: Arc<Target>,
}

impl Lowering {
    /// Returns whether the program may have forms beside the one that was built: its kernels have device addresses and no
    /// checks.
    pub fn may_have_forms(&self) -> bool {
        self.target.abi.descriptors().is_none() && !self.target.checks.any()
    }

    /// Lowers the program for a target and loads it.
    ///
    /// # Errors
    /// The log of the compiler, or of the loader.
    pub fn executable(&self, target: &Target, caps: &Capabilities) -> Result<Executable, String> {
        budget::begin();
        let options = LowerOptions {
            math: self.math,
            ..LowerOptions::default()
        };
        let lowered = lower(&self.module, target, &options);
        let module = lowered.output.ok_or(lowered.log)?;
        Executable::new(&module.words, caps)
    }
}
