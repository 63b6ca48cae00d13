//! Copies between the host and buffers that it does not reach: batch by batch through staging memory, or by the device alone
//! where the host's side is a buffer that maps show.
//!
//! They run on the device's queue that only copies, if it has one, and so beside kernels. Two batches are under
//! way at a time: the host copies the one while the device copies the other.

use pumice_vulkan_layer as vk;
use pumice_vulkan_layer::{Buffer, CopyRegion, MemoryClass, Wait};

use crate::base::error::{Error, Result};
use crate::base::host_ptr::HostSlice;
use crate::base::region::{Run, Sides};
use crate::device::gpu::{self, OpenDevice};

/// The most bytes of a batch.
const BATCH: usize = gpu::STAGING / 2;

/// The most runs of a batch.
const BATCH_RUNS: usize = 4096;

/// The runs of at most `most` bytes that one consists of.
fn cut(run: Run, most: usize) -> impl Iterator<Item = Run> {
    (0..run.size).step_by(most).map(move |at| Run {
        buffer: run.buffer + at,
        host: run.host + at,
        size: most.min(run.size - at),
    })
}

fn region(from: usize, to: usize, size: usize) -> CopyRegion {
    CopyRegion {
        from: from as u64,
        to: to as u64,
        size: size as u64,
    }
}

/// Runs that one submission copies. They lie one behind the other in staging memory.
#[derive(Default)]
struct Batch {
    runs: Vec<Run>,
    /// Bytes of all runs.
    size: usize,
}

impl Batch {
    /// Tells whether a run is too much for it.
    fn is_full_for(&self, run: Run) -> bool {
        self.runs.len() == BATCH_RUNS || self.size + run.size > BATCH
    }

    fn push(&mut self, run: Run) {
        self.size += run.size;
        self.runs.push(run);
    }

    /// The runs with their places in staging memory.
    fn placed(&self) -> impl Iterator<Item = (usize, Run)> {
        self.runs.iter().scan(0, |end, &run| {
            let at = *end;
            *end += run.size;
            Some((at, run))
        })
    }
}

/// The batches of runs.
fn batches(runs: impl Iterator<Item = Run>) -> impl Iterator<Item = Batch> {
    let mut runs = runs.flat_map(|run| cut(run, BATCH)).peekable();
    std::iter::from_fn(move || {
        let mut batch = Batch::default();
        while let Some(run) = runs.next_if(|&run| !batch.is_full_for(run)) {
            batch.push(run);
        }
        (!batch.runs.is_empty()).then_some(batch)
    })
}

/// Staging memory for one batch at a time.
struct Slot {
    buffer: Buffer,
    view: HostSlice,
    /// The submission that uses it, and what it copies.
    used: Option<(u64, Batch)>,
}

/// A copy that is under way.
struct Copying<'a> {
    gpu: &'a OpenDevice,
    class: MemoryClass,
    queue: vk::Queue,
    /// The wait of the next submission.
    before: Option<Wait>,
    /// Bytes of a slot.
    slot_size: usize,
    /// The slots, which batches take in turn.
    slots: [Option<Slot>; 2],
    /// The slot of the next batch.
    next: usize,
}

impl<'a> Copying<'a> {
    /// A copy of `size` bytes.
    fn begin(gpu: &'a OpenDevice, size: usize, class: MemoryClass) -> Result<Self> {
        let (queue, before) = gpu.copies()?;
        Ok(Self {
            gpu,
            class,
            queue,
            before,
            slot_size: size.min(BATCH),
            slots: [None, None],
            next: 0,
        })
    }

    /// The memory of the next batch's slot, once what used it is copied; `taken` is called with that.
    fn room(&mut self, taken: impl FnOnce(&Batch, HostSlice)) -> Result<HostSlice> {
        let slot = &mut self.slots[self.next];
        if let Some(slot) = slot.as_mut() {
            if let Some((value, batch)) = slot.used.take() {
                let timeline = self.queue.timeline().clone();
                gpu::wait_for_copy(&Wait { timeline, value })?;
                taken(&batch, slot.view);
            }
            return Ok(slot.view);
        }
        let buffer = self.gpu.take_staging(self.class, self.slot_size)?;
        let view = HostSlice::of_buffer(&buffer).ok_or(Error::OutOfResources)?;
        let used = None;
        *slot = Some(Slot { buffer, view, used });
        Ok(view)
    }

    /// Submits the copy of a batch through its slot.
    fn submit(
        &mut self,
        batch: Batch,
        record: impl FnOnce(&mut vk::Recorder, &Buffer, &Batch) -> vk::Result<()>,
    ) -> Result<()> {
        let slot = (self.slots[self.next].as_mut()).ok_or(Error::OutOfResources)?;
        let submit = || {
            let mut recorder = self.queue.recorder()?;
            record(&mut recorder, &slot.buffer, &batch)?;
            self.queue.submit(recorder, self.before.as_slice())
        };
        let value = submit().map_err(gpu::error)?;
        self.before = None;
        slot.used = Some((value, batch));
        self.next = (self.next + 1) % self.slots.len();
        Ok(())
    }

    /// Ends all batches in their order.
    fn end(&mut self, mut taken: impl FnMut(&Batch, HostSlice)) -> Result<()> {
        for _ in 0..self.slots.len() {
            if self.slots[self.next].is_some() {
                self.room(&mut taken)?;
            }
            self.next = (self.next + 1) % self.slots.len();
        }
        // The next transfer is to find the memory.
        self.queue.reclaim();
        Ok(())
    }
}

