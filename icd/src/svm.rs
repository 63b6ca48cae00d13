//! Entry points for shared virtual memory.

use std::ffi::c_void;

use opencl_sys::{
    cl_bool, cl_command_queue, cl_context, cl_event, cl_kernel, cl_map_flags,
    cl_mem_migration_flags, cl_svm_mem_flags, cl_uint,
};
use pumice_runtime::base::error::{Error, Result};
use pumice_runtime::command::svm;
use pumice_runtime::context::Context;
use pumice_runtime::program::kernel::Kernel;
use pumice_runtime::queue::Queue;

use crate::callback::{SvmFreeCallback, UserData};
use crate::enqueue::enqueue;
use crate::handle;
use crate::memory::host_slice;

pub unsafe fn svm_alloc(
    context: cl_context,
    flags: cl_svm_mem_flags,
    size: usize,
    alignment: cl_uint,
) -> *mut c_void {
    // SAFETY: the argument is that of clSVMAlloc.
    let context = unsafe { handle::live_context(context) };
    let address = context
        .ok()
        .and_then(|c| c.svm_alloc(flags, size, alignment));
    address.unwrap_or(0) as *mut c_void
}

pub unsafe fn svm_free(context: cl_context, svm_pointer: *mut c_void) {
    // SAFETY: the argument is that of clSVMFree.
    if let Ok(context) = unsafe { handle::get::<Context>(context) } {
        context.svm_free(svm_pointer as usize);
    }
}

pub unsafe fn enqueue_svm_free(
    command_queue: cl_command_queue,
    num_svm_pointers: cl_uint,
    svm_pointers: *mut *mut c_void,
    pfn_free_func: SvmFreeCallback,
    user_data: *mut c_void,
    num_events_in_wait_list: cl_uint,
    event_wait_list: *const cl_event,
    event: *mut cl_event,
) -> Result<()> {
    // SAFETY: the arguments are those of clEnqueueSVMFree.
    unsafe {
        let queue = handle::get::<Queue>(command_queue)?;
        svm::check_device(queue.on())?;
        // CL_INVALID_VALUE if the list does not fit its number.
        if (num_svm_pointers == 0) != svm_pointers.is_null() {
            return Err(Error::InvalidValue.because(format!(
                "svm_pointers ({svm_pointers:p}) does not fit num_svm_pointers ({num_svm_pointers})"
            )));
        }
        let pointers = handle::slice(svm_pointers.cast_const(), num_svm_pointers as usize)
            .iter()
            .map(|&pointer| pointer as usize)
            .collect();
        let wait = handle::wait_list(num_events_in_wait_list, event_wait_list, event)?;
        let (raw, data) = (UserData(command_queue), UserData(user_data));
        let function = pfn_free_func.map(|function| -> svm::FreeFunction {
            Box::new(move |pointers: Vec<usize>| {
                let mut pointers: Vec<*mut c_void> =
                    pointers.into_iter().map(|p| p as *mut c_void).collect();
                let count = pointers.len() as cl_uint;
                // SAFETY: the application's function, given its queue (which the command's node keeps),
                // the pointers that it passed and its data.
                function(raw.get(), count, pointers.as_mut_ptr(), data.get());
            })
        });
        let command = svm::free(queue.on(), pointers, function)?;
        enqueue(&queue, command, wait, false, event)
    }
}

pub unsafe fn enqueue_svm_memcpy(
    command_queue: cl_command_queue,
    blocking_copy: cl_bool,
    dst_ptr: *mut c_void,
    src_ptr: *const c_void,
    size: usize,
    num_events_in_wait_list: cl_uint,
    event_wait_list: *const cl_event,
    event: *mut cl_event,
) -> Result<()> {
    // SAFETY: the arguments are those of clEnqueueSVMMemcpy.
    unsafe {
        let queue = handle::get::<Queue>(command_queue)?;
        let wait = handle::wait_list(num_events_in_wait_list, event_wait_list, event)?;
        let (to, from) = (host_slice(dst_ptr, size), host_slice(src_ptr, size));
        let command = svm::copy(queue.on(), to, from)?;
        enqueue(&queue, command, wait, blocking_copy != 0, event)
    }
}

