//! The parser of signatures, which runs at compile time.
//!
//! Takes a line such as `gentype fract(gentype x, gentype *iptr)`, in the words that the head of
//! [`super`] explains; gives the function's name and the [`Signature`], with gentype still to be
//! filled in by the table.

use super::signature::{
    Accesses, Base, Components, Element, Gentype, MAX_PARAMS, Number, Pointer, SCALARS, Scalars,
    Signature, Spaces, Term, Width,
};
use crate::lang::opaque::{IMAGES, OPAQUES};
use crate::lang::types::{AddrSpace, Quals};

/// Reason why a text is no signature.
type Error = &'static str;

/// A parsed line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    /// Name of the function.
    pub name: &'static str,
    /// Its signature; gentype's element types are not known yet.
    pub signature: Signature,
    /// True if the signature depends on gentype.
    pub uses_gentype: bool,
}

/// `?` for const functions.
macro_rules! attempt {
    ($result:expr) => {
        match $result {
            Ok(value) => value,
            Err(message) => return Err(message),
        }
    };
}

/// Words that are numbers, besides the names of [`SCALARS`]: element type, and whether the word
/// alone has gentype's number of components.
const NUMBERS: &[(&str, Element, bool)] = &[
    ("gentype", Element::Gentype, true),
    ("sgentype", Element::Gentype, false),
    ("igentype", Element::Signed, true),
    ("ugentype", Element::Unsigned, true),
    ("rgentype", Element::Relation, true),
    ("destType", Element::Destination, false),
    ("C", Element::Gentype, false),
    ("M", Element::Gentype, false),
    ("size_t", Element::Size, false),
    ("cl_mem_fence_flags", UINT, false),
    ("memory_order", INT, false),
    ("memory_scope", INT, false),
    ("clk_profiling_info", INT, false),
];

const INT: Element = Element::Scalar(4);
const UINT: Element = Element::Scalar(5);

pub const fn equal(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && starts_with(a, b)
}

const fn starts_with(text: &[u8], start: &[u8]) -> bool {
    if text.len() < start.len() {
        return false;
    }
    let mut at = 0;
    while at < start.len() {
        if text[at] != start[at] {
            return false;
        }
        at += 1;
    }
    true
}

/// The bytes from one place to another.
const fn slice(text: &[u8], from: usize, to: usize) -> &[u8] {
    text.split_at(to).0.split_at(from).1
}

/// Returns the place of a byte, or the length of the text.
const fn find(text: &[u8], byte: u8) -> usize {
    let mut at = 0;
    while at < text.len() && text[at] != byte {
        at += 1;
    }
    at
}

const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'{' | b'|' | b'}')
}

/// The words of one type.
struct Words<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Words<'a> {
    const fn skip_spaces(&mut self) {
        while self.at < self.text.len() && self.text[self.at] == b' ' {
            self.at += 1;
        }
    }

    /// The next word; empty at the end and before punctuation.
    const fn next(&mut self) -> &'a [u8] {
        self.skip_spaces();
        let start = self.at;
        while self.at < self.text.len() && is_word(self.text[self.at]) {
            self.at += 1;
        }
        slice(self.text, start, self.at)
    }

    const fn eat_star(&mut self) -> bool {
        self.skip_spaces();
        let found = self.at < self.text.len() && self.text[self.at] == b'*';
        self.at += found as usize;
        found
    }

    const fn is_at_end(&mut self) -> bool {
        self.skip_spaces();
        self.at == self.text.len()
    }
}

/// Facts that the types of one signature add up to.
struct Found {
    uses_gentype: bool,
    components: Components,
    /// The n of `gentypen` is the number in the function's name.
    n_is_in_name: bool,
}

impl Found {
    /// Reads a number such as `float4`, `gentypen`, `size_t`; `None` if the word is none.
    const fn number(&mut self, word: &[u8]) -> Option<Number> {
        let mut at = 0;
        while at < SCALARS.len() {
            let scalar = Element::Scalar(at as u8);
            if let Some(number) = self.with_suffix(word, SCALARS[at].0, scalar, false) {
                return Some(number);
            }
            at += 1;
        }
        at = 0;
        while at < NUMBERS.len() {
            let (name, element, is_wide) = NUMBERS[at];
            if let Some(number) = self.with_suffix(word, name, element, is_wide) {
                return Some(number);
            }
            at += 1;
        }
        None
    }

