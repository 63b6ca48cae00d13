//! Accesses of long kernels, whose race marks are looked at together (`check/gathered.rs`).

use super::race_contents;
use super::race_functions::RaceFunctions;
use crate::expand::Expander;
use crate::passes::check::code::{add, first_of};
use crate::passes::check::gathered::{self, Picked};
use pumice_check::layout::MARK_BYTES;
use pumice_ir::{AddressSpace, BinaryOp, ConvertOp, FuncId, InstKind, IntCond, Type, Value};
use smallvec::SmallVec;

/// Parts of an access that lie together: all that are read, or those of a word that are written.
pub(super) struct Parts {
    /// True if the access was made.
    pub is_made: Value,
    /// The pointer to which an address is added to find the marks of its object; NULL if there are none.
    pub marks: Value,
    /// The pointer of the access.
    pub ptr: Value,
    /// The bytes before the first part.
    pub at: u64,
    /// The number of parts.
    pub count: u64,
    /// True if the access has fewer bytes than a part.
    pub is_small: bool,
    pub writes: bool,
    /// The contents that a store gives the parts, the first one lowest; `None` if they are not known.
    pub value: Option<Value>,
    /// The number of the place.
    pub site: u32,
    /// The size of the access.
    pub bytes: u64,
}

/// The access as the report of a clash names it.
#[derive(Clone, Copy)]
pub(super) struct Told {
    /// The number of the place.
    pub site: Value,
    pub address: Value,
    /// The size of the access, 64 bits.
    pub bytes: Value,
}

/// A work-item's mark.
pub(super) struct Own {
    pub mark: Value,
    pub bits: Value,
    pub fenced: Value,
}

/// Looks at the marks of parts of so many bytes each in one loop. `place` finds the marks of an address, by their base
/// and the bits of the address that count below a part; `tell` reports the other work-item of a clash.
pub(super) fn look(
    x: &mut Expander<'_>,
    functions: RaceFunctions,
    own: &Own,
    (parts, part): (&[Parts], u64),
    place: impl FnOnce(&mut Expander<'_>, Value, Value, Value) -> Value,
    tell: impl FnOnce(&mut Expander<'_>, Value, Told),
) {
    let values = |part: fn(&Parts) -> Value| parts.iter().map(part).collect::<Vec<_>>();
    let numbers = |part: fn(&Parts) -> u64| parts.iter().map(part).collect::<Vec<_>>();
    let made = gathered::mask(x, &values(|part| part.is_made));
    gathered::for_each(x, made, parts.len(), |x, picked| {
        let marks = picked.value(x, &values(|part| part.marks));
        let null = x.splat(Type::ptr(AddressSpace::Global), 0);
        let looks = x.icmp(IntCond::Ne, marks, null);
        x.when(looks, |x| {
            let ptr = picked.sum(x, &values(|part| part.ptr));
            let address = x.convert(ConvertOp::PtrToInt, ptr, Type::I64);
            let at = picked.number(x, Type::I64, &numbers(|part| part.at));
            let start = x.bin(BinaryOp::IAdd, address, at);
            let whole = picked.number(
                x,
                Type::I64,
                &numbers(|part| match part.is_small {
                    true => 0,
                    false => u64::MAX,
                }),
            );
            let place = place(x, marks, start, whole);
            let found = find(x, functions, own, (parts, part), picked, place);
            let any = x.icmp_const(IntCond::Ne, found, 0);
            x.when(any, |x| {
                let told = Told {
                    site: picked.number(x, Type::I32, &numbers(|part| part.site.into())),
                    address,
                    bytes: picked.number(x, Type::I64, &numbers(|part| part.bytes)),
                };
                tell(x, found, told);
            });
        });
    });
}

/// The number of the work-item that parts clash with, or 0.
fn find(
    x: &mut Expander<'_>,
    functions: RaceFunctions,
    own: &Own,
    (parts, part): (&[Parts], u64),
    picked: &Picked,
    place: Value,
) -> Value {
    let counts: Vec<u64> = parts.iter().map(|part| part.count).collect();
    let count = picked.number(x, Type::I32, &counts);
    let read = |x: &mut Expander<'_>| {
        let args = [place, own.mark, own.bits, own.fenced, count];
        x.value(call_of(functions.read, &args), Type::I32)
    };
    if !parts.iter().any(|part| part.writes) {
        return read(x);
    }
    let writes = Writes {
        func: functions.write,
        own,
        parts,
        part,
    };
    if parts.iter().all(|part| part.writes) {
        return writes.find(x, picked, place, count);
    }
    let kinds: Vec<u64> = parts.iter().map(|part| u64::from(part.writes)).collect();
    let is_write = picked.number(x, Type::BOOL, &kinds);
    let [writing, reading, done] = [(); 3].map(|()| x.new_block());
    let found = x.func.append_param(done, Type::I32);
    x.branch_bare(is_write, [writing, reading], writing);
    let wrote = writes.find(x, picked, place, count);
    x.jump(done, &[wrote], reading);
    let read = read(x);
    x.jump(done, &[read], done);
    found
}

fn call_of(func: FuncId, args: &[Value]) -> InstKind {
    let args = SmallVec::from_slice(args);
    InstKind::Call { func, args }
}

/// Writes among the parts.
struct Writes<'a> {
    func: FuncId,
    own: &'a Own,
    parts: &'a [Parts],
    /// Bytes of a part.
    part: u64,
}

impl Writes<'_> {
    fn find(&self, x: &mut Expander<'_>, picked: &Picked, place: Value, count: Value) -> Value {
        let zero = x.func.i32(0);
        let values: Vec<Value> = (self.parts.iter())
            .map(|part| part.value.unwrap_or(zero))
            .collect();
        let value = picked.value(x, &values);
        let known: Vec<u64> = (self.parts.iter())
            .map(|part| u64::from(part.value.is_some()))
            .collect();
        let compare = picked.number(x, Type::BOOL, &known);
        if self.part >= 4 {
            return self.write(x, place, value, compare);
        }
        let bits = self.part * 8;
        x.fold_range([zero, count], zero, |x, index, found| {
            let offset = x.bin_const(BinaryOp::IMul, index, MARK_BYTES);
            let offset = x.convert(ConvertOp::ZExt, offset, Type::I64);
            let place = add(x, place, offset);
            let shift = x.bin_const(BinaryOp::IMul, index, bits);
            let value = x.bin(BinaryOp::LShr, value, shift);
            let value = x.bin_const(BinaryOp::And, value, (1 << bits) - 1);
            let clash = self.write(x, place, value, compare);
            first_of(x, clash, found)
        })
    }

    fn write(&self, x: &mut Expander<'_>, place: Value, value: Value, compare: Value) -> Value {
        let &Own { mark, bits, fenced } = self.own;
        let tag = race_contents::tag(x, mark);
        let word = race_contents::word(x, value, tag);
        let args = [place, mark, bits, fenced, word, compare];
        x.value(call_of(self.func, &args), Type::I32)
    }
}
