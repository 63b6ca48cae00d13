//! The record: how each sub-test of OpenCL-CTS and each application last ended on each driver, and when it last passed.
//!
//! A file of `record/` is one driver's. After the line `driver: NAME VERSION` come lines of six words with tabs
//! between: suite, sub-test, flags or `-`, status, date, and the date of the last pass or `-`. Dates are of the run
//! in UTC, `YYYY-MM-DD`. docs/conformance-record.md is made from the files.

use crate::facts;
use crate::result::{Run, Status};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The key of a run's date among its facts.
pub const DATE: &str = "date";
/// The key of what its processes had set that changes what is tested, for example `PUMICE_CHECK=all`.
pub const SETTINGS: &str = "settings";

/// Variables of the environment that change what a sub-test tests.
const CHANGING: [&str; 4] = ["OPENCL_LAYERS", "PUMICE_ABI", "PUMICE_CHECK", "PUMICE_MASK"];

/// A sub-test, or an application of the suite `apps`, with the flags that it ran with.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Name {
    suite: String,
    test: String,
    flags: String,
}

/// The last end of a sub-test.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Last {
    status: Status,
    date: String,
    passed: Option<String>,
}

/// The record of one driver.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// The Vulkan driver's name and version; for others the platform's and the driver's.
    pub driver: String,
    rows: BTreeMap<Name, Last>,
}

/// Facts that a run of now has for the record.
pub fn facts_of_now() -> BTreeMap<String, String> {
    let mut facts = BTreeMap::new();
    let today = std::process::Command::new("date")
        .args(["-u", "+%F"])
        .output();
    if let Ok(today) = today {
        let today = String::from_utf8_lossy(&today.stdout).trim().to_string();
        facts.insert(DATE.to_string(), today);
    }
    let set: Vec<String> = (CHANGING.iter())
        .filter_map(|name| Some(format!("{name}={}", std::env::var(name).ok()?)))
        .collect();
    if !set.is_empty() {
        facts.insert(SETTINGS.to_string(), set.join(" "));
    }
    facts
}

/// The folder of the repository's record.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("record")
}

/// The repository's page of the record.
pub fn page_path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/conformance-record.md")
}

impl Record {
    /// The record of a driver that has none yet.
    pub fn new(driver: String) -> Record {
        Record {
            driver,
            ..Record::default()
        }
    }

    /// The driver of a run.
    ///
    /// # Errors
    /// The run says nothing about its driver.
    pub fn driver_of(run: &Run) -> Result<String, String> {
        let fact = |key: &str| run.facts.get(key).filter(|text| !text.is_empty());
        if let Some(driver) = fact(facts::VULKAN_DRIVER) {
            return Ok(driver.clone());
        }
        let platform = fact(facts::PLATFORM).ok_or("the result does not name its driver")?;
        let version = fact("driver version").map_or("", String::as_str);
        Ok(format!("{platform} {version}").trim().to_string())
    }

    /// The file of a driver below [`folder`].
    pub fn file_name(driver: &str) -> String {
        let mut name = String::new();
        for c in driver.chars() {
            match c {
                'a'..='z' | '0'..='9' | '.' => name.push(c),
                'A'..='Z' => name.push(c.to_ascii_lowercase()),
                _ if name.is_empty() || name.ends_with('-') => {}
                _ => name.push('-'),
            }
        }
        format!("{}.txt", name.trim_end_matches('-'))
    }

    /// Reads a file.
    ///
    /// # Errors
    /// A line that says nothing known, with its number.
    pub fn parse(name: &str, text: &str) -> Result<Record, String> {
        let mut record = Record::default();
        for (index, line) in text.lines().enumerate() {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if let Some(driver) = line.strip_prefix("driver: ") {
                record.driver = driver.to_string();
                continue;
            }
            let words: Vec<&str> = line.split('\t').collect();
            let row = match words[..] {
                [suite, test, flags, status, date, passed] => {
                    Status::from_word(status).map(|status| {
                        let name = Name {
                            suite: suite.to_string(),
                            test: test.to_string(),
                            flags: if flags == "-" { "" } else { flags }.to_string(),
                        };
                        let last = Last {
                            status,
                            date: date.to_string(),
                            passed: (passed != "-").then(|| passed.to_string()),
                        };
                        (name, last)
                    })
                }
                _ => None,
            };
            let (row, last) = row.ok_or_else(|| format!("{name}:{}: {line:?}?", index + 1))?;
            record.rows.insert(row, last);
        }
        Ok(record)
    }

