//! Entries of the cache that are built programs.
//!
//! Files that `#include` brought in are told of by the entry itself: every question that the compiler
//! asked about one, with a hash of what it got. An entry is a hit when the same questions get the same
//! answers today, so a header that changed, or one that now lies earlier in the search order, is a miss.
//!
//! Failed builds are not kept: their logs are for people who are about to change something.

use parking_lot::Mutex;
use pumice_compiler::{IncludeResolver, IncludedFile};
use sha2::{Digest, Sha256};

use crate::base::log;
use crate::cache::{self, Key};
use crate::device::Device;
use crate::program::{Build, binary};

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
pub struct IncludeRecorder<'a> {
    resolver: &'a dyn IncludeResolver,
    asked: Mutex<Vec<Asked>>,
}

impl<'a> IncludeRecorder<'a> {
    /// Nothing asked yet.
    pub fn new(resolver: &'a dyn IncludeResolver) -> Self {
        Self {
            resolver,
            asked: Mutex::default(),
        }
    }
}

impl IncludeResolver for IncludeRecorder<'_> {
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
    let found = find(key, includes, device);
    cache::count(found.is_some());
    found
}

fn find(key: &Key, includes: &dyn IncludeResolver, device: &Device) -> Option<Build> {
    let Some(bytes) = cache::get(key) else {
        log::debug!("{key} is not there");
        return None;
    };
    let Some((asked, build)) = Reader(&bytes).entry(device) else {
        log::warn!("{key} in the cache cannot be read; the program is compiled again");
        cache::remove(key);
        return None;
    };
    for before in &asked {
        let file = includes.resolve(&before.name, before.angled, &before.from);
        let now = Asked::new(&before.name, before.angled, &before.from, file.as_ref());
        if now != *before {
            log::debug!("{key}: #include of {} has changed", before.name);
            return None;
        }
    }
    log::debug!("{key} is there");
    Some(build)
}

/// Keeps a successful build and its log.
pub fn store(key: &Key, includes: &IncludeRecorder<'_>, build: &Build, log: &str, device: &Device) {
    let mut bytes = Vec::new();
    write_entry(&mut bytes, &includes.asked.lock(), log);
    bytes.extend_from_slice(&binary::write_all(build, device));
    cache::put(key, bytes);
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

#[cfg(test)]
mod tests {
    use super::{Asked, IncludeRecorder, Reader, write_entry};
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
        let includes = IncludeRecorder::new(&One);
        assert!(includes.resolve("a.h", false, "").is_some());
        assert!(includes.resolve("a.h", false, "").is_some());
        assert!(includes.resolve("b.h", true, "folder/a.h").is_none());
        let asked = includes.asked.lock().clone();
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
