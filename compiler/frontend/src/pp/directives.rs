//! Directives: definitions, conditionals, inclusion, `#line`, `#error`.

use std::rc::Rc;

use super::token::Punct;
use super::{
    CachedFile, Conditional, Guard, LINE_START, Lexer, MAX_INCLUDE_DEPTH, MAX_INCLUSIONS, Macro,
    Preprocessor, SPACE_BEFORE, Slot, Token, TokenKind,
};
use crate::diagnostics::Loc;
use crate::symbol::Symbol;
use pumice_budget as budget;

/// Headers that C programs begin with.
const C_HEADERS: &[&str] = &[
    "assert.h",
    "float.h",
    "limits.h",
    "math.h",
    "stdbool.h",
    "stddef.h",
    "stdint.h",
    "stdio.h",
    "stdlib.h",
    "string.h",
];

impl Preprocessor<'_> {
    /// The file that is being read.
    fn file(&mut self) -> &mut super::OpenFile {
        self.files.last_mut().expect("a directive stands in a file")
    }

    /// The next token of the directive's line, unexpanded.
    pub(super) fn directive_token(&mut self) -> Token {
        let file = self.files.last_mut().expect("a directive stands in a file");
        file.lexer.next(self.names, self.diagnostics)
    }

    /// Obeys the directive whose `#` was just read.
    pub(super) fn directive(&mut self, hash: Token) {
        let depth = self.files.len();
        self.file().lexer.in_directive = true;
        let guard = self.file().guard;
        let name = self.directive_token();
        match name.kind {
            TokenKind::EndOfLine => {}
            TokenKind::Ident(symbol) => {
                let text = self.names.resolve(symbol).to_string();
                // Only one #ifndef around everything is an include guard.
                let wraps = guard == Guard::Start && matches!(text.as_str(), "ifndef" | "if");
                if !wraps && !matches!(guard, Guard::Inside(_)) {
                    self.file().guard = Guard::Broken;
                }
                self.named_directive(&text, name, wraps);
                // Tokens left by an expansion inside the directive are not program text. Only
                // pragmas leave tokens on purpose.
                while text != "pragma" && !self.contexts.is_empty() {
                    self.pop_context();
                }
            }
            // `# 12 "file"`, what preprocessors write.
            TokenKind::Number(_) => self.line_directive(name),
            _ => {
                self.diagnostics
                    .error(hash.loc, "no such preprocessing directive");
            }
        }
        // An #include has opened a new file; its line is finished already.
        if self.files.len() == depth {
            self.file().lexer.finish_directive();
        }
    }

    fn named_directive(&mut self, text: &str, name: Token, wraps: bool) {
        match text {
            "define" => self.define_directive(),
            "undef" => {
                if let Some((symbol, _)) = self.macro_name(name) {
                    self.set_slot(symbol, Slot::Undefined);
                    self.end_of_line("undef");
                }
            }
            "include" | "include_next" | "import" => self.include_directive(name),
            "if" => {
                let taken = self.if_expression(wraps);
                self.open_conditional(name.loc, taken);
            }
            "ifdef" | "ifndef" => {
                let taken = match self.macro_name(name) {
                    Some((symbol, _)) => {
                        self.end_of_line(text);
                        if wraps && text == "ifndef" && self.file().conditionals.is_empty() {
                            self.file().guard = Guard::Inside(symbol);
                        }
                        self.is_defined(symbol) == (text == "ifdef")
                    }
                    None => false,
                };
                if wraps && !matches!(self.file().guard, Guard::Inside(_)) {
                    self.file().guard = Guard::Broken;
                }
                self.open_conditional(name.loc, taken);
            }
            "elif" | "elifdef" | "elifndef" | "else" => self.skip_after_taken_group(text, name),
            "endif" => {
                self.end_of_line(text);
                self.close_conditional(name);
            }
            "error" | "warning" => {
                let mut message = self.file().lexer.rest_of_line();
                if message.is_empty() {
                    message = format!("#{text} without a text");
                }
                if text == "error" {
                    self.diagnostics.error(name.loc, message);
                } else {
                    self.diagnostics.warning(name.loc, message);
                }
            }
            "line" => {
                let number = self.expanded_directive_token();
                self.line_directive(number);
            }
            "pragma" => self.pragma_directive(name),
            "ident" | "sccs" => {}
            _ => {
                self.diagnostics.error(
                    name.loc,
                    format!("no such preprocessing directive '{text}'"),
                );
            }
        }
    }

    /// The next token of the line after expansion.
    pub(super) fn expanded_directive_token(&mut self) -> Token {
        self.next_expanded()
    }

    /// Reads the name behind `#define`, `#undef`, `#ifdef`.
    fn macro_name(&mut self, directive: Token) -> Option<(Symbol, Token)> {
        let token = self.directive_token();
        match token.kind {
            TokenKind::Ident(symbol) => {
                if self.names.bytes(symbol) == b"defined" {
                    self.diagnostics
                        .error(token.loc, "'defined' cannot be the name of a macro");
                    return None;
                }
                Some((symbol, token))
            }
            TokenKind::EndOfLine => {
                self.diagnostics
                    .error(directive.loc, "the directive lacks the name of a macro");
                None
            }
            _ => {
                self.diagnostics
                    .error(token.loc, "the name of a macro must be an identifier");
                None
            }
        }
    }

    /// Warns about tokens behind a complete directive.
    fn end_of_line(&mut self, directive: &str) {
        let token = self.directive_token();
        if token.kind != TokenKind::EndOfLine {
            self.diagnostics
                .warning(token.loc, format!("text behind #{directive} is ignored"));
        }
    }

    fn define_directive(&mut self) {
        let mut lexer = self.file().lexer.clone();
        let defined = self.read_definition(&mut lexer);
        self.file().lexer = lexer;
        let Some(id) = defined else { return };
        let name = self.macros[id as usize].name;
        if let Some(Slot::Defined(old)) = self.slots.get(name.index()).copied() {
            self.check_redefinition(old, id);
        }
        self.set_slot(name, Slot::Defined(id));
    }

    fn check_redefinition(&mut self, old: u32, new: u32) {
        let (old, new) = (&self.macros[old as usize], &self.macros[new as usize]);
        let same_body = old.body.len() == new.body.len()
            && old
                .body
                .iter()
                .zip(new.body.iter())
                .enumerate()
                .all(|(i, (a, b))| {
                    a.kind == b.kind && (i == 0 || (a.flags ^ b.flags) & SPACE_BEFORE == 0)
                });
        let same = old.params == new.params && old.variadic == new.variadic && same_body;
        if same || (old.predefined && old.builtin.is_none()) {
            return;
        }
        let name = self.names.resolve(new.name);
        if old.builtin.is_some() {
            let message = format!("redefinition of the built-in macro '{name}'");
            self.diagnostics.warning(new.loc, message);
            return;
        }
        self.diagnostics
            .warning(new.loc, format!("macro '{name}' is defined a second time"))
            .note(old.loc, "the earlier definition is here");
    }

    /// Reads a definition from its name on. Gives its index; `None` after an error.
    pub(super) fn read_definition(&mut self, lexer: &mut Lexer) -> Option<u32> {
        let name_token = lexer.next(self.names, self.diagnostics);
        let name = match name_token.kind {
            TokenKind::Ident(name) => name,
            TokenKind::EndOfLine => {
                self.diagnostics
                    .error(name_token.loc, "the directive lacks the name of a macro");
                return None;
            }
            _ => {
                self.diagnostics
                    .error(name_token.loc, "the name of a macro must be an identifier");
                return None;
            }
        };
        if self.names.bytes(name) == b"defined" {
            self.diagnostics
                .error(name_token.loc, "'defined' cannot be the name of a macro");
            return None;
        }
        let mut token = lexer.next(self.names, self.diagnostics);
        let mut params = None;
        let mut variadic = false;
        if token.kind == TokenKind::Punct(Punct::LParen) && token.flags & SPACE_BEFORE == 0 {
            let (list, dots) = self.read_parameters(lexer)?;
            params = Some(list);
            variadic = dots;
            token = lexer.next(self.names, self.diagnostics);
        } else if token.kind != TokenKind::EndOfLine && token.flags & SPACE_BEFORE == 0 {
            self.diagnostics.warning(
                token.loc,
                "white space is missing between the macro's name and its text",
            );
        }
        let mut body: Vec<Token> = Vec::new();
        while token.kind != TokenKind::EndOfLine {
            token.kind = self.body_token(lexer, token, params.as_deref(), variadic)?;
            body.push(token);
            budget::spend_on::<Token>(1);
            if !self.afford(0, token.loc) {
                return None;
            }
            token = lexer.next(self.names, self.diagnostics);
        }
        let ends = [body.first(), body.last()];
        if let Some(bad) = ends.iter().flatten().find(|t| t.kind == TokenKind::Paste) {
            self.diagnostics
                .error(bad.loc, "'##' needs a token on both sides");
            return None;
        }
        if body.len() > usize::from(u16::MAX) << 8 {
            self.diagnostics
                .error(name_token.loc, "the macro is too long");
            return None;
        }
        for token in &mut body {
            token.flags &= !LINE_START;
        }
        let has_paste = body.iter().any(|t| t.kind == TokenKind::Paste);
        self.macros.push(Macro {
            name,
            params,
            variadic,
            body: Rc::from(body),
            loc: name_token.loc,
            name_id: None,
            disabled: false,
            predefined: false,
            builtin: None,
            has_paste,
        });
        Some(self.macros.len() as u32 - 1)
    }

    /// Classifies a token of a macro's body: a parameter, `#parameter`, `##` or itself.
    fn body_token(
        &mut self,
        lexer: &mut Lexer,
        token: Token,
        params: Option<&[Symbol]>,
        variadic: bool,
    ) -> Option<TokenKind> {
        let index = |kind| match (kind, params) {
            (TokenKind::Ident(name), Some(list)) => {
                list.iter().position(|p| *p == name).map(|i| i as u16)
            }
            _ => None,
        };
        if let Some(i) = index(token.kind) {
            return Some(TokenKind::Param(i));
        }
        match token.kind {
            TokenKind::Punct(Punct::HashHash) => Some(TokenKind::Paste),
            TokenKind::Punct(Punct::Hash) if params.is_some() => {
                let operand = lexer.next(self.names, self.diagnostics);
                match index(operand.kind) {
                    Some(i) => Some(TokenKind::Stringify(i)),
                    None => {
                        self.diagnostics.error(
                            token.loc,
                            "'#' must be followed by a parameter of the macro",
                        );
                        None
                    }
                }
            }
            TokenKind::Ident(name) if name == self.va_args && !variadic => {
                self.diagnostics.warning(
                    token.loc,
                    "__VA_ARGS__ means nothing in a macro without '...'",
                );
                Some(token.kind)
            }
            kind => Some(kind),
        }
    }

    /// `a, b, ...)` behind the opening parenthesis.
    fn read_parameters(&mut self, lexer: &mut Lexer) -> Option<(Vec<Symbol>, bool)> {
        let mut params = Vec::new();
        let mut variadic = false;
        let mut token = lexer.next(self.names, self.diagnostics);
        if token.kind == TokenKind::Punct(Punct::RParen) {
            return Some((params, false));
        }
        loop {
            match token.kind {
                TokenKind::Ident(name) => {
                    if params.contains(&name) {
                        let text = self.names.resolve(name);
                        let message = format!("the macro has two parameters named '{text}'");
                        self.diagnostics.error(token.loc, message);
                        return None;
                    }
                    params.push(name);
                }
                TokenKind::Punct(Punct::Ellipsis) => {
                    params.push(self.va_args);
                    variadic = true;
                }
                _ => {
                    self.diagnostics
                        .error(token.loc, "the name of a parameter is expected here");
                    return None;
                }
            }
            token = lexer.next(self.names, self.diagnostics);
            if token.kind == TokenKind::Punct(Punct::Ellipsis) && !variadic {
                // GNU: `args...` names what `...` collects.
                variadic = true;
                token = lexer.next(self.names, self.diagnostics);
            }
            match token.kind {
                TokenKind::Punct(Punct::RParen) => break,
                TokenKind::Punct(Punct::Comma) if !variadic => {}
                _ => {
                    let wanted = if variadic { "')'" } else { "',' or ')'" };
                    self.diagnostics.error(
                        token.loc,
                        format!("{wanted} expected in the list of macro parameters"),
                    );
                    return None;
                }
            }
            token = lexer.next(self.names, self.diagnostics);
        }
        if params.len() > usize::from(u16::MAX) {
            self.diagnostics
                .error(token.loc, "the macro has too many parameters");
            return None;
        }
        Some((params, variadic))
    }

    // Conditionals

    fn open_conditional(&mut self, loc: Loc, taken: bool) {
        self.file().conditionals.push(Conditional {
            loc,
            taken,
            else_seen: false,
        });
        if !taken {
            self.skip_groups();
        }
    }

    fn close_conditional(&mut self, name: Token) {
        if self.file().conditionals.pop().is_none() {
            self.diagnostics.error(name.loc, "#endif without #if");
            return;
        }
        let file = self.file();
        if let (Guard::Inside(symbol), true) = (file.guard, file.conditionals.is_empty()) {
            file.guard = Guard::After(symbol);
        }
    }

    /// `#elif` or `#else` behind a group that was compiled: the others are skipped.
    fn skip_after_taken_group(&mut self, text: &str, name: Token) {
        if self.file().conditionals.is_empty() {
            self.diagnostics
                .error(name.loc, format!("#{text} without #if"));
            return;
        }
        self.note_else(text, name);
        self.skip_groups();
    }

    /// Checks the order of `#else` and `#elif`, and that an include guard has none.
    fn note_else(&mut self, text: &str, name: Token) {
        let file = self.files.last_mut().expect("a directive stands in a file");
        if file.conditionals.len() == 1 && matches!(file.guard, Guard::Inside(_)) {
            file.guard = Guard::Broken;
        }
        if let Some(conditional) = file.conditionals.last_mut() {
            if conditional.else_seen {
                self.diagnostics
                    .error(name.loc, format!("#{text} after #else"))
                    .note(conditional.loc, "the conditional begins here");
            }
            conditional.else_seen |= text == "else";
        }
    }

    /// Skips groups until one is taken or the conditional ends.
    fn skip_groups(&mut self) {
        let mut nested = 0u32;
        loop {
            if !self.file().lexer.skip_to_directive() {
                return;
            }
            self.file().lexer.in_directive = true;
            let name = self.directive_token();
            let TokenKind::Ident(symbol) = name.kind else {
                continue;
            };
            // Names of directives are short; everything else is skipped.
            let text = match self.names.bytes(symbol) {
                b"if" | b"ifdef" | b"ifndef" => {
                    nested += 1;
                    continue;
                }
                b"endif" if nested > 0 => {
                    nested -= 1;
                    continue;
                }
                b"endif" => {
                    self.end_of_line("endif");
                    self.close_conditional(name);
                    return;
                }
                b"else" if nested == 0 => "else",
                b"elif" if nested == 0 => "elif",
                b"elifdef" if nested == 0 => "elifdef",
                b"elifndef" if nested == 0 => "elifndef",
                _ => continue,
            };
            self.note_else(text, name);
            let before = self.file().conditionals.last().is_some_and(|c| c.taken);
            let take = !before
                && match text {
                    "else" => {
                        self.end_of_line(text);
                        true
                    }
                    "elif" => self.if_expression(false),
                    _ => self
                        .macro_name(name)
                        .is_some_and(|(n, _)| self.is_defined(n) == (text == "elifdef")),
                };
            if take {
                if let Some(conditional) = self.file().conditionals.last_mut() {
                    conditional.taken = true;
                }
                // The caller finishes this directive's line.
                return;
            }
        }
    }

    // Inclusion and lines

    /// `#line number "file"`.
    fn line_directive(&mut self, number: Token) {
        let line = match number.kind {
            TokenKind::Number(s) => self.names.resolve(s).parse::<u32>().ok(),
            _ => None,
        };
        let Some(line) = line else {
            self.diagnostics
                .error(number.loc, "#line needs a decimal line number");
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
                    .error(token.loc, "the file name of #line must be a string");
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

    fn include_directive(&mut self, directive: Token) {
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
                            .error(directive.loc, "\"name\" or <name> expected behind #include");
                        return;
                    }
                }
            }
        };
        if name.is_empty() {
            self.diagnostics.error(at, "the file name is empty");
            return;
        }
        let rest = self.expanded_directive_token();
        if rest.kind != TokenKind::EndOfLine {
            self.diagnostics
                .warning(rest.loc, "text behind #include is ignored");
            // Discard what an expansion left over.
            while !matches!(self.next_raw().kind, TokenKind::EndOfLine | TokenKind::Eof) {}
        }
        if self.files.len() > MAX_INCLUDE_DEPTH {
            self.diagnostics.fatal(at, "#include is nested too deeply");
            return;
        }
        self.inclusions += 1;
        if self.inclusions > MAX_INCLUSIONS {
            self.diagnostics.fatal(at, "too many #include directives");
            return;
        }
        let Some(file) = self.resolve_include(&name, angled) else {
            let mut message = format!("file '{name}' not found");
            let from = &self.file().path.clone();
            if let Some(why) = self.config.includes.refusal(&name, angled, from) {
                message = format!("file '{name}' not read: {why}");
            }
            if C_HEADERS.contains(&name.as_str()) {
                message.push_str("; OpenCL C has no C library, and its built-ins need no header");
            }
            self.diagnostics.fatal(at, message);
            return;
        };
        let guarded = self.guards.get(&file.path).copied();
        if self.once.contains(&file.path) || guarded.is_some_and(|g| self.is_defined(g)) {
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
                    self.diagnostics
                        .error(token.loc, "the file name has no closing '>'");
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
