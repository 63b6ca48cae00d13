//! Expressions: precedence climbing over unary expressions.

use super::ast::{
    BinaryOp, BlockLit, DeclPart, ExprId, ExprKind, FloatSuffix, StmtId, Trait, UnaryOp,
};
use super::{NameKind, Parse, Parser, Reported};
use crate::diagnostics::{Loc, Warning};
use crate::pp::literal::{LiteralError, Number, parse_char, parse_number, parse_string};
use crate::pp::token::{Keyword, Punct, Token, TokenKind};
use crate::source::{Span, Symbol};
use pumice_budget as budget;

/// A binary operator and its strength; a higher one binds more tightly.
fn binary_operator(kind: TokenKind) -> Option<(u8, BinaryOp)> {
    let TokenKind::Punct(punct) = kind else {
        return None;
    };
    Some(match punct {
        Punct::PipePipe => (1, BinaryOp::Or),
        Punct::AmpAmp => (2, BinaryOp::And),
        Punct::Pipe => (3, BinaryOp::BitOr),
        Punct::Caret => (4, BinaryOp::BitXor),
        Punct::Amp => (5, BinaryOp::BitAnd),
        Punct::EqualEqual => (6, BinaryOp::Eq),
        Punct::BangEqual => (6, BinaryOp::Ne),
        Punct::Less => (7, BinaryOp::Lt),
        Punct::Greater => (7, BinaryOp::Gt),
        Punct::LessEqual => (7, BinaryOp::Le),
        Punct::GreaterEqual => (7, BinaryOp::Ge),
        Punct::LessLess => (8, BinaryOp::Shl),
        Punct::GreaterGreater => (8, BinaryOp::Shr),
        Punct::Plus => (9, BinaryOp::Add),
        Punct::Minus => (9, BinaryOp::Sub),
        Punct::Star => (10, BinaryOp::Mul),
        Punct::Slash => (10, BinaryOp::Div),
        Punct::Percent => (10, BinaryOp::Rem),
        _ => return None,
    })
}

/// An assignment operator: `None` inside for `=`.
fn assignment_operator(kind: TokenKind) -> Option<Option<BinaryOp>> {
    let TokenKind::Punct(punct) = kind else {
        return None;
    };
    Some(match punct {
        Punct::Equal => None,
        Punct::StarEqual => Some(BinaryOp::Mul),
        Punct::SlashEqual => Some(BinaryOp::Div),
        Punct::PercentEqual => Some(BinaryOp::Rem),
        Punct::PlusEqual => Some(BinaryOp::Add),
        Punct::MinusEqual => Some(BinaryOp::Sub),
        Punct::LessLessEqual => Some(BinaryOp::Shl),
        Punct::GreaterGreaterEqual => Some(BinaryOp::Shr),
        Punct::AmpEqual => Some(BinaryOp::BitAnd),
        Punct::CaretEqual => Some(BinaryOp::BitXor),
        Punct::PipeEqual => Some(BinaryOp::BitOr),
        _ => return None,
    })
}

