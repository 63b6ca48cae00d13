//! Sources and what every stage shares of them: included files, interned names, positions.

use std::path::{Component, Path, PathBuf};

pub use crate::diagnostics::{Loc, Span};
pub use crate::symbol::{Interner, Symbol};

/// A source text with the name that diagnostics show for it.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// Name shown in diagnostics and by `__FILE__`, for example `<source>`.
    pub name: &'a str,
    /// The text as the application gave it: any bytes, not necessarily UTF-8.
    pub text: &'a [u8],
}

/// A file that an `#include` directive brought in.
#[derive(Clone, Debug)]
pub struct IncludedFile {
    /// The path that identifies the file (for diagnostics and `#pragma once`).
    pub path: String,
    /// The contents.
    pub text: Vec<u8>,
}

/// Answers `#include` directives. The compiler itself does no I/O.
pub trait IncludeResolver: Sync {
    /// Finds `name` as written between the quotes or angle brackets.
    ///
    /// `from` is the path of the including file. The resolver knows the `-I` folders
    /// (it is built from the same options) and the headers given to clCompileProgram.
    fn resolve(&self, name: &str, angled: bool, from: &str) -> Option<IncludedFile>;

    /// Says why [`Self::resolve`] gives nothing for these arguments, where it is more than that no
    /// file has the name.
    fn refusal(&self, _name: &str, _angled: bool, _from: &str) -> Option<String> {
        None
    }
}

/// An [`IncludeResolver`] that finds nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoIncludes;

impl IncludeResolver for NoIncludes {
    fn resolve(&self, _name: &str, _angled: bool, _from: &str) -> Option<IncludedFile> {
        None
    }
}

/// Returns a path without `.` and without `..` behind the name of a folder, as if no folder were a link.
pub fn plain_path(path: &Path) -> PathBuf {
    let mut parts = PathBuf::new();
    for part in path.components() {
        let after_folder = matches!(parts.components().next_back(), Some(Component::Normal(_)));
        match part {
            Component::CurDir => {}
            Component::ParentDir if after_folder => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    parts
}
