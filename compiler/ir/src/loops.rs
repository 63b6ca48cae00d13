//! The loop nest of a reducible control-flow graph.

use super::effort::look;
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
    /// The outermost loop around each; while loops are found, one that is further out.
    outermost: SecondaryMap<Loop, Option<Loop>>,
    /// The places of a loop and those inside of it in a walk over the nest, outer ones first.
    interval: SecondaryMap<Loop, (u32, u32)>,
}

impl LoopNest {
    /// Finds the loops and the dominators that tell them; `None` in a graph without cycles, which needs neither.
    pub fn find(cfg: &Cfg) -> Option<(DomTree, Self)> {
        if cfg.is_acyclic() {
            return None;
        }
        let dom = DomTree::new(cfg);
        let nest = Self::new(cfg, &dom);
        Some((dom, nest))
    }

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
        nest.number();
        nest
    }

    /// Numbers the loops so that those inside of a loop follow it without a gap.
    fn number(&mut self) {
        let mut size: SecondaryMap<Loop, u32> = SecondaryMap::with_default(1);
        for (this, data) in &self.loops {
            if let Some(parent) = data.parent {
                size[parent] += size[this];
            }
        }
        let mut next: SecondaryMap<Loop, u32> = SecondaryMap::new();
        let mut roots = 0;
        for this in self.loops.keys().rev() {
            let parent = self.loops[this].parent;
            let place = match parent {
                Some(parent) => &mut next[parent],
                None => &mut roots,
            };
            let start = *place;
            *place += size[this];
            next[this] = start + 1;
            self.interval[this] = (start, start + size[this]);
            let outermost = parent.and_then(|parent| self.outermost[parent]);
            self.outermost[this] = outermost.or(Some(this));
        }
    }

    /// The outermost loop around one, of those that are known so far; shortens the way to it.
    fn climb(&mut self, from: Loop) -> Loop {
        let mut root = from;
        while let Some(outer) = self.outermost[root] {
            root = outer;
        }
        let mut at = from;
        while at != root {
            let next = self.outermost[at].replace(root);
            at = next.unwrap_or(root);
        }
        root
    }

    /// Puts a block, or the outermost loop around it, inside `this`. Gives the block whose
    /// predecessors belong to the loop too, unless the block was there already.
    fn adopt(&mut self, cfg: &Cfg, block: Block, this: Loop) -> Option<Block> {
        debug_assert!(cfg.is_reachable(block));
        let Some(inner) = self.innermost[block] else {
            self.innermost[block] = Some(this);
            return (block != self.loops[this].header).then_some(block);
        };
        let outer = self.climb(inner);
        if outer == this {
            return None;
        }
        self.loops[outer].parent = Some(this);
        self.outermost[outer] = Some(this);
        let header = self.loops[outer].header;
        (header != self.loops[this].header).then_some(header)
    }

    /// The smallest loop that contains the block.
    pub fn innermost(&self, block: Block) -> Option<Loop> {
        self.innermost[block]
    }

    /// The loops that a block is in, the innermost first.
    pub fn around(&self, block: Block) -> impl Iterator<Item = Loop> + '_ {
        std::iter::successors(self.innermost(block), |&this| self.loops[this].parent)
    }

    /// Returns whether `outer` is `inner` or around it.
    pub fn encloses(&self, outer: Loop, inner: Option<Loop>) -> bool {
        look();
        let (start, end) = self.interval[outer];
        inner.is_some_and(|inner| (start..end).contains(&self.interval[inner].0))
    }

    /// Returns whether the block is in the loop, nested loops included.
    pub fn contains(&self, this: Loop, block: Block) -> bool {
        self.encloses(this, self.innermost[block])
    }

    /// Counts the loops that are inside one another, at most.
    pub fn depth(&self) -> u32 {
        let mut depth: SecondaryMap<Loop, u32> = SecondaryMap::new();
        for (this, data) in self.loops.iter().rev() {
            depth[this] = 1 + data.parent.map_or(0, |parent| depth[parent]);
        }
        self.loops.keys().map(|this| depth[this]).max().unwrap_or(0)
    }

    /// The outermost loop around a block.
    pub fn outermost(&self, block: Block) -> Option<Loop> {
        self.outermost[self.innermost[block]?]
    }
}

/// Returns whether every cycle is entered through a block that dominates it.
pub fn is_reducible(cfg: &Cfg) -> bool {
    if cfg.is_acyclic() {
        return true;
    }
    let dom = DomTree::new(cfg);
    cfg.reverse_postorder().iter().all(|&block| {
        cfg.succs(block).iter().all(|&succ| {
            // A branch backwards in the order must go to a dominator.
            cfg.rpo_number(succ) > cfg.rpo_number(block) || dom.dominates(succ, block)
        })
    })
}
