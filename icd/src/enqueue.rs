use crate::callback::*;
use opencl_sys::*;
use pumice_runtime::error::{Error, Result};
use std::ffi::{c_char, c_void};
type size_t = usize;
type c_uchar = u8;
pub unsafe fn enqueue_read_buffer(
    _command_queue: cl_command_queue,
    _buffer: cl_mem,
    _blocking_read: cl_bool,
    _offset: size_t,
    _size: size_t,
    _ptr: *mut c_void,
    _num_events_in_wait_list: cl_uint,
    _event_wait_list: *const cl_event,
    _event: *mut cl_event,
) -> Result<()> {
    Err(Error::InvalidCommandQueue)
}
pub unsafe fn enqueue_write_buffer(
    _command_queue: cl_command_queue,
    _buffer: cl_mem,
    _blocking_write: cl_bool,
    _offset: size_t,
    _size: size_t,
    _ptr: *const c_void,
    _num_events_in_wait_list: cl_uint,
    _event_wait_list: *const cl_event,
    _event: *mut cl_event,
) -> Result<()> {
    Err(Error::InvalidCommandQueue)
}
pub unsafe fn enqueue_copy_buffer(
    _command_queue: cl_command_queue,
    _src_buffer: cl_mem,
    _dst_buffer: cl_mem,
    _src_offset: size_t,
    _dst_offset: size_t,
    _size: size_t,
    _num_events_in_wait_list: cl_uint,
    _event_wait_list: *const cl_event,
    _event: *mut cl_event,
) -> Result<()> {
    Err(Error::InvalidCommandQueue)
}
pub unsafe fn enqueue_map_buffer(
    _command_queue: cl_command_queue,
    _buffer: cl_mem,
    _blocking_map: cl_bool,
    _map_flags: cl_map_flags,
    _offset: size_t,
    _size: size_t,
    _num_events_in_wait_list: cl_uint,
    _event_wait_list: *const cl_event,
    _event: *mut cl_event,
) -> Result<*mut c_void> {
    Err(Error::InvalidCommandQueue)
}
pub unsafe fn enqueue_unmap_mem_object(
    _command_queue: cl_command_queue,
    _memobj: cl_mem,
    _mapped_ptr: *mut c_void,
    _num_events_in_wait_list: cl_uint,
    _event_wait_list: *const cl_event,
    _event: *mut cl_event,
) -> Result<()> {
    Err(Error::InvalidCommandQueue)
}
pub unsafe fn enqueue_nd_range_kernel(
    _command_queue: cl_command_queue,
    _kernel: cl_kernel,
    _work_dim: cl_uint,
    _global_work_offset: *const size_t,
    _global_work_size: *const size_t,
    _local_work_size: *const size_t,
    _num_events_in_wait_list: cl_uint,
    _event_wait_list: *const cl_event,
    _event: *mut cl_event,
) -> Result<()> {
    Err(Error::InvalidCommandQueue)
}
pub unsafe fn enqueue_task(
    _command_queue: cl_command_queue,
    _kernel: cl_kernel,
    _num_events_in_wait_list: cl_uint,
    _event_wait_list: *const cl_event,
    _event: *mut cl_event,
) -> Result<()> {
    Err(Error::InvalidCommandQueue)
}
pub unsafe fn enqueue_native_kernel(
    _command_queue: cl_command_queue,
    _user_func: NativeKernel,
    _args: *mut c_void,
    _cb_args: size_t,
    _num_mem_objects: cl_uint,
    _mem_list: *const cl_mem,
    _args_mem_loc: *mut *const c_void,
    _num_events_in_wait_list: cl_uint,
    _event_wait_list: *const cl_event,
    _event: *mut cl_event,
) -> Result<()> {
    Err(Error::InvalidCommandQueue)
}
pub unsafe fn enqueue_marker(
    _command_queue: cl_command_queue,
    _event: *mut cl_event,
) -> Result<()> {
    Err(Error::InvalidCommandQueue)
}
pub unsafe fn enqueue_wait_for_events(
    _command_queue: cl_command_queue,
    _num_events: cl_uint,
    _event_list: *const cl_event,
) -> Result<()> {
    Err(Error::InvalidCommandQueue)
}
pub unsafe fn enqueue_barrier(_command_queue: cl_command_queue) -> Result<()> {
    Err(Error::InvalidCommandQueue)
}
pub unsafe fn enqueue_read_buffer_rect(
    _command_queue: cl_command_queue,
    _buffer: cl_mem,
    _blocking_read: cl_bool,
    _buffer_origin: *const size_t,
    _host_origin: *const size_t,
    _region: *const size_t,
    _buffer_row_pitch: size_t,
    _buffer_slice_pitch: size_t,
    _host_row_pitch: size_t,
    _host_slice_pitch: size_t,
    _ptr: *mut c_void,
    _num_events_in_wait_list: cl_uint,
    _event_wait_list: *const cl_event,
    _event: *mut cl_event,
) -> Result<()> {
    Err(Error::InvalidCommandQueue)
}
pub unsafe fn enqueue_write_buffer_rect(
    _command_queue: cl_command_queue,
    _buffer: cl_mem,
    _blocking_write: cl_bool,
    _buffer_origin: *const size_t,
    _host_origin: *const size_t,
    _region: *const size_t,
    _buffer_row_pitch: size_t,
    _buffer_slice_pitch: size_t,
    _host_row_pitch: size_t,
    _host_slice_pitch: size_t,
    _ptr: *const c_void,
    _num_events_in_wait_list: cl_uint,
    _event_wait_list: *const cl_event,
    _event: *mut cl_event,
) -> Result<()> {
    Err(Error::InvalidCommandQueue)
}
pub unsafe fn enqueue_copy_buffer_rect(
    _command_queue: cl_command_queue,
    _src_buffer: cl_mem,
    _dst_buffer: cl_mem,
    _src_origin: *const size_t,
    _dst_origin: *const size_t,
    _region: *const size_t,
    _src_row_pitch: size_t,
    _src_slice_pitch: size_t,
    _dst_row_pitch: size_t,
    _dst_slice_pitch: size_t,
    _num_events_in_wait_list: cl_uint,
    _event_wait_list: *const cl_event,
    _event: *mut cl_event,
) -> Result<()> {
    Err(Error::InvalidCommandQueue)
}
pub unsafe fn enqueue_fill_buffer(
    _command_queue: cl_command_queue,
    _buffer: cl_mem,
    _pattern: *const c_void,
    _pattern_size: size_t,
    _offset: size_t,
    _size: size_t,
    _num_events_in_wait_list: cl_uint,
    _event_wait_list: *const cl_event,
    _event: *mut cl_event,
) -> Result<()> {
    Err(Error::InvalidCommandQueue)
}
pub unsafe fn enqueue_migrate_mem_objects(
    _command_queue: cl_command_queue,
    _num_mem_objects: cl_uint,
    _mem_objects: *const cl_mem,
    _flags: cl_mem_migration_flags,
    _num_events_in_wait_list: cl_uint,
    _event_wait_list: *const cl_event,
    _event: *mut cl_event,
) -> Result<()> {
    Err(Error::InvalidCommandQueue)
}
pub unsafe fn enqueue_marker_with_wait_list(
    _command_queue: cl_command_queue,
    _num_events_in_wait_list: cl_uint,
    _event_wait_list: *const cl_event,
    _event: *mut cl_event,
) -> Result<()> {
    Err(Error::InvalidCommandQueue)
}
pub unsafe fn enqueue_barrier_with_wait_list(
    _command_queue: cl_command_queue,
    _num_events_in_wait_list: cl_uint,
    _event_wait_list: *const cl_event,
    _event: *mut cl_event,
) -> Result<()> {
    Err(Error::InvalidCommandQueue)
}
