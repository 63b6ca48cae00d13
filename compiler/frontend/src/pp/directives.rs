//! Directives: definitions, conditionals, `#error`.

use std::rc::Rc;

use super::token::Punct;
use super::{
    Conditional, Guard, LINE_START, Lexer, Macro, Preprocessor, SPACE_BEFORE, Slot, Token,
    TokenKind,
};
use crate::diagnostics::{Loc, Warning};
use crate::symbol::Symbol;
use pumice_budget as budget;

impl Preprocessor<'_> {
    /// The file that is being read.
    pub(super) fn file(&mut self) -> &mut super::OpenFile {
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
                // pragmas, and features that are undefined, leave tokens on purpose.
                while !matches!(text.as_str(), "pragma" | "undef") && !self.contexts.is_empty() {
                    self.pop_context();
                }
            }
            // `# 12 "file"`, what preprocessors write.
            TokenKind::Number(_) => self.line_directive(name),
            _ => {
                self.diagnostics
                    .error(hash.loc, "invalid preprocessing directive");
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
                    let was_defined = self.is_defined(symbol);
                    self.set_slot(symbol, Slot::Undefined);
                    self.end_of_line("undef");
                    if was_defined {
                        self.undefined_feature(symbol, name);
                    }
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
                    message = format!("#{text}");
                }
                if text == "error" {
                    self.diagnostics.error(name.loc, message);
                } else {
                    self.diagnostics
                        .warning(Warning::PoundWarning, name.loc, message);
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
                    format!("invalid preprocessing directive '#{text}'"),
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
                        .error(token.loc, "'defined' cannot be used as a macro name");
                    return None;
                }
                Some((symbol, token))
            }
            TokenKind::EndOfLine => {
                self.diagnostics.error(directive.loc, "macro name missing");
                None
            }
            _ => {
                self.diagnostics
                    .error(token.loc, "macro name must be an identifier");
                None
            }
        }
    }

    /// Warns about tokens behind a complete directive.
    fn end_of_line(&mut self, directive: &str) {
        let token = self.directive_token();
        if token.kind != TokenKind::EndOfLine {
            self.diagnostics.warning(
                Warning::ExtraTokens,
                token.loc,
                format!("extra tokens at end of #{directive} directive"),
            );
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
        if same || old.kept || (old.predefined && old.builtin.is_none()) {
            return;
        }
        let name = self.names.resolve(new.name);
        if old.builtin.is_some() {
            let message = format!("redefining builtin macro '{name}'");
            self.diagnostics
                .warning(Warning::BuiltinMacroRedefined, new.loc, message);
            return;
        }
        self.diagnostics
            .warning(
                Warning::MacroRedefined,
                new.loc,
                format!("'{name}' macro redefined"),
            )
            .note(old.loc, "previous definition is here");
    }

    /// Reads a definition from its name on. Gives its index; `None` after an error.
    pub(super) fn read_definition(&mut self, lexer: &mut Lexer) -> Option<u32> {
        let name_token = lexer.next(self.names, self.diagnostics);
        let name = match name_token.kind {
            TokenKind::Ident(name) => name,
            TokenKind::EndOfLine => {
                self.diagnostics.error(name_token.loc, "macro name missing");
                return None;
            }
            _ => {
                self.diagnostics
                    .error(name_token.loc, "macro name must be an identifier");
                return None;
            }
        };
        if self.names.bytes(name) == b"defined" {
            self.diagnostics
                .error(name_token.loc, "'defined' cannot be used as a macro name");
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
                Warning::Unnamed,
                token.loc,
                "whitespace required after macro name",
            );
        }
        let mut body = self.read_body(lexer, token, params.as_deref(), variadic)?;
        if body.len() > usize::from(u16::MAX) << 8 {
            self.diagnostics
                .error(name_token.loc, "macro definition is too long");
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
            kept: false,
            builtin: None,
            has_paste,
        });
        Some(self.macros.len() as u32 - 1)
    }

    /// The body of a macro from `token` on, to the end of the line.
    fn read_body(
        &mut self,
        lexer: &mut Lexer,
        mut token: Token,
        params: Option<&[Symbol]>,
        variadic: bool,
    ) -> Option<Vec<Token>> {
        let mut body: Vec<Token> = Vec::new();
        // The `__VA_OPT__` around the token, and the parentheses open in it.
        let mut open: Option<(usize, u32)> = None;
        while token.kind != TokenKind::EndOfLine {
            if let Some((at, depth)) = &mut open {
                match token.kind {
                    TokenKind::Punct(Punct::LParen) => *depth += 1,
                    TokenKind::Punct(Punct::RParen) if *depth > 0 => *depth -= 1,
                    TokenKind::Punct(Punct::RParen) => {
                        let (opened, count) = (*at, body.len() - *at - 1);
                        self.check_pastes(&body[opened + 1..], "__VA_OPT__ argument")?;
                        if let TokenKind::VaOpt { length, .. } = &mut body[opened].kind {
                            *length = count as u32;
                        }
                        open = None;
                        token = lexer.next(self.names, self.diagnostics);
                        continue;
                    }
                    _ => {}
                }
            }
            token.kind = self.body_token(lexer, token, params, variadic)?;
            if matches!(token.kind, TokenKind::VaOpt { .. }) {
                let next = lexer.next(self.names, self.diagnostics);
                let message = match (open, next.kind) {
                    (Some(_), _) => "__VA_OPT__ cannot be nested within its own replacement tokens",
                    (_, TokenKind::Punct(Punct::LParen)) => "",
                    _ => "missing '(' following __VA_OPT__",
                };
                if !message.is_empty() {
                    self.diagnostics.error(token.loc, message);
                    return None;
                }
                open = Some((body.len(), 0));
            }
            body.push(token);
            budget::spend_on::<Token>(1);
            if !self.afford(0, token.loc) {
                return None;
            }
            token = lexer.next(self.names, self.diagnostics);
        }
        if let Some((at, _)) = open {
            self.diagnostics
                .error(body[at].loc, "unterminated __VA_OPT__");
            return None;
        }
        self.check_pastes(&body, "macro expansion")?;
        Some(body)
    }

    /// Refuses `##` without an operand on both sides.
    fn check_pastes(&mut self, tokens: &[Token], of: &str) -> Option<()> {
        let ends = [(tokens.first(), "start"), (tokens.last(), "end")];
        for (token, end) in ends {
            if let Some(bad) = token.filter(|t| t.kind == TokenKind::Paste) {
                let message = format!("'##' cannot appear at {end} of {of}");
                self.diagnostics.error(bad.loc, message);
                return None;
            }
        }
        Some(())
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
        let va_opt = self.va_opt;
        let optional = |kind, stringify| {
            let length = 0;
            (variadic && kind == TokenKind::Ident(va_opt))
                .then_some(TokenKind::VaOpt { length, stringify })
        };
        let parameter = index(token.kind).map(TokenKind::Param);
        if let Some(kind) = parameter.or_else(|| optional(token.kind, false)) {
            return Some(kind);
        }
        match token.kind {
            TokenKind::Punct(Punct::HashHash) => Some(TokenKind::Paste),
            TokenKind::Punct(Punct::Hash) if params.is_some() => {
                let operand = lexer.next(self.names, self.diagnostics);
                let parameter = index(operand.kind).map(TokenKind::Stringify);
                let kind = parameter.or_else(|| optional(operand.kind, true));
                if kind.is_none() {
                    self.diagnostics
                        .error(token.loc, "'#' is not followed by a macro parameter");
                }
                kind
            }
            TokenKind::Ident(name) if (name == self.va_args || name == va_opt) && !variadic => {
                let text = self.names.resolve(name);
                let message =
                    format!("{text} can only appear in the expansion of a variadic macro");
                self.diagnostics
                    .warning(Warning::Unnamed, token.loc, message);
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
                        let message = format!("duplicate macro parameter name '{text}'");
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
                        .error(token.loc, "invalid token in macro parameter list");
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
                    let message = match (variadic, token.kind) {
                        (false, kind) if kind != TokenKind::EndOfLine => {
                            "expected comma in macro parameter list"
                        }
                        _ => "missing ')' in macro parameter list",
                    };
                    self.diagnostics.error(token.loc, message);
                    return None;
                }
            }
            token = lexer.next(self.names, self.diagnostics);
        }
        if params.len() > usize::from(u16::MAX) {
            self.diagnostics
                .error(token.loc, "too many macro parameters");
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
                    .note(conditional.loc, "conditional begins here");
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
}
