//! Flags of a run in which the device's arithmetic may be wrong.
//!
//! A flag is the sign of an I64. Of a magnitude twice itself is looked at, `t`: `(t - 2c) & ~t` is below zero where it is less than
//! `c`, as long as that is below 2; of such numbers `0 - t` is where they are not zero. Flags of one number of lanes are joined by or.
//!
//! Most values that enter are asked for the same `c`, and there the least `t - 1` is found first: that of zero is the greatest
//! of all. Its first bit is inverted, since not all processors compare unsigned numbers.
//!
//! As long as no flag is up, no operand was a denormal and none of the results is one: only values that enter a run
//! are looked at, not those that the run itself computes.

use super::multiples::Extent;
use super::{BIAS, LEAST_NORMAL, Operation, SUM_BOUND, constant_magnitudes};
use crate::expand::Expander;
use crate::passes::legalize::double_bits::{INFINITY, MAGNITUDE};
use pumice_ir::{BinaryOp, ConvertOp, Function, InstKind, IntCond, Scalar, UnaryOp, Value};
use rustc_hash::FxHashSet;

/// 2^-900. Products that are not denormal are whole multiples of 2^-106 of themselves: what such an addend leaves
/// of one is normal or zero.
const FMA_BOUND: u64 = 123 << 52;
/// The bits of 1.
const ONE: u64 = 1023 << 52;
/// The number of operands that are followed into the depth.
const DEPTH: u32 = 4;

/// The flags of a run.
#[derive(Default)]
pub(super) struct Flags {
    /// By the number of lanes.
    joined: [Option<Value>; 5],
    /// The least of the values that enter, as [`in_order`] gives them, by the number of lanes.
    least: [Option<Value>; 5],
    /// The least magnitude but zero that these may have.
    bound: u64,
    /// Values that are no denormals where no flag is up: those that were looked at, and results.
    normal: FxHashSet<Value>,
    /// Values with which no sum is a denormal unless the other operand is one.
    coarse: FxHashSet<Value>,
}

impl Flags {
    /// No flags. Values that enter may be zero or at least 2^-`bound`.
    pub fn new(bound: i32) -> Self {
        Self {
            bound: (BIAS - u64::from(bound.unsigned_abs())) << 52,
            ..Self::default()
        }
    }

    /// Adds the flags of an operation of the device and its result.
    pub fn watch(&mut self, x: &mut Expander<'_>, operation: Operation, result: Value) {
        match operation {
            Operation::Sum(args) | Operation::Difference(args) => self.sum(x, args),
            Operation::Product([a, b]) => {
                self.enter(x, a);
                self.enter(x, b);
                let grows = |value| all(x.func, value, |m| (ONE..INFINITY).contains(&m));
                if !grows(a) && !grows(b) {
                    self.vanished(x, result, &[a, b], None);
                }
            }
            Operation::Quotient([a, b]) => {
                self.enter(x, a);
                self.enter(x, b);
                if !all(x.func, b, |m| (1..=ONE).contains(&m)) {
                    self.vanished(x, result, &[a], Some((b, INFINITY)));
                }
            }
            Operation::Fma([a, b, c]) => {
                for arg in [a, b, c] {
                    self.enter(x, arg);
                }
                if !all(x.func, c, |m| m >= FMA_BOUND) {
                    self.vanished(x, result, &[a, b], Some((c, FMA_BOUND)));
                }
            }
            Operation::Root(arg) | Operation::Round(_, arg) => self.enter(x, arg),
            Operation::Minimum(args) | Operation::Maximum(args) => {
                self.enter(x, args[0]);
                self.enter(x, args[1]);
            }
            Operation::Compare(_, args) => {
                self.enter(x, args[0]);
                self.enter(x, args[1]);
                return;
            }
        }
        self.normal.insert(result);
    }

    /// Notes what is known of a value.
    pub fn know(&mut self, value: Value, extent: Extent) {
        if extent.is_normal() {
            self.normal.insert(value);
        }
        if extent.rules_out_small_sums() {
            self.coarse.insert(value);
        }
    }

