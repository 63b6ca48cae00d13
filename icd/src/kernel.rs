//! Kernel entry points.

use std::ffi::{c_char, c_void};

use opencl_sys::{
    CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT, CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL,
    CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL,
    CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM,
    CL_KERNEL_EXEC_INFO_SVM_INDIRECT_ACCESS_KHR, CL_KERNEL_EXEC_INFO_SVM_PTRS,
    CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL, cl_bool, cl_command_queue, cl_device_id, cl_kernel,
    cl_kernel_arg_info, cl_kernel_exec_info, cl_kernel_info, cl_kernel_sub_group_info,
    cl_kernel_work_group_info, cl_mem_device_address_ext, cl_program, cl_uint,
};
use pumice_runtime::base::error::{Error, Result};
use pumice_runtime::base::object::Ref;
use pumice_runtime::command::ndrange;
use pumice_runtime::context::device_queue::DeviceQueue;
use pumice_runtime::device::Device;
use pumice_runtime::executable::{ArgKind, ArgValue, RangeRequest};
use pumice_runtime::memory::Mem;
use pumice_runtime::memory::sampler::Sampler;
use pumice_runtime::program::Program;
use pumice_runtime::program::kernel::{Argument, Kernel};
use pumice_runtime::queue::Queue;

use crate::{handle, info};

pub unsafe fn create_kernel(program: cl_program, kernel_name: *const c_char) -> Result<cl_kernel> {
    // SAFETY: the arguments are those of clCreateKernel.
    unsafe {
        let program = handle::get::<Program>(program)?;
        let name = handle::string(kernel_name)?.to_str();
        // CL_INVALID_KERNEL_NAME: a name that is not UTF-8 is no kernel's.
        let name = name.map_err(|_| {
            Error::InvalidKernelName.because("the name is not UTF-8, so no kernel has it")
        })?;
        Kernel::create(&program, name).map(handle::publish)
    }
}

pub unsafe fn create_kernels_in_program(
    program: cl_program,
    num_kernels: cl_uint,
    kernels: *mut cl_kernel,
    num_kernels_ret: *mut cl_uint,
) -> Result<()> {
    // SAFETY: the arguments are those of clCreateKernelsInProgram.
    unsafe {
        let program = handle::get::<Program>(program)?;
        let created = Kernel::create_all(&program)?;
        if !kernels.is_null() {
            // CL_INVALID_VALUE if there is no room for all of them.
            if (num_kernels as usize) < created.len() {
                return Err(Error::InvalidValue.because(format!(
                    "kernels has room for {num_kernels}, the program has {}",
                    created.len()
                )));
            }
            let count = created.len() as cl_uint;
            for (index, kernel) in created.into_iter().enumerate() {
                kernels.add(index).write(handle::publish(kernel));
            }
            handle::write(num_kernels_ret, count);
        } else {
            handle::write(num_kernels_ret, created.len() as cl_uint);
        }
    }
    Ok(())
}

pub unsafe fn clone_kernel(source_kernel: cl_kernel) -> Result<cl_kernel> {
    // SAFETY: the argument is that of clCloneKernel.
    let kernel = unsafe { handle::get::<Kernel>(source_kernel) }?;
    kernel.duplicate().map(handle::publish)
}

pub unsafe fn retain_kernel(kernel: cl_kernel) -> Result<()> {
    // SAFETY: the argument is that of clRetainKernel.
    unsafe { handle::retain::<Kernel>(kernel) }
}

pub unsafe fn release_kernel(kernel: cl_kernel) -> Result<()> {
    // SAFETY: the argument is that of clReleaseKernel.
    unsafe { handle::release::<Kernel>(kernel, |_| ()) }
}

pub unsafe fn set_kernel_arg(
    kernel: cl_kernel,
    arg_index: cl_uint,
    arg_size: usize,
    arg_value: *const c_void,
) -> Result<()> {
    // SAFETY: the arguments are those of clSetKernelArg.
    unsafe {
        let kernel = handle::get::<Kernel>(kernel)?;
        set_arg(&kernel, arg_index, arg_size, arg_value)
    }
}

