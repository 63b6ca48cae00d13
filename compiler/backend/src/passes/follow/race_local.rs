//! Data races in local memory: race marks beside the variables.

use super::race_functions::HAS_READ;
use crate::expand::{Expander, int_like};
use crate::passes::check::code::{changed_word, shared_word};
use pumice_check::layout::LOCAL_MANY;
use pumice_ir::{AtomicOp, BinaryOp, ConvertOp, IntCond, Scalar, Scope, Type, Value};

/// Bits of a work-item's number in the marks of local memory.
pub(super) const LOCAL_ITEM_BITS: u64 = 16;

/// Returns whether a writer's mark is another work-item's since the last barrier for local memory, whose least mark is
/// `fenced`.
fn clashes_with_writer(
    x: &mut Expander<'_>,
    other: Value,
    (mark, fenced): (Value, Value),
) -> Value {
    let differ = x.bin(BinaryOp::Xor, other, mark);
    let item = x.bin_const(BinaryOp::And, differ, (1 << LOCAL_ITEM_BITS) - 1);
    let another = x.icmp_const(IntCond::Ne, item, 0);
    let since = x.icmp(IntCond::Uge, other, fenced);
    x.bin(BinaryOp::And, another, since)
}

/// Returns whether a reader's mark is another work-item's since the last barrier. One of any kind keeps reads before it from
/// what is written behind it.
fn clashes_with_reader(x: &mut Expander<'_>, other: Value, mark: Value) -> Value {
    let differ = x.bin(BinaryOp::Xor, other, mark);
    let less = x.bin_const(BinaryOp::ISub, differ, 1);
    x.icmp_const(IntCond::Ult, less, (1 << LOCAL_ITEM_BITS) - 1)
}

/// The number in a mark from 1 on.
fn name(x: &mut Expander<'_>, mark: Value) -> Value {
    let item = x.bin_const(BinaryOp::And, mark, (1 << LOCAL_ITEM_BITS) - 1);
    x.bin_const(BinaryOp::IAdd, item, 1)
}

/// Marks a read; gives the number of the work-item that it clashes with, or 0.
pub(super) fn read(x: &mut Expander<'_>, place: Value, (mark, fenced): (Value, Value)) -> Value {
    let writer = atomic_load(x, place);
    let wrote = clashes_with_writer(x, writer, (mark, fenced));
    let number = name(x, writer);
    let none = x.func.i32(0);
    let found = x.select(wrote, number, none);
    let reader = x.offset(place, 4);
    let many = x.bin_const(BinaryOp::Or, mark, LOCAL_MANY);
    let old = atomic_load(x, reader);
    let [is_new, is_one] = [mark, many].map(|mark| x.icmp(IntCond::Ne, old, mark));
    let tells = x.bin(BinaryOp::And, is_new, is_one);
    x.when(tells, |x| {
        let old = exchange(x, reader, mark);
        let several = clashes_with_reader(x, old, mark);
        x.when(several, |x| {
            exchange(x, reader, many);
        });
    });
    found
}

/// Marks a write; gives the number of the work-item that it clashes with, or 0.
pub(super) fn write(
    x: &mut Expander<'_>,
    place: Value,
    (mark, fenced): (Value, Value),
    value: Option<Value>,
) -> Value {
    let contents = x.offset(place, 8);
    // In this order: who finds another's mark finds that one's value too.
    let equal = value.map(|value| {
        let before = exchange(x, contents, value);
        x.icmp(IntCond::Eq, before, value)
    });
    let writer = exchange(x, place, mark);
    let mut wrote = clashes_with_writer(x, writer, (mark, fenced));
    let reader = x.offset(place, 4);
    let reader = atomic_load(x, reader);
    let mut read = clashes_with_reader(x, reader, mark);
    if let Some(equal) = equal {
        let no = x.splat(Type::BOOL, 0);
        wrote = x.select(equal, no, wrote);
        // Whoever reads finds the same before and after a write of the value that is there.
        let is_known = x.icmp_const(IntCond::Ne, writer, 0);
        let stays = x.bin(BinaryOp::And, equal, is_known);
        read = x.select(stays, no, read);
    }
    let none = x.func.i32(0);
    let number = name(x, reader);
    let number = x.bin_const(BinaryOp::Or, number, HAS_READ);
    let found = x.select(read, number, none);
    let number = name(x, writer);
    x.select(wrote, number, found)
}

/// Odd numbers by which the words of a large part are multiplied.
const WEIGHTS: [u64; 4] = [1, 0x9e37_79b1, 0x85eb_ca77, 0xc2b2_ae3d];

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

fn atomic_load(x: &mut Expander<'_>, ptr: Value) -> Value {
    x.value(shared_word(ptr, Scope::Workgroup), Type::I32)
}

fn exchange(x: &mut Expander<'_>, ptr: Value, value: Value) -> Value {
    x.value(
        changed_word(AtomicOp::Xchg, ptr, value, Scope::Workgroup),
        Type::I32,
    )
}
