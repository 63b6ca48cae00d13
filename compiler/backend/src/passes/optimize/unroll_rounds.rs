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
use super::copyable_loop::{CopyableLoop, innermost, jump, turn};
use super::trip_count::rounds;
use super::{dce, simplify_cfg};
use crate::pass::{Changed, FunctionCtx};
use crate::structurize::uniform;
use pumice_ir::{
    BinaryOp, Block, BlockCall, Cfg, FloatFlags, Function, Inst, InstKind, IntCond, LoopNest,
    SourceLoc, Type, UnrollHint, Value, ValueDef,
};

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
    for (this, blocks) in innermost(&cfg, &nest) {
        let header = nest.loops[this].header;
        if !together[header] || func.blocks[header].unroll != UnrollHint::None {
            continue;
        }
        let Some(loop_) = CopyableLoop::of(func, &cfg, &dom, &nest, (this, blocks)) else {
            continue;
        };
        let known = rounds(func, &cfg, &dom, &nest, this, MAX_ROUNDS);
        // The last one only leaves.
        let known = known.map(|rounds| rounds - 1);
        let Some(way) = loop_.way(func, known) else {
            continue;
        };
        let grows = loop_.size * way.copies as usize;
        if grows > budget {
            continue;
        }
        budget -= grows;
        loop_.unroll(func, &way);
        changed = true;
    }
    if changed {
        // Copies have no tests, and are one block mostly.
        let _ = dce::run(func, ctx);
        let _ = simplify_cfg::run(func, ctx);
    }
    Changed::from_bool(changed)
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

impl CopyableLoop {
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
        let (before, starts) = self.add_block(func);
        let (test, now) = self.add_block(func);
        self.enter_by(func, before);
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