/// Sets an argument.
///
/// # Safety
/// The arguments are those of clSetKernelArg.
pub unsafe fn set_arg(
    kernel: &Ref<Kernel>,
    arg_index: cl_uint,
    arg_size: usize,
    arg_value: *const c_void,
) -> Result<()> {
    // SAFETY: the caller's contract.
    unsafe {
        let value = match kernel.arg_kind(arg_index)? {
            _ if arg_value.is_null() => None,
            ArgKind::Unused | ArgKind::Local => Some(Argument::Value(ArgValue::Null)),
            ArgKind::Pod { size } => {
                // Only bytes that the caller says are there are read.
                kernel.check_arg_size(arg_index, arg_size, size as usize)?;
                let bytes = handle::slice(arg_value.cast::<u8>(), arg_size);
                Some(Argument::Value(ArgValue::Bytes(bytes.into())))
            }
            ArgKind::Buffer | ArgKind::Image { .. } => {
                kernel.check_arg_size(arg_index, arg_size, size_of::<*mut c_void>())?;
                // arg_value need not be aligned.
                let raw = arg_value.cast::<*mut c_void>().read_unaligned();
                let object = handle::optional::<Mem>(raw)?;
                Some(object.map_or(Argument::Value(ArgValue::Null), Argument::Memory))
            }
            ArgKind::Queue => {
                kernel.check_arg_size(arg_index, arg_size, size_of::<*mut c_void>())?;
                // arg_value need not be aligned.
                let raw = arg_value.cast::<*mut c_void>().read_unaligned();
                // CL_INVALID_DEVICE_QUEUE if it is no device queue.
                let queue = handle::get::<DeviceQueue>(raw);
                Some(Argument::Queue(queue.map_err(|_| {
                    Error::InvalidDeviceQueue
                        .because("arg_value is no device queue (CL_QUEUE_ON_DEVICE) of the context")
                })?))
            }
            ArgKind::Sampler => {
                kernel.check_arg_size(arg_index, arg_size, size_of::<*mut c_void>())?;
                // arg_value need not be aligned.
                let raw = arg_value.cast::<*mut c_void>().read_unaligned();
                Some(Argument::Sampler(handle::get::<Sampler>(raw)?))
            }
        };
        kernel.set_arg(arg_index, arg_size, value)
    }
}

pub unsafe fn get_kernel_info(
    kernel: cl_kernel,
    param_name: cl_kernel_info,
    param_value_size: usize,
    param_value: *mut c_void,
    param_value_size_ret: *mut usize,
) -> Result<()> {
    // SAFETY: the arguments are those of clGetKernelInfo.
    unsafe {
        let kernel = handle::get::<Kernel>(kernel)?;
        info::write(
            kernel.info(param_name),
            param_value_size,
            param_value,
            param_value_size_ret,
        )
    }
}

pub unsafe fn get_kernel_arg_info(
    kernel: cl_kernel,
    arg_index: cl_uint,
    param_name: cl_kernel_arg_info,
    param_value_size: usize,
    param_value: *mut c_void,
    param_value_size_ret: *mut usize,
) -> Result<()> {
    // SAFETY: the arguments are those of clGetKernelArgInfo.
    unsafe {
        let kernel = handle::get::<Kernel>(kernel)?;
        info::write(
            kernel.arg_info(arg_index, param_name),
            param_value_size,
            param_value,
            param_value_size_ret,
        )
    }
}

pub unsafe fn get_kernel_work_group_info(
    kernel: cl_kernel,
    device: cl_device_id,
    param_name: cl_kernel_work_group_info,
    param_value_size: usize,
    param_value: *mut c_void,
    param_value_size_ret: *mut usize,
) -> Result<()> {
    // SAFETY: the arguments are those of clGetKernelWorkGroupInfo.
    unsafe {
        let kernel = handle::get::<Kernel>(kernel)?;
        let device = handle::optional::<Device>(device)?;
        info::write(
            kernel.work_group_info(device, param_name),
            param_value_size,
            param_value,
            param_value_size_ret,
        )
    }
}

pub unsafe fn get_kernel_sub_group_info(
    kernel: cl_kernel,
    device: cl_device_id,
    param_name: cl_kernel_sub_group_info,
    input_value_size: usize,
    input_value: *const c_void,
    param_value_size: usize,
    param_value: *mut c_void,
    param_value_size_ret: *mut usize,
) -> Result<()> {
    // SAFETY: the arguments are those of clGetKernelSubGroupInfo.
    unsafe {
        let kernel = handle::get::<Kernel>(kernel)?;
        let device = handle::optional::<Device>(device)?;
        let whole = !input_value.is_null() && input_value_size % size_of::<usize>() == 0;
        let input = whole.then(|| {
            let bytes = handle::slice(input_value.cast::<u8>(), input_value_size.min(64));
            // The application's memory need not be aligned.
            bytes
                .chunks_exact(size_of::<usize>())
                .map(|chunk| chunk.as_ptr().cast::<usize>().read_unaligned())
                .collect::<Vec<_>>()
        });
        let capacity = if param_value.is_null() {
            3
        } else {
            param_value_size / size_of::<usize>()
        };
        info::write(
            kernel.sub_group_info(device, param_name, input.as_deref(), capacity),
            param_value_size,
            param_value,
            param_value_size_ret,
        )
    }
}

