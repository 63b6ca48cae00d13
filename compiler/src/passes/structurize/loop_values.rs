//! For drivers that take the values of a loop, behind it, from the round in which the last
//! work-item left (`loop_values_by_phi` of [`crate::Target`]): each such value goes through a
//! parameter of the loop's merge block.
//!
//! A driver's optimiser drops a phi whose sources are all one value, so one edge passes a copy
//! that it cannot see through: a select by a condition that never holds. A merge block with one
//! predecessor gets a second one, by a branch that is never taken.

use super::{Merge, StructuredCfg};
use crate::ir::{Block, BlockCall, BuiltIn, Function, InstKind, IntCond, SourceLoc, Type, Value};
use rustc_hash::FxHashMap;
use smallvec::smallvec;

/// Two conditions that never hold; neither follows from the other.
struct Never {
    branch: Value,
    select: Value,
}

/// Rewrites a structured function; it stays structured.
pub fn run(func: &mut Function, structured: &mut StructuredCfg) {
    let mut loops: Vec<(usize, Block)> = Vec::new();
    for (index, &block) in func.layout.blocks.iter().enumerate() {
        if let Some(Merge::Loop { merge, .. }) = structured.merges[block] {
            loops.push((index, merge));
        }
    }
    let mut never = None;
    // Inner loops stand behind their outer ones. Blocks are only inserted behind the headers
    // that are still to come, so those keep their places.
    while let Some((header, merge)) = loops.pop() {
        one_loop(func, structured, header, merge, &mut never);
    }
}

fn one_loop(
    func: &mut Function,
    structured: &mut StructuredCfg,
    header: usize,
    merge: Block,
    never: &mut Option<Never>,
) {
    let Some(end) = func.layout.blocks.iter().position(|&b| b == merge) else {
        return;
    };
    let inside = func.layout.blocks[header..end].to_vec();
    let values = live_out(func, &inside);
    if values.is_empty() {
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
    let never = never.get_or_insert_with(|| make_never(func));
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
    if let [only] = preds[..] {
        second_edge(func, structured, only, merge, &values, never);
        return;
    }
    for (index, &pred) in preds.iter().enumerate() {
        let args = if index == 0 {
            values.clone()
        } else {
            copies(func, pred, &values, never)
        };
        add_args(func, pred, merge, &args);
    }
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

/// Conditions at the top of the function: no work-group has so many work-items.
fn make_never(func: &mut Function) -> Never {
    let entry = func.layout.blocks[0];
    let loc = SourceLoc::default();
    let terminator = func.layout.insts[entry].pop();
    let item = InstKind::BuiltIn {
        which: BuiltIn::LocalLinearId,
    };
    let item = func.append_value(entry, item, Type::I64, loc);
    let [branch, select] = [u64::from(u32::MAX), u64::from(u32::MAX - 1)].map(|number| {
        let number = func.constant(Type::I64, &[number]);
        let compare = InstKind::ICmp {
            cond: IntCond::Eq,
            args: [item, number],
        };
        func.append_value(entry, compare, Type::BOOL, loc)
    });
    func.layout.insts[entry].extend(terminator);
    Never { branch, select }
}

/// Copies of the values at the end of a block, before its terminator.
fn copies(func: &mut Function, block: Block, values: &[Value], never: &Never) -> Vec<Value> {
    let loc = SourceLoc::default();
    let terminator = func.layout.insts[block].pop();
    let list = values
        .iter()
        .map(|&value| {
            let ty = func.ty(value);
            let zero = func.constant(ty, &vec![0; usize::from(ty.lanes)]);
            let select = InstKind::Select {
                cond: never.select,
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

/// `pred → merge` becomes `pred → first → merge` and, never taken, `first → second → merge`.
fn second_edge(
    func: &mut Function,
    structured: &mut StructuredCfg,
    pred: Block,
    merge: Block,
    values: &[Value],
    never: &Never,
) {
    let Some(inst) = func.terminator(pred) else {
        return;
    };
    let (first, second) = (func.make_block(), func.make_block());
    let mut args = None;
    for call in func.insts[inst].kind.successors_mut() {
        if call.block == merge {
            call.block = first;
            args = Some(std::mem::take(&mut call.args));
        }
    }
    let mut direct = BlockCall {
        block: merge,
        args: args.unwrap_or_default(),
    };
    let mut odd = direct.clone();
    direct.args.extend_from_slice(values);
    let loc = SourceLoc::default();
    let branch = InstKind::Branch {
        cond: never.branch,
        then: odd.clone(),
        other: BlockCall {
            block: second,
            args: smallvec![],
        },
    };
    let branch = func.append(first, branch, &[], loc);
    odd.args.extend(copies(func, first, values, never));
    if let InstKind::Branch { then, .. } = &mut func.insts[branch].kind {
        *then = odd;
    }
    func.append(second, InstKind::Jump { dest: direct }, &[], loc);
    structured.merges[first] = Some(Merge::Selection { merge: second });
    if let Some(at) = func.layout.blocks.iter().position(|&b| b == pred) {
        func.layout.blocks.splice(at + 1..at + 1, [first, second]);
    }
}
