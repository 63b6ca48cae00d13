//! Interned byte strings.
//!
//! Takes spellings, gives [`Symbol`]s that compare and hash as integers. Every name, number
//! and string literal of a compile lives here once. Nothing is ever removed.

use std::hash::Hasher;

use rustc_hash::FxHasher;

use pumice_budget as budget;

/// An interned spelling; index into its [`Interner`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symbol(pub u32);

impl Symbol {
    /// The symbol as a dense index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The set of all spellings of one compile.
#[derive(Clone, Debug)]
pub struct Interner {
    bytes: Vec<u8>,
    /// End of each spelling in `bytes`; the start is the previous end.
    ends: Vec<u32>,
    /// Open-addressing table of symbol + 1; 0 is empty. The length is a power of two.
    table: Vec<u32>,
}

impl Default for Interner {
    fn default() -> Self {
        Self::new()
    }
}

fn hash(bytes: &[u8]) -> usize {
    let mut hasher = FxHasher::default();
    hasher.write(bytes);
    let h = hasher.finish();
    (h ^ (h >> 29)) as usize
}

impl Interner {
    /// An empty interner.
    pub fn new() -> Self {
        Self {
            bytes: Vec::new(),
            ends: Vec::new(),
            table: vec![0; 1024],
        }
    }

    /// The symbol of `text`, made on first use.
    pub fn intern(&mut self, text: &str) -> Symbol {
        self.intern_bytes(text.as_bytes())
    }

    /// The symbol of any bytes (string literals need not be UTF-8).
    pub fn intern_bytes(&mut self, text: &[u8]) -> Symbol {
        let mask = self.table.len() - 1;
        let mut slot = hash(text) & mask;
        loop {
            match self.table[slot] {
                0 => break,
                entry if self.bytes(Symbol(entry - 1)) == text => return Symbol(entry - 1),
                _ => slot = (slot + 1) & mask,
            }
        }
        // The spelling, its end and its place in the table.
        budget::spend(2 * text.len() as u64 + 40);
        self.bytes.extend_from_slice(text);
        self.ends.push(self.bytes.len() as u32);
        let symbol = Symbol(self.ends.len() as u32 - 1);
        self.table[slot] = symbol.0 + 1;
        if self.ends.len() * 2 > self.table.len() {
            self.grow();
        }
        symbol
    }

    /// The symbol of `text` if it was ever interned.
    pub fn get(&self, text: &str) -> Option<Symbol> {
        let mask = self.table.len() - 1;
        let mut slot = hash(text.as_bytes()) & mask;
        loop {
            match self.table[slot] {
                0 => return None,
                entry if self.bytes(Symbol(entry - 1)) == text.as_bytes() => {
                    return Some(Symbol(entry - 1));
                }
                _ => slot = (slot + 1) & mask,
            }
        }
    }

    /// The spelling.
    pub fn bytes(&self, symbol: Symbol) -> &[u8] {
        let index = symbol.index();
        let start = match index {
            0 => 0,
            _ => self.ends[index - 1] as usize,
        };
        &self.bytes[start..self.ends[index] as usize]
    }

    /// The spelling as text. Identifiers and numbers are always UTF-8; a string literal that
    /// is not reads as its longest valid prefix.
    pub fn resolve(&self, symbol: Symbol) -> &str {
        let bytes = self.bytes(symbol);
        match std::str::from_utf8(bytes) {
            Ok(text) => text,
            Err(e) => std::str::from_utf8(&bytes[..e.valid_up_to()]).unwrap_or(""),
        }
    }

    /// Returns the number of symbols.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    fn grow(&mut self) {
        let mask = self.table.len() * 4 - 1;
        let mut table = vec![0; mask + 1];
        for index in 0..self.ends.len() as u32 {
            let mut slot = hash(self.bytes(Symbol(index))) & mask;
            while table[slot] != 0 {
                slot = (slot + 1) & mask;
            }
            table[slot] = index + 1;
        }
        self.table = table;
    }
}

#[cfg(test)]
mod tests {
    use super::Interner;

    #[test]
    fn equal_spellings_share_a_symbol_across_growth() {
        let mut names = Interner::new();
        let first = names.intern("first");
        let all: Vec<_> = (0..5000).map(|i| names.intern(&format!("n{i}"))).collect();
        assert_eq!(names.intern("first"), first);
        assert_eq!(names.get("n4999"), Some(all[4999]));
        assert_eq!(names.get("n5000"), None);
        assert_eq!(names.resolve(all[17]), "n17");
        assert_eq!(names.len(), 5001);
    }
}
