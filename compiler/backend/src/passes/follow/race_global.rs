//! Data races in global memory: accesses through arguments look at race marks in the memory of the launch's checks.
//!
//! An access looks at the marks in place, and mostly finds nobody or only the work-item itself. The rest is done by
//! functions (`race_functions.rs`).

use super::race_functions::RaceFunctions;
use super::race_local::parts_of;
use super::race_plan::{Plain, Plan};
use crate::expand::{Expander, call};
use crate::passes::check::code::{
    built_in, changed_word, first_of, load, load_slot, shared_word, store_slot,
};
use crate::passes::check::limits::place;
use pumice_check::layout::{ARGUMENT_MARKS, ITEM_BITS_AT, MARK_BYTES};
use pumice_ir::{
    AddressSpace, AtomicOp, BinaryOp, BuiltIn, ConvertOp, FuncId, InstKind, IntCond, Scope,
    StackSlot, Type, Value,
};
use rustc_hash::FxHashMap;

/// The most parts of an access that are looked at in place.
const MOST_IN_PLACE: u64 = 4;

/// The global memory of a kernel.
pub(super) struct GlobalRaces {
    functions: RaceFunctions,
    /// The work-item's mark.
    mark: StackSlot,
    /// The number of barriers in its mark behind the last one for global memory.
    fenced: StackSlot,
    /// Bytes of the parts that have a mark each.
    part: u64,
    /// Bits of a mark that number the work-item.
    bits: Value,
    /// The pointer to which an address is added to find the marks of an argument's object; NULL if there are none.
    marks: FxHashMap<u32, Value>,
}

impl GlobalRaces {
    /// Reads what accesses need, at the kernel's start.
    pub fn begin(
        x: &mut Expander<'_>,
        functions: RaceFunctions,
        [mark, fenced]: [StackSlot; 2],
        plan: &Plan,
    ) -> Self {
        let memory = built_in(x, BuiltIn::CheckMemory);
        let bits = load(x, memory, ITEM_BITS_AT, Type::I32);
        let item = built_in(x, BuiltIn::GlobalLinearId);
        let item = x.convert(ConvertOp::Trunc, item, Type::I32);
        let one = x.func.i32(1);
        let count = x.bin(BinaryOp::Shl, one, bits);
        let first = x.bin(BinaryOp::Or, count, item);
        store_slot(x, mark, first);
        store_slot(x, fenced, one);
        let ty = Type::ptr(AddressSpace::Global);
        let all = plan.read.iter().chain(&plan.written);
        let marks = all.map(|&ordinal| {
            let marks = load(x, memory, place(ordinal, ARGUMENT_MARKS), ty);
            (ordinal, marks)
        });
        let marks = marks.collect();
        Self {
            functions,
            mark,
            fenced,
            part: plan.part,
            bits,
            marks,
        }
    }

    /// Counts a barrier, for global memory or not.
    pub fn count(&self, x: &mut Expander<'_>, is_global: bool) {
        let mark = load_slot(x, self.mark, Type::I32);
        let count = x.bin(BinaryOp::LShr, mark, self.bits);
        let ones = x.func.i32(-1);
        let most = x.bin(BinaryOp::LShr, ones, self.bits);
        let fits = x.icmp(IntCond::Ult, count, most);
        let fits = x.convert(ConvertOp::ZExt, fits, Type::I32);
        let step = x.bin(BinaryOp::Shl, fits, self.bits);
        let next = x.bin(BinaryOp::IAdd, mark, step);
        store_slot(x, self.mark, next);
        if is_global {
            let count = x.bin(BinaryOp::LShr, next, self.bits);
            store_slot(x, self.fenced, count);
        }
    }

    /// The bytes of the parts that have a mark each.
    pub fn part(&self) -> u64 {
        self.part
    }

