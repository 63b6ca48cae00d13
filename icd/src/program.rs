use crate::callback::*;
use opencl_sys::*;
use pumice_runtime::error::{Error, Result};
use std::ffi::{c_char, c_void};
type size_t = usize;
type c_uchar = u8;
pub unsafe fn create_program_with_source(
    _context: cl_context,
    _count: cl_uint,
    _strings: *mut *const c_char,
    _lengths: *const size_t,
) -> Result<cl_program> {
    Err(Error::InvalidContext)
}
pub unsafe fn create_program_with_binary(
    _context: cl_context,
    _num_devices: cl_uint,
    _device_list: *const cl_device_id,
    _lengths: *const size_t,
    _binaries: *mut *const c_uchar,
    _binary_status: *mut cl_int,
) -> Result<cl_program> {
    Err(Error::InvalidContext)
}
pub unsafe fn retain_program(_program: cl_program) -> Result<()> {
    Err(Error::InvalidProgram)
}
pub unsafe fn release_program(_program: cl_program) -> Result<()> {
    Err(Error::InvalidProgram)
}
pub unsafe fn build_program(
    _program: cl_program,
    _num_devices: cl_uint,
    _device_list: *const cl_device_id,
    _options: *const c_char,
    _pfn_notify: ProgramCallback,
    _user_data: *mut c_void,
) -> Result<()> {
    Err(Error::InvalidProgram)
}
pub unsafe fn get_program_info(
    _program: cl_program,
    _param_name: cl_program_info,
    _param_value_size: size_t,
    _param_value: *mut c_void,
    _param_value_size_ret: *mut size_t,
) -> Result<()> {
    Err(Error::InvalidProgram)
}
pub unsafe fn get_program_build_info(
    _program: cl_program,
    _device: cl_device_id,
    _param_name: cl_program_build_info,
    _param_value_size: size_t,
    _param_value: *mut c_void,
    _param_value_size_ret: *mut size_t,
) -> Result<()> {
    Err(Error::InvalidProgram)
}
pub unsafe fn create_program_with_built_in_kernels(
    _context: cl_context,
    _num_devices: cl_uint,
    _device_list: *const cl_device_id,
    _kernel_names: *const c_char,
) -> Result<cl_program> {
    Err(Error::InvalidContext)
}
pub unsafe fn compile_program(
    _program: cl_program,
    _num_devices: cl_uint,
    _device_list: *const cl_device_id,
    _options: *const c_char,
    _num_input_headers: cl_uint,
    _input_headers: *const cl_program,
    _header_include_names: *mut *const c_char,
    _pfn_notify: ProgramCallback,
    _user_data: *mut c_void,
) -> Result<()> {
    Err(Error::InvalidProgram)
}
pub unsafe fn link_program(
    _context: cl_context,
    _num_devices: cl_uint,
    _device_list: *const cl_device_id,
    _options: *const c_char,
    _num_input_programs: cl_uint,
    _input_programs: *const cl_program,
    _pfn_notify: ProgramCallback,
    _user_data: *mut c_void,
) -> Result<cl_program> {
    Err(Error::InvalidContext)
}
pub unsafe fn unload_platform_compiler(_platform: cl_platform_id) -> Result<()> {
    Err(Error::InvalidPlatform)
}
pub unsafe fn create_program_with_il(
    _context: cl_context,
    _il: *const c_void,
    _length: size_t,
) -> Result<cl_program> {
    Err(Error::InvalidContext)
}
pub unsafe fn set_program_release_callback(
    _program: cl_program,
    _pfn_notify: ProgramCallback,
    _user_data: *mut c_void,
) -> Result<()> {
    Err(Error::InvalidProgram)
}
pub unsafe fn set_program_specialization_constant(
    _program: cl_program,
    _spec_id: cl_uint,
    _spec_size: size_t,
    _spec_value: *const c_void,
) -> Result<()> {
    Err(Error::InvalidProgram)
}
pub unsafe fn unload_compiler() -> Result<()> {
    Ok(())
}
