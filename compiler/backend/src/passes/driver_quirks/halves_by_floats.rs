//! For drivers that take long for halves ([`QuirkKind::HalvesByFloats`](pumice_target::QuirkKind)): [arithmetic](Singles) is
//! done in floats but for sums, differences, products and quotients. Memory keeps halves.

use crate::expand::{Expander, Replacement, expand};
use crate::pass::{Changed, FunctionCtx};
use crate::passes::legalize::singles::{Form, Singles, is_half};
use pumice_ir::LowerError;
use pumice_ir::{BinaryOp, ConvertOp, Function, InstKind, Scalar, Value};
use rustc_hash::FxHashSet;

/// Runs the pass.
///
/// # Errors
/// None.
pub fn run(func: &mut Function, _: &FunctionCtx<'_>) -> Result<Changed, LowerError> {
    let mut singles = Singles::new(Form::Half);
    let narrowed = operands_that_llvm_narrows(func);
    expand(func, |x, inst| {
        let kind = x.func.insts[inst].kind.clone();
        let mut operand = None;
        kind.for_each_value(|value| {
            operand.get_or_insert(value);
        });
        let result = x.func.insts[inst].results.first().copied();
        let is_narrowed = result.is_some_and(|result| narrowed.contains(&result));
        let [operand, result] = [operand, result].map(|value| value.map(|value| x.ty(value)));
        if ![operand, result].into_iter().flatten().any(is_half) {
            return Ok(None);
        }
        let value = match kind {
            InstKind::Convert {
                op: ConvertOp::FToF,
                arg,
                ..
            } if is_half(x.ty(arg)) && is_narrowed => Some(singles.widened(x, arg)),
            // LLVM computes these with eight lanes at once.
            InstKind::Binary {
                op: BinaryOp::FAdd | BinaryOp::FSub | BinaryOp::FMul | BinaryOp::FDiv,
                ..
            } => None,
            InstKind::Convert {
                op: op @ (ConvertOp::SToF | ConvertOp::UToF),
                arg,
                ..
            } if matches!(x.ty(arg).scalar, Scalar::I8 | Scalar::I16) => {
                let single = short_to_float(x, arg, op == ConvertOp::SToF);
                Some(singles.rounded(x, single))
            }
            kind => singles.computed(x, kind, inst),
        };
        Ok(value.map(|value| Replacement::from_slice(&[value])))
    })
}

/// Finds the floats that are compared, negated or rounded. LLVM does that with the half itself where it sees that a float was one.
fn operands_that_llvm_narrows(func: &Function) -> FxHashSet<Value> {
    let mut operands = FxHashSet::default();
    for &block in &func.layout.blocks {
        for &inst in &func.layout.insts[block] {
            let kind = &func.insts[inst].kind;
            if matches!(
                kind,
                InstKind::FCmp { .. } | InstKind::Unary { .. } | InstKind::Math { .. }
            ) {
                kind.for_each_value(|value| {
                    operands.extend((func.ty(value).scalar == Scalar::F32).then_some(value));
                });
            }
        }
    }
    operands
}

/// The float that an integer of 8 or 16 bits is: the sum with 1.5 * 2^23, whose last place is 1, without it. LLVM takes each
/// lane alone where it sees a conversion, even to a float that becomes a half.
fn short_to_float(x: &mut Expander<'_>, short: Value, signed: bool) -> Value {
    const LARGE: f32 = (3 << 22) as f32;
    let op = if signed {
        ConvertOp::SExt
    } else {
        ConvertOp::ZExt
    };
    let words = x.ty(short).with_scalar(Scalar::I32);
    let ty = words.with_scalar(Scalar::F32);
    let word = x.convert(op, short, words);
    let sum = x.bin_const(BinaryOp::IAdd, word, u64::from(LARGE.to_bits()));
    let sum = x.convert(ConvertOp::Bitcast, sum, ty);
    let large = x.float(ty, LARGE.into());
    x.bin(BinaryOp::FSub, sum, large)
}
