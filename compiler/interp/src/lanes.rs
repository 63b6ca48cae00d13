//! Values as lanes, and their bytes in memory.

use pumice_ir::Type;
use smallvec::SmallVec;

/// The lanes of a value, zero-extended.
pub(super) type Lanes = SmallVec<[u64; 1]>;

/// Lanes out of little-endian bytes.
pub(super) fn lanes_of(ty: Type, bytes: &[u8]) -> Lanes {
    let width = ty.scalar.bytes() as usize;
    let lane = |chunk: &[u8]| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        u64::from_le_bytes(word)
    };
    bytes
        .chunks(width)
        .take(usize::from(ty.lanes))
        .map(lane)
        .collect()
}

/// Little-endian bytes out of lanes.
pub(super) fn bytes_of(ty: Type, lanes: &[u64]) -> Vec<u8> {
    let width = ty.scalar.bytes() as usize;
    let bytes = lanes
        .iter()
        .flat_map(|lane| lane.to_le_bytes()[..width].to_vec());
    bytes.collect()
}
