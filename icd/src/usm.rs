//! Entry points of cl_intel_unified_shared_memory and cl_khr_unified_svm.

use std::ffi::c_void;

use opencl_sys::{
    CL_COMMAND_MEMADVISE_INTEL, CL_COMMAND_MEMCPY_INTEL, CL_COMMAND_MEMFILL_INTEL,
    CL_COMMAND_MIGRATEMEM_INTEL, cl_bool, cl_command_queue, cl_context, cl_device_id, cl_event,
    cl_int, cl_kernel, cl_mem_advice_intel, cl_mem_info_intel, cl_mem_migration_flags,
    cl_mem_properties_intel, cl_svm_alloc_properties_khr, cl_svm_capabilities_khr,
    cl_svm_free_flags_khr, cl_svm_free_properties_khr, cl_svm_pointer_info_khr, cl_uint,
};
use pumice_runtime::base::error::{Error, Result};
use pumice_runtime::base::object::Ref;
use pumice_runtime::command::svm;
use pumice_runtime::context::Context;
use pumice_runtime::context::unified_svm::Properties;
use pumice_runtime::context::usm::Kind;
use pumice_runtime::device::Device;
use pumice_runtime::program::kernel::Kernel;
use pumice_runtime::queue::{self, Queue};

use crate::enqueue::enqueue;
use crate::memory::host_slice;
use crate::{handle, info};

/// Allocates memory of a kind.
///
/// # Safety
/// `properties` is NULL or a list of `cl_mem_properties_intel`.
unsafe fn alloc(
    context: &Ref<Context>,
    kind: Kind,
    device: Option<Ref<Device>>,
    properties: *const cl_mem_properties_intel,
    size: usize,
    alignment: cl_uint,
) -> Result<*mut c_void> {
    // SAFETY: the caller's contract.
    let (properties, _) = unsafe { handle::listed_properties(properties, |_| false) };
    let properties = properties.unwrap_or_default();
    let pointer = context.usm_alloc(kind, device, &properties, size, alignment)?;
    Ok(pointer as *mut c_void)
}

pub unsafe fn host_alloc(
    context: cl_context,
    properties: *const cl_mem_properties_intel,
    size: usize,
    alignment: cl_uint,
) -> Result<*mut c_void> {
    // SAFETY: the arguments are those of clHostMemAllocINTEL.
    unsafe {
        let context = handle::live_context(context)?;
        alloc(&context, Kind::Host, None, properties, size, alignment)
    }
}

pub unsafe fn device_alloc(
    context: cl_context,
    device: cl_device_id,
    properties: *const cl_mem_properties_intel,
    size: usize,
    alignment: cl_uint,
) -> Result<*mut c_void> {
    // SAFETY: the arguments are those of clDeviceMemAllocINTEL.
    unsafe {
        let context = handle::live_context(context)?;
        let device = Some(handle::get::<Device>(device)?);
        alloc(&context, Kind::Device, device, properties, size, alignment)
    }
}

pub unsafe fn shared_alloc(
    context: cl_context,
    device: cl_device_id,
    properties: *const cl_mem_properties_intel,
    size: usize,
    alignment: cl_uint,
) -> Result<*mut c_void> {
    // SAFETY: the arguments are those of clSharedMemAllocINTEL.
    unsafe {
        let context = handle::live_context(context)?;
        let device = handle::optional::<Device>(device)?;
        alloc(&context, Kind::Shared, device, properties, size, alignment)
    }
}

pub unsafe fn free(context: cl_context, ptr: *mut c_void) -> Result<()> {
    // SAFETY: the argument is that of clMemFreeINTEL.
    unsafe { handle::get::<Context>(context) }?.usm_free(ptr as usize)
}

pub unsafe fn blocking_free(context: cl_context, ptr: *mut c_void) -> Result<()> {
    // SAFETY: the argument is that of clMemBlockingFreeINTEL.
    let context = unsafe { handle::get::<Context>(context) }?;
    if context.usm_begins_at(ptr as usize) {
        // Kernels reach all memory, whatever they were told of.
        queue::finish_all(&context);
    }
    context.usm_free(ptr as usize)
}

