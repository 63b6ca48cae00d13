//! The text of the build log.
//!
//! Layout: chain of inclusions, `name:line:column: severity: message`, the source line, a line
//! with the caret and tildes; then the same for each macro on the way to the token; at the end
//! the counts. Tabs become spaces, bytes that are not printable become `<XX>` or `<U+XXXX>`.

use std::fmt::Write;

use super::{Diagnostics, Loc, Record, Severity, SourceMap, Span, TokenLength};

const TAB_STOP: usize = 8;

/// Columns of a source line that are shown at most.
const WINDOW: usize = 160;

/// Bytes on each side of the caret that a line's window is cut from: four for each character.
const NEARBY: usize = 2048;

/// Characters of a message or of a name in it at most: the program may make them of any length.
const LONGEST_TEXT: usize = 1000;

/// Macro levels that are shown at most; the middle of a longer chain is left out.
const MACRO_LEVELS: usize = 6;

/// Inclusions that are shown at most.
const INCLUDE_LEVELS: usize = 8;

pub(super) fn render(diagnostics: &Diagnostics, token_length: TokenLength) -> String {
    let state = diagnostics.state.borrow();
    let mut out = Out {
        sources: &diagnostics.sources,
        token_length,
        text: String::new(),
        last_include: Loc::NONE,
    };
    for record in in_source_order(&diagnostics.sources, &state.records) {
        out.record(record);
    }
    let mut text = out.text;
    let count = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    let parts: Vec<String> = [(state.warnings, "warning"), (state.errors, "error")]
        .iter()
        .filter(|(n, _)| *n > 0)
        .map(|(n, what)| count(*n, what))
        .collect();
    if !parts.is_empty() {
        let _ = writeln!(text, "{} generated.", parts.join(" and "));
    }
    text
}

/// The stages report one after the other; people read a file from top to bottom. Notes stay
/// with what they explain, and what has no place stays behind what came before it.
fn in_source_order<'a>(sources: &SourceMap, records: &'a [Record]) -> Vec<&'a Record> {
    let mut keyed: Vec<(Vec<usize>, &Record)> = Vec::with_capacity(records.len());
    let mut key = Vec::new();
    for record in records {
        if record.severity == Severity::Fatal {
            // Nothing is said behind it.
            key = vec![usize::MAX];
        } else if record.severity != Severity::Note {
            if let Some(place) = place_key(sources, record.span.lo) {
                key = place;
            }
        }
        keyed.push((key.clone(), record));
    }
    keyed.sort_by(|a, b| a.0.cmp(&b.0));
    keyed.into_iter().map(|(_, record)| record).collect()
}

/// Offsets of the inclusions that lead to a place, outermost first, and its own.
fn place_key(sources: &SourceMap, loc: Loc) -> Option<Vec<usize>> {
    let (mut file, offset) = sources.file_offset(sources.expansion(loc))?;
    let mut key = vec![offset];
    while let Some((outer, at)) = sources.file_offset(sources.included_at(file)) {
        key.push(at);
        file = outer;
    }
    key.reverse();
    Some(key)
}

struct Out<'a> {
    sources: &'a SourceMap,
    token_length: TokenLength,
    text: String,
    /// The `#include` chain shown last.
    last_include: Loc,
}

