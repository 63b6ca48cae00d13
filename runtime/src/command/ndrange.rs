//! clEnqueueNDRangeKernel and clEnqueueTask.

use pumice_vulkan_layer::Buffer;

use crate::command::{Class, Command, Retire, WaitList, check_context};
use crate::error::{Error, Result};
use crate::event::Event;
use crate::executable::{self, Argument};
use crate::gpu;
use crate::kernel::{ArgBlock, ArgValue, Kernel, OnDevice};
use crate::memory::storage::Access;
use crate::ndrange::{self, Range};
use crate::object::Ref;
use crate::queue::Queue;
use crate::scheduler;

/// A kernel over a range.
pub struct NdRange {
    /// CL_COMMAND_NDRANGE_KERNEL or CL_COMMAND_TASK.
    pub command_type: u32,
    /// Keeps the kernel and its program.
    _kernel: Ref<Kernel>,
    on_device: OnDevice,
    args: ArgBlock,
    range: Range,
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
    let mut local = on_device.executable.local_memory(on_device.index);
    for arg in args.iter().flatten() {
        match arg {
            ArgValue::Buffer(Some(buffer)) => buffer.check_alignment(queue.device())?,
            ArgValue::Local(size) => local = local.saturating_add(*size as u64),
            ArgValue::Buffer(None) | ArgValue::Bytes(_) | ArgValue::Ignored => {}
        }
    }
    // CL_OUT_OF_RESOURCES if there is not enough local memory.
    if local > queue.device().local_memory() {
        return Err(Error::OutOfResources);
    }
    let command = Command::NdRange(Box::new(NdRange {
        command_type: request.command_type,
        _kernel: kernel.clone(),
        on_device,
        args,
        range,
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
