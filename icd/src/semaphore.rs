//! Semaphore entry points (cl_khr_semaphore).

use std::ffi::c_void;

use opencl_sys::{
    cl_command_queue, cl_context, cl_device_id, cl_event, cl_external_semaphore_handle_type_khr,
    cl_semaphore_info_khr, cl_semaphore_khr, cl_semaphore_payload_khr, cl_semaphore_properties_khr,
    cl_uint,
};
use pumice_runtime::base::error::{Error, Result};
use pumice_runtime::context::Context;
use pumice_runtime::device::Device;
use pumice_runtime::queue::Queue;
use pumice_runtime::semaphore::{self, Operation, Property, Semaphore};

use crate::{handle, info};

/// A list of properties, some of which have lists for values: the properties, and all words with the
/// terminator. `None` for NULL.
///
/// # Safety
/// `list` is NULL or a list as the extension describes it.
unsafe fn properties(
    list: *const cl_semaphore_properties_khr,
) -> (Option<Vec<Property>>, Vec<u64>) {
    let mut words = Vec::new();
    if list.is_null() {
        return (None, words);
    }
    let mut found = Vec::new();
    // SAFETY: a word is read only if the list has not ended before it (the caller's contract).
    let mut next = || unsafe {
        let word = list.add(words.len()).read();
        words.push(word);
        word
    };
    loop {
        let name = next();
        if name == 0 {
            break;
        }
        let mut values = vec![next()];
        if semaphore::has_list(name) {
            while values.last() != Some(&0) {
                values.push(next());
            }
            values.pop();
        }
        found.push(Property { name, values });
    }
    (Some(found), words)
}

pub unsafe fn create(
    context: cl_context,
    sema_props: *const cl_semaphore_properties_khr,
) -> Result<cl_semaphore_khr> {
    // SAFETY: the arguments are those of clCreateSemaphoreWithPropertiesKHR.
    unsafe {
        let context = handle::get::<Context>(context)?;
        let (properties, words) = properties(sema_props);
        let device = |raw: u64| handle::get::<Device>(raw as usize as *mut c_void);
        Semaphore::create(&context, properties, words, device).map(handle::publish)
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
            return Err(Error::InvalidValue);
        }
        let semaphores = handle::list::<Semaphore>(count, semaphores, Error::InvalidValue)?;
        let wait = handle::wait_list(events, event_list, event)?;
        let done = semaphore::enqueue(&queue, operation, &semaphores, wait)?;
        if !event.is_null() {
            event.write(handle::publish(done));
        }
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
    _handle_type: cl_external_semaphore_handle_type_khr,
    _handle_size: usize,
    _handle_ptr: *mut c_void,
    _handle_size_ret: *mut usize,
) -> Result<()> {
    // SAFETY: the arguments are those of clGetSemaphoreHandleForTypeKHR.
    unsafe {
        let semaphore = handle::get::<Semaphore>(sema_object)?;
        let device = handle::get::<Device>(device)?;
        semaphore.check_export(&device)
    }
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
