use crate::callback::*;
use opencl_sys::*;
use pumice_runtime::error::{Error, Result};
use std::ffi::{c_char, c_void};
type size_t = usize;
type c_uchar = u8;
pub unsafe fn wait_for_events(_num_events: cl_uint, _event_list: *const cl_event) -> Result<()> {
    Err(Error::InvalidValue)
}
pub unsafe fn get_event_info(
    _event: cl_event,
    _param_name: cl_event_info,
    _param_value_size: size_t,
    _param_value: *mut c_void,
    _param_value_size_ret: *mut size_t,
) -> Result<()> {
    Err(Error::InvalidEvent)
}
pub unsafe fn retain_event(_event: cl_event) -> Result<()> {
    Err(Error::InvalidEvent)
}
pub unsafe fn release_event(_event: cl_event) -> Result<()> {
    Err(Error::InvalidEvent)
}
pub unsafe fn get_event_profiling_info(
    _event: cl_event,
    _param_name: cl_profiling_info,
    _param_value_size: size_t,
    _param_value: *mut c_void,
    _param_value_size_ret: *mut size_t,
) -> Result<()> {
    Err(Error::InvalidEvent)
}
pub unsafe fn set_event_callback(
    _event: cl_event,
    _command_exec_callback_type: cl_int,
    _pfn_notify: EventCallback,
    _user_data: *mut c_void,
) -> Result<()> {
    Err(Error::InvalidEvent)
}
pub unsafe fn create_user_event(_context: cl_context) -> Result<cl_event> {
    Err(Error::InvalidContext)
}
pub unsafe fn set_user_event_status(_event: cl_event, _execution_status: cl_int) -> Result<()> {
    Err(Error::InvalidEvent)
}
