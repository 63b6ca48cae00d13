//! clLinkProgram: merges Kernel modules into one.
//!
//! Takes modules of any origin; gives one module in which each imported symbol has found its
//! export, equal types and constants exist once, and capabilities are united. Errors name
//! the symbol. Never drops a kernel, and never looks inside a function body.

use pumice_spirv as spirv;
use rspirv::spirv::{Decoration, ExecutionMode, LinkageType, Op, StorageClass};
use rustc_hash::{FxHashMap, FxHashSet};

use super::KernelModule;
use super::compat::{CallCast, Types, cast_call};
use super::entry;
use super::merge::{
    IdMap, Inst, Renamer, Sections, inst, opcode, recount, result_positions, split, text_at,
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

/// The version from which an entry point's interface names every variable that it uses.
const ALL_GLOBALS: u32 = 0x1_0400;

/// One decorated symbol.
#[derive(Clone, Debug)]
struct Symbol {
    id: u32,
    name: String,
    linkage: LinkageType,
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
        if self.modules.iter().any(|m| m.memory_model != first) {
            self.errors
                .push("the programs differ in addressing or memory model".to_string());
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

    /// Type id of a symbol: of the function, or of the variable's pointer.
    fn symbol_types(&self) -> FxHashMap<u32, u32> {
        let mut types = FxHashMap::default();
        for module in &self.modules {
            for inst in &module.globals {
                if opcode(inst) == Op::Variable as u32 {
                    types.insert(inst[2], self.map.find(inst[1]));
                }
            }
            for function in &module.functions {
                let inst = &function.insts[0];
                types.insert(function.id, self.map.find(inst[4]));
            }
        }
        types
    }

    /// Pairs imports with exports; gives the imports that stay open.
    fn resolve(&mut self) -> Vec<Symbol> {
        let symbols: Vec<Symbol> = self
            .modules
            .iter()
            .flat_map(|m| &m.decorations)
            .filter_map(linkage_of)
            .collect();
        let types = self.symbol_types();
        let mut exports: FxHashMap<&str, &Symbol> = FxHashMap::default();
        for symbol in symbols.iter().filter(|s| s.linkage != LinkageType::Import) {
            match exports.get(symbol.name.as_str()).copied() {
                None => {
                    exports.insert(&symbol.name, symbol);
                }
                Some(old) => {
                    let (kept, gone) = match (old.linkage, symbol.linkage) {
                        (LinkageType::LinkOnceODR, LinkageType::Export) => (symbol, old),
                        (_, LinkageType::LinkOnceODR) => (old, symbol),
                        _ => {
                            self.errors
                                .push(format!("multiple definitions of '{}'", symbol.name));
                            continue;
                        }
                    };
                    exports.insert(&symbol.name, kept);
                    self.dropped.insert(gone.id);
                    self.map.replace(gone.id, kept.id);
                }
            }
        }
        let kernels = self.kernel_symbols();
        for kernel in &kernels {
            exports.entry(&kernel.name).or_insert(kernel);
        }
        let mut called = FxHashSet::default();
        let mut open: Vec<Symbol> = Vec::new();
        let mut mismatched: Vec<(Symbol, Symbol)> = Vec::new();
        for symbol in symbols.iter().filter(|s| s.linkage == LinkageType::Import) {
            let definition = exports.get(symbol.name.as_str()).copied();
            let first = definition.or_else(|| open.iter().find(|s| s.name == symbol.name));
            let Some(target) = first else {
                open.push(symbol.clone());
                continue;
            };
            called.insert(target.id);
            let (declared, defined) = (types.get(&symbol.id), types.get(&target.id));
            if declared != defined {
                mismatched.push((symbol.clone(), target.clone()));
                continue;
            }
            self.dropped.insert(symbol.id);
            self.map.replace(symbol.id, target.id);
        }
        for (symbol, target) in mismatched {
            self.reconcile(&symbol, &target, &types);
        }
        for kernel in kernels.iter().filter(|kernel| called.contains(&kernel.id)) {
            entry::wrap(&mut self.modules, kernel.id, &mut self.bound);
        }
        open
    }

    /// The entry points as symbols: a program may declare and call another one's kernel.
    fn kernel_symbols(&self) -> Vec<Symbol> {
        let entry_points = self.modules.iter().flat_map(|m| &m.entry_points);
        let symbol = |inst: &Inst| Symbol {
            id: inst[2],
            name: text_at(inst, 3).0,
            linkage: LinkageType::Export,
        };
        entry_points.map(symbol).collect()
    }

    /// Joins an import and a definition whose types are different ids of, perhaps, one layout.
    fn reconcile(&mut self, symbol: &Symbol, target: &Symbol, types: &FxHashMap<u32, u32>) {
        let is_function = |id| {
            let mut functions = self.modules.iter().flat_map(|m| &m.functions);
            functions.any(|f| f.id == id)
        };
        let kinds = (is_function(symbol.id), is_function(target.id));
        let known = Types::new(&self.modules);
        let found = match (types.get(&symbol.id), types.get(&target.id)) {
            (Some(declared), Some(defined)) => Some((*declared, *defined)),
            _ => None,
        };
        let mut fits = false;
        if let (Some((declared, defined)), (true, true)) = (found, kinds) {
            if let Some(cast) = known.call_cast(declared, defined) {
                self.casts.insert(symbol.id, cast);
                self.dropped.insert(symbol.id);
                self.map.replace(symbol.id, target.id);
                fits = true;
            }
        } else if let (Some((declared, defined)), (false, false)) = (found, kinds) {
            if known.pointers_fit(declared, defined) {
                // The variable under its declared type: a constant cast of its address.
                let alias = self.bound;
                self.bound += 1;
                let cast = [declared, alias, Op::Bitcast as u32, target.id];
                self.modules[0]
                    .globals
                    .push(inst(Op::SpecConstantOp, &cast));
                self.dropped.insert(symbol.id);
                self.map.replace(symbol.id, alias);
                fits = true;
            }
        }
        if !fits {
            self.errors.push(format!(
                "'{}' is declared with a type that differs from its definition",
                symbol.name
            ));
        }
    }

    /// Reports every open import that something uses.
    fn check_open(&mut self, open: &[Symbol]) {
        if open.is_empty() {
            return;
        }
        let mut used = FxHashSet::default();
        let modules = std::mem::take(&mut self.modules);
        for module in &modules {
            let bodies = module.functions.iter().filter(|f| f.has_body);
            let insts = bodies.flat_map(|f| f.insts.iter());
            for inst in insts.chain(&module.globals).chain(&module.entry_points) {
                let own = result_positions(inst).1;
                for at in self.renamer.ids(inst) {
                    if Some(*at) != own {
                        used.insert(self.map.find(inst[*at]));
                    }
                }
            }
        }
        self.modules = modules;
        // Built-in variables need no definition; some producers declare them as imports.
        let built_in: FxHashSet<u32> = self
            .modules
            .iter()
            .flat_map(|module| &module.decorations)
            .filter(|inst| {
                opcode(inst) == Op::Decorate as u32
                    && inst.get(2) == Some(&(Decoration::BuiltIn as u32))
            })
            .map(|inst| self.map.find(inst[1]))
            .collect();
        for symbol in open {
            if built_in.contains(&symbol.id) {
                continue;
            }
            if used.contains(&symbol.id) {
                self.errors
                    .push(format!("undefined reference to '{}'", symbol.name));
            } else {
                self.dropped.insert(symbol.id);
            }
        }
    }

    /// Writes the merged module.
    fn write(mut self) -> Vec<u32> {
        let modules = std::mem::take(&mut self.modules);
        let version = modules.iter().map(|m| m.version).max().unwrap_or(0x1_0200);
        self.drop_contents(&modules);
        let mut out = vec![spirv::MAGIC, version, 0, 0, 0];
        let mut seen = FxHashSet::default();
        for capability in modules.iter().flat_map(|m| &m.capabilities) {
            if seen.insert(*capability) {
                spirv::push_inst(&mut out, spirv::op::CAPABILITY, &[*capability]);
            }
        }
        let mut seen = FxHashSet::default();
        for extension in modules.iter().flat_map(|m| &m.extensions) {
            if seen.insert(extension.clone()) {
                out.extend(extension);
            }
        }
        for (id, name) in modules.iter().flat_map(|m| &m.imports) {
            if !self.map.is_replaced(*id) {
                let name = spirv::string_words(name);
                spirv::push_parts(&mut out, spirv::op::EXT_INST_IMPORT, [&[*id], &name]);
            }
        }
        if let Some((addressing, memory)) = modules[0].memory_model {
            spirv::push_inst(&mut out, spirv::op::MEMORY_MODEL, &[addressing, memory]);
        }
        let sections: [fn(&Sections) -> &Vec<Inst>; 3] =
            [|m| &m.entry_points, |m| &m.execution_modes, |m| &m.strings];
        for section in sections {
            for inst in modules.iter().flat_map(section) {
                let mut inst = inst.clone();
                if opcode(&inst) == Op::EntryPoint as u32 {
                    self.list_variables(&mut inst, &modules, version);
                }
                self.push(&mut out, inst);
            }
        }
        for inst in modules.iter().flat_map(|m| &m.names) {
            if opcode(inst) == Op::ModuleProcessed as u32 || self.is_kept(inst[1]) {
                self.push(&mut out, inst.clone());
            }
        }
        for inst in modules.iter().flat_map(|m| &m.decorations) {
            self.push_decoration(&mut out, inst);
        }
        self.push_globals(&mut out, &modules);
        let functions = || modules.iter().flat_map(|m| &m.functions);
        for body in [false, true] {
            for function in functions().filter(|f| f.has_body == body) {
                if !self.dropped.contains(&function.id) {
                    for inst in &function.insts {
                        self.push_body(&mut out, inst);
                    }
                }
            }
        }
        out[3] = self.bound;
        out
    }

    /// Drops the ids defined in dropped functions too, so that nothing decorates or names them.
    fn drop_contents(&mut self, modules: &[Sections]) {
        for function in modules.iter().flat_map(|m| &m.functions) {
            if self.dropped.contains(&function.id) {
                for inst in &function.insts {
                    if let Some(at) = result_positions(inst).1 {
                        self.dropped.insert(inst[at]);
                    }
                }
            }
        }
    }

    /// Completes an entry point's interface to all variables, which functions of another
    /// program may use: input, and from SPIR-V 1.4 on those of every storage class.
    fn list_variables(&self, entry: &mut Inst, modules: &[Sections], version: u32) {
        let (_, name_end) = text_at(entry, 3);
        let listed: FxHashSet<u32> = entry[name_end..].iter().copied().collect();
        for inst in modules.iter().flat_map(|m| &m.globals) {
            let is_listed = opcode(inst) == Op::Variable as u32
                && (version >= ALL_GLOBALS || inst[3] == StorageClass::Input as u32);
            if is_listed && self.is_kept(inst[2]) && !listed.contains(&inst[2]) {
                entry.push(inst[2]);
            }
        }
        recount(entry);
    }

    fn is_kept(&self, id: u32) -> bool {
        !self.map.is_replaced(id) && !self.dropped.contains(&id)
    }

    fn push(&mut self, out: &mut Vec<u32>, mut inst: Inst) {
        self.renamer.rename(&mut inst, &self.map);
        out.extend(inst);
    }

    /// An instruction of a function; a call may need casts.
    fn push_body(&mut self, out: &mut Vec<u32>, inst: &Inst) {
        let is_call = opcode(inst) == Op::FunctionCall as u32;
        let Some(cast) = self
            .casts
            .get(&inst[inst.len().min(4) - 1])
            .filter(|_| is_call)
        else {
            self.push(out, inst.clone());
            return;
        };
        let mut bound = self.bound;
        let fresh = || {
            bound += 1;
            bound - 1
        };
        let insts = cast_call(inst, cast, fresh);
        self.bound = bound;
        for inst in insts {
            self.push(out, inst);
        }
    }

    fn push_decoration(&mut self, out: &mut Vec<u32>, inst: &Inst) {
        let step = match Op::from_u32(opcode(inst)) {
            Some(Op::GroupDecorate) => 1,
            Some(Op::GroupMemberDecorate) => 2,
            _ => {
                if self.is_kept(inst[1]) {
                    self.push(out, inst.clone());
                }
                return;
            }
        };
        let mut kept = vec![inst[0], inst[1]];
        for target in inst[2..].chunks(step) {
            if self.is_kept(target[0]) {
                kept.extend(target);
            }
        }
        recount(&mut kept);
        self.push(out, kept);
    }

    /// Globals in an order in which every operand precedes its use.
    fn push_globals(&mut self, out: &mut Vec<u32>, modules: &[Sections]) {
        let mut insts: Vec<Inst> = Vec::new();
        let mut owner: FxHashMap<u32, usize> = FxHashMap::default();
        let mut forward: FxHashSet<u32> = FxHashSet::default();
        for inst in modules.iter().flat_map(|m| &m.globals) {
            if opcode(inst) == Op::TypeForwardPointer as u32 {
                // The pointer itself may come later: no ordering edge to it.
                forward.insert(inst[1]);
                out.extend(inst);
                continue;
            }
            if let Some(at) = result_positions(inst).1 {
                if !self.is_kept(inst[at]) {
                    continue;
                }
                owner.insert(inst[at], insts.len());
            }
            let mut inst = inst.clone();
            self.renamer.rename(&mut inst, &self.map);
            insts.push(inst);
        }
        let mut state = vec![0u8; insts.len()];
        let mut stack: Vec<usize> = Vec::new();
        for root in 0..insts.len() {
            stack.push(root);
            while let Some(&top) = stack.last() {
                if state[top] == 2 {
                    stack.pop();
                    continue;
                }
                let first_visit = state[top] == 0;
                state[top] = 1;
                let own = result_positions(&insts[top]).1;
                let mut waits = false;
                if first_visit {
                    for at in self.renamer.ids(&insts[top]).to_vec() {
                        let id = insts[top][at];
                        if Some(at) == own || forward.contains(&id) {
                            continue;
                        }
                        if let Some(next) = owner.get(&id) {
                            if state[*next] == 0 {
                                stack.push(*next);
                                waits = true;
                            }
                        }
                    }
                }
                if !waits {
                    state[top] = 2;
                    out.extend(&insts[top]);
                    stack.pop();
                }
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

/// The symbol that an OpDecorate LinkageAttributes declares.
fn linkage_of(inst: &Inst) -> Option<Symbol> {
    if opcode(inst) != Op::Decorate as u32 || inst[2] != Decoration::LinkageAttributes as u32 {
        return None;
    }
    let linkage = match inst.last() {
        Some(0) => LinkageType::Export,
        Some(1) => LinkageType::Import,
        Some(2) => LinkageType::LinkOnceODR,
        _ => return None,
    };
    Some(Symbol {
        id: inst[1],
        name: text_at(inst, 3).0,
        linkage,
    })
}
