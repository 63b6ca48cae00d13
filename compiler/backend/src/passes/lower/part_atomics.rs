//! Atomics on a part of an element: of a 64-bit element's words, or of a word's halves.
//!
//! Loads cut the part out, and/or/xor leave the rest alone by their operand, and everything else is a
//! loop that exchanges the element if it is still the same, between fences for its order.

use crate::expand::{Expander, Replacement};
use crate::passes::lower::lower_atomics::{combine, fence};
use pumice_ir::{
    AtomicOp, BinaryOp, BlockCall, ConvertOp, InstKind, IntCond, MemoryOrder, Scope, Type, Value,
};

/// The types of an element and of its part.
#[derive(Clone, Copy, Debug)]
pub(super) struct Widths {
    element: Type,
    part: Type,
}

/// A 32-bit word of a 64-bit element.
pub(super) const WORD: Widths = Widths {
    element: Type::I64,
    part: Type::I32,
};

/// A 16-bit half of a word.
pub(super) const SHORT: Widths = Widths {
    element: Type::I32,
    part: Type::I16,
};

impl Widths {
    /// The bits of an address that tell the part.
    fn within(self) -> u64 {
        u64::from(self.element.scalar.bytes() - self.part.scalar.bytes())
    }

    /// Ones in all bits of a part.
    fn ones(self) -> u64 {
        u64::MAX >> (64 - self.part.scalar.bits())
    }
}

/// The element with the part in it.
struct WordPart {
    widths: Widths,
    /// Pointer to the element.
    base: Value,
    /// Bits below the part.
    shift: Value,
    /// The bits beside the part.
    other: Value,
}

impl WordPart {
    fn of(x: &mut Expander<'_>, ptr: Value, widths: Widths) -> Self {
        let address = x.convert(ConvertOp::PtrToInt, ptr, Type::I64);
        let within = x.bin_const(BinaryOp::And, address, widths.within());
        let zero = x.func.i64(0);
        let back = x.bin(BinaryOp::ISub, zero, within);
        let ty = x.ty(ptr);
        let base = x.value(
            InstKind::PtrAdd {
                base: ptr,
                offset: back,
            },
            ty,
        );
        let shift = x.bin_const(BinaryOp::IMul, within, 8);
        let shift = x.convert(ConvertOp::Trunc, shift, widths.element);
        let ones = x.splat(widths.element, widths.ones());
        let own = x.bin(BinaryOp::Shl, ones, shift);
        let all = u64::MAX >> (64 - widths.element.scalar.bits());
        let other = x.bin_const(BinaryOp::Xor, own, all);
        Self {
            widths,
            base,
            shift,
            other,
        }
    }

    /// The part of an element.
    fn cut(&self, x: &mut Expander<'_>, element: Value) -> Value {
        let low = x.bin(BinaryOp::LShr, element, self.shift);
        x.convert(ConvertOp::Trunc, low, self.widths.part)
    }

    /// A part at its place, zeros beside it.
    fn placed(&self, x: &mut Expander<'_>, word: Value) -> Value {
        let wide = x.convert(ConvertOp::ZExt, word, self.widths.element);
        x.bin(BinaryOp::Shl, wide, self.shift)
    }

    /// The element with another part.
    fn pasted(&self, x: &mut Expander<'_>, element: Value, word: Value) -> Value {
        let kept = x.bin(BinaryOp::And, element, self.other);
        let placed = self.placed(x, word);
        x.bin(BinaryOp::Or, kept, placed)
    }

