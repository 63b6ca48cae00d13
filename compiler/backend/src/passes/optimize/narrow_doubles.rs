//! Doubles whose digits beyond a float's are never asked for become floats.
//!
//! A literal without a suffix is a double, so programs that mean floats compute in doubles here and there: `x * 0.5`,
//! `1.0 - x`, `if (x > 0.1)`. GPUs take 2 to 64 times as long for doubles.
//!
//! A value is *single* if it surely has a float's value: a widened float, an integer of 16 bits, a constant that is a
//! float too, and what moves such values about. Comparisons and conversions of single values are those of the floats.
//!
//! A sum, product, quotient or root of single values that is rounded to float is what the same operation on floats
//! gives. A double has more than twice a float's digits and two, so that the first rounding never decides the second one
//! (Figueroa 1995, "When is double rounding innocuous?"). If the float is denormal, sums and products are exact in the
//! double, and a quotient is no nearer to the middle of two floats than the double's last digit.
//!
//! The sum of a single value and another one's product with a power of two is an fma. Signs, minima, maxima and choices
//! may stand before the rounding.
//!
//! An operation stays where something else asks for the double too. The pass takes linear time and leaves unused
//! instructions behind.

use crate::expand::{Expander, Replacement, expand};
use crate::pass::{Changed, FunctionCtx};
use cranelift_entity::SecondaryMap;
use pumice_ir::{
    BinaryOp, ConvertOp, FloatCond, FloatFlags, Function, Inst, InstKind, LowerError, MathOp,
    Rounding, Scalar, Type, UnaryOp, Value,
};
use rspirv::spirv::OpenclStd100Op as Ocl;
use smallvec::SmallVec;

/// So many operations are followed, one behind the other.
const DEPTH: u32 = 6;
/// The exponents of powers of two by which a single value keeps all its digits wherever a double rounds the sum.
const EXACT_POWERS: std::ops::RangeInclusive<i32> = -24..=127;

/// Runs the pass.
///
/// # Errors
/// None of its own.
pub fn run(func: &mut Function, ctx: &FunctionCtx<'_>) -> Result<Changed, LowerError> {
    let Some(roundings) = roundings(func) else {
        return Ok(Changed::No);
    };
    let narrower = Narrower {
        uses: func.use_counts(),
        roundings,
        fused: ctx.target.arithmetic.exact_fma_f32,
    };
    expand(func, |x, inst| {
        let narrowed = narrower.instruction(x, inst);
        Ok(narrowed.map(|value| Replacement::from_slice(&[value])))
    })
}

/// Counts the roundings of each double to float; `None` in functions without comparisons or conversions of doubles.
fn roundings(func: &Function) -> Option<SecondaryMap<Value, u32>> {
    let mut roundings = SecondaryMap::new();
    let mut found = false;
    for &block in &func.layout.blocks {
        for &inst in &func.layout.insts[block] {
            match func.insts[inst].kind {
                InstKind::Convert { arg, .. } if is_double(func, arg) => {
                    found = true;
                    if is_rounding(func, inst) {
                        roundings[arg] += 1;
                    }
                }
                InstKind::FCmp { args, .. } => found |= is_double(func, args[0]),
                _ => {}
            }
        }
    }
    found.then_some(roundings)
}

fn is_double(func: &Function, value: Value) -> bool {
    func.ty(value).scalar == Scalar::F64
}

/// Returns whether a conversion of a double gives the nearest float.
fn is_rounding(func: &Function, inst: Inst) -> bool {
    let to_nearest = matches!(
        func.insts[inst].kind,
        InstKind::Convert {
            op: ConvertOp::FToF,
            rounding: None | Some(Rounding::Rte),
            ..
        }
    );
    to_nearest && func.ty(func.result(inst)).scalar == Scalar::F32
}

struct Narrower {
    uses: SecondaryMap<Value, u32>,
    /// The uses that are roundings to float.
    roundings: SecondaryMap<Value, u32>,
    /// The device has an exact fma of floats.
    fused: bool,
}

