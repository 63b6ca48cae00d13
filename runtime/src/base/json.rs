//! JSON as text, for the trace and the report.

use std::fmt::Display;

/// A JSON string.
pub fn quoted(text: &str) -> String {
    let mut json = String::with_capacity(text.len() + 2);
    json.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => json.extend(['\\', c]),
            c if c < ' ' => json.push_str(&format!("\\u{:04x}", c as u32)),
            c => json.push(c),
        }
    }
    json.push('"');
    json
}

/// A JSON array of values that are JSON already.
pub fn list(values: impl IntoIterator<Item = String>) -> String {
    let values: Vec<String> = values.into_iter().collect();
    format!("[{}]", values.join(","))
}

/// A JSON array of strings.
pub fn texts<T: AsRef<str>>(values: impl IntoIterator<Item = T>) -> String {
    list(values.into_iter().map(|text| quoted(text.as_ref())))
}

/// A JSON object under construction.
#[derive(Debug, Default)]
pub struct Fields(String);

impl Fields {
    /// Adds a number, a truth value or what is JSON already.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Display) -> Self {
        let comma = if self.0.is_empty() { "" } else { "," };
        self.0 += &format!("{comma}{}:{value}", quoted(name));
        self
    }

    /// Adds a string.
    #[must_use]
    pub fn text(self, name: &str, value: &str) -> Self {
        self.with(name, quoted(value))
    }

    /// Adds a string, or null.
    #[must_use]
    pub fn maybe(self, name: &str, value: Option<&str>) -> Self {
        self.with(name, value.map_or("null".to_string(), quoted))
    }

    /// Tells whether nothing was added.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The object.
    pub fn object(self) -> String {
        format!("{{{}}}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::{Fields, list, quoted, texts};

    #[test]
    fn strings_are_json() {
        assert_eq!(quoted("a\"b\\c\n"), "\"a\\\"b\\\\c\\u000a\"");
    }

    #[test]
    fn values_are_joined() {
        let inner = Fields::default().with("n", 1).maybe("t", None).object();
        assert_eq!(inner, "{\"n\":1,\"t\":null}");
        let outer = Fields::default().with("l", list([inner])).text("s", "x");
        assert_eq!(outer.object(), "{\"l\":[{\"n\":1,\"t\":null}],\"s\":\"x\"}");
        assert_eq!(texts(["a", "b"]), "[\"a\",\"b\"]");
    }
}
