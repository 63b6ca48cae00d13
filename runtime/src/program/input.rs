//! The input of a build, and what follows from it for options and the cache.

use std::sync::Arc;

use pumice_compiler::options::MathOptions;
use pumice_compiler::target::Checks;
use pumice_compiler::vulkan_check::check;
use pumice_compiler::{CompileOptions, KernelModule, LowerOptions, Target};

use crate::cache::{self, Key, Start};
use crate::device::checks;
use crate::program::includes::Includes;
use crate::program::{Build, binary};

/// The input of one device's build.
#[derive(Clone)]
pub(super) enum Input {
    Source(Arc<Vec<u8>>),
    /// A module, and options to lower it with whatever the call says.
    Module(Arc<KernelModule>, MathOptions),
    /// The modules of clLinkProgram.
    Modules(Vec<Arc<KernelModule>>),
    /// A Vulkan module without what it was made of.
    Vulkan(Box<Build>),
    Nothing,
}

impl Input {
    /// Tells whether both are the same object, so that devices of one target can share a build.
    pub fn is_same(&self, other: &Input) -> bool {
        match (self, other) {
            (Input::Source(one), Input::Source(other)) => Arc::ptr_eq(one, other),
            (Input::Module(one, math), Input::Module(other, of_other)) => {
                Arc::ptr_eq(one, other) && math == of_other
            }
            (Input::Modules(one), Input::Modules(other)) => {
                let mut pairs = one.iter().zip(other);
                one.len() == other.len() && pairs.all(|(one, other)| Arc::ptr_eq(one, other))
            }
            _ => false,
        }
    }
}

/// The key of what `input` becomes in a call of the API; `None` where the cache has no part in it.
pub(super) fn key(
    call: &str,
    target: &Target,
    options: &[u8],
    input: &Input,
    includes: &Includes,
) -> Option<Key> {
    match input {
        Input::Source(text) => {
            let start = Start::Source(text, &includes.headers);
            cache::key(call, target, options, &start)
        }
        Input::Module(module, math) => {
            let module: &KernelModule = module;
            let modules = [module];
            let start = Start::Modules(&modules);
            let options = [options, b"\0", format!("{math:?}").as_bytes()].concat();
            cache::key(call, target, &options, &start)
        }
        Input::Modules(modules) => {
            let modules: Vec<&KernelModule> = modules.iter().map(|m| &**m).collect();
            cache::key(call, target, options, &Start::Modules(&modules))
        }
        Input::Vulkan(_) | Input::Nothing => None,
    }
}

/// The options of clBuildProgram's lowering, and those that a binary was made with.
pub(super) fn lower_options(input: &Input, options: &CompileOptions) -> LowerOptions {
    let math = match input {
        Input::Module(_, made_with) => binary::either(made_with, &options.math),
        Input::Source(_) => options.math_of_source(),
        _ => options.math,
    };
    LowerOptions {
        math,
        ..LowerOptions::default()
    }
}

/// A build whose Vulkan module a driver may read: one that came without what it was made of is
/// checked. Robust mode takes none, since what it does is not known; `own` are the checks of the call's options.
pub(super) fn checked(build: &Build, own: Checks, log: &mut String) -> Option<Build> {
    if checks::is_robust(own) {
        log.push_str("error: robust mode builds from source or IL, not from a Vulkan module\n");
        return None;
    }
    if let (None, Some(vulkan)) = (&build.kernel_module, &build.vulkan_module) {
        if let Err(error) = check(&vulkan.words) {
            log.push_str(&format!("error: the module is not sound: {error}\n"));
            return None;
        }
    }
    Some(build.clone())
}