impl Narrower {
    /// The result of a conversion or comparison, made of floats.
    fn instruction(&self, x: &mut Expander<'_>, inst: Inst) -> Option<Value> {
        let kind = x.func.insts[inst].kind.clone();
        match kind {
            InstKind::Convert { op, arg, rounding } if is_double(x.func, arg) => {
                let ty = x.ty(x.func.result(inst));
                if is_rounding(x.func, inst) {
                    let whole = self.uses[arg] == self.roundings[arg];
                    return self
                        .rounds(x.func, arg, whole, DEPTH)
                        .then(|| rounded(x, arg));
                }
                if op == ConvertOp::Bitcast || !is_single(x.func, arg, DEPTH) {
                    return None;
                }
                let arg = single(x, arg);
                // To float with a rounding that has nothing to do.
                if x.ty(arg) == ty {
                    return Some(arg);
                }
                Some(x.value(InstKind::Convert { op, arg, rounding }, ty))
            }
            InstKind::FCmp { cond, args, flags } if is_double(x.func, args[0]) => {
                let args = compared(x, cond, args)?;
                let flags = flags - FloatFlags::MAY_FLUSH;
                let ty = x.ty(args[0]).as_bool();
                Some(x.value(InstKind::FCmp { cond, args, flags }, ty))
            }
            _ => None,
        }
    }

    /// Returns whether [`rounded`] can round a value. `owned` tells that nothing but what is narrowed uses it.
    fn rounds(&self, func: &Function, value: Value, owned: bool, depth: u32) -> bool {
        if is_single(func, value, depth) {
            return true;
        }
        if let Some(lanes) = func.const_lanes(value) {
            return lanes
                .iter()
                .all(|&bits| (f64::from_bits(bits) as f32).is_normal());
        }
        let Some(kind) = defined(func, value).filter(|_| owned && depth > 0) else {
            return false;
        };
        let single = |value: Value| is_single(func, value, depth - 1);
        let fuses = |factors: Option<[Value; 2]>| {
            let scaled = factors.and_then(|factors| scaled(func, factors));
            self.fused && scaled.is_some_and(|[value, _]| single(value))
        };
        let rounds = |value: Value| self.rounds(func, value, self.uses[value] == 1, depth - 1);
        match *kind {
            InstKind::Binary { op, args, .. } => match op {
                BinaryOp::FAdd | BinaryOp::FSub => {
                    let [a, b] = args;
                    single(a) && single(b)
                        || single(a) && fuses(product(func, b))
                        || single(b) && fuses(product(func, a))
                }
                BinaryOp::FMul | BinaryOp::FDiv => args.into_iter().all(single),
                _ => false,
            },
            InstKind::Unary {
                op: UnaryOp::FNeg,
                arg,
            } => rounds(arg),
            InstKind::Select { then, other, .. } => rounds(then) && rounds(other),
            InstKind::Convert {
                op: ConvertOp::SToF | ConvertOp::UToF,
                arg,
                rounding: None,
            } => func.ty(arg).scalar.bits() <= 32,
            InstKind::Math { ref args, .. } if is_root(kind) => single(args[0]),
            InstKind::Math {
                op: MathOp::Ocl(Ocl::mad | Ocl::fma),
                ref args,
                ..
            } => single(args[2]) && fuses(Some([args[0], args[1]])),
            InstKind::Math {
                op: MathOp::Ocl(Ocl::fabs | Ocl::fmin | Ocl::fmax),
                ref args,
                ..
            } => args.iter().copied().all(rounds),
            _ => false,
        }
    }
}

fn defined(func: &Function, value: Value) -> Option<&InstKind> {
    let inst = func.def_inst(value)?;
    Some(&func.insts[inst].kind)
}

fn is_root(kind: &InstKind) -> bool {
    matches!(
        kind,
        InstKind::Math {
            op: MathOp::Sqrt | MathOp::Ocl(Ocl::sqrt),
            ..
        }
    )
}

/// Returns whether an operation on single values gives a single value.
fn moves(op: MathOp) -> bool {
    matches!(
        op,
        MathOp::Ocl(
            Ocl::fabs
                | Ocl::fmin
                | Ocl::fmax
                | Ocl::floor
                | Ocl::ceil
                | Ocl::trunc
                | Ocl::rint
                | Ocl::round
                | Ocl::copysign
        )
    )
}

/// Returns whether a double surely has a float's value.
fn is_single(func: &Function, value: Value, depth: u32) -> bool {
    if let Some(lanes) = func.const_lanes(value) {
        return lanes
            .iter()
            .all(|&bits| single_constant(f64::from_bits(bits)).is_some());
    }
    let Some(kind) = defined(func, value).filter(|_| depth > 0) else {
        return false;
    };
    let single = |value: Value| is_single(func, value, depth - 1);
    match kind {
        InstKind::Convert { op, arg, .. } => match op {
            // Widened: nothing else becomes a double.
            ConvertOp::FToF => true,
            ConvertOp::SToF | ConvertOp::UToF => significant_bits(func, *arg) <= 16,
            _ => false,
        },
        InstKind::Unary {
            op: UnaryOp::FNeg,
            arg,
        } => single(*arg),
        InstKind::Select { then, other, .. } => single(*then) && single(*other),
        InstKind::Splat { arg } | InstKind::Extract { vector: arg, .. } => single(*arg),
        InstKind::Math { op, args, .. } if moves(*op) => args.iter().copied().all(single),
        _ => false,
    }
}

