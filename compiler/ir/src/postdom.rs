//! Postdominators: the blocks where all ways from a block meet.

use super::{Block, Cfg, DomTree, Function};
use smallvec::SmallVec;

/// The postdominator tree.
#[derive(Clone, Debug)]
pub struct Ends {
    tree: DomTree,
    /// Stands for the end of the function.
    end: Block,
}

impl Ends {
    /// Computes the tree of a function, which gets one more block outside of its layout.
    pub fn new(func: &mut Function, cfg: &Cfg) -> Self {
        let end = func.make_block();
        let mut last: SmallVec<[Block; 2]> = SmallVec::new();
        let blocks = cfg.reverse_postorder().iter().copied();
        last.extend(blocks.filter(|&block| cfg.succs(block).is_empty()));
        let backwards =
            Cfg::with_successors(Some(end), func.blocks.len(), |block| match block == end {
                true => last.clone(),
                false => SmallVec::from_slice(cfg.preds(block)),
            });
        let tree = DomTree::new(&backwards);
        Self { tree, end }
    }

    /// The block where all ways from a block meet; `None` if that is the end, or there is none.
    pub fn meet(&self, block: Block) -> Option<Block> {
        self.tree.idom(block).filter(|&meet| meet != self.end)
    }
}
