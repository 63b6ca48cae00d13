//! clEnqueueNDRangeKernel and clEnqueueTask.

use std::sync::Arc;

use parking_lot::Mutex;
use pumice_vulkan_layer::BindingKind;

use crate::base::callback;
use crate::base::error::{Error, Result};
use crate::base::exit;
use crate::base::log;
use crate::base::object::Ref;
use crate::base::printf;
use crate::command::image::{check_device, image_of};
use crate::command::{Command, DeviceCommand, Empty, Retire};
use crate::context::Placement;
use crate::device::gpu;
use crate::executable::{
    ArgKind, ArgValue, ImageArg, InitRun, Launch, LaunchError, NdRange, Prepared, RangeRequest,
};
use crate::memory::Mem;
use crate::memory::residency::Access;
use crate::program::kernel::{ArgBlock, Argument, DeviceKernel, Kernel};

/// A kernel over a range.
struct KernelLaunch {
    command_type: u32,
    /// Keeps the kernel and its program.
    kernel: Ref<Kernel>,
    device_kernel: DeviceKernel,
    args: ArgBlock,
    range: NdRange,
    /// Everything that the dispatches need. Guards the printf buffer, which belongs to one recording:
    /// a launch that prints is prepared anew for each further one.
    prepared: Mutex<Option<Prepared>>,
    /// The program's initializers, while they may not have ended.
    initializers: Option<Arc<InitRun>>,
}

/// CL_INVALID_WORK_DIMENSION if it is not 1, 2 or 3.
///
/// # Errors
/// [`Error::InvalidWorkDimension`].
pub fn check_dimensions(dimensions: u32) -> Result<()> {
    if !(1..=3).contains(&dimensions) {
        return Err(Error::InvalidWorkDimension);
    }
    Ok(())
}

/// clEnqueueNDRangeKernel and clEnqueueTask, by `command_type`.
///
/// # Errors
/// Those that the specification lists for clEnqueueNDRangeKernel and clEnqueueTask, in its order.
pub fn launch(
    on: &Placement,
    command_type: u32,
    kernel: &Ref<Kernel>,
    request: &RangeRequest,
) -> Result<Command> {
    on.check_context(kernel.program().context())?;
    // CL_INVALID_PROGRAM_EXECUTABLE if the program was not built for the queue's device.
    let device_kernel = kernel.device_kernel(on.device())?.clone();
    // CL_INVALID_KERNEL_ARGS if an argument has not been set.
    let args = kernel.snapshot()?;
    let range = resolve(on, &device_kernel, request)?;
    // CL_MISALIGNED_SUB_BUFFER_OFFSET if a sub-buffer's offset does not suit the device.
    for arg in args.iter().flatten() {
        if let Argument::Memory(object) = arg {
            object.check_alignment(on.device())?;
        }
    }
    if range.is_empty() {
        return Ok(Command::Empty(Empty {
            command_type,
            keeps: Some(Arc::new((kernel.clone(), args))),
        }));
    }
    let prepared = prepare(on, &device_kernel, &args, &range)?;
    let initializers = run_initializers(on, &device_kernel)?;
    Ok(Command::Device(Arc::new(KernelLaunch {
        command_type,
        kernel: kernel.clone(),
        device_kernel,
        args,
        range,
        prepared: Mutex::new(Some(prepared)),
        initializers,
    })))
}

/// clGetKernelSuggestedLocalWorkSize.
///
/// # Errors
/// Those that the specification lists for clGetKernelSuggestedLocalWorkSize, in its order.
pub fn suggest(on: &Placement, kernel: &Ref<Kernel>, request: &RangeRequest) -> Result<[u32; 3]> {
    on.check_context(kernel.program().context())?;
    let device_kernel = kernel.device_kernel(on.device())?;
    kernel.snapshot()?;
    resolve(on, device_kernel, request).map(|range| range.local_size)
}

fn resolve(
    on: &Placement,
    device_kernel: &DeviceKernel,
    request: &RangeRequest,
) -> Result<NdRange> {
    let range = device_kernel.limits(on.device()).resolve(request);
    range.map_err(|error| {
        log::info!("a kernel cannot be enqueued: {error}");
        code(&error)
    })
}

/// Makes pipelines, descriptors and push constants, so that the call itself reports what is
/// missing.
fn prepare(
    on: &Placement,
    device_kernel: &DeviceKernel,
    args: &ArgBlock,
    range: &NdRange,
) -> Result<Prepared> {
    let values = (args.iter().zip(&device_kernel.info().args))
        .map(|(arg, meta)| arg.as_ref().map(|arg| value(on, meta.kind, arg)))
        .map(Option::transpose)
        .collect::<Result<Vec<_>>>()?;
    let launch = Launch {
        kernel: device_kernel.index,
        range,
        args: &values,
        queue: on.number(),
    };
    let gpu = on.device().gpu()?;
    let prepared = device_kernel.executable.prepare(gpu.raw(), &launch);
    prepared.map_err(|error| refused(on, "a kernel", &error))
}

/// Submits the program's initializers, before the first of its kernels on a device.
fn run_initializers(on: &Placement, device_kernel: &DeviceKernel) -> Result<Option<Arc<InitRun>>> {
    let gpu = on.device().gpu()?;
    if !exit::begin_batch() {
        return Ok(None);
    }
    let run = device_kernel.executable.run_initializers(gpu.raw());
    // The end of the process waits until the device is idle.
    exit::batch_ended();
    run.map_err(|error| refused(on, "a program's initializer", &error))
}

