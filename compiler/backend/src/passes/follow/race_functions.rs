//! The functions that look for data races in global memory, by the race marks of 4 bytes
//! (`pumice_check::layout::MARK_BYTES`).
//!
//! Both take the address of the first mark, the caller's mark, the number of the group's first work-item, how many
//! work-items a group has and how many bits of a mark number the work-item; the bits above count the group's barriers
//! from 1 on. They give 0, or the number of the other work-item from 1 on, with bit 31 if that one has read.
//!
//! Marks of two work-items clash unless they are of one group and a barrier was between. A mark of all ones stands for
//! work-items of several groups. The highest count of barriers clashes with none in its group.

use crate::passes::check::report::helper;
use crate::passes::check::writer::{Writer, to};
use pumice_check::layout::MARK_BYTES;
use pumice_ir::{
    AddressSpace, BinaryOp, ConvertOp, FuncId, Function, IntCond, Module, Type, Value,
};

const READ: &str = "__pumice_check_race_read";
const WRITE: &str = "__pumice_check_race_write";

/// In a number of another work-item: it has read.
pub(super) const HAS_READ: u64 = 1 << 31;

/// `read(marks, mark, first, size, bits, words)` of so many times 4 bytes.
pub(super) fn read(module: &mut Module) -> FuncId {
    helper(module, READ, make_read)
}

/// `write(marks, mark, first, size, bits, value, compare)` of 4 bytes. With `compare` work-items may write equal values.
pub(super) fn write(module: &mut Module) -> FuncId {
    helper(module, WRITE, make_write)
}

/// The access that a mark is compared with.
#[derive(Clone, Copy)]
struct Own {
    mark: Value,
    first: Value,
    size: Value,
    bits: Value,
}

impl Own {
    /// The work-item's number in a mark.
    fn item(self, w: &mut Writer, mark: Value) -> Value {
        let one = w.func.i32(1);
        let above = w.bin(BinaryOp::Shl, one, self.bits);
        let mask = w.bin_const(BinaryOp::ISub, above, 1);
        w.bin(BinaryOp::And, mark, mask)
    }

    /// Returns whether a mark is one of the caller's group.
    fn is_near(self, w: &mut Writer, other: Value) -> Value {
        let item = self.item(w, other);
        let place = w.bin(BinaryOp::ISub, item, self.first);
        w.icmp(IntCond::Ult, place, self.size)
    }

    /// Returns whether a mark is another work-item's that nothing orders.
    fn clashes(self, w: &mut Writer, other: Value) -> Value {
        let zero = w.func.i32(0);
        let there = w.icmp(IntCond::Ne, other, zero);
        let [item, own] = [other, self.mark].map(|mark| self.item(w, mark));
        let differs = w.icmp(IntCond::Ne, item, own);
        let near = self.is_near(w, other);
        let [count, own] = [other, self.mark].map(|mark| w.bin(BinaryOp::LShr, mark, self.bits));
        let ones = w.func.i32(-1);
        let most = w.bin(BinaryOp::LShr, ones, self.bits);
        let same = w.icmp(IntCond::Eq, count, own);
        let known = w.icmp(IntCond::Ne, own, most);
        let beside = w.bin(BinaryOp::And, same, known);
        let yes = w.func.splat_constant(Type::BOOL, 1);
        let apart = w.select(near, beside, yes);
        let another = w.bin(BinaryOp::And, there, differs);
        w.bin(BinaryOp::And, another, apart)
    }

    /// The number in a mark from 1 on.
    fn name(self, w: &mut Writer, other: Value) -> Value {
        let item = self.item(w, other);
        w.bin_const(BinaryOp::IAdd, item, 1)
    }
}

