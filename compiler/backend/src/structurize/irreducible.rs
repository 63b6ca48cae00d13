//! Cycles with several entries get a single one.
//!
//! Tarjan's strongly connected components, outermost first; inside a component its header
//! is removed and the search goes on. All components with several entries that are found are
//! mended, and the search starts again: once per level of nesting.

use super::MAX_NESTING;
use super::work::Work;
use cranelift_entity::SecondaryMap;
use pumice_budget::{self as time, Exhausted};
use pumice_ir::LowerError;
use pumice_ir::{Block, Cfg, InstKind, Type, Value, is_reducible};
use rustc_hash::{FxHashMap, FxHashSet};

/// The instructions that splitting may add, beside twice the size of the function.
const SPLIT_BUDGET: usize = 500;
/// The number of instructions that may be looked at to find what is best split, beside so many for
/// each one of the function.
const LOOKS: usize = 10_000;
const LOOKS_PER_INSTRUCTION: usize = 16;

/// A component with more than one entry.
struct Tangle {
    blocks: FxHashSet<Block>,
    entries: Vec<Block>,
}

/// The cost that splitting may still have.
struct Budget {
    /// Instructions that may be added.
    added: usize,
    /// Instructions that may be looked at.
    looks: usize,
}

/// Makes the function's graph reducible; gives whether it was not.
///
/// # Errors
/// Cycles that nest more deeply than SPIR-V's universal limit (§2.17); a build that takes too long.
pub(super) fn make_reducible(work: &mut Work<'_>) -> Result<bool, LowerError> {
    let size = work.func.size();
    let mut budget = Budget {
        added: 2 * size + SPLIT_BUDGET,
        looks: LOOKS_PER_INSTRUCTION * size + LOOKS,
    };
    let mut cfg = Cfg::new(work.func);
    if is_reducible(&cfg) {
        return Ok(false);
    }
    for _ in 0..MAX_NESTING {
        let tangles = find_tangles(&cfg)?;
        if tangles.is_empty() {
            // Splitting may leave originals that nothing reaches.
            let blocks = &mut work.func.layout.blocks;
            blocks.retain(|&block| cfg.is_reachable(block));
            return Ok(true);
        }
        let mut preds = Preds {
            cfg: &cfg,
            copies: FxHashMap::default(),
        };
        for tangle in &tangles {
            mend(work, &mut preds, tangle, &mut budget)?;
        }
        cfg = Cfg::new(work.func);
    }
    Err(work.nests_too_deep())
}

/// The predecessors of blocks while tangles are mended one after the other.
struct Preds<'a> {
    cfg: &'a Cfg,
    /// Copies that branch to a block beside the blocks that the graph knows.
    copies: FxHashMap<Block, Vec<Block>>,
}

impl Preds<'_> {
    fn of(&self, block: Block) -> Vec<Block> {
        let copies = self.copies.get(&block);
        let known = self.cfg.preds(block).iter();
        known.chain(copies.into_iter().flatten()).copied().collect()
    }
}

fn mend(
    work: &mut Work<'_>,
    preds: &mut Preds<'_>,
    tangle: &Tangle,
    budget: &mut Budget,
) -> Result<(), Exhausted> {
    let mut best: Option<(usize, Vec<Block>)> = None;
    for &header in &tangle.entries {
        time::check()?;
        let most = best
            .as_ref()
            .map_or(budget.added, |(cost, _)| cost.saturating_sub(1));
        best = split_region(work, preds.cfg, tangle, header, most, &mut budget.looks).or(best);
    }
    match best {
        Some((cost, region)) => {
            budget.added -= cost;
            split(work, preds, tangle, &region);
        }
        None => add_dispatch(work, preds, tangle)?,
    }
    Ok(())
}

