//! Loops with one entry, one continue block and one exit.
//!
//! A loop with header `h` becomes `preheader → header → h …`: all edges from outside go to
//! the preheader, all edges back go to the continue block, which jumps to the header, and
//! all edges out go to the merge block with their target in the label variable. The merge
//! block belongs to the loop around; it goes on to the target, or, when that lies further
//! out, to the merge block of the loop around.

use super::Form;
use super::work::{BlockList, Work};
use cranelift_entity::{EntityRef, SecondaryMap};
use pumice_budget::{self as budget, Exhausted};
use pumice_ir::{Block, Cfg, DomTree, InstKind, Loop, LoopNest, UnrollHint};
use rustc_hash::FxHashMap;

/// The new blocks of a loop.
#[derive(Clone, Debug)]
pub(super) struct LoopShape {
    pub preheader: Block,
    /// The former header, first block of the body.
    pub body: Block,
    pub continue_block: Block,
    pub merge: Block,
    /// True if all work-items leave in the same round: by one branch of each round that they take
    /// alike.
    pub left_together: bool,
    /// The source's hint.
    pub unroll: UnrollHint,
    parent: Option<Loop>,
    exits: BlockList,
}

/// All loops, and which block is in which.
#[derive(Clone, Debug, Default)]
pub(super) struct Forest {
    pub loops: Vec<LoopShape>,
    /// The smallest loop around a block. Blocks made later are added by `build`.
    pub innermost: SecondaryMap<Block, Option<Loop>>,
    /// The loop whose (new) header the block is.
    pub loop_of_header: FxHashMap<Block, Loop>,
}

impl Forest {
    /// Returns whether an edge out of `block` is a break or continue of its smallest loop.
    pub fn is_native(&self, block: Block, target: Block) -> bool {
        self.innermost[block].is_some_and(|this| {
            let shape = &self.loops[this.index()];
            target == shape.merge || target == shape.continue_block
        })
    }
}

/// Gives each loop its shape.
///
/// # Errors
/// A build that takes too long, or too much memory for the exits of nested loops.
pub(super) fn make_single_exit(work: &mut Work<'_>, form: Form) -> Result<Forest, Exhausted> {
    let cfg = split_returns(work, form.nests)?;
    let Some((dom, nest)) = LoopNest::find(&cfg) else {
        return Ok(Forest::default());
    };
    let mut forest = Forest::default();
    for &block in cfg.reverse_postorder() {
        forest.innermost[block] = nest.innermost(block);
    }
    let mut shape_of: FxHashMap<Block, Loop> = FxHashMap::default();
    for (this, data) in nest.loops.iter() {
        let func = &mut *work.func;
        let header = func.make_block();
        let shape = LoopShape {
            preheader: func.make_block(),
            body: data.header,
            continue_block: func.make_block(),
            merge: func.make_block(),
            left_together: false,
            unroll: func.blocks[data.header].unroll,
            parent: data.parent,
            exits: BlockList::default(),
        };
        work.set_terminator(shape.preheader, super::work::jump(header));
        work.set_terminator(header, super::work::jump(data.header));
        work.set_terminator(shape.continue_block, super::work::jump(header));
        forest.innermost[shape.preheader] = data.parent;
        forest.innermost[shape.merge] = data.parent;
        forest.innermost[header] = Some(this);
        forest.innermost[shape.continue_block] = Some(this);
        forest.loop_of_header.insert(header, this);
        shape_of.insert(data.header, this);
        forest.loops.push(shape);
    }
    if forest.loops.is_empty() {
        return Ok(forest);
    }
    for &block in cfg.reverse_postorder() {
        budget::check()?;
        let from = forest.innermost[block];
        let mut retargeted: Vec<(Block, Block)> = Vec::new();
        for &target in cfg.succs(block) {
            let place = match shape_of.get(&target) {
                Some(&entered) if nest.encloses(entered, from) => {
                    forest.loops[entered.index()].continue_block
                }
                Some(&entered) => forest.loops[entered.index()].preheader,
                None => target,
            };
            match from {
                Some(this) if forest.innermost[place] != from => {
                    let shape = &mut forest.loops[this.index()];
                    let edge = work.edge_with_defs(block, shape.merge);
                    let next = if edge == block { shape.merge } else { edge };
                    retargeted.push((target, next));
                    shape.exits.add(place);
                    work.define_label(edge, work.label, place);
                    forest.innermost[edge] = from;
                }
                _ if place != target => retargeted.push((target, place)),
                _ => {}
            }
        }
        work.retarget_all(block, &retargeted);
    }
    let exits = only_exits(&cfg, &nest)?;
    for (this, data) in &nest.loops {
        let together = match exits[this] {
            Exits::One(exit) => leaves_together(work, &cfg, &dom, &nest, data.header, exit),
            Exits::None | Exits::Several => false,
        };
        forest.loops[this.index()].left_together = together;
    }
    for index in 0..forest.loops.len() {
        end_merge_block(work, &mut forest, Loop::new(index))?;
    }
    Ok(forest)
}

