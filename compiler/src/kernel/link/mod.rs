//! clLinkProgram: merges Kernel modules into one.
//!
//! Takes modules of any origin; gives one module in which each imported symbol has found its
//! export, equal types and constants exist once, and capabilities are united. Errors name
//! the symbol. Never drops a kernel, and never looks inside a function body.

mod symbols;
mod write;

use pumice_spirv as spirv;
use rspirv::spirv::{AddressingModel, Decoration, ExecutionMode, LinkageType, MemoryModel, Op};
use rustc_hash::{FxHashMap, FxHashSet};

use super::KernelModule;
use super::compat::CallCast;
use super::merge::{
    IdMap, Inst, Renamer, Sections, opcode, recount, result_positions, split, text_at,
};
use crate::Outcome;
use crate::options::LinkOptions;
use pumice_budget::{self as budget, WORD_BYTES};

/// Merges `modules` (OpenCL 3.0 API §5.8.5). With `create_library`, symbols may stay open.
pub fn link(modules: &[&KernelModule], options: &LinkOptions) -> Outcome<KernelModule> {
    budget::begin();
    let words: usize = modules.iter().map(|module| module.words.len()).sum();
    if let Err(why) = budget::charge(words as u64 * WORD_BYTES) {
        return Outcome {
            output: None,
            log: format!("error: {why}\n"),
        };
    }
    if let [only] = modules {
        if !only.is_library && !options.create_library && !has_imports(&only.words) {
            return Outcome {
                output: Some((*only).clone()),
                log: String::new(),
            };
        }
    }
    match Linker::run(modules, options) {
        Ok(words) => Outcome {
            output: Some(KernelModule {
                words,
                is_library: options.create_library,
            }),
            log: String::new(),
        },
        Err(errors) => Outcome {
            output: None,
            log: errors.iter().map(|e| format!("error: {e}\n")).collect(),
        },
    }
}

/// Returns whether a module decorates anything as imported.
fn has_imports(words: &[u32]) -> bool {
    spirv::instructions(words).flatten().any(|inst| {
        inst.opcode == spirv::op::DECORATE
            && inst.operands.get(1) == Some(&(Decoration::LinkageAttributes as u32))
            && inst.operands.last() == Some(&(LinkageType::Import as u32))
    })
}

struct Linker {
    modules: Vec<Sections>,
    map: IdMap,
    renamer: Renamer,
    /// Functions and variables that leave the module (imports, repeated link-once ones).
    dropped: FxHashSet<u32>,
    /// Imported functions whose declaration spells the definition's type differently.
    casts: FxHashMap<u32, CallCast>,
    /// One above the highest id.
    bound: u32,
    errors: Vec<String>,
}

/// The operands of OpMemoryModel by SPIR-V's names.
fn models(operands: Option<(u32, u32)>) -> String {
    let Some((addressing, memory)) = operands else {
        return "none".to_string();
    };
    let addressing = AddressingModel::from_u32(addressing).map(|model| format!("{model:?}"));
    let memory = MemoryModel::from_u32(memory).map(|model| format!("{model:?}"));
    let named = |name: Option<String>| name.unwrap_or_else(|| "an unknown one".to_string());
    format!("{} and {}", named(addressing), named(memory))
}

impl Linker {
    fn run(inputs: &[&KernelModule], options: &LinkOptions) -> Result<Vec<u32>, Vec<String>> {
        if inputs.is_empty() {
            return Err(vec!["no program to link".to_string()]);
        }
        let mut modules = Vec::with_capacity(inputs.len());
        let mut base = 0;
        for input in inputs {
            let sections = split(&input.words, base).map_err(|e| vec![e])?;
            base = sections.bound - 1;
            modules.push(sections);
        }
        let renamer = Renamer::new(&modules);
        let mut linker = Linker {
            modules,
            map: IdMap::default(),
            renamer,
            dropped: FxHashSet::default(),
            casts: FxHashMap::default(),
            bound: base + 1,
            errors: Vec::new(),
        };
        linker.check_models();
        linker.check_kernels();
        linker.forbid_contraction();
        linker.unify_sets();
        linker.unify_globals();
        let open = linker.resolve();
        if !options.create_library {
            linker.check_open(&open);
        }
        if linker.errors.is_empty() {
            Ok(linker.write())
        } else {
            Err(linker.errors)
        }
    }

    fn check_models(&mut self) {
        let first = self.modules[0].memory_model;
        if let Some(other) = self.modules.iter().position(|m| m.memory_model != first) {
            self.errors.push(format!(
                "the programs differ in addressing or memory model: the first has {}, number {} has {}",
                models(first),
                other + 1,
                models(self.modules[other].memory_model)
            ));
        }
    }

