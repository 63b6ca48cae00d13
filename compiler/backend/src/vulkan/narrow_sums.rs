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
            || !summands(func, value, DEPTH).is_some_and(Summands::are_mistaken)
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

/// The values in a sum that are no constants.
#[derive(Clone, Copy, Default)]
struct Summands {
    signed: usize,
    unsigned: usize,
}

impl Summands {
    /// Returns whether a driver takes the sum for a narrow integer. Sums of unsigned ones it compares right.
    fn are_mistaken(self) -> bool {
        self.signed > 0 && self.signed + self.unsigned > 1
    }
}

/// The values in a sum of narrow integers; `None` if others are in it.
fn summands(func: &Function, value: Value, depth: u32) -> Option<Summands> {
    let signed = Summands {
        signed: 1,
        unsigned: 0,
    };
    let unsigned = Summands {
        signed: 0,
        unsigned: 1,
    };
    let is_narrow = |lanes: &[u64]| {
        lanes
            .iter()
            .all(|&n| (n as u32 as i32).unsigned_abs() < 1 << NARROW)
    };
    if let Some(lanes) = func.const_lanes(value) {
        return is_narrow(lanes).then(Summands::default);
    }
    let inst = func.def_inst(value)?;
    let bits_of = |value: Value| u64::from(func.ty(value).scalar.bits());
    let all = |value: Value, holds: &dyn Fn(u64) -> bool| {
        func.const_lanes(value)
            .is_some_and(|lanes| lanes.iter().all(|&n| holds(n)))
    };
    let is_cut = |count: Value| all(count, &|count| (32 - NARROW..32).contains(&count));
    match func.insts[inst].kind {
        InstKind::Convert { op, arg, .. } if bits_of(arg) <= NARROW => match op {
            ConvertOp::SExt => Some(signed),
            ConvertOp::ZExt => Some(unsigned),
            _ => None,
        },
        InstKind::Load { flags, .. } => flags.part_bytes().map(|_| unsigned),
        InstKind::Binary {
            op, args: [a, b], ..
        } => match op {
            BinaryOp::IAdd if depth > 0 => {
                let [a, b] = [a, b].map(|value| summands(func, value, depth - 1));
                let (a, b) = (a?, b?);
                Some(Summands {
                    signed: a.signed + b.signed,
                    unsigned: a.unsigned + b.unsigned,
                })
            }
            BinaryOp::And => all(b, &|mask| mask < 1 << NARROW).then_some(unsigned),
            BinaryOp::AShr => is_cut(b).then_some(signed),
            BinaryOp::LShr => is_cut(b).then_some(unsigned),
            _ => None,
        },
        _ => None,
    }
}
