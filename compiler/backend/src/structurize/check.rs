//! An independent check of SPIR-V's rules for structured control flow (§2.11, §2.16.1) and of
//! what [`super::run`] promises.

use super::work::targets;
use pumice_ir::{Block, Cfg, DomTree, Function, InstKind, Merge};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// Checks a structured function.
///
/// # Errors
/// The first rule that does not hold, naming the block.
pub fn check(func: &Function) -> Result<(), String> {
    let Some(entry) = func.entry() else {
        return Ok(());
    };
    let mut position: FxHashMap<Block, usize> = FxHashMap::default();
    for (index, &block) in func.layout.blocks.iter().enumerate() {
        if position.insert(block, index).is_some() {
            return Err(format!("{block}: twice in the layout"));
        }
    }
    // Structural dominance: a header also leads to its merge block and continue target.
    let structural = Cfg::with_successors(Some(entry), func.blocks.len(), |block| {
        let mut list: SmallVec<[Block; 2]> = targets(func, block);
        if let Some(merge) = func.blocks[block].merge {
            list.push(merge.merge());
            if let Merge::Loop {
                continue_target, ..
            } = merge
            {
                list.push(continue_target);
            }
        }
        let mut seen = FxHashSet::default();
        list.retain(|b| seen.insert(*b));
        list
    });
    let dom = DomTree::new(&structural);
    if !structural.preds(entry).is_empty() {
        return Err(format!("{entry}: the entry has predecessors"));
    }
    for &block in structural.reverse_postorder() {
        let Some(&here) = position.get(&block) else {
            return Err(format!("{block}: reachable but not in the layout"));
        };
        if let Some(idom) = dom.idom(block) {
            if position[&idom] > here {
                return Err(format!("{block}: before its dominator {idom}"));
            }
        }
    }
    for &block in &func.layout.blocks {
        if !structural.is_reachable(block) {
            return Err(format!("{block}: in the layout but not reachable"));
        }
    }
    headers(func, &dom)?;
    edges(func, &dom)
}

/// Rules about headers, merge blocks and continue targets.
fn headers(func: &Function, dom: &DomTree) -> Result<(), String> {
    let mut owner: FxHashMap<Block, Block> = FxHashMap::default();
    let mut claim = |block: Block, header: Block| match owner.insert(block, header) {
        Some(other) => Err(format!(
            "{block}: named by the headers {other} and {header}"
        )),
        None => Ok(()),
    };
    for &block in &func.layout.blocks {
        let Some(inst) = func.terminator(block) else {
            return Err(format!("{block}: no terminator"));
        };
        let kind = &func.insts[inst].kind;
        let merge = func.blocks[block].merge;
        match (kind, merge) {
            (InstKind::Branch { then, other, .. }, Some(Merge::Selection { .. })) => {
                if then.block == other.block {
                    return Err(format!("{block}: both targets of the branch are equal"));
                }
            }
            (InstKind::Switch { default, cases, .. }, Some(Merge::Selection { merge })) => {
                let calls = || cases.iter().map(|(_, call)| call).chain([default]);
                for call in calls() {
                    if calls().any(|c| c.block == call.block && c.args != call.args) {
                        return Err(format!("{block}: edges to {} differ", call.block));
                    }
                    if call.block == merge {
                        return Err(format!("{block}: a case is the merge block"));
                    }
                    if !dom.dominates(block, call.block) {
                        return Err(format!("{block}: does not dominate case {}", call.block));
                    }
                }
            }
            (InstKind::Jump { .. }, Some(Merge::Loop { .. }) | None) => {}
            (InstKind::Return { .. } | InstKind::Unreachable, None) => {}
            _ => return Err(format!("{block}: {kind:?} with {merge:?}")),
        }
        let Some(merge) = merge else { continue };
        claim(merge.merge(), block)?;
        if merge.merge() == block || !dom.dominates(block, merge.merge()) {
            return Err(format!("{block}: does not dominate its merge block"));
        }
        if let Merge::Loop {
            continue_target,
            merge,
            ..
        } = merge
        {
            claim(continue_target, block)?;
            if !dom.dominates(block, continue_target) || dom.dominates(merge, continue_target) {
                return Err(format!("{block}: bad continue target {continue_target}"));
            }
            if targets(func, continue_target)[..] != [block] {
                return Err(format!(
                    "{continue_target}: does not only branch to {block}"
                ));
            }
        }
    }
    // A back edge goes to a loop header, from its continue target.
    for &block in &func.layout.blocks {
        for succ in targets(func, block) {
            if dom.dominates(succ, block) {
                let ok = matches!(func.blocks[succ].merge,
                    Some(Merge::Loop { continue_target, .. }) if continue_target == block);
                if !ok {
                    return Err(format!("{block}: stray back edge to {succ}"));
                }
            }
        }
    }
    Ok(())
}

/// A construct leaves only to its merge block, to the innermost loop's merge block or
/// continue target, or by ending the function.
fn edges(func: &Function, dom: &DomTree) -> Result<(), String> {
    // The innermost construct around each block, other than the block's own.
    let mut around: FxHashMap<Block, Option<Block>> = FxHashMap::default();
    let contains = |header: Block, block: Block| {
        dom.dominates(header, block)
            && func.blocks[header]
                .merge
                .is_some_and(|m| !dom.dominates(m.merge(), block))
    };
    for &block in &func.layout.blocks {
        let mut candidate = dom.idom(block);
        if let Some(idom) = candidate {
            if func.blocks[idom].merge.is_none() {
                candidate = around[&idom];
            }
        }
        while let Some(header) = candidate {
            if contains(header, block) {
                break;
            }
            candidate = around[&header];
        }
        around.insert(block, candidate);
    }
    let is_loop = |header: Block| matches!(func.blocks[header].merge, Some(Merge::Loop { .. }));
    for &block in &func.layout.blocks {
        let own = func.blocks[block].merge.map(|_| block);
        let constructs: Vec<Block> =
            std::iter::successors(own.or(around[&block]), |header| around[header]).collect();
        let innermost_loop = constructs.iter().copied().find(|&header| is_loop(header));
        let exits = innermost_loop.and_then(|header| func.blocks[header].merge);
        for succ in targets(func, block) {
            for &header in constructs.iter().take_while(|&&h| !contains(h, succ)) {
                let to_merge = func.blocks[header].merge.is_some_and(|m| m.merge() == succ);
                let out_of_loop = matches!(exits, Some(Merge::Loop { merge, continue_target, .. })
                    if succ == merge || succ == continue_target);
                if !to_merge && !out_of_loop {
                    return Err(format!(
                        "{block}: leaves the construct of {header} to {succ}"
                    ));
                }
            }
        }
    }
    Ok(())
}
