//! Kernels of the driver's own, which commands run beside those of applications: built at their first use on a device, and
//! kept with it.

use std::sync::Arc;

use pumice_budget as budget;
use pumice_compiler::target::Checks;
use pumice_compiler::{
    CompileOptions, LinkOptions, LowerOptions, NoIncludes, Outcome, Source, Target, compile, link,
    lower,
};

use crate::base::error::{Error, Result};
use crate::base::trace;
use crate::device::Device;
use crate::executable::Executable;
use crate::memory::image_rows;
use crate::program::compile_thread::on_large_stack;

/// The kernels that convert images of rows ([`image_rows::KERNELS`]).
///
/// # Errors
/// CL_OUT_OF_RESOURCES if they do not build for the device, CL_OUT_OF_HOST_MEMORY.
pub fn of_texels(device: &Device) -> Result<Arc<Executable>> {
    let known = device.kept().get().cloned();
    if let Some(known) = known.and_then(|known| known.downcast::<Executable>().ok()) {
        return Ok(known);
    }
    let _span = trace::span("build", "build the driver's own kernels");
    // They keep to their memory, and end.
    let target = Target {
        checks: Checks::NONE,
        ..(*device.target()?).clone()
    };
    let built = on_large_stack(
        move || build(image_rows::KERNELS, &target),
        |log| Err(log.to_string()),
    )?;
    let executable = built.and_then(|words| Executable::new(&words, device.capabilities()));
    let executable = executable.map_err(|log| {
        Error::OutOfResources.because(format!("the driver's own kernels do not build: {log}"))
    })?;
    let executable = Arc::new(executable);
    // Another thread may have been first; either will do.
    let _ = device.kept().set(executable.clone());
    Ok(executable)
}

/// The Vulkan module of a source; else the log.
fn build(text: &'static str, target: &Target) -> std::result::Result<Vec<u32>, String> {
    fn output<T>(outcome: Outcome<T>) -> std::result::Result<T, String> {
        outcome.output.ok_or(outcome.log)
    }
    budget::end_at(None);
    budget::begin();
    let source = Source {
        name: "<driver>",
        text: text.as_bytes(),
    };
    let module = output(compile(
        source,
        &CompileOptions::default(),
        target,
        &NoIncludes,
    ))?;
    let module = output(link(&[&module], &LinkOptions::default()))?;
    let module = output(lower(&module, target, &LowerOptions::default()))?;
    Ok(module.words)
}

#[cfg(test)]
mod tests {
    use pumice_compiler::target::SmallStorage;
    use pumice_compiler::{Abi, Target};

    use super::{build, image_rows};

    #[test]
    fn kernels_build_for_every_form_of_device() {
        let full = Target::reference();
        let descriptors = Target {
            abi: Abi::Descriptors(pumice_compiler::abi::DescriptorOptions::of_driver()),
            ..full.clone()
        };
        let small = Target {
            int8: false,
            int16: false,
            int64: false,
            storage8: SmallStorage::default(),
            storage16: SmallStorage::default(),
            ..full.clone()
        };
        let both = Target {
            abi: descriptors.abi.clone(),
            ..small.clone()
        };
        for target in [full, descriptors, small, both] {
            let built = build(image_rows::KERNELS, &target);
            assert!(built.is_ok(), "{built:?}");
        }
    }
}
