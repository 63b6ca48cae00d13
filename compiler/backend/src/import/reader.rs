//! Header and instruction words.
//!
//! Takes words that nobody has checked. Gives instructions whose word count fits the
//! grammar's table and whose operands are reached through checked accessors.
//! Replaces rspirv's parser, which refuses valid `OpSpecConstantOp` and can panic on operands.

use pumice_budget::{self as budget, Exhausted};
use pumice_spirv::{self as spirv, Malformed};
use rspirv::spirv::Op;
use std::borrow::Cow;

/// Error of an import. The text names the instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportError {
    /// For example `OpTypeImage at word 211: images are not supported`.
    pub message: String,
}

impl ImportError {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
        }
    }
}

impl std::fmt::Display for ImportError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ImportError {}

impl From<Exhausted> for ImportError {
    fn from(why: Exhausted) -> Self {
        Self::new(why.to_string())
    }
}

pub(crate) type Result<T> = std::result::Result<T, ImportError>;

/// Tells of memory before it is allocated.
pub(super) fn charge(bytes: u64) -> Result<()> {
    Ok(budget::charge(bytes)?)
}

/// An instruction with its result type and result id split off.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Inst<'a> {
    /// Opcode.
    pub op: Op,
    /// Index of the first word in the module.
    pub offset: u32,
    /// Result type id, 0 if the opcode has none.
    pub ty: u32,
    /// Result id, 0 if the opcode has none.
    pub id: u32,
    /// The other operands.
    pub args: &'a [u32],
}

impl<'a> Inst<'a> {
    /// An error at this instruction.
    pub fn error(&self, message: impl std::fmt::Display) -> ImportError {
        ImportError::new(format!(
            "Op{:?} at word {}: {message}",
            self.op, self.offset
        ))
    }

    /// The n-th operand after result type and id.
    pub fn arg(&self, n: usize) -> Result<u32> {
        self.args
            .get(n)
            .copied()
            .ok_or_else(|| self.error(format_args!("operand {n} is missing")))
    }

    /// The operands from the n-th on; empty when there are fewer.
    pub fn rest(&self, n: usize) -> &'a [u32] {
        self.args.get(n..).unwrap_or(&[])
    }

    /// The literal string at operand `n` and the operand after it.
    pub fn string(&self, n: usize) -> Result<(String, usize)> {
        let (text, words) =
            spirv::text(self.rest(n)).ok_or_else(|| self.error("the literal string has no end"))?;
        Ok((text, n + words))
    }
}

/// A module's words in host byte order, with a checked header.
#[derive(Debug)]
pub(crate) struct ModuleWords<'a> {
    words: Cow<'a, [u32]>,
    /// The module declares SPIR-V 1.`minor`.
    pub minor: u8,
    /// Ids are below this.
    pub bound: u32,
}

impl<'a> ModuleWords<'a> {
    /// Checks the header and swaps bytes when the module was written by the other order.
    pub fn new(words: &'a [u32]) -> Result<Self> {
        if words.len() < spirv::HEADER_WORDS {
            return Err(ImportError::new("a SPIR-V module has at least five words"));
        }
        let words = spirv::native_order(words)
            .ok_or_else(|| ImportError::new("this is no SPIR-V: wrong magic number"))?;
        let (version, bound, schema) = (words[1], words[3], words[4]);
        let [reserved, minor, major, top] = version.to_le_bytes();
        if reserved != 0 || top != 0 || major != 1 || minor > 6 {
            return Err(ImportError::new(format!(
                "SPIR-V version word {version:#010x} is not one of 1.0 to 1.6"
            )));
        }
        // The universal limit (SPIR-V §2.17) is the highest id here.
        if bound == 0 || bound > spirv::MAX_BOUND + 1 {
            return Err(ImportError::new(format!(
                "the id bound {bound} is outside 1 to {}",
                spirv::MAX_BOUND + 1
            )));
        }
        if schema != 0 {
            return Err(ImportError::new(format!("unknown schema {schema}")));
        }
        Ok(Self {
            words,
            minor,
            bound,
        })
    }

    /// The words of the header.
    pub fn header(&self) -> &[u32] {
        &self.words[..spirv::HEADER_WORDS]
    }

    /// Checks an instruction against the grammar and splits its result type and id off.
    fn inst<'w>(&self, item: std::result::Result<spirv::Inst<'w>, Malformed>) -> Result<Inst<'w>> {
        let (offset, opcode, count) = match item {
            Ok(inst) => (inst.at, inst.opcode, inst.words.len()),
            Err(Malformed::BadWordCount {
                at, opcode, count, ..
            }) => (at, opcode, count),
            Err(error) => return Err(ImportError::new(error.to_string())),
        };
        let refuse = |message: String| ImportError::new(format!("word {offset}: {message}"));
        let entry =
            spirv::entry(opcode).ok_or_else(|| refuse(format!("unknown opcode {opcode}")))?;
        let op = entry.grammar.opcode;
        if !entry.allows(count) {
            return Err(refuse(format!("Op{op:?} cannot have {count} words")));
        }
        let raw = item.map_err(|_| refuse(format!("Op{op:?} runs past the end of the module")))?;
        let mut inst = Inst {
            op,
            offset: offset as u32,
            ty: 0,
            id: 0,
            args: raw.operands,
        };
        if entry.has_type {
            inst.ty = inst.arg(0)?;
            inst.args = inst.rest(1);
            self.check_id(&inst, inst.ty)?;
        }
        if entry.has_id {
            inst.id = inst.arg(0)?;
            inst.args = inst.rest(1);
            self.check_id(&inst, inst.id)?;
        }
        Ok(inst)
    }

    fn check_id(&self, inst: &Inst<'_>, id: u32) -> Result<()> {
        if id == 0 || id >= self.bound {
            return Err(inst.error(format_args!("id {id} is outside the bound {}", self.bound)));
        }
        Ok(())
    }

    /// All instructions of the module.
    pub fn insts(&self) -> Result<Vec<Inst<'_>>> {
        let mut insts = Vec::with_capacity((self.words.len() / 4).min(1 << 20));
        for item in spirv::instructions(&self.words) {
            insts.push(self.inst(item)?);
            budget::spend_on::<Inst<'_>>(1);
        }
        charge(0)?;
        Ok(insts)
    }
}
