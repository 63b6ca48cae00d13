//! `__atomic_fetch_nand`: a loop of compare-exchanges, since no instruction does it.
use super::Sema;
use super::convert::Purpose;
use super::typed::{ArithOp, ExprId, ExprKind, LoopHint, StmtKind};
use crate::lang::types::{AddrSpace, QualType, TypeTable};
use crate::source::Span;

impl Sema<'_> {
    /// A call of `__atomic_fetch_nand(object, value, order)`; its value is the object's old one.
    pub(super) fn atomic_nand(
        &mut self,
        args: &[ExprId],
        rparen: Span,
        callee_span: Span,
        span: Span,
    ) -> Option<ExprId> {
        let spans = [rparen, callee_span, span];
        let mut args = args.to_vec();
        let plain = args.first().map(|&object| self.ty(object));
        self.as_atomic_object(&mut args);
        let value_ty = plain.and_then(|ty| self.module.types.pointer_parts(ty));
        let integer = value_ty.filter(|(to, _)| self.module.types.is_integer(to.ty));
        let (&[object, value, order], Some((to, _))) = (&args[..], integer) else {
            self.error(
                callee_span,
                "'__atomic_fetch_nand' takes a pointer to an integer, a value and a memory order",
            );
            return None;
        };
        let value = self.assign_convert(value, to.ty, Purpose::Argument(None))?;
        let mut statements = Vec::new();
        let pointer = self.kept(object, &mut statements);
        let operand = self.kept(value, &mut statements);
        let relaxed = self.mk(ExprKind::Int(0), TypeTable::INT, span);
        let object = self.local_value(pointer, span);
        let first = self.call_table("atomic_load_explicit", &[object, relaxed], spans)?;
        let old = self.kept(first, &mut statements);

        let (left, right) = (self.local_value(old, span), self.local_value(operand, span));
        let both = self.mk_binary(ArithOp::And, left, right, to.ty, span);
        let desired = self.mk(ExprKind::BitNot(both), to.ty, span);
        let expected = self.local_lvalue(old, span);
        let expected_ty = (self.module.types).pointer(QualType::plain(to.ty), AddrSpace::Private);
        let expected = self.mk(ExprKind::AddrOf(expected), expected_ty, span);
        let object = self.local_value(pointer, span);
        let exchange = [object, expected, desired, order, relaxed];
        let done = self.call_table("atomic_compare_exchange_weak_explicit", &exchange, spans)?;
        let done = self.truth(done)?;
        let again = self.mk(ExprKind::Not(done), TypeTable::BOOL, span);
        let body = self.mk_stmt(StmtKind::Block(Vec::new()), span);
        let kind = StmtKind::Loop {
            init: Vec::new(),
            cond: Some(again),
            post_test: false,
            step: None,
            body,
            hint: LoopHint::None,
        };
        statements.push(self.mk_stmt(kind, span));
        let result = self.local_value(old, span);
        Some(self.after_steps(statements, result))
    }
}