    /// The file's text.
    pub fn text(&self) -> String {
        let mut text = format!(
            "# What each sub-test last did on this driver; `pumice-cts record` writes this file.\n\
             # Suite, sub-test, flags, status, date, date of the last pass.\ndriver: {}\n",
            self.driver
        );
        for (name, last) in &self.rows {
            let dash = |text: &str| if text.is_empty() { "-" } else { text }.to_string();
            let _ = writeln!(
                text,
                "{}\t{}\t{}\t{}\t{}\t{}",
                name.suite,
                name.test,
                dash(&name.flags),
                last.status.word(),
                last.date,
                last.passed.as_deref().unwrap_or("-")
            );
        }
        text
    }

    /// Takes in the results of a run of this driver. A result older than the record's is passed over.
    ///
    /// # Errors
    /// The run has no date.
    pub fn note(&mut self, run: &Run) -> Result<(), String> {
        let date = run.facts.get(DATE).ok_or("the result has no date")?;
        let mut flags: BTreeSet<&str> = BTreeSet::new();
        for key in ["arguments", SETTINGS] {
            flags.extend((run.facts.get(key).map(String::as_str).unwrap_or_default()).split(' '));
        }
        if run.facts.get("tier").is_some_and(|tier| tier == "wimpy") {
            flags.insert("-w");
        }
        flags.remove("");
        let flags = flags.into_iter().collect::<Vec<_>>().join(" ");
        for outcome in &run.outcomes {
            let name = Name {
                suite: outcome.suite.clone(),
                test: outcome.test.clone(),
                flags: flags.clone(),
            };
            let before = self.rows.get(&name);
            if before.is_some_and(|last| last.date > *date) {
                continue;
            }
            let passed = match outcome.status {
                Status::Pass => Some(date.clone()),
                _ => before.and_then(|last| last.passed.clone()),
            };
            let last = Last {
                status: outcome.status,
                date: date.clone(),
                passed,
            };
            self.rows.insert(name, last);
        }
        Ok(())
    }
}

/// Reads the record of all drivers, in the order of their names.
///
/// # Errors
/// A file that cannot be read.
pub fn read_all(folder: &Path) -> Result<Vec<Record>, String> {
    let said = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut records = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(said)? {
        let path = entry.map_err(said)?.path();
        let text = std::fs::read_to_string(&path)
            .map_err(|error| format!("{}: {error}", path.display()))?;
        records.push(Record::parse(&path.display().to_string(), &text)?);
    }
    records.sort_by(|a, b| a.driver.cmp(&b.driver));
    Ok(records)
}

/// The sub-tests of a suite by what the cells of their rows say.
type Rows<'a> = BTreeMap<Vec<String>, Vec<&'a str>>;

/// The text of a cell: the date of a pass, or how the sub-test ended and when it last passed.
fn cell(last: Option<&Last>) -> String {
    match last {
        None => String::new(),
        Some(last) if last.status == Status::Pass => last.date.clone(),
        Some(last) => match &last.passed {
            Some(passed) => format!("{} {}, passed {passed}", last.status.word(), last.date),
            None => format!("{} {}", last.status.word(), last.date),
        },
    }
}

