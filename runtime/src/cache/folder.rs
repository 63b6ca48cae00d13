//! Files that several processes share without a lock.
//!
//! An entry is written under a name of its own and renamed, so that a reader finds either the
//! whole of it or nothing; of two writers the last one stays, and both wrote the same. A hash of
//! name and contents stands in front: what does not match it is removed and counts as absent. A
//! hit renews an entry's time of modification, and those longest unused go when the folder
//! outgrows its bound.
//!
//! Who can write here decides what runs: a folder or entry that another user owns or can write to is
//! refused, and so is what is not a regular file.
//!
//! Whatever fails here costs time, never a result: it is logged once and the cache does without.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use parking_lot::Mutex;
use sha2::{Digest, Sha256};

use crate::base::files::{self, Links, OpenMode};
use crate::base::log;
use crate::cache::tally::{Sums, Tally};
use crate::cache::{State, lookups};
use crate::os;

const MAGIC: [u8; 8] = *b"PUMICE\x01\n";
/// Magic and hash.
const HEADER: usize = 8 + 32;
/// The beginning of the name of a file that is being written.
const UNFINISHED: &str = "unfinished-";
/// Unfinished files older than this were left behind by a process that died.
const ABANDONED: Duration = Duration::from_secs(3600);
/// A hit renews an entry's time when it is older than this.
const RENEW_AFTER: Duration = Duration::from_secs(60);
/// Bytes and number of the entries that were written. Those that were replaced or removed are in it until the entries are
/// counted again: when its file is long, or says that there are too many.
const SIZE: Tally = Tally::new(".size");

/// A folder of entries.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    /// Bytes that it may hold.
    limit: u64,
    /// Held while the entries' size is counted or made less.
    counting: Mutex<()>,
    /// True if something has failed and been logged.
    complained: AtomicBool,
}

/// The hash in front of an entry.
fn seal(name: &str, contents: &[u8]) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(name.as_bytes());
    hash.update([0]);
    hash.update(contents);
    hash.finalize().into()
}

impl Folder {
    /// A folder of at most `limit` bytes, made at the first write.
    pub fn new(path: PathBuf, limit: u64) -> Self {
        Self {
            path,
            limit,
            counting: Mutex::default(),
            complained: AtomicBool::new(false),
        }
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Counts the entries and looks whether the folder can be used.
    pub fn state(&self) -> State {
        let entries = self.entries();
        State {
            path: self.path.clone(),
            limit: self.limit,
            entries: entries.len(),
            stale: entries
                .iter()
                .filter(|entry| !begins_well(&entry.path))
                .count(),
            bytes: entries.iter().map(|entry| entry.length).sum(),
            lookups: lookups::read(&self.path),
            fault: self.fault(),
        }
    }

    /// Reason why entries cannot be read or written.
    fn fault(&self) -> Option<String> {
        match files::check_folder(&self.path) {
            Ok(()) if os::may_write_in(&self.path) => None,
            Ok(()) => Some("it cannot be written".to_string()),
            Err(error)
                if [ErrorKind::NotFound, ErrorKind::NotADirectory].contains(&error.kind()) =>
            {
                let above = self.path.ancestors().find(|folder| folder.exists())?;
                let possible = above.is_dir() && os::may_write_in(above);
                (!possible).then(|| format!("it cannot be made in {}", above.display()))
            }
            Err(error) => Some(error.to_string()),
        }
    }

    fn complain(&self, what: &str, error: &io::Error) {
        if !self.complained.swap(true, Ordering::Relaxed) {
            let path = self.path.display();
            log::warn!("{path}: {what}: {error}; going on without a cache");
        }
    }

    /// The contents of an entry that is whole.
    pub fn get(&self, name: &str) -> Option<Vec<u8>> {
        match files::check_folder(&self.path) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => return None,
            Err(error) => {
                self.complain("the folder is not used", &error);
                return None;
            }
        }
        let path = self.path.join(name);
        let (file, mut bytes) = match self.read(&path) {
            Ok(read) => read,
            Err(error) if error.kind() == ErrorKind::NotFound => return None,
            Err(error) if error.kind() == ErrorKind::PermissionDenied => {
                log::warn!("{}: {error}; the program is compiled again", path.display());
                let _ = fs::remove_file(&path);
                return None;
            }
            Err(error) => {
                self.complain("an entry cannot be read", &error);
                return None;
            }
        };
        let whole = bytes.len() >= HEADER
            && bytes[..8] == MAGIC
            && bytes[8..HEADER] == seal(name, &bytes[HEADER..]);
        if !whole {
            log::warn!("{}: damaged; the program is compiled again", path.display());
            let _ = fs::remove_file(&path);
            return None;
        }
        renew(&file);
        bytes.drain(..HEADER);
        Some(bytes)
    }

