//! `#pragma` and `_Pragma`: those that mean something later become tokens, the others vanish.

use std::rc::Rc;

use super::token::Punct;
use crate::symbol::Symbol;

use super::{LINE_START, Lexer, Preprocessor, Token, TokenKind};

impl Preprocessor<'_> {
    /// The line behind `#pragma`.
    pub(super) fn pragma_directive(&mut self, directive: Token) {
        let mut tokens = vec![Token {
            kind: TokenKind::Pragma,
            ..directive
        }];
        let first = self.directive_token();
        let name = match first.kind {
            TokenKind::Ident(name) => self.names.resolve(name).to_string(),
            _ => return,
        };
        tokens.push(first);
        match name.as_str() {
            "once" => {
                if let Some(file) = self.files.last() {
                    self.once.insert(file.path.clone());
                }
                return;
            }
            "OPENCL" | "STDC" | "pack" => loop {
                let token = self.directive_token();
                if token.kind == TokenKind::EndOfLine {
                    break;
                }
                tokens.push(token);
            },
            // The count of an unroll pragma may be a macro.
            "unroll" | "nounroll" => {
                let level = self.contexts.len();
                loop {
                    let token = self.next_expanded();
                    if matches!(token.kind, TokenKind::EndOfLine | TokenKind::Eof) {
                        break;
                    }
                    tokens.push(token);
                }
                debug_assert_eq!(level, self.contexts.len());
            }
            _ => return,
        }
        self.push_pragma(tokens);
    }

    /// Passes the `#undef` of a feature's macro on: what stands behind it is compiled without the feature.
    pub(super) fn undefined_feature(&mut self, feature: Symbol, directive: Token) {
        let text = self.names.resolve(feature);
        if !text.starts_with("__opencl_c_") || !self.config.target.has_feature(text) {
            return;
        }
        let word = self.names.intern("undef");
        let token = |kind| Token {
            kind,
            flags: 0,
            ..directive
        };
        let tokens = [
            TokenKind::Pragma,
            TokenKind::Ident(word),
            TokenKind::Ident(feature),
        ];
        self.push_pragma(tokens.map(token).to_vec());
    }

    /// `_Pragma("text")`; the name was just read.
    pub(super) fn pragma_operator(&mut self, name: Token) {
        let open = self.next_expanded();
        let string = self.next_expanded();
        let close = self.next_expanded();
        let (TokenKind::Punct(Punct::LParen), TokenKind::Str(s), TokenKind::Punct(Punct::RParen)) =
            (open.kind, string.kind, close.kind)
        else {
            self.diagnostics
                .error(name.loc, "_Pragma takes a parenthesized string literal");
            return;
        };
        let spelled = self.names.bytes(s);
        let mut text = Vec::with_capacity(spelled.len());
        let mut escaped = false;
        for &b in &spelled[1..spelled.len() - 1] {
            if b == b'\\' && !escaped {
                escaped = true;
                continue;
            }
            text.push(b);
            escaped = false;
        }
        let mut lexer = Lexer::new(
            Rc::from(text),
            self.diagnostics.sources.loc(self.predefined_file, 0),
            0,
        );
        lexer.in_directive = true;
        let mut tokens = vec![Token {
            kind: TokenKind::Pragma,
            ..name
        }];
        loop {
            let token = lexer.next(self.names, self.diagnostics);
            if token.kind == TokenKind::EndOfLine {
                break;
            }
            tokens.push(Token {
                loc: name.loc,
                ..token
            });
        }
        let known = match tokens.get(1).map(|t| t.kind) {
            Some(TokenKind::Ident(first)) => self.names.bytes(first),
            _ => b"",
        };
        if matches!(
            known,
            b"OPENCL" | b"STDC" | b"pack" | b"unroll" | b"nounroll"
        ) {
            self.push_pragma(tokens);
        }
    }

    pub(super) fn push_pragma(&mut self, mut tokens: Vec<Token>) {
        let last = tokens[tokens.len() - 1];
        tokens.push(Token {
            kind: TokenKind::PragmaEnd,
            ..last
        });
        for token in &mut tokens {
            token.flags &= !LINE_START;
            token.flags |= super::NO_EXPAND;
        }
        tokens[0].flags |= LINE_START;
        self.push_context(tokens, None, false);
    }
}
