//! Selections: walks the dominator tree of the acyclic graph that remains once the back
//! edges, breaks and continues are taken away, and orders the blocks.

use super::carriers::Carriers;
use super::loops::Forest;
use super::shallow;
use super::work::{Work, jump};
use super::{Form, MAX_NESTING};
use cranelift_entity::{EntityRef, SecondaryMap};
use pumice_budget as budget;
use pumice_ir::{Block, Cfg, DomTree, InstKind, LowerError, Merge};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

struct Builder<'a, 'b> {
    work: &'a mut Work<'b>,
    forest: &'a Forest,
    graph: Graph,
    order: Vec<Block>,
    merges: SecondaryMap<Block, Option<Merge>>,
    /// The only predecessor, if there is one.
    single: SecondaryMap<Block, Option<Block>>,
    /// The smallest loop around each block, those made here included.
    innermost: SecondaryMap<Block, Option<pumice_ir::Loop>>,
    /// The variables that places behind a selection share, from `many` places on.
    carriers: Carriers,
    many: usize,
    /// The first block of the loop that a preheader leads to.
    body_of: FxHashMap<Block, Block>,
}

/// The acyclic graph, with facts about the blocks that each block dominates, itself included.
pub(super) struct Graph {
    pub cfg: Cfg,
    pub dom: DomTree,
    /// Least depth of the immediate dominators of what they branch to.
    reach: SecondaryMap<Block, u32>,
    /// Their number.
    size: SecondaryMap<Block, u32>,
}

impl Graph {
    fn new(cfg: Cfg) -> Self {
        let dom = DomTree::new(&cfg);
        let mut reach: SecondaryMap<Block, u32> = SecondaryMap::with_default(u32::MAX);
        let mut size: SecondaryMap<Block, u32> = SecondaryMap::new();
        for &block in cfg.reverse_postorder().iter().rev() {
            let targets = cfg.succs(block).iter();
            let own = targets.filter_map(|&t| dom.idom(t)).map(|d| dom.depth(d));
            let children = dom.children(block);
            let below = children.iter().map(|&child| reach[child]);
            reach[block] = own.chain(below).min().unwrap_or(u32::MAX);
            size[block] = 1 + children.iter().map(|&child| size[child]).sum::<u32>();
        }
        Self {
            cfg,
            dom,
            reach,
            size,
        }
    }

    /// Returns whether a block's subtree branches to a block outside of it, other than out of
    /// loops.
    fn escapes(&self, block: Block) -> bool {
        self.reach[block] < self.dom.depth(block)
    }

    /// The arm that follows a branch instead of being inside of it, if nothing else does: [`Builder::selection`] may
    /// choose another one of those that leave no loop.
    pub fn tail(&self, branch: Block) -> Option<Block> {
        let arms = self.cfg.succs(branch);
        let is_arm = |block: Block| self.cfg.preds(block) == [branch];
        let escaping = arms.iter().filter(|&&arm| self.escapes(arm)).count();
        let is_alone = escaping <= 1
            && arms.iter().all(|&arm| is_arm(arm))
            && self.dom.children(branch).iter().all(|&child| is_arm(child));
        let arms = arms.iter().copied().filter(|_| is_alone);
        arms.max_by_key(|&arm| (self.escapes(arm), self.size[arm]))
    }
}

/// Orders the blocks and names the merge blocks.
///
/// # Errors
/// Constructs that nest too deeply; a build that takes too long.
pub(super) fn build(
    work: &mut Work<'_>,
    forest: &Forest,
    form: Form,
) -> Result<SecondaryMap<Block, Option<Merge>>, LowerError> {
    let successors = |block: Block| -> SmallVec<[Block; 2]> {
        let mut list = work.succs(block);
        list.retain(|target| !forest.is_native(block, *target));
        if let Some(this) = forest.loop_of_header.get(&block) {
            // The merge block follows on the loop as a whole.
            list.push(forest.loops[this.index()].merge);
        }
        list
    };
    // The entry has no predecessors, so it is no loop header.
    let entry = work.func.layout.blocks[0];
    let num_blocks = work.func.blocks.len();
    let mut graph = Graph::new(Cfg::with_successors(Some(entry), num_blocks, successors));
    if let Some(most) = form.nests {
        let cuts = shallow::cuts(&graph, forest, most);
        if !cuts.is_empty() {
            // As if the outermost branch led there too: then it is what dominates them.
            let successors = |block: Block| -> SmallVec<[Block; 2]> {
                let cut = cuts.get(&block).into_iter().flatten();
                graph.cfg.succs(block).iter().chain(cut).copied().collect()
            };
            let cfg = Cfg::with_successors(Some(entry), num_blocks, successors);
            graph = Graph::new(cfg);
        }
    }
    let mut single: SecondaryMap<Block, Option<Block>> = work.func.block_map();
    for &block in graph.cfg.reverse_postorder() {
        if let [pred] = *graph.cfg.preds(block) {
            single[block] = Some(pred);
        }
    }
    let mut builder = Builder {
        single,
        innermost: forest.innermost.clone(),
        carriers: Carriers::default(),
        many: form.many,
        body_of: (forest.loops.iter())
            .map(|shape| (shape.preheader, shape.body))
            .collect(),
        work,
        forest,
        graph,
        order: Vec::new(),
        merges: SecondaryMap::new(),
    };
    let escaped = builder.region(entry, None, 0)?;
    assert!(
        escaped.is_empty(),
        "{entry}: the function branches out of itself"
    );
    let Builder { order, merges, .. } = builder;
    work.func.layout.blocks = order;
    Ok(merges)
}

