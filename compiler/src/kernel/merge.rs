//! A module taken apart for linking: sections, instructions as word vectors, renumbered ids.
//!
//! Takes one module's words and a base for its ids; gives [`Sections`] in which every id is
//! `base + original`. Debug-information and non-semantic extended instructions are left out:
//! they describe one source, and linking keeps only what executes (and OpLine).

use pumice_spirv as spirv;
use rspirv::spirv::Op;
use rustc_hash::{FxHashMap, FxHashSet};

use super::operands::{Context, id_positions};

/// One instruction: opcode word and operands.
pub type Inst = Vec<u32>;

/// The opcode of an instruction.
pub fn opcode(inst: &[u32]) -> u32 {
    inst[0] & 0xffff
}

/// A function: all instructions from OpFunction to OpFunctionEnd.
#[derive(Clone, Debug)]
pub struct Function {
    /// Result id of OpFunction.
    pub id: u32,
    /// The instructions.
    pub insts: Vec<Inst>,
    /// True if the function has a block.
    pub has_body: bool,
}

/// A module by sections (SPIR-V 2.4), ids renumbered.
#[derive(Clone, Debug, Default)]
pub struct Sections {
    /// The version word.
    pub version: u32,
    /// One above the highest id, renumbered.
    pub bound: u32,
    /// OpCapability operands.
    pub capabilities: Vec<u32>,
    /// OpExtension instructions.
    pub extensions: Vec<Inst>,
    /// OpExtInstImport: id and name.
    pub imports: Vec<(u32, String)>,
    /// Addressing and memory model.
    pub memory_model: Option<(u32, u32)>,
    /// OpEntryPoint.
    pub entry_points: Vec<Inst>,
    /// OpExecutionMode and OpExecutionModeId.
    pub execution_modes: Vec<Inst>,
    /// OpString, OpSource and its relatives.
    pub strings: Vec<Inst>,
    /// OpName, OpMemberName, OpModuleProcessed.
    pub names: Vec<Inst>,
    /// Decorations and decoration groups.
    pub decorations: Vec<Inst>,
    /// Types, constants, variables, OpUndef outside functions.
    pub globals: Vec<Inst>,
    /// Functions.
    pub functions: Vec<Function>,
}

/// Beginnings of the names of extended instruction sets that describe one source.
const DROPPED_SETS: [&str; 4] = [
    "NonSemantic.",
    "OpenCL.DebugInfo",
    "DebugInfo",
    "SPIRV.debug",
];

impl Sections {
    /// Puts an instruction outside of functions into its section.
    fn add(&mut self, op: Op, inst: Inst) {
        match op {
            Op::Capability => self.capabilities.push(inst[1]),
            Op::Extension => self.extensions.push(inst),
            Op::ExtInstImport => self.imports.push((inst[1], text_at(&inst, 2).0)),
            Op::MemoryModel => self.memory_model = Some((inst[1], inst[2])),
            Op::EntryPoint => self.entry_points.push(inst),
            Op::ExecutionMode | Op::ExecutionModeId => self.execution_modes.push(inst),
            Op::String | Op::Source | Op::SourceExtension | Op::SourceContinued => {
                self.strings.push(inst);
            }
            Op::Name | Op::MemberName | Op::ModuleProcessed => self.names.push(inst),
            Op::Decorate
            | Op::MemberDecorate
            | Op::DecorateId
            | Op::DecorateString
            | Op::MemberDecorateString
            | Op::DecorationGroup
            | Op::GroupDecorate
            | Op::GroupMemberDecorate => self.decorations.push(inst),
            Op::Line | Op::NoLine | Op::Nop => {}
            _ => self.globals.push(inst),
        }
    }
}

/// Facts about the module read so far that operand decoding needs.
#[derive(Default)]
struct Reader {
    opencl_std: FxHashSet<u32>,
    /// Extended instruction sets whose instructions are dropped.
    dropped_sets: FxHashSet<u32>,
    /// Integer types of 64 bits.
    wide_types: FxHashSet<u32>,
    /// Result type of each id that has a wide type.
    wide_values: FxHashSet<u32>,
}

