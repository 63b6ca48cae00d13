//! Kernels of the driver's own, which run beside those of applications: built at their first use on a device, and
//! kept with it.

use std::sync::{Arc, OnceLock};

use pumice_budget as budget;
use pumice_compiler::target::{Checks, options::ClStd};
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

/// The program of a kernel that enqueues: it has the scheduler of device queues, as each program with such a kernel.
/// All launches run this one, so that the Vulkan driver compiles it once.
const ENQUEUES: &str = "
kernel void enqueues(queue_t queue) {
    enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{});
}";

/// The driver's own kernels on a device.
#[derive(Default)]
struct OwnKernels {
    texels: OnceLock<Arc<Executable>>,
    scheduler: OnceLock<Arc<Executable>>,
}

/// The kernels that convert images of rows ([`image_rows::KERNELS`]).
///
/// # Errors
/// CL_OUT_OF_RESOURCES if they do not build for the device, CL_OUT_OF_HOST_MEMORY.
pub fn of_texels(device: &Device) -> Result<Arc<Executable>> {
    kept(device, |own| &own.texels, image_rows::KERNELS)
}

/// A program with the scheduler of device queues.
///
/// # Errors
/// As [`of_texels`].
pub fn of_device_queues(device: &Device) -> Result<Arc<Executable>> {
    kept(device, |own| &own.scheduler, ENQUEUES)
}

/// The kernels of a source, from their place among those of the device; built if they are not there yet.
fn kept(
    device: &Device,
    place: fn(&OwnKernels) -> &OnceLock<Arc<Executable>>,
    source: &'static str,
) -> Result<Arc<Executable>> {
    let own = device.kept().get_or_init(|| Arc::<OwnKernels>::default());
    let own = own.clone().downcast::<OwnKernels>();
    let own = own.map_err(|_| Error::OutOfResources.because("the device keeps other kernels"))?;
    if let Some(known) = place(&own).get() {
        return Ok(known.clone());
    }
    let _span = trace::span("build", "build the driver's own kernels");
    // They keep to their memory, and end.
    let target = Target {
        checks: Checks::NONE,
        ..(*device.target()?).clone()
    };
    let built = on_large_stack(move || build(source, &target), |log| Err(log.to_string()))?;
    let executable = built.and_then(|words| Executable::new(&words, device.capabilities()));
    let executable = executable.map_err(|log| {
        Error::OutOfResources.because(format!("the driver's own kernels do not build: {log}"))
    })?;
    // Another thread may have been first; either will do.
    Ok(place(&own).get_or_init(|| Arc::new(executable)).clone())
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
    let options = CompileOptions {
        std: Some(ClStd::Cl30),
        ..CompileOptions::default()
    };
    let module = output(compile(source, &options, target, &NoIncludes))?;
    let module = output(link(&[&module], &LinkOptions::default()))?;
    let module = output(lower(&module, target, &LowerOptions::default()))?;
    Ok(module.words)
}

#[cfg(test)]
mod tests {
    use pumice_compiler::target::SmallStorage;
    use pumice_compiler::{Abi, Target};

    use super::{ENQUEUES, build, image_rows};

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
        for target in [&full, &descriptors, &small, &both] {
            let built = build(image_rows::KERNELS, target);
            assert!(built.is_ok(), "{built:?}");
        }
        let built = build(ENQUEUES, &pumice_compiler::full_target());
        assert!(built.is_ok(), "{built:?}");
    }
}
