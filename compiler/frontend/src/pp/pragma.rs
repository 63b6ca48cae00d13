//! `#pragma` and `_Pragma`: those that mean something later become tokens, the others vanish.

use std::path::Path;
use std::rc::Rc;

use super::token::Punct;
use crate::diagnostics::Warning;
use crate::source::plain_path;
use crate::symbol::Symbol;

use super::{LINE_START, Lexer, Preprocessor, Slot, Token, TokenKind};

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
                    self.once.insert(plain_path(Path::new(&*file.path)));
                }
                return;
            }
            "push_macro" | "pop_macro" => {
                let rest = [(); 3].map(|()| self.directive_token());
                self.kept_macro(&name, directive, &rest);
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

    /// `push_macro("NAME")` keeps a macro's definition, `pop_macro("NAME")` brings the one kept last back; `rest` are
    /// the tokens behind the word.
    fn kept_macro(&mut self, word: &str, directive: Token, rest: &[Token]) {
        let spelled = match rest {
            [open, name, close, ..]
                if open.kind == TokenKind::Punct(Punct::LParen)
                    && close.kind == TokenKind::Punct(Punct::RParen) =>
            {
                match name.kind {
                    TokenKind::Str(text) => self.names.bytes(text),
                    _ => b"",
                }
            }
            _ => b"",
        };
        let name = spelled
            .strip_prefix(b"\"")
            .and_then(|s| s.strip_suffix(b"\""));
        let Some(name) = name.and_then(|name| std::str::from_utf8(name).ok()) else {
            let message = format!("pragma {word} requires a parenthesized string");
            self.diagnostics.error(directive.loc, message);
            return;
        };
        let name = name.to_string();
        let symbol = self.names.intern(&name);
        if word == "push_macro" {
            let slot = self.slots.get(symbol.index()).copied();
            let slot = slot.unwrap_or(Slot::Undefined);
            if let Slot::Defined(id) = slot {
                self.macros[id as usize].kept = true;
            }
            self.kept.entry(symbol).or_default().push(slot);
        } else if let Some(slot) = self.kept.get_mut(&symbol).and_then(Vec::pop) {
            self.set_slot(symbol, slot);
        } else {
            let message =
                format!("pragma pop_macro could not pop '{name}', no matching push_macro");
            self.diagnostics
                .warning(Warning::IgnoredPragmas, directive.loc, message);
        }
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
        if matches!(known, b"push_macro" | b"pop_macro") {
            let word = String::from_utf8_lossy(known).into_owned();
            self.kept_macro(&word, name, &tokens[2..]);
            return;
        }
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
