//! C compilers' functions that tell whether a result fits: `__builtin_add_overflow`, `__builtin_addc`.
use super::Sema;
use super::convert::Purpose;
use super::typed::{ArithOp, CompareOp, ExprId, ExprKind, LocalId, LvalueId, StmtId, StmtKind};
use crate::builtins::ExactOp;
use crate::lang::types::{AddrSpace, IntKind, QualType, Quals, Type, TypeId, TypeTable};
use crate::source::Span;

/// The integers of so many bits, or a range that needs them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Range {
    signed: bool,
    bits: u32,
}

impl Range {
    /// The least range that holds two.
    fn with(self, other: Self) -> Self {
        let signed = self.signed || other.signed;
        let bits = |range: Self| range.bits + u32::from(signed && !range.signed);
        Self {
            signed,
            bits: bits(self).max(bits(other)),
        }
    }

    /// The range of the exact results of an operator.
    fn of(op: ExactOp, a: Self, b: Self) -> Self {
        let both = a.with(b);
        match op {
            ExactOp::Add => Self {
                bits: both.bits + 1,
                ..both
            },
            ExactOp::Sub => Self {
                signed: true,
                bits: both.bits + 1,
            },
            ExactOp::Mul => Self {
                bits: a.bits + b.bits,
                ..both
            },
        }
    }

    /// The type of `bits` bits whose values include the range.
    fn within(self, bits: u32) -> Option<TypeId> {
        (self.bits <= bits).then(|| TypeTable::int(IntKind::of(bits, self.signed)))
    }
}

/// The outcome of one call.
struct Exact {
    /// The result's low bits.
    value: LocalId,
    /// Bool: the result does not fit.
    overflow: ExprId,
}

