//! Source locations: every byte of every file, and every token that a macro produced, has one
//! 32-bit number.
//!
//! A file occupies a range of the number space, one inclusion after the other. A token that a
//! macro's body produced has the top bit set and indexes a table of (where it was spelled,
//! which expansion it came from). Tokens of macro arguments keep the location of the argument.

use std::cell::OnceCell;
use std::rc::Rc;

/// A position in the sources of one compile. `Loc::NONE` is no position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Loc(u32);

const MACRO_BIT: u32 = 1 << 31;

impl Loc {
    /// No position: things that the compiler made itself.
    pub const NONE: Self = Self(0);

    /// Returns whether this is a position.
    pub fn is_some(self) -> bool {
        self.0 != 0
    }

    /// Returns whether the token here comes from the body of a macro.
    pub fn is_macro(self) -> bool {
        self.0 & MACRO_BIT != 0
    }

    /// The location `bytes` further in the same file (not for macro locations).
    pub fn offset(self, bytes: u32) -> Self {
        debug_assert!(!self.is_macro());
        Self(self.0 + bytes)
    }
}

/// A range of tokens: the locations where the first and the last token begin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// Start of the first token.
    pub lo: Loc,
    /// Start of the last token (not its end).
    pub hi: Loc,
}

impl Span {
    /// No place.
    pub const NONE: Self = Self {
        lo: Loc::NONE,
        hi: Loc::NONE,
    };

    /// The span of the one token at `loc`.
    pub fn at(loc: Loc) -> Self {
        Self { lo: loc, hi: loc }
    }

    /// The first token alone.
    pub fn start(self) -> Self {
        Self::at(self.lo)
    }

    /// The last token alone.
    pub fn end(self) -> Self {
        Self::at(self.hi)
    }

    /// From the first token of `self` to the last one of `end`.
    pub fn to(self, end: Self) -> Self {
        Self {
            lo: self.lo,
            hi: if end.hi.is_some() { end.hi } else { self.hi },
        }
    }
}

impl From<Loc> for Span {
    fn from(loc: Loc) -> Self {
        Self::at(loc)
    }
}

/// One inclusion of one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(u32);

/// One expansion of one macro.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ExpansionId(u32);

/// A macro as diagnostics name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MacroNameId(u32);

#[derive(Debug)]
struct SourceFile {
    name: Rc<str>,
    text: Rc<[u8]>,
    base: u32,
    included_at: Loc,
    line_starts: OnceCell<Vec<u32>>,
    marks: Vec<LineMark>,
}

/// Contents of a `#line` directive.
#[derive(Clone, Debug)]
struct LineMark {
    /// First byte to which it applies.
    offset: u32,
    /// Presumed line number of that byte's line.
    line: u32,
    name: Option<Rc<str>>,
}

#[derive(Clone, Copy, Debug)]
struct Expansion {
    call: Loc,
    macro_name: MacroNameId,
}

/// A position as people read it. Lines and columns count from 1, columns in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// File name, after `#line`.
    pub name: Rc<str>,
    /// Line, after `#line`.
    pub line: u32,
    /// Column.
    pub column: u32,
}

/// All files and expansions of one compile.
#[derive(Debug, Default)]
pub struct SourceMap {
    files: Vec<SourceFile>,
    /// Tokens made by macros: where each was spelled, and its expansion.
    produced: Vec<(Loc, ExpansionId)>,
    expansions: Vec<Expansion>,
    macro_names: Vec<Box<str>>,
    next_base: u32,
}

/// No more room for locations: the sources are larger than the compiler handles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfLocations;

/// The most bytes that all inclusions of all files may have together.
const MAX_TOTAL_BYTES: usize = 256 << 20;

impl SourceMap {
    /// Adds one inclusion of a file; `included_at` is the place of the directive.
    ///
    /// # Errors
    /// No location is left: all files together are too long.
    pub fn add_file(
        &mut self,
        name: Rc<str>,
        text: Rc<[u8]>,
        included_at: Loc,
    ) -> Result<FileId, OutOfLocations> {
        let base = self.next_base.max(1);
        if text.len() + base as usize > MAX_TOTAL_BYTES {
            return Err(OutOfLocations);
        }
        // One number more than bytes, so that the end of the file has a place.
        self.next_base = base + text.len() as u32 + 1;
        self.files.push(SourceFile {
            name,
            text,
            base,
            included_at,
            line_starts: OnceCell::new(),
            marks: Vec::new(),
        });
        Ok(FileId(self.files.len() as u32 - 1))
    }

    /// The location of a byte of a file.
    pub fn loc(&self, file: FileId, offset: usize) -> Loc {
        Loc(self.files[file.0 as usize].base + offset as u32)
    }

    /// The contents of a file.
    pub fn text(&self, file: FileId) -> &Rc<[u8]> {
        &self.files[file.0 as usize].text
    }

    /// The name of a file, without regard to `#line`.
    pub fn name(&self, file: FileId) -> &Rc<str> {
        &self.files[file.0 as usize].name
    }

    /// Returns the position of the `#include` of a file; `Loc::NONE` for the main file.
    pub fn included_at(&self, file: FileId) -> Loc {
        self.files[file.0 as usize].included_at
    }