impl Builder<'_, '_> {
    fn new_block(&mut self, like: Block) -> Block {
        let block = self.work.func.make_block();
        self.innermost[block] = self.innermost[like];
        block
    }

    fn is_native(&self, block: Block, target: Block) -> bool {
        self.innermost[block].is_some_and(|this| {
            let shape = &self.forest.loops[this.index()];
            target == shape.merge || target == shape.continue_block
        })
    }

    /// Returns whether a block does nothing but to leave its loop.
    fn only_breaks(&self, block: Block) -> bool {
        let targets = self.work.succs(block);
        let shape = self.innermost[block].map(|this| &self.forest.loops[this.index()]);
        self.work.func.layout.insts[block].len() == 1
            && shape.is_some_and(|shape| targets[..] == [shape.merge])
    }

    /// Structures the blocks that `entry` dominates. Branches out of them go to `merge`
    /// instead, with the place they mean in the label; gives those places.
    fn region(
        &mut self,
        entry: Block,
        merge: Option<Block>,
        depth: u32,
    ) -> Result<Vec<Block>, LowerError> {
        if depth > MAX_NESTING {
            return Err(self.work.nests_too_deep());
        }
        let mut block = entry;
        loop {
            budget::check()?;
            self.order.push(block);
            if let Some(this) = self.forest.loop_of_header.get(&block) {
                let shape = &self.forest.loops[this.index()];
                let (merge, body, continue_block) = (shape.merge, shape.body, shape.continue_block);
                self.merges[block] = Some(Merge::Loop {
                    merge,
                    continue_target: continue_block,
                    unroll: shape.unroll,
                    left_together: shape.left_together,
                });
                let escaped = self.region(body, None, depth + 1)?;
                assert!(
                    escaped.is_empty(),
                    "{block}: an exit bypasses the merge block"
                );
                self.order.push(continue_block);
                block = merge;
                continue;
            }
            let targets = self.work.succs(block);
            match targets[..] {
                [] => return Ok(Vec::new()),
                [target] => {
                    if self.is_native(block, target) {
                        return Ok(Vec::new());
                    }
                    if self.graph.dom.idom(target) == Some(block) {
                        block = target;
                        continue;
                    }
                    self.go_on_to(block, target);
                    let outer = self.leave(block, merge);
                    self.work.retarget(block, target, outer);
                    return Ok(vec![target]);
                }
                _ => {}
            }
            match self.selection(block, &targets, depth)? {
                After::Tail(next) => block = next,
                After::Pending(last, pending) => {
                    if pending.is_empty() {
                        self.work.set_terminator(last, InstKind::Unreachable);
                        return Ok(pending);
                    }
                    if let [only] = pending[..] {
                        self.work.define_label(last, self.work.label, only);
                    }
                    let outer = self.leave(last, merge);
                    self.work.set_terminator(last, jump(outer));
                    return Ok(pending);
                }
            }
        }
    }

    /// Says on the jump out of `edge` that it stands for one to `place`.
    fn go_on_to(&mut self, edge: Block, place: Block) {
        self.carriers.set(self.work, edge, place);
        self.work.define_label(edge, self.work.label, place);
    }

    /// The block of the original function whose parameters are those of a place.
    fn home(&self, place: Block) -> Option<Block> {
        let block = self.body_of.get(&place).copied().unwrap_or(place);
        self.work.origin[block]
    }

    fn leave(&self, block: Block, merge: Option<Block>) -> Block {
        merge.unwrap_or_else(|| panic!("{block}: branches out of a loop or function body"))
    }

