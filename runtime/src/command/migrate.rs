//! clEnqueueMigrateMemObjects.

use opencl_sys as cl;

use crate::command::{Command, WaitList, check_context};
use crate::error::{Error, Result};
use crate::event::Event;
use crate::memory::Mem;
use crate::memory::storage::Access;
use crate::object::Ref;
use crate::queue::Queue;
use crate::scheduler;

/// A migration.
pub struct Migrate {
    buffers: Vec<Ref<Mem>>,
    to_host: bool,
}

/// clEnqueueMigrateMemObjects.
pub fn enqueue(
    queue: &Ref<Queue>,
    buffers: Vec<Ref<Mem>>,
    flags: u64,
    wait: WaitList,
) -> Result<Ref<Event>> {
    // CL_INVALID_VALUE if the list is empty or the flags are not valid.
    let known = cl::CL_MIGRATE_MEM_OBJECT_HOST | cl::CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
    if buffers.is_empty() || flags & !known != 0 {
        return Err(Error::InvalidValue);
    }
    for buffer in &buffers {
        check_context(queue, buffer.context())?;
    }
    let command = Command::Migrate(Migrate {
        buffers,
        to_host: flags & cl::CL_MIGRATE_MEM_OBJECT_HOST != 0,
    });
    scheduler::enqueue(queue, command, wait, false)
}

impl Migrate {
    /// Brings the newest bytes to the queue's device. Migration to the host is a hint: the bytes
    /// go there when they are mapped or read.
    pub fn run(&self, queue: &Ref<Queue>) -> Result<()> {
        if self.to_host {
            return Ok(());
        }
        for buffer in &self.buffers {
            buffer.on_device(queue.device_index(), Access::Read)?;
        }
        Ok(())
    }
}
