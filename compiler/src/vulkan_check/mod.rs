//! Checks Vulkan SPIR-V that came from outside, before a driver reads it.
//!
//! Drivers trust their modules: an id that is not defined, or is defined as something else, is an
//! access out of bounds in them. So what holds a module together is checked here: the grammar, ids
//! and what they name, functions and blocks, and the types of memory accesses and arithmetic.
//!
//! This is no validator: rules that need the whole of a function's control flow, of an environment
//! or of an extension are not checked, and what a kernel does with its memory is its own matter.

mod decorations;
mod types;

use std::collections::HashMap;

use pumice_spirv as spirv;
use rspirv::spirv::Op;

use self::types::Types;

use crate::kernel::operands::{self, id_positions};

/// Kind of thing that an id names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Type,
    Constant,
    /// A variable outside functions.
    Variable,
    Function,
    Label,
    Text,
    InstructionSet,
    /// A decoration group, or what non-semantic instructions say.
    Note,
    /// The result of an instruction in a function, its parameters and variables; undefined values.
    Value,
}

/// Position and kind of an id's definition.
#[derive(Clone, Copy, Debug)]
pub(super) struct Definition {
    pub kind: Kind,
    /// The id of the result's type; 0 where it has none.
    pub ty: u32,
    /// The number of the instruction.
    at: usize,
    /// The function that it is in; 0 outside.
    function: u32,
}

/// One instruction, with the positions of its ids.
pub(super) struct Inst<'a> {
    pub op: Op,
    pub words: &'a [u32],
    ids: Vec<usize>,
    has_type: bool,
    result: u32,
    number: usize,
    /// The function that it is in, its own id for OpFunction; 0 outside.
    pub function: u32,
}

impl Inst<'_> {
    /// A message that names the instruction.
    pub fn error(&self, why: &str) -> String {
        format!("Op{:?}, instruction {}: {why}", self.op, self.number)
    }

    /// The ids but those of result and result type.
    fn operands(&self) -> impl Iterator<Item = u32> + '_ {
        let skipped = usize::from(self.has_type) + usize::from(self.result != 0);
        self.ids.iter().skip(skipped).map(|&at| self.words[at])
    }
}

/// Widths of a module's switch selectors, for the grammar.
struct Selectors(HashMap<u32, usize>);

impl operands::Context for Selectors {
    fn literal_words(&self, selector: u32) -> usize {
        self.0.get(&selector).copied().unwrap_or(1)
    }

    fn is_opencl_std(&self, _: u32) -> bool {
        false
    }
}

/// Checks a module.
///
/// # Errors
/// The first thing that does not hold, and the instruction.
pub fn check(words: &[u32]) -> Result<(), String> {
    let &[_, _, _, bound, _, ..] = words else {
        return Err("no SPIR-V header".into());
    };
    // Drivers make tables of that length.
    if bound > spirv::MAX_BOUND {
        return Err(format!(
            "the id bound {bound} is above the limit of {}",
            spirv::MAX_BOUND
        ));
    }
    let insts = read(words, bound)?;
    let definitions = define(&insts)?;
    decorations::check(&insts, &definitions)?;
    let types = Types::of(&insts);
    let mut calls: HashMap<u32, Vec<u32>> = HashMap::new();
    for inst in &insts {
        let check = Check {
            inst,
            definitions: &definitions,
            types: &types,
        };
        check
            .ids()
            .and_then(|()| check.kinds())
            .map_err(|why| inst.error(&why))?;
        types
            .check(inst, &definitions)
            .map_err(|why| inst.error(&why))?;
        if inst.op == Op::FunctionCall {
            calls.entry(inst.function).or_default().push(inst.words[3]);
        }
    }
    if has_cycle(&calls) {
        return Err("a function calls itself".into());
    }
    Ok(())
}

/// Reads all instructions by the grammar and the order of functions and blocks.
fn read(words: &[u32], bound: u32) -> Result<Vec<Inst<'_>>, String> {
    let mut selectors = Selectors(HashMap::new());
    let mut wide_types = HashMap::new();
    let mut insts = Vec::new();
    let mut position = Position::default();
    for (number, inst) in spirv::instructions(words).enumerate() {
        let spirv::Inst { opcode, words, .. } = inst.map_err(|error| error.to_string())?;
        let entry = spirv::entry(opcode)
            .ok_or_else(|| format!("instruction {number}: unknown opcode {opcode}"))?;
        let mut inst = Inst {
            op: entry.grammar.opcode,
            words,
            ids: Vec::new(),
            has_type: entry.has_type,
            result: 0,
            number,
            function: 0,
        };
        id_positions(words, &selectors, &mut inst.ids).map_err(|why| inst.error(why))?;
        if words.len() > entry.max_words {
            return Err(inst.error("too many operands"));
        }
        for &position in &inst.ids {
            match words.get(position) {
                Some(&id) if id != 0 && id < bound => {}
                _ => return Err(inst.error("an id out of bounds")),
            }
        }
        if let (_, Some(at)) = entry.result_positions() {
            inst.result = words[at];
        }
        position.step(&inst).map_err(|why| inst.error(why))?;
        inst.function = position.function;
        if inst.op == Op::FunctionEnd {
            position.function = 0;
        }
        // The selector's type determines the width of a switch's literals.
        if inst.op == Op::TypeInt && words[2] > 32 {
            wide_types.insert(inst.result, ());
        }
        if inst.has_type && wide_types.contains_key(&words[1]) {
            selectors.0.insert(inst.result, 2);
        }
        insts.push(inst);
    }
    match position.function {
        0 => Ok(insts),
        _ => Err("the last function has no end".into()),
    }
}

