//! For drivers that get signed comparisons of widened integers wrong
//! ([`QuirkKind::GuardWidenedCompares`](pumice_target::QuirkKind::GuardWidenedCompares)).
//!
//! Mesa before its version 23 or 24 compares an i32 that was extended to i64 with a constant as
//! two i32, after asking whether the constant is in range. The lower end of that range is written
//! `-0x80000000` in C, which is positive: no number is below a constant of some two thousand
//! million or less, and every number is above it.
//!
//! Such comparisons of order are made of unsigned ones, with both operands' sign bits flipped,
//! which the driver does not look through. So are minima and maxima, which are comparisons below.
//! Values that the driver may find in memory count as extended or as constant too.

use crate::expand::{Expander, Replacement, expand};
use crate::pass::{Changed, FunctionCtx};
use pumice_ir::LowerError;
use pumice_ir::analysis::known_values::may_be_known;
use pumice_ir::analysis::{Incoming, incoming};
use pumice_ir::{AddressSpace, BinaryOp, ConvertOp, Function, InstKind, IntCond, Scalar, Value};

/// The number of operands that are followed into the depth.
const DEPTH: u32 = 6;

/// Runs the pass.
///
/// # Errors
/// A construct that the pass cannot lower.
pub fn run(func: &mut Function, _: &FunctionCtx<'_>) -> Result<Changed, LowerError> {
    let incoming = incoming(func);
    expand(func, |x, inst| {
        let value = match x.func.insts[inst].kind {
            InstKind::ICmp { cond, args } => {
                unsigned(cond).and_then(|cond| compare(x, cond, args, &incoming))
            }
            InstKind::Binary {
                op: op @ (BinaryOp::SMin | BinaryOp::SMax),
                args,
                ..
            } => {
                let cond = match op {
                    BinaryOp::SMin => IntCond::Ult,
                    _ => IntCond::Ugt,
                };
                compare(x, cond, args, &incoming).map(|first| x.select(first, args[0], args[1]))
            }
            _ => None,
        };
        Ok(value.map(|value| Replacement::from_slice(&[value])))
    })
}

/// The unsigned comparison of the same order; `None` if `cond` is no signed one.
fn unsigned(cond: IntCond) -> Option<IntCond> {
    match cond {
        IntCond::Slt => Some(IntCond::Ult),
        IntCond::Sle => Some(IntCond::Ule),
        IntCond::Sgt => Some(IntCond::Ugt),
        IntCond::Sge => Some(IntCond::Uge),
        _ => None,
    }
}

/// The comparison with flipped sign bits, where the driver may take one operand for an extended
/// i32 and the other for a constant.
fn compare(
    x: &mut Expander<'_>,
    cond: IntCond,
    [a, b]: [Value; 2],
    incoming: &Incoming,
) -> Option<Value> {
    let suspect = |widened, constant| {
        may_be_widened(x.func, widened, incoming, DEPTH) && may_be_known(x.func, constant, DEPTH)
    };
    if x.ty(a).scalar != Scalar::I64 || !(suspect(a, b) || suspect(b, a)) {
        return None;
    }
    let [a, b] = [a, b].map(|operand| flip_sign(x, operand));
    Some(x.icmp(cond, a, b))
}

fn flip_sign(x: &mut Expander<'_>, value: Value) -> Value {
    const SIGN: u64 = 1 << 63;
    if let Some(lanes) = x.func.const_lanes(value) {
        let lanes: Vec<u64> = lanes.iter().map(|bits| bits ^ SIGN).collect();
        let ty = x.ty(value);
        return x.func.constant(ty, &lanes);
    }
    x.bin_const(BinaryOp::Xor, value, SIGN)
}

/// Returns whether a driver may see an i32 with its sign extended in any lane: not in results of
/// arithmetic, nor in what lies in global memory.
fn may_be_widened(func: &Function, value: Value, incoming: &Incoming, depth: u32) -> bool {
    let Some(depth) = depth.checked_sub(1) else {
        return true;
    };
    let any = |values: &[Value]| {
        let mut values = values.iter();
        values.any(|&value| may_be_widened(func, value, incoming, depth))
    };
    let Some(inst) = func.def_inst(value) else {
        // Branches may be gone later, and what they pass on stay. A function's own arguments
        // are what its callers pass.
        let constant = func.const_lanes(value).is_some();
        return !constant && incoming.get(&value).is_none_or(|values| any(values));
    };
    match &func.insts[inst].kind {
        InstKind::Convert { op, arg, .. } => {
            *op == ConvertOp::SExt && func.ty(*arg).scalar == Scalar::I32
        }
        InstKind::Load { ptr, .. } => func.ty(*ptr).address_space() != Some(AddressSpace::Global),
        InstKind::Call { .. } => true,
        InstKind::Select { then, other, .. } => any(&[*then, *other]),
        InstKind::Build { lanes } => any(lanes),
        InstKind::Splat { arg } => any(&[*arg]),
        InstKind::Extract { vector, .. } | InstKind::ExtractDyn { vector, .. } => any(&[*vector]),
        InstKind::Insert { vector, scalar, .. } | InstKind::InsertDyn { vector, scalar, .. } => {
            any(&[*vector, *scalar])
        }
        InstKind::Shuffle { args, .. } => any(args),
        _ => false,
    }
}
