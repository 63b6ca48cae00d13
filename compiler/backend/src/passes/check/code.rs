//! Code that several checks write.

use crate::expand::Expander;
use pumice_ir::{
    AddressSpace, AtomicOp, BinaryOp, BuiltIn, ConvertOp, Function, GlobalId, InstKind, IntCond,
    MemoryOrder, Scope, StackSlot, Type, Value,
};

/// Returns whether any instruction has a place in the source.
pub(crate) fn has_places(func: &Function) -> bool {
    let mut insts = (func.layout.blocks.iter()).flat_map(|&block| &func.layout.insts[block]);
    insts.any(|&inst| func.insts[inst].loc.line != 0)
}

/// Writes code that has no place in the source.
pub(crate) fn own<T>(x: &mut Expander<'_>, write: impl FnOnce(&mut Expander<'_>) -> T) -> T {
    let loc = std::mem::take(&mut x.loc);
    let result = write(x);
    x.loc = loc;
    result
}

/// A built-in value.
pub(crate) fn built_in(x: &mut Expander<'_>, which: BuiltIn) -> Value {
    x.value(InstKind::BuiltIn { which }, which.ty())
}

/// The number of the work-item in its group, 32 bits.
pub(crate) fn local_item(x: &mut Expander<'_>) -> Value {
    let item = built_in(x, BuiltIn::LocalLinearId);
    x.convert(ConvertOp::Trunc, item, Type::I32)
}

/// `base + offset`.
pub(crate) fn add(x: &mut Expander<'_>, base: Value, offset: Value) -> Value {
    let ty = x.ty(base);
    x.value(InstKind::PtrAdd { base, offset }, ty)
}

/// Reads a value so many bytes behind a pointer.
pub(crate) fn load(x: &mut Expander<'_>, base: Value, at: u64, ty: Type) -> Value {
    let ptr = x.offset(base, at);
    x.load(ptr, ty, ty.scalar.bytes())
}

/// Writes a value so many bytes behind a pointer.
pub(crate) fn store(x: &mut Expander<'_>, base: Value, at: u64, value: Value) {
    let ptr = x.offset(base, at);
    let align = x.ty(value).scalar.bytes();
    x.store(ptr, value, align);
}

fn slot_address(x: &mut Expander<'_>, slot: StackSlot) -> Value {
    x.value(
        InstKind::StackAddr { slot },
        Type::ptr(AddressSpace::Private),
    )
}

/// Reads a private variable.
pub(crate) fn load_slot(x: &mut Expander<'_>, slot: StackSlot, ty: Type) -> Value {
    let base = slot_address(x, slot);
    load(x, base, 0, ty)
}

/// Writes a private variable.
pub(crate) fn store_slot(x: &mut Expander<'_>, slot: StackSlot, value: Value) {
    let base = slot_address(x, slot);
    store(x, base, 0, value);
}

/// A change of a word that other work-items may change at the time; its result is what the word was.
pub(crate) fn changed_word(op: AtomicOp, ptr: Value, value: Value, scope: Scope) -> InstKind {
    InstKind::AtomicRmw {
        op,
        ptr,
        value,
        order: MemoryOrder::Relaxed,
        scope,
    }
}

/// A word as another work-item may have changed it.
pub(crate) fn shared_word(ptr: Value, scope: Scope) -> InstKind {
    let order = MemoryOrder::Relaxed;
    InstKind::AtomicLoad { ptr, order, scope }
}

/// `a` if it is not 0, else `b`.
pub(crate) fn first_of(x: &mut Expander<'_>, a: Value, b: Value) -> Value {
    let is_one = x.icmp_const(IntCond::Ne, a, 0);
    x.select(is_one, a, b)
}

/// True if any lane is.
pub(crate) fn any_lane(x: &mut Expander<'_>, bad: Value, ty: Type) -> Value {
    let mut any = x.lane(bad, 0);
    for lane in 1..ty.lanes {
        let next = x.lane(bad, lane);
        any = x.bin(BinaryOp::Or, any, next);
    }
    any
}

/// The work-items of a group clear a shadow together.
pub(crate) fn zero_local(x: &mut Expander<'_>, global: GlobalId, bytes: u64) {
    let ty = Type::ptr(AddressSpace::Local);
    let base = x.value(InstKind::GlobalAddr { global }, ty);
    let start = built_in(x, BuiltIn::LocalLinearId);
    let size = built_in(x, BuiltIn::LocalSize);
    let [a, b, c] = [0, 1, 2].map(|lane| x.lane(size, lane));
    let step = x.bin(BinaryOp::IMul, a, b);
    let step = x.bin(BinaryOp::IMul, step, c);
    let (head, body, done) = (x.new_block(), x.new_block(), x.new_block());
    let index = x.func.append_param(head, Type::I64);
    x.jump(head, &[start], head);
    let more = x.icmp_const(IntCond::Ult, index, bytes / 4);
    x.branch_bare(more, [body, done], body);
    let offset = x.bin_const(BinaryOp::Shl, index, 2);
    let ptr = add(x, base, offset);
    let value = x.func.i32(0);
    store(x, ptr, 0, value);
    let next = x.bin(BinaryOp::IAdd, index, step);
    x.jump(head, &[next], done);
}