    /// Reads `name` with a number of components behind it.
    const fn with_suffix(
        &mut self,
        word: &[u8],
        name: &str,
        element: Element,
        is_wide: bool,
    ) -> Option<Number> {
        if !starts_with(word, name.as_bytes()) {
            return None;
        }
        let width = match slice(word, name.len(), word.len()) {
            b"" if is_wide => Width::N,
            b"" => Width::Fixed(1),
            b"2" => Width::Fixed(2),
            b"3" => Width::Fixed(3),
            b"4" => Width::Fixed(4),
            b"8" => Width::Fixed(8),
            b"16" => Width::Fixed(16),
            b"n" if self.n_is_in_name => Width::Name,
            b"n" => Width::N,
            b"m" => Width::M,
            _ => return None,
        };
        if matches!(
            element,
            Element::Gentype | Element::Signed | Element::Unsigned | Element::Relation
        ) {
            self.uses_gentype = true;
            if word.len() > name.len() && !matches!(width, Width::Name) {
                self.components = self.components.and(Components::VECTOR);
            }
        }
        Some(Number { element, width })
    }

    /// Reads a type and, if `named`, a parameter's name behind it.
    const fn term(&mut self, text: &[u8], named: bool) -> Result<Term, Error> {
        let mut words = Words { text, at: 0 };
        let mut quals = Quals::empty();
        let mut spaces = None;
        let mut accesses = None;
        let base = loop {
            match words.next() {
                b"" => return Err("a type is missing"),
                b"const" => quals = quals.union(Quals::CONST),
                b"volatile" => quals = quals.union(Quals::VOLATILE),
                b"__global" => spaces = Some(Spaces::Only(AddrSpace::Global)),
                b"__local" => spaces = Some(Spaces::Only(AddrSpace::Local)),
                b"__constant" => spaces = Some(Spaces::Only(AddrSpace::Constant)),
                b"__generic" => spaces = Some(Spaces::Generic),
                b"__global|__local" => spaces = Some(Spaces::GlobalOrLocal),
                b"__global|__local|__generic" => spaces = Some(Spaces::NotPrivate),
                b"read_only" => accesses = Some(Accesses::ReadOnly),
                b"read_only|read_write" => accesses = Some(Accesses::Read),
                b"write_only|read_write" => accesses = Some(Accesses::Write),
                b"aQual" => accesses = Some(Accesses::Any),
                word => break attempt!(self.base(word, accesses)),
            }
        };
        let is_pointer = words.eat_star();
        if named && words.next().is_empty() {
            return Err("a parameter has no name");
        }
        if !words.is_at_end() {
            return Err("a type has too many words");
        }
        let pointer = match spaces {
            _ if !is_pointer && (spaces.is_some() || !quals.is_empty()) => {
                return Err("a qualifier is for pointers alone");
            }
            _ if !is_pointer => None,
            Some(spaces) => Some(Pointer { spaces, quals }),
            None if quals.contains(Quals::CONST) => Some(Pointer {
                spaces: Spaces::Readable,
                quals,
            }),
            None => Some(Pointer {
                spaces: Spaces::Writable,
                quals,
            }),
        };
        if !is_pointer && matches!(base, Base::Atomic(_)) {
            return Err("an atomic type is behind a pointer");
        }
        Ok(Term { base, pointer })
    }

    const fn base(&mut self, word: &[u8], accesses: Option<Accesses>) -> Result<Base, Error> {
        if let Some(accesses) = accesses {
            return match images(word) {
                0 => Err("an access qualifier is for images alone"),
                kinds => Ok(Base::Image(kinds, accesses)),
            };
        }
        if let Some(number) = self.number(word) {
            return Ok(Base::Number(number));
        }
        match word {
            b"void" => return Ok(Base::Void),
            b"atomic_flag" => return Ok(Base::Atomic(INT)),
            b"A" => {
                self.uses_gentype = true;
                return Ok(Base::Atomic(Element::Gentype));
            }
            _ => {}
        }
        let mut at = 0;
        while at < OPAQUES.len() {
            if equal(word, OPAQUES[at].0.as_bytes()) {
                return Ok(Base::Opaque(at as u8));
            }
            at += 1;
        }
        Err("a type is unknown")
    }
}

