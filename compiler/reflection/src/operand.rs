//! Operand kinds of reflection instructions, and how each is decoded and encoded.

use crate::definitions::Definitions;
use crate::error::{ReadError, WriteError};
use crate::pools::Pools;
use pumice_spirv::MAX_INSTRUCTION_WORDS;

/// The most bytes that one OpString holds: two digits each, less opcode, result id and NUL.
pub(crate) const MAX_INLINE: usize = ((MAX_INSTRUCTION_WORDS - 2) * 4 - 1) / 2;

/// A Kernel instruction, by its index among the module's Kernel instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct KernelRef(pub u32);

/// An ArgumentInfo instruction, by its index among the module's ArgumentInfo instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct InfoRef(pub u32);

/// The result id of an OpFunction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FunctionId(pub u32);

/// The result id of a module-level OpVariable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VariableId(pub u32);

/// Bytes that an OpString holds as hexadecimal digits.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct HexBytes(pub Vec<u8>);

/// An OpString whose bytes need not be UTF-8 (a C string literal).
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ByteString(pub Vec<u8>);

/// The operands of one instruction while they are decoded.
pub(crate) struct Source<'a> {
    pub instruction: &'static str,
    pub revision: u32,
    pub operands: &'a [u32],
    pub defined: &'a Definitions,
}

impl Source<'_> {
    pub(crate) fn take(&mut self, operand: &'static str) -> Result<u32, ReadError> {
        let Some((&id, rest)) = self.operands.split_first() else {
            return Err(ReadError::MissingOperand {
                instruction: self.instruction,
                operand,
            });
        };
        self.operands = rest;
        Ok(id)
    }

    pub(crate) fn wrong(
        &self,
        operand: &'static str,
        id: u32,
        expected: &'static str,
    ) -> ReadError {
        ReadError::WrongOperand {
            instruction: self.instruction,
            operand,
            id,
            expected,
        }
    }

    fn string(&mut self, operand: &'static str) -> Result<&[u8], ReadError> {
        let id = self.take(operand)?;
        let defined = self.defined;
        defined
            .strings
            .get(&id)
            .map(Vec::as_slice)
            .ok_or_else(|| self.wrong(operand, id, "an OpString"))
    }
}

/// The operands of one instruction while they are encoded.
pub(crate) struct Sink<'a, 'b> {
    pub instruction: &'static str,
    pub revision: u32,
    pub operands: Vec<u32>,
    /// An optional operand was absent: nothing may follow.
    pub ended: bool,
    pub pools: &'a mut Pools<'b>,
}

impl Sink<'_, '_> {
    fn put(&mut self, operand: &'static str, id: u32) -> Result<(), WriteError> {
        if self.ended {
            return Err(WriteError::OperandGap {
                instruction: self.instruction,
                operand,
            });
        }
        self.operands.push(id);
        Ok(())
    }

    fn string(&mut self, operand: &'static str, bytes: &[u8]) -> Result<(), WriteError> {
        let instruction = self.instruction;
        if bytes.contains(&0) {
            return Err(WriteError::NulInString {
                instruction,
                operand,
            });
        }
        // Word count of OpString: two words before the literal, which ends in a NUL.
        if bytes.len() / 4 + 3 > pumice_spirv::MAX_INSTRUCTION_WORDS {
            return Err(WriteError::TooLong {
                instruction,
                operand,
            });
        }
        let id = self.pools.string(bytes);
        self.put(operand, id)
    }
}

/// A field of an instruction: one operand, or the few that come together.
pub(crate) trait Operand: Sized {
    fn decode(source: &mut Source<'_>, operand: &'static str) -> Result<Self, ReadError>;
    fn encode(&self, sink: &mut Sink<'_, '_>, operand: &'static str) -> Result<(), WriteError>;
}

impl Operand for u32 {
    fn decode(source: &mut Source<'_>, operand: &'static str) -> Result<Self, ReadError> {
        let id = source.take(operand)?;
        source
            .defined
            .constants
            .get(&id)
            .copied()
            .ok_or_else(|| source.wrong(operand, id, "a 32-bit unsigned OpConstant"))
    }

    fn encode(&self, sink: &mut Sink<'_, '_>, operand: &'static str) -> Result<(), WriteError> {
        let id = sink.pools.constant(*self);
        sink.put(operand, id)
    }
}

impl Operand for String {
    fn decode(source: &mut Source<'_>, operand: &'static str) -> Result<Self, ReadError> {
        let bytes = source.string(operand)?.to_vec();
        String::from_utf8(bytes).map_err(|_| ReadError::NotUtf8 {
            instruction: source.instruction,
            operand,
        })
    }

    fn encode(&self, sink: &mut Sink<'_, '_>, operand: &'static str) -> Result<(), WriteError> {
        sink.string(operand, self.as_bytes())
    }
}

impl Operand for ByteString {
    fn decode(source: &mut Source<'_>, operand: &'static str) -> Result<Self, ReadError> {
        Ok(Self(source.string(operand)?.to_vec()))
    }

