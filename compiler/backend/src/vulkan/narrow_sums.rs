//! Sums of narrow integers in comparisons, for drivers that take such a sum for a narrow integer itself and compare it as one
//! ([`QuirkKind::NarrowSumsCompared`]).
//!
//! The sum `x` is compared as `x | x * (x + 1) << 31`. The product is even, so that nothing changes, but whoever does not see
//! that takes the result for any number.

use super::builder::Id;
use super::emitter::Emitter;
use pumice_ir::{BinaryOp, ConvertOp, Function, InstKind, Scalar, Value};
use pumice_target::QuirkKind;
use rspirv::spirv::Op;

/// Sums within sums that are followed.
const DEPTH: u32 = 4;

/// Bits of a narrow integer at most.
const NARROW: u64 = 16;

impl Emitter<'_> {
    /// A value as it is compared.
    pub(super) fn compared(&mut self, value: Value) -> Id {
        let id = self.value(value);
        let func = &self.module.functions[self.cur];
        let ty = func.ty(value);
        if !self.target.quirks.has(QuirkKind::NarrowSumsCompared)
            || ty.scalar != Scalar::I32
            || summands(func, value, DEPTH).is_none_or(|count| count < 2)
        {
            return id;
        }
        let [one, top] = [1, 31].map(|number| {
            let number = self.b.const_u32(number);
            self.splat(ty, number)
        });
        let ty = self.ty(ty);
        let next = self.b.op(Op::IAdd, ty, &[id, one]);
        let even = self.b.op(Op::IMul, ty, &[id, next]);
        let zero = self.b.op(Op::ShiftLeftLogical, ty, &[even, top]);
        self.b.op(Op::BitwiseOr, ty, &[id, zero])
    }
}

/// The number of values in a sum of narrow integers that are no constants; `None` if others are in it.
fn summands(func: &Function, value: Value, depth: u32) -> Option<usize> {
    let is_narrow = |lanes: &[u64]| {
        lanes
            .iter()
            .all(|&n| (n as u32 as i32).unsigned_abs() < 1 << NARROW)
    };
    if let Some(lanes) = func.const_lanes(value) {
        return is_narrow(lanes).then_some(0);
    }
    let inst = func.def_inst(value)?;
    let bits_of = |value: Value| u64::from(func.ty(value).scalar.bits());
    let all = |value: Value, holds: &dyn Fn(u64) -> bool| {
        func.const_lanes(value)
            .is_some_and(|lanes| lanes.iter().all(|&n| holds(n)))
    };
    let narrow = match func.insts[inst].kind {
        InstKind::Convert {
            op: ConvertOp::SExt | ConvertOp::ZExt,
            arg,
            ..
        } => bits_of(arg) <= NARROW,
        InstKind::Load { flags, .. } => flags.part_bytes().is_some(),
        InstKind::Binary {
            op, args: [a, b], ..
        } => match op {
            BinaryOp::IAdd if depth > 0 => {
                let [a, b] = [a, b].map(|value| summands(func, value, depth - 1));
                return Some(a? + b?);
            }
            BinaryOp::And => all(b, &|mask| mask < 1 << NARROW),
            BinaryOp::AShr | BinaryOp::LShr => all(b, &|count| (32 - NARROW..32).contains(&count)),
            _ => false,
        },
        _ => false,
    };
    narrow.then_some(1)
}
