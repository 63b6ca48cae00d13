//! SPIR-V's binary form (§2.3): header, instruction words, literal strings.

/// Why words are no SPIR-V module.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    /// Fewer than the five header words.
    #[error("not SPIR-V: {words} words are fewer than a header")]
    NoHeader {
        /// How many words there were.
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

/// One instruction of a module.
#[derive(Clone, Copy, Debug)]
pub struct Inst<'a> {
    /// Index of its first word in the module.
    pub at: usize,
    /// Its opcode.
    pub opcode: u16,
    /// Its words after the first.
    pub operands: &'a [u32],
}

impl Inst<'_> {
    /// Index of the word behind the instruction.
    pub fn end(&self) -> usize {
        self.at + 1 + self.operands.len()
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
        Some(Ok(Inst {
            at,
            opcode,
            operands: &self.words[at + 1..at + count],
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
    let mut words = Vec::new();
    push_string(&mut words, text.as_ref());
    words
}

/// Appends an instruction. The caller keeps it within [`MAX_INSTRUCTION_WORDS`].
pub fn push_inst(out: &mut Vec<u32>, opcode: u16, operands: &[u32]) {
    let count = operands.len() + 1;
    debug_assert!(count <= MAX_INSTRUCTION_WORDS, "opcode {opcode} too long");
    out.push((count as u32) << 16 | u32::from(opcode));
    out.extend_from_slice(operands);
}
