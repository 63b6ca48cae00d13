//! The built-in function library in its compiled form.
//!
//! `lib/*.cl` holds the functions in OpenCL C; `library.bin` holds each in the stored form of the IR, with the
//! functions that only it calls, written by `cargo xtask bless`. [`function`] finds one by name without
//! touching the others. Never compiles anything itself: the compiler depends on this crate.
//!
//! The file is little-endian: the magic `PUMB`, the number of functions n, n rows of
//! {name offset, name length, function offset, function length} sorted by name (offsets and
//! lengths in bytes from the start of the file), then names and functions.
#![forbid(unsafe_code)]

/// First four bytes of a library file.
const MAGIC: [u8; 4] = *b"PUMB";
/// Bytes of one row of the index.
const ROW: usize = 16;

static LIBRARY: &[u8] = include_bytes!("../library.bin");

/// The stored form of the function `name`, which declares by name what it calls.
pub fn function(name: &str) -> Option<&'static [u8]> {
    find(LIBRARY, name)
}

/// Names of all functions of the library, sorted.
pub fn names() -> impl Iterator<Item = &'static str> {
    (0..count(LIBRARY)).filter_map(|row| name_at(LIBRARY, row))
}

/// Writes a library file from names and stored forms; the order given does not matter.
pub fn pack(functions: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut sorted: Vec<&(String, Vec<u8>)> = functions.iter().collect();
    sorted.sort_by(|a, b| a.0.cmp(&b.0));
    let start = 8 + ROW * sorted.len();
    let mut data: Vec<u8> = sorted.iter().flat_map(|(name, _)| name.bytes()).collect();
    let mut index = Vec::new();
    let mut names = 0;
    for (name, bytes) in &sorted {
        for number in [start + names, name.len(), start + data.len(), bytes.len()] {
            index.extend((number as u32).to_le_bytes());
        }
        names += name.len();
        data.extend(bytes);
    }
    let mut out = MAGIC.to_vec();
    out.extend((sorted.len() as u32).to_le_bytes());
    out.extend(index);
    out.extend(data);
    out
}

fn number(file: &[u8], at: usize) -> Option<usize> {
    let bytes = file.get(at..at + 4)?;
    Some(u32::from_le_bytes(bytes.try_into().ok()?) as usize)
}

fn count(file: &[u8]) -> usize {
    if file.starts_with(&MAGIC) {
        number(file, 4).unwrap_or(0)
    } else {
        0
    }
}

fn slice(file: &[u8], row: usize, field: usize) -> Option<&[u8]> {
    let at = 8 + row * ROW + field;
    let start = number(file, at)?;
    file.get(start..start.checked_add(number(file, at + 4)?)?)
}

fn name_at(file: &[u8], row: usize) -> Option<&str> {
    std::str::from_utf8(slice(file, row, 0)?).ok()
}

fn find<'a>(file: &'a [u8], name: &str) -> Option<&'a [u8]> {
    let (mut low, mut high) = (0, count(file));
    while low < high {
        let middle = low + (high - low) / 2;
        match name_at(file, middle)?.cmp(name) {
            std::cmp::Ordering::Equal => return slice(file, middle, 8),
            std::cmp::Ordering::Less => low = middle + 1,
            std::cmp::Ordering::Greater => high = middle,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{find, function, names, pack};

    #[test]
    fn finds_each_function_and_no_other() {
        let functions: Vec<(String, Vec<u8>)> = ["b", "aa", "c", "a"]
            .iter()
            .enumerate()
            .map(|(i, n)| (n.to_string(), vec![i as u8; i + 1]))
            .collect();
        let file = pack(&functions);
        for (name, bytes) in &functions {
            assert_eq!(find(&file, name), Some(bytes.as_slice()));
        }
        for missing in ["", "ab", "d", "A"] {
            assert!(find(&file, missing).is_none());
        }
    }

    #[test]
    fn an_empty_or_cut_library_finds_nothing() {
        assert!(find(&pack(&[]), "a").is_none());
        assert!(find(&[], "a").is_none());
        let file = pack(&[("a".to_string(), vec![1, 2, 3])]);
        for end in 0..file.len() {
            assert!(find(&file[..end], "a").is_none());
        }
    }

    #[test]
    fn every_listed_function_is_found() {
        for name in names() {
            assert!(
                function(name).is_some_and(|bytes| !bytes.is_empty()),
                "{name}"
            );
        }
    }
}
