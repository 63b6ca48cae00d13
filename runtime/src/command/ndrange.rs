//! clEnqueueNDRangeKernel and clEnqueueTask.

use std::sync::Arc;

use parking_lot::Mutex;
use pumice_vulkan_layer::BindingKind;

use crate::callback;
use crate::command::image::{check_device, image_of};
use crate::command::{Class, Command, Retire, WaitList, check_context};
use crate::error::{Error, Result};
use crate::event::Event;
use crate::executable::{self, ArgKind, ImageArg, Launch, LaunchError, Prepared, Started};
use crate::exit;
use crate::gpu;
use crate::kernel::{ArgBlock, ArgValue, Kernel, OnDevice};
use crate::log;
use crate::memory::Mem;
use crate::memory::storage::Access;
use crate::ndrange::{self, Range};
use crate::object::Ref;
use crate::printf;
use crate::queue::Queue;
use crate::scheduler;

/// A kernel over a range.
pub struct NdRange {
    /// CL_COMMAND_NDRANGE_KERNEL or CL_COMMAND_TASK.
    pub command_type: u32,
    /// Keeps the kernel and its program.
    kernel: Ref<Kernel>,
    on_device: OnDevice,
    args: ArgBlock,
    /// Everything that the dispatches need; `None` for an empty range. Guards its printf buffer.
    prepared: Option<Mutex<Prepared>>,
    /// The program's initializers, while they may not have ended.
    started: Option<Arc<Started>>,
}

/// A range as the application gave it; `None` for NULL.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    /// CL_COMMAND_NDRANGE_KERNEL or CL_COMMAND_TASK.
    pub command_type: u32,
    /// work_dim, checked.
    pub dimensions: u32,
    /// global_work_offset.
    pub offset: Option<[usize; 3]>,
    /// global_work_size.
    pub global: Option<[usize; 3]>,
    /// local_work_size.
    pub local: Option<[usize; 3]>,
}

/// CL_INVALID_WORK_DIMENSION if it is not 1, 2 or 3.
pub fn check_dimensions(dimensions: u32) -> Result<()> {
    if !(1..=3).contains(&dimensions) {
        return Err(Error::InvalidWorkDimension);
    }
    Ok(())
}

/// clEnqueueNDRangeKernel.
pub fn enqueue(
    queue: &Ref<Queue>,
    kernel: &Ref<Kernel>,
    request: &Request,
    wait: WaitList,
) -> Result<Ref<Event>> {
    check_context(queue, kernel.program().context())?;
    // CL_INVALID_PROGRAM_EXECUTABLE if the program was not built for the queue's device.
    let on_device = kernel.on_device(queue.device())?.clone();
    // CL_INVALID_KERNEL_ARGS if an argument has not been set.
    let args = kernel.snapshot()?;
    let limits = kernel.limits(queue.device())?;
    let range = ndrange::check(
        request.dimensions,
        request.offset,
        request.global,
        request.local,
        &limits,
    )?;
    // CL_MISALIGNED_SUB_BUFFER_OFFSET if a sub-buffer's offset does not suit the device.
    for arg in args.iter().flatten() {
        if let ArgValue::Memory(Some(buffer)) = arg {
            buffer.check_alignment(queue.device())?;
        }
    }
    let (prepared, started) = if range.is_empty() {
        (None, None)
    } else {
        let prepared = prepare(queue, &on_device, &args, &range)?;
        (Some(prepared), start(queue, &on_device)?)
    };
    let command = Command::NdRange(Box::new(NdRange {
        command_type: request.command_type,
        kernel: kernel.clone(),
        on_device,
        args,
        prepared: prepared.map(Mutex::new),
        started,
    }));
    scheduler::enqueue(queue, command, wait, false)
}

/// clGetKernelSuggestedLocalWorkSize.
pub fn suggest(
    queue: &Ref<Queue>,
    kernel: &Ref<Kernel>,
    dimensions: u32,
    offset: Option<[usize; 3]>,
    global: [usize; 3],
) -> Result<[usize; 3]> {
    check_context(queue, kernel.program().context())?;
    let limits = kernel.limits(queue.device())?;
    kernel.snapshot()?;
    ndrange::check(dimensions, offset, Some(global), None, &limits).map(|range| range.local)
}

/// Makes pipelines, descriptors and push constants, so that the call itself reports what is
/// missing.
fn prepare(
    queue: &Ref<Queue>,
    on_device: &OnDevice,
    args: &ArgBlock,
    range: &Range,
) -> Result<Prepared> {
    let info = &on_device.executable.kernels()[on_device.index];
    let values = (args.iter().zip(&info.args))
        .map(|(arg, meta)| value(queue, meta.kind, arg.as_ref()?))
        .map(Option::transpose)
        .collect::<Result<Vec<_>>>()?;
    let narrow = |size: usize| u32::try_from(size).map_err(|_| Error::InvalidWorkGroupSize);
    let [x, y, z] = range.local;
    let launch = Launch {
        kernel: on_device.index,
        range: &executable::NdRange {
            work_dim: range.dimensions,
            global_offset: range.offset.map(|n| n as u64),
            global_size: range.global.map(|n| n as u64),
            local_size: [narrow(x)?, narrow(y)?, narrow(z)?],
        },
        args: &values,
        queue: queue.handle(),
    };
    let gpu = queue.device().gpu()?;
    let prepared = on_device.executable.prepare(gpu.raw(), &launch);
    prepared.map_err(|error| refused(queue, "a kernel", &error))
}

