//! Arithmetic on doubles for devices that take their denormals for zeros ([`Target::flushes_f64`]).
//!
//! The device's own arithmetic is right unless a denormal enters it or should leave it. So each run of
//! instructions of a block is computed by the device and watched: flags tell of operands that were denormals, and
//! of results that were too small ([`flags`]). If one is up, a branch leads to a second copy of the run, in which every
//! operation is made of scaled operands and integers ([`exact`]). Nearly no launch takes it.
//!
//! Arithmetic with [`FloatFlags::MAY_FLUSH`] is left to the device: most of the built-in library's, which sees to
//! denormals itself. So is all of a program with `-cl-denorms-are-zero`, which is for doubles too.
//!
//! A run holds the arithmetic on doubles and all that is computed of its results; other instructions stay in
//! between. It ends before an instruction that has effects and takes a result, and at the end of the block.
//!
//! A value that enters a run costs three instructions on integers. Most operations cost nothing then, others six to
//! twelve ([`plan`]). In the second copy an operation is 20 to 80 instructions.
//!
//! Negations and absolute values are made of bits. Comparisons, minima and roundings count as arithmetic; conversions do
//! not, since a denormal and a zero become the same number.

mod exact;
mod flags;
mod multiples;
mod plan;

use crate::expand::{Expander, Replacement, expand};
use crate::pass::{Changed, FunctionCtx};
use crate::passes::legalize::double_bits::{MAGNITUDE, Order, SIGN};
use cranelift_entity::SecondaryMap;
use flags::Flags;
use multiples::Multiples;
use plan::Plan;
use pumice_ir::{
    BinaryOp, BlockCall, ConvertOp, FloatFlags, Function, Inst, InstKind, LowerError, MathOp,
    Scalar, SourceLoc, Type, UnaryOp, Value,
};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// The bits of the least normal number: the first bit above the fraction.
const LEAST_NORMAL: u64 = 1 << 52;
/// The exponent's bits of 1.
const BIAS: u64 = 1023;
/// 2^-959. A sum with a greater operand is normal or zero, and no denormal operand changes it.
const SUM_BOUND: u64 = 64 << 52;

/// Runs the pass.
///
/// # Errors
/// None of its own.
pub fn run(func: &mut Function, ctx: &FunctionCtx<'_>) -> Result<Changed, LowerError> {
    if ctx.options.math.denorms_are_zero {
        return Ok(Changed::No);
    }
    let mut facts = Facts {
        uses: func.use_counts(),
        multiples: Multiples::of(func),
    };
    let mut run = Run::default();
    expand(func, |x, inst| Ok(run.take(x, inst, &mut facts)))
}

/// The facts about the function as it was.
struct Facts {
    uses: SecondaryMap<Value, u32>,
    multiples: Multiples,
}

/// An operation on doubles that the device computes wrongly of denormals, or of which it flushes the result.
#[derive(Clone, Copy, Debug)]
enum Operation {
    Sum([Value; 2]),
    Difference([Value; 2]),
    Product([Value; 2]),
    Quotient([Value; 2]),
    Fma([Value; 3]),
    Root(Value),
    /// To a whole number.
    Round(MathOp, Value),
    Minimum([Value; 2]),
    Maximum([Value; 2]),
    Compare(Order, [Value; 2]),
}

