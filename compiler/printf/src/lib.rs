//! The formats of OpenCL C's printf (OpenCL C 3.0 §6.15.14), parsed once for all who read them:
//! the checks of the front end, the back end's lowering and the runtime's decoder.
//!
//! Takes the bytes of a format; gives literal text and directives in order. Text that looks like
//! a directive and is none is literal text: it takes no argument and is printed as it stands.
#![forbid(unsafe_code)]

/// Part of a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece<'a> {
    /// Printed as it stands.
    Text(&'a [u8]),
    /// `%%`, with whatever stands between.
    Percent,
    /// Prints the next argument.
    Directive(Directive<'a>),
}

/// A conversion specification that takes an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Directive<'a> {
    /// As it stands in the format.
    pub source: &'a [u8],
    /// Flags.
    pub flags: Flags,
    /// The least width in characters, 0 by default.
    pub width: usize,
    /// The precision, in digits or characters.
    pub precision: Option<usize>,
    /// Elements of a vector argument.
    pub vector: Option<usize>,
    /// The length modifier.
    pub length: Length,
    /// The conversion's letter.
    pub letter: u8,
    /// Kind of arguments that the letter prints.
    pub kind: Kind,
    /// Base of integers.
    pub base: Base,
}

/// The base in which a conversion writes integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Base {
    /// 2 to 16.
    pub radix: u32,
    /// The prefix of the alternate form (`#`) of numbers other than 0.
    pub prefix: &'static str,
    /// True if digits above 9 are capitals.
    pub upper: bool,
}

const fn base(radix: u32, prefix: &'static str) -> Base {
    let upper = matches!(prefix.as_bytes(), [_, b'A'..=b'Z']);
    Base {
        radix,
        prefix,
        upper,
    }
}

const DECIMAL: Base = base(10, "");

/// The one list of conversions: letter, kind of arguments, base of integers.
const CONVERSIONS: &[(u8, Kind, Base)] = &[
    (b'd', Kind::Signed, DECIMAL),
    (b'i', Kind::Signed, DECIMAL),
    (b'u', Kind::Unsigned, DECIMAL),
    (b'o', Kind::Unsigned, base(8, "")),
    (b'x', Kind::Unsigned, base(16, "0x")),
    (b'X', Kind::Unsigned, base(16, "0X")),
    (b'f', Kind::Float, DECIMAL),
    (b'F', Kind::Float, DECIMAL),
    (b'e', Kind::Float, DECIMAL),
    (b'E', Kind::Float, DECIMAL),
    (b'g', Kind::Float, DECIMAL),
    (b'G', Kind::Float, DECIMAL),
    (b'a', Kind::Float, base(16, "0x")),
    (b'A', Kind::Float, base(16, "0X")),
    (b'c', Kind::Character, DECIMAL),
    (b's', Kind::String, DECIMAL),
    (b'p', Kind::Pointer, base(16, "0x")),
];

/// Kinds of arguments that conversions print.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A signed integer in decimal.
    Signed,
    /// An unsigned integer.
    Unsigned,
    /// A floating-point value.
    Float,
    /// An integer as a character.
    Character,
    /// A string literal.
    String,
    /// An address.
    Pointer,
}

impl Kind {
    /// The arguments in a diagnostic's words.
    pub fn name(self) -> &'static str {
        match self {
            Self::Signed | Self::Unsigned | Self::Character => "integers",
            Self::Float => "floating-point values",
            Self::String => "strings",
            Self::Pointer => "pointers",
        }
    }
}

/// Flags of a directive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags {
    /// `-`: pads on the right.
    pub left: bool,
    /// `+`: positive numbers have a sign.
    pub plus: bool,
    /// A space: positive numbers have a space for a sign.
    pub space: bool,
    /// `#`: the alternate form.
    pub alternate: bool,
    /// `0`: pads with zeros.
    pub zero: bool,
}

/// Length modifiers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Length {
    /// None: the argument's own size.
    #[default]
    None,
    /// `hh`
    Char,
    /// `h`
    Short,
    /// `hl`: 4-byte elements of a vector.
    Int,
    /// `l`, and OpenCL C 3.1's `z` and `t`: the argument's own size.
    Long,
}

impl Length {
    /// The most bytes of an integer that are printed.
    pub fn most_bytes(self) -> usize {
        match self {
            Self::Char => 1,
            Self::Short => 2,
            Self::Int => 4,
            Self::None | Self::Long => 8,
        }
    }
}

/// Width and precision beyond this are cut: C guarantees 4095 characters per conversion.
const MAX_WIDTH: usize = 4095;

/// The pieces of a format, in order.
#[derive(Clone, Debug)]
pub struct Pieces<'a>(&'a [u8]);

/// Splits a format into its pieces.
pub fn pieces(format: &[u8]) -> Pieces<'_> {
    Pieces(format)
}

/// The directives of a format: as many as it takes arguments.
pub fn directives(format: &[u8]) -> impl Iterator<Item = Directive<'_>> {
    pieces(format).filter_map(|piece| match piece {
        Piece::Directive(directive) => Some(directive),
        Piece::Text(_) | Piece::Percent => None,
    })
}

impl<'a> Iterator for Pieces<'a> {
    type Item = Piece<'a>;

