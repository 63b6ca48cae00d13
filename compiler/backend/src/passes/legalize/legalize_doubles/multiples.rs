//! Doubles that are surely no denormals, since they are whole multiples of a power of two.
//!
//! A widened float is a multiple of 2^-149, an integer one of 1, a constant one of its last bit that is set. A sum of
//! multiples of 2^n is a multiple of 2^n, rounded or not; a product is a multiple of the powers' product. A multiple of 2^n is
//! zero, infinite or at least 2^n: with n from -1022 up it is no denormal. Programs that compute in doubles but keep floats in
//! memory have no other numbers.
//!
//! Values that loops carry are first taken for zero, and blocks are walked until nothing changes. A parameter that goes on changing,
//! as by `x *= 0.5`, is given up.

use crate::passes::legalize::double_bits::{INFINITY, MAGNITUDE};
use pumice_ir::{
    BinaryOp, Block, ConvertOp, Function, Inst, InstKind, MathOp, Scalar, Value, reverse_postorder,
};
use rustc_hash::FxHashMap;

/// The exponent of the least normal double.
const LEAST_NORMAL: i32 = exponent(super::LEAST_NORMAL);
/// A sum with an operand that is a multiple of this power of two is normal or zero, unless the other operand is a denormal.
const SUM_BOUND: i32 = exponent(super::SUM_BOUND);
/// The digits of a double.
const DIGITS: i32 = 53;
/// So often a parameter may change.
const CHANGES: u8 = 4;

/// The exponent of a normal double with these bits.
const fn exponent(magnitude: u64) -> i32 {
    (magnitude >> 52) as i32 - super::BIAS as i32
}

/// The facts about a double.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Extent {
    /// It is a whole multiple of 2 to this power, or no number.
    unit: i32,
    /// If finite, its magnitude is below 2 to this power.
    bound: i32,
}

impl Extent {
    const ZERO: Self = Self {
        unit: 1 << 20,
        bound: -(1 << 20),
    };
    pub const ANY: Self = Self {
        unit: -(1 << 20),
        bound: 1024,
    };

    fn new(unit: i32, bound: i32) -> Self {
        let unit = match unit {
            ..LEAST_NORMAL => Self::ANY.unit,
            _ => unit.min(Self::ZERO.unit),
        };
        let bound = bound.clamp(Self::ZERO.bound, Self::ANY.bound);
        Self { unit, bound }
    }

    /// Zeros and numbers of at least 2^-`bound`.
    pub fn of_entering(bound: i32) -> Self {
        Self::new(-bound - (DIGITS - 1), Self::ANY.bound)
    }

    fn of_constant(bits: u64) -> Self {
        let (bits, fraction) = (bits & MAGNITUDE, bits & ((1 << 52) - 1));
        match bits {
            0 | INFINITY.. => Self::ZERO,
            ..super::LEAST_NORMAL => Self::ANY,
            _ => {
                let exponent = exponent(bits);
                let last = (fraction | 1 << 52).trailing_zeros() as i32;
                Self::new(exponent - 52 + last, exponent + 1)
            }
        }
    }

    /// Returns whether the number surely is no denormal.
    pub fn is_normal(self) -> bool {
        self.unit >= LEAST_NORMAL
    }

    /// Returns whether a sum with this number surely is no denormal if the other operand is none.
    pub fn rules_out_small_sums(self) -> bool {
        self.unit >= SUM_BOUND
    }

    fn join(self, other: Self) -> Self {
        Self::new(self.unit.min(other.unit), self.bound.max(other.bound))
    }

    fn sum(self, other: Self) -> Self {
        let joined = self.join(other);
        Self::new(joined.unit, joined.bound + 1)
    }

    fn product(self, other: Self) -> Self {
        Self::new(self.unit + other.unit, self.bound + other.bound)
    }

    /// A quotient that is not zero has all its digits from the least one on.
    fn quotient(self, other: Self) -> Self {
        let least = self.unit - other.bound;
        Self::new(least - DIGITS, self.bound - other.unit)
    }

    fn root(self) -> Self {
        Self::new(self.unit.div_euclid(2) - DIGITS, self.bound / 2 + 1)
    }

    fn whole(self) -> Self {
        Self::new(self.unit.max(0), self.bound.max(0) + 1)
    }
}

/// The facts about the doubles of a function.
#[derive(Default)]
pub(super) struct Multiples {
    extents: FxHashMap<Value, Extent>,
    changes: FxHashMap<Value, u8>,
}

impl Multiples {
    /// Looks at a function.
    pub fn of(func: &Function) -> Self {
        let mut multiples = Self::default();
        let Some(entry) = func.entry() else {
            return multiples;
        };
        let blocks = reverse_postorder(func);
        for &param in &func.blocks[entry].params {
            multiples.extents.insert(param, Extent::ANY);
        }
        loop {
            let mut changed = false;
            for &block in &blocks {
                changed |= multiples.walk(func, block);
            }
            if !changed {
                return multiples;
            }
        }
    }

