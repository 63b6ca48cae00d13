//! The memory of a launch's checks.
//!
//! | bytes | contents |
//! |---|---|
//! | 0 to 3 | the number of records asked for, those that found no room included |
//! | [`ALLOCATIONS_AT`] | the number of allocations in the table, 32 bits |
//! | [`TABLE_AT`], [`COUNTERS_AT`] | the first byte of the table and of the counters, 32 bits each |
//! | [`SLICES_AT`] | how many times [`SLICE`] rounds the loops of a work-item may go in robust mode, 32 bits; 0 once one went further |
//! | [`ITEM_BITS_AT`] | how many bits of a race mark are the work-item's number, 32 bits; 0 if races in global memory are not looked for |
//! | [`STOPPED_AT`] | not 0 once the launch is to end because of a report, 32 bits |
//! | [`ZEROS`] | [`SINK_BYTES`] of zeros: what robust mode reads instead of memory that is not there |
//! | [`SINK`] | [`SINK_BYTES`] that robust mode writes instead |
//! | [`RECORDS`] on | [`MOST_RECORDS`] records of [`RECORD_BYTES`] |
//! | [`ARGUMENTS`] on | for each argument [`ARGUMENT_BYTES`], 64 bits for each number: see the constants |
//! | then | for each tested place of the module how often it failed, 32 bits |
//! | then, on a multiple of 8 | the table: for each allocation [`ALLOCATION_BYTES`], by rising address |
//! | then, on a multiple of 8 | the race marks: for each part of memory that is looked after [`MARK_BYTES`] (`check_races.rs` of the back end) |
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
/// The bits of a work-item's number in race marks, 32 bits.
pub const ITEM_BITS_AT: u64 = 20;
/// Not 0 once the launch is to end, 32 bits.
pub const STOPPED_AT: u64 = 24;
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
/// The entries of the arguments.
pub const ARGUMENTS: u64 = RECORDS + MOST_RECORDS as u64 * RECORD_BYTES;

/// Bytes of an argument's entry.
pub const ARGUMENT_BYTES: u64 = 160;
/// In an argument's entry: the bytes of its object before its pointer.
pub const ARGUMENT_BEFORE: u64 = 0;
/// In an argument's entry: the size of its object.
pub const ARGUMENT_SIZE: u64 = 8;
/// In an argument's entry: the address of the race mark of a part of its object is this number plus [`MARK_BYTES`] for each
/// part that lies before the part's address in all memory; 0 where races are not looked for.
pub const ARGUMENT_MARKS: u64 = 16;
/// In an argument's entry: what is added to an address in its object to get that of its shadow (0: it has none). A byte of
/// the shadow is not 0 where the byte was written.
pub const ARGUMENT_SHADOW: u64 = 24;
/// In an argument's entry: for accesses of 1, 2, 4 and so on to [`MOST_LIMITED`] bytes, how many offsets in the object have
/// so many bytes behind them.
pub const ARGUMENT_LIMITS: u64 = 32;
/// In an argument's entry: the same, but 0 where the argument's pointer is no multiple of so many bytes.
pub const ARGUMENT_ALIGNED_LIMITS: u64 = ARGUMENT_LIMITS + LIMITS * 8;
/// The most bytes of an access that an argument's entry has limits for.
pub const MOST_LIMITED: u64 = 1 << (LIMITS - 1);
/// Sizes of accesses that have limits.
pub(crate) const LIMITS: u64 = 8;

/// Bytes of a race mark: who wrote the part last, who read it last, and what was written.
pub const MARK_BYTES: u64 = 12;
/// The most bytes of race marks that one launch has.
pub const MOST_MARKS: u64 = 192 << 20;
/// The most bits of a work-item's number in race marks: the others count barriers.
pub const MOST_ITEM_BITS: u32 = 24;

/// Bytes of an allocation in the table: its first byte, 64 bits, and what follows.
pub const ALLOCATION_BYTES: u64 = 24;
/// In an allocation: the byte behind its last, 64 bits.
pub const ALLOCATION_END: u64 = 8;
/// In an allocation: what is added to an address in it to get that of its shadow (0: it has none), 64 bits.
pub const ALLOCATION_SHADOW: u64 = 16;

/// The number in local memory's race marks that stands for several work-items.
pub const LOCAL_MANY: u64 = 0xffff;

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

    /// The entry of an argument.
    pub fn argument(self, ordinal: u32) -> u64 {
        ARGUMENTS + u64::from(ordinal) * ARGUMENT_BYTES
    }

    /// The first place's counter.
    pub fn counters(self) -> u64 {
        self.argument(self.arguments)
    }

    /// The first pair of the table.
    pub fn table(self) -> u64 {
        (self.counters() + u64::from(self.sites) * 4).next_multiple_of(8)
    }

    /// An allocation of the table.
    pub fn allocation(self, index: usize) -> u64 {
        self.table() + index as u64 * ALLOCATION_BYTES
    }

    /// Bytes with a table of so many allocations, without race marks.
    pub fn size(self, allocations: usize) -> u64 {
        self.allocation(allocations)
    }
}