/// The page: a table for each suite, with a column for each driver. Sub-tests that did the same everywhere share
/// a row.
pub fn page(records: &[Record]) -> String {
    let mut page = String::from(
        "# Conformance by sub-test\n\nA date is that of the newest run, in which the sub-test passed; other results are named, with the\n\
         date of the last pass. `-w` is the CTS's shorter form. An empty cell has not been recorded. `pumice-cts record`\n\
         makes this page from `cts-harness/record`; [conformance.md](conformance.md) says what the results mean.\n\n\
         | driver | pass | fail | crash | timeout | skip |\n|---|---|---|---|---|---|\n",
    );
    for record in records {
        let _ = write!(page, "| {} |", record.driver);
        for status in Status::ALL {
            let count = (record.rows.values())
                .filter(|last| last.status == status)
                .count();
            let _ = write!(page, " {count} |");
        }
        page.push('\n');
    }
    let names: BTreeSet<&Name> = records.iter().flat_map(|r| r.rows.keys()).collect();
    let mut suites: BTreeMap<(&str, &str), Rows> = BTreeMap::new();
    for name in names {
        let cells = records
            .iter()
            .map(|record| cell(record.rows.get(name)))
            .collect();
        let suite = suites.entry((&name.suite, &name.flags)).or_default();
        suite.entry(cells).or_default().push(&name.test);
    }
    for ((suite, flags), rows) in suites {
        let flags = if flags.is_empty() {
            String::new()
        } else {
            format!(" `{flags}`")
        };
        let _ = write!(page, "\n## {suite}{flags}\n\n| sub-tests |");
        for record in records {
            let _ = write!(page, " {} |", record.driver);
        }
        page.push_str("\n|---|");
        page.push_str(&"---|".repeat(records.len()));
        page.push('\n');
        let mut rows: Vec<(Vec<String>, Vec<&str>)> = rows.into_iter().collect();
        rows.sort_by(|(_, a), (_, b)| a.cmp(b));
        for (cells, tests) in rows {
            let _ = write!(page, "| {}", tests.join(", "));
            if tests.len() > 1 {
                let _ = write!(page, " ({})", tests.len());
            }
            let _ = writeln!(page, " | {} |", cells.join(" | "));
        }
    }
    page
}

#[cfg(test)]
mod tests {
    use super::{DATE, Record, SETTINGS, page};
    use crate::result::{Outcome, Run, Status};

    fn run(date: &str, statuses: &[(&str, Status)]) -> Run {
        let outcomes = statuses.iter().map(|&(test, status)| Outcome {
            suite: "basic".to_string(),
            test: test.to_string(),
            status,
            seconds: 1.0,
            processor_seconds: None,
            log: String::new(),
        });
        Run {
            facts: [(DATE.to_string(), date.to_string())].into(),
            left_out: Vec::new(),
            outcomes: outcomes.collect(),
        }
    }

    #[test]
    fn a_failure_keeps_the_date_of_the_last_pass() {
        let mut record = Record::default();
        record
            .note(&run("2026-01-02", &[("if", Status::Pass)]))
            .unwrap();
        record
            .note(&run("2026-01-03", &[("if", Status::Fail)]))
            .unwrap();
        // An older result that is noted late changes nothing.
        record
            .note(&run("2026-01-01", &[("if", Status::Pass)]))
            .unwrap();
        assert!(
            page(&[record.clone()]).contains("| if | fail 2026-01-03, passed 2026-01-02 |"),
            "{}",
            page(&[record])
        );
    }

    #[test]
    fn files_round_trip() {
        let mut record = Record::new("llvmpipe Mesa 25.0.7 (LLVM 15.0.6)".to_string());
        let mut wimpy = run("2026-01-02", &[("if", Status::Skip)]);
        wimpy.facts.insert("tier".to_string(), "wimpy".to_string());
        wimpy
            .facts
            .insert(SETTINGS.to_string(), "PUMICE_CHECK=all".to_string());
        record.note(&wimpy).unwrap();
        record
            .note(&run("2026-01-02", &[("if", Status::Pass)]))
            .unwrap();
        let text = record.text();
        assert!(text.contains("basic\tif\t-w PUMICE_CHECK=all\tskip\t2026-01-02\t-\n"));
        assert_eq!(Record::parse("x", &text), Ok(record));
        assert!(Record::parse("x", "basic\tif\n").is_err());
    }

    #[test]
    fn equal_rows_are_joined() {
        let mut record = Record::default();
        let statuses = [
            ("if", Status::Pass),
            ("loop", Status::Pass),
            ("vloadstore", Status::Skip),
        ];
        record.note(&run("2026-01-02", &statuses)).unwrap();
        let page = page(&[record]);
        assert!(page.contains("| if, loop (2) | 2026-01-02 |\n"), "{page}");
        assert!(
            page.contains("| vloadstore | skip 2026-01-02 |\n"),
            "{page}"
        );
    }

    #[test]
    fn the_page_is_of_the_record() {
        let made = page(&super::read_all(&super::folder()).unwrap());
        let written = std::fs::read_to_string(super::page_path()).unwrap();
        assert!(made == written, "run `pumice-cts record`");
    }

    #[test]
    fn drivers_have_files() {
        assert_eq!(
            Record::file_name("llvmpipe Mesa 25.0.7 (LLVM 15.0.6)"),
            "llvmpipe-mesa-25.0.7-llvm-15.0.6.txt"
        );
    }
}
