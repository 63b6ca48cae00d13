//! `__attribute__((…))`.

use super::ast::{Attr, AttrArg};
use super::{Parse, Parser};
use crate::pp::token::{Keyword, Punct, TokenKind};
use crate::source::Span;

impl Parser<'_> {
    /// Appends the attributes of any `__attribute__` lists that stand here.
    pub(super) fn attributes(&mut self, attrs: &mut Vec<Attr>) -> Parse<()> {
        while self.at_keyword(Keyword::Attribute) {
            self.advance();
            let outer = self.expect(Punct::LParen, "after '__attribute__'")?;
            let inner = self.expect(Punct::LParen, "after '('")?;
            loop {
                match self.kind() {
                    TokenKind::Punct(Punct::Comma) => {
                        self.advance();
                    }
                    TokenKind::Ident(_) | TokenKind::Keyword(_) => {
                        let attr = self.attribute()?;
                        attrs.push(attr);
                        if !self.at(Punct::Comma) {
                            break;
                        }
                    }
                    _ => break,
                }
            }
            self.expect_close(Punct::RParen, inner)?;
            self.expect_close(Punct::RParen, outer)?;
        }
        Ok(())
    }

    fn attribute(&mut self) -> Parse<Attr> {
        let first = self.pos;
        let token = self.advance();
        let written = match token.kind {
            TokenKind::Ident(name) => name,
            TokenKind::Keyword(keyword) => self.names.intern(keyword.spelling()),
            _ => return Err(self.expected("identifier")),
        };
        let text = self.names.resolve(written);
        let plain = text
            .strip_prefix("__")
            .and_then(|t| t.strip_suffix("__"))
            .filter(|t| !t.is_empty());
        let name = match plain.map(str::to_string) {
            Some(plain) => self.names.intern(&plain),
            None => written,
        };
        let mut args = Vec::new();
        if self.at(Punct::LParen) {
            let open = self.advance().loc;
            while !self.at(Punct::RParen) {
                args.push(if self.starts_type() {
                    AttrArg::Type(self.type_name()?)
                } else {
                    AttrArg::Expr(self.assignment()?)
                });
                if !self.accept(Punct::Comma) {
                    break;
                }
            }
            self.expect_close(Punct::RParen, open)?;
        }
        Ok(Attr {
            name,
            name_span: Span::at(token.loc),
            args,
            text: self.joined_text(first, self.pos),
            span: self.span_from(token.loc),
        })
    }

    /// Tokens as text, with a space only between two words.
    fn joined_text(&self, first: usize, end: usize) -> String {
        let mut text = String::new();
        let mut word_before = false;
        for token in &self.tokens[first..end] {
            let (spelling, word) = match token.kind {
                TokenKind::Ident(s) | TokenKind::Number(s) => (self.names.resolve(s), true),
                TokenKind::Keyword(k) => (k.spelling(), true),
                TokenKind::Char(s) | TokenKind::Str(s) => (self.names.resolve(s), false),
                TokenKind::Punct(p) => (p.spelling(), false),
                _ => continue,
            };
            if word && word_before {
                text.push(' ');
            }
            text.push_str(spelling);
            word_before = word;
        }
        text
    }
}