impl OpenDevice {
    /// Copies device memory to the host, once all commands that write it have ended.
    ///
    /// # Errors
    /// Out of memory, or a lost device.
    pub fn read(&self, memory: &Buffer, offset: u64, into: HostSlice) -> Result<()> {
        self.read_region(memory, Sides::linear(offset as usize, into.len()), into)
    }

    /// Copies host memory to the device, while no command uses the range.
    ///
    /// # Errors
    /// Out of memory, or a lost device.
    pub fn write(&self, memory: &Buffer, offset: u64, from: HostSlice) -> Result<()> {
        self.write_region(memory, Sides::linear(offset as usize, from.len()), from)
    }

    /// [`OpenDevice::read`] for a region with rows.
    ///
    /// # Errors
    /// Out of memory, or a lost device.
    pub fn read_region(&self, memory: &Buffer, sides: Sides, into: HostSlice) -> Result<()> {
        if let Some(mapped) = gpu::host_view(memory) {
            for run in sides.runs() {
                let to = into.part(run.host, run.size);
                to.copy_from(mapped.part(run.buffer, run.size));
            }
            return Ok(());
        }
        let mut copying = Copying::begin(self, sides.bytes(), MemoryClass::Readback)?;
        let take = |batch: &Batch, view: HostSlice| {
            for (at, run) in batch.placed() {
                let to = into.part(run.host, run.size);
                to.copy_from(view.part(at, run.size));
            }
        };
        for batch in batches(sides.runs()) {
            copying.room(take)?;
            copying.submit(batch, |recorder, staging, batch| {
                let region = |(at, run): (usize, Run)| region(run.buffer, at, run.size);
                let regions: Vec<_> = batch.placed().map(region).collect();
                recorder.copy_buffer(memory, staging, &regions)
            })?;
        }
        copying.end(take)
    }

    /// [`OpenDevice::write`] for a region with rows, which do not overlap in the buffer.
    ///
    /// # Errors
    /// Out of memory, or a lost device.
    pub fn write_region(&self, memory: &Buffer, sides: Sides, from: HostSlice) -> Result<()> {
        if let Some(mapped) = gpu::host_view(memory) {
            for run in sides.runs() {
                let to = mapped.part(run.buffer, run.size);
                to.copy_from(from.part(run.host, run.size));
            }
            return Ok(());
        }
        let mut copying = Copying::begin(self, sides.bytes(), MemoryClass::Staging)?;
        for batch in batches(sides.runs()) {
            let view = copying.room(|_, _| ())?;
            for (at, run) in batch.placed() {
                let to = view.part(at, run.size);
                to.copy_from(from.part(run.host, run.size));
            }
            copying.submit(batch, |recorder, staging, batch| {
                let region = |(at, run): (usize, Run)| region(at, run.buffer, run.size);
                let regions: Vec<_> = batch.placed().map(region).collect();
                recorder.copy_buffer(staging, memory, &regions)
            })?;
        }
        copying.end(|_, _| ())
    }

    /// Copies a region of a buffer to its place on the host's side, which is another buffer, while no command uses either.
    ///
    /// # Errors
    /// Out of memory, or a lost device.
    pub fn copy_region(&self, from: &Buffer, to: &Buffer, sides: Sides) -> Result<()> {
        let (queue, before) = self.copies()?;
        let mut before = before.as_slice();
        let region = |run: Run| region(run.buffer, run.host, run.size);
        let mut regions = sides.runs().map(region).peekable();
        while regions.peek().is_some() {
            let batch: Vec<_> = regions.by_ref().take(BATCH_RUNS).collect();
            let submit = || {
                let mut recorder = queue.recorder()?;
                recorder.copy_buffer(from, to, &batch)?;
                queue.submit(recorder, before)
            };
            let value = submit().map_err(gpu::error)?;
            before = &[];
            let timeline = queue.timeline().clone();
            gpu::wait_for_copy(&Wait { timeline, value })?;
        }
        queue.reclaim();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{BATCH, BATCH_RUNS, batches};
    use crate::base::region::Run;

    /// The number of runs and bytes of each batch, and the runs of all.
    fn batched(runs: &[Run]) -> (Vec<(usize, usize)>, Vec<Run>) {
        let all: Vec<_> = batches(runs.iter().copied()).collect();
        let sizes = all.iter().map(|batch| (batch.runs.len(), batch.size));
        (
            sizes.collect(),
            all.iter().flat_map(|b| b.runs.clone()).collect(),
        )
    }

    #[test]
    fn a_long_run_is_cut() {
        let (buffer, host) = (7, 11);
        let size = 2 * BATCH + 5;
        let (sizes, runs) = batched(&[Run { buffer, host, size }]);
        assert_eq!(sizes, [(1, BATCH), (1, BATCH), (1, 5)]);
        let last = Run {
            buffer: 7 + 2 * BATCH,
            host: 11 + 2 * BATCH,
            size: 5,
        };
        assert_eq!(runs[2], last);
        assert_eq!(batched(&[]).0, []);
    }

    #[test]
    fn short_runs_share_batches() {
        let row = |y: usize| Run {
            buffer: 100 * y,
            host: 60 * y,
            size: 60,
        };
        let rows: Vec<_> = (0..BATCH_RUNS + 2).map(row).collect();
        let (sizes, runs) = batched(&rows);
        assert_eq!(sizes, [(BATCH_RUNS, 60 * BATCH_RUNS), (2, 120)]);
        assert_eq!(runs, rows);
        let places: Vec<_> = batches(rows[..3].iter().copied())
            .flat_map(|batch| batch.placed().map(|(at, _)| at).collect::<Vec<_>>())
            .collect();
        assert_eq!(places, [0, 60, 120]);
    }
}
