//! Bytes to preprocessing tokens.
//!
//! One [`Lexer`] walks one inclusion of one file. It works on bytes, joins spliced lines as it
//! meets them and never fails: a byte that begins no token becomes [`TokenKind::Other`].

use std::rc::Rc;

use super::token::{LINE_START, Punct, SPACE_BEFORE, Token, TokenKind};
use crate::diagnostics::{Diagnostics, Loc};
use crate::symbol::{Interner, Symbol};

#[derive(Clone, Debug)]
pub(super) struct Lexer {
    text: Rc<[u8]>,
    /// Location of the first byte.
    base: Loc,
    pos: usize,
    line_start: bool,
    /// Inside a directive: the end of the line is a token and is not passed.
    pub in_directive: bool,
    /// Up to here no `"` and no `'` begins a literal: one on this line was not terminated.
    /// Without this a line of escaped quotes would cost quadratic time.
    dead_quotes: [usize; 2],
}

fn is_word_byte(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_' || b == b'$'
}

/// Length of the line splice (backslash, white space, line end) at `pos`, or 0.
fn splice_len(text: &[u8], pos: usize) -> usize {
    if text.get(pos) != Some(&b'\\') {
        return 0;
    }
    let mut at = pos + 1;
    while matches!(text.get(at), Some(b' ' | b'\t' | b'\r')) {
        at += 1;
    }
    match text.get(at) {
        Some(b'\n') => at + 1 - pos,
        _ => 0,
    }
}

/// The byte at `pos` behind any splices, and its position.
fn byte_at(text: &[u8], mut pos: usize) -> (u8, usize) {
    loop {
        match text.get(pos) {
            None => return (0, pos),
            Some(b'\\') => match splice_len(text, pos) {
                0 => return (b'\\', pos),
                n => pos += n,
            },
            Some(&b) => return (b, pos),
        }
    }
}

/// Length of the letter at `pos` that is not ASCII, or 0.
fn wide_letter_len(text: &[u8], pos: usize) -> usize {
    let rest = &text[pos..text.len().min(pos + 4)];
    let valid = match std::str::from_utf8(rest) {
        Ok(valid) => valid,
        Err(e) => std::str::from_utf8(&rest[..e.valid_up_to()]).unwrap_or(""),
    };
    match valid.chars().next() {
        Some(c) if !c.is_ascii() && c.is_alphanumeric() => c.len_utf8(),
        _ => 0,
    }
}

/// The letter that a universal character name at `pos` stands for (C99 6.4.3), and the name's length.
fn universal_letter(text: &[u8], pos: usize) -> Option<(char, usize)> {
    let digits = match (text.get(pos)?, text.get(pos + 1)?) {
        (b'\\', b'u') => 4,
        (b'\\', b'U') => 8,
        _ => return None,
    };
    let end = pos + 2 + digits;
    let digits = std::str::from_utf8(text.get(pos + 2..end)?).ok()?;
    if !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    let letter = char::from_u32(u32::from_str_radix(digits, 16).ok()?)?;
    (!letter.is_ascii() && letter.is_alphanumeric()).then_some((letter, end - pos))
}

impl Lexer {
    pub fn new(text: Rc<[u8]>, base: Loc, start: usize) -> Self {
        let bom = start == 0 && text.starts_with(b"\xEF\xBB\xBF");
        Self {
            pos: if bom { 3 } else { start },
            text,
            base,
            line_start: true,
            in_directive: false,
            dead_quotes: [0; 2],
        }
    }

    pub fn pos(&self) -> usize {
        self.pos
    }

    pub fn loc(&self) -> Loc {
        self.loc_at(self.pos)
    }

    fn loc_at(&self, pos: usize) -> Loc {
        self.base.offset(pos as u32)
    }

