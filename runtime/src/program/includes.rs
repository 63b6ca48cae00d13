//! Files for `#include`: headers given to clCompileProgram, then the folders.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use pumice_compiler::target::Checks;
use pumice_compiler::{IncludeResolver, IncludedFile, plain_path};

use crate::base::config;
use crate::base::files;
use crate::device::checks;

/// The largest file that `#include` reads, in bytes.
const MAX_FILE: u64 = 64 << 20;

/// Files that `#include` and `__has_include` may open: the option PUMICE_INCLUDES.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Allowed {
    /// Any regular file.
    #[default]
    Any,
    /// Those that lie in a `-I` folder or below it, after symbolic links.
    Listed,
    /// None.
    None,
}

impl Allowed {
    /// The option's value. One that is not known allows nothing: it was set to keep files out. Robust mode allows nothing.
    pub fn from_options(own: Checks) -> Self {
        if checks::is_robust(own) {
            return Self::None;
        }
        match config::INCLUDES.value().as_deref() {
            None | Some("on") => Self::Any,
            Some("listed") => Self::Listed,
            Some("off") => Self::None,
            Some(_) => {
                config::INCLUDES.refused("not on, listed or off; no file is read");
                Self::None
            }
        }
    }
}

/// The headers and folders of one compilation.
#[derive(Clone, Debug, Default)]
pub struct Includes {
    /// Names and texts of clCompileProgram's input headers.
    pub headers: Vec<(String, Vec<u8>)>,
    /// `-I` folders in order.
    pub folders: Vec<PathBuf>,
    /// Files that may be opened.
    pub allowed: Allowed,
}

impl Includes {
    /// The header of clCompileProgram that a name means. They are found as files of one folder would
    /// be: quotes mean one beside the including header first.
    fn embedded(&self, name: &str, angled: bool, from: &str) -> Option<&(String, Vec<u8>)> {
        let find = |path: &Path| {
            let path = plain_path(path);
            let mut headers = self.headers.iter();
            headers.find(|(known, _)| plain_path(Path::new(known)) == path)
        };
        let is_header = !angled && self.headers.iter().any(|(known, _)| known == from);
        let beside = Path::new(from).parent().filter(|_| is_header);
        beside
            .and_then(|folder| find(&folder.join(name)))
            .or_else(|| find(Path::new(name)))
    }

    /// Paths that a name could mean, in order.
    fn candidates(&self, name: &str, angled: bool, from: &str) -> Vec<PathBuf> {
        if self.allowed == Allowed::None {
            return Vec::new();
        }
        if Path::new(name).is_absolute() {
            return vec![name.into()];
        }
        // Quotes: beside the including file first, which for the program's source is the
        // current folder.
        let beside = Path::new(from).parent().unwrap_or(Path::new(""));
        let beside = (!angled).then(|| beside.join(name));
        let folders = self.folders.iter();
        beside
            .into_iter()
            .chain(folders.map(|folder| folder.join(name)))
            .collect()
    }

    /// The path to open for a candidate; `None` where nothing is to be known of the file, not even
    /// whether it is there.
    fn opened_path(&self, path: &Path) -> Option<PathBuf> {
        if self.allowed == Allowed::Any {
            return Some(path.to_path_buf());
        }
        let real = path.canonicalize().ok()?;
        let inside = |folder: &PathBuf| {
            let folder = folder.canonicalize();
            folder.is_ok_and(|folder| real.starts_with(folder))
        };
        self.folders.iter().any(inside).then_some(real)
    }
}

impl IncludeResolver for Includes {
    fn resolve(&self, name: &str, angled: bool, from: &str) -> Option<IncludedFile> {
        // OpenCL 3.0 API §5.8.2: embedded headers are searched before folders.
        if let Some((name, text)) = self.embedded(name, angled, from) {
            return Some(IncludedFile {
                path: name.clone(),
                text: text.clone(),
            });
        }
        self.candidates(name, angled, from).iter().find_map(|path| {
            let text = files::read(&self.opened_path(path)?, MAX_FILE).ok()?;
            Some(IncludedFile {
                path: path.to_string_lossy().into_owned(),
                text,
            })
        })
    }

    fn refusal(&self, name: &str, angled: bool, from: &str) -> Option<String> {
        let because = |path: &PathBuf| {
            let error = files::read(&self.opened_path(path)?, MAX_FILE).err()?;
            let told = matches!(
                error.kind(),
                ErrorKind::InvalidInput | ErrorKind::PermissionDenied | ErrorKind::OutOfMemory
            );
            told.then(|| error.to_string())
        };
        let paths = self.candidates(name, angled, from);
        paths
            .iter()
            .find_map(because)
            .or_else(|| match self.allowed {
                Allowed::Any => None,
                Allowed::Listed => Some("PUMICE_INCLUDES is `listed`: only -I folders".into()),
                Allowed::None => {
                    Some("PUMICE_INCLUDES is `off`, or robust mode on: no file is read".into())
                }
            })
    }
}

#[cfg(test)]
mod tests {
    use super::{Allowed, Includes};
    use pumice_compiler::IncludeResolver;
    use std::path::PathBuf;

