//! Loop-invariant code motion: what a loop computes from values made outside of it alone is
//! computed once, before the loop.
//!
//! Inner loops come first, so that a value may leave several. It goes to the end of the block
//! that leads into the loop, which is made where a branch or several blocks lead there. What is
//! cheap goes from anywhere in the loop, the rest only from where every round passes; what has
//! effects or may trap stays. A load goes if the loop writes nothing there ([`super::alias`]) and
//! whoever enters the loop gets to the load, or if it reads a part of a variable.

use crate::pass::{Changed, FunctionCtx};
use crate::passes::optimize::speculate::is_cheap;
use crate::structurize::MAX_NESTING;
use cranelift_entity::{PrimaryMap, SecondaryMap};
use pumice_ir::analysis::alias::{Effect, Effects, effect, join_effects, may_change, root};
use pumice_ir::{
    BinaryOp, Block, BlockCall, Cfg, Function, GlobalData, GlobalId, Inst, InstKind, Loop,
    LoopNest, MathOp, SourceLoc, Value, ValueDef,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// Moves invariant operations out of the loops of one function.
pub fn run(func: &mut Function, ctx: &FunctionCtx<'_>) -> Changed {
    let cfg = Cfg::new(func);
    let Some((dom, nest)) = LoopNest::find(&cfg) else {
        return Changed::No;
    };
    // Deeper nests are refused by the structurizer: they are not worth the time.
    if nest.loops.is_empty() || nest.depth() > MAX_NESTING {
        return Changed::No;
    }
    let mut motion = Motion {
        block_of: func.inst_map(),
        innermost: func.block_map(),
        candidates: func.block_map(),
        may_leave: func.inst_map(),
        pending: SecondaryMap::new(),
        made: Vec::new(),
        touched: Vec::new(),
        globals: ctx.globals,
        nest: &nest,
        func,
    };
    for (&block, number) in cfg.reverse_postorder().iter().zip(0..) {
        motion.add_block(block, nest.innermost(block), 2 * number + 1);
    }
    let mut regions = Regions::new(motion.func, &cfg, &nest);
    for (this, data) in nest.loops.iter() {
        let header = data.header;
        let latches: Vec<Block> = (cfg.preds(header).iter().copied())
            .filter(|&pred| dom.dominates(header, pred))
            .collect();
        let region = regions.take(&cfg, &nest, this);
        let last_leaves = dom.common_dominator(region.leaves.iter().copied());
        let last_latches = dom.common_dominator(latches.iter().copied());
        let passes_by = |block, last: Option<Block>| {
            last.is_none_or(|last| cfg.is_reachable(block) && dom.dominates(block, last))
        };
        let mut moved = Vec::new();
        for (order, block) in motion.pending_blocks(this) {
            // Nothing is known of the blocks that were made for inner loops.
            let always = cfg.is_reachable(block) && passes_by(block, last_latches);
            let loop_block = LoopBlock {
                always,
                first: always && passes_by(block, last_leaves),
                written: &region.written,
            };
            motion.collect(this, (order, block), &loop_block, &mut moved);
        }
        regions.give(data.parent, region);
        if moved.is_empty() {
            continue;
        }
        let number = cfg.rpo_number(header).unwrap_or_default();
        let before = motion.preheader(this, header, cfg.preds(header), &latches, 2 * number);
        for &inst in &moved {
            motion.block_of[inst] = Some(before);
        }
        if motion.innermost[before].is_some() {
            motion.candidates[before].extend_from_slice(&moved);
        }
        motion.touched.push(before);
        let insts = &mut motion.func.layout.insts[before];
        let jump = insts.pop();
        insts.extend(moved);
        insts.extend(jump);
    }
    motion.finish()
}

/// A block of a loop.
struct LoopBlock<'a> {
    /// Each round passes it.
    always: bool,
    /// Nobody who enters the loop leaves it before.
    first: bool,
    /// The effects of the whole loop on memory.
    written: &'a [Effect],
}

/// Facts about a loop as a whole, made of those of the loops inside of it.
#[derive(Clone, Default)]
struct Region {
    /// Its effects on memory.
    written: Vec<Effect>,
    /// The blocks that branch out of it.
    leaves: Vec<Block>,
}

/// The regions of the loops that are still to come, without the loops inside of them.
struct Regions {
    of_loop: SecondaryMap<Loop, Region>,
}

impl Regions {
    fn new(func: &Function, cfg: &Cfg, nest: &LoopNest) -> Self {
        let effects = Effects::new(func, cfg);
        let mut of_loop: SecondaryMap<Loop, Region> = SecondaryMap::new();
        for &block in cfg.reverse_postorder() {
            let Some(this) = nest.innermost(block) else {
                continue;
            };
            let region = &mut of_loop[this];
            join_effects(&mut region.written, effects.of(block));
            region.leaves.push(block);
        }
        Self { of_loop }
    }

