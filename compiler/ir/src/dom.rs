//! Dominator trees, by the algorithm of Lengauer and Tarjan: n blocks take n log n steps whatever
//! the graph looks like.

use super::{Block, Cfg};
use cranelift_entity::SecondaryMap;

/// The dominator tree of the reachable blocks.
#[derive(Clone, Debug)]
pub struct DomTree {
    idom: SecondaryMap<Block, Option<Block>>,
    /// Entry and exit times of a walk over the tree, for constant-time queries.
    interval: SecondaryMap<Block, (u32, u32)>,
    depth: SecondaryMap<Block, u32>,
    children: SecondaryMap<Block, Vec<Block>>,
}

impl DomTree {
    /// Computes the tree. Children are in reverse postorder.
    pub fn new(cfg: &Cfg) -> Self {
        let rpo = cfg.reverse_postorder();
        let idom = immediate_dominators(cfg);
        let mut tree = Self {
            idom: SecondaryMap::new(),
            interval: SecondaryMap::with_default((u32::MAX, 0)),
            depth: SecondaryMap::new(),
            children: SecondaryMap::new(),
        };
        for &block in rpo.iter().skip(1) {
            let Some(parent) = idom[block] else { continue };
            tree.idom[block] = Some(parent);
            tree.depth[block] = tree.depth[parent] + 1;
            tree.children[parent].push(block);
        }
        let mut clock = 0;
        let mut stack: Vec<(Block, usize)> =
            rpo.first().map(|&entry| (entry, 0)).into_iter().collect();
        while let Some((block, next)) = stack.last_mut() {
            let block = *block;
            if *next == 0 {
                tree.interval[block].0 = clock;
                clock += 1;
            }
            if let Some(&child) = tree.children[block].get(*next) {
                *next += 1;
                stack.push((child, 0));
            } else {
                tree.interval[block].1 = clock;
                stack.pop();
            }
        }
        tree
    }

    /// The immediate dominator; `None` for the entry and for unreachable blocks.
    pub fn idom(&self, block: Block) -> Option<Block> {
        self.idom[block]
    }

    /// Blocks whose immediate dominator is `block`, in reverse postorder.
    pub fn children(&self, block: Block) -> &[Block] {
        &self.children[block]
    }

    /// Distance from the entry in the tree.
    pub fn depth(&self, block: Block) -> u32 {
        self.depth[block]
    }

    /// The nearest block that dominates all of these reachable blocks; `None` without blocks.
    pub fn common_dominator(&self, blocks: impl IntoIterator<Item = Block>) -> Option<Block> {
        let mut blocks = blocks.into_iter();
        let mut common = blocks.next()?;
        for block in blocks {
            while !self.dominates(common, block) {
                common = self.idom(common)?;
            }
        }
        Some(common)
    }

    /// Returns whether every path from the entry to `b` passes `a` (a block dominates itself).
    /// Unreachable blocks neither dominate nor are dominated.
    pub fn dominates(&self, a: Block, b: Block) -> bool {
        let (start, end) = self.interval[a];
        let (point, _) = self.interval[b];
        start != u32::MAX && start <= point && point < end
    }
}

/// No block.
const NONE: u32 = u32::MAX;

/// A depth-first walk; blocks are numbers in its order.
struct Walk {
    order: Vec<Block>,
    number: SecondaryMap<Block, u32>,
    /// The block from which each was found.
    parent: Vec<u32>,
}

impl Walk {
    fn new(cfg: &Cfg) -> Self {
        let rpo = cfg.reverse_postorder();
        let mut walk = Self {
            order: Vec::with_capacity(rpo.len()),
            number: SecondaryMap::with_default(NONE),
            parent: Vec::with_capacity(rpo.len()),
        };
        let mut stack: Vec<(Block, u32)> = rpo.first().map(|&b| (b, NONE)).into_iter().collect();
        while let Some((block, parent)) = stack.pop() {
            if walk.number[block] != NONE {
                continue;
            }
            let number = walk.order.len() as u32;
            walk.number[block] = number;
            walk.order.push(block);
            walk.parent.push(parent);
            let succs = cfg.succs(block).iter();
            let new = succs.filter(|&&succ| walk.number[succ] == NONE);
            stack.extend(new.map(|&succ| (succ, number)));
        }
        walk
    }
}

/// The forest of the walk's edges that were linked so far, with shortened paths.
struct Forest {
    ancestor: Vec<u32>,
    /// The block with the least semidominator on the path to the ancestor.
    best: Vec<u32>,
    semi: Vec<u32>,
    path: Vec<u32>,
}

