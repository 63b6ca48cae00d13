//! The places that a module's kernels test while they run: instruction 17 of `NonSemantic.Pumice.1` (see `roles.rs`).
//!
//! `CheckSite` has the operands *Kernel*, *Kind*, *Size*, *Align*, *Object*, *Number*, *Name*, *File*, *Line*, *Column* and *Text*. *Kernel*
//! is the kernel's number from 1, or 0. The
//! sites are numbered in module order, from 0; kernels give these numbers in their reports. A kernel with checks has
//! memory for them as its last argument (instruction 16, see `needs.rs`).

use crate::error::{ReadError, WriteError};
use crate::operand::{Operand, Sink, Source};
use pumice_target::CheckKind;

/// The instruction's number in our own set.
pub(crate) const NUMBER: u32 = 17;
/// The instruction's name.
pub(crate) const NAME: &str = "CheckSite";

/// The object that a tested pointer is derived from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum CheckedObject {
    /// 0: the kernel finds out.
    Unknown,
    /// 1: what the argument of this ordinal points to.
    Argument(u32),
    /// 2: a variable of program scope, or a local one.
    Variable {
        /// Its name; may be empty.
        name: String,
        /// Bytes.
        size: u32,
    },
    /// 3: a private variable.
    Private {
        /// Bytes.
        size: u32,
    },
}

/// A tested place.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CheckSite {
    /// The number of the kernel that tests it, in the order of the module; `None` for what a function of several tests.
    pub kernel: Option<u32>,
    /// The kind of access or operation.
    pub kind: CheckKind,
    /// Bytes of an access, 0 where the kernel decides; bits of a shifted value.
    pub size: u32,
    /// Alignment in bytes that an access must have; for races in buffers the bytes of the parts that have a mark each.
    pub align: u32,
    /// The object that an access is derived from.
    pub object: CheckedObject,
    /// The source file's name; empty if it is not known.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
    /// The text of the line.
    pub text: String,
}

impl CheckSite {
    /// Decodes the operands.
    pub(crate) fn decode(source: &mut Source<'_>) -> Result<Self, ReadError> {
        let kernel = u32::decode(source, "Kernel")?.checked_sub(1);
        let kind = u32::decode(source, "Kind")?;
        let kind = CheckKind::of_number(kind)
            .ok_or_else(|| source.wrong("Kind", kind, "a kind of check"))?;
        let size = u32::decode(source, "Size")?;
        let align = u32::decode(source, "Align")?;
        let object = u32::decode(source, "Object")?;
        let number = u32::decode(source, "Number")?;
        let name = String::decode(source, "Name")?;
        let object = match object {
            0 => CheckedObject::Unknown,
            1 => CheckedObject::Argument(number),
            2 => CheckedObject::Variable { name, size: number },
            3 => CheckedObject::Private { size: number },
            other => return Err(source.wrong("Object", other, "a kind of object")),
        };
        Ok(Self {
            kernel,
            kind,
            size,
            align,
            object,
            file: String::decode(source, "File")?,
            line: u32::decode(source, "Line")?,
            column: u32::decode(source, "Column")?,
            text: String::decode(source, "Text")?,
        })
    }

    /// Encodes the operands.
    pub(crate) fn encode(&self, sink: &mut Sink<'_, '_>) -> Result<(), WriteError> {
        let kernel = self.kernel.map_or(0, |kernel| kernel.saturating_add(1));
        kernel.encode(sink, "Kernel")?;
        self.kind.number().encode(sink, "Kind")?;
        self.size.encode(sink, "Size")?;
        self.align.encode(sink, "Align")?;
        let (object, number, name) = match &self.object {
            CheckedObject::Unknown => (0, 0, ""),
            CheckedObject::Argument(ordinal) => (1, *ordinal, ""),
            CheckedObject::Variable { name, size } => (2, *size, name.as_str()),
            CheckedObject::Private { size } => (3, *size, ""),
        };
        u32::encode(&object, sink, "Object")?;
        number.encode(sink, "Number")?;
        name.to_string().encode(sink, "Name")?;
        self.file.encode(sink, "File")?;
        self.line.encode(sink, "Line")?;
        self.column.encode(sink, "Column")?;
        self.text.encode(sink, "Text")
    }
}
