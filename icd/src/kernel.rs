use crate::callback::*;
use opencl_sys::*;
use pumice_runtime::error::{Error, Result};
use std::ffi::{c_char, c_void};
type size_t = usize;
type c_uchar = u8;
pub unsafe fn create_kernel(
    _program: cl_program,
    _kernel_name: *const c_char,
) -> Result<cl_kernel> {
    Err(Error::InvalidProgram)
}
pub unsafe fn create_kernels_in_program(
    _program: cl_program,
    _num_kernels: cl_uint,
    _kernels: *mut cl_kernel,
    _num_kernels_ret: *mut cl_uint,
) -> Result<()> {
    Err(Error::InvalidProgram)
}
pub unsafe fn retain_kernel(_kernel: cl_kernel) -> Result<()> {
    Err(Error::InvalidKernel)
}
pub unsafe fn release_kernel(_kernel: cl_kernel) -> Result<()> {
    Err(Error::InvalidKernel)
}
pub unsafe fn set_kernel_arg(
    _kernel: cl_kernel,
    _arg_index: cl_uint,
    _arg_size: size_t,
    _arg_value: *const c_void,
) -> Result<()> {
    Err(Error::InvalidKernel)
}
pub unsafe fn get_kernel_info(
    _kernel: cl_kernel,
    _param_name: cl_kernel_info,
    _param_value_size: size_t,
    _param_value: *mut c_void,
    _param_value_size_ret: *mut size_t,
) -> Result<()> {
    Err(Error::InvalidKernel)
}
pub unsafe fn get_kernel_work_group_info(
    _kernel: cl_kernel,
    _device: cl_device_id,
    _param_name: cl_kernel_work_group_info,
    _param_value_size: size_t,
    _param_value: *mut c_void,
    _param_value_size_ret: *mut size_t,
) -> Result<()> {
    Err(Error::InvalidKernel)
}
pub unsafe fn get_kernel_arg_info(
    _kernel: cl_kernel,
    _arg_index: cl_uint,
    _param_name: cl_kernel_arg_info,
    _param_value_size: size_t,
    _param_value: *mut c_void,
    _param_value_size_ret: *mut size_t,
) -> Result<()> {
    Err(Error::InvalidKernel)
}
pub unsafe fn set_kernel_exec_info(
    _kernel: cl_kernel,
    _param_name: cl_kernel_exec_info,
    _param_value_size: size_t,
    _param_value: *const c_void,
) -> Result<()> {
    Err(Error::InvalidKernel)
}
pub unsafe fn get_kernel_sub_group_info_khr(
    _kernel: cl_kernel,
    _device: cl_device_id,
    _param_name: cl_kernel_sub_group_info,
    _input_value_size: size_t,
    _input_value: *const c_void,
    _param_value_size: size_t,
    _param_value: *mut c_void,
    _param_value_size_ret: *mut size_t,
) -> Result<()> {
    Err(Error::InvalidKernel)
}
pub unsafe fn clone_kernel(_source_kernel: cl_kernel) -> Result<cl_kernel> {
    Err(Error::InvalidKernel)
}
pub unsafe fn get_kernel_sub_group_info(
    _kernel: cl_kernel,
    _device: cl_device_id,
    _param_name: cl_kernel_sub_group_info,
    _input_value_size: size_t,
    _input_value: *const c_void,
    _param_value_size: size_t,
    _param_value: *mut c_void,
    _param_value_size_ret: *mut size_t,
) -> Result<()> {
    Err(Error::InvalidKernel)
}
pub unsafe fn get_kernel_suggested_local_work_size(
    _command_queue: cl_command_queue,
    _kernel: cl_kernel,
    _work_dim: cl_uint,
    _global_work_offset: *const size_t,
    _global_work_size: *const size_t,
    _suggested_local_work_size: *mut size_t,
) -> Result<()> {
    Err(Error::InvalidCommandQueue)
}
