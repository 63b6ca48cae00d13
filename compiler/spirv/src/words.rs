//! SPIR-V's binary form (§2.3): header, instruction words, literal strings.

use std::borrow::Cow;

/// Reason why words are not a SPIR-V module.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    /// Fewer than the five header words.
    #[error("not SPIR-V: {words} words are fewer than a header")]
    NoHeader {
        /// Number of words.
        words: usize,
    },
    /// The first word is not the magic number.
    #[error("not SPIR-V: the first word is {word:#010x}")]
    BadMagic {
        /// The first word.
        word: u32,
    },
    /// The header declares an id bound of zero or beyond the universal limit (4,194,303).
    #[error("the id bound {bound} is outside 1..=4194303")]
    BadBound {
        /// The declared bound.
        bound: u32,
    },
    /// An instruction says that it has no words, or more than the module still has.
    #[error("the instruction at word {at} (opcode {opcode}) claims {count} words, {left} are left")]
    BadWordCount {
        /// Index of the instruction's first word.
        at: usize,
        /// Its opcode.
        opcode: u16,
        /// Its claimed word count.
        count: usize,
        /// Words from here to the end.
        left: usize,
    },
}

/// SPIR-V's magic number in native word order.
pub const MAGIC: u32 = 0x0723_0203;
/// Words of the header.
pub const HEADER_WORDS: usize = 5;
/// The universal limit of the id bound.
pub const MAX_BOUND: u32 = 4_194_303;
/// The most words that one instruction can have.
pub const MAX_INSTRUCTION_WORDS: usize = 0xffff;

/// A module's header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Major and minor version.
    pub version: (u8, u8),
    /// Every id is below it.
    pub bound: u32,
}

/// Checks and reads the header.
///
/// # Errors
/// The word that is wrong.
pub fn header(words: &[u32]) -> Result<Header, Malformed> {
    let &[magic, version, _, bound, _, ..] = words else {
        return Err(Malformed::NoHeader { words: words.len() });
    };
    if magic != MAGIC {
        return Err(Malformed::BadMagic { word: magic });
    }
    if bound == 0 || bound > MAX_BOUND {
        return Err(Malformed::BadBound { bound });
    }
    let [_, major, minor, _] = version.to_be_bytes();
    Ok(Header {
        version: (major, minor),
        bound,
    })
}

/// A module in the machine's byte order: borrowed where it has it, swapped where it was written
/// by a machine of the other one. `None` where the first word is the magic number of neither.
pub fn native_order(words: &[u32]) -> Option<Cow<'_, [u32]>> {
    match *words.first()? {
        MAGIC => Some(Cow::Borrowed(words)),
        magic if magic.swap_bytes() == MAGIC => {
            Some(words.iter().map(|w| w.swap_bytes()).collect())
        }
        _ => None,
    }
}

/// The words of the bytes of a module in either byte order; `None` where they are none: too short
/// for a header, no whole number of words, or without the magic number.
pub fn module_words(bytes: &[u8]) -> Option<Vec<u32>> {
    if bytes.len() < 4 * HEADER_WORDS || bytes.len() % 4 != 0 {
        return None;
    }
    let words: Vec<u32> = bytes
        .chunks_exact(4)
        .map(|chunk| u32::from_ne_bytes([chunk[0], chunk[1], chunk[2], chunk[3]]))
        .collect();
    native_order(&words).map(Cow::into_owned)
}

/// The reason why bytes are no module, for people: what they look like instead.
pub fn why_no_module(bytes: &[u8]) -> &'static str {
    let text = |byte: &u8| byte.is_ascii_graphic() || byte.is_ascii_whitespace();
    if has_magic(bytes) {
        return "it is cut off";
    }
    match bytes {
        [b'B', b'C', 0xc0, 0xde, ..] => "it is LLVM bitcode; llvm-spirv makes SPIR-V of it",
        [0x7f, b'E', b'L', b'F', ..] => "it is an ELF file",
        [b';', ..] if bytes.iter().take(64).all(text) => {
            "it is assembly; spirv-as makes SPIR-V of it"
        }
        [_, ..] if bytes.iter().take(64).all(text) => {
            "it is text; source goes to clCreateProgramWithSource"
        }
        _ => "the magic number 0x07230203 is missing",
    }
}

