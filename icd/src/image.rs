//! Entry points for images, samplers and pipes, which no device has (CL_DEVICE_IMAGE_SUPPORT and
//! CL_DEVICE_PIPE_SUPPORT are false): handles are checked, then the specification's error for
//! such devices is given.

use std::ffi::c_void;

use opencl_sys::{
    cl_addressing_mode, cl_bool, cl_command_queue, cl_context, cl_event, cl_filter_mode,
    cl_image_desc, cl_image_format, cl_image_info, cl_map_flags, cl_mem, cl_mem_flags,
    cl_mem_object_type, cl_mem_properties, cl_pipe_info, cl_pipe_properties, cl_sampler,
    cl_sampler_info, cl_sampler_properties, cl_uint,
};
use pumice_runtime::context::Context;
use pumice_runtime::error::{Error, Result};
use pumice_runtime::memory::Mem;
use pumice_runtime::queue::Queue;

use crate::handle;

pub unsafe fn create_image_2d(
    context: cl_context,
    _flags: cl_mem_flags,
    _image_format: *const cl_image_format,
    _image_width: usize,
    _image_height: usize,
    _image_row_pitch: usize,
    _host_ptr: *mut c_void,
) -> Result<cl_mem> {
    // CL_INVALID_OPERATION if no device of the context supports images: none does.
    // SAFETY: the argument is a context or NULL.
    unsafe { handle::get::<Context>(context) }?;
    Err(Error::InvalidOperation)
}

pub unsafe fn create_image_3d(
    context: cl_context,
    _flags: cl_mem_flags,
    _image_format: *const cl_image_format,
    _image_width: usize,
    _image_height: usize,
    _image_depth: usize,
    _image_row_pitch: usize,
    _image_slice_pitch: usize,
    _host_ptr: *mut c_void,
) -> Result<cl_mem> {
    // CL_INVALID_OPERATION if no device of the context supports images: none does.
    // SAFETY: the argument is a context or NULL.
    unsafe { handle::get::<Context>(context) }?;
    Err(Error::InvalidOperation)
}

pub unsafe fn get_supported_image_formats(
    context: cl_context,
    _flags: cl_mem_flags,
    _image_type: cl_mem_object_type,
    num_entries: cl_uint,
    image_formats: *mut cl_image_format,
    num_image_formats: *mut cl_uint,
) -> Result<()> {
    // SAFETY: the arguments are those of clGetSupportedImageFormats.
    unsafe {
        handle::get::<Context>(context)?;
        // CL_INVALID_VALUE if num_entries is 0 and image_formats is not NULL.
        if num_entries == 0 && !image_formats.is_null() {
            return Err(Error::InvalidValue);
        }
        handle::write(num_image_formats, 0);
    }
    Ok(())
}

pub unsafe fn get_image_info(
    _image: cl_mem,
    _param_name: cl_image_info,
    _param_value_size: usize,
    _param_value: *mut c_void,
    _param_value_size_ret: *mut usize,
) -> Result<()> {
    // CL_INVALID_MEM_OBJECT: no memory object is an image or a pipe.
    Err(Error::InvalidMemObject)
}

pub unsafe fn create_sampler(
    context: cl_context,
    _normalized_coords: cl_bool,
    _addressing_mode: cl_addressing_mode,
    _filter_mode: cl_filter_mode,
) -> Result<cl_sampler> {
    // CL_INVALID_OPERATION if no device of the context supports samplers: none does.
    // SAFETY: the argument is a context or NULL.
    unsafe { handle::get::<Context>(context) }?;
    Err(Error::InvalidOperation)
}

pub unsafe fn retain_sampler(_sampler: cl_sampler) -> Result<()> {
    // No sampler exists.
    Err(Error::InvalidSampler)
}

pub unsafe fn release_sampler(_sampler: cl_sampler) -> Result<()> {
    // No sampler exists.
    Err(Error::InvalidSampler)
}

