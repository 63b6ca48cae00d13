//! For drivers that take the values of a loop, behind it, from the round in which the last
//! work-item left
//! ([`QuirkKind::LoopValuesByPhi`](pumice_target::QuirkKind::LoopValuesByPhi)): each such value goes through a
//! parameter of the loop's merge block.
//!
//! A driver's optimiser drops a phi whose sources are all one value, and makes one edge of two
//! that leave the loop at the same place or with the same values. So a branch at the top of the
//! body, which is never taken, leaves the loop with zeros; and all edges but one pass copies that
//! the optimiser cannot see through: selects by another condition that never holds.

use super::never::Never;
use crate::pass::{Changed, FunctionCtx};
use pumice_ir::{Block, BlockCall, Function, InstKind, Merge, SourceLoc, Value};
use rustc_hash::FxHashMap;
use smallvec::smallvec;

/// Rewrites a structured function; it stays structured.
pub fn run(func: &mut Function, ctx: &FunctionCtx<'_>) -> Changed {
    let mut loops: Vec<(usize, Block)> = Vec::new();
    for (index, &block) in func.layout.blocks.iter().enumerate() {
        // Where all leave together, the last round is everyone's.
        if let Some(Merge::Loop {
            merge,
            left_together: false,
            ..
        }) = func.blocks[block].merge
        {
            loops.push((index, merge));
        }
    }
    let mut never = Never::new(ctx);
    // Inner loops stand behind their outer ones. Blocks are only inserted behind the headers
    // that are still to come, so those keep their places.
    while let Some((header, merge)) = loops.pop() {
        pass_by_phis(func, header, merge, &mut never, OtherEdges::Hidden);
    }
    Changed::from_bool(never.is_used())
}

/// The form of a loop's values on the edges out of it, but for the first edge and the one that is never taken.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum OtherEdges {
    /// Copies that the optimiser cannot see through.
    Hidden,
    /// The values themselves.
    AsTheyAre,
}

/// Lets all values of a loop that are used behind it go through its merge block's parameters.
pub(super) fn pass_by_phis(
    func: &mut Function,
    header: usize,
    merge: Block,
    never: &mut Never,
    edges: OtherEdges,
) {
    let Some(end) = func.layout.blocks.iter().position(|&b| b == merge) else {
        return;
    };
    let inside = func.layout.blocks[header..end].to_vec();
    let values = live_out(func, &inside);
    let passes_none = values.is_empty() && func.blocks[merge].params.is_empty();
    // Optimisers that look for common expressions may use more values behind a loop than the program does.
    if passes_none && edges == OtherEdges::Hidden {
        return;
    }
    let preds: Vec<Block> = (inside.iter().copied())
        .filter(|&block| {
            func.terminator(block).is_some_and(|inst| {
                let calls = func.insts[inst].kind.successors();
                calls.iter().any(|call| call.block == merge)
            })
        })
        .collect();
    if preds.is_empty() {
        return;
    }
    let mut hidden = None;
    for (index, &pred) in preds.iter().enumerate() {
        let args = if index == 0 || edges == OtherEdges::AsTheyAre {
            values.clone()
        } else {
            let hidden = *hidden.get_or_insert_with(|| never.condition(func));
            copies(func, pred, &values, hidden)
        };
        add_args(func, pred, merge, &args);
    }
    let mut renamed: FxHashMap<Value, Value> = FxHashMap::default();
    for &value in &values {
        let ty = func.ty(value);
        renamed.insert(value, func.append_param(merge, ty));
    }
    // Uses behind the loop; edges out of it are still inside.
    let outside: Vec<Block> = (func.layout.blocks.iter().copied())
        .filter(|block| !inside.contains(block))
        .collect();
    for block in outside {
        for inst in func.layout.insts[block].clone() {
            func.insts[inst].kind.for_each_value_mut(|value| {
                if let Some(&param) = renamed.get(value) {
                    *value = param;
                }
            });
        }
    }
    let leave = never.condition(func);
    leave_at_once(func, header, merge, leave);
}

/// Values made in these blocks and used in others, in a fixed order.
fn live_out(func: &Function, inside: &[Block]) -> Vec<Value> {
    let mut made: FxHashMap<Value, bool> = FxHashMap::default();
    for &block in inside {
        made.extend(func.blocks[block].params.iter().map(|&p| (p, false)));
        for &inst in &func.layout.insts[block] {
            made.extend(func.insts[inst].results.iter().map(|&r| (r, false)));
        }
    }
    let mut values = Vec::new();
    for &block in &func.layout.blocks {
        if inside.contains(&block) {
            continue;
        }
        for &inst in &func.layout.insts[block] {
            func.insts[inst].kind.for_each_value(|value| {
                if let Some(seen) = made.get_mut(&value) {
                    if !std::mem::replace(seen, true) {
                        values.push(value);
                    }
                }
            });
        }
    }
    values
}

/// Copies of the values at the end of a block, before its terminator.
fn copies(func: &mut Function, block: Block, values: &[Value], never: Value) -> Vec<Value> {
    let loc = SourceLoc::default();
    let terminator = func.layout.insts[block].pop();
    let list = values
        .iter()
        .map(|&value| {
            let ty = func.ty(value);
            let zero = func.constant(ty, &vec![0; usize::from(ty.lanes)]);
            let select = InstKind::Select {
                cond: never,
                then: zero,
                other: value,
            };
            func.append_value(block, select, ty, loc)
        })
        .collect();
    func.layout.insts[block].extend(terminator);
    list
}

fn add_args(func: &mut Function, block: Block, target: Block, args: &[Value]) {
    let Some(inst) = func.terminator(block) else {
        return;
    };
    for call in func.insts[inst].kind.successors_mut() {
        if call.block == target {
            call.args.extend_from_slice(args);
        }
    }
}

/// `header → body` becomes `header → check → body` and, never taken, `check → merge`, which
/// gets zeros.
fn leave_at_once(func: &mut Function, header: usize, merge: Block, never: Value) {
    let header_block = func.layout.blocks[header];
    let Some(inst) = func.terminator(header_block) else {
        return;
    };
    let params = func.blocks[merge].params.clone();
    let args = params
        .iter()
        .map(|&param| {
            let ty = func.ty(param);
            func.constant(ty, &vec![0; usize::from(ty.lanes)])
        })
        .collect();
    let (check, next) = (func.make_block(), func.make_block());
    let mut body = None;
    for call in func.insts[inst].kind.successors_mut() {
        let to_check = BlockCall {
            block: check,
            args: smallvec![],
        };
        body = Some(std::mem::replace(call, to_check));
    }
    let Some(body) = body else { return };
    let loc = SourceLoc::default();
    let branch = InstKind::Branch {
        cond: never,
        then: BlockCall { block: merge, args },
        other: BlockCall {
            block: next,
            args: smallvec![],
        },
    };
    func.append(check, branch, &[], loc);
    func.append(next, InstKind::Jump { dest: body }, &[], loc);
    func.blocks[check].merge = Some(Merge::Selection { merge: next });
    func.layout
        .blocks
        .splice(header + 1..header + 1, [check, next]);
}
