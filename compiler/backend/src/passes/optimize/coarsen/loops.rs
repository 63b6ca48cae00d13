//! Loops that neighbours leave in different rounds.

use super::plan::Region;
use cranelift_entity::EntitySet;
use pumice_ir::{AccessFlags, Block, Cfg, Function, InstKind, Value};

/// Returns whether a block may be executed again with the same values, up to its terminator.
pub(super) fn may_repeat(func: &Function, block: Block) -> bool {
    let insts = &func.layout.insts[block];
    let (_, rest) = insts.split_last().unzip();
    let mut rest = rest.into_iter().flatten();
    rest.all(|&inst| match func.insts[inst].kind {
        InstKind::Load { flags, .. } => !flags.contains(AccessFlags::VOLATILE),
        ref kind => !kind.has_side_effects(),
    })
}

/// Lets values of a loop's first block reach the code behind the loop as parameters alone: each neighbour has its own there.
/// Returns whether there were such; `None` if the code can be reached around the loop.
pub(super) fn pass_out(
    func: &mut Function,
    cfg: &Cfg,
    first: Block,
    region: &Region,
) -> Option<bool> {
    let results = func.layout.insts[first].iter();
    let results = results.flat_map(|&inst| func.insts[inst].results.iter().copied());
    let params = func.blocks[first].params.iter().copied();
    let values: Vec<Value> = params.chain(results).collect();
    let is_behind = |block: &&Block| !region.blocks.contains(block);
    let behind: Vec<Block> = cfg
        .reverse_postorder()
        .iter()
        .filter(is_behind)
        .copied()
        .collect();
    let used = used(func, &behind);
    let mut changed = false;
    for value in values.into_iter().filter(|&value| used.contains(value)) {
        let mut before = cfg.preds(region.meet).iter();
        if !before.all(|pred| region.blocks.contains(pred)) {
            return None;
        }
        let passed = func.append_param(region.meet, func.ty(value));
        for &block in &behind {
            for inst in func.layout.insts[block].clone() {
                let kind = &mut func.insts[inst].kind;
                kind.for_each_value_mut(|used| {
                    if *used == value {
                        *used = passed;
                    }
                });
            }
        }
        for &block in &region.blocks {
            let Some(last) = func.terminator(block) else {
                continue;
            };
            for call in func.insts[last].kind.successors_mut() {
                if call.block == region.meet {
                    call.args.push(value);
                }
            }
        }
        changed = true;
    }
    Some(changed)
}

fn used(func: &Function, blocks: &[Block]) -> EntitySet<Value> {
    let insts = blocks.iter().flat_map(|&block| &func.layout.insts[block]);
    let mut found = EntitySet::new();
    for &inst in insts {
        func.insts[inst].kind.for_each_value(|value| {
            found.insert(value);
        });
    }
    found
}
