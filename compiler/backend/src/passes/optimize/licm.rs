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
use cranelift_entity::{PrimaryMap, SecondaryMap};
use pumice_ir::analysis::alias::{Effect, Effects, effect, may_change, root};
use pumice_ir::{
    BinaryOp, Block, BlockCall, Cfg, DomTree, Function, GlobalData, GlobalId, Inst, InstKind, Loop,
    LoopNest, MathOp, SourceLoc, Value, ValueDef,
};

/// Moves invariant operations out of the loops of one function.
pub fn run(func: &mut Function, ctx: &FunctionCtx<'_>) -> Changed {
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
    let effects = Effects::new(func, &cfg);
    let mut motion = Motion {
        func,
        globals: ctx.globals,
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
        let blocks = cfg.reverse_postorder().iter().copied();
        let inside = |block: &Block| nest.contains(this, *block);
        let written = effects.of(blocks.clone().filter(inside));
        let leaves: Vec<Block> = blocks
            .filter(inside)
            .filter(|&block| {
                let targets = cfg.succs(block);
                targets.is_empty() || targets.iter().any(|target| !inside(target))
            })
            .collect();
        let mut moved = Vec::new();
        for block in motion.order.clone() {
            if motion.is_inside(this, block) {
                // Nothing is known of the blocks that were made for inner loops.
                let known = cfg.is_reachable(block);
                let always = known && latches.iter().all(|&latch| dom.dominates(block, latch));
                let place = Place {
                    always,
                    first: always && leaves.iter().all(|&leave| dom.dominates(block, leave)),
                    written: &written,
                };
                motion.collect(this, block, &place, &mut moved);
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

/// A block of a loop.
struct Place<'a> {
    /// Each round passes it.
    always: bool,
    /// Nobody who enters the loop leaves it before.
    first: bool,
    /// The effects of the whole loop on memory.
    written: &'a [Effect],
}

struct Motion<'a> {
    func: &'a mut Function,
    globals: &'a PrimaryMap<GlobalId, GlobalData>,
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
    fn collect(&mut self, this: Loop, block: Block, place: &Place<'_>, moved: &mut Vec<Inst>) {
        let insts = std::mem::take(&mut self.func.layout.insts[block]);
        let mut kept = Vec::with_capacity(insts.len());
        for inst in insts {
            let kind = &self.func.insts[inst].kind;
            let mut movable = match *kind {
                InstKind::Load { ptr, .. } => self.may_load_before(inst, ptr, place),
                _ => may_move(kind, place.always),
            };
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

    /// Returns whether a load gives the same before the loop and does no harm there.
    fn may_load_before(&self, inst: Inst, ptr: Value, place: &Place<'_>) -> bool {
        let func = &*self.func;
        let bytes = i64::from(func.ty(func.result(inst)).access_bytes());
        let same = effect(func, &func.insts[inst].kind) == Effect::None
            && !(place.written.iter()).any(|&effect| may_change(func, effect, ptr, bytes));
        same && (place.first || self.is_part_of_variable(ptr, bytes))
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

/// Returns whether an operation may be done before the loop; `always` says that each round does it.
fn may_move(kind: &InstKind, always: bool) -> bool {
    match kind {
        InstKind::LoadArg { .. }
        | InstKind::LocalArg { .. }
        | InstKind::HandleArg { .. }
        | InstKind::HandleInfo { .. }
        | InstKind::GlobalAddr { .. }
        | InstKind::StackAddr { .. }
        | InstKind::BuiltIn { .. } => true,
        InstKind::Binary { op, .. } if always => matches!(op, BinaryOp::FDiv) || is_cheap(kind),
        InstKind::Math { op, .. } if always => !matches!(op, MathOp::Ocl(_)),
        InstKind::Convert { .. } if always => true,
        _ => is_cheap(kind),
    }
}
