//! Bounds what unroll hints may cost.
//!
//! Vulkan drivers take OpLoopMerge's Unroll for an order, whatever code comes of it, so a hint stays
//! only where the loop's number of rounds is known and the unrolled code is within a budget. Loops
//! are weighed from the inside out, with what their calls and inner loops become; what was granted
//! inside counts in the loops around. A count that covers all rounds asks for the whole loop; another
//! stays a count, lowered until that many copies are within the budget too.
//!
//! Mesa (all versions up to 25 at least) takes such a loop for one of 7 rounds, where it has 4, and unrolls it so:
//!
//! ```text
//! for (uint i = 0xfffffff0; i >= 16; i += 4)
//! ```
//!
//! It divides the way from the first value to the limit by the step, modulo 2^32, and asks whether the counter at the end
//! of it would leave the loop, not whether an earlier one would. So it is told not to unroll loops that are left only once
//! their counter has wrapped, whether their first value is a constant here or becomes one when it unrolls the loop around.
//! Every driver is told: such loops are rare, and a driver gains little by unrolling them.
//!
//! Loops that index a private array by their counter count as hinted for drivers that would keep the array in memory
//! ([`QuirkKind::UnrollArrayLoops`]).

use crate::pass::{Changed, Ctx};
use crate::passes::optimize::inline::bottom_up;
use crate::passes::optimize::trip_count::{indexes_by_counter, left_by_wrapping, rounds};
use cranelift_entity::SecondaryMap;
use pumice_ir::LowerError;
use pumice_ir::{
    AddressSpace, Block, Cfg, FuncId, Function, InstKind, Loop, LoopNest, Module, UnrollHint,
};
use pumice_target::QuirkKind;

/// Instructions that hints may add to a function.
const BUDGET: u64 = 16 << 10;
/// Rounds of a loop that is unrolled for an array that it indexes, the one that leaves it counted.
const ARRAY_ROUNDS: u64 = 65;
/// Unrolled loops of up to so many instructions are what drivers make unasked.
pub(super) const UNASKED: u64 = 1 << 10;
/// Rounds up to which drivers unroll unasked.
pub(super) const UNASKED_ROUNDS: u64 = 32;

/// Runs the pass.
///
/// # Errors
/// Recursive calls, which the inliner has refused before.
pub fn run(module: &mut Module, ctx: &Ctx<'_>) -> Result<Changed, LowerError> {
    let (order, _) = bottom_up(module)?;
    let for_arrays = ctx.target.quirks.has(QuirkKind::UnrollArrayLoops);
    let mut sizes: SecondaryMap<FuncId, u64> = SecondaryMap::new();
    let mut changed = false;
    for id in order {
        let (hints, size) = decide(&module.functions[id], &sizes, for_arrays);
        sizes[id] = size;
        for (block, hint) in hints {
            let old = &mut module.functions[id].blocks[block].unroll;
            changed |= *old != hint;
            *old = hint;
        }
    }
    Ok(Changed::from_bool(changed))
}

/// The hints that a function's loops keep, and its size when they are followed. `for_arrays`: loops that index private
/// arrays count as hinted.
fn decide(
    func: &Function,
    sizes: &SecondaryMap<FuncId, u64>,
    for_arrays: bool,
) -> (Vec<(Block, UnrollHint)>, u64) {
    let cfg = Cfg::new(func);
    let size_of = |block: Block| {
        let insts = func.layout.insts[block].iter();
        // Functions that each call two others are as large as the number of their calls' paths.
        insts.fold(0, |size: u64, &inst| match func.insts[inst].kind {
            InstKind::Call { func, .. } => size.saturating_add(sizes[func].max(1)),
            _ => size.saturating_add(1),
        })
    };
    // A hint without a loop asks for nothing.
    let mut hints: Vec<(Block, UnrollHint)> = func
        .layout
        .blocks
        .iter()
        .filter(|&&block| func.blocks[block].unroll != UnrollHint::None)
        .map(|&block| (block, UnrollHint::None))
        .collect();
    let Some((dom, nest)) = LoopNest::find(&cfg) else {
        let blocks = cfg.reverse_postorder().iter();
        let size = blocks.fold(0, |sum: u64, &block| sum.saturating_add(size_of(block)));
        return (hints, size);
    };
    let mut weights: SecondaryMap<Loop, u64> = SecondaryMap::new();
    let mut outside: u64 = 0;
    for &block in cfg.reverse_postorder() {
        let sum = nest
            .innermost(block)
            .map_or(&mut outside, |this| &mut weights[this]);
        *sum = sum.saturating_add(size_of(block));
    }
    let is_private = |address| func.ty(address).address_space() == Some(AddressSpace::Private);
    let blocks = |this| -> Vec<Block> {
        let order = cfg.reverse_postorder().iter().copied();
        order.filter(|&block| nest.contains(this, block)).collect()
    };
    let wrapping = left_by_wrapping(func, &cfg, &dom, &nest);
    let mut budget = BUDGET;
    for (this, data) in nest.loops.iter() {
        let weight = weights[this];
        let mut asked = match wrapping[this] {
            true => UnrollHint::DontUnroll,
            false => func.blocks[data.header].unroll,
        };
        let limit = (budget / weight.max(1) + 1).max(UNASKED_ROUNDS);
        let rounds = match asked {
            UnrollHint::DontUnroll => None,
            _ => rounds(func, &cfg, &dom, &nest, this, limit),
        };
        if for_arrays
            && asked == UnrollHint::None
            && rounds.is_some_and(|rounds| rounds <= ARRAY_ROUNDS)
            && indexes_by_counter(func, &cfg, &dom, &blocks(this), is_private)
        {
            asked = UnrollHint::Unroll;
        }
        let (hint, copies) = grant(asked, rounds, weight, budget);
        let grown = weight.saturating_mul(copies);
        budget = budget.saturating_sub(match hint {
            UnrollHint::None => 0,
            _ => grown - weight,
        });
        match hints.iter_mut().find(|(block, _)| *block == data.header) {
            Some(entry) => entry.1 = hint,
            None if hint != UnrollHint::None => hints.push((data.header, hint)),
            None => {}
        }
        let sum = data
            .parent
            .map_or(&mut outside, |parent| &mut weights[parent]);
        *sum = sum.saturating_add(grown);
    }
    (hints, outside)
}

/// Gives the hint that a loop of that weight may have, and the number of copies that come of it.
fn grant(asked: UnrollHint, rounds: Option<u64>, weight: u64, budget: u64) -> (UnrollHint, u64) {
    // As many copies as the budget has beside the loop that is there.
    let most = budget / weight.max(1) + 1;
    match (asked, rounds) {
        (UnrollHint::DontUnroll, _) => (asked, 1),
        (UnrollHint::Unroll, Some(rounds)) if rounds <= most => (asked, rounds),
        (UnrollHint::Partial(count), Some(rounds))
            if rounds <= most && rounds <= u64::from(count) =>
        {
            (UnrollHint::Unroll, rounds)
        }
        (UnrollHint::Partial(count), _) if count.min(most as u32) > 1 => {
            let count = u64::from(count).min(most);
            (UnrollHint::Partial(count as u32), count)
        }
        (_, Some(rounds))
            if rounds <= UNASKED_ROUNDS && weight.saturating_mul(rounds) <= UNASKED =>
        {
            (UnrollHint::None, rounds)
        }
        _ => (UnrollHint::None, 1),
    }
}