pub unsafe fn get_alloc_info(
    context: cl_context,
    ptr: *const c_void,
    param_name: cl_mem_info_intel,
    param_value_size: usize,
    param_value: *mut c_void,
    param_value_size_ret: *mut usize,
) -> Result<()> {
    // SAFETY: the arguments are those of clGetMemAllocInfoINTEL.
    unsafe {
        let context = handle::get::<Context>(context)?;
        info::write(
            context.usm_info(ptr as usize, param_name),
            param_value_size,
            param_value,
            param_value_size_ret,
        )
    }
}

pub unsafe fn set_kernel_arg_mem_pointer(
    kernel: cl_kernel,
    arg_index: cl_uint,
    arg_value: *const c_void,
) -> Result<()> {
    // SAFETY: the argument is that of clSetKernelArgMemPointerINTEL.
    let kernel = unsafe { handle::get::<Kernel>(kernel) }?;
    kernel.set_arg_svm(arg_index, arg_value as usize)
}

pub unsafe fn enqueue_fill(
    command_queue: cl_command_queue,
    dst_ptr: *mut c_void,
    pattern: *const c_void,
    pattern_size: usize,
    size: usize,
    num_events_in_wait_list: cl_uint,
    event_wait_list: *const cl_event,
    event: *mut cl_event,
) -> Result<()> {
    // SAFETY: the arguments are those of clEnqueueMemFillINTEL.
    unsafe {
        let queue = handle::get::<Queue>(command_queue)?;
        svm::check_device(queue.on())?;
        let wait = handle::wait_list(num_events_in_wait_list, event_wait_list, event)?;
        let pattern =
            (!pattern.is_null()).then(|| handle::slice(pattern.cast::<u8>(), pattern_size));
        let to = host_slice(dst_ptr, size);
        let command = svm::fill_as(queue.on(), CL_COMMAND_MEMFILL_INTEL, to, pattern)?;
        enqueue(&queue, command, wait, false, event)
    }
}

pub unsafe fn enqueue_set(
    command_queue: cl_command_queue,
    dst_ptr: *mut c_void,
    value: cl_int,
    size: usize,
    num_events_in_wait_list: cl_uint,
    event_wait_list: *const cl_event,
    event: *mut cl_event,
) -> Result<()> {
    let byte = value as u8;
    // SAFETY: the arguments are those of clEnqueueMemsetINTEL, and the pattern is one byte.
    unsafe {
        enqueue_fill(
            command_queue,
            dst_ptr,
            (&raw const byte).cast(),
            1,
            size,
            num_events_in_wait_list,
            event_wait_list,
            event,
        )
    }
}

pub unsafe fn enqueue_copy(
    command_queue: cl_command_queue,
    blocking: cl_bool,
    dst_ptr: *mut c_void,
    src_ptr: *const c_void,
    size: usize,
    num_events_in_wait_list: cl_uint,
    event_wait_list: *const cl_event,
    event: *mut cl_event,
) -> Result<()> {
    // SAFETY: the arguments are those of clEnqueueMemcpyINTEL.
    unsafe {
        let queue = handle::get::<Queue>(command_queue)?;
        svm::check_device(queue.on())?;
        let wait = handle::wait_list(num_events_in_wait_list, event_wait_list, event)?;
        let (to, from) = (host_slice(dst_ptr, size), host_slice(src_ptr, size));
        let command = svm::copy_as(queue.on(), CL_COMMAND_MEMCPY_INTEL, to, from)?;
        enqueue(&queue, command, wait, blocking != 0, event)
    }
}

pub unsafe fn enqueue_migrate(
    command_queue: cl_command_queue,
    _ptr: *const c_void,
    _size: usize,
    flags: cl_mem_migration_flags,
    num_events_in_wait_list: cl_uint,
    event_wait_list: *const cl_event,
    event: *mut cl_event,
) -> Result<()> {
    // SAFETY: the arguments are those of clEnqueueMigrateMemINTEL.
    unsafe {
        let queue = handle::get::<Queue>(command_queue)?;
        svm::check_device(queue.on())?;
        let wait = handle::wait_list(num_events_in_wait_list, event_wait_list, event)?;
        let command = svm::migrate_hint(CL_COMMAND_MIGRATEMEM_INTEL, flags)?;
        enqueue(&queue, command, wait, false, event)
    }
}

/// Values that the extension keeps for advice; none has a meaning yet.
const ADVICE: std::ops::RangeInclusive<cl_mem_advice_intel> = 0x4208..=0x420F;

