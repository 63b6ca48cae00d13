//! The loop nest of a reducible control-flow graph.

use super::{Block, Cfg, DomTree};
use cranelift_entity::{PrimaryMap, SecondaryMap, entity_impl};

/// A natural loop.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Loop(u32);
entity_impl!(Loop, "loop");

/// One loop of a [`LoopNest`].
#[derive(Clone, Debug)]
pub struct LoopData {
    /// The block that dominates the others and that the back edges target.
    pub header: Block,
    /// The smallest loop around this one.
    pub parent: Option<Loop>,
}

/// The natural loops of a function: back edges with the same header make one loop.
#[derive(Clone, Debug, Default)]
pub struct LoopNest {
    /// All loops; a loop comes after the loops inside it.
    pub loops: PrimaryMap<Loop, LoopData>,
    innermost: SecondaryMap<Block, Option<Loop>>,
}

impl LoopNest {
    /// Finds the loops. In an irreducible graph only the reducible ones are found.
    pub fn new(cfg: &Cfg, dom: &DomTree) -> Self {
        let mut nest = Self::default();
        // Inner headers come later in the reverse postorder than the headers around them.
        for &header in cfg.reverse_postorder().iter().rev() {
            let mut work: Vec<Block> = cfg
                .preds(header)
                .iter()
                .copied()
                .filter(|&pred| dom.dominates(header, pred))
                .collect();
            if work.is_empty() {
                continue;
            }
            let this = nest.loops.push(LoopData {
                header,
                parent: None,
            });
            nest.adopt(cfg, header, this);
            while let Some(block) = work.pop() {
                let entered = nest.adopt(cfg, block, this);
                if let Some(entered) = entered {
                    work.extend_from_slice(cfg.preds(entered));
                }
            }
        }
        nest
    }

    /// Puts a block, or the outermost loop around it, inside `this`. Gives the block whose
    /// predecessors belong to the loop too, unless the block was there already.
    fn adopt(&mut self, cfg: &Cfg, block: Block, this: Loop) -> Option<Block> {
        debug_assert!(cfg.is_reachable(block));
        let Some(mut outer) = self.innermost[block] else {
            self.innermost[block] = Some(this);
            return (block != self.loops[this].header).then_some(block);
        };
        while let Some(parent) = self.loops[outer].parent {
            outer = parent;
        }
        if outer == this {
            return None;
        }
        self.loops[outer].parent = Some(this);
        let header = self.loops[outer].header;
        (header != self.loops[this].header).then_some(header)
    }

    /// The smallest loop that contains the block.
    pub fn innermost(&self, block: Block) -> Option<Loop> {
        self.innermost[block]
    }

    /// Returns whether `outer` is `inner` or around it.
    pub fn encloses(&self, outer: Loop, inner: Option<Loop>) -> bool {
        let mut current = inner;
        while let Some(this) = current {
            if this == outer {
                return true;
            }
            current = self.loops[this].parent;
        }
        false
    }

    /// Returns whether the block is in the loop, nested loops included.
    pub fn contains(&self, this: Loop, block: Block) -> bool {
        self.encloses(this, self.innermost[block])
    }

    /// The outermost loop around a block.
    pub fn outermost(&self, block: Block) -> Option<Loop> {
        let mut current = self.innermost[block]?;
        while let Some(parent) = self.loops[current].parent {
            current = parent;
        }
        Some(current)
    }
}

/// Returns whether every cycle is entered through a block that dominates it.
pub fn is_reducible(cfg: &Cfg, dom: &DomTree) -> bool {
    cfg.reverse_postorder().iter().all(|&block| {
        cfg.succs(block).iter().all(|&succ| {
            // A branch backwards in the order must go to a dominator.
            cfg.rpo_number(succ) > cfg.rpo_number(block) || dom.dominates(succ, block)
        })
    })
}
