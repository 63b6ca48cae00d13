//! The control-flow graph: predecessors, successors and orders.

use super::{Block, Function};
use cranelift_entity::SecondaryMap;
use smallvec::SmallVec;

/// Predecessors, successors and a reverse postorder, computed once per CFG.
#[derive(Clone, Debug)]
pub struct Cfg {
    preds: SecondaryMap<Block, SmallVec<[Block; 2]>>,
    succs: SecondaryMap<Block, SmallVec<[Block; 2]>>,
    rpo: Vec<Block>,
    rpo_number: SecondaryMap<Block, u32>,
}

/// The number of blocks that the entry does not reach.
const UNREACHED: u32 = u32::MAX;

impl Cfg {
    /// Reads the branches of a function. Blocks not reachable from the entry have no
    /// order number and count as nobody's predecessor.
    pub fn new(func: &Function) -> Self {
        Self::with_successors(func.entry(), func.blocks.len(), |block| {
            let mut list: SmallVec<[Block; 2]> = SmallVec::new();
            if let Some(inst) = func.terminator(block) {
                for call in func.insts[inst].kind.successors() {
                    if !list.contains(&call.block) {
                        list.push(call.block);
                    }
                }
            }
            list
        })
    }

    /// A graph given by a successor function (each successor at most once per block).
    pub fn with_successors(
        entry: Option<Block>,
        num_blocks: usize,
        mut successors: impl FnMut(Block) -> SmallVec<[Block; 2]>,
    ) -> Self {
        let mut cfg = Self {
            preds: SecondaryMap::with_capacity(num_blocks),
            succs: SecondaryMap::with_capacity(num_blocks),
            rpo: Vec::new(),
            rpo_number: SecondaryMap::with_default(UNREACHED),
        };
        let Some(entry) = entry else { return cfg };
        // Depth-first with an explicit stack: (block, next successor).
        let mut postorder = Vec::new();
        let mut stack = vec![(entry, 0)];
        cfg.succs[entry] = successors(entry);
        cfg.rpo_number[entry] = 0;
        while let Some((block, next)) = stack.last_mut() {
            let block = *block;
            if let Some(&succ) = cfg.succs[block].get(*next) {
                *next += 1;
                cfg.preds[succ].push(block);
                if cfg.rpo_number[succ] == UNREACHED {
                    cfg.rpo_number[succ] = 0;
                    cfg.succs[succ] = successors(succ);
                    stack.push((succ, 0));
                }
            } else {
                postorder.push(block);
                stack.pop();
            }
        }
        postorder.reverse();
        for (number, &block) in postorder.iter().enumerate() {
            cfg.rpo_number[block] = number as u32;
        }
        cfg.rpo = postorder;
        cfg
    }

    /// Reachable predecessors, each once.
    pub fn preds(&self, block: Block) -> &[Block] {
        &self.preds[block]
    }

    /// Successors, each once.
    pub fn succs(&self, block: Block) -> &[Block] {
        &self.succs[block]
    }

    /// Reachable blocks in reverse postorder, the entry first.
    pub fn reverse_postorder(&self) -> &[Block] {
        &self.rpo
    }

    /// Position in the reverse postorder; `None` when unreachable.
    pub fn rpo_number(&self, block: Block) -> Option<u32> {
        Some(self.rpo_number[block]).filter(|&n| n != UNREACHED)
    }

    /// Whether the entry reaches the block.
    pub fn is_reachable(&self, block: Block) -> bool {
        self.rpo_number[block] != UNREACHED
    }
}