    /// The bytes of an entry of this user's.
    fn read(&self, path: &Path) -> io::Result<(File, Vec<u8>)> {
        let file = files::open_regular(path, Links::Refused)?;
        files::check_own(&file.metadata()?)?;
        let mut bytes = Vec::new();
        // One byte more than any entry has tells that it is none.
        (&file)
            .take(self.limit.saturating_add(1))
            .read_to_end(&mut bytes)?;
        Ok((file, bytes))
    }

    /// Removes an entry that turned out to be of no use.
    pub fn remove(&self, name: &str) {
        let _ = fs::remove_file(self.path.join(name));
    }

    /// Stores an entry.
    pub fn put(&self, name: &str, contents: &[u8]) {
        let length = (HEADER + contents.len()) as u64;
        if length > self.limit {
            log::info!("an entry of {length} bytes is more than the cache may hold");
            return;
        }
        match self.write(name, contents) {
            Ok(()) => self.grown(length),
            Err(error) => self.complain("an entry cannot be written", &error),
        }
    }

    fn write(&self, name: &str, contents: &[u8]) -> io::Result<()> {
        // Built programs tell of their sources: they are the user's alone.
        files::make_folder(&self.path)?;
        files::check_folder(&self.path)?;
        replace(&self.path, name, &[&MAGIC, &seal(name, contents), contents])
    }

    /// Counts what was written, and makes room when it is too much. Looking at every entry takes long in a full folder, so that
    /// it is put off for thousands of entries.
    fn grown(&self, length: u64) {
        let _counting = self.counting.lock();
        if let Err(error) = self.record_size(length) {
            self.complain("its size cannot be written", &error);
        }
    }

    fn record_size(&self, length: u64) -> io::Result<()> {
        let known = SIZE.read(&self.path);
        let fits = known.is_some_and(|[bytes, _]| bytes.saturating_add(length) <= self.limit);
        if fits && !SIZE.add(&self.path, [length, 1])? {
            return Ok(());
        }
        SIZE.set(&self.path, self.make_room())
    }

    /// Counts the entries. If they are too large, removes those longest unused until a tenth of the bound is free. Returns the
    /// bytes and number of the rest.
    fn make_room(&self) -> Sums {
        let mut entries = self.entries();
        let mut bytes: u64 = entries.iter().map(|entry| entry.length).sum();
        let mut number = entries.len() as u64;
        if bytes > self.limit {
            entries.sort_by_key(|entry| entry.used);
            let aim = self.limit - self.limit / 10;
            for entry in entries {
                if bytes <= aim {
                    break;
                }
                // Another process may have removed it: then it takes no room either.
                let _ = fs::remove_file(&entry.path);
                bytes -= entry.length;
                number -= 1;
            }
        }
        [bytes, number]
    }

    fn entries(&self) -> Vec<Entry> {
        let Ok(listed) = fs::read_dir(&self.path) else {
            return Vec::new();
        };
        let mut entries = Vec::new();
        for file in listed.flatten() {
            let Ok(meta) = file.metadata() else { continue };
            let used = meta.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            let name = file.file_name();
            if name.as_encoded_bytes().starts_with(b".") {
                // What is counted of the cache.
                continue;
            }
            if name.to_string_lossy().starts_with(UNFINISHED) {
                if used.elapsed().is_ok_and(|age| age > ABANDONED) {
                    let _ = fs::remove_file(file.path());
                }
                continue;
            }
            if meta.is_file() {
                entries.push(Entry {
                    path: file.path(),
                    length: meta.len(),
                    used,
                });
            }
        }
        entries
    }
}

