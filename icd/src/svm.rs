//! Entry points for shared virtual memory, which no device has (CL_DEVICE_SVM_CAPABILITIES is 0).

use std::ffi::c_void;

use opencl_sys::{
    cl_bool, cl_command_queue, cl_context, cl_event, cl_kernel, cl_map_flags,
    cl_mem_migration_flags, cl_svm_mem_flags, cl_uint,
};
use pumice_runtime::error::{Error, Result};
use pumice_runtime::queue::Queue;

use crate::callback::SvmFreeCallback;
use crate::handle;

pub unsafe fn svm_alloc(
    _context: cl_context,
    _flags: cl_svm_mem_flags,
    _size: usize,
    _alignment: cl_uint,
) -> *mut c_void {
    // NULL if no device of the context supports SVM: none does.
    std::ptr::null_mut()
}

pub unsafe fn svm_free(_context: cl_context, _svm_pointer: *mut c_void) {
    // No pointer is one of clSVMAlloc but NULL, which is ignored.
}

pub unsafe fn enqueue_svm_free(
    command_queue: cl_command_queue,
    _num_svm_pointers: cl_uint,
    _svm_pointers: *mut *mut c_void,
    _pfn_free_func: SvmFreeCallback,
    _user_data: *mut c_void,
    _num_events_in_wait_list: cl_uint,
    _event_wait_list: *const cl_event,
    _event: *mut cl_event,
) -> Result<()> {
    // CL_INVALID_OPERATION if the queue's device does not support SVM: none does.
    // SAFETY: the argument is a queue or NULL.
    unsafe { handle::get::<Queue>(command_queue) }?;
    Err(Error::InvalidOperation)
}

pub unsafe fn enqueue_svm_memcpy(
    command_queue: cl_command_queue,
    _blocking_copy: cl_bool,
    _dst_ptr: *mut c_void,
    _src_ptr: *const c_void,
    _size: usize,
    _num_events_in_wait_list: cl_uint,
    _event_wait_list: *const cl_event,
    _event: *mut cl_event,
) -> Result<()> {
    // CL_INVALID_OPERATION if the queue's device does not support SVM: none does.
    // SAFETY: the argument is a queue or NULL.
    unsafe { handle::get::<Queue>(command_queue) }?;
    Err(Error::InvalidOperation)
}

pub unsafe fn enqueue_svm_mem_fill(
    command_queue: cl_command_queue,
    _svm_ptr: *mut c_void,
    _pattern: *const c_void,
    _pattern_size: usize,
    _size: usize,
    _num_events_in_wait_list: cl_uint,
    _event_wait_list: *const cl_event,
    _event: *mut cl_event,
) -> Result<()> {
    // CL_INVALID_OPERATION if the queue's device does not support SVM: none does.
    // SAFETY: the argument is a queue or NULL.
    unsafe { handle::get::<Queue>(command_queue) }?;
    Err(Error::InvalidOperation)
}

pub unsafe fn enqueue_svm_map(
    command_queue: cl_command_queue,
    _blocking_map: cl_bool,
    _flags: cl_map_flags,
    _svm_ptr: *mut c_void,
    _size: usize,
    _num_events_in_wait_list: cl_uint,
    _event_wait_list: *const cl_event,
    _event: *mut cl_event,
) -> Result<()> {
    // CL_INVALID_OPERATION if the queue's device does not support SVM: none does.
    // SAFETY: the argument is a queue or NULL.
    unsafe { handle::get::<Queue>(command_queue) }?;
    Err(Error::InvalidOperation)
}

pub unsafe fn enqueue_svm_unmap(
    command_queue: cl_command_queue,
    _svm_ptr: *mut c_void,
    _num_events_in_wait_list: cl_uint,
    _event_wait_list: *const cl_event,
    _event: *mut cl_event,
) -> Result<()> {
    // CL_INVALID_OPERATION if the queue's device does not support SVM: none does.
    // SAFETY: the argument is a queue or NULL.
    unsafe { handle::get::<Queue>(command_queue) }?;
    Err(Error::InvalidOperation)
}

pub unsafe fn set_kernel_arg_svm_pointer(
    _kernel: cl_kernel,
    _arg_index: cl_uint,
    _arg_value: *const c_void,
) -> Result<()> {
    // CL_INVALID_OPERATION if no device of the context supports SVM: none does.
    Err(Error::InvalidOperation)
}

pub unsafe fn enqueue_svm_migrate_mem(
    command_queue: cl_command_queue,
    _num_svm_pointers: cl_uint,
    _svm_pointers: *mut *const c_void,
    _sizes: *const usize,
    _flags: cl_mem_migration_flags,
    _num_events_in_wait_list: cl_uint,
    _event_wait_list: *const cl_event,
    _event: *mut cl_event,
) -> Result<()> {
    // CL_INVALID_OPERATION if the queue's device does not support SVM: none does.
    // SAFETY: the argument is a queue or NULL.
    unsafe { handle::get::<Queue>(command_queue) }?;
    Err(Error::InvalidOperation)
}