impl Reader {
    /// Notes what later operands depend on.
    fn note(&mut self, op: Op, raw: &[u32]) {
        match op {
            Op::TypeInt if raw[2] == 64 => {
                self.wide_types.insert(raw[1]);
            }
            Op::ExtInstImport => {
                let (name, _) = text_at(raw, 2);
                let dropped = DROPPED_SETS.iter().any(|set| name.starts_with(set));
                if name == "OpenCL.std" {
                    self.opencl_std.insert(raw[1]);
                } else if dropped {
                    self.dropped_sets.insert(raw[1]);
                }
            }
            _ => {}
        }
        if let (Some(ty), Some(result)) = result_positions(raw) {
            if self.wide_types.contains(&raw[ty]) {
                self.wide_values.insert(raw[result]);
            }
        }
    }

    /// Returns whether linking leaves an instruction out with its extended instruction set.
    fn drops(&self, op: Op, raw: &[u32]) -> bool {
        match op {
            Op::ExtInstImport => self.dropped_sets.contains(&raw[1]),
            Op::ExtInst => self.dropped_sets.contains(&raw[3]),
            _ => false,
        }
    }
}

impl Context for Reader {
    fn literal_words(&self, selector: u32) -> usize {
        if self.wide_values.contains(&selector) {
            2
        } else {
            1
        }
    }

    fn is_opencl_std(&self, set: u32) -> bool {
        self.opencl_std.contains(&set)
    }
}

/// Positions of result type and result id in an instruction, as the grammar has them.
pub fn result_positions(inst: &[u32]) -> (Option<usize>, Option<usize>) {
    spirv::entry(inst[0] as u16).map_or((None, None), spirv::Entry::result_positions)
}

/// The literal string from a word of an instruction on, and the index behind it. [`split`] refuses
/// those that do not end.
pub fn text_at(inst: &[u32], at: usize) -> (String, usize) {
    let (text, words) = spirv::text(&inst[at..]).unwrap_or_default();
    (text, at + words)
}

/// An instruction of these operands.
pub fn inst(op: Op, operands: &[u32]) -> Inst {
    spirv::inst_words(op as u16, operands)
}

/// Brings an instruction's word count up to date with its length.
pub fn recount(inst: &mut Inst) {
    inst[0] = spirv::first_word(inst[0] as u16, inst.len());
}

/// Takes a module apart; its ids become `base + id`.
///
/// # Errors
/// The place and the fault of a malformed module.
pub fn split(words: &[u32], base: u32) -> Result<Sections, String> {
    if words.len() < spirv::HEADER_WORDS || words[0] != spirv::MAGIC {
        return Err("not a SPIR-V module".to_string());
    }
    let bound = words[3];
    let mut out = Sections {
        version: words[1],
        bound: base
            .checked_add(bound)
            .filter(|b| *b < 1 << 30)
            .ok_or("the id bound is too large")?,
        ..Sections::default()
    };
    let mut reader = Reader::default();
    let mut ids = Vec::new();
    let mut function: Option<Function> = None;
    for item in spirv::instructions(words) {
        let item = item.map_err(|error| format!("malformed SPIR-V: {error}"))?;
        let (offset, op, raw) = (item.at, item.opcode, item.words);
        let malformed = |reason: &str| format!("malformed SPIR-V at word {offset}: {reason}");
        id_positions(raw, &reader, &mut ids).map_err(malformed)?;
        let mut inst = raw.to_vec();
        for at in &ids {
            if inst[*at] == 0 || inst[*at] >= bound {
                return Err(malformed("an id out of bounds"));
            }
            inst[*at] += base;
        }
        let Some(op) = Op::from_u32(u32::from(op)) else {
            return Err(malformed("an unknown opcode"));
        };
        reader.note(op, raw);
        if reader.drops(op, raw) {
            continue;
        }
        if let Some(body) = &mut function {
            if op == Op::Function {
                return Err(malformed("OpFunction inside a function"));
            }
            body.has_body |= op == Op::Label;
            body.insts.push(inst);
            if op == Op::FunctionEnd {
                out.functions.extend(function.take());
            }
        } else if op == Op::Function {
            function = Some(Function {
                id: inst[2],
                insts: vec![inst],
                has_body: false,
            });
        } else {
            out.add(op, inst);
        }
    }
    if function.is_some() {
        return Err("malformed SPIR-V: a function without OpFunctionEnd".to_string());
    }
    if out.memory_model.is_none() {
        return Err("malformed SPIR-V: no OpMemoryModel".to_string());
    }
    Ok(out)
}