/// Position of an instruction among functions and blocks.
#[derive(Default)]
struct Position {
    function: u32,
    in_block: bool,
}

impl Position {
    fn step(&mut self, inst: &Inst<'_>) -> Result<(), &'static str> {
        let note = matches!(inst.op, Op::Line | Op::NoLine | Op::ExtInst | Op::Undef);
        match (inst.op, self.function, self.in_block) {
            (Op::Function, 0, _) => self.function = inst.result,
            (Op::Function, ..) => return Err("a function within another"),
            (Op::FunctionParameter | Op::Label | Op::FunctionEnd, 0, _) => {
                return Err("outside functions");
            }
            (Op::FunctionParameter | Op::Label | Op::FunctionEnd, _, true) => {
                return Err("the block before it has no end");
            }
            (Op::Label, ..) => self.in_block = true,
            (Op::FunctionParameter | Op::FunctionEnd, ..) => {}
            (_, function, false) if function != 0 && !note => return Err("outside blocks"),
            (op, 0, _) if is_block_end(op) => return Err("outside functions"),
            (op, ..) if is_block_end(op) => self.in_block = false,
            _ => {}
        }
        Ok(())
    }
}

fn is_block_end(op: Op) -> bool {
    use Op::{
        Branch, BranchConditional, Kill, Return, ReturnValue, Switch, TerminateInvocation,
        Unreachable,
    };
    matches!(
        op,
        Branch
            | BranchConditional
            | Switch
            | Kill
            | Return
            | ReturnValue
            | Unreachable
            | TerminateInvocation
    )
}

fn define(insts: &[Inst<'_>]) -> Result<HashMap<u32, Definition>, String> {
    let mut definitions = HashMap::new();
    for inst in insts.iter().filter(|inst| inst.result != 0) {
        let name = spirv::op_name(inst.op as u16).unwrap_or("");
        let kind = match inst.op {
            Op::Function => Kind::Function,
            Op::Label => Kind::Label,
            Op::String => Kind::Text,
            Op::ExtInstImport => Kind::InstructionSet,
            Op::DecorationGroup => Kind::Note,
            Op::ExtInst if inst.function == 0 => Kind::Note,
            Op::Variable if inst.function == 0 => Kind::Variable,
            _ if name.starts_with("Type") => Kind::Type,
            _ if name.starts_with("Constant") || name.starts_with("SpecConstant") => Kind::Constant,
            _ => Kind::Value,
        };
        let definition = Definition {
            kind,
            ty: if inst.has_type { inst.words[1] } else { 0 },
            at: inst.number,
            function: if inst.op == Op::Function {
                0
            } else {
                inst.function
            },
        };
        if definitions.insert(inst.result, definition).is_some() {
            return Err(inst.error(&format!("id {} is defined twice", inst.result)));
        }
    }
    Ok(definitions)
}

struct Check<'a> {
    inst: &'a Inst<'a>,
    definitions: &'a HashMap<u32, Definition>,
    types: &'a Types<'a>,
}

impl Check<'_> {
    /// Every id is defined, and the type of a result before it.
    fn ids(&self) -> Result<(), String> {
        for &position in &self.inst.ids {
            let id = self.inst.words[position];
            if !self.definitions.contains_key(&id) {
                return Err(format!("id {id} is not defined"));
            }
        }
        if self.inst.has_type {
            self.earlier(self.inst.words[1], &[Kind::Type])?;
        }
        Ok(())
    }

    fn kind(&self, id: u32, kinds: &[Kind]) -> Result<Definition, String> {
        match self.definitions.get(&id) {
            Some(definition) if kinds.contains(&definition.kind) => Ok(*definition),
            Some(definition) => Err(format!(
                "id {id} is a {:?}, not a {kinds:?}",
                definition.kind
            )),
            None => Err(format!("id {id} is not defined")),
        }
    }

    /// The same, defined before the instruction.
    fn earlier(&self, id: u32, kinds: &[Kind]) -> Result<Definition, String> {
        let definition = self.kind(id, kinds)?;
        match definition.at < self.inst.number {
            true => Ok(definition),
            false => Err(format!("id {id} is defined behind its use")),
        }
    }