    /// Exchanges the part for what `new` makes of it, unless that is `None` at run time: then
    /// `new`'s condition is false. Gives the old part.
    fn exchange(
        &self,
        x: &mut Expander<'_>,
        [success, failure]: [MemoryOrder; 2],
        scope: Scope,
        expected: Option<Value>,
        new: impl FnOnce(&mut Expander<'_>, Value) -> Value,
    ) -> Value {
        let order = match (success, failure) {
            (_, MemoryOrder::SeqCst) => MemoryOrder::SeqCst,
            (MemoryOrder::Relaxed, MemoryOrder::Acquire) => MemoryOrder::Acquire,
            (MemoryOrder::Release, MemoryOrder::Acquire) => MemoryOrder::AcqRel,
            (success, _) => success,
        };
        fence(x, order, MemoryOrder::Release, scope);
        let first = x.value(
            InstKind::AtomicLoad {
                ptr: self.base,
                order: MemoryOrder::Relaxed,
                scope,
            },
            self.widths.element,
        );
        let (head, done) = (x.new_block(), x.new_block());
        let element = x.func.append_param(head, self.widths.element);
        let old = x.func.append_param(done, self.widths.part);
        x.jump(head, &[first], head);
        let word = self.cut(x, element);
        if let Some(expected) = expected {
            let body = x.new_block();
            let same = x.icmp(IntCond::Eq, word, expected);
            x.branch(
                same,
                BlockCall::new(body, &[]),
                BlockCall::new(done, &[word]),
                body,
            );
        }
        let new = new(x, word);
        let desired = self.pasted(x, element, new);
        let found = x.value(
            InstKind::AtomicCmpXchg {
                ptr: self.base,
                expected: element,
                desired,
                success: MemoryOrder::Relaxed,
                failure: MemoryOrder::Relaxed,
                scope,
            },
            self.widths.element,
        );
        let exchanged = x.icmp(IntCond::Eq, found, element);
        x.branch(
            exchanged,
            BlockCall::new(done, &[word]),
            BlockCall::new(head, &[found]),
            done,
        );
        fence(x, order, MemoryOrder::Acquire, scope);
        old
    }
}

/// Does an atomic on the part by one on the element; `None` where the instruction is no atomic.
pub(super) fn lower(x: &mut Expander<'_>, kind: &InstKind, widths: Widths) -> Option<Replacement> {
    let value = match *kind {
        InstKind::AtomicLoad { ptr, order, scope } => {
            let place = WordPart::of(x, ptr, widths);
            let ptr = place.base;
            let element = x.value(InstKind::AtomicLoad { ptr, order, scope }, widths.element);
            place.cut(x, element)
        }
        InstKind::AtomicStore {
            ptr,
            value,
            order,
            scope,
        } => {
            let place = WordPart::of(x, ptr, widths);
            let orders = [order, MemoryOrder::Relaxed];
            place.exchange(x, orders, scope, None, |_, _| value);
            return Some(Replacement::new());
        }
        InstKind::AtomicRmw {
            op: op @ (AtomicOp::And | AtomicOp::Or | AtomicOp::Xor),
            ptr,
            value,
            order,
            scope,
        } => {
            let place = WordPart::of(x, ptr, widths);
            let mut operand = place.placed(x, value);
            if op == AtomicOp::And {
                operand = x.bin(BinaryOp::Or, operand, place.other);
            }
            let kind = InstKind::AtomicRmw {
                op,
                ptr: place.base,
                value: operand,
                order,
                scope,
            };
            let element = x.value(kind, widths.element);
            place.cut(x, element)
        }
        InstKind::AtomicRmw {
            op,
            ptr,
            value,
            order,
            scope,
        } => {
            let place = WordPart::of(x, ptr, widths);
            let orders = [order, MemoryOrder::Relaxed];
            place.exchange(x, orders, scope, None, |x, old| combine(x, op, old, value))
        }
        InstKind::AtomicCmpXchg {
            ptr,
            expected,
            desired,
            success,
            failure,
            scope,
        } => {
            let place = WordPart::of(x, ptr, widths);
            place.exchange(x, [success, failure], scope, Some(expected), |_, _| desired)
        }
        _ => return None,
    };
    Some(Replacement::from_slice(&[value]))
}
