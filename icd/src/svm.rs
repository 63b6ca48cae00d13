use crate::callback::*;
use opencl_sys::*;
use pumice_runtime::error::{Error, Result};
use std::ffi::{c_char, c_void};
type size_t = usize;
type c_uchar = u8;
pub unsafe fn svm_alloc(
    _context: cl_context,
    _flags: cl_svm_mem_flags,
    _size: size_t,
    _alignment: cl_uint,
) -> *mut c_void {
    std::ptr::null_mut()
}
pub unsafe fn svm_free(_context: cl_context, _svm_pointer: *mut c_void) -> () {}
pub unsafe fn enqueue_svm_free(
    _command_queue: cl_command_queue,
    _num_svm_pointers: cl_uint,
    _svm_pointers: *mut *mut c_void,
    _pfn_free_func: SvmFreeCallback,
    _user_data: *mut c_void,
    _num_events_in_wait_list: cl_uint,
    _event_wait_list: *const cl_event,
    _event: *mut cl_event,
) -> Result<()> {
    Err(Error::InvalidCommandQueue)
}
pub unsafe fn enqueue_svm_memcpy(
    _command_queue: cl_command_queue,
    _blocking_copy: cl_bool,
    _dst_ptr: *mut c_void,
    _src_ptr: *const c_void,
    _size: size_t,
    _num_events_in_wait_list: cl_uint,
    _event_wait_list: *const cl_event,
    _event: *mut cl_event,
) -> Result<()> {
    Err(Error::InvalidCommandQueue)
}
pub unsafe fn enqueue_svm_mem_fill(
    _command_queue: cl_command_queue,
    _svm_ptr: *mut c_void,
    _pattern: *const c_void,
    _pattern_size: size_t,
    _size: size_t,
    _num_events_in_wait_list: cl_uint,
    _event_wait_list: *const cl_event,
    _event: *mut cl_event,
) -> Result<()> {
    Err(Error::InvalidCommandQueue)
}
pub unsafe fn enqueue_svm_map(
    _command_queue: cl_command_queue,
    _blocking_map: cl_bool,
    _flags: cl_map_flags,
    _svm_ptr: *mut c_void,
    _size: size_t,
    _num_events_in_wait_list: cl_uint,
    _event_wait_list: *const cl_event,
    _event: *mut cl_event,
) -> Result<()> {
    Err(Error::InvalidCommandQueue)
}
pub unsafe fn enqueue_svm_unmap(
    _command_queue: cl_command_queue,
    _svm_ptr: *mut c_void,
    _num_events_in_wait_list: cl_uint,
    _event_wait_list: *const cl_event,
    _event: *mut cl_event,
) -> Result<()> {
    Err(Error::InvalidCommandQueue)
}
pub unsafe fn set_kernel_arg_svm_pointer(
    _kernel: cl_kernel,
    _arg_index: cl_uint,
    _arg_value: *const c_void,
) -> Result<()> {
    Err(Error::InvalidKernel)
}
pub unsafe fn enqueue_svm_migrate_mem(
    _command_queue: cl_command_queue,
    _num_svm_pointers: cl_uint,
    _svm_pointers: *mut *const c_void,
    _sizes: *const size_t,
    _flags: cl_mem_migration_flags,
    _num_events_in_wait_list: cl_uint,
    _event_wait_list: *const cl_event,
    _event: *mut cl_event,
) -> Result<()> {
    Err(Error::InvalidCommandQueue)
}
