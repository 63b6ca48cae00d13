//! Nests of branches that are cut, for drivers whose compiler takes few branches inside one another.
//!
//! A long chain of `else if` nests as deeply as it is long. The block where a nest becomes too deep is treated
//! as one more place that the chain's first branch may go on to: the branch before it notes the place in the
//! label variable, and the rest of the chain follows behind the first part, guarded by a test of the label.

use super::build::Graph;
use super::loops::Forest;
use cranelift_entity::SecondaryMap;
use pumice_ir::{Block, BlockCall, Function, InstKind, SourceLoc, Value};
use rustc_hash::FxHashMap;

/// Branches that a cut saves at least: each adds a guard.
const LEAST: u32 = 8;

/// Gives a function of more than `most` returns a single one: the compiler of such a driver puts what follows on a
/// return inside of the other arm.
pub(super) fn join_returns(func: &mut Function, most: u32) {
    let ends = func
        .layout
        .blocks
        .iter()
        .filter_map(|&block| func.terminator(block));
    let returns: Vec<_> = ends
        .filter(|&inst| matches!(func.insts[inst].kind, InstKind::Return { .. }))
        .collect();
    if returns.len() <= most as usize {
        return;
    }
    let exit = func.make_block();
    let types = func.results.clone();
    let values: Vec<Value> = types
        .iter()
        .map(|&ty| func.append_param(exit, ty))
        .collect();
    for inst in returns {
        if let InstKind::Return { values } = &func.insts[inst].kind {
            let dest = BlockCall::new(exit, values);
            func.insts[inst].kind = InstKind::Jump { dest };
        }
    }
    let values = values.into_iter().collect();
    func.append(exit, InstKind::Return { values }, &[], SourceLoc::default());
    func.layout.blocks.push(exit);
}

/// Gives the blocks at which nests of more than `most` branches are cut, each in the list of the branch behind which it is
/// to follow.
pub(super) fn cuts(graph: &Graph, forest: &Forest, most: u32) -> FxHashMap<Block, Vec<Block>> {
    let Graph { cfg, dom, .. } = graph;
    let is_branch =
        |block: Block| cfg.succs(block).len() > 1 && !forest.loop_of_header.contains_key(&block);
    let mut cuts: FxHashMap<Block, Vec<Block>> = FxHashMap::default();
    let mut depth: SecondaryMap<Block, u32> = SecondaryMap::new();
    // The outermost branch at the same loop level that each block is inside of.
    let mut around: SecondaryMap<Block, Option<Block>> = SecondaryMap::new();
    // The arm that follows each branch.
    let mut tail: SecondaryMap<Block, Option<Block>> = SecondaryMap::new();
    for &block in cfg.reverse_postorder() {
        if is_branch(block) {
            tail[block] = graph.tail(block);
        }
        let Some(above) = dom.idom(block) else {
            continue;
        };
        let is_arm = is_branch(above) && cfg.preds(block) == [above];
        let is_inside = is_arm && tail[above] != Some(block);
        depth[block] = depth[above] + u32::from(is_inside);
        if forest.innermost[above] != forest.innermost[block] {
            continue;
        }
        let first = around[above].or(is_inside.then_some(above));
        around[block] = first;
        let Some(first) = first.filter(|&first| is_inside && first != above) else {
            continue;
        };
        if depth[block] > most && depth[block] >= depth[first] + LEAST.min(most) {
            cuts.entry(first).or_default().push(block);
            depth[block] = depth[first] + 1;
            // Cuts below it follow behind it: it is a place of `first` now.
            around[block] = None;
        }
    }
    cuts
}
