//! The words of a string of build options.

/// Words between white space. Quotes keep white space together; a backslash makes the quote,
/// backslash or space behind it an ordinary character. `None` if a quote is not closed.
pub(crate) fn split(text: &[u8]) -> Option<Vec<Vec<u8>>> {
    let mut words = Vec::new();
    let mut word: Option<Vec<u8>> = None;
    let mut quote = None;
    let mut bytes = text.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\'
                if bytes
                    .peek()
                    .is_some_and(|next| matches!(next, b'"' | b'\'' | b'\\' | b' ')) =>
            {
                word.get_or_insert_default().extend(bytes.next());
            }
            b'"' | b'\'' if quote == Some(byte) => quote = None,
            b'"' | b'\'' if quote.is_none() => {
                quote = Some(byte);
                word.get_or_insert_default();
            }
            b' ' | b'\t'..=b'\r' if quote.is_none() => words.extend(word.take()),
            byte => word.get_or_insert_default().push(byte),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}
