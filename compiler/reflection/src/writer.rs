//! Model to words.

use std::collections::HashMap;

use crate::data;
use crate::error::{ReadError, WriteError};
use crate::model::{Instruction, Reflection};
use crate::operand::Sink;
use crate::roles::PUMICE_SET;
use crate::{NON_SEMANTIC_EXTENSION, SET_PREFIX};
use pumice_spirv::{self as spirv, op};

/// The ids of the module that takes the reflection.
pub trait IdSource {
    /// A fresh id; `None` when the universal limit is reached.
    fn fresh(&mut self) -> Option<u32>;
    /// The module's OpTypeVoid.
    fn void_type(&mut self) -> Option<u32>;
    /// The module's OpTypeInt 32 0.
    fn u32_type(&mut self) -> Option<u32>;
    /// An OpConstant of that type and value, if the module has one already.
    fn u32_constant(&mut self, value: u32) -> Option<u32>;
}

/// The instructions to be placed, as words, by section of the module's logical layout.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sections {
    /// OpExtension, behind the module's own.
    pub extensions: Vec<u32>,
    /// OpExtInstImport, behind the module's own.
    pub imports: Vec<u32>,
    /// OpString, at the start of the debug section (before OpName).
    pub strings: Vec<u32>,
    /// OpTypeVoid and OpTypeInt if [`IdSource`] had none, then OpConstant: anywhere in the types
    /// and constants section.
    pub constants: Vec<u32>,
    /// OpExtInst, behind the last function.
    pub instructions: Vec<u32>,
}

/// Ids of strings, constants, kernels and infos while a reflection is written.
pub(crate) struct Pools<'a> {
    ids: &'a mut dyn IdSource,
    u32_type: Option<u32>,
    constants: HashMap<u32, u32>,
    strings: HashMap<Vec<u8>, u32>,
    pub kernels: Vec<u32>,
    pub infos: Vec<u32>,
    sections: Sections,
}

impl Pools<'_> {
    fn fresh(&mut self) -> Result<u32, WriteError> {
        self.ids.fresh().ok_or(WriteError::NoIds)
    }

    /// Imports a set; gives the import's id.
    fn import(&mut self, name: &str) -> Result<u32, WriteError> {
        let set = self.fresh()?;
        let mut import = vec![set];
        spirv::push_string(&mut import, name.as_bytes());
        spirv::push_inst(&mut self.sections.imports, op::EXT_INST_IMPORT, &import);
        Ok(set)
    }

    /// An OpExtInst of a result type, set and number; gives its id.
    fn instruction(
        &mut self,
        name: &'static str,
        [void, set, number]: [u32; 3],
        operands: &[u32],
    ) -> Result<u32, WriteError> {
        let result = self.fresh()?;
        let mut words = vec![void, result, set, number];
        words.extend(operands);
        if words.len() >= spirv::MAX_INSTRUCTION_WORDS {
            return Err(WriteError::TooLong {
                instruction: name,
                operand: "operand list",
            });
        }
        spirv::push_inst(&mut self.sections.instructions, op::EXT_INST, &words);
        Ok(result)
    }

    /// The id of an OpConstant.
    pub fn constant(&mut self, value: u32) -> Result<u32, WriteError> {
        if let Some(&id) = self.constants.get(&value) {
            return Ok(id);
        }
        let id = match self.ids.u32_constant(value) {
            Some(id) => id,
            None => {
                let ty = self.u32_type()?;
                let id = self.fresh()?;
                spirv::push_inst(&mut self.sections.constants, op::CONSTANT, &[ty, id, value]);
                id
            }
        };
        self.constants.insert(value, id);
        Ok(id)
    }

    fn u32_type(&mut self) -> Result<u32, WriteError> {
        if let Some(id) = self.u32_type {
            return Ok(id);
        }
        let id = match self.ids.u32_type() {
            Some(id) => id,
            None => {
                let id = self.fresh()?;
                spirv::push_inst(&mut self.sections.constants, op::TYPE_INT, &[id, 32, 0]);
                id
            }
        };
        self.u32_type = Some(id);
        Ok(id)
    }

    /// The id of an OpString; the caller has checked length and terminator.
    pub fn string(&mut self, bytes: &[u8]) -> Result<u32, WriteError> {
        if let Some(&id) = self.strings.get(bytes) {
            return Ok(id);
        }
        let id = self.new_string(bytes)?;
        self.strings.insert(bytes.to_vec(), id);
        Ok(id)
    }

    /// The id of an OpString of its own; likewise.
    pub fn new_string(&mut self, bytes: &[u8]) -> Result<u32, WriteError> {
        let id = self.fresh()?;
        let mut operands = vec![id];
        spirv::push_string(&mut operands, bytes);
        spirv::push_inst(&mut self.sections.strings, op::STRING, &operands);
        Ok(id)
    }
}

