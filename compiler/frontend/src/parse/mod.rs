//! Tokens to syntax tree.
//!
//! Takes the preprocessor's tokens, gives an [`Ast`] and diagnostics; resolves nothing beyond
//! which names are types. Recursive descent with precedence climbing. A function that fails has
//! reported why and returns [`Reported`]; statements and declarations then skip to a place
//! where they can go on, so that one file gives several errors.
//!
//! - `decl`: declarations, specifiers, records
//! - `declarator`: declarators, parameters, type names, initialisers
//! - `stmt`: statements and pragmas
//! - `expr`: expressions
//! - `attr`: attributes

use rustc_hash::FxHashMap;

use crate::diagnostics::{Diagnostics, Loc, Report};
use crate::lang::names::is_type_name;
use crate::pp::token::{Keyword, LINE_START, Punct, Token, TokenKind};
use crate::source::{Interner, Span, Symbol};
use pumice_budget as budget;

pub mod ast;
mod ast_expr;
mod ast_stmt;
mod attr;
mod decl;
mod declarator;
mod expr;
mod foreign;
mod old_style;
mod print;
mod stmt;
mod with_types;

pub use print::print_ast;

use ast::Ast;

/// Parentheses, statements, declarators and initialisers inside one another at most.
const MAX_DEPTH: u32 = 1400;

/// An error was reported; the construct has no tree.
#[derive(Clone, Copy, Debug)]
struct Reported;

type Parse<T> = Result<T, Reported>;

/// Meaning of an ordinary name in its scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NameKind {
    Typedef,
    Ordinary,
}

/// Parses a translation unit. `tokens` ends with [`TokenKind::Eof`].
pub fn parse(tokens: &[Token], names: &mut Interner, diagnostics: &Diagnostics) -> Ast {
    let mut parser = Parser {
        tokens,
        pos: 0,
        prev: Loc::NONE,
        names,
        diagnostics,
        ast: Ast::default(),
        kinds: FxHashMap::default(),
        undo: Vec::new(),
        scopes: Vec::new(),
        builtin_types: FxHashMap::default(),
        depth: 0,
        pack: None,
        pack_stack: Vec::new(),
        end_reported: false,
    };
    parser.translation_unit();
    parser.ast
}

/// Bytes of the tree for each token, beside the arenas.
const TOKEN_BYTES: u64 = 32;

struct Parser<'a> {
    tokens: &'a [Token],
    pos: usize,
    /// The token passed last.
    prev: Loc,
    names: &'a mut Interner,
    diagnostics: &'a Diagnostics,
    ast: Ast,
    /// Current meaning of each declared name.
    kinds: FxHashMap<Symbol, NameKind>,
    /// Meanings to restore at the end of scopes.
    undo: Vec<(Symbol, Option<NameKind>)>,
    /// Length of `undo` where each open scope began.
    scopes: Vec<usize>,
    /// Cache: names already tested for being built-in types.
    builtin_types: FxHashMap<Symbol, bool>,
    depth: u32,
    /// `#pragma pack`: the alignment that members are limited to now, and those pushed.
    pack: Option<u64>,
    pack_stack: Vec<Option<u64>>,
    /// An open bracket at the end of the source was reported.
    end_reported: bool,
}

impl<'a> Parser<'a> {
    fn token(&self) -> Token {
        self.tokens[self.pos]
    }

    fn kind(&self) -> TokenKind {
        self.tokens[self.pos].kind
    }

    fn loc(&self) -> Loc {
        self.tokens[self.pos].loc
    }

    /// The kind `n` tokens ahead.
    fn ahead(&self, n: usize) -> TokenKind {
        self.tokens[(self.pos + n).min(self.tokens.len() - 1)].kind
    }

