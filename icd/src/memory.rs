use crate::callback::*;
use opencl_sys::*;
use pumice_runtime::error::{Error, Result};
use std::ffi::{c_char, c_void};
type size_t = usize;
type c_uchar = u8;
pub unsafe fn create_buffer(
    _context: cl_context,
    _flags: cl_mem_flags,
    _size: size_t,
    _host_ptr: *mut c_void,
) -> Result<cl_mem> {
    Err(Error::InvalidContext)
}
pub unsafe fn retain_mem_object(_memobj: cl_mem) -> Result<()> {
    Err(Error::InvalidMemObject)
}
pub unsafe fn release_mem_object(_memobj: cl_mem) -> Result<()> {
    Err(Error::InvalidMemObject)
}
pub unsafe fn get_mem_object_info(
    _memobj: cl_mem,
    _param_name: cl_mem_info,
    _param_value_size: size_t,
    _param_value: *mut c_void,
    _param_value_size_ret: *mut size_t,
) -> Result<()> {
    Err(Error::InvalidMemObject)
}
pub unsafe fn create_sub_buffer(
    _buffer: cl_mem,
    _flags: cl_mem_flags,
    _buffer_create_type: cl_buffer_create_type,
    _buffer_create_info: *const c_void,
) -> Result<cl_mem> {
    Err(Error::InvalidMemObject)
}
pub unsafe fn set_mem_object_destructor_callback(
    _memobj: cl_mem,
    _pfn_notify: MemCallback,
    _user_data: *mut c_void,
) -> Result<()> {
    Err(Error::InvalidMemObject)
}
pub unsafe fn create_buffer_with_properties(
    _context: cl_context,
    _properties: *const cl_mem_properties,
    _flags: cl_mem_flags,
    _size: size_t,
    _host_ptr: *mut c_void,
) -> Result<cl_mem> {
    Err(Error::InvalidContext)
}
