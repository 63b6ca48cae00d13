//! The abilities of devices and platform that queries about command buffers tell of.

use opencl_sys as cl;

/// CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR of a device that has queues of its own or not.
pub fn device_capabilities(device_queues: bool) -> u64 {
    let enqueues = match device_queues {
        true => cl::CL_COMMAND_BUFFER_CAPABILITY_DEVICE_SIDE_ENQUEUE_KHR,
        false => 0,
    };
    enqueues
        | cl::CL_COMMAND_BUFFER_CAPABILITY_KERNEL_PRINTF_KHR
        | cl::CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR
        | cl::CL_COMMAND_BUFFER_CAPABILITY_MULTIPLE_QUEUE_KHR
}

/// CL_PLATFORM_COMMAND_BUFFER_CAPABILITIES_KHR: between devices, the host waits for events.
pub const PLATFORM_CAPABILITIES: u64 = cl::CL_COMMAND_BUFFER_PLATFORM_UNIVERSAL_SYNC_KHR
    | cl::CL_COMMAND_BUFFER_PLATFORM_REMAP_QUEUES_KHR
    | cl::CL_COMMAND_BUFFER_PLATFORM_AUTOMATIC_REMAP_KHR;

/// CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR: those that queues of the host have.
pub const QUEUE_PROPERTIES: u64 =
    cl::CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | cl::CL_QUEUE_PROFILING_ENABLE;

/// CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR.
pub const FIELDS: u64 = cl::CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR
    | cl::CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR
    | cl::CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR
    | cl::CL_MUTABLE_DISPATCH_ARGUMENTS_KHR
    | cl::CL_MUTABLE_DISPATCH_EXEC_INFO_KHR;
