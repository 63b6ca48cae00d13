//! Data races in global memory: accesses through arguments look at race marks in the memory of the launch's checks.
//!
//! An access looks at the marks in place, and mostly finds nobody or only the work-item itself. The rest is done by
//! functions (`race_functions.rs`).

use super::race_contents::{self, parts_of};
use super::race_functions::RaceFunctions;
use super::race_gathered::{self, Own, Parts, Told};
use super::race_plan::{Plain, Plan};
use crate::expand::Expander;
use crate::passes::check::code::{
    add, built_in, changed_word, first_of, load, load_slot, shared_word, store_slot,
};
use crate::passes::check::gathered;
use crate::passes::check::limits::place;
use pumice_check::layout::{ARGUMENT_MARKS, ITEM_BITS_AT, MARK_BYTES};
use pumice_ir::{
    AddressSpace, AtomicOp, BinaryOp, BlockCall, BuiltIn, ConvertOp, FuncId, InstKind, IntCond,
    Scope, StackSlot, Type, Value,
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
    /// The parts whose marks are not looked at yet; `None` in kernels that look in place.
    gathered: Option<Vec<Parts>>,
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
            gathered: plan.is_long.then(Vec::new),
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

    /// Marks an access through an argument that was made under a condition, now or with others of its group. `tell`
    /// reports the other work-item if another one's access clashes.
    pub fn look(
        &mut self,
        x: &mut Expander<'_>,
        (ordinal, site): (u32, u32),
        access: Plain,
        condition: Option<Value>,
        tell: impl Fn(&mut Expander<'_>, Value, Told),
    ) {
        let Some(&marks) = self.marks.get(&ordinal) else {
            return;
        };
        if self.gathered.is_some() {
            let is_made = condition.unwrap_or_else(|| x.splat(Type::BOOL, 1));
            return self.gather(x, (marks, is_made, site), access, tell);
        }
        let null = x.splat(Type::ptr(AddressSpace::Global), 0);
        let looks = x.icmp(IntCond::Ne, marks, null);
        x.when(looks, |x| {
            let told = Told {
                site: x.func.i32(site as i32),
                address: x.convert(ConvertOp::PtrToInt, access.ptr, Type::I64),
                bytes: x.func.i64(access.bytes as i64),
            };
            let found = self.look_in_place(x, marks, access, told.address);
            let any = x.icmp_const(IntCond::Ne, found, 0);
            x.when(any, |x| tell(x, found, told));
        });
    }

    /// The marks of the first part of an access.
    fn place(&self, x: &mut Expander<'_>, base: Value, access: Plain, address: Value) -> Value {
        // A read of less than a part reads no part that it does not touch.
        let start = match access.part < self.part {
            true => x.bin_const(BinaryOp::And, address, !(self.part - 1)),
            false => address,
        };
        Self::marks_of(x, self.part, base, start)
    }

    /// The marks of the part at an address.
    fn marks_of(x: &mut Expander<'_>, part: u64, base: Value, start: Value) -> Value {
        let offset = match part {
            0..=4 => x.bin_const(BinaryOp::IMul, start, MARK_BYTES / part),
            _ => {
                let index = x.bin_const(BinaryOp::LShr, start, u64::from(part.trailing_zeros()));
                x.bin_const(BinaryOp::IMul, index, MARK_BYTES)
            }
        };
        add(x, base, offset)
    }

    /// The parts of an access.
    fn parts(&self, access: Plain) -> u64 {
        (access.bytes / self.part).max(1)
    }

    /// Marks an access; gives the number of the work-item that it clashes with, or 0.
    fn look_in_place(
        &self,
        x: &mut Expander<'_>,
        marks: Value,
        access: Plain,
        address: Value,
    ) -> Value {
        let place = self.place(x, marks, access, address);
        let parts = self.parts(access);
        let mark = load_slot(x, self.mark, Type::I32);
        match (access.writes, parts <= MOST_IN_PLACE) {
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
        }
    }

    /// Keeps the parts of an access, and looks at those that are kept when they are many.
    fn gather(
        &mut self,
        x: &mut Expander<'_>,
        (marks, is_made, site): (Value, Value, u32),
        access: Plain,
        tell: impl Fn(&mut Expander<'_>, Value, Told),
    ) {
        let values = (access.value).and_then(|value| parts_of(x, value, self.part));
        let all = self.parts(access);
        let together = match access.writes {
            true => (4 / self.part).max(1),
            false => all,
        };
        for first in (0..all).step_by(together as usize) {
            let count = together.min(all - first);
            let value = values.as_ref().map(|values| {
                let parts = &values[first as usize..(first + count) as usize];
                self.word(x, parts)
            });
            let parts = Parts {
                is_made,
                marks,
                ptr: access.ptr,
                at: first * self.part,
                count,
                is_small: access.part < self.part,
                writes: access.writes,
                value,
                site,
                bytes: access.bytes,
            };
            let gathered = self.gathered.get_or_insert_default();
            gathered.push(parts);
            if gathered.len() == gathered::MOST {
                self.look_at_gathered(x, &tell);
            }
        }
    }

    /// The contents of parts in one word, the first one lowest.
    fn word(&self, x: &mut Expander<'_>, parts: &[Value]) -> Value {
        let mut word = parts[0];
        for (index, &part) in parts.iter().enumerate().skip(1) {
            let moved = x.bin_const(BinaryOp::Shl, part, index as u64 * self.part * 8);
            word = x.bin(BinaryOp::Or, word, moved);
        }
        word
    }

    /// Returns whether accesses are looked at in groups.
    pub fn gathers(&self) -> bool {
        self.gathered.is_some()
    }

    /// Looks at the marks of the parts that are kept.
    pub fn look_at_gathered(
        &mut self,
        x: &mut Expander<'_>,
        tell: impl Fn(&mut Expander<'_>, Value, Told),
    ) {
        let parts = match &mut self.gathered {
            Some(gathered) => std::mem::take(gathered),
            None => return,
        };
        if parts.is_empty() {
            return;
        }
        let [mark, fenced] = [self.mark, self.fenced].map(|slot| load_slot(x, slot, Type::I32));
        let bits = self.bits;
        let own = Own { mark, bits, fenced };
        let part = self.part;
        let place = |x: &mut Expander<'_>, marks: Value, address: Value, whole: Value| {
            let above = x.bin_const(BinaryOp::Or, whole, !(part - 1));
            let start = x.bin(BinaryOp::And, address, above);
            Self::marks_of(x, part, marks, start)
        };
        race_gathered::look(x, self.functions, &own, (&parts, part), place, tell);
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
        let readers = self.change_readers(x, marks, mark, parts);
        let mut any = None;
        let mut found = Vec::new();
        for (part, old) in readers.into_iter().enumerate() {
            // Behind the change: one of a reader and a writer that come together sees the other's mark.
            let place = x.offset(marks, part as u64 * MARK_BYTES);
            let writer = atomic_load(x, place);
            for other in [writer, old] {
                let foreign = Self::is_foreign(x, other, mark);
                any = Some(either(x, any, foreign));
            }
            found.push((place, writer, old));
        }
        let zero = x.func.i32(0);
        let Some(any) = any else { return zero };
        when_or_zero(x, any, |x| {
            let mut first = zero;
            let fenced = load_slot(x, self.fenced, Type::I32);
            for (place, writer, old) in found {
                let args = [place, mark, self.bits, fenced, writer, old];
                let clash = self.found(x, self.functions.read_clash, &args);
                first = first_of(x, clash, first);
            }
            first
        })
    }

    /// Leaves the work-item's mark as the reader's of so many parts; gives the marks that it took the place of, or its own
    /// where it stood already.
    fn change_readers(
        &self,
        x: &mut Expander<'_>,
        marks: Value,
        mark: Value,
        parts: u64,
    ) -> Vec<Value> {
        let places: Vec<Value> = (0..parts)
            .map(|part| x.offset(marks, part * MARK_BYTES + 4))
            .collect();
        let mut any = None;
        for &place in &places {
            let reader = atomic_load(x, place);
            let is_new = x.icmp(IntCond::Ne, reader, mark);
            any = Some(either(x, any, is_new));
        }
        let Some(any) = any else { return Vec::new() };
        let (then, done) = (x.new_block(), x.new_block());
        let olds = (0..parts).map(|_| x.func.append_param(done, Type::I32));
        let olds = olds.collect();
        let own = vec![mark; parts as usize];
        let (change, stay) = (BlockCall::new(then, &[]), BlockCall::new(done, &own));
        x.branch(any, change, stay, then);
        let exchanged: Vec<Value> = (places.into_iter())
            .map(|place| exchange(x, place, mark))
            .collect();
        x.jump(done, &exchanged, done);
        olds
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
            let words = values.map(|values| {
                let contents = x.offset(place, 8);
                let tag = race_contents::tag(x, mark);
                let word = race_contents::word(x, values[part as usize], tag);
                [exchange(x, contents, word), word]
            });
            let writer = exchange(x, place, mark);
            let reader = x.offset(place, 4);
            let reader = atomic_load(x, reader);
            for other in [writer, reader] {
                let foreign = Self::is_foreign(x, other, mark);
                any = Some(either(x, any, foreign));
            }
            found.push((place, writer, reader, words));
        }
        let zero = x.func.i32(0);
        let Some(any) = any else { return zero };
        when_or_zero(x, any, |x| {
            let mut first = zero;
            let fenced = load_slot(x, self.fenced, Type::I32);
            let compare = x.splat(Type::BOOL, u64::from(values.is_some()));
            for (place, writer, reader, words) in found {
                let [before, word] = words.unwrap_or([zero; 2]);
                let bits = self.bits;
                let args = [
                    place, mark, bits, fenced, writer, reader, before, word, compare,
                ];
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
            let word = match values {
                Some(values) => {
                    let tag = race_contents::tag(x, mark);
                    race_contents::word(x, values[part as usize], tag)
                }
                None => x.func.i32(0),
            };
            let place = x.offset(marks, part * MARK_BYTES);
            let args = [place, mark, self.bits, fenced, word, compare];
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
    x.branch(
        cond,
        BlockCall::new(then, &[]),
        BlockCall::new(done, &[zero]),
        then,
    );
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
