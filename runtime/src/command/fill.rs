//! clEnqueueFillBuffer.

use crate::command::{Command, Retire, WaitList, check_context};
use crate::error::{Error, Result};
use crate::event::Event;
use crate::gpu;
use crate::memory::Mem;
use crate::object::Ref;
use crate::queue::Queue;
use crate::scheduler;

/// A fill.
pub struct Fill {
    buffer: Ref<Mem>,
    pattern: Vec<u8>,
    offset: usize,
    size: usize,
}

/// clEnqueueFillBuffer; `pattern` is `None` for NULL.
pub fn enqueue(
    queue: &Ref<Queue>,
    buffer: &Ref<Mem>,
    pattern: Option<&[u8]>,
    offset: usize,
    size: usize,
    wait: WaitList,
) -> Result<Ref<Event>> {
    check_context(queue, buffer.context())?;
    buffer.storage()?;
    // CL_INVALID_VALUE if the region is out of bounds.
    buffer.check_range(offset, size)?;
    // CL_INVALID_VALUE if pattern is NULL, or its size is not one of 1, 2, 4, … 128.
    let pattern = pattern.ok_or(Error::InvalidValue)?;
    if !pattern.len().is_power_of_two() || pattern.len() > 128 {
        return Err(Error::InvalidValue);
    }
    // CL_INVALID_VALUE if offset and size are not multiples of the pattern's size.
    if offset % pattern.len() != 0 || size % pattern.len() != 0 {
        return Err(Error::InvalidValue);
    }
    buffer.check_alignment(queue.device())?;
    let command = Command::Fill(Fill {
        buffer: buffer.clone(),
        pattern: pattern.to_vec(),
        offset,
        size,
    });
    scheduler::enqueue(queue, command, wait, false)
}

impl Fill {
    /// Records the fill.
    pub fn record(&self, queue: &Ref<Queue>, recorder: &mut gpu::Recorder) -> Result<Retire> {
        let storage = self.buffer.storage()?;
        let offset = self.buffer.origin() + self.offset;
        let access = storage.writing(offset, self.size);
        let memory = storage.on_device(queue.device_index(), access)?;
        recorder
            .fill_buffer(&memory, offset as u64, self.size as u64, &self.pattern)
            .map_err(gpu::error)?;
        Ok(Retire::nothing())
    }
}
