//! Structured control flow for SPIR-V (unified specification §2.11) out of any CFG.
//!
//! Takes: any verified [`crate::ir::Function`]. Gives: the same function with its blocks rewritten, and
//! a [`StructuredCfg`] that says which block needs which merge instruction.
//! Never: duplicates a block that holds a barrier or a collective.

use crate::ir::Block;
use cranelift_entity::SecondaryMap;

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
    },
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
}
