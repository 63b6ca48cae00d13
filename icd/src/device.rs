//! Device entry points.

use std::ffi::c_void;

use opencl_sys::{
    CL_DEVICE_EXTENSIONS, cl_device_id, cl_device_info, cl_device_partition_property,
    cl_device_type, cl_platform_id, cl_uint, cl_ulong,
};
use pumice_runtime::base::clock::host_time;
use pumice_runtime::base::error::{Error, Result};
use pumice_runtime::base::log;
use pumice_runtime::base::object::Ref;
use pumice_runtime::device::Device;
use pumice_runtime::device::platform::Platform;

use crate::{handle, info, platform};

pub unsafe fn get_device_ids(
    only: &Ref<Platform>,
    platform: cl_platform_id,
    device_type: cl_device_type,
    num_entries: cl_uint,
    devices: *mut cl_device_id,
    num_devices: *mut cl_uint,
) -> Result<()> {
    // SAFETY: the arguments are those of clGetDeviceIDs.
    unsafe {
        let platform = platform::argument(only, platform)?;
        // CL_INVALID_VALUE before CL_DEVICE_NOT_FOUND: the outputs are wrong whatever is found.
        info::check_handles(num_entries, devices, num_devices)?;
        let found = platform.devices_of_type(device_type).inspect_err(|_| {
            handle::write(num_devices, 0);
        })?;
        let handles: Vec<usize> = found.iter().map(|device| device.handle()).collect();
        info::write_handles(&handles, num_entries, devices, num_devices)
    }
}

/// The size of a buffer that a program has for a list of extensions without having asked for the list's size.
fn is_fixed_size(size: usize) -> bool {
    size >= 1024 && size.is_power_of_two()
}

pub unsafe fn get_device_info(
    device: cl_device_id,
    param_name: cl_device_info,
    param_value_size: usize,
    param_value: *mut c_void,
    param_value_size_ret: *mut usize,
) -> Result<()> {
    // SAFETY: the arguments are those of clGetDeviceInfo.
    unsafe {
        let device = handle::get::<Device>(device)?;
        let mut answer = device.info(param_name)?;
        // Programs of the time of short lists end on the error (ViennaCL has 2,048 bytes).
        let is_list = param_name == CL_DEVICE_EXTENSIONS && !param_value.is_null();
        if is_list && is_fixed_size(param_value_size) && answer.bytes().len() > param_value_size {
            log::warn!(
                "CL_DEVICE_EXTENSIONS: {param_value_size} bytes do not hold all {} bytes; the first names are given",
                answer.bytes().len()
            );
            answer = answer.first_names(param_value_size);
        }
        info::write(
            Ok(answer),
            param_value_size,
            param_value,
            param_value_size_ret,
        )
    }
}

pub unsafe fn create_sub_devices(
    in_device: cl_device_id,
    properties: *const cl_device_partition_property,
    _num_devices: cl_uint,
    _out_devices: *mut cl_device_id,
    _num_devices_ret: *mut cl_uint,
) -> Result<()> {
    // SAFETY: the arguments are those of clCreateSubDevices.
    unsafe {
        handle::get::<Device>(in_device)?;
        // CL_INVALID_VALUE if the properties are not valid, or name a partition type that the
        // device does not support: none is.
        let _ = handle::properties(properties);
        Err(Error::InvalidValue.because("the device cannot be partitioned"))
    }
}

// Root devices are not reference counted: clRetainDevice and clReleaseDevice leave them alone.
pub unsafe fn retain_device(device: cl_device_id) -> Result<()> {
    // SAFETY: the argument is that of clRetainDevice.
    unsafe { handle::get::<Device>(device) }.map(|_| ())
}

pub unsafe fn release_device(device: cl_device_id) -> Result<()> {
    // SAFETY: the argument is that of clReleaseDevice.
    unsafe { handle::get::<Device>(device) }.map(|_| ())
}

pub unsafe fn get_device_and_host_timer(
    device: cl_device_id,
    device_timestamp: *mut cl_ulong,
    host_timestamp: *mut cl_ulong,
) -> Result<()> {
    // SAFETY: the arguments are those of clGetDeviceAndHostTimer.
    unsafe {
        handle::get::<Device>(device)?;
        if device_timestamp.is_null() || host_timestamp.is_null() {
            return Err(Error::InvalidValue.because("device_timestamp or host_timestamp is NULL"));
        }
        let now = host_time();
        // Profiling times are given in the host's clock, so both timers are the same one.
        handle::write(device_timestamp, now);
        handle::write(host_timestamp, now);
    }
    Ok(())
}

pub unsafe fn get_host_timer(device: cl_device_id, host_timestamp: *mut cl_ulong) -> Result<()> {
    // SAFETY: the arguments are those of clGetHostTimer.
    unsafe {
        handle::get::<Device>(device)?;
        if host_timestamp.is_null() {
            return Err(Error::InvalidValue.because("host_timestamp is NULL"));
        }
        handle::write(host_timestamp, host_time());
    }
    Ok(())
}
