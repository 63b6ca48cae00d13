//! Decoding of the printf buffer.
//!
//! The buffer is an array of 32-bit words. Word 0 counts the words that the kernels asked for
//! behind it, which may be more than there are; then come records: the PrintfID of a format, and
//! each argument's bytes, padded to whole words. Records lie in the order in which they were
//! reserved, so each work-item's output keeps its order.
//!
//! Nothing in the buffer is trusted: it is device memory that a kernel may have written to. An
//! unknown id or a record that does not fit ends the output. What did not fit is counted ([`Decoded`]).

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use pumice_numerics::half_to_f64;
use pumice_printf::{Directive, Kind, Piece, pieces};
use pumice_reflection::PrintfInfo;

use super::printf_number::{float, pad_text, signed, unsigned};
use crate::base::printf::Decoded;

/// The strings of a module, by PrintfID.
#[derive(Debug, Default)]
pub struct Formats(HashMap<u32, Format>);

#[derive(Debug)]
struct Format {
    text: Vec<u8>,
    argument_sizes: Vec<u32>,
}

impl Formats {
    /// Adds a string; false when its id is taken.
    pub fn insert(&mut self, info: &PrintfInfo) -> bool {
        let format = Format {
            text: info.format.0.clone(),
            argument_sizes: info.argument_sizes.clone(),
        };
        match self.0.entry(info.id) {
            Entry::Occupied(_) => false,
            Entry::Vacant(entry) => {
                entry.insert(format);
                true
            }
        }
    }

    /// Decodes a buffer, whole records only, and gives each record's text to `sink`.
    pub fn decode(&self, buffer: &[u8], sink: &mut dyn FnMut(&[u8])) -> Decoded {
        let Some((asked, records)) = buffer.split_first_chunk() else {
            return Decoded::default();
        };
        let asked = u64::from(u32::from_le_bytes(*asked)) * 4;
        let there = records.len() - records.len() % 4;
        let mut left = &records[..there.min(usize::try_from(asked).unwrap_or(there))];
        let filled = left.len();
        let decoded = |left: &[u8]| Decoded {
            asked,
            room: there as u64,
            decoded: (filled - left.len()) as u64,
        };
        let mut text = Vec::new();
        while let Some((id, rest)) = left.split_first_chunk() {
            let Some(format) = self.0.get(&u32::from_le_bytes(*id)) else {
                return decoded(left);
            };
            let Some((arguments, rest)) = split_arguments(&format.argument_sizes, rest) else {
                return decoded(left);
            };
            text.clear();
            self.print(&format.text, &arguments, &mut text);
            sink(&text);
            left = rest;
        }
        decoded(left)
    }

    fn print(&self, format: &[u8], arguments: &[&[u8]], out: &mut Vec<u8>) {
        let mut arguments = arguments.iter();
        for piece in pieces(format) {
            match piece {
                Piece::Text(text) => out.extend_from_slice(text),
                Piece::Percent => out.push(b'%'),
                Piece::Directive(directive) => {
                    let printed = arguments
                        .next()
                        .and_then(|argument| self.convert(&directive, argument, out));
                    // Undefined by the specification: shown as it stands.
                    if printed.is_none() {
                        out.extend_from_slice(directive.source);
                    }
                }
            }
        }
    }

    /// Prints one argument; `None` where its size suits neither conversion nor vector.
    fn convert(&self, directive: &Directive<'_>, argument: &[u8], out: &mut Vec<u8>) -> Option<()> {
        let count = directive.vector.unwrap_or(1);
        let element = element_size(argument.len(), directive.vector)?;
        let mut text = Vec::new();
        for (index, bytes) in argument.chunks_exact(element).take(count).enumerate() {
            if index > 0 {
                text.push(b',');
            }
            self.convert_one(directive, bytes, &mut text)?;
        }
        out.extend(text);
        Some(())
    }

    fn convert_one(&self, d: &Directive<'_>, bytes: &[u8], out: &mut Vec<u8>) -> Option<()> {
        match d.kind {
            Kind::Signed => signed(integer(d, bytes, true)?, d, out),
            Kind::Unsigned => unsigned(integer(d, bytes, false)? as u64, d, out),
            Kind::Float => float(real(bytes)?, d, out),
            Kind::Character => pad_text(b"", &[*bytes.first()?], d, out),
            Kind::String => {
                let id = integer(d, bytes, false)?;
                let string = u32::try_from(id).ok().and_then(|id| self.0.get(&id));
                let text = string.map_or(&b"(null)"[..], |string| &string.text);
                let length = d.precision.map_or(text.len(), |most| most.min(text.len()));
                pad_text(b"", &text[..length], d, out);
            }
            Kind::Pointer => {
                let text = format!("{:x}", word(bytes, false)?);
                pad_text(d.base.prefix.as_bytes(), text.as_bytes(), d, out);
            }
        }
        Some(())
    }
}

/// Cuts a record's arguments off; `None` when they reach beyond the end.
fn split_arguments<'a>(sizes: &[u32], mut left: &'a [u8]) -> Option<(Vec<&'a [u8]>, &'a [u8])> {
    let mut arguments = Vec::with_capacity(sizes.len().min(left.len()));
    for &size in sizes {
        let size = size as usize;
        let padded = size.checked_next_multiple_of(4)?;
        let (argument, rest) = left.split_at_checked(padded)?;
        arguments.push(&argument[..size]);
        left = rest;
    }
    Some((arguments, left))
}

/// The size of an element of a vector argument, or of the scalar; 3 elements may take the place
/// of 4.
fn element_size(size: usize, vector: Option<usize>) -> Option<usize> {
    let is_element = |size: &usize| matches!(size, 1 | 2 | 4 | 8);
    match vector {
        None => Some(size).filter(is_element),
        Some(3) => [size / 3, size / 4]
            .into_iter()
            .find(|element| is_element(element) && (element * 3 == size || element * 4 == size)),
        Some(count) => {
            Some(size / count).filter(|element| is_element(element) && element * count == size)
        }
    }
}

/// Little-endian bytes as an integer, sign-extended or not.
fn word(bytes: &[u8], sign: bool) -> Option<i64> {
    Some(match *bytes {
        [a] if sign => i64::from(a as i8),
        [a] => i64::from(a),
        [a, b] if sign => i64::from(i16::from_le_bytes([a, b])),
        [a, b] => i64::from(u16::from_le_bytes([a, b])),
        [a, b, c, d] if sign => i64::from(i32::from_le_bytes([a, b, c, d])),
        [a, b, c, d] => i64::from(u32::from_le_bytes([a, b, c, d])),
        _ => i64::from_le_bytes(bytes.try_into().ok()?),
    })
}

/// An integer argument, narrowed to what the length modifier says.
fn integer(d: &Directive<'_>, bytes: &[u8], sign: bool) -> Option<i64> {
    word(&bytes[..bytes.len().min(d.length.most_bytes())], sign)
}

/// A half, float or double argument.
fn real(bytes: &[u8]) -> Option<f64> {
    Some(match *bytes {
        [a, b] => half_to_f64(u16::from_le_bytes([a, b])),
        [a, b, c, d] => f64::from(f32::from_le_bytes([a, b, c, d])),
        _ => f64::from_le_bytes(bytes.try_into().ok()?),
    })
}

#[cfg(test)]
#[path = "printf_tests.rs"]
mod tests;
