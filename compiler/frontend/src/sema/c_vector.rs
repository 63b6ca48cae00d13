//! C compilers' functions on the lanes of vectors: `__builtin_shufflevector`, `__builtin_elementwise_max`.
use super::Sema;
use super::typed::{ArithOp, ExprId, ExprKind, NO_LANE};
use crate::builtins::{Elementwise, Reduction};
use crate::lang::types::TypeTable;
use crate::parse::ast;
use crate::source::Span;

impl<'a> Sema<'a> {
    /// `__builtin_convertvector(e, T)`: each lane as C converts scalars.
    pub(super) fn converted_vector(
        &mut self,
        operand: ast::ExprId,
        name: ast::TypeNameId,
        span: Span,
    ) -> Option<ExprId> {
        let (value, named) = (self.rvalue(operand), self.type_name(name));
        let (value, to) = (value?, named?.q.ty);
        let types = &self.module.types;
        let message = match (types.vector_parts(self.ty(value)), types.vector_parts(to)) {
            (None, _) => "first argument to __builtin_convertvector must be a vector",
            (_, None) => "second argument to __builtin_convertvector must be a vector type",
            (Some((_, have)), Some((_, want))) if have != want => {
                "first two arguments to __builtin_convertvector must have the same number of elements"
            }
            _ => return Some(self.arith_convert(value, to)),
        };
        self.error(span, message);
        None
    }

    /// `__builtin_shufflevector(a, b, 0, 5, …)`, or `__builtin_shufflevector(a, numbers)`.
    pub(super) fn shuffled(&mut self, args: &[ExprId], rparen: Span, span: Span) -> Option<ExprId> {
        (self.check_argument_count("function", args, 2..=usize::MAX, rparen)).ok()?;
        let (first, second) = (args[0], args[1]);
        let types = &self.module.types;
        let (Some((elem, lanes)), Some((other, _))) = (
            types.vector_parts(self.ty(first)),
            types.vector_parts(self.ty(second)),
        ) else {
            let message = "first two arguments to '__builtin_shufflevector' must be vectors";
            self.error(span, message);
            return None;
        };
        let numbers = args.len() == 2
            && types.is_integer(other)
            && types.elem_lanes(self.ty(second)).1 == lanes;
        let pair = args.len() > 2 && self.ty(first) == self.ty(second);
        if !numbers && !pair {
            let message =
                "first two arguments to '__builtin_shufflevector' must have the same type";
            self.error(span, message);
            return None;
        }
        self.within_function(span)?;
        if numbers {
            return Some(self.shuffled_by(first, second, span));
        }
        let picked = self.lane_numbers(&args[2..], lanes, span)?;
        if !matches!(picked.len(), 1 | 2 | 3 | 4 | 8 | 16) {
            let message = format!(
                "'__builtin_shufflevector' gives {} elements; OpenCL C has vectors of 2, 3, 4, 8 and 16",
                picked.len()
            );
            self.error(span, message);
            return None;
        }
        let mut steps = Vec::new();
        let sources = [self.kept(first, &mut steps), self.kept(second, &mut steps)];
        let whole = |lanes_of: usize, sema: &mut Self| sema.local_value(sources[lanes_of], span);
        let of = |lane: u8| usize::from(lane != NO_LANE && lane >= lanes);
        let known = || picked.iter().filter(|lane| **lane != NO_LANE);
        let source = known().next().map_or(0, |&lane| of(lane));
        let ty = self.module.types.lanes(elem, picked.len() as u8);
        let value = if known().all(|&lane| of(lane) == source) {
            let own = |&lane: &u8| match lane {
                NO_LANE => NO_LANE,
                lane if source == 1 => lane - lanes,
                lane => lane,
            };
            let lanes = picked.iter().map(own).collect();
            let base = whole(source, self);
            self.mk(ExprKind::Swizzle { base, lanes }, ty, span)
        } else {
            let mut parts = Vec::with_capacity(picked.len());
            for &lane in &picked {
                let base = whole(of(lane), self);
                let lane = match lane {
                    NO_LANE => NO_LANE,
                    lane => lane % lanes,
                };
                let lanes = vec![lane];
                parts.push(self.mk(ExprKind::Swizzle { base, lanes }, elem, span));
            }
            self.mk(ExprKind::VectorBuild(parts), ty, span)
        };
        Some(self.after_steps(steps, value))
    }

