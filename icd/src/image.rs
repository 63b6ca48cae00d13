use crate::callback::*;
use opencl_sys::*;
use pumice_runtime::error::{Error, Result};
use std::ffi::{c_char, c_void};
type size_t = usize;
type c_uchar = u8;
pub unsafe fn create_image_2d(
    _context: cl_context,
    _flags: cl_mem_flags,
    _image_format: *const cl_image_format,
    _image_width: size_t,
    _image_height: size_t,
    _image_row_pitch: size_t,
    _host_ptr: *mut c_void,
) -> Result<cl_mem> {
    Err(Error::InvalidContext)
}
pub unsafe fn create_image_3d(
    _context: cl_context,
    _flags: cl_mem_flags,
    _image_format: *const cl_image_format,
    _image_width: size_t,
    _image_height: size_t,
    _image_depth: size_t,
    _image_row_pitch: size_t,
    _image_slice_pitch: size_t,
    _host_ptr: *mut c_void,
) -> Result<cl_mem> {
    Err(Error::InvalidContext)
}
pub unsafe fn get_supported_image_formats(
    _context: cl_context,
    _flags: cl_mem_flags,
    _image_type: cl_mem_object_type,
    _num_entries: cl_uint,
    _image_formats: *mut cl_image_format,
    _num_image_formats: *mut cl_uint,
) -> Result<()> {
    Err(Error::InvalidContext)
}
pub unsafe fn get_image_info(
    _image: cl_mem,
    _param_name: cl_image_info,
    _param_value_size: size_t,
    _param_value: *mut c_void,
    _param_value_size_ret: *mut size_t,
) -> Result<()> {
    Err(Error::InvalidMemObject)
}
pub unsafe fn create_sampler(
    _context: cl_context,
    _normalized_coords: cl_bool,
    _addressing_mode: cl_addressing_mode,
    _filter_mode: cl_filter_mode,
) -> Result<cl_sampler> {
    Err(Error::InvalidContext)
}
pub unsafe fn retain_sampler(_sampler: cl_sampler) -> Result<()> {
    Err(Error::InvalidSampler)
}
pub unsafe fn release_sampler(_sampler: cl_sampler) -> Result<()> {
    Err(Error::InvalidSampler)
}
pub unsafe fn get_sampler_info(
    _sampler: cl_sampler,
    _param_name: cl_sampler_info,
    _param_value_size: size_t,
    _param_value: *mut c_void,
    _param_value_size_ret: *mut size_t,
) -> Result<()> {
    Err(Error::InvalidSampler)
}
pub unsafe fn enqueue_read_image(
    _command_queue: cl_command_queue,
    _image: cl_mem,
    _blocking_read: cl_bool,
    _origin: *const size_t,
    _region: *const size_t,
    _row_pitch: size_t,
    _slice_pitch: size_t,
    _ptr: *mut c_void,
    _num_events_in_wait_list: cl_uint,
    _event_wait_list: *const cl_event,
    _event: *mut cl_event,
) -> Result<()> {
    Err(Error::InvalidCommandQueue)
}
pub unsafe fn enqueue_write_image(
    _command_queue: cl_command_queue,
    _image: cl_mem,
    _blocking_write: cl_bool,
    _origin: *const size_t,
    _region: *const size_t,
    _input_row_pitch: size_t,
    _input_slice_pitch: size_t,
    _ptr: *const c_void,
    _num_events_in_wait_list: cl_uint,
    _event_wait_list: *const cl_event,
    _event: *mut cl_event,
) -> Result<()> {
    Err(Error::InvalidCommandQueue)
}
pub unsafe fn enqueue_copy_image(
    _command_queue: cl_command_queue,
    _src_image: cl_mem,
    _dst_image: cl_mem,
    _src_origin: *const size_t,
    _dst_origin: *const size_t,
    _region: *const size_t,
    _num_events_in_wait_list: cl_uint,
    _event_wait_list: *const cl_event,
    _event: *mut cl_event,
) -> Result<()> {
    Err(Error::InvalidCommandQueue)
}
pub unsafe fn enqueue_copy_image_to_buffer(
    _command_queue: cl_command_queue,
    _src_image: cl_mem,
    _dst_buffer: cl_mem,
    _src_origin: *const size_t,
    _region: *const size_t,
    _dst_offset: size_t,
    _num_events_in_wait_list: cl_uint,
    _event_wait_list: *const cl_event,
    _event: *mut cl_event,
) -> Result<()> {
    Err(Error::InvalidCommandQueue)
}
pub unsafe fn enqueue_copy_buffer_to_image(
    _command_queue: cl_command_queue,
    _src_buffer: cl_mem,
    _dst_image: cl_mem,
    _src_offset: size_t,
    _dst_origin: *const size_t,
    _region: *const size_t,
    _num_events_in_wait_list: cl_uint,
    _event_wait_list: *const cl_event,
    _event: *mut cl_event,
) -> Result<()> {
    Err(Error::InvalidCommandQueue)
}
pub unsafe fn enqueue_map_image(
    _command_queue: cl_command_queue,
    _image: cl_mem,
    _blocking_map: cl_bool,
    _map_flags: cl_map_flags,
    _origin: *const size_t,
    _region: *const size_t,
    _image_row_pitch: *mut size_t,
    _image_slice_pitch: *mut size_t,
    _num_events_in_wait_list: cl_uint,
    _event_wait_list: *const cl_event,
    _event: *mut cl_event,
) -> Result<*mut c_void> {
    Err(Error::InvalidCommandQueue)
}
pub unsafe fn create_image(
    _context: cl_context,
    _flags: cl_mem_flags,
    _image_format: *const cl_image_format,
    _image_desc: *const cl_image_desc,
    _host_ptr: *mut c_void,
) -> Result<cl_mem> {
    Err(Error::InvalidContext)
}
pub unsafe fn enqueue_fill_image(
    _command_queue: cl_command_queue,
    _image: cl_mem,
    _fill_color: *const c_void,
    _origin: *const size_t,
    _region: *const size_t,
    _num_events_in_wait_list: cl_uint,
    _event_wait_list: *const cl_event,
    _event: *mut cl_event,
) -> Result<()> {
    Err(Error::InvalidCommandQueue)
}
pub unsafe fn create_pipe(
    _context: cl_context,
    _flags: cl_mem_flags,
    _pipe_packet_size: cl_uint,
    _pipe_max_packets: cl_uint,
    _properties: *const cl_pipe_properties,
) -> Result<cl_mem> {
    Err(Error::InvalidContext)
}
pub unsafe fn get_pipe_info(
    _pipe: cl_mem,
    _param_name: cl_pipe_info,
    _param_value_size: size_t,
    _param_value: *mut c_void,
    _param_value_size_ret: *mut size_t,
) -> Result<()> {
    Err(Error::InvalidMemObject)
}
pub unsafe fn create_sampler_with_properties(
    _context: cl_context,
    _sampler_properties: *const cl_sampler_properties,
) -> Result<cl_sampler> {
    Err(Error::InvalidContext)
}
pub unsafe fn create_image_with_properties(
    _context: cl_context,
    _properties: *const cl_mem_properties,
    _flags: cl_mem_flags,
    _image_format: *const cl_image_format,
    _image_desc: *const cl_image_desc,
    _host_ptr: *mut c_void,
) -> Result<cl_mem> {
    Err(Error::InvalidContext)
}
