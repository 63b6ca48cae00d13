//! The memory of device-side enqueue, as `builtins-lib/lib/enqueue.cl` lays it out: the runtime makes it
//! for devices, and the interpreter for itself.
//!
//! | part | holds |
//! |---|---|
//! | header | the scheduler's state, counts, and the addresses of the other parts |
//! | variants | blocks with one size of work-groups and local memory, and what they run next |
//! | missing | the variants that the scheduler asks for |
//! | events | their states; then lists of unused and released ones |
//! | records | what kernels enqueued; number 0 is the host's launch. Then lists of records |

/// Device queues that a launch can reach: QUEUES of the library.
pub const QUEUES: usize = 8;
/// Events of a launch.
pub const EVENTS: u32 = 4096;
/// Variants that the scheduler knows at a time.
pub const VARIANTS: usize = 64;
/// Sizes of local memory of a block: LOCALS of the library.
pub const LOCALS: usize = 8;
/// Bytes of a record before the captured variables: sizeof(Record).
pub const RECORD_BYTES: u64 = 256;

// Sizes of the library's other structures, in bytes.
const EVENT_BYTES: u64 = 64;
const VARIANT_BYTES: u64 = 4192;
/// Bytes of a variant before its entries.
const VARIANT_HEAD: usize = 96;
const ENTRY_BYTES: u64 = 16;
/// sizeof(Key).
const KEY_BYTES: u64 = 48;
const MOST_MISSING: u64 = 16;
/// Bytes of the header that tell the state.
pub const STATE_BYTES: usize = 128;
const NONE: u32 = u32::MAX;

/// First bytes of the fields of Record.
pub mod record {
    /// Word: dimensions of the range.
    pub const DIMENSIONS: u64 = 4;
    /// Three words: size of a work-group.
    pub const LOCAL_SIZE: u64 = 8;
    /// Three long words: work-items.
    pub const SIZE: u64 = 24;
    /// Three long words: the first global id.
    pub const OFFSET: u64 = 48;
    /// Words: bytes of local memory behind each local pointer.
    pub const LOCALS: u64 = 128;
    /// Word: bit d says that the smaller work-groups at the end of dimension d run now.
    pub const REGION: u64 = 160;
    /// Word: its own number.
    pub const NUMBER: u64 = 184;
}

/// The same rounds as a work graph (VK_AMDX_shader_enqueue): a level is the scheduler's node and those of blocks,
/// one for each variant. The last work-group of a level starts the scheduler of the next one, so no node starts
/// itself or one before it.
pub mod graph {
    use super::VARIANTS;

    /// The name of the schedulers' nodes; their index is the level.
    pub const SCHEDULER: &str = "scheduler";
    /// The name of the blocks' nodes; see [`block_index`] for their indices.
    pub const BLOCK: &str = "block";
    /// Levels of a graph at most: each takes a pipeline for each variant.
    pub const MOST_LEVELS: u32 = 4;
    /// Numbers of work-groups that a block's payload begins with, before the words below.
    pub const COUNTS: u32 = 3;
    /// Words of a payload: an address, low word first, the level, and the number of levels. The address is of the
    /// memory for a scheduler, and of a variant in it for a block.
    pub const WORDS: u32 = 4;

    /// The index of a variant's node in a level.
    pub fn block_index(level: u32, variant: u32) -> u32 {
        level * VARIANTS as u32 + variant
    }

    /// The level and the variant of a block's node.
    pub fn level_and_variant(index: u32) -> (u32, u32) {
        (index / VARIANTS as u32, index % VARIANTS as u32)
    }

    /// The payload that starts the first level.
    pub fn start(memory: u64, levels: u32) -> [u32; WORDS as usize] {
        [memory as u32, (memory >> 32) as u32, 0, levels]
    }
}

/// First bytes in the header that the nodes of a work graph read and write.
pub mod header_bytes {
    /// Word: variants.
    pub const VARIANTS: u64 = super::header::VARIANTS as u64;
    /// Long word: the address of the variants.
    pub const VARIANT_LIST: u64 = 216;
    /// Word behind the library's fields: work-groups of the present level that have not ended.
    pub const PENDING: u64 = 256;
}

