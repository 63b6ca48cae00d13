//! Buffer entry points, and those common to all memory objects.

use std::cell::Cell;
use std::ffi::c_void;

use opencl_sys::{
    CL_BUFFER_CREATE_TYPE_REGION, cl_buffer_create_type, cl_buffer_region, cl_context, cl_mem,
    cl_mem_flags, cl_mem_info, cl_mem_properties,
};
use pumice_runtime::base::error::{Error, Result};
use pumice_runtime::base::host_ptr::HostSlice;
use pumice_runtime::base::object::Ref;
use pumice_runtime::context::Context;
use pumice_runtime::device::Device;
use pumice_runtime::memory::Mem;
use pumice_runtime::memory::external::{self, Properties};
use pumice_runtime::memory::import::{self, ImportKind, Imported};
use pumice_runtime::os::adopt;

use crate::callback::{MemCallback, UserData};
use crate::{handle, info};

/// Application memory of `size` bytes; `None` for NULL.
///
/// # Safety
/// `start` is NULL or points to `size` bytes that stay valid as OpenCL asks of the call.
pub unsafe fn host_slice(start: *const c_void, size: usize) -> Option<HostSlice> {
    if start.is_null() {
        return None;
    }
    // SAFETY: the caller's contract.
    Some(unsafe { HostSlice::new(start.cast_mut().cast(), size) })
}

pub unsafe fn create_buffer(
    context: cl_context,
    flags: cl_mem_flags,
    size: usize,
    host_ptr: *mut c_void,
) -> Result<cl_mem> {
    // SAFETY: the arguments are those of clCreateBuffer.
    unsafe { create_buffer_with_properties(context, std::ptr::null(), flags, size, host_ptr) }
}

pub unsafe fn create_buffer_with_properties(
    context: cl_context,
    properties: *const cl_mem_properties,
    flags: cl_mem_flags,
    size: usize,
    host_ptr: *mut c_void,
) -> Result<cl_mem> {
    // SAFETY: the arguments are those of clCreateBufferWithProperties.
    unsafe {
        let context = handle::live_context(context)?;
        let host = host_slice(host_ptr, size);
        with_properties(&context, properties, |properties| {
            Mem::create(&context, properties, flags, size, host)
        })
    }
}

/// clCreateBufferWithPropertiesINTEL: an unknown property is CL_INVALID_VALUE.
pub unsafe fn create_buffer_with_properties_intel(
    context: cl_context,
    properties: *const cl_mem_properties,
    flags: cl_mem_flags,
    size: usize,
    host_ptr: *mut c_void,
) -> Result<cl_mem> {
    // SAFETY: the arguments are those of clCreateBufferWithPropertiesINTEL.
    let made = unsafe { create_buffer_with_properties(context, properties, flags, size, host_ptr) };
    made.map_err(|error| match error {
        Error::InvalidProperty => {
            Error::InvalidValue.because("a property or its value is not valid")
        }
        other => other,
    })
}

pub unsafe fn import_memory(
    context: cl_context,
    flags: cl_mem_flags,
    properties: *const isize,
    memory: *mut c_void,
    size: usize,
) -> Result<cl_mem> {
    // SAFETY: the arguments are those of clImportMemoryARM.
    unsafe {
        let context = handle::live_context(context)?;
        let list = handle::properties(properties).unwrap_or_default();
        let kind = import::check(flags, size, &list)?;
        // CL_INVALID_VALUE if memory is NULL.
        let bytes = host_slice(memory, size)
            .ok_or_else(|| Error::InvalidValue.because("memory is NULL"))?;
        let memory = match kind {
            ImportKind::Host => Imported::Host(bytes),
            ImportKind::DmaBuf => {
                Imported::DmaBuf(handle::descriptor(memory.cast::<i32>().read())?)
            }
        };
        Mem::import(&context, flags, size, memory).map(handle::publish)
    }
}

pub unsafe fn set_content_size_buffer(buffer: cl_mem, content_size_buffer: cl_mem) -> Result<()> {
    // SAFETY: the arguments are those of clSetContentSizeBufferPoCL.
    unsafe {
        let buffer = handle::get::<Mem>(buffer)?;
        let content_size = handle::get::<Mem>(content_size_buffer)?;
        buffer.set_content_size(&content_size)
    }
}

