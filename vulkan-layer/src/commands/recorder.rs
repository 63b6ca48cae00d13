//! Recording of commands.

use std::any::Any;
use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use ash::vk;

use crate::commands::buffer_copy::CopyRegion;
use crate::commands::submit::{Commands, QueueShared};
use crate::device::DeviceShared;
use crate::device::fault;
use crate::error::{Context, Error, Result};
use crate::objects::buffer::{Buffer, MemoryClass};
use crate::objects::descriptor::DescriptorSet;
use crate::objects::pipeline::Pipeline;
use crate::objects::query::{self, RESULT_SIZE, Timestamp};
use crate::objects::semaphore::BinarySemaphore;

/// Commands being recorded for one queue. [`crate::Queue::submit`] takes it; dropped, it records
/// nothing.
///
/// Every object that is recorded is kept until the device is done with the submission. Memory
/// that shaders reach by address alone is the caller's to keep, with [`Recorder::keep`].
///
/// Commands run in order only where [`Recorder::barrier`] stands between them.
pub struct Recorder {
    pub(crate) queue: Arc<QueueShared>,
    /// Taken by submission.
    pub(crate) commands: Option<Commands>,
    pub(crate) kept: Vec<Kept>,
    /// Secondary commands are those of a [`crate::Recording`].
    pub(crate) level: vk::CommandBufferLevel,
    /// Semaphores that the submission waits for and signals.
    pub(crate) semaphores: [Vec<BinarySemaphore>; 2],
    pipeline: Option<Pipeline>,
    /// The push constants from byte 0 on that the bound pipeline finds, and the layout that they were set for.
    pushed: (vk::PipelineLayout, Vec<u8>),
    /// Those that it has written.
    pub(super) timestamps: Vec<Timestamp>,
}

/// Object that a submission keeps alive.
pub(crate) enum Kept {
    Own(#[expect(dead_code, reason = "keeps the object")] Box<dyn Any + Send>),
    Shared(Arc<dyn Any + Send + Sync>),
}

/// vkCmdUpdateBuffer's limit, in bytes.
const MAX_UPDATE: usize = 65536;
/// Size of the repeated pattern that is laid out for copying, in bytes.
const FILL_TILE: u64 = 256 << 10;

impl Recorder {
    pub(crate) fn begin(
        queue: &Arc<QueueShared>,
        commands: Commands,
        level: vk::CommandBufferLevel,
    ) -> Result<Self> {
        let inheritance = vk::CommandBufferInheritanceInfo::default();
        let info = match level {
            vk::CommandBufferLevel::PRIMARY => vk::CommandBufferBeginInfo::default()
                .flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT),
            _ => vk::CommandBufferBeginInfo::default()
                .flags(vk::CommandBufferUsageFlags::SIMULTANEOUS_USE)
                .inheritance_info(&inheritance),
        };
        // SAFETY: the buffer is in the initial state and owned here alone.
        let begun = unsafe {
            queue
                .device()
                .raw
                .begin_command_buffer(commands.buffer, &info)
        };
        let recorder = Self {
            queue: Arc::clone(queue),
            commands: Some(commands),
            kept: Vec::new(),
            level,
            semaphores: Default::default(),
            pipeline: None,
            pushed: Default::default(),
            timestamps: Vec::new(),
        };
        fault::check("vkBeginCommandBuffer")?;
        begun.call("vkBeginCommandBuffer")?;
        Ok(recorder)
    }

    pub(crate) fn device(&self) -> &Arc<DeviceShared> {
        self.queue.device()
    }

    pub(crate) fn raw(&self) -> vk::CommandBuffer {
        // Submission consumes the recorder, so the commands are there.
        self.commands
            .as_ref()
            .map_or(vk::CommandBuffer::null(), |commands| commands.buffer)
    }

    /// Keeps an object until the device is done with this submission.
    pub fn keep(&mut self, object: impl Any + Send) {
        self.kept.push(Kept::Own(Box::new(object)));
    }

