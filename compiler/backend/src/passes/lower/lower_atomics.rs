//! Atomics in the forms that Vulkan has.
//!
//! - On private memory nobody else looks: plain loads and stores (illegal as atomics in
//!   Shader SPIR-V).
//! - Float add, minimum and maximum: a loop that computes on the value read last and
//!   exchanges its bits if they are still there. The loop ends when the exchange succeeds.

use crate::expand::{Expander, Replacement, expand, int_like};
use crate::pass::{Changed, FunctionCtx};
use pumice_ir::LowerError;
use pumice_ir::{
    AddressSpace, AtomicOp, BlockCall, ConvertOp, Function, InstKind, IntCond, MemoryOrder, Scope,
    Type, Value,
};
use pumice_target::Target;

/// Runs the pass.
///
/// # Errors
/// None of its own.
pub fn run(func: &mut Function, ctx: &FunctionCtx<'_>) -> Result<Changed, LowerError> {
    expand(func, |x, inst| {
        let kind = x.func.insts[inst].kind.clone();
        if is_native_float_atomic(x.func, &kind, ctx.target) {
            return Ok(None);
        }
        Ok(lower(x, &kind, x.func.insts[inst].results.first().copied()))
    })
}

/// Returns whether the device does a read-modify-write of floats itself: on memory behind an address,
/// since arrays and buffers are of integers.
pub(crate) fn is_native_float_atomic(func: &Function, kind: &InstKind, target: &Target) -> bool {
    let InstKind::AtomicRmw { op, ptr, value, .. } = *kind else {
        return false;
    };
    let sum = match op {
        AtomicOp::FAdd => true,
        AtomicOp::FMin | AtomicOp::FMax => false,
        _ => return false,
    };
    let bytes = func.ty(value).scalar.bytes();
    target.abi.descriptors().is_none()
        && func.ty(ptr).address_space() == Some(AddressSpace::Global)
        && target.float_atomics.has(sum, bytes)
}

fn is_private(x: &Expander<'_>, ptr: Value) -> bool {
    x.ty(ptr).address_space() == Some(AddressSpace::Private)
}

fn one(value: Value) -> Option<Replacement> {
    Some(Replacement::from_slice(&[value]))
}

fn load(x: &mut Expander<'_>, ptr: Value, ty: Type) -> Value {
    x.load(ptr, ty, ty.scalar.bytes())
}

fn store(x: &mut Expander<'_>, ptr: Value, value: Value) {
    let align = x.ty(value).scalar.bytes();
    x.store(ptr, value, align);
}

fn lower(x: &mut Expander<'_>, kind: &InstKind, result: Option<Value>) -> Option<Replacement> {
    match *kind {
        InstKind::AtomicLoad { ptr, .. } if is_private(x, ptr) => {
            let ty = x.ty(result?);
            let value = load(x, ptr, ty);
            one(value)
        }
        InstKind::AtomicStore { ptr, value, .. } if is_private(x, ptr) => {
            store(x, ptr, value);
            Some(Replacement::new())
        }
        InstKind::AtomicRmw { op, ptr, value, .. } if is_private(x, ptr) => {
            let ty = x.ty(value);
            let old = load(x, ptr, ty);
            let new = combine(x, op, old, value);
            store(x, ptr, new);
            one(old)
        }
        InstKind::AtomicCmpXchg {
            ptr,
            expected,
            desired,
            ..
        } if is_private(x, ptr) => {
            let ty = x.ty(expected);
            let old = load(x, ptr, ty);
            let equal = x.icmp(IntCond::Eq, old, expected);
            let new = x.select(equal, desired, old);
            store(x, ptr, new);
            one(old)
        }
        InstKind::AtomicRmw {
            op: op @ (AtomicOp::FAdd | AtomicOp::FMin | AtomicOp::FMax),
            ptr,
            value,
            order,
            scope,
        } => {
            let old = exchange_loop(x, op, ptr, value, order, scope);
            one(old)
        }
        _ => None,
    }
}

/// The value that a read-modify-write leaves in memory.
pub(super) fn combine(x: &mut Expander<'_>, op: AtomicOp, old: Value, value: Value) -> Value {
    match op.combining(old, value) {
        Some(kind) => {
            let ty = x.ty(old);
            x.value(kind, ty)
        }
        None => value,
    }
}

fn exchange_loop(
    x: &mut Expander<'_>,
    op: AtomicOp,
    ptr: Value,
    value: Value,
    order: MemoryOrder,
    scope: Scope,
) -> Value {
    let ty = x.ty(value);
    let int = int_like(ty);
    fence(x, order, MemoryOrder::Release, scope);
    let first = x.value(
        InstKind::AtomicLoad {
            ptr,
            order: MemoryOrder::Relaxed,
            scope,
        },
        int,
    );
    let (body, done) = (x.new_block(), x.new_block());
    let expected = x.func.append_param(body, int);
    let old = x.func.append_param(done, int);
    x.jump(body, &[first], body);
    let number = x.convert(ConvertOp::Bitcast, expected, ty);
    let new = combine(x, op, number, value);
    let desired = x.convert(ConvertOp::Bitcast, new, int);
    let found = x.value(
        InstKind::AtomicCmpXchg {
            ptr,
            expected,
            desired,
            success: MemoryOrder::Relaxed,
            failure: MemoryOrder::Relaxed,
            scope,
        },
        int,
    );
    let same = x.icmp(IntCond::Eq, found, expected);
    x.branch(
        same,
        BlockCall::new(done, &[found]),
        BlockCall::new(body, &[found]),
        done,
    );
    fence(x, order, MemoryOrder::Acquire, scope);
    x.convert(ConvertOp::Bitcast, old, ty)
}

/// The part of an operation's order that a fence on one side of its loop keeps. In the loop
/// itself fences would cost time, and lavapipe 22.3 gives wrong results where work-items meet one in
/// different rounds.
pub(super) fn fence(x: &mut Expander<'_>, order: MemoryOrder, side: MemoryOrder, scope: Scope) {
    let (order, scope) = match order {
        MemoryOrder::SeqCst => (MemoryOrder::AcqRel, Scope::Device),
        MemoryOrder::AcqRel => (side, scope),
        order if order == side => (side, scope),
        _ => return,
    };
    let kind = InstKind::Fence {
        scope,
        order,
        global: true,
        local: true,
    };
    x.emit(kind, &[]);
}
