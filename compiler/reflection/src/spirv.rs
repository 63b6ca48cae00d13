//! The little of SPIR-V's binary form that reflection needs: header, instruction words, strings.

use crate::error::ReadError;

/// SPIR-V's magic number in native word order.
pub const MAGIC: u32 = 0x0723_0203;
/// Words of the header.
pub const HEADER_WORDS: usize = 5;
/// The universal limit of the id bound.
pub const MAX_BOUND: u32 = 4_194_303;
/// The most words that one instruction can have.
pub const MAX_INSTRUCTION_WORDS: usize = 0xffff;

/// Opcodes used here and by the runtime's reading of a module (SPIR-V §3.49).
pub mod op {
    /// OpName
    pub const NAME: u16 = 5;
    /// OpMemberName
    pub const MEMBER_NAME: u16 = 6;
    /// OpString
    pub const STRING: u16 = 7;
    /// OpExtension
    pub const EXTENSION: u16 = 10;
    /// OpExtInstImport
    pub const EXT_INST_IMPORT: u16 = 11;
    /// OpExtInst
    pub const EXT_INST: u16 = 12;
    /// OpMemoryModel
    pub const MEMORY_MODEL: u16 = 14;
    /// OpEntryPoint
    pub const ENTRY_POINT: u16 = 15;
    /// OpExecutionMode
    pub const EXECUTION_MODE: u16 = 16;
    /// OpCapability
    pub const CAPABILITY: u16 = 17;
    /// OpTypeVoid
    pub const TYPE_VOID: u16 = 19;
    /// OpTypeBool
    pub const TYPE_BOOL: u16 = 20;
    /// OpTypeInt
    pub const TYPE_INT: u16 = 21;
    /// OpTypeFloat
    pub const TYPE_FLOAT: u16 = 22;
    /// OpTypeVector
    pub const TYPE_VECTOR: u16 = 23;
    /// OpTypeMatrix
    pub const TYPE_MATRIX: u16 = 24;
    /// OpTypeArray
    pub const TYPE_ARRAY: u16 = 28;
    /// OpTypeStruct
    pub const TYPE_STRUCT: u16 = 30;
    /// OpTypePointer
    pub const TYPE_POINTER: u16 = 32;
    /// OpConstant
    pub const CONSTANT: u16 = 43;
    /// OpSpecConstantTrue
    pub const SPEC_CONSTANT_TRUE: u16 = 48;
    /// OpSpecConstantFalse
    pub const SPEC_CONSTANT_FALSE: u16 = 49;
    /// OpSpecConstant
    pub const SPEC_CONSTANT: u16 = 50;
    /// OpSpecConstantComposite
    pub const SPEC_CONSTANT_COMPOSITE: u16 = 51;
    /// OpSpecConstantOp
    pub const SPEC_CONSTANT_OP: u16 = 52;
    /// OpFunction
    pub const FUNCTION: u16 = 54;
    /// OpFunctionEnd
    pub const FUNCTION_END: u16 = 56;
    /// OpFunctionCall
    pub const FUNCTION_CALL: u16 = 57;
    /// OpVariable
    pub const VARIABLE: u16 = 59;
    /// OpDecorate
    pub const DECORATE: u16 = 71;
    /// OpMemberDecorate
    pub const MEMBER_DECORATE: u16 = 72;
    /// OpExecutionModeId
    pub const EXECUTION_MODE_ID: u16 = 331;
    /// OpDecorateId
    pub const DECORATE_ID: u16 = 332;
    /// OpExtInstWithForwardRefsKHR
    pub const EXT_INST_FORWARD: u16 = 4433;
    /// OpDecorateString
    pub const DECORATE_STRING: u16 = 5632;
}

/// A module's header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Major and minor version.
    pub version: (u8, u8),
    /// Every id is below it.
    pub bound: u32,
}

/// Checks and reads the header.
pub fn header(words: &[u32]) -> Result<Header, ReadError> {
    let &[magic, version, _, bound, _, ..] = words else {
        return Err(ReadError::NoHeader { words: words.len() });
    };
    if magic != MAGIC {
        return Err(ReadError::BadMagic { word: magic });
    }
    if bound == 0 || bound > MAX_BOUND {
        return Err(ReadError::BadBound { bound });
    }
    let [_, major, minor, _] = version.to_be_bytes();
    Ok(Header {
        version: (major, minor),
        bound,
    })
}

/// One instruction of a module.
#[derive(Clone, Copy, Debug)]
pub struct Inst<'a> {
    /// Index of its first word in the module.
    pub at: usize,
    /// Its opcode.
    pub opcode: u16,
    /// Its words after the first.
    pub operands: &'a [u32],
}

impl Inst<'_> {
    /// Index of the word behind the instruction.
    pub fn end(&self) -> usize {
        self.at + 1 + self.operands.len()
    }
}

/// The instructions of a module, in order; ends after the first error.
#[derive(Clone, Debug)]
pub struct Instructions<'a> {
    words: &'a [u32],
    at: usize,
}

/// Iterates over the instructions behind the header (which [`header`] checks).
pub fn instructions(words: &[u32]) -> Instructions<'_> {
    Instructions {
        words,
        at: HEADER_WORDS.min(words.len()),
    }
}

impl<'a> Iterator for Instructions<'a> {
    type Item = Result<Inst<'a>, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        let at = self.at;
        let &first = self.words.get(at)?;
        let opcode = (first & 0xffff) as u16;
        let count = (first >> 16) as usize;
        let left = self.words.len() - at;
        if count == 0 || count > left {
            self.at = self.words.len();
            return Some(Err(ReadError::BadWordCount {
                at,
                opcode,
                count,
                left,
            }));
        }
        self.at = at + count;
        Some(Ok(Inst {
            at,
            opcode,
            operands: &self.words[at + 1..at + count],
        }))
    }
}

/// Decodes a literal string: its bytes without the terminator, and how many words it takes.
/// `None` when it is not terminated.
pub fn string(words: &[u32]) -> Option<(Vec<u8>, usize)> {
    let mut bytes = Vec::new();
    for (index, word) in words.iter().enumerate() {
        for byte in word.to_le_bytes() {
            if byte == 0 {
                return Some((bytes, index + 1));
            }
            bytes.push(byte);
        }
    }
    None
}

/// Appends a literal string: its bytes, a terminator, and zeros up to a whole word.
pub fn push_string(out: &mut Vec<u32>, bytes: &[u8]) {
    for chunk in bytes.chunks(4) {
        let mut word = [0; 4];
        word[..chunk.len()].copy_from_slice(chunk);
        out.push(u32::from_le_bytes(word));
    }
    if bytes.len() % 4 == 0 {
        out.push(0);
    }
}

/// Appends an instruction. The caller keeps it within [`MAX_INSTRUCTION_WORDS`].
pub fn push_inst(out: &mut Vec<u32>, opcode: u16, operands: &[u32]) {
    let count = operands.len() + 1;
    debug_assert!(count <= MAX_INSTRUCTION_WORDS, "opcode {opcode} too long");
    out.push((count as u32) << 16 | u32::from(opcode));
    out.extend_from_slice(operands);
}
