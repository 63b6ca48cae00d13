//! Private variables that are still in memory are zero when their function starts
//! (cl_khr_initialize_memory).
//!
//! Runs behind scalar replacement, which takes zeros for what nothing has written. A variable of up to
//! [`UNROLLED_WORDS`] words gets a store for each, a larger one a loop.

use crate::expand::{Expander, expand};
use crate::pass::{Changed, FunctionCtx};
use pumice_ir::{
    AddressSpace, BinaryOp, ConvertOp, Function, InstKind, IntCond, LowerError, StackSlot, Type,
    Value,
};

/// Variables of up to so many words get a store for each.
const UNROLLED_WORDS: u32 = 16;

/// Runs the pass on one function.
///
/// # Errors
/// None of its own.
pub fn run(func: &mut Function, _ctx: &FunctionCtx<'_>) -> Result<Changed, LowerError> {
    let slots = used(func);
    if slots.is_empty() {
        return Ok(Changed::No);
    }
    let _ = expand(func, |x, _| {
        if x.at_entry {
            for &slot in &slots {
                zero(x, slot);
            }
        }
        Ok(None)
    })?;
    Ok(Changed::Yes)
}

/// The variables that something uses, in order.
fn used(func: &Function) -> Vec<StackSlot> {
    let mut slots = Vec::new();
    for &block in &func.layout.blocks {
        for &inst in &func.layout.insts[block] {
            if let InstKind::StackAddr { slot } = func.insts[inst].kind {
                slots.push(slot);
            }
        }
    }
    slots.sort_unstable();
    slots.dedup();
    slots
}

/// Writes zeros to a private variable.
pub(crate) fn zero(x: &mut Expander<'_>, slot: StackSlot) {
    let size = x.func.slots[slot].size;
    let align = x.func.slots[slot].align;
    let base = x.value(
        InstKind::StackAddr { slot },
        Type::ptr(AddressSpace::Private),
    );
    let words = if align >= 4 { size / 4 } else { 0 };
    if words > UNROLLED_WORDS {
        fill(x, base, words, Type::I32);
    } else {
        for word in 0..words {
            let to = x.offset(base, u64::from(word) * 4);
            store(x, to, Type::I32);
        }
    }
    let bytes = size - words * 4;
    if bytes > UNROLLED_WORDS {
        fill(x, base, bytes, Type::I8);
    } else {
        for byte in words * 4..size {
            let to = x.offset(base, u64::from(byte));
            store(x, to, Type::I8);
        }
    }
}

fn store(x: &mut Expander<'_>, to: Value, ty: Type) {
    let value = x.func.splat_constant(ty, 0);
    x.store(to, value, ty.access_bytes());
}

/// A loop that stores so many zeros.
fn fill(x: &mut Expander<'_>, base: Value, count: u32, ty: Type) {
    let (head, body, done) = (x.new_block(), x.new_block(), x.new_block());
    let index = x.func.append_param(head, Type::I32);
    let start = x.func.i32(0);
    x.jump(head, &[start], head);
    let more = x.icmp_const(IntCond::Ult, index, u64::from(count));
    x.branch_bare(more, [body, done], body);
    let wide = x.convert(ConvertOp::ZExt, index, Type::I64);
    let shift = u64::from(ty.access_bytes().trailing_zeros());
    let offset = x.bin_const(BinaryOp::Shl, wide, shift);
    let ptr = Type::ptr(AddressSpace::Private);
    let to = x.value(InstKind::PtrAdd { base, offset }, ptr);
    store(x, to, ty);
    let next = x.bin_const(BinaryOp::IAdd, index, 1);
    x.jump(head, &[next], done);
}