    /// Skips white space and comments. Gives [`SPACE_BEFORE`] if there was any.
    fn skip_space(&mut self, diagnostics: Option<&Diagnostics>) -> u8 {
        let mut space = 0;
        loop {
            match self.text.get(self.pos) {
                Some(b'\n') => {
                    if self.in_directive {
                        return space;
                    }
                    self.line_start = true;
                    self.pos += 1;
                }
                Some(b' ' | b'\t' | b'\r' | 0x0B | 0x0C | 0) => self.pos += 1,
                Some(b'\\') => match splice_len(&self.text, self.pos) {
                    0 => return space,
                    n => self.pos += n,
                },
                Some(b'/') => match byte_at(&self.text, self.pos + 1) {
                    (b'/', _) => self.skip_line(),
                    (b'*', at) => self.skip_block_comment(at + 1, diagnostics),
                    _ => return space,
                },
                _ => return space,
            }
            space = SPACE_BEFORE;
        }
    }

    /// To the line's end (not past it), over splices.
    fn skip_line(&mut self) {
        while let Some(&b) = self.text.get(self.pos) {
            match b {
                b'\n' => return,
                b'\\' => self.pos += splice_len(&self.text, self.pos).max(1),
                _ => self.pos += 1,
            }
        }
    }

    fn skip_block_comment(&mut self, body: usize, diagnostics: Option<&Diagnostics>) {
        let start = self.pos;
        self.pos = body;
        while let Some(&b) = self.text.get(self.pos) {
            if b == b'*' {
                let (next, at) = byte_at(&self.text, self.pos + 1);
                if next == b'/' && at < self.text.len() {
                    self.pos = at + 1;
                    return;
                }
            }
            self.pos += 1;
        }
        if let Some(diagnostics) = diagnostics {
            diagnostics.error(self.loc_at(start), "unterminated /* comment");
        }
    }

    /// The next token.
    pub fn next(&mut self, names: &mut Interner, diagnostics: &Diagnostics) -> Token {
        let mut flags = self.skip_space(Some(diagnostics));
        if self.line_start {
            flags |= LINE_START;
            self.line_start = false;
        }
        let loc = self.loc();
        let kind = match self.text.get(self.pos).copied() {
            None if self.in_directive => TokenKind::EndOfLine,
            None => TokenKind::Eof,
            Some(b'\n') => TokenKind::EndOfLine,
            Some(b) if b.is_ascii_alphabetic() || b == b'_' || b == b'$' => {
                TokenKind::Ident(self.word(names))
            }
            Some(b) if b.is_ascii_digit() => TokenKind::Number(self.number(names)),
            Some(b'.') if byte_at(&self.text, self.pos + 1).0.is_ascii_digit() => {
                TokenKind::Number(self.number(names))
            }
            Some(b'"') => self
                .quoted(b'"', names)
                .map_or(TokenKind::Other(b'"'), TokenKind::Str),
            Some(b'\'') => self
                .quoted(b'\'', names)
                .map_or(TokenKind::Other(b'\''), TokenKind::Char),
            Some(b'\\') if universal_letter(&self.text, self.pos).is_some() => {
                TokenKind::Ident(self.word(names))
            }
            Some(b) if b >= 0x80 => {
                if wide_letter_len(&self.text, self.pos) > 0 {
                    TokenKind::Ident(self.word(names))
                } else {
                    self.pos += 1;
                    TokenKind::Other(b)
                }
            }
            Some(b) => self.punctuator(b),
        };
        Token { kind, flags, loc }
    }

    fn word(&mut self, names: &mut Interner) -> Symbol {
        let start = self.pos;
        loop {
            match self.text.get(self.pos).copied() {
                Some(b) if is_word_byte(b) => self.pos += 1,
                Some(b) if b >= 0x80 => match wide_letter_len(&self.text, self.pos) {
                    0 => break,
                    n => self.pos += n,
                },
                Some(b'\\')
                    if splice_len(&self.text, self.pos) > 0
                        || universal_letter(&self.text, self.pos).is_some() =>
                {
                    return self.respelled_word(start, names);
                }
                _ => break,
            }
        }
        names.intern_bytes(&self.text[start..self.pos])
    }

