//! Comparisons.
use super::Sema;
use super::typed::{CompareOp, ExprId, ExprKind};
use crate::lang::types::{OpaqueKind, TypeId, TypeTable};
use crate::parse::ast::BinaryOp;
use crate::source::Span;

impl Sema<'_> {
    /// `lhs op rhs`, a comparison.
    pub(super) fn comparison(
        &mut self,
        op: CompareOp,
        op_span: Span,
        lhs: ExprId,
        rhs: ExprId,
        span: Span,
    ) -> Option<ExprId> {
        let (left, right) = (self.ty(lhs), self.ty(rhs));
        let types = &self.module.types;
        if types.is_pointer(left) || types.is_pointer(right) {
            let result = self.pointer_compare(op, lhs, rhs, op_span, span)?;
            return Some(self.bool_to_int(result));
        }
        if let Some((lhs, rhs)) = self.comparable_handles(op, lhs, rhs) {
            let result = self.mk(ExprKind::Compare { op, lhs, rhs }, TypeTable::BOOL, span);
            return Some(self.bool_to_int(result));
        }
        let types = &self.module.types;
        let (left_elem, _) = types.elem_lanes(left);
        let (right_elem, _) = types.elem_lanes(right);
        if !types.is_arithmetic(left_elem) || !types.is_arithmetic(right_elem) {
            self.invalid_operands(left, right, op_span);
            return None;
        }
        self.warn_sign_compare(lhs, rhs, op_span);
        let (lhs, rhs, ty) = self.unify(lhs, rhs, op_span)?;
        self.check_half_arith(ty, op_span)?;
        if self.module.types.is_vector(ty) {
            let result = self.truth_vector(ty);
            return Some(self.mk(ExprKind::Compare { op, lhs, rhs }, result, span));
        }
        let result = self.mk(ExprKind::Compare { op, lhs, rhs }, TypeTable::BOOL, span);
        Some(self.bool_to_int(result))
    }

    /// The operands of `==` or `!=` between two device events, two queues, or one of these and its
    /// null value.
    fn comparable_handles(
        &mut self,
        op: CompareOp,
        lhs: ExprId,
        rhs: ExprId,
    ) -> Option<(ExprId, ExprId)> {
        if !matches!(op, CompareOp::Eq | CompareOp::Ne) {
            return None;
        }
        let (left, right) = (self.ty(lhs), self.ty(rhs));
        match (
            self.is_comparable_handle(left),
            self.is_comparable_handle(right),
        ) {
            (true, true) => (left == right).then_some((lhs, rhs)),
            (true, false) if self.is_null_constant(rhs) => {
                let at = self.span(rhs);
                Some((lhs, self.mk(ExprKind::Zero, left, at)))
            }
            (false, true) if self.is_null_constant(lhs) => {
                let at = self.span(lhs);
                Some((self.mk(ExprKind::Zero, right, at), rhs))
            }
            _ => None,
        }
    }

    fn is_comparable_handle(&self, ty: TypeId) -> bool {
        let kind = self.module.types.opaque(ty);
        matches!(kind, Some(OpaqueKind::ClkEvent | OpaqueKind::Queue))
    }
}

/// The comparison that an operator of the syntax tree stands for.
pub(super) fn operator(op: BinaryOp) -> Option<CompareOp> {
    Some(match op {
        BinaryOp::Lt => CompareOp::Lt,
        BinaryOp::Gt => CompareOp::Gt,
        BinaryOp::Le => CompareOp::Le,
        BinaryOp::Ge => CompareOp::Ge,
        BinaryOp::Eq => CompareOp::Eq,
        BinaryOp::Ne => CompareOp::Ne,
        _ => return None,
    })
}
