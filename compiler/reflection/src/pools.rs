//! The sections of a module while its reflection is written.

use crate::error::WriteError;
use pumice_spirv::{self as spirv, Builder, Op, Section};

/// Ids of strings, constants, kernels and infos while a reflection is written.
pub(crate) struct Pools<'a> {
    pub sections: &'a mut Builder,
    pub kernels: Vec<u32>,
    pub infos: Vec<u32>,
}

impl Pools<'_> {
    /// An OpExtInst of a set and number; gives its id.
    pub fn instruction(
        &mut self,
        name: &'static str,
        [set, number]: [u32; 2],
        operands: &[u32],
    ) -> Result<u32, WriteError> {
        let void = self.sections.ty_void();
        let result = self.sections.id();
        let head = [void, result, set, number];
        if head.len() + operands.len() >= spirv::MAX_INSTRUCTION_WORDS {
            return Err(WriteError::TooLong {
                instruction: name,
                operand: "operand list",
            });
        }
        self.sections
            .push(Section::Functions, Op::ExtInst, [&head, operands]);
        Ok(result)
    }

    /// The id of an OpConstant.
    pub fn constant(&mut self, value: u32) -> u32 {
        self.sections.const_u32(value)
    }

    /// The id of an OpString; the caller has checked length and terminator.
    pub fn string(&mut self, bytes: &[u8]) -> u32 {
        self.sections.string(bytes)
    }

    /// The id of an OpString of its own; likewise.
    pub fn new_string(&mut self, bytes: &[u8]) -> u32 {
        let id = self.sections.id();
        let words = spirv::string_words(bytes);
        self.sections
            .push(Section::Strings, Op::String, [&[id], &words]);
        id
    }
}
