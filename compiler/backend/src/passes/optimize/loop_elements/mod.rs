//! Elements of arrays that a loop accesses at one address are variables while it runs.
//!
//! ```text
//! t[j] = a[j];
//! for (int i = 0; i < n; i++) { t[j] = t[j] * t[j] + b; }
//! ```
//!
//! An array whose index is not known stays in memory, and each round's load waits for the store of the round before. Drivers that
//! do not unroll the loop leave it so. The variable has the element's value from before the loop, and the element gets it back
//! where the loop is left.
//!
//! The array is not accessed elsewhere in the loop, but for other elements at constant distances. It is private, or other
//! work-items see it: then nothing in the loop accesses memory that may be the same, or waits for others. The element is
//! loaded only where the loop accesses it too, or somebody has before, so that it is inside its array. One that others see is
//! stored only if the loop has stored it: another work-item may own it otherwise.
//!
//! Of the eight innermost loops around an access the outermost takes the element. Takes time that is linear in the accesses and
//! the edges between blocks.
//!
//! - [`find`] finds the elements.
//! - [`hold`] makes them variables.

mod find;
mod hold;

use super::{simplify_cfg, sroa};
use crate::pass::{Changed, FunctionCtx};
use find::find;
use hold::Holder;
use pumice_ir::{Block, Cfg, Function, Inst, LoopNest, LowerError, Type, Value};
use smallvec::SmallVec;

/// Runs the pass.
///
/// # Errors
/// Those of [`sroa::run`].
pub fn run(func: &mut Function, ctx: &FunctionCtx<'_>) -> Result<Changed, LowerError> {
    if ctx.target.checks.any() {
        return Ok(Changed::No);
    }
    let cfg = Cfg::new(func);
    let Some((dom, nest)) = LoopNest::find(&cfg) else {
        return Ok(Changed::No);
    };
    let found = find(func, &cfg, &dom, &nest);
    if found.is_empty() {
        return Ok(Changed::No);
    }
    let mut holder = Holder::new(func);
    for element in &found {
        holder.hold(element);
    }
    let has_branches = holder.finish();
    let _ = sroa::run(func, ctx)?;
    if has_branches {
        let _ = simplify_cfg::run(func, ctx);
    }
    Ok(Changed::Yes)
}

/// An element that a loop keeps in a variable.
struct Held {
    ptr: Value,
    ty: Type,
    /// The alignment that all of the loop's accesses name.
    align: u32,
    /// The loop's own accesses.
    accesses: Vec<Inst>,
    /// The instructions that compute the address in the loop, in order.
    address: Vec<Inst>,
    /// The first block of the loop.
    header: Block,
    /// The block that leads into the loop.
    before: Block,
    /// The blocks where the loop is left, which nobody else comes to.
    after: SmallVec<[Block; 2]>,
    entry: Entry,
    /// The loop may load it before it stores it.
    is_loaded: bool,
    written: Written,
}

/// The case in which an element gets its value back.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Written {
    /// Always: nobody else may write it, or the loop stores it whenever it runs.
    Always,
    /// If a first round has begun: each round stores it.
    InFirstRound,
    /// If the loop has stored it.
    WhereStored,
}

/// The place where an element may be loaded.
#[derive(Clone)]
enum Entry {
    /// Before the loop: it is inside its array.
    Anywhere,
    /// On the way into the loop: its first block accesses the element.
    IntoLoop,
    /// On the way into the loop, if its first block's branch leads on in it: then it is accessed.
    IntoRound(FirstBranch),
}

/// The branch of a loop's first block.
#[derive(Clone)]
struct FirstBranch {
    /// The instructions before it.
    insts: Vec<Inst>,
    condition: Value,
    /// The condition where the branch does not leave the loop.
    goes_on: bool,
}