pub unsafe fn get_sampler_info(
    _sampler: cl_sampler,
    _param_name: cl_sampler_info,
    _param_value_size: usize,
    _param_value: *mut c_void,
    _param_value_size_ret: *mut usize,
) -> Result<()> {
    // No sampler exists.
    Err(Error::InvalidSampler)
}

pub unsafe fn enqueue_read_image(
    command_queue: cl_command_queue,
    image: cl_mem,
    _blocking_read: cl_bool,
    _origin: *const usize,
    _region: *const usize,
    _row_pitch: usize,
    _slice_pitch: usize,
    _ptr: *mut c_void,
    _num_events_in_wait_list: cl_uint,
    _event_wait_list: *const cl_event,
    _event: *mut cl_event,
) -> Result<()> {
    // SAFETY: the arguments are handles or NULL.
    unsafe {
        handle::get::<Queue>(command_queue)?;
        handle::get::<Mem>(image)?;
    }
    // CL_INVALID_MEM_OBJECT: no memory object is an image.
    Err(Error::InvalidMemObject)
}

pub unsafe fn enqueue_write_image(
    command_queue: cl_command_queue,
    image: cl_mem,
    _blocking_write: cl_bool,
    _origin: *const usize,
    _region: *const usize,
    _input_row_pitch: usize,
    _input_slice_pitch: usize,
    _ptr: *const c_void,
    _num_events_in_wait_list: cl_uint,
    _event_wait_list: *const cl_event,
    _event: *mut cl_event,
) -> Result<()> {
    // SAFETY: the arguments are handles or NULL.
    unsafe {
        handle::get::<Queue>(command_queue)?;
        handle::get::<Mem>(image)?;
    }
    // CL_INVALID_MEM_OBJECT: no memory object is an image.
    Err(Error::InvalidMemObject)
}

pub unsafe fn enqueue_copy_image(
    command_queue: cl_command_queue,
    src_image: cl_mem,
    dst_image: cl_mem,
    _src_origin: *const usize,
    _dst_origin: *const usize,
    _region: *const usize,
    _num_events_in_wait_list: cl_uint,
    _event_wait_list: *const cl_event,
    _event: *mut cl_event,
) -> Result<()> {
    // SAFETY: the arguments are handles or NULL.
    unsafe {
        handle::get::<Queue>(command_queue)?;
        handle::get::<Mem>(src_image)?;
        handle::get::<Mem>(dst_image)?;
    }
    // CL_INVALID_MEM_OBJECT: no memory object is an image.
    Err(Error::InvalidMemObject)
}

pub unsafe fn enqueue_copy_image_to_buffer(
    command_queue: cl_command_queue,
    src_image: cl_mem,
    dst_buffer: cl_mem,
    _src_origin: *const usize,
    _region: *const usize,
    _dst_offset: usize,
    _num_events_in_wait_list: cl_uint,
    _event_wait_list: *const cl_event,
    _event: *mut cl_event,
) -> Result<()> {
    // SAFETY: the arguments are handles or NULL.
    unsafe {
        handle::get::<Queue>(command_queue)?;
        handle::get::<Mem>(src_image)?;
        handle::get::<Mem>(dst_buffer)?;
    }
    // CL_INVALID_MEM_OBJECT: no memory object is an image.
    Err(Error::InvalidMemObject)
}

pub unsafe fn enqueue_copy_buffer_to_image(
    command_queue: cl_command_queue,
    src_buffer: cl_mem,
    dst_image: cl_mem,
    _src_offset: usize,
    _dst_origin: *const usize,
    _region: *const usize,
    _num_events_in_wait_list: cl_uint,
    _event_wait_list: *const cl_event,
    _event: *mut cl_event,
) -> Result<()> {
    // SAFETY: the arguments are handles or NULL.
    unsafe {
        handle::get::<Queue>(command_queue)?;
        handle::get::<Mem>(src_buffer)?;
        handle::get::<Mem>(dst_image)?;
    }
    // CL_INVALID_MEM_OBJECT: no memory object is an image.
    Err(Error::InvalidMemObject)
}