    /// The numbers of lanes that are picked from two vectors of `lanes` lanes; -1 is any.
    fn lane_numbers(&mut self, args: &[ExprId], lanes: u8, span: Span) -> Option<Vec<u8>> {
        let mut picked = Vec::with_capacity(args.len());
        for &arg in args {
            let integer = self.module.types.is_integer(self.ty(arg));
            let Some(number) = self.constant_number(arg).filter(|_| integer) else {
                let message = "index for __builtin_shufflevector must be a constant integer";
                self.error(span, message);
                return None;
            };
            picked.push(match number {
                -1 => NO_LANE,
                0.. if number < i128::from(lanes) * 2 => number as u8,
                _ => {
                    let message = "index for __builtin_shufflevector must be less than the total number of vector elements";
                    self.error(span, message);
                    return None;
                }
            });
        }
        Some(picked)
    }

    /// The lanes of a vector by the low bits of the numbers in another.
    fn shuffled_by(&mut self, vector: ExprId, numbers: ExprId, span: Span) -> ExprId {
        let (elem, lanes) = self.module.types.elem_lanes(self.ty(vector));
        let numbers_ty = self.ty(numbers);
        let mask = u64::from(lanes.next_power_of_two() - 1);
        let mask = self.number(mask, numbers_ty, span);
        let numbers = self.arith_of(ArithOp::And, numbers, mask);
        let words = self.module.types.vector(TypeTable::UINT, lanes);
        let numbers = self.arith_convert(numbers, words);
        let mut steps = Vec::new();
        let kept = [
            self.kept(vector, &mut steps),
            self.kept(numbers, &mut steps),
        ];
        let mut parts = Vec::with_capacity(usize::from(lanes));
        for lane in 0..lanes {
            let [base, numbers] = kept.map(|local| self.local_value(local, span));
            let own = ExprKind::Swizzle {
                base: numbers,
                lanes: vec![lane],
            };
            let index = self.mk(own, TypeTable::UINT, span);
            parts.push(self.mk(ExprKind::ExtractLane { base, index }, elem, span));
        }
        let ty = self.ty(vector);
        let value = self.mk(ExprKind::VectorBuild(parts), ty, span);
        self.after_steps(steps, value)
    }

    /// A call of one of `__builtin_elementwise_`.
    pub(super) fn elementwise_call(
        &mut self,
        function: Elementwise<'a>,
        args: &[ExprId],
        rparen: Span,
        span: Span,
    ) -> Option<ExprId> {
        let count = function.arguments;
        (self.check_argument_count("function", args, count..=count, rparen)).ok()?;
        let mut args = args.to_vec();
        if let [a, b] = args[..] {
            let types = &self.module.types;
            let scalars = types.is_arithmetic(self.ty(a)) && types.is_arithmetic(self.ty(b));
            if scalars && self.ty(a) != self.ty(b) {
                let (a, b, _) = self.unify(a, b, span)?;
                args = vec![a, b];
            }
        }
        let first = self.ty(args[0]);
        let (elem, _) = self.module.types.elem_lanes(first);
        let types = &self.module.types;
        let integer = types.is_integer(elem) && (!function.signed || types.is_signed(elem));
        let name = match (integer, types.is_float(elem)) {
            (true, _) => function.integer,
            (_, true) => function.float,
            _ => None,
        };
        let Some(name) = name else {
            let wanted = match function {
                _ if !types.is_arithmetic(elem) && function.integer.is_some() => {
                    "a vector, integer or floating point type"
                }
                Elementwise { signed: true, .. } => "a signed integer or floating point type",
                Elementwise { integer: None, .. } => "a floating point type",
                _ => "an integer type",
            };
            let message = format!("1st argument must be {wanted} (was {})", self.show(first));
            self.error(self.span(args[0]), message);
            return None;
        };
        if let Some(&other) = args[1..].iter().find(|&&arg| self.ty(arg) != first) {
            let (a, b) = (self.show(first), self.show(self.ty(other)));
            let message = format!("arguments are of different types ({a} vs {b})");
            self.error(self.span(args[0]), message);
            return None;
        }
        self.check_half_arith(first, span)?;
        self.within_function(span)?;
        if name == "bit_reverse" {
            // Here it needs no extension.
            return Some(self.row_call(name, args, first, span));
        }
        let value = self.call_table(name, &args, [rparen, span, span])?;
        // The magnitude of a signed integer is unsigned in OpenCL C.
        Some(self.arith_convert(value, first))
    }

