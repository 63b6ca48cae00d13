//! Semaphore entry points (cl_khr_semaphore).

use std::cell::Cell;
use std::ffi::c_void;

use opencl_sys::{
    cl_command_queue, cl_context, cl_device_id, cl_event, cl_external_semaphore_handle_type_khr,
    cl_semaphore_info_khr, cl_semaphore_khr, cl_semaphore_payload_khr, cl_semaphore_properties_khr,
    cl_semaphore_reimport_properties_khr, cl_uint,
};
use pumice_runtime::base::error::{Error, Result};
use pumice_runtime::device::Device;
use pumice_runtime::os::{Fd, adopt, into_raw};
use pumice_runtime::queue::Queue;
use pumice_runtime::semaphore::{self, Operation, Semaphore};

use crate::{handle, info};

/// Another descriptor of the application's file, `None` for -1. `taken` remembers the application's.
///
/// # Safety
/// `raw` is a number that the application gave for a descriptor.
unsafe fn duplicate(raw: i32, taken: &Cell<Option<i32>>) -> Result<Option<Fd>> {
    if raw == -1 {
        return Ok(None);
    }
    // SAFETY: the caller's contract; the application closes no descriptor that it is giving away.
    let copy = unsafe { handle::descriptor(raw) }?;
    taken.set(Some(raw));
    Ok(Some(copy))
}

/// Closes the application's descriptor, which is ours after a successful import.
///
/// # Safety
/// The descriptor is the application's, which has given it up.
unsafe fn take(taken: &Cell<Option<i32>>) {
    if let Some(raw) = taken.get() {
        // SAFETY: the caller's contract.
        drop(unsafe { adopt(raw) });
    }
}

pub unsafe fn reimport_sync_fd(
    sema_object: cl_semaphore_khr,
    reimport_props: *const cl_semaphore_reimport_properties_khr,
    fd: i32,
) -> Result<()> {
    // SAFETY: the arguments are those of clReImportSemaphoreSyncFdKHR.
    unsafe {
        let semaphore = handle::get::<Semaphore>(sema_object)?;
        // CL_INVALID_VALUE: there are no properties.
        if handle::properties(reimport_props).is_some_and(|list| !list.is_empty()) {
            return Err(
                Error::InvalidValue.because("reimport_props lists properties; there are none")
            );
        }
        let taken = Cell::new(None);
        semaphore.import_again(|| duplicate(fd, &taken))?;
        take(&taken);
    }
    Ok(())
}

pub unsafe fn create(
    context: cl_context,
    sema_props: *const cl_semaphore_properties_khr,
) -> Result<cl_semaphore_khr> {
    // SAFETY: the arguments are those of clCreateSemaphoreWithPropertiesKHR.
    unsafe {
        let context = handle::live_context(context)?;
        let (properties, words) = handle::listed_properties(sema_props, semaphore::has_list);
        let device = |raw: u64| handle::get::<Device>(raw as usize as *mut c_void);
        let taken = Cell::new(None);
        let fd = |value: u64| duplicate(value as i32, &taken);
        let made = Semaphore::create(&context, properties, words, device, fd)?;
        take(&taken);
        Ok(handle::publish(made))
    }
}

pub unsafe fn retain(sema_object: cl_semaphore_khr) -> Result<()> {
    // SAFETY: the argument is that of clRetainSemaphoreKHR.
    unsafe { handle::retain::<Semaphore>(sema_object) }
}

pub unsafe fn release(sema_object: cl_semaphore_khr) -> Result<()> {
    // SAFETY: the argument is that of clReleaseSemaphoreKHR.
    unsafe { handle::release::<Semaphore>(sema_object, |_| ()) }
}

