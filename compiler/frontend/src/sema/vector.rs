//! Vectors: widening, comparison results, selection, literals.
use super::Sema;
use super::typed::{CompareOp, ConvertKind, ExprId, ExprKind};
use crate::lang::types::{Type, TypeId, TypeTable};
use crate::parse::ast;
use crate::source::Span;

impl<'a> Sema<'a> {
    /// Brings two arithmetic operands to a common type: C's usual conversions for scalars,
    /// widening of the scalar beside a vector, equality of types between vectors.
    pub(super) fn unify(
        &mut self,
        lhs: ExprId,
        rhs: ExprId,
        op_span: Span,
    ) -> Option<(ExprId, ExprId, TypeId)> {
        let (left, right) = (self.ty(lhs), self.ty(rhs));
        let types = &self.module.types;
        match (types.vector_parts(left), types.vector_parts(right)) {
            (None, None) => {
                if !types.is_arithmetic(left) || !types.is_arithmetic(right) {
                    self.invalid_operands(left, right, op_span);
                    return None;
                }
                let (left, right) = (self.promoted_value(lhs), self.promoted_value(rhs));
                let ty = self.common_type(left, right);
                Some((self.arith_convert(lhs, ty), self.arith_convert(rhs, ty), ty))
            }
            (Some(_), Some(_)) => {
                if left != right {
                    self.different_vectors(left, right, op_span);
                    return None;
                }
                Some((lhs, rhs, left))
            }
            (Some((elem, _)), None) => {
                let rhs = self.widen(rhs, elem, left, op_span)?;
                Some((lhs, rhs, left))
            }
            (None, Some((elem, _))) => {
                let lhs = self.widen(lhs, elem, right, op_span)?;
                Some((lhs, rhs, right))
            }
        }
    }

    /// Reports an operator between vectors of two types.
    fn different_vectors(&mut self, left: TypeId, right: TypeId, op_span: Span) {
        let lanes = |ty| self.module.types.elem_lanes(ty).1;
        let (a, b) = (self.show(left), self.show(right));
        let message = if lanes(left) == lanes(right) {
            format!("implicit conversions between vector types ({a} and {b}) are not permitted")
        } else {
            format!("vector operands do not have the same number of elements ({a} and {b})")
        };
        self.error(op_span, message);
    }

    /// A scalar beside a vector: converted to the element type and put into all lanes.
    fn widen(
        &mut self,
        scalar: ExprId,
        elem: TypeId,
        vector: TypeId,
        op_span: Span,
    ) -> Option<ExprId> {
        let ty = self.ty(scalar);
        let types = &self.module.types;
        if !types.is_arithmetic(ty) {
            self.invalid_operands(vector, ty, op_span);
            return None;
        }
        // OpenCL C 3.0 §6.4.6: constants are no exception, and of two integer types of one width
        // the unsigned one has the greater rank.
        let greater = match (types.int_kind(ty), types.int_kind(elem)) {
            (Some(a), Some(b)) => (a.bits(), !a.signed()) > (b.bits(), !b.signed()),
            (None, Some(_)) => types.is_float(ty),
            _ => types.float_kind(ty) > types.float_kind(elem),
        };
        if greater {
            let message = format!(
                "scalar operand type has greater rank than the type of the vector element ({} and {})",
                self.show(ty),
                self.show(vector)
            );
            let report = self.error(op_span, message);
            self.rank_hint(report, ty, elem);
            return None;
        }
        let scalar = self.arith_convert(scalar, elem);
        Some(self.convert(ConvertKind::Splat, scalar, vector))
    }

    /// The type of comparisons of vectors: signed integers of the same width.
    pub(super) fn truth_vector(&mut self, ty: TypeId) -> TypeId {
        let (elem, lanes) = self.module.types.elem_lanes(ty);
        let bits = self.module.types.size(elem) as u32 * 8;
        let int = TypeTable::int(crate::lang::types::IntKind::of(bits, true));
        self.module.types.lanes(int, lanes)
    }

    /// -1 in each lane that is not zero.
    pub(super) fn lanes_not_zero(&mut self, vector: ExprId, result: TypeId) -> ExprId {
        if let ExprKind::Compare { .. } | ExprKind::VectorLogical { .. } | ExprKind::Not(_) =
            self.body.expr(vector).kind
        {
            return vector;
        }
        let ty = self.ty(vector);
        let span = self.span(vector);
        let (elem, _) = self.module.types.elem_lanes(ty);
        let zero = self.mk(ExprKind::Int(0), TypeTable::INT, span);
        let zero = self.arith_convert(zero, elem);
        let zero = self.convert(ConvertKind::Splat, zero, ty);
        self.mk(
            ExprKind::Compare {
                op: CompareOp::Ne,
                lhs: vector,
                rhs: zero,
            },
            result,
            span,
        )
    }

