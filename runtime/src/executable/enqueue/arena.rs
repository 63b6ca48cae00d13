//! The memory of device-side enqueue in a buffer: what kernels append to and the scheduler reads.

use pumice_compiler::target::device_queue::{
    self, EVENTS, Key, Layout, Progress, STATE_BYTES, Write,
};
use pumice_vulkan_layer::{Buffer, LogicalDevice, MemoryClass};

use super::super::launch::{LaunchError, Result};
use super::DeviceQueues;

/// The memory of one launch at a time.
pub(super) struct Arena {
    pub buffer: Buffer,
    /// The pointer to its first byte, as kernels have it.
    base: u64,
    layout: Layout,
    launches: u32,
    /// Events that are not in use, as the last launch left them.
    free_events: u32,
    /// The header that the device found.
    begun: [u8; STATE_BYTES],
}

impl Arena {
    /// Makes memory for these queues.
    ///
    /// `pointer` makes a kernel's pointer of a device address.
    pub fn new(
        device: &LogicalDevice,
        queues: &DeviceQueues,
        captured: u32,
        pointer: impl Fn(u64) -> u64,
    ) -> Result<Self> {
        let layout = Layout::new(&queues.bytes, captured);
        let buffer = device.create_buffer(layout.size(), MemoryClass::HostVisibleDevice)?;
        let arena = Self {
            base: pointer(buffer.address()),
            buffer,
            layout,
            launches: 0,
            free_events: EVENTS,
            begun: [0; STATE_BYTES],
        };
        arena.write(&[arena.layout.free_records()])?;
        arena.write(&arena.layout.unused_events(0))?;
        Ok(arena)
    }

    /// Tells whether a launch with these queues has room.
    pub fn serves(&self, queues: &DeviceQueues) -> bool {
        self.layout.serves(&queues.bytes)
    }

    fn write(&self, writes: &[Write]) -> Result<()> {
        for (at, bytes) in writes {
            self.buffer.write(*at, bytes)?;
        }
        Ok(())
    }

    /// The device address of the memory, for kernels of the application and the scheduler.
    pub fn address(&self) -> u64 {
        self.buffer.address()
    }

    /// The device address that the kernels of a variant get.
    pub fn variant_address(&self, index: usize) -> u64 {
        self.address() + self.layout.variant(index)
    }

    /// The place of a variant's numbers of work-groups.
    pub fn dispatch(&self, index: usize) -> (&Buffer, u64) {
        (&self.buffer, self.layout.dispatch(index))
    }

    /// The place of the times of the last dispatches.
    pub fn times(&self) -> (&Buffer, u64) {
        (&self.buffer, self.layout.times())
    }

    /// The pointer to its first byte, as kernels have it.
    pub fn base(&self) -> u64 {
        self.base
    }

    /// Prepares the memory for a launch. `variants` of them are in it already; `max_groups` is the most work-groups
    /// of a dispatch in the first dimension.
    pub fn begin(
        &mut self,
        device: &LogicalDevice,
        queues: &DeviceQueues,
        variants: usize,
        max_groups: u32,
    ) -> Result<()> {
        if self.free_events != EVENTS {
            // Handles of earlier launches stay invalid: their generations are over.
            self.write(&self.layout.unused_events(self.launches << 16))?;
            self.free_events = EVENTS;
        }
        self.launches += 1;
        let caps = device.capabilities();
        let launch = device_queue::Launch {
            queue_bytes: queues.bytes,
            default: queues.default,
            variants,
            tick_scale: (f64::from(caps.timestamp_period) * 65536.0).round() as u32,
            max_groups,
            most_local_bytes: caps.limits.max_shared_memory,
            uniform_groups: queues.uniform_groups,
        };
        let writes = self.layout.begin(self.base, &launch);
        let header = &writes[0].1;
        self.begun.copy_from_slice(&header[..STATE_BYTES]);
        self.write(&writes)
    }

    /// Reads the state after a submission, with the variants that are missing.
    pub fn state(&mut self) -> Result<(Progress, Vec<Key>)> {
        let mut header = [0; STATE_BYTES];
        self.buffer.read(0, &mut header)?;
        // Rounds that leave no trace would go on for ever.
        if header == self.begun {
            let text = "the device has not run the scheduler of device-side enqueue";
            return Err(LaunchError::Resources(text.into()));
        }
        let progress = self.layout.progress(&header).ok_or_else(|| {
            let text = "a kernel has overwritten the memory of device-side enqueue";
            LaunchError::Resources(text.into())
        })?;
        self.free_events = progress.free_events;
        let mut keys = Vec::new();
        for index in 0..progress.missing {
            let (at, size) = self.layout.missing(index);
            let mut bytes = vec![0; size];
            self.buffer.read(at, &mut bytes)?;
            keys.push(Key::read(&bytes));
        }
        Ok((progress, keys))
    }

    /// The block of a variant, and how many of its kernels have ended since it was made. The count wraps.
    pub fn ended(&self, index: usize) -> Result<(u32, u32)> {
        let mut words = [[0; 4]; 2];
        let places = self.layout.block_and_ended(index);
        for (word, at) in words.iter_mut().zip(places) {
            self.buffer.read(at, word)?;
        }
        let [block, ended] = words.map(u32::from_le_bytes);
        Ok((block, ended))
    }

    /// Writes a variant, with no work.
    pub fn write_variant(&self, index: usize, key: &Key, max_groups: u32) -> Result<()> {
        let write = self.layout.new_variant(self.base, index, key, max_groups);
        self.write(&[write])
    }

    /// Lets the scheduler go on with so many variants.
    pub fn go_on(&self, variants: usize) -> Result<()> {
        self.write(&self.layout.go_on(variants))
    }
}
