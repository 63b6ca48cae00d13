//! Several rounds of a loop between two tests, for drivers where a round costs more than its instructions
//! ([`QuirkKind::UnrollRounds`](pumice_target::QuirkKind::UnrollRounds)).
//!
//! An innermost loop is unrolled that is left from its first block alone, by all work-items together, and has no
//! barriers or calls. If the number of its rounds is a constant that the number of copies divides, the copies follow the
//! loop's round and have no test. Else a loop of copies runs before the loop, as long as its counter has that many rounds
//! to go, and the loop itself runs the rest:
//!
//! ```text
//! limit = max(n, MIN + 3) - 3;
//! for (; i < limit; ) { round; round; round; round; }
//! for (; i < n; ) { round; }
//! ```
//!
//! A loop that the driver unrolls whole stays, as does one with a hint. Copies grow a function by [`BUDGET`] at most.

use super::bound_unrolling::{UNASKED, UNASKED_ROUNDS};
use super::trip_count::rounds;
use super::{dce, simplify_cfg};
use crate::pass::{Changed, FunctionCtx};
use crate::structurize::uniform;
use cranelift_entity::SecondaryMap;
use pumice_ir::{
    BinaryOp, Block, BlockCall, Cfg, DomTree, FloatFlags, Function, Inst, InstKind, IntCond, Loop,
    LoopNest, SourceLoc, Type, UnrollHint, Value, ValueDef,
};
use rustc_hash::FxHashMap;

/// Instructions that copies may add to a function.
const BUDGET: usize = 1 << 10;
/// Instructions of a loop with its copies, and the most copies: a processor runs so many while it finds out whether there
/// is another round.
const ENOUGH: usize = 256;
const COPIES: [u64; 3] = [8, 4, 2];
/// Rounds that are followed to find their number.
const MAX_ROUNDS: u64 = 1 << 12;

/// Runs the pass.
pub fn run(func: &mut Function, ctx: &FunctionCtx<'_>) -> Changed {
    let cfg = Cfg::new(func);
    let Some((dom, nest)) = LoopNest::find(&cfg) else {
        return Changed::No;
    };
    let together = uniform::branches(func);
    let mut budget = BUDGET;
    let mut changed = false;
    for this in nest.loops.keys() {
        if !together[nest.loops[this].header] {
            continue;
        }
        let Some(shape) = Shape::of(func, &cfg, &dom, &nest, this) else {
            continue;
        };
        let known = rounds(func, &cfg, &dom, &nest, this, MAX_ROUNDS);
        // The last one only leaves.
        let known = known.map(|rounds| rounds - 1);
        let Some(way) = shape.way(func, known) else {
            continue;
        };
        let grows = shape.size * way.copies as usize;
        if grows > budget {
            continue;
        }
        budget -= grows;
        shape.unroll(func, &way);
        changed = true;
    }
    if changed {
        // Copies have no tests, and are one block mostly.
        let _ = dce::run(func, ctx);
        let _ = simplify_cfg::run(func, ctx);
    }
    Changed::from_bool(changed)
}

/// A loop that may be unrolled.
struct Shape {
    /// The blocks in reverse postorder, the first one first.
    blocks: Vec<Block>,
    /// The only block that leads back.
    latch: Block,
    /// The blocks that lead into the loop.
    entries: Vec<Block>,
    /// The way into the loop's other blocks, from the first.
    inside: BlockCall,
    /// The condition of the first block's branch, and what it is where the loop goes on.
    condition: (Value, bool),
    /// Instructions.
    size: usize,
}

/// A way to unroll a loop.
struct Way {
    copies: u64,
    /// The test that so many rounds are to come; none if the number of rounds is known.
    ahead: Option<Ahead>,
}

/// A comparison of a counter with a bound: the loop goes on while it holds.
struct Ahead {
    counter: usize,
    cond: IntCond,
    bound: Value,
    /// The sum of the steps of all rounds but one.
    distance: u64,
}

