//! Dominator trees, by the algorithm of Lengauer and Tarjan: n blocks take n log n steps whatever
//! the graph looks like.

use super::{Block, Cfg};
use cranelift_entity::{EntityRef, SecondaryMap};
use smallvec::SmallVec;

/// The dominator tree of the reachable blocks.
#[derive(Clone, Debug)]
pub struct DomTree {
    nodes: SecondaryMap<Block, Node>,
    /// The children of every block, one list behind the other.
    children: Vec<Block>,
}

/// A block's place in the tree.
#[derive(Clone, Copy, Debug)]
struct Node {
    idom: Option<Block>,
    depth: u32,
    /// Entry and exit times of a walk over the tree, for constant-time queries.
    interval: (u32, u32),
    /// Start and end of the list in [`DomTree::children`].
    children: (u32, u32),
}

/// A step of a walk over the tree.
#[derive(Clone, Copy, Debug)]
pub enum Step {
    /// Comes to a block.
    Enter(Block),
    /// Has done the block that was entered last and not left, and all that it dominates.
    Leave,
}

impl DomTree {
    /// Computes the tree. Children are in reverse postorder.
    pub fn new(cfg: &Cfg) -> Self {
        let rpo = cfg.reverse_postorder();
        let mut tree = Self {
            nodes: SecondaryMap::with_default(Node {
                idom: None,
                depth: 0,
                interval: (u32::MAX, 0),
                children: (0, 0),
            }),
            children: Vec::new(),
        };
        let Some(&entry) = rpo.first() else {
            return tree;
        };
        let highest = rpo.iter().map(|block| block.index()).max();
        tree.nodes.resize(highest.map_or(0, |highest| highest + 1));
        if rpo.len() > 1 {
            immediate_dominators(cfg, |block, idom| tree.nodes[block].idom = Some(idom));
            tree.list_children(rpo);
        }
        let mut clock = 0;
        let mut stack: SmallVec<[(Block, u32); 16]> = SmallVec::new();
        stack.push((entry, 0));
        while let Some((block, next)) = stack.last_mut() {
            let node = &mut tree.nodes[*block];
            if *next == 0 {
                node.interval.0 = clock;
                clock += 1;
            }
            let (start, end) = node.children;
            if start + *next < end {
                let child = tree.children[(start + *next) as usize];
                *next += 1;
                stack.push((child, 0));
            } else {
                node.interval.1 = clock;
                stack.pop();
            }
        }
        tree
    }

    /// Sets depths and lists of children from the immediate dominators.
    fn list_children(&mut self, rpo: &[Block]) {
        for &block in &rpo[1..] {
            if let Some(parent) = self.nodes[block].idom {
                self.nodes[block].depth = self.nodes[parent].depth + 1;
                // The list's length at first.
                self.nodes[parent].children.1 += 1;
            }
        }
        let mut start = 0;
        for &block in rpo {
            let (_, count) = self.nodes[block].children;
            self.nodes[block].children = (start, start);
            start += count;
        }
        self.children = vec![rpo[0]; start as usize];
        for &block in &rpo[1..] {
            if let Some(parent) = self.nodes[block].idom {
                let end = &mut self.nodes[parent].children.1;
                self.children[*end as usize] = block;
                *end += 1;
            }
        }
    }

    /// The immediate dominator; `None` for the entry and for unreachable blocks.
    pub fn idom(&self, block: Block) -> Option<Block> {
        self.nodes[block].idom
    }

    /// Blocks whose immediate dominator is `block`, in reverse postorder.
    pub fn children(&self, block: Block) -> &[Block] {
        let (start, end) = self.nodes[block].children;
        &self.children[start as usize..end as usize]
    }

    /// Walks over a block and those that it dominates, the children of each in their order.
    pub fn walk(&self, from: Block) -> impl Iterator<Item = Step> + '_ {
        let mut steps = vec![Step::Enter(from)];
        std::iter::from_fn(move || {
            let step = steps.pop()?;
            if let Step::Enter(block) = step {
                steps.push(Step::Leave);
                let children = self.children(block).iter().rev();
                steps.extend(children.map(|&child| Step::Enter(child)));
            }
            Some(step)
        })
    }

    /// Distance from the entry in the tree.
    pub fn depth(&self, block: Block) -> u32 {
        self.nodes[block].depth
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
        let (start, end) = self.nodes[a].interval;
        let (point, _) = self.nodes[b].interval;
        start != u32::MAX && start <= point && point < end
    }
}

