//! Words to model.

use crate::address_delta::{self, AddressDelta};
use crate::check::{self, CheckSite};
use crate::data;
use crate::definitions::Definitions;
use crate::error::ReadError;
use crate::model::{Instruction, Reflection, TABLE};
use crate::needs::Need;
use crate::operand::{KernelRef, Operand, Source};
use crate::promise::{Promise, PromiseKind};
use crate::roles::{KernelRole, PUMICE_SET};
use crate::termination_flag::{self, TerminationFlag};
use crate::{HIGHEST_KNOWN_REVISION, NON_SEMANTIC_EXTENSION, SET_PREFIX};
use pumice_spirv::{self as spirv, Header, Inst, op};

const GL_COMPUTE: u32 = 5;
/// The one instruction that is accepted in revisions that do not list it.
const WORKGROUP_VARIABLE_SIZE: u32 = 42;

struct Reader {
    header: Header,
    defined: Definitions,
    /// The reflection import's id and revision.
    import: Option<(u32, u32)>,
    /// The import of our own set.
    own: Option<u32>,
    has_extension: bool,
    in_function: bool,
    reflection: Reflection,
}

/// Reads the reflection of a module (SPIR-V words in native order, header first).
///
/// # Errors
/// A module that is not well-formed as far as reflection needs it, one without the import, and
/// reflection that breaks a rule of the instruction set; see [`ReadError`].
pub fn read(words: &[u32]) -> Result<Reflection, ReadError> {
    let mut reader = Reader {
        header: spirv::header(words)?,
        defined: Definitions::default(),
        import: None,
        own: None,
        has_extension: false,
        in_function: false,
        reflection: Reflection::default(),
    };
    for inst in spirv::instructions(words) {
        reader.instruction(inst?)?;
    }
    if reader.import.is_none() {
        return Err(ReadError::NoReflection);
    }
    // Vulkan has no buffer of size 0: the bytes were in our own set, and it was stripped.
    let mut instructions = reader.reflection.instructions.iter();
    let empty = |inst: &&Instruction| inst.data().is_some_and(|data| data.0.is_empty());
    if let Some(inst) = instructions.find(empty) {
        let instruction = inst.row().name;
        return Err(ReadError::NoData { instruction });
    }
    if !reader.has_extension && reader.header.version < (1, 6) {
        return Err(ReadError::MissingExtension);
    }
    Ok(reader.reflection)
}

/// The words of an instruction, at least `N` of them.
fn at_least<'a, const N: usize>(
    inst: &Inst<'a>,
    opcode: &'static str,
) -> Result<(&'a [u32; N], &'a [u32]), ReadError> {
    let at = inst.at;
    (inst.operands.split_first_chunk()).ok_or(ReadError::ShortInstruction { opcode, at })
}

fn string(words: &[u32], opcode: &'static str, at: usize) -> Result<Vec<u8>, ReadError> {
    let (bytes, _) = spirv::string(words).ok_or(ReadError::UnterminatedString { opcode, at })?;
    Ok(bytes)
}

/// The revision in an import string that names the reflection set; `None` for other sets.
fn revision(name: &[u8]) -> Option<Result<u32, ReadError>> {
    let number = name.strip_prefix(SET_PREFIX.as_bytes())?;
    let digits_only = number.iter().all(u8::is_ascii_digit);
    let revision = (std::str::from_utf8(number).ok())
        .filter(|_| digits_only)
        .and_then(|digits| digits.parse::<u32>().ok())
        .filter(|&revision| revision > 0);
    Some(revision.ok_or_else(|| ReadError::BadRevision {
        name: String::from_utf8_lossy(name).into_owned(),
    }))
}

impl Reader {
    fn define(&mut self, opcode: &'static str, id: u32) -> Result<(), ReadError> {
        let bound = self.header.bound;
        if id == 0 || id >= bound {
            return Err(ReadError::IdOutOfBound { opcode, id, bound });
        }
        if !self.defined.ids.insert(id) {
            return Err(ReadError::DuplicateId { id });
        }
        Ok(())
    }

