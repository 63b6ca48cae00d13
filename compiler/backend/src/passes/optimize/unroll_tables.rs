//! Loops that read constant data at places that their counter gives are unrolled whole.
//!
//! ```text
//! for (int i = 0; i < 8; i++) { r[i] = a[i] ^ table[i]; }
//! ```
//!
//! Vulkan drivers unroll such loops, but do not know what the data's memory holds: each copy loads from it, and where
//! work-items have lanes of a vector, that is a gather. In copies that are made here the data are constants.
//!
//! Private arrays that a loop indexes are such data, too, where the device takes denormals of doubles for zeros: each store
//! to memory ends a run of arithmetic that is watched together (`legalize_doubles`).
//!
//! A loop is unrolled within what drivers unroll unasked ([`UNASKED`]), until a function has grown by [`BUDGET`]. Private
//! arrays that the copies index by constants alone leave memory then, and the loop around becomes an innermost one, which
//! may be unrolled in turn.

use super::bound_unrolling::UNASKED;
use super::copyable_loop::{CountedLoop, tidy};
use super::trip_count::indexes_by_counter;
use crate::pass::{Changed, FunctionCtx};
use pumice_ir::{Cfg, Function, InstData, InstKind, LoopNest, LowerError, Value};

/// Instructions that copies may add to a function.
const BUDGET: u64 = 16 << 10;
/// Loops inside one another that are unrolled.
const MAX_DEPTH: u32 = 3;

/// Runs the pass.
///
/// # Errors
/// Those of [`tidy`].
pub fn run(func: &mut Function, ctx: &FunctionCtx<'_>) -> Result<Changed, LowerError> {
    let mut budget = BUDGET;
    let mut changed = Changed::No;
    for _ in 0..MAX_DEPTH {
        if !unroll_innermost(func, ctx, &mut budget) {
            break;
        }
        changed = Changed::Yes;
        tidy(func, ctx)?;
    }
    Ok(changed)
}

/// Unrolls innermost loops; returns whether there was one.
fn unroll_innermost(func: &mut Function, ctx: &FunctionCtx<'_>, budget: &mut u64) -> bool {
    let private = ctx.target.flushes_f64 && !ctx.options.math.denorms_are_zero;
    let names_array = |inst: &InstData| match inst.kind {
        InstKind::GlobalAddr { .. } => true,
        InstKind::StackAddr { .. } => private,
        _ => false,
    };
    if !func.insts.values().any(names_array) {
        return false;
    }
    let cfg = Cfg::new(func);
    let Some((dom, nest)) = LoopNest::find(&cfg) else {
        return false;
    };
    let is_table = |address| is_table(func, ctx, address) || private && is_private(func, address);
    let mut chosen = CountedLoop::all(func, &cfg, &dom, &nest);
    chosen.retain(|found| {
        let takes = found.grows() <= UNASKED.min(*budget)
            && indexes_by_counter(func, &cfg, &dom, &found.loop_.blocks, is_table);
        if takes {
            *budget -= found.grows();
        }
        takes
    });
    for found in &chosen {
        found.unroll(func);
    }
    !chosen.is_empty()
}

/// Returns whether an address is that of a private variable.
fn is_private(func: &Function, address: Value) -> bool {
    let kind = func.def_inst(address).map(|inst| &func.insts[inst].kind);
    matches!(kind, Some(InstKind::StackAddr { .. }))
}

/// Returns whether an address is that of constant data whose contents are known.
fn is_table(func: &Function, ctx: &FunctionCtx<'_>, address: Value) -> bool {
    let kind = func.def_inst(address).map(|inst| &func.insts[inst].kind);
    let Some(&InstKind::GlobalAddr { global }) = kind else {
        return false;
    };
    let data = ctx.globals.get(global);
    data.is_some_and(|data| data.is_known_constant())
}
