//! Integer divisions and shifts test their second operand.
//!
//! The pass runs before anything is linked or inlined, so that the built-in library's own arithmetic is not tested. A
//! division by zero gives 0. A shift by too much does what OpenCL C says: the count is taken modulo the width (§6.3.j).

use super::code::{any_lane, has_places};
use super::report::{self, Sites, call_report};
use crate::expand::{Expander, Replacement, expand};
use crate::pass::{Changed, Ctx};
use pumice_check::layout::Code;
use pumice_ir::{
    BinaryOp, BuiltIn, CheckKind, CheckSite, CheckedObject, ConvertOp, FloatFlags, FuncId, Inst,
    InstKind, IntCond, LowerError, Module, Type, Value,
};
use pumice_target::{Check, Checks};

/// Runs the pass.
///
/// # Errors
/// Never.
pub fn run(module: &mut Module, ctx: &Ctx<'_>) -> Result<Changed, LowerError> {
    let checks = ctx.target.checks;
    if !checks.of_arithmetic() || !report::applies(module, ctx) {
        return Ok(Changed::No);
    }
    let located = module.functions.values().any(has_places);
    let function = report::report(module, ctx);
    let mut sites = Sites::new(&mut module.checks, None);
    let mut changed = Changed::No;
    for (id, func) in module.functions.iter_mut() {
        if id == function || func.entry().is_none() {
            continue;
        }
        changed |= expand(func, |x, inst| {
            // What the importer made of something else is not the program's.
            let foreign = located && x.loc.line == 0;
            Ok((!foreign)
                .then(|| rule(x, inst, checks, function, &mut sites))
                .flatten())
        })?;
    }
    Ok(changed)
}

fn rule(
    x: &mut Expander<'_>,
    inst: Inst,
    checks: Checks,
    function: FuncId,
    sites: &mut Sites<'_>,
) -> Option<Replacement> {
    let InstKind::Binary {
        op, args: [a, b], ..
    } = x.func.insts[inst].kind
    else {
        return None;
    };
    let kind = match op {
        BinaryOp::SDiv | BinaryOp::UDiv => CheckKind::Division,
        BinaryOp::SRem | BinaryOp::URem => CheckKind::Remainder,
        BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr => CheckKind::Shift,
        _ => return None,
    };
    let shifts = kind == CheckKind::Shift;
    if !checks.has(if shifts { Check::Shift } else { Check::Div }) {
        return None;
    }
    let ty = x.ty(b);
    let width = u64::from(ty.scalar.bits());
    let is_bad = |&bits: &u64| if shifts { bits >= width } else { bits == 0 };
    if x.func
        .const_lanes(b)
        .is_some_and(|lanes| !lanes.iter().any(is_bad))
    {
        return None;
    }
    let bad = match shifts {
        true => x.icmp_const(IntCond::Uge, b, width),
        false => x.icmp_const(IntCond::Eq, b, 0),
    };
    let site = sites.add(CheckSite {
        kernel: None,
        kind,
        size: width as u32,
        align: 1,
        object: CheckedObject::Unknown,
        loc: x.loc,
    });
    let any = any_lane(x, bad, ty);
    x.when(any, |x| {
        let which = BuiltIn::CheckMemory;
        let memory = x.value(InstKind::BuiltIn { which }, which.ty());
        let code = x.func.i32(Code::Operation as i32);
        let value = first_lane(x, bad, b);
        let size = x.func.i64(0);
        call_report(x, function, memory, (site, code), [value, size]);
    });
    if shifts {
        let again = x.bin(op, a, b);
        return Some(Replacement::from_slice(&[again]));
    }
    let (zero, one) = (x.splat(ty, 0), x.splat(ty, 1));
    let divisor = x.select(bad, one, b);
    let quotient = x.fbin(op, a, divisor, FloatFlags::empty());
    let result = x.select(bad, zero, quotient);
    Some(Replacement::from_slice(&[result]))
}

/// The first lane of `values` for which `bad` is true, sign-extended.
fn first_lane(x: &mut Expander<'_>, bad: Value, values: Value) -> Value {
    let ty = x.ty(values);
    let mut first = x.lane(values, ty.lanes - 1);
    for lane in (0..ty.lanes - 1).rev() {
        let (is_bad, value) = (x.lane(bad, lane), x.lane(values, lane));
        first = x.select(is_bad, value, first);
    }
    x.convert(ConvertOp::SExt, first, Type::I64)
}