/// The components with several entries that are in no other one.
fn find_tangles(cfg: &Cfg) -> Result<Vec<Tangle>, Exhausted> {
    let mut found = Vec::new();
    let mut search = Search::default();
    let mut work = vec![cfg.reverse_postorder().to_vec()];
    while let Some(set) = work.pop() {
        time::check()?;
        for component in search.components(cfg, &set) {
            let inside: FxHashSet<Block> = component.iter().copied().collect();
            let mut entries: Vec<Block> = component
                .iter()
                .copied()
                .filter(|&block| cfg.preds(block).iter().any(|pred| !inside.contains(pred)))
                .collect();
            if entries.len() > 1 {
                entries.sort_by_key(|&block| cfg.rpo_number(block));
                found.push(Tangle {
                    blocks: inside,
                    entries,
                });
                continue;
            }
            let header = entries.first().copied();
            let rest: Vec<Block> = component
                .into_iter()
                .filter(|&block| Some(block) != header)
                .collect();
            if !rest.is_empty() {
                work.push(rest);
            }
        }
    }
    Ok(found)
}

/// The search's facts about a block.
#[derive(Clone, Copy, Default)]
struct Node {
    /// The number of the set that it is searched in.
    set: u32,
    index: u32,
    low: u32,
    on_stack: bool,
}

/// Tarjan's algorithm over one set of blocks after the other.
#[derive(Default)]
struct Search {
    nodes: SecondaryMap<Block, Node>,
    sets: u32,
}

impl Search {
    /// Strongly connected components with a cycle in the subgraph of `set`.
    fn components(&mut self, cfg: &Cfg, set: &[Block]) -> Vec<Vec<Block>> {
        self.sets += 1;
        let this = self.sets;
        let nodes = &mut self.nodes;
        for &block in set {
            nodes[block] = Node {
                set: this,
                ..Node::default()
            };
        }
        let mut next_index = 1;
        let mut stack = Vec::new();
        let mut found = Vec::new();
        for &root in set {
            if nodes[root].index != 0 {
                continue;
            }
            let mut walk = vec![(root, 0)];
            while let Some((block, position)) = walk.last_mut() {
                let block = *block;
                if *position == 0 {
                    nodes[block].index = next_index;
                    nodes[block].low = next_index;
                    nodes[block].on_stack = true;
                    next_index += 1;
                    stack.push(block);
                }
                if let Some(&succ) = cfg.succs(block).get(*position) {
                    *position += 1;
                    if nodes[succ].set != this {
                        continue;
                    }
                    if nodes[succ].index == 0 {
                        walk.push((succ, 0));
                    } else if nodes[succ].on_stack {
                        nodes[block].low = nodes[block].low.min(nodes[succ].index);
                    }
                    continue;
                }
                walk.pop();
                if let Some((parent, _)) = walk.last() {
                    nodes[*parent].low = nodes[*parent].low.min(nodes[block].low);
                }
                if nodes[block].low == nodes[block].index {
                    let mut component = Vec::new();
                    while let Some(member) = stack.pop() {
                        nodes[member].on_stack = false;
                        component.push(member);
                        if member == block {
                            break;
                        }
                    }
                    if component.len() > 1 || cfg.succs(block).contains(&block) {
                        found.push(component);
                    }
                }
            }
        }
        found
    }
}

/// Gives the blocks to copy so that only `header` enters the component: all that the other entries
/// reach in it without passing `header`. `None` if a block must not be copied, if it is more than
/// `most` instructions, or if `looks` runs out.
fn split_region(
    work: &Work<'_>,
    cfg: &Cfg,
    tangle: &Tangle,
    header: Block,
    most: usize,
    looks: &mut usize,
) -> Option<(usize, Vec<Block>)> {
    let mut seen: FxHashSet<Block> = FxHashSet::default();
    seen.insert(header);
    let others = tangle.entries.iter().copied();
    let mut stack: Vec<Block> = others.filter(|&entry| entry != header).collect();
    let mut region = Vec::new();
    let mut cost = 0;
    while let Some(block) = stack.pop() {
        if !tangle.blocks.contains(&block) || !seen.insert(block) {
            continue;
        }
        for &inst in &work.func.layout.insts[block] {
            // Work-items that meet at one barrier or collective must not part over copies.
            let kind = &work.func.insts[inst].kind;
            if kind.is_convergent() || matches!(kind, InstKind::Call { .. }) {
                return None;
            }
            cost += 1;
        }
        *looks = looks.saturating_sub(work.func.layout.insts[block].len());
        if cost > most || *looks == 0 {
            return None;
        }
        region.push(block);
        stack.extend_from_slice(cfg.succs(block));
    }
    Some((cost, region))
}

