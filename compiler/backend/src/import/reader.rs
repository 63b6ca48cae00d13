//! Header and instruction words.
//!
//! Takes words that nobody has checked. Gives instructions whose word count fits the
//! grammar's table and whose operands are reached through checked accessors.
//! It does not use rspirv's parser, which refuses valid `OpSpecConstantOp` and can panic on
//! operands.

use pumice_budget as budget;
use rspirv::grammar::{INSTRUCTION_TABLE, OperandKind, OperandQuantifier};
use rspirv::spirv::Op;
use std::sync::LazyLock;

/// The reason why a module cannot be imported. The text names the instruction.
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

pub(super) type Result<T> = std::result::Result<T, ImportError>;

/// Tells of memory before it is allocated.
pub(super) fn charge(bytes: u64) -> Result<()> {
    budget::charge(bytes).map_err(|why| ImportError::new(why.to_string()))
}

/// The universal limit on the id bound (SPIR-V §2.17).
const MAX_BOUND: u32 = 0x3F_FFFF;
pub(super) const MAGIC: u32 = 0x0723_0203;

/// The grammar's facts about an opcode's words.
#[derive(Clone, Copy, Debug)]
struct Shape {
    has_type: bool,
    has_id: bool,
    min_words: u16,
    max_words: u16,
}

/// Shapes by opcode; the grammar's own look-up is a linear search.
static SHAPES: LazyLock<Vec<Option<Shape>>> = LazyLock::new(|| {
    let mut shapes = Vec::new();
    for inst in INSTRUCTION_TABLE.iter() {
        let opcode = inst.opcode as usize;
        if shapes.len() <= opcode {
            shapes.resize(opcode + 1, None);
        }
        let mut shape = Shape {
            has_type: false,
            has_id: false,
            min_words: 1,
            max_words: 1,
        };
        for operand in inst.operands {
            match operand.kind {
                OperandKind::IdResultType => shape.has_type = true,
                OperandKind::IdResult => shape.has_id = true,
                _ => {}
            }
            let words = match operand.kind {
                OperandKind::IdResultType
                | OperandKind::IdResult
                | OperandKind::IdRef
                | OperandKind::IdScope
                | OperandKind::IdMemorySemantics
                | OperandKind::LiteralInteger
                | OperandKind::StorageClass
                | OperandKind::FunctionControl
                | OperandKind::SelectionControl
                | OperandKind::GroupOperation
                | OperandKind::Capability
                | OperandKind::AddressingModel
                | OperandKind::MemoryModel
                | OperandKind::AccessQualifier => Some(1),
                // Everything else may take more words than one.
                _ => None,
            };
            let repeats = operand.quantifier == OperandQuantifier::ZeroOrMore;
            if operand.quantifier == OperandQuantifier::One {
                shape.min_words += 1;
            }
            shape.max_words = match words {
                Some(words) if !repeats => shape.max_words.saturating_add(words),
                _ => u16::MAX,
            };
        }
        shapes[opcode] = Some(shape);
    }
    shapes
});

/// An instruction with its result type and result id split off.
#[derive(Clone, Copy, Debug)]
pub(super) struct Inst<'a> {
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
        let mut bytes = Vec::new();
        for (i, word) in self.rest(n).iter().enumerate() {
            for byte in word.to_le_bytes() {
                if byte == 0 {
                    return Ok((String::from_utf8_lossy(&bytes).into_owned(), n + i + 1));
                }
                bytes.push(byte);
            }
        }
        Err(self.error("the literal string has no end"))
    }
}

/// A module's words in host byte order, with a checked header.
#[derive(Debug)]
pub(super) struct Words {
    words: Vec<u32>,
    /// The module declares SPIR-V 1.`minor`.
    pub minor: u8,
    /// Ids are below this.
    pub bound: u32,
}

impl Words {
    /// Checks the header and swaps bytes when the module was written by the other order.
    pub fn new(words: &[u32]) -> Result<Self> {
        let &[magic, version, _, bound, schema, ..] = words else {
            return Err(ImportError::new("a SPIR-V module has at least five words"));
        };
        let swapped = match magic {
            MAGIC => false,
            m if m.swap_bytes() == MAGIC => true,
            _ => return Err(ImportError::new("this is no SPIR-V: wrong magic number")),
        };
        let swap = |w: u32| if swapped { w.swap_bytes() } else { w };
        let (version, bound, schema) = (swap(version), swap(bound), swap(schema));
        let [reserved, minor, major, top] = version.to_le_bytes();
        if reserved != 0 || top != 0 || major != 1 || minor > 6 {
            return Err(ImportError::new(format!(
                "SPIR-V version word {version:#010x} is not one of 1.0 to 1.6"
            )));
        }
        if bound == 0 || bound > MAX_BOUND + 1 {
            return Err(ImportError::new(format!(
                "the id bound {bound} is outside 1 to {}",
                MAX_BOUND + 1
            )));
        }
        if schema != 0 {
            return Err(ImportError::new(format!("unknown schema {schema}")));
        }
        Ok(Self {
            words: words.iter().map(|&w| swap(w)).collect(),
            minor,
            bound,
        })
    }

    /// Reads the instruction at word `offset`; `None` at the end of the module.
    pub fn inst_at(&self, offset: usize) -> Result<Option<(Inst<'_>, usize)>> {
        let Some(&first) = self.words.get(offset) else {
            return Ok(None);
        };
        let (count, opcode) = ((first >> 16) as usize, first & 0xFFFF);
        let at = |message: String| ImportError::new(format!("word {offset}: {message}"));
        let op = Op::from_u32(opcode).ok_or_else(|| at(format!("unknown opcode {opcode}")))?;
        let shape = SHAPES
            .get(opcode as usize)
            .copied()
            .flatten()
            .ok_or_else(|| at(format!("unknown opcode {opcode}")))?;
        if count < usize::from(shape.min_words) || count > usize::from(shape.max_words) {
            return Err(at(format!("Op{op:?} cannot have {count} words")));
        }
        let Some(operands) = self.words.get(offset + 1..offset + count) else {
            return Err(at(format!("Op{op:?} runs past the end of the module")));
        };
        let mut inst = Inst {
            op,
            offset: offset as u32,
            ty: 0,
            id: 0,
            args: operands,
        };
        if shape.has_type {
            inst.ty = inst.arg(0)?;
            inst.args = inst.rest(1);
            self.check_id(&inst, inst.ty)?;
        }
        if shape.has_id {
            inst.id = inst.arg(0)?;
            inst.args = inst.rest(1);
            self.check_id(&inst, inst.id)?;
        }
        Ok(Some((inst, offset + count)))
    }

    fn check_id(&self, inst: &Inst<'_>, id: u32) -> Result<()> {
        if id == 0 || id >= self.bound {
            return Err(inst.error(format_args!("id {id} is outside the bound {}", self.bound)));
        }
        Ok(())
    }

    /// All instructions of the module; those newer than the version that it declares are
    /// refused.
    pub fn insts(&self) -> Result<Vec<Inst<'_>>> {
        let mut insts = Vec::with_capacity((self.words.len() / 4).min(1 << 20));
        let mut extensions = Vec::new();
        let mut offset = 5;
        while let Some((inst, next)) = self.inst_at(offset)? {
            if inst.op == Op::Extension {
                extensions.push(inst.string(0)?.0);
            }
            insts.push(inst);
            budget::spend_on::<Inst<'_>>(1);
            offset = next;
        }
        charge(0)?;
        for inst in &insts {
            super::versions::check(inst, self.minor, &extensions)?;
        }
        Ok(insts)
    }
}