    fn label(&self, id: u32) -> Result<(), String> {
        let definition = self.kind(id, &[Kind::Label])?;
        match definition.function == self.inst.function {
            true => Ok(()),
            false => Err(format!("label {id} is in another function")),
        }
    }

    /// Something that an instruction can compute with; `forward` where a loop may carry it round.
    fn value(&self, id: u32, forward: bool) -> Result<(), String> {
        let kinds = [Kind::Constant, Kind::Variable, Kind::Value];
        let definition = match forward {
            true => self.kind(id, &kinds)?,
            false => self.earlier(id, &kinds)?,
        };
        match definition.function == 0 || definition.function == self.inst.function {
            true => Ok(()),
            false => Err(format!("id {id} is a value of another function")),
        }
    }

    /// Checks that the operands' kinds suit the instruction.
    fn kinds(&self) -> Result<(), String> {
        let inst = self.inst;
        let operands: Vec<u32> = inst.operands().collect();
        let name = spirv::op_name(inst.op as u16).unwrap_or("");
        match inst.op {
            Op::EntryPoint => {
                let (function, interface) = operands.split_first().ok_or("no function")?;
                self.kind(*function, &[Kind::Function])?;
                interface
                    .iter()
                    .try_for_each(|id| self.kind(*id, &[Kind::Variable]).map(drop))
            }
            Op::ExecutionMode | Op::ExecutionModeId => {
                self.kind(inst.words[1], &[Kind::Function]).map(drop)
            }
            Op::TypeForwardPointer => self.kind(inst.words[1], &[Kind::Type]).map(drop),
            Op::TypeArray => {
                self.earlier(operands[0], &[Kind::Type])?;
                self.earlier(operands[1], &[Kind::Constant]).map(drop)
            }
            Op::TypeCooperativeMatrixKHR => {
                self.earlier(operands[0], &[Kind::Type])?;
                let numbers = operands[1..].iter();
                numbers
                    .copied()
                    .try_for_each(|id| self.earlier(id, &[Kind::Constant]).map(drop))
            }
            // Pointers and what holds them may name one another.
            Op::TypePointer | Op::TypeStruct => operands
                .iter()
                .try_for_each(|id| self.kind(*id, &[Kind::Type]).map(drop)),
            _ if name.starts_with("Type") => operands
                .iter()
                .try_for_each(|id| self.earlier(*id, &[Kind::Type]).map(drop)),
            Op::Function => {
                self.earlier(operands[0], &[Kind::Type])?;
                self.types.is_function(operands[0], inst.words[1])
            }
            Op::FunctionCall => {
                self.kind(operands[0], &[Kind::Function])?;
                operands[1..]
                    .iter()
                    .try_for_each(|id| self.value(*id, false))
            }
            Op::CooperativeMatrixLengthKHR => self.earlier(operands[0], &[Kind::Type]).map(drop),
            Op::ExtInst => {
                self.earlier(operands[0], &[Kind::InstructionSet])?;
                match inst.function {
                    0 => Ok(()),
                    _ => operands[1..].iter().try_for_each(|id| {
                        self.value(*id, false).or_else(|_| {
                            self.kind(*id, &[Kind::Text, Kind::Note, Kind::Type])
                                .map(drop)
                        })
                    }),
                }
            }
            Op::Branch | Op::SelectionMerge | Op::LoopMerge => {
                operands.iter().try_for_each(|id| self.label(*id))
            }
            Op::BranchConditional | Op::Switch => {
                let (selector, labels) = operands.split_first().ok_or("no selector")?;
                self.value(*selector, false)?;
                labels.iter().try_for_each(|id| self.label(*id))
            }
            Op::Phi => operands.chunks(2).try_for_each(|pair| match *pair {
                [value, parent] => self.value(value, true).and_then(|()| self.label(parent)),
                _ => Err("a value without a block".into()),
            }),
            _ if inst.function == 0 && inst.result == 0 => Ok(()),
            Op::DecorationGroup | Op::Line | Op::NoLine => Ok(()),
            _ => operands.iter().try_for_each(|id| self.value(*id, false)),
        }
    }
}

/// Returns whether any function calls itself, directly or through others.
fn has_cycle(calls: &HashMap<u32, Vec<u32>>) -> bool {
    // Functions whose callees are all known to end are taken away until none is left, or only those
    // that wait for one another.
    let mut left = calls.clone();
    loop {
        let ends: Vec<u32> = left
            .iter()
            .filter(|(_, callees)| callees.iter().all(|callee| !left.contains_key(callee)))
            .map(|(function, _)| *function)
            .collect();
        if ends.is_empty() {
            return !left.is_empty();
        }
        for function in ends {
            left.remove(&function);
        }
    }
}