    fn next(&mut self) -> Option<Piece<'a>> {
        let format = self.0;
        let piece = match format.iter().position(|&byte| byte == b'%') {
            _ if format.is_empty() => return None,
            Some(0) => parse(format),
            Some(at) => (Piece::Text(&format[..at]), at),
            None => (Piece::Text(format), format.len()),
        };
        self.0 = &format[piece.1..];
        Some(piece.0)
    }
}

/// Bytes of a format, taken one by one.
struct Cursor<'a> {
    format: &'a [u8],
    at: usize,
}

impl Cursor<'_> {
    /// The next byte; 0 at the end.
    fn peek(&self) -> u8 {
        self.format.get(self.at).copied().unwrap_or(0)
    }

    fn take(&mut self, wanted: &[u8]) -> bool {
        let found = self.format[self.at..].starts_with(wanted);
        self.at += if found { wanted.len() } else { 0 };
        found
    }

    fn number(&mut self) -> usize {
        let mut value = 0_usize;
        while self.peek().is_ascii_digit() {
            value = (value * 10 + usize::from(self.peek() - b'0')).min(MAX_WIDTH);
            self.at += 1;
        }
        value
    }

    fn flags(&mut self) -> Flags {
        let mut flags = Flags::default();
        loop {
            match self.peek() {
                b'-' => flags.left = true,
                b'+' => flags.plus = true,
                b' ' => flags.space = true,
                b'#' => flags.alternate = true,
                b'0' => flags.zero = true,
                _ => return flags,
            }
            self.at += 1;
        }
    }

    fn length(&mut self) -> Length {
        for (modifier, length) in [
            (&b"hh"[..], Length::Char),
            (b"hl", Length::Int),
            (b"h", Length::Short),
            (b"ll", Length::Long),
            (b"l", Length::Long),
            (b"z", Length::Long),
            (b"t", Length::Long),
        ] {
            if self.take(modifier) {
                return length;
            }
        }
        Length::None
    }
}

/// Parses what begins with the format's first byte, a `%`: it, and how many bytes it takes.
fn parse(format: &[u8]) -> (Piece<'_>, usize) {
    let mut cursor = Cursor { format, at: 1 };
    let flags = cursor.flags();
    let width = cursor.number();
    let precision = cursor.take(b".").then(|| cursor.number());
    let vector = cursor.take(b"v").then(|| cursor.number());
    if vector.is_some_and(|count| !matches!(count, 2 | 3 | 4 | 8 | 16)) {
        return (Piece::Text(&format[..cursor.at]), cursor.at);
    }
    let length = cursor.length();
    let letter = cursor.peek();
    let conversion = CONVERSIONS.iter().find(|(known, ..)| *known == letter);
    let piece = match conversion {
        _ if letter == b'%' => Piece::Percent,
        None => return (Piece::Text(&format[..cursor.at]), cursor.at),
        // There are vectors of numbers alone.
        Some((_, Kind::String | Kind::Pointer, _)) if vector.is_some() => {
            return (Piece::Text(&format[..cursor.at]), cursor.at);
        }
        Some(&(letter, kind, base)) => Piece::Directive(Directive {
            source: &format[..=cursor.at],
            flags,
            width,
            precision,
            vector,
            length,
            letter,
            kind,
            base,
        }),
    };
    (piece, cursor.at + 1)
}

#[cfg(test)]
mod tests {
    use super::{DECIMAL, Directive, Flags, Kind, Length, Piece, directives, pieces};

    #[test]
    fn directives_are_those_that_take_an_argument() {
        let letters = |format: &'static [u8]| -> Vec<u8> {
            directives(format)
                .map(|directive| directive.letter)
                .collect()
        };
        assert_eq!(letters(b"100%% %d %-5.3s|%v4hlf %#x %zu %td %"), b"dsfxud");
        assert_eq!(letters(b"none"), b"");
        // No directives: nothing is printed for them.
        assert_eq!(letters(b"%n %*d %5% %v5d %l5d %v4s %v2p %s"), b"s");
    }

    #[test]
    fn a_directive_has_all_its_parts() {
        let plain = Directive {
            source: b"%-+ #012.34v16hld",
            flags: Flags {
                left: true,
                plus: true,
                space: true,
                alternate: true,
                zero: true,
            },
            width: 12,
            precision: Some(34),
            vector: Some(16),
            length: Length::Int,
            letter: b'd',
            kind: Kind::Signed,
            base: DECIMAL,
        };
        let found: Vec<_> = pieces(b"a%-+ #012.34v16hldb%%%n").collect();
        assert_eq!(
            found,
            [
                Piece::Text(b"a"),
                Piece::Directive(plain),
                Piece::Text(b"b"),
                Piece::Percent,
                Piece::Text(b"%"),
                Piece::Text(b"n"),
            ]
        );
        for (format, length) in [
            (&b"%hhd"[..], Length::Char),
            (b"%hd", Length::Short),
            (b"%ld", Length::Long),
            (b"%lld", Length::Long),
            (b"%zd", Length::Long),
            (b"%d", Length::None),
        ] {
            assert_eq!(directives(format).next().map(|d| d.length), Some(length));
        }
    }
}