/// Writes a reflection as the instructions to be placed into a module whose ids `ids` gives.
///
/// The revision is the lowest that the instructions need, unless the model names a higher one.
///
/// # Errors
/// References to instructions that do not come earlier, strings that no OpString holds, a
/// revision that does not suit; see [`WriteError`].
pub fn write(reflection: &Reflection, ids: &mut dyn IdSource) -> Result<Sections, WriteError> {
    let lowest = reflection.lowest_revision();
    let revision = match reflection.revision {
        0 => lowest,
        asked => asked,
    };
    let mut pools = Pools {
        ids,
        u32_type: None,
        constants: HashMap::new(),
        strings: HashMap::new(),
        kernels: Vec::new(),
        infos: Vec::new(),
        sections: Sections::default(),
    };

    let mut name = Vec::new();
    spirv::push_string(&mut name, NON_SEMANTIC_EXTENSION.as_bytes());
    spirv::push_inst(&mut pools.sections.extensions, op::EXTENSION, &name);

    let set = pools.import(&format!("{SET_PREFIX}{revision}"))?;

    let void = match pools.ids.void_type() {
        Some(id) => id,
        None => {
            let id = pools.fresh()?;
            spirv::push_inst(&mut pools.sections.constants, op::TYPE_VOID, &[id]);
            id
        }
    };

    let mut large = Vec::new();
    for inst in &reflection.instructions {
        let row = inst.row();
        if row.since > revision {
            return Err(WriteError::Revision {
                instruction: row.name,
                revision,
            });
        }
        let mut sink = Sink {
            instruction: row.name,
            revision,
            operands: Vec::new(),
            ended: false,
            pools: &mut pools,
        };
        inst.encode(&mut sink)?;
        let operands = sink.operands;
        let result = pools.instruction(row.name, [void, set, row.number], &operands)?;
        match inst {
            Instruction::Kernel(_) => pools.kernels.push(result),
            Instruction::ArgumentInfo(_) => pools.infos.push(result),
            inst => {
                let data = inst.data().filter(|data| data.0.len() > data::MAX_INLINE);
                large.extend(data.map(|data| (result, data)));
            }
        }
    }
    if !(reflection.roles.is_empty() && reflection.needs.is_empty() && large.is_empty()) {
        let set = pools.import(PUMICE_SET)?;
        for (buffer, data) in large {
            let operands = data::encode(buffer, &data.0, &mut pools)?;
            pools.instruction(data::NAME, [void, set, data::NUMBER], &operands)?;
        }
        for role in &reflection.roles {
            let encode = |sink: &mut Sink<'_, '_>| role.encode(sink);
            own_instruction(&mut pools, role.name(), [void, set, role.number()], encode)?;
        }
        for need in &reflection.needs {
            let encode = |sink: &mut Sink<'_, '_>| need.encode(sink);
            own_instruction(&mut pools, need.name(), [void, set, need.number()], encode)?;
        }
    }
    Ok(pools.sections)
}

