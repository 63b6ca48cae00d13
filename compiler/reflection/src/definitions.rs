//! The ids of a module while its reflection is read.

use rustc_hash::{FxHashMap, FxHashSet};

/// Definitions of the module up to the instruction at hand: there are no forward references.
#[derive(Debug, Default)]
pub(crate) struct Definitions {
    pub strings: FxHashMap<u32, Vec<u8>>,
    pub constants: FxHashMap<u32, u32>,
    pub functions: FxHashSet<u32>,
    pub variables: FxHashSet<u32>,
    /// Kernel instructions: result id to index.
    pub kernels: FxHashMap<u32, u32>,
    /// ArgumentInfo instructions: result id to index.
    pub infos: FxHashMap<u32, u32>,
    /// Instructions with initial contents: result id to index among all instructions.
    pub buffers: FxHashMap<u32, usize>,
    pub void_types: FxHashSet<u32>,
    pub u32_types: FxHashSet<u32>,
    /// GLCompute entry points.
    pub entry_points: FxHashSet<(u32, Vec<u8>)>,
    /// Every result id seen, to refuse a second definition.
    pub ids: FxHashSet<u32>,
}