    /// Structures the selection that `header` ends in, up to where its arms have met.
    fn selection(
        &mut self,
        header: Block,
        targets: &[Block],
        depth: u32,
    ) -> Result<After, LowerError> {
        let mut arms: Vec<Block> = Vec::new();
        let mut direct: Vec<Block> = Vec::new();
        let mut native: Vec<Block> = Vec::new();
        let followers: Vec<Block> = self.graph.dom.children(header).to_vec();
        for &target in targets {
            if self.is_native(header, target) {
                native.push(target);
            } else if self.single[target] == Some(header) {
                arms.push(target);
            } else {
                direct.push(target);
            }
        }
        // The arms are those children that only the header leads to.
        let followers: Vec<Block> = followers
            .into_iter()
            .filter(|&child| self.single[child] != Some(header))
            .collect();
        if self.work.ends_in_switch(header) {
            // A case must be a block of its own before it breaks out of a loop.
            let mut retargeted = Vec::new();
            for target in native {
                let case = self.new_block(header);
                self.work.set_terminator(case, jump(target));
                retargeted.push((target, case));
                self.order.push(case);
            }
            self.work.retarget_all(header, &retargeted);
        }
        let escaping = arms.iter().filter(|&&arm| self.graph.escapes(arm)).count();
        if followers.is_empty() && direct.is_empty() && escaping <= 1 {
            // A loop's body follows a plain break if all work-items leave the loop together:
            // the form that drivers know how to unroll. Otherwise it may be an arm, so that
            // those who have left wait outside of it.
            let together = self.work.uniform[header];
            let tail = arms.iter().copied().max_by_key(|&arm| {
                let works = together && !self.only_breaks(arm);
                (self.graph.escapes(arm), works, self.graph.size[arm])
            });
            if let Some(tail) = tail {
                // Only one arm goes on: it follows the selection.
                self.merges[header] = Some(Merge::Selection { merge: tail });
                for arm in arms {
                    if arm != tail {
                        self.region(arm, None, depth + 1)?;
                    }
                }
                return Ok(After::Tail(tail));
            }
        }
        if followers.len() >= self.many {
            let homes: Vec<_> = followers.iter().map(|&f| (f, self.home(f))).collect();
            self.carriers.share(self.work, header, &homes);
        }
        let mut current = self.new_block(header);
        self.merges[header] = Some(Merge::Selection { merge: current });
        let mut pending = Pending::default();
        let mut retargeted = Vec::new();
        for target in direct {
            let edge = self.new_block(header);
            self.work.set_terminator(edge, jump(current));
            retargeted.push((target, edge));
            self.go_on_to(edge, target);
            self.order.push(edge);
            pending.add(&[target]);
        }
        self.work.retarget_all(header, &retargeted);
        for arm in arms {
            let escaped = self.region(arm, Some(current), depth + 1)?;
            pending.add(&escaped);
        }
        self.order.push(current);
        let last = followers.last().copied();
        for follower in followers {
            let way = self.carriers.way(self.work, follower);
            let first = way.unwrap_or(follower);
            // A cut may still lie behind the only place that control flow can be at.
            if pending.is_only(follower) && last == Some(follower) {
                self.work.set_terminator(current, jump(first));
                self.order.extend(way);
                return Ok(After::Tail(follower));
            }
            let next = self.new_block(header);
            let label = self.work.label_value;
            (self.work).branch_on_label(current, label, (follower, first), next);
            self.order.extend(way);
            self.merges[current] = Some(Merge::Selection { merge: next });
            pending.remove(follower);
            let escaped = self.region(follower, Some(next), depth + 1)?;
            pending.add(&escaped);
            self.order.push(next);
            current = next;
        }
        Ok(After::Pending(current, pending.into_list()))
    }
}

/// The continuation of a selection.
enum After {
    /// At this block, which the last merge block reaches or is.
    Tail(Block),
    /// At the end of this block, which stands for branches to these places.
    Pending(Block, Vec<Block>),
}

/// The places that control flow may still go on to, in the order in which they were found.
#[derive(Default)]
struct Pending {
    found: Vec<Block>,
    /// Those that no block has guarded yet.
    open: FxHashSet<Block>,
}

impl Pending {
    fn add(&mut self, more: &[Block]) {
        for &label in more {
            if self.open.insert(label) {
                self.found.push(label);
            }
        }
    }

    fn remove(&mut self, label: Block) {
        self.open.remove(&label);
    }

    fn is_only(&self, label: Block) -> bool {
        self.open.len() == 1 && self.open.contains(&label)
    }

    fn into_list(mut self) -> Vec<Block> {
        let mut list = self.found;
        list.retain(|label| self.open.remove(label));
        list
    }
}
