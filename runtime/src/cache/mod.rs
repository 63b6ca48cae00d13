//! What was built before, kept on disk for other processes and other days.
//!
//! An entry's name is a hash of everything that decides the result: the compiler's own sources,
//! the target, the options, the source or module. Files that `#include` brought in are told of by
//! the entry itself: every question that the compiler asked about one, with a hash of what it got.
//! An entry is a hit when the same questions get the same answers today, so a header that changed,
//! or one that now lies earlier in the search order, is a miss.
//!
//! Failed builds are not kept: their logs are for people who are about to change something.
//!
//! `folder.rs` has the files and `writer.rs` the thread that writes them; what the Vulkan driver
//! compiles further (its pipeline cache) is kept beside the programs where the driver gives it out.

mod folder;
mod writer;

use std::hash::{Hash, Hasher};
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::Duration;

use parking_lot::Mutex;
use pumice_compiler::{IncludeResolver, IncludedFile, KernelModule, Target};
use sha2::{Digest, Sha256};

use self::folder::Folder;
use self::writer::Writer;
use crate::config;
use crate::device::Device;
use crate::log;
use crate::program::{Build, binary};

/// The cache's bound where none is set, in bytes.
const DEFAULT_LIMIT: u64 = 512 << 20;

/// Writes entries of programs.
static WRITER: Writer = Writer::new();

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
            let name = config::CACHE_SIZE.name;
            log::warn!("{name}: not a number of MiB; {} it is", DEFAULT_LIMIT >> 20);
            DEFAULT_LIMIT
        }
        None => DEFAULT_LIMIT,
    };
    let named = config::CACHE_DIR.value().map(PathBuf::from);
    let user = || Some(config::user_folder("XDG_CACHE_HOME", ".cache")?.join("pumice"));
    let path = named.or_else(user)?;
    let folder = Folder::new(path, limit);
    log::info!("the cache is {}", folder.path().display());
    Some(folder)
}

/// Feeds a hash: what [`Hash`] writes, and byte strings with their lengths.
struct Feed(Sha256);

impl Feed {
    fn new(purpose: &str) -> Self {
        let mut feed = Self(Sha256::new());
        feed.part(purpose.as_bytes());
        feed
    }

    fn part(&mut self, bytes: &[u8]) {
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }

    fn name(self) -> String {
        let digest = self.0.finalize();
        digest.iter().map(|byte| format!("{byte:02x}")).collect()
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

/// What is asked for, by the name that its entry has.
#[derive(Clone, Debug)]
pub struct Key(String);

/// What a build starts from, for its key.
pub enum Start<'a> {
    /// OpenCL C, and the headers given with it.
    Source(&'a [u8], &'a [(String, Vec<u8>)]),
    /// Modules to link.
    Modules(&'a [&'a KernelModule]),
}

/// The key of a build; `None` without a cache. `stage` tells the API's calls apart.
pub fn key(stage: &str, target: &Target, options: &str, start: &Start<'_>) -> Option<Key> {
    folder()?;
    let mut feed = Feed::new("program");
    feed.part(env!("PUMICE_COMPILER_HASH").as_bytes());
    feed.part(stage.as_bytes());
    feed.part(options.as_bytes());
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
    Some(Key(feed.name()))
}

/// A question about an include and what came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Asked {
    name: String,
    angled: bool,
    from: String,
    /// The path found and its contents' hash.
    found: Option<(String, [u8; 32])>,
}

impl Asked {
    fn new(name: &str, angled: bool, from: &str, file: Option<&IncludedFile>) -> Self {
        Self {
            name: name.into(),
            angled,
            from: from.into(),
            found: file.map(|file| (file.path.clone(), Sha256::digest(&file.text).into())),
        }
    }
}

/// Answers includes and remembers what was asked.
pub struct Recording<'a> {
    resolver: &'a dyn IncludeResolver,
    asked: Mutex<Vec<Asked>>,
}

