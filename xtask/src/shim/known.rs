//! Judgement of clients that run where nothing executes.

use super::list::ClientList;
use super::work::Work;
use crate::sh::{self, Finished, Result};
use std::path::PathBuf;

/// Checks of clients that fail where nothing executes: for each client the beginnings of lines, with `#`
/// for numbers and `*` for anything.
pub struct KnownFailures(ClientList);

impl KnownFailures {
    /// Reads `tests/clients/nothing_executes.txt`.
    pub fn read() -> Result<Self> {
        ClientList::read("nothing_executes.txt").map(Self)
    }

    /// Judges a client's end: it passed, or it printed only lines of the list.
    pub fn judge(&mut self, client: &str, done: &Finished) -> Result {
        if done.ok {
            return done.verdict();
        }
        let mut unknown = Vec::new();
        let mut known = 0;
        let told = |line: &&str| line.starts_with("FAIL ");
        for line in (done.stderr.lines()).chain(done.stdout.lines().filter(told)) {
            let line = without_numbers(line);
            if is_chatter(&line) {
                continue;
            }
            match self.0.meets(client, |start| begins(&line, start)) {
                true => known += 1,
                false => unknown.push(line),
            }
        }
        unknown.sort();
        unknown.dedup();
        if done.status == "exit status: 1" && known > 0 && unknown.is_empty() {
            return Ok(());
        }
        unknown.truncate(20);
        Err(format!("{}\n{}", done.status, unknown.join("\n")))
    }

    /// Lines of the list that no driver gave.
    pub fn stale(&self) -> Vec<String> {
        self.0.stale()
    }
}

/// Tells whether a line begins like a pattern, in which `*` stands for anything.
fn begins(line: &str, pattern: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = line.strip_prefix(first) else {
        return false;
    };
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    true
}

/// Lines that say nothing of a result: the driver's log, a client's own report, warnings of Mesa and the shim.
fn is_chatter(line: &str) -> bool {
    let starts = [
        "pumice: ",
        "WARNING: ",
        "Validation Layer Info",
        "device: ",
        "DRM_SHIM: unhandled",
        "MESA: warning: ",
        "MESA-INTEL: warning: ",
    ];
    line.is_empty() || starts.iter().any(|start| line.starts_with(start))
}

/// A line with `#` for each number, but for those that begin with 0x (statuses), and without the folder
/// and the line number of a source.
fn without_numbers(line: &str) -> String {
    let line = match line.rfind("tests/clients/") {
        Some(at) => &line[at + "tests/clients/".len()..],
        None => line,
    };
    let mut out = String::new();
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        let inside_word = out.ends_with(|last: char| last.is_ascii_alphanumeric() || last == '_');
        if !c.is_ascii_digit() || inside_word {
            out.push(c);
            continue;
        }
        if c == '0' && chars.peek() == Some(&'x') {
            out.push(c);
            out.extend(std::iter::from_fn(|| {
                chars.next_if(char::is_ascii_alphanumeric)
            }));
            continue;
        }
        while chars
            .next_if(|c| c.is_ascii_alphanumeric() || *c == '.')
            .is_some()
        {}
        if out.ends_with('-') {
            out.pop();
        }
        out.push('#');
    }
    out.replace(":#:", ":")
}

/// Objects that may be left when a process ends: of the device, which is never closed, of its transfers, for which it keeps
/// up to 32 buffers, and of a queue that was released just now. A leak in a client's loop leaves more.
const LEFT: &[(&str, u32)] = &[
    (" VkFence", 32),
    (" VkQueryPool", 8),
    (" VkBuffer", 48),
    (" VkCommandBuffer", 32),
    (" VkDeviceMemory", 8),
];

/// Files that the layers write.
pub struct Files {
    /// Objects that processes left behind, by the layer `completion`.
    pub leaks: PathBuf,
    /// The calls that processes made, by the layer `count`.
    pub calls: PathBuf,
    /// The Vulkan commands that processes recorded, by the layer `commands`.
    pub commands: PathBuf,
}

impl Files {
    /// Removes the files of an earlier client.
    pub fn forget(&self) {
        sh::remove(&self.leaks);
        sh::remove(&self.calls);
        sh::remove(&self.commands);
    }

    /// Judges what processes left behind.
    pub fn leaks(&self) -> Result {
        let text = std::fs::read_to_string(&self.leaks).unwrap_or_default();
        let much = |line: &&str| {
            let Some(text) = line.strip_suffix(" at the end") else {
                return true;
            };
            let limit = LEFT.iter().find(|(kind, _)| text.ends_with(kind));
            let count = text.split(' ').next().and_then(|count| count.parse().ok());
            limit.is_some_and(|&(_, limit)| count.is_none_or(|count: u32| count > limit))
        };
        let lines: Vec<&str> = text.lines().filter(much).collect();
        match lines.is_empty() {
            true => Ok(()),
            false => Err(lines.join("\n")),
        }
    }

    /// The work of the client that ran last.
    pub fn work(&self) -> Work {
        let read = |file| std::fs::read_to_string(file).unwrap_or_default();
        Work::read(&read(&self.calls), &read(&self.commands))
    }
}

#[cfg(test)]
mod tests {
    use super::{begins, without_numbers};

    #[test]
    fn patterns_begin_lines() {
        assert!(begins("a: byte # is #, not #", "a: byte # is"));
        assert!(begins(
            "x / y ULP at #; the limit is #",
            "* ULP at *; the limit"
        ));
        assert!(!begins("x / y", "* ULP"));
        assert!(!begins("b: 1", "a: *"));
    }

    #[test]
    fn numbers_and_places_are_left_out() {
        let cases = [
            (
                "events.c:89: got is -1, not 2 (2)",
                "events.c: got is #, not # (#)",
            ),
            ("  first at 1: 0f, not 07", "  first at #: #, not #"),
            ("a32 is 0x100, 1.5e+07", "a32 is 0x100, #+#"),
        ];
        for (line, expected) in cases {
            assert_eq!(without_numbers(line), expected);
        }
    }
}