    /// Notes that a value which is made of others without arithmetic is no denormal if they are none.
    pub fn pass_on(&mut self, func: &Function, value: Value) {
        if func.ty(value).scalar == Scalar::F64 && self.is_normal(func, value, DEPTH) {
            self.normal.insert(value);
        }
    }

    /// Gives a Bool that tells whether a flag is up; `None` if there are none.
    pub fn any(&self, x: &mut Expander<'_>) -> Option<Value> {
        let joined = lanes_joined(x, BinaryOp::Or, self.joined);
        let is_up = joined.map(|flags| x.icmp_const(IntCond::Slt, flags, 0));
        let least = lanes_joined(x, BinaryOp::SMin, self.least);
        let is_small =
            least.map(|least| x.icmp_const(IntCond::Slt, least, in_order(self.bound << 1)));
        match (is_up, is_small) {
            (Some(up), Some(small)) => Some(x.bin(BinaryOp::Or, up, small)),
            (one, None) | (None, one) => one,
        }
    }

    fn raise(&mut self, x: &mut Expander<'_>, flag: Value) {
        let lanes = usize::from(x.ty(flag).lanes);
        join(x, BinaryOp::Or, &mut self.joined[lanes], flag);
    }

    /// A value that takes part in arithmetic: flagged if it is a denormal.
    fn enter(&mut self, x: &mut Expander<'_>, value: Value) {
        if !self.is_normal(x.func, value, DEPTH) {
            let twice = doubled(x, value);
            let flag = some_below(x, twice, LEAST_NORMAL);
            self.raise(x, flag);
            self.normal.insert(value);
        }
    }

    /// A value that is flagged if it is not zero and below the bound.
    pub fn enter_from_bound(&mut self, x: &mut Expander<'_>, value: Value) {
        let twice = doubled(x, value);
        let place = x.bin_const(BinaryOp::IAdd, twice, in_order(0));
        let lanes = usize::from(x.ty(place).lanes);
        join(x, BinaryOp::SMin, &mut self.least[lanes], place);
    }

    /// Flagged if both operands are small, and one is not zero.
    fn sum(&mut self, x: &mut Expander<'_>, args: [Value; 2]) {
        if args.iter().any(|&arg| all(x.func, arg, |m| m >= SUM_BOUND)) {
            return;
        }
        // A zero leaves the other operand as it is.
        if let Some(index) = args.iter().position(|arg| self.coarse.contains(arg)) {
            return self.enter(x, args[1 - index]);
        }
        let [a, b] = args.map(|arg| x.bits_of(arg));
        let either = x.bin(BinaryOp::Or, a, b);
        let either = x.bin_const(BinaryOp::Shl, either, 1);
        let flag = some_below(x, either, SUM_BOUND);
        self.raise(x, flag);
    }

    /// Flagged if the result is zero or denormal although no factor is zero and the other operand is below its bound.
    fn vanished(
        &mut self,
        x: &mut Expander<'_>,
        result: Value,
        factors: &[Value],
        other: Option<(Value, u64)>,
    ) {
        let twice = doubled(x, result);
        let mut flag = below(x, twice, LEAST_NORMAL);
        for (index, &factor) in factors.iter().enumerate() {
            if factors[..index].contains(&factor) || all(x.func, factor, |m| m != 0) {
                continue;
            }
            let twice = doubled(x, factor);
            let minus = x.un(UnaryOp::INeg, twice);
            let some = x.bin(BinaryOp::Or, twice, minus);
            flag = x.bin(BinaryOp::And, flag, some);
        }
        if let Some((other, bound)) = other {
            if !all(x.func, other, |m| m < bound) {
                let twice = doubled(x, other);
                let small = below(x, twice, bound);
                flag = x.bin(BinaryOp::And, flag, small);
            }
        }
        self.raise(x, flag);
    }

