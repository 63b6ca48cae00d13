//! Keeps builds on disk for other processes and other days.
//!
//! An entry's name is a hash of everything that decides the result: the compiler's own sources,
//! the target, the options, the source or module. This folder stores bytes under keys and knows neither
//! programs nor devices: `program/cached.rs` has the entries of programs, `device/pipelines.rs` those of
//! the Vulkan driver's pipeline cache.
//!
//! `folder.rs` has the files, `writer.rs` the thread that writes them, and `lookups.rs` counts what was found. `tally.rs` has the
//! sums that processes share.

mod folder;
mod lookups;
mod tally;
mod writer;

use std::hash::{Hash, Hasher};
use std::path::PathBuf;
use std::sync::OnceLock;

use pumice_compiler::{KernelModule, Target};
use sha2::{Digest, Sha256};

use self::folder::Folder;
use self::lookups::{Counter, Lookups};
use self::writer::Writer;
use crate::base::config;
use crate::base::exit::{self, Stage};
use crate::base::log;
use crate::os::SYSTEM;

/// The cache's bound where none is set, in bytes.
const DEFAULT_LIMIT: u64 = 512 << 20;

/// Writes entries of programs.
static WRITER: Writer = Writer::new();
/// Counts this process's builds.
static COUNTER: Counter = Counter::new();

/// The cache's place and contents.
#[derive(Debug)]
pub(crate) struct State {
    /// The folder.
    pub path: PathBuf,
    /// Bytes that it may hold.
    pub limit: u64,
    /// Number of entries.
    pub entries: usize,
    /// Bytes of the entries.
    pub bytes: u64,
    /// Number of those that this version cannot read: damaged ones, and those of older versions.
    pub stale: usize,
    /// Builds that processes looked up.
    pub lookups: Lookups,
    /// Reason why it cannot be used.
    pub fault: Option<String>,
}

/// Returns the cache's state; `None` where it is turned off or has no place.
pub(crate) fn state() -> Option<State> {
    folder().map(Folder::state)
}

/// The cache, unless it is turned off or has no place.
fn folder() -> Option<&'static Folder> {
    static FOLDER: OnceLock<Option<Folder>> = OnceLock::new();
    FOLDER.get_or_init(open).as_ref()
}

fn open() -> Option<Folder> {
    if !config::CACHE.flag(true) {
        return None;
    }
    let limit = match config::CACHE_SIZE.value().map(|size| size.parse::<u64>()) {
        Some(Ok(mebibytes)) => mebibytes.saturating_mul(1 << 20),
        Some(Err(_)) => {
            config::CACHE_SIZE.refused(&format!(
                "not a number of MiB; the cache may have {} MiB",
                DEFAULT_LIMIT >> 20
            ));
            DEFAULT_LIMIT
        }
        None => DEFAULT_LIMIT,
    };
    let named = config::CACHE_DIR.value().map(PathBuf::from);
    let user = || Some(config::user_folder(SYSTEM.cache)?.join("pumice"));
    let path = named.or_else(user)?;
    let folder = Folder::new(path, limit);
    log::info!("the cache is {}", folder.path().display());
    exit::at_end(Stage::Cache, |ending| {
        WRITER.finish(ending.time_left());
        keep_counts();
    });
    Some(folder)
}

/// Adds this process's counts to the folder's. A folder that cannot be used has been complained of.
fn keep_counts() {
    if let Some(folder) = folder() {
        let _ = lookups::add(folder.path(), COUNTER.take());
    }
}

/// Counts a build that was looked up: found, or to be compiled.
pub(crate) fn count(found: bool) {
    COUNTER.count(found);
}

/// Feeds a hash: what [`Hash`] writes, and byte strings with their lengths.
pub(crate) struct Feed(Sha256);

impl Feed {
    /// A hash for one purpose.
    pub fn new(purpose: &str) -> Self {
        let mut feed = Self(Sha256::new());
        feed.part(purpose.as_bytes());
        feed
    }

    /// Feeds bytes with their number.
    pub fn part(&mut self, bytes: &[u8]) {
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }

    /// The key.
    pub fn key(self) -> Key {
        let digest = self.0.finalize();
        Key(digest.iter().map(|byte| format!("{byte:02x}")).collect())
    }
}

impl Hasher for Feed {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(&self) -> u64 {
        // The whole digest is the name; nobody asks for a part of it.
        0
    }
}

/// The name of an entry.
#[derive(Clone, Debug)]
pub struct Key(String);

/// The input of a build, for its key.
pub enum Start<'a> {
    /// OpenCL C, and the headers given with it.
    Source(&'a [u8], &'a [(String, Vec<u8>)]),
    /// Modules to link.
    Modules(&'a [&'a KernelModule]),
}

/// The key of a build; `None` without a cache. `stage` tells the API's calls apart.
pub fn key(stage: &str, target: &Target, options: &[u8], start: &Start<'_>) -> Option<Key> {
    folder()?;
    let mut feed = Feed::new("program");
    feed.part(env!("PUMICE_COMPILER_HASH").as_bytes());
    feed.part(stage.as_bytes());
    feed.part(options);
    target.hash(&mut feed);
    match start {
        Start::Source(text, headers) => {
            feed.part(b"source");
            feed.part(text);
            for (name, text) in *headers {
                feed.part(name.as_bytes());
                feed.part(text);
            }
        }
        Start::Modules(modules) => {
            feed.part(b"modules");
            for module in *modules {
                feed.part(&[u8::from(module.is_library)]);
                let bytes: Vec<u8> = module.words.iter().flat_map(|w| w.to_le_bytes()).collect();
                feed.part(&bytes);
            }
        }
    }
    Some(feed.key())
}

impl std::fmt::Display for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// The entry of a key, if there is one.
pub(crate) fn get(key: &Key) -> Option<Vec<u8>> {
    WRITER.get(folder()?, &key.0)
}

/// Stores an entry, soon.
pub(crate) fn put(key: &Key, contents: Vec<u8>) {
    if let Some(folder) = folder() {
        WRITER.put(folder, &key.0, contents);
    }
}

/// Stores an entry at once.
pub(crate) fn put_now(key: &Key, contents: &[u8]) {
    if let Some(folder) = folder() {
        folder.put(&key.0, contents);
    }
}

/// Removes an entry that turned out to be of no use.
pub(crate) fn remove(key: &Key) {
    if let Some(folder) = folder() {
        folder.remove(&key.0);
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn keys_depend_on_every_crate_that_compiles() {
        let crates: Vec<&str> = env!("PUMICE_COMPILER_CRATES").split(' ').collect();
        for name in [
            "backend",
            "builtins-lib",
            "frontend",
            "ir",
            "reflection",
            "target",
        ] {
            assert!(crates.contains(&&*format!("compiler/{name}")), "{crates:?}");
        }
        // The oracle and the test tools decide nothing about a program.
        assert!(!crates.contains(&"compiler/interp") && !crates.contains(&"compiler/filetests"));
    }
}
