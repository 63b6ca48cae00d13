//! Specialization constants of IL: found, measured, replaced by the application's values.

use std::collections::{BTreeMap, HashMap};

const OP_TYPE_INT: u32 = 21;
const OP_TYPE_FLOAT: u32 = 22;
const OP_SPEC_CONSTANT_TRUE: u32 = 48;
const OP_SPEC_CONSTANT_FALSE: u32 = 49;
const OP_SPEC_CONSTANT: u32 = 50;
const OP_DECORATE: u32 = 71;
const DECORATION_SPEC_ID: u32 = 1;
const HEADER_WORDS: usize = 5;

/// A scalar specialization constant.
struct Constant {
    /// Index of its instruction's first word.
    at: usize,
    /// Size of its value in bytes; a boolean has 1.
    size: usize,
}

/// The instructions: index of the first word, opcode, words. Stops at the first malformed one.
fn instructions(words: &[u32]) -> impl Iterator<Item = (usize, u32, &[u32])> {
    let mut at = HEADER_WORDS;
    std::iter::from_fn(move || {
        let first = *words.get(at)?;
        let length = (first >> 16) as usize;
        let inst = words.get(at..at.checked_add(length)?)?;
        if inst.is_empty() {
            return None;
        }
        let item = (at, first & 0xffff, inst);
        at += length;
        Some(item)
    })
}

fn constants(words: &[u32]) -> BTreeMap<u32, Constant> {
    let mut spec_ids = HashMap::new();
    let mut widths = HashMap::new();
    let mut found = BTreeMap::new();
    for (at, opcode, inst) in instructions(words) {
        match (opcode, inst) {
            (OP_DECORATE, [_, target, DECORATION_SPEC_ID, id]) => {
                spec_ids.insert(*target, *id);
            }
            (OP_TYPE_INT | OP_TYPE_FLOAT, [_, result, width, ..]) => {
                widths.insert(*result, *width as usize / 8);
            }
            (OP_SPEC_CONSTANT_TRUE | OP_SPEC_CONSTANT_FALSE, [_, _, result]) => {
                if let Some(id) = spec_ids.get(result) {
                    found.insert(*id, Constant { at, size: 1 });
                }
            }
            (OP_SPEC_CONSTANT, [_, ty, result, ..]) => {
                if let (Some(id), Some(size)) = (spec_ids.get(result), widths.get(ty)) {
                    // The literal takes whole words; a module with fewer is malformed.
                    if inst.len() == 3 + size.div_ceil(4).max(1) {
                        found.insert(*id, Constant { at, size: *size });
                    }
                }
            }
            _ => {}
        }
    }
    found
}

/// The size in bytes of the constant with this SpecId.
pub fn size(words: &[u32], id: u32) -> Option<usize> {
    constants(words).get(&id).map(|constant| constant.size)
}

/// The module with the given values as its constants' defaults.
pub fn specialize(words: &[u32], values: &BTreeMap<u32, Vec<u8>>) -> Vec<u32> {
    let mut out = words.to_vec();
    if values.is_empty() {
        return out;
    }
    for (id, constant) in constants(words) {
        let Some(value) = values.get(&id).filter(|v| v.len() == constant.size) else {
            continue;
        };
        let opcode = words[constant.at] & 0xffff;
        if opcode == OP_SPEC_CONSTANT {
            for (index, chunk) in value.chunks(4).enumerate() {
                let mut bytes = [0; 4];
                bytes[..chunk.len()].copy_from_slice(chunk);
                out[constant.at + 3 + index] = u32::from_ne_bytes(bytes);
            }
        } else {
            let set = value.iter().any(|byte| *byte != 0);
            let opcode = if set {
                OP_SPEC_CONSTANT_TRUE
            } else {
                OP_SPEC_CONSTANT_FALSE
            };
            out[constant.at] = (3 << 16) | opcode;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{size, specialize};
    use std::collections::BTreeMap;

    fn module() -> Vec<u32> {
        let mut words = vec![0x0723_0203, 0x0001_0000, 0, 10, 0];
        let mut push = |opcode: u32, operands: &[u32]| {
            words.push(((operands.len() as u32 + 1) << 16) | opcode);
            words.extend(operands);
        };
        push(71, &[3, 1, 7]); // id 3 has SpecId 7
        push(71, &[4, 1, 8]);
        push(71, &[6, 1, 9]);
        push(21, &[1, 64, 0]); // u64
        push(20, &[2]); // bool
        push(50, &[1, 3, 5, 0]);
        push(48, &[2, 4]);
        push(21, &[5, 16, 0]);
        push(50, &[5, 6, 77]);
        words
    }

    #[test]
    fn sizes_follow_the_types() {
        let words = module();
        assert_eq!(size(&words, 7), Some(8));
        assert_eq!(size(&words, 8), Some(1));
        assert_eq!(size(&words, 9), Some(2));
        assert_eq!(size(&words, 10), None);
        assert_eq!(size(&words[..12], 7), None);
    }

    #[test]
    fn values_replace_the_defaults() {
        let words = module();
        let values = BTreeMap::from([
            (7, 0x1_0000_0002_u64.to_ne_bytes().to_vec()),
            (8, vec![0]),
            (9, 3_u16.to_ne_bytes().to_vec()),
        ]);
        let out = specialize(&words, &values);
        let literal = words.iter().position(|w| *w == 5 << 16 | 50).unwrap();
        assert_eq!(out[literal + 3..literal + 5], [2, 1]);
        assert!(out.contains(&((3 << 16) | 49)));
        assert_eq!(*out.last().unwrap(), 3);
    }
}