/// Makes a memory object with a list of properties. A handle among them is the application's until the
/// object is made.
///
/// # Safety
/// `list` is NULL or a list of properties of buffers or images.
pub unsafe fn with_properties(
    context: &Ref<Context>,
    list: *const cl_mem_properties,
    make: impl FnOnce(Properties) -> Result<Ref<Mem>>,
) -> Result<cl_mem> {
    // SAFETY: the caller's contract.
    let (properties, taken) = unsafe { checked(context, list) }?;
    let object = make(properties)?;
    if let Some(raw) = taken {
        // SAFETY: the descriptor was duplicated, so it is one; the application has given it away.
        drop(unsafe { adopt(raw) });
    }
    Ok(handle::publish(object))
}

/// Checks a list of properties, of which nothing is taken.
///
/// # Safety
/// As [`with_properties`].
pub unsafe fn check_properties(
    context: &Ref<Context>,
    list: *const cl_mem_properties,
) -> Result<()> {
    // SAFETY: the caller's contract.
    unsafe { checked(context, list) }.map(drop)
}

/// The properties of a list, and the descriptor among them, of which they have a duplicate.
///
/// # Safety
/// As [`with_properties`].
unsafe fn checked(
    context: &Ref<Context>,
    list: *const cl_mem_properties,
) -> Result<(Properties, Option<i32>)> {
    let taken = Cell::new(None);
    // SAFETY: the caller's contract.
    unsafe {
        let list = handle::listed_properties(list, external::has_list);
        let device = |raw: u64| handle::get::<Device>(raw as usize as *mut c_void);
        let fd = |value: u64| {
            // The specification's text has CL_INVALID_PROPERTY; its conformance tests ask for this.
            let none = || {
                Error::InvalidValue
                    .because(format!("{value} is not the descriptor of an open file"))
            };
            let raw = i32::try_from(value).map_err(|_| none())?;
            let copy = handle::descriptor(raw).map_err(|_| none())?;
            taken.set(Some(raw));
            Ok(copy)
        };
        let properties = Properties::check(context, list, device, fd)?;
        Ok((properties, taken.get()))
    }
}

pub unsafe fn create_sub_buffer(
    buffer: cl_mem,
    flags: cl_mem_flags,
    buffer_create_type: cl_buffer_create_type,
    buffer_create_info: *const c_void,
) -> Result<cl_mem> {
    // SAFETY: the arguments are those of clCreateSubBuffer.
    unsafe {
        let buffer = handle::get::<Mem>(buffer)?;
        // CL_INVALID_VALUE if the type is not known, or its information NULL.
        if buffer_create_type != CL_BUFFER_CREATE_TYPE_REGION {
            return Err(Error::InvalidValue.because(format!(
                "buffer_create_type is {buffer_create_type:#x}, not CL_BUFFER_CREATE_TYPE_REGION"
            )));
        }
        if buffer_create_info.is_null() {
            return Err(Error::InvalidValue.because("buffer_create_info is NULL"));
        }
        let region = buffer_create_info.cast::<cl_buffer_region>().read();
        buffer
            .create_sub(flags, region.origin, region.size)
            .map(handle::publish)
    }
}

pub unsafe fn retain_mem_object(memobj: cl_mem) -> Result<()> {
    // SAFETY: the argument is that of clRetainMemObject.
    unsafe { handle::retain::<Mem>(memobj) }
}

pub unsafe fn release_mem_object(memobj: cl_mem) -> Result<()> {
    // SAFETY: the argument is that of clReleaseMemObject.
    unsafe { handle::release::<Mem>(memobj, |_| ()) }
}

pub unsafe fn get_mem_object_info(
    memobj: cl_mem,
    param_name: cl_mem_info,
    param_value_size: usize,
    param_value: *mut c_void,
    param_value_size_ret: *mut usize,
) -> Result<()> {
    // SAFETY: the arguments are those of clGetMemObjectInfo.
    unsafe {
        let memory = handle::get::<Mem>(memobj)?;
        info::write(
            memory.info(param_name),
            param_value_size,
            param_value,
            param_value_size_ret,
        )
    }
}

pub unsafe fn set_mem_object_destructor_callback(
    memobj: cl_mem,
    pfn_notify: MemCallback,
    user_data: *mut c_void,
) -> Result<()> {
    // SAFETY: the arguments are those of clSetMemObjectDestructorCallback.
    let object = unsafe { handle::get::<Mem>(memobj) }?;
    // CL_INVALID_VALUE if pfn_notify is NULL.
    let function = pfn_notify.ok_or_else(|| Error::InvalidValue.because("pfn_notify is NULL"))?;
    let (raw, data) = (UserData(memobj), UserData(user_data));
    object.add_destructor(Box::new(move || {
        // SAFETY: the application's function, given what it registered.
        unsafe { function(raw.get(), data.get()) }
    }));
    Ok(())
}