    /// `cond ? then : otherwise` with a vector condition.
    pub(super) fn select(
        &mut self,
        cond: ExprId,
        then: ExprId,
        otherwise: ExprId,
        op_span: Span,
        span: Span,
    ) -> Option<ExprId> {
        let cond_ty = self.ty(cond);
        let (cond_elem, lanes) = self.module.types.vector_parts(cond_ty)?;
        if !self.module.types.is_integer(cond_elem) {
            let message = format!(
                "used type {} where floating point type is not allowed",
                self.show(cond_ty)
            );
            self.error(self.span(cond), message);
            return None;
        }
        let types = &self.module.types;
        let (left, right) = (self.ty(then), self.ty(otherwise));
        let (mut then, mut otherwise, mut ty) =
            if types.is_arithmetic(left) && types.is_arithmetic(right) {
                let ty = self.common_element(left, right);
                let then = self.arith_convert(then, ty);
                (then, self.arith_convert(otherwise, ty), ty)
            } else {
                self.unify(then, otherwise, op_span)?
            };
        if !self.module.types.is_vector(ty) {
            let elem = ty;
            ty = self.module.types.vector(elem, lanes);
            then = self.convert(ConvertKind::Splat, then, ty);
            otherwise = self.convert(ConvertKind::Splat, otherwise, ty);
        }
        let (elem, count) = self.module.types.elem_lanes(ty);
        if count != lanes {
            let message = format!(
                "vector condition type {} and result type {} do not have the same number of elements",
                self.show(cond_ty),
                self.show(ty)
            );
            self.error(op_span, message);
            return None;
        }
        if self.module.types.size(elem) != self.module.types.size(cond_elem) {
            let message = format!(
                "vector condition type {} and result type {} do not have elements of the same size",
                self.show(cond_ty),
                self.show(ty)
            );
            self.error(op_span, message);
            return None;
        }
        Some(self.mk(
            ExprKind::Select {
                cond,
                then,
                otherwise,
            },
            ty,
            span,
        ))
    }

    /// `(type)(a, b, …)` with two or more elements.
    pub(super) fn vector_literal(
        &mut self,
        name: ast::TypeNameId,
        elems: &'a [ast::ExprId],
        span: Span,
    ) -> Option<ExprId> {
        let named = self.type_name(name);
        let values: Vec<Option<ExprId>> = elems.iter().map(|&e| self.rvalue(e)).collect();
        let named = named?;
        let values: Vec<ExprId> = values.into_iter().collect::<Option<_>>()?;
        let ty = named.q.ty;
        let Some((elem, lanes)) = self.module.types.vector_parts(ty) else {
            // A comma expression in parentheses, cast.
            let (&last, rest) = values.split_last()?;
            let mut value = self.explicit_cast(last, ty, span)?;
            for &before in rest.iter().rev() {
                let kind = ExprKind::Comma {
                    lhs: before,
                    rhs: value,
                };
                value = self.mk(kind, ty, span);
            }
            return Some(value);
        };
        self.build_vector(values, ty, elem, lanes, span)
    }

    /// Scalars and vectors one after the other as a vector.
    pub(super) fn build_vector(
        &mut self,
        values: Vec<ExprId>,
        ty: TypeId,
        elem: TypeId,
        lanes: u8,
        span: Span,
    ) -> Option<ExprId> {
        self.check_half_arith(ty, span)?;
        let mut parts = Vec::with_capacity(values.len());
        let mut have: usize = 0;
        for value in values {
            let from = self.ty(value);
            match *self.module.types.get(from) {
                Type::Vector {
                    elem: from_elem,
                    len,
                } => {
                    if from_elem != elem {
                        let message = format!(
                            "initializing element of {} with an expression of incompatible type {}",
                            self.show(ty),
                            self.show(from)
                        );
                        self.error(self.span(value), message);
                        return None;
                    }
                    have += usize::from(len);
                    parts.push(value);
                }
                _ if self.module.types.is_arithmetic(from) => {
                    have += 1;
                    parts.push(self.arith_convert(value, elem));
                }
                _ => {
                    let message = format!(
                        "initializing {} with an expression of incompatible type {}",
                        self.show(elem),
                        self.show(from)
                    );
                    self.error(self.span(value), message);
                    return None;
                }
            }
        }
        let want = usize::from(lanes);
        if have != want {
            let few = if have < want { "few" } else { "many" };
            let message = format!(
                "too {few} elements in vector initialization (expected {want} elements, have {have})"
            );
            self.error(span, message);
            return None;
        }
        if parts.len() == 1 {
            return parts.pop();
        }
        Some(self.mk(ExprKind::VectorBuild(parts), ty, span))
    }
}