/// Returns whether bytes begin with the magic number, in either byte order.
pub fn has_magic(bytes: &[u8]) -> bool {
    let first = bytes.first_chunk().copied().map(u32::from_ne_bytes);
    first.is_some_and(|word| word == MAGIC || word.swap_bytes() == MAGIC)
}

/// One instruction of a module.
#[derive(Clone, Copy, Debug)]
pub struct Inst<'a> {
    /// Index of its first word in the module.
    pub at: usize,
    /// Its opcode.
    pub opcode: u16,
    /// Its words.
    pub words: &'a [u32],
    /// Its words after the first.
    pub operands: &'a [u32],
}

impl Inst<'_> {
    /// Index of the word behind the instruction.
    pub fn end(&self) -> usize {
        self.at + self.words.len()
    }
}

/// The instructions of a module, in order; ends after the first error.
#[derive(Clone, Debug)]
pub struct Instructions<'a> {
    words: &'a [u32],
    at: usize,
}

/// Iterates over the instructions behind the header (which [`header`] checks).
pub fn instructions(words: &[u32]) -> Instructions<'_> {
    Instructions {
        words,
        at: HEADER_WORDS.min(words.len()),
    }
}

impl<'a> Iterator for Instructions<'a> {
    type Item = Result<Inst<'a>, Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        let at = self.at;
        let &first = self.words.get(at)?;
        let opcode = (first & 0xffff) as u16;
        let count = (first >> 16) as usize;
        let left = self.words.len() - at;
        if count == 0 || count > left {
            self.at = self.words.len();
            return Some(Err(Malformed::BadWordCount {
                at,
                opcode,
                count,
                left,
            }));
        }
        self.at = at + count;
        let words = &self.words[at..at + count];
        Some(Ok(Inst {
            at,
            opcode,
            words,
            operands: &words[1..],
        }))
    }
}

/// Decodes a literal string: its bytes without the terminator, and how many words it takes.
/// `None` when it is not terminated.
pub fn string(words: &[u32]) -> Option<(Vec<u8>, usize)> {
    let mut bytes = Vec::new();
    for (index, word) in words.iter().enumerate() {
        for byte in word.to_le_bytes() {
            if byte == 0 {
                return Some((bytes, index + 1));
            }
            bytes.push(byte);
        }
    }
    None
}

/// Decodes a literal string as text, bytes that are no UTF-8 replaced: it, and how many words it
/// takes. `None` when it is not terminated.
pub fn text(words: &[u32]) -> Option<(String, usize)> {
    let (bytes, count) = string(words)?;
    Some((String::from_utf8_lossy(&bytes).into_owned(), count))
}

/// Appends a literal string: its bytes, a terminator, and zeros up to a whole word.
pub fn push_string(out: &mut Vec<u32>, bytes: &[u8]) {
    for chunk in bytes.chunks(4) {
        let mut word = [0; 4];
        word[..chunk.len()].copy_from_slice(chunk);
        out.push(u32::from_le_bytes(word));
    }
    if bytes.len() % 4 == 0 {
        out.push(0);
    }
}

/// The words of a literal string.
pub fn string_words(text: impl AsRef<[u8]>) -> Vec<u32> {
    let mut words = Vec::with_capacity(text.as_ref().len() / 4 + 1);
    push_string(&mut words, text.as_ref());
    words
}

/// The first word of an instruction of `count` words, this one included.
///
/// # Panics
/// Beyond [`MAX_INSTRUCTION_WORDS`], which the caller splits or refuses.
pub fn first_word(opcode: u16, count: usize) -> u32 {
    assert!(count <= MAX_INSTRUCTION_WORDS, "opcode {opcode} too long");
    (count as u32) << 16 | u32::from(opcode)
}