/// The bits of an integer before it was extended.
fn significant_bits(func: &Function, value: Value) -> u32 {
    match defined(func, value) {
        Some(InstKind::Convert {
            op: ConvertOp::ZExt | ConvertOp::SExt,
            arg,
            ..
        }) => func.ty(*arg).scalar.bits(),
        _ => func.ty(value).scalar.bits(),
    }
}

/// The float that a number is; `None` for NaN and for denormal floats, which devices may take for zeros.
fn single_constant(number: f64) -> Option<f32> {
    let float = number as f32;
    (f64::from(float) == number && !float.is_subnormal()).then_some(float)
}

fn product(func: &Function, value: Value) -> Option<[Value; 2]> {
    match *defined(func, value)? {
        InstKind::Binary {
            op: BinaryOp::FMul,
            args,
            ..
        } => Some(args),
        _ => None,
    }
}

/// The factors of a product, behind the other one a power of two.
fn scaled(func: &Function, [a, b]: [Value; 2]) -> Option<[Value; 2]> {
    let is_power = |value: Value| {
        func.const_lanes(value).is_some_and(|lanes| {
            lanes.iter().all(|&bits| {
                let exponent = (bits >> 52 & 0x7ff) as i32 - 1023;
                bits << 12 == 0 && EXACT_POWERS.contains(&exponent)
            })
        })
    };
    match (is_power(a), is_power(b)) {
        (_, true) => Some([a, b]),
        (true, false) => Some([b, a]),
        (false, false) => None,
    }
}

fn float_type(x: &Expander<'_>, value: Value) -> Type {
    x.ty(value).with_scalar(Scalar::F32)
}

/// A constant of floats.
fn float_constant(x: &mut Expander<'_>, value: Value, lanes: &[f32]) -> Value {
    let ty = float_type(x, value);
    let lanes: SmallVec<[u64; 4]> = lanes.iter().map(|f| u64::from(f.to_bits())).collect();
    x.func.constant(ty, &lanes)
}

/// The floats of a single value, or the nearest ones of a constant.
fn single(x: &mut Expander<'_>, value: Value) -> Value {
    if let Some(lanes) = x.func.const_lanes(value) {
        let floats: SmallVec<[f32; 4]> = lanes.iter().map(|&b| f64::from_bits(b) as f32).collect();
        return float_constant(x, value, &floats);
    }
    let ty = float_type(x, value);
    let mut kind = defined(x.func, value).expect("what is single").clone();
    if let InstKind::Convert { op, arg, .. } = kind {
        return x.convert(op, arg, ty);
    }
    replace_doubles(x, &mut kind, single);
    x.value(kind, ty)
}