/// No block.
const NONE: u32 = u32::MAX;

/// A block during the computation. Blocks are numbers in the order of a depth-first walk.
#[derive(Clone, Copy)]
struct Vertex {
    block: Block,
    /// The block from which the walk found it.
    parent: u32,
    /// The next one on the path of edges that were linked so far, which is shortened.
    ancestor: u32,
    /// The block with the least semidominator on the path to the ancestor.
    best: u32,
    semi: u32,
    idom: u32,
    /// The first of the blocks that have this one as semidominator, and the next in its own list.
    first: u32,
    next: u32,
}

/// The walk's tree.
struct Forest {
    vertices: Vec<Vertex>,
    /// The number of each block, by its place in the reverse postorder.
    number: Vec<u32>,
    path: SmallVec<[u32; 16]>,
}

impl Forest {
    fn new(cfg: &Cfg) -> Self {
        let rpo = cfg.reverse_postorder();
        let mut vertices = Vec::with_capacity(rpo.len());
        let mut number = vec![NONE; rpo.len()];
        let place = |block| cfg.rpo_number(block).map_or(0, |place| place as usize);
        let mut stack: SmallVec<[(Block, u32); 16]> = SmallVec::new();
        stack.extend(rpo.first().map(|&entry| (entry, NONE)));
        while let Some((block, parent)) = stack.pop() {
            if number[place(block)] != NONE {
                continue;
            }
            let own = vertices.len() as u32;
            number[place(block)] = own;
            vertices.push(Vertex {
                block,
                parent,
                ancestor: NONE,
                best: own,
                semi: own,
                idom: 0,
                first: NONE,
                next: NONE,
            });
            for &succ in cfg.succs(block) {
                if number[place(succ)] == NONE {
                    stack.push((succ, own));
                }
            }
        }
        Self {
            vertices,
            number,
            path: SmallVec::new(),
        }
    }

    fn at(&mut self, number: u32) -> &mut Vertex {
        &mut self.vertices[number as usize]
    }

    /// The block with the least semidominator between `at` and the root of its tree.
    fn eval(&mut self, at: u32) -> u32 {
        let mut top = at;
        loop {
            let ancestor = self.at(top).ancestor;
            if ancestor == NONE {
                break;
            }
            self.path.push(top);
            top = ancestor;
        }
        // The topmost one's ancestor is the root already.
        let mut above = self.path.pop();
        while let Some(below) = self.path.pop() {
            let upper = *self.at(above.unwrap_or(below));
            let mine = self.at(below).best;
            if self.at(upper.best).semi < self.at(mine).semi {
                self.at(below).best = upper.best;
            }
            self.at(below).ancestor = upper.ancestor;
            above = Some(below);
        }
        self.at(at).best
    }
}

/// Tells `found` of each reachable block but the entry and its immediate dominator.
fn immediate_dominators(cfg: &Cfg, mut found: impl FnMut(Block, Block)) {
    let mut forest = Forest::new(cfg);
    let count = forest.vertices.len() as u32;
    for at in (1..count).rev() {
        let Vertex { block, parent, .. } = *forest.at(at);
        let mut semi = at;
        for &pred in cfg.preds(block) {
            let place = cfg.rpo_number(pred).map_or(0, |place| place as usize);
            let best = forest.eval(forest.number[place]);
            semi = semi.min(forest.at(best).semi);
        }
        let next = std::mem::replace(&mut forest.at(semi).first, at);
        let vertex = forest.at(at);
        vertex.semi = semi;
        vertex.next = next;
        vertex.ancestor = parent;
        let mut waiting = std::mem::replace(&mut forest.at(parent).first, NONE);
        while waiting != NONE {
            let best = forest.eval(waiting);
            let nearer = forest.at(best).semi < forest.at(waiting).semi;
            let vertex = forest.at(waiting);
            vertex.idom = if nearer { best } else { parent };
            waiting = vertex.next;
        }
    }
    for at in 1..count {
        let Vertex { idom, semi, .. } = *forest.at(at);
        if idom != semi {
            forest.at(at).idom = forest.at(idom).idom;
        }
        let (block, idom) = (forest.at(at).block, forest.at(at).idom);
        found(block, forest.at(idom).block);
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
