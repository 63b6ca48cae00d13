use crate::callback::*;
use opencl_sys::*;
use pumice_runtime::error::{Error, Result};
use std::ffi::c_void;
pub unsafe fn create_context(
    _properties: *const cl_context_properties,
    _num_devices: cl_uint,
    _devices: *const cl_device_id,
    _pfn_notify: ContextCallback,
    _user_data: *mut c_void,
) -> Result<cl_context> {
    Err(Error::InvalidValue)
}
pub unsafe fn create_context_from_type(
    _properties: *const cl_context_properties,
    device_type: cl_device_type,
    _pfn_notify: ContextCallback,
    _user_data: *mut c_void,
) -> Result<cl_context> {
    Err(pumice_runtime::platform::Platform::devices_of_type(
        crate::platform::instance(),
        device_type,
    )
    .err()
    .unwrap_or(Error::InvalidContext))
}
pub unsafe fn retain_context(_context: cl_context) -> Result<()> {
    Err(Error::InvalidContext)
}
pub unsafe fn release_context(_context: cl_context) -> Result<()> {
    Err(Error::InvalidContext)
}
pub unsafe fn get_context_info(
    _context: cl_context,
    _param_name: cl_context_info,
    _param_value_size: usize,
    _param_value: *mut c_void,
    _param_value_size_ret: *mut usize,
) -> Result<()> {
    Err(Error::InvalidContext)
}
pub unsafe fn set_context_destructor_callback(
    _context: cl_context,
    _pfn_notify: ContextDestructor,
    _user_data: *mut c_void,
) -> Result<()> {
    Err(Error::InvalidContext)
}