impl Out<'_> {
    fn record(&mut self, record: &Record) {
        let severity = match record.severity {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
            Severity::Fatal => "fatal error",
        };
        let mut message = printable(brief(&record.message).as_bytes()).0;
        if let Some((warning, is_error)) = record.warning {
            let name = warning.name();
            message.push_str(&match (is_error, name) {
                (false, "") => String::new(),
                (true, "") => " [-Werror]".to_string(),
                (false, name) => format!(" [-W{name}]"),
                (true, name) => format!(" [-Werror,-W{name}]"),
            });
        }
        self.include_chain(record.span.lo);
        let first = record.span.lo;
        self.place(
            outermost(self.sources, record.span),
            severity,
            &message,
            &record
                .highlights
                .iter()
                .map(|s| outermost(self.sources, *s))
                .collect::<Vec<_>>(),
        );
        self.macro_chain(first);
    }

    /// `In file included from …` lines, when they differ from those shown before.
    fn include_chain(&mut self, loc: Loc) {
        let Some((file, _)) = self.sources.file_offset(loc) else {
            return;
        };
        let mut at = self.sources.included_at(file);
        if at == self.last_include {
            return;
        }
        self.last_include = at;
        let mut chain = Vec::new();
        while let (Some(position), Some((file, _))) =
            (self.sources.position(at), self.sources.file_offset(at))
        {
            chain.push(position);
            at = self.sources.included_at(file);
        }
        let skipped = chain.len().saturating_sub(INCLUDE_LEVELS);
        for (i, position) in chain.iter().rev().enumerate() {
            if skipped > 0 && i == INCLUDE_LEVELS / 2 {
                let _ = writeln!(self.text, "({skipped} inclusions omitted)");
            }
            if skipped > 0 && (INCLUDE_LEVELS / 2..INCLUDE_LEVELS / 2 + skipped).contains(&i) {
                continue;
            }
            let _ = writeln!(
                self.text,
                "In file included from {}:{}:",
                brief(&position.name),
                position.line
            );
        }
    }

    /// Notes for the macros whose expansion made the token, from the outermost in.
    fn macro_chain(&mut self, loc: Loc) {
        let sources = self.sources;
        let mut levels = Vec::new();
        let mut at = loc;
        while let Some((body, name, call)) = sources.expansion_step(at) {
            levels.push((sources.spelling(body), name));
            at = call;
        }
        levels.reverse();
        let skipped = levels.len().saturating_sub(MACRO_LEVELS);
        let head = MACRO_LEVELS / 2;
        for (i, (body, name)) in levels.iter().enumerate() {
            if skipped > 0 && i == head {
                let _ = writeln!(
                    self.text,
                    "note: (skipping {skipped} expansions in backtrace)"
                );
            }
            if i >= head && i < head + skipped {
                continue;
            }
            let message = format!("expanded from macro '{}'", brief(name));
            self.place(Span::at(*body), "note", &message, &[]);
        }
    }

    fn place(&mut self, span: Span, severity: &str, message: &str, highlights: &[Span]) {
        let at = (
            self.sources.position(span.lo),
            self.sources.file_offset(span.lo),
        );
        let (Some(position), Some((file, offset))) = at else {
            let _ = writeln!(self.text, "{severity}: {message}");
            return;
        };
        let _ = writeln!(
            self.text,
            "{}:{}:{}: {severity}: {message}",
            printable(brief(&position.name).as_bytes()).0,
            position.line,
            position.column
        );
        let (line, start) = self.sources.line_text(file, offset);
        let (line, start) = around(line, start, offset);
        let (shown, columns) = printable(line);
        let mut marks = vec![b' '; *columns.last().unwrap_or(&0) + 1];
        let column = |o: usize| columns[(o.saturating_sub(start)).min(line.len())];
        for range in highlights.iter().chain(std::iter::once(&span)) {
            // A range that begins on another line is cut to this one.
            let (Some((f, from)), Some((g, last))) = (
                self.sources.file_offset(range.lo),
                self.sources.file_offset(range.hi),
            ) else {
                continue;
            };
            if f != file || g != file || from > start + line.len() || last < start {
                continue;
            }
            let text = self.sources.text(file);
            let end = (last + (self.token_length)(&text[last..])).min(start + line.len());
            let (from, end) = (column(from.max(start)), column(end));
            if from < end {
                marks[from..end].fill(b'~');
            }
        }
        let caret = column(offset);
        marks[caret] = b'^';
        let marks = String::from_utf8(marks).unwrap_or_default();
        let (shown, marks) = window(&shown, &marks, caret);
        let _ = writeln!(self.text, "{shown}\n{}", marks.trim_end());
    }
}

/// The span as a reader of the file sees it.
fn outermost(sources: &SourceMap, span: Span) -> Span {
    Span {
        lo: sources.expansion(span.lo),
        hi: sources.expansion(span.hi),
    }
}

/// The part of a very long line that [`window`] cuts its part from, and where it begins.
fn around(line: &[u8], start: usize, offset: usize) -> (&[u8], usize) {
    let from = offset.saturating_sub(start).saturating_sub(NEARBY);
    let to = line.len().min(from + 2 * NEARBY);
    (&line[from.min(to)..to], start + from.min(to))
}

/// The beginning of a text that may be as long as the program makes it.
fn brief(text: &str) -> &str {
    let end = text.char_indices().nth(LONGEST_TEXT);
    end.map_or(text, |(end, _)| &text[..end])
}

