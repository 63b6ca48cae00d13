//! Messages on standard error: in colours, and with the text that would mend a line, where people read them.

use std::io::IsTerminal;

use pumice_compiler::Outcome;

use super::Failure;

const BOLD: &str = "\x1b[1m";
const GREEN: &str = "\x1b[1;32m";
const PLAIN: &str = "\x1b[0m";

/// The severities of messages with their colours, which are clang's.
const SEVERITIES: &[(&str, &str)] = &[
    ("fatal error: ", "\x1b[1;31m"),
    ("error: ", "\x1b[1;31m"),
    ("warning: ", "\x1b[1;35m"),
    ("remark: ", "\x1b[1;34m"),
    ("note: ", "\x1b[1;36m"),
];

/// Prints messages.
#[derive(Clone, Copy, Debug)]
pub struct Messages {
    colours: bool,
}

impl Messages {
    /// Printing in colours if it is asked for; where nothing is said, on a terminal whose user has not set
    /// `NO_COLOR`.
    pub fn new(asked: Option<bool>) -> Self {
        let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let able = || {
            let dumb = set("TERM").is_none_or(|kind| kind == "dumb");
            std::io::stderr().is_terminal() && set("NO_COLOR").is_none() && !dumb
        };
        Messages {
            colours: asked.unwrap_or_else(able),
        }
    }

    /// Prints a build log.
    pub fn print(self, log: &str) {
        match self.colours {
            true => eprint!("{}", painted(log)),
            false => eprint!("{log}"),
        }
    }

    /// Prints a stage's messages, and gives its output.
    pub fn finish<T>(self, outcome: Outcome<T>) -> Result<T, Failure> {
        self.print(&outcome.log);
        outcome.output.ok_or(Failure::Program)
    }
}

/// The log in colours, with a line below the caret where a message names the text that it expects.
fn painted(log: &str) -> String {
    let mut text = String::with_capacity(log.len() * 2);
    let mut lines = log.lines().peekable();
    while let Some(line) = lines.next() {
        let Some((place, colour, severity, message)) = header(line) else {
            text += &format!("{line}\n");
            continue;
        };
        text += &format!("{BOLD}{place}{colour}{severity}{PLAIN}");
        text += &match severity {
            "note: " => format!("{message}\n"),
            _ => format!("{BOLD}{message}{PLAIN}\n"),
        };
        let mut ahead = lines.clone();
        let (Some(source), Some(marks)) = (ahead.next(), ahead.next()) else {
            continue;
        };
        let Some(caret) = caret(marks) else { continue };
        lines.next();
        lines.next();
        text += &format!("{source}\n{GREEN}{marks}{PLAIN}\n");
        if let Some(mend) = mend(message, source, caret) {
            text += &format!("{:caret$}{GREEN}{mend}{PLAIN}\n", "");
        }
    }
    text
}

/// The parts of a message's first line: what stands before the severity, its colour, itself, and the rest.
fn header(line: &str) -> Option<(&str, &'static str, &'static str, &str)> {
    let begins = |start: usize| {
        let row = SEVERITIES
            .iter()
            .find(|(word, _)| line[start..].starts_with(word))?;
        Some((&line[..start], row.1, row.0, &line[start + row.0.len()..]))
    };
    if let Some(found) = begins(0) {
        return Some(found);
    }
    // NAME:LINE:COLUMN: or NAME:
    let starts = line.match_indices(": ").map(|(at, _)| at + 2);
    starts.into_iter().find_map(begins)
}

/// The column of the caret, if the line has nothing but one and tildes.
fn caret(marks: &str) -> Option<usize> {
    let only = marks.chars().all(|c| matches!(c, ' ' | '~' | '^'));
    only.then(|| marks.find('^')).flatten()
}

/// The text that mends the line at the caret.
fn mend<'a>(message: &'a str, source: &str, caret: usize) -> Option<&'a str> {
    let named = message.rsplit_once("did you mean ").and_then(|(_, rest)| {
        let rest = rest.strip_prefix("to use ").unwrap_or(rest);
        rest.strip_prefix('\'')?.strip_suffix("'?")
    });
    let missing = || {
        let name = message.strip_prefix("expected '")?.split('\'').next()?;
        // It goes where the caret is, unless that shows what stands there instead.
        let there = source
            .chars()
            .nth(caret)
            .is_some_and(|c| !c.is_whitespace());
        (!there).then_some(name)
    };
    named.or_else(missing)
}

#[cfg(test)]
mod tests {
    use super::{GREEN, PLAIN, painted};

    #[test]
    fn a_message_is_in_colours_with_what_mends_the_line() {
        let log = "a.cl:1:3: error: unknown type name 'imt'; did you mean 'int'?\n  imt error: x;\n  ^~~\n\
                   a.cl:2:8: error: expected ';' after expression\n  x = 1\n       ^\n1 error generated.\n";
        let expected = format!(
            "\x1b[1ma.cl:1:3: \x1b[1;31merror: {PLAIN}\x1b[1munknown type name 'imt'; did you mean 'int'?{PLAIN}\n  \
             imt error: x;\n{GREEN}  ^~~{PLAIN}\n  {GREEN}int{PLAIN}\n\
             \x1b[1ma.cl:2:8: \x1b[1;31merror: {PLAIN}\x1b[1mexpected ';' after expression{PLAIN}\n  \
             x = 1\n{GREEN}       ^{PLAIN}\n       {GREEN};{PLAIN}\n1 error generated.\n"
        );
        assert_eq!(painted(log), expected);
    }

    /// Messages without a place, and what stands at the caret instead of what is expected.
    #[test]
    fn other_lines_stay() {
        let log =
            "note: no place\nIn file included from a.cl:1:\na.cl:1:1: warning: w [-Wformat]\n";
        let plain = painted(log).replace("\x1b[1m", "").replace(PLAIN, "");
        assert!(plain.contains("In file included from a.cl:1:\n"), "{plain}");
        assert!(plain.starts_with("\x1b[1;36mnote: no place\n"), "{plain}");
        assert!(
            plain.ends_with("a.cl:1:1: \x1b[1;35mwarning: w [-Wformat]\n"),
            "{plain}"
        );
        let instead = painted("a:1:1: error: expected ')'\nx\n^\n");
        assert!(
            instead.ends_with(&format!("{GREEN}^{PLAIN}\n")),
            "{instead}"
        );
    }
}
