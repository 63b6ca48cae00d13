//! Structured control flow for SPIR-V (unified specification §2.11) out of any CFG.
//!
//! Takes: any verified [`pumice_ir::Function`]. Gives: the same function with its blocks
//! rewritten, each header with its [`Merge`](pumice_ir::Merge).
//! Never: duplicates a block that holds a barrier or a collective.
//!
//! 1. `prepare`: unreachable blocks go; block parameters become *variables*: each edge's
//!    argument is a definition at that edge. From here on edges are bare and may be moved.
//! 2. `irreducible`: cycles with several entries get one, by node splitting within a budget
//!    (never of barriers), else by a dispatch block that all entries go through. A dispatch
//!    keeps a barrier in uniform flow if it was, since the work-items meet again behind it.
//! 3. `loops`: each loop gets a preheader, a header of its own, one continue block and one
//!    exit (the merge block). An exit edge records its target in a label variable, and the
//!    merge block branches by it, so that all work-items meet before they part again.
//! 4. `build`: what remains at each loop level is acyclic. By the dominator tree: the blocks
//!    that only one branch leads to are its arms, the blocks where arms meet follow behind.
//!    Arms that meet at one place make a plain selection; where they may go on to one of
//!    several places, they note the place in the label variable and each place is guarded.
//!    Many places share the variables that hand on their parameters (`carriers`). For drivers that take few
//!    branches inside one another, deep nests are cut (`shallow`).
//! 5. `ssa`: variables, and values whose definition no longer dominates a use, become block
//!    parameters again, as many as there may be behind dispatches.
//! 6. `tidy`: needless parameters and blocks go.
//!
//! The condition of a loop's end (`uniform`) decides how it is written; see `build`.

mod build;
mod carriers;
mod check;
pub(crate) mod divergence;
mod irreducible;
mod loops;
mod prepare;
mod shallow;
mod ssa;
mod tidy;
pub(crate) mod uniform;
mod work;

#[cfg(test)]
mod tests;

pub use check::check;

use crate::pass::{Changed, FunctionCtx};
use pumice_ir::{Block, Function, LowerError};
use pumice_target::QuirkKind;

/// SPIR-V's universal limit for the nesting of control flow (§2.17).
pub(super) const MAX_NESTING: u32 = 1023;

/// Structures a function. A declaration is left alone.
///
/// Afterwards:
/// - `func.layout.blocks` is the order of emission: the entry first, every block after its
///   immediate dominator, a header before its merge block. Blocks outside of the layout are
///   dead.
/// - The entry block has no predecessors.
/// - Each block that ends in a `Branch` or `Switch`, and each loop header, has a
///   [`Merge`](pumice_ir::Merge); no other block has.
/// - No merge block or continue target serves two headers.
/// - A `Branch` has two distinct targets. When several cases of a `Switch` (or its default)
///   share a target, they pass equal arguments, so that each predecessor block gives one
///   value per block parameter (OpPhi). None of its targets is its own merge block.
/// - Every value's definition dominates its uses.
///
/// # Errors
/// Constructs that nest more deeply than SPIR-V's universal limit (§2.17).
pub fn run(func: &mut Function, ctx: &FunctionCtx<'_>) -> Result<Changed, LowerError> {
    let is_shallow = ctx.target.quirks.has(QuirkKind::NestsOf80);
    let form = Form {
        nests: is_shallow.then_some(SHALLOW),
        ..Form::default()
    };
    structure_as(func, form)?;
    Ok(Changed::Yes)
}

/// Does the work of [`run`], which needs to know nothing about the device.
///
/// # Errors
/// Those of [`run`].
pub fn structure(func: &mut Function) -> Result<(), LowerError> {
    structure_as(func, Form::default())
}

/// Branches inside one another from which on nests are cut for drivers that take 80: the functions that a function calls
/// nest inside of it.
const SHALLOW: u32 = 40;

/// Choices of the structured form that do not depend on the function.
#[derive(Clone, Copy)]
struct Form {
    /// The places behind a selection share variables from this number on.
    many: usize,
    /// Branches may nest as deeply as this before nests are cut.
    nests: Option<u32>,
}

impl Default for Form {
    fn default() -> Self {
        Self {
            many: carriers::MANY,
            nests: None,
        }
    }
}

/// Does the work of [`structure`].
fn structure_as(func: &mut Function, form: Form) -> Result<(), LowerError> {
    if func.entry().is_none() {
        return Ok(());
    }
    let never_branches = |&entry: &Block| {
        let last = func.terminator(entry);
        last.is_some_and(|inst| func.insts[inst].kind.successors().is_empty())
    };
    if let Some(entry) = func.entry().filter(never_branches) {
        func.layout.blocks = vec![entry];
        for data in func.blocks.values_mut() {
            data.merge = None;
        }
        return Ok(());
    }
    if let Some(most) = form.nests {
        shallow::join_returns(func, most);
    }
    let before = num_convergent(func);
    let uniform = uniform::branches(func);
    let mut work = prepare::prepare(func);
    work.uniform = uniform;
    let tangled = irreducible::make_reducible(&mut work)?;
    let forest = loops::make_single_exit(&mut work, form)?;
    let mut merges = build::build(&mut work, &forest, form)?;
    ssa::repair(work, tangled)?;
    tidy::tidy(func, &mut merges)?;
    tidy::part_cases_from_merges(func, &merges);
    assert!(
        num_convergent(func) <= before,
        "{}: a barrier or collective was duplicated",
        func.name
    );
    for (block, data) in func.blocks.iter_mut() {
        data.merge = merges[block];
    }
    Ok(())
}

/// Counts the barriers and collectives of the layout.
fn num_convergent(func: &Function) -> usize {
    let blocks = func.layout.blocks.iter();
    blocks
        .flat_map(|&block| &func.layout.insts[block])
        .filter(|&&inst| func.insts[inst].kind.is_convergent())
        .count()
}
