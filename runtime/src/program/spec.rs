//! Specialization constants of IL: found, measured, replaced by the application's values.

use std::collections::{BTreeMap, HashMap};

use pumice_spirv::{self as spirv, op};

const DECORATION_SPEC_ID: u32 = 1;

/// A scalar specialization constant.
struct Constant {
    /// Index of its instruction's first word.
    at: usize,
    /// Size of its value in bytes; a boolean has 1.
    size: usize,
}

/// The constants of each SpecId, which may be that of several.
fn constants(words: &[u32]) -> BTreeMap<u32, Vec<Constant>> {
    let mut spec_ids = HashMap::new();
    let mut widths = HashMap::new();
    let mut found: BTreeMap<u32, Vec<Constant>> = BTreeMap::new();
    let mut add = |id: u32, at, size| found.entry(id).or_default().push(Constant { at, size });
    for inst in spirv::instructions(words).map_while(Result::ok) {
        let at = inst.at;
        match (inst.opcode, inst.operands) {
            (op::DECORATE, [target, DECORATION_SPEC_ID, id]) => {
                spec_ids.insert(*target, *id);
            }
            (op::GROUP_DECORATE, [group, targets @ ..]) => {
                if let Some(&id) = spec_ids.get(group) {
                    spec_ids.extend(targets.iter().map(|target| (*target, id)));
                }
            }
            (op::TYPE_INT | op::TYPE_FLOAT, [result, width, ..]) => {
                widths.insert(*result, *width as usize / 8);
            }
            (op::SPEC_CONSTANT_TRUE | op::SPEC_CONSTANT_FALSE, [_, result]) => {
                if let Some(id) = spec_ids.get(result) {
                    add(*id, at, 1);
                }
            }
            (op::SPEC_CONSTANT, [ty, result, literal @ ..]) => {
                if let (Some(id), Some(size)) = (spec_ids.get(result), widths.get(ty)) {
                    // The literal takes whole words; a module with fewer is malformed.
                    if literal.len() == size.div_ceil(4).max(1) {
                        add(*id, at, *size);
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
    let constants = constants(words);
    constants.get(&id)?.first().map(|constant| constant.size)
}

/// The module with the given values as its constants' defaults.
pub fn specialize(words: &[u32], values: &BTreeMap<u32, Vec<u8>>) -> Vec<u32> {
    let mut out = words.to_vec();
    if values.is_empty() {
        return out;
    }
    let constants = constants(words).into_iter();
    let each = constants.flat_map(|(id, all)| all.into_iter().map(move |constant| (id, constant)));
    for (id, constant) in each {
        let Some(value) = values.get(&id).filter(|v| v.len() == constant.size) else {
            continue;
        };
        if words[constant.at] as u16 == op::SPEC_CONSTANT {
            for (index, chunk) in value.chunks(4).enumerate() {
                let mut bytes = [0; 4];
                bytes[..chunk.len()].copy_from_slice(chunk);
                out[constant.at + 3 + index] = u32::from_ne_bytes(bytes);
            }
        } else {
            let set = value.iter().any(|byte| *byte != 0);
            let opcode = if set {
                op::SPEC_CONSTANT_TRUE
            } else {
                op::SPEC_CONSTANT_FALSE
            };
            out[constant.at] = spirv::first_word(opcode, 3);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{size, specialize};
    use std::collections::BTreeMap;

    fn module() -> Vec<u32> {
        let mut words = vec![pumice_spirv::MAGIC, 0x0001_0000, 0, 10, 0];
        let mut push =
            |opcode, operands: &[u32]| pumice_spirv::push_inst(&mut words, opcode, operands);
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
    fn constants_share_values_by_groups_and_numbers() {
        let mut words = vec![pumice_spirv::MAGIC, 0x0001_0000, 0, 10, 0];
        let mut push =
            |opcode, operands: &[u32]| pumice_spirv::push_inst(&mut words, opcode, operands);
        push(71, &[2, 1, 7]); // the group 2 has SpecId 7
        push(73, &[2]);
        push(74, &[2, 3, 4]);
        push(71, &[5, 1, 7]);
        push(21, &[1, 32, 0]);
        for constant in [3, 4, 5] {
            push(50, &[1, constant, 1]);
        }
        assert_eq!(size(&words, 7), Some(4));
        let out = specialize(&words, &BTreeMap::from([(7, 9_u32.to_ne_bytes().to_vec())]));
        let changed = out.iter().zip(&words).filter(|(new, old)| new != old);
        assert_eq!(changed.map(|(new, _)| *new).collect::<Vec<_>>(), [9, 9, 9]);
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
