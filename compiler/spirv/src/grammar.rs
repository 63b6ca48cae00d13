//! Facts of rspirv's grammar by opcode and number. Its own look-up is a linear search.

use rspirv::grammar::{INSTRUCTION_TABLE, Instruction, OperandKind, OperandQuantifier};
use rspirv::spirv::Capability;
use std::sync::LazyLock;

/// An opcode's entry in the grammar, and the layout of its words.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Opcode, name and operands.
    pub grammar: &'static Instruction<'static>,
    /// Instructions begin with a result type.
    pub has_type: bool,
    /// Instructions have a result id, behind the result type if there is one.
    pub has_id: bool,
    /// The fewest words of an instruction, the first included.
    pub min_words: usize,
    /// The most words; `usize::MAX` where an operand may take more than one.
    pub max_words: usize,
}

static ENTRIES: LazyLock<Vec<Option<Entry>>> = LazyLock::new(|| {
    let mut entries = Vec::new();
    for inst in INSTRUCTION_TABLE.iter() {
        let opcode = inst.opcode as usize;
        if entries.len() <= opcode {
            entries.resize(opcode + 1, None);
        }
        entries[opcode] = Some(Entry::new(inst));
    }
    entries
});

/// The grammar's entry for an opcode.
pub fn entry(opcode: u16) -> Option<&'static Entry> {
    ENTRIES.get(usize::from(opcode))?.as_ref()
}

/// The name of an opcode, without the leading `Op`.
pub fn op_name(opcode: u16) -> Option<&'static str> {
    entry(opcode).map(|entry| entry.grammar.opname)
}

/// The name of a capability.
pub fn capability_name(number: u32) -> Option<String> {
    Capability::from_u32(number).map(|capability| format!("{capability:?}"))
}

impl Entry {
    fn new(grammar: &'static Instruction<'static>) -> Self {
        let has = |kind| grammar.operands.iter().any(|operand| operand.kind == kind);
        let mut entry = Self {
            grammar,
            has_type: has(OperandKind::IdResultType),
            has_id: has(OperandKind::IdResult),
            min_words: 1,
            max_words: 1,
        };
        for operand in grammar.operands {
            if operand.quantifier == OperandQuantifier::One {
                entry.min_words += 1;
            }
            let bounded =
                operand.quantifier != OperandQuantifier::ZeroOrMore && is_one_word(operand.kind);
            entry.max_words = if bounded {
                entry.max_words.saturating_add(1)
            } else {
                usize::MAX
            };
        }
        entry
    }

    /// Returns whether an instruction can have this number of words, the first word included.
    pub fn allows(&self, words: usize) -> bool {
        (self.min_words..=self.max_words).contains(&words)
    }

    /// Positions of result type and result id among an instruction's words.
    pub fn result_positions(&self) -> (Option<usize>, Option<usize>) {
        let type_at = self.has_type.then_some(1);
        (type_at, self.has_id.then_some(1 + type_at.unwrap_or(0)))
    }
}

/// Returns whether operands of a kind always take one word.
fn is_one_word(kind: OperandKind) -> bool {
    matches!(
        kind,
        OperandKind::IdResultType
            | OperandKind::IdResult
            | OperandKind::IdRef
            | OperandKind::IdScope
            | OperandKind::IdMemorySemantics
            | OperandKind::LiteralInteger
            | OperandKind::StorageClass
            | OperandKind::Dim
            | OperandKind::ImageFormat
            | OperandKind::FunctionControl
            | OperandKind::SelectionControl
            | OperandKind::GroupOperation
            | OperandKind::Capability
            | OperandKind::AddressingModel
            | OperandKind::MemoryModel
            | OperandKind::AccessQualifier
    )
}

#[cfg(test)]
mod tests {
    use super::{capability_name, entry, op_name};
    use crate::op;

    #[test]
    fn entries_know_names_and_layouts() {
        assert_eq!(op_name(op::TYPE_INT), Some("TypeInt"));
        assert_eq!(op_name(0xffff), None);
        assert_eq!(capability_name(6).as_deref(), Some("Kernel"));
        assert_eq!(capability_name(0xffff), None);
        let positions = |opcode| entry(opcode).unwrap().result_positions();
        assert_eq!(positions(op::CONSTANT), (Some(1), Some(2)));
        assert_eq!(positions(op::TYPE_INT), (None, Some(1)));
        assert_eq!(positions(op::NAME), (None, None));
        let allows = |opcode, words| entry(opcode).unwrap().allows(words);
        assert!(allows(op::TYPE_INT, 4) && !allows(op::TYPE_INT, 3) && !allows(op::TYPE_INT, 5));
        assert!(allows(op::TYPE_STRUCT, 2) && allows(op::TYPE_STRUCT, 1000));
        assert!(!allows(op::TYPE_STRUCT, 0) && !allows(op::TYPE_STRUCT, 1));
    }
}
