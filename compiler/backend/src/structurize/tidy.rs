//! Removes what the earlier steps made too much of: parameters with one possible argument,
//! blocks that only continue their only predecessor, empty arms.

use super::work::targets;
use cranelift_entity::SecondaryMap;
use pumice_ir::{Block, Cfg, Function, InstKind, Merge, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// Simplifies a structured function without changing its constructs.
pub(super) fn tidy(func: &mut Function, merges: &mut SecondaryMap<Block, Option<Merge>>) {
    drop_single_valued_params(func);
    let mut fixed: FxHashSet<Block> = FxHashSet::default();
    for &block in &func.layout.blocks {
        if let Some(merge) = merges[block] {
            fixed.insert(merge.merge());
            if let Merge::Loop {
                continue_target, ..
            } = merge
            {
                fixed.insert(continue_target);
                fixed.insert(block);
            }
        }
    }
    join_chains(func, merges, &fixed);
    skip_empty_arms(func, merges, &fixed);
    drop_single_valued_params(func);
}

/// A parameter whose arguments are all one value (or itself) is that value.
fn drop_single_valued_params(func: &mut Function) {
    let cfg = Cfg::new(func);
    let mut renamed: FxHashMap<Value, Value> = FxHashMap::default();
    let resolve = |renamed: &FxHashMap<Value, Value>, mut value: Value| {
        while let Some(&next) = renamed.get(&value) {
            value = next;
        }
        value
    };
    loop {
        let mut changed = false;
        for &block in &cfg.reverse_postorder()[1.min(func.layout.blocks.len())..] {
            for (index, &param) in func.blocks[block].params.iter().enumerate() {
                if renamed.contains_key(&param) {
                    continue;
                }
                let mut only: Option<Value> = None;
                let mut several = false;
                for &pred in cfg.preds(block) {
                    let Some(inst) = func.terminator(pred) else {
                        continue;
                    };
                    for call in func.insts[inst].kind.successors() {
                        if call.block != block {
                            continue;
                        }
                        let arg = resolve(&renamed, call.args[index]);
                        if arg != param && only != Some(arg) {
                            several |= only.is_some();
                            only = Some(arg);
                        }
                    }
                }
                if let (Some(only), false) = (only, several) {
                    renamed.insert(param, only);
                    changed = true;
                }
            }
        }
        if !changed {
            break;
        }
    }
    if renamed.is_empty() {
        return;
    }
    for &block in cfg.reverse_postorder() {
        let Some(inst) = func.terminator(block) else {
            continue;
        };
        let mut kind = std::mem::replace(&mut func.insts[inst].kind, InstKind::Unreachable);
        for call in kind.successors_mut() {
            let params = &func.blocks[call.block].params;
            let mut index = 0;
            call.args.retain(|_| {
                index += 1;
                !renamed.contains_key(&params[index - 1])
            });
        }
        func.insts[inst].kind = kind;
    }
    for &block in cfg.reverse_postorder() {
        func.retain_params(block, |_, param| !renamed.contains_key(&param));
    }
    func.rewrite_values(|value| resolve(&renamed, value));
}

/// Appends a block to its only predecessor when that jumps to it and nothing names it.
fn join_chains(
    func: &mut Function,
    merges: &mut SecondaryMap<Block, Option<Merge>>,
    fixed: &FxHashSet<Block>,
) {
    let cfg = Cfg::new(func);
    let mut renamed: FxHashMap<Value, Value> = FxHashMap::default();
    let mut gone: FxHashSet<Block> = FxHashSet::default();
    for &first in cfg.reverse_postorder() {
        if gone.contains(&first) {
            continue;
        }
        while merges[first].is_none() {
            let Some(inst) = func.terminator(first) else {
                break;
            };
            let InstKind::Jump { dest } = &func.insts[inst].kind else {
                break;
            };
            let next = dest.block;
            if fixed.contains(&next) || cfg.preds(next).len() != 1 {
                break;
            }
            for (&param, &arg) in func.blocks[next].params.iter().zip(&dest.args) {
                renamed.insert(param, arg);
            }
            func.blocks[next].params.clear();
            func.layout.insts[first].pop();
            let rest = std::mem::take(&mut func.layout.insts[next]);
            func.layout.insts[first].extend(rest);
            merges[first] = merges[next].take();
            gone.insert(next);
        }
    }
    func.layout.blocks.retain(|block| !gone.contains(block));
    if !renamed.is_empty() {
        func.rewrite_values(|mut value| {
            while let Some(&next) = renamed.get(&value) {
                value = next;
            }
            value
        });
    }
}

/// Lets a branch go straight where an empty arm would take it.
fn skip_empty_arms(
    func: &mut Function,
    merges: &SecondaryMap<Block, Option<Merge>>,
    fixed: &FxHashSet<Block>,
) {
    let cfg = Cfg::new(func);
    let mut gone: FxHashSet<Block> = FxHashSet::default();
    for &arm in cfg.reverse_postorder() {
        let ([inst], [pred]) = (&func.layout.insts[arm][..], cfg.preds(arm)) else {
            continue;
        };
        let (InstKind::Jump { dest }, Some(header)) = (&func.insts[*inst].kind, merges[*pred])
        else {
            continue;
        };
        let in_the_way = fixed.contains(&arm)
            || !func.blocks[arm].params.is_empty()
            || matches!(header, Merge::Loop { .. })
            || targets(func, *pred).contains(&dest.block);
        let Some(branch) = func.terminator(*pred) else {
            continue;
        };
        // A case may go straight to the merge block only, not out of a loop.
        let is_switch = matches!(func.insts[branch].kind, InstKind::Switch { .. });
        if in_the_way || (is_switch && dest.block != header.merge()) {
            continue;
        }
        let dest = dest.clone();
        for call in func.insts[branch].kind.successors_mut() {
            if call.block == arm {
                *call = dest.clone();
            }
        }
        gone.insert(arm);
    }
    func.layout.blocks.retain(|block| !gone.contains(block));
}
