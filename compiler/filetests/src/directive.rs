//! Directives: comment lines `// key: value` and `; key: value`.

/// One directive of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Directive<'a> {
    /// Line number, from 1.
    pub line: usize,
    /// The text before the colon.
    pub key: &'a str,
    /// The text behind the colon, trimmed.
    pub value: &'a str,
}

/// Every comment line of the form of a directive. Prose may have that form too, so callers pass
/// over keys that they do not know.
pub fn directives(text: &str) -> impl Iterator<Item = Directive<'_>> {
    text.lines().enumerate().filter_map(|(index, line)| {
        let line_text = line.trim_start();
        let body = line_text
            .strip_prefix("// ")
            .or_else(|| line_text.strip_prefix("; "))?;
        let (key, value) = body.split_once(':')?;
        Some(Directive {
            line: index + 1,
            key,
            value: value.trim(),
        })
    })
}

/// The value of the first directive with that key.
pub fn value<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    directives(text)
        .find(|directive| directive.key == key)
        .map(|directive| directive.value)
}

/// Tells whether a comment line consists of `flag` alone.
pub fn has_flag(text: &str, flag: &str) -> bool {
    text.lines().any(|line| {
        let body = line.strip_prefix("// ").or_else(|| line.strip_prefix("; "));
        body.is_some_and(|body| body.trim() == flag)
    })
}

#[cfg(test)]
mod tests {
    use super::{Directive, directives, has_flag, value};

    #[test]
    fn both_comment_forms_are_read() {
        let text = "// options: -w\n; kernel: k\n  // arg: int 1\nint a; // no: directive\n; no pipeline\n";
        let found: Vec<Directive<'_>> = directives(text).collect();
        let keys: Vec<(usize, &str, &str)> =
            found.iter().map(|d| (d.line, d.key, d.value)).collect();
        assert_eq!(
            keys,
            [
                (1, "options", "-w"),
                (2, "kernel", "k"),
                (3, "arg", "int 1")
            ]
        );
        assert_eq!(value(text, "kernel"), Some("k"));
        assert!(has_flag(text, "no pipeline") && !has_flag(text, "snapshot"));
    }
}