/// The images that a word such as `image{1d_array|2d}_t` stands for, a bit each; 0 if a part of it
/// is no image.
const fn images(word: &[u8]) -> u16 {
    const START: &[u8] = b"image";
    if equal(word, b"image_t") {
        return (1 << IMAGES.len()) - 1;
    }
    let open = find(word, b'{');
    if open == word.len() {
        return image(word, b"", b"");
    }
    let close = find(word, b'}');
    if open != START.len() || close == word.len() {
        return 0;
    }
    let (start, end) = (slice(word, 0, open), slice(word, close + 1, word.len()));
    let mut rest = slice(word, open + 1, close);
    let mut kinds = 0;
    loop {
        let length = find(rest, b'|');
        match image(start, slice(rest, 0, length), end) {
            0 => return 0,
            kind => kinds |= kind,
        }
        if length == rest.len() {
            return kinds;
        }
        rest = slice(rest, length + 1, rest.len());
    }
}

/// The bit of the image type whose name is the three parts in a row.
const fn image(start: &[u8], middle: &[u8], end: &[u8]) -> u16 {
    let length = start.len() + middle.len() + end.len();
    let mut at = 0;
    while at < IMAGES.len() {
        let name = IMAGES[at].name.as_bytes();
        if name.len() == length
            && starts_with(name, start)
            && starts_with(slice(name, start.len(), length), middle)
            && starts_with(slice(name, length - end.len(), length), end)
        {
            return 1 << at;
        }
        at += 1;
    }
    0
}

/// Reads a line.
pub(super) const fn line(text: &'static str) -> Result<Line, Error> {
    let bytes = text.as_bytes();
    let open = find(bytes, b'(');
    if open == bytes.len() || bytes[bytes.len() - 1] != b')' {
        return Err("the parameters stand in parentheses");
    }
    let mut name_at = open;
    while name_at > 0 && is_word(bytes[name_at - 1]) {
        name_at -= 1;
    }
    let Ok(name) = core::str::from_utf8(slice(bytes, name_at, open)) else {
        return Err("a name is ASCII");
    };
    let mut found = Found {
        uses_gentype: false,
        components: Components::ANY,
        n_is_in_name: super::is_sized_family(name),
    };
    let result = attempt!(found.term(slice(bytes, 0, name_at), false));
    let mut params = [Term::VOID; MAX_PARAMS];
    let mut count = 0;
    let mut variadic = false;
    let mut rest = slice(bytes, open + 1, bytes.len() - 1);
    while !rest.is_empty() {
        let length = find(rest, b',');
        let param = slice(rest, 0, length);
        if variadic || count == MAX_PARAMS {
            return Err("there are too many parameters");
        }
        if equal(param, b" ...") {
            variadic = true;
        } else {
            params[count] = attempt!(found.term(param, true));
            count += 1;
        }
        if length + 1 == rest.len() {
            return Err("a type is missing");
        }
        let is_last = length == rest.len();
        rest = slice(rest, if is_last { length } else { length + 1 }, rest.len());
    }
    Ok(Line {
        name,
        signature: Signature {
            components: found.components,
            result,
            params,
            count: count as u8,
            variadic,
            ..Signature::NONE
        },
        uses_gentype: found.uses_gentype,
    })
}

impl Line {
    /// The signature with a table's gentype; `None` if that leaves no overload.
    pub(super) const fn with(&self, gentype: &Gentype) -> Option<Signature> {
        let mut signature = self.signature;
        if self.uses_gentype {
            signature.scalars = gentype.scalars;
            signature.components = signature.components.and(gentype.components);
            if gentype.scalars.is_empty() || signature.components.is_empty() {
                return None;
            }
        }
        Some(signature)
    }
}

/// Reads a list of scalar types such as `half, float, double`.
pub(super) const fn scalars(list: &str) -> Result<Scalars, Error> {
    let mut rest = list.as_bytes();
    let mut set = 0;
    while !rest.is_empty() {
        let length = find(rest, b',');
        let mut words = Words {
            text: slice(rest, 0, length),
            at: 0,
        };
        let word = words.next();
        let mut at = 0;
        while at < SCALARS.len() && !equal(word, SCALARS[at].0.as_bytes()) {
            at += 1;
        }
        if at == SCALARS.len() || !words.is_at_end() {
            return Err("a scalar type is unknown");
        }
        set |= 1 << at;
        let is_last = length == rest.len();
        rest = slice(rest, if is_last { length } else { length + 1 }, rest.len());
    }
    Ok(Scalars(set))
}
