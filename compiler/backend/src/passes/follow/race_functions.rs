//! The functions that look for data races in global memory, by race marks (`pumice_check::layout::MARK_BYTES`).
//!
//! A mark is the number of the work-item in the launch below the number of barriers that its group has passed, from 1 on;
//! `bits` are those of the work-item, `fenced` is the number at the last barrier for global memory. The functions give 0, or
//! the number of the other work-item from 1 on, with bit 31 if that one has read.
//!
//! Marks of two work-items clash unless they are of one group and a barrier was between: one for global memory, or any if
//! the first of the two has read. A mark of all ones stands for work-items of several groups. The highest count of barriers
//! clashes with none in its group.

use super::race_contents::TAG_BITS;
use crate::passes::check::report::helper;
use crate::passes::check::writer::Writer;
use pumice_check::layout::MARK_BYTES;
use pumice_ir::{
    AddressSpace, BinaryOp, BlockCall, BuiltIn, ConvertOp, FuncId, IntCond, Module, Type, Value,
};

const READ: &str = "__pumice_check_race_read";
const READ_CLASH: &str = "__pumice_check_race_read_clash";
const WRITE: &str = "__pumice_check_race_write";
const WRITE_CLASH: &str = "__pumice_check_race_write_clash";

/// In a number of another work-item: it has read.
pub(super) const HAS_READ: u64 = 1 << 31;

/// The functions.
#[derive(Clone, Copy)]
pub(super) struct RaceFunctions {
    /// `read(marks, mark, bits, fenced, parts)`: marks so many parts as read.
    pub read: FuncId,
    /// `read_clash(marks, mark, bits, fenced, writer, reader)` of one part: `mark` has just taken the place of `reader`.
    pub read_clash: FuncId,
    /// `write(marks, mark, bits, fenced, word, compare)` of one part. With `compare` work-items may write equal values;
    /// `word` is that of the value (`race_contents.rs`).
    pub write: FuncId,
    /// `write_clash(marks, mark, bits, fenced, writer, reader, before, word, compare)` of one part: `mark` has just taken
    /// the place of `writer`, and before that `word` that of `before`.
    pub write_clash: FuncId,
}

impl RaceFunctions {
    /// The functions of a module.
    pub fn of(module: &mut Module) -> Self {
        let read_clash = helper(module, READ_CLASH, make_read_clash);
        let write_clash = helper(module, WRITE_CLASH, make_write_clash);
        Self {
            read: helper(module, READ, || make_read(read_clash)),
            read_clash,
            write: helper(module, WRITE, || make_write(write_clash)),
            write_clash,
        }
    }
}

