//! The control-flow graph: predecessors, successors and orders.

use super::effort::look;
use super::{Block, BlockCall, Function};
use cranelift_entity::{EntitySet, SecondaryMap};
use smallvec::SmallVec;

/// Predecessors, successors and a reverse postorder, computed once per CFG.
///
/// Many passes make one, and functions that have been inlined into keep numbers of many blocks
/// that are no more: so it is a few lists in the order of the blocks that are.
#[derive(Clone, Debug)]
pub struct Cfg {
    rpo: Vec<Block>,
    rpo_number: SecondaryMap<Block, u32>,
    succs: Lists,
    preds: Lists,
}

/// A list of blocks for each block, by its place in the reverse postorder.
#[derive(Clone, Debug, Default)]
struct Lists {
    all: Vec<Block>,
    /// The start of each list, and at last the end of the last one.
    starts: Vec<u32>,
}

impl Lists {
    fn of(&self, number: u32) -> &[Block] {
        if number == UNREACHED {
            return &[];
        }
        let at = number as usize;
        &self.all[self.starts[at] as usize..self.starts[at + 1] as usize]
    }

    /// Sorts pairs (whose list, member) by list; members keep their order.
    fn gather(count: usize, pairs: impl ExactSizeIterator<Item = (u32, Block)> + Clone) -> Self {
        let mut starts = vec![0; count + 2];
        for (list, _) in pairs.clone() {
            starts[list as usize + 2] += 1;
        }
        for at in 2..starts.len() {
            starts[at] += starts[at - 1];
        }
        let Some((_, any)) = pairs.clone().next() else {
            return Self {
                all: Vec::new(),
                starts,
            };
        };
        let mut all = vec![any; pairs.len()];
        for (list, member) in pairs {
            let next = &mut starts[list as usize + 1];
            all[*next as usize] = member;
            *next += 1;
        }
        Self { all, starts }
    }
}

/// The number of blocks that the entry does not reach.
const UNREACHED: u32 = u32::MAX;

impl Cfg {
    /// Reads the branches of a function. Blocks not reachable from the entry have no
    /// order number and count as nobody's predecessor.
    pub fn new(func: &Function) -> Self {
        Self::with_successors(func.entry(), func.blocks.len(), |block| {
            let inst = func.terminator(block);
            inst.map_or_else(SmallVec::new, |inst| func.insts[inst].kind.targets())
        })
    }

    /// A graph given by a successor function (each successor at most once per block).
    pub fn with_successors(
        entry: Option<Block>,
        num_blocks: usize,
        mut successors: impl FnMut(Block) -> SmallVec<[Block; 2]>,
    ) -> Self {
        let mut numbers = SecondaryMap::with_default(UNREACHED);
        numbers.resize(num_blocks);
        let mut cfg = Self {
            rpo: Vec::with_capacity(num_blocks.min(16)),
            rpo_number: numbers,
            succs: Lists::default(),
            preds: Lists::default(),
        };
        let Some(entry) = entry else { return cfg };
        // Depth-first with an explicit stack: (block, its successors, the next one). Until the
        // end a number only says that the block was found.
        let mut edges: SmallVec<[(Block, Block); 16]> = SmallVec::new();
        let mut stack: SmallVec<[_; 8]> = SmallVec::new();
        stack.push((entry, successors(entry), 0));
        cfg.rpo_number[entry] = 0;
        while let Some((block, succs, next)) = stack.last_mut() {
            let Some(&succ) = succs.get(*next) else {
                cfg.rpo.push(*block);
                stack.pop();
                continue;
            };
            *next += 1;
            edges.push((*block, succ));
            if cfg.rpo_number[succ] == UNREACHED {
                cfg.rpo_number[succ] = 0;
                stack.push((succ, successors(succ), 0));
            }
        }
        cfg.rpo.reverse();
        for (number, &block) in cfg.rpo.iter().enumerate() {
            cfg.rpo_number[block] = number as u32;
        }
        let (count, number) = (cfg.rpo.len(), |block| cfg.rpo_number[block]);
        cfg.succs = Lists::gather(count, edges.iter().map(|&(from, to)| (number(from), to)));
        cfg.preds = Lists::gather(count, edges.iter().map(|&(from, to)| (number(to), from)));
        cfg
    }

    /// Reachable predecessors, each once.
    pub fn preds(&self, block: Block) -> &[Block] {
        look();
        self.preds.of(self.rpo_number[block])
    }

    /// Successors, each once.
    pub fn succs(&self, block: Block) -> &[Block] {
        look();
        self.succs.of(self.rpo_number[block])
    }

    /// Reachable blocks in reverse postorder, the entry first.
    pub fn reverse_postorder(&self) -> &[Block] {
        &self.rpo
    }

    /// Position in the reverse postorder; `None` when unreachable.
    pub fn rpo_number(&self, block: Block) -> Option<u32> {
        Some(self.rpo_number[block]).filter(|&n| n != UNREACHED)
    }

    /// Returns whether the entry reaches the block.
    pub fn is_reachable(&self, block: Block) -> bool {
        self.rpo_number[block] != UNREACHED
    }
}

/// Gives the blocks that the entry reaches.
pub fn reachable(func: &Function) -> EntitySet<Block> {
    reachable_by(func, |block| {
        let inst = func.terminator(block);
        inst.map_or_else(SmallVec::new, |inst| func.insts[inst].kind.successors())
    })
}

/// Gives the blocks that the entry reaches if a block goes on as `calls` says.
pub fn reachable_by<'f>(
    func: &'f Function,
    calls: impl Fn(Block) -> SmallVec<[&'f BlockCall; 2]>,
) -> EntitySet<Block> {
    let mut found = EntitySet::with_capacity(func.blocks.len());
    let mut work: Vec<Block> = func.entry().into_iter().collect();
    while let Some(block) = work.pop() {
        if found.insert(block) {
            work.extend(calls(block).iter().map(|call| call.block));
        }
    }
    found
}