/// Puts a file of these parts in a folder. Readers find the whole of it, or what was there before.
///
/// # Errors
/// It cannot be written.
pub(super) fn replace(folder: &Path, name: &str, parts: &[&[u8]]) -> io::Result<()> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let unfinished = folder.join(format!("{UNFINISHED}{}-{number}", std::process::id()));
    let written = (|| {
        // A process of the same number may have left it behind.
        let _ = fs::remove_file(&unfinished);
        let mut file = files::open_private(&unfinished, OpenMode::CreateNew)?;
        parts.iter().try_for_each(|part| file.write_all(part))?;
        drop(file);
        fs::rename(&unfinished, folder.join(name))
    })();
    if written.is_err() {
        let _ = fs::remove_file(&unfinished);
    }
    written
}

/// Tells whether a file has the beginning of an entry that this version can read.
fn begins_well(path: &Path) -> bool {
    let mut start = [0; HEADER];
    let read =
        files::open_regular(path, Links::Refused).and_then(|mut file| file.read_exact(&mut start));
    read.is_ok() && start[..MAGIC.len()] == MAGIC
}

struct Entry {
    path: PathBuf,
    length: u64,
    used: SystemTime,
}

/// Notes that an entry was of use.
fn renew(file: &File) {
    let fresh = (|| {
        let age = file.metadata()?.modified()?.elapsed();
        io::Result::Ok(age.is_ok_and(|age| age < RENEW_AFTER))
    })();
    if !fresh.unwrap_or(true) {
        let _ = file.set_modified(SystemTime::now());
    }
}

#[cfg(test)]
mod tests {
    use super::{Folder, HEADER, SIZE};
    use std::fs::{self, File};
    use std::path::PathBuf;
    use std::time::{Duration, SystemTime};

    /// A path of the test's own, where nothing is.
    fn scratch(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("pumice-cache-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        path
    }

    #[test]
    fn entries_come_back_in_another_folder_object() {
        let path = scratch("round-trip");
        Folder::new(path.clone(), 1000).put("one", b"contents");
        let other = Folder::new(path.clone(), 1000);
        assert_eq!(other.get("one").unwrap(), b"contents");
        assert_eq!(other.get("two"), None);
        fs::remove_dir_all(path).unwrap();
    }

    #[test]
    fn damaged_and_truncated_entries_are_removed() {
        let path = scratch("damage");
        let folder = Folder::new(path.clone(), 1000);
        let file = path.join("one");
        folder.put("one", b"contents");
        let whole = fs::read(&file).unwrap();
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 1;
            fs::write(&file, &damaged).unwrap();
            assert_eq!(folder.get("one"), None, "byte {at}");
            assert!(!file.exists());
            fs::write(&file, &whole[..at]).unwrap();
            assert_eq!(folder.get("one"), None, "length {at}");
            assert!(!file.exists());
        }
        // An entry under another's name is none either.
        fs::write(path.join("two"), &whole).unwrap();
        assert_eq!(folder.get("two"), None);
        fs::remove_dir_all(path).unwrap();
    }

    #[test]
    fn stale_entries_are_counted() {
        let path = scratch("stale");
        let folder = Folder::new(path.clone(), 1000);
        folder.put("one", b"contents");
        fs::write(
            path.join("two"),
            [b"PUMICE\x00\n".as_slice(), &[0; 40]].concat(),
        )
        .unwrap();
        fs::write(path.join("three"), b"cut").unwrap();
        let state = folder.state();
        assert_eq!((state.entries, state.stale), (3, 2));
        fs::remove_dir_all(path).unwrap();
    }