    /// Registers a macro's name for notes.
    pub fn add_macro_name(&mut self, name: &str) -> MacroNameId {
        self.macro_names.push(name.into());
        MacroNameId(self.macro_names.len() as u32 - 1)
    }

    /// Registers an expansion of a macro whose name token stands at `call`.
    pub fn add_expansion(&mut self, call: Loc, macro_name: MacroNameId) -> ExpansionId {
        self.expansions.push(Expansion { call, macro_name });
        ExpansionId(self.expansions.len() as u32 - 1)
    }

    /// The location of a token that `expansion` produced from the body token at `spelling`.
    pub fn add_produced(&mut self, spelling: Loc, expansion: ExpansionId) -> Loc {
        let index = self.produced.len() as u32;
        if index >= MACRO_BIT {
            return spelling;
        }
        self.produced.push((spelling, expansion));
        Loc(MACRO_BIT | index)
    }

    /// Returns the number of tokens that macros have produced so far.
    pub fn produced_len(&self) -> usize {
        self.produced.len()
    }

    /// Returns the position of the token's characters.
    pub fn spelling(&self, mut loc: Loc) -> Loc {
        while loc.is_macro() {
            loc = self.produced[(loc.0 & !MACRO_BIT) as usize].0;
        }
        loc
    }

    /// Returns the token's position as seen in the file: the name of the outermost macro, or the
    /// token itself.
    pub fn expansion(&self, mut loc: Loc) -> Loc {
        while loc.is_macro() {
            let (_, expansion) = self.produced[(loc.0 & !MACRO_BIT) as usize];
            loc = self.expansions[expansion.0 as usize].call;
        }
        loc
    }

    /// One step outwards: (place in the macro's body, the macro's name, place of the call).
    pub(super) fn expansion_step(&self, loc: Loc) -> Option<(Loc, &str, Loc)> {
        if !loc.is_macro() {
            return None;
        }
        let (spelling, expansion) = self.produced[(loc.0 & !MACRO_BIT) as usize];
        let expansion = self.expansions[expansion.0 as usize];
        let name = &self.macro_names[expansion.macro_name.0 as usize];
        Some((spelling, name, expansion.call))
    }

    /// The file and byte offset of a location's outermost expansion; `None` for `Loc::NONE`.
    pub fn file_offset(&self, loc: Loc) -> Option<(FileId, usize)> {
        let loc = self.expansion(loc);
        if !loc.is_some() || self.files.is_empty() {
            return None;
        }
        let index = self
            .files
            .partition_point(|f| f.base <= loc.0)
            .checked_sub(1)?;
        let offset = (loc.0 - self.files[index].base) as usize;
        Some((
            FileId(index as u32),
            offset.min(self.files[index].text.len()),
        ))
    }

    /// Name, line and column of a location's outermost expansion, after `#line`.
    pub fn position(&self, loc: Loc) -> Option<Position> {
        let (id, offset) = self.file_offset(loc)?;
        let file = &self.files[id.0 as usize];
        let row = file.row(offset);
        let column = offset as u32 - file.starts()[row] + 1;
        let mark = file.marks.partition_point(|m| m.offset <= offset as u32);
        let (name, line) = match mark.checked_sub(1) {
            None => (file.name.clone(), row as u32 + 1),
            Some(index) => {
                let mark = &file.marks[index];
                let from = file.row(mark.offset as usize) as u32;
                let name = file.marks[..=index]
                    .iter()
                    .rev()
                    .find_map(|m| m.name.clone());
                (
                    name.unwrap_or_else(|| file.name.clone()),
                    mark.line.wrapping_add(row as u32 - from),
                )
            }
        };
        Some(Position { name, line, column })
    }

    /// Name and text of each file in which `#line` changes nothing.
    pub fn plain_files(&self) -> impl Iterator<Item = (&str, &[u8])> {
        let plain = self.files.iter().filter(|file| file.marks.is_empty());
        plain.map(|file| (&*file.name, &*file.text))
    }

    /// The bytes of the line that holds `offset`, without its end, and the offset of its start.
    pub(super) fn line_text(&self, file: FileId, offset: usize) -> (&[u8], usize) {
        let file = &self.files[file.0 as usize];
        let row = file.row(offset);
        let start = file.starts()[row] as usize;
        let rest = &file.text[start..];
        let end = rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
        let line = &rest[..end];
        (line.strip_suffix(b"\r").unwrap_or(line), start)
    }

    /// Applies `#line line "name"` to the bytes of `file` from `offset` on.
    pub fn add_line_mark(&mut self, file: FileId, offset: usize, line: u32, name: Option<&str>) {
        let file = &mut self.files[file.0 as usize];
        file.marks.push(LineMark {
            offset: offset as u32,
            line,
            name: name.map(Rc::from),
        });
    }
}

impl SourceFile {
    fn starts(&self) -> &[u32] {
        self.line_starts.get_or_init(|| {
            let ends = self.text.iter().enumerate().filter(|(_, b)| **b == b'\n');
            std::iter::once(0)
                .chain(ends.map(|(i, _)| i as u32 + 1))
                .collect()
        })
    }

    /// Line number from 0.
    fn row(&self, offset: usize) -> usize {
        self.starts().partition_point(|&s| s as usize <= offset) - 1
    }
}