fn make_read() -> Function {
    let mut params = [Type::I32; 6];
    params[0] = Type::ptr(AddressSpace::Global);
    let (mut w, values) = Writer::new(READ, &params, &[Type::I32]);
    let [marks, mark, first, size, bits, words] = values[..] else {
        unreachable!("as many values as types");
    };
    let own = Own {
        mark,
        first,
        size,
        bits,
    };
    let [head, body, look, mine, tell, several, next, done] =
        [(); 8].map(|()| w.func.append_block());
    let zero = w.func.i32(0);
    w.jump(head, &[zero, zero]);
    let index = w.func.append_param(head, Type::I32);
    let found = w.func.append_param(head, Type::I32);
    w.block = head;
    let more = w.icmp(IntCond::Ult, index, words);
    w.branch(more, body, to(done, &[]));
    let at = w.convert(ConvertOp::ZExt, index, Type::I64);
    let at = w.bin_const(BinaryOp::IMul, at, MARK_BYTES);
    let writer = w.add(marks, at);
    let reader = w.add_const(writer, 4);
    let other = w.atomic_load(writer);
    // Most places were written by nobody, or by the reader.
    let is_written = w.icmp(IntCond::Ne, other, zero);
    let is_foreign = w.icmp(IntCond::Ne, other, mark);
    let looks = w.bin(BinaryOp::And, is_written, is_foreign);
    w.branch(looks, look, to(mine, &[found]));
    let clash = own.clashes(&mut w, other);
    let name = own.name(&mut w, other);
    let found_now = w.select(clash, name, found);
    w.jump(mine, &[found_now]);
    let found_now = w.func.append_param(mine, Type::I32);
    w.block = mine;
    // Most reads are by whoever has read before.
    let old = w.atomic_load(reader);
    let ones = w.func.i32(-1);
    let [is_new, is_one] = [mark, ones].map(|mark| w.icmp(IntCond::Ne, old, mark));
    let tells = w.bin(BinaryOp::And, is_new, is_one);
    w.branch(tells, tell, to(next, &[]));
    let old = w.exchange(reader, mark);
    let near = own.is_near(&mut w, old);
    let none = w.icmp(IntCond::Eq, old, zero);
    let fine = w.bin(BinaryOp::Or, near, none);
    let [yes, no] = [1, 0].map(|bits| w.func.splat_constant(Type::BOOL, bits));
    let far = w.select(fine, no, yes);
    w.branch(far, several, to(next, &[]));
    let _ = w.exchange(reader, ones);
    w.jump(next, &[]);
    w.block = next;
    let index = w.bin_const(BinaryOp::IAdd, index, 1);
    w.jump(head, &[index, found_now]);
    w.block = done;
    w.give(&[found]);
    w.func
}

fn make_write() -> Function {
    let mut params = [Type::I32; 7];
    params[0] = Type::ptr(AddressSpace::Global);
    params[6] = Type::BOOL;
    let (mut w, values) = Writer::new(WRITE, &params, &[Type::I32]);
    let [marks, mark, first, size, bits, value, compare] = values[..] else {
        unreachable!("as many values as types");
    };
    let own = Own {
        mark,
        first,
        size,
        bits,
    };
    let (reader, contents) = (w.add_const(marks, 4), w.add_const(marks, 8));
    // In this order: who finds another's mark finds that one's value too.
    let before = w.exchange(contents, value);
    let writer = w.exchange(marks, mark);
    let other = w.atomic_load(reader);
    let zero = w.func.i32(0);
    let [look, fine] = [(); 2].map(|()| w.func.append_block());
    let any = w.bin(BinaryOp::Or, writer, other);
    let any = w.icmp(IntCond::Ne, any, zero);
    w.branch(any, look, to(fine, &[]));
    let wrote = own.clashes(&mut w, writer);
    let equal = w.icmp(IntCond::Eq, before, value);
    let equal = w.bin(BinaryOp::And, equal, compare);
    let no = w.func.splat_constant(Type::BOOL, 0);
    let wrote = w.select(equal, no, wrote);
    let read = own.clashes(&mut w, other);
    let name = own.name(&mut w, other);
    let name = w.bin_const(BinaryOp::Or, name, HAS_READ);
    let found = w.select(read, name, zero);
    let name = own.name(&mut w, writer);
    let found = w.select(wrote, name, found);
    w.give(&[found]);
    w.block = fine;
    w.give(&[zero]);
    w.func
}
