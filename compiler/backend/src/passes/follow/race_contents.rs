//! The contents that a store gives a place, as the word beside its race marks.
//!
//! Writers change that word first and their mark then. Whoever finds another's mark finds that one's word too, but not
//! always as the word before its own: the two may have come in one order to the words and in the other to the marks.
//! The word therefore says by whom it is as well ([`TAG_BITS`]), and is read again behind the mark. The value differs if
//!
//! - the word is then another value's, or
//! - it is still the writer's own and the one before it another value's.

use crate::expand::{Expander, int_like};
use pumice_ir::{BinaryOp, ConvertOp, IntCond, Scalar, Type, Value};

/// Low bits of a word that the writer's mark changes, hardly in one way for two writers. Those above are hardly equal for
/// two values.
pub(super) const TAG_BITS: u64 = 8;

/// Odd numbers by which the words of a large part are multiplied.
const WEIGHTS: [u64; 4] = [1, 0x9e37_79b1, 0x85eb_ca77, 0xc2b2_ae3d];

/// The word of a part's value that a writer of such a tag writes.
pub(super) fn word(x: &mut Expander<'_>, value: Value, tag: Value) -> Value {
    let value = x.bin_const(BinaryOp::IMul, value, WEIGHTS[1]);
    x.bin(BinaryOp::Xor, value, tag)
}

/// The tag of a mark of global memory, whose low bits are those of the work-item's number: often equal in all groups.
pub(super) fn tag(x: &mut Expander<'_>, mark: Value) -> Value {
    let mixed = x.bin_const(BinaryOp::IMul, mark, WEIGHTS[1]);
    x.bin_const(BinaryOp::LShr, mixed, 32 - TAG_BITS)
}

/// Returns whether another value was written to a place: `before` is the word that the writer's own one took the place
/// of, `now` the word behind the mark.
pub(super) fn differs(x: &mut Expander<'_>, [before, own, now]: [Value; 3]) -> Value {
    let [was, is] = [before, now].map(|word| x.bin(BinaryOp::Xor, word, own));
    let stands = x.icmp_const(IntCond::Eq, is, 0);
    let change = x.select(stands, was, is);
    x.icmp_const(IntCond::Uge, change, 1 << TAG_BITS)
}

/// A value as words, one for each part of so many bytes; `None` for pointers. That of a part of several words is their
/// weighted sum, which is hardly equal for unequal parts.
pub(super) fn parts_of(x: &mut Expander<'_>, value: Value, part: u64) -> Option<Vec<Value>> {
    let ty = x.ty(value);
    if ty.scalar.is_ptr() || ty.scalar == Scalar::Bool {
        return None;
    }
    if part > 4 {
        let words = parts_of(x, value, 4)?;
        let sum = |words: &[Value]| {
            let mut sum = words[0];
            for (&word, weight) in words.iter().zip(WEIGHTS).skip(1) {
                let weighted = x.bin_const(BinaryOp::IMul, word, weight);
                sum = x.bin(BinaryOp::IAdd, sum, weighted);
            }
            sum
        };
        return Some(words.chunks_exact(part as usize / 4).map(sum).collect());
    }
    let bits = x.convert(ConvertOp::Bitcast, value, int_like(ty));
    let per_lane = u64::from(ty.scalar.bytes()) / part;
    let small = Type::scalar(Scalar::int_of_bits(part as u32 * 8)?);
    let mut parts = Vec::new();
    for lane in 0..ty.lanes {
        let lane = x.lane(bits, lane);
        for index in 0..per_lane {
            let moved = match index {
                0 => lane,
                _ => x.bin_const(BinaryOp::LShr, lane, index * part * 8),
            };
            let low = x.convert(ConvertOp::Trunc, moved, small);
            parts.push(x.convert(ConvertOp::ZExt, low, Type::I32));
        }
    }
    Some(parts)
}
