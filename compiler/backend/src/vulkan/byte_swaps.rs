//! Swapped bytes that are stored as 16 bits, for drivers that make rubbish of them
//! ([`QuirkKind::NarrowIntegersByWords`]): in 32 bits they are right, so that such a store goes by its word.

use super::emitter::Emitter;
use pumice_ir::{BinaryOp, Function, InstKind, Value};
use pumice_target::QuirkKind;

/// Operations within operations that are followed.
const DEPTH: u32 = 4;

impl Emitter<'_> {
    /// Returns whether `bytes` bytes of a word may be stored by themselves, whatever is computed of them.
    pub(super) fn stores_alone(&self, value: Value, bytes: u32) -> bool {
        let func = &self.module.functions[self.cur];
        bytes != 2
            || !self.target.quirks.has(QuirkKind::NarrowIntegersByWords)
            || !has_swap(func, value, DEPTH)
    }
}

/// Returns whether bytes are joined that were shifted to each other's places.
fn has_swap(func: &Function, value: Value, depth: u32) -> bool {
    let Some(inst) = func.def_inst(value).filter(|_| depth > 0) else {
        return false;
    };
    match func.insts[inst].kind {
        InstKind::Binary { op, args, .. } => {
            let joins = matches!(op, BinaryOp::Or | BinaryOp::Xor | BinaryOp::IAdd);
            let by_a_byte =
                |shift: BinaryOp| args.iter().any(|&arg| shifts(func, arg, shift, depth));
            joins && by_a_byte(BinaryOp::Shl) && by_a_byte(BinaryOp::LShr)
                || args.iter().any(|&arg| has_swap(func, arg, depth - 1))
        }
        InstKind::Select { then, other, .. } => [then, other]
            .iter()
            .any(|&arg| has_swap(func, arg, depth - 1)),
        _ => false,
    }
}

/// Returns whether a value is shifted by a byte, before bits of it may be left out.
fn shifts(func: &Function, value: Value, shift: BinaryOp, depth: u32) -> bool {
    let Some(inst) = func.def_inst(value).filter(|_| depth > 0) else {
        return false;
    };
    match func.insts[inst].kind {
        InstKind::Binary {
            op,
            args: [arg, count],
            ..
        } if op == shift => {
            let lanes = func.const_lanes(count);
            lanes.is_some_and(|lanes| lanes.contains(&8)) || shifts(func, arg, shift, depth - 1)
        }
        InstKind::Binary {
            op: BinaryOp::And,
            args: [arg, _],
            ..
        } => shifts(func, arg, shift, depth - 1),
        _ => false,
    }
}
