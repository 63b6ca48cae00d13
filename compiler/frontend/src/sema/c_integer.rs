//! C compilers' functions on the bits of integers: `__builtin_bswap32`, `__builtin_popcount`.
use super::Sema;
use super::const_eval::Value;
use super::convert::Purpose;
use super::typed::{ArithOp, ConvertKind, ExprId, ExprKind};
use crate::builtins::{self, IntegerOp};
use crate::lang::types::{IntKind, TypeId, TypeTable};
use crate::source::Span;

impl Sema<'_> {
    /// A call of a function on integers of type `ty`: a number if the arguments are constant.
    pub(super) fn integer_call(
        &mut self,
        (op, ty): (IntegerOp, TypeId),
        args: &[ExprId],
        rparen: Span,
        span: Span,
    ) -> Option<ExprId> {
        let count = op.arguments();
        (self.check_argument_count("function", args, count..=count, rparen)).ok()?;
        let mut values = Vec::with_capacity(count);
        for &arg in args {
            values.push(self.assign_convert(arg, ty, Purpose::Argument(None))?);
        }
        let result = if op.keeps_type() { ty } else { TypeTable::INT };
        if let Some(number) = self.folded(op, &values) {
            return Some(self.number(number, result, span));
        }
        self.within_function(span)?;
        let value = match values[..] {
            [value, by] => {
                let by = match op {
                    IntegerOp::RotateRight => self.negate(by, span),
                    _ => by,
                };
                self.row_call("rotate", vec![value, by], ty, span)
            }
            _ => self.integer_op(op, values[0], span),
        };
        Some(self.arith_convert(value, result))
    }

    /// The result for constants.
    fn folded(&self, op: IntegerOp, values: &[ExprId]) -> Option<u64> {
        let numbers: Option<Vec<u64>> = (values.iter())
            .map(|&value| match self.eval(value)? {
                Value::Int(bits) => Some(bits),
                _ => None,
            })
            .collect();
        let width = self.module.types.size(self.ty(*values.first()?)) as u32 * 8;
        Some(fold(op, &numbers?, width))
    }

    /// A call of a row of the table on operands of its types, be it available or not.
    pub(super) fn row_call(
        &mut self,
        name: &str,
        args: Vec<ExprId>,
        ty: TypeId,
        span: Span,
    ) -> ExprId {
        let id = builtins::row_of(name).expect("a function of the table");
        self.mk(ExprKind::Builtin { id, args }, ty, span)
    }

    /// The operation of one operand, as operators and functions of the table.
    fn integer_op(&mut self, op: IntegerOp, value: ExprId, span: Span) -> ExprId {
        let ty = self.ty(value);
        let width = self.module.types.size(ty) * 8;
        let call = |sema: &mut Self, name, value| sema.row_call(name, vec![value], ty, span);
        match op {
            IntegerOp::Abs => {
                let unsigned = TypeTable::int(IntKind::of(width as u32, false));
                self.row_call("abs", vec![value], unsigned, span)
            }
            IntegerOp::ReverseBits => call(self, "bit_reverse", value),
            IntegerOp::SwapBytes => self.swapped_bytes(value, span),
            IntegerOp::PopCount => call(self, "popcount", value),
            IntegerOp::LeadingZeros => call(self, "clz", value),
            IntegerOp::TrailingZeros => call(self, "ctz", value),
            IntegerOp::Parity => {
                let count = call(self, "popcount", value);
                let one = self.number(1, ty, span);
                self.arith_of(ArithOp::And, count, one)
            }
            // The bit alone is x & -x, and no bit has `width` zeros above it.
            IntegerOp::FirstSet => {
                let mut statements = Vec::new();
                let kept = self.kept(value, &mut statements);
                let (plain, other) = (self.local_value(kept, span), self.local_value(kept, span));
                let negative = self.negate(other, span);
                let alone = self.arith_of(ArithOp::And, plain, negative);
                let above = call(self, "clz", alone);
                let all = self.number(width, ty, span);
                let result = self.arith_of(ArithOp::Sub, all, above);
                self.after_steps(statements, result)
            }
            // Copies of the sign become zeros, and the sign itself is no copy.
            IntegerOp::SignCopies => {
                let mut statements = Vec::new();
                let kept = self.kept(value, &mut statements);
                let (plain, other) = (self.local_value(kept, span), self.local_value(kept, span));
                let by = self.number(width - 1, ty, span);
                let sign = self.arith_of(ArithOp::Shr, other, by);
                let changes = self.arith_of(ArithOp::Xor, plain, sign);
                let zeros = call(self, "clz", changes);
                let one = self.number(1, ty, span);
                let result = self.arith_of(ArithOp::Sub, zeros, one);
                self.after_steps(statements, result)
            }
            IntegerOp::RotateLeft | IntegerOp::RotateRight => unreachable!("two operands"),
        }
    }

    /// Bytes in the opposite order. A word is two rotations, of which each gives every second byte.
    fn swapped_bytes(&mut self, value: ExprId, span: Span) -> ExprId {
        let ty = self.ty(value);
        let rotated = |sema: &mut Self, value, by| {
            let ty = sema.ty(value);
            let by = sema.number(by, ty, span);
            sema.row_call("rotate", vec![value, by], ty, span)
        };
        let words = match self.module.types.size(ty) {
            2 => return rotated(self, value, 8),
            4 => value,
            _ => {
                let pair = self.module.types.vector(TypeTable::UINT, 2);
                let pair = self.convert(ConvertKind::Bitcast, value, pair);
                let base_ty = self.ty(pair);
                let lanes = vec![1, 0];
                self.mk(ExprKind::Swizzle { base: pair, lanes }, base_ty, span)
            }
        };
        let words_ty = self.ty(words);
        let mut statements = Vec::new();
        let kept = self.kept(words, &mut statements);
        let mut half = |by, bytes| {
            let whole = self.local_value(kept, span);
            let whole = rotated(self, whole, by);
            let mask = self.number(bytes, words_ty, span);
            self.arith_of(ArithOp::And, whole, mask)
        };
        let (odd, even) = (half(8, 0x00ff_00ff), half(24, 0xff00_ff00));
        let swapped = self.arith_of(ArithOp::Or, odd, even);
        let swapped = self.after_steps(statements, swapped);
        match words_ty == ty {
            true => swapped,
            false => self.convert(ConvertKind::Bitcast, swapped, ty),
        }
    }
}

