//! Folding rules for arithmetic, comparisons, conversions and selects.

use crate::passes::optimize::fold::{Folder, Found};
use pumice_ir::analysis::eval;
use pumice_ir::{
    AddressSpace, BinaryOp, ConvertOp, FloatCond, FloatFlags, InstKind, IntCond, Scalar, Type,
    UnaryOp, Value,
};
use smallvec::SmallVec;

type Lanes = SmallVec<[u64; 16]>;

fn is_commutative(op: BinaryOp) -> bool {
    matches!(
        op,
        BinaryOp::IAdd
            | BinaryOp::IMul
            | BinaryOp::SMulHi
            | BinaryOp::UMulHi
            | BinaryOp::And
            | BinaryOp::Or
            | BinaryOp::Xor
            | BinaryOp::SMin
            | BinaryOp::SMax
            | BinaryOp::UMin
            | BinaryOp::UMax
            | BinaryOp::FAdd
            | BinaryOp::FMul
    )
}

fn inverted_float(cond: FloatCond) -> FloatCond {
    match cond {
        FloatCond::Oeq => FloatCond::Une,
        FloatCond::One => FloatCond::Ueq,
        FloatCond::Olt => FloatCond::Uge,
        FloatCond::Ole => FloatCond::Ugt,
        FloatCond::Ogt => FloatCond::Ule,
        FloatCond::Oge => FloatCond::Ult,
        FloatCond::Ueq => FloatCond::One,
        FloatCond::Une => FloatCond::Oeq,
        FloatCond::Ult => FloatCond::Oge,
        FloatCond::Ule => FloatCond::Ogt,
        FloatCond::Ugt => FloatCond::Ole,
        FloatCond::Uge => FloatCond::Olt,
        FloatCond::Ord => FloatCond::Uno,
        FloatCond::Uno => FloatCond::Ord,
    }
}