impl<'a> Recording<'a> {
    /// Nothing asked yet.
    pub fn new(resolver: &'a dyn IncludeResolver) -> Self {
        Self {
            resolver,
            asked: Mutex::default(),
        }
    }
}

impl IncludeResolver for Recording<'_> {
    fn resolve(&self, name: &str, angled: bool, from: &str) -> Option<IncludedFile> {
        let file = self.resolver.resolve(name, angled, from);
        let asked = Asked::new(name, angled, from, file.as_ref());
        let mut all = self.asked.lock();
        if !all.contains(&asked) {
            all.push(asked);
        }
        file
    }

    fn refusal(&self, name: &str, angled: bool, from: &str) -> Option<String> {
        self.resolver.refusal(name, angled, from)
    }
}

/// A build that was made before. Its modules are there, its executable is not.
pub fn load(key: &Key, includes: &dyn IncludeResolver, device: &Device) -> Option<Build> {
    let folder = folder()?;
    let Some(bytes) = WRITER.get(folder, &key.0) else {
        log::debug!("{} is not there", key.0);
        return None;
    };
    let Some((asked, build)) = Reader(&bytes).entry(device) else {
        log::warn!("{} cannot be read", key.0);
        folder.remove(&key.0);
        return None;
    };
    for before in &asked {
        let file = includes.resolve(&before.name, before.angled, &before.from);
        let now = Asked::new(&before.name, before.angled, &before.from, file.as_ref());
        if now != *before {
            log::debug!("{}: #include of {} has changed", key.0, before.name);
            return None;
        }
    }
    log::debug!("{} is there", key.0);
    Some(build)
}

/// Keeps a successful build and its log.
pub fn store(key: &Key, includes: &Recording<'_>, build: &Build, log: &str, device: &Device) {
    let Some(folder) = folder() else { return };
    let mut bytes = Vec::new();
    write_entry(&mut bytes, &includes.asked.lock(), log);
    bytes.extend_from_slice(&binary::write_all(build, device));
    WRITER.put(folder, &key.0, bytes);
}

/// Waits until all builds are kept, or for so long. Called by the process's exit handler.
pub fn finish(patience: Duration) {
    WRITER.finish(patience);
}

fn write_bytes(into: &mut Vec<u8>, bytes: &[u8]) {
    into.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
    into.extend_from_slice(bytes);
}

/// An entry without the binary behind it.
fn write_entry(into: &mut Vec<u8>, asked: &[Asked], log: &str) {
    into.extend_from_slice(&(asked.len() as u64).to_le_bytes());
    for one in asked {
        write_bytes(into, one.name.as_bytes());
        write_bytes(into, one.from.as_bytes());
        into.extend_from_slice(&[u8::from(one.angled), u8::from(one.found.is_some())]);
        if let Some((path, hash)) = &one.found {
            write_bytes(into, path.as_bytes());
            into.extend_from_slice(hash);
        }
    }
    write_bytes(into, log.as_bytes());
}

/// Reads an entry. The folder has checked it, but a file of the same hash is still no promise.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn length(&mut self) -> Option<usize> {
        let bytes = self.take(8)?.try_into().ok()?;
        usize::try_from(u64::from_le_bytes(bytes)).ok()
    }

    fn flag(&mut self) -> Option<bool> {
        Some(self.take(1)? != [0])
    }

    fn text(&mut self) -> Option<String> {
        let length = self.length()?;
        String::from_utf8(self.take(length)?.to_vec()).ok()
    }

    fn asked(&mut self) -> Option<Asked> {
        let (name, from) = (self.text()?, self.text()?);
        let (angled, found) = (self.flag()?, self.flag()?);
        let found = match found {
            true => Some((self.text()?, self.take(32)?.try_into().ok()?)),
            false => None,
        };
        Some(Asked {
            name,
            angled,
            from,
            found,
        })
    }

    fn entry(mut self, device: &Device) -> Option<(Vec<Asked>, Build)> {
        let count = self.length()?;
        let asked = (0..count)
            .map(|_| self.asked())
            .collect::<Option<Vec<_>>>()?;
        let mut build = Build {
            log: self.text()?,
            status: opencl_sys::CL_BUILD_SUCCESS,
            ..Build::default()
        };
        binary::read_container(self.0, binary::target_hash(device))?.store(&mut build);
        Some((asked, build))
    }
}