pub unsafe fn enqueue_advise(
    command_queue: cl_command_queue,
    _ptr: *const c_void,
    _size: usize,
    advice: cl_mem_advice_intel,
    num_events_in_wait_list: cl_uint,
    event_wait_list: *const cl_event,
    event: *mut cl_event,
) -> Result<()> {
    // SAFETY: the arguments are those of clEnqueueMemAdviseINTEL.
    unsafe {
        let queue = handle::get::<Queue>(command_queue)?;
        svm::check_device(queue.on())?;
        // CL_INVALID_VALUE if it is no advice; 0 is none.
        if advice != 0 && !ADVICE.contains(&advice) {
            return Err(Error::InvalidValue.because(format!("{advice:#x} is no advice")));
        }
        let wait = handle::wait_list(num_events_in_wait_list, event_wait_list, event)?;
        let command = svm::hint(CL_COMMAND_MEMADVISE_INTEL);
        enqueue(&queue, command, wait, false, event)
    }
}

/// Checks the properties of an allocation of cl_khr_unified_svm.
///
/// # Safety
/// `list` is NULL or a list of `cl_svm_alloc_properties_khr`.
unsafe fn svm_properties(
    context: &Ref<Context>,
    list: *const cl_svm_alloc_properties_khr,
) -> Result<Properties> {
    // SAFETY: the caller's contract.
    unsafe {
        let list = handle::listed_properties(list, |_| false);
        let device = |raw: u64| handle::get::<Device>(raw as usize as *mut c_void);
        Properties::check(context, list, device)
    }
}

pub unsafe fn svm_alloc(
    context: cl_context,
    properties: *const cl_svm_alloc_properties_khr,
    svm_type_index: cl_uint,
    size: usize,
) -> Result<*mut c_void> {
    // SAFETY: the arguments are those of clSVMAllocWithPropertiesKHR.
    let context = unsafe { handle::live_context(context) }?;
    // SAFETY: as above.
    let properties = unsafe { svm_properties(&context, properties) }?;
    let pointer = context.unified_alloc(properties, svm_type_index, size)?;
    Ok(pointer as *mut c_void)
}

pub unsafe fn svm_free(
    context: cl_context,
    properties: *const cl_svm_free_properties_khr,
    flags: cl_svm_free_flags_khr,
    ptr: *mut c_void,
) -> Result<()> {
    // SAFETY: the arguments are those of clSVMFreeWithPropertiesKHR.
    let (context, properties) = unsafe {
        let list = handle::listed_properties(properties, |_| false);
        (handle::get::<Context>(context)?, list.0)
    };
    let has_properties = properties.is_some_and(|list| !list.is_empty());
    context.unified_free(has_properties, flags, ptr as usize)
}

pub unsafe fn get_svm_pointer_info(
    context: cl_context,
    device: cl_device_id,
    ptr: *const c_void,
    param_name: cl_svm_pointer_info_khr,
    param_value_size: usize,
    param_value: *mut c_void,
    param_value_size_ret: *mut usize,
) -> Result<()> {
    // SAFETY: the arguments are those of clGetSVMPointerInfoKHR.
    unsafe {
        let context = handle::get::<Context>(context)?;
        let device = handle::optional::<Device>(device)?;
        info::write(
            context.unified_info(device, ptr as usize, param_name),
            param_value_size,
            param_value,
            param_value_size_ret,
        )
    }
}

pub unsafe fn get_svm_suggested_type_index(
    context: cl_context,
    required_capabilities: cl_svm_capabilities_khr,
    desired_capabilities: cl_svm_capabilities_khr,
    properties: *const cl_svm_alloc_properties_khr,
    _size: usize,
    suggested_svm_type_index: *mut cl_uint,
) -> Result<()> {
    // SAFETY: the arguments are those of clGetSVMSuggestedTypeIndexKHR.
    unsafe {
        let context = handle::get::<Context>(context)?;
        let properties = svm_properties(&context, properties)?;
        let (required, desired) = (required_capabilities, desired_capabilities);
        let index = context.unified_suggestion(required, desired, &properties)?;
        // CL_INVALID_VALUE if suggested_svm_type_index is NULL.
        if suggested_svm_type_index.is_null() {
            return Err(Error::InvalidValue.because("suggested_svm_type_index is NULL"));
        }
        suggested_svm_type_index.write(index);
    }
    Ok(())
}