    /// The facts about a value.
    pub fn extent(&self, func: &Function, value: Value) -> Extent {
        self.known(func, value, Extent::ANY)
    }

    /// Notes that a value stands for another one.
    pub fn replaced(&mut self, old: Value, new: Value) {
        if let Some(&extent) = self.extents.get(&old) {
            self.extents.insert(new, extent);
        }
    }

    /// Returns whether the doubles that an instruction takes and gives surely are no denormals.
    pub fn are_normal(&self, func: &Function, inst: Inst) -> bool {
        let data = &func.insts[inst];
        let normal = |value: Value| {
            func.ty(value).scalar != Scalar::F64 || self.extent(func, value).is_normal()
        };
        let mut all = data.results.iter().copied().all(normal);
        data.kind.for_each_value(|value| all &= normal(value));
        all
    }

    /// The same, with what holds for values that were not looked at.
    fn known(&self, func: &Function, value: Value, others: Extent) -> Extent {
        match func.const_lanes(value) {
            Some(lanes) => lanes
                .iter()
                .map(|&bits| Extent::of_constant(bits))
                .fold(Extent::ZERO, Extent::join),
            None => self.extents.get(&value).copied().unwrap_or(others),
        }
    }

    /// Looks at a block's instructions and at what it passes on. Returns whether a parameter of a block changed.
    fn walk(&mut self, func: &Function, block: Block) -> bool {
        let mut changed = false;
        for &inst in &func.layout.insts[block] {
            let data = &func.insts[inst];
            for &result in &data.results {
                if func.ty(result).scalar == Scalar::F64 {
                    let known = |value| self.known(func, value, Extent::ZERO);
                    let extent = extent_of(func, &data.kind, &known);
                    self.extents.insert(result, extent);
                }
            }
            for call in data.kind.successors() {
                for (&param, &arg) in func.blocks[call.block].params.iter().zip(&call.args) {
                    if func.ty(param).scalar == Scalar::F64 {
                        let extent = self.known(func, arg, Extent::ZERO);
                        changed |= self.pass(param, extent);
                    }
                }
            }
        }
        changed
    }

    fn pass(&mut self, param: Value, extent: Extent) -> bool {
        let old = self.extents.get(&param).copied().unwrap_or(Extent::ZERO);
        let mut new = old.join(extent);
        if new == old {
            return false;
        }
        let changes = self.changes.entry(param).or_default();
        *changes += 1;
        if *changes > CHANGES {
            // One of the two may stay as it is.
            if new.unit != old.unit {
                new.unit = Extent::ANY.unit;
            }
            if new.bound != old.bound {
                new.bound = Extent::ANY.bound;
            }
        }
        self.extents.insert(param, new);
        true
    }
}

/// The facts about the result of an instruction.
pub(super) fn extent_of(
    func: &Function,
    kind: &InstKind,
    known: &dyn Fn(Value) -> Extent,
) -> Extent {
    let of = |value: &Value| known(*value);
    match kind {
        InstKind::Binary { op, args, .. } => {
            let [a, b] = args.each_ref().map(of);
            match op {
                BinaryOp::FAdd | BinaryOp::FSub => a.sum(b),
                BinaryOp::FMul => a.product(b),
                BinaryOp::FDiv => a.quotient(b),
                _ => Extent::ANY,
            }
        }
        InstKind::Math { op, args, .. } => match (op, &args[..]) {
            (MathOp::Fma, [a, b, c]) => of(a).product(of(b)).sum(of(c)),
            (MathOp::Sqrt | MathOp::NativeSqrt, [arg]) => of(arg).root(),
            (MathOp::Floor | MathOp::Ceil | MathOp::Trunc | MathOp::RoundEven, [arg]) => {
                of(arg).whole()
            }
            (MathOp::FMin | MathOp::FMax, [a, b]) => of(a).join(of(b)),
            (MathOp::FAbs, [arg]) => of(arg),
            _ => Extent::ANY,
        },
        InstKind::Convert { op, arg, .. } => {
            let scalar = func.ty(*arg).scalar;
            match (op, scalar) {
                (ConvertOp::FToF, Scalar::F32) => Extent::new(-149, 128),
                (ConvertOp::FToF, _) => Extent::new(-24, 16),
                (ConvertOp::SToF | ConvertOp::UToF, _) => Extent::new(0, scalar.bits() as i32 + 1),
                _ => Extent::ANY,
            }
        }
        InstKind::Select { then, other, .. } => of(then).join(of(other)),
        InstKind::Unary { arg, .. }
        | InstKind::Splat { arg }
        | InstKind::Extract { vector: arg, .. } => of(arg),
        InstKind::ExtractDyn { vector, .. } => of(vector),
        InstKind::Insert { vector, scalar, .. } | InstKind::InsertDyn { vector, scalar, .. } => {
            of(vector).join(of(scalar))
        }
        InstKind::Build { lanes } => lanes.iter().map(of).fold(Extent::ZERO, Extent::join),
        InstKind::Shuffle { args, .. } => args.iter().map(of).fold(Extent::ZERO, Extent::join),
        _ => Extent::ANY,
    }
}