    #[test]
    fn embedded_headers_come_first() {
        for allowed in [Allowed::Any, Allowed::Listed, Allowed::None] {
            let includes = Includes {
                headers: vec![("a/b.h".into(), b"x".to_vec())],
                folders: vec!["/no/such/folder".into()],
                allowed,
            };
            assert_eq!(includes.resolve("a/b.h", true, "").unwrap().text, b"x");
            assert!(includes.resolve("b.h", false, "").is_none());
        }
    }

    #[test]
    fn embedded_headers_are_found_as_in_a_folder() {
        let names = ["a.h", "sub/a.h", "./sub/c.h", "../up.h"];
        let header = |name: &&str| (name.to_string(), name.as_bytes().to_vec());
        let includes = Includes {
            headers: names.iter().map(header).collect(),
            ..Includes::default()
        };
        let found = |name: &str, angled, from: &str| {
            let file = includes.resolve(name, angled, from)?;
            assert_eq!(file.path.as_bytes(), file.text);
            Some(file.path)
        };
        for (name, angled, from, expected) in [
            ("./a.h", false, "<source>", Some("a.h")),
            (".//sub/../a.h", true, "<source>", Some("a.h")),
            ("sub/c.h", false, "<source>", Some("./sub/c.h")),
            ("c.h", false, "<source>", None),
            ("../up.h", false, "<source>", Some("../up.h")),
            ("../../up.h", false, "<source>", None),
            // Beside the including header first, but not between angle brackets.
            ("a.h", false, "./sub/c.h", Some("sub/a.h")),
            ("a.h", true, "./sub/c.h", Some("a.h")),
            ("../a.h", false, "sub/a.h", Some("a.h")),
            ("c.h", false, "sub/a.h", Some("./sub/c.h")),
            ("../../up.h", false, "sub/a.h", Some("../up.h")),
            ("sub/a.h", false, "sub/a.h", Some("sub/a.h")),
        ] {
            let found = found(name, angled, from);
            assert_eq!(found.as_deref(), expected, "{name} in {from}");
        }
    }

    /// A folder `listed` with a header, links to it, out of the folder and to a device; a secret beside.
    fn folders() -> PathBuf {
        static NUMBER: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let name = format!("pumice-includes-{}-{number}", std::process::id());
        let root = std::env::temp_dir().join(name);
        std::fs::create_dir_all(root.join("listed/below")).unwrap();
        std::fs::write(root.join("listed/below/a.h"), "a").unwrap();
        std::fs::write(root.join("secret.h"), "secret").unwrap();
        std::os::unix::fs::symlink("../secret.h", root.join("listed/out.h")).unwrap();
        std::os::unix::fs::symlink("below/a.h", root.join("listed/in.h")).unwrap();
        std::os::unix::fs::symlink("/dev/zero", root.join("listed/zero.h")).unwrap();
        root
    }

    fn texts(root: &std::path::Path, allowed: Allowed) -> Vec<Option<String>> {
        let includes = Includes {
            headers: Vec::new(),
            folders: vec![root.join("listed")],
            allowed,
        };
        let absolute = root.join("secret.h").display().to_string();
        let names = [
            "below/a.h",
            "in.h",
            "out.h",
            "../secret.h",
            "below/../../secret.h",
            &absolute,
            "zero.h",
        ];
        let text = |name: &str| {
            let file = includes.resolve(name, false, "");
            file.map(|file| String::from_utf8(file.text).unwrap())
        };
        names.iter().map(|name| text(name)).collect()
    }

    #[test]
    fn listed_folders_are_not_left() {
        let root = folders();
        let (a, secret) = (Some("a".to_string()), Some("secret".to_string()));
        let any = texts(&root, Allowed::Any);
        let out = [&secret; 4].map(Clone::clone);
        assert_eq!(any, [&[a.clone(), a.clone()], &out[..], &[None]].concat());
        let listed = texts(&root, Allowed::Listed);
        assert_eq!(listed[..2], [a.clone(), a]);
        assert_eq!(listed[2..], [None, None, None, None, None]);
        assert_eq!(texts(&root, Allowed::None), vec![None; 7]);
        std::fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn refusals_do_not_tell_what_is_there() {
        let root = folders();
        let refusal = |allowed, name: &str| {
            let folders = vec![root.join("listed")];
            let includes = Includes {
                folders,
                allowed,
                ..Includes::default()
            };
            includes.refusal(name, false, "")
        };
        let kind = Some("it is not a regular file".to_string());
        assert_eq!(refusal(Allowed::Any, "zero.h"), kind);
        assert_eq!(refusal(Allowed::Any, "/dev/zero"), kind);
        assert_eq!(refusal(Allowed::Any, "absent.h"), None);
        let closed = refusal(Allowed::Listed, "absent.h");
        assert!(closed.is_some());
        for name in ["zero.h", "../secret.h", "../absent.h", "/dev/zero"] {
            assert_eq!(refusal(Allowed::Listed, name), closed, "{name}");
        }
        let off = refusal(Allowed::None, "absent.h");
        assert_eq!(refusal(Allowed::None, "zero.h"), off);
        assert_ne!(off, closed);
        std::fs::remove_dir_all(root).unwrap();
    }
}