/// Id replacement with chains (a duplicate type, an import that has found its export).
#[derive(Default)]
pub struct IdMap(FxHashMap<u32, u32>);

impl IdMap {
    /// From now on `from` reads as `to`.
    pub fn replace(&mut self, from: u32, to: u32) {
        if from != to {
            self.0.insert(from, to);
        }
    }

    /// Returns the id that replaces `id`, or `id` itself.
    pub fn find(&self, mut id: u32) -> u32 {
        while let Some(next) = self.0.get(&id) {
            id = *next;
        }
        id
    }

    /// Returns whether `id` was replaced.
    pub fn is_replaced(&self, id: u32) -> bool {
        self.0.contains_key(&id)
    }
}

/// Applies an [`IdMap`] to instructions of the merged module.
pub struct Renamer {
    opencl_std: FxHashSet<u32>,
    wide_values: FxHashSet<u32>,
    positions: Vec<usize>,
}

struct RenameContext<'a>(&'a FxHashSet<u32>, &'a FxHashSet<u32>);

impl Context for RenameContext<'_> {
    fn literal_words(&self, selector: u32) -> usize {
        if self.1.contains(&selector) { 2 } else { 1 }
    }

    fn is_opencl_std(&self, set: u32) -> bool {
        self.0.contains(&set)
    }
}

impl Renamer {
    /// Learns what operand decoding needs from all modules.
    pub fn new(modules: &[Sections]) -> Self {
        let mut opencl_std = FxHashSet::default();
        let mut wide_types = FxHashSet::default();
        let mut wide_values = FxHashSet::default();
        for module in modules {
            for (id, name) in &module.imports {
                if name == "OpenCL.std" {
                    opencl_std.insert(*id);
                }
            }
            let bodies = module.functions.iter().flat_map(|f| f.insts.iter());
            for inst in module.globals.iter().chain(bodies) {
                if opcode(inst) == Op::TypeInt as u32 && inst[2] == 64 {
                    wide_types.insert(inst[1]);
                }
                if let (Some(t), Some(r)) = result_positions(inst) {
                    if wide_types.contains(&inst[t]) {
                        wide_values.insert(inst[r]);
                    }
                }
            }
        }
        Self {
            opencl_std,
            wide_values,
            positions: Vec::new(),
        }
    }

    /// Positions of the ids of `inst`, whose ids are not replaced yet.
    pub fn ids(&mut self, inst: &[u32]) -> &[usize] {
        let context = RenameContext(&self.opencl_std, &self.wide_values);
        // The same words were decoded by `split`.
        id_positions(inst, &context, &mut self.positions).expect("decoded before");
        &self.positions
    }

    /// Replaces every id in `inst` by what it stands for.
    pub fn rename(&mut self, inst: &mut [u32], map: &IdMap) {
        let context = RenameContext(&self.opencl_std, &self.wide_values);
        id_positions(inst, &context, &mut self.positions).expect("decoded before");
        for at in &self.positions {
            inst[*at] = map.find(inst[*at]);
        }
    }
}
