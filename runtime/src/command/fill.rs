//! clEnqueueFillBuffer.

use crate::command::{Class, Command, Retire, WaitList, check_context};
use crate::error::{Error, Result};
use crate::event::Event;
use crate::gpu;
use crate::memory::Mem;
use crate::memory::host_ptr::HostBlock;
use crate::memory::storage::Access;
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
    /// The device fills with 32-bit words; other patterns are the host's work.
    fn word(&self) -> Option<u32> {
        let aligned = (self.buffer.origin() + self.offset) % 4 == 0 && self.size % 4 == 0;
        let word: Vec<u8> = self.pattern.iter().copied().cycle().take(4).collect();
        let word: [u8; 4] = word.try_into().ok()?;
        let repeats = self.pattern.len() <= 4 || self.pattern.chunks(4).all(|chunk| chunk == word);
        (aligned && repeats).then(|| u32::from_ne_bytes(word))
    }

    /// Where it does its work.
    pub fn class(&self) -> Class {
        match self.word() {
            Some(_) => Class::Device,
            None => Class::Host,
        }
    }

    /// Records a fill with words.
    pub fn record(&self, queue: &Ref<Queue>, recorder: &mut gpu::Recorder) -> Result<Retire> {
        let memory = self
            .buffer
            .storage()
            .on_device(queue.device_index(), Access::Write)?;
        let word = self.word().ok_or(Error::InvalidOperation)?;
        let offset = (self.buffer.origin() + self.offset) as u64;
        if self.size != 0 {
            recorder.fill(&memory, offset, self.size as u64, word)?;
        }
        Ok(Retire::with(move || {
            drop(memory);
            Ok(())
        }))
    }

    /// Fills on the host.
    pub fn run(&self, queue: &Ref<Queue>) -> Result<()> {
        let memory = self
            .buffer
            .storage()
            .on_device(queue.device_index(), Access::Write)?;
        let offset = self.buffer.origin() + self.offset;
        if let Some(mapped) = memory.host() {
            mapped.part(offset, self.size).fill(&self.pattern);
            return Ok(());
        }
        let mut block = HostBlock::new(self.size).ok_or(Error::OutOfHostMemory)?;
        let slice = block.slice();
        slice.fill(&self.pattern);
        memory.write(offset as u64, slice)
    }
}
