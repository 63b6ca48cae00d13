//! Entry points for pipes, which no device has (CL_DEVICE_PIPE_SUPPORT is false): handles are
//! checked, then the specification's error for such devices is given.

use std::ffi::c_void;

use opencl_sys::{cl_context, cl_mem, cl_mem_flags, cl_pipe_info, cl_pipe_properties, cl_uint};
use pumice_runtime::base::error::{Error, Result};
use pumice_runtime::context::Context;

use crate::handle;

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
    // CL_INVALID_MEM_OBJECT: no memory object is a pipe.
    Err(Error::InvalidMemObject)
}
