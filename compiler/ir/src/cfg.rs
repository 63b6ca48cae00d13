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
    /// The successors of each block in the reverse postorder, then the predecessors of each.
    neighbours: Vec<Block>,
    /// The start of each list in `neighbours`, and at last the end of the last one. Empty if there is
    /// no edge.
    starts: Vec<u32>,
}

/// The number of blocks that the entry does not reach.
const UNREACHED: u32 = u32::MAX;

/// Lists the blocks that the entry reaches in postorder, and tells `edge` of each edge as it is found. Afterwards
/// blocks that were found have another number than [`UNREACHED`].
fn postorder(
    entry: Block,
    num_blocks: usize,
    numbers: &mut SecondaryMap<Block, u32>,
    mut successors: impl FnMut(Block) -> SmallVec<[Block; 2]>,
    mut edge: impl FnMut(Block, Block),
) -> Vec<Block> {
    let mut order = Vec::with_capacity(num_blocks.min(16));
    // Depth-first with an explicit stack: (block, its successors, the next one).
    let mut stack: SmallVec<[_; 8]> = SmallVec::new();
    stack.push((entry, successors(entry), 0));
    numbers[entry] = 0;
    while let Some((block, succs, next)) = stack.last_mut() {
        let Some(&succ) = succs.get(*next) else {
            order.push(*block);
            stack.pop();
            continue;
        };
        *next += 1;
        edge(*block, succ);
        let number = &mut numbers[succ];
        if *number == UNREACHED {
            *number = 0;
            stack.push((succ, successors(succ), 0));
        }
    }
    order
}

/// No block has a number yet.
fn unreached(num_blocks: usize) -> SecondaryMap<Block, u32> {
    let mut numbers = SecondaryMap::with_default(UNREACHED);
    numbers.resize(num_blocks);
    numbers
}

/// The blocks that a block's terminator branches to, each once.
fn targets(func: &Function, block: Block) -> SmallVec<[Block; 2]> {
    let inst = func.terminator(block);
    inst.map_or_else(SmallVec::new, |inst| func.insts[inst].kind.targets())
}

/// Gives the blocks that the entry reaches in the reverse postorder of [`Cfg`], for those who need no more of it.
pub fn reverse_postorder(func: &Function) -> Vec<Block> {
    let Some(entry) = func.entry() else {
        return Vec::new();
    };
    let count = func.blocks.len();
    let of = |block| targets(func, block);
    let mut order = postorder(entry, count, &mut unreached(count), of, |_, _| {});
    order.reverse();
    order
}

impl Cfg {
    /// Reads the branches of a function. Blocks not reachable from the entry have no
    /// order number and count as nobody's predecessor.
    pub fn new(func: &Function) -> Self {
        Self::with_successors(func.entry(), func.blocks.len(), |block| {
            targets(func, block)
        })
    }

    /// A graph given by a successor function (each successor at most once per block).
    pub fn with_successors(
        entry: Option<Block>,
        num_blocks: usize,
        successors: impl FnMut(Block) -> SmallVec<[Block; 2]>,
    ) -> Self {
        let mut cfg = Self {
            rpo: Vec::new(),
            rpo_number: unreached(num_blocks),
            neighbours: Vec::new(),
            starts: Vec::new(),
        };
        let Some(entry) = entry else { return cfg };
        let mut edges: SmallVec<[(Block, Block); 32]> = SmallVec::new();
        cfg.rpo = postorder(
            entry,
            num_blocks,
            &mut cfg.rpo_number,
            successors,
            |from, to| {
                edges.push((from, to));
            },
        );
        cfg.rpo.reverse();
        for (number, &block) in cfg.rpo.iter().enumerate() {
            cfg.rpo_number[block] = number as u32;
        }
        cfg.gather(&edges);
        cfg
    }