    fn advance(&mut self) -> Token {
        let token = self.tokens[self.pos];
        // Declarations and lists, which are no nodes of an arena, are counted by their tokens.
        if let Err(why) = budget::charge(TOKEN_BYTES) {
            self.give_up(why.to_string());
        } else if token.kind != TokenKind::Eof {
            self.prev = token.loc;
            self.pos += 1;
        }
        token
    }

    fn at(&self, punct: Punct) -> bool {
        self.kind() == TokenKind::Punct(punct)
    }

    fn at_keyword(&self, keyword: Keyword) -> bool {
        self.kind() == TokenKind::Keyword(keyword)
    }

    fn accept(&mut self, punct: Punct) -> bool {
        let found = self.at(punct);
        if found {
            self.advance();
        }
        found
    }

    fn accept_keyword(&mut self, keyword: Keyword) -> bool {
        let found = self.at_keyword(keyword);
        if found {
            self.advance();
        }
        found
    }

    /// From `start` to the token passed last.
    fn span_from(&self, start: Loc) -> Span {
        Span {
            lo: start,
            hi: self.prev,
        }
    }

    fn error(&self, at: impl Into<Span>, message: impl Into<String>) -> Report<'a> {
        self.diagnostics.error(at, message)
    }

    /// Reports that something else was expected at this token.
    fn expected(&self, what: &str) -> Reported {
        if let Some((at, message)) = self.foreign() {
            self.error(at, message);
            return Reported;
        }
        let message = match self.kind() {
            TokenKind::Other(b'"') => "missing terminating '\"' character".to_string(),
            TokenKind::Other(b'\'') => "missing terminating ' character".to_string(),
            TokenKind::Other(b) if b.is_ascii_graphic() => {
                format!("unexpected character '{}'", b as char)
            }
            TokenKind::Other(b) => format!("unexpected character <{b:02X}>"),
            _ => format!("expected {what}"),
        };
        self.error(self.loc(), message);
        Reported
    }

    fn expect(&mut self, punct: Punct, after: &str) -> Parse<Loc> {
        if self.at(punct) {
            return Ok(self.advance().loc);
        }
        Err(self.expected(&format!("'{}' {after}", punct.spelling())))
    }

    /// The `)`, `]` or `}` that matches `open`.
    fn expect_close(&mut self, punct: Punct, open: Loc) -> Parse<Loc> {
        if self.at(punct) {
            return Ok(self.advance().loc);
        }
        let opening = match punct {
            Punct::RParen => "(",
            Punct::RBracket => "[",
            _ => "{",
        };
        let what = format!("'{}'", punct.spelling());
        if matches!(self.kind(), TokenKind::Other(_)) || self.foreign().is_some() {
            return Err(self.expected(&what));
        }
        // Everything that is open lacks its end at the end of the source; one report is enough.
        if self.kind() == TokenKind::Eof && std::mem::replace(&mut self.end_reported, true) {
            return Err(Reported);
        }
        let message = format!("expected {what}");
        self.error(self.loc(), message)
            .note(open, format!("to match this '{opening}'"));
        Err(Reported)
    }

    /// The semicolon that ends something; a missing one is reported behind the last token and
    /// taken as present if the next line begins there.
    fn expect_semicolon(&mut self, after: &str) -> Parse<()> {
        if self.accept(Punct::Semicolon) {
            return Ok(());
        }
        if matches!(self.kind(), TokenKind::Other(_)) || self.foreign().is_some() {
            return Err(self.expected("';'"));
        }
        let message = format!("expected ';' {after}");
        self.error(self.behind_prev(), message);
        let goes_on = self.token().flags & LINE_START != 0
            || matches!(
                self.kind(),
                TokenKind::Eof | TokenKind::Punct(Punct::RBrace)
            );
        if goes_on { Ok(()) } else { Err(Reported) }
    }

    /// The place behind the last token.
    fn behind_prev(&self) -> Loc {
        let before = self.tokens[self.pos.saturating_sub(1)];
        if before.loc.is_macro() || !before.loc.is_some() || self.pos == 0 {
            return before.loc;
        }
        let length = match before.kind {
            TokenKind::Ident(s) | TokenKind::Number(s) | TokenKind::Char(s) | TokenKind::Str(s) => {
                self.names.bytes(s).len()
            }
            TokenKind::Punct(p) => p.spelling().len(),
            TokenKind::Keyword(_) => {
                let sources = &self.diagnostics.sources;
                match sources.file_offset(before.loc) {
                    Some((file, offset)) => crate::pp::measure_token(&sources.text(file)[offset..]),
                    None => 0,
                }
            }
            _ => 0,
        };
        before.loc.offset(length as u32)
    }

    /// Enters one level of nesting.
    fn enter(&mut self) -> Parse<()> {
        if self.depth >= MAX_DEPTH {
            let message = format!("nesting level exceeded maximum of {MAX_DEPTH}");
            return Err(self.give_up(message));
        }
        self.depth += 1;
        Ok(())
    }

    fn leave(&mut self) {
        self.depth -= 1;
    }

    /// Reports an error behind which nothing can be parsed with sense.
    fn give_up(&mut self, message: String) -> Reported {
        self.diagnostics.fatal(self.loc(), message);
        self.pos = self.tokens.len() - 1;
        Reported
    }

    // Scopes

    fn push_scope(&mut self) {
        self.scopes.push(self.undo.len());
    }

    fn pop_scope(&mut self) {
        let length = self.scopes.pop().unwrap_or(0);
        for (name, old) in self.undo.drain(length..).rev() {
            match old {
                Some(kind) => self.kinds.insert(name, kind),
                None => self.kinds.remove(&name),
            };
        }
    }

    fn declare(&mut self, name: Symbol, kind: NameKind) {
        let old = self.kinds.insert(name, kind);
        if !self.scopes.is_empty() {
            self.undo.push((name, old));
        }
    }

    fn is_type(&mut self, name: Symbol) -> bool {
        match self.kinds.get(&name) {
            Some(kind) => *kind == NameKind::Typedef,
            None => {
                let names = &*self.names;
                *self
                    .builtin_types
                    .entry(name)
                    .or_insert_with(|| is_type_name(names.resolve(name)))
            }
        }
    }

    // Recovery

    /// Skips to behind a `;` or to before a `}` of this block.
    fn skip_statement(&mut self) {
        let mut depth = 0u32;
        loop {
            match self.kind() {
                TokenKind::Eof => return,
                TokenKind::Punct(Punct::Semicolon) if depth == 0 => {
                    self.advance();
                    return;
                }
                TokenKind::Punct(Punct::RBrace) => {
                    if depth == 0 {
                        return;
                    }
                    depth -= 1;
                    if depth == 0 {
                        self.advance();
                        return;
                    }
                }
                TokenKind::Punct(Punct::LBrace) => depth += 1,
                TokenKind::Pragma if depth == 0 => return,
                _ => {}
            }
            self.advance();
        }
    }

    /// Skips to where a declaration at program scope may begin.
    fn skip_external(&mut self) {
        let mut depth = 0u32;
        let start = self.pos;
        loop {
            let token = self.token();
            match token.kind {
                TokenKind::Eof => return,
                TokenKind::Punct(Punct::Semicolon) if depth == 0 => {
                    self.advance();
                    return;
                }
                TokenKind::Punct(Punct::LBrace) => depth += 1,
                TokenKind::Punct(Punct::RBrace) => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        self.advance();
                        self.accept(Punct::Semicolon);
                        return;
                    }
                }
                // A kernel on a new line is a good place even if braces are missing.
                TokenKind::Keyword(Keyword::Kernel | Keyword::Typedef)
                    if token.flags & LINE_START != 0 && self.pos > start =>
                {
                    return;
                }
                TokenKind::Pragma if depth == 0 && self.pos > start => return,
                _ => {}
            }
            self.advance();
        }
    }
}
