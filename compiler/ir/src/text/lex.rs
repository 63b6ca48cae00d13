//! Tokens of the text form.

use super::ParseError;

/// A token's kind and payload.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Tok {
    /// A word: letters, digits, `_` and `.`, starting with a letter or `_`.
    Word(String),
    /// A number as written, sign included (`-3`, `0x1f`, `1.5e-3`).
    Number(String),
    /// A quoted string, escapes undone.
    Str(Vec<u8>),
    /// One of `( ) [ ] { } , : = + @` or `->` (given as `>`).
    Punct(char),
    /// End of a line.
    Newline,
    /// End of the text.
    End,
}

/// A token with its position.
#[derive(Clone, Debug)]
pub(super) struct Token {
    pub tok: Tok,
    pub line: u32,
    pub column: u32,
}

/// Splits the text into tokens, an `End` last.
pub(super) fn lex(text: &str) -> Result<Vec<Token>, ParseError> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let (mut pos, mut line, mut line_start) = (0, 1, 0);
    while pos < bytes.len() {
        let start = pos;
        let column = (start - line_start) as u32 + 1;
        let error = |message: &str| ParseError {
            line,
            column,
            message: message.to_string(),
        };
        let byte = bytes[pos];
        pos += 1;
        let tok = match byte {
            b'\n' => Tok::Newline,
            b' ' | b'\t' | b'\r' => continue,
            b';' => {
                while pos < bytes.len() && bytes[pos] != b'\n' {
                    pos += 1;
                }
                continue;
            }
            b'"' => {
                let mut value = Vec::new();
                loop {
                    let Some(&c) = bytes.get(pos) else {
                        return Err(error("unterminated string"));
                    };
                    pos += 1;
                    match c {
                        b'"' => break,
                        b'\n' => return Err(error("unterminated string")),
                        b'\\' => {
                            let escape = bytes.get(pos).copied();
                            pos += 1;
                            value.push(match escape {
                                Some(b'n') => b'\n',
                                Some(b't') => b'\t',
                                Some(c @ (b'"' | b'\\')) => c,
                                Some(b'x') => {
                                    let digits = text
                                        .get(pos..pos + 2)
                                        .and_then(|d| u8::from_str_radix(d, 16).ok());
                                    pos += 2;
                                    digits.ok_or_else(|| error("bad \\x escape"))?
                                }
                                _ => return Err(error("unknown escape in string")),
                            });
                        }
                        c => value.push(c),
                    }
                }
                Tok::Str(value)
            }
            b'-' if bytes.get(pos) == Some(&b'>') => {
                pos += 1;
                Tok::Punct('>')
            }
            b'0'..=b'9' | b'-' => {
                while let Some(&c) = bytes.get(pos) {
                    let exponent_sign = matches!(c, b'+' | b'-')
                        && matches!(bytes[pos - 1], b'e' | b'E')
                        && !text[start..pos].contains("0x");
                    if c.is_ascii_alphanumeric() || c == b'.' || exponent_sign {
                        pos += 1;
                    } else {
                        break;
                    }
                }
                Tok::Number(text[start..pos].to_string())
            }
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                while bytes
                    .get(pos)
                    .is_some_and(|&c| c.is_ascii_alphanumeric() || c == b'_' || c == b'.')
                {
                    pos += 1;
                }
                Tok::Word(text[start..pos].to_string())
            }
            b'(' | b')' | b'[' | b']' | b'{' | b'}' | b',' | b':' | b'=' | b'+' | b'@' => {
                Tok::Punct(byte as char)
            }
            _ => return Err(error("unexpected character")),
        };
        tokens.push(Token { tok, line, column });
        if byte == b'\n' {
            line += 1;
            line_start = pos;
        }
    }
    tokens.push(Token {
        tok: Tok::End,
        line,
        column: (pos - line_start) as u32 + 1,
    });
    Ok(tokens)
}
