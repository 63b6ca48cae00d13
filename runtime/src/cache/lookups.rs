//! Counts of the builds that were looked up, which all processes share.
//!
//! Each process adds its counts when it ends.

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use super::tally::Tally;

/// Hits and misses.
const TALLY: Tally = Tally::new(".lookups");

/// Builds that were found, and those that were not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Lookups {
    /// Builds that were there.
    pub hits: u64,
    /// Builds that were compiled.
    pub misses: u64,
}

/// Counts of this process.
#[derive(Debug)]
pub(super) struct Counter {
    hits: AtomicU64,
    misses: AtomicU64,
}

impl Counter {
    /// Nothing was looked up.
    pub const fn new() -> Self {
        Self {
            hits: AtomicU64::new(0),
            misses: AtomicU64::new(0),
        }
    }

    /// Counts a build.
    pub fn count(&self, found: bool) {
        let counter = if found { &self.hits } else { &self.misses };
        counter.fetch_add(1, Ordering::Relaxed);
    }

    /// Takes the counts: they are 0 again.
    pub fn take(&self) -> Lookups {
        Lookups {
            hits: self.hits.swap(0, Ordering::Relaxed),
            misses: self.misses.swap(0, Ordering::Relaxed),
        }
    }
}

/// The sum of all processes that have ended; zeros where there is no file.
pub(super) fn read(folder: &Path) -> Lookups {
    let [hits, misses] = TALLY.read(folder).map_or([0; 2], |total| total.sums);
    Lookups { hits, misses }
}

/// Adds a process's counts.
///
/// # Errors
/// The folder is missing, is another user's or can be written to by others, or the file cannot be written.
pub(super) fn add(folder: &Path, lookups: Lookups) -> io::Result<()> {
    if lookups == Lookups::default() {
        return Ok(());
    }
    TALLY.add(folder, [lookups.hits, lookups.misses])?;
    match TALLY.read(folder) {
        Some(total) if total.is_long => TALLY.set(folder, total.sums),
        _ => Ok(()),
    }
}
