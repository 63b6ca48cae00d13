//! Numbers, characters and strings: from spelling to value.

/// Error in a literal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiteralError {
    /// The diagnostic's text.
    pub message: String,
    /// Byte of the spelling where it goes wrong.
    pub offset: usize,
}

fn error<T>(offset: usize, message: impl Into<String>) -> Result<T, LiteralError> {
    Err(LiteralError {
        message: message.into(),
        offset,
    })
}

/// Suffix of a floating literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FloatSuffix {
    /// None: double (or float where single precision is asked for).
    None,
    /// `f`
    Float,
    /// `h`
    Half,
    /// `l`: not in OpenCL C; treated as double.
    Long,
}

/// A number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Number {
    /// Integer literal.
    Int {
        /// Value, modulo 2^64.
        value: u64,
        /// The digits do not fit in 64 bits.
        too_large: bool,
        /// Decimal digits.
        decimal: bool,
        /// `u` suffix.
        unsigned: bool,
        /// 1 for `l`, 2 for `ll`.
        long: u8,
    },
    /// Floating literal.
    Float {
        /// Number of bytes of the spelling before the suffix.
        digits: usize,
        /// Suffix.
        suffix: FloatSuffix,
    },
}

/// Reads a preprocessing number.
pub fn parse_number(text: &str) -> Result<Number, LiteralError> {
    let bytes = text.as_bytes();
    let (radix, start) = match bytes {
        [b'0', b'x' | b'X', ..] => (16, 2),
        [b'0', b'b' | b'B', rest @ ..] if rest.first().is_some_and(u8::is_ascii_digit) => (2, 2),
        _ => (10, 0),
    };
    let digit = |b: u8| {
        if radix == 16 {
            b.is_ascii_hexdigit()
        } else {
            b.is_ascii_digit()
        }
    };
    let mut at = start;
    while at < bytes.len() && digit(bytes[at]) {
        at += 1;
    }
    let whole = at - start;
    let exponent = if radix == 16 {
        [b'p', b'P']
    } else {
        [b'e', b'E']
    };
    let is_float = radix != 2
        && bytes
            .get(at)
            .is_some_and(|b| *b == b'.' || exponent.contains(b));
    if is_float {
        return parse_float(bytes, at, whole, radix, exponent);
    }
    if whole == 0 {
        let suffix = String::from_utf8_lossy(&bytes[1..]);
        return error(1, format!("invalid suffix '{suffix}' on integer constant"));
    }
    let suffix = parse_int_suffix(&bytes[at..]);
    let Some((unsigned, long)) = suffix else {
        let shown = String::from_utf8_lossy(&bytes[at..]);
        // 1f and 1h look like floats to many.
        let hint = match bytes[at..] {
            [c @ (b'f' | b'F' | b'h' | b'H')] if radix == 10 => {
                format!("; did you mean '{}.0{}'?", &text[..at], c as char)
            }
            _ => String::new(),
        };
        let message = format!("invalid suffix '{shown}' on integer constant{hint}");
        return error(at, message);
    };
    let octal = radix == 10 && bytes[0] == b'0' && whole > 1;
    let base: u64 = if octal { 8 } else { radix };
    let mut value = 0u64;
    let mut too_large = false;
    for (i, &b) in bytes[start..at].iter().enumerate() {
        let d = u64::from((b as char).to_digit(16).unwrap_or(0));
        if d >= base {
            let kind = if octal { "octal" } else { "binary" };
            let message = format!("invalid digit '{}' in {kind} constant", b as char);
            return error(start + i, message);
        }
        let wide = u128::from(value) * u128::from(base) + u128::from(d);
        too_large |= wide > u128::from(u64::MAX);
        value = wide as u64;
    }
    Ok(Number::Int {
        value,
        too_large,
        decimal: base == 10,
        unsigned,
        long,
    })
}

fn parse_int_suffix(suffix: &[u8]) -> Option<(bool, u8)> {
    Some(match suffix {
        b"" => (false, 0),
        b"u" | b"U" => (true, 0),
        b"l" | b"L" => (false, 1),
        b"ll" | b"LL" => (false, 2),
        b"ul" | b"uL" | b"Ul" | b"UL" | b"lu" | b"lU" | b"Lu" | b"LU" => (true, 1),
        b"ull" | b"uLL" | b"Ull" | b"ULL" | b"llu" | b"llU" | b"LLu" | b"LLU" => (true, 2),
        _ => return None,
    })
}

fn parse_float(
    bytes: &[u8],
    mut at: usize,
    whole: usize,
    radix: u64,
    exponent: [u8; 2],
) -> Result<Number, LiteralError> {
    let digit = |b: u8| {
        if radix == 16 {
            b.is_ascii_hexdigit()
        } else {
            b.is_ascii_digit()
        }
    };
    let mut fraction = 0;
    if bytes[at] == b'.' {
        at += 1;
        while at < bytes.len() && digit(bytes[at]) {
            at += 1;
            fraction += 1;
        }
    }
    if whole + fraction == 0 {
        return error(at, "hexadecimal floating constant requires a significand");
    }
    if bytes.get(at).is_some_and(|b| exponent.contains(b)) {
        let mut end = at + 1;
        if matches!(bytes.get(end), Some(b'+' | b'-')) {
            end += 1;
        }
        let first = end;
        while bytes.get(end).is_some_and(u8::is_ascii_digit) {
            end += 1;
        }
        if end == first {
            return error(at, "exponent has no digits");
        }
        at = end;
    } else if radix == 16 {
        return error(at, "hexadecimal floating constant requires an exponent");
    }
    let suffix = match &bytes[at..] {
        b"" => FloatSuffix::None,
        b"f" | b"F" => FloatSuffix::Float,
        // `f16` is clang's.
        b"h" | b"H" | b"f16" | b"F16" => FloatSuffix::Half,
        b"l" | b"L" => FloatSuffix::Long,
        other => {
            let shown = String::from_utf8_lossy(other);
            return error(at, format!("invalid suffix '{shown}' on floating constant"));
        }
    };
    Ok(Number::Float { digits: at, suffix })
}