impl Forest {
    /// The block with the least semidominator between `at` and the root of its tree.
    fn eval(&mut self, at: u32) -> u32 {
        let mut top = at;
        while self.ancestor[top as usize] != NONE {
            self.path.push(top);
            top = self.ancestor[top as usize];
        }
        // The topmost one's ancestor is the root already.
        let mut above = self.path.pop();
        while let Some(below) = self.path.pop() {
            let upper = above.unwrap_or(below) as usize;
            let (mine, theirs) = (self.best[below as usize], self.best[upper]);
            if self.semi[theirs as usize] < self.semi[mine as usize] {
                self.best[below as usize] = theirs;
            }
            self.ancestor[below as usize] = self.ancestor[upper];
            above = Some(below);
        }
        self.best[at as usize]
    }
}

/// The immediate dominators of all reachable blocks but the entry.
fn immediate_dominators(cfg: &Cfg) -> SecondaryMap<Block, Option<Block>> {
    let walk = Walk::new(cfg);
    let count = walk.order.len();
    let numbers: Vec<u32> = (0..count as u32).collect();
    let mut forest = Forest {
        ancestor: vec![NONE; count],
        best: numbers.clone(),
        semi: numbers,
        path: Vec::new(),
    };
    let mut idom: Vec<u32> = vec![0; count];
    // The blocks of a semidominator, as a linked list.
    let mut first: Vec<u32> = vec![NONE; count];
    let mut next: Vec<u32> = vec![NONE; count];
    for at in (1..count).rev() {
        for &pred in cfg.preds(walk.order[at]) {
            let best = forest.eval(walk.number[pred]);
            let semi = forest.semi[best as usize];
            forest.semi[at] = forest.semi[at].min(semi);
        }
        let semi = forest.semi[at] as usize;
        next[at] = std::mem::replace(&mut first[semi], at as u32);
        let parent = walk.parent[at] as usize;
        forest.ancestor[at] = parent as u32;
        let mut waiting = std::mem::replace(&mut first[parent], NONE);
        while waiting != NONE {
            let best = forest.eval(waiting);
            let nearer = forest.semi[best as usize] < forest.semi[waiting as usize];
            idom[waiting as usize] = if nearer { best } else { parent as u32 };
            waiting = next[waiting as usize];
        }
    }
    let mut result = SecondaryMap::new();
    for at in 1..count {
        if idom[at] != forest.semi[at] {
            idom[at] = idom[idom[at] as usize];
        }
        result[walk.order[at]] = Some(walk.order[idom[at] as usize]);
    }
    result
}

#[cfg(test)]
mod tests {
    use super::DomTree;
    use crate::{Block, Cfg, text::parse_module};

    /// Dominance by definition: `b` is not reachable once `a` is removed.
    fn dominates_by_removal(cfg: &Cfg, a: Block, b: Block) -> bool {
        let entry = cfg.reverse_postorder()[0];
        let mut seen = vec![];
        let mut stack = vec![entry];
        while let Some(block) = stack.pop() {
            if block != a && !seen.contains(&block) {
                seen.push(block);
                stack.extend_from_slice(cfg.succs(block));
            }
        }
        !seen.contains(&b)
    }

    #[test]
    fn agrees_with_the_definition_on_random_graphs() {
        let mut state = 12345u32;
        let mut random = |n: u32| {
            state = state.wrapping_mul(1664525).wrapping_add(1013904223);
            (state >> 16) % n
        };
        for _ in 0..60 {
            let n = 2 + random(14);
            let mut text = String::from("func fn0 \"f\"() -> () internal {\n");
            for i in 0..n {
                let (a, b) = (random(n), random(n));
                // The entry may not be a target, so number the targets from 1.
                text += &format!(
                    "block{i}:\n  branch undef bool, block{}, block{}\n",
                    1 + a % (n - 1),
                    1 + b % (n - 1)
                );
            }
            text += "}\n";
            let module = parse_module(&text).unwrap();
            let func = module.functions.values().next().unwrap();
            let cfg = Cfg::new(func);
            let dom = DomTree::new(&cfg);
            for &a in cfg.reverse_postorder() {
                for &b in cfg.reverse_postorder() {
                    assert_eq!(
                        dom.dominates(a, b),
                        dominates_by_removal(&cfg, a, b),
                        "{a} {b}\n{text}"
                    );
                }
            }
        }
    }
}