/// First bytes in a variant.
pub mod variant_bytes {
    /// Long word: the address of the memory.
    pub const MEMORY: u64 = 0;
    /// Two words: work-groups of the next dispatch in the first two dimensions, 0 in the first one for none.
    pub const DISPATCH: u64 = super::variant::DISPATCH;
    /// From one variant to the next.
    pub const STRIDE: u64 = super::VARIANT_BYTES;
}

/// Places in the header.
mod header {
    pub const STATE: usize = 16;
    pub const VARIANTS: usize = 32;
    pub const MISSING: usize = 36;
    pub const FREE_SLOTS: usize = 44;
    pub const FREE_EVENTS: usize = 48;
    pub const EXECUTED: usize = 112;
    pub const TIMES: u64 = 136;
}

/// Places in a variant.
mod variant {
    pub const ENTRIES: u64 = 8;
    /// VkDispatchIndirectCommand.
    pub const DISPATCH: u64 = 16;
    pub const BLOCK: u64 = 32;
    pub const ENDED: u64 = 80;
}

/// The state that the scheduler left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// There may be more to run.
    Running,
    /// It cannot go on without the variants that are missing.
    NeedsVariants,
    /// All has ended.
    Done,
    /// Records wait for user events, and no kernel is left to set them.
    Stuck,
}

/// The counts in the header after a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The scheduler's state.
    pub state: State,
    /// Variants that are missing.
    pub missing: u64,
    /// Events that are not in use.
    pub free_events: u32,
    /// Kernels that have run. The count wraps.
    pub executed: u32,
}

/// A block with the sizes of its work-groups and local memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// The block's number.
    pub block: u32,
    /// Work-items of a group.
    pub local_size: [u32; 3],
    /// Bytes behind each local pointer.
    pub locals: [u32; LOCALS],
}

impl Key {
    /// Reads [`Layout::missing`].
    pub fn read(bytes: &[u8]) -> Self {
        let at = |n: usize| word(bytes, 4 * n);
        Self {
            block: at(0),
            local_size: [at(1), at(2), at(3)],
            locals: std::array::from_fn(|n| at(4 + n)),
        }
    }
}

/// Work-groups of a record in a variant's dispatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The record's number.
    pub record: u32,
    /// Its first work-group in the dispatch.
    pub first: u32,
    /// The same in the record's region.
    pub base: u32,
    /// Work-groups.
    pub groups: u32,
}

/// Values of the header that differ from launch to launch.
#[derive(Clone, Copy, Debug)]
pub struct Launch {
    /// Bytes of each queue, 0 for those that the launch cannot reach.
    pub queue_bytes: [u32; QUEUES],
    /// The number of the default queue.
    pub default: Option<u32>,
    /// Variants that are in the memory already.
    pub variants: usize,
    /// Nanoseconds of a tick of the timestamps, times 2^16.
    pub tick_scale: u32,
    /// The most work-groups of a dispatch in the first dimension.
    pub max_groups: u32,
    /// The most bytes of local memory.
    pub most_local_bytes: u32,
    /// Local sizes divide global sizes, else `enqueue_kernel` fails (`-cl-uniform-work-group-size`).
    pub uniform_groups: bool,
}

/// Bytes for a place in the memory.
pub type Write = (u64, Vec<u8>);

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

    fn of(words: &[u32]) -> Vec<u8> {
        let mut bytes = Self::default();
        bytes.words(words);
        bytes.0
    }
}

fn word(bytes: &[u8], at: usize) -> u32 {
    let mut word = [0; 4];
    word.copy_from_slice(&bytes[at..at + 4]);
    u32::from_le_bytes(word)
}

/// The records of a queue.
fn room(queue_bytes: u32, slot_bytes: u32) -> u32 {
    match queue_bytes {
        0 => 0,
        bytes => (bytes / slot_bytes).max(1),
    }
}