/// Puts floats in the place of the doubles that an instruction takes.
fn replace_doubles(
    x: &mut Expander<'_>,
    kind: &mut InstKind,
    float: impl Fn(&mut Expander<'_>, Value) -> Value,
) {
    kind.for_each_value_mut(|value| {
        if is_double(x.func, *value) {
            *value = float(x, *value);
        }
    });
}

/// A value rounded to float.
fn rounded(x: &mut Expander<'_>, value: Value) -> Value {
    if is_single(x.func, value, DEPTH) || x.func.const_lanes(value).is_some() {
        return single(x, value);
    }
    let ty = float_type(x, value);
    let mut kind = defined(x.func, value).expect("what rounds").clone();
    let is_root = is_root(&kind);
    match &mut kind {
        &mut InstKind::Binary {
            op: op @ (BinaryOp::FAdd | BinaryOp::FSub),
            args,
            flags,
        } => return sum(x, op, args, narrowed(flags)),
        &mut InstKind::Convert { op, arg, .. } => return x.convert(op, arg, ty),
        InstKind::Math {
            op: MathOp::Ocl(Ocl::mad | Ocl::fma),
            args,
            flags,
        } => {
            let factors = scaled(x.func, [args[0], args[1]]).expect("a power of two");
            return fused(x, factors, args[2], [false; 2], narrowed(*flags));
        }
        InstKind::Binary { op, flags, .. } => {
            *flags = match op {
                BinaryOp::FDiv => quotient(*flags),
                _ => narrowed(*flags),
            };
            replace_doubles(x, &mut kind, single);
        }
        InstKind::Math { op, flags, .. } if is_root => {
            (*op, *flags) = (MathOp::Sqrt, quotient(*flags));
            replace_doubles(x, &mut kind, single);
        }
        _ => replace_doubles(x, &mut kind, rounded),
    }
    x.value(kind, ty)
}

/// The flags of an operation on floats that gives what the one on doubles did.
fn narrowed(flags: FloatFlags) -> FloatFlags {
    flags - FloatFlags::MAY_FLUSH - FloatFlags::CONTRACT - FloatFlags::REASSOC
}

/// The same for quotients and roots, of which floats have others within more ULP.
fn quotient(flags: FloatFlags) -> FloatFlags {
    (narrowed(flags) - FloatFlags::ALLOW_RECIP) | FloatFlags::CORRECTLY_ROUNDED
}

/// A sum or difference of single values, one of them perhaps multiplied with a power of two.
fn sum(x: &mut Expander<'_>, op: BinaryOp, [a, b]: [Value; 2], flags: FloatFlags) -> Value {
    let is_single = |x: &Expander<'_>, value| is_single(x.func, value, DEPTH);
    if is_single(x, a) && is_single(x, b) {
        let (a, b) = (single(x, a), single(x, b));
        return x.fbin(op, a, b, flags);
    }
    let (product_value, other) = match is_single(x, a) {
        true => (b, a),
        false => (a, b),
    };
    let factors = product(x.func, product_value)
        .and_then(|factors| scaled(x.func, factors))
        .expect("a product with a power of two");
    let is_second = product_value == b;
    let negative = [is_second, !is_second].map(|second| second && op == BinaryOp::FSub);
    fused(x, factors, other, negative, flags)
}

/// A product and a sum of single values in one, with the sign of product and addend turned round where asked.
fn fused(
    x: &mut Expander<'_>,
    factors: [Value; 2],
    addend: Value,
    negative: [bool; 2],
    flags: FloatFlags,
) -> Value {
    let [mut factor, power] = factors.map(|value| single(x, value));
    let mut addend = single(x, addend);
    for (value, negative) in [&mut factor, &mut addend].into_iter().zip(negative) {
        if negative {
            *value = x.un(UnaryOp::FNeg, *value);
        }
    }
    let ty = x.ty(addend);
    let args = SmallVec::from_slice(&[factor, power, addend]);
    let op = MathOp::Fma;
    x.value(InstKind::Math { op, args, flags }, ty)
}

/// The floats to compare in the place of two doubles: a constant between two floats becomes the one above or below it.
fn compared(x: &mut Expander<'_>, cond: FloatCond, args: [Value; 2]) -> Option<[Value; 2]> {
    let are_single = args.map(|arg| is_single(x.func, arg, DEPTH));
    if are_single == [true; 2] {
        return Some(args.map(|arg| single(x, arg)));
    }
    let constant = usize::from(are_single[0]);
    if !are_single[1 - constant] {
        return None;
    }
    let lanes = x.func.const_lanes(args[constant])?;
    let (is_less, is_equal) = match cond {
        FloatCond::Olt | FloatCond::Ult => (true, false),
        FloatCond::Ole | FloatCond::Ule => (true, true),
        FloatCond::Ogt | FloatCond::Ugt => (false, false),
        FloatCond::Oge | FloatCond::Uge => (false, true),
        _ => return None,
    };
    // `v > c` and `v <= c` hold where they do for the float below c, `v < c` and `v >= c` for the one above. On the
    // left it is the other way round.
    let below = (is_less == is_equal) == (constant == 1);
    let lanes: Option<SmallVec<[f32; 4]>> = lanes
        .iter()
        .map(|&bits| neighbour(f64::from_bits(bits), below))
        .collect();
    let lanes = lanes?;
    let mut narrow = args;
    narrow[constant] = float_constant(x, args[constant], &lanes);
    narrow[1 - constant] = single(x, args[1 - constant]);
    Some(narrow)
}

/// A number as a float, or else the next float below or above it. `None` where that is denormal, infinite or no number.
fn neighbour(number: f64, below: bool) -> Option<f32> {
    if let Some(float) = single_constant(number) {
        return Some(float);
    }
    let nearest = number as f32;
    let inward = below == (number > 0.0);
    let is_beyond = f64::from(nearest).abs() > number.abs();
    let bits = match (inward, is_beyond) {
        (true, true) => nearest.to_bits() - 1,
        (false, false) => nearest.to_bits() + 1,
        _ => nearest.to_bits(),
    };
    let float = f32::from_bits(bits);
    (float.is_normal() && number.abs() >= f64::from(f32::MIN_POSITIVE)).then_some(float)
}
