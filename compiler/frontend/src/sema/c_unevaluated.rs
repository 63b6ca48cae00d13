//! C compilers' functions that do not evaluate all arguments: `__builtin_constant_p`, and those that
//! take types.
use super::const_eval::Value;
use super::typed::{ExprId, ExprKind};
use super::{Operand, Sema};
use crate::builtins::{CFunction, c_function};
use crate::lang::types::{Type, TypeId, TypeTable};
use crate::parse::ast;
use crate::source::Span;

impl<'a> Sema<'a> {
    /// A call of a function that does not evaluate its arguments, if `callee` names one.
    pub(super) fn unevaluated_call(
        &mut self,
        callee: ast::ExprId,
        args: &'a [ast::ExprId],
        rparen: Span,
        span: Span,
    ) -> Option<Option<Operand>> {
        let ast::ExprKind::Ident(name) = self.ast.expr(callee).kind else {
            return None;
        };
        if self.lookup(name).is_some() {
            return None;
        }
        match c_function(self.name(name))? {
            CFunction::IsConstant => Some(self.is_constant(args, rparen, span).map(Operand::Value)),
            CFunction::Choose => Some(self.chosen(args, rparen)),
            _ => None,
        }
    }

    /// `__builtin_constant_p(e)`
    fn is_constant(&mut self, args: &'a [ast::ExprId], rparen: Span, span: Span) -> Option<ExprId> {
        self.check_unevaluated_count(args, 1, rparen)?;
        let value = self.without_evaluation(|sema| sema.rvalue(args[0]));
        let value = value?;
        let known = match (&self.body.expr(value).kind, self.eval(value)) {
            (&ExprKind::Decay(lvalue), Some(Value::Addr { global, offset: 0 })) => {
                let string = global.is_some_and(|global| self.module.global(global).is_string);
                string && self.bits_of(lvalue).is_none()
            }
            (_, Some(Value::Int(_) | Value::Float(_))) => true,
            _ => false,
        };
        Some(self.mk(ExprKind::Int(known.into()), TypeTable::INT, span))
    }

    /// `__builtin_choose_expr(c, a, b)`: the operand itself, be it an lvalue.
    fn chosen(&mut self, args: &'a [ast::ExprId], rparen: Span) -> Option<Operand> {
        self.check_unevaluated_count(args, 3, rparen)?;
        let not_constant = "'__builtin_choose_expr' requires a constant expression";
        let condition = self.rvalue(args[0])?;
        let Some(number) = self.constant_number(condition) else {
            self.error(self.span(condition), not_constant);
            return None;
        };
        let (chosen, other) = match number {
            0 => (args[2], args[1]),
            _ => (args[1], args[2]),
        };
        let other = self.without_evaluation(|sema| sema.operand(other));
        let chosen = self.operand(chosen)?;
        other.and(Some(chosen))
    }

    fn check_unevaluated_count(
        &self,
        args: &[ast::ExprId],
        count: usize,
        rparen: Span,
    ) -> Option<()> {
        let span = |arg: &ast::ExprId| self.ast.expr(*arg).span;
        (self.check_count("function", args, span, count..=count, rparen)).ok()
    }

    /// `__builtin_types_compatible_p(T, U)`: the same type but for qualifiers (C99 6.2.7); an
    /// enumeration is compatible with its integer type.
    pub(super) fn types_compatible(
        &mut self,
        first: ast::TypeNameId,
        second: ast::TypeNameId,
        span: Span,
    ) -> Option<ExprId> {
        let (first, second) = (self.type_name(first), self.type_name(second));
        let (first, second) = (first?, second?);
        let same = first.space == second.space && self.are_compatible(first.q.ty, second.q.ty);
        Some(self.mk(ExprKind::Int(same.into()), TypeTable::INT, span))
    }

    fn are_compatible(&self, a: TypeId, b: TypeId) -> bool {
        let types = &self.module.types;
        match (types.get(a), types.get(b)) {
            _ if a == b => true,
            (Type::Enum(_), Type::Int(kind)) => types.int_kind(a) == Some(*kind),
            (Type::Int(kind), Type::Enum(_)) => types.int_kind(b) == Some(*kind),
            (
                Type::Array { elem, len },
                Type::Array {
                    elem: other,
                    len: length,
                },
            ) => {
                let open = len.is_none() || length.is_none();
                open && elem.quals == other.quals && self.are_compatible(elem.ty, other.ty)
            }
            _ => false,
        }
    }
}