    /// Sorts the edges into the lists of neighbours, which keep their order.
    fn gather(&mut self, edges: &[(Block, Block)]) {
        let Some(&(any, _)) = edges.first() else {
            return;
        };
        let count = self.rpo.len();
        // Each edge's two lists.
        let lists = |(from, to): (Block, Block)| {
            let [from, to] = [from, to].map(|block| self.rpo_number[block] as usize);
            [from, count + to]
        };
        let mut starts = vec![0; 2 * count + 2];
        for &edge in edges {
            for list in lists(edge) {
                starts[list + 2] += 1;
            }
        }
        let mut sum = 0;
        for start in &mut starts[2..] {
            sum += *start;
            *start = sum;
        }
        self.neighbours = vec![any; 2 * edges.len()];
        for &(from, to) in edges {
            for (list, member) in lists((from, to)).into_iter().zip([to, from]) {
                let next = &mut starts[list + 1];
                self.neighbours[*next as usize] = member;
                *next += 1;
            }
        }
        self.starts = starts;
    }

    fn list(&self, number: usize) -> &[Block] {
        match self.starts.get(number..number + 2) {
            Some(&[start, end]) => &self.neighbours[start as usize..end as usize],
            _ => &[],
        }
    }

    /// Reachable predecessors, each once.
    pub fn preds(&self, block: Block) -> &[Block] {
        look();
        match self.rpo_number(block) {
            Some(number) => self.list(self.rpo.len() + number as usize),
            None => &[],
        }
    }

    /// Successors, each once.
    pub fn succs(&self, block: Block) -> &[Block] {
        look();
        match self.rpo_number(block) {
            Some(number) => self.list(number as usize),
            None => &[],
        }
    }

    /// Reachable blocks in reverse postorder, the entry first.
    pub fn reverse_postorder(&self) -> &[Block] {
        &self.rpo
    }

    /// Position in the reverse postorder; `None` when unreachable.
    pub fn rpo_number(&self, block: Block) -> Option<u32> {
        Some(self.rpo_number[block]).filter(|&n| n != UNREACHED)
    }

    /// Returns whether no block reaches itself: there are no loops, of whatever kind.
    pub fn is_acyclic(&self) -> bool {
        self.rpo.iter().all(|&block| {
            let number = self.rpo_number[block];
            let mut succs = self.list(number as usize).iter();
            succs.all(|&succ| self.rpo_number[succ] > number)
        })
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

#[cfg(test)]
mod tests {
    use super::{Cfg, reverse_postorder};
    use crate::text::parse_module;

    /// The graph of a function with these terminators: the successors of each block in reverse postorder, and whether
    /// there is no cycle.
    fn graph(terminators: &[&str]) -> (Vec<String>, bool) {
        let mut text = String::from("func fn0 \"f\"() -> () internal {\n");
        for (number, terminator) in terminators.iter().enumerate() {
            text += &format!("block{number}:\n  {terminator}\n");
        }
        let module = parse_module(&(text + "}\n")).unwrap();
        let func = module.functions.values().next().unwrap();
        let cfg = Cfg::new(func);
        assert_eq!(reverse_postorder(func), cfg.reverse_postorder());
        for &block in cfg.reverse_postorder() {
            for &succ in cfg.succs(block) {
                assert!(cfg.preds(succ).contains(&block));
            }
        }
        let lines = cfg.reverse_postorder().iter().map(|&block| {
            let succs = cfg.succs(block);
            format!("{block} to {succs:?} from {:?}", cfg.preds(block))
        });
        (lines.collect(), cfg.is_acyclic())
    }

    #[test]
    fn neighbours_stand_in_order_and_cycles_are_seen() {
        let branch = "branch undef bool, block1, block2";
        let diamond = graph(&[branch, "jump block3", "jump block3", "return"]);
        let lines = [
            "block0 to [block1, block2] from []",
            "block2 to [block3] from [block0]",
            "block1 to [block3] from [block0]",
            "block3 to [] from [block1, block2]",
        ];
        assert_eq!(diamond, (lines.map(String::from).to_vec(), true));
        let alone = graph(&["return", "jump block1"]);
        assert_eq!(alone, (vec!["block0 to [] from []".into()], true));
        // A block that branches to itself, and a cycle with two entries.
        assert!(!graph(&["jump block1", "branch undef bool, block1, block2", "return"]).1);
        assert!(!graph(&[branch, "jump block2", "jump block1"]).1);
    }
}
