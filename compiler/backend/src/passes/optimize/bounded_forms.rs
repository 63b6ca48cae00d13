//! Simpler forms of integer operations whose operands are bounded.
//!
//! - Signed comparisons, shifts, divisions and remainders of numbers that are never negative become unsigned ones.
//!   Drivers bound unsigned numbers (a local id is below the work-group's size) and unroll the loops whose
//!   rounds such bounds limit; of signed ones they know nothing. A shift with a mask behind it is one
//!   instruction of many devices if it is unsigned.
//! - Comparisons, minima, maxima, masks, divisions and remainders by constants are decided where the bound decides
//!   them: bytes that are computed with as int are no more than 255.
//! - 64-bit numbers that are below 2^32 are divided as words.

use super::bounds::{Bounds, greatest, greatest_signed};
use crate::pass::{Changed, FunctionCtx};
use crate::rewrite::Replacements;
use pumice_ir::analysis::eval;
use pumice_ir::{
    BinaryOp, Block, Cfg, ConvertOp, DomTree, Function, Inst, InstKind, IntCond, Scalar, Type,
    Value,
};

/// A form that stands for an operation.
enum Form {
    /// This value.
    Value(Value),
    /// This number in each lane.
    Number(u64),
    /// This operation.
    Kind(InstKind),
    /// The same operation of words.
    Words,
}

/// An operation takes at most so many forms one after the other: signed, unsigned, of words.
const MAX_STEPS: usize = 4;

/// Runs the pass.
pub fn run(func: &mut Function, _ctx: &FunctionCtx<'_>) -> Changed {
    let candidates: Vec<(Block, Inst)> = (func.layout.blocks.iter())
        .flat_map(|&block| {
            let insts = func.layout.insts[block].iter();
            insts.map(move |&inst| (block, inst))
        })
        .filter(|&(_, inst)| may_have_form(func, inst))
        .collect();
    if candidates.is_empty() {
        return Changed::No;
    }
    let cfg = Cfg::new(func);
    let dom = DomTree::new(&cfg);
    let mut changed = false;
    let mut replacements = Replacements::default();
    for (block, inst) in candidates {
        for _ in 0..MAX_STEPS {
            let result = func.result(inst);
            let Some(form) = form(func, &mut Bounds::new(func, &cfg, &dom), inst) else {
                break;
            };
            changed = true;
            match form {
                Form::Kind(kind) => func.insts[inst].kind = kind,
                Form::Words => in_words(func, block, inst),
                Form::Number(bits) => {
                    let number = func.splat_constant(func.ty(result), bits);
                    replacements.replace(result, number);
                    break;
                }
                Form::Value(value) => {
                    replacements.replace(result, value);
                    break;
                }
            }
        }
    }
    replacements.apply(func);
    Changed::from_bool(changed)
}

fn may_have_form(func: &Function, inst: Inst) -> bool {
    match func.insts[inst].kind {
        InstKind::ICmp { cond, args } => {
            func.ty(args[0]).scalar.is_int() && (is_signed(cond) || splat(func, args[1]).is_some())
        }
        InstKind::Binary { op, args, .. } if func.ty(args[0]).scalar.is_int() => match op {
            BinaryOp::AShr | BinaryOp::SDiv | BinaryOp::SRem | BinaryOp::UDiv | BinaryOp::URem => {
                true
            }
            BinaryOp::And | BinaryOp::UMin | BinaryOp::SMin | BinaryOp::SMax => {
                splat(func, args[1]).is_some()
            }
            _ => false,
        },
        _ => false,
    }
}

/// The number that each lane of a constant is.
fn splat(func: &Function, value: Value) -> Option<u64> {
    let lanes = func.const_lanes(value)?;
    let &first = lanes.first()?;
    let same = lanes.iter().all(|&lane| lane == first);
    same.then(|| eval::mask(func.ty(value).scalar, first))
}

fn is_signed(cond: IntCond) -> bool {
    unsigned(cond) != cond
}

/// The comparison of the same numbers as unsigned ones.
fn unsigned(cond: IntCond) -> IntCond {
    match cond {
        IntCond::Slt => IntCond::Ult,
        IntCond::Sle => IntCond::Ule,
        IntCond::Sgt => IntCond::Ugt,
        IntCond::Sge => IntCond::Uge,
        other => other,
    }
}

fn form(func: &Function, bounds: &mut Bounds<'_>, inst: Inst) -> Option<Form> {
    match func.insts[inst].kind {
        InstKind::ICmp { cond, args } => comparison(func, bounds, cond, args),
        InstKind::Binary { op, args, flags } => {
            let [a, b] = args;
            let kind = |op| Form::Kind(InstKind::Binary { op, args, flags });
            let both =
                |bounds: &mut Bounds<'_>| bounds.never_negative(b) && bounds.never_negative(a);
            match op {
                BinaryOp::AShr => bounds.never_negative(a).then(|| kind(BinaryOp::LShr)),
                BinaryOp::SDiv => both(bounds).then(|| kind(BinaryOp::UDiv)),
                BinaryOp::SRem => both(bounds).then(|| kind(BinaryOp::URem)),
                BinaryOp::UDiv | BinaryOp::URem => quotient(func, bounds, op, args),
                _ => chosen(func, bounds, op, a, splat(func, b)?),
            }
        }
        _ => None,
    }
}

