//! Built-in functions that take types.
use super::ast::{Designator, ExprId, ExprKind, TypeNameId};
use super::{Parse, Parser};
use crate::pp::token::Punct;
use crate::source::{Loc, Span};

impl Parser<'_> {
    /// `__builtin_offsetof(T, a.b[2])`
    pub(super) fn offset_of(&mut self) -> Parse<ExprId> {
        let (ty, open, start) = self.first_type("after 'offsetof'")?;
        let (name, loc) = self.member_name()?;
        let mut path = vec![Designator::Field(name, Span::at(loc))];
        self.designators(&mut path)?;
        self.expect_close(Punct::RParen, open)?;
        let span = self.span_from(start);
        Ok(self.ast.add_expr(ExprKind::OffsetOf { ty, path }, span))
    }

    /// `__builtin_astype(e, T)`
    pub(super) fn as_type(&mut self) -> Parse<ExprId> {
        let (operand, ty, start) = self.operand_and_type("after '__builtin_astype'")?;
        let span = self.span_from(start);
        Ok(self.ast.add_expr(ExprKind::AsType { operand, ty }, span))
    }

    /// `__builtin_bit_cast(T, e)`
    pub(super) fn bit_cast(&mut self) -> Parse<ExprId> {
        let (ty, open, start) = self.first_type("after '__builtin_bit_cast'")?;
        let operand = self.assignment()?;
        self.expect_close(Punct::RParen, open)?;
        let span = self.span_from(start);
        Ok(self.ast.add_expr(ExprKind::AsType { operand, ty }, span))
    }

    /// `__builtin_convertvector(e, T)`
    pub(super) fn convert_vector(&mut self) -> Parse<ExprId> {
        let (operand, ty, start) = self.operand_and_type("after '__builtin_convertvector'")?;
        let span = self.span_from(start);
        let kind = ExprKind::ConvertVector { operand, ty };
        Ok(self.ast.add_expr(kind, span))
    }

    /// `__builtin_types_compatible_p(T, U)`
    pub(super) fn types_compatible(&mut self) -> Parse<ExprId> {
        let (first, open, start) = self.first_type("after '__builtin_types_compatible_p'")?;
        let second = self.type_name()?;
        self.expect_close(Punct::RParen, open)?;
        let span = self.span_from(start);
        let kind = ExprKind::TypesCompatible { first, second };
        Ok(self.ast.add_expr(kind, span))
    }

    /// `name(T,`; the parenthesis and the start of the name follow in the result.
    fn first_type(&mut self, place: &str) -> Parse<(TypeNameId, Loc, Loc)> {
        let start = self.advance().loc;
        let open = self.expect(Punct::LParen, place)?;
        let ty = self.type_name()?;
        self.expect(Punct::Comma, "after type name")?;
        Ok((ty, open, start))
    }

    /// `name(e, T)`; the start of the name follows in the result.
    fn operand_and_type(&mut self, place: &str) -> Parse<(ExprId, TypeNameId, Loc)> {
        let start = self.advance().loc;
        let open = self.expect(Punct::LParen, place)?;
        let operand = self.assignment()?;
        self.expect(Punct::Comma, "after operand")?;
        let ty = self.type_name()?;
        self.expect_close(Punct::RParen, open)?;
        Ok((operand, ty, start))
    }
}