    /// Like [`Recorder::keep`], for an object that its owner keeps too.
    pub fn keep_shared(&mut self, object: &Arc<impl Any + Send + Sync>) {
        let kept = |last: &Kept| match last {
            Kept::Shared(last) => std::ptr::addr_eq(Arc::as_ptr(last), Arc::as_ptr(object)),
            Kept::Own(_) => false,
        };
        // A launch that is repeated.
        if !self.kept.last().is_some_and(kept) {
            self.kept.push(Kept::Shared(Arc::clone(object) as _));
        }
    }

    pub(crate) fn own(&self, buffer: &Buffer) -> Result<()> {
        if buffer.belongs_to(self.device()) {
            Ok(())
        } else {
            Err(Error::InvalidUse("a buffer of another device".into()))
        }
    }

    /// Makes a pipeline the one that dispatches use.
    pub fn bind_pipeline(&mut self, pipeline: &Pipeline) {
        if self
            .pipeline
            .as_ref()
            .is_some_and(|bound| bound.same(pipeline))
        {
            return;
        }
        // SAFETY: the pipeline is alive and kept; the command buffer is recording.
        unsafe {
            (self.device().raw).cmd_bind_pipeline(
                self.raw(),
                vk::PipelineBindPoint::COMPUTE,
                pipeline.0.raw,
            );
        }
        self.keep(pipeline.clone());
        // Push constants would stay; that is not left to drivers.
        if self.pushed.0 != pipeline.layout().0.raw {
            self.pushed.0 = vk::PipelineLayout::null();
        }
        self.pipeline = Some(pipeline.clone());
    }

    /// Notes that other commands may have bound what they liked.
    pub(crate) fn forget_pipeline(&mut self) {
        self.pipeline = None;
        self.pushed.0 = vk::PipelineLayout::null();
    }

    pub(crate) fn bound(&self) -> Result<&Pipeline> {
        (self.pipeline.as_ref()).ok_or_else(|| Error::InvalidUse("no pipeline is bound".into()))
    }

    /// Binds a descriptor set at its place in the bound pipeline's layout, which must be the
    /// layout that the set was made for, or one with equal sets.
    ///
    /// # Errors
    /// No pipeline bound, a set that its layout lacks, out of memory.
    pub fn bind_descriptors(&mut self, set: &DescriptorSet) -> Result<()> {
        let layout = self.bound()?.layout();
        if set.index() as usize >= layout.0.sets.len() {
            return Err(Error::InvalidUse(format!(
                "the layout has no set {}",
                set.index()
            )));
        }
        let raw = set.allocate()?;
        // SAFETY: layout and set are alive, the set is kept.
        unsafe {
            (self.device().raw).cmd_bind_descriptor_sets(
                self.raw(),
                vk::PipelineBindPoint::COMPUTE,
                layout.0.raw,
                set.index(),
                &[raw.raw],
                &[],
            );
        }
        self.keep(raw);
        Ok(())
    }

    /// Sets push constants from `offset` (a multiple of 4) on; the bytes are padded with zeros to
    /// a multiple of 4.
    ///
    /// # Errors
    /// No pipeline bound, or a range beyond its layout's.
    pub fn push_constants(&mut self, offset: u32, bytes: &[u8]) -> Result<()> {
        let layout = &self.bound()?.layout().0;
        let (raw_layout, size) = (layout.raw, layout.desc.push_constant_size);
        let size = size.next_multiple_of(4) as usize;
        let padded = bytes.len().next_multiple_of(4);
        if offset % 4 != 0 || (offset as usize).saturating_add(padded) > size {
            return Err(Error::InvalidUse(format!(
                "push constants {offset}..+{} in a range of {size} bytes",
                bytes.len()
            )));
        }
        let (pushed_for, pushed) = &self.pushed;
        let repeated = offset == 0 && *pushed_for == raw_layout && pushed == bytes;
        if bytes.is_empty() || repeated {
            return Ok(());
        }
        let mut data = Cow::Borrowed(bytes);
        if padded != bytes.len() {
            data.to_mut().resize(padded, 0);
        }
        // SAFETY: the range lies in the layout's, as checked.
        unsafe {
            (self.device().raw).cmd_push_constants(
                self.raw(),
                raw_layout,
                vk::ShaderStageFlags::COMPUTE,
                offset,
                &data,
            );
        }
        let (pushed_for, pushed) = &mut self.pushed;
        *pushed_for = raw_layout;
        pushed.clear();
        if offset == 0 {
            pushed.extend_from_slice(bytes);
        }
        Ok(())
    }

