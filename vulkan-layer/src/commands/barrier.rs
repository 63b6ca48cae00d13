//! Barriers between commands, and changes of owners.

use ash::vk;

use crate::commands::recorder::Recorder;
use crate::error::Result;
use crate::objects::buffer::Buffer;

/// The stages of everything that is recorded. Drivers pay for those of graphics and of queries too.
const WORK: vk::PipelineStageFlags = vk::PipelineStageFlags::from_raw(
    vk::PipelineStageFlags::COMPUTE_SHADER.as_raw() | vk::PipelineStageFlags::TRANSFER.as_raw(),
);
/// The stage that reads the sizes of indirect dispatches.
const STARTS: vk::PipelineStageFlags = vk::PipelineStageFlags::DRAW_INDIRECT;
/// The ways in which it writes.
const WRITES: vk::AccessFlags = vk::AccessFlags::from_raw(
    vk::AccessFlags::SHADER_WRITE.as_raw() | vk::AccessFlags::TRANSFER_WRITE.as_raw(),
);
/// The ways in which it reads.
const READS: vk::AccessFlags = vk::AccessFlags::from_raw(
    vk::AccessFlags::SHADER_READ.as_raw()
        | vk::AccessFlags::UNIFORM_READ.as_raw()
        | vk::AccessFlags::TRANSFER_READ.as_raw()
        | vk::AccessFlags::INDIRECT_COMMAND_READ.as_raw(),
);

/// Writes and reads of copies.
fn memory_of_copies() -> vk::MemoryBarrier<'static> {
    let writes = vk::AccessFlags::TRANSFER_WRITE;
    vk::MemoryBarrier::default()
        .src_access_mask(writes)
        .dst_access_mask(writes | vk::AccessFlags::TRANSFER_READ)
}

impl Recorder {
    /// Everything recorded later on this queue waits for everything earlier, and sees its writes.
    pub fn barrier(&mut self) {
        // See `quirks::QuirkKind::RunsInOrder`.
        if !self.timestamps.is_empty() && self.device().runs_in_order {
            return;
        }
        let barrier = [vk::MemoryBarrier::default()
            .src_access_mask(WRITES)
            .dst_access_mask(READS | WRITES)];
        let all = vk::PipelineStageFlags::ALL_COMMANDS;
        match self.queue.only_copies() {
            // The others' stages are not there.
            true => self.pipeline_barrier(all, all, &[memory_of_copies()]),
            false => self.pipeline_barrier(WORK, WORK | STARTS, &barrier),
        }
    }

    /// A barrier between two direct dispatches: the second waits for the first and sees what it wrote, and what the first
    /// saw. Drivers pay for each way of access, so it names no others.
    pub fn barrier_of_dispatches(&mut self) {
        // See `quirks::QuirkKind::RunsInOrder`.
        if !self.timestamps.is_empty() && self.device().runs_in_order {
            return;
        }
        let shaders = vk::PipelineStageFlags::COMPUTE_SHADER;
        let writes = vk::AccessFlags::SHADER_WRITE;
        let reads = vk::AccessFlags::SHADER_READ | vk::AccessFlags::UNIFORM_READ;
        let barrier = vk::MemoryBarrier::default()
            .src_access_mask(writes)
            .dst_access_mask(writes | reads);
        self.pipeline_barrier(shaders, shaders, &[barrier]);
    }

    /// Takes a buffer over from another API, or gives it back: what was written before is seen afterwards.
    ///
    /// # Errors
    /// A buffer of another device.
    pub fn hand_over(&mut self, buffer: &Buffer, to_us: bool) -> Result<()> {
        self.own(buffer)?;
        let families = &self.device().families;
        // Nobody owns a buffer that families share.
        let ours = match families.sharing() {
            Some(_) => vk::QUEUE_FAMILY_IGNORED,
            None => families.compute,
        };
        let theirs = vk::QUEUE_FAMILY_EXTERNAL;
        let (from, to) = if to_us {
            (theirs, ours)
        } else {
            (ours, theirs)
        };
        let all = vk::PipelineStageFlags::ALL_COMMANDS;
        let (before, after) = match to_us {
            true => (
                vk::AccessFlags::empty(),
                vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE,
            ),
            false => (vk::AccessFlags::MEMORY_WRITE, vk::AccessFlags::empty()),
        };
        let barrier = [vk::BufferMemoryBarrier::default()
            .src_access_mask(before)
            .dst_access_mask(after)
            .src_queue_family_index(from)
            .dst_queue_family_index(to)
            .buffer(buffer.raw())
            .size(vk::WHOLE_SIZE)];
        let none = vk::DependencyFlags::empty();
        // SAFETY: the buffer is alive and kept; the command buffer is recording.
        unsafe {
            (self.device().raw).cmd_pipeline_barrier(
                self.raw(),
                all,
                all,
                none,
                &[],
                &barrier,
                &[],
            );
        }
        self.keep(buffer.clone());
        Ok(())
    }

    pub(super) fn pipeline_barrier(
        &self,
        from: vk::PipelineStageFlags,
        to: vk::PipelineStageFlags,
        barrier: &[vk::MemoryBarrier<'_>],
    ) {
        let none = vk::DependencyFlags::empty();
        // SAFETY: the command buffer is recording, outside any render pass.
        unsafe {
            (self.device().raw).cmd_pipeline_barrier(self.raw(), from, to, none, barrier, &[], &[]);
        }
    }
}
