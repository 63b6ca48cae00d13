//! Dominator trees, by the iterative algorithm of Cooper, Harvey and Kennedy.

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
        // Immediate dominators as positions in the reverse postorder.
        let mut idom: Vec<u32> = vec![u32::MAX; rpo.len()];
        if !rpo.is_empty() {
            idom[0] = 0;
        }
        let position = |block: Block| cfg.rpo_number(block).unwrap_or(u32::MAX);
        let mut changed = true;
        while changed {
            changed = false;
            for (number, &block) in rpo.iter().enumerate().skip(1) {
                let mut best = u32::MAX;
                for &pred in cfg.preds(block) {
                    let pred = position(pred);
                    if idom[pred as usize] == u32::MAX {
                        continue;
                    }
                    best = if best == u32::MAX {
                        pred
                    } else {
                        let (mut a, mut b) = (best, pred);
                        while a != b {
                            while a > b {
                                a = idom[a as usize];
                            }
                            while b > a {
                                b = idom[b as usize];
                            }
                        }
                        a
                    };
                }
                if idom[number] != best {
                    idom[number] = best;
                    changed = true;
                }
            }
        }
        let mut tree = Self {
            idom: SecondaryMap::new(),
            interval: SecondaryMap::with_default((u32::MAX, 0)),
            depth: SecondaryMap::new(),
            children: SecondaryMap::new(),
        };
        for (number, &block) in rpo.iter().enumerate().skip(1) {
            let parent = rpo[idom[number] as usize];
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

    /// Returns whether every path from the entry to `b` passes `a` (a block dominates itself).
    /// Unreachable blocks neither dominate nor are dominated.
    pub fn dominates(&self, a: Block, b: Block) -> bool {
        let (start, end) = self.interval[a];
        let (point, _) = self.interval[b];
        start != u32::MAX && start <= point && point < end
    }
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