    /// Runs the bound pipeline for that many work-groups.
    ///
    /// # Errors
    /// No pipeline bound, or more groups than the device takes.
    pub fn dispatch(&mut self, groups: [u32; 3]) -> Result<()> {
        self.check_groups([0; 3], groups)?;
        self.note_dispatch()?;
        let [x, y, z] = groups;
        // SAFETY: a pipeline is bound; what it needs to be bound is the caller's documented duty
        // and cannot be seen here.
        unsafe { self.device().raw.cmd_dispatch(self.raw(), x, y, z) };
        Ok(())
    }

    /// Like [`Recorder::dispatch`], with work-group ids that begin at `base`.
    ///
    /// # Errors
    /// As there, and a pipeline made without `dispatch_base`.
    pub fn dispatch_base(&mut self, base: [u32; 3], groups: [u32; 3]) -> Result<()> {
        if !self.bound()?.0.dispatch_base {
            return Err(Error::InvalidUse(
                "the pipeline does not allow dispatch_base".into(),
            ));
        }
        self.check_groups(base, groups)?;
        self.note_dispatch()?;
        let ([bx, by, bz], [x, y, z]) = (base, groups);
        // SAFETY: as for `dispatch`; the pipeline has the flag.
        unsafe {
            self.device()
                .raw
                .cmd_dispatch_base(self.raw(), bx, by, bz, x, y, z)
        };
        Ok(())
    }

    /// Notes a dispatch of the bound pipeline.
    pub(super) fn note_dispatch(&self) -> Result<()> {
        let pipeline = &self.bound()?.0;
        pipeline.is_dispatched.store(true, Ordering::Relaxed);
        Ok(())
    }

    fn check_groups(&self, base: [u32; 3], groups: [u32; 3]) -> Result<()> {
        let limits = self.device().caps.limits.max_group_count;
        for ((base, count), limit) in base.into_iter().zip(groups).zip(limits) {
            let size = u64::from(base) + u64::from(count);
            if size > u64::from(limit) {
                return Err(Error::TooLarge {
                    what: "a number of work-groups",
                    size,
                    limit: u64::from(limit),
                });
            }
        }
        Ok(())
    }

    /// Writes bytes into a buffer, at any offset. The bytes are taken now.
    ///
    /// # Errors
    /// A range beyond the end, out of memory for staging.
    pub fn write_buffer(&mut self, buffer: &Buffer, offset: u64, bytes: &[u8]) -> Result<()> {
        self.own(buffer)?;
        buffer.check_range(offset, bytes.len() as u64)?;
        if bytes.is_empty() {
            return Ok(());
        }
        if offset % 4 == 0 && bytes.len() % 4 == 0 && bytes.len() <= MAX_UPDATE {
            // SAFETY: the range lies in the buffer; offset, size and limit are as required.
            unsafe {
                self.device()
                    .raw
                    .cmd_update_buffer(self.raw(), buffer.raw(), offset, bytes);
            }
            self.keep(buffer.clone());
            return Ok(());
        }
        let size = bytes.len() as u64;
        let staging = Buffer::allocate(self.device(), size, MemoryClass::Staging)?;
        staging.write(0, bytes)?;
        let region = CopyRegion {
            from: 0,
            to: offset,
            size,
        };
        self.copy_buffer(&staging, buffer, &[region])
    }

