//! The tested places as the reflection tells them.

use pumice_ir::{self as ir, CheckSite, Module};
use pumice_reflection::{self as reflection};

/// Bytes of a file's name or of a line that are kept.
const MOST_TEXT: usize = 1000;

/// A place with its file's name and its line's text.
pub(super) fn site(module: &Module, site: &CheckSite) -> reflection::CheckSite {
    let file = (site.loc.file as usize).checked_sub(1);
    let file = file.and_then(|index| module.files.get(index));
    let line = file.map_or("", |file| file.line(site.loc.line));
    reflection::CheckSite {
        kernel: site.kernel,
        kind: site.kind,
        size: site.size,
        align: site.align,
        object: object(&site.object),
        file: text(file.map_or("", |file| &file.name)),
        line: site.loc.line,
        column: site.loc.column,
        text: text(line),
    }
}

/// A text that an OpString holds.
fn text(text: &str) -> String {
    let plain = text.chars().map(|c| if c == '\0' { ' ' } else { c });
    let mut left = MOST_TEXT;
    let fits = plain.take_while(|c| {
        let bytes = c.len_utf8();
        let fits = bytes <= left;
        left = left.saturating_sub(bytes);
        fits
    });
    fits.collect()
}

fn object(object: &ir::CheckedObject) -> reflection::CheckedObject {
    match object {
        ir::CheckedObject::Unknown => reflection::CheckedObject::Unknown,
        ir::CheckedObject::Argument(ordinal) => reflection::CheckedObject::Argument(*ordinal),
        ir::CheckedObject::Variable { name, size } => reflection::CheckedObject::Variable {
            name: text(name),
            size: u32::try_from(*size).unwrap_or(u32::MAX),
        },
        ir::CheckedObject::Private { size } => reflection::CheckedObject::Private { size: *size },
    }
}
