//! Cycles with several entries get a single one.
//!
//! Tarjan's strongly connected components, outermost first; inside a component its header
//! is removed and the search goes on. A component with several entries is mended and the
//! search starts again.

use super::work::Work;
use cranelift_entity::SecondaryMap;
use pumice_ir::{Block, Cfg, DomTree, InstKind, Type, Value, is_reducible};
use rustc_hash::FxHashMap;

/// The instructions that splitting may add, beside twice the size of the function.
const SPLIT_BUDGET: usize = 500;

/// A component with more than one entry.
struct Tangle {
    blocks: Vec<Block>,
    entries: Vec<Block>,
}

/// Makes the function's graph reducible.
pub(super) fn make_reducible(work: &mut Work<'_>) {
    let size: usize = work
        .func
        .layout
        .blocks
        .iter()
        .map(|&block| work.func.layout.insts[block].len())
        .sum();
    let mut budget = 2 * size + SPLIT_BUDGET;
    loop {
        let cfg = Cfg::new(work.func);
        if is_reducible(&cfg, &DomTree::new(&cfg)) {
            break;
        }
        let Some(tangle) = find_tangle(&cfg) else {
            break;
        };
        let choice = tangle
            .entries
            .iter()
            .filter_map(|&header| split_region(work, &cfg, &tangle, header))
            .min_by_key(|(cost, _)| *cost);
        match choice {
            Some((cost, region)) if cost <= budget => {
                budget -= cost;
                split(work, &cfg, &tangle, &region);
            }
            _ => add_dispatch(work, &cfg, &tangle),
        }
    }
    // Splitting may leave originals that nothing reaches.
    let cfg = Cfg::new(work.func);
    work.func
        .layout
        .blocks
        .retain(|&block| cfg.is_reachable(block));
}

/// The first component with several entries, outermost first.
fn find_tangle(cfg: &Cfg) -> Option<Tangle> {
    let mut work = vec![cfg.reverse_postorder().to_vec()];
    while let Some(set) = work.pop() {
        for component in components(cfg, &set) {
            let mut inside: SecondaryMap<Block, bool> = SecondaryMap::new();
            for &block in &component {
                inside[block] = true;
            }
            let entries: Vec<Block> = component
                .iter()
                .copied()
                .filter(|&block| cfg.preds(block).iter().any(|&pred| !inside[pred]))
                .collect();
            if entries.len() > 1 {
                let mut entries = entries;
                entries.sort_by_key(|&block| cfg.rpo_number(block));
                return Some(Tangle {
                    blocks: component,
                    entries,
                });
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
    None
}

/// Strongly connected components with a cycle in the subgraph of `set`.
fn components(cfg: &Cfg, set: &[Block]) -> Vec<Vec<Block>> {
    #[derive(Clone, Copy, Default)]
    struct Node {
        member: bool,
        index: u32,
        low: u32,
        on_stack: bool,
    }
    let mut nodes: SecondaryMap<Block, Node> = SecondaryMap::new();
    for &block in set {
        nodes[block].member = true;
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
                if !nodes[succ].member {
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

/// Gives the blocks to copy so that only `header` enters the component: all that the other entries
/// reach in it without passing `header`. `None` if a block must not be copied.
fn split_region(
    work: &Work<'_>,
    cfg: &Cfg,
    tangle: &Tangle,
    header: Block,
) -> Option<(usize, Vec<Block>)> {
    let mut state: SecondaryMap<Block, bool> = SecondaryMap::new();
    for &block in &tangle.blocks {
        state[block] = block != header;
    }
    let mut stack: Vec<Block> = tangle
        .entries
        .iter()
        .copied()
        .filter(|&entry| entry != header)
        .collect();
    let mut region = Vec::new();
    let mut cost = 0;
    while let Some(block) = stack.pop() {
        if !std::mem::replace(&mut state[block], false) {
            continue;
        }
        for &inst in &work.func.layout.insts[block] {
            // Work-items that meet at one barrier or collective must not part over copies.
            let kind = &work.func.insts[inst].kind;
            if matches!(
                kind,
                InstKind::Barrier { .. }
                    | InstKind::Group { .. }
                    | InstKind::Node { .. }
                    | InstKind::Call { .. }
            ) {
                return None;
            }
            cost += 1;
        }
        region.push(block);
        stack.extend_from_slice(cfg.succs(block));
    }
    Some((cost, region))
}

/// Copies `region`; edges into the component from outside enter the copy.
fn split(work: &mut Work<'_>, cfg: &Cfg, tangle: &Tangle, region: &[Block]) {
    let mut inside: SecondaryMap<Block, bool> = SecondaryMap::new();
    for &block in &tangle.blocks {
        inside[block] = true;
    }
    let mut copies: FxHashMap<Block, Block> = FxHashMap::default();
    for &block in region {
        copies.insert(block, work.func.append_block());
    }
    for &block in region {
        clone_block(work, block, copies[&block]);
        for succ in work.succs(copies[&block]) {
            if let Some(&copy) = copies.get(&succ) {
                work.retarget(copies[&block], succ, copy);
            }
        }
    }
    for &entry in &tangle.entries {
        let Some(&copy) = copies.get(&entry) else {
            continue;
        };
        for &pred in cfg.preds(entry) {
            if !inside[pred] {
                work.retarget(pred, entry, copy);
            }
        }
    }
}

/// Fills `copy` with the instructions of `block`; results become further definitions of the
/// originals' variables.
fn clone_block(work: &mut Work<'_>, block: Block, copy: Block) {
    work.origin[copy] = work.origin[block];
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
fn add_dispatch(work: &mut Work<'_>, cfg: &Cfg, tangle: &Tangle) {
    let dispatch = work.func.append_block();
    let (label, label_value) = work.new_var(Type::I32, None);
    for &entry in &tangle.entries {
        for &pred in cfg.preds(entry) {
            let before = work.func.blocks.len();
            let edge = work.retarget_with_defs(pred, entry, dispatch);
            if work.func.blocks.len() > before {
                work.func.layout.blocks.push(edge);
            }
            work.define_label(edge, label, entry);
        }
    }
    let (&last, others) = match tangle.entries.split_last() {
        Some(split) => split,
        None => return,
    };
    work.dispatch(dispatch, label_value, others, last);
}