impl Operation {
    /// Reads an instruction; `None` if it is no such operation.
    fn of(func: &Function, kind: &InstKind) -> Option<Self> {
        let is_double = |value: Value| func.ty(value).scalar == Scalar::F64;
        match kind {
            InstKind::Binary { op, args, .. } if is_double(args[0]) => match op {
                BinaryOp::FAdd => Some(Self::Sum(*args)),
                BinaryOp::FSub => Some(Self::Difference(*args)),
                BinaryOp::FMul => Some(Self::Product(*args)),
                BinaryOp::FDiv => Some(Self::Quotient(*args)),
                _ => None,
            },
            InstKind::FCmp { cond, args, .. } if is_double(args[0]) => {
                Order::of(*cond).map(|order| Self::Compare(order, *args))
            }
            InstKind::Math { op, args, .. } if is_double(args[0]) => match (op, &args[..]) {
                (MathOp::Fma, &[a, b, c]) => Some(Self::Fma([a, b, c])),
                (MathOp::Sqrt | MathOp::NativeSqrt, &[arg]) => Some(Self::Root(arg)),
                (MathOp::Floor | MathOp::Ceil | MathOp::Trunc | MathOp::RoundEven, &[arg]) => {
                    Some(Self::Round(*op, arg))
                }
                (MathOp::FMin, &[a, b]) => Some(Self::Minimum([a, b])),
                (MathOp::FMax, &[a, b]) => Some(Self::Maximum([a, b])),
                _ => None,
            },
            _ => None,
        }
    }
}

/// One instruction of a run, as it was.
#[derive(Debug)]
struct Member {
    kind: InstKind,
    result: Value,
    loc: SourceLoc,
    /// The device's own arithmetic is right in any case.
    plain: bool,
}

/// The run that is open in the current block.
#[derive(Default)]
struct Run {
    members: Vec<Member>,
    /// The device's result for each member's.
    native: FxHashMap<Value, Value>,
    /// The number of uses of the members' results by members.
    used: FxHashMap<Value, u32>,
}

impl Run {
    /// Looks at the next instruction of the block.
    fn take(&mut self, x: &mut Expander<'_>, inst: Inst, facts: &mut Facts) -> Option<Replacement> {
        let kind = x.func.insts[inst].kind.clone();
        let mut concerned = false;
        kind.for_each_value(|value| concerned |= self.native.contains_key(&value));
        if !kind.is_computation() || may_flush(&kind) {
            if concerned || kind.is_terminator() {
                self.close(x, facts);
            }
            return alone(x, inst, &kind, facts);
        }
        let plain = facts.multiples.are_normal(x.func, inst);
        if !concerned && (plain || Operation::of(x.func, &kind).is_none()) {
            return alone(x, inst, &kind, facts);
        }
        let result = x.func.result(inst);
        let ty = x.ty(result);
        kind.for_each_value(|value| {
            if self.native.contains_key(&value) {
                *self.used.entry(value).or_insert(0) += 1;
            }
        });
        let native = emitted(x, with_values(&kind, &self.native), ty);
        self.native.insert(result, native);
        let loc = x.loc;
        self.members.push(Member {
            kind,
            result,
            loc,
            plain,
        });
        Some(Replacement::new())
    }

    /// Gives a Bool that tells whether the device's results may be wrong; `None` if they cannot be.
    fn flag(&self, x: &mut Expander<'_>, multiples: &Multiples) -> Option<Value> {
        let native = |value: Value| self.native.get(&value).copied().unwrap_or(value);
        let plan = Plan::of(x.func, &self.members, multiples);
        let mut flags = Flags::new(plan.bound);
        for &value in &plan.entering {
            flags.enter_from_bound(x, native(value));
        }
        for (&value, &extent) in &plan.extents {
            flags.know(native(value), extent);
        }
        for (member, &watched) in self.members.iter().zip(&plan.watched) {
            let result = native(member.result);
            let of_natives = with_values(&member.kind, &self.native);
            match Operation::of(x.func, &of_natives).filter(|_| watched) {
                Some(operation) => flags.watch(x, operation, result),
                None => flags.pass_on(x.func, result),
            }
        }
        flags.any(x)
    }