    /// A word from `start` again, without its line splices; `\u00e9` is the letter that it names.
    fn respelled_word(&mut self, start: usize, names: &mut Interner) -> Symbol {
        let mut spelling = Vec::new();
        self.pos = start;
        while let Some(&b) = self.text.get(self.pos) {
            let letter = wide_letter_len(&self.text, self.pos);
            if is_word_byte(b) || letter > 0 {
                let end = self.pos + letter.max(1);
                spelling.extend_from_slice(&self.text[self.pos..end]);
                self.pos = end;
            } else if let Some((letter, length)) = universal_letter(&self.text, self.pos) {
                spelling.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
                self.pos += length;
            } else {
                match splice_len(&self.text, self.pos) {
                    0 => break,
                    length => self.pos += length,
                }
            }
        }
        names.intern_bytes(&spelling)
    }

    fn number(&mut self, names: &mut Interner) -> Symbol {
        fn goes_on(b: u8, before: u8) -> bool {
            is_word_byte(b)
                || b == b'.'
                || (matches!(b, b'+' | b'-') && matches!(before, b'e' | b'E' | b'p' | b'P'))
        }
        let start = self.pos;
        let mut before = 0;
        while let Some(&b) = self.text.get(self.pos) {
            if !goes_on(b, before) {
                if splice_len(&self.text, self.pos) > 0 {
                    return self.spliced_number(start, names, goes_on);
                }
                break;
            }
            before = b;
            self.pos += 1;
        }
        names.intern_bytes(&self.text[start..self.pos])
    }

    /// A number with line splices inside, from `start` again.
    fn spliced_number(
        &mut self,
        start: usize,
        names: &mut Interner,
        goes_on: fn(u8, u8) -> bool,
    ) -> Symbol {
        let mut spelling = vec![self.text[start]];
        self.pos = start + 1;
        loop {
            let (b, at) = byte_at(&self.text, self.pos);
            let before = spelling[spelling.len() - 1];
            if at >= self.text.len() || !goes_on(b, before) {
                return names.intern_bytes(&spelling);
            }
            spelling.push(b);
            self.pos = at + 1;
        }
    }

    /// A literal between quotes; `None` (only the quote is passed) if the line ends first.
    fn quoted(&mut self, quote: u8, names: &mut Interner) -> Option<Symbol> {
        let start = self.pos;
        if start < self.dead_quotes[usize::from(quote == b'"')] {
            self.pos = start + 1;
            return None;
        }
        let mut at = start + 1;
        let mut spliced = false;
        loop {
            match self.text.get(at).copied() {
                None | Some(b'\n') => {
                    self.dead_quotes[usize::from(quote == b'"')] = at;
                    self.pos = start + 1;
                    return None;
                }
                Some(b'\\') => match splice_len(&self.text, at) {
                    0 => {
                        let (escaped, next) = byte_at(&self.text, at + 1);
                        spliced |= next != at + 1;
                        // A backslash at the end of the text escapes nothing.
                        at = if escaped == b'\n' { next } else { next + 1 };
                    }
                    n => {
                        spliced = true;
                        at += n;
                    }
                },
                Some(b) if b == quote => break,
                Some(_) => at += 1,
            }
        }
        self.pos = at + 1;
        let raw = &self.text[start..at + 1];
        if !spliced {
            return Some(names.intern_bytes(raw));
        }
        let mut spelling = Vec::with_capacity(raw.len());
        let mut i = 0;
        while i < raw.len() {
            match splice_len(raw, i) {
                0 => {
                    spelling.push(raw[i]);
                    i += 1;
                }
                n => i += n,
            }
        }
        Some(names.intern_bytes(&spelling))
    }

