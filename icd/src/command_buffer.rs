//! Command buffer entry points; `record.rs` has those that record.

use std::ffi::c_void;

use opencl_sys::{
    CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR, cl_bool, cl_command_buffer_info_khr,
    cl_command_buffer_khr, cl_command_buffer_properties_khr, cl_command_buffer_update_type_khr,
    cl_command_queue, cl_event, cl_mutable_command_info_khr, cl_mutable_command_khr,
    cl_mutable_dispatch_config_khr, cl_uint,
};
use pumice_runtime::base::error::{Error, Result};
use pumice_runtime::base::object::Ref;
use pumice_runtime::command_buffer::CommandBuffer;
use pumice_runtime::command_buffer::mutable::{Change, List, MutableCommand};
use pumice_runtime::program::kernel::Kernel;
use pumice_runtime::queue::Queue;

use crate::{handle, info, kernel};

/// A required list of queues.
///
/// # Safety
/// `queues` is NULL or points to `count` handles.
unsafe fn required_queues(
    count: cl_uint,
    queues: *const cl_command_queue,
) -> Result<Vec<Ref<Queue>>> {
    // SAFETY: the caller's contract.
    unsafe {
        handle::required(queues, count as usize)?
            .iter()
            .map(|&queue| handle::get::<Queue>(queue))
            .collect()
    }
}

pub unsafe fn create(
    num_queues: cl_uint,
    queues: *const cl_command_queue,
    properties: *const cl_command_buffer_properties_khr,
) -> Result<cl_command_buffer_khr> {
    // SAFETY: the arguments are those of clCreateCommandBufferKHR.
    unsafe {
        let queues = required_queues(num_queues, queues)?;
        let properties = handle::properties(properties);
        CommandBuffer::create(queues, properties).map(handle::publish)
    }
}

pub unsafe fn retain(command_buffer: cl_command_buffer_khr) -> Result<()> {
    // SAFETY: the argument is that of clRetainCommandBufferKHR.
    unsafe { handle::retain::<CommandBuffer>(command_buffer) }
}

pub unsafe fn release(command_buffer: cl_command_buffer_khr) -> Result<()> {
    // SAFETY: the argument is that of clReleaseCommandBufferKHR.
    unsafe { handle::release::<CommandBuffer>(command_buffer, |_| ()) }
}

pub unsafe fn finalize(command_buffer: cl_command_buffer_khr) -> Result<()> {
    // SAFETY: the argument is that of clFinalizeCommandBufferKHR.
    unsafe { handle::get::<CommandBuffer>(command_buffer) }?.finalize()
}

pub unsafe fn enqueue(
    num_queues: cl_uint,
    queues: *const cl_command_queue,
    command_buffer: cl_command_buffer_khr,
    num_events_in_wait_list: cl_uint,
    event_wait_list: *const cl_event,
    event: *mut cl_event,
) -> Result<()> {
    // SAFETY: the arguments are those of clEnqueueCommandBufferKHR.
    unsafe {
        let buffer = handle::get::<CommandBuffer>(command_buffer)?;
        buffer.check_executable()?;
        // CL_INVALID_VALUE if queues and num_queues contradict each other.
        let listed = handle::list::<Queue>(num_queues, queues, Error::InvalidValue)?;
        let wait = handle::wait_list(num_events_in_wait_list, event_wait_list, event)?;
        let done = buffer.enqueue((!queues.is_null()).then_some(&*listed), wait)?;
        handle::give_event(event, done);
    }
    Ok(())
}

pub unsafe fn get_info(
    command_buffer: cl_command_buffer_khr,
    param_name: cl_command_buffer_info_khr,
    param_value_size: usize,
    param_value: *mut c_void,
    param_value_size_ret: *mut usize,
) -> Result<()> {
    // SAFETY: the arguments are those of clGetCommandBufferInfoKHR.
    unsafe {
        let buffer = handle::get::<CommandBuffer>(command_buffer)?;
        info::write(
            buffer.info(param_name),
            param_value_size,
            param_value,
            param_value_size_ret,
        )
    }
}

pub unsafe fn remap(
    command_buffer: cl_command_buffer_khr,
    automatic: cl_bool,
    num_queues: cl_uint,
    queues: *const cl_command_queue,
    num_handles: cl_uint,
    handles: *const cl_mutable_command_khr,
    handles_ret: *mut cl_mutable_command_khr,
) -> Result<cl_command_buffer_khr> {
    // SAFETY: the arguments are those of clRemapCommandBufferKHR.
    unsafe {
        let buffer = handle::get::<CommandBuffer>(command_buffer)?;
        // CL_INVALID_VALUE if num_queues is 0 or queues is NULL.
        handle::required(queues, num_queues as usize)?;
        // CL_INVALID_VALUE if the lists of handles contradict num_handles, or hold something else.
        if handles_ret.is_null() != (num_handles == 0) {
            return Err(Error::InvalidValue.because(format!(
                "handles_ret ({handles_ret:p}) does not fit num_handles ({num_handles})"
            )));
        }
        let commands = handle::list::<MutableCommand>(num_handles, handles, Error::InvalidValue)
            .map_err(|_| {
                Error::InvalidValue.because(format!(
                    "handles ({handles:p}) is no list of {num_handles} commands"
                ))
            })?;
        let queues = required_queues(num_queues, queues)?;
        let (copy, commands) = buffer.remap(automatic != 0, &queues, &commands)?;
        for (index, command) in commands.iter().enumerate() {
            handles_ret
                .add(index)
                .write(command.handle() as *mut c_void);
        }
        Ok(handle::publish(copy))
    }
}

