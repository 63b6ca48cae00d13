//! A module builder for the tests, independent of the crate's writer: raw words only.

use pumice_spirv::{MAGIC, op, push_inst, push_string};

/// Ids of the skeleton module that every test starts from.
pub const VOID: u32 = 1;
pub const U32: u32 = 2;
pub const FN_TYPE: u32 = 3;
pub const FUNCTION: u32 = 4;
pub const LABEL: u32 = 5;
pub const ARRAY: u32 = 6;
pub const POINTER: u32 = 7;
pub const VARIABLE: u32 = 8;
pub const FOUR: u32 = 9;
pub const SET: u32 = 10;
pub const FIRST_FREE: u32 = 11;

/// An operand of a reflection instruction, as a test's table writes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Arg {
    /// A u32 constant.
    C(u32),
    /// A string.
    S(&'static str),
    /// The kernel's function.
    Function,
    /// The Workgroup variable.
    Variable,
    /// The first Kernel instruction.
    Kernel,
    /// The first ArgumentInfo instruction.
    Info,
    /// Any id as it is.
    Id(u32),
}

/// Variable parts of a test module.
pub struct Module {
    pub version: (u8, u8),
    pub import: Option<String>,
    pub extension: bool,
    /// Number and operands of each reflection instruction.
    pub instructions: Vec<(u32, Vec<Arg>)>,
}

impl Module {
    pub fn new(revision: u32) -> Self {
        Self {
            version: (1, 3),
            import: Some(format!("NonSemantic.ClspvReflection.{revision}")),
            extension: true,
            instructions: Vec::new(),
        }
    }

    /// The kernel `k` with one argument, as revision `revision` declares it.
    pub fn with_kernel(revision: u32) -> Self {
        let mut module = Self::new(revision);
        let mut operands = vec![Arg::Function, Arg::S("k")];
        if revision >= 5 {
            operands.extend([Arg::C(1), Arg::C(0), Arg::S("")]);
        }
        module.instructions.push((1, operands));
        module
    }

    pub fn words(&self) -> Vec<u32> {
        let mut next = FIRST_FREE;
        let mut strings = Vec::new();
        let mut constants = Vec::new();
        let mut tail = Vec::new();
        let (mut kernel, mut info) = (None, None);
        for (number, args) in &self.instructions {
            let mut operands = vec![VOID, 0, SET, *number];
            for arg in args {
                let id = match arg {
                    Arg::C(value) => {
                        push_inst(&mut constants, op::CONSTANT, &[U32, next, *value]);
                        next += 1;
                        next - 1
                    }
                    Arg::S(text) => {
                        let mut string = vec![next];
                        push_string(&mut string, text.as_bytes());
                        push_inst(&mut strings, op::STRING, &string);
                        next += 1;
                        next - 1
                    }
                    Arg::Function => FUNCTION,
                    Arg::Variable => VARIABLE,
                    Arg::Kernel => kernel.unwrap_or(0xffff),
                    Arg::Info => info.unwrap_or(0xffff),
                    Arg::Id(id) => *id,
                };
                operands.push(id);
            }
            operands[1] = next;
            match number {
                1 => kernel = kernel.or(Some(next)),
                2 => info = info.or(Some(next)),
                _ => {}
            }
            next += 1;
            push_inst(&mut tail, op::EXT_INST, &operands);
        }
        let (major, minor) = self.version;
        let mut out = vec![MAGIC, u32::from_be_bytes([0, major, minor, 0]), 0, next, 0];
        push_inst(&mut out, op::CAPABILITY, &[1]);
        if self.extension {
            push_text(&mut out, op::EXTENSION, &[], "SPV_KHR_non_semantic_info");
        }
        if let Some(import) = &self.import {
            push_text(&mut out, op::EXT_INST_IMPORT, &[SET], import);
        }
        push_inst(&mut out, op::MEMORY_MODEL, &[0, 1]);
        push_text(&mut out, op::ENTRY_POINT, &[5, FUNCTION], "k");
        push_inst(&mut out, op::EXECUTION_MODE, &[FUNCTION, 17, 1, 1, 1]);
        out.extend(strings);
        push_inst(&mut out, op::TYPE_VOID, &[VOID]);
        push_inst(&mut out, op::TYPE_INT, &[U32, 32, 0]);
        push_inst(&mut out, 33, &[FN_TYPE, VOID]);
        push_inst(&mut out, op::CONSTANT, &[U32, FOUR, 4]);
        push_inst(&mut out, op::TYPE_ARRAY, &[ARRAY, U32, FOUR]);
        push_inst(&mut out, op::TYPE_POINTER, &[POINTER, 4, ARRAY]);
        push_inst(&mut out, op::VARIABLE, &[POINTER, VARIABLE, 4]);
        out.extend(constants);
        push_inst(&mut out, op::FUNCTION, &[VOID, FUNCTION, 0, FN_TYPE]);
        push_inst(&mut out, 248, &[LABEL]);
        push_inst(&mut out, 253, &[]);
        push_inst(&mut out, op::FUNCTION_END, &[]);
        out.extend(tail);
        out
    }
}

/// The skeleton without reflection.
pub fn plain_module() -> Vec<u32> {
    let mut module = Module::new(5);
    module.import = None;
    module.extension = false;
    module.words()
}

fn push_text(out: &mut Vec<u32>, opcode: u16, before: &[u32], text: &str) {
    let mut operands = before.to_vec();
    push_string(&mut operands, text.as_bytes());
    push_inst(out, opcode, &operands);
}
