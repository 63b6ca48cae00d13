//! Warnings about operators and statements that are legal but rarely meant.
use super::Sema;
use super::typed::{ExprId, ExprKind};
use crate::diagnostics::Warning;
use crate::lang::types::TypeId;
use crate::parse::ast::{self, BinaryOp};
use crate::source::Span;

/// The operator as written.
fn spelling(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::Div => "/",
        BinaryOp::Rem => "%",
        BinaryOp::Shl => "<<",
        BinaryOp::Shr => ">>",
        BinaryOp::Lt => "<",
        BinaryOp::Gt => ">",
        BinaryOp::Le => "<=",
        BinaryOp::Ge => ">=",
        BinaryOp::Eq => "==",
        BinaryOp::Ne => "!=",
        BinaryOp::BitAnd => "&",
        BinaryOp::BitXor => "^",
        BinaryOp::BitOr => "|",
        BinaryOp::And => "&&",
        BinaryOp::Or => "||",
    }
}

fn is_comparison(op: BinaryOp) -> bool {
    use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
    matches!(op, Lt | Gt | Le | Ge | Eq | Ne)
}

impl Sema<'_> {
    /// Warns of `a & b == c` and `a << b + c`, whose precedence surprises many.
    pub(super) fn warn_precedence(
        &self,
        op: BinaryOp,
        op_span: Span,
        lhs: ast::ExprId,
        rhs: ast::ExprId,
    ) {
        use BinaryOp::{Add, BitAnd, BitOr, BitXor, Shl, Shr, Sub};
        for side in [lhs, rhs] {
            let ast::ExprKind::Binary { op: inner, .. } = self.ast.expr(side).kind else {
                continue;
            };
            let surprising = match op {
                BitAnd | BitOr | BitXor => is_comparison(inner),
                Shl | Shr => matches!(inner, Add | Sub),
                _ => false,
            };
            if surprising {
                let (weak, strong) = (spelling(op), spelling(inner));
                let message = match op {
                    Shl | Shr => format!(
                        "operator '{weak}' has lower precedence than '{strong}'; '{strong}' will be evaluated first"
                    ),
                    _ => format!(
                        "{weak} has lower precedence than {strong}; {strong} will be evaluated first"
                    ),
                };
                let at = self.ast.expr(side).span;
                self.warning(Warning::Parentheses, op_span, message)
                    .highlight(at);
            }
        }
    }

    /// Warns of a comparison in which a negative number would become a large one.
    pub(super) fn warn_sign_compare(&self, lhs: ExprId, rhs: ExprId, op_span: Span) {
        let types = &self.module.types;
        let (left, right) = (self.ty(lhs), self.ty(rhs));
        if !types.is_integer(left) || !types.is_integer(right) {
            return;
        }
        let common = self.common_type(left, right);
        if types.is_signed(common) {
            return;
        }
        let negative = |expr: ExprId| {
            let signed = types.is_signed(self.promoted(self.ty(expr)));
            // A small unsigned type is promoted to int, and is never negative.
            signed
                && types.is_signed(self.ty(expr))
                && self.constant_number(expr).is_none_or(|number| number < 0)
        };
        if negative(lhs) || negative(rhs) {
            let message = format!(
                "comparison of integers of different signs: {} and {}",
                self.show(left),
                self.show(right)
            );
            self.warning(Warning::SignCompare, op_span, message);
        }
    }

    /// Warns of constant shift counts of which only the low bits count (OpenCL C 3.0 §6.4.10).
    pub(super) fn warn_shift(&self, shifted: TypeId, count: ExprId, op_span: Span) {
        let (elem, _) = self.module.types.elem_lanes(shifted);
        let bits = i128::from(self.module.types.size(elem)) * 8;
        match self.constant_number(count) {
            Some(number) if number < 0 => {
                let message = "shift count is negative";
                self.warning(Warning::ShiftCountNegative, op_span, message);
            }
            Some(number) if number >= bits => {
                let message = "shift count >= width of type";
                self.warning(Warning::ShiftCountOverflow, op_span, message);
            }
            _ => {}
        }
    }

    /// Warns of `x = x`.
    pub(super) fn warn_self_assign(&self, lhs: ast::ExprId, rhs: ast::ExprId, op_span: Span) {
        let (ast::ExprKind::Ident(to), ast::ExprKind::Ident(from)) =
            (&self.ast.expr(lhs).kind, &self.ast.expr(rhs).kind)
        else {
            return;
        };
        if to == from {
            let message = format!(
                "explicitly assigning value of variable '{}' to itself",
                self.name(*to)
            );
            self.warning(Warning::SelfAssign, op_span, message);
        }
    }

    /// Warns of a statement that computes a value and does nothing with it.
    pub(super) fn warn_unused_value(&self, id: ast::ExprId, value: ExprId) {
        let node = self.ast.expr(id);
        match &node.kind {
            ast::ExprKind::Paren(inner) => self.warn_unused_value(*inner, value),
            ast::ExprKind::Binary { op, op_span, .. } if is_comparison(*op) => {
                let kind = match op {
                    BinaryOp::Eq => "equality",
                    BinaryOp::Ne => "inequality",
                    _ => "relational",
                };
                let message = format!("{kind} comparison result unused");
                self.warning(Warning::UnusedComparison, *op_span, message);
            }
            ast::ExprKind::Binary { op, op_span, .. }
                if !matches!(op, BinaryOp::And | BinaryOp::Or) =>
            {
                self.warning(Warning::UnusedValue, *op_span, "expression result unused");
            }
            ast::ExprKind::Ident(_)
            | ast::ExprKind::Int { .. }
            | ast::ExprKind::Float { .. }
            | ast::ExprKind::Member { .. }
            | ast::ExprKind::Index { .. } => {
                self.warning(Warning::UnusedValue, node.span, "expression result unused");
            }
            ast::ExprKind::Call { callee, .. } => {
                let ExprKind::Call { func, .. } = self.body.expr(value).kind else {
                    return;
                };
                if self.funcs[func.0 as usize].must_use {
                    let at = self.ast.expr(*callee).span;
                    let message = "ignoring return value of function declared with 'warn_unused_result' attribute";
                    self.warning(Warning::UnusedResult, at, message);
                }
            }
            _ => {}
        }
    }

    /// Warns of `if (x);`.
    pub(super) fn warn_empty_body(&self, body: ast::StmtId, statement: &str) {
        let node = self.ast.stmt(body);
        if matches!(node.kind, ast::StmtKind::Null) {
            let message = format!("{statement} has empty body");
            self.warning(Warning::EmptyBody, node.span, message)
                .hint("put the semicolon on a separate line to silence this warning");
        }
    }
}