/// Writes an instruction of our own set; `head` is the result type, the set and the number.
fn own_instruction(
    pools: &mut Pools<'_>,
    instruction: &'static str,
    head: [u32; 3],
    encode: impl FnOnce(&mut Sink<'_, '_>) -> Result<(), WriteError>,
) -> Result<(), WriteError> {
    let mut sink = Sink {
        instruction,
        revision: 1,
        operands: Vec::new(),
        ended: false,
        pools,
    };
    encode(&mut sink)?;
    let operands = sink.operands;
    pools.instruction(instruction, head, &operands)?;
    Ok(())
}

/// The ids of a finished module.
#[derive(Default)]
struct ModuleIds {
    bound: u32,
    void: Option<u32>,
    u32_type: Option<u32>,
    constants: HashMap<u32, u32>,
}

impl IdSource for ModuleIds {
    fn fresh(&mut self) -> Option<u32> {
        let id = self.bound;
        self.bound = id
            .checked_add(1)
            .filter(|&bound| bound <= spirv::MAX_BOUND)?;
        Some(id)
    }

    fn void_type(&mut self) -> Option<u32> {
        self.void
    }

    fn u32_type(&mut self) -> Option<u32> {
        self.u32_type
    }

    fn u32_constant(&mut self, value: u32) -> Option<u32> {
        self.constants.get(&value).copied()
    }
}

/// Puts a reflection into a finished module: gives the module with every section in its place
/// and the bound raised. The module must not have the set already.
///
/// # Errors
/// A module whose instruction words are broken, and what [`write()`] refuses.
pub fn embed(words: &[u32], reflection: &Reflection) -> Result<Vec<u32>, WriteError> {
    let header = spirv::header(words).map_err(ReadError::from)?;
    let mut ids = ModuleIds {
        bound: header.bound,
        ..ModuleIds::default()
    };
    // Where each section goes: behind the last instruction of the kinds before it.
    let mut extensions_at = spirv::HEADER_WORDS;
    let mut imports_at = extensions_at;
    let mut strings_at = extensions_at;
    let mut constants_at = None;
    let mut has_extension = false;
    for inst in spirv::instructions(words) {
        let inst = inst.map_err(ReadError::from)?;
        match (inst.opcode, inst.operands) {
            (op::CAPABILITY | op::EXTENSION, operands) => {
                extensions_at = inst.end();
                imports_at = inst.end();
                strings_at = inst.end();
                has_extension |= inst.opcode == op::EXTENSION
                    && spirv::string(operands)
                        .is_some_and(|(name, _)| name == NON_SEMANTIC_EXTENSION.as_bytes());
            }
            (op::EXT_INST_IMPORT, _) => {
                imports_at = inst.end();
                strings_at = inst.end();
            }
            (
                op::MEMORY_MODEL | op::ENTRY_POINT | op::EXECUTION_MODE | op::EXECUTION_MODE_ID,
                _,
            ) => strings_at = inst.end(),
            (op::TYPE_VOID, &[id]) => ids.void = Some(id),
            (op::TYPE_INT, &[id, 32, 0]) => ids.u32_type = Some(id),
            (op::CONSTANT, &[ty, id, value]) if ids.u32_type == Some(ty) => {
                ids.constants.insert(value, id);
            }
            (op::FUNCTION, _) if constants_at.is_none() => constants_at = Some(inst.at),
            _ => {}
        }
    }
    let constants_at = constants_at.unwrap_or(words.len());
    let mut sections = write(reflection, &mut ids)?;
    if has_extension {
        sections.extensions.clear();
    }

    let mut out = Vec::with_capacity(words.len() + sections.instructions.len() * 2);
    let mut from = 0;
    for (at, section) in [
        (extensions_at, &sections.extensions),
        (imports_at, &sections.imports),
        (strings_at, &sections.strings),
        (constants_at, &sections.constants),
        (words.len(), &sections.instructions),
    ] {
        // A module out of its logical layout would need a smaller `at`: keep the order instead.
        let at = at.max(from);
        out.extend_from_slice(&words[from..at]);
        out.extend_from_slice(section);
        from = at;
    }
    out[3] = ids.bound;
    Ok(out)
}
