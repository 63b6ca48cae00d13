//! Half floats on devices without them: a half is the I16 of its bits, and [arithmetic](Singles) is done in floats.
//!
//! A value keeps its number and becomes an I16. Sub-groups compute with floats and round the result. Never: atomic
//! operations on halves, which are an error.

use crate::expand::{Expander, Replacement, expand};
use crate::pass::{Changed, Ctx};
use crate::passes::legalize::retype::retype;
use crate::passes::legalize::singles::{Form, Singles, is_half};
use cranelift_entity::SecondaryMap;
use pumice_ir::LowerError;
use pumice_ir::{ConvertOp, Function, GroupOp, Inst, InstKind, Module, Scalar, Type, Value};

/// Runs the pass.
///
/// # Errors
/// An atomic operation on halves.
pub fn run(module: &mut Module, ctx: &Ctx<'_>) -> Result<Changed, LowerError> {
    if ctx.target.has_halves() {
        return Ok(Changed::No);
    }
    let mut changed = Changed::No;
    for f in module.functions.values_mut() {
        changed |= legalize(f)?;
    }
    Ok(changed)
}

/// True for an instruction's first operand and for its result if they were halves.
#[derive(Clone, Copy, Debug, Default)]
struct Halves {
    operand: bool,
    result: bool,
}

fn legalize(f: &mut Function) -> Result<Changed, LowerError> {
    let mut changed = false;
    for ty in f.params.iter_mut().chain(&mut f.results) {
        if is_half(*ty) {
            ty.scalar = Scalar::I16;
            changed = true;
        }
    }
    if f.entry().is_none() {
        return Ok(Changed::from_bool(changed));
    }
    let mut halves: SecondaryMap<Inst, Halves> = SecondaryMap::new();
    for &block in &f.layout.blocks {
        for &inst in &f.layout.insts[block] {
            let data = &f.insts[inst];
            let mut operand = None;
            data.kind.for_each_value(|value| {
                operand.get_or_insert(value);
            });
            if let InstKind::AtomicStore { value, .. } = data.kind {
                operand = Some(value);
            }
            halves[inst] = Halves {
                operand: operand.is_some_and(|value| is_half(f.ty(value))),
                result: data.results.first().is_some_and(|&v| is_half(f.ty(v))),
            };
        }
    }
    changed |= retype(f, is_half, Scalar::I16, Function::undef);
    let mut singles = Singles::new(Form::Bits);
    let expanded = expand(f, |x, inst| {
        let kind = x.func.insts[inst].kind.clone();
        let value = rule(x, &mut singles, kind, halves[inst], inst)?;
        Ok(value.map(|value| Replacement::from_slice(&[value])))
    })?;
    Ok(Changed::from_bool(changed || expanded.is_yes()))
}

fn rule(
    x: &mut Expander<'_>,
    singles: &mut Singles,
    kind: InstKind,
    halves: Halves,
    inst: Inst,
) -> Result<Option<Value>, LowerError> {
    if !halves.operand && !halves.result {
        return Ok(None);
    }
    let result = x.func.insts[inst].results.first().map(|&value| x.ty(value));
    Ok(Some(match kind {
        InstKind::Convert {
            op: op @ (ConvertOp::FToF | ConvertOp::FToS | ConvertOp::FToU),
            arg,
            ..
        } if halves.operand => {
            let single = singles.widened(x, arg);
            match result {
                Some(ty) if ty.scalar != Scalar::F32 => x.convert(op, single, ty),
                _ => single,
            }
        }
        InstKind::Convert { op, arg, .. } => match (op, result) {
            (ConvertOp::Bitcast, Some(ty)) => x.convert(op, arg, ty),
            (ConvertOp::FToF, _) if x.ty(arg).scalar == Scalar::F32 => singles.rounded(x, arg),
            // Numbers of other types that are made halves are made of bits before.
            _ => return Err(LowerError::new("internal: a conversion to 'half' is left")),
        },
        InstKind::Group {
            op: op @ GroupOp::AllEqual,
            scope,
            mut args,
        } => {
            args[0] = singles.widened(x, args[0]);
            x.value(InstKind::Group { op, scope, args }, Type::BOOL)
        }
        // Rounded once at the end, where the device would round every step.
        InstKind::Group {
            op:
                op @ (GroupOp::Arithmetic(..)
                | GroupOp::AmdArithmetic(..)
                | GroupOp::FMul(_)
                | GroupOp::FAddRelaxed(_)),
            scope,
            mut args,
        } => {
            args[0] = singles.widened(x, args[0]);
            let ty = x.ty(args[0]);
            let value = x.value(InstKind::Group { op, scope, args }, ty);
            singles.rounded(x, value)
        }
        InstKind::AtomicLoad { .. }
        | InstKind::AtomicStore { .. }
        | InstKind::AtomicRmw { .. }
        | InstKind::AtomicCmpXchg { .. } => {
            return Err(LowerError::new("this device has no atomics on 'half'"));
        }
        kind => return Ok(singles.computed(x, kind, inst)),
    }))
}