impl Parser<'_> {
    fn span_of(&self, expr: ExprId) -> Span {
        self.ast.expr(expr).span
    }

    /// `a, b`
    pub(super) fn expression(&mut self) -> Parse<ExprId> {
        let mut lhs = self.assignment()?;
        while self.accept(Punct::Comma) {
            let rhs = self.assignment()?;
            let span = self.span_of(lhs).to(self.span_of(rhs));
            lhs = self.ast.add_expr(ExprKind::Comma { lhs, rhs }, span);
        }
        Ok(lhs)
    }

    /// An expression without a comma at its top.
    pub(super) fn assignment(&mut self) -> Parse<ExprId> {
        let lhs = self.conditional()?;
        let Some(op) = assignment_operator(self.kind()) else {
            return Ok(lhs);
        };
        let op_span = Span::at(self.advance().loc);
        self.enter()?;
        let rhs = self.assignment()?;
        self.leave();
        let span = self.span_of(lhs).to(self.span_of(rhs));
        Ok(self.ast.add_expr(
            ExprKind::Assign {
                op,
                op_span,
                lhs,
                rhs,
            },
            span,
        ))
    }

    /// An expression without assignment at its top: what C calls a constant expression.
    pub(super) fn conditional(&mut self) -> Parse<ExprId> {
        let cond = self.binary(1)?;
        if !self.at(Punct::Question) {
            return Ok(cond);
        }
        let op_span = Span::at(self.advance().loc);
        self.enter()?;
        let then = match self.at(Punct::Colon) {
            true => None,
            false => Some(self.expression()?),
        };
        if !self.at(Punct::Colon) {
            let failed = self.expected("':'");
            return Err(failed);
        }
        self.advance();
        let otherwise = self.conditional()?;
        self.leave();
        let span = self.span_of(cond).to(self.span_of(otherwise));
        Ok(self.ast.add_expr(
            ExprKind::Cond {
                cond,
                then,
                otherwise,
                op_span,
            },
            span,
        ))
    }

    fn binary(&mut self, weakest: u8) -> Parse<ExprId> {
        let mut lhs = self.unary()?;
        while let Some((strength, op)) = binary_operator(self.kind()) {
            if strength < weakest {
                break;
            }
            let op_span = Span::at(self.advance().loc);
            let rhs = self.binary(strength + 1)?;
            let span = self.span_of(lhs).to(self.span_of(rhs));
            let kind = ExprKind::Binary {
                op,
                op_span,
                lhs,
                rhs,
            };
            lhs = self.ast.add_expr(kind, span);
        }
        Ok(lhs)
    }

    fn unary(&mut self) -> Parse<ExprId> {
        let start = self.loc();
        let op = match self.kind() {
            TokenKind::Punct(punct) => match punct {
                Punct::Plus => UnaryOp::Plus,
                Punct::Minus => UnaryOp::Minus,
                Punct::Tilde => UnaryOp::BitNot,
                Punct::Bang => UnaryOp::Not,
                Punct::Star => UnaryOp::Deref,
                Punct::Amp => UnaryOp::AddrOf,
                Punct::PlusPlus => UnaryOp::PreInc,
                Punct::MinusMinus => UnaryOp::PreDec,
                Punct::LParen => return self.parenthesised(),
                _ => return self.postfix(),
            },
            TokenKind::Keyword(keyword) => match keyword {
                Keyword::Extension => UnaryOp::Extension,
                Keyword::RealImag => UnaryOp::Complex,
                Keyword::Sizeof => return self.type_trait(Trait::SizeOf),
                Keyword::Alignof => return self.type_trait(Trait::AlignOf),
                Keyword::VecStep => return self.type_trait(Trait::VecStep),
                _ => return self.postfix(),
            },
            _ => return self.postfix(),
        };
        self.advance();
        self.enter()?;
        let operand = self.unary()?;
        self.leave();
        let span = self.span_from(start);
        Ok(self.ast.add_expr(ExprKind::Unary { op, operand }, span))
    }

    /// `sizeof e`, `sizeof(T)` and their kin.
    fn type_trait(&mut self, which: Trait) -> Parse<ExprId> {
        let start = self.advance().loc;
        self.enter()?;
        let kind = if self.at(Punct::LParen) && self.type_behind_paren() {
            let open = self.advance().loc;
            let ty = self.type_name()?;
            self.expect_close(Punct::RParen, open)?;
            if self.at(Punct::LBrace) {
                // sizeof (T){…}
                let init = self.init_list()?;
                let span = self.span_from(open);
                let literal = self.ast.add_expr(ExprKind::CompoundLit { ty, init }, span);
                let operand = self.postfix_of(literal, open)?;
                ExprKind::TraitExpr { which, operand }
            } else {
                ExprKind::TraitType { which, ty }
            }
        } else {
            let operand = self.unary()?;
            ExprKind::TraitExpr { which, operand }
        };
        self.leave();
        let span = self.span_from(start);
        Ok(self.ast.add_expr(kind, span))
    }

    /// At `(`: whether a type name follows it.
    fn type_behind_paren(&mut self) -> bool {
        self.pos += 1;
        let found = self.starts_type() || self.at_keyword(Keyword::Attribute);
        self.pos -= 1;
        found
    }

    /// At `(`: a cast, vector literal, compound literal, statement expression or parentheses.
    fn parenthesised(&mut self) -> Parse<ExprId> {
        if !self.type_behind_paren() {
            return self.postfix();
        }
        self.enter()?;
        let result = self.cast();
        self.leave();
        result
    }

    /// At `(` with a type behind it.
    fn cast(&mut self) -> Parse<ExprId> {
        let open = self.advance().loc;
        let ty = self.type_name()?;
        self.expect_close(Punct::RParen, open)?;
        if self.at(Punct::LBrace) {
            let init = self.init_list()?;
            let span = self.span_from(open);
            let literal = self.ast.add_expr(ExprKind::CompoundLit { ty, init }, span);
            return self.postfix_of(literal, open);
        }
        if self.at(Punct::LParen) && !self.type_behind_paren() && self.list_in_parens() {
            let inner = self.advance().loc;
            let mut elems = vec![self.assignment()?];
            while self.accept(Punct::Comma) {
                elems.push(self.assignment()?);
            }
            self.expect_close(Punct::RParen, inner)?;
            if let [only] = elems[..] {
                let span = self.span_from(inner);
                let group = self.ast.add_expr(ExprKind::Paren(only), span);
                let operand = self.postfix_of(group, inner)?;
                let span = self.span_from(open);
                return Ok(self.ast.add_expr(ExprKind::Cast { ty, operand }, span));
            }
            let span = self.span_from(open);
            let literal = self.ast.add_expr(ExprKind::VectorLit { ty, elems }, span);
            return self.postfix_of(literal, open);
        }
        let operand = self.unary()?;
        let span = self.span_from(open);
        Ok(self.ast.add_expr(ExprKind::Cast { ty, operand }, span))
    }

    /// At `(`: whether a comma stands at the top level of the group.
    ///
    /// Looking ahead is linear in the group, and groups in groups would make it quadratic; so it
    /// gives up after a while and says yes; a list of one is then taken as parentheses.
    fn list_in_parens(&self) -> bool {
        let mut depth = 0u32;
        for token in self.tokens[self.pos..].iter().take(4096) {
            match token.kind {
                TokenKind::Punct(Punct::LParen | Punct::LBracket | Punct::LBrace) => depth += 1,
                TokenKind::Punct(Punct::RParen | Punct::RBracket | Punct::RBrace) => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return false;
                    }
                }
                TokenKind::Punct(Punct::Comma) if depth == 1 => return true,
                TokenKind::Eof => return false,
                _ => {}
            }
        }
        true
    }

    fn postfix(&mut self) -> Parse<ExprId> {
        let start = self.loc();
        let primary = self.primary()?;
        self.postfix_of(primary, start)
    }

    /// Parses any number of postfix operators behind a primary expression.
    fn postfix_of(&mut self, mut base: ExprId, start: Loc) -> Parse<ExprId> {
        loop {
            let TokenKind::Punct(punct) = self.kind() else {
                return Ok(base);
            };
            let kind = match punct {
                Punct::LBracket => {
                    let open = self.advance().loc;
                    self.enter()?;
                    let index = self.expression()?;
                    self.leave();
                    self.expect_close(Punct::RBracket, open)?;
                    ExprKind::Index { base, index }
                }
                Punct::LParen => {
                    let open = self.advance().loc;
                    self.enter()?;
                    let mut args = Vec::new();
                    if !self.at(Punct::RParen) {
                        args.push(self.assignment()?);
                        while self.accept(Punct::Comma) {
                            args.push(self.assignment()?);
                        }
                    }
                    self.leave();
                    let rparen = Span::at(self.expect_close(Punct::RParen, open)?);
                    ExprKind::Call {
                        callee: base,
                        args,
                        rparen,
                    }
                }
                Punct::Dot | Punct::Arrow => {
                    self.advance();
                    let (name, loc) = self.member_name()?;
                    ExprKind::Member {
                        base,
                        arrow: punct == Punct::Arrow,
                        name,
                        name_span: Span::at(loc),
                    }
                }
                Punct::PlusPlus | Punct::MinusMinus => {
                    self.advance();
                    ExprKind::Postfix {
                        increment: punct == Punct::PlusPlus,
                        operand: base,
                    }
                }
                _ => return Ok(base),
            };
            let span = self.span_from(start);
            base = self.ast.add_expr(kind, span);
        }
    }

    pub(super) fn member_name(&mut self) -> Parse<(Symbol, Loc)> {
        match self.kind() {
            TokenKind::Ident(name) => Ok((name, self.advance().loc)),
            _ => Err(self.expected("identifier")),
        }
    }

    fn primary(&mut self) -> Parse<ExprId> {
        let token = self.token();
        let kind = match token.kind {
            TokenKind::Ident(name) => {
                if self.is_type(name) {
                    return Err(self.type_as_expression(name));
                }
                self.advance();
                match self.kind() {
                    // A wide character is an int like any other; nothing else follows a name.
                    TokenKind::Char(_) if self.names.resolve(name) == "L" => {
                        return self.primary();
                    }
                    TokenKind::Str(_) if self.names.resolve(name) == "L" => {
                        self.error(
                            token.loc,
                            "wide string literals are not supported in OpenCL C",
                        );
                        return Err(Reported);
                    }
                    _ => ExprKind::Ident(name),
                }
            }
            TokenKind::Number(s) => {
                self.advance();
                self.number(s, token)
            }
            TokenKind::Char(s) => {
                self.advance();
                match parse_char(self.names.bytes(s)) {
                    Ok(value) => {
                        let written = self.names.bytes(s);
                        if written.len() > 3 && !written.contains(&b'\\') {
                            let message = "multi-character character constant";
                            self.diagnostics
                                .warning(Warning::Multichar, token.loc, message);
                        }
                        ExprKind::Char { value }
                    }
                    Err(e) => self.bad_literal(token, &e),
                }
            }
            TokenKind::Str(_) => self.string(),
            TokenKind::Punct(Punct::LParen) => return self.group(),
            TokenKind::Punct(Punct::Caret) => return self.block_literal(),
            TokenKind::Keyword(Keyword::Offsetof) => return self.offset_of(),
            TokenKind::Keyword(Keyword::Astype) => return self.as_type(),
            TokenKind::Keyword(Keyword::BitCast) => return self.bit_cast(),
            TokenKind::Keyword(Keyword::ConvertVector) => return self.convert_vector(),
            TokenKind::Keyword(Keyword::TypesCompatible) => return self.types_compatible(),
            TokenKind::Keyword(Keyword::Generic_) => return self.generic_selection(),
            _ => return Err(self.expected("expression")),
        };
        let span = self.span_from(token.loc);
        Ok(self.ast.add_expr(kind, span))
    }

    fn bad_literal(&self, token: Token, error: &LiteralError) -> ExprKind {
        let at = if token.loc.is_macro() {
            token.loc
        } else {
            token.loc.offset(error.offset as u32)
        };
        self.error(at, error.message.clone());
        ExprKind::Error
    }

    fn number(&mut self, spelled: Symbol, token: Token) -> ExprKind {
        match parse_number(self.names.resolve(spelled)) {
            Err(e) => self.bad_literal(token, &e),
            Ok(Number::Int {
                value,
                too_large,
                decimal,
                unsigned,
                long,
            }) => ExprKind::Int {
                value,
                too_large,
                decimal,
                unsigned,
                long,
            },
            Ok(Number::Float { digits, suffix }) => {
                let text = match suffix {
                    FloatSuffix::None => spelled,
                    _ => {
                        let text = self.names.resolve(spelled)[..digits].to_string();
                        self.names.intern(&text)
                    }
                };
                ExprKind::Float { text, suffix }
            }
        }
    }

    /// Adjacent string literals.
    fn string(&mut self) -> ExprKind {
        let mut text = Vec::new();
        let mut failed = false;
        while let TokenKind::Str(s) = self.kind() {
            let token = self.advance();
            if let Err(why) = budget::charge(2 * self.names.bytes(s).len() as u64) {
                self.give_up(why.to_string());
                return ExprKind::Error;
            }
            if let Err(e) = parse_string(self.names.bytes(s), &mut text) {
                self.bad_literal(token, &e);
                failed = true;
            }
        }
        if failed {
            ExprKind::Error
        } else {
            ExprKind::Str(text)
        }
    }

    /// `(e)` and `({ … })`.
    fn group(&mut self) -> Parse<ExprId> {
        let open = self.advance().loc;
        self.enter()?;
        let kind = if self.at(Punct::LBrace) {
            ExprKind::StmtExpr(self.compound()?)
        } else {
            ExprKind::Paren(self.expression()?)
        };
        self.leave();
        self.expect_close(Punct::RParen, open)?;
        let span = self.span_from(open);
        Ok(self.ast.add_expr(kind, span))
    }

    /// `_Generic(control, type: value, …)`
    fn generic_selection(&mut self) -> Parse<ExprId> {
        let start = self.advance().loc;
        let open = self.expect(Punct::LParen, "after '_Generic'")?;
        self.enter()?;
        let control = self.assignment()?;
        let mut arms = Vec::new();
        while self.accept(Punct::Comma) {
            let first = self.loc();
            let ty = if self.accept_keyword(Keyword::Default) {
                None
            } else {
                Some(self.type_name()?)
            };
            let span = self.span_from(first);
            self.expect(Punct::Colon, "after type name")?;
            arms.push((ty, self.assignment()?, span));
        }
        if arms.is_empty() {
            return Err(self.expected("','"));
        }
        self.leave();
        self.expect_close(Punct::RParen, open)?;
        let span = self.span_from(start);
        Ok(self.ast.add_expr(ExprKind::Generic { control, arms }, span))
    }

    /// `^ … { … }`
    fn block_literal(&mut self) -> Parse<ExprId> {
        let start = self.advance().loc;
        let mut lit = BlockLit {
            ret: None,
            result: self.no_declarator(),
            params: Vec::new(),
            variadic: None,
            body: StmtId(0),
        };
        if self.at(Punct::LParen) {
            if let DeclPart::Function {
                params, variadic, ..
            } = self.function_part()?
            {
                (lit.params, lit.variadic) = (params, variadic);
            }
        } else if !self.at(Punct::LBrace) {
            let name = self.type_name()?;
            lit.ret = Some(name);
            let mut result = self.ast.type_name(name).declarator.clone();
            if matches!(result.parts.first(), Some(DeclPart::Function { .. })) {
                if let DeclPart::Function {
                    params, variadic, ..
                } = result.parts.remove(0)
                {
                    (lit.params, lit.variadic) = (params, variadic);
                }
            }
            lit.result = result;
        }
        if !self.at(Punct::LBrace) {
            return Err(self.expected("block body"));
        }
        self.enter()?;
        self.push_scope();
        for param in &lit.params {
            if let Some((name, _)) = param.declarator.name {
                self.declare(name, NameKind::Ordinary);
            }
        }
        let body = self.compound();
        self.pop_scope();
        self.leave();
        lit.body = body?;
        let span = self.span_from(start);
        Ok(self.ast.add_expr(ExprKind::BlockLit(Box::new(lit)), span))
    }
}
