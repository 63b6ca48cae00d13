//! The called functions that may access local memory, and the kernels that they serve.

use super::call_graph::functions_called_from;
use crate::{AddressSpace, FuncId, Function, GlobalData, GlobalId, InstKind, Module};
use cranelift_entity::PrimaryMap;
use std::collections::{BTreeMap, BTreeSet};

/// The called functions that may access local memory, each with the kernels that call it, directly or through others. Kernels
/// that call the same such function are one group: the function finds the local memory of all of them in the same way.
pub struct LocalCallers {
    kernels: BTreeMap<FuncId, Vec<usize>>,
    /// The first kernel of each kernel's group.
    group: Vec<usize>,
}

impl LocalCallers {
    /// Finds the functions and kernels of a module.
    pub fn of(module: &Module) -> Self {
        let mut kernels: BTreeMap<FuncId, Vec<usize>> = BTreeMap::new();
        for (k, kernel) in module.kernels.iter().enumerate() {
            for id in functions_called_from(module, kernel.func) {
                kernels.entry(id).or_default().push(k);
            }
        }
        let may_access = [AddressSpace::Local, AddressSpace::Generic];
        kernels.retain(|&id, _| has_pointers(&module.functions[id], &may_access));
        let mut group: Vec<usize> = (0..module.kernels.len()).collect();
        for callers in kernels.values() {
            for pair in callers.windows(2) {
                let (a, b) = (first_of(&group, pair[0]), first_of(&group, pair[1]));
                group[a.max(b)] = a.min(b);
            }
        }
        let group = (0..group.len()).map(|k| first_of(&group, k)).collect();
        LocalCallers { kernels, group }
    }

    /// The functions, each with the numbers of the kernels that call it.
    pub fn functions(&self) -> impl Iterator<Item = (FuncId, &[usize])> {
        let functions = self.kernels.iter();
        functions.map(|(&id, kernels)| (id, &kernels[..]))
    }

    /// The kernels of the group of kernel number `k`, itself included.
    pub fn group_of(&self, k: usize) -> Vec<usize> {
        let all = 0..self.group.len();
        all.filter(|&other| self.group[other] == self.group[k])
            .collect()
    }

    /// The groups: their kernels, and the functions that these call.
    pub fn groups(&self) -> Vec<(Vec<usize>, Vec<FuncId>)> {
        let mut groups: BTreeMap<usize, (Vec<usize>, Vec<FuncId>)> = BTreeMap::new();
        for (k, &first) in self.group.iter().enumerate() {
            groups.entry(first).or_default().0.push(k);
        }
        for (id, kernels) in self.functions() {
            let group = kernels.first().map(|&k| self.group[k]);
            if let Some((_, functions)) = group.and_then(|first| groups.get_mut(&first)) {
                functions.push(id);
            }
        }
        groups.into_values().collect()
    }
}

/// The local variables that a function names.
pub fn local_variables(
    func: &Function,
    globals: &PrimaryMap<GlobalId, GlobalData>,
) -> BTreeSet<GlobalId> {
    let insts = (func.layout.blocks.iter()).flat_map(|&block| &func.layout.insts[block]);
    let named = insts.filter_map(|&inst| match func.insts[inst].kind {
        InstKind::GlobalAddr { global } => Some(global),
        _ => None,
    });
    named
        .filter(|&global| globals[global].space == AddressSpace::Local)
        .collect()
}

/// Follows the groups that were joined to the first kernel.
fn first_of(group: &[usize], mut k: usize) -> usize {
    while group[k] != k {
        k = group[k];
    }
    k
}

/// Returns whether a function has pointers to one of some address spaces.
pub fn has_pointers(func: &Function, spaces: &[AddressSpace]) -> bool {
    let mut found = func
        .values()
        .filter_map(|value| func.ty(value).address_space());
    found.any(|space| spaces.contains(&space))
}
