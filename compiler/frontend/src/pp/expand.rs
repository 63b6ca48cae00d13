//! Macro expansion.
//!
//! An expansion is pushed as a [`Context`] that is read before anything behind the call; its
//! macro is disabled until the context is used up, and a name met while its macro is disabled
//! is marked and never expanded again. Arguments are expanded behind a barrier.

use std::rc::Rc;

use super::predefined::BuiltinMacro;
use super::token::Punct;
use super::{
    LINE_START, Lexer, MAX_ARGUMENT_DEPTH, MAX_EXPANSION_STEPS, NO_EXPAND, Preprocessor,
    SPACE_BEFORE, Token, TokenKind, spelling,
};
use crate::diagnostics::{ExpansionId, Loc};
use crate::symbol::Symbol;
use pumice_budget as budget;

/// Bytes that a token of an expansion takes.
const EXPANDED_BYTES: u64 = (2 * size_of::<Token>() + 16) as u64;

/// The tokens of one macro argument.
#[derive(Debug, Default)]
struct Argument {
    tokens: Vec<Token>,
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

    /// Replaces parameters, `#` and `##` of a body.
    fn substitute(
        &mut self,
        id: u32,
        mut args: Vec<Argument>,
        expansion: ExpansionId,
        out: &mut Vec<Token>,
    ) {
        let body: Rc<[Token]> = self.macros[id as usize].body.clone();
        let params = self.macros[id as usize].params.as_ref().map_or(0, Vec::len);
        let variadic = self.macros[id as usize].variadic;
        let mut paste = false;
        for (i, token) in body.iter().enumerate() {
            // One body can name a long argument many times.
            if out.len() as u64 > MAX_EXPANSION_STEPS || budget::check().is_err() {
                break;
            }
            let before_paste = matches!(body.get(i + 1), Some(t) if t.kind == TokenKind::Paste);
            let spacing = token.flags & SPACE_BEFORE;
            match token.kind {
                TokenKind::Paste => {
                    paste = true;
                    continue;
                }
                TokenKind::Param(p) if paste || before_paste => {
                    let p = usize::from(p);
                    let arg = &args[p].tokens;
                    let comma_before = out
                        .last()
                        .is_some_and(|t| t.kind == TokenKind::Punct(Punct::Comma));
                    if paste && variadic && p + 1 == params && comma_before {
                        // GNU: `, ## __VA_ARGS__` drops the comma when nothing was given.
                        if arg.is_empty() {
                            out.pop();
                        }
                        let arg = self.expanded_argument(&mut args, p);
                        push_spaced(out, &arg, spacing);
                    } else if arg.is_empty() {
                        if !paste || out.is_empty() {
                            out.push(Token {
                                kind: TokenKind::Placemarker,
                                ..*token
                            });
                        }
                    } else {
                        let mut rest = arg.as_slice();
                        if paste {
                            self.paste(out, arg[0], expansion);
                            rest = &rest[1..];
                            out.extend_from_slice(rest);
                        } else {
                            push_spaced(out, rest, spacing);
                        }
                    }
                }
                TokenKind::Param(p) => {
                    let arg = self.expanded_argument(&mut args, usize::from(p));
                    push_spaced(out, &arg, spacing);
                }
                TokenKind::Stringify(p) => {
                    let string = self.stringify(&args[usize::from(p)].tokens);
                    let loc = self.diagnostics.sources.add_produced(token.loc, expansion);
                    let token = Token {
                        kind: TokenKind::Str(string),
                        flags: token.flags,
                        loc,
                    };
                    if paste {
                        self.paste(out, token, expansion);
                    } else {
                        out.push(token);
                    }
                }
                _ => {
                    let token = Token {
                        loc: self.diagnostics.sources.add_produced(token.loc, expansion),
                        ..*token
                    };
                    if paste {
                        self.paste(out, token, expansion);
                    } else {
                        out.push(token);
                    }
                }
            }
            paste = false;
        }
        out.retain(|t| t.kind != TokenKind::Placemarker);
    }

    /// The argument after complete expansion.
    fn expanded_argument(&mut self, args: &mut [Argument], index: usize) -> Vec<Token> {
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

    /// `#`: the argument's spelling as a string literal.
    fn stringify(&mut self, tokens: &[Token]) -> Symbol {
        let mut text = vec![b'"'];
        // Each byte may be escaped; blanks stand between tokens.
        let length = |token: &Token| 2 * self.spelling(token).len() as u64 + 1;
        let length: u64 = tokens.iter().map(length).sum();
        let at = tokens.first().map_or(Loc::NONE, |t| t.loc);
        if !self.afford(length, at) {
            return self.names.intern("\"\"");
        }
        for (i, token) in tokens.iter().enumerate() {
            if i > 0 && token.flags & (SPACE_BEFORE | LINE_START) != 0 {
                text.push(b' ');
            }
            let quoted = matches!(token.kind, TokenKind::Str(_) | TokenKind::Char(_));
            for &b in self.spelling(token) {
                if quoted && (b == b'"' || b == b'\\') {
                    text.push(b'\\');
                }
                text.push(b);
            }
        }
        text.push(b'"');
        self.names.intern_bytes(&text)
    }

    /// `##`: joins `right` to the last token of `out`.
    fn paste(&mut self, out: &mut Vec<Token>, right: Token, expansion: ExpansionId) {
        let left = match out.pop() {
            Some(left) if left.kind != TokenKind::Placemarker => left,
            _ => {
                out.push(right);
                return;
            }
        };
        let length = self.spelling(&left).len() + self.spelling(&right).len();
        if !self.afford(2 * length as u64, right.loc) {
            out.push(left);
            return;
        }
        let mut text = spelling(self.names, &left.kind).to_vec();
        text.extend_from_slice(spelling(self.names, &right.kind));
        let kind = match (left.kind, right.kind) {
            // By far the most frequent case.
            (TokenKind::Ident(_), TokenKind::Ident(_)) => {
                TokenKind::Ident(self.names.intern_bytes(&text))
            }
            _ => {
                let mut lexer = Lexer::new(Rc::from(text.as_slice()), Loc::NONE.offset(1), 0);
                lexer.in_directive = true;
                let joined = lexer.next(self.names, self.diagnostics).kind;
                if lexer.pos() != text.len() || matches!(joined, TokenKind::EndOfLine) {
                    let shown = String::from_utf8_lossy(&text[..text.len().min(80)]).into_owned();
                    let message =
                        format!("pasting formed '{shown}', an invalid preprocessing token");
                    self.diagnostics.error(right.loc, message);
                    out.push(left);
                    out.push(right);
                    return;
                }
                joined
            }
        };
        let spelled = self.diagnostics.sources.spelling(left.loc);
        out.push(Token {
            kind,
            flags: left.flags & !NO_EXPAND,
            loc: self.diagnostics.sources.add_produced(spelled, expansion),
        });
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
                let list = target.features.iter().chain(&target.extensions);
                let language = matches!(plain, "c_static_assert" | "c_generic_selections");
                list.clone().any(|e| *e == text) || (language && plain == "c_static_assert")
            }
            BuiltinMacro::HasAttribute => crate::lang::attributes::KNOWN.contains(&plain),
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

/// Appends an argument; its first token takes the spacing of the parameter.
fn push_spaced(out: &mut Vec<Token>, tokens: &[Token], spacing: u8) {
    let at = out.len();
    out.extend_from_slice(tokens);
    if let Some(first) = out.get_mut(at) {
        first.flags = (first.flags & !(LINE_START | SPACE_BEFORE)) | spacing;
    }
}
