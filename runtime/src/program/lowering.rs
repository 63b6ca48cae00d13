//! A linked program, which further forms are made from when launches ask for them.

use std::sync::{Arc, OnceLock};

use crate::base::exit;
use crate::base::log;
use crate::base::trace;
use crate::program::coarse_form::CoarseForm;
use crate::program::compile_thread::on_large_stack;
use pumice_budget as budget;
use pumice_compiler::options::MathOptions;
use pumice_compiler::{KernelModule, LowerOptions, Target, lower};
use pumice_vulkan_layer::Capabilities;

use crate::device::Device;
use crate::executable::Executable;

/// A form, ready to run.
pub struct Form {
    /// The program.
    pub executable: Arc<Executable>,
    /// The same with coarse copies, if the form may get them.
    pub coarse: Option<Arc<CoarseForm>>,
}

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

    /// Makes a form for launches of the program's kernels; `None` if it does not exist. `purpose` names the step in
    /// traces and the log.
    fn form(
        &self,
        target: Target,
        (executable, caps): (&Executable, &Capabilities),
        purpose: &'static str,
    ) -> Option<Form> {
        let _span = trace::span("build", purpose);
        let lowering = Self {
            target: Arc::new(target),
            ..self.clone()
        };
        let (job, on) = (lowering.clone(), caps.clone());
        let made = on_large_stack(
            move || job.executable(&job.target, &on),
            |log| Err(log.into()),
        );
        let made = made.ok()?.inspect_err(|log| {
            log::debug!("cannot {purpose}: {log}");
        });
        let made = made
            .ok()
            .filter(|made| made.takes_arguments_of(executable))?;
        let coarse = CoarseForm::new(&made, &lowering, caps);
        Some(Form {
            executable: Arc::new(made),
            coarse: coarse.map(Arc::new),
        })
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

/// A form that the first launch which asks for it makes.
pub struct LazyForm {
    lowering: Lowering,
    /// Sets what the form's target has beside the build's.
    change: fn(&mut Target),
    /// Names the step in traces and the log.
    purpose: &'static str,
    /// The form, once a launch has asked for it; `None` if the program has none.
    made: OnceLock<Option<Form>>,
}

impl LazyForm {
    /// A form of a build, which nobody has asked for.
    pub(super) fn new(lowering: &Lowering, change: fn(&mut Target), purpose: &'static str) -> Self {
        Self {
            lowering: lowering.clone(),
            change,
            purpose,
            made: OnceLock::new(),
        }
    }

    /// The form, if it has been made.
    pub fn made(&self) -> Option<&Form> {
        self.made.get().and_then(Option::as_ref)
    }

    /// The form, which the first call makes beside the program's executable; `None` if the program has none, or the process
    /// exits.
    pub fn get(&self, executable: &Executable, device: &Device) -> Option<&Form> {
        let make = || {
            let mut target = Target::clone(&self.lowering.target);
            (self.change)(&mut target);
            let on = (executable, device.capabilities());
            self.lowering.form(target, on, self.purpose)
        };
        (!exit::is_leaving()).then(|| self.made.get_or_init(make).as_ref())?
    }
}
