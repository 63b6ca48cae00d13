//! One function of a module as a module of its own.
//!
//! Takes a Kernel module and the name of an exported function; gives a module with that
//! function, the functions without linkage that it calls, and the types, constants and variables
//! they use. Exported functions that it calls become imports. The built-in library is stored in
//! this form, so that a program decodes only what it uses.

use pumice_spirv as spirv;
use rspirv::spirv::{Decoration, LinkageType, Op};
use rustc_hash::{FxHashMap, FxHashSet};

use super::KernelModule;
use super::merge::{Inst, Renamer, Sections, inst, opcode, result_positions, split, text_at};

/// Names and ids of the exported functions, in the order of their decorations.
fn exports(sections: &Sections) -> Vec<(String, u32)> {
    let functions: FxHashSet<u32> = sections.functions.iter().map(|f| f.id).collect();
    sections
        .decorations
        .iter()
        .filter(|inst| {
            opcode(inst) == Op::Decorate as u32
                && inst[2] == Decoration::LinkageAttributes as u32
                && inst.last() == Some(&(LinkageType::Export as u32))
                && functions.contains(&inst[1])
        })
        .map(|inst| (text_at(inst, 3).0, inst[1]))
        .collect()
}

/// The names of the functions that a module exports.
///
/// # Errors
/// Malformed words.
pub fn exported_functions(module: &KernelModule) -> Result<Vec<String>, String> {
    let sections = split(&module.words, 0)?;
    Ok(exports(&sections)
        .into_iter()
        .map(|(name, _)| name)
        .collect())
}

/// Extracts the exported function `name`.
///
/// # Errors
/// Malformed words, or no such export.
pub fn extract(module: &KernelModule, name: &str) -> Result<KernelModule, String> {
    let sections = split(&module.words, 0)?;
    let exported = exports(&sections);
    let root = exported
        .iter()
        .find(|(export, _)| export == name)
        .map(|(_, id)| *id)
        .ok_or_else(|| format!("no exported function {name}"))?;
    let public: FxHashSet<u32> = exported.iter().map(|(_, id)| *id).collect();
    Ok(Extraction::new(&sections, root, &public).write())
}

struct Extraction<'a> {
    sections: &'a Sections,
    root: u32,
    /// Functions kept with their bodies.
    bodies: FxHashSet<u32>,
    /// Functions kept as declarations.
    declared: FxHashSet<u32>,
    /// Every id that the kept instructions mention.
    used: FxHashSet<u32>,
    renamer: Renamer,
}

impl<'a> Extraction<'a> {
    fn new(sections: &'a Sections, root: u32, public: &FxHashSet<u32>) -> Self {
        let by_id: FxHashMap<u32, usize> = sections
            .functions
            .iter()
            .enumerate()
            .map(|(index, f)| (f.id, index))
            .collect();
        let mut this = Self {
            sections,
            root,
            bodies: FxHashSet::default(),
            declared: FxHashSet::default(),
            used: FxHashSet::default(),
            renamer: Renamer::new(std::slice::from_ref(sections)),
        };
        let mut open = vec![root];
        while let Some(id) = open.pop() {
            let Some(&index) = by_id.get(&id) else {
                continue;
            };
            let function = &sections.functions[index];
            if id != root && (public.contains(&id) || !function.has_body) {
                if this.declared.insert(id) {
                    for inst in declaration(&function.insts) {
                        this.note(inst);
                    }
                }
                continue;
            }
            if !this.bodies.insert(id) {
                continue;
            }
            for inst in &function.insts {
                this.note(inst);
                if opcode(inst) == Op::FunctionCall as u32 {
                    open.push(inst[3]);
                }
            }
        }
        // Definitions precede uses in this section, so one walk backwards closes over it.
        for inst in sections.globals.iter().rev() {
            if this.keeps_global(inst) {
                this.note(inst);
            }
        }
        this
    }

    fn note(&mut self, inst: &Inst) {
        for &at in self.renamer.ids(inst) {
            self.used.insert(inst[at]);
        }
    }

    fn keeps_global(&self, inst: &Inst) -> bool {
        match result_positions(inst).1 {
            Some(at) => self.used.contains(&inst[at]),
            // OpTypeForwardPointer names its type first.
            None => inst.get(1).is_some_and(|id| self.used.contains(id)),
        }
    }

    fn write(mut self) -> KernelModule {
        let sections = self.sections;
        let mut body: Vec<Inst> = Vec::new();
        for &capability in &sections.capabilities {
            body.push(inst(Op::Capability, &[capability]));
        }
        body.extend(sections.extensions.iter().cloned());
        for (id, name) in sections
            .imports
            .iter()
            .filter(|(id, _)| self.used.contains(id))
        {
            let mut operands = vec![*id];
            spirv::push_string(&mut operands, name.as_bytes());
            body.push(inst(Op::ExtInstImport, &operands));
        }
        if let Some((addressing, memory)) = sections.memory_model {
            body.push(inst(Op::MemoryModel, &[addressing, memory]));
        }
        for inst in &sections.names {
            if opcode(inst) != Op::ModuleProcessed as u32 && self.used.contains(&inst[1]) {
                body.push(inst.clone());
            }
        }
        for inst in &sections.decorations {
            if self.used.contains(&inst[1]) {
                body.push(self.decoration(inst));
            }
        }
        body.extend(
            sections
                .globals
                .iter()
                .filter(|inst| self.keeps_global(inst))
                .cloned(),
        );
        for function in sections
            .functions
            .iter()
            .filter(|f| self.declared.contains(&f.id))
        {
            body.extend(declaration(&function.insts).cloned());
        }
        for function in sections
            .functions
            .iter()
            .filter(|f| self.bodies.contains(&f.id))
        {
            body.extend(function.insts.iter().cloned());
        }
        self.number(sections.version, body)
    }

    /// A decoration as it stands in the new module: a function that is now only declared is an
    /// import.
    fn decoration(&self, inst: &Inst) -> Inst {
        let mut inst = inst.clone();
        let linkage =
            opcode(&inst) == Op::Decorate as u32 && inst[2] == Decoration::LinkageAttributes as u32;
        if linkage && inst[1] != self.root {
            if let Some(last) = inst.last_mut() {
                *last = LinkageType::Import as u32;
            }
        }
        inst
    }

    /// Numbers the ids from 1 in order of appearance.
    fn number(&mut self, version: u32, body: Vec<Inst>) -> KernelModule {
        let mut numbers: FxHashMap<u32, u32> = FxHashMap::default();
        let mut words = vec![spirv::MAGIC, version, 0, 0, 0];
        for mut inst in body {
            let positions = self.renamer.ids(&inst).to_vec();
            for at in positions {
                let next = numbers.len() as u32 + 1;
                inst[at] = *numbers.entry(inst[at]).or_insert(next);
            }
            words.extend(inst);
        }
        words[3] = numbers.len() as u32 + 1;
        KernelModule {
            words,
            is_library: true,
        }
    }
}

/// The instructions of a function's declaration.
fn declaration(insts: &[Inst]) -> impl Iterator<Item = &Inst> {
    insts.iter().filter(|inst| {
        [Op::Function, Op::FunctionParameter, Op::FunctionEnd]
            .iter()
            .any(|op| opcode(inst) == *op as u32)
    })
}