/// Copies `region`; edges into the component from outside enter the copy.
fn split(work: &mut Work<'_>, preds: &mut Preds<'_>, tangle: &Tangle, region: &[Block]) {
    let mut copies: FxHashMap<Block, Block> = FxHashMap::default();
    for &block in region {
        copies.insert(block, work.func.append_block());
    }
    for &block in region {
        let copy = copies[&block];
        clone_block(work, block, copy);
        let mut retargeted = Vec::new();
        for succ in work.succs(copy) {
            match copies.get(&succ) {
                Some(&copy) => retargeted.push((succ, copy)),
                None => preds.copies.entry(succ).or_default().push(copy),
            }
        }
        work.retarget_all(copy, &retargeted);
    }
    for &entry in &tangle.entries {
        let Some(&copy) = copies.get(&entry) else {
            continue;
        };
        for pred in preds.of(entry) {
            if !tangle.blocks.contains(&pred) {
                work.retarget(pred, entry, copy);
            }
        }
    }
}

/// Fills `copy` with the instructions of `block`; results become further definitions of the
/// originals' variables.
fn clone_block(work: &mut Work<'_>, block: Block, copy: Block) {
    work.note_copy(block, copy);
    if let Some(defs) = work.edge_defs.get(&block) {
        let defs = defs.clone();
        work.edge_defs.insert(copy, defs);
    }
    let mut renamed: FxHashMap<Value, Value> = FxHashMap::default();
    for inst in work.func.layout.insts[block].clone() {
        let data = work.func.insts[inst].clone();
        let mut kind = data.kind;
        kind.for_each_value_mut(|value| {
            if let Some(&new) = renamed.get(value) {
                *value = new;
            }
        });
        let types: Vec<Type> = data.results.iter().map(|&r| work.func.ty(r)).collect();
        let new_inst = work.func.append(copy, kind, &types, data.loc);
        for (index, &old) in data.results.iter().enumerate() {
            let new = work.func.insts[new_inst].results[index];
            let var = work.result_var(old, block);
            work.var_of.insert(new, var);
            work.block_defs.insert((var, copy), new);
            renamed.insert(old, new);
        }
    }
    if let Some(defs) = work.edge_defs.get_mut(&copy) {
        for (_, value) in defs {
            if let Some(&new) = renamed.get(value) {
                *value = new;
            }
        }
    }
}

/// Sends every edge into an entry of the component through one new block.
fn add_dispatch(work: &mut Work<'_>, preds: &Preds<'_>, tangle: &Tangle) -> Result<(), Exhausted> {
    let dispatch = work.func.append_block();
    let (label, label_value) = work.new_var(Type::I32, None);
    for &entry in &tangle.entries {
        time::check()?;
        for pred in preds.of(entry) {
            let before = work.func.blocks.len();
            let edge = work.edge_with_defs(pred, dispatch);
            let next = if edge == pred { dispatch } else { edge };
            work.retarget(pred, entry, next);
            if work.func.blocks.len() > before {
                work.func.layout.blocks.push(edge);
            }
            work.define_label(edge, label, entry);
        }
    }
    if let Some((&last, others)) = tangle.entries.split_last() {
        work.dispatch(dispatch, label_value, others, last);
    }
    Ok(())
}
