//! The memory of a launch's checks.
//!
//! | bytes | contents |
//! |---|---|
//! | 0 to 3 | the number of records asked for, those that found no room included |
//! | [`ALLOCATIONS_AT`] | the number of allocations in the table, 32 bits |
//! | [`TABLE_AT`], [`COUNTERS_AT`] | the first byte of the table and of the counters, 32 bits each |
//! | [`SLICES_AT`] | how many times [`SLICE`] rounds the loops of a work-item may go in robust mode, 32 bits; 0 once one went further |
//! | [`ZEROS`] | [`SINK_BYTES`] of zeros: what robust mode reads instead of memory that is not there |
//! | [`SINK`] | [`SINK_BYTES`] that robust mode writes instead |
//! | [`RECORDS`] on | [`MOST_RECORDS`] records of [`RECORD_BYTES`] |
//! | [`ARGUMENTS`] on | for each argument how many bytes of its object lie before its pointer, and the object's size in bytes, 64 bits each |
//! | then | for each tested place of the module how often it failed, 32 bits |
//! | then, on a multiple of 8 | the table: for each allocation its first byte and the one behind its last, by rising address |
//!
//! A record: the place and a code ([`RECORD_SITE`], [`RECORD_CODE`]), a number that belongs to the code
//! ([`RECORD_VALUE`]), the bytes of the access, the global id and the local id of the work-item. Each place writes at most
//! [`MOST_OF_PLACE`] records.

/// The number of allocations in the table, 32 bits.
pub const ALLOCATIONS_AT: u64 = 4;
/// The first byte of the table, 32 bits.
pub const TABLE_AT: u64 = 8;
/// The first byte of the counters, 32 bits.
pub const COUNTERS_AT: u64 = 12;
/// The rounds that loops may go, in slices, 32 bits.
pub const SLICES_AT: u64 = 16;
/// Bytes that stand for memory that is not there, read and written: the widest access.
pub const SINK_BYTES: u64 = 128;
/// The bytes that are read.
pub const ZEROS: u64 = 128;
/// The bytes that are written.
pub const SINK: u64 = ZEROS + SINK_BYTES;
/// The first record.
pub const RECORDS: u64 = SINK + SINK_BYTES;
/// The most records of a launch.
pub const MOST_RECORDS: u32 = 256;
/// The most records of one place.
pub const MOST_OF_PLACE: u32 = 4;
/// Bytes of a record.
pub const RECORD_BYTES: u64 = 64;
/// The pairs of the arguments.
pub const ARGUMENTS: u64 = RECORDS + MOST_RECORDS as u64 * RECORD_BYTES;

/// In a record: the number of the place, 32 bits.
pub const RECORD_SITE: u64 = 0;
/// In a record: a [`Code`], 32 bits.
pub const RECORD_CODE: u64 = 4;
/// In a record: the pointer or the number of bits that is at fault, 64 bits.
pub const RECORD_VALUE: u64 = 8;
/// In a record: bytes of the access, 64 bits.
pub const RECORD_SIZE: u64 = 16;
/// In a record: the global id, three times 64 bits.
pub const RECORD_GLOBAL_ID: u64 = 24;
/// In a record: the local id, three times 32 bits.
pub const RECORD_LOCAL_ID: u64 = 48;

/// Rounds of loops that a work-item goes between two looks at [`SLICES_AT`].
pub const SLICE: u32 = 1 << 16;

/// Pointers below are as good as NULL: the start of an object that is none.
pub const NULL_BYTES: u64 = 4096;

/// The faults that a place may find.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Code {
    /// The object does not have the bytes. The value is the offset in the object, or the pointer where the object is not
    /// known.
    Bounds = 0,
    /// The pointer is not aligned; the value is as above.
    Align = 1,
    /// The operation itself; the value is what is wrong with it.
    Operation = 2,
}

impl Code {
    /// The code of a number.
    pub fn of(number: u32) -> Option<Self> {
        [Code::Bounds, Code::Align, Code::Operation]
            .into_iter()
            .find(|code| *code as u32 == number)
    }
}

/// The places of what depends on the module and the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    arguments: u32,
    sites: u32,
}

impl Layout {
    /// The layout for a kernel of so many arguments, in a module of so many tested places.
    pub fn new(arguments: usize, sites: usize) -> Self {
        Self {
            arguments: arguments as u32,
            sites: sites as u32,
        }
    }

    /// The pair of an argument.
    pub fn argument(self, ordinal: u32) -> u64 {
        ARGUMENTS + u64::from(ordinal) * 16
    }

    /// The first place's counter.
    pub fn counters(self) -> u64 {
        self.argument(self.arguments)
    }

    /// The first pair of the table.
    pub fn table(self) -> u64 {
        (self.counters() + u64::from(self.sites) * 4).next_multiple_of(8)
    }

    /// Bytes in all, with a table of so many allocations.
    pub fn size(self, allocations: usize) -> u64 {
        self.table() + allocations as u64 * 16
    }
}

/// The memory that a launch may access.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// One for each argument: the bytes of its object before its pointer, and the size of the object (a buffer, a part of
    /// one, shared memory, local memory); zeros for others.
    pub arguments: Vec<(u64, u64)>,
    /// The first byte and the size of each allocation, by rising address, none within another.
    pub allocations: Vec<(u64, u64)>,
    /// Slices of [`SLICE`] rounds that the loops of a work-item may go in robust mode.
    pub slices: u32,
}

impl Default for Table {
    fn default() -> Self {
        Self {
            arguments: Vec::new(),
            allocations: Vec::new(),
            slices: u32::MAX - 1,
        }
    }
}

impl Table {
    /// The memory as it is before the launch.
    pub fn bytes(&self, sites: usize) -> Vec<u8> {
        let layout = Layout::new(self.arguments.len(), sites);
        let mut bytes = vec![0; layout.size(self.allocations.len()) as usize];
        let mut put = |at: u64, number: u64| {
            bytes[at as usize..at as usize + 8].copy_from_slice(&number.to_le_bytes());
        };
        put(0, (self.allocations.len() as u64) << 32);
        put(TABLE_AT, layout.counters() << 32 | layout.table());
        put(SLICES_AT, u64::from(self.slices));
        for (ordinal, &(before, size)) in self.arguments.iter().enumerate() {
            let at = layout.argument(ordinal as u32);
            put(at, before);
            put(at + 8, size);
        }
        for (index, &(first, size)) in self.allocations.iter().enumerate() {
            let at = layout.table() + index as u64 * 16;
            put(at, first);
            put(at + 8, first.saturating_add(size));
        }
        bytes
    }
}
