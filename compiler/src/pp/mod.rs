//! The preprocessor.

/// Length in bytes of the token that `text` begins with (at least 1 unless `text` is empty).
pub fn measure_token(text: &[u8]) -> usize {
    let word = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_' || *b >= 0x80;
    match text.iter().take_while(|b| word(b)).count() {
        0 => text.len().min(1),
        n => n,
    }
}