/// The name of a device's pipeline cache.
fn pipelines_name(device: &pumice_vulkan_layer::Device) -> String {
    let caps = device.capabilities();
    let mut feed = Feed::new("pipelines");
    feed.part(&caps.device_uuid);
    feed.part(&caps.driver_uuid);
    for number in [caps.vendor_id, caps.device_id] {
        feed.part(&number.to_le_bytes());
    }
    feed.part(caps.driver.info.as_bytes());
    feed.name()
}

/// Nothing but the header that every driver's pipeline cache has (Vulkan 1.3 §10.7.2), or hardly
/// more.
const EMPTY_PIPELINES: usize = 64;

/// Gives a device what its driver compiled in earlier processes; gives the size of that.
pub fn load_pipelines(device: &pumice_vulkan_layer::Device) -> usize {
    let bytes = folder().and_then(|folder| folder.get(&pipelines_name(device)));
    let Some(bytes) = bytes else { return 0 };
    match device.add_pipeline_cache_data(&bytes) {
        Ok(()) => bytes.len(),
        Err(error) => {
            log::info!("the pipeline cache is not taken: {error}");
            0
        }
    }
}

/// Keeps what the device's driver has compiled, if it is more than `before` bytes.
pub fn store_pipelines(device: &pumice_vulkan_layer::Device, before: usize) {
    let Some(folder) = folder() else { return };
    match device.pipeline_cache_data() {
        Ok(data) if data.len() > before.max(EMPTY_PIPELINES) => {
            folder.put(&pipelines_name(device), &data);
        }
        Ok(_) => {}
        Err(error) => log::info!("the pipeline cache is not given: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{Asked, Reader, Recording, write_entry};
    use pumice_compiler::{IncludeResolver, IncludedFile};

    struct One;
    impl IncludeResolver for One {
        fn resolve(&self, name: &str, _: bool, _: &str) -> Option<IncludedFile> {
            (name == "a.h").then(|| IncludedFile {
                path: "folder/a.h".into(),
                text: b"text".to_vec(),
            })
        }
    }

    #[test]
    fn includes_are_recorded_once_each() {
        let recording = Recording::new(&One);
        assert!(recording.resolve("a.h", false, "").is_some());
        assert!(recording.resolve("a.h", false, "").is_some());
        assert!(recording.resolve("b.h", true, "folder/a.h").is_none());
        let asked = recording.asked.lock().clone();
        assert_eq!(asked.len(), 2);
        assert_eq!(asked[0].found.as_ref().unwrap().0, "folder/a.h");
        assert_eq!(asked[1].found, None);
        let changed = IncludedFile {
            path: "folder/a.h".into(),
            text: b"other".to_vec(),
        };
        assert_ne!(asked[0], Asked::new("a.h", false, "", Some(&changed)));
    }

    #[test]
    fn what_is_cut_off_is_no_entry() {
        let asked = [
            Asked::new("b.h", true, "x", None),
            Asked::new("a.h", false, "", One.resolve("a.h", false, "").as_ref()),
        ];
        let log = "warning: x\n";
        let mut bytes = Vec::new();
        write_entry(&mut bytes, &asked, log);
        let read = |bytes: &[u8]| {
            let mut reader = Reader(bytes);
            let count = reader.length()?;
            let asked = (0..count)
                .map(|_| reader.asked())
                .collect::<Option<Vec<_>>>()?;
            Some((asked, reader.text()?))
        };
        assert_eq!(read(&bytes).unwrap(), (asked.to_vec(), log.to_string()));
        for length in 0..bytes.len() {
            assert!(read(&bytes[..length]).is_none(), "{length}");
        }
        // Lengths beyond all bounds.
        assert!(read(&[0xff; 64]).is_none());
    }
}