/// Cuts very long lines to the part around the caret.
fn window(shown: &str, marks: &str, caret: usize) -> (String, String) {
    let length = shown.chars().count();
    if length <= WINDOW {
        return (shown.to_string(), marks.to_string());
    }
    let from = caret.saturating_sub(WINDOW / 2);
    let to = (from + WINDOW).min(length);
    let cut = |text: &str| -> String { text.chars().skip(from).take(to - from).collect() };
    let (mut line, mut under) = (cut(shown), cut(marks));
    if from > 0 {
        line.insert_str(0, "...");
        under.insert_str(0, "   ");
    }
    if to < length {
        line.push_str("...");
    }
    (line, under)
}

/// A line as it is shown, and for each byte (and the end) the column where it begins.
fn printable(line: &[u8]) -> (String, Vec<usize>) {
    let mut shown = String::with_capacity(line.len());
    let mut columns = Vec::with_capacity(line.len() + 1);
    let mut column = 0;
    for chunk in line.utf8_chunks() {
        for c in chunk.valid().chars() {
            columns.resize(columns.len() + c.len_utf8(), column);
            let before = shown.len();
            match c {
                '\t' => {
                    let width = TAB_STOP - column % TAB_STOP;
                    shown.extend(std::iter::repeat_n(' ', width));
                    column += width;
                }
                c if c.is_control() => {
                    let _ = write!(shown, "<U+{:04X}>", c as u32);
                    column += shown.len() - before;
                }
                c => {
                    shown.push(c);
                    column += 1;
                }
            }
        }
        for byte in chunk.invalid() {
            columns.push(column);
            let _ = write!(shown, "<{byte:02X}>");
            column += 4;
        }
    }
    columns.push(column);
    (shown, columns)
}

#[cfg(test)]
mod tests {
    use crate::diagnostics::{Diagnostics, Loc, Span, Warning, WarningOptions};

    /// Tokens are words here.
    fn word_length(text: &[u8]) -> usize {
        let word = |byte: &&u8| byte.is_ascii_alphanumeric();
        text.iter().take_while(word).count().max(1)
    }

    fn with_text(text: &[u8]) -> Diagnostics {
        let mut diagnostics = Diagnostics::new();
        diagnostics
            .sources
            .add_file("a.cl".into(), text.into(), Loc::NONE)
            .expect("small");
        diagnostics
    }

    #[test]
    fn caret_under_tab_and_bytes_that_are_not_utf8() {
        let d = with_text(b"x\n\ta \xff bad here\n");
        let file = d.sources.file_offset(Loc::NONE.offset(1)).expect("file").0;
        let span = Span::at(d.sources.loc(file, 7)).to(Span::at(d.sources.loc(file, 11)));
        d.error(span, "wrong").note(Loc::NONE, "no place");
        assert_eq!(
            d.render(word_length),
            "a.cl:2:6: error: wrong\n        a <FF> bad here\n               ^~~~~~~~\n\
             note: no place\n1 error generated.\n"
        );
    }

    #[test]
    fn limits_and_switches() {
        let mut d = with_text(b"x");
        d.no_warnings = true;
        d.warning(Warning::Unnamed, Loc::NONE, "never seen")
            .note(Loc::NONE, "nor this");
        assert_eq!(d.render(word_length), "");
        d.no_warnings = false;
        d.warning_options = WarningOptions::new(["error"].into_iter());
        for _ in 0..30 {
            d.warning(Warning::Format, Loc::NONE, "w");
        }
        assert!(d.should_stop());
        assert_eq!(d.error_count(), 20);
        assert!(d.render(word_length).ends_with(
            "error: w [-Werror,-Wformat]\nfatal error: too many errors emitted, stopping now\n20 errors generated.\n"
        ));
    }

    #[test]
    fn long_lines_are_cut_around_the_caret() {
        let d = with_text(&[b'a'; 5000]);
        let at = Loc::NONE.offset(2501);
        d.error(at, "m");
        let log = d.render(word_length);
        let lines: Vec<&str> = log.lines().collect();
        assert!(lines[1].len() < 200);
        assert_eq!(
            lines[1].as_bytes()[lines[2].find('^').expect("caret")],
            b'a'
        );
    }
}
