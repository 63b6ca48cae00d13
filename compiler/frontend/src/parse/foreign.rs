//! Recognises C++ and words of later versions in OpenCL C sources, which get messages of their own
//! instead of what the C grammar would have expected.
use super::ast::{DeclPart, InitDeclarator};
use super::decl::{qualifier, specifier};
use super::{Parse, Parser, Reported};
use crate::lang::foreign;
use crate::lang::names::all;
use crate::pp::token::{Punct, TokenKind};
use crate::source::{Loc, Symbol};
use pumice_target::similar::closest;

/// Words of C++ that are plain names in OpenCL C.
const WORDS: &[&str] = &[
    "catch",
    "class",
    "const_cast",
    "delete",
    "dynamic_cast",
    "explicit",
    "friend",
    "mutable",
    "namespace",
    "new",
    "operator",
    "protected",
    "public",
    "reinterpret_cast",
    "static_cast",
    "template",
    "throw",
    "try",
    "typename",
    "using",
    "virtual",
];

/// Number of tokens between a C++ keyword and the error of the C grammar: `static_cast` `<` `int`.
const REACH: usize = 2;

impl Parser<'_> {
    /// Returns position and message if C++ begins near the token at which the grammar failed.
    pub(super) fn foreign(&self) -> Option<(Loc, String)> {
        let first = self.pos.saturating_sub(REACH);
        let near = &self.tokens[first..=self.pos];
        let word = near.iter().rev().find_map(|token| match token.kind {
            TokenKind::Ident(name) => Some((token.loc, self.foreign_word(name)?)),
            _ => None,
        });
        word.or_else(|| self.scope_operator())
    }

    /// The message for a word of C++ that names nothing here.
    pub(super) fn foreign_word(&self, name: Symbol) -> Option<String> {
        let text = self.names.resolve(name);
        let foreign = WORDS.contains(&text) && !self.kinds.contains_key(&name);
        foreign.then(|| not_here(text))
    }

    /// Returns whether the name here, which is no type, stands where only a type makes sense.
    pub(super) fn looks_like_unknown_type(&mut self) -> bool {
        match self.ahead(1) {
            TokenKind::Ident(_) => true,
            TokenKind::Keyword(keyword) => {
                qualifier(keyword).is_some()
                    || self.scopes.is_empty() && specifier(keyword).is_some()
            }
            TokenKind::Punct(Punct::Star) => {
                // `T *name` at the start of a declaration.
                self.scopes.is_empty() && matches!(self.ahead(2), TokenKind::Ident(_))
            }
            _ => false,
        }
    }

    pub(super) fn unknown_type(&mut self, name: Symbol) {
        if let Some(message) = self.foreign_word(name) {
            self.error(self.loc(), message);
            return;
        }
        let text = self.names.resolve(name);
        let advice = foreign::advice(text, || closest(text, all()));
        let message = advice.complete(format!("unknown type name '{text}'"));
        let report = self.error(self.loc(), message);
        if let Some(hint) = advice.hint {
            report.hint(hint);
        }
    }

    /// Returns whether `name`, undeclared, is a word that CUDA puts in front of declarations.
    pub(super) fn is_foreign_qualifier(&self, name: Symbol) -> bool {
        foreign::is_qualifier(self.names.resolve(name)) && !self.kinds.contains_key(&name)
    }

    /// Refuses the body of a function within a function, after which the rest is read as before: a
    /// closing brace is probably missing in front of it.
    pub(super) fn refuse_nested_function(&mut self, declarators: &[InitDeclarator]) -> Parse<()> {
        let [only] = declarators else { return Ok(()) };
        let parts = &only.declarator.parts;
        let is_function = matches!(parts.first(), Some(DeclPart::Function { .. }));
        if !is_function || only.init.is_some() || self.scopes.is_empty() || !self.at(Punct::LBrace)
        {
            return Ok(());
        }
        self.error(self.loc(), "function definition is not allowed here");
        Err(Reported)
    }

    /// Returns whether `name`, this token's, is the address space that OpenCL C 2.0 has as a keyword:
    /// before that it is a plain name, which no type follows.
    pub(super) fn later_qualifier(&mut self, name: Symbol) -> bool {
        let is_word = self.names.resolve(name) == "generic" && !self.kinds.contains_key(&name);
        is_word && {
            let next = self.ahead(1);
            self.token_starts_type(next)
        }
    }

    /// `::` with this token as one of its colons or right behind a name that it follows.
    fn scope_operator(&self) -> Option<(Loc, String)> {
        let colon = |at: usize| {
            let token = self.tokens.get(at);
            token.is_some_and(|t| t.kind == TokenKind::Punct(Punct::Colon))
        };
        let first = self.pos.saturating_sub(1);
        let at = (first..=self.pos).find(|&at| colon(at) && colon(at + 1))?;
        Some((self.tokens[at].loc, not_here("::")))
    }

    /// Reports a type's name where an expression begins, perhaps a cast of C++: `float4(x)`.
    pub(super) fn type_as_expression(&mut self, name: Symbol) -> Reported {
        let text = self.names.resolve(name);
        let what = format!("unexpected type name '{text}': expected expression");
        let report = self.error(self.loc(), what);
        if self.ahead(1) == TokenKind::Punct(Punct::LParen) {
            report.hint(format!("to make a value, write '({text})(...)'"));
        }
        Reported
    }
}

fn not_here(what: &str) -> String {
    format!("C++ '{what}' is not supported in OpenCL C")
}
