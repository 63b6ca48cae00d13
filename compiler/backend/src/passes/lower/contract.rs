//! Contraction of products and sums that may be rounded once ([`FloatFlags::CONTRACT`]).
//!
//! On devices with an exact fma, a sum with a product that nothing else uses becomes an fma. On
//! others the two keep the flag: the driver may then make of them what the device has.
//! All other sums and products lose it, since drivers take the lack of NoContraction for more
//! freedoms than this one; those with [`FloatFlags::REASSOC`] have these anyway.
//!
//! Takes linear time. Leaves unused products behind.

use crate::expand::{Expander, expand};
use crate::pass::{Changed, FunctionCtx};
use cranelift_entity::{EntitySet, SecondaryMap};
use pumice_ir::{
    BinaryOp, FloatFlags, Function, Inst, InstKind, LowerError, MathOp, Scalar, UnaryOp, Value,
    ValueDef,
};
use pumice_target::Target;
use smallvec::{SmallVec, smallvec};

/// Returns whether contraction to an fma is exact on the device.
pub(crate) fn is_fused(target: &Target, scalar: Scalar) -> bool {
    match scalar {
        Scalar::F16 => target.arithmetic.exact_fma_f16,
        Scalar::F64 => target.arithmetic.exact_fma_f64,
        _ => target.arithmetic.exact_fma_f32,
    }
}

/// Contracts the sums of one function.
///
/// # Errors
/// None of its own.
pub fn run(func: &mut Function, ctx: &FunctionCtx<'_>) -> Result<Changed, LowerError> {
    let (sums, uses) = survey(func);
    if sums.is_empty() {
        return Ok(Changed::No);
    }
    // Sums and products for the driver to contract.
    let mut left: EntitySet<Inst> = EntitySet::new();
    let mut changed = expand(func, |x, inst| {
        let Some(sum) = contractible_sum(x.func, inst, &uses) else {
            return Ok(None);
        };
        if !is_fused(ctx.target, x.ty(sum.addend).scalar) {
            left.insert(inst);
            left.insert(sum.product);
            return Ok(None);
        }
        Ok(Some(smallvec![fuse(x, &sum)]))
    })?;
    for inst in sums {
        if let InstKind::Binary { flags, .. } = &mut func.insts[inst].kind {
            if !flags.contains(FloatFlags::REASSOC) && !left.contains(inst) {
                flags.remove(FloatFlags::CONTRACT);
                changed = Changed::Yes;
            }
        }
    }
    Ok(changed)
}

/// The sums and products that may be contracted, and how often each value is used.
fn survey(func: &Function) -> (Vec<Inst>, SecondaryMap<Value, u32>) {
    let mut sums = Vec::new();
    for &block in &func.layout.blocks {
        let insts = func.layout.insts[block].iter();
        sums.extend(
            insts
                .copied()
                .filter(|&inst| contracts(func, inst).is_some()),
        );
    }
    let uses = match sums.is_empty() {
        true => SecondaryMap::new(),
        false => func.use_counts(),
    };
    (sums, uses)
}

/// Operation and operands of a sum or product that may be contracted.
fn contracts(func: &Function, inst: Inst) -> Option<(BinaryOp, [Value; 2])> {
    match func.insts[inst].kind {
        InstKind::Binary {
            op: op @ (BinaryOp::FAdd | BinaryOp::FSub | BinaryOp::FMul),
            args,
            flags,
        } if flags.contains(FloatFlags::CONTRACT) => Some((op, args)),
        _ => None,
    }
}

/// A sum of a product and another value.
struct Sum {
    product: Inst,
    factors: [Value; 2],
    /// The product counts negative.
    minus_product: bool,
    addend: Value,
    /// The other value counts negative.
    minus_addend: bool,
    flags: FloatFlags,
}

fn contractible_sum(func: &Function, inst: Inst, uses: &SecondaryMap<Value, u32>) -> Option<Sum> {
    let (op, [lhs, rhs]) = contracts(func, inst)?;
    let minus = match op {
        BinaryOp::FAdd => false,
        BinaryOp::FSub => true,
        _ => return None,
    };
    let InstKind::Binary { flags, .. } = func.insts[inst].kind else {
        return None;
    };
    if let Some((product, factors, negated)) = only_product(func, lhs, uses) {
        return Some(Sum {
            product,
            factors,
            minus_product: negated,
            addend: rhs,
            minus_addend: minus,
            flags,
        });
    }
    let (product, factors, negated) = only_product(func, rhs, uses)?;
    Some(Sum {
        product,
        factors,
        minus_product: negated != minus,
        addend: lhs,
        minus_addend: false,
        flags,
    })
}

/// The product that a value is, perhaps negated, if it is used once: a second product would take
/// longer than the sum that is saved.
fn only_product(
    func: &Function,
    value: Value,
    uses: &SecondaryMap<Value, u32>,
) -> Option<(Inst, [Value; 2], bool)> {
    let only = |value| match *func.def(value) {
        ValueDef::Result(inst, _) if uses[value] == 1 => Some(inst),
        _ => None,
    };
    let mut inst = only(value)?;
    let mut negated = false;
    if let InstKind::Unary {
        op: UnaryOp::FNeg,
        arg,
    } = func.insts[inst].kind
    {
        inst = only(arg)?;
        negated = true;
    }
    match contracts(func, inst)? {
        (BinaryOp::FMul, factors) => Some((inst, factors, negated)),
        _ => None,
    }
}

fn fuse(x: &mut Expander<'_>, sum: &Sum) -> Value {
    let [mut a, b] = sum.factors;
    let mut c = sum.addend;
    if sum.minus_product {
        a = x.un(UnaryOp::FNeg, a);
    }
    if sum.minus_addend {
        c = x.un(UnaryOp::FNeg, c);
    }
    let ty = x.ty(c);
    let args: SmallVec<[Value; 3]> = smallvec![a, b, c];
    let fma = InstKind::Math {
        op: MathOp::Fma,
        args,
        flags: sum.flags - FloatFlags::CONTRACT,
    };
    x.value(fma, ty)
}
