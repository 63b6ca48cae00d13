//! Entry points for pipes.

use std::ffi::c_void;

use opencl_sys::{cl_context, cl_mem, cl_mem_flags, cl_pipe_info, cl_pipe_properties, cl_uint};
use pumice_runtime::base::error::Result;
use pumice_runtime::memory::Mem;

use crate::{handle, info};

pub unsafe fn create_pipe(
    context: cl_context,
    flags: cl_mem_flags,
    pipe_packet_size: cl_uint,
    pipe_max_packets: cl_uint,
    properties: *const cl_pipe_properties,
) -> Result<cl_mem> {
    // SAFETY: the argument is that of clCreatePipe.
    let context = unsafe { handle::live_context(context) }?;
    Mem::create_pipe(
        &context,
        flags,
        pipe_packet_size,
        pipe_max_packets,
        !properties.is_null(),
    )
    .map(handle::publish)
}

pub unsafe fn get_pipe_info(
    pipe: cl_mem,
    param_name: cl_pipe_info,
    param_value_size: usize,
    param_value: *mut c_void,
    param_value_size_ret: *mut usize,
) -> Result<()> {
    // SAFETY: the arguments are those of clGetPipeInfo.
    unsafe {
        let object = handle::get::<Mem>(pipe)?;
        info::write(
            object.pipe()?.info(param_name),
            param_value_size,
            param_value,
            param_value_size_ret,
        )
    }
}