/// Appends an instruction, which the caller keeps within [`MAX_INSTRUCTION_WORDS`].
pub fn push_inst(out: &mut Vec<u32>, opcode: u16, operands: &[u32]) {
    push_parts(out, opcode, [operands]);
}

/// Appends an instruction whose operands come in parts.
pub fn push_parts<const N: usize>(out: &mut Vec<u32>, opcode: u16, parts: [&[u32]; N]) {
    let count = 1 + parts.iter().map(|part| part.len()).sum::<usize>();
    out.reserve(count);
    out.push(first_word(opcode, count));
    for part in parts {
        // Parts are a word or two, for which a call of memcpy takes longer than a loop.
        for &word in part {
            out.push(word);
        }
    }
}

/// The words of an instruction.
pub fn inst_words(opcode: u16, operands: &[u32]) -> Vec<u32> {
    let mut words = Vec::with_capacity(1 + operands.len());
    push_inst(&mut words, opcode, operands);
    words
}

#[cfg(test)]
mod tests {
    use super::{
        MAGIC, Malformed, inst_words, instructions, native_order, push_parts, string_words, text,
    };

    #[test]
    fn instructions_end_at_the_first_broken_one() {
        let mut words = vec![MAGIC, 0x0001_0000, 0, 8, 0];
        push_parts(&mut words, 5, [&[1], &string_words("name")]);
        words.extend(inst_words(17, &[6]));
        words.push(4 << 16 | 43);
        let found: Vec<_> = instructions(&words).collect();
        let [Ok(name), Ok(capability), Err(error)] = &found[..] else {
            panic!("{found:?}");
        };
        assert_eq!((name.at, name.opcode, name.end()), (5, 5, 9));
        assert_eq!(text(&name.operands[1..]), Some(("name".to_string(), 2)));
        assert_eq!(capability.words, [2 << 16 | 17, 6]);
        let broken = Malformed::BadWordCount {
            at: 11,
            opcode: 43,
            count: 4,
            left: 1,
        };
        assert_eq!(*error, broken);
    }

    #[test]
    fn strings_end_with_a_zero_byte() {
        assert_eq!(text(&string_words("four")), Some(("four".to_string(), 2)));
        assert_eq!(text(&string_words("")), Some((String::new(), 1)));
        assert_eq!(text(&[u32::from_le_bytes(*b"four")]), None);
        assert_eq!(text(&[]), None);
    }

    #[test]
    fn words_of_the_other_byte_order_are_swapped() {
        let words = [MAGIC, 0x0001_0000];
        let swapped = words.map(u32::swap_bytes);
        assert_eq!(native_order(&words).unwrap(), &words[..]);
        assert_eq!(native_order(&swapped).unwrap(), &words[..]);
        assert!(native_order(&[7]).is_none() && native_order(&[]).is_none());
    }
    #[test]
    fn bytes_are_taken_in_either_byte_order() {
        let words = [MAGIC, 1, 2, 3, 4];
        let little: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        let big: Vec<u8> = words.iter().flat_map(|w| w.to_be_bytes()).collect();
        assert_eq!(super::module_words(&little).unwrap(), words);
        assert_eq!(super::module_words(&big).unwrap(), words);
        assert!(super::module_words(&little[..16]).is_none());
        assert!(super::module_words(b"not a SPIR-V module!").is_none());
        assert!(super::has_magic(&big[..4]) && !super::has_magic(&big[..3]));
        for (bytes, why) in [
            (&big[..16], "it is cut off"),
            (
                b"BC\xc0\xde5",
                "it is LLVM bitcode; llvm-spirv makes SPIR-V of it",
            ),
            (b"\x7fELF\x02", "it is an ELF file"),
            (
                b"; SPIR-V\nOpCapability",
                "it is assembly; spirv-as makes SPIR-V of it",
            ),
            (
                b"kernel void",
                "it is text; source goes to clCreateProgramWithSource",
            ),
            (b"\x01\x02", "the magic number 0x07230203 is missing"),
        ] {
            assert_eq!(super::why_no_module(bytes), why);
        }
    }
}