    /// Fills a buffer with zeros, to the end of its last word.
    ///
    /// # Errors
    /// A buffer of another device.
    pub fn clear_buffer(&mut self, buffer: &Buffer) -> Result<()> {
        self.own(buffer)?;
        let all = vk::WHOLE_SIZE;
        // SAFETY: the buffer is alive, kept, and has whole words.
        unsafe { (self.device().raw).cmd_fill_buffer(self.raw(), buffer.raw(), 0, all, 0) };
        self.keep(buffer.clone());
        Ok(())
    }

    /// Fills a range with repetitions of a pattern (1 byte or more; the size a multiple of the
    /// pattern's).
    ///
    /// # Errors
    /// A range beyond the end, an empty pattern, out of memory for staging.
    pub fn fill_buffer(
        &mut self,
        buffer: &Buffer,
        offset: u64,
        size: u64,
        pattern: &[u8],
    ) -> Result<()> {
        self.own(buffer)?;
        buffer.check_range(offset, size)?;
        let length = pattern.len() as u64;
        if length == 0 || size % length != 0 {
            return Err(Error::InvalidUse(
                "a fill that is no whole number of patterns".into(),
            ));
        }
        if size == 0 {
            return Ok(());
        }
        if let Some(word) = word_pattern(pattern).filter(|_| offset % 4 == 0 && size % 4 == 0) {
            // SAFETY: the range lies in the buffer; offset and size are multiples of 4.
            unsafe {
                (self.device().raw).cmd_fill_buffer(self.raw(), buffer.raw(), offset, size, word);
            }
            self.keep(buffer.clone());
            return Ok(());
        }
        let tile = size.min((FILL_TILE / length).max(1) * length);
        let staging = Buffer::allocate(self.device(), tile, MemoryClass::Staging)?;
        staging.write(0, &pattern.repeat((tile / length) as usize))?;
        let regions: Vec<_> = (0..size.div_ceil(tile))
            .map(|index| CopyRegion {
                from: 0,
                to: offset + index * tile,
                size: tile.min(size - index * tile),
            })
            .collect();
        self.copy_buffer(&staging, buffer, &regions)
    }

    /// Makes the whole submission wait for a semaphore.
    ///
    /// # Errors
    /// A semaphore of another device.
    pub fn wait_for(&mut self, semaphore: &BinarySemaphore) -> Result<()> {
        self.add_semaphore(0, semaphore)
    }

    /// Signals a semaphore when the whole submission is done.
    ///
    /// # Errors
    /// A semaphore of another device.
    pub fn signal(&mut self, semaphore: &BinarySemaphore) -> Result<()> {
        self.add_semaphore(1, semaphore)
    }

    fn add_semaphore(&mut self, list: usize, semaphore: &BinarySemaphore) -> Result<()> {
        if !semaphore.belongs_to(self.device()) {
            return Err(Error::InvalidUse("a semaphore of another device".into()));
        }
        self.semaphores[list].push(semaphore.clone());
        self.keep(semaphore.clone());
        Ok(())
    }

    /// Notes the device's time once everything recorded before is done.
    ///
    /// # Errors
    /// [`Error::Unsupported`] where the device's queues have none, out of memory.
    pub fn write_timestamp(&mut self) -> Result<Timestamp> {
        let timestamp = self.queue.timestamps.take()?;
        let (pool, index) = timestamp.place();
        // On an in-order device, earlier commands are complete when it reaches this one.
        let done = match self.device().runs_in_order {
            true => vk::PipelineStageFlags::TOP_OF_PIPE,
            false => vk::PipelineStageFlags::BOTTOM_OF_PIPE,
        };
        let device = self.device();
        if !device.caps.features.host_query_reset {
            // SAFETY: the query is this timestamp's alone, and nothing has used it since it was taken.
            unsafe { (device.raw).cmd_reset_query_pool(self.raw(), pool, index, 1) };
        }
        // SAFETY: the query is this timestamp's alone, kept and written once; it was reset before.
        unsafe { (device.raw).cmd_write_timestamp(self.raw(), done, pool, index) };
        self.timestamps.push(timestamp.clone());
        Ok(timestamp)
    }