    fn instruction(&mut self, inst: Inst<'_>) -> Result<(), ReadError> {
        let at = inst.at;
        match inst.opcode {
            op::STRING => {
                let ([id], rest) = at_least(&inst, "OpString")?;
                self.define("OpString", *id)?;
                let bytes = string(rest, "OpString", at)?;
                self.defined.strings.insert(*id, bytes);
            }
            op::EXTENSION => {
                let name = string(inst.operands, "OpExtension", at)?;
                self.has_extension |= name == NON_SEMANTIC_EXTENSION.as_bytes();
            }
            op::EXT_INST_IMPORT => self.import(&inst)?,
            op::ENTRY_POINT => {
                let ([model, function], rest) = at_least(&inst, "OpEntryPoint")?;
                let name = string(rest, "OpEntryPoint", at)?;
                if *model == GL_COMPUTE {
                    self.defined.entry_points.insert((*function, name));
                }
            }
            op::TYPE_VOID => {
                let ([id], _) = at_least(&inst, "OpTypeVoid")?;
                self.define("OpTypeVoid", *id)?;
                self.defined.void_types.insert(*id);
            }
            op::TYPE_INT => {
                let ([id, width, signedness], _) = at_least(&inst, "OpTypeInt")?;
                self.define("OpTypeInt", *id)?;
                if (*width, *signedness) == (32, 0) {
                    self.defined.u32_types.insert(*id);
                }
            }
            op::CONSTANT => {
                let ([ty, id, value], _) = at_least(&inst, "OpConstant")?;
                self.define("OpConstant", *id)?;
                if self.defined.u32_types.contains(ty) {
                    self.defined.constants.insert(*id, *value);
                }
            }
            op::FUNCTION => {
                let ([_, id], _) = at_least(&inst, "OpFunction")?;
                self.define("OpFunction", *id)?;
                self.defined.functions.insert(*id);
                self.in_function = true;
            }
            op::FUNCTION_END => self.in_function = false,
            op::VARIABLE => {
                let ([_, id], _) = at_least(&inst, "OpVariable")?;
                self.define("OpVariable", *id)?;
                if !self.in_function {
                    self.defined.variables.insert(*id);
                }
            }
            op::EXT_INST | op::EXT_INST_FORWARD => {
                let ([ty, id, set, number], operands) = at_least(&inst, "OpExtInst")?;
                self.define("OpExtInst", *id)?;
                match self.import {
                    Some((import, revision)) if import == *set => {
                        self.reflection(*ty, *id, *number, revision, operands)?;
                    }
                    _ if self.own == Some(*set) => self.own(*ty, *number, operands)?,
                    _ => {}
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn import(&mut self, inst: &Inst<'_>) -> Result<(), ReadError> {
        let ([id], rest) = at_least(inst, "OpExtInstImport")?;
        self.define("OpExtInstImport", *id)?;
        let name = string(rest, "OpExtInstImport", inst.at)?;
        if name == PUMICE_SET.as_bytes() && self.own.replace(*id).is_some() {
            return Err(ReadError::DuplicateImport);
        }
        let Some(revision) = revision(&name) else {
            return Ok(());
        };
        let revision = revision?;
        if self.import.replace((*id, revision)).is_some() {
            return Err(ReadError::DuplicateImport);
        }
        self.reflection.revision = revision;
        Ok(())
    }

    /// The initial data of another instruction.
    fn data(&mut self, ty: u32, operands: &[u32]) -> Result<(), ReadError> {
        if !self.defined.void_types.contains(&ty) {
            let instruction = data::NAME;
            return Err(ReadError::NotVoid { instruction });
        }
        data::decode(operands, &self.defined, &mut self.reflection.instructions)
    }

    /// An instruction of our own set.
    fn own(&mut self, ty: u32, number: u32, operands: &[u32]) -> Result<(), ReadError> {
        if number == data::NUMBER {
            return self.data(ty, operands);
        }
        let need = Need::of(number);
        let is_delta = number == address_delta::NUMBER;
        let is_flag = number == termination_flag::NUMBER;
        let is_site = number == check::NUMBER;
        let promise = PromiseKind::of(number);
        let role = match need {
            None if !is_delta && !is_flag && !is_site && promise.is_none() => {
                Some(KernelRole::of(number)?)
            }
            _ => None,
        };
        let instruction = match (need, promise, role) {
            _ if is_delta => address_delta::NAME,
            _ if is_flag => termination_flag::NAME,
            _ if is_site => check::NAME,
            (Some(need), ..) => need.name(),
            (_, Some(promise), _) => promise.name(),
            (.., Some(role)) => role(KernelRef(0)).name(),
            (None, None, None) => return Ok(()),
        };
        if !self.defined.void_types.contains(&ty) {
            return Err(ReadError::NotVoid { instruction });
        }
        let mut source = Source {
            instruction,
            revision: 1,
            operands,
            defined: &self.defined,
        };
        if let Some(need) = need {
            self.reflection.needs.push(need.decode(&mut source)?);
        }
        if is_site {
            self.reflection.checks.push(CheckSite::decode(&mut source)?);
        }
        if is_delta {
            let delta = AddressDelta::decode(&mut source)?;
            if self.reflection.address_delta.replace(delta).is_some() {
                return Err(ReadError::Repeated { instruction });
            }
        }
        if is_flag {
            let flag = TerminationFlag::decode(&mut source)?;
            if self.reflection.termination_flag.replace(flag).is_some() {
                return Err(ReadError::Repeated { instruction });
            }
        }
        if let Some(kind) = promise {
            let promises = &mut self.reflection.promises;
            if promises.iter().any(|promise| promise.kind == kind) {
                return Err(ReadError::Repeated { instruction });
            }
            promises.push(Promise::decode(kind, &mut source)?);
        }
        if let Some(role) = role {
            let kernel = KernelRef::decode(&mut source, "Kernel")?;
            self.reflection.roles.push(role(kernel));
        }
        let extra = source.operands.len();
        if extra > 0 {
            return Err(ReadError::ExtraOperands {
                instruction,
                extra,
                revision: 1,
            });
        }
        Ok(())
    }

    fn reflection(
        &mut self,
        ty: u32,
        id: u32,
        number: u32,
        revision: u32,
        operands: &[u32],
    ) -> Result<(), ReadError> {
        let Some(row) = TABLE.iter().find(|row| row.number == number) else {
            if revision <= HIGHEST_KNOWN_REVISION {
                return Err(ReadError::UnknownInstruction { number, revision });
            }
            self.reflection.skipped.push(number);
            return Ok(());
        };
        // Writers put WorkgroupVariableSize into modules that import revision 5, so it is
        // accepted in all; the others are gated.
        if row.since > revision && number != WORKGROUP_VARIABLE_SIZE {
            return Err(ReadError::NewerInstruction {
                name: row.name,
                since: row.since,
                revision,
            });
        }
        let instruction = row.name;
        if !self.defined.void_types.contains(&ty) {
            return Err(ReadError::NotVoid { instruction });
        }
        let mut source = Source {
            instruction,
            revision,
            operands,
            defined: &self.defined,
        };
        let decoded = Instruction::decode(number, &mut source)?;
        let extra = source.operands.len();
        let Some(decoded) = decoded else {
            return Err(ReadError::UnknownInstruction { number, revision });
        };
        // A newer revision may have given the instruction more operands.
        if extra > 0 && revision <= HIGHEST_KNOWN_REVISION {
            return Err(ReadError::ExtraOperands {
                instruction,
                extra,
                revision,
            });
        }
        match &decoded {
            Instruction::Kernel(kernel) => {
                let function = kernel.function.0;
                let entry_point = (function, kernel.name.clone().into_bytes());
                if !self.defined.entry_points.contains(&entry_point) {
                    return Err(ReadError::NotAnEntryPoint {
                        name: kernel.name.clone(),
                        function,
                    });
                }
                let index = self.defined.kernels.len() as u32;
                self.defined.kernels.insert(id, index);
            }
            Instruction::ArgumentInfo(_) => {
                let index = self.defined.infos.len() as u32;
                self.defined.infos.insert(id, index);
            }
            with_data if with_data.data().is_some() => {
                let index = self.reflection.instructions.len();
                self.defined.buffers.insert(id, index);
            }
            _ => {}
        }
        self.reflection.instructions.push(decoded);
        Ok(())
    }
}