pub unsafe fn get_kernel_sub_group_info_khr(
    kernel: cl_kernel,
    device: cl_device_id,
    param_name: cl_kernel_sub_group_info,
    input_value_size: usize,
    input_value: *const c_void,
    param_value_size: usize,
    param_value: *mut c_void,
    param_value_size_ret: *mut usize,
) -> Result<()> {
    // SAFETY: the arguments are those of clGetKernelSubGroupInfoKHR, which are the core call's.
    unsafe {
        get_kernel_sub_group_info(
            kernel,
            device,
            param_name,
            input_value_size,
            input_value,
            param_value_size,
            param_value,
            param_value_size_ret,
        )
    }
}

pub unsafe fn set_kernel_exec_info(
    kernel: cl_kernel,
    param_name: cl_kernel_exec_info,
    param_value_size: usize,
    param_value: *const c_void,
) -> Result<()> {
    // SAFETY: the arguments are those of clSetKernelExecInfo.
    unsafe {
        let kernel = handle::get::<Kernel>(kernel)?;
        set_exec_info(&kernel, param_name, param_value_size, param_value)
    }
}

pub unsafe fn set_kernel_arg_device_pointer(
    kernel: cl_kernel,
    arg_index: cl_uint,
    arg_value: cl_mem_device_address_ext,
) -> Result<()> {
    // SAFETY: the argument is that of clSetKernelArgDevicePointerEXT.
    let kernel = unsafe { handle::get::<Kernel>(kernel) }?;
    kernel.set_arg_device_pointer(arg_index, arg_value)
}

/// Sets execution information of a kernel.
///
/// # Safety
/// The arguments are those of clSetKernelExecInfo.
pub unsafe fn set_exec_info(
    kernel: &Ref<Kernel>,
    param_name: cl_kernel_exec_info,
    param_value_size: usize,
    param_value: *const c_void,
) -> Result<()> {
    kernel.check_exec_info(param_name)?;
    // CL_INVALID_VALUE if param_name is not valid, param_value is NULL or its size is not right;
    // NULL and 0 take the list of pointers back.
    let there = !param_value.is_null();
    let right = match param_name {
        CL_KERNEL_EXEC_INFO_SVM_PTRS
        | CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT
        | CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL => {
            let whole = param_value_size % size_of::<*const c_void>() == 0;
            whole && there == (param_value_size != 0)
        }
        CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM
        | CL_KERNEL_EXEC_INFO_SVM_INDIRECT_ACCESS_KHR
        | CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL
        | CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL
        | CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL => {
            there && param_value_size == size_of::<cl_bool>()
        }
        _ => false,
    };
    if !right {
        return Err(Error::InvalidValue.because(format!(
            "{param_value_size} bytes at {param_value:p} are no value of {param_name:#x}"
        )));
    }
    if param_name == CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT {
        // SAFETY: the caller's contract; the application's memory need not be aligned.
        let bytes = unsafe { handle::slice(param_value.cast::<[u8; 8]>(), param_value_size / 8) };
        kernel.set_device_pointers(bytes.iter().map(|b| u64::from_ne_bytes(*b)).collect());
    }
    Ok(())
}

pub unsafe fn get_kernel_suggested_local_work_size(
    command_queue: cl_command_queue,
    kernel: cl_kernel,
    work_dim: cl_uint,
    global_work_offset: *const usize,
    global_work_size: *const usize,
    suggested_local_work_size: *mut usize,
) -> Result<()> {
    // SAFETY: the arguments are those of clGetKernelSuggestedLocalWorkSize.
    unsafe {
        let queue = handle::get::<Queue>(command_queue)?;
        let kernel = handle::get::<Kernel>(kernel)?;
        ndrange::check_dimensions(work_dim)?;
        // CL_INVALID_GLOBAL_WORK_SIZE if global_work_size is NULL or has a zero.
        let global = handle::dimensions(global_work_size, work_dim, 1)
            .filter(|sizes| !sizes.contains(&0))
            .ok_or_else(|| {
                Error::InvalidGlobalWorkSize.because("global_work_size is NULL or has a 0")
            })?;
        // CL_INVALID_VALUE if suggested_local_work_size is NULL.
        if suggested_local_work_size.is_null() {
            return Err(Error::InvalidValue.because("suggested_local_work_size is NULL"));
        }
        let offset = handle::dimensions(global_work_offset, work_dim, 0);
        let request = RangeRequest {
            dimensions: work_dim,
            offset,
            global: Some(global),
            local: None,
        };
        let local = ndrange::suggest(queue.on(), &kernel, &request)?;
        for (dimension, size) in local.into_iter().take(work_dim as usize).enumerate() {
            suggested_local_work_size
                .add(dimension)
                .write(size as usize);
        }
    }
    Ok(())
}
