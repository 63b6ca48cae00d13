//! Tokens back to text (`pumicec --emit=pp`).

use super::spelling;
use super::token::{LINE_START, SPACE_BEFORE, Token, TokenKind};
use crate::symbol::Interner;

/// The preprocessed source: lines as they were, spaces where tokens would run together.
pub fn print_tokens(tokens: &[Token], names: &Interner) -> Vec<u8> {
    let mut out: Vec<u8> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let next = tokens.get(at + 1).map(|next| spelling(names, &next.kind));
        let text: &[u8] = match token.kind {
            TokenKind::Eof => break,
            // The source had `#undef` with the name of a feature.
            TokenKind::Pragma if next == Some(b"undef") => b"#",
            TokenKind::Pragma => b"#pragma",
            TokenKind::PragmaEnd => {
                out.push(b'\n');
                continue;
            }
            _ => spelling(names, &token.kind),
        };
        let at_line_start = out.last().is_none_or(|b| *b == b'\n');
        if token.flags & LINE_START != 0 && !at_line_start {
            out.push(b'\n');
        } else if !at_line_start
            && (token.flags & SPACE_BEFORE != 0
                || token.kind == TokenKind::Pragma
                || joins(&out, text))
        {
            out.push(b' ');
        }
        out.extend_from_slice(text);
    }
    if out.last().is_some_and(|b| *b != b'\n') {
        out.push(b'\n');
    }
    out
}

/// Returns whether two tokens written side by side could be read as other tokens.
fn joins(before: &[u8], next: &[u8]) -> bool {
    let (Some(&a), Some(&b)) = (before.last(), next.first()) else {
        return false;
    };
    let word = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'.') || b >= 0x80;
    (word(a) && word(b))
        || (a == b && b"+-<>&|=#.".contains(&a))
        || (b == b'=' && b"<>!+-*/%&|^=".contains(&a))
        || matches!(
            (a, b),
            (b'-', b'>') | (b'/', b'*' | b'/') | (b'%' | b'<', b':' | b'%')
        )
        || matches!((a, b), (b':' | b'%', b'>'))
        || (matches!(a, b'e' | b'E' | b'p' | b'P') && matches!(b, b'+' | b'-'))
}
