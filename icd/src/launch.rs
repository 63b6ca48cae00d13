//! Enqueue entry points for kernels, native ones too.

use std::ffi::c_void;

use opencl_sys::{
    CL_COMMAND_NDRANGE_KERNEL, CL_COMMAND_TASK, cl_command_queue, cl_event, cl_kernel, cl_mem,
    cl_uint,
};
use pumice_runtime::base::error::{Error, Result};
use pumice_runtime::command::{Launched, native, ndrange};
use pumice_runtime::executable::RangeRequest;
use pumice_runtime::memory::Mem;
use pumice_runtime::program::kernel::Kernel;
use pumice_runtime::queue::Queue;

use crate::callback::{NativeKernel, UserData};
use crate::enqueue::enqueue;
use crate::handle;

/// Enqueues a kernel.
///
/// # Safety
/// The arguments are those of clEnqueueNDRangeKernel.
unsafe fn kernel(
    command_type: cl_uint,
    command_queue: cl_command_queue,
    kernel: cl_kernel,
    work_dim: cl_uint,
    [offset, global, local]: [*const usize; 3],
    (count, list): (cl_uint, *const cl_event),
    event: *mut cl_event,
) -> Result<()> {
    // SAFETY: the caller's contract.
    unsafe {
        let queue = handle::borrowed::<Queue>(command_queue)?;
        let kernel = handle::borrowed::<Kernel>(kernel)?;
        let wait = handle::wait_list(count, list, event)?;
        ndrange::check_dimensions(work_dim)?;
        let request = RangeRequest {
            dimensions: work_dim,
            offset: handle::dimensions(offset, work_dim, 0),
            global: handle::dimensions(global, work_dim, 1),
            local: handle::dimensions(local, work_dim, 1),
        };
        let launched = Launched {
            command_type,
            kernel: &kernel,
            request: &request,
        };
        if wait.events.is_empty() && event.is_null() && queue.launch_again(&launched)? {
            return Ok(());
        }
        let command = ndrange::launch(queue.on(), command_type, &kernel, &request)?;
        enqueue(&queue, command, wait, false, event)
    }
}

pub unsafe fn enqueue_nd_range_kernel(
    command_queue: cl_command_queue,
    kernel: cl_kernel,
    work_dim: cl_uint,
    global_work_offset: *const usize,
    global_work_size: *const usize,
    local_work_size: *const usize,
    num_events_in_wait_list: cl_uint,
    event_wait_list: *const cl_event,
    event: *mut cl_event,
) -> Result<()> {
    // SAFETY: the arguments are those of clEnqueueNDRangeKernel.
    unsafe {
        self::kernel(
            CL_COMMAND_NDRANGE_KERNEL,
            command_queue,
            kernel,
            work_dim,
            [global_work_offset, global_work_size, local_work_size],
            (num_events_in_wait_list, event_wait_list),
            event,
        )
    }
}

pub unsafe fn enqueue_task(
    command_queue: cl_command_queue,
    kernel: cl_kernel,
    num_events_in_wait_list: cl_uint,
    event_wait_list: *const cl_event,
    event: *mut cl_event,
) -> Result<()> {
    // A task is an NDRange of one work-item.
    let one = [1_usize];
    // SAFETY: the arguments are those of clEnqueueTask.
    unsafe {
        self::kernel(
            CL_COMMAND_TASK,
            command_queue,
            kernel,
            1,
            [std::ptr::null(), one.as_ptr(), one.as_ptr()],
            (num_events_in_wait_list, event_wait_list),
            event,
        )
    }
}

pub unsafe fn enqueue_native_kernel(
    command_queue: cl_command_queue,
    user_func: NativeKernel,
    args: *mut c_void,
    cb_args: usize,
    num_mem_objects: cl_uint,
    mem_list: *const cl_mem,
    args_mem_loc: *mut *const c_void,
    num_events_in_wait_list: cl_uint,
    event_wait_list: *const cl_event,
    event: *mut cl_event,
) -> Result<()> {
    // SAFETY: the arguments are those of clEnqueueNativeKernel.
    unsafe {
        let queue = handle::get::<Queue>(command_queue)?;
        // CL_INVALID_VALUE if args is NULL with a size, or the other way round; if there are
        // memory objects without arguments, or their lists do not fit their number.
        if args.is_null() != (cb_args == 0) || (args.is_null() && num_mem_objects > 0) {
            return Err(Error::InvalidValue.because(format!(
                "args ({args:p}), cb_args ({cb_args}) and num_mem_objects ({num_mem_objects}) do not fit together"
            )));
        }
        let count = num_mem_objects as usize;
        let (no_list, no_places) = (mem_list.is_null(), args_mem_loc.is_null());
        if no_list != (count == 0) || no_places != (count == 0) {
            return Err(Error::InvalidValue.because(format!(
                "mem_list ({mem_list:p}) and args_mem_loc ({args_mem_loc:p}) do not fit num_mem_objects ({count})"
            )));
        }
        let places = handle::slice(args_mem_loc.cast_const(), count);
        let mut buffers = Vec::with_capacity(count);
        for (&raw, &place) in handle::slice(mem_list, count).iter().zip(places) {
            let offset = (place as usize).wrapping_sub(args as usize);
            buffers.push((offset, handle::optional::<Mem>(raw)?));
        }
        let wait = handle::wait_list(num_events_in_wait_list, event_wait_list, event)?;
        let bytes = handle::slice(args.cast_const().cast::<u8>(), cb_args).to_vec();
        let function = user_func.map(|function| -> native::Function {
            Box::new(move |args: &mut [u8]| {
                let pointer = if args.is_empty() {
                    UserData(std::ptr::null_mut())
                } else {
                    UserData(args.as_mut_ptr().cast())
                };
                // SAFETY: the application's function, given the copy of its arguments.
                function(pointer.get());
            })
        });
        let command = native::native(queue.on(), function, bytes, buffers)?;
        enqueue(&queue, command, wait, false, event)
    }
}
