//! Refuses kernels for drivers whose compiler crashes on deep nests
//! ([`NestsOf80`](QuirkKind::NestsOf80), [`LoopsOf38`](QuirkKind::LoopsOf38)): the application would go with it.
//!
//! Branches and loops are counted apart, as lavapipe keeps a stack of 80 masks for each. It puts what
//! follows on an early return inside of the other arm, so that each early return is one level for all
//! that comes behind it, and drivers inline calls.

use crate::pass::{Changed, Ctx};
use cranelift_entity::SecondaryMap;
use pumice_ir::{Block, FuncId, Function, InstKind, LowerError, Merge, Module};
use pumice_target::{QuirkKind, Quirks};
use rustc_hash::FxHashMap;

/// The number of constructs around a place.
#[derive(Clone, Copy, Default)]
struct Depth {
    branches: u32,
    loops: u32,
}

impl Depth {
    /// The depths that drivers with these quirks take.
    fn most_of(quirks: Quirks) -> Self {
        let all = if quirks.has(QuirkKind::NestsOf80) {
            80
        } else {
            u32::MAX
        };
        Depth {
            branches: all,
            loops: if quirks.has(QuirkKind::LoopsOf38) {
                38
            } else {
                all
            },
        }
    }

    fn inside(self, around: Self) -> Self {
        Depth {
            branches: self.branches + around.branches,
            loops: self.loops + around.loops,
        }
    }

    fn max(self, other: Self) -> Self {
        Depth {
            branches: self.branches.max(other.branches),
            loops: self.loops.max(other.loops),
        }
    }
}

/// Checks a structured module.
///
/// # Errors
/// A kernel that nests too deeply.
pub fn run(module: &mut Module, ctx: &Ctx<'_>) -> Result<Changed, LowerError> {
    let most = Depth::most_of(ctx.target.quirks);
    let mut known: FxHashMap<FuncId, Depth> = FxHashMap::default();
    for kernel in &module.kernels {
        let Depth { branches, loops } = depth_of(module, kernel.func, &mut known);
        for (what, depth, most) in [
            ("branches and early returns nest", branches, most.branches),
            ("loops nest", loops, most.loops),
        ] {
            if depth > most {
                return Err(LowerError::new(format!(
                    "kernel `{}`: {what} {depth} deep; the device's driver takes {most}",
                    module.functions[kernel.func].name
                )));
            }
        }
    }
    Ok(Changed::No)
}

/// The depth of the deepest place of a function, those of the functions that it calls included.
fn depth_of(module: &Module, id: FuncId, known: &mut FxHashMap<FuncId, Depth>) -> Depth {
    if let Some(&depth) = known.get(&id) {
        return depth;
    }
    let func = &module.functions[id];
    let depths = depths(func);
    let mut most = Depth::default();
    for &block in &func.layout.blocks {
        most = most.max(depths[block]);
        for &inst in &func.layout.insts[block] {
            if let InstKind::Call { func, .. } = func.insts[inst].kind {
                most = most.max(depth_of(module, func, known).inside(depths[block]));
            }
        }
    }
    known.insert(id, most);
    most
}

/// The depth of each block. Headers stand before their arms, and those before the merge block.
fn depths(func: &Function) -> SecondaryMap<Block, Depth> {
    let blocks = &func.layout.blocks;
    let position = func.block_places();
    // The returns in front of each position.
    let mut returns = vec![0; blocks.len() + 1];
    for (at, &block) in blocks.iter().enumerate() {
        let end = func.terminator(block).map(|inst| &func.insts[inst].kind);
        let is_return = matches!(end, Some(InstKind::Return { .. }));
        returns[at + 1] = returns[at] + usize::from(is_return);
    }
    let mut known: SecondaryMap<Block, Option<Depth>> = func.block_map();
    for &block in blocks {
        let here = *known[block].get_or_insert_default();
        let Some(inst) = func.terminator(block) else {
            continue;
        };
        let mut targets = func.insts[inst].kind.targets();
        match func.blocks[block].merge {
            None => {}
            Some(Merge::Loop { merge, .. }) => {
                known[merge] = Some(here);
                let loops = here.loops + 1;
                for target in targets {
                    known[target].get_or_insert(Depth { loops, ..here });
                }
                continue;
            }
            Some(Merge::Selection { merge }) => {
                // Branches out of loops are no arms: the depth of their targets is known.
                targets.retain(|target| *target != merge && known[*target].is_none());
                targets.sort_by_key(|target| position[*target]);
                let ends = targets.iter().skip(1).chain([&merge]);
                let ends: Vec<usize> = ends.map(|&next| position[next]).collect();
                let mut branches = here.branches;
                for (&arm, end) in targets.iter().zip(ends) {
                    known[arm] = Some(Depth {
                        branches: branches + 1,
                        ..here
                    });
                    branches += u32::from(returns[end] > returns[position[arm]]);
                }
                known[merge] = Some(Depth { branches, ..here });
                continue;
            }
        }
        for target in targets {
            known[target].get_or_insert(here);
        }
    }
    let mut depths: SecondaryMap<Block, Depth> = func.block_map();
    for &block in blocks {
        depths[block] = known[block].unwrap_or_default();
    }
    depths
}
