//! Command buffers: commands that are recorded once and enqueued together, any number of times
//! (cl_khr_command_buffer, cl_khr_command_buffer_mutable_dispatch,
//! cl_khr_command_buffer_multi_device).
//!
//! - `create.rs`: properties, queries and capabilities
//! - `record.rs`: the clCommand* functions, and the order between their commands
//! - `segment.rs`: the parts of a command buffer that run as one command of a queue
//! - `replay.rs`: the recordings of a segment, and the command that runs them
//! - `enqueue.rs`: clFinalizeCommandBufferKHR and clEnqueueCommandBufferKHR
//! - `mutable.rs`: commands that change between two enqueues
//! - `remap.rs`: clRemapCommandBufferKHR
//!
//! A command buffer holds its commands as `command` makes them. Finalizing cuts them into segments:
//! commands that the device of one queue runs without waiting for another queue or the host. A segment is
//! recorded once, into Vulkan command buffers; each enqueue submits these as one command of the queue. The
//! host's part of a command (printf output, contents that another device holds) is done at each enqueue.
//!
//! Invariant: no callback of the application runs under a command buffer's lock, and no other lock is held
//! when it is taken.

mod create;
mod enqueue;
pub mod mutable;
mod record;
mod remap;
mod replay;
mod segment;

use std::sync::Arc;

use parking_lot::Mutex;

pub use self::record::{CommandArgs, KernelCommand, Recipe};

use self::record::Entry;
use self::segment::Segment;
use crate::base::error::Error;
use crate::base::object::{Kind, Ref};
use crate::context::Context;
use crate::queue::Queue;

/// A command buffer object.
pub struct CommandBuffer {
    context: Ref<Context>,
    /// The queues that it was created for; commands refer to them by index.
    queues: Vec<Ref<Queue>>,
    /// The list given to clCreateCommandBufferKHR, with its terminator.
    property_list: Option<Vec<u64>>,
    /// CL_COMMAND_BUFFER_FLAGS_KHR.
    flags: u64,
    /// Guards the commands and their recordings.
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    entries: Vec<Entry>,
    order: record::RecordOrder,
    /// Made when recording ends.
    segments: Option<Vec<Arc<Segment>>>,
    /// True once recording has ended and all commands have all their arguments.
    complete: bool,
}

impl std::fmt::Debug for CommandBuffer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CommandBuffer")
            .field("flags", &self.flags)
            .finish_non_exhaustive()
    }
}

impl Kind for CommandBuffer {
    const TAG: u64 = u64::from_le_bytes(*b"pmcCMDBF");
    const INVALID: Error = Error::InvalidCommandBuffer;
}