pub unsafe fn enqueue_svm_mem_fill(
    command_queue: cl_command_queue,
    svm_ptr: *mut c_void,
    pattern: *const c_void,
    pattern_size: usize,
    size: usize,
    num_events_in_wait_list: cl_uint,
    event_wait_list: *const cl_event,
    event: *mut cl_event,
) -> Result<()> {
    // SAFETY: the arguments are those of clEnqueueSVMMemFill.
    unsafe {
        let queue = handle::get::<Queue>(command_queue)?;
        let wait = handle::wait_list(num_events_in_wait_list, event_wait_list, event)?;
        let pattern =
            (!pattern.is_null()).then(|| handle::slice(pattern.cast::<u8>(), pattern_size));
        let command = svm::fill(queue.on(), host_slice(svm_ptr, size), pattern)?;
        enqueue(&queue, command, wait, false, event)
    }
}

pub unsafe fn enqueue_svm_map(
    command_queue: cl_command_queue,
    blocking_map: cl_bool,
    flags: cl_map_flags,
    svm_ptr: *mut c_void,
    size: usize,
    num_events_in_wait_list: cl_uint,
    event_wait_list: *const cl_event,
    event: *mut cl_event,
) -> Result<()> {
    // SAFETY: the arguments are those of clEnqueueSVMMap.
    unsafe {
        let queue = handle::get::<Queue>(command_queue)?;
        let wait = handle::wait_list(num_events_in_wait_list, event_wait_list, event)?;
        let region = host_slice(svm_ptr, size);
        let command = svm::map(queue.on(), flags, region)?;
        enqueue(&queue, command, wait, blocking_map != 0, event)
    }
}

pub unsafe fn enqueue_svm_unmap(
    command_queue: cl_command_queue,
    svm_ptr: *mut c_void,
    num_events_in_wait_list: cl_uint,
    event_wait_list: *const cl_event,
    event: *mut cl_event,
) -> Result<()> {
    // SAFETY: the arguments are those of clEnqueueSVMUnmap.
    unsafe {
        let queue = handle::get::<Queue>(command_queue)?;
        let wait = handle::wait_list(num_events_in_wait_list, event_wait_list, event)?;
        let command = svm::unmap(queue.on(), svm_ptr as usize)?;
        enqueue(&queue, command, wait, false, event)
    }
}

pub unsafe fn set_kernel_arg_svm_pointer(
    kernel: cl_kernel,
    arg_index: cl_uint,
    arg_value: *const c_void,
) -> Result<()> {
    // SAFETY: the arguments are those of clSetKernelArgSVMPointer.
    let kernel = unsafe { handle::get::<Kernel>(kernel) }?;
    kernel.set_arg_svm(arg_index, arg_value as usize)
}

pub unsafe fn enqueue_svm_migrate_mem(
    command_queue: cl_command_queue,
    num_svm_pointers: cl_uint,
    svm_pointers: *mut *const c_void,
    sizes: *const usize,
    flags: cl_mem_migration_flags,
    num_events_in_wait_list: cl_uint,
    event_wait_list: *const cl_event,
    event: *mut cl_event,
) -> Result<()> {
    // SAFETY: the arguments are those of clEnqueueSVMMigrateMem.
    unsafe {
        let queue = handle::get::<Queue>(command_queue)?;
        svm::check_device(queue.on())?;
        let count = num_svm_pointers as usize;
        // CL_INVALID_VALUE if num_svm_pointers is zero or svm_pointers is NULL.
        let pointers = handle::required(svm_pointers.cast_const(), count)?;
        let sizes = handle::slice(sizes, count);
        let regions: Vec<(usize, usize)> = pointers
            .iter()
            .enumerate()
            .map(|(index, &pointer)| {
                // Without sizes, or with one of 0, it is the whole allocation.
                let size = sizes.get(index).copied().unwrap_or(0);
                (pointer as usize, size)
            })
            .collect();
        let wait = handle::wait_list(num_events_in_wait_list, event_wait_list, event)?;
        let command = svm::migrate(queue.on(), &regions, flags)?;
        enqueue(&queue, command, wait, false, event)
    }
}
