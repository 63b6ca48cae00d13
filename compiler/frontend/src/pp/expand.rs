//! Macro expansion.
//!
//! An expansion is pushed as a [`Context`] that is read before anything behind the call; its
//! macro is disabled until the context is used up, and a name met while its macro is disabled
//! is marked and never expanded again. Arguments are expanded behind a barrier; `substitute` puts them
//! into the macro's body.

use super::predefined::BuiltinMacro;
use super::token::Punct;
use super::{
    LINE_START, MAX_ARGUMENT_DEPTH, MAX_EXPANSION_STEPS, NO_EXPAND, Preprocessor, SPACE_BEFORE,
    Token, TokenKind,
};
use crate::diagnostics::Loc;
use crate::lang::attributes;

/// Bytes that a token of an expansion takes.
const EXPANDED_BYTES: u64 = (2 * size_of::<Token>() + 16) as u64;

/// The tokens of one macro argument.
#[derive(Debug, Default)]
pub(super) struct Argument {
    pub(super) tokens: Vec<Token>,
    /// Made when first needed.
    expanded: Option<Vec<Token>>,
}

impl Preprocessor<'_> {
    /// The next token after expansion.
    pub(super) fn next_expanded(&mut self) -> Token {
        loop {
            let mut token = self.next_raw();
            let TokenKind::Ident(name) = token.kind else {
                return token;
            };
            if token.flags & NO_EXPAND != 0 {
                return token;
            }
            let Some(id) = self.definition(name) else {
                return token;
            };
            if self.macros[id as usize].disabled {
                token.flags |= NO_EXPAND;
                return token;
            }
            if let Some(token) = self.expand(token, id) {
                return token;
            }
        }
    }

    /// Expands the macro that `token` names: pushes the expansion, or gives a token.
    pub(super) fn expand(&mut self, token: Token, id: u32) -> Option<Token> {
        if let Some(builtin) = self.macros[id as usize].builtin {
            return Some(self.expand_builtin(token, builtin));
        }
        if !self.count_steps(1, token.loc) {
            return None;
        }
        let m = &self.macros[id as usize];
        if m.params.is_none() && m.body.is_empty() {
            return None;
        }
        let args = match m.params {
            None => Vec::new(),
            Some(_) => {
                if !self.lparen_follows() {
                    return Some(token);
                }
                match self.collect_arguments(token, id) {
                    Some(args) => args,
                    None => return Some(self.placeholder(token)),
                }
            }
        };
        let name_id = match self.macros[id as usize].name_id {
            Some(name_id) => name_id,
            None => {
                let name = self.names.resolve(self.macros[id as usize].name);
                let name_id = self.diagnostics.sources.add_macro_name(name);
                self.macros[id as usize].name_id = Some(name_id);
                name_id
            }
        };
        let expansion = self.diagnostics.sources.add_expansion(token.loc, name_id);
        let mut tokens = self.free_lists.pop().unwrap_or_default();
        let m = &self.macros[id as usize];
        if m.params.is_none() && !m.has_paste {
            for body in m.body.iter() {
                tokens.push(Token {
                    loc: self.diagnostics.sources.add_produced(body.loc, expansion),
                    ..*body
                });
            }
        } else {
            self.substitute(id, args, expansion, &mut tokens);
        }
        // The tokens themselves, and where each was spelled.
        let memory = tokens.len() as u64 * EXPANDED_BYTES;
        if !self.count_steps(tokens.len() as u64, token.loc) || !self.afford(memory, token.loc) {
            return None;
        }
        if let Some(first) = tokens.first_mut() {
            first.flags = (first.flags & !(LINE_START | SPACE_BEFORE))
                | (token.flags & (LINE_START | SPACE_BEFORE));
        }
        self.macros[id as usize].disabled = true;
        self.push_context(tokens, Some(id), false);
        None
    }

    /// False when the compile expands too much; everything left is dropped then.
    fn count_steps(&mut self, n: u64, at: Loc) -> bool {
        self.steps += n;
        if self.steps <= MAX_EXPANSION_STEPS {
            return true;
        }
        let at = self.diagnostics.sources.expansion(at);
        self.diagnostics
            .fatal(at, "macro expansion produces too many tokens");
        self.drop_contexts();
        false
    }

    /// Passes what expansions have left. Barriers stay for those who wait behind them.
    pub(super) fn drop_contexts(&mut self) {
        for context in &mut self.contexts {
            context.pos = context.tokens.len();
        }
    }

    /// Returns whether the next token is `(`, without consuming anything.
    fn lparen_follows(&self) -> bool {
        for context in self.contexts.iter().rev() {
            if let Some(next) = context.tokens.get(context.pos) {
                return next.kind == TokenKind::Punct(Punct::LParen);
            }
            if context.barrier {
                return false;
            }
        }
        self.files.last().is_some_and(|f| f.lexer.at_lparen())
    }

    /// Stands for an expansion that failed, so that the parser has nothing to add.
    fn placeholder(&mut self, mut token: Token) -> Token {
        token.kind = TokenKind::Number(self.names.intern("0"));
        token
    }

    /// Reads `( … )` behind the name of a function-like macro. `None` after an error.
    fn collect_arguments(&mut self, name: Token, id: u32) -> Option<Vec<Argument>> {
        let m = &self.macros[id as usize];
        let params = m.params.as_ref().map_or(0, Vec::len);
        let variadic = m.variadic;
        let mut args = vec![Argument::default()];
        let mut depth = 0u32;
        self.next_raw();
        loop {
            let mut token = self.next_raw();
            match token.kind {
                TokenKind::Eof | TokenKind::EndOfLine => {
                    let text = self.names.resolve(self.macros[id as usize].name);
                    let message = "unterminated function-like macro invocation".to_string();
                    let loc = self.macros[id as usize].loc;
                    // The arguments took all the rest of the file.
                    self.diagnostics
                        .fatal(name.loc, message)
                        .note(loc, format!("macro '{text}' defined here"));
                    return None;
                }
                TokenKind::Punct(Punct::LParen) => depth += 1,
                TokenKind::Punct(Punct::RParen) => {
                    if depth == 0 {
                        break;
                    }
                    depth -= 1;
                }
                TokenKind::Punct(Punct::Comma)
                    if depth == 0 && !(variadic && args.len() >= params) =>
                {
                    args.push(Argument::default());
                    continue;
                }
                TokenKind::Ident(symbol) => {
                    // A name whose macro is disabled here stays unexpanded for ever.
                    if let Some(super::Slot::Defined(d)) = self.slots.get(symbol.index()) {
                        if self.macros[*d as usize].disabled {
                            token.flags |= NO_EXPAND;
                        }
                    }
                }
                _ => {}
            }
            if token.flags & LINE_START != 0 {
                token.flags = (token.flags & !LINE_START) | SPACE_BEFORE;
            }
            if let Some(arg) = args.last_mut() {
                arg.tokens.push(token);
            }
        }
        let given = args.len();
        if params == 0 && given == 1 && args[0].tokens.is_empty() {
            return Some(Vec::new());
        }
        if variadic && given + 1 == params {
            // Nothing for `...`, not even a comma.
            args.push(Argument::default());
        } else if given != params {
            let text = self.names.resolve(self.macros[id as usize].name);
            let few = if given < params { "few" } else { "many" };
            let message = format!("too {few} arguments provided to function-like macro invocation");
            let loc = self.macros[id as usize].loc;
            self.diagnostics
                .error(name.loc, message)
                .note(loc, format!("macro '{text}' defined here"));
            return None;
        }
        Some(args)
    }

    /// The argument after complete expansion.
    pub(super) fn expanded_argument(&mut self, args: &mut [Argument], index: usize) -> Vec<Token> {
        if let Some(expanded) = &args[index].expanded {
            return expanded.clone();
        }
        let arg = &mut args[index];
        let plain = !arg.tokens.iter().any(|t| match t.kind {
            TokenKind::Ident(name) => t.flags & NO_EXPAND == 0 && self.is_defined(name),
            _ => false,
        });
        if plain {
            return arg.tokens.clone();
        }
        if self.argument_depth >= MAX_ARGUMENT_DEPTH {
            let at = arg.tokens.first().map_or(Loc::NONE, |t| t.loc);
            self.diagnostics
                .fatal(at, "macro arguments nested too deeply");
            return Vec::new();
        }
        self.argument_depth += 1;
        let level = self.contexts.len();
        self.push_context(arg.tokens.clone(), None, true);
        let mut expanded = Vec::new();
        loop {
            let token = self.next_expanded();
            if token.kind == TokenKind::Eof {
                break;
            }
            expanded.push(token);
        }
        while self.contexts.len() > level {
            self.pop_context();
        }
        self.argument_depth -= 1;
        args[index].expanded = Some(expanded.clone());
        expanded
    }

    fn expand_builtin(&mut self, token: Token, builtin: BuiltinMacro) -> Token {
        let kind = match builtin {
            BuiltinMacro::File | BuiltinMacro::BaseFile => {
                let at = match builtin {
                    BuiltinMacro::BaseFile => {
                        self.files.first().map_or(Loc::NONE, |f| f.lexer.loc())
                    }
                    _ => token.loc,
                };
                let position = self.diagnostics.sources.position(at);
                let name = position.map_or_else(|| "".into(), |p| p.name);
                let quoted = format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""));
                TokenKind::Str(self.names.intern(&quoted))
            }
            BuiltinMacro::Line => {
                let line = self
                    .diagnostics
                    .sources
                    .position(token.loc)
                    .map_or(0, |p| p.line);
                self.number(line)
            }
            BuiltinMacro::Counter => {
                self.counter += 1;
                self.number(self.counter - 1)
            }
            BuiltinMacro::IncludeLevel => self.number(self.files.len().saturating_sub(1) as u32),
            BuiltinMacro::HasBuiltin
            | BuiltinMacro::HasFeature
            | BuiltinMacro::HasExtension
            | BuiltinMacro::HasAttribute
            | BuiltinMacro::HasInclude
            | BuiltinMacro::HasWarning => {
                let answer = self.has_operator(token, builtin);
                self.number(u32::from(answer))
            }
        };
        Token { kind, ..token }
    }

    fn number(&mut self, value: u32) -> TokenKind {
        TokenKind::Number(self.names.intern(&value.to_string()))
    }

    /// `__has_builtin(name)` and its kin.
    fn has_operator(&mut self, token: Token, builtin: BuiltinMacro) -> bool {
        let TokenKind::Ident(name) = token.kind else {
            return false;
        };
        if !self.lparen_follows() {
            let text = self.names.resolve(name);
            let message = format!("missing '(' after '{text}'");
            self.diagnostics.error(token.loc, message);
            return false;
        }
        self.next_raw();
        if builtin == BuiltinMacro::HasInclude {
            return self.has_include(token);
        }
        let mut text = String::new();
        let mut depth = 0;
        loop {
            let t = self.next_raw();
            match t.kind {
                TokenKind::Eof | TokenKind::EndOfLine => {
                    let message = format!("missing ')' after '{}'", self.names.resolve(name));
                    self.diagnostics.error(token.loc, message);
                    return false;
                }
                TokenKind::Punct(Punct::LParen) => depth += 1,
                TokenKind::Punct(Punct::RParen) if depth == 0 => break,
                TokenKind::Punct(Punct::RParen) => depth -= 1,
                _ => {}
            }
            text.push_str(&String::from_utf8_lossy(self.spelling(&t)));
        }
        let plain = text
            .strip_prefix("__")
            .and_then(|t| t.strip_suffix("__"))
            .unwrap_or(&text);
        match builtin {
            BuiltinMacro::HasBuiltin => (self.config.has_builtin)(&text),
            BuiltinMacro::HasFeature | BuiltinMacro::HasExtension => {
                let target = self.config.target;
                let mut names = target.features.iter().chain(&target.extensions);
                names.any(|name| *name == text) || attributes::LANGUAGE_FEATURES.contains(&plain)
            }
            BuiltinMacro::HasAttribute => attributes::is_served(plain),
            _ => false,
        }
    }

    /// `__has_include("name")`, the parenthesis passed.
    fn has_include(&mut self, token: Token) -> bool {
        let angled = match self.files.last_mut() {
            Some(file) if self.contexts.is_empty() => file.lexer.angled_name(),
            _ => None,
        };
        let found = match angled {
            Some((name, _)) => self.resolve_include(&name, true).is_some(),
            None => {
                let t = self.next_expanded();
                match t.kind {
                    TokenKind::Str(s) => {
                        let text = self.names.resolve(s);
                        let name = text.trim_matches('"').to_string();
                        self.resolve_include(&name, false).is_some()
                    }
                    _ => {
                        self.diagnostics
                            .error(token.loc, "expected \"FILENAME\" or <FILENAME>");
                        return false;
                    }
                }
            }
        };
        if self.next_raw().kind != TokenKind::Punct(Punct::RParen) {
            self.diagnostics
                .error(token.loc, "missing ')' after '__has_include'");
        }
        found
    }
}
