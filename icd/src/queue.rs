//! Command queue entry points.

use std::ffi::c_void;

use opencl_sys::{
    cl_bool, cl_command_queue, cl_command_queue_info, cl_command_queue_properties, cl_context,
    cl_device_id, cl_queue_properties,
};
use pumice_runtime::base::error::{Error, Result};
use pumice_runtime::context::Context;
use pumice_runtime::device::Device;
use pumice_runtime::queue::Queue;
use pumice_runtime::queue::properties::{self, QueueProperties};

use crate::{handle, info};

pub unsafe fn create_command_queue(
    context: cl_context,
    device: cl_device_id,
    properties: cl_command_queue_properties,
) -> Result<cl_command_queue> {
    // SAFETY: the arguments are those of clCreateCommandQueue.
    unsafe {
        let context = handle::get::<Context>(context)?;
        let device = handle::get::<Device>(device)?;
        properties::check_bits(properties)?;
        let checked = QueueProperties {
            bits: properties,
            ..QueueProperties::default()
        };
        Queue::create(&context, &device, checked, None).map(handle::publish)
    }
}

pub unsafe fn create_command_queue_with_properties(
    context: cl_context,
    device: cl_device_id,
    properties: *const cl_queue_properties,
) -> Result<cl_command_queue> {
    // SAFETY: the arguments are those of clCreateCommandQueueWithProperties.
    unsafe {
        let context = handle::get::<Context>(context)?;
        let device = handle::get::<Device>(device)?;
        let list = handle::properties(properties);
        let pairs = list.as_deref().unwrap_or_default();
        let checked = properties::check_properties(pairs, device.capabilities().opened_queues())?;
        let list = list.map(|pairs| pairs.into_iter().flatten().chain([0]).collect());
        Queue::create(&context, &device, checked, list).map(handle::publish)
    }
}

pub unsafe fn retain_command_queue(command_queue: cl_command_queue) -> Result<()> {
    // SAFETY: the argument is that of clRetainCommandQueue.
    unsafe { handle::retain::<Queue>(command_queue) }
}

pub unsafe fn release_command_queue(command_queue: cl_command_queue) -> Result<()> {
    // SAFETY: the argument is that of clReleaseCommandQueue. Releasing flushes.
    unsafe { handle::release::<Queue>(command_queue, |queue| queue.flush()) }
}

pub unsafe fn get_command_queue_info(
    command_queue: cl_command_queue,
    param_name: cl_command_queue_info,
    param_value_size: usize,
    param_value: *mut c_void,
    param_value_size_ret: *mut usize,
) -> Result<()> {
    // SAFETY: the arguments are those of clGetCommandQueueInfo.
    unsafe {
        let queue = handle::get::<Queue>(command_queue)?;
        info::write(
            queue.info(param_name),
            param_value_size,
            param_value,
            param_value_size_ret,
        )
    }
}

pub unsafe fn set_command_queue_property(
    command_queue: cl_command_queue,
    _properties: cl_command_queue_properties,
    _enable: cl_bool,
    _old_properties: *mut cl_command_queue_properties,
) -> Result<()> {
    // Deprecated by 1.1; devices of 1.1 and later may refuse it: CL_INVALID_OPERATION.
    // SAFETY: the argument is that of clSetCommandQueueProperty.
    unsafe { handle::get::<Queue>(command_queue) }?;
    Err(Error::InvalidOperation)
}

pub unsafe fn flush(command_queue: cl_command_queue) -> Result<()> {
    // SAFETY: the argument is that of clFlush.
    unsafe { handle::get::<Queue>(command_queue) }?.flush();
    Ok(())
}

pub unsafe fn finish(command_queue: cl_command_queue) -> Result<()> {
    // SAFETY: the argument is that of clFinish.
    unsafe { handle::get::<Queue>(command_queue) }?.finish();
    Ok(())
}

pub unsafe fn set_default_device_command_queue(
    context: cl_context,
    device: cl_device_id,
    _command_queue: cl_command_queue,
) -> Result<()> {
    // SAFETY: the arguments are those of clSetDefaultDeviceCommandQueue.
    unsafe {
        let context = handle::get::<Context>(context)?;
        let device = handle::get::<Device>(device)?;
        if context.device_index(&device).is_none() {
            return Err(Error::InvalidDevice);
        }
    }
    // CL_INVALID_OPERATION if the device does not support on-device queues: none does, and so no
    // queue could be a right one.
    Err(Error::InvalidOperation)
}