    /// Marks an access through an argument. `tell` reports the other work-item and the address if another one's access
    /// clashes.
    pub fn look(
        &self,
        x: &mut Expander<'_>,
        ordinal: u32,
        access: Plain,
        tell: impl FnOnce(&mut Expander<'_>, Value, Value),
    ) {
        let Some(&marks) = self.marks.get(&ordinal) else {
            return;
        };
        let null = x.splat(Type::ptr(AddressSpace::Global), 0);
        let looks = x.icmp(IntCond::Ne, marks, null);
        x.when(looks, |x| {
            let address = x.convert(ConvertOp::PtrToInt, access.ptr, Type::I64);
            // A read of less than a part reads no part that it does not touch.
            let start = match access.part < self.part {
                true => x.bin_const(BinaryOp::And, address, !(self.part - 1)),
                false => address,
            };
            let offset = match self.part {
                0..=4 => x.bin_const(BinaryOp::IMul, start, MARK_BYTES / self.part),
                _ => {
                    let log = u64::from(self.part.trailing_zeros());
                    let index = x.bin_const(BinaryOp::LShr, start, log);
                    x.bin_const(BinaryOp::IMul, index, MARK_BYTES)
                }
            };
            let ty = Type::ptr(AddressSpace::Global);
            let place = x.value(
                InstKind::PtrAdd {
                    base: marks,
                    offset,
                },
                ty,
            );
            let parts = (access.bytes / self.part).max(1);
            let mark = load_slot(x, self.mark, Type::I32);
            let found = match (access.writes, parts <= MOST_IN_PLACE) {
                (false, true) => self.read(x, place, mark, parts),
                (false, false) => {
                    let parts = x.func.i32(parts as i32);
                    let fenced = load_slot(x, self.fenced, Type::I32);
                    let args = [place, mark, self.bits, fenced, parts];
                    self.found(x, self.functions.read, &args)
                }
                (true, in_place) => {
                    let value = access.value;
                    let values = value.and_then(|value| parts_of(x, value, self.part));
                    match in_place {
                        true => self.write(x, place, mark, parts, values.as_deref()),
                        false => self.write_many(x, place, mark, parts, values.as_deref()),
                    }
                }
            };
            let any = x.icmp_const(IntCond::Ne, found, 0);
            x.when(any, |x| tell(x, found, address));
        });
    }

    fn found(&self, x: &mut Expander<'_>, func: FuncId, args: &[Value]) -> Value {
        let args = args.iter().copied().collect();
        x.value(InstKind::Call { func, args }, Type::I32)
    }

    /// True if a mark is neither 0 nor the work-item's.
    fn is_foreign(x: &mut Expander<'_>, other: Value, mark: Value) -> Value {
        let there = x.icmp_const(IntCond::Ne, other, 0);
        let differs = x.icmp(IntCond::Ne, other, mark);
        x.bin(BinaryOp::And, there, differs)
    }

    fn read(&self, x: &mut Expander<'_>, marks: Value, mark: Value, parts: u64) -> Value {
        let mut any = None;
        let mut writers = Vec::new();
        for part in 0..parts {
            let place = x.offset(marks, part * MARK_BYTES);
            let writer = atomic_load(x, place);
            let reader = x.offset(place, 4);
            let reader = atomic_load(x, reader);
            let foreign = Self::is_foreign(x, writer, mark);
            let is_new = x.icmp(IntCond::Ne, reader, mark);
            let looks = x.bin(BinaryOp::Or, foreign, is_new);
            any = Some(either(x, any, looks));
            writers.push(writer);
        }
        let zero = x.func.i32(0);
        let Some(any) = any else { return zero };
        when_or_zero(x, any, |x| {
            let mut some = None;
            let mut readers = Vec::new();
            for (part, &writer) in writers.iter().enumerate() {
                let reader = x.offset(marks, part as u64 * MARK_BYTES + 4);
                let old = exchange(x, reader, mark);
                let [wrote, read] = [writer, old].map(|other| Self::is_foreign(x, other, mark));
                let looks = x.bin(BinaryOp::Or, wrote, read);
                some = Some(either(x, some, looks));
                readers.push(old);
            }
            let Some(some) = some else { return zero };
            when_or_zero(x, some, |x| {
                let mut found = zero;
                let fenced = load_slot(x, self.fenced, Type::I32);
                for (part, (writer, old)) in writers.into_iter().zip(readers).enumerate() {
                    let place = x.offset(marks, part as u64 * MARK_BYTES);
                    let args = [place, mark, self.bits, fenced, writer, old];
                    let clash = self.found(x, self.functions.read_clash, &args);
                    found = first_of(x, clash, found);
                }
                found
            })
        })
    }

    fn write(
        &self,
        x: &mut Expander<'_>,
        marks: Value,
        mark: Value,
        parts: u64,
        values: Option<&[Value]>,
    ) -> Value {
        let mut any = None;
        let mut found = Vec::new();
        for part in 0..parts {
            let place = x.offset(marks, part * MARK_BYTES);
            // In this order: who finds another's mark finds that one's value too.
            let before = values.map(|values| {
                let contents = x.offset(place, 8);
                let value = values[part as usize];
                (exchange(x, contents, value), value)
            });
            let writer = exchange(x, place, mark);
            let reader = x.offset(place, 4);
            let reader = atomic_load(x, reader);
            for other in [writer, reader] {
                let foreign = Self::is_foreign(x, other, mark);
                any = Some(either(x, any, foreign));
            }
            found.push((before, writer, reader));
        }
        let zero = x.func.i32(0);
        let Some(any) = any else { return zero };
        when_or_zero(x, any, |x| {
            let mut first = zero;
            let fenced = load_slot(x, self.fenced, Type::I32);
            for (before, writer, reader) in found {
                let equal = match before {
                    Some((before, value)) => x.icmp(IntCond::Eq, before, value),
                    None => x.splat(Type::BOOL, 0),
                };
                let args = [mark, self.bits, fenced, writer, reader, equal];
                let clash = self.found(x, self.functions.write_clash, &args);
                first = first_of(x, clash, first);
            }
            first
        })
    }

    fn write_many(
        &self,
        x: &mut Expander<'_>,
        marks: Value,
        mark: Value,
        parts: u64,
        values: Option<&[Value]>,
    ) -> Value {
        let mut found = x.func.i32(0);
        let compare = x.splat(Type::BOOL, u64::from(values.is_some()));
        let fenced = load_slot(x, self.fenced, Type::I32);
        for part in 0..parts {
            let value = values.map(|values| values[part as usize]);
            let value = value.unwrap_or_else(|| x.func.i32(0));
            let place = x.offset(marks, part * MARK_BYTES);
            let args = [place, mark, self.bits, fenced, value, compare];
            let clash = self.found(x, self.functions.write, &args);
            found = first_of(x, clash, found);
        }
        found
    }
}

fn either(x: &mut Expander<'_>, some: Option<Value>, other: Value) -> Value {
    match some {
        Some(some) => x.bin(BinaryOp::Or, some, other),
        None => other,
    }
}

/// `cond ? body() : 0`, evaluated only then.
fn when_or_zero(
    x: &mut Expander<'_>,
    cond: Value,
    body: impl FnOnce(&mut Expander<'_>) -> Value,
) -> Value {
    let (then, done) = (x.new_block(), x.new_block());
    let zero = x.func.i32(0);
    let result = x.func.append_param(done, Type::I32);
    x.branch(cond, call(then, &[]), call(done, &[zero]), then);
    let value = body(x);
    x.jump(done, &[value], done);
    result
}

fn atomic_load(x: &mut Expander<'_>, ptr: Value) -> Value {
    x.value(shared_word(ptr, Scope::Device), Type::I32)
}

fn exchange(x: &mut Expander<'_>, ptr: Value, value: Value) -> Value {
    x.value(
        changed_word(AtomicOp::Xchg, ptr, value, Scope::Device),
        Type::I32,
    )
}