    /// Returns whether a value surely is no denormal where no flag is up.
    fn is_normal(&self, func: &Function, value: Value, depth: u32) -> bool {
        if self.normal.contains(&value) || all(func, value, |m| m == 0 || m >= LEAST_NORMAL) {
            return true;
        }
        let Some(inst) = func.def_inst(value).filter(|_| depth > 0) else {
            return false;
        };
        let is_normal = |value: Value| self.is_normal(func, value, depth - 1);
        match &func.insts[inst].kind {
            InstKind::Convert { op, arg, .. } => match op {
                // The bits with another sign, or none.
                ConvertOp::Bitcast => of_sign(func, *arg).is_some_and(is_normal),
                _ => true,
            },
            InstKind::Select { then, other, .. } => is_normal(*then) && is_normal(*other),
            InstKind::Build { lanes } => lanes.iter().all(|&lane| is_normal(lane)),
            InstKind::Splat { arg } | InstKind::Extract { vector: arg, .. } => is_normal(*arg),
            InstKind::ExtractDyn { vector, .. } => is_normal(*vector),
            InstKind::Insert { vector, scalar, .. }
            | InstKind::InsertDyn { vector, scalar, .. } => {
                is_normal(*vector) && is_normal(*scalar)
            }
            InstKind::Shuffle { args, .. } => args.iter().all(|&arg| is_normal(arg)),
            _ => false,
        }
    }
}

/// The double whose bits are these but for the sign.
fn of_sign(func: &Function, bits: Value) -> Option<Value> {
    let InstKind::Binary { op, args, .. } = func.insts[func.def_inst(bits)?].kind else {
        return None;
    };
    let mask = match op {
        BinaryOp::Xor => super::SIGN,
        BinaryOp::And => MAGNITUDE,
        _ => return None,
    };
    let is_mask = |value| (func.const_lanes(value)).is_some_and(|l| l.iter().all(|&b| b == mask));
    if !is_mask(args[1]) {
        return None;
    }
    match func.insts[func.def_inst(args[0])?].kind {
        InstKind::Convert {
            op: ConvertOp::Bitcast,
            arg,
            ..
        } if func.ty(arg).scalar == Scalar::F64 => Some(arg),
        _ => None,
    }
}

/// Returns whether a value is a constant whose lanes' magnitudes all fulfil the condition.
pub(super) fn all(func: &Function, value: Value, accepts: impl Fn(u64) -> bool) -> bool {
    constant_magnitudes(func, value).is_some_and(|lanes| lanes.into_iter().all(accepts))
}

/// Joins a value to those before it.
fn join(x: &mut Expander<'_>, op: BinaryOp, joined: &mut Option<Value>, value: Value) {
    *joined = Some(match *joined {
        Some(others) => x.bin(op, others, value),
        None => value,
    });
}

/// Joins all lanes of values.
fn lanes_joined(x: &mut Expander<'_>, op: BinaryOp, values: [Option<Value>; 5]) -> Option<Value> {
    let mut joined = None;
    for value in values.into_iter().flatten() {
        for lane in 0..x.ty(value).lanes {
            let lane = x.lane(value, lane);
            join(x, op, &mut joined, lane);
        }
    }
    joined
}

/// The signed number that stands for twice a magnitude where zero comes last: what is subtracted is 1, and the first bit
/// is inverted.
fn in_order(twice: u64) -> u64 {
    twice.wrapping_add((1 << 63) - 1)
}

/// Twice the magnitude. Not the magnitude: Mesa makes two words of a number in which a constant masks bits of one.
fn doubled(x: &mut Expander<'_>, value: Value) -> Value {
    let bits = x.bits_of(value);
    x.bin_const(BinaryOp::Shl, bits, 1)
}

/// A flag for a magnitude, given doubled, that is less than the bound.
fn below(x: &mut Expander<'_>, twice: Value, bound: u64) -> Value {
    let bound = bound << 1;
    let difference = x.bin_const(BinaryOp::ISub, twice, bound);
    let inverse = x.un(UnaryOp::Not, twice);
    // The numbers are unsigned.
    match bound >> 63 {
        0 => x.bin(BinaryOp::And, difference, inverse),
        _ => x.bin(BinaryOp::Or, difference, inverse),
    }
}

/// The same for one that is not zero.
fn some_below(x: &mut Expander<'_>, twice: Value, bound: u64) -> Value {
    let small = below(x, twice, bound);
    let minus = x.un(UnaryOp::INeg, twice);
    x.bin(BinaryOp::And, small, minus)
}
