//! Command queue entry points.

use std::ffi::c_void;

use opencl_sys::{
    cl_bool, cl_command_queue, cl_command_queue_info, cl_command_queue_properties, cl_context,
    cl_device_id, cl_queue_properties,
};
use pumice_runtime::base::error::{Error, Result};
use pumice_runtime::context::device_queue::DeviceQueue;
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
        let context = handle::live_context(context)?;
        let device = handle::get::<Device>(device)?;
        properties::check_bits(&device, properties)?;
        // CL_INVALID_QUEUE_PROPERTIES: device queues come from clCreateCommandQueueWithProperties.
        if properties::is_on_device(properties) {
            return Err(Error::InvalidQueueProperties
                .because("device queues are made by clCreateCommandQueueWithProperties"));
        }
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
        let context = handle::live_context(context)?;
        let device = handle::get::<Device>(device)?;
        let list = handle::properties(properties);
        let pairs = list.as_deref().unwrap_or_default();
        let checked = properties::check_properties(&device, pairs)?;
        let list: Option<Vec<u64>> =
            list.map(|pairs| pairs.into_iter().flatten().chain([0]).collect());
        if properties::is_on_device(checked.bits) {
            let list = list.unwrap_or_default();
            let (bits, size) = (checked.bits, checked.size);
            let queue = DeviceQueue::create(&context, &device, bits, list, size)?;
            return Ok(handle::publish(queue));
        }
        Queue::create(&context, &device, checked, list).map(handle::publish)
    }
}

pub unsafe fn retain_command_queue(command_queue: cl_command_queue) -> Result<()> {
    // SAFETY: the argument is that of clRetainCommandQueue.
    unsafe {
        match handle::is_kind::<DeviceQueue>(command_queue) {
            true => handle::retain::<DeviceQueue>(command_queue),
            false => handle::retain::<Queue>(command_queue),
        }
    }
}

pub unsafe fn release_command_queue(command_queue: cl_command_queue) -> Result<()> {
    // SAFETY: the argument is that of clReleaseCommandQueue. Releasing flushes.
    unsafe {
        match handle::is_kind::<DeviceQueue>(command_queue) {
            true => handle::release::<DeviceQueue>(command_queue, |_| ()),
            false => handle::release::<Queue>(command_queue, |queue| queue.flush()),
        }
    }
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
        let answer = match handle::is_kind::<DeviceQueue>(command_queue) {
            true => handle::get::<DeviceQueue>(command_queue)?.info(param_name),
            false => handle::get::<Queue>(command_queue)?.info(param_name),
        };
        info::write(answer, param_value_size, param_value, param_value_size_ret)
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
    let reason = "the properties of a queue are fixed when it is made (OpenCL 1.1 and later)";
    Err(Error::InvalidOperation.because(reason))
}

pub unsafe fn flush(command_queue: cl_command_queue) -> Result<()> {
    // SAFETY: the argument is that of clFlush.
    unsafe { handle::get::<Queue>(command_queue) }?.flush();
    Ok(())
}

pub unsafe fn finish(command_queue: cl_command_queue) -> Result<()> {
    // SAFETY: the argument is that of clFinish.
    unsafe { handle::get::<Queue>(command_queue) }?.finish()
}

pub unsafe fn set_default_device_command_queue(
    context: cl_context,
    device: cl_device_id,
    command_queue: cl_command_queue,
) -> Result<()> {
    // SAFETY: the arguments are those of clSetDefaultDeviceCommandQueue.
    unsafe {
        let context = handle::live_context(context)?;
        let device = handle::get::<Device>(device)?;
        if context.device_index(&device).is_none() {
            return Err(Error::InvalidDevice.because("the device is not one of the context"));
        }
        // CL_INVALID_OPERATION if the device does not support a replaceable default queue.
        if !device.has_device_enqueue() {
            return Err(Error::InvalidOperation.because("the device has no device queues"));
        }
        let queue = handle::get::<DeviceQueue>(command_queue)?;
        context.set_default_device_queue(&device, &queue)
    }
}