/// Logs a launch that cannot be, and tells the context's callback; gives its error.
fn refused(on: &Placement, what: &str, error: &LaunchError) -> Error {
    log::info!("{what} cannot be enqueued: {error}");
    on.context().notify(&error.to_string());
    code(error)
}

/// The OpenCL error of a launch that cannot be.
fn code(error: &LaunchError) -> Error {
    match error {
        LaunchError::Args(_) => Error::InvalidKernelArgs,
        LaunchError::WorkGroupSize(_) => Error::InvalidWorkGroupSize,
        LaunchError::WorkItemSize(_) => Error::InvalidWorkItemSize,
        LaunchError::GlobalOffset(_) => Error::InvalidGlobalOffset,
        LaunchError::GlobalSize(_) => Error::InvalidGlobalWorkSize,
        LaunchError::Misaligned(_) => Error::MisalignedSubBufferOffset,
        LaunchError::Resources(_) => Error::OutOfResources,
        LaunchError::Vulkan(error) => gpu::error(error.clone()),
    }
}

/// An argument on the device.
fn value(on: &Placement, kind: ArgKind, arg: &Argument) -> Result<ArgValue> {
    match arg {
        Argument::Value(value) => Ok(value.clone()),
        Argument::Memory(object) => match kind {
            ArgKind::Image { binding, .. } => image_value(on, object, binding),
            _ => Ok(ArgValue::Buffer {
                buffer: object.storage()?.allocation(on.index())?,
                offset: object.origin() as u64,
                size: object.size() as u64,
            }),
        },
        Argument::Sampler(sampler) => Ok(ArgValue::Sampler {
            desc: sampler.desc(),
            mask: sampler.mask(),
        }),
    }
}

/// CL_IMAGE_FORMAT_NOT_SUPPORTED if the device cannot give the kernel an image of this format.
fn image_value(on: &Placement, mem: &Ref<Mem>, binding: BindingKind) -> Result<ArgValue> {
    let image = image_of(mem)?;
    check_device(on.device(), image)?;
    let (index, gpu) = (on.index(), on.device().gpu()?);
    let view = match binding {
        BindingKind::SampledImage => ImageArg::Image(image.sampled_view(index, gpu)?),
        BindingKind::StorageImage => ImageArg::Image(image.storage_view(index, gpu)?),
        _ => ImageArg::Texels(image.buffer_view(index, gpu)?),
    };
    let format = image.format();
    Ok(ArgValue::Image {
        view,
        order: format.order,
        data_type: format.data_type,
    })
}

/// The use that a kernel makes of an argument that is a memory object.
fn access(mem: &Mem, kind: ArgKind) -> Access {
    let reads = matches!(
        kind,
        ArgKind::Image {
            binding: BindingKind::SampledImage | BindingKind::UniformTexelBuffer,
            ..
        }
    );
    match mem.kernel_writes() && !reads {
        true => Access::Write,
        false => Access::Read,
    }
}

impl KernelLaunch {
    /// Records the dispatches; gives the launch's printf buffer.
    fn dispatch(
        &self,
        on: &Placement,
        recorder: &mut gpu::Recorder,
    ) -> Result<Option<pumice_vulkan_layer::Buffer>> {
        let mut slot = self.prepared.lock();
        let mut prepared = match slot.take() {
            Some(prepared) => prepared,
            None => prepare(on, &self.device_kernel, &self.args, &self.range)?,
        };
        prepared.record(recorder).map_err(gpu::error)?;
        let printf = prepared.take_printf();
        if printf.is_none() {
            *slot = Some(prepared);
        }
        Ok(printf)
    }
}

impl DeviceCommand for KernelLaunch {
    fn command_type(&self) -> u32 {
        self.command_type
    }

    fn name(&self) -> &str {
        self.kernel.name()
    }

    fn initializers(&self) -> Option<gpu::Wait> {
        self.initializers.as_ref()?.wait()
    }

    fn record(&self, on: &Placement, recorder: &mut gpu::Recorder) -> Result<Retire> {
        for (arg, meta) in self.args.iter().zip(&self.device_kernel.info().args) {
            if let Some(Argument::Memory(object)) = arg {
                object.on_device(on.index(), access(object, meta.kind))?;
            }
        }
        let printf = self.dispatch(on, recorder)?;
        let initializers = self.initializers.clone();
        if initializers.is_none() && printf.is_none() {
            return Ok(Retire::nothing());
        }
        let executable = self.device_kernel.executable.clone();
        let (kernel, context) = (self.kernel.clone(), on.context().clone());
        Ok(Retire::with(move || {
            // The first kernel to end prints what the initializers did.
            let before = initializers.map_or_else(Vec::new, |run| run.take_printf());
            for buffer in before.into_iter().chain(printf) {
                let decoded = executable
                    .decode_printf(buffer, &mut |text| printf::print(text))
                    .map_err(gpu::error)?;
                let complaint = printf::complain(&format!("kernel `{}`", kernel.name()), decoded);
                if let Some(complaint) = complaint {
                    let context = context.clone();
                    callback::post(move || context.notify(&complaint));
                }
            }
            printf::flush();
            Ok(())
        }))
    }
}
