//! Model to words.

use crate::address_delta;
use crate::check;
use crate::data;
use crate::error::{ReadError, WriteError};
use crate::model::{Instruction, Reflection};
use crate::operand::{MAX_INLINE, Sink};
use crate::pools::Pools;
use crate::roles::PUMICE_SET;
use crate::termination_flag;
use crate::{NON_SEMANTIC_EXTENSION, SET_PREFIX};
use pumice_spirv::{self as spirv, Builder, Op, Section, op};

/// Writes a reflection's imports, strings, constants and instructions into the sections of a
/// builder.
///
/// The revision is the lowest that the instructions need, unless the model names a higher one.
fn write(reflection: &Reflection, sections: &mut Builder) -> Result<(), WriteError> {
    let lowest = reflection.lowest_revision();
    let revision = match reflection.revision {
        0 => lowest,
        asked => asked,
    };
    let set = sections.import(&format!("{SET_PREFIX}{revision}"));
    sections.ty_void();
    let mut pools = Pools {
        sections,
        kernels: Vec::new(),
        infos: Vec::new(),
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
        let result = pools.instruction(row.name, [set, row.number], &operands)?;
        match inst {
            Instruction::Kernel(_) => pools.kernels.push(result),
            Instruction::ArgumentInfo(_) => pools.infos.push(result),
            inst => {
                let data = inst.data().filter(|data| data.0.len() > MAX_INLINE);
                large.extend(data.map(|data| (result, data)));
            }
        }
    }
    let delta = reflection.address_delta;
    let flag = reflection.termination_flag;
    let promises = &reflection.promises;
    let own = !reflection.roles.is_empty()
        || !reflection.needs.is_empty()
        || !reflection.checks.is_empty()
        || !promises.is_empty()
        || delta.is_some()
        || flag.is_some();
    if own || !large.is_empty() {
        let set = pools.sections.import(PUMICE_SET);
        for (buffer, data) in large {
            let operands = data::encode(buffer, &data.0, &mut pools)?;
            pools.instruction(data::NAME, [set, data::NUMBER], &operands)?;
        }
        for role in &reflection.roles {
            let encode = |sink: &mut Sink<'_, '_>| role.encode(sink);
            own_instruction(&mut pools, role.name(), [set, role.number()], encode)?;
        }
        for need in &reflection.needs {
            let encode = |sink: &mut Sink<'_, '_>| need.encode(sink);
            own_instruction(&mut pools, need.name(), [set, need.number()], encode)?;
        }
        for site in &reflection.checks {
            let encode = |sink: &mut Sink<'_, '_>| site.encode(sink);
            own_instruction(&mut pools, check::NAME, [set, check::NUMBER], encode)?;
        }
        if let Some(delta) = delta {
            let encode = |sink: &mut Sink<'_, '_>| delta.encode(sink);
            let head = [set, address_delta::NUMBER];
            own_instruction(&mut pools, address_delta::NAME, head, encode)?;
        }
        if let Some(flag) = flag {
            let encode = |sink: &mut Sink<'_, '_>| flag.encode(sink);
            let head = [set, termination_flag::NUMBER];
            own_instruction(&mut pools, termination_flag::NAME, head, encode)?;
        }
        for promise in promises {
            let encode = |sink: &mut Sink<'_, '_>| promise.encode(sink);
            let head = [set, promise.kind.number()];
            own_instruction(&mut pools, promise.kind.name(), head, encode)?;
        }
    }
    match sections.bound() {
        0..=spirv::MAX_BOUND => Ok(()),
        _ => Err(WriteError::NoIds),
    }
}

/// Writes an instruction of our own set; `head` is the set and the number.
fn own_instruction(
    pools: &mut Pools<'_>,
    instruction: &'static str,
    head: [u32; 2],
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

/// Puts a reflection into a finished module: gives the module with every section in its place
/// and the bound raised. The module must not have the set already.
///
/// # Errors
/// A module whose instruction words are broken, references to instructions that do not come
/// earlier, strings that no OpString holds, a revision that does not suit; see [`WriteError`].
pub fn embed(words: &[u32], reflection: &Reflection) -> Result<Vec<u32>, WriteError> {
    let header = spirv::header(words).map_err(ReadError::from)?;
    let mut sections = Builder::addition(header.bound);
    let mut u32_type = None;
    // Insertion point of each section: behind the last instruction that must precede it.
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
            (op::TYPE_VOID, &[id]) => sections.know(id, Op::TypeVoid, None, &[]),
            (op::TYPE_INT, &[id, 32, 0]) => {
                u32_type = Some(id);
                sections.know(id, Op::TypeInt, None, &[32, 0]);
            }
            (op::CONSTANT, &[ty, id, value]) if u32_type == Some(ty) => {
                sections.know(id, Op::Constant, u32_type, &[value]);
            }
            (op::FUNCTION, _) if constants_at.is_none() => constants_at = Some(inst.at),
            _ => {}
        }
    }
    let constants_at = constants_at.unwrap_or(words.len());
    write(reflection, &mut sections)?;
    let mut extension = Vec::new();
    if !has_extension {
        let name = spirv::string_words(NON_SEMANTIC_EXTENSION);
        spirv::push_inst(&mut extension, op::EXTENSION, &name);
    }

    let section = |which| sections.section(which);
    let mut out = Vec::with_capacity(words.len() + section(Section::Functions).len() * 2);
    let mut from = 0;
    for (at, section) in [
        (extensions_at, &extension[..]),
        (imports_at, section(Section::Imports)),
        (strings_at, section(Section::Strings)),
        (constants_at, section(Section::Globals)),
        (words.len(), section(Section::Functions)),
    ] {
        // A module out of its logical layout would need a smaller `at`: keep the order instead.
        let at = at.max(from);
        out.extend_from_slice(&words[from..at]);
        out.extend_from_slice(section);
        from = at;
    }
    out[3] = sections.bound();
    Ok(out)
}