/// The access that a mark is compared with.
#[derive(Clone, Copy)]
struct Own {
    mark: Value,
    bits: Value,
    fenced: Value,
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
        let [global, local, group] = [
            BuiltIn::GlobalSize,
            BuiltIn::EnqueuedLocalSize,
            BuiltIn::GroupId,
        ]
        .map(|which| {
            (w.built_in(which)).map(|number| w.convert(ConvertOp::Trunc, number, Type::I32))
        });
        // Division is long code on processors: remainders come by multiplication.
        let [row, x] = divide(w, item, global[0]);
        let [z, y] = divide(w, row, global[1]);
        let place = [x, y, z];
        let [x, y, z] = [0, 1, 2].map(|d| {
            let first = w.bin(BinaryOp::IMul, group[d], local[d]);
            let behind = w.bin(BinaryOp::ISub, place[d], first);
            w.icmp(IntCond::Ult, behind, local[d])
        });
        let plane = w.bin(BinaryOp::And, x, y);
        w.bin(BinaryOp::And, plane, z)
    }

    /// Returns whether a writer's mark is another work-item's, and nothing orders the two.
    fn clashes_with_writer(self, w: &mut Writer, other: Value) -> Value {
        self.clashes(w, other, self.fenced)
    }

    /// The same of a reader's mark. A barrier of any kind keeps reads before it from what is written behind it.
    fn clashes_with_reader(self, w: &mut Writer, other: Value) -> Value {
        let passed = w.bin(BinaryOp::LShr, self.mark, self.bits);
        self.clashes(w, other, passed)
    }

    /// Returns whether a mark is another work-item's: of another group, or with so many barriers or more.
    fn clashes(self, w: &mut Writer, other: Value, least: Value) -> Value {
        let zero = w.func.i32(0);
        let there = w.icmp(IntCond::Ne, other, zero);
        let [item, own] = [other, self.mark].map(|mark| self.item(w, mark));
        let differs = w.icmp(IntCond::Ne, item, own);
        let near = self.is_near(w, other);
        let [count, own] = [other, self.mark].map(|mark| w.bin(BinaryOp::LShr, mark, self.bits));
        let ones = w.func.i32(-1);
        let most = w.bin(BinaryOp::LShr, ones, self.bits);
        let since = w.icmp(IntCond::Uge, count, least);
        let known = w.icmp(IntCond::Ne, own, most);
        let beside = w.bin(BinaryOp::And, since, known);
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

/// The quotient and the remainder.
fn divide(w: &mut Writer, number: Value, divisor: Value) -> [Value; 2] {
    let quotient = w.bin(BinaryOp::UDiv, number, divisor);
    let whole = w.bin(BinaryOp::IMul, quotient, divisor);
    [quotient, w.bin(BinaryOp::ISub, number, whole)]
}

fn make_read_clash() -> pumice_ir::Function {
    let mut params = [Type::I32; 6];
    params[0] = Type::ptr(AddressSpace::Global);
    let (mut w, values) = Writer::new(READ_CLASH, &params, &[Type::I32]);
    let [marks, mark, bits, fenced, writer, reader] = values[..] else {
        unreachable!("as many values as types");
    };
    let own = Own { mark, bits, fenced };
    let [several, done] = [(); 2].map(|()| w.func.append_block());
    let zero = w.func.i32(0);
    let near = own.is_near(&mut w, reader);
    let none = w.icmp(IntCond::Eq, reader, zero);
    let fine = w.bin(BinaryOp::Or, near, none);
    let [yes, no] = [1, 0].map(|bits| w.func.splat_constant(Type::BOOL, bits));
    let far = w.select(fine, no, yes);
    w.branch(far, several, BlockCall::new(done, &[]));
    let place = w.add_const(marks, 4);
    let ones = w.func.i32(-1);
    let _ = w.exchange(place, ones);
    w.jump(done, &[]);
    w.block = done;
    let clash = own.clashes_with_writer(&mut w, writer);
    let name = own.name(&mut w, writer);
    let found = w.select(clash, name, zero);
    w.give(&[found]);
    w.func
}

fn make_write_clash() -> pumice_ir::Function {
    let mut params = [Type::I32; 9];
    params[0] = Type::ptr(AddressSpace::Global);
    params[8] = Type::BOOL;
    let (mut w, values) = Writer::new(WRITE_CLASH, &params, &[Type::I32]);
    let [
        marks,
        mark,
        bits,
        fenced,
        writer,
        reader,
        before,
        word,
        compare,
    ] = values[..]
    else {
        unreachable!("as many values as types");
    };
    let own = Own { mark, bits, fenced };
    let zero = w.func.i32(0);
    let no = w.func.splat_constant(Type::BOOL, 0);
    let place = w.add_const(marks, 8);
    let now = w.atomic_load(place);
    let differs = differs(&mut w, [before, word, now]);
    let yes = w.func.splat_constant(Type::BOOL, 1);
    let differs = w.select(compare, differs, yes);
    let wrote = own.clashes_with_writer(&mut w, writer);
    let wrote = w.bin(BinaryOp::And, wrote, differs);
    // Whoever reads finds the same before and after a write of the value that is there.
    let is_first = w.icmp(IntCond::Eq, writer, zero);
    let changes = w.bin(BinaryOp::Or, differs, is_first);
    let read = own.clashes_with_reader(&mut w, reader);
    let read = w.select(changes, read, no);
    let name = own.name(&mut w, reader);
    let name = w.bin_const(BinaryOp::Or, name, HAS_READ);
    let found = w.select(read, name, zero);
    let name = own.name(&mut w, writer);
    let found = w.select(wrote, name, found);
    w.give(&[found]);
    w.func
}

/// Returns whether another value was written to a place, by its words (`race_contents.rs`).
fn differs(w: &mut Writer, [before, own, now]: [Value; 3]) -> Value {
    let [zero, least] = [0, 1 << TAG_BITS].map(|number| w.func.i32(number));
    let [was, is] = [before, now].map(|word| w.bin(BinaryOp::Xor, word, own));
    let stands = w.icmp(IntCond::Eq, is, zero);
    let change = w.select(stands, was, is);
    w.icmp(IntCond::Uge, change, least)
}

fn make_read(clash: FuncId) -> pumice_ir::Function {
    let mut params = [Type::I32; 5];
    params[0] = Type::ptr(AddressSpace::Global);
    let (mut w, values) = Writer::new(READ, &params, &[Type::I32]);
    let [marks, mark, bits, fenced, parts] = values[..] else {
        unreachable!("as many values as types");
    };
    let [head, body, done] = [(); 3].map(|()| w.func.append_block());
    let zero = w.func.i32(0);
    w.jump(head, &[zero, zero]);
    let index = w.func.append_param(head, Type::I32);
    let found = w.func.append_param(head, Type::I32);
    w.block = head;
    let more = w.icmp(IntCond::Ult, index, parts);
    w.branch(more, body, BlockCall::new(done, &[]));
    let at = w.convert(ConvertOp::ZExt, index, Type::I64);
    let at = w.bin_const(BinaryOp::IMul, at, MARK_BYTES);
    let place = w.add(marks, at);
    let reader = w.add_const(place, 4);
    // In this order: one of a reader and a writer that come together sees the other's mark.
    let old = w.exchange(reader, mark);
    let other = w.atomic_load(place);
    let name = w.call(clash, &[place, mark, bits, fenced, other, old], Type::I32);
    let is_one = w.icmp(IntCond::Ne, name, zero);
    let found_now = w.select(is_one, name, found);
    let next = w.bin_const(BinaryOp::IAdd, index, 1);
    w.jump(head, &[next, found_now]);
    w.block = done;
    w.give(&[found]);
    w.func
}

fn make_write(clash: FuncId) -> pumice_ir::Function {
    let mut params = [Type::I32; 6];
    params[0] = Type::ptr(AddressSpace::Global);
    params[5] = Type::BOOL;
    let (mut w, values) = Writer::new(WRITE, &params, &[Type::I32]);
    let [marks, mark, bits, fenced, word, compare] = values[..] else {
        unreachable!("as many values as types");
    };
    let (reader, contents) = (w.add_const(marks, 4), w.add_const(marks, 8));
    let before = w.exchange(contents, word);
    let writer = w.exchange(marks, mark);
    let other = w.atomic_load(reader);
    let zero = w.func.i32(0);
    let [look, fine] = [(); 2].map(|()| w.func.append_block());
    let any = w.bin(BinaryOp::Or, writer, other);
    let any = w.icmp(IntCond::Ne, any, zero);
    w.branch(any, look, BlockCall::new(fine, &[]));
    let args = [
        marks, mark, bits, fenced, writer, other, before, word, compare,
    ];
    let found = w.call(clash, &args, Type::I32);
    w.give(&[found]);
    w.block = fine;
    w.give(&[zero]);
    w.func
}
