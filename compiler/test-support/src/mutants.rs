//! Inputs for fuzzing that are made of others: sources by bytes and tokens, modules by instructions and words.

use pumice_compiler::frontend::builtins::table::ROWS;

/// Numbers that are the same everywhere (xorshift64*).
pub struct Random(pub u64);

impl Random {
    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// A number below `n`; 0 for 0.
    pub fn below(&mut self, n: usize) -> usize {
        ((self.bits() >> 16) % n.max(1) as u64) as usize
    }
}

/// The words of a module's bytes, the last of which may be cut off.
pub fn words_of(bytes: &[u8]) -> Vec<u32> {
    let words = bytes.chunks_exact(4);
    words
        .map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]]))
        .collect()
}

fn bytes_of(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Word offsets at which the instructions of a module begin and end.
fn instructions(words: &[u32]) -> Vec<(usize, usize)> {
    pumice_spirv::instructions(words)
        .flatten()
        .map(|inst| (inst.at, inst.end()))
        .collect()
}

/// Changes a module once, with pieces of another.
pub fn change_module(bytes: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    let (mut words, theirs) = (words_of(bytes), words_of(other));
    let (mine, others) = (instructions(&words), instructions(&theirs));
    if mine.is_empty() || others.is_empty() {
        bytes.clear();
        bytes.extend_from_slice(other);
        return;
    }
    let (start, end) = mine[random.below(mine.len())];
    let operand = start + random.below(end - start);
    match random.below(12) {
        0 => words[operand] = random.below(80) as u32,
        1 => words[operand] ^= 1 << random.below(32),
        2 | 3 => {
            let from = 5 + random.below(words.len() - 5);
            words[operand] = words[from];
        }
        4 => words[operand] = words[operand].wrapping_add(1),
        5 => {
            words.drain(start..end);
        }
        6 => {
            let copy = words[start..end].to_vec();
            let (to, _) = mine[random.below(mine.len())];
            words.splice(to..to, copy);
        }
        7 => {
            let (a, b) = mine[random.below(mine.len())];
            let copy = words[a..b].to_vec();
            words.splice(start..end, copy);
        }
        8 => {
            // An operand less or more.
            if random.below(2) == 0 && end - start > 1 {
                words.remove(end - 1);
                words[start] = words[start].wrapping_sub(1 << 16);
            } else {
                words.insert(end, random.below(40) as u32);
                words[start] = words[start].wrapping_add(1 << 16);
            }
        }
        9 => {
            words[start] =
                (words[start] & 0xFFFF_0000) | (words[mine[random.below(mine.len())].0] & 0xFFFF)
        }
        _ => {
            let first = random.below(others.len());
            let last = (first + random.below(4)).min(others.len() - 1);
            let copy = theirs[others[first].0..others[last].1].to_vec();
            words.splice(start..start, copy);
        }
    }
    *bytes = bytes_of(&words);
}

/// The places of words and other tokens, roughly.
pub fn tokens(text: &[u8]) -> Vec<(usize, usize)> {
    let word = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    let mut found = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let length = text[at..].iter().take_while(|b| word(**b)).count().max(1);
        if !text[at].is_ascii_whitespace() {
            found.push((at, at + length));
        }
        at += length;
    }
    found
}

/// Changes a source once, with pieces of another.
pub fn change_text(text: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    if text.is_empty() {
        text.extend_from_slice(other);
        return;
    }
    let at = random.below(text.len());
    let (mine, theirs) = (tokens(text), tokens(other));
    match random.below(10) {
        0 => text[at] = random.bits() as u8,
        1 => {
            let end = (at + random.below(40)).min(text.len());
            text.drain(at..end);
        }
        2 => {
            let end = (at + random.below(60)).min(text.len());
            let copy = text[at..end].to_vec();
            text.splice(at..at, copy);
        }
        3 if !mine.is_empty() => {
            let (from, to) = mine[random.below(mine.len())];
            let row = &ROWS[random.below(ROWS.len())];
            let name = match row.name.strip_suffix('n') {
                Some(stem) if row.is_family => format!("{stem}4"),
                _ => row.name.replace("destType", "int4"),
            };
            text.splice(from..to, name.into_bytes());
        }
        4 if !mine.is_empty() => {
            let (from, to) = mine[random.below(mine.len())];
            text.drain(from..to);
        }
        5 | 6 if !mine.is_empty() => {
            let (from, to) = mine[random.below(mine.len())];
            let (a, b) = mine[random.below(mine.len())];
            let copy = text[a..b].to_vec();
            text.splice(from..to, copy);
        }
        // A run of tokens of the other in place of a run of ours.
        _ if !mine.is_empty() && !theirs.is_empty() => {
            let first = random.below(mine.len());
            let last = (first + random.below(4)).min(mine.len() - 1);
            let a = random.below(theirs.len());
            let b = (a + random.below(8)).min(theirs.len() - 1);
            let copy = other[theirs[a].0..theirs[b].1].to_vec();
            text.splice(mine[first].0..mine[last].1, copy);
        }
        _ => text.insert(at, b"(){};,*#\"'"[random.below(10)]),
    }
}
