//! Removal of non-semantic instruction sets.
//!
//! A non-semantic instruction may not change what a module does, so a module without them is the
//! same module; a driver that does not know a set, or non-semantic sets at all, gets that one.

use std::collections::HashSet;

use crate::NON_SEMANTIC_EXTENSION;
use pumice_spirv::{self as spirv, Inst, op};

/// Removes every `NonSemantic.*` import, its instructions, the extension that they need, and
/// names and decorations of the removed instructions.
///
/// Words that are not well-formed SPIR-V are left as they are, from the broken place on.
pub fn strip_non_semantic(words: &[u32]) -> Vec<u32> {
    strip(words, |name| name.starts_with(b"NonSemantic."))
}

/// Removes the set of that exact import string; the extension stays while another
/// non-semantic set is there.
pub fn strip_set(words: &[u32], set: &str) -> Vec<u32> {
    strip(words, |name| name == set.as_bytes())
}

fn import(inst: &Inst<'_>) -> Option<(u32, Vec<u8>)> {
    let (&id, name) = inst.operands.split_first()?;
    Some((id, spirv::string(name)?.0))
}

fn strip(words: &[u32], goes: impl Fn(&[u8]) -> bool) -> Vec<u32> {
    let mut sets = HashSet::new();
    let mut results = HashSet::new();
    let mut other_set_stays = false;
    for inst in spirv::instructions(words).map_while(Result::ok) {
        match inst.opcode {
            op::EXT_INST_IMPORT => {
                let Some((id, name)) = import(&inst) else {
                    continue;
                };
                if goes(&name) {
                    sets.insert(id);
                } else {
                    other_set_stays |= name.starts_with(b"NonSemantic.");
                }
            }
            op::EXT_INST | op::EXT_INST_FORWARD => {
                match inst.operands {
                    [_, id, set, ..] if sets.contains(set) => results.insert(*id),
                    _ => false,
                };
            }
            _ => {}
        }
    }

    let removed = |inst: &Inst<'_>| match (inst.opcode, inst.operands) {
        (op::EXTENSION, name) => {
            !other_set_stays
                && spirv::string(name)
                    .is_some_and(|(name, _)| name == NON_SEMANTIC_EXTENSION.as_bytes())
        }
        (op::EXT_INST_IMPORT, [id, ..]) => sets.contains(id),
        (op::EXT_INST | op::EXT_INST_FORWARD, [_, id, set, ..]) => {
            sets.contains(set) && results.contains(id)
        }
        (op::NAME | op::DECORATE | op::DECORATE_ID | op::DECORATE_STRING, [target, ..]) => {
            sets.contains(target) || results.contains(target)
        }
        _ => false,
    };
    let mut out = Vec::with_capacity(words.len());
    let mut kept_to = 0;
    for inst in spirv::instructions(words).map_while(Result::ok) {
        if removed(&inst) {
            out.extend_from_slice(&words[kept_to..inst.at]);
            kept_to = inst.end();
        }
    }
    out.extend_from_slice(&words[kept_to..]);
    out
}