    fn encode(&self, sink: &mut Sink<'_, '_>, operand: &'static str) -> Result<(), WriteError> {
        sink.string(operand, &self.0)
    }
}

fn hex_value(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).map(|value| value as u8)
}

/// Two lower-case digits for each byte.
pub(crate) fn hex_digits(bytes: &[u8]) -> Vec<u8> {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |value: u8| DIGITS[usize::from(value)];
    bytes
        .iter()
        .flat_map(|&byte| [digit(byte >> 4), digit(byte & 15)])
        .collect()
}

impl Operand for HexBytes {
    fn decode(source: &mut Source<'_>, operand: &'static str) -> Result<Self, ReadError> {
        let instruction = source.instruction;
        let digits = source.string(operand)?;
        let bad = ReadError::BadHex {
            instruction,
            operand,
        };
        if digits.len() % 2 != 0 {
            return Err(bad);
        }
        let byte = |pair: &[u8]| Some(hex_value(pair[0])? << 4 | hex_value(pair[1])?);
        digits
            .chunks_exact(2)
            .map(byte)
            .collect::<Option<Vec<u8>>>()
            .map(Self)
            .ok_or(bad)
    }

    fn encode(&self, sink: &mut Sink<'_, '_>, operand: &'static str) -> Result<(), WriteError> {
        // The writer puts what is larger into our own set.
        if self.0.len() > MAX_INLINE {
            return sink.string(operand, b"");
        }
        sink.string(operand, &hex_digits(&self.0))
    }
}

impl Operand for FunctionId {
    fn decode(source: &mut Source<'_>, operand: &'static str) -> Result<Self, ReadError> {
        let id = source.take(operand)?;
        if source.defined.functions.contains(&id) {
            Ok(Self(id))
        } else {
            Err(source.wrong(operand, id, "an OpFunction"))
        }
    }

    fn encode(&self, sink: &mut Sink<'_, '_>, operand: &'static str) -> Result<(), WriteError> {
        sink.put(operand, self.0)
    }
}

impl Operand for VariableId {
    fn decode(source: &mut Source<'_>, operand: &'static str) -> Result<Self, ReadError> {
        let id = source.take(operand)?;
        if source.defined.variables.contains(&id) {
            Ok(Self(id))
        } else {
            Err(source.wrong(operand, id, "a module-level OpVariable"))
        }
    }

    fn encode(&self, sink: &mut Sink<'_, '_>, operand: &'static str) -> Result<(), WriteError> {
        sink.put(operand, self.0)
    }
}

impl Operand for KernelRef {
    fn decode(source: &mut Source<'_>, operand: &'static str) -> Result<Self, ReadError> {
        let id = source.take(operand)?;
        let found = source.defined.kernels.get(&id);
        found
            .map(|&index| Self(index))
            .ok_or_else(|| source.wrong(operand, id, "a Kernel of the same import"))
    }

    fn encode(&self, sink: &mut Sink<'_, '_>, operand: &'static str) -> Result<(), WriteError> {
        let id = sink.pools.kernels.get(self.0 as usize).copied();
        let instruction = sink.instruction;
        let id = id.ok_or(WriteError::BadKernelRef {
            instruction,
            index: self.0,
        })?;
        sink.put(operand, id)
    }
}

impl Operand for InfoRef {
    fn decode(source: &mut Source<'_>, operand: &'static str) -> Result<Self, ReadError> {
        let id = source.take(operand)?;
        let found = source.defined.infos.get(&id);
        found
            .map(|&index| Self(index))
            .ok_or_else(|| source.wrong(operand, id, "an ArgumentInfo of the same import"))
    }

    fn encode(&self, sink: &mut Sink<'_, '_>, operand: &'static str) -> Result<(), WriteError> {
        let id = sink.pools.infos.get(self.0 as usize).copied();
        let instruction = sink.instruction;
        let id = id.ok_or(WriteError::BadInfoRef {
            instruction,
            index: self.0,
        })?;
        sink.put(operand, id)
    }
}

/// A trailing operand that may be absent.
impl<T: Operand> Operand for Option<T> {
    fn decode(source: &mut Source<'_>, operand: &'static str) -> Result<Self, ReadError> {
        if source.operands.is_empty() {
            Ok(None)
        } else {
            T::decode(source, operand).map(Some)
        }
    }

    fn encode(&self, sink: &mut Sink<'_, '_>, operand: &'static str) -> Result<(), WriteError> {
        match self {
            Some(value) => value.encode(sink, operand),
            None => {
                sink.ended = true;
                Ok(())
            }
        }
    }
}

/// Any number of trailing operands.
impl<T: Operand> Operand for Vec<T> {
    fn decode(source: &mut Source<'_>, operand: &'static str) -> Result<Self, ReadError> {
        let mut all = Vec::with_capacity(source.operands.len());
        while !source.operands.is_empty() {
            all.push(T::decode(source, operand)?);
        }
        Ok(all)
    }

    fn encode(&self, sink: &mut Sink<'_, '_>, operand: &'static str) -> Result<(), WriteError> {
        self.iter()
            .try_for_each(|value| value.encode(sink, operand))
    }
}
