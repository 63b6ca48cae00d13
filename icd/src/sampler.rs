//! Sampler entry points.

use std::ffi::c_void;

use opencl_sys::{
    cl_addressing_mode, cl_bool, cl_context, cl_filter_mode, cl_sampler, cl_sampler_info,
    cl_sampler_properties,
};
use pumice_runtime::base::error::Result;
use pumice_runtime::memory::sampler::Sampler;

use crate::{handle, info};

pub unsafe fn create_sampler(
    context: cl_context,
    normalized_coords: cl_bool,
    addressing_mode: cl_addressing_mode,
    filter_mode: cl_filter_mode,
) -> Result<cl_sampler> {
    // SAFETY: the argument is that of clCreateSampler.
    let context = unsafe { handle::live_context(context) }?;
    Sampler::create(&context, normalized_coords, addressing_mode, filter_mode).map(handle::publish)
}

pub unsafe fn create_sampler_with_properties(
    context: cl_context,
    sampler_properties: *const cl_sampler_properties,
) -> Result<cl_sampler> {
    // SAFETY: the arguments are those of clCreateSamplerWithProperties.
    unsafe {
        let context = handle::live_context(context)?;
        let properties = handle::properties(sampler_properties);
        Sampler::with_properties(&context, properties.as_deref()).map(handle::publish)
    }
}

pub unsafe fn retain_sampler(sampler: cl_sampler) -> Result<()> {
    // SAFETY: the argument is that of clRetainSampler.
    unsafe { handle::retain::<Sampler>(sampler) }
}

pub unsafe fn release_sampler(sampler: cl_sampler) -> Result<()> {
    // SAFETY: the argument is that of clReleaseSampler.
    unsafe { handle::release::<Sampler>(sampler, |_| ()) }
}

pub unsafe fn get_sampler_info(
    sampler: cl_sampler,
    param_name: cl_sampler_info,
    param_value_size: usize,
    param_value: *mut c_void,
    param_value_size_ret: *mut usize,
) -> Result<()> {
    // SAFETY: the arguments are those of clGetSamplerInfo.
    unsafe {
        let sampler = handle::get::<Sampler>(sampler)?;
        info::write(
            sampler.info(param_name),
            param_value_size,
            param_value,
            param_value_size_ret,
        )
    }
}