/// The blocks that branch out of a loop, as far as they matter.
#[derive(Clone, Copy, Default)]
enum Exits {
    #[default]
    None,
    One(Block),
    Several,
}

/// The blocks that branch out of each loop.
fn only_exits(cfg: &Cfg, nest: &LoopNest) -> Result<SecondaryMap<Loop, Exits>, Exhausted> {
    let mut exits: SecondaryMap<Loop, Exits> = SecondaryMap::new();
    for &block in cfg.reverse_postorder() {
        budget::check()?;
        for &target in cfg.succs(block) {
            let mut left = nest.innermost(block);
            while let Some(this) = left.filter(|&this| !nest.contains(this, target)) {
                exits[this] = match exits[this] {
                    Exits::None => Exits::One(block),
                    Exits::One(known) if known == block => Exits::One(block),
                    _ => Exits::Several,
                };
                left = nest.loops[this].parent;
            }
        }
    }
    Ok(exits)
}

/// Returns whether the only branch out of a loop is one of each round that goes one way for all.
fn leaves_together(
    work: &Work<'_>,
    cfg: &Cfg,
    dom: &DomTree,
    nest: &LoopNest,
    header: Block,
    exit: Block,
) -> bool {
    let this = nest.innermost(header);
    let inside = |block: Block| this.is_some_and(|this| nest.contains(this, block));
    let mut latches = cfg.preds(header).iter().filter(|&&pred| inside(pred));
    work.uniform[exit] && latches.all(|&latch| dom.dominates(exit, latch))
}

/// Ends a loop's merge block; inner loops come first, as they add to the exits of outer ones.
fn end_merge_block(work: &mut Work<'_>, forest: &mut Forest, this: Loop) -> Result<(), Exhausted> {
    let LoopShape {
        merge,
        parent,
        ref exits,
        ..
    } = forest.loops[this.index()];
    let (mut near, far): (Vec<Block>, Vec<Block>) =
        (exits.iter()).partition(|&exit| forest.innermost[exit] == parent);
    let mut other = None;
    if let (Some(parent), false) = (parent, far.is_empty()) {
        // In the outer loop's list and its set.
        budget::charge((far.len() * size_of::<[Block; 4]>()) as u64)?;
        let shape = &mut forest.loops[parent.index()];
        for exit in far {
            shape.exits.add(exit);
        }
        other = Some(shape.merge);
    }
    match other.or_else(|| near.pop()) {
        None => work.set_terminator(merge, InstKind::Unreachable),
        Some(other) => work.dispatch(merge, work.label_value, &near, other),
    }
    Ok(())
}

/// Gives each branch to a block that only returns its own copy, so that an early return is no
/// place where control flow meets. Branches inside of one outermost loop share a copy. A block stays one if more than
/// `most` branches lead to it. Gives the graph afterwards.
fn split_returns(work: &mut Work<'_>, most: Option<u32>) -> Result<Cfg, Exhausted> {
    let cfg = Cfg::new(work.func);
    let mut nest = None;
    for &block in cfg.reverse_postorder() {
        let [inst] = work.func.layout.insts[block][..] else {
            continue;
        };
        let kind = work.func.insts[inst].kind.clone();
        let preds = cfg.preds(block).len();
        let stays_one = preds < 2 || most.is_some_and(|most| preds > most as usize);
        if !matches!(kind, InstKind::Return { .. } | InstKind::Unreachable) || stays_one {
            continue;
        }
        budget::check()?;
        let nest = nest.get_or_insert_with(|| LoopNest::new(&cfg, &DomTree::new(&cfg)));
        let mut shared: FxHashMap<Option<Loop>, Block> = FxHashMap::default();
        let mut original_taken = false;
        for &pred in cfg.preds(block) {
            let around = nest.outermost(pred);
            let known = match around {
                Some(_) => shared.get(&around).copied(),
                None => (!std::mem::replace(&mut original_taken, true)).then_some(block),
            };
            let copy = known.unwrap_or_else(|| {
                let copy = work.func.append_block();
                work.note_copy(block, copy);
                let loc = work.func.insts[inst].loc;
                work.func.append(copy, kind.clone(), &[], loc);
                shared.insert(around, copy);
                copy
            });
            if copy != block {
                work.retarget(pred, block, copy);
            }
        }
    }
    let cfg = if nest.is_some() {
        Cfg::new(work.func)
    } else {
        cfg
    };
    let blocks = &mut work.func.layout.blocks;
    blocks.retain(|&block| cfg.is_reachable(block));
    Ok(cfg)
}
