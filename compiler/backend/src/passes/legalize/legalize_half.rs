//! Half floats on devices without them: a half is the I16 of its bits, and arithmetic is done in float.
//!
//! A value keeps its number and becomes an I16. Every operation widens its operands, which is exact,
//! and rounds its result to a half. Both the bits of a result and the float that it is are made, and operations take
//! the float of an operand that has one; nothing uses the other form where all users take one. A float has more than twice a half's bits
//! and two more, so that rounding a sum, difference, product, quotient or root twice gives what
//! rounding it once does (Figueroa, 1995). That does not hold of fma: there the sum is rounded to odd
//! first.
//!
//! Sub-groups compute with floats and round the result. Never: atomic operations on halves, which are an
//! error.

use crate::expand::{Expander, Replacement, expand};
use crate::pass::{Changed, Ctx};
use crate::passes::legalize::retype::retype;
use crate::passes::legalize::round_half::HalfRounding;
use cranelift_entity::SecondaryMap;
use pumice_ir::LowerError;
use pumice_ir::{
    BinaryOp, ConvertOp, FloatFlags, Function, GroupOp, Inst, InstKind, IntCond, MathOp, Module,
    Scalar, Type, UnaryOp, Value,
};
use pumice_numerics::half_to_f32;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

const SIGN: u64 = 0x8000;
const MAGNITUDE: u64 = 0x7fff;
const SIGN_OF_SINGLE: u64 = 0x8000_0000;
const MAGNITUDE_OF_SINGLE: u64 = 0x7fff_ffff;
const INFINITY: u64 = 0x7c00;

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

fn is_half(ty: Type) -> bool {
    ty.scalar == Scalar::F16
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
    let mut singles = Singles::default();
    let expanded = expand(f, |x, inst| {
        let kind = x.func.insts[inst].kind.clone();
        let value = rule(x, &mut singles, kind, halves[inst], inst)?;
        Ok(value.map(|value| Replacement::from_slice(&[value])))
    })?;
    Ok(Changed::from_bool(changed || expanded.is_yes()))
}

/// The floats of halves: bits to numbers.
type Singles = FxHashMap<Value, Value>;

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
        InstKind::Unary {
            op: UnaryOp::FNeg,
            arg,
        } => {
            let signs = (SIGN, SIGN_OF_SINGLE);
            bitwise(x, singles, BinaryOp::Xor, arg, signs)
        }
        InstKind::Binary { op, args, flags } => {
            let [a, b] = args.map(|arg| widened(x, singles, arg));
            let value = x.fbin(op, a, b, flags - FloatFlags::CONTRACT);
            narrowed(x, singles, value)
        }
        InstKind::FCmp { cond, args, .. } => {
            let [a, b] = args.map(|arg| widened(x, singles, arg));
            x.fcmp(cond, a, b)
        }
        InstKind::Math { op, args, .. } => math(x, singles, op, &args),
        InstKind::Select { .. }
        | InstKind::Build { .. }
        | InstKind::Extract { .. }
        | InstKind::Insert { .. }
        | InstKind::Shuffle { .. } => return Ok(moved(x, singles, kind, inst)),
        InstKind::Convert {
            op: op @ (ConvertOp::FToF | ConvertOp::FToS | ConvertOp::FToU),
            arg,
            ..
        } if halves.operand => {
            let single = widened(x, singles, arg);
            match result {
                Some(ty) if ty.scalar != Scalar::F32 => x.convert(op, single, ty),
                _ => single,
            }
        }
        InstKind::Convert { op, arg, .. } => match (op, result) {
            (ConvertOp::Bitcast, Some(ty)) => x.convert(op, arg, ty),
            (ConvertOp::FToF, _) if x.ty(arg).scalar == Scalar::F32 => narrowed(x, singles, arg),
            // Numbers of other types that are made halves are made of bits before.
            _ => return Err(LowerError::new("internal: a conversion to 'half' is left")),
        },
        InstKind::Group {
            op: op @ GroupOp::AllEqual,
            scope,
            mut args,
        } => {
            args[0] = widened(x, singles, args[0]);
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
            args[0] = widened(x, singles, args[0]);
            let ty = x.ty(args[0]);
            let value = x.value(InstKind::Group { op, scope, args }, ty);
            narrowed(x, singles, value)
        }
        InstKind::AtomicLoad { .. }
        | InstKind::AtomicStore { .. }
        | InstKind::AtomicRmw { .. }
        | InstKind::AtomicCmpXchg { .. } => {
            return Err(LowerError::new("this device has no atomics on 'half'"));
        }
        _ => return Ok(None),
    }))
}