    /// The region of a loop, all loops inside of which have given theirs.
    fn take(&mut self, cfg: &Cfg, nest: &LoopNest, this: Loop) -> Region {
        let mut region = std::mem::take(&mut self.of_loop[this]);
        let leaves = |block: &Block| {
            let mut targets = cfg.succs(*block).iter();
            targets.any(|&target| !nest.contains(this, target))
        };
        region.leaves.retain(leaves);
        region
    }

    /// Adds the region of a loop to that of the one around it.
    fn give(&mut self, parent: Option<Loop>, region: Region) {
        if let Some(parent) = parent {
            let around = &mut self.of_loop[parent];
            join_effects(&mut around.written, &region.written);
            around.leaves.extend(region.leaves);
        }
    }
}

struct Motion<'a> {
    func: &'a mut Function,
    globals: &'a PrimaryMap<GlobalId, GlobalData>,
    nest: &'a LoopNest,
    block_of: SecondaryMap<Inst, Option<Block>>,
    /// Also of the blocks made here.
    innermost: SecondaryMap<Block, Option<Loop>>,
    /// The operations of each block that may leave a loop yet, in order.
    candidates: SecondaryMap<Block, Vec<Inst>>,
    /// True if an operation is such a one.
    may_leave: SecondaryMap<Inst, bool>,
    /// The blocks of each loop that have some: those directly in it, and those that loops inside
    /// of it have left. The number orders them, each behind its dominators.
    pending: SecondaryMap<Loop, Vec<(u32, Block)>>,
    /// The blocks made here, each with the header that it goes before.
    made: Vec<(Block, Block)>,
    /// The blocks whose lists of instructions are out of date.
    touched: Vec<Block>,
}

