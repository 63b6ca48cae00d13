//! Values as lanes, and their bytes in memory.

use pumice_ir::Type;
use smallvec::SmallVec;

/// The lanes of a value, zero-extended.
pub(super) type Lanes = SmallVec<[u64; 1]>;

/// Lanes out of little-endian bytes.
pub(super) fn lanes_of(ty: Type, bytes: &[u8]) -> Lanes {
    let width = ty.scalar.bytes() as usize;
    let mut lanes = Lanes::new();
    for chunk in bytes.chunks(width).take(usize::from(ty.lanes)) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        lanes.push(u64::from_le_bytes(word));
    }
    lanes
}

/// Little-endian bytes out of lanes.
pub(super) fn bytes_of(ty: Type, lanes: &[u64]) -> SmallVec<[u8; 16]> {
    let width = ty.scalar.bytes() as usize;
    let mut bytes = SmallVec::new();
    for lane in lanes {
        bytes.extend_from_slice(&lane.to_le_bytes()[..width]);
    }
    bytes
}
