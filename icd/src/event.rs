//! Event entry points.

use std::ffi::c_void;

use opencl_sys::{cl_context, cl_event, cl_event_info, cl_int, cl_profiling_info, cl_uint};
use pumice_runtime::base::error::{Error, Result};
use pumice_runtime::queue::event::Event;

use crate::callback::{EventCallback, UserData};
use crate::{handle, info};

pub unsafe fn wait_for_events(num_events: cl_uint, event_list: *const cl_event) -> Result<()> {
    // SAFETY: the arguments are those of clWaitForEvents.
    let events = unsafe {
        handle::required(event_list, num_events as usize)?
            .iter()
            .map(|&event| handle::get::<Event>(event))
            .collect::<Result<Vec<_>>>()?
    };
    Event::wait_all(&events)
}

pub unsafe fn get_event_info(
    event: cl_event,
    param_name: cl_event_info,
    param_value_size: usize,
    param_value: *mut c_void,
    param_value_size_ret: *mut usize,
) -> Result<()> {
    // SAFETY: the arguments are those of clGetEventInfo.
    unsafe {
        let event = handle::get::<Event>(event)?;
        info::write(
            event.info(param_name),
            param_value_size,
            param_value,
            param_value_size_ret,
        )
    }
}

pub unsafe fn retain_event(event: cl_event) -> Result<()> {
    // SAFETY: the argument is that of clRetainEvent.
    unsafe { handle::retain::<Event>(event) }
}

pub unsafe fn release_event(event: cl_event) -> Result<()> {
    // SAFETY: the argument is that of clReleaseEvent.
    unsafe { handle::release::<Event>(event, |_| ()) }
}

pub unsafe fn get_event_profiling_info(
    event: cl_event,
    param_name: cl_profiling_info,
    param_value_size: usize,
    param_value: *mut c_void,
    param_value_size_ret: *mut usize,
) -> Result<()> {
    // SAFETY: the arguments are those of clGetEventProfilingInfo.
    unsafe {
        let event = handle::get::<Event>(event)?;
        info::write(
            event.profiling_info(param_name),
            param_value_size,
            param_value,
            param_value_size_ret,
        )
    }
}

pub unsafe fn set_event_callback(
    event: cl_event,
    command_exec_callback_type: cl_int,
    pfn_notify: EventCallback,
    user_data: *mut c_void,
) -> Result<()> {
    // SAFETY: the arguments are those of clSetEventCallback.
    let event = unsafe { handle::get::<Event>(event) }?;
    // CL_INVALID_VALUE if pfn_event_notify is NULL.
    let function = pfn_notify.ok_or_else(|| Error::InvalidValue.because("pfn_notify is NULL"))?;
    let data = UserData(user_data);
    event.set_callback(
        command_exec_callback_type,
        Box::new(move |handle, status| {
            // SAFETY: the application's function, given a live event and what it registered.
            unsafe { function(handle as cl_event, status, data.get()) }
        }),
    )
}

pub unsafe fn create_user_event(context: cl_context) -> Result<cl_event> {
    // SAFETY: the argument is that of clCreateUserEvent.
    let context = unsafe { handle::live_context(context) }?;
    Ok(handle::publish(Event::create_user(&context)))
}

pub unsafe fn set_user_event_status(event: cl_event, execution_status: cl_int) -> Result<()> {
    // SAFETY: the arguments are those of clSetUserEventStatus.
    unsafe { handle::get::<Event>(event) }?.set_user_status(execution_status)
}