impl Sema<'_> {
    /// A call of an overflow function; its value is a Bool.
    pub(super) fn overflow_call(
        &mut self,
        text: &str,
        (op, ty): (ExactOp, Option<TypeId>),
        args: &[ExprId],
        rparen: Span,
        span: Span,
    ) -> Option<ExprId> {
        (self.check_argument_count("function", args, 3..=3, rparen)).ok()?;
        let (mut a, mut b, target) = (args[0], args[1], args[2]);
        let target = match ty {
            Some(ty) => {
                a = self.assign_convert(a, ty, Purpose::Argument(None))?;
                b = self.assign_convert(b, ty, Purpose::Argument(None))?;
                self.output_pointer(text, target, ty)?
            }
            None => {
                for operand in [a, b] {
                    self.exact_operand(operand)?;
                }
                self.exact_target(target)?
            }
        };
        self.within_function(span)?;
        let mut steps = Vec::new();
        let operands = [self.kept(a, &mut steps), self.kept(b, &mut steps)];
        let pointer = self.kept(target, &mut steps);
        let target = self.output(pointer, span)?;
        let result = self.body.lvalue(target).ty.ty;
        let exact = self.exact(op, operands, result, &mut steps, span);
        let overflow = self.kept(exact.overflow, &mut steps);
        let value = self.local_value(exact.value, span);
        self.write_output(target, value, &mut steps);
        let overflow = self.local_value(overflow, span);
        Some(self.after_steps(steps, overflow))
    }

    /// A call of `__builtin_addc` or its kin.
    pub(super) fn carry_call(
        &mut self,
        text: &str,
        (op, ty): (ExactOp, TypeId),
        args: &[ExprId],
        rparen: Span,
        span: Span,
    ) -> Option<ExprId> {
        (self.check_argument_count("function", args, 4..=4, rparen)).ok()?;
        let mut operands = Vec::with_capacity(3);
        for &arg in &args[..3] {
            operands.push(self.assign_convert(arg, ty, Purpose::Argument(None))?);
        }
        let target = self.output_pointer(text, args[3], ty)?;
        self.within_function(span)?;
        let mut steps = Vec::new();
        let mut locals = Vec::with_capacity(3);
        for operand in operands {
            locals.push(self.kept(operand, &mut steps));
        }
        let pointer = self.kept(target, &mut steps);
        let target = self.output(pointer, span)?;
        let first = self.wrapped(op, [locals[0], locals[1]], &mut steps, span);
        let second = self.wrapped(op, [first.value, locals[2]], &mut steps, span);
        let carries = [first.overflow, second.overflow];
        let [first, other] = carries.map(|carry| self.arith_convert(carry, ty));
        let carry = self.arith_of(ArithOp::Or, first, other);
        let carry = self.kept(carry, &mut steps);
        let carry = self.local_value(carry, span);
        self.write_output(target, carry, &mut steps);
        let value = self.local_value(second.value, span);
        Some(self.after_steps(steps, value))
    }

    /// Refuses an operand that is no integer.
    fn exact_operand(&self, operand: ExprId) -> Option<()> {
        let ty = self.ty(operand);
        if self.module.types.is_integer(ty) {
            return Some(());
        }
        let message = format!(
            "operand argument to overflow builtin must be an integer ({} invalid)",
            self.show(ty)
        );
        self.error(self.span(operand), message);
        None
    }

    /// The pointer to the result of a function that takes any integer types.
    fn exact_target(&self, pointer: ExprId) -> Option<ExprId> {
        let ty = self.ty(pointer);
        let types = &self.module.types;
        let good = types.pointer_parts(ty).is_some_and(|(to, space)| {
            let quals = to.quals.contains(Quals::CONST) || space == AddrSpace::Constant;
            types.is_integer(to.ty) && !quals
        });
        if good {
            return Some(pointer);
        }
        let message = format!(
            "result argument to overflow builtin must be a pointer to a non-const integer ({} invalid)",
            self.show(ty)
        );
        self.error(self.span(pointer), message);
        None
    }

    /// A pointer into any address space as one to a `ty` that is written.
    fn output_pointer(&mut self, text: &str, pointer: ExprId, ty: TypeId) -> Option<ExprId> {
        self.check_written(text, pointer)?;
        let parts = self.module.types.pointer_parts(self.ty(pointer));
        let space = parts.map_or(self.default_pointee_space(), |(_, space)| space);
        let to = self.module.types.pointer(QualType::plain(ty), space);
        self.assign_convert(pointer, to, Purpose::Argument(None))
    }

    /// The object behind a pointer.
    fn output(&mut self, pointer: LocalId, span: Span) -> Option<LvalueId> {
        let pointer = self.local_value(pointer, span);
        self.deref_lvalue(pointer, span)
    }

    /// Stores a value, cut to the target's type.
    fn write_output(&mut self, lvalue: LvalueId, value: ExprId, steps: &mut Vec<StmtId>) {
        let (ty, span) = (self.body.lvalue(lvalue).ty.ty, self.span(value));
        let value = self.cut(value, ty);
        let store = self.mk(ExprKind::Assign { lvalue, value }, ty, span);
        steps.push(self.mk_stmt(StmtKind::Expr(store), span));
    }

    /// The low bits of an integer as another type; of a bool there is one.
    fn cut(&mut self, value: ExprId, ty: TypeId) -> ExprId {
        if *self.module.types.get(ty) != Type::Bool {
            return self.arith_convert(value, ty);
        }
        let (from, span) = (self.ty(value), self.span(value));
        if from == ty {
            return value;
        }
        let one = self.number(1, from, span);
        let bit = self.arith_of(ArithOp::And, value, one);
        self.arith_convert(bit, ty)
    }

    fn range(&self, ty: TypeId) -> Range {
        match self.module.types.int_kind(ty) {
            Some(kind) => Range {
                signed: kind.signed(),
                bits: kind.bits(),
            },
            // A bool.
            None => Range {
                signed: false,
                bits: 1,
            },
        }
    }

    /// The exact result in the narrowest arithmetic that decides whether it has the type `result`.
    fn exact(
        &mut self,
        op: ExactOp,
        operands: [LocalId; 2],
        result: TypeId,
        steps: &mut Vec<StmtId>,
        span: Span,
    ) -> Exact {
        let [a, b] = operands.map(|local| self.range(self.body.local(local).ty.ty));
        let whole = Range::of(op, a, b);
        let common = a.with(b).with(self.range(result));
        // Where the exact result may be wider than the type, an overflow of the type itself is found;
        // that type must then have all values of the result.
        let choices = [
            (whole.within(32), false),
            (common.within(32), true),
            (whole.within(64), false),
            (common.within(64), true),
        ];
        let chosen = choices.into_iter().find_map(|(ty, may)| Some((ty?, may)));
        let Some((ty, may_wrap)) = chosen else {
            return self.two_words(op, operands, result, steps, span);
        };
        let operands = operands.map(|local| {
            let value = self.local_value(local, span);
            let value = self.arith_convert(value, ty);
            self.kept(value, steps)
        });
        if may_wrap {
            let exact = self.wrapped(op, operands, steps, span);
            let overflow = match self.misfit(exact.value, result, span) {
                Some(misfit) => self.either(exact.overflow, misfit, steps),
                None => exact.overflow,
            };
            return Exact { overflow, ..exact };
        }
        let [lhs, rhs] = operands.map(|local| self.local_value(local, span));
        let value = self.arith_of(arith(op), lhs, rhs);
        let value = self.kept(value, steps);
        let misfit = self.misfit(value, result, span);
        let never = |sema: &mut Self| sema.mk(ExprKind::Int(0), TypeTable::BOOL, span);
        Exact {
            value,
            overflow: misfit.unwrap_or_else(|| never(self)),
        }
    }

    /// The result of operands of one type in that type, and whether it wrapped.
    fn wrapped(
        &mut self,
        op: ExactOp,
        [a, b]: [LocalId; 2],
        steps: &mut Vec<StmtId>,
        span: Span,
    ) -> Exact {
        let ty = self.body.local(a).ty.ty;
        let signed = self.module.types.is_signed(ty);
        let width = self.module.types.size(ty) * 8;
        let (lhs, rhs) = (self.local_value(a, span), self.local_value(b, span));
        let value = self.arith_of(arith(op), lhs, rhs);
        let value = self.kept(value, steps);
        let read = |sema: &mut Self, local| sema.local_value(local, span);
        let overflow = match (op, signed) {
            (ExactOp::Mul, _) => {
                let args = vec![read(self, a), read(self, b)];
                let high = self.row_call("mul_hi", args, ty, span);
                let fitting = if signed {
                    let low = read(self, value);
                    let by = self.number(width - 1, ty, span);
                    self.arith_of(ArithOp::Shr, low, by)
                } else {
                    self.number(0, ty, span)
                };
                self.compare_of(CompareOp::Ne, high, fitting)
            }
            (ExactOp::Add, false) => {
                let (sum, lhs) = (read(self, value), read(self, a));
                self.compare_of(CompareOp::Lt, sum, lhs)
            }
            (ExactOp::Sub, false) => {
                let (lhs, rhs) = (read(self, a), read(self, b));
                self.compare_of(CompareOp::Lt, lhs, rhs)
            }
            // The result's sign differs from the first operand's, and could not: the second
            // operand has the sign of the first one of a sum, the other one of a difference.
            (_, true) => {
                let (lhs, result) = (read(self, a), read(self, value));
                let changed = self.arith_of(ArithOp::Xor, lhs, result);
                let (other, rhs) = match op {
                    ExactOp::Add => (read(self, value), read(self, b)),
                    _ => (read(self, a), read(self, b)),
                };
                let against = self.arith_of(ArithOp::Xor, other, rhs);
                let both = self.arith_of(ArithOp::And, changed, against);
                let zero = self.number(0, ty, span);
                self.compare_of(CompareOp::Lt, both, zero)
            }
        };
        Exact { value, overflow }
    }

    /// Bool: a value is not in the range of the type `result`; `None` if it always is.
    fn misfit(&mut self, value: LocalId, result: TypeId, span: Span) -> Option<ExprId> {
        let ty = self.body.local(value).ty.ty;
        let (have, want) = (self.range(ty), self.range(result));
        if have.with(want) == want {
            return None;
        }
        let read = self.local_value(value, span);
        Some(match (have.signed, want.signed) {
            (true, false) if want.bits >= have.bits => {
                let zero = self.number(0, ty, span);
                self.compare_of(CompareOp::Lt, read, zero)
            }
            (false, true) => {
                let greatest = self.number(u64::MAX >> (65 - want.bits), ty, span);
                self.compare_of(CompareOp::Gt, read, greatest)
            }
            _ => {
                let whole = self.local_value(value, span);
                let cut = self.cut(whole, result);
                let back = self.arith_convert(cut, ty);
                self.compare_of(CompareOp::Ne, read, back)
            }
        })
    }

    /// The result of operands whose values no type of 64 bits has all: signed ones and unsigned
    /// ones of 64 bits. It has two words, and the result fits if it is the same two.
    fn two_words(
        &mut self,
        op: ExactOp,
        operands: [LocalId; 2],
        result: TypeId,
        steps: &mut Vec<StmtId>,
        span: Span,
    ) -> Exact {
        let words = operands.map(|local| {
            let value = self.local_value(local, span);
            let low = self.arith_convert(value, TypeTable::ULONG);
            let low = self.kept(low, steps);
            (low, self.sign_word(local, steps, span))
        });
        let [low, high] = match op {
            ExactOp::Mul => self.product_words(words, steps, span),
            _ => self.sum_words(op, words, steps, span),
        };
        let whole = self.local_value(low, span);
        let cut = self.cut(whole, result);
        let cut = self.kept(cut, steps);
        let sign = self.sign_word(cut, steps, span);
        let (cut, sign) = (self.local_value(cut, span), self.local_value(sign, span));
        let (value, back) = (
            self.local_value(low, span),
            self.arith_convert(cut, TypeTable::ULONG),
        );
        let beyond = self.compare_of(CompareOp::Ne, value, back);
        let upper = self.local_value(high, span);
        let misfit = self.compare_of(CompareOp::Ne, upper, sign);
        Exact {
            value: low,
            overflow: self.either(beyond, misfit, steps),
        }
    }

    /// All bits set if an integer is negative, else none, as a ulong.
    fn sign_word(&mut self, local: LocalId, steps: &mut Vec<StmtId>, span: Span) -> LocalId {
        let value = self.local_value(local, span);
        let sign = if self.module.types.is_signed(self.ty(value)) {
            let value = self.arith_convert(value, TypeTable::LONG);
            let by = self.number(63, TypeTable::LONG, span);
            let sign = self.arith_of(ArithOp::Shr, value, by);
            self.arith_convert(sign, TypeTable::ULONG)
        } else {
            self.number(0, TypeTable::ULONG, span)
        };
        self.kept(sign, steps)
    }

    /// The low and the high word of a sum or a difference of (low word, sign).
    fn sum_words(
        &mut self,
        op: ExactOp,
        [(a, a_sign), (b, b_sign)]: [(LocalId, LocalId); 2],
        steps: &mut Vec<StmtId>,
        span: Span,
    ) -> [LocalId; 2] {
        let low = self.wrapped(op, [a, b], steps, span);
        let carry = self.arith_convert(low.overflow, TypeTable::ULONG);
        let (left, right) = (
            self.local_value(a_sign, span),
            self.local_value(b_sign, span),
        );
        let high = self.arith_of(arith(op), left, right);
        let high = self.arith_of(arith(op), high, carry);
        [low.value, self.kept(high, steps)]
    }

    /// The low and the high word of a product of (low word, sign): that of the magnitudes, negated
    /// if the signs differ.
    fn product_words(
        &mut self,
        factors: [(LocalId, LocalId); 2],
        steps: &mut Vec<StmtId>,
        span: Span,
    ) -> [LocalId; 2] {
        let [(_, a_sign), (_, b_sign)] = factors;
        let [a, b] = factors.map(|(low, sign)| {
            let magnitude = self.negated_by(low, sign, span);
            self.kept(magnitude, steps)
        });
        let read = |sema: &mut Self, local| sema.local_value(local, span);
        let (left, right) = (read(self, a), read(self, b));
        let low = self.arith_of(ArithOp::Mul, left, right);
        let low = self.kept(low, steps);
        let args = vec![read(self, a), read(self, b)];
        let high = self.row_call("mul_hi", args, TypeTable::ULONG, span);
        let (left, right) = (read(self, a_sign), read(self, b_sign));
        let sign = self.arith_of(ArithOp::Xor, left, right);
        let sign = self.kept(sign, steps);
        // -(high, low) is ~high, and 1 more if nothing is borrowed for low.
        let (mask, zero) = (read(self, sign), self.number(0, TypeTable::ULONG, span));
        let high = self.arith_of(ArithOp::Xor, high, mask);
        let whole = read(self, low);
        let whole = self.compare_of(CompareOp::Eq, whole, zero);
        let whole = self.arith_convert(whole, TypeTable::ULONG);
        let negative = read(self, sign);
        let whole = self.arith_of(ArithOp::And, whole, negative);
        let high = self.arith_of(ArithOp::Add, high, whole);
        let high = self.kept(high, steps);
        let low = self.negated_by(low, sign, span);
        [self.kept(low, steps), high]
    }

    /// A ulong, negated if all bits of another are set, which else are none.
    fn negated_by(&mut self, value: LocalId, sign: LocalId, span: Span) -> ExprId {
        let (value, mask) = (self.local_value(value, span), self.local_value(sign, span));
        let flipped = self.arith_of(ArithOp::Xor, value, mask);
        let mask = self.local_value(sign, span);
        self.arith_of(ArithOp::Sub, flipped, mask)
    }

    /// Bool: one of two Bools, both evaluated.
    fn either(&mut self, a: ExprId, b: ExprId, steps: &mut Vec<StmtId>) -> ExprId {
        let (a, b) = (self.bool_to_int(a), self.bool_to_int(b));
        let both = self.arith_of(ArithOp::Or, a, b);
        let either = self.arith_convert(both, TypeTable::BOOL);
        let span = self.span(either);
        let kept = self.kept(either, steps);
        self.local_value(kept, span)
    }
}

/// The operator of the typed tree.
fn arith(op: ExactOp) -> ArithOp {
    match op {
        ExactOp::Add => ArithOp::Add,
        ExactOp::Sub => ArithOp::Sub,
        ExactOp::Mul => ArithOp::Mul,
    }
}
