use crate::callback::*;
use opencl_sys::*;
use pumice_runtime::error::{Error, Result};
use std::ffi::{c_char, c_void};
type size_t = usize;
type c_uchar = u8;
pub unsafe fn create_command_queue(
    _context: cl_context,
    _device: cl_device_id,
    _properties: cl_command_queue_properties,
) -> Result<cl_command_queue> {
    Err(Error::InvalidContext)
}
pub unsafe fn retain_command_queue(_command_queue: cl_command_queue) -> Result<()> {
    Err(Error::InvalidCommandQueue)
}
pub unsafe fn release_command_queue(_command_queue: cl_command_queue) -> Result<()> {
    Err(Error::InvalidCommandQueue)
}
pub unsafe fn get_command_queue_info(
    _command_queue: cl_command_queue,
    _param_name: cl_command_queue_info,
    _param_value_size: size_t,
    _param_value: *mut c_void,
    _param_value_size_ret: *mut size_t,
) -> Result<()> {
    Err(Error::InvalidCommandQueue)
}
pub unsafe fn set_command_queue_property(
    _command_queue: cl_command_queue,
    _properties: cl_command_queue_properties,
    _enable: cl_bool,
    _old_properties: *mut cl_command_queue_properties,
) -> Result<()> {
    Err(Error::InvalidCommandQueue)
}
pub unsafe fn flush(_command_queue: cl_command_queue) -> Result<()> {
    Err(Error::InvalidCommandQueue)
}
pub unsafe fn finish(_command_queue: cl_command_queue) -> Result<()> {
    Err(Error::InvalidCommandQueue)
}
pub unsafe fn create_command_queue_with_properties(
    _context: cl_context,
    _device: cl_device_id,
    _properties: *const cl_queue_properties,
) -> Result<cl_command_queue> {
    Err(Error::InvalidContext)
}
pub unsafe fn set_default_device_command_queue(
    _context: cl_context,
    _device: cl_device_id,
    _command_queue: cl_command_queue,
) -> Result<()> {
    Err(Error::InvalidContext)
}