/// The common part of both enqueues.
///
/// # Safety
/// The arguments are those of either call.
unsafe fn enqueue(
    operation: Operation,
    command_queue: cl_command_queue,
    (count, semaphores): (cl_uint, *const cl_semaphore_khr),
    (events, event_list): (cl_uint, *const cl_event),
    event: *mut cl_event,
) -> Result<()> {
    // SAFETY: the caller's contract.
    unsafe {
        let queue = handle::get::<Queue>(command_queue)?;
        // CL_INVALID_VALUE if num_sema_objects is 0 or sema_objects is NULL.
        if count == 0 || semaphores.is_null() {
            return Err(Error::InvalidValue.because("the list of semaphores is NULL or empty"));
        }
        let semaphores = handle::list::<Semaphore>(count, semaphores, Error::InvalidValue)?;
        let wait = handle::wait_list(events, event_list, event)?;
        let done = semaphore::enqueue(&queue, operation, &semaphores, wait)?;
        handle::give_event(event, done);
    }
    Ok(())
}

pub unsafe fn enqueue_wait(
    command_queue: cl_command_queue,
    num_sema_objects: cl_uint,
    sema_objects: *const cl_semaphore_khr,
    _sema_payload_list: *const cl_semaphore_payload_khr,
    num_events_in_wait_list: cl_uint,
    event_wait_list: *const cl_event,
    event: *mut cl_event,
) -> Result<()> {
    // SAFETY: the arguments are those of clEnqueueWaitSemaphoresKHR. Binary semaphores have no payload.
    unsafe {
        enqueue(
            Operation::Wait,
            command_queue,
            (num_sema_objects, sema_objects),
            (num_events_in_wait_list, event_wait_list),
            event,
        )
    }
}

pub unsafe fn enqueue_signal(
    command_queue: cl_command_queue,
    num_sema_objects: cl_uint,
    sema_objects: *const cl_semaphore_khr,
    _sema_payload_list: *const cl_semaphore_payload_khr,
    num_events_in_wait_list: cl_uint,
    event_wait_list: *const cl_event,
    event: *mut cl_event,
) -> Result<()> {
    // SAFETY: the arguments are those of clEnqueueSignalSemaphoresKHR. Binary semaphores have no payload.
    unsafe {
        enqueue(
            Operation::Signal,
            command_queue,
            (num_sema_objects, sema_objects),
            (num_events_in_wait_list, event_wait_list),
            event,
        )
    }
}

pub unsafe fn get_handle(
    sema_object: cl_semaphore_khr,
    device: cl_device_id,
    handle_type: cl_external_semaphore_handle_type_khr,
    handle_size: usize,
    handle_ptr: *mut c_void,
    handle_size_ret: *mut usize,
) -> Result<()> {
    // SAFETY: the arguments are those of clGetSemaphoreHandleForTypeKHR.
    unsafe {
        let semaphore = handle::get::<Semaphore>(sema_object)?;
        let device = handle::get::<Device>(device)?;
        semaphore.check_export(&device, handle_type)?;
        if !handle_ptr.is_null() {
            // CL_INVALID_VALUE if there is no room for the handle.
            if handle_size < size_of::<i32>() {
                return Err(Error::InvalidValue.because(format!(
                    "handle_ptr has {handle_size} bytes, a descriptor {}",
                    size_of::<i32>()
                )));
            }
            let fd = semaphore.export()?.map_or(-1, into_raw);
            handle_ptr.cast::<i32>().write_unaligned(fd);
        }
        handle::write(handle_size_ret, size_of::<i32>());
    }
    Ok(())
}

pub unsafe fn get_info(
    sema_object: cl_semaphore_khr,
    param_name: cl_semaphore_info_khr,
    param_value_size: usize,
    param_value: *mut c_void,
    param_value_size_ret: *mut usize,
) -> Result<()> {
    // SAFETY: the arguments are those of clGetSemaphoreInfoKHR.
    unsafe {
        let semaphore = handle::get::<Semaphore>(sema_object)?;
        info::write(
            semaphore.info(param_name),
            param_value_size,
            param_value,
            param_value_size_ret,
        )
    }
}
