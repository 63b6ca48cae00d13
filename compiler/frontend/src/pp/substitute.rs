//! Bodies of macros with their arguments: parameters, `#`, `##` and `__VA_OPT__`.

use std::rc::Rc;

use super::expand::Argument;
use super::token::Punct;
use super::{
    LINE_START, Lexer, MAX_EXPANSION_STEPS, NO_EXPAND, Preprocessor, SPACE_BEFORE, Token,
    TokenKind, spelling,
};
use crate::diagnostics::{ExpansionId, Loc};
use crate::symbol::Symbol;
use pumice_budget as budget;

impl Preprocessor<'_> {
    /// Replaces parameters, `#` and `##` of a body.
    pub(super) fn substitute(
        &mut self,
        id: u32,
        mut args: Vec<Argument>,
        expansion: ExpansionId,
        out: &mut Vec<Token>,
    ) {
        let body: Rc<[Token]> = self.macros[id as usize].body.clone();
        self.substitute_part(id, &body, &mut args, expansion, out);
        out.retain(|t| t.kind != TokenKind::Placemarker);
    }

    /// The same for a part of the body; empty operands of `##` stay as placemarkers.
    fn substitute_part(
        &mut self,
        id: u32,
        body: &[Token],
        args: &mut [Argument],
        expansion: ExpansionId,
        out: &mut Vec<Token>,
    ) {
        let params = self.macros[id as usize].params.as_ref().map_or(0, Vec::len);
        let variadic = self.macros[id as usize].variadic;
        let mut paste = false;
        let mut next = 0;
        while let Some(token) = body.get(next) {
            let i = next;
            next += 1;
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
                        let arg = self.expanded_argument(args, p);
                        push_spaced(out, &arg, spacing);
                    } else {
                        let nothing = [placemarker(token)];
                        let operand = match arg.as_slice() {
                            [] => &nothing,
                            tokens => tokens,
                        };
                        self.push_operand(out, operand, paste, spacing, expansion);
                    }
                }
                TokenKind::Param(p) => {
                    let arg = self.expanded_argument(args, usize::from(p));
                    push_spaced(out, &arg, spacing);
                }
                TokenKind::VaOpt { length, stringify } => {
                    let end = next + length as usize;
                    let content = &body[next..end];
                    next = end;
                    let mut produced = Vec::new();
                    // C23 6.10.5.1: there if the arguments of `...` expand to anything.
                    if !self.expanded_argument(args, params - 1).is_empty() {
                        self.substitute_part(id, content, args, expansion, &mut produced);
                    }
                    if stringify {
                        produced.retain(|t| t.kind != TokenKind::Placemarker);
                        let kind = TokenKind::Str(self.stringify(&produced));
                        produced = vec![self.produced(kind, token, expansion)];
                    }
                    if produced.is_empty() {
                        produced.push(placemarker(token));
                    }
                    self.push_operand(out, &produced, paste, spacing, expansion);
                }
                TokenKind::Stringify(p) => {
                    let kind = TokenKind::Str(self.stringify(&args[usize::from(p)].tokens));
                    let token = self.produced(kind, token, expansion);
                    self.push_or_paste(out, token, paste, expansion);
                }
                kind => {
                    let token = self.produced(kind, token, expansion);
                    self.push_or_paste(out, token, paste, expansion);
                }
            }
            paste = false;
        }
    }

    /// Appends a parameter's operand of `##`, of one token at least, or joins its first token to the last one there. Only
    /// a token that stands in the parameter's place takes its spacing.
    fn push_operand(
        &mut self,
        out: &mut Vec<Token>,
        operand: &[Token],
        paste: bool,
        spacing: u8,
        expansion: ExpansionId,
    ) {
        match operand {
            [first, rest @ ..] if paste => {
                if first.kind != TokenKind::Placemarker || out.is_empty() {
                    self.paste(out, *first, expansion);
                }
                out.extend_from_slice(rest);
            }
            _ => push_spaced(out, operand, spacing),
        }
    }

    /// Appends a token, or joins it to the last one there.
    fn push_or_paste(
        &mut self,
        out: &mut Vec<Token>,
        token: Token,
        paste: bool,
        expansion: ExpansionId,
    ) {
        match paste {
            true => self.paste(out, token, expansion),
            false => out.push(token),
        }
    }

    /// A token in place of one of the body.
    fn produced(&mut self, kind: TokenKind, token: &Token, expansion: ExpansionId) -> Token {
        Token {
            kind,
            loc: self.diagnostics.sources.add_produced(token.loc, expansion),
            ..*token
        }
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
}

/// An empty operand of `##` in place of a token of the body.
fn placemarker(token: &Token) -> Token {
    Token {
        kind: TokenKind::Placemarker,
        ..*token
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
