//! A loop whose rounds may be copied, and the copies.
//!
//! It is an innermost loop that is left from its first block alone, leads back from one block, and has no barriers and
//! no calls.

use super::bound_unrolling::UNASKED_ROUNDS;
use super::trip_count::rounds;
use super::{dce, fold, simplify_cfg, sroa};
use crate::pass::FunctionCtx;
use cranelift_entity::SecondaryMap;
use pumice_ir::{
    Block, BlockCall, Cfg, DomTree, Function, InstKind, Loop, LoopNest, LowerError, SourceLoc,
    Type, UnrollHint, Value,
};
use rustc_hash::FxHashMap;

/// A loop whose rounds may be copied.
#[derive(Clone)]
pub(super) struct CopyableLoop {
    /// The blocks in reverse postorder, the first one first.
    pub blocks: Vec<Block>,
    /// The only block that leads back.
    pub latch: Block,
    /// The blocks that lead into the loop.
    pub entries: Vec<Block>,
    /// The way into the loop's other blocks, from the first.
    pub inside: BlockCall,
    /// The condition of the first block's branch, and what it is where the loop goes on.
    pub condition: (Value, bool),
    /// Instructions.
    pub size: usize,
}

/// The innermost loops, each with its blocks in reverse postorder. Takes time for each block once.
pub(super) fn innermost(cfg: &Cfg, nest: &LoopNest) -> Vec<(Loop, Vec<Block>)> {
    let mut blocks: SecondaryMap<Loop, Vec<Block>> = SecondaryMap::new();
    for &block in cfg.reverse_postorder() {
        if let Some(this) = nest.innermost(block) {
            blocks[this].push(block);
        }
    }
    for data in nest.loops.values() {
        if let Some(parent) = data.parent {
            blocks[parent].clear();
        }
    }
    let loops = nest.loops.keys();
    loops
        .map(|this| (this, std::mem::take(&mut blocks[this])))
        .filter(|(_, blocks)| !blocks.is_empty())
        .collect()
}

impl CopyableLoop {
    /// An innermost loop with these blocks; `None` if it is another one.
    pub fn of(
        func: &Function,
        cfg: &Cfg,
        dom: &DomTree,
        nest: &LoopNest,
        (this, blocks): (Loop, Vec<Block>),
    ) -> Option<Self> {
        let header = nest.loops[this].header;
        let (latches, entries): (Vec<Block>, Vec<Block>) =
            (cfg.preds(header).iter()).partition(|&&pred| dom.dominates(header, pred));
        let &[latch] = latches.as_slice() else {
            return None;
        };
        let ends_in_jump = |block| match func.insts[func.terminator(block)?].kind {
            InstKind::Jump { .. } => Some(()),
            _ => None,
        };
        ends_in_jump(latch)?;
        let mut size = 0;
        for &block in &blocks {
            let stays = |succ: &Block| nest.contains(this, *succ);
            if block != header && !cfg.succs(block).iter().all(stays) {
                return None;
            }
            let insts = &func.layout.insts[block];
            if !insts.iter().all(|&inst| may_repeat(&func.insts[inst].kind)) {
                return None;
            }
            size += insts.len();
        }
        let InstKind::Branch { cond, then, other } = &func.insts[func.terminator(header)?].kind
        else {
            return None;
        };
        let [then_stays, other_stays] = [then, other].map(|call| nest.contains(this, call.block));
        if then_stays == other_stays {
            return None;
        }
        let inside = if then_stays { then } else { other };
        Some(Self {
            blocks,
            latch,
            entries,
            inside: inside.clone(),
            condition: (*cond, then_stays),
            size,
        })
    }

    /// The first block.
    pub fn header(&self) -> Block {
        self.blocks[0]
    }

    /// Adds an empty block with parameters like the first block's.
    pub fn add_block(&self, func: &mut Function) -> (Block, Vec<Value>) {
        let block = func.append_block();
        let params = func.blocks[self.header()].params.clone();
        let params = params.into_iter().map(|param| {
            let ty = func.ty(param);
            func.append_param(block, ty)
        });
        (block, params.collect())
    }

    /// Lets the first block lead out of the loop alone.
    pub fn leave(&self, func: &mut Function) {
        let Some(last) = func.terminator(self.header()) else {
            return;
        };
        let calls = func.insts[last].kind.successors();
        let outside = calls
            .into_iter()
            .find(|call| call.block != self.inside.block);
        if let Some(dest) = outside.cloned() {
            func.insts[last].kind = InstKind::Jump { dest };
        }
    }

    /// Lets the blocks that lead into the loop lead to another block, with what the first block took.
    pub fn enter_by(&self, func: &mut Function, block: Block) {
        for &entry in &self.entries {
            let Some(last) = func.terminator(entry) else {
                continue;
            };
            for call in func.insts[last].kind.successors_mut() {
                if call.block == self.header() {
                    call.block = block;
                }
            }
        }
    }

    /// The values of the first block's parameters in the next round.
    pub fn back(&self, func: &Function) -> Vec<Value> {
        let last = func.terminator(self.latch);
        let calls = last.map(|last| func.insts[last].kind.successors());
        let args = calls.and_then(|calls| calls.first().map(|call| call.args.to_vec()));
        args.unwrap_or_default()
    }