/// Reads a character literal, quotes included. The value is that of an int.
pub fn parse_char(spelled: &[u8]) -> Result<i32, LiteralError> {
    let mut chars = Vec::new();
    unescape(spelled, &mut chars)?;
    match chars.as_slice() {
        [] => error(0, "empty character constant"),
        [one] => Ok(i32::from(*one as i8)),
        many => Ok(many.iter().fold(0i32, |v, b| (v << 8) | i32::from(*b))),
    }
}

/// Appends the bytes of a string literal, quotes included in the spelling, to `out`.
pub fn parse_string(spelled: &[u8], out: &mut Vec<u8>) -> Result<(), LiteralError> {
    unescape(spelled, out)
}

/// Resolves the escapes between the quotes.
fn unescape(spelled: &[u8], out: &mut Vec<u8>) -> Result<(), LiteralError> {
    let end = spelled.len() - 1;
    let mut at = 1;
    while at < end {
        let b = spelled[at];
        at += 1;
        if b != b'\\' || at >= end {
            out.push(b);
            continue;
        }
        let escape = spelled[at];
        at += 1;
        match escape {
            b'n' => out.push(b'\n'),
            b't' => out.push(b'\t'),
            b'r' => out.push(b'\r'),
            b'a' => out.push(7),
            b'b' => out.push(8),
            b'f' => out.push(12),
            b'v' => out.push(11),
            b'e' | b'E' => out.push(27),
            b'\\' | b'\'' | b'"' | b'?' => out.push(escape),
            b'0'..=b'7' => {
                let mut value = u32::from(escape - b'0');
                for _ in 0..2 {
                    match spelled[at] {
                        d @ b'0'..=b'7' if at < end => value = value * 8 + u32::from(d - b'0'),
                        _ => break,
                    }
                    at += 1;
                }
                match u8::try_from(value) {
                    Ok(byte) => out.push(byte),
                    Err(_) => return error(at - 1, "octal escape sequence out of range"),
                }
            }
            b'x' => {
                let first = at;
                let mut value = 0u32;
                while at < end && spelled[at].is_ascii_hexdigit() {
                    let digit = (spelled[at] as char).to_digit(16).unwrap_or(0);
                    value = value.saturating_mul(16).saturating_add(digit);
                    at += 1;
                }
                if at == first {
                    return error(first, "\\x used with no following hex digits");
                }
                match u8::try_from(value) {
                    Ok(byte) => out.push(byte),
                    Err(_) => return error(first, "hex escape sequence out of range"),
                }
            }
            b'u' | b'U' => {
                let length = if escape == b'u' { 4 } else { 8 };
                let digits = spelled[at..end].get(..length);
                let value = digits
                    .and_then(|d| std::str::from_utf8(d).ok())
                    .and_then(|d| u32::from_str_radix(d, 16).ok())
                    .and_then(char::from_u32);
                let Some(c) = value else {
                    return error(at, "incomplete universal character name");
                };
                let mut utf8 = [0; 4];
                out.extend_from_slice(c.encode_utf8(&mut utf8).as_bytes());
                at += length;
            }
            // An unknown escape is the character itself, as everywhere in practice.
            other => out.push(other),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{FloatSuffix, Number, parse_char, parse_number, parse_string};

    fn int(text: &str) -> (u64, bool, bool, u8) {
        match parse_number(text) {
            Ok(Number::Int {
                value,
                decimal,
                unsigned,
                long,
                ..
            }) => (value, decimal, unsigned, long),
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn integers() {
        assert_eq!(int("0"), (0, true, false, 0));
        assert_eq!(int("017"), (15, false, false, 0));
        assert_eq!(int("0xFFul"), (255, false, true, 1));
        assert_eq!(int("0b101"), (5, false, false, 0));
        assert_eq!(int("18446744073709551615LLU"), (u64::MAX, true, true, 2));
        assert!(matches!(
            parse_number("18446744073709551616"),
            Ok(Number::Int {
                too_large: true,
                ..
            })
        ));
        for bad in ["08", "0x", "1f", "12abc", "0b12", "1lul"] {
            assert!(parse_number(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn floats() {
        for (text, digits, suffix) in [
            ("1.", 2, FloatSuffix::None),
            (".5f", 2, FloatSuffix::Float),
            ("1e-3h", 4, FloatSuffix::Half),
            ("0x1.8p3", 7, FloatSuffix::None),
            ("0x.8P-2F", 7, FloatSuffix::Float),
            ("08.5", 4, FloatSuffix::None),
        ] {
            assert_eq!(
                parse_number(text),
                Ok(Number::Float { digits, suffix }),
                "{text}"
            );
        }
        for bad in ["1e", "0x1.8", "1.0x", "0x.p1", "1.5.5"] {
            assert!(parse_number(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn characters_and_strings() {
        assert_eq!(parse_char(b"'a'"), Ok(97));
        assert_eq!(parse_char(b"'\\xff'"), Ok(-1));
        assert_eq!(parse_char(b"'\\0'"), Ok(0));
        assert_eq!(parse_char(b"'ab'"), Ok(0x6162));
        assert!(parse_char(b"''").is_err());
        let mut out = Vec::new();
        parse_string(b"\"a\\n\\101\\x41\\u00e9\xff\"", &mut out).expect("valid");
        assert_eq!(out, b"a\nAA\xc3\xa9\xff");
    }
}
