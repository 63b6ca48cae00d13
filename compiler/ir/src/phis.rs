//! The blocks where variables that become values need a parameter (Cytron et al. 1991).
//!
//! A block needs one for a variable if different writes of it may arrive there, and something behind reads it.

use super::{Block, Cfg, DomTree};
use cranelift_entity::{EntityRef, PrimaryMap, SecondaryMap};
use smallvec::SmallVec;

/// The blocks that access a variable, gathered in any order of blocks.
#[derive(Clone, Debug, Default)]
pub struct Accesses {
    writes: SmallVec<[Block; 4]>,
    /// The blocks that read the variable before they write it.
    reads: SmallVec<[Block; 4]>,
}

impl Accesses {
    /// Notes a read; all accesses of a block are noted in their order, and no other block's between them.
    pub fn read(&mut self, block: Block) {
        if self.writes.last() != Some(&block) && self.reads.last() != Some(&block) {
            self.reads.push(block);
        }
    }

    /// Notes a write of the whole variable.
    pub fn write(&mut self, block: Block) {
        if self.writes.last() != Some(&block) {
            self.writes.push(block);
        }
    }
}

/// The variables for which each block needs a parameter, in their order.
pub type Parameters<V> = SecondaryMap<Block, Vec<V>>;

/// Gives the variables for which each block needs a parameter. `blocks` is more than any block's number.
pub fn place<V: EntityRef>(
    cfg: &Cfg,
    dom: &DomTree,
    blocks: usize,
    variables: &PrimaryMap<V, Accesses>,
) -> Parameters<V> {
    let mut parameters = Parameters::new();
    parameters.resize(blocks);
    let mut frontiers = None;
    let [mut mark, mut live, mut writes] = std::array::from_fn(|_| {
        let mut rounds: SecondaryMap<Block, u32> = SecondaryMap::new();
        rounds.resize(blocks);
        rounds
    });
    for (round, (variable, accesses)) in (1u32..).zip(variables) {
        if accesses.writes.is_empty() || accesses.reads.is_empty() {
            continue;
        }
        let frontiers = frontiers.get_or_insert_with(|| dominance_frontiers(cfg, dom));
        for &block in &accesses.writes {
            writes[block] = round;
        }
        // The blocks at whose start the variable's value is wanted, backwards from the reads.
        let mut work = accesses.reads.clone();
        while let Some(block) = work.pop() {
            if live[block] == round {
                continue;
            }
            live[block] = round;
            let preds = cfg.preds(block).iter().copied();
            work.extend(preds.filter(|&pred| writes[pred] != round));
        }
        let mut work = accesses.writes.clone();
        while let Some(block) = work.pop() {
            for &join in &frontiers[block] {
                if mark[join] != round && live[join] == round {
                    mark[join] = round;
                    parameters[join].push(variable);
                    work.push(join);
                }
            }
        }
    }
    parameters
}

fn dominance_frontiers(cfg: &Cfg, dom: &DomTree) -> SecondaryMap<Block, SmallVec<[Block; 2]>> {
    let mut frontiers: SecondaryMap<Block, SmallVec<[Block; 2]>> = SecondaryMap::new();
    let highest = cfg.reverse_postorder().iter().map(|block| block.index());
    frontiers.resize(highest.max().map_or(0, |highest| highest + 1));
    for &block in cfg.reverse_postorder() {
        let preds = cfg.preds(block);
        if preds.len() < 2 {
            continue;
        }
        for &pred in preds {
            let mut runner = Some(pred);
            while let Some(at) = runner.filter(|&at| Some(at) != dom.idom(block)) {
                if !frontiers[at].contains(&block) {
                    frontiers[at].push(block);
                }
                runner = dom.idom(at);
            }
        }
    }
    frontiers
}
