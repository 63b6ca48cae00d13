//! The words of a string of build options.

/// Words between white space. Quotes keep white space together; a backslash makes the quote,
/// backslash or space behind it an ordinary character. `None` if a quote is not closed.
pub(crate) fn split(text: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = text.trim_end_matches('\0').chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' if chars
                .peek()
                .is_some_and(|n| matches!(n, '"' | '\'' | '\\' | ' ')) =>
            {
                word.get_or_insert_default().extend(chars.next());
            }
            '"' | '\'' if quote == Some(c) => quote = None,
            '"' | '\'' if quote.is_none() => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            c if c.is_whitespace() && quote.is_none() => words.extend(word.take()),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}