    /// Puts the times that were noted where the host reads them.
    fn resolve_timestamps(&mut self) {
        let flags = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WAIT;
        for run in query::runs(&self.timestamps) {
            // SAFETY: the queries are written in this command buffer; the results have a place for
            // each query of the pool, and both are kept with the timestamps.
            unsafe {
                (self.device().raw).cmd_copy_query_pool_results(
                    self.raw(),
                    run.pool,
                    run.first,
                    run.count,
                    run.results.raw(),
                    u64::from(run.first) * RESULT_SIZE,
                    RESULT_SIZE,
                    flags,
                );
            }
        }
        let timestamps = std::mem::take(&mut self.timestamps);
        self.keep(timestamps);
    }

    /// Returns the number of timestamps written.
    pub fn timestamps(&self) -> usize {
        self.timestamps.len()
    }

    /// Ends the recording: the host sees what the commands wrote.
    pub(crate) fn finish(&mut self) -> Result<vk::CommandBuffer> {
        if self.level != vk::CommandBufferLevel::PRIMARY {
            return Err(Error::InvalidUse("commands of a recording".into()));
        }
        if !self.timestamps.is_empty() {
            self.resolve_timestamps();
        }
        let barrier = [vk::MemoryBarrier::default()
            .src_access_mask(vk::AccessFlags::MEMORY_WRITE)
            .dst_access_mask(vk::AccessFlags::HOST_READ | vk::AccessFlags::HOST_WRITE)];
        self.pipeline_barrier(
            vk::PipelineStageFlags::ALL_COMMANDS,
            vk::PipelineStageFlags::HOST,
            &barrier,
        );
        let raw = self.raw();
        // SAFETY: the command buffer is recording.
        unsafe { self.device().raw.end_command_buffer(raw) }.call("vkEndCommandBuffer")?;
        Ok(raw)
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        let Some(commands) = self.commands.take() else {
            return;
        };
        match self.level {
            vk::CommandBufferLevel::PRIMARY => self.queue.recycle(commands),
            // SAFETY: the commands were never complete, so nothing uses them.
            _ => unsafe { commands.destroy(&self.queue.device().raw) },
        }
    }
}

/// The word whose repetition is the pattern's repetition, for patterns that start at a word.
fn word_pattern(pattern: &[u8]) -> Option<u32> {
    let at = |index: usize| pattern[index % pattern.len()];
    let word = [at(0), at(1), at(2), at(3)];
    let repeats = (0..pattern.len() * 4).all(|index| word[index % 4] == at(index));
    repeats.then(|| u32::from_ne_bytes(word))
}

#[cfg(test)]
mod tests {
    use super::word_pattern;

    #[test]
    fn word_patterns() {
        let word = |bytes| Some(u32::from_ne_bytes(bytes));
        assert_eq!(word_pattern(&[7]), word([7; 4]));
        assert_eq!(word_pattern(&[1, 2]), word([1, 2, 1, 2]));
        assert_eq!(word_pattern(&[1, 2, 3, 4]), word([1, 2, 3, 4]));
        assert_eq!(word_pattern(&[1, 2, 3]), None);
        assert_eq!(word_pattern(&[5, 5, 5]), word([5; 4]));
        assert_eq!(word_pattern(&[1, 2, 3, 4, 1, 2, 3, 4]), word([1, 2, 3, 4]));
        assert_eq!(word_pattern(&[1, 2, 3, 4, 1, 2, 3, 5]), None);
    }
}