    #[test]
    fn a_folder_that_cannot_be_is_done_without() {
        let path = scratch("file");
        fs::write(&path, b"a file").unwrap();
        let folder = Folder::new(path.join("below"), 1000);
        folder.put("one", b"contents");
        assert_eq!(folder.get("one"), None);
        fs::remove_file(path).unwrap();
    }

    #[test]
    fn the_longest_unused_go_first() {
        let path = scratch("bound");
        let entry = vec![7; 100 - HEADER];
        let folder = Folder::new(path.clone(), 1000);
        let now = SystemTime::now();
        for number in 0..10_u64 {
            let name = format!("{number}");
            folder.put(&name, &entry);
            let file = File::options().write(true).open(path.join(&name)).unwrap();
            let used = now - Duration::from_secs(10_000 - number);
            file.set_modified(used).unwrap();
        }
        // A hit makes the oldest one the newest.
        assert!(folder.get("0").is_some());
        folder.put("10", &entry);
        let left: Vec<bool> = (0..=10)
            .map(|number| path.join(format!("{number}")).exists())
            .collect();
        assert_eq!(left.iter().filter(|there| **there).count(), 9);
        assert!(left[0] && !left[1] && !left[2] && left[3] && left[10]);
        // What is larger than the whole bound is not stored.
        folder.put("large", &[0; 1001]);
        assert!(!path.join("large").exists());
        fs::remove_dir_all(path).unwrap();
    }

    #[test]
    fn the_recorded_size_decides_when_entries_are_counted() {
        let path = scratch("size");
        let folder = Folder::new(path.clone(), 1000);
        let size = || SIZE.read(&path).unwrap();
        let entry = vec![7; 100 - HEADER];
        // Entries of an older version, which recorded nothing.
        folder.put("0", &entry);
        fs::remove_file(path.join(".size")).unwrap();
        folder.put("1", &entry);
        assert_eq!(size(), [200, 2]);
        // A removed entry is counted until the sum says that there is too much.
        folder.remove("0");
        for number in 2..10 {
            folder.put(&format!("{number}"), &entry);
        }
        assert_eq!(size(), [1000, 10]);
        folder.put("10", &entry);
        assert_eq!(size(), [1000, 10]);
        folder.put("11", &entry);
        assert_eq!(size(), [900, 9]);
        // A damaged file of sums is replaced.
        fs::write(path.join(".size"), [0xff; 21]).unwrap();
        folder.put("12", &entry);
        assert_eq!(size(), [1000, 10]);
        assert_eq!(folder.state().entries, 10);
        // A long one too, whatever its records say.
        fs::write(path.join(".size"), vec![0; 64 << 10]).unwrap();
        folder.put("12", &entry);
        assert_eq!(size(), [1000, 10]);
        fs::remove_dir_all(path).unwrap();
    }

    #[test]
    fn what_a_dead_process_left_goes() {
        let path = scratch("abandoned");
        fs::create_dir_all(&path).unwrap();
        let [old, new] = ["unfinished-1-1", "unfinished-1-2"].map(|name| path.join(name));
        fs::write(&new, b"half").unwrap();
        let file = File::create(&old).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(4000))
            .unwrap();
        Folder::new(path.clone(), 1000).put("one", b"contents");
        assert!(!old.exists() && new.exists());
        fs::remove_dir_all(path).unwrap();
    }

    #[test]
    fn many_writers_and_readers_see_whole_entries() {
        let path = scratch("threads");
        let contents = |number: usize| vec![number as u8; 3000 + number];
        std::thread::scope(|scope| {
            for thread in 0..8 {
                let path = path.clone();
                scope.spawn(move || {
                    // A folder object each, as processes have, and too small for all of them.
                    let folder = Folder::new(path, 20_000);
                    for round in 0..100 {
                        let number = (round * 7 + thread) % 10;
                        let name = format!("{number}");
                        match folder.get(&name) {
                            Some(found) => assert_eq!(found, contents(number)),
                            None => folder.put(&name, &contents(number)),
                        }
                    }
                });
            }
        });
        fs::remove_dir_all(path).unwrap();
    }
}
