//! Values that are used more than once, for built-in functions that are written as operators.
use super::Sema;
use super::typed::{
    ArithOp, CompareOp, ExprId, ExprKind, Init, LocalId, LvalueId, LvalueKind, StmtId, StmtKind,
};
use crate::lang::types::{AddrSpace, QualType, TypeId, TypeTable};
use crate::source::Span;

impl Sema<'_> {
    /// A new variable that begins with a value, evaluated after the statements so far.
    pub(super) fn kept(&mut self, value: ExprId, statements: &mut Vec<StmtId>) -> LocalId {
        let (ty, span): (TypeId, Span) = (self.ty(value), self.span(value));
        let local = self.add_local(String::new(), QualType::plain(ty), 0, span);
        let init = Some(Init::Expr(value));
        statements.push(self.mk_stmt(StmtKind::Decl { local, init }, span));
        local
    }

    /// A new private variable that gets its value where this lvalue is evaluated.
    pub(super) fn temporary(&mut self, q: QualType, init: Init, span: Span) -> LvalueId {
        let local = self.add_local(String::new(), q, 0, span);
        self.initialised(local, init, span)
    }

    /// A private variable that gets its value where this lvalue is evaluated.
    pub(super) fn initialised(&mut self, local: LocalId, init: Init, span: Span) -> LvalueId {
        let variable = self.body.local(local);
        let (ty, align) = (variable.ty, variable.align);
        let kind = LvalueKind::Literal { local, init };
        self.mk_lvalue(kind, ty, AddrSpace::Private, align, span)
    }

    /// The value of a variable.
    pub(super) fn local_value(&mut self, local: LocalId, span: Span) -> ExprId {
        let lvalue = self.local_lvalue(local, span);
        self.loaded(lvalue, span)
    }

    /// The value in an lvalue, which may be read as it is.
    pub(super) fn loaded(&mut self, lvalue: LvalueId, span: Span) -> ExprId {
        let ty = self.body.lvalue(lvalue).ty.ty;
        self.mk(ExprKind::Load(lvalue), ty, span)
    }

    /// A value that is computed after some statements.
    pub(super) fn after_steps(&mut self, statements: Vec<StmtId>, value: ExprId) -> ExprId {
        let (ty, span) = (self.ty(value), self.span(value));
        let kind = ExprKind::Stmts {
            stmts: statements,
            value: Some(value),
        };
        self.mk(kind, ty, span)
    }

    /// An operator on two values of one type.
    pub(super) fn arith_of(&mut self, op: ArithOp, lhs: ExprId, rhs: ExprId) -> ExprId {
        let (ty, span) = (self.ty(lhs), self.span(lhs));
        self.mk_binary(op, lhs, rhs, ty, span)
    }

    /// A comparison of two scalars of one type, as Bool.
    pub(super) fn compare_of(&mut self, op: CompareOp, lhs: ExprId, rhs: ExprId) -> ExprId {
        let span = self.span(lhs);
        self.mk(ExprKind::Compare { op, lhs, rhs }, TypeTable::BOOL, span)
    }

    /// A number in all lanes of an integer type, cut to its width.
    pub(super) fn number(&mut self, bits: u64, ty: TypeId, span: Span) -> ExprId {
        let (elem, lanes) = self.module.types.elem_lanes(ty);
        let width = self.module.types.size(elem) * 8;
        let scalar = self.mk(ExprKind::Int(bits & (u64::MAX >> (64 - width))), elem, span);
        match lanes {
            1 => scalar,
            _ => self.convert(super::typed::ConvertKind::Splat, scalar, ty),
        }
    }
}
