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
    let [hits, misses] = TALLY.read(folder).unwrap_or_default();
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
    if TALLY.add(folder, [lookups.hits, lookups.misses])? {
        TALLY.set(folder, TALLY.read(folder).unwrap_or_default())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Lookups, TALLY, add, read};
    use crate::base::files;
    use std::fs;
    use std::path::PathBuf;

    fn scratch(name: &str) -> PathBuf {
        let name = format!("pumice-lookups-{}-{name}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&path);
        files::make_folder(&path).unwrap();
        path
    }

    const ONE: Lookups = Lookups { hits: 3, misses: 1 };

    #[test]
    fn processes_add_up() {
        let folder = scratch("sum");
        assert_eq!(read(&folder), Lookups::default());
        add(&folder, Lookups::default()).unwrap();
        assert!(!folder.join(".lookups").exists());
        add(&folder, ONE).unwrap();
        add(&folder, ONE).unwrap();
        assert_eq!(read(&folder), Lookups { hits: 6, misses: 2 });
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_long_file_becomes_one_record() {
        let folder = scratch("join");
        TALLY.set(&folder, [3, 1]).unwrap();
        let one = fs::read(folder.join(".lookups")).unwrap();
        let records = (64 << 10) / one.len();
        fs::write(folder.join(".lookups"), one.repeat(records)).unwrap();
        add(&folder, ONE).unwrap();
        let all = records as u64 + 1;
        let sum = Lookups {
            hits: 3 * all,
            misses: all,
        };
        assert_eq!(read(&folder), sum);
        let length = fs::read(folder.join(".lookups")).unwrap().len();
        assert_eq!(length, one.len());
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        fs::remove_dir_all(folder).unwrap();
    }
}
