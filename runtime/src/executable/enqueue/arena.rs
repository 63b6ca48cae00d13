//! The memory of device-side enqueue: what kernels append to and the scheduler reads, as
//! `builtins-lib/lib/enqueue.cl` lays it out.

use pumice_vulkan_layer::{Buffer, LogicalDevice, MemoryClass};

use super::super::launch::{LaunchError, Result};
use super::DeviceQueues;
use crate::device::queue_limits;

/// Device queues that a launch can reach: QUEUES of the library.
const QUEUES: usize = queue_limits::PLACES;
/// Events of a launch.
const EVENTS: u32 = queue_limits::MOST_EVENTS;
/// Variants that the scheduler knows at a time.
pub(super) const VARIANTS: usize = 64;
/// Sizes of local memory of a block: LOCALS of the library.
pub(super) const LOCALS: usize = 8;

// Sizes of the library's structures, in bytes.
const RECORD: u64 = 256;
const EVENT: u64 = 64;
const VARIANT: u64 = 4192;
/// Bytes of a variant before its entries.
const VARIANT_HEAD: usize = 96;
/// sizeof(Key).
const KEY: u64 = 48;
const MOST_MISSING: u64 = 16;

// Places in the header.
const STATE: u64 = 16;
const VARIANT_COUNT: u64 = 32;
const MISSING_COUNT: u64 = 36;
const FREE_SLOTS: usize = 44;
const FREE_EVENTS: usize = 48;
const TIMES: u64 = 136;
/// Bytes of the header that the host reads back.
const READ_BACK: usize = 128;
/// VkDispatchIndirectCommand in a variant.
const DISPATCH: u64 = 16;
const NONE: u32 = u32::MAX;

/// The state that the scheduler left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Running,
    NeedsVariants,
    Done,
    Stuck,
}

/// A block with the sizes of its work-groups and local memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Key {
    pub block: u32,
    pub local_size: [u32; 3],
    pub locals: [u32; LOCALS],
}

/// Byte offsets of the arrays.
struct Layout {
    variants: u64,
    missing: u64,
    events: u64,
    free_events: u64,
    released: u64,
    records: u64,
    free_slots: u64,
    fresh: u64,
    ready: u64,
    waiting: u64,
    scratch: u64,
    size: u64,
}

impl Layout {
    fn new(slots: u32, slot_bytes: u32) -> Self {
        let mut end = 512;
        let mut take = |bytes: u64| {
            let at = end;
            end += bytes.next_multiple_of(256);
            at
        };
        let list = u64::from(slots) * 4;
        Self {
            variants: take(VARIANTS as u64 * VARIANT),
            missing: take(MOST_MISSING * KEY),
            events: take(u64::from(EVENTS) * EVENT),
            free_events: take(u64::from(EVENTS) * 4),
            released: take(u64::from(EVENTS) * 4),
            records: take(u64::from(slots) * u64::from(slot_bytes)),
            free_slots: take(list),
            fresh: take(list),
            ready: take(list),
            waiting: take(list),
            scratch: take(u64::from(slot_bytes)),
            size: end,
        }
    }
}

/// Words and addresses, one after the other.
#[derive(Default)]
struct Bytes(Vec<u8>);

impl Bytes {
    fn words(&mut self, words: &[u32]) {
        self.0
            .extend(words.iter().flat_map(|word| word.to_le_bytes()));
    }

    fn longs(&mut self, longs: &[u64]) {
        self.0
            .extend(longs.iter().flat_map(|long| long.to_le_bytes()));
    }
}

fn word(bytes: &[u8], at: usize) -> u32 {
    let mut word = [0; 4];
    word.copy_from_slice(&bytes[at..at + 4]);
    u32::from_le_bytes(word)
}

/// The memory of one launch at a time.
pub(super) struct Arena {
    pub buffer: Buffer,
    /// The pointer to its first byte, as kernels have it.
    base: u64,
    layout: Layout,
    slots: u32,
    slot_bytes: u32,
    launches: u32,
    /// Events that are not in use, as the last launch left them.
    free_events: u32,
    /// The header that the device found.
    begun: [u8; READ_BACK],
}