    /// Copies of rounds, one behind the other; `None` for none.
    pub fn chain(&self, func: &mut Function, copies: u64, args: Vec<Value>) -> Option<Copy> {
        let mut made: Option<Copy> = None;
        for _ in 0..copies {
            let args = made.as_ref().map_or(&args, |made| &made.args);
            let next = self.copy(func, args);
            made = Some(match made {
                Some(before) => {
                    turn(func, before.latch, BlockCall::new(next.first, &[]));
                    Copy {
                        first: before.first,
                        ..next
                    }
                }
                None => next,
            });
        }
        made
    }

    /// A copy of a round that begins with these parameters and has no test.
    fn copy(&self, func: &mut Function, args: &[Value]) -> Copy {
        let header = self.header();
        let mut values: FxHashMap<Value, Value> = FxHashMap::default();
        let mut blocks: SecondaryMap<Block, Option<Block>> = SecondaryMap::new();
        let params = func.blocks[header].params.clone();
        values.extend(params.iter().copied().zip(args.iter().copied()));
        for &block in &self.blocks {
            let made = func.append_block();
            blocks[block] = Some(made);
            if block == header {
                continue;
            }
            for param in func.blocks[block].params.clone() {
                let ty = func.ty(param);
                values.insert(param, func.append_param(made, ty));
            }
        }
        let mut back = Vec::new();
        for &block in &self.blocks {
            let Some(made) = blocks[block] else { continue };
            let insts = func.layout.insts[block].clone();
            let last = insts.last().copied();
            for inst in insts {
                let is_test = block == header && Some(inst) == last;
                let mut kind = match is_test {
                    true => InstKind::Jump {
                        dest: self.inside.clone(),
                    },
                    false => func.insts[inst].kind.clone(),
                };
                kind.replace_values(&values);
                for call in kind.successors_mut() {
                    if call.block == header {
                        back = call.args.to_vec();
                    } else if let Some(to) = blocks[call.block] {
                        call.block = to;
                    }
                }
                let results = func.insts[inst].results.clone();
                let types: Vec<Type> = results.iter().map(|&value| func.ty(value)).collect();
                let loc = func.insts[inst].loc;
                let new = func.append(made, kind, &types, loc);
                let made = func.insts[new].results.clone();
                values.extend(results.into_iter().zip(made));
            }
        }
        let block = |block: Block| blocks[block].unwrap_or(block);
        Copy {
            first: block(header),
            latch: block(self.latch),
            args: back,
        }
    }
}

/// A loop whose rounds may be copied, and that runs a number of rounds which is a constant.
#[derive(Clone)]
pub(super) struct CountedLoop {
    pub loop_: CopyableLoop,
    /// The rounds, the one that leaves counted.
    rounds: u64,
}

impl CountedLoop {
    /// The innermost loops of up to [`UNASKED_ROUNDS`] rounds that no hint wants to stay.
    pub fn all(func: &Function, cfg: &Cfg, dom: &DomTree, nest: &LoopNest) -> Vec<Self> {
        let found = innermost(cfg, nest).into_iter().filter_map(|found| {
            let this = found.0;
            let loop_ = CopyableLoop::of(func, cfg, dom, nest, found)?;
            let stays = func.blocks[loop_.header()].unroll == UnrollHint::DontUnroll;
            let rounds = (!stays).then(|| rounds(func, cfg, dom, nest, this, UNASKED_ROUNDS));
            let rounds = rounds.flatten()?;
            Some(Self { loop_, rounds })
        });
        found.collect()
    }

    /// The instructions that copies of all rounds add.
    pub fn grows(&self) -> u64 {
        self.rounds.saturating_mul(self.loop_.size as u64)
    }

    /// Puts copies of all rounds before the loop, whose first block then leaves at once.
    pub fn unroll(&self, func: &mut Function) {
        let header = self.loop_.header();
        let (before, starts) = self.loop_.add_block(func);
        self.loop_.enter_by(func, before);
        match self.loop_.chain(func, self.rounds - 1, starts.clone()) {
            Some(copies) => {
                turn(func, copies.latch, BlockCall::new(header, &copies.args));
                jump(func, before, BlockCall::new(copies.first, &[]));
            }
            None => jump(func, before, BlockCall::new(header, &starts)),
        }
        self.loop_.leave(func);
    }
}

/// Takes away what loops leave that were unrolled whole: tests that are decided, and arrays that constants index.
///
/// # Errors
/// Those of [`sroa::run`].
pub(super) fn tidy(func: &mut Function, ctx: &FunctionCtx<'_>) -> Result<(), LowerError> {
    let _ = dce::run(func, ctx);
    let _ = simplify_cfg::run(func, ctx);
    let _ = fold::run(func, ctx);
    let _ = sroa::run(func, ctx)?;
    let _ = fold::run(func, ctx);
    let _ = dce::run(func, ctx);
    Ok(())
}

/// Copies of rounds. The last block leads to the loop's first one until it is turned.
pub(super) struct Copy {
    pub first: Block,
    pub latch: Block,
    /// The values of the parameters in the next round.
    pub args: Vec<Value>,
}

/// Lets a block that leads back lead elsewhere.
pub(super) fn turn(func: &mut Function, latch: Block, dest: BlockCall) {
    if let Some(last) = func.terminator(latch) {
        func.insts[last].kind = InstKind::Jump { dest };
    }
}

/// Ends a block with a jump.
pub(super) fn jump(func: &mut Function, block: Block, dest: BlockCall) {
    func.append(block, InstKind::Jump { dest }, &[], SourceLoc::default());
}

/// Returns whether several rounds may have an instruction between two tests.
fn may_repeat(kind: &InstKind) -> bool {
    !kind.is_convergent() && !matches!(kind, InstKind::Call { .. } | InstKind::Printf { .. })
}
