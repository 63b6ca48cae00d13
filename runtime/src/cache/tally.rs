//! Files of two sums, to which all processes add.
//!
//! Each record is appended by one write, so that records of several processes do not mix. A process that is killed adds none,
//! and one is lost that comes while another process replaces the file.

use std::io::{self, Write};
use std::path::Path;

use super::folder::replace;
use crate::base::files::{self, OpenMode};

/// Bytes of a record: two little-endian u64.
const RECORD: usize = 16;
/// A file is long that has more bytes.
const LONG: u64 = 64 << 10;
/// Bytes of a file that are read: more were not written by this code.
const MOST: u64 = 1 << 20;

/// A file's two sums; its name says of what.
pub(super) type Sums = [u64; 2];

/// A file of the cache's folder that is no entry.
#[derive(Debug)]
pub(super) struct Tally {
    /// Its name.
    file: &'static str,
}

fn record(sums: Sums) -> [u8; RECORD] {
    let mut record = [0; RECORD];
    record[..RECORD / 2].copy_from_slice(&sums[0].to_le_bytes());
    record[RECORD / 2..].copy_from_slice(&sums[1].to_le_bytes());
    record
}

impl Tally {
    /// The file of a name, which begins with a dot.
    pub const fn new(file: &'static str) -> Self {
        Self { file }
    }

    /// Returns the sums; `None` if the file is missing or cannot be read.
    pub fn read(&self, folder: &Path) -> Option<Sums> {
        let bytes = files::read(&folder.join(self.file), MOST).ok()?;
        let number = |half: &[u8]| half.try_into().map_or(0, u64::from_le_bytes);
        let sums = bytes
            .chunks_exact(RECORD)
            .fold([0; 2], |sums: Sums, record| {
                let (first, second) = record.split_at(RECORD / 2);
                [
                    sums[0].saturating_add(number(first)),
                    sums[1].saturating_add(number(second)),
                ]
            });
        Some(sums)
    }

    /// Adds a record, and makes the file if there is none. Returns whether the file is long, so that one record should take
    /// the place of all.
    ///
    /// # Errors
    /// The folder is missing, is another user's or can be written to by others, or the file cannot be written.
    pub fn add(&self, folder: &Path, sums: Sums) -> io::Result<bool> {
        files::check_folder(folder)?;
        let mut file = files::open_private(&folder.join(self.file), OpenMode::Append)?;
        file.write_all(&record(sums))?;
        Ok(file.metadata()?.len() > LONG)
    }

    /// Replaces all records by one.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn set(&self, folder: &Path, sums: Sums) -> io::Result<()> {
        replace(folder, self.file, &[&record(sums)])
    }
}

#[cfg(test)]
mod tests {
    use super::{LONG, RECORD, Tally, record};
    use crate::base::files;
    use std::fs;
    use std::path::PathBuf;

    const TALLY: Tally = Tally::new(".sums");

    fn scratch(name: &str) -> PathBuf {
        let name = format!("pumice-tally-{}-{name}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&path);
        files::make_folder(&path).unwrap();
        path
    }

    #[test]
    fn processes_add_up() {
        let folder = scratch("sum");
        assert_eq!(TALLY.read(&folder), None);
        assert!(!TALLY.add(&folder, [3, 1]).unwrap());
        assert!(!TALLY.add(&folder, [3, 1]).unwrap());
        assert_eq!(TALLY.read(&folder), Some([6, 2]));
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_long_file_becomes_one_record() {
        let folder = scratch("join");
        let records = LONG as usize / RECORD - 1;
        fs::write(folder.join(".sums"), record([3, 1]).repeat(records)).unwrap();
        assert!(!TALLY.add(&folder, [3, 1]).unwrap());
        assert!(TALLY.add(&folder, [3, 1]).unwrap());
        let all = records as u64 + 2;
        assert_eq!(TALLY.read(&folder), Some([3 * all, all]));
        TALLY.set(&folder, [3 * all, all]).unwrap();
        assert_eq!(TALLY.read(&folder), Some([3 * all, all]));
        assert_eq!(fs::read(folder.join(".sums")).unwrap().len(), RECORD);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn damaged_files_do_no_harm() {
        let folder = scratch("damage");
        fs::write(folder.join(".sums"), [0xff; 2 * RECORD + 3]).unwrap();
        assert_eq!(TALLY.read(&folder), Some([u64::MAX; 2]));
        fs::remove_file(folder.join(".sums")).unwrap();
        fs::create_dir(folder.join(".sums")).unwrap();
        assert!(TALLY.add(&folder, [3, 1]).is_err());
        assert_eq!(TALLY.read(&folder), None);
        fs::remove_dir_all(folder).unwrap();
    }
}
