//! Sites of checks: the places of a program that its kernels test while they run ("check mode").

use super::SourceLoc;
use pumice_target::CheckKind;

/// One tested access or operation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CheckSite {
    /// The number of the kernel that tests it; `None` for what a function of several tests.
    pub kernel: Option<u32>,
    /// The kind of access or operation.
    pub kind: CheckKind,
    /// Bytes of an access, 0 where the kernel decides; bits of a shifted value.
    pub size: u32,
    /// Alignment in bytes that an access must have; for races in buffers the bytes of the parts that have a mark each.
    pub align: u32,
    /// The object that an access is derived from.
    pub object: CheckedObject,
    /// The place in the source.
    pub loc: SourceLoc,
}

/// The object that a pointer is derived from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum CheckedObject {
    /// Nobody knows before the kernel runs.
    Unknown,
    /// The object that the kernel's argument of this ordinal points to.
    Argument(u32),
    /// A variable of program scope, or a local one.
    Variable {
        /// Its name; may be empty.
        name: String,
        /// Bytes.
        size: u64,
    },
    /// A private variable.
    Private {
        /// Bytes.
        size: u32,
    },
}

/// A source file that a position refers to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceFile {
    /// Its name.
    pub name: String,
    /// Its text; empty if the module lacks it.
    pub text: String,
}

impl SourceFile {
    /// A line of the text without its end, from 1; empty if there is none.
    pub fn line(&self, number: u32) -> &str {
        let index = (number as usize).wrapping_sub(1);
        self.text.lines().nth(index).unwrap_or_default()
    }
}
