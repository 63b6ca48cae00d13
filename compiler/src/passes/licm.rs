//! Loop-invariant code motion: what a loop computes from values made outside of it alone is
//! computed once, before the loop.
//!
//! Inner loops come first, so that a value may leave several. It goes to the end of the block
//! that leads into the loop, which is made where a branch or several blocks lead there. What is
//! cheap goes from anywhere in the loop, the rest only from where every round passes; what has
//! effects, may trap or reads memory stays.

use super::speculate::is_cheap;
use super::{Changed, FunctionCtx};
use crate::ir::{
    BinaryOp, Block, BlockCall, Cfg, DomTree, Function, Inst, InstKind, Loop, LoopNest, MathOp,
    SourceLoc, Value, ValueDef,
};
use cranelift_entity::SecondaryMap;

/// Moves invariant operations out of the loops of one function.
pub fn run(func: &mut Function, _ctx: &FunctionCtx<'_>) -> Changed {
    let cfg = Cfg::new(func);
    let dom = DomTree::new(&cfg);
    let nest = LoopNest::new(&cfg, &dom);
    if nest.loops.is_empty() {
        return Changed::No;
    }
    let mut block_of: SecondaryMap<Inst, Option<Block>> = SecondaryMap::new();
    let mut innermost: SecondaryMap<Block, Option<Loop>> = SecondaryMap::new();
    for &block in cfg.reverse_postorder() {
        innermost[block] = nest.innermost(block);
        for &inst in &func.layout.insts[block] {
            block_of[inst] = Some(block);
        }
    }
    let mut motion = Motion {
        func,
        nest: &nest,
        block_of,
        innermost,
        order: cfg.reverse_postorder().to_vec(),
    };
    let mut changed = Changed::No;
    for (this, data) in nest.loops.iter() {
        let header = data.header;
        let latches: Vec<Block> = (cfg.preds(header).iter().copied())
            .filter(|&pred| dom.dominates(header, pred))
            .collect();
        let mut moved = Vec::new();
        for block in motion.order.clone() {
            if motion.is_inside(this, block) {
                // Nothing is known of the blocks that were made for inner loops.
                let known = cfg.is_reachable(block);
                let always = known && latches.iter().all(|&latch| dom.dominates(block, latch));
                motion.collect(this, block, always, &mut moved);
            }
        }
        if moved.is_empty() {
            continue;
        }
        changed = Changed::Yes;
        let before = motion.preheader(this, header, &latches);
        for &inst in &moved {
            motion.block_of[inst] = Some(before);
        }
        let insts = &mut motion.func.layout.insts[before];
        let jump = insts.pop();
        insts.extend(moved);
        insts.extend(jump);
    }
    changed
}

struct Motion<'a> {
    func: &'a mut Function,
    nest: &'a LoopNest,
    block_of: SecondaryMap<Inst, Option<Block>>,
    /// Also of the blocks made here.
    innermost: SecondaryMap<Block, Option<Loop>>,
    /// All blocks, those made here included, each behind its dominators.
    order: Vec<Block>,
}

impl Motion<'_> {
    fn is_inside(&self, this: Loop, block: Block) -> bool {
        self.nest.encloses(this, self.innermost[block])
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

    /// Takes the invariant operations out of a block, and out of the one made before it.
    fn collect(&mut self, this: Loop, block: Block, always: bool, moved: &mut Vec<Inst>) {
        let insts = std::mem::take(&mut self.func.layout.insts[block]);
        let mut kept = Vec::with_capacity(insts.len());
        for inst in insts {
            let kind = &self.func.insts[inst].kind;
            let mut movable = may_move(kind, always);
            if movable {
                kind.for_each_value(|value| movable &= self.is_invariant(this, value));
            }
            if movable {
                // From here on it is outside, wherever that will be.
                self.block_of[inst] = self.func.entry();
                moved.push(inst);
            } else {
                kept.push(inst);
            }
        }
        self.func.layout.insts[block] = kept;
    }

    /// The block that jumps into the loop.
    fn preheader(&mut self, this: Loop, header: Block, latches: &[Block]) -> Block {
        let outside: Vec<Block> = (self.func.layout.blocks.iter().copied())
            .filter(|block| !latches.contains(block))
            .filter(|&block| {
                self.func.terminator(block).is_some_and(|inst| {
                    let calls = self.func.insts[inst].kind.successors();
                    calls.iter().any(|call| call.block == header)
                })
            })
            .collect();
        if let [only] = outside[..] {
            let inst = self.func.terminator(only);
            let is_jump = |inst| matches!(self.func.insts[inst].kind, InstKind::Jump { .. });
            if inst.is_some_and(is_jump) {
                return only;
            }
        }
        let before = self.func.make_block();
        self.innermost[before] = self.nest.loops[this].parent;
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
        for list in [&mut self.func.layout.blocks, &mut self.order] {
            let at = list.iter().position(|&block| block == header);
            list.insert(at.unwrap_or(list.len()), before);
        }
        before
    }
}

/// Whether an operation may be done before the loop; `always` says that each round does it.
fn may_move(kind: &InstKind, always: bool) -> bool {
    match kind {
        InstKind::LoadArg { .. }
        | InstKind::LocalArg { .. }
        | InstKind::GlobalAddr { .. }
        | InstKind::StackAddr { .. }
        | InstKind::BuiltIn { .. } => true,
        InstKind::Binary { op, .. } if always => matches!(op, BinaryOp::FDiv) || is_cheap(kind),
        InstKind::Math { op, .. } if always => !matches!(op, MathOp::Ocl(_)),
        InstKind::Convert { .. } if always => true,
        _ => is_cheap(kind),
    }
}
