//! Statements and pragmas.

use super::ast::{Attr, Pragma, PragmaKind, StmtId, StmtKind};
use super::{Parse, Parser, Reported};
use crate::diagnostics::Warning;
use crate::pp::literal::{Number, parse_number};
use crate::pp::token::{Keyword, Punct, TokenKind};
use crate::source::Span;
use pumice_budget as budget;

/// Label of a statement.
enum Label {
    Name(crate::source::Symbol, Span),
    Case(super::ast::ExprId, Option<super::ast::ExprId>),
    Default,
}

impl Parser<'_> {
    /// `{ … }` with a scope of its own.
    pub(super) fn compound(&mut self) -> Parse<StmtId> {
        let open = self.expect(Punct::LBrace, "at start of block")?;
        self.push_scope();
        let items = self.block_items();
        self.pop_scope();
        let items = items?;
        self.expect_close(Punct::RBrace, open)?;
        let span = self.span_from(open);
        Ok(self.ast.add_stmt(StmtKind::Compound(items), span))
    }

    fn block_items(&mut self) -> Parse<Vec<StmtId>> {
        let mut items = Vec::new();
        loop {
            match self.kind() {
                TokenKind::Punct(Punct::RBrace) | TokenKind::Eof => return Ok(items),
                _ => {}
            }
            if self.diagnostics.should_stop() {
                return Err(Reported);
            }
            let (start, before) = (self.loc(), self.pos);
            let (depth, scopes) = (self.depth, self.scopes.len());
            match self.block_item() {
                Ok(Some(item)) => budget::push(&mut items, item),
                Ok(None) => {}
                Err(Reported) => {
                    self.depth = depth;
                    while self.scopes.len() > scopes {
                        self.pop_scope();
                    }
                    self.skip_statement();
                    if self.pos == before && !self.at(Punct::RBrace) {
                        self.advance();
                    }
                    let span = self.span_from(start);
                    items.push(self.ast.add_stmt(StmtKind::Error, span));
                }
            }
        }
    }

    fn block_item(&mut self) -> Parse<Option<StmtId>> {
        match self.kind() {
            TokenKind::Pragma => {
                let pragma = self.pragma();
                Ok(pragma.map(|p| {
                    let span = p.span;
                    self.ast.add_stmt(StmtKind::Pragma(p), span)
                }))
            }
            TokenKind::Keyword(Keyword::StaticAssert) => {
                let assert = self.static_assert()?;
                let span = assert.span;
                Ok(Some(
                    self.ast.add_stmt(StmtKind::StaticAssert(assert), span),
                ))
            }
            TokenKind::Keyword(Keyword::Attribute) => self.attributed().map(Some),
            _ if self.starts_declaration() => self.declaration().map(Some),
            _ => self.statement().map(Some),
        }
    }

    /// Attributes in a block: of a declaration or of a statement.
    fn attributed(&mut self) -> Parse<StmtId> {
        let (start, at) = (self.loc(), self.pos);
        let mut attrs: Vec<Attr> = Vec::new();
        self.attributes(&mut attrs)?;
        if self.starts_declaration() {
            // Once more, as part of the specifiers.
            self.pos = at;
            return self.declaration();
        }
        let body = self.statement()?;
        let span = self.span_from(start);
        Ok(self
            .ast
            .add_stmt(StmtKind::Attributed { attrs, body }, span))
    }

    fn starts_declaration(&mut self) -> bool {
        match self.kind() {
            TokenKind::Ident(name) => {
                let next = self.ahead(1);
                if next == TokenKind::Punct(Punct::Colon) {
                    return false;
                }
                if self.is_type(name) {
                    // `float4(…)` reads as a mistaken expression, not as a declaration.
                    return next != TokenKind::Punct(Punct::LParen)
                        || matches!(self.ahead(2), TokenKind::Punct(Punct::Star | Punct::Caret));
                }
                matches!(next, TokenKind::Ident(_))
                    || self.later_qualifier(name)
                    || self.is_foreign_qualifier(name)
            }
            TokenKind::Keyword(Keyword::Extension) => {
                self.pos += 1;
                let found = self.starts_type();
                self.pos -= 1;
                found
            }
            _ => self.starts_type(),
        }
    }

    fn declaration(&mut self) -> Parse<StmtId> {
        let start = self.loc();
        let specs = self.specifiers()?;
        let declaration = self.rest_of_declaration(start, specs, None)?;
        let span = declaration.span;
        Ok(self.ast.add_stmt(StmtKind::Decl(declaration), span))
    }

    /// A statement; labels in front of it are read in a loop, since there may be many.
    pub(super) fn statement(&mut self) -> Parse<StmtId> {
        self.enter()?;
        let mut labels = Vec::new();
        loop {
            let start = self.loc();
            let label = match self.kind() {
                TokenKind::Ident(name) if self.ahead(1) == TokenKind::Punct(Punct::Colon) => {
                    let span = Span::at(self.advance().loc);
                    self.advance();
                    let mut ignored = Vec::new();
                    self.attributes(&mut ignored)?;
                    Label::Name(name, span)
                }
                TokenKind::Keyword(Keyword::Case) => {
                    self.advance();
                    let lo = self.conditional()?;
                    let hi = match self.accept(Punct::Ellipsis) {
                        true => Some(self.conditional()?),
                        false => None,
                    };
                    self.expect(Punct::Colon, "after 'case'")?;
                    Label::Case(lo, hi)
                }
                TokenKind::Keyword(Keyword::Default) => {
                    self.advance();
                    self.expect(Punct::Colon, "after 'default'")?;
                    Label::Default
                }
                _ => break,
            };
            labels.push((label, start));
        }
        let mut body = self.labelled_body(!labels.is_empty())?;
        for (label, start) in labels.into_iter().rev() {
            let kind = match label {
                Label::Name(label, label_span) => StmtKind::Label {
                    label,
                    label_span,
                    body,
                },
                Label::Case(lo, hi) => StmtKind::Case { lo, hi, body },
                Label::Default => StmtKind::Default { body },
            };
            let span = self.span_from(start);
            body = self.ast.add_stmt(kind, span);
        }
        self.leave();
        Ok(body)
    }

    /// The statement behind labels; a declaration is taken there too, and nothing before `}`.
    fn labelled_body(&mut self, labelled: bool) -> Parse<StmtId> {
        if labelled {
            if self.at(Punct::RBrace) {
                let span = Span::at(self.loc());
                return Ok(self.ast.add_stmt(StmtKind::Null, span));
            }
            if self.starts_declaration() {
                return self.declaration();
            }
        }
        self.unlabelled()
    }

    fn unlabelled(&mut self) -> Parse<StmtId> {
        let start = self.loc();
        let kind = match self.kind() {
            TokenKind::Punct(Punct::LBrace) => return self.compound(),
            TokenKind::Punct(Punct::Semicolon) => {
                self.advance();
                StmtKind::Null
            }
            TokenKind::Pragma => return self.pragma_then_statement(),
            TokenKind::Keyword(Keyword::Attribute) => return self.attributed(),
            TokenKind::Keyword(keyword) => match keyword {
                Keyword::If => self.if_statement()?,
                Keyword::While => {
                    self.advance();
                    let cond = self.condition("while")?;
                    let body = self.statement()?;
                    StmtKind::While { cond, body }
                }
                Keyword::Do => self.do_statement()?,
                Keyword::For => self.for_statement()?,
                Keyword::Switch => {
                    self.advance();
                    let value = self.condition("switch")?;
                    let body = self.statement()?;
                    StmtKind::Switch { value, body }
                }
                Keyword::Goto => {
                    self.advance();
                    let TokenKind::Ident(label) = self.kind() else {
                        return Err(self.expected("identifier"));
                    };
                    let label_span = Span::at(self.advance().loc);
                    self.expect_semicolon("after goto statement")?;
                    StmtKind::Goto { label, label_span }
                }
                Keyword::Break => {
                    self.advance();
                    self.expect_semicolon("after break statement")?;
                    StmtKind::Break
                }
                Keyword::Continue => {
                    self.advance();
                    self.expect_semicolon("after continue statement")?;
                    StmtKind::Continue
                }
                Keyword::Return => {
                    self.advance();
                    let value = match self.at(Punct::Semicolon) {
                        true => None,
                        false => Some(self.expression()?),
                    };
                    self.expect_semicolon("after return statement")?;
                    StmtKind::Return(value)
                }
                Keyword::Asm => {
                    self.error(start, "inline assembly is not supported in OpenCL C");
                    return Err(Reported);
                }
                Keyword::Else => {
                    self.error(start, "'else' without a previous 'if'");
                    self.advance();
                    return self.statement();
                }
                _ if self.starts_declaration() => {
                    self.error(start, "declaration not allowed here; enclose it in braces");
                    return Err(Reported);
                }
                _ => self.expression_statement()?,
            },
            _ if self.starts_declaration() => {
                self.error(start, "declaration not allowed here; enclose it in braces");
                return Err(Reported);
            }
            _ => self.expression_statement()?,
        };
        let span = self.span_from(start);
        Ok(self.ast.add_stmt(kind, span))
    }

    fn expression_statement(&mut self) -> Parse<StmtKind> {
        let value = self.expression()?;
        self.expect_semicolon("after expression")?;
        Ok(StmtKind::Expr(value))
    }

    /// `( expression )` behind a keyword.
    fn condition(&mut self, keyword: &str) -> Parse<super::ast::ExprId> {
        let open = self.expect(Punct::LParen, &format!("after '{keyword}'"))?;
        let value = self.expression()?;
        self.expect_close(Punct::RParen, open)?;
        Ok(value)
    }

    fn if_statement(&mut self) -> Parse<StmtKind> {
        self.advance();
        let cond = self.condition("if")?;
        let then = self.statement()?;
        let otherwise = match self.accept_keyword(Keyword::Else) {
            true => Some(self.statement()?),
            false => None,
        };
        Ok(StmtKind::If {
            cond,
            then,
            otherwise,
        })
    }

    fn do_statement(&mut self) -> Parse<StmtKind> {
        self.advance();
        let body = self.statement()?;
        if !self.accept_keyword(Keyword::While) {
            return Err(self.expected("'while' in do/while loop"));
        }
        let cond = self.condition("while")?;
        self.expect_semicolon("after do/while statement")?;
        Ok(StmtKind::DoWhile { body, cond })
    }

    fn for_statement(&mut self) -> Parse<StmtKind> {
        self.advance();
        let open = self.expect(Punct::LParen, "after 'for'")?;
        self.push_scope();
        let result = self.for_rest(open);
        self.pop_scope();
        result
    }

    fn for_rest(&mut self, open: crate::source::Loc) -> Parse<StmtKind> {
        let start = self.loc();
        let init = if self.accept(Punct::Semicolon) {
            None
        } else if self.starts_declaration() || self.at_keyword(Keyword::Attribute) {
            Some(self.declaration()?)
        } else {
            let value = self.expression()?;
            self.expect(Punct::Semicolon, "in 'for' statement specifier")?;
            let span = self.span_from(start);
            Some(self.ast.add_stmt(StmtKind::Expr(value), span))
        };
        let cond = match self.at(Punct::Semicolon) {
            true => None,
            false => Some(self.expression()?),
        };
        self.expect(Punct::Semicolon, "in 'for' statement specifier")?;
        let step = match self.at(Punct::RParen) {
            true => None,
            false => Some(self.expression()?),
        };
        self.expect_close(Punct::RParen, open)?;
        let body = self.statement()?;
        Ok(StmtKind::For {
            init,
            cond,
            step,
            body,
        })
    }

    // Pragmas

    /// A pragma where exactly one statement is wanted belongs to the statement behind it.
    fn pragma_then_statement(&mut self) -> Parse<StmtId> {
        let start = self.loc();
        let pragma = self.pragma();
        let body = self.statement()?;
        let Some(pragma) = pragma else {
            return Ok(body);
        };
        let span = pragma.span;
        let first = self.ast.add_stmt(StmtKind::Pragma(pragma), span);
        let span = self.span_from(start);
        Ok(self
            .ast
            .add_stmt(StmtKind::Compound(vec![first, body]), span))
    }

    /// Reads a pragma to its end. One that is malformed is warned about and ignored.
    pub(super) fn pragma(&mut self) -> Option<Pragma> {
        let start = self.advance().loc;
        let is_pack = matches!(self.kind(), TokenKind::Ident(n) if self.names.bytes(n) == b"pack");
        if is_pack {
            if self.pack_pragma().is_none() || self.kind() != TokenKind::PragmaEnd {
                self.diagnostics.warning(
                    Warning::IgnoredPragmas,
                    self.loc(),
                    "malformed #pragma ignored",
                );
            }
            while !matches!(self.kind(), TokenKind::PragmaEnd | TokenKind::Eof) {
                self.advance();
            }
            self.advance();
            return None;
        }
        let kind = self.pragma_kind();
        if kind.is_none() || self.kind() != TokenKind::PragmaEnd {
            // Only the predicate of an extension follows a colon.
            let before = self.tokens[self.pos.saturating_sub(1)].kind;
            let message = match before == TokenKind::Punct(Punct::Colon) {
                true => "expected 'enable', 'disable', 'begin' or 'end' - ignoring",
                false => "malformed #pragma ignored",
            };
            self.diagnostics
                .warning(Warning::IgnoredPragmas, self.loc(), message);
        }
        let complete = self.kind() == TokenKind::PragmaEnd;
        while !matches!(self.kind(), TokenKind::PragmaEnd | TokenKind::Eof) {
            self.advance();
        }
        let span = self.span_from(start);
        self.advance();
        let kind = kind.filter(|_| complete)?;
        Some(Pragma { kind, span })
    }

    /// `pack()`, `pack(n)`, `pack(push)`, `pack(push, n)`, `pack(pop)`.
    fn pack_pragma(&mut self) -> Option<()> {
        self.advance();
        if !self.accept(Punct::LParen) {
            return None;
        }
        let mut limit = None;
        match self.pragma_word().as_deref() {
            Some("push") => {
                self.pack_stack.push(self.pack);
                if self.accept(Punct::Comma) {
                    limit = Some(self.pack_limit()?);
                } else {
                    limit = self.pack;
                }
            }
            Some("pop") => limit = self.pack_stack.pop().flatten(),
            Some(_) => return None,
            None if self.at(Punct::RParen) => {}
            None => limit = Some(self.pack_limit()?),
        }
        self.pack = limit.filter(|l| *l != 0);
        self.accept(Punct::RParen).then_some(())
    }

    fn pack_limit(&mut self) -> Option<u64> {
        let TokenKind::Number(s) = self.kind() else {
            return None;
        };
        match parse_number(self.names.resolve(s)) {
            Ok(Number::Int { value, .. }) if matches!(value, 0 | 1 | 2 | 4 | 8 | 16) => {
                self.advance();
                Some(value)
            }
            _ => None,
        }
    }

    fn pragma_word(&mut self) -> Option<String> {
        let word = match self.kind() {
            TokenKind::Ident(name) => self.names.resolve(name).to_string(),
            TokenKind::Keyword(keyword) => keyword.spelling().to_string(),
            _ => return None,
        };
        self.advance();
        Some(word)
    }

    fn pragma_kind(&mut self) -> Option<PragmaKind> {
        match self.pragma_word()?.as_str() {
            "unroll" => self.unroll_count(),
            "nounroll" => Some(PragmaKind::NoUnroll),
            "undef" => match self.advance().kind {
                TokenKind::Ident(name) => Some(PragmaKind::Undefine(name)),
                _ => None,
            },
            // OPENCL and STDC
            _ => match self.pragma_word()?.as_str() {
                "FP_CONTRACT" => {
                    let at = self.pos;
                    let on = match self.pragma_word()?.as_str() {
                        "ON" => Some(true),
                        "OFF" => Some(false),
                        "DEFAULT" => None,
                        _ => {
                            self.pos = at;
                            return None;
                        }
                    };
                    Some(PragmaKind::FpContract(on))
                }
                "EXTENSION" => self.extension(),
                _ => None,
            },
        }
    }

    fn extension(&mut self) -> Option<PragmaKind> {
        let TokenKind::Ident(name) = self.kind() else {
            return None;
        };
        let name_span = Span::at(self.advance().loc);
        if !self.accept(Punct::Colon) {
            return None;
        }
        let at = self.pos;
        let enable = match self.pragma_word()?.as_str() {
            "enable" | "require" | "begin" => true,
            "disable" | "end" => false,
            _ => {
                self.pos = at;
                return None;
            }
        };
        Some(PragmaKind::Extension {
            name,
            name_span,
            enable,
        })
    }

    /// `unroll`, `unroll 4`, `unroll(4)`
    fn unroll_count(&mut self) -> Option<PragmaKind> {
        if self.kind() == TokenKind::PragmaEnd {
            return Some(PragmaKind::Unroll(None));
        }
        let count = self.conditional().ok()?;
        Some(PragmaKind::Unroll(Some(count)))
    }
}
