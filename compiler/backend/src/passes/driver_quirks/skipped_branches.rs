//! For drivers that skip a branch which no work-item takes, and use behind it what would have been computed there
//! ([`QuirkKind::SkippedBranches`](pumice_target::QuirkKind::SkippedBranches)).
//!
//! A driver's optimiser may see that only one way leads to a place: it then uses what was computed on this way without a phi,
//! and its search for common expressions finds more such values than the program has. The machine takes both ways with all
//! work-items, and jumps over those that no work-item takes: LLVM gets values that are not there. Two forms of this are kept
//! from the optimiser by conditions that never hold:
//!
//! - A loop may be left in blocks that not every round comes to, and the last round may skip them. Mesa passes what rounds
//!   change through phis, but not the rest. Such a loop gets one more exit in the first block of each round, and all its
//!   values that are used behind it go through phis.
//! - An arm of a branch may leave the loop, or end the round, under a condition. If the optimiser finds out that it always
//!   holds, the merge block is reached from the other arm alone. So this condition is one that cannot be known.

use super::loop_values::{self, OtherEdges};
use super::never::Never;
use crate::pass::{Changed, FunctionCtx};
use pumice_ir::{
    BinaryOp, Block, Cfg, DomTree, FloatFlags, Function, InstKind, Merge, Type, Value,
};

/// Rewrites a structured function; it stays structured.
pub fn run(func: &mut Function, ctx: &FunctionCtx<'_>) -> Changed {
    let mut never = Never::new(ctx);
    let headers = branches_with_exits(func);
    if !headers.is_empty() {
        let never = never.condition(func);
        for header in headers {
            hide_condition(func, header, never);
        }
    }
    let mut loops = loops_with_skipped_exits(func);
    // From the inside outwards: blocks are only inserted behind the headers that are still to come.
    while let Some((header, merge)) = loops.pop() {
        loop_values::pass_by_phis(func, header, merge, &mut never, OtherEdges::AsTheyAre);
    }
    Changed::from_bool(never.is_used())
}

/// The loops whose rounds may skip blocks that leave it: the places of their headers, and their merge blocks.
fn loops_with_skipped_exits(func: &Function) -> Vec<(usize, Block)> {
    let cfg = Cfg::new(func);
    let dom = DomTree::new(&cfg);
    let mut loops: Vec<(usize, Block)> = Vec::new();
    for (place, &header) in func.layout.blocks.iter().enumerate() {
        if let Some(Merge::Loop {
            merge,
            continue_target,
            ..
        }) = func.blocks[header].merge
        {
            let is_reached = cfg.is_reachable(merge) && cfg.is_reachable(continue_target);
            if is_reached && computes_between(func, &dom, continue_target, merge) {
                loops.push((place, merge));
            }
        }
    }
    loops
}

/// Returns whether blocks that lie on each way out of the loop, but not on each way into the next round, compute values.
fn computes_between(func: &Function, dom: &DomTree, next: Block, merge: Block) -> bool {
    let ways_out = std::iter::successors(dom.idom(merge), |&block| dom.idom(block));
    let mut skipped = ways_out.take_while(|&block| !dom.dominates(block, next));
    skipped.any(|block| func.layout.insts[block].len() > 1 || !func.blocks[block].params.is_empty())
}

/// A construct around a place.
struct Around {
    header: Block,
    /// The place of its merge block in the layout.
    end: usize,
    kind: Kind,
}

enum Kind {
    /// A loop, and its continue target.
    Loop { merge: Block, next: Block },
    /// A branch.
    Branch {
        /// Control flow may go on at the merge block.
        merges: bool,
        /// Something inside leaves the loop around it, or goes on to the next round.
        exits: bool,
    },
}

/// The headers of branches that may leave the loop from the arm of another branch.
fn branches_with_exits(func: &Function) -> Vec<Block> {
    let places = func.block_places();
    let mut found = Vec::new();
    let mut around: Vec<Around> = Vec::new();
    for (place, &block) in func.layout.blocks.iter().enumerate() {
        while around.last().is_some_and(|inner| inner.end <= place) {
            let Some(inner) = around.pop() else { break };
            let is_in_arm = arms(&mut around).any(|(merges, _)| *merges);
            if is_in_arm && matches!(inner.kind, Kind::Branch { exits: true, .. }) {
                found.push(inner.header);
            }
        }
        if let Some(construct) = func.blocks[block].merge {
            let kind = match construct {
                Merge::Loop {
                    merge,
                    continue_target,
                    ..
                } => Kind::Loop {
                    merge,
                    next: continue_target,
                },
                Merge::Selection { merge } => {
                    let end = func.terminator(merge).map(|inst| &func.insts[inst].kind);
                    Kind::Branch {
                        merges: !matches!(end, Some(InstKind::Unreachable)),
                        exits: false,
                    }
                }
            };
            around.push(Around {
                header: block,
                end: places[construct.merge()],
                kind,
            });
        }
        if exits(func, block, &around) {
            for (_, exits) in arms(&mut around) {
                // Those around this one are marked already.
                if std::mem::replace(exits, true) {
                    break;
                }
            }
        }
    }
    found
}

/// The branches around a place, as far as the innermost loop.
fn arms(around: &mut [Around]) -> impl Iterator<Item = (&mut bool, &mut bool)> {
    around
        .iter_mut()
        .rev()
        .map_while(|inner| match &mut inner.kind {
            Kind::Branch { merges, exits } => Some((merges, exits)),
            Kind::Loop { .. } => None,
        })
}

/// Returns whether a block may leave the innermost loop around it, or end the round.
fn exits(func: &Function, block: Block, around: &[Around]) -> bool {
    let innermost = around.iter().rev().find_map(|outer| match outer.kind {
        Kind::Loop { merge, next } => Some((merge, next)),
        Kind::Branch { .. } => None,
    });
    let (Some((merge, next)), Some(end)) = (innermost, func.terminator(block)) else {
        return false;
    };
    let end = &func.insts[end].kind;
    let leaves = |target: Block| target == merge || target == next;
    matches!(end, InstKind::Return { .. }) || end.targets().into_iter().any(leaves)
}

/// Makes a branch's condition one that the driver cannot know.
fn hide_condition(func: &mut Function, header: Block, never: Value) {
    let Some(end) = func.terminator(header) else {
        return;
    };
    let InstKind::Branch { cond, .. } = func.insts[end].kind else {
        return;
    };
    let hidden = InstKind::Binary {
        op: BinaryOp::Xor,
        args: [cond, never],
        flags: FloatFlags::empty(),
    };
    let loc = func.insts[end].loc;
    let last = func.layout.insts[header].len() - 1;
    let hidden = func.insert_value(header, last, hidden, Type::BOOL, loc);
    if let InstKind::Branch { cond, .. } = &mut func.insts[end].kind {
        *cond = hidden;
    }
}