    fn punctuator(&mut self, first: u8) -> TokenKind {
        let text = &self.text;
        let (b1, p1) = byte_at(text, self.pos + 1);
        let (b2, p2) = byte_at(text, p1 + 1);
        let one = self.pos + 1;
        let mut take = |punct, end: usize| {
            self.pos = end.min(self.text.len());
            TokenKind::Punct(punct)
        };
        match (first, b1, b2) {
            (b'.', b'.', b'.') => take(Punct::Ellipsis, p2 + 1),
            (b'<', b'<', b'=') => take(Punct::LessLessEqual, p2 + 1),
            (b'>', b'>', b'=') => take(Punct::GreaterGreaterEqual, p2 + 1),
            (b'%', b':', b'%') if byte_at(text, p2 + 1).0 == b':' => {
                let end = byte_at(text, p2 + 1).1 + 1;
                take(Punct::HashHash, end)
            }
            (b'-', b'>', _) => take(Punct::Arrow, p1 + 1),
            (b'+', b'+', _) => take(Punct::PlusPlus, p1 + 1),
            (b'-', b'-', _) => take(Punct::MinusMinus, p1 + 1),
            (b'<', b'<', _) => take(Punct::LessLess, p1 + 1),
            (b'>', b'>', _) => take(Punct::GreaterGreater, p1 + 1),
            (b'<', b'=', _) => take(Punct::LessEqual, p1 + 1),
            (b'>', b'=', _) => take(Punct::GreaterEqual, p1 + 1),
            (b'=', b'=', _) => take(Punct::EqualEqual, p1 + 1),
            (b'!', b'=', _) => take(Punct::BangEqual, p1 + 1),
            (b'&', b'&', _) => take(Punct::AmpAmp, p1 + 1),
            (b'|', b'|', _) => take(Punct::PipePipe, p1 + 1),
            (b'*', b'=', _) => take(Punct::StarEqual, p1 + 1),
            (b'/', b'=', _) => take(Punct::SlashEqual, p1 + 1),
            (b'%', b'=', _) => take(Punct::PercentEqual, p1 + 1),
            (b'+', b'=', _) => take(Punct::PlusEqual, p1 + 1),
            (b'-', b'=', _) => take(Punct::MinusEqual, p1 + 1),
            (b'&', b'=', _) => take(Punct::AmpEqual, p1 + 1),
            (b'^', b'=', _) => take(Punct::CaretEqual, p1 + 1),
            (b'|', b'=', _) => take(Punct::PipeEqual, p1 + 1),
            (b'#', b'#', _) => take(Punct::HashHash, p1 + 1),
            (b'<', b':', _) => take(Punct::LBracket, p1 + 1),
            (b':', b'>', _) => take(Punct::RBracket, p1 + 1),
            (b'<', b'%', _) => take(Punct::LBrace, p1 + 1),
            (b'%', b'>', _) => take(Punct::RBrace, p1 + 1),
            (b'%', b':', _) => take(Punct::Hash, p1 + 1),
            _ => match Punct::from_spelling(&[first]) {
                Some(punct) => take(punct, one),
                None => {
                    take(Punct::Hash, one);
                    TokenKind::Other(first)
                }
            },
        }
    }

    /// Returns whether the next token is `(`, without consuming anything.
    pub fn at_lparen(&self) -> bool {
        let mut ahead = self.clone();
        ahead.skip_space(None);
        ahead.text.get(ahead.pos) == Some(&b'(')
    }

    /// In a directive: `<name>` with the name's bytes, if that is what comes next.
    pub fn angled_name(&mut self) -> Option<(String, Loc)> {
        self.skip_space(None);
        let rest = &self.text[self.pos..];
        if rest.first() != Some(&b'<') {
            return None;
        }
        let line = rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
        let end = rest[..line].iter().position(|&b| b == b'>')?;
        let name = String::from_utf8_lossy(&rest[1..end]).into_owned();
        let at = self.loc();
        self.pos += end + 1;
        Some((name, at))
    }

