//! Copies between the host and buffers that it does not reach, piece by piece through staging memory.
//!
//! They run on the device's queue that only copies, if it has one, and so beside kernels. Two pieces are under
//! way at a time: the host copies the one while the device copies the other.

use pumice_vulkan_layer as vk;
use pumice_vulkan_layer::{Buffer, CopyRegion, MemoryClass, Wait};

use crate::base::error::{Error, Result};
use crate::base::host_ptr::HostSlice;
use crate::device::gpu::{self, OpenDevice};

/// Bytes of a piece.
const PIECE: usize = gpu::STAGING / 2;

/// Staging memory for one piece at a time.
struct Slot {
    buffer: Buffer,
    view: HostSlice,
    /// The submission that uses it, and the bytes of the whole that it copies: their first and their number.
    used: Option<(u64, usize, usize)>,
}

/// A copy that is under way.
struct Copying {
    queue: vk::Queue,
    /// The wait of the next submission.
    before: Option<Wait>,
    slots: Vec<Slot>,
}

impl Copying {
    fn begin(gpu: &OpenDevice, size: usize, class: MemoryClass) -> Result<Self> {
        let (queue, before) = gpu.copies()?;
        let slot = |bytes: usize| {
            let buffer = gpu.raw().create_buffer(bytes as u64, class);
            let buffer = buffer.map_err(gpu::error)?;
            let view = HostSlice::of_buffer(&buffer).ok_or(Error::OutOfResources)?;
            let used = None;
            Ok(Slot { buffer, view, used })
        };
        let count = size.div_ceil(PIECE).min(2);
        let slots = (0..count).map(|_| slot(size.min(PIECE)));
        Ok(Self {
            queue,
            before,
            slots: slots.collect::<Result<_>>()?,
        })
    }

    /// Waits until the piece in a slot is copied; gives its place in the whole.
    fn end(&mut self, index: usize) -> Result<Option<(usize, usize)>> {
        let slots = self.slots.len();
        let slot = &mut self.slots[index % slots];
        let Some((value, at, length)) = slot.used.take() else {
            return Ok(None);
        };
        let timeline = self.queue.timeline().clone();
        gpu::wait(&Wait { timeline, value })?;
        Ok(Some((at, length)))
    }

    /// Submits the copy of a piece, `at` and `length` in the whole.
    fn submit(
        &mut self,
        index: usize,
        (at, length): (usize, usize),
        record: impl FnOnce(&mut vk::Recorder, &Buffer) -> vk::Result<()>,
    ) -> Result<()> {
        let slots = self.slots.len();
        let slot = &mut self.slots[index % slots];
        let submit = || {
            let mut recorder = self.queue.recorder()?;
            record(&mut recorder, &slot.buffer)?;
            self.queue.submit(recorder, self.before.as_slice())
        };
        let value = submit().map_err(gpu::error)?;
        self.before = None;
        slot.used = Some((value, at, length));
        Ok(())
    }

    /// The view of a slot.
    fn view(&self, index: usize, length: usize) -> HostSlice {
        let slot = &self.slots[index % self.slots.len()];
        slot.view.part(0, length)
    }
}

/// The pieces of `size` bytes: number, first byte, length.
fn pieces(size: usize) -> impl Iterator<Item = (usize, usize, usize)> {
    let starts = (0..size).step_by(PIECE).enumerate();
    starts.map(move |(index, at)| (index, at, PIECE.min(size - at)))
}

impl OpenDevice {
    /// Copies device memory to the host, once all commands that write it have ended.
    ///
    /// # Errors
    /// Out of memory, or a lost device.
    pub fn read(&self, memory: &Buffer, offset: u64, into: HostSlice) -> Result<()> {
        if let Some(mapped) = gpu::host_view(memory) {
            into.copy_from(mapped.part(offset as usize, into.len()));
            return Ok(());
        }
        let mut copying = Copying::begin(self, into.len(), MemoryClass::Readback)?;
        let take = |copying: &mut Copying, index| {
            if let Some((at, length)) = copying.end(index)? {
                into.part(at, length).copy_from(copying.view(index, length));
            }
            Ok(())
        };
        let count = pieces(into.len()).count();
        for (index, at, length) in pieces(into.len()) {
            take(&mut copying, index)?;
            copying.submit(index, (at, length), |recorder, staging| {
                let (from, size) = (offset + at as u64, length as u64);
                recorder.copy_buffer(memory, staging, &[CopyRegion { from, to: 0, size }])
            })?;
        }
        (count..count + copying.slots.len()).try_for_each(|index| take(&mut copying, index))
    }

    /// Copies host memory to the device, while no command uses the range.
    ///
    /// # Errors
    /// Out of memory, or a lost device.
    pub fn write(&self, memory: &Buffer, offset: u64, from: HostSlice) -> Result<()> {
        if let Some(mapped) = gpu::host_view(memory) {
            mapped.part(offset as usize, from.len()).copy_from(from);
            return Ok(());
        }
        let mut copying = Copying::begin(self, from.len(), MemoryClass::Staging)?;
        let count = pieces(from.len()).count();
        for (index, at, length) in pieces(from.len()) {
            copying.end(index)?;
            copying.view(index, length).copy_from(from.part(at, length));
            copying.submit(index, (at, length), |recorder, staging| {
                let (to, size) = (offset + at as u64, length as u64);
                recorder.copy_buffer(staging, memory, &[CopyRegion { from: 0, to, size }])
            })?;
        }
        (count..count + copying.slots.len()).try_for_each(|index| copying.end(index).map(drop))
    }
}

#[cfg(test)]
mod tests {
    use super::{PIECE, pieces};

    #[test]
    fn pieces_cover_everything_once() {
        assert_eq!(pieces(0).count(), 0);
        let all: Vec<_> = pieces(2 * PIECE + 5).collect();
        assert_eq!(all, [(0, 0, PIECE), (1, PIECE, PIECE), (2, 2 * PIECE, 5)]);
    }
}
