//! clLinkProgram.

use opencl_sys as cl;
use pumice_compiler::LinkOptions;

use crate::base::error::{Error, Result};
use crate::base::object::Ref;
use crate::base::progress::Step;
use crate::context::Context;
use crate::device::Device;
use crate::program::build::{Call, CallKind, Notify};
use crate::program::includes::Includes;
use crate::program::input::Input;
use crate::program::{Origin, Program, new_builds};

/// clLinkProgram. A link that fails still gives its program, which holds the log
/// (OpenCL 3.0 API §5.8.4).
///
/// # Errors
/// Those that the specification lists for clLinkProgram, in its order.
pub fn link_programs(
    context: &Ref<Context>,
    devices: Option<Vec<Ref<Device>>>,
    options: &[u8],
    inputs: &[Ref<Program>],
    notify: Option<Notify>,
) -> Result<(Ref<Program>, Result<()>)> {
    // CL_INVALID_VALUE if there is no input program.
    if inputs.is_empty() {
        return Err(Error::InvalidValue.because("there is no input program"));
    }
    let devices = devices.unwrap_or_else(|| context.devices().to_vec());
    // CL_INVALID_DEVICE if a device is not of the context.
    if devices.iter().any(|d| context.device_index(d).is_none()) {
        return Err(Error::InvalidDevice.because("a device is not one of the context"));
    }
    // CL_INVALID_CONTEXT if a program is of another context.
    if inputs
        .iter()
        .any(|p| p.context().handle() != context.handle())
    {
        return Err(Error::InvalidContext.because("an input program is of another context"));
    }
    // CL_INVALID_LINKER_OPTIONS if the options are not valid.
    let mut link_options = LinkOptions::parse(options)
        .map_err(|error| Error::InvalidLinkerOptions.because(error.to_string()))?;
    // CL_INVALID_OPERATION if an input holds no compiled object or library for a device, or is being compiled anew.
    let mut modules: Vec<Input> = Vec::with_capacity(devices.len());
    // Kernels of different objects share the answer: one that tells its arguments is enough.
    let mut hides_arguments = true;
    // Options of the objects that are no linker's: one that has roots and quotients rounded is enough, and one that wants
    // work-groups of one size.
    let mut rounded = false;
    let mut uniform = false;
    for device in &devices {
        let of_device = inputs
            .iter()
            .map(|program| {
                let index = program.device_index(device)?;
                let build = program.builds.lock()[index].clone();
                if build.is_running() {
                    return None;
                }
                hides_arguments &= build.hides_arguments;
                rounded |= build.lowered_with.correctly_rounded_divide_sqrt;
                uniform |= build.lowered_with.uniform_work_group_size;
                let linkable = [
                    cl::CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT,
                    cl::CL_PROGRAM_BINARY_TYPE_LIBRARY,
                ];
                build
                    .kernel_module
                    .filter(|_| linkable.contains(&build.binary_type))
            })
            .collect::<Option<Vec<_>>>()
            .ok_or_else(|| {
                let reason =
                    "an input program holds no compiled object or library for a device, or its compilation has not ended";
                Error::InvalidOperation.because(reason)
            })?;
        modules.push(Input::Modules(of_device));
    }
    link_options.math.correctly_rounded_divide_sqrt |= rounded;
    link_options.math.uniform_work_group_size |= uniform;
    let program = Program::make(context, &devices, Origin::Linked, new_builds(devices.len()));
    let chosen: Vec<usize> = (0..devices.len()).collect();
    let begun = program.begin(chosen, options)?;
    let call = Call {
        text: options.to_vec(),
        includes: Includes::default(),
        hides_arguments,
        kind: CallKind::Link(link_options),
        step: Step::default(),
    };
    let result = program.run(call, begun, modules, notify);
    if result.is_err() {
        for build in program.builds() {
            context.notify(&build.log);
        }
    }
    Ok((program, result))
}