    /// Kernels need names of their own. Nobody calls initializers and finalizers by theirs, which
    /// clang makes of a file's name: those that are taken are changed.
    fn check_kernels(&mut self) {
        let modes = self.modules.iter().flat_map(|m| &m.execution_modes);
        let run_by_the_program: FxHashSet<u32> = modes
            .filter(|inst| {
                let mode = inst.get(2).and_then(|&mode| ExecutionMode::from_u32(mode));
                opcode(inst) == Op::ExecutionMode as u32
                    && matches!(
                        mode,
                        Some(ExecutionMode::Initializer | ExecutionMode::Finalizer)
                    )
            })
            .map(|inst| inst[1])
            .collect();
        let mut taken = FxHashSet::default();
        let entry_points = self.modules.iter().flat_map(|m| &m.entry_points);
        for inst in entry_points.filter(|inst| !run_by_the_program.contains(&inst[2])) {
            let (name, _) = text_at(inst, 3);
            if !taken.insert(name.clone()) {
                self.errors
                    .push(format!("kernel '{name}' is defined more than once"));
            }
        }
        let entry_points = self.modules.iter_mut().flat_map(|m| &mut m.entry_points);
        for inst in entry_points.filter(|inst| run_by_the_program.contains(&inst[2])) {
            let (name, end) = text_at(inst, 3);
            if taken.insert(name.clone()) {
                continue;
            }
            let mut others = (1..).map(|n: u32| format!("{name}.{n}"));
            if let Some(free) = others.find(|other| !taken.contains(other)) {
                inst.splice(3..end, spirv::string_words(&free));
                recount(inst);
                taken.insert(free);
            }
        }
    }

    /// Only kernels can say ContractionOff. Those that are linked with a module without kernels say
    /// it for the functions of that module, which may count on it.
    fn forbid_contraction(&mut self) {
        if self.modules.iter().all(|m| !m.entry_points.is_empty()) {
            return;
        }
        let off = ExecutionMode::ContractionOff as u32;
        for module in &mut self.modules {
            let modes = &mut module.execution_modes;
            let says_it = modes.iter().filter(|mode| mode.get(2) == Some(&off));
            let mut said: FxHashSet<u32> = says_it.map(|mode| mode[1]).collect();
            for function in module.entry_points.iter().map(|entry| entry[2]) {
                if said.insert(function) {
                    let operands = [function, off];
                    modes.push(spirv::inst_words(Op::ExecutionMode as u16, &operands));
                }
            }
        }
    }

    fn unify_sets(&mut self) {
        let mut by_name: FxHashMap<&str, u32> = FxHashMap::default();
        for (id, name) in self.modules.iter().flat_map(|m| &m.imports) {
            let kept = *by_name.entry(name).or_insert(*id);
            self.map.replace(*id, kept);
        }
    }

    /// Makes equal types and constants one. Structs are equal when members and decorations are.
    fn unify_globals(&mut self) {
        let mut decorations: FxHashMap<u32, Vec<Vec<u32>>> = FxHashMap::default();
        for inst in self.modules.iter().flat_map(|m| &m.decorations) {
            match Op::from_u32(opcode(inst)) {
                Some(Op::GroupDecorate | Op::GroupMemberDecorate) => {
                    let step = if opcode(inst) == Op::GroupDecorate as u32 {
                        1
                    } else {
                        2
                    };
                    for target in inst[2..].iter().step_by(step) {
                        // A group's contents are not compared: the group's id keeps it apart.
                        decorations
                            .entry(*target)
                            .or_default()
                            .push(vec![inst[0], inst[1]]);
                    }
                }
                Some(Op::DecorationGroup) => {}
                _ => {
                    let mut rest = inst.clone();
                    rest.remove(1);
                    decorations.entry(inst[1]).or_default().push(rest);
                }
            }
        }
        for list in decorations.values_mut() {
            list.sort();
        }
        let mut known: FxHashMap<(Inst, Vec<Vec<u32>>), u32> = FxHashMap::default();
        for m in 0..self.modules.len() {
            for g in 0..self.modules[m].globals.len() {
                let mut inst = std::mem::take(&mut self.modules[m].globals[g]);
                let (_, result_at) = result_positions(&inst);
                let own = result_at.map(|at| inst[at]);
                self.renamer.rename(&mut inst, &self.map);
                if let (Some(at), Some(id)) = (result_at, own) {
                    if is_unifiable(&inst) {
                        let mut key = inst.clone();
                        key[at] = 0;
                        let key = (key, decorations.get(&id).cloned().unwrap_or_default());
                        let kept = *known.entry(key).or_insert(id);
                        self.map.replace(id, kept);
                    }
                }
                self.modules[m].globals[g] = inst;
            }
        }
    }
}

/// Returns whether two of these instructions with equal operands define the same thing.
fn is_unifiable(inst: &[u32]) -> bool {
    matches!(
        Op::from_u32(opcode(inst)),
        Some(
            Op::TypeVoid
                | Op::TypeBool
                | Op::TypeInt
                | Op::TypeFloat
                | Op::TypeVector
                | Op::TypeArray
                | Op::TypeStruct
                | Op::TypeOpaque
                | Op::TypePointer
                | Op::TypeFunction
                | Op::TypeEvent
                | Op::TypeDeviceEvent
                | Op::TypeReserveId
                | Op::TypeQueue
                | Op::TypePipe
                | Op::TypePipeStorage
                | Op::TypeImage
                | Op::TypeSampler
                | Op::TypeSampledImage
                | Op::ConstantTrue
                | Op::ConstantFalse
                | Op::Constant
                | Op::ConstantComposite
                | Op::ConstantCompositeReplicateEXT
                | Op::ConstantNull
                | Op::ConstantSampler
        )
    )
}
