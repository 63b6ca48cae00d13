//! The ids of a module while its reflection is read.

use std::collections::{HashMap, HashSet};

/// Definitions of the module up to the instruction at hand: there are no forward references.
#[derive(Debug, Default)]
pub(crate) struct Definitions {
    pub strings: HashMap<u32, Vec<u8>>,
    pub constants: HashMap<u32, u32>,
    pub functions: HashSet<u32>,
    pub variables: HashSet<u32>,
    /// Kernel instructions: result id to index.
    pub kernels: HashMap<u32, u32>,
    /// ArgumentInfo instructions: result id to index.
    pub infos: HashMap<u32, u32>,
    /// Instructions with initial contents: result id to index among all instructions.
    pub buffers: HashMap<u32, usize>,
    pub void_types: HashSet<u32>,
    pub u32_types: HashSet<u32>,
    /// GLCompute entry points.
    pub entry_points: HashSet<(u32, Vec<u8>)>,
    /// Every result id seen, to refuse a second definition.
    pub ids: HashSet<u32>,
}