pub unsafe fn enqueue_map_image(
    command_queue: cl_command_queue,
    image: cl_mem,
    _blocking_map: cl_bool,
    _map_flags: cl_map_flags,
    _origin: *const usize,
    _region: *const usize,
    _image_row_pitch: *mut usize,
    _image_slice_pitch: *mut usize,
    _num_events_in_wait_list: cl_uint,
    _event_wait_list: *const cl_event,
    _event: *mut cl_event,
) -> Result<*mut c_void> {
    // SAFETY: the arguments are handles or NULL.
    unsafe {
        handle::get::<Queue>(command_queue)?;
        handle::get::<Mem>(image)?;
    }
    // CL_INVALID_MEM_OBJECT: no memory object is an image.
    Err(Error::InvalidMemObject)
}

pub unsafe fn create_image(
    context: cl_context,
    _flags: cl_mem_flags,
    _image_format: *const cl_image_format,
    _image_desc: *const cl_image_desc,
    _host_ptr: *mut c_void,
) -> Result<cl_mem> {
    // CL_INVALID_OPERATION if no device of the context supports images: none does.
    // SAFETY: the argument is a context or NULL.
    unsafe { handle::get::<Context>(context) }?;
    Err(Error::InvalidOperation)
}

pub unsafe fn enqueue_fill_image(
    command_queue: cl_command_queue,
    image: cl_mem,
    _fill_color: *const c_void,
    _origin: *const usize,
    _region: *const usize,
    _num_events_in_wait_list: cl_uint,
    _event_wait_list: *const cl_event,
    _event: *mut cl_event,
) -> Result<()> {
    // SAFETY: the arguments are handles or NULL.
    unsafe {
        handle::get::<Queue>(command_queue)?;
        handle::get::<Mem>(image)?;
    }
    // CL_INVALID_MEM_OBJECT: no memory object is an image.
    Err(Error::InvalidMemObject)
}

pub unsafe fn create_pipe(
    context: cl_context,
    _flags: cl_mem_flags,
    _pipe_packet_size: cl_uint,
    _pipe_max_packets: cl_uint,
    _properties: *const cl_pipe_properties,
) -> Result<cl_mem> {
    // CL_INVALID_OPERATION if no device of the context supports pipes: none does.
    // SAFETY: the argument is a context or NULL.
    unsafe { handle::get::<Context>(context) }?;
    Err(Error::InvalidOperation)
}

pub unsafe fn get_pipe_info(
    _pipe: cl_mem,
    _param_name: cl_pipe_info,
    _param_value_size: usize,
    _param_value: *mut c_void,
    _param_value_size_ret: *mut usize,
) -> Result<()> {
    // CL_INVALID_MEM_OBJECT: no memory object is an image or a pipe.
    Err(Error::InvalidMemObject)
}

pub unsafe fn create_sampler_with_properties(
    context: cl_context,
    _sampler_properties: *const cl_sampler_properties,
) -> Result<cl_sampler> {
    // CL_INVALID_OPERATION if no device of the context supports samplers: none does.
    // SAFETY: the argument is a context or NULL.
    unsafe { handle::get::<Context>(context) }?;
    Err(Error::InvalidOperation)
}

pub unsafe fn create_image_with_properties(
    context: cl_context,
    _properties: *const cl_mem_properties,
    _flags: cl_mem_flags,
    _image_format: *const cl_image_format,
    _image_desc: *const cl_image_desc,
    _host_ptr: *mut c_void,
) -> Result<cl_mem> {
    // CL_INVALID_OPERATION if no device of the context supports images: none does.
    // SAFETY: the argument is a context or NULL.
    unsafe { handle::get::<Context>(context) }?;
    Err(Error::InvalidOperation)
}
