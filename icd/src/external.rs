//! Entry points of cl_khr_external_memory.

use opencl_sys::{cl_command_queue, cl_event, cl_mem, cl_uint};
use pumice_runtime::base::error::{Error, Result};
use pumice_runtime::hand_over;
use pumice_runtime::memory::Mem;
use pumice_runtime::queue::Queue;

use crate::handle;

/// The common part of acquire and release.
///
/// # Safety
/// The arguments are those of either call.
unsafe fn hand_over(
    to_us: bool,
    command_queue: cl_command_queue,
    (count, objects): (cl_uint, *const cl_mem),
    (events, event_list): (cl_uint, *const cl_event),
    event: *mut cl_event,
) -> Result<()> {
    // SAFETY: the caller's contract.
    unsafe {
        let queue = handle::get::<Queue>(command_queue)?;
        let objects = handle::list::<Mem>(count, objects, Error::InvalidValue)?;
        let wait = handle::wait_list(events, event_list, event)?;
        let done = hand_over::enqueue(&queue, &objects, to_us, wait)?;
        handle::give_event(event, done);
    }
    Ok(())
}

pub unsafe fn acquire(
    command_queue: cl_command_queue,
    num_mem_objects: cl_uint,
    mem_objects: *const cl_mem,
    num_events_in_wait_list: cl_uint,
    event_wait_list: *const cl_event,
    event: *mut cl_event,
) -> Result<()> {
    // SAFETY: the arguments are those of clEnqueueAcquireExternalMemObjectsKHR.
    unsafe {
        hand_over(
            true,
            command_queue,
            (num_mem_objects, mem_objects),
            (num_events_in_wait_list, event_wait_list),
            event,
        )
    }
}

pub unsafe fn release(
    command_queue: cl_command_queue,
    num_mem_objects: cl_uint,
    mem_objects: *const cl_mem,
    num_events_in_wait_list: cl_uint,
    event_wait_list: *const cl_event,
    event: *mut cl_event,
) -> Result<()> {
    // SAFETY: the arguments are those of clEnqueueReleaseExternalMemObjectsKHR.
    unsafe {
        hand_over(
            false,
            command_queue,
            (num_mem_objects, mem_objects),
            (num_events_in_wait_list, event_wait_list),
            event,
        )
    }
}
