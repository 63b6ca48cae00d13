//! The memory and the time that compiling one program may take.
//!
//! Every stage tells what it is about to keep: tokens, trees, instructions, words, bytes of data.
//! A stage that has told more than [`LIMIT`] ends with an error, so that a short source cannot
//! exhaust the machine. Rust's allocator ends the process when the system has no memory left;
//! therefore the meter also tries, ahead of what is told, to reserve more than will be needed
//! until the next time, and gives that memory back at once. Where this fails the stage ends with
//! [`Exhausted::Host`], long before an allocation could.
//!
//! A thread may also have a time at which its stages end with [`Exhausted::Time`] ([`end_at`]).
//!
//! The meter belongs to the thread, as its stack does. It counts what was told and not what was
//! freed: lists that grow by doubling are told at twice their size.
//!
//! Invariant: what has a size that the program chooses is told before it is allocated.

use std::cell::Cell;
use std::fmt;
use std::time::{Duration, Instant};

/// Bytes that one stage (compile, link, lower) may keep.
pub const LIMIT: u64 = 1 << 30;

/// Bytes that a word of a Kernel module takes in its reader, with what it is read into.
pub const WORD_BYTES: u64 = 8;

/// Bytes told between two looks at the system's memory.
const STEP: u64 = 16 << 20;
/// Bytes that the system must have beyond what is told: side tables, and lists that are moved.
const HEADROOM: u64 = 96 << 20;

/// Time for which a look at the system counts for the stages that begin: reserving address space and
/// giving it back costs as much as compiling a small kernel where a process has many threads.
const RECENT: Duration = Duration::from_millis(100);

/// Reason that ends a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exhausted {
    /// The program needs more than [`LIMIT`].
    Program,
    /// The system has no more memory.
    Host,
    /// The time of [`end_at`] has come.
    Time,
}

impl fmt::Display for Exhausted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Program => write!(
                f,
                "compiling this program takes more than {} MiB of memory",
                LIMIT >> 20
            ),
            Self::Host => f.write_str("the system has no more memory for the compiler"),
            Self::Time => f.write_str("compiling this program takes too long"),
        }
    }
}

impl std::error::Error for Exhausted {}

#[derive(Debug)]
struct Meter {
    told: Cell<u64>,
    /// The system is looked at when so much was told.
    look_at: Cell<u64>,
    failed: Cell<Option<Exhausted>>,
    /// The last look at the system.
    looked: Cell<Option<Instant>>,
    /// The time at which stages end.
    end: Cell<Option<Instant>>,
}

thread_local! {
    static METER: Meter = const {
        Meter {
            told: Cell::new(0),
            look_at: Cell::new(0),
            failed: Cell::new(None),
            looked: Cell::new(None),
            end: Cell::new(None),
        }
    };
}

/// Starts a stage on this thread: nothing is told yet.
pub fn begin() {
    METER.with(|meter| {
        meter.told.set(0);
        let recent = meter.looked.get().is_some_and(|at| at.elapsed() < RECENT);
        meter.look_at.set(if recent { STEP } else { 0 });
        meter.failed.set(None);
    });
    spend(0);
}

/// Sets the time at which this thread's stages end, or none.
pub fn end_at(time: Option<Instant>) {
    METER.with(|meter| meter.end.set(time));
}

/// Tells of memory. What is told beyond the limit is remembered, and [`check`] says so.
#[inline]
pub fn spend(bytes: u64) {
    METER.with(|meter| {
        let told = meter.told.get().saturating_add(bytes);
        meter.told.set(told);
        if told >= meter.look_at.get() {
            look(meter, told, bytes);
        }
    });
}

#[cold]
#[inline(never)]
fn look(meter: &Meter, told: u64, bytes: u64) {
    meter.look_at.set(told.saturating_add(STEP));
    if meter.failed.get().is_some() {
        return;
    }
    if told > LIMIT {
        meter.failed.set(Some(Exhausted::Program));
    } else if !host_has(bytes + STEP + HEADROOM) {
        meter.failed.set(Some(Exhausted::Host));
        meter.looked.set(None);
    } else {
        meter.looked.set(Some(Instant::now()));
        // The limit itself is never stepped over unseen.
        meter.look_at.set((told + STEP).min(LIMIT + 1));
    }
}

/// Tells whether the host has the memory with which a stage begins.
pub fn has_headroom() -> bool {
    host_has(STEP + HEADROOM)
}

/// Tells whether the host can allocate so much at once. The pages are not touched.
fn host_has(bytes: u64) -> bool {
    let mut probe: Vec<u8> = Vec::new();
    usize::try_from(bytes).is_ok_and(|bytes| probe.try_reserve_exact(bytes).is_ok())
}

/// Fails from the moment on that too much was told, or the time has come.
///
/// # Errors
/// The budget that has run out.
#[inline]
pub fn check() -> Result<(), Exhausted> {
    METER.with(|meter| {
        if meter.failed.get().is_none() && meter.end.get().is_some_and(|end| Instant::now() >= end)
        {
            meter.failed.set(Some(Exhausted::Time));
        }
        meter.failed.get().map_or(Ok(()), Err)
    })
}

/// Tells of memory before it is allocated.
///
/// # Errors
/// The budget that has run out; the caller must not allocate.
pub fn charge(bytes: u64) -> Result<(), Exhausted> {
    spend(bytes);
    check()
}

/// Tells of `count` entries of a list that grows by doubling.
pub fn spend_on<T>(count: usize) {
    spend((count as u64).saturating_mul(2 * size_of::<T>() as u64));
}

/// Appends to a list and tells of the entry.
pub fn push<T>(list: &mut Vec<T>, entry: T) {
    spend_on::<T>(1);
    list.push(entry);
}

/// Bytes told since the stage began.
pub fn told() -> u64 {
    METER.with(|meter| meter.told.get())
}

#[cfg(test)]
mod tests {
    use super::{Exhausted, LIMIT, begin, charge, check, end_at, spend, spend_on, told};
    use std::time::Instant;

    #[test]
    fn the_limit_is_exact_and_lasts_until_the_next_stage() {
        begin();
        assert_eq!(charge(LIMIT / 2), Ok(()));
        spend_on::<u32>(1 << 20);
        assert_eq!(told(), LIMIT / 2 + (8 << 20));
        assert_eq!(charge(LIMIT - told()), Ok(()));
        spend(1);
        assert_eq!(check(), Err(Exhausted::Program));
        assert_eq!(charge(0), Err(Exhausted::Program));
        spend(u64::MAX);
        begin();
        assert_eq!(check(), Ok(()));
        assert_eq!(charge(u64::MAX), Err(Exhausted::Program));
    }

    #[test]
    fn stages_end_at_a_time_until_there_is_none() {
        begin();
        end_at(Some(Instant::now()));
        assert_eq!(check(), Err(Exhausted::Time));
        begin();
        assert_eq!(charge(1), Err(Exhausted::Time));
        end_at(None);
        begin();
        assert_eq!(charge(1), Ok(()));
    }
}