pub unsafe fn update(
    command_buffer: cl_command_buffer_khr,
    num_configs: cl_uint,
    config_types: *const cl_command_buffer_update_type_khr,
    configs: *const *const c_void,
) -> Result<()> {
    // SAFETY: the arguments are those of clUpdateMutableCommandsKHR.
    unsafe {
        let buffer = handle::get::<CommandBuffer>(command_buffer)?;
        buffer.check_update()?;
        // CL_INVALID_VALUE if a list and its length contradict each other, a type is not known or a
        // configuration is NULL.
        let none = num_configs == 0;
        if config_types.is_null() != none || configs.is_null() != none {
            return Err(Error::InvalidValue.because(format!(
                "config_types ({config_types:p}) or configs ({configs:p}) does not fit num_configs ({num_configs})"
            )));
        }
        let count = num_configs as usize;
        let types = handle::slice(config_types, count);
        let configs = handle::slice(configs, count);
        let known = |kind: &cl_uint| *kind == CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR;
        if let Some(other) = types.iter().find(|kind| !known(kind)) {
            return Err(Error::InvalidValue.because(format!(
                "the type of a configuration is {other:#x}, not CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR"
            )));
        }
        if configs.iter().any(|config| config.is_null()) {
            return Err(Error::InvalidValue.because("a configuration is NULL"));
        }
        let configs: Vec<_> = (configs.iter())
            .map(|config| {
                config
                    .cast::<cl_mutable_dispatch_config_khr>()
                    .read_unaligned()
            })
            .collect();
        let ranges: Vec<_> = configs.iter().map(|config| range_of(config)).collect();
        let lists: Vec<_> = configs.iter().map(|config| lists_of(config)).collect();
        let mut changes = Vec::with_capacity(count);
        for (index, config) in configs.iter().enumerate() {
            let list = |count, is_null| List { count, is_null };
            changes.push(Change {
                command: handle::get::<MutableCommand>(config.command)?,
                dimensions: config.work_dim,
                range: &ranges[index],
                lists: [
                    list(config.num_args, config.arg_list.is_null()),
                    list(config.num_svm_args, config.arg_svm_list.is_null()),
                    list(config.num_exec_infos, config.exec_info_list.is_null()),
                ],
                apply: &lists[index],
            });
        }
        buffer.update(&changes)
    }
}

/// Reads the sizes of a configuration.
///
/// # Safety
/// The configuration is the application's, and its sizes have as many elements as the function is asked for.
unsafe fn range_of(
    config: &cl_mutable_dispatch_config_khr,
) -> impl Fn(u32) -> [Option<[usize; 3]>; 3] {
    let sizes = [
        (config.global_work_offset, 0),
        (config.global_work_size, 1),
        (config.local_work_size, 1),
    ];
    move |dimensions| {
        // SAFETY: the caller's contract.
        sizes.map(|(sizes, rest)| unsafe { handle::dimensions(sizes, dimensions, rest) })
    }
}

/// Applies the arguments and execution information of a configuration to a kernel.
///
/// # Safety
/// The configuration is the application's, and its lists have the lengths that it says.
unsafe fn lists_of(config: &cl_mutable_dispatch_config_khr) -> impl Fn(&Ref<Kernel>) -> Result<()> {
    let config = *config;
    move |target| {
        // SAFETY: the caller's contract.
        unsafe {
            for arg in handle::slice(config.arg_list, config.num_args as usize) {
                kernel::set_arg(target, arg.arg_index, arg.arg_size, arg.arg_value)?;
            }
            for arg in handle::slice(config.arg_svm_list, config.num_svm_args as usize) {
                target.set_arg_svm(arg.arg_index, arg.arg_value as usize)?;
            }
            for info in handle::slice(config.exec_info_list, config.num_exec_infos as usize) {
                let (name, size) = (info.param_name, info.param_value_size);
                kernel::set_exec_info(target, name, size, info.param_value)?;
            }
        }
        Ok(())
    }
}

pub unsafe fn get_command_info(
    command: cl_mutable_command_khr,
    param_name: cl_mutable_command_info_khr,
    param_value_size: usize,
    param_value: *mut c_void,
    param_value_size_ret: *mut usize,
) -> Result<()> {
    // SAFETY: the arguments are those of clGetMutableCommandInfoKHR.
    unsafe {
        let command = handle::get::<MutableCommand>(command)?;
        info::write(
            command.info(param_name),
            param_value_size,
            param_value,
            param_value_size_ret,
        )
    }
}
