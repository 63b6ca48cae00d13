//! Context entry points.

use std::ffi::{CString, c_void};
use std::sync::Arc;

use opencl_sys::{
    cl_context, cl_context_info, cl_context_properties, cl_device_id, cl_device_type, cl_uint,
};
use pumice_gl_layer::ShareGroup;
use pumice_runtime::base::error::{Error, Result};
use pumice_runtime::base::object::Ref;
use pumice_runtime::base::reason::Callback;
use pumice_runtime::context::{self, Callbacks, Context, PRINTF_CALLBACK, PrintfCallback, gl};
use pumice_runtime::device::Device;
use pumice_runtime::device::platform::Platform;
use pumice_runtime::queue;

use crate::callback::{ContextCallback, ContextDestructor, PrintfFunction, UserData};
use crate::{exit, handle, info};

/// The error callback as the runtime calls it.
fn notify(pfn_notify: ContextCallback, user_data: *mut c_void) -> Option<Callback> {
    let data = UserData(user_data);
    let function = pfn_notify?;
    Some(Arc::new(move |message: &str| {
        let message = CString::new(message).unwrap_or_default();
        // SAFETY: the application's function, given what clCreateContext documents.
        unsafe { function(message.as_ptr(), std::ptr::null(), 0, data.get()) };
    }))
}

/// The callbacks of a context as the runtime calls them.
fn callbacks(
    properties: Option<&[isize]>,
    pfn_notify: ContextCallback,
    user_data: *mut c_void,
) -> Result<Callbacks> {
    let printf = context::property(properties, PRINTF_CALLBACK);
    // CL_INVALID_VALUE if pfn_notify is NULL but user_data is not, unless that is for printf.
    if pfn_notify.is_none() && printf.is_none() && !user_data.is_null() {
        return Err(Error::InvalidValue.because("user_data is given without pfn_notify"));
    }
    let data = UserData(user_data);
    let printf = printf.map(|address| -> PrintfCallback {
        // SAFETY: the value of CL_PRINTF_CALLBACK_ARM is a function of this type, which was checked not to be NULL.
        let function = unsafe { std::mem::transmute::<isize, PrintfFunction>(address) };
        Arc::new(move |text: &[u8], complete: bool| {
            let complete = usize::from(complete);
            // SAFETY: the application's function, given what cl_arm_printf documents.
            unsafe { function(text.as_ptr().cast(), text.len(), complete, data.get()) };
        })
    });
    let notify = notify(pfn_notify, user_data);
    Ok(Callbacks { notify, printf })
}

/// The property list, checked.
///
/// # Safety
/// As [`handle::properties`].
pub unsafe fn checked_properties(
    platform: &Ref<Platform>,
    properties: *const cl_context_properties,
) -> Result<Option<Vec<isize>>> {
    let platform = platform.handle();
    // SAFETY: the caller's contract.
    let list = unsafe { handle::properties(properties) };
    context::check_properties(list, |value| value as usize == platform)
}

/// The share group of OpenGL that a property list names.
///
/// # Safety
/// The handles are those of a display and a context, as cl_khr_gl_sharing asks.
pub unsafe fn share_group(properties: Option<&[isize]>) -> Result<Option<ShareGroup>> {
    let Some(request) = gl::request(properties)? else {
        return Ok(None);
    };
    // SAFETY: the caller's contract; the application keeps its display while it has the OpenCL context.
    let opened = unsafe { ShareGroup::open(request) };
    opened.map(Some).map_err(|refusal| gl::refused(&refusal))
}

pub unsafe fn create_context(
    platform: &Ref<Platform>,
    properties: *const cl_context_properties,
    num_devices: cl_uint,
    devices: *const cl_device_id,
    pfn_notify: ContextCallback,
    user_data: *mut c_void,
) -> Result<cl_context> {
    // SAFETY: the arguments are those of clCreateContext.
    unsafe {
        let properties = checked_properties(platform, properties)?;
        let devices = handle::required(devices, num_devices as usize)?
            .iter()
            .map(|&device| handle::get::<Device>(device))
            .collect::<Result<Vec<_>>>()?;
        let callbacks = callbacks(properties.as_deref(), pfn_notify, user_data)?;
        let share_group = share_group(properties.as_deref())?;
        let context = Context::create(properties, devices, callbacks, share_group)?;
        exit::register();
        Ok(handle::publish(context))
    }
}

pub unsafe fn create_context_from_type(
    platform: &Ref<Platform>,
    properties: *const cl_context_properties,
    device_type: cl_device_type,
    pfn_notify: ContextCallback,
    user_data: *mut c_void,
) -> Result<cl_context> {
    // SAFETY: the arguments are those of clCreateContextFromType.
    let properties = unsafe { checked_properties(platform, properties) }?;
    let callbacks = callbacks(properties.as_deref(), pfn_notify, user_data)?;
    // SAFETY: as above.
    let share_group = unsafe { share_group(properties.as_deref()) }?;
    let context =
        Context::create_from_type(platform, properties, device_type, callbacks, share_group)?;
    exit::register();
    Ok(handle::publish(context))
}

pub unsafe fn retain_context(context: cl_context) -> Result<()> {
    // SAFETY: the argument is that of clRetainContext.
    unsafe { handle::retain::<Context>(context) }
}

pub unsafe fn release_context(context: cl_context) -> Result<()> {
    // SAFETY: the argument is that of clReleaseContext.
    unsafe {
        handle::release::<Context>(context, |context| {
            // The call's own, and that of the application.
            Context::wait_for_threads(context, 2);
        })
    }
}

pub unsafe fn get_context_info(
    context: cl_context,
    param_name: cl_context_info,
    param_value_size: usize,
    param_value: *mut c_void,
    param_value_size_ret: *mut usize,
) -> Result<()> {
    // SAFETY: the arguments are those of clGetContextInfo.
    unsafe {
        let context = handle::get::<Context>(context)?;
        info::write(
            context.info(param_name),
            param_value_size,
            param_value,
            param_value_size_ret,
        )
    }
}

pub unsafe fn terminate(context: cl_context) -> Result<()> {
    // SAFETY: the argument is that of clTerminateContextKHR.
    queue::terminate(&unsafe { handle::get::<Context>(context) }?)
}

pub unsafe fn set_context_destructor_callback(
    context: cl_context,
    pfn_notify: ContextDestructor,
    user_data: *mut c_void,
) -> Result<()> {
    // SAFETY: the arguments are those of clSetContextDestructorCallback.
    let object = unsafe { handle::live_context(context) }?;
    // CL_INVALID_VALUE if pfn_notify is NULL.
    let function = pfn_notify.ok_or_else(|| Error::InvalidValue.because("pfn_notify is NULL"))?;
    let (raw, data) = (UserData(context), UserData(user_data));
    object.add_destructor(Box::new(move || {
        // SAFETY: the application's function, given what it registered.
        unsafe { function(raw.get(), data.get()) }
    }));
    Ok(())
}