fn comparison(
    func: &Function,
    bounds: &mut Bounds<'_>,
    cond: IntCond,
    args: [Value; 2],
) -> Option<Form> {
    let [a, b] = args;
    let scalar = func.ty(a).scalar;
    if is_signed(cond) {
        if let Some(limit) = splat(func, b).filter(|&limit| limit > greatest_signed(scalar)) {
            // Any number that is not negative is above this one.
            let above = matches!(cond, IntCond::Sgt | IntCond::Sge);
            debug_assert!(limit <= greatest(scalar));
            return (bounds.never_negative(a)).then_some(Form::Number(u64::from(above)));
        }
        let cond = unsigned(cond);
        let both = bounds.never_negative(b) && bounds.never_negative(a);
        return both.then_some(Form::Kind(InstKind::ICmp { cond, args }));
    }
    let limit = splat(func, b)?;
    let below = |bounds: &mut Bounds<'_>| {
        let largest = limit.checked_sub(1);
        largest.is_some_and(|largest| bounds.at_most(a, largest))
    };
    let (known, answer) = match cond {
        IntCond::Ult | IntCond::Uge if limit == 0 => (true, cond == IntCond::Uge),
        IntCond::Ult | IntCond::Ne => (below(bounds), true),
        IntCond::Uge | IntCond::Eq => (below(bounds), false),
        IntCond::Ule => (bounds.at_most(a, limit), true),
        _ => (bounds.at_most(a, limit), false),
    };
    known.then_some(Form::Number(u64::from(answer)))
}

/// A quotient or remainder of unsigned numbers.
fn quotient(
    func: &Function,
    bounds: &mut Bounds<'_>,
    op: BinaryOp,
    [a, b]: [Value; 2],
) -> Option<Form> {
    let by = splat(func, b);
    if by.is_some_and(|by| by > 0 && bounds.at_most(a, by - 1)) {
        return Some(match op {
            BinaryOp::UDiv => Form::Number(0),
            _ => Form::Value(a),
        });
    }
    // Shifts and masks take the place of these.
    if func.ty(a).scalar != Scalar::I64 || by.is_some_and(u64::is_power_of_two) {
        return None;
    }
    let words = greatest(Scalar::I32);
    (bounds.at_most(b, words) && bounds.at_most(a, words)).then_some(Form::Words)
}

/// A mask, minimum or maximum of a number and a constant.
fn chosen(
    func: &Function,
    bounds: &mut Bounds<'_>,
    op: BinaryOp,
    a: Value,
    limit: u64,
) -> Option<Form> {
    let most = greatest_signed(func.ty(a).scalar);
    let same = match op {
        // A mask of the low bits.
        BinaryOp::And => limit & limit.wrapping_add(1) == 0 && bounds.at_most(a, limit),
        BinaryOp::UMin => bounds.at_most(a, limit),
        BinaryOp::SMin => limit <= most && bounds.at_most(a, limit),
        // The constant is zero or negative.
        BinaryOp::SMax => (limit == 0 || limit > most) && bounds.never_negative(a),
        _ => false,
    };
    same.then_some(Form::Value(a))
}

/// Divides words, and extends what comes out.
fn in_words(func: &mut Function, block: Block, inst: Inst) {
    let InstKind::Binary { op, args, flags } = func.insts[inst].kind else {
        return;
    };
    let Some(place) = (func.layout.insts[block].iter()).position(|&other| other == inst) else {
        return;
    };
    let (loc, ty) = (
        func.insts[inst].loc,
        func.ty(args[0]).with_scalar(Scalar::I32),
    );
    let words = args.map(|arg| word(func, arg, ty));
    let mut place = place;
    let args = words.map(|word| match word {
        Word::Known(value) => value,
        Word::Low(arg) => {
            let kind = InstKind::Convert {
                op: ConvertOp::Trunc,
                arg,
                rounding: None,
            };
            place += 1;
            func.insert_value(block, place - 1, kind, ty, loc)
        }
    });
    let kind = InstKind::Binary { op, args, flags };
    let arg = func.insert_value(block, place, kind, ty, loc);
    func.insts[inst].kind = InstKind::Convert {
        op: ConvertOp::ZExt,
        arg,
        rounding: None,
    };
}

/// The low word of a number that is no more than that.
enum Word {
    /// There is a value for it.
    Known(Value),
    /// It is that of this number.
    Low(Value),
}

fn word(func: &mut Function, value: Value, ty: Type) -> Word {
    if let Some(bits) = splat(func, value) {
        return Word::Known(func.splat_constant(ty, bits));
    }
    if let Some(inst) = func.def_inst(value) {
        if let InstKind::Convert {
            op: ConvertOp::ZExt,
            arg,
            ..
        } = func.insts[inst].kind
        {
            if func.ty(arg) == ty {
                return Word::Known(arg);
            }
        }
    }
    Word::Low(value)
}
