//! Which words of an instruction are ids: the little that a linker must know of the grammar.
//!
//! Takes instruction words, calls back with the position of each id. The facts come from
//! rspirv's grammar table; operands whose meaning depends on another word (switch literals,
//! memory masks, OpSpecConstantOp, OpenCL.std's literal operands) are handled here.

use std::fmt;
use std::sync::OnceLock;

use rspirv::grammar::{INSTRUCTION_TABLE, Instruction, OperandKind, OperandQuantifier};
use rspirv::spirv::{Op, OpenclStd100Op as CLOp};

/// Why a module's words cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// Word offset of the instruction.
    pub offset: usize,
    /// What is wrong.
    pub reason: &'static str,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "malformed SPIR-V at word {}: {}",
            self.offset, self.reason
        )
    }
}

/// The grammar entry of an opcode, by array look-up.
pub fn grammar(opcode: u16) -> Option<&'static Instruction<'static>> {
    static TABLE: OnceLock<Vec<Option<&'static Instruction<'static>>>> = OnceLock::new();
    let table = TABLE.get_or_init(|| {
        let mut table = vec![None; 8192];
        for inst in INSTRUCTION_TABLE.iter() {
            let index = inst.opcode as usize;
            if index < table.len() {
                table[index] = Some(inst);
            }
        }
        table
    });
    table.get(opcode as usize).copied().flatten()
}

/// Iterates over the instructions behind a module's five header words.
pub struct Instructions<'a> {
    words: &'a [u32],
    offset: usize,
}

/// The instructions of `words` (header included in `words`).
pub fn instructions(words: &[u32]) -> Instructions<'_> {
    Instructions { words, offset: 5 }
}

impl<'a> Iterator for Instructions<'a> {
    type Item = Result<(usize, u16, &'a [u32]), Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        let first = *self.words.get(self.offset)?;
        let count = (first >> 16) as usize;
        let start = self.offset;
        if count == 0 {
            self.offset = self.words.len();
            return Some(Err(Malformed {
                offset: start,
                reason: "an instruction of zero words",
            }));
        }
        match self.words.get(start..start + count) {
            Some(inst) => {
                self.offset = start + count;
                Some(Ok((start, first as u16, inst)))
            }
            None => {
                self.offset = self.words.len();
                Some(Err(Malformed {
                    offset: start,
                    reason: "an instruction runs past the end",
                }))
            }
        }
    }
}

/// Number of words of the literal string at the start of `words`, terminator included.
pub fn string_words(words: &[u32]) -> Option<usize> {
    words
        .iter()
        .position(|w| w.to_le_bytes().contains(&0))
        .map(|i| i + 1)
}

/// The literal string at the start of `words` (lossy where it is not UTF-8).
pub fn read_string(words: &[u32]) -> String {
    let mut bytes = Vec::with_capacity(words.len() * 4);
    'all: for word in words {
        for byte in word.to_le_bytes() {
            if byte == 0 {
                break 'all;
            }
            bytes.push(byte);
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// What deciding about an operand needs to know about earlier instructions.
pub trait Context {
    /// Words of a switch literal whose selector is `selector` (1 or 2).
    fn literal_words(&self, selector: u32) -> usize;
    /// Whether `set` is the id of the OpenCL.std import.
    fn is_opencl_std(&self, set: u32) -> bool;
}

/// Whether the OpenCL.std instruction's last operand is a literal.
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
pub fn id_positions(
    inst: &[u32],
    context: &dyn Context,
    out: &mut Vec<usize>,
) -> Result<(), &'static str> {
    out.clear();
    let opcode = inst[0] as u16;
    let entry = grammar(opcode).ok_or("an unknown opcode")?;
    let mut at = 1;
    match entry.opcode {
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
            at + string_words(&inst[at..]).ok_or("an unterminated string")?
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