/// Bytes of a record with that many bytes of captured variables.
fn slot_bytes(captured: u32) -> u32 {
    RECORD as u32 + captured.next_multiple_of(128)
}

/// The records of a queue.
fn room(queue_bytes: u32, slot_bytes: u32) -> u32 {
    match queue_bytes {
        0 => 0,
        bytes => (bytes / slot_bytes).max(1),
    }
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
        let slot_bytes = slot_bytes(captured);
        // The first one stands for the host's launch.
        let slots = 1 + Self::rooms(queues, slot_bytes).iter().sum::<u32>();
        let layout = Layout::new(slots, slot_bytes);
        let buffer = device.create_buffer(layout.size, MemoryClass::HostVisibleDevice)?;
        let mut arena = Self {
            base: pointer(buffer.address()),
            buffer,
            layout,
            slots,
            slot_bytes,
            launches: 0,
            free_events: 0,
            begun: [0; READ_BACK],
        };
        let list: Vec<u32> = (1..slots).collect();
        arena.write_words(arena.layout.free_slots, &list)?;
        arena.reset_events()?;
        Ok(arena)
    }

    /// Tells whether a launch with these queues has room.
    pub fn serves(&self, queues: &DeviceQueues) -> bool {
        Self::rooms(queues, self.slot_bytes).iter().sum::<u32>() < self.slots
    }

    fn rooms(queues: &DeviceQueues, slot_bytes: u32) -> [u32; QUEUES] {
        queues.bytes.map(|bytes| room(bytes, slot_bytes))
    }

    fn write_words(&self, at: u64, words: &[u32]) -> Result<()> {
        let mut bytes = Bytes::default();
        bytes.words(words);
        Ok(self.buffer.write(at, &bytes.0)?)
    }

    /// Makes all events unused. Handles of earlier launches stay invalid: their generations are over.
    fn reset_events(&mut self) -> Result<()> {
        let mut event = [0; EVENT as usize / 4];
        event[2] = self.launches << 16;
        let all = event.repeat(EVENTS as usize);
        self.write_words(self.layout.events, &all)?;
        let list: Vec<u32> = (0..EVENTS).collect();
        self.write_words(self.layout.free_events, &list)?;
        self.free_events = EVENTS;
        Ok(())
    }

    /// The device address of the memory, for kernels of the application and the scheduler.
    pub fn address(&self) -> u64 {
        self.buffer.address()
    }

    /// The device address that the kernels of a variant get.
    pub fn variant_address(&self, index: usize) -> u64 {
        self.address() + self.variant_at(index)
    }

    fn variant_at(&self, index: usize) -> u64 {
        self.layout.variants + index as u64 * VARIANT
    }

    /// The place of a variant's numbers of work-groups.
    pub fn dispatch(&self, index: usize) -> (&Buffer, u64) {
        (&self.buffer, self.variant_at(index) + DISPATCH)
    }

    /// The place of the times of the last dispatches.
    pub fn times(&self) -> (&Buffer, u64) {
        (&self.buffer, TIMES)
    }

    /// Prepares the memory for a launch. `variants` of them are in it already.
    pub fn begin(
        &mut self,
        device: &LogicalDevice,
        queues: &DeviceQueues,
        variants: usize,
    ) -> Result<()> {
        if self.free_events != EVENTS {
            self.reset_events()?;
        }
        self.launches += 1;
        let caps = device.capabilities();
        let base = self.base;
        let at = &self.layout;
        let mut header = Bytes::default();
        header.longs(&[base]);
        // No entries, no groups; running.
        header.words(&[0, 0, 1, self.slots, self.slot_bytes, EVENTS]);
        let default = queues.default.map_or(0, |number| number + 1);
        header.words(&[variants as u32, 0, default, self.slots - 1]);
        header.words(&[EVENTS, 0, 0, 0, 0, 0]);
        let scale = (f64::from(caps.timestamp_period) * 65536.0).round() as u32;
        header.words(&[scale.max(1), caps.limits.max_group_count[0]]);
        header.words(&Self::rooms(queues, self.slot_bytes));
        header.words(&[0, 0, caps.limits.max_shared_memory, 0]);
        header.longs(&[0; 3]);
        header.longs(
            &[
                at.records,
                at.free_slots,
                at.fresh,
                at.ready,
                at.waiting,
                at.events,
                at.free_events,
                at.released,
                at.variants,
                at.missing,
                at.scratch,
            ]
            .map(|offset| base + offset),
        );
        self.buffer.write(0, &header.0)?;
        self.begun.copy_from_slice(&header.0[..READ_BACK]);
        // The host's launch: it has run when the scheduler begins.
        let mut root = [0; RECORD as usize / 4];
        root[5] = 1;
        root[18] = NONE;
        root[19] = NONE;
        self.write_words(self.layout.records, &root)
    }

    /// Reads the state after a submission, with the variants that are missing.
    pub fn state(&mut self) -> Result<(State, Vec<Key>)> {
        let mut header = [0; READ_BACK];
        self.buffer.read(0, &mut header)?;
        // Rounds that leave no trace would go on for ever.
        if header == self.begun {
            let text = "the device has not run the scheduler of device-side enqueue";
            return Err(LaunchError::Resources(text.into()));
        }
        self.free_events = word(&header, FREE_EVENTS);
        let missing = u64::from(word(&header, MISSING_COUNT as usize)).min(MOST_MISSING);
        let mut keys = Vec::new();
        for index in 0..missing {
            let mut bytes = [0; KEY as usize];
            self.buffer
                .read(self.layout.missing + index * KEY, &mut bytes)?;
            let at = |n: usize| word(&bytes, 4 * n);
            keys.push(Key {
                block: at(0),
                local_size: [at(1), at(2), at(3)],
                locals: std::array::from_fn(|n| at(4 + n)),
            });
        }
        let state = match word(&header, STATE as usize) {
            1 => State::Running,
            2 => State::NeedsVariants,
            3 if word(&header, FREE_SLOTS) + 1 == self.slots => State::Done,
            4 => State::Stuck,
            _ => {
                let text = "a kernel has overwritten the memory of device-side enqueue";
                return Err(LaunchError::Resources(text.into()));
            }
        };
        Ok((state, keys))
    }

    /// Writes a variant, with no work.
    pub fn write_variant(&self, index: usize, key: &Key, max_groups: u32) -> Result<()> {
        let mut bytes = Bytes::default();
        bytes.longs(&[self.base]);
        bytes.words(&[0, 0, 0, 1, 1, max_groups, key.block]);
        bytes.words(&key.local_size);
        bytes.words(&key.locals);
        bytes.0.resize(VARIANT_HEAD, 0);
        Ok(self.buffer.write(self.variant_at(index), &bytes.0)?)
    }

    /// Lets the scheduler go on with so many variants.
    pub fn go_on(&self, variants: usize) -> Result<()> {
        self.write_words(VARIANT_COUNT, &[variants as u32, 0])?;
        self.write_words(STATE, &[1])
    }
}

#[cfg(test)]
mod tests {
    use super::{KEY, LOCALS, Layout, VARIANT, VARIANT_HEAD, room, slot_bytes};

    #[test]
    fn queues_hold_records_of_their_size() {
        assert_eq!(slot_bytes(0), 256);
        assert_eq!(slot_bytes(1), 384);
        assert_eq!(slot_bytes(128), 384);
        assert_eq!(room(16384, 256), 64);
        // A queue has one place at least, and an absent one has none.
        assert_eq!(room(100, 256), 1);
        assert_eq!(room(0, 256), 0);
    }

    #[test]
    fn arrays_do_not_overlap() {
        let layout = Layout::new(65, 384);
        assert!(layout.missing >= layout.variants + 64 * VARIANT);
        assert!(layout.free_slots >= layout.records + 65 * 384);
        assert!(layout.size >= layout.scratch + 384);
        assert_eq!(KEY as usize, 4 * (4 + LOCALS));
        assert!(VARIANT_HEAD as u64 + 256 * 16 == VARIANT);
    }
}
