//! The cycles of a function that may go many rounds.
//!
//! Each cycle of the control flow has a block that is entered by a branch backwards in the reverse postorder. A loop that
//! is known to go few rounds, those of the loops inside of it counted, is left out. A branch into the middle of a cycle
//! goes round without passing the header: such a cycle is never left out.

use super::trip_count::rounds;
use cranelift_entity::SecondaryMap;
use pumice_ir::{Block, Cfg, DomTree, Function, Loop, LoopNest};

/// Rounds of one loop that are counted.
const COUNTED_ROUNDS: u64 = 1 << 12;

/// A block that is entered by a branch backwards.
pub(crate) struct Head {
    pub block: Block,
    /// The loop that it is the only entry of.
    pub natural: Option<Loop>,
    /// The blocks that branch backwards to it.
    pub latches: Vec<Block>,
}

/// The heads of cycles that are not known to go `most` rounds at most, in the reverse postorder.
pub(crate) fn heads(
    func: &Function,
    cfg: &Cfg,
    dom: &DomTree,
    nest: &LoopNest,
    most: u64,
) -> Vec<Head> {
    let mut heads = Vec::new();
    let mut natural: SecondaryMap<Loop, bool> = SecondaryMap::new();
    for &block in cfg.reverse_postorder() {
        let preds = cfg.preds(block).iter().copied();
        let latches: Vec<Block> = preds
            .filter(|&pred| cfg.rpo_number(pred) >= cfg.rpo_number(block))
            .collect();
        if latches.is_empty() {
            continue;
        }
        let own = nest.innermost(block);
        let own = own.filter(|&this| nest.loops[this].header == block);
        let own = own.filter(|_| latches.iter().all(|&latch| dom.dominates(block, latch)));
        if let Some(this) = own {
            natural[this] = true;
        }
        heads.push(Head {
            block,
            natural: own,
            latches,
        });
    }
    let mut short: SecondaryMap<Loop, bool> = SecondaryMap::new();
    // Rounds of the loops inside, and the own one.
    let mut inside: SecondaryMap<Loop, u64> = SecondaryMap::with_default(1);
    // A loop comes after those inside of it.
    for (this, data) in &nest.loops {
        if !natural[this] {
            continue;
        }
        let own = rounds(func, cfg, dom, nest, this, most.min(COUNTED_ROUNDS));
        let sum = own.map_or(u64::MAX, |own| own.saturating_mul(inside[this]));
        short[this] = sum <= most;
        if let (Some(parent), true) = (data.parent, short[this]) {
            inside[parent] = inside[parent].saturating_add(sum);
        }
    }
    heads.retain(|head| !head.natural.is_some_and(|this| short[this]));
    heads
}