/// Sizes and places of the parts.
#[derive(Clone, Debug)]
pub struct Layout {
    slots: u32,
    slot_bytes: u32,
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
    /// Lays memory out for queues of so many bytes and blocks that capture up to `captured` bytes.
    pub fn new(queue_bytes: &[u32; QUEUES], captured: u32) -> Self {
        let slot_bytes = RECORD_BYTES as u32 + captured.next_multiple_of(128);
        // The first one stands for the host's launch.
        let slots = 1 + queue_bytes
            .map(|bytes| room(bytes, slot_bytes))
            .iter()
            .sum::<u32>();
        let mut end = 512;
        let mut take = |bytes: u64| {
            let at = end;
            end += bytes.next_multiple_of(256);
            at
        };
        let list = u64::from(slots) * 4;
        Self {
            slots,
            slot_bytes,
            variants: take(VARIANTS as u64 * VARIANT_BYTES),
            missing: take(MOST_MISSING * KEY_BYTES),
            events: take(u64::from(EVENTS) * EVENT_BYTES),
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

    /// Bytes of the memory.
    pub fn size(&self) -> u64 {
        self.size
    }

    fn rooms(&self, queue_bytes: &[u32; QUEUES]) -> [u32; QUEUES] {
        queue_bytes.map(|bytes| room(bytes, self.slot_bytes))
    }

    /// Returns whether queues of these sizes fit.
    pub fn serves(&self, queue_bytes: &[u32; QUEUES]) -> bool {
        self.rooms(queue_bytes).iter().sum::<u32>() < self.slots
    }

    /// The list of unused records of fresh memory.
    pub fn free_records(&self) -> Write {
        let list: Vec<u32> = (1..self.slots).collect();
        (self.free_slots, Bytes::of(&list))
    }

    /// All events unused; handles of other generations are invalid.
    pub fn unused_events(&self, generation: u32) -> [Write; 2] {
        let mut event = [0; EVENT_BYTES as usize / 4];
        event[2] = generation;
        let list: Vec<u32> = (0..EVENTS).collect();
        [
            (self.events, Bytes::of(&event.repeat(EVENTS as usize))),
            (self.free_events, Bytes::of(&list)),
        ]
    }

    /// The header of memory at the pointer `base`, and the record of the host's launch.
    pub fn begin(&self, base: u64, launch: &Launch) -> [Write; 2] {
        let mut header = Bytes::default();
        header.longs(&[base]);
        // No entries, no groups; running.
        header.words(&[0, 0, 1, self.slots, self.slot_bytes, EVENTS]);
        let default = launch.default.map_or(0, |number| number + 1);
        header.words(&[launch.variants as u32, 0, default, self.slots - 1]);
        header.words(&[EVENTS, 0, 0, 0, 0, 0]);
        header.words(&[launch.tick_scale.max(1), launch.max_groups]);
        header.words(&self.rooms(&launch.queue_bytes));
        header.words(&[0, 0, launch.most_local_bytes, launch.uniform_groups.into()]);
        header.longs(&[0; 3]);
        header.longs(
            &[
                self.records,
                self.free_slots,
                self.fresh,
                self.ready,
                self.waiting,
                self.events,
                self.free_events,
                self.released,
                self.variants,
                self.missing,
                self.scratch,
            ]
            .map(|offset| base + offset),
        );
        // The host's launch: it has run when the scheduler begins.
        let mut root = [0; RECORD_BYTES as usize / 4];
        root[5] = 1;
        root[18] = NONE;
        root[19] = NONE;
        [(0, header.0), (self.records, Bytes::of(&root))]
    }

    /// Reads the first [`STATE_BYTES`] bytes; `None` where a kernel has overwritten them.
    pub fn progress(&self, header: &[u8]) -> Option<Progress> {
        let all_free = || word(header, header::FREE_SLOTS) + 1 == self.slots;
        let state = match word(header, header::STATE) {
            1 => State::Running,
            2 => State::NeedsVariants,
            3 if all_free() => State::Done,
            4 => State::Stuck,
            _ => return None,
        };
        Some(Progress {
            state,
            missing: u64::from(word(header, header::MISSING)).min(MOST_MISSING),
            free_events: word(header, header::FREE_EVENTS),
            executed: word(header, header::EXECUTED),
        })
    }

    /// Place and size of the key of a missing variant.
    pub fn missing(&self, index: u64) -> (u64, usize) {
        (self.missing + index * KEY_BYTES, KEY_BYTES as usize)
    }

    /// The place of a variant.
    pub fn variant(&self, index: usize) -> u64 {
        self.variants + index as u64 * VARIANT_BYTES
    }

    /// The place of a variant's numbers of work-groups, three words.
    pub fn dispatch(&self, index: usize) -> u64 {
        self.variant(index) + variant::DISPATCH
    }

    /// A variant without work, in memory at the pointer `base`.
    pub fn new_variant(&self, base: u64, index: usize, key: &Key, max_groups: u32) -> Write {
        let mut bytes = Bytes::default();
        bytes.longs(&[base]);
        bytes.words(&[0, 0, 0, 1, 1, max_groups, key.block]);
        bytes.words(&key.local_size);
        bytes.words(&key.locals);
        bytes.0.resize(VARIANT_HEAD, 0);
        (self.variant(index), bytes.0)
    }

    /// Lets the scheduler go on with so many variants.
    pub fn go_on(&self, variants: usize) -> [Write; 2] {
        [
            (header::VARIANTS as u64, Bytes::of(&[variants as u32, 0])),
            (header::STATE as u64, Bytes::of(&[1])),
        ]
    }

    /// The place of the times of the last dispatches: start and end in ticks, long words.
    pub fn times(&self) -> u64 {
        header::TIMES
    }

    /// The place of a variant's number of entries, a word.
    pub fn entry_count(&self, variant: usize) -> u64 {
        self.variant(variant) + variant::ENTRIES
    }

    /// The places of a variant's block, and of its count of kernels that have ended: words.
    pub fn block_and_ended(&self, variant: usize) -> [u64; 2] {
        [variant::BLOCK, variant::ENDED].map(|at| self.variant(variant) + at)
    }

    /// Place and size of an entry.
    pub fn entry(&self, variant: usize, index: u32) -> (u64, usize) {
        let first = self.variant(variant) + VARIANT_HEAD as u64;
        (first + u64::from(index) * ENTRY_BYTES, ENTRY_BYTES as usize)
    }

    /// The place of a record.
    pub fn record(&self, number: u32) -> u64 {
        self.records + u64::from(number) * u64::from(self.slot_bytes)
    }
}

impl Entry {
    /// Reads [`Layout::entry`].
    pub fn read(bytes: &[u8]) -> Self {
        Self {
            record: word(bytes, 0),
            first: word(bytes, 4),
            base: word(bytes, 8),
            groups: word(bytes, 12),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{KEY_BYTES, LOCALS, Layout, QUEUES, VARIANT_BYTES, VARIANT_HEAD, room};

    fn one_queue(bytes: u32) -> [u32; QUEUES] {
        let mut queues = [0; QUEUES];
        queues[0] = bytes;
        queues
    }

    #[test]
    fn queues_hold_records_of_their_size() {
        assert_eq!(Layout::new(&one_queue(1), 0).slot_bytes, 256);
        assert_eq!(Layout::new(&one_queue(1), 1).slot_bytes, 384);
        assert_eq!(Layout::new(&one_queue(1), 128).slot_bytes, 384);
        assert_eq!(room(16384, 256), 64);
        // A queue has one place at least, and an absent one has none.
        assert_eq!(room(100, 256), 1);
        assert_eq!(room(0, 256), 0);
        let layout = Layout::new(&one_queue(16384), 0);
        assert!(layout.serves(&one_queue(16384)));
        assert!(!layout.serves(&one_queue(16384 + 256)));
    }

    #[test]
    fn nodes_find_what_the_host_wrote() {
        use super::{Launch, graph, header_bytes};
        let layout = Layout::new(&one_queue(16384), 0);
        let launch = Launch {
            queue_bytes: one_queue(16384),
            default: None,
            variants: 0,
            tick_scale: 1,
            max_groups: 1,
            most_local_bytes: 0,
            uniform_groups: false,
        };
        let [(_, header), _] = layout.begin(0x1000, &launch);
        let at = header_bytes::VARIANT_LIST as usize;
        let list = u64::from_le_bytes(header[at..at + 8].try_into().unwrap());
        assert_eq!(list, 0x1000 + layout.variants);
        // The count lies behind the header and before the variants.
        assert!(header.len() as u64 <= header_bytes::PENDING);
        assert!(header_bytes::PENDING + 4 <= layout.variants);
        assert_eq!(graph::level_and_variant(graph::block_index(3, 63)), (3, 63));
    }

    #[test]
    fn arrays_do_not_overlap() {
        let layout = Layout::new(&one_queue(64 * 384), 128);
        assert!(layout.missing >= layout.variants + 64 * VARIANT_BYTES);
        assert!(layout.free_slots >= layout.records + 65 * 384);
        assert!(layout.size >= layout.scratch + 384);
        assert_eq!(KEY_BYTES as usize, 4 * (4 + LOCALS));
        assert!(VARIANT_HEAD as u64 + 256 * 16 == VARIANT_BYTES);
    }
}