fn math(x: &mut Expander<'_>, singles: &mut Singles, op: MathOp, args: &[Value]) -> Value {
    match op {
        MathOp::FAbs => {
            let magnitudes = (MAGNITUDE, MAGNITUDE_OF_SINGLE);
            bitwise(x, singles, BinaryOp::And, args[0], magnitudes)
        }
        MathOp::IsNan | MathOp::IsInf => {
            let magnitude = x.bin_const(BinaryOp::And, args[0], MAGNITUDE);
            let cond = match op {
                MathOp::IsNan => IntCond::Ugt,
                _ => IntCond::Eq,
            };
            x.icmp_const(cond, magnitude, INFINITY)
        }
        MathOp::Fma => {
            let [a, b, c] = [args[0], args[1], args[2]].map(|arg| widened(x, singles, arg));
            let sum = x.fma_to_odd(a, b, c);
            narrowed(x, singles, sum)
        }
        _ => {
            let wide: SmallVec<[Value; 3]> =
                (args.iter()).map(|&arg| widened(x, singles, arg)).collect();
            let value = x.math(op, &wide);
            narrowed(x, singles, value)
        }
    }
}

/// Applies an operation to a half's bits, and to those of its float if it has one; the constants are for these two.
fn bitwise(
    x: &mut Expander<'_>,
    singles: &mut Singles,
    op: BinaryOp,
    half: Value,
    constants: (u64, u64),
) -> Value {
    let result = x.bin_const(op, half, constants.0);
    if let Some(&single) = singles.get(&half) {
        let bits = x.bits_of(single);
        let bits = x.bin_const(op, bits, constants.1);
        let ty = x.ty(single);
        let single = x.convert(ConvertOp::Bitcast, bits, ty);
        singles.insert(result, single);
    }
    result
}

/// Moves the floats of halves as an instruction moves the halves, if each of them has one.
fn moved(x: &mut Expander<'_>, singles: &mut Singles, kind: InstKind, inst: Inst) -> Option<Value> {
    let result = *x.func.insts[inst].results.first()?;
    let ty = x.ty(result).with_scalar(Scalar::F32);
    let mut of_singles = kind.clone();
    let mut complete = true;
    of_singles.for_each_value_mut(|value| {
        if x.func.ty(*value).scalar == Scalar::I16 {
            match known_single(x, singles, *value) {
                Some(single) => *value = single,
                None => complete = false,
            }
        }
    });
    if !complete {
        return None;
    }
    let half = x.value(kind, x.ty(result));
    let single = x.value(of_singles, ty);
    singles.insert(half, single);
    Some(half)
}

/// The float of a half that has been made before, or of a constant.
fn known_single(x: &mut Expander<'_>, singles: &Singles, half: Value) -> Option<Value> {
    if let Some(&single) = singles.get(&half) {
        return Some(single);
    }
    let lanes = x.func.const_lanes(half)?;
    let numbers: SmallVec<[u64; 4]> = (lanes.iter())
        .map(|&bits| u64::from(half_to_f32(bits as u16).to_bits()))
        .collect();
    let ty = x.ty(half).with_scalar(Scalar::F32);
    Some(x.func.constant(ty, &numbers))
}

/// Converts a half's bits to a float, exactly. A denormal half is a normal float, which is made from the
/// significand as an integer: so it does not matter how the device treats denormals.
fn widened(x: &mut Expander<'_>, singles: &Singles, half: Value) -> Value {
    if let Some(single) = known_single(x, singles, half) {
        return single;
    }
    let words = x.ty(half).with_scalar(Scalar::I32);
    let single = words.with_scalar(Scalar::F32);
    let bits = x.convert(ConvertOp::ZExt, half, words);
    let sign = x.bin_const(BinaryOp::And, bits, SIGN);
    let sign = x.bin_const(BinaryOp::Shl, sign, 16);
    let magnitude = x.bin_const(BinaryOp::And, bits, MAGNITUDE);
    let moved = x.bin_const(BinaryOp::Shl, magnitude, 13);
    let normal = x.bin_const(BinaryOp::IAdd, moved, (127 - 15) << 23);
    // Infinity and NaN have the largest exponent in both.
    let special = x.bin_const(BinaryOp::IAdd, moved, (255 - 31) << 23);
    let is_special = x.icmp_const(IntCond::Uge, magnitude, INFINITY);
    let normal = x.select(is_special, special, normal);
    let small = x.convert(ConvertOp::SToF, magnitude, single);
    let unit = x.float(single, (-24f64).exp2());
    let small = x.bin(BinaryOp::FMul, small, unit);
    let small = x.bits_of(small);
    let is_small = x.icmp_const(IntCond::Ult, magnitude, 0x400);
    let magnitude = x.select(is_small, small, normal);
    let bits = x.bin(BinaryOp::Or, magnitude, sign);
    x.convert(ConvertOp::Bitcast, bits, single)
}

/// The bits of the half nearest to a float; their float is kept.
fn narrowed(x: &mut Expander<'_>, singles: &mut Singles, value: Value) -> Value {
    let rounding = HalfRounding::of(x, value);
    let bits = rounding.bits(x);
    let single = rounding.single(x);
    singles.insert(bits, single);
    bits
}
