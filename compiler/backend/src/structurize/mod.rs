//! Structured control flow for SPIR-V (unified specification §2.11) out of any CFG.
//!
//! Takes: any verified [`pumice_ir::Function`]. Gives: the same function with its blocks
//! rewritten, and a [`StructuredCfg`] that says which block needs which merge instruction.
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
//! 5. `ssa`: variables, and values whose definition no longer dominates a use, become block
//!    parameters again.
//! 6. `tidy`: needless parameters and blocks go.
//!
//! What a loop's end depends on (`uniform`) decides how it is written; see `build`.
//! `loop_values` rewrites the result once more for drivers that need it.

mod build;
mod check;
mod irreducible;
pub mod loop_values;
mod loops;
mod prepare;
mod ssa;
mod tidy;
mod uniform;
mod work;

#[cfg(test)]
mod tests;

pub use check::check;

use super::LowerError;
use cranelift_entity::{EntityRef, SecondaryMap};
use pumice_ir::{Block, Function, InstKind, UnrollHint};

/// SPIR-V's universal limit for the nesting of control flow (§2.17).
pub(super) const MAX_NESTING: u32 = 1023;

/// A merge instruction, to be written just before the terminator of its header block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Merge {
    /// OpSelectionMerge.
    Selection {
        /// The merge block. May be a block without predecessors that ends in `Unreachable`.
        merge: Block,
    },
    /// OpLoopMerge. The header ends in a `Jump` (OpBranch).
    Loop {
        /// The merge block. May be a block without predecessors that ends in `Unreachable`.
        merge: Block,
        /// The continue target: the only block that branches back to the header.
        continue_target: Block,
        /// What the source asked about the loop.
        unroll: UnrollHint,
    },
}

impl Merge {
    /// The merge block.
    pub fn merge(self) -> Block {
        match self {
            Merge::Selection { merge } | Merge::Loop { merge, .. } => merge,
        }
    }
}

/// What the emitter needs beside the rewritten function.
///
/// After structurization of a function:
/// - `func.layout.blocks` is the order of emission: the entry first, every block after its
///   immediate dominator, a header before its merge block. Blocks outside of the layout are
///   dead.
/// - The entry block has no predecessors.
/// - Each block that ends in a `Branch` or `Switch`, and each loop header, has an entry in
///   `merges`; no other block has.
/// - No merge block or continue target serves two headers.
/// - A `Branch` has two distinct targets. When several cases of a `Switch` (or its default)
///   share a target, they pass equal arguments, so that each predecessor block gives one
///   value per block parameter (OpPhi).
/// - Every value's definition dominates its uses.
#[derive(Clone, Debug, Default)]
pub struct StructuredCfg {
    /// The merge instruction of each header block.
    pub merges: SecondaryMap<Block, Option<Merge>>,
    /// The headers of loops that all work-items of a sub-group leave in the same round.
    pub left_together: SecondaryMap<Block, bool>,
}

/// Structures a function. A declaration is left alone.
///
/// # Errors
/// When constructs nest more deeply than SPIR-V's universal limit (§2.17).
pub fn run(func: &mut Function) -> Result<StructuredCfg, LowerError> {
    if func.entry().is_none() {
        return Ok(StructuredCfg::default());
    }
    let before = num_convergent(func);
    let uniform = uniform::branches(func);
    let mut work = prepare::prepare(func);
    work.uniform = uniform;
    irreducible::make_reducible(&mut work)?;
    let forest = loops::make_single_exit(&mut work);
    let mut merges = build::build(&mut work, &forest)?;
    ssa::repair(work);
    tidy::tidy(func, &mut merges);
    assert!(
        num_convergent(func) <= before,
        "{}: a barrier or collective was duplicated",
        func.name
    );
    let mut structured = StructuredCfg {
        merges,
        ..Default::default()
    };
    for (&header, this) in &forest.loop_of_header {
        structured.left_together[header] = forest.loops[this.index()].left_together;
    }
    debug_assert_eq!(check::check(func, &structured), Ok(()));
    Ok(structured)
}

/// How many barriers and collectives the layout holds.
fn num_convergent(func: &Function) -> usize {
    let blocks = func.layout.blocks.iter();
    blocks
        .flat_map(|&block| &func.layout.insts[block])
        .filter(|&&inst| {
            matches!(
                func.insts[inst].kind,
                InstKind::Barrier { .. } | InstKind::Group { .. } | InstKind::Node { .. }
            )
        })
        .count()
}
