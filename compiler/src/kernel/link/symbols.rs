//! Symbols: imports find their exports.

use rspirv::spirv::{Decoration, LinkageType, Op};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Linker;
use crate::kernel::compat::Types;
use crate::kernel::entry;
use crate::kernel::merge::{Inst, inst, opcode, result_positions, text_at};
use pumice_target::similar::closest;

/// One decorated symbol.
#[derive(Clone, Debug)]
pub(super) struct Symbol {
    id: u32,
    name: String,
    linkage: LinkageType,
}

impl Linker {
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
    pub(super) fn resolve(&mut self) -> Vec<Symbol> {
        let symbols: Vec<Symbol> = self
            .modules
            .iter()
            .flat_map(|m| &m.decorations)
            .filter_map(linkage_of)
            .collect();
        let types = self.symbol_types();
        let mut mismatched: Vec<(Symbol, Symbol)> = Vec::new();
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
                            self.errors.push(format!(
                                "multiple definitions of '{}'; declare it static, or extern in all but one",
                                symbol.name
                            ));
                            continue;
                        }
                    };
                    exports.insert(&symbol.name, kept);
                    if types.get(&gone.id) == types.get(&kept.id) {
                        self.dropped.insert(gone.id);
                        self.map.replace(gone.id, kept.id);
                    } else {
                        mismatched.push((gone.clone(), kept.clone()));
                    }
                }
            }
        }
        let kernels = self.kernel_symbols();
        for kernel in &kernels {
            exports.entry(&kernel.name).or_insert(kernel);
        }
        let mut called = FxHashSet::default();
        let mut open: Vec<Symbol> = Vec::new();
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

    /// The names that imports could have meant.
    fn exported(&self) -> Vec<String> {
        let decorations = self.modules.iter().flat_map(|m| &m.decorations);
        let symbols = decorations.filter_map(linkage_of);
        let exports = symbols.filter(|symbol| symbol.linkage != LinkageType::Import);
        let mut names: Vec<String> = exports
            .chain(self.kernel_symbols())
            .map(|s| s.name)
            .collect();
        names.sort_unstable();
        names
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
            // Of two declarations either may lack the size.
            let both_declared = target.linkage == LinkageType::Import;
            if known.variables_fit(declared, defined)
                || both_declared && known.variables_fit(defined, declared)
            {
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
    pub(super) fn check_open(&mut self, open: &[Symbol]) {
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
        let exported = self.exported();
        for symbol in open {
            if built_in.contains(&symbol.id) {
                continue;
            }
            if used.contains(&symbol.id) {
                let hint = match closest(&symbol.name, exported.iter().cloned()) {
                    Some(name) => format!("; did you mean '{name}'?"),
                    None => String::new(),
                };
                self.errors
                    .push(format!("undefined reference to '{}'{hint}", symbol.name));
            } else {
                self.dropped.insert(symbol.id);
            }
        }
    }
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
