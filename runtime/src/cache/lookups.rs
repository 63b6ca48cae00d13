//! Counts of the builds that were looked up, which all processes share.
//!
//! Each process adds one record when it ends. A process that is killed is not counted, nor is one that adds its record while
//! another one joins all records into one.

use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use super::folder::replace;
use crate::base::files::{self, OpenMode};

/// The name of the file in the cache's folder, which is no entry.
pub(super) const FILE: &str = ".lookups";
/// Bytes of a record: hits and misses, each a little-endian u64.
const RECORD: usize = 16;
/// A file that is larger, in bytes, is joined into one record.
const JOIN_ABOVE: u64 = 64 << 10;
/// Bytes of a file that are read: more were not written by this code.
const MOST: u64 = 1 << 20;

/// Builds that were found, and those that were not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Lookups {
    /// Builds that were there.
    pub hits: u64,
    /// Builds that were compiled.
    pub misses: u64,
}

impl Lookups {
    /// The sum of a file's records.
    fn sum(bytes: &[u8]) -> Self {
        let number = |half: &[u8]| half.try_into().map_or(0, u64::from_le_bytes);
        bytes
            .chunks_exact(RECORD)
            .fold(Self::default(), |sum, record| Self {
                hits: sum.hits.saturating_add(number(&record[..RECORD / 2])),
                misses: sum.misses.saturating_add(number(&record[RECORD / 2..])),
            })
    }

    fn record(self) -> [u8; RECORD] {
        let mut record = [0; RECORD];
        record[..RECORD / 2].copy_from_slice(&self.hits.to_le_bytes());
        record[RECORD / 2..].copy_from_slice(&self.misses.to_le_bytes());
        record
    }
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
    files::read(&folder.join(FILE), MOST).map_or_else(|_| Lookups::default(), |b| Lookups::sum(&b))
}

/// Adds a record.
///
/// # Errors
/// The folder is missing, is another user's or can be written to by others, or the file cannot be written.
pub(super) fn add(folder: &Path, lookups: Lookups) -> io::Result<()> {
    if lookups == Lookups::default() {
        return Ok(());
    }
    files::check_folder(folder)?;
    let mut file = files::open_private(&folder.join(FILE), OpenMode::Append)?;
    // One write: records of several processes do not mix.
    file.write_all(&lookups.record())?;
    if file.metadata()?.len() <= JOIN_ABOVE {
        return Ok(());
    }
    replace(folder, FILE, &[&read(folder).record()])
}

#[cfg(test)]
mod tests {
    use super::{FILE, JOIN_ABOVE, Lookups, RECORD, add, read};
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
        assert!(!folder.join(FILE).exists());
        add(&folder, ONE).unwrap();
        add(&folder, ONE).unwrap();
        assert_eq!(read(&folder), Lookups { hits: 6, misses: 2 });
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_long_file_becomes_one_record() {
        let folder = scratch("join");
        let records = JOIN_ABOVE as usize / RECORD;
        fs::write(folder.join(FILE), ONE.record().repeat(records)).unwrap();
        add(&folder, ONE).unwrap();
        let bytes = fs::read(folder.join(FILE)).unwrap();
        assert_eq!(bytes.len(), RECORD);
        let all = records as u64 + 1;
        let sum = Lookups {
            hits: 3 * all,
            misses: all,
        };
        assert_eq!(read(&folder), sum);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn damaged_files_do_no_harm() {
        let folder = scratch("damage");
        fs::write(folder.join(FILE), [0xff; 2 * RECORD + 3]).unwrap();
        let most = Lookups {
            hits: u64::MAX,
            misses: u64::MAX,
        };
        assert_eq!(read(&folder), most);
        fs::remove_file(folder.join(FILE)).unwrap();
        fs::create_dir(folder.join(FILE)).unwrap();
        assert!(add(&folder, ONE).is_err());
        assert_eq!(read(&folder), Lookups::default());
        fs::remove_dir_all(folder).unwrap();
    }
}