/// Submits the program's initializers, before the first of its kernels on a device.
fn start(queue: &Ref<Queue>, on_device: &OnDevice) -> Result<Option<Arc<Started>>> {
    // The end of the process waits for what is submitted; nothing more is then.
    if exit::is_ending() {
        return Ok(None);
    }
    let started = on_device.executable.start(queue.device().gpu()?.raw());
    started.map_err(|error| refused(queue, "a program's initializer", &error))
}

/// Tells of a launch that cannot be; gives its error.
fn refused(queue: &Ref<Queue>, what: &str, error: &LaunchError) -> Error {
    log::info!("{what} cannot be enqueued: {error}");
    queue.context().notify(&error.to_string());
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

/// An argument as the executable takes it; `None` for one that the kernel does not use.
fn value(
    queue: &Ref<Queue>,
    kind: ArgKind,
    arg: &ArgValue,
) -> Option<Result<executable::ArgValue>> {
    Some(match arg {
        ArgValue::Bytes(bytes) => Ok(executable::ArgValue::Bytes(bytes.clone().into())),
        ArgValue::Memory(None) => Ok(executable::ArgValue::Null),
        ArgValue::Memory(Some(object)) => match kind {
            ArgKind::Image { binding, .. } => image_value(queue, object, binding),
            _ => buffer_value(queue, object),
        },
        ArgValue::Sampler(sampler) => Ok(executable::ArgValue::Sampler {
            desc: sampler.desc(),
            mask: sampler.mask(),
        }),
        ArgValue::Svm(_, Some((buffer, offset))) => Ok(executable::ArgValue::Buffer {
            buffer: buffer.clone(),
            offset: *offset,
            size: buffer.size() - offset,
        }),
        ArgValue::Svm(address, None) => Ok(executable::ArgValue::Address(*address as u64)),
        ArgValue::Local(size) => Ok(executable::ArgValue::Local { size: *size as u64 }),
        ArgValue::Ignored => return None,
    })
}

fn buffer_value(queue: &Ref<Queue>, buffer: &Ref<Mem>) -> Result<executable::ArgValue> {
    Ok(executable::ArgValue::Buffer {
        buffer: buffer.storage()?.allocation(queue.device_index())?,
        offset: buffer.origin() as u64,
        size: buffer.size() as u64,
    })
}

/// CL_IMAGE_FORMAT_NOT_SUPPORTED if the device cannot give the kernel an image of this format.
fn image_value(
    queue: &Ref<Queue>,
    mem: &Ref<Mem>,
    binding: BindingKind,
) -> Result<executable::ArgValue> {
    let image = image_of(mem)?;
    check_device(queue.device(), image)?;
    let (index, gpu) = (queue.device_index(), queue.device().gpu()?);
    let view = match binding {
        BindingKind::SampledImage => ImageArg::Image(image.sampled_view(index, gpu)?),
        BindingKind::StorageImage => ImageArg::Image(image.storage_view(index, gpu)?),
        _ => ImageArg::Texels(image.buffer_view(index, gpu)?),
    };
    let row = image.row();
    Ok(executable::ArgValue::Image {
        view,
        order: row.order,
        data_type: row.data_type,
    })
}

/// What a kernel does with an argument that is a memory object.
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

impl NdRange {
    /// The kernel's name.
    pub fn name(&self) -> &str {
        self.kernel.name()
    }

    /// Where it does its work: an empty range does none.
    pub fn class(&self) -> Class {
        match self.prepared {
            Some(_) => Class::Device,
            None => Class::Nothing,
        }
    }

    /// What the device must have reached before: the end of the program's initializers.
    pub fn startup(&self) -> Option<gpu::Wait> {
        self.started.as_ref()?.wait()
    }

    /// Records the dispatches.
    pub fn record(&self, queue: &Ref<Queue>, recorder: &mut gpu::Recorder) -> Result<Retire> {
        let Some(prepared) = &self.prepared else {
            return Ok(Retire::nothing());
        };
        let info = &self.on_device.executable.kernels()[self.on_device.index];
        for (arg, meta) in self.args.iter().zip(&info.args) {
            if let Some(ArgValue::Memory(Some(object))) = arg {
                object.on_device(queue.device_index(), access(object, meta.kind))?;
            }
        }
        let mut prepared = prepared.lock();
        prepared.record(recorder).map_err(gpu::error)?;
        let (started, own) = (self.started.clone(), prepared.take_printf());
        if started.is_none() && own.is_none() {
            return Ok(Retire::nothing());
        }
        let executable = self.on_device.executable.clone();
        let (kernel, context) = (self.kernel.clone(), queue.context().clone());
        Ok(Retire::with(move || {
            // The first kernel to end prints what the initializers did.
            let before = started.map_or_else(Vec::new, |started| started.take_printf());
            for buffer in before.into_iter().chain(own) {
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
