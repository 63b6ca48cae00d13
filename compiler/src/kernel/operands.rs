//! Positions of ids among an instruction's words: the part of the grammar that a linker needs.
//!
//! Takes instruction words, calls back with the position of each id. The facts come from
//! rspirv's grammar table; operands whose meaning depends on another word (switch literals,
//! memory masks, OpSpecConstantOp, OpenCL.std's literal operands) are handled here.

use pumice_spirv as spirv;
use rspirv::grammar::{OperandKind, OperandQuantifier};
use rspirv::spirv::{Decoration, Op, OpenclStd100Op as CLOp};

/// Facts about earlier instructions that operand decoding needs.
pub trait Context {
    /// Words of a switch literal whose selector is `selector` (1 or 2).
    fn literal_words(&self, selector: u32) -> usize;
    /// Returns whether `set` is the id of the OpenCL.std import.
    fn is_opencl_std(&self, set: u32) -> bool;
}

/// Returns whether the OpenCL.std instruction's last operand is a literal.
fn last_operand_is_literal(inst: u32) -> bool {
    [
        CLOp::vloadn,
        CLOp::vload_halfn,
        CLOp::vloada_halfn,
        CLOp::vstore_half_r,
        CLOp::vstore_halfn_r,
        CLOp::vstorea_halfn_r,
    ]
    .iter()
    .any(|op| *op as u32 == inst)
}

/// Positions (in `inst`) of the ids of one instruction, appended to `out`.
///
/// `inst` starts with the opcode word.
///
/// # Errors
/// The fault of a malformed instruction.
pub fn id_positions(
    inst: &[u32],
    context: &dyn Context,
    out: &mut Vec<usize>,
) -> Result<(), &'static str> {
    out.clear();
    let opcode = inst[0] as u16;
    let entry = spirv::entry(opcode).ok_or("an unknown opcode")?.grammar;
    let mut at = 1;
    match entry.opcode {
        Op::Decorate if inst.get(2) == Some(&(Decoration::LinkageAttributes as u32)) => {
            out.push(1);
            // The last word is the linkage type.
            let name = inst.get(3..inst.len() - 1).and_then(spirv::text);
            return name.map(|_| ()).ok_or("an unterminated string");
        }
        // Everything behind the target is literal.
        Op::Decorate | Op::MemberDecorate | Op::ExecutionMode | Op::DecorateString => {
            out.push(1);
            return if inst.len() > 2 {
                Ok(())
            } else {
                Err("too few operands")
            };
        }
        Op::ExecutionModeId | Op::DecorateId => {
            out.push(1);
            out.extend(3..inst.len());
            return Ok(());
        }
        Op::Switch => {
            if inst.len() < 3 {
                return Err("too few operands");
            }
            out.extend([1, 2]);
            let width = context.literal_words(inst[1]);
            let mut at = 3 + width;
            while at < inst.len() {
                out.push(at);
                at += 1 + width;
            }
            return Ok(());
        }
        Op::ExtInst => {
            if inst.len() < 5 {
                return Err("too few operands");
            }
            out.extend([1, 2, 3]);
            let mut end = inst.len();
            if context.is_opencl_std(inst[3]) && last_operand_is_literal(inst[4]) {
                end -= 1;
            }
            out.extend(5..end);
            return Ok(());
        }
        Op::SpecConstantOp => {
            if inst.len() < 4 {
                return Err("too few operands");
            }
            out.extend([1, 2]);
            let ids = match inst[3] {
                op if op == Op::CompositeExtract as u32 => 1,
                op if op == Op::CompositeInsert as u32 || op == Op::VectorShuffle as u32 => 2,
                _ => inst.len(),
            };
            out.extend((4..inst.len()).take(ids));
            return Ok(());
        }
        _ => {}
    }
    for operand in entry.operands {
        if at >= inst.len() {
            return if operand.quantifier == OperandQuantifier::One {
                Err("too few operands")
            } else {
                Ok(())
            };
        }
        loop {
            at = one_operand(inst, at, operand.kind, out)?;
            if operand.quantifier != OperandQuantifier::ZeroOrMore || at >= inst.len() {
                break;
            }
        }
    }
    Ok(())
}

/// Handles one logical operand at `at`; gives the position behind it.
fn one_operand(
    inst: &[u32],
    at: usize,
    kind: OperandKind,
    out: &mut Vec<usize>,
) -> Result<usize, &'static str> {
    let after = match kind {
        OperandKind::IdResultType
        | OperandKind::IdResult
        | OperandKind::IdMemorySemantics
        | OperandKind::IdScope
        | OperandKind::IdRef => {
            out.push(at);
            at + 1
        }
        OperandKind::LiteralString => {
            let (_, words) = spirv::text(&inst[at..]).ok_or("an unterminated string")?;
            at + words
        }
        OperandKind::LiteralContextDependentNumber => inst.len(),
        OperandKind::PairIdRefIdRef => {
            out.extend([at, at + 1]);
            at + 2
        }
        OperandKind::PairIdRefLiteralInteger => {
            out.push(at);
            at + 2
        }
        OperandKind::PairLiteralIntegerIdRef => {
            out.push(at + 1);
            at + 2
        }
        OperandKind::MemoryAccess => {
            let mask = inst[at];
            let mut next = at + 1;
            // Aligned has a literal; every other parameter is an id.
            if mask & 0x2 != 0 {
                next += 1;
            }
            for bit in 3..32 {
                if mask & (1 << bit) != 0 && bit != 5 {
                    out.push(next);
                    next += 1;
                }
            }
            next
        }
        OperandKind::ImageOperands => {
            let mut next = at + 1;
            for bit in 0..32 {
                if inst[at] & (1 << bit) != 0 {
                    let ids = match bit {
                        2 => 2,       // Grad
                        10..=14 => 0, // texel flags, extensions, Nontemporal
                        _ => 1,
                    };
                    out.extend(next..next + ids);
                    next += ids;
                }
            }
            next
        }
        OperandKind::LoopControl => {
            // Bits 3 to 8 (dependency length … partial count) carry a literal each.
            at + 1 + (inst[at] & 0x1f8).count_ones() as usize
        }
        _ => at + 1,
    };
    if after > inst.len() || out.last().is_some_and(|p| *p >= inst.len()) {
        return Err("too few operands");
    }
    Ok(after)
}

#[cfg(test)]
mod tests {
    use super::{Context, id_positions};
    use pumice_spirv::{inst_words, op};

    struct Nothing;

    impl Context for Nothing {
        fn literal_words(&self, _selector: u32) -> usize {
            1
        }

        fn is_opencl_std(&self, _set: u32) -> bool {
            false
        }
    }

    #[test]
    fn linkage_names_have_an_end_before_the_linkage_type() {
        const LINKAGE_ATTRIBUTES: u32 = 41;
        let check = |name: &[u32]| {
            let operands = [&[1, LINKAGE_ATTRIBUTES], name, &[0]].concat();
            let inst = inst_words(op::DECORATE, &operands);
            let mut ids = Vec::new();
            id_positions(&inst, &Nothing, &mut ids).map(|()| ids)
        };
        assert_eq!(check(&[u32::from(b'f')]), Ok(vec![1]));
        let endless = u32::from_le_bytes(*b"four");
        assert_eq!(check(&[endless]), Err("an unterminated string"));
        assert_eq!(check(&[]), Err("an unterminated string"));
    }
}