/// The result on numbers of `width` bits, zero-extended.
fn fold(op: IntegerOp, numbers: &[u64], width: u32) -> u64 {
    let shift = 64 - width;
    let (value, high) = (numbers[0], numbers[0] << shift);
    let signed = (high as i64) >> shift;
    let rotated = |by: u64| {
        let by = (by % u64::from(width)) as u32;
        value << by | value.checked_shr(width - by).unwrap_or(0)
    };
    match op {
        IntegerOp::Abs => signed.unsigned_abs(),
        IntegerOp::ReverseBits => high.reverse_bits(),
        IntegerOp::SwapBytes => high.swap_bytes(),
        IntegerOp::RotateLeft => rotated(numbers[1]),
        IntegerOp::RotateRight => rotated(numbers[1].wrapping_neg()),
        IntegerOp::PopCount => u64::from(value.count_ones()),
        IntegerOp::Parity => u64::from(value.count_ones() & 1),
        IntegerOp::LeadingZeros => u64::from(high.leading_zeros().min(width)),
        IntegerOp::TrailingZeros => u64::from(value.trailing_zeros().min(width)),
        IntegerOp::FirstSet if value == 0 => 0,
        IntegerOp::FirstSet => u64::from(value.trailing_zeros() + 1),
        IntegerOp::SignCopies => u64::from((signed ^ signed >> 63).leading_zeros() - 1 - shift),
    }
}

#[cfg(test)]
mod tests {
    use super::{IntegerOp, fold};

    #[test]
    fn edges() {
        let one = |op, value, width| fold(op, &[value], width);
        assert_eq!(one(IntegerOp::SignCopies, 0, 32), 31);
        assert_eq!(one(IntegerOp::SignCopies, 0xffff_ffff, 32), 31);
        assert_eq!(one(IntegerOp::SignCopies, 0x8000_0000, 32), 0);
        assert_eq!(one(IntegerOp::LeadingZeros, 0, 16), 16);
        assert_eq!(one(IntegerOp::LeadingZeros, 1, 64), 63);
        assert_eq!(one(IntegerOp::TrailingZeros, 0, 64), 64);
        assert_eq!(one(IntegerOp::SwapBytes, 0x1234, 16), 0x3412);
        assert_eq!(one(IntegerOp::ReverseBits, 0x07, 8), 0xe0);
        assert_eq!(one(IntegerOp::FirstSet, 0x8000_0000, 32), 32);
        assert_eq!(fold(IntegerOp::RotateLeft, &[0x81, 9], 8) & 0xff, 0x03);
        assert_eq!(fold(IntegerOp::RotateRight, &[0x81, 0], 8) & 0xff, 0x81);
        assert_eq!(fold(IntegerOp::RotateLeft, &[1 << 63, 1], 64), 1);
    }
}
