//! Data races in local memory: race marks beside the variables.

use super::race_contents::{self, TAG_BITS};
use super::race_functions::HAS_READ;
use crate::expand::Expander;
use crate::passes::check::code::{changed_word, shared_word};
use pumice_check::layout::LOCAL_MANY;
use pumice_ir::{AtomicOp, BinaryOp, IntCond, Scope, Type, Value};

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
    // Behind the exchange: one of a reader and a writer that come together sees the other's mark.
    let writer = atomic_load(x, place);
    let wrote = clashes_with_writer(x, writer, (mark, fenced));
    let number = name(x, writer);
    let none = x.func.i32(0);
    x.select(wrote, number, none)
}

/// Marks a write; gives the number of the work-item that it clashes with, or 0.
pub(super) fn write(
    x: &mut Expander<'_>,
    place: Value,
    (mark, fenced): (Value, Value),
    value: Option<Value>,
) -> Value {
    let contents = x.offset(place, 8);
    let words = value.map(|value| {
        let tag = x.bin_const(BinaryOp::And, mark, (1 << TAG_BITS) - 1);
        let own = race_contents::word(x, value, tag);
        (exchange(x, contents, own), own)
    });
    let writer = exchange(x, place, mark);
    let mut wrote = clashes_with_writer(x, writer, (mark, fenced));
    let reader = x.offset(place, 4);
    let reader = atomic_load(x, reader);
    let mut read = clashes_with_reader(x, reader, mark);
    if let Some((before, own)) = words {
        let now = atomic_load(x, contents);
        let differs = race_contents::differs(x, [before, own, now]);
        wrote = x.bin(BinaryOp::And, wrote, differs);
        // Whoever reads finds the same before and after a write of the value that is there.
        let is_first = x.icmp_const(IntCond::Eq, writer, 0);
        let changes = x.bin(BinaryOp::Or, differs, is_first);
        read = x.bin(BinaryOp::And, read, changes);
    }
    let none = x.func.i32(0);
    let number = name(x, reader);
    let number = x.bin_const(BinaryOp::Or, number, HAS_READ);
    let found = x.select(read, number, none);
    let number = name(x, writer);
    x.select(wrote, number, found)
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
