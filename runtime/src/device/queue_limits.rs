//! Sizes and numbers of device queues.

use opencl_sys as cl;
use pumice_compiler::target::device_queue::{EVENTS, QUEUES};

/// Queues that there can be at a time for each device of a context. Queries tell of fewer
/// ([`MOST_QUEUES`]): beside as many, a default one can be made.
pub const PLACES: usize = QUEUES;
/// CL_DEVICE_MAX_ON_DEVICE_QUEUES.
pub const MOST_QUEUES: u32 = 4;
/// CL_DEVICE_MAX_ON_DEVICE_EVENTS.
pub const MOST_EVENTS: u32 = EVENTS;
/// CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE: bytes.
pub const MAX_SIZE: u32 = 8 << 20;
/// CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE, the size of queues without CL_QUEUE_SIZE: bytes. Programs let some ten thousand
/// work-items enqueue a kernel each and do not look at the errors.
pub const PREFERRED_SIZE: u32 = MAX_SIZE;
/// The least bytes that a device queue has, whatever CL_QUEUE_SIZE says: programs ask for one byte, and enqueue a kernel in a
/// loop until it is taken. What is enqueued begins when the launch has ended, so a queue that is full stays so until then.
pub const LEAST_SIZE: u32 = 64 << 10;
/// CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES.
pub const PROPERTIES: u64 =
    cl::CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | cl::CL_QUEUE_PROFILING_ENABLE;