    /// Ends the run: its results are the device's, or those of the second copy.
    fn close(&mut self, x: &mut Expander<'_>, facts: &mut Facts) {
        let run = std::mem::take(self);
        let results: Vec<Value> = (run.members.iter())
            .map(|member| member.result)
            .filter(|&result| facts.uses[result] > run.used.get(&result).copied().unwrap_or(0))
            .collect();
        let natives: Vec<Value> = results.iter().map(|result| run.native[result]).collect();
        let loc = x.loc;
        let Some(flagged) = run.flag(x, &facts.multiples) else {
            for (result, native) in results.into_iter().zip(natives) {
                facts.multiples.replaced(result, native);
                x.replace(result, native);
            }
            return;
        };
        let (slow, done) = (x.new_block(), x.new_block());
        x.func.blocks[slow].slow_path = true;
        let params: Vec<Value> = (results.iter())
            .map(|&result| {
                let ty = x.ty(result);
                x.func.append_param(done, ty)
            })
            .collect();
        x.branch(
            flagged,
            BlockCall::new(slow, &[]),
            BlockCall::new(done, &natives),
            slow,
        );
        let mut exact = FxHashMap::default();
        for member in &run.members {
            x.loc = member.loc;
            let ty = x.ty(member.result);
            let kind = with_values(&member.kind, &exact);
            let value = match Operation::of(x.func, &kind).filter(|_| !member.plain) {
                Some(operation) => exact::compute(x, operation),
                None => emitted(x, kind, ty),
            };
            exact.insert(member.result, value);
        }
        x.loc = loc;
        let exacts: Vec<Value> = results.iter().map(|result| exact[result]).collect();
        x.jump(done, &exacts, done);
        for (result, param) in results.into_iter().zip(params) {
            facts.multiples.replaced(result, param);
            x.replace(result, param);
        }
    }
}

/// The replacement of an instruction outside a run; `None` if it stays.
fn alone(
    x: &mut Expander<'_>,
    inst: Inst,
    kind: &InstKind,
    facts: &mut Facts,
) -> Option<Replacement> {
    let value = of_bits(x, kind)?;
    facts.multiples.replaced(x.func.result(inst), value);
    Some(Replacement::from_slice(&[value]))
}

/// Returns whether an instruction is arithmetic that is left to the device.
fn may_flush(kind: &InstKind) -> bool {
    match kind {
        InstKind::Binary { flags, .. }
        | InstKind::FCmp { flags, .. }
        | InstKind::Math { flags, .. } => flags.contains(FloatFlags::MAY_FLUSH),
        _ => false,
    }
}

/// The instruction with the values that stand for its operands in one copy of the run.
fn with_values(kind: &InstKind, values: &FxHashMap<Value, Value>) -> InstKind {
    let mut kind = kind.clone();
    kind.replace_values(values);
    kind
}

/// Emits an instruction.
fn emitted(x: &mut Expander<'_>, kind: InstKind, ty: Type) -> Value {
    match of_bits(x, &kind) {
        Some(value) => value,
        None => x.value(kind, ty),
    }
}

/// Negations and absolute values of doubles, by their bits; `None` for others.
fn of_bits(x: &mut Expander<'_>, kind: &InstKind) -> Option<Value> {
    let (op, arg, bits) = match kind {
        InstKind::Unary {
            op: UnaryOp::FNeg,
            arg,
        } => (BinaryOp::Xor, *arg, SIGN),
        InstKind::Math {
            op: MathOp::FAbs,
            args,
            ..
        } => (BinaryOp::And, args[0], MAGNITUDE),
        _ => return None,
    };
    let ty = x.ty(arg);
    (ty.scalar == Scalar::F64).then(|| {
        let value = x.bits_of(arg);
        let value = x.bin_const(op, value, bits);
        x.convert(ConvertOp::Bitcast, value, ty)
    })
}

/// The lanes of a constant, without their signs.
fn constant_magnitudes(func: &Function, value: Value) -> Option<SmallVec<[u64; 4]>> {
    let lanes = func.const_lanes(value)?;
    Some(lanes.iter().map(|bits| bits & MAGNITUDE).collect())
}