impl Motion<'_> {
    fn is_inside(&self, this: Loop, block: Block) -> bool {
        self.nest.encloses(this, self.innermost[block])
    }

    /// Takes note of a block and of what may leave it.
    fn add_block(&mut self, block: Block, around: Option<Loop>, order: u32) {
        self.innermost[block] = around;
        let insts = &self.func.layout.insts[block];
        for &inst in insts {
            self.block_of[inst] = Some(block);
        }
        if let Some(this) = around {
            let mut candidates = Vec::new();
            for &inst in insts {
                let kind = &self.func.insts[inst].kind;
                let is_load = matches!(kind, InstKind::Load { .. });
                if is_load || may_move(kind, true) || may_move(kind, false) {
                    self.may_leave[inst] = true;
                    candidates.push(inst);
                }
            }
            self.candidates[block] = candidates;
            self.pending[this].push((order, block));
        }
    }

    /// The blocks to look at for a loop, in order.
    fn pending_blocks(&mut self, this: Loop) -> Vec<(u32, Block)> {
        let mut blocks = std::mem::take(&mut self.pending[this]);
        blocks.sort_unstable_by_key(|&(order, _)| order);
        blocks
    }

    fn is_invariant(&self, this: Loop, value: Value) -> bool {
        match *self.func.def(value) {
            ValueDef::Const(_) | ValueDef::Undef => true,
            ValueDef::Param(owner, _) => !self.is_inside(this, owner),
            ValueDef::Result(inst, _) => {
                self.block_of[inst].is_some_and(|block| !self.is_inside(this, block))
            }
        }
    }

    /// Returns whether a value may become invariant in a loop further out, or is so already.
    fn may_become_invariant(&self, this: Loop, value: Value) -> bool {
        let inst = self.func.def_inst(value);
        inst.is_some_and(|inst| self.may_leave[inst]) || self.is_invariant(this, value)
    }

    /// Takes the operations that leave this loop out of a block, and hands on those that may
    /// leave a loop around it. What depends on what stays for good stays for good.
    fn collect(
        &mut self,
        this: Loop,
        (order, block): (u32, Block),
        loop_block: &LoopBlock<'_>,
        moved: &mut Vec<Inst>,
    ) {
        let before = moved.len();
        let mut waiting = Vec::new();
        for inst in std::mem::take(&mut self.candidates[block]) {
            let kind = &self.func.insts[inst].kind;
            let (mut movable, mut may_leave) = (true, true);
            kind.for_each_value(|value| {
                movable &= self.is_invariant(this, value);
                may_leave &= self.may_become_invariant(this, value);
            });
            let leaves = |kind: &InstKind| match *kind {
                InstKind::Load { ptr, .. } => self.may_load_before(inst, ptr, loop_block),
                _ => may_move(kind, loop_block.always),
            };
            if movable && leaves(kind) {
                // From here on it is outside, wherever that will be.
                self.block_of[inst] = self.func.entry();
                moved.push(inst);
            } else if may_leave {
                waiting.push(inst);
            } else {
                self.may_leave[inst] = false;
            }
        }
        if moved.len() > before {
            self.touched.push(block);
        }
        let parent = self.nest.loops[this].parent;
        if let (Some(parent), false) = (parent, waiting.is_empty()) {
            self.pending[parent].push((order, block));
            self.candidates[block] = waiting;
        }
    }

    /// Returns whether a load gives the same before the loop and does no harm there.
    fn may_load_before(&self, inst: Inst, ptr: Value, loop_block: &LoopBlock<'_>) -> bool {
        let func = &*self.func;
        let bytes = i64::from(func.ty(func.result(inst)).access_bytes());
        let same = effect(func, &func.insts[inst].kind) == Effect::None
            && !(loop_block.written.iter()).any(|&effect| may_change(func, effect, ptr, bytes));
        same && (loop_block.first || self.is_part_of_variable(ptr, bytes))
    }

    fn is_part_of_variable(&self, ptr: Value, bytes: i64) -> bool {
        let (base, offset) = root(self.func, ptr);
        let size = match self
            .func
            .def_inst(base)
            .map(|inst| &self.func.insts[inst].kind)
        {
            Some(&InstKind::StackAddr { slot }) => u64::from(self.func.slots[slot].size),
            Some(&InstKind::GlobalAddr { global }) => self.globals[global].size,
            _ => return false,
        };
        let end = offset
            .checked_add(bytes)
            .and_then(|end| u64::try_from(end).ok());
        offset >= 0 && end.is_some_and(|end| end <= size)
    }

    /// The block that jumps into the loop.
    fn preheader(
        &mut self,
        this: Loop,
        header: Block,
        preds: &[Block],
        latches: &[Block],
        order: u32,
    ) -> Block {
        // No block made here leads to a header other than its own loop's.
        let outside: Vec<Block> = if preds.len() == latches.len() + 1 {
            let first = preds.iter().find(|&pred| !latches.contains(pred));
            first.copied().into_iter().collect()
        } else {
            let latches: FxHashSet<Block> = latches.iter().copied().collect();
            let preds = preds.iter().copied();
            preds.filter(|pred| !latches.contains(pred)).collect()
        };
        if let [only] = outside[..] {
            let inst = self.func.terminator(only);
            let is_jump = |inst| matches!(self.func.insts[inst].kind, InstKind::Jump { .. });
            if inst.is_some_and(is_jump) {
                return only;
            }
        }
        let before = self.func.make_block();
        let types: Vec<_> = (self.func.blocks[header].params.iter())
            .map(|&param| self.func.ty(param))
            .collect();
        let args = types
            .into_iter()
            .map(|ty| self.func.append_param(before, ty))
            .collect();
        for block in outside {
            if let Some(inst) = self.func.terminator(block) {
                for call in self.func.insts[inst].kind.successors_mut() {
                    if call.block == header {
                        call.block = before;
                    }
                }
            }
        }
        let dest = BlockCall {
            block: header,
            args,
        };
        let loc = SourceLoc::default();
        self.func.append(before, InstKind::Jump { dest }, &[], loc);
        self.add_block(before, self.nest.loops[this].parent, order);
        self.made.push((before, header));
        before
    }

    /// Takes what has moved out of the blocks where it was, and gives the new blocks their places.
    fn finish(mut self) -> Changed {
        let changed = Changed::from_bool(!self.touched.is_empty());
        self.touched.sort_unstable();
        self.touched.dedup();
        for block in self.touched {
            let insts = &mut self.func.layout.insts[block];
            insts.retain(|&inst| self.block_of[inst] == Some(block));
        }
        if !self.made.is_empty() {
            let before: FxHashMap<Block, Block> = (self.made.iter())
                .map(|&(before, header)| (header, before))
                .collect();
            let blocks = std::mem::take(&mut self.func.layout.blocks);
            for block in blocks {
                self.func.layout.blocks.extend(before.get(&block));
                self.func.layout.blocks.push(block);
            }
        }
        changed
    }
}

/// Returns whether an operation may be done before the loop; `always` says that each round does it.
pub(super) fn may_move(kind: &InstKind, always: bool) -> bool {
    match kind {
        InstKind::LoadArg { .. }
        | InstKind::LocalArg { .. }
        | InstKind::HandleArg { .. }
        | InstKind::HandleInfo { .. }
        | InstKind::GlobalAddr { .. }
        | InstKind::StackAddr { .. }
        | InstKind::BuiltIn { .. }
        | InstKind::BuiltInWord { .. } => true,
        InstKind::Binary { op, .. } if always => matches!(op, BinaryOp::FDiv) || is_cheap(kind),
        InstKind::Math { op, .. } if always => !matches!(op, MathOp::Ocl(_)),
        InstKind::Convert { .. } if always => true,
        _ => is_cheap(kind),
    }
}