impl Shape {
    /// `None` if the loop is not one that may be unrolled.
    fn of(func: &Function, cfg: &Cfg, dom: &DomTree, nest: &LoopNest, this: Loop) -> Option<Self> {
        let header = nest.loops[this].header;
        let is_innermost = !nest.loops.values().any(|other| other.parent == Some(this));
        if !is_innermost || func.blocks[header].unroll != UnrollHint::None {
            return None;
        }
        let (latches, entries): (Vec<Block>, Vec<Block>) =
            (cfg.preds(header).iter()).partition(|&&pred| dom.dominates(header, pred));
        let &[latch] = latches.as_slice() else {
            return None;
        };
        let order = cfg.reverse_postorder().iter().copied();
        let blocks: Vec<Block> = order.filter(|&block| nest.contains(this, block)).collect();
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

    fn header(&self) -> Block {
        self.blocks[0]
    }

    /// Decides how many rounds run between two tests; `None` if one.
    fn way(&self, func: &Function, known: Option<u64>) -> Option<Way> {
        let fits = |&copies: &u64| self.size * copies as usize <= ENOUGH;
        if let Some(known) = known {
            if known <= UNASKED_ROUNDS && self.size as u64 * known <= UNASKED {
                return None;
            }
            let divides = |&copies: &u64| known > copies && known % copies == 0;
            let copies = COPIES.into_iter().filter(fits).find(divides);
            if let Some(copies) = copies {
                return Some(Way {
                    copies,
                    ahead: None,
                });
            }
        }
        let copies = COPIES.into_iter().find(fits)?;
        let ahead = self.ahead(func, copies)?;
        Some(Way {
            copies,
            ahead: Some(ahead),
        })
    }

    /// The test of a counter, for so many rounds; `None` if the loop counts in another way.
    fn ahead(&self, func: &Function, copies: u64) -> Option<Ahead> {
        let (condition, holds) = self.condition;
        let &InstKind::ICmp { cond, args: [a, b] } = &func.insts[func.def_inst(condition)?].kind
        else {
            return None;
        };
        let params = &func.blocks[self.header()].params;
        let place = |value| params.iter().position(|&param| param == value);
        let (counter, bound, cond) = match (place(a), place(b)) {
            (Some(counter), None) => (counter, b, cond),
            (None, Some(counter)) => (counter, a, cond.swapped()),
            _ => return None,
        };
        let cond = if holds { cond } else { cond.inverted() };
        let ty = func.ty(params[counter]);
        let is_outside = match *func.def(bound) {
            ValueDef::Const(_) => true,
            ValueDef::Result(inst, _) => !self.has(func, inst),
            ValueDef::Param(block, _) => !self.blocks.contains(&block),
            ValueDef::Undef => false,
        };
        if !matches!(ty, Type::I32 | Type::I64) || !is_outside {
            return None;
        }
        let next = *self.back(func).get(counter)?;
        let &InstKind::Binary {
            op: BinaryOp::IAdd,
            args,
            ..
        } = &func.insts[func.def_inst(next)?].kind
        else {
            return None;
        };
        let step = match args {
            [from, step] if from == params[counter] => step,
            [step, from] if from == params[counter] => step,
            _ => return None,
        };
        let step = func.const_signed(step)?;
        let goes_up = match cond {
            IntCond::Slt | IntCond::Ult => true,
            IntCond::Sgt | IntCond::Ugt => false,
            _ => return None,
        };
        let distance = step.unsigned_abs().checked_mul(copies - 1)?;
        let is_toward = step != 0 && (step > 0) == goes_up;
        (is_toward && distance < 1 << (ty.scalar.bits() - 2)).then_some(Ahead {
            counter,
            cond,
            bound,
            distance,
        })
    }

    /// Returns whether an instruction is one of the loop's.
    fn has(&self, func: &Function, inst: Inst) -> bool {
        let mut blocks = self.blocks.iter();
        blocks.any(|&block| func.layout.insts[block].contains(&inst))
    }

    fn unroll(&self, func: &mut Function, way: &Way) {
        let header = self.header();
        let Some(ahead) = &way.ahead else {
            // The loop's own round comes first, and is what copies are made of.
            let args = self.back(func);
            if let Some(copies) = self.chain(func, way.copies - 1, args) {
                turn(func, copies.latch, BlockCall::new(header, &copies.args));
                turn(func, self.latch, BlockCall::new(copies.first, &[]));
            }
            return;
        };
        let types: Vec<Type> = (func.blocks[header].params.iter())
            .map(|&param| func.ty(param))
            .collect();
        let [before, test] = [(); 2].map(|()| func.append_block());
        let [starts, now] = [before, test].map(|block| -> Vec<Value> {
            (types.iter().map(|&ty| func.append_param(block, ty))).collect()
        });
        for &entry in &self.entries {
            let Some(last) = func.terminator(entry) else {
                continue;
            };
            for call in func.insts[last].kind.successors_mut() {
                if call.block == header {
                    call.block = before;
                }
            }
        }
        let limit = ahead.limit(func, before);
        jump(func, before, BlockCall::new(test, &starts));
        let kind = InstKind::ICmp {
            cond: ahead.cond,
            args: [now[ahead.counter], limit],
        };
        let cond = func.append_value(test, kind, Type::BOOL, SourceLoc::default());
        if let Some(copies) = self.chain(func, way.copies, now.clone()) {
            turn(func, copies.latch, BlockCall::new(test, &copies.args));
            let kind = InstKind::Branch {
                cond,
                then: BlockCall::new(copies.first, &[]),
                other: BlockCall::new(header, &now),
            };
            func.append(test, kind, &[], SourceLoc::default());
        }
    }

    /// The values of the first block's parameters in the next round.
    fn back(&self, func: &Function) -> Vec<Value> {
        let last = func.terminator(self.latch);
        let calls = last.map(|last| func.insts[last].kind.successors());
        let args = calls.and_then(|calls| calls.first().map(|call| call.args.to_vec()));
        args.unwrap_or_default()
    }

    /// Copies of rounds, one behind the other; `None` for none.
    fn chain(&self, func: &mut Function, copies: u64, args: Vec<Value>) -> Option<Copy> {
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
                kind.for_each_value_mut(|value| {
                    if let Some(&new) = values.get(value) {
                        *value = new;
                    }
                });
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

/// Copies of rounds. The last block leads to the loop's first one until it is turned.
struct Copy {
    first: Block,
    latch: Block,
    /// The values of the parameters in the next round.
    args: Vec<Value>,
}

impl Ahead {
    /// The bound that a counter is before as long as it is before the loop's own in all rounds.
    fn limit(&self, func: &mut Function, block: Block) -> Value {
        let ty = func.ty(self.bound);
        let bits = ty.scalar.bits();
        let most = u64::MAX >> (64 - bits);
        let d = self.distance;
        let (clamp, edge, shift) = match self.cond {
            IntCond::Slt => (BinaryOp::SMax, (1 << (bits - 1)) + d, BinaryOp::ISub),
            IntCond::Ult => (BinaryOp::UMax, d, BinaryOp::ISub),
            IntCond::Sgt => (BinaryOp::SMin, (most >> 1) - d, BinaryOp::IAdd),
            _ => (BinaryOp::UMin, most - d, BinaryOp::IAdd),
        };
        let [edge, d] = [edge, d].map(|bits| func.splat_constant(ty, bits));
        let mut value = self.bound;
        for (op, arg) in [(clamp, edge), (shift, d)] {
            let kind = InstKind::Binary {
                op,
                args: [value, arg],
                flags: FloatFlags::empty(),
            };
            value = func.append_value(block, kind, ty, SourceLoc::default());
        }
        value
    }
}

/// Lets a block that leads back lead elsewhere.
fn turn(func: &mut Function, latch: Block, dest: BlockCall) {
    if let Some(last) = func.terminator(latch) {
        func.insts[last].kind = InstKind::Jump { dest };
    }
}

fn jump(func: &mut Function, block: Block, dest: BlockCall) {
    func.append(block, InstKind::Jump { dest }, &[], SourceLoc::default());
}

/// Returns whether several rounds may have an instruction between two tests.
fn may_repeat(kind: &InstKind) -> bool {
    !kind.is_convergent() && !matches!(kind, InstKind::Call { .. } | InstKind::Printf { .. })
}