impl Folder<'_> {
    fn lanes(&self, value: Value) -> Option<Lanes> {
        self.func.const_lanes(value).map(Lanes::from_slice)
    }

    /// The result of an instruction whose operands are all constant.
    pub(super) fn constant_result(&mut self, kind: &InstKind, ty: Type) -> Option<Value> {
        let each = |count: usize, f: &dyn Fn(usize) -> Option<u64>| {
            (0..count).map(f).collect::<Option<Lanes>>()
        };
        let count = usize::from(ty.lanes);
        let lanes = match kind {
            InstKind::Unary { op, arg } => {
                let a = self.lanes(*arg)?;
                each(count, &|i| eval::unary(*op, ty.scalar, a[i]))?
            }
            InstKind::Binary { op, args, .. } => {
                let (a, b) = (self.lanes(args[0])?, self.lanes(args[1])?);
                each(count, &|i| eval::binary(*op, ty.scalar, a[i], b[i]))?
            }
            InstKind::ICmp { cond, args } => {
                let scalar = self.func.ty(args[0]).scalar;
                let (a, b) = (self.lanes(args[0])?, self.lanes(args[1])?);
                each(count, &|i| {
                    Some(u64::from(eval::icmp(*cond, scalar, a[i], b[i])))
                })?
            }
            InstKind::FCmp { cond, args, .. } => {
                let scalar = self.func.ty(args[0]).scalar;
                let (a, b) = (self.lanes(args[0])?, self.lanes(args[1])?);
                each(count, &|i| {
                    eval::fcmp(*cond, scalar, a[i], b[i]).map(u64::from)
                })?
            }
            InstKind::Select { cond, then, other } => {
                let (c, a, b) = (self.lanes(*cond)?, self.lanes(*then)?, self.lanes(*other)?);
                let c_at = |i: usize| if c.len() == 1 { c[0] } else { c[i] };
                each(count, &|i| Some(if c_at(i) != 0 { a[i] } else { b[i] }))?
            }
            InstKind::Convert { op, arg, rounding } => {
                let a = self.lanes(*arg)?;
                let from = self.func.ty(*arg);
                if *op == ConvertOp::Bitcast {
                    eval::bitcast(from, ty, &a)?
                } else if from.lanes != ty.lanes {
                    // A pointer and its two words.
                    match a[..] {
                        [number] => Lanes::from_slice(&[number & 0xffff_ffff, number >> 32]),
                        [low, high] => Lanes::from_slice(&[low | high << 32]),
                        _ => return None,
                    }
                } else {
                    each(count, &|i| {
                        eval::convert(*op, from.scalar, ty.scalar, *rounding, a[i])
                    })?
                }
            }
            InstKind::Math { op, args, .. } => {
                let scalar = self.func.ty(*args.first()?).scalar;
                let all = args
                    .iter()
                    .map(|&arg| self.lanes(arg))
                    .collect::<Option<SmallVec<[Lanes; 3]>>>()?;
                each(count, &|i| {
                    let args: SmallVec<[u64; 3]> = all
                        .iter()
                        .map(|a| a.get(i).copied())
                        .collect::<Option<_>>()?;
                    eval::math(*op, scalar, &args)
                })?
            }
            _ => return None,
        };
        Some(self.func.constant(ty, &lanes))
    }

    /// Identities on lane-wise instructions.
    pub(super) fn scalar_rule(&mut self, kind: &InstKind, ty: Type) -> Option<Found> {
        match kind {
            InstKind::Unary { op, arg } => self.unary_rule(*op, *arg, ty),
            &InstKind::Binary {
                op,
                args: [a, b],
                flags,
            } if is_commutative(op) && self.is_const(a) && !self.is_const(b) => {
                let args = [b, a];
                Some(Found::Kind(InstKind::Binary { op, args, flags }))
            }
            InstKind::Binary { op, args, flags } => {
                if ty.scalar.is_float() {
                    self.float_rule(*op, *args, *flags, ty)
                } else {
                    self.int_rule(*op, *args, *flags, ty)
                }
            }
            InstKind::ICmp { cond, args } => self.icmp_rule(*cond, *args, ty),
            InstKind::Select { cond, then, other } => self.select_rule(*cond, *then, *other, ty),
            InstKind::Convert { op, arg, rounding } if rounding.is_none() => {
                self.convert_rule(*op, *arg, ty)
            }
            _ => None,
        }
    }

    fn unary_rule(&mut self, op: UnaryOp, arg: Value, ty: Type) -> Option<Found> {
        match (op, self.kind_of(arg)?.clone()) {
            (op, InstKind::Unary { op: inner, arg }) if op == inner => Some(Found::Value(arg)),
            (UnaryOp::Not, InstKind::ICmp { cond, args }) if ty.scalar == Scalar::Bool => {
                Some(Found::Kind(InstKind::ICmp {
                    cond: cond.inverted(),
                    args,
                }))
            }
            (UnaryOp::Not, InstKind::FCmp { cond, args, flags }) if ty.scalar == Scalar::Bool => {
                Some(Found::Kind(InstKind::FCmp {
                    cond: inverted_float(cond),
                    args,
                    flags,
                }))
            }
            _ => None,
        }
    }

    fn int_rule(
        &mut self,
        op: BinaryOp,
        args: [Value; 2],
        flags: FloatFlags,
        ty: Type,
    ) -> Option<Found> {
        let [a, b] = args;
        if a == b {
            match op {
                BinaryOp::ISub | BinaryOp::Xor => {
                    return Some(Found::Value(self.func.splat_constant(ty, 0)));
                }
                BinaryOp::And
                | BinaryOp::Or
                | BinaryOp::SMin
                | BinaryOp::SMax
                | BinaryOp::UMin
                | BinaryOp::UMax => return Some(Found::Value(a)),
                _ => {}
            }
        }
        let width = ty.scalar.bits();
        let ones = eval::mask(ty.scalar, u64::MAX);
        if let Some(bits) = self.splat_bits(b) {
            let zero = |folder: &mut Self| folder.func.splat_constant(ty, 0);
            let same = match (op, bits) {
                (
                    BinaryOp::IAdd | BinaryOp::ISub | BinaryOp::Or | BinaryOp::Xor | BinaryOp::UMax,
                    0,
                )
                | (BinaryOp::IMul | BinaryOp::UDiv | BinaryOp::SDiv, 1) => Some(a),
                (BinaryOp::And | BinaryOp::UMin, bits) if bits == ones => Some(a),
                (BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr, bits)
                    if bits % u64::from(width) == 0 =>
                {
                    Some(a)
                }
                (BinaryOp::And | BinaryOp::IMul | BinaryOp::UMin | BinaryOp::UMulHi, 0) => {
                    Some(zero(self))
                }
                (BinaryOp::URem, 1) => Some(zero(self)),
                (BinaryOp::Or | BinaryOp::UMax, bits) if bits == ones => Some(b),
                _ => None,
            };
            if let Some(value) = same {
                return Some(Found::Value(value));
            }
            if bits.is_power_of_two() && width > 1 {
                let log = u64::from(bits.trailing_zeros());
                let strength = match op {
                    BinaryOp::IMul => Some((BinaryOp::Shl, log)),
                    BinaryOp::UDiv => Some((BinaryOp::LShr, log)),
                    BinaryOp::URem => Some((BinaryOp::And, bits - 1)),
                    _ => None,
                };
                if let Some((op, bits)) = strength {
                    let args = [a, self.func.splat_constant(ty, bits)];
                    return Some(Found::Kind(InstKind::Binary { op, args, flags }));
                }
            }
            if op == BinaryOp::Xor && bits == ones {
                let op = UnaryOp::Not;
                return Some(Found::Kind(InstKind::Unary { op, arg: a }));
            }
            if op == BinaryOp::ISub {
                let negated = self
                    .func
                    .splat_constant(ty, eval::mask(ty.scalar, bits.wrapping_neg()));
                let (op, args) = (BinaryOp::IAdd, [a, negated]);
                return Some(Found::Kind(InstKind::Binary { op, args, flags }));
            }
            return self.reassociate(op, a, bits, flags, ty);
        }
        if let (BinaryOp::ISub, Some(0)) = (op, self.splat_bits(a)) {
            let op = UnaryOp::INeg;
            return Some(Found::Kind(InstKind::Unary { op, arg: b }));
        }
        None
    }

    /// `(x op c1) op c2` becomes `x op (c1 op c2)`.
    fn reassociate(
        &mut self,
        op: BinaryOp,
        a: Value,
        bits: u64,
        flags: FloatFlags,
        ty: Type,
    ) -> Option<Found> {
        let InstKind::Binary {
            op: inner, args, ..
        } = self.kind_of(a)?.clone()
        else {
            return None;
        };
        if inner != op {
            return None;
        }
        let first = self.splat_bits(args[1])?;
        let width = u64::from(ty.scalar.bits());
        let both = match op {
            BinaryOp::IAdd
            | BinaryOp::IMul
            | BinaryOp::And
            | BinaryOp::Or
            | BinaryOp::Xor
            | BinaryOp::SMin
            | BinaryOp::SMax
            | BinaryOp::UMin
            | BinaryOp::UMax => eval::binary(op, ty.scalar, first, bits)?,
            BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr => {
                let sum = first % width + bits % width;
                match op {
                    BinaryOp::AShr => sum.min(width - 1),
                    _ if sum >= width => {
                        return Some(Found::Value(self.func.splat_constant(ty, 0)));
                    }
                    _ => sum,
                }
            }
            _ => return None,
        };
        let args = [args[0], self.func.splat_constant(ty, both)];
        Some(Found::Kind(InstKind::Binary { op, args, flags }))
    }

    fn float_rule(
        &mut self,
        op: BinaryOp,
        args: [Value; 2],
        flags: FloatFlags,
        ty: Type,
    ) -> Option<Found> {
        let [a, b] = args;
        let bits = self.splat_bits(b)?;
        let width = ty.scalar.bits();
        let negative_zero = 1u64 << (width - 1);
        let one = eval::convert(ConvertOp::UToF, Scalar::I32, ty.scalar, None, 1)?;
        let any_zero = flags.contains(FloatFlags::NO_SIGNED_ZERO);
        match op {
            // x + -0 and x - 0 are x for every x, x + 0 is not (for x = -0).
            BinaryOp::FAdd if bits == negative_zero || (bits == 0 && any_zero) => {
                Some(Found::Value(a))
            }
            BinaryOp::FSub if bits == 0 || (bits == negative_zero && any_zero) => {
                Some(Found::Value(a))
            }
            BinaryOp::FMul | BinaryOp::FDiv if bits == one => Some(Found::Value(a)),
            BinaryOp::FDiv => {
                // The reciprocal of a power of two is exact where both are normal.
                let reciprocal = eval::binary(BinaryOp::FDiv, ty.scalar, one, bits)?;
                let back = eval::binary(BinaryOp::FDiv, ty.scalar, one, reciprocal)?;
                if !is_normal_power(ty.scalar, bits)
                    || !is_normal_power(ty.scalar, reciprocal)
                    || back != bits
                {
                    return None;
                }
                let (op, args) = (
                    BinaryOp::FMul,
                    [a, self.func.splat_constant(ty, reciprocal)],
                );
                Some(Found::Kind(InstKind::Binary { op, args, flags }))
            }
            _ => None,
        }
    }

    fn icmp_rule(&mut self, cond: IntCond, args: [Value; 2], ty: Type) -> Option<Found> {
        let [a, b] = args;
        if a == b {
            let holds = matches!(
                cond,
                IntCond::Eq | IntCond::Sle | IntCond::Sge | IntCond::Ule | IntCond::Uge
            );
            let value = self.func.splat_constant(ty, u64::from(holds));
            return Some(Found::Value(value));
        }
        if self.is_const(a) && !self.is_const(b) {
            return Some(Found::Kind(InstKind::ICmp {
                cond: cond.swapped(),
                args: [b, a],
            }));
        }
        let bits = self.splat_bits(b)?;
        let scalar = self.func.ty(a).scalar;
        let always = match (cond, bits) {
            (IntCond::Ult, 0) => Some(0),
            (IntCond::Uge, 0) => Some(1),
            _ => None,
        };
        if let Some(always) = always {
            return Some(Found::Value(self.func.splat_constant(ty, always)));
        }
        if let Some(answer) = self.address_against_null(cond, a, bits) {
            return Some(Found::Value(self.func.splat_constant(ty, answer)));
        }
        match self.kind_of(a)?.clone() {
            // A truth value as a number, compared: the truth value again, or not.
            InstKind::Convert {
                op: op @ (ConvertOp::ZExt | ConvertOp::SExt),
                arg,
                ..
            } if self.func.ty(arg).scalar == Scalar::Bool => {
                let one = if op == ConvertOp::ZExt {
                    1
                } else {
                    eval::mask(scalar, u64::MAX)
                };
                self.truth_rule(cond, scalar, [one, 0], bits, arg, ty)
            }
            InstKind::Select {
                cond: test,
                then,
                other,
            } if self.func.ty(test).lanes == ty.lanes => {
                let outcomes = [self.splat_bits(then)?, self.splat_bits(other)?];
                self.truth_rule(cond, scalar, outcomes, bits, test, ty)
            }
            // Extended numbers compare for equality as they did before, where the constant
            // is one that the extension can give.
            InstKind::Convert {
                op: op @ (ConvertOp::ZExt | ConvertOp::SExt),
                arg,
                ..
            } if matches!(cond, IntCond::Eq | IntCond::Ne) => {
                let from = self.func.ty(arg);
                let narrow = eval::mask(from.scalar, bits);
                if eval::convert(op, from.scalar, scalar, None, narrow) != Some(bits) {
                    let differs = u64::from(cond == IntCond::Ne);
                    return Some(Found::Value(self.func.splat_constant(ty, differs)));
                }
                let args = [arg, self.func.splat_constant(from, narrow)];
                Some(Found::Kind(InstKind::ICmp { cond, args }))
            }
            InstKind::Binary {
                op: op @ (BinaryOp::IAdd | BinaryOp::Xor),
                args,
                ..
            } if matches!(cond, IntCond::Eq | IntCond::Ne) => {
                let by = self.splat_bits(args[1])?;
                let moved = match op {
                    BinaryOp::IAdd => bits.wrapping_sub(by),
                    _ => bits ^ by,
                };
                let from = self.func.ty(args[0]);
                let constant = self
                    .func
                    .splat_constant(from, eval::mask(from.scalar, moved));
                let args = [args[0], constant];
                Some(Found::Kind(InstKind::ICmp { cond, args }))
            }
            _ => None,
        }
    }

    /// `cond(test ? outcomes[0] : outcomes[1], bits)` in terms of the test.
    fn truth_rule(
        &mut self,
        cond: IntCond,
        scalar: Scalar,
        outcomes: [u64; 2],
        bits: u64,
        test: Value,
        ty: Type,
    ) -> Option<Found> {
        let [if_true, if_false] = outcomes.map(|o| eval::icmp(cond, scalar, o, bits));
        Some(match (if_true, if_false) {
            (true, false) => Found::Value(test),
            (false, true) => Found::Kind(InstKind::Unary {
                op: UnaryOp::Not,
                arg: test,
            }),
            (always, _) => Found::Value(self.func.splat_constant(ty, u64::from(always))),
        })
    }

    fn select_rule(&mut self, cond: Value, then: Value, other: Value, ty: Type) -> Option<Found> {
        if then == other {
            return Some(Found::Value(then));
        }
        if let Some(bits) = self.splat_bits(cond) {
            return Some(Found::Value(if bits != 0 { then } else { other }));
        }
        if let Some(InstKind::Unary {
            op: UnaryOp::Not,
            arg,
        }) = self.kind_of(cond)
        {
            return Some(Found::Kind(InstKind::Select {
                cond: *arg,
                then: other,
                other: then,
            }));
        }
        if ty.scalar == Scalar::Bool && self.func.ty(cond).lanes == ty.lanes {
            let flags = FloatFlags::empty();
            match (self.splat_bits(then), self.splat_bits(other)) {
                (Some(1), Some(0)) => return Some(Found::Value(cond)),
                (Some(0), Some(1)) => {
                    let op = UnaryOp::Not;
                    return Some(Found::Kind(InstKind::Unary { op, arg: cond }));
                }
                (Some(1), None) => {
                    let (op, args) = (BinaryOp::Or, [cond, other]);
                    return Some(Found::Kind(InstKind::Binary { op, args, flags }));
                }
                (None, Some(0)) => {
                    let (op, args) = (BinaryOp::And, [cond, then]);
                    return Some(Found::Kind(InstKind::Binary { op, args, flags }));
                }
                _ => {}
            }
        }
        None
    }

    fn convert_rule(&mut self, op: ConvertOp, arg: Value, ty: Type) -> Option<Found> {
        let from = self.func.ty(arg);
        if op == ConvertOp::Bitcast && from == ty {
            return Some(Found::Value(arg));
        }
        let InstKind::Convert {
            op: inner,
            arg: source,
            rounding: None,
        } = *self.kind_of(arg)?
        else {
            return None;
        };
        let origin = self.func.ty(source);
        let again = |op: ConvertOp| {
            if origin == ty {
                Found::Value(source)
            } else {
                Found::Kind(InstKind::Convert {
                    op,
                    arg: source,
                    rounding: None,
                })
            }
        };
        match (inner, op) {
            (ConvertOp::ZExt, ConvertOp::ZExt | ConvertOp::SExt) => Some(again(ConvertOp::ZExt)),
            (ConvertOp::SExt, ConvertOp::SExt) => Some(again(ConvertOp::SExt)),
            (ConvertOp::Trunc, ConvertOp::Trunc) => Some(again(ConvertOp::Trunc)),
            (ConvertOp::ZExt | ConvertOp::SExt, ConvertOp::Trunc) => {
                Some(again(if origin.scalar.bits() > ty.scalar.bits() {
                    ConvertOp::Trunc
                } else {
                    inner
                }))
            }
            (ConvertOp::Bitcast, ConvertOp::Bitcast) => Some(again(ConvertOp::Bitcast)),
            // A pointer's number and back, in one address space.
            (ConvertOp::PtrToInt, ConvertOp::IntToPtr) if origin == ty => {
                Some(Found::Value(source))
            }
            (ConvertOp::IntToPtr, ConvertOp::PtrToInt) => Some(Found::Value(source)),
            // Not from generic and back: that way a pointer into another space changes.
            (ConvertOp::AddressSpaceCast, ConvertOp::AddressSpaceCast)
                if origin == ty && ty != Type::ptr(AddressSpace::Generic) =>
            {
                Some(Found::Value(source))
            }
            // Widening is exact, so rounding back gives the same number.
            (ConvertOp::FToF, ConvertOp::FToF)
                if origin == ty && from.scalar.bits() > ty.scalar.bits() =>
            {
                Some(Found::Value(source))
            }
            _ => None,
        }
    }
}

/// Returns whether a float is plus or minus a power of two and normal.
fn is_normal_power(scalar: Scalar, bits: u64) -> bool {
    let (mantissa, exponents) = match scalar {
        Scalar::F16 => (10, 31),
        Scalar::F32 => (23, 255),
        _ => (52, 2047),
    };
    let field = bits >> mantissa & exponents;
    bits & ((1 << mantissa) - 1) == 0 && field != 0 && field != exponents
}