    /// A call of one of `__builtin_reduce_`.
    pub(super) fn reduced(
        &mut self,
        op: Reduction,
        args: &[ExprId],
        rparen: Span,
        span: Span,
    ) -> Option<ExprId> {
        (self.check_argument_count("function", args, 1..=1, rparen)).ok()?;
        let (vector, ty) = (args[0], self.ty(args[0]));
        let floats = matches!(op, Reduction::Max | Reduction::Min);
        let types = &self.module.types;
        let wanted = match types.vector_parts(ty) {
            Some((elem, _)) if types.is_integer(elem) || floats => None,
            None if floats => Some("a vector type"),
            _ => Some("a vector of integers"),
        };
        if let Some(wanted) = wanted {
            let message = format!("1st argument must be {wanted} (was {})", self.show(ty));
            self.error(self.span(vector), message);
            return None;
        }
        self.check_half_arith(ty, span)?;
        self.within_function(span)?;
        let (elem, mut lanes) = self.module.types.elem_lanes(ty);
        let mut steps = Vec::new();
        let mut rest = vector;
        while lanes > 1 {
            let kept = self.kept(rest, &mut steps);
            let part = |sema: &mut Self, from: u8, count: u8| {
                let base = sema.local_value(kept, span);
                let ty = sema.module.types.lanes(elem, count);
                let lanes = (from..from + count).collect();
                sema.mk(ExprKind::Swizzle { base, lanes }, ty, span)
            };
            let half = lanes / 2;
            let (low, high) = (part(self, 0, half), part(self, half, half));
            rest = self.reduction(op, low, high)?;
            if lanes % 2 == 1 {
                let last = part(self, lanes - 1, 1);
                rest = self.reduction(op, rest, last)?;
            }
            lanes = half;
        }
        Some(self.after_steps(steps, rest))
    }

    /// Two values of one type brought together.
    fn reduction(&mut self, op: Reduction, lhs: ExprId, rhs: ExprId) -> Option<ExprId> {
        let arith = match op {
            Reduction::Add => ArithOp::Add,
            Reduction::Mul => ArithOp::Mul,
            Reduction::And => ArithOp::And,
            Reduction::Or => ArithOp::Or,
            Reduction::Xor => ArithOp::Xor,
            Reduction::Max | Reduction::Min => {
                let (elem, _) = self.module.types.elem_lanes(self.ty(lhs));
                let float = self.module.types.is_float(elem);
                let name = match (op, float) {
                    (Reduction::Max, false) => "max",
                    (Reduction::Max, true) => "fmax",
                    (_, false) => "min",
                    (_, true) => "fmin",
                };
                return self.call_table(name, &[lhs, rhs], [self.span(lhs); 3]);
            }
        };
        Some(self.arith_of(arith, lhs, rhs))
    }
}