    /// The rest of the line as text, splices joined, without surrounding white space.
    pub fn rest_of_line(&mut self) -> String {
        let mut bytes = Vec::new();
        loop {
            let (b, at) = byte_at(&self.text, self.pos);
            if at >= self.text.len() || b == b'\n' {
                break;
            }
            bytes.push(b);
            self.pos = at + 1;
        }
        String::from_utf8_lossy(&bytes).trim().to_string()
    }

    /// Ends a directive: passes what is left of its line.
    pub fn finish_directive(&mut self) {
        self.skip_line_with_comments();
        self.in_directive = false;
    }

    /// To the end of the line; a block comment may carry it over several lines.
    fn skip_line_with_comments(&mut self) {
        while let Some(&b) = self.text.get(self.pos) {
            match b {
                b'\n' => return,
                b'\\' => self.pos += splice_len(&self.text, self.pos).max(1),
                b'/' => match byte_at(&self.text, self.pos + 1) {
                    (b'/', _) => self.skip_line(),
                    (b'*', at) => self.skip_block_comment(at + 1, None),
                    _ => self.pos += 1,
                },
                b'"' | b'\'' => self.skip_quoted(b),
                _ => self.pos += 1,
            }
        }
    }

    /// Over a literal; over the quote alone if the line ends first.
    fn skip_quoted(&mut self, quote: u8) {
        let mut at = self.pos + 1;
        self.pos = at;
        if at <= self.dead_quotes[usize::from(quote == b'"')] {
            return;
        }
        while let Some(&b) = self.text.get(at) {
            match b {
                b'\n' => break,
                b'\\' => at += splice_len(&self.text, at).max(2),
                b if b == quote => {
                    self.pos = at + 1;
                    return;
                }
                _ => at += 1,
            }
        }
        self.dead_quotes[usize::from(quote == b'"')] = at;
    }

    /// Skips lines up to the next one that begins with `#`, and that sign. False at the end.
    pub fn skip_to_directive(&mut self) -> bool {
        self.in_directive = false;
        loop {
            // From anywhere in a line to the first thing on the next line.
            self.skip_line_with_comments();
            if self.pos >= self.text.len() {
                return false;
            }
            self.line_start = false;
            self.skip_space(None);
            if self.line_start && self.hash() {
                self.line_start = false;
                return true;
            }
        }
    }

    fn hash(&mut self) -> bool {
        let (b, at) = byte_at(&self.text, self.pos);
        let (next, next_at) = byte_at(&self.text, at + 1);
        match (b, next) {
            (b'#', b'#') => false,
            (b'#', _) => {
                self.pos = at + 1;
                true
            }
            (b'%', b':') => {
                self.pos = next_at + 1;
                true
            }
            _ => false,
        }
    }
}

/// Length in bytes of the token that `text` begins with (at least 1 unless `text` is empty).
pub fn measure_token(text: &[u8]) -> usize {
    let Some(&first) = text.first() else {
        return 0;
    };
    if is_word_byte(first) && !first.is_ascii_digit() || first >= 0x80 {
        let word = |b: &&u8| is_word_byte(**b) || **b >= 0x80;
        return text.iter().take_while(word).count();
    }
    // Only the beginning matters, except for literals.
    let end = match first {
        b'"' | b'\'' => text.iter().position(|&b| b == b'\n').unwrap_or(text.len()),
        _ => text.len().min(64),
    };
    let mut lexer = Lexer {
        text: Rc::from(&text[..end]),
        base: Loc::NONE,
        pos: 0,
        line_start: false,
        in_directive: false,
        dead_quotes: [0; 2],
    };
    match first {
        b'"' | b'\'' => lexer.skip_quoted(first),
        b'0'..=b'9' => {
            lexer.number(&mut Interner::new());
        }
        _ => {
            lexer.punctuator(first);
        }
    }
    lexer.pos.clamp(1, text.len())
}
