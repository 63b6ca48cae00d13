//! Inclusion and `#line`.

use std::path::Path;

use super::token::Punct;
use super::{
    CachedFile, MAX_INCLUDE_DEPTH, MAX_INCLUSIONS, Preprocessor, SPACE_BEFORE, Token, TokenKind,
};
use crate::diagnostics::{Loc, Warning};
use crate::source::plain_path;

/// Headers that C programs begin with.
const STANDARD_HEADERS: &[&str] = &[
    "algorithm",
    "assert.h",
    "cmath",
    "cstdint",
    "cstdio",
    "float.h",
    "iostream",
    "limits.h",
    "math.h",
    "stdbool.h",
    "stddef.h",
    "stdint.h",
    "stdio.h",
    "stdlib.h",
    "string",
    "string.h",
    "vector",
];

impl Preprocessor<'_> {
    /// `#line number "file"`.
    pub(super) fn line_directive(&mut self, number: Token) {
        let line = match number.kind {
            TokenKind::Number(s) => self.names.resolve(s).parse::<u32>().ok(),
            _ => None,
        };
        let Some(line) = line else {
            self.diagnostics.error(
                number.loc,
                "#line directive requires a positive integer argument",
            );
            return;
        };
        let token = self.expanded_directive_token();
        let name = match token.kind {
            TokenKind::Str(s) => {
                let text = self.names.resolve(s);
                Some(unquoted(text).replace("\\\\", "\\"))
            }
            TokenKind::EndOfLine => None,
            _ => {
                self.diagnostics
                    .error(token.loc, "invalid filename for #line directive");
                return;
            }
        };
        // The number is that of the line behind the directive.
        let (id, mut lexer) = {
            let file = self.file();
            (file.id, file.lexer.clone())
        };
        lexer.finish_directive();
        let sources = &mut self.diagnostics.sources;
        sources.add_line_mark(id, lexer.pos() + 1, line, name.as_deref());
    }

    pub(super) fn include_directive(&mut self, directive: Token) {
        let (name, angled, at) = match self.file().lexer.angled_name() {
            Some((name, at)) => (name, true, at),
            None => {
                let token = self.expanded_directive_token();
                let at = self.diagnostics.sources.expansion(token.loc);
                match token.kind {
                    TokenKind::Str(s) => {
                        let text = self.names.resolve(s);
                        (unquoted(text).to_string(), false, at)
                    }
                    TokenKind::Punct(Punct::Less) => match self.angled_from_tokens() {
                        Some(name) => (name, true, at),
                        None => return,
                    },
                    _ => {
                        self.diagnostics
                            .error(directive.loc, "expected \"FILENAME\" or <FILENAME>");
                        return;
                    }
                }
            }
        };
        if name.is_empty() {
            self.diagnostics.error(at, "empty filename");
            return;
        }
        let rest = self.expanded_directive_token();
        if rest.kind != TokenKind::EndOfLine {
            self.diagnostics.warning(
                Warning::ExtraTokens,
                rest.loc,
                "extra tokens at end of #include directive",
            );
            // Discard what an expansion left over.
            while !matches!(self.next_raw().kind, TokenKind::EndOfLine | TokenKind::Eof) {}
        }
        if self.files.len() > MAX_INCLUDE_DEPTH {
            self.diagnostics.fatal(at, "#include nested too deeply");
            return;
        }
        self.inclusions += 1;
        if self.inclusions > MAX_INCLUSIONS {
            self.diagnostics.fatal(at, "too many #include directives");
            return;
        }
        let Some(file) = self.resolve_include(&name, angled) else {
            let from = &self.file().path.clone();
            let message = match self.config.includes.refusal(&name, angled, from) {
                Some(why) => format!("cannot read file '{name}': {why}"),
                None => format!("'{name}' file not found"),
            };
            let report = self.diagnostics.fatal(at, message);
            if STANDARD_HEADERS.contains(&name.as_str()) {
                let why =
                    "OpenCL C has no standard library; its built-in functions need no #include";
                report.note(Loc::NONE, why);
            }
            return;
        };
        let guarded = self.guards.get(&file.path).copied();
        if self.once.contains(&plain_path(Path::new(&*file.path)))
            || guarded.is_some_and(|g| self.is_defined(g))
        {
            return;
        }
        self.file().lexer.finish_directive();
        self.push_file(file.path.clone(), file.path, file.text, directive.loc);
    }

    /// `<a/b.h>` that a macro produced: the spellings up to `>`.
    fn angled_from_tokens(&mut self) -> Option<String> {
        let mut name = String::new();
        loop {
            let token = self.expanded_directive_token();
            match token.kind {
                TokenKind::Punct(Punct::Greater) => return Some(name),
                TokenKind::EndOfLine | TokenKind::Eof => {
                    self.diagnostics.error(token.loc, "expected '>'");
                    return None;
                }
                _ => {
                    if !name.is_empty() && token.flags & SPACE_BEFORE != 0 {
                        name.push(' ');
                    }
                    name.push_str(&String::from_utf8_lossy(self.spelling(&token)));
                }
            }
        }
    }

    /// Asks the resolver, once for each name and including file.
    pub(super) fn resolve_include(&mut self, name: &str, angled: bool) -> Option<CachedFile> {
        let from = self.files.last()?.path.clone();
        let key = (name.to_string(), angled, from);
        if let Some(known) = self.resolved.get(&key) {
            return known.clone();
        }
        if self.diagnostics.should_stop() {
            return None;
        }
        let found = self.config.includes.resolve(name, angled, &key.2);
        let size = found.as_ref().map_or(0, |f| f.text.len() + f.path.len());
        let at = self.file().lexer.loc();
        if !self.afford((size + key.0.len() + 200) as u64, at) {
            return None;
        }
        let file = found.map(|f| CachedFile {
            path: f.path.into(),
            text: f.text.into(),
        });
        self.resolved.insert(key, file.clone());
        file
    }
}

/// Returns the text between the quotes of a string token; an unterminated one has no second quote.
fn unquoted(text: &str) -> &str {
    let inner = text.strip_prefix('"').unwrap_or(text);
    inner.strip_suffix('"').unwrap_or(inner)
}
