//! Expectations: what does not pass on a driver, as data (`expectations/*.txt`).
//!
//! ```text
//! # Why this file is as it is.
//! platform: Pumice
//! driver: llvmpipe Mesa 22.3
//! SUITE TEST STATUS [why]
//! ```
//!
//! `platform` must be in CL_PLATFORM_NAME, `driver` must begin the Vulkan driver's name and
//! version as the device reports them (absent for drivers without Vulkan). SUITE and TEST may
//! hold `*`; STATUS is a word of [`Status`], or several with `|` between them. The first line that
//! matches a sub-test counts; without one it is expected to pass.

use crate::facts;
use crate::result::{Run, Status};
use crate::suite::matches;
use std::collections::BTreeMap;

/// The files of this repository.
const FILES: &[(&str, &str)] = &[
    (
        "lavapipe-22.3",
        include_str!("../expectations/lavapipe-22.3.txt"),
    ),
    (
        "lavapipe-25.0",
        include_str!("../expectations/lavapipe-25.0.txt"),
    ),
    (
        "swiftshader",
        include_str!("../expectations/swiftshader.txt"),
    ),
];

/// A line of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Line {
    suite: String,
    test: String,
    statuses: Vec<Status>,
}

/// A file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expectations {
    /// Name of the file, for messages.
    pub name: String,
    platform: String,
    driver: String,
    lines: Vec<Line>,
}

/// A sub-test that ended otherwise than expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deviation {
    /// Suite.
    pub suite: String,
    /// Sub-test.
    pub test: String,
    /// Expected statuses, in the order of the line's words.
    pub expected: Vec<Status>,
    /// Actual status.
    pub got: Status,
}

impl Expectations {
    /// Reads a file.
    ///
    /// # Errors
    /// A line that says nothing known, with its number.
    pub fn parse(name: &str, text: &str) -> Result<Expectations, String> {
        let mut file = Expectations {
            name: name.to_string(),
            ..Expectations::default()
        };
        for (index, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if let Some(platform) = line.strip_prefix("platform:") {
                file.platform = platform.trim().to_string();
                continue;
            }
            if let Some(driver) = line.strip_prefix("driver:") {
                file.driver = driver.trim().to_string();
                continue;
            }
            let mut words = line.split_whitespace();
            let parsed = (|| {
                let (suite, test, statuses) = (words.next()?, words.next()?, words.next()?);
                let statuses: Option<Vec<Status>> =
                    statuses.split('|').map(Status::from_word).collect();
                Some(Line {
                    suite: suite.to_string(),
                    test: test.to_string(),
                    statuses: statuses?,
                })
            })();
            file.lines
                .push(parsed.ok_or_else(|| format!("{name}:{}: {line:?}?", index + 1))?);
        }
        Ok(file)
    }

    /// The repository's expectations for the driver of a run.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn for_run(run: &Run) -> Result<Option<Expectations>, String> {
        for (name, text) in FILES {
            let file = Expectations::parse(name, text)?;
            if file.is_for(run) {
                return Ok(Some(file));
            }
        }
        Ok(None)
    }

    fn is_for(&self, run: &Run) -> bool {
        let fact = |key: &str| run.facts.get(key).map_or("", String::as_str);
        fact(facts::PLATFORM).contains(&self.platform)
            && fact(facts::VULKAN_DRIVER).starts_with(&self.driver)
    }

    fn expected(&self, suite: &str, test: &str) -> &[Status] {
        (self.lines.iter())
            .find(|line| matches(&line.suite, suite) && matches(&line.test, test))
            .map_or(&[Status::Pass], |line| &line.statuses)
    }

    /// Lists the results that differ from their expectations, better ones too: an expectation that
    /// no longer holds must be corrected.
    pub fn deviations(&self, run: &Run) -> Vec<Deviation> {
        (run.outcomes.iter())
            .filter_map(|outcome| {
                let expected = self.expected(&outcome.suite, &outcome.test);
                (!expected.contains(&outcome.status)).then(|| Deviation {
                    suite: outcome.suite.clone(),
                    test: outcome.test.clone(),
                    expected: expected.to_vec(),
                    got: outcome.status,
                })
            })
            .collect()
    }
}

/// The lines that a run's results would need, whole suites in one line where they agree.
pub fn lines_for(run: &Run) -> String {
    let mut suites: BTreeMap<&str, Vec<(&str, Status)>> = BTreeMap::new();
    for outcome in &run.outcomes {
        suites
            .entry(&outcome.suite)
            .or_default()
            .push((&outcome.test, outcome.status));
    }
    let mut text = String::new();
    for (suite, tests) in suites {
        let first = tests[0].1;
        if first != Status::Pass
            && tests.len() > 1
            && tests.iter().all(|(_, status)| *status == first)
        {
            text.push_str(&format!("{suite} * {}\n", first.word()));
            continue;
        }
        for (test, status) in tests {
            if status != Status::Pass {
                text.push_str(&format!("{suite} {test} {}\n", status.word()));
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{Expectations, FILES, lines_for};
    use crate::facts;
    use crate::result::{Outcome, Run, Status};

    fn run(outcomes: &[(&str, &str, Status)]) -> Run {
        let outcomes = outcomes.iter().map(|&(suite, test, status)| Outcome {
            suite: suite.to_string(),
            test: test.to_string(),
            status,
            seconds: 0.0,
            processor_seconds: None,
            log: String::new(),
        });
        Run {
            facts: [
                (facts::PLATFORM.to_string(), "Pumice".to_string()),
                (facts::VULKAN_DRIVER.to_string(), "any 1.5".to_string()),
            ]
            .into(),
            outcomes: outcomes.collect(),
            ..Run::default()
        }
    }

    #[test]
    fn files_of_the_repository_are_well_formed() {
        for (name, text) in FILES {
            let file = Expectations::parse(name, text).unwrap();
            assert!(!file.driver.is_empty(), "{name}");
        }
    }

    #[test]
    fn better_and_worse_both_deviate() {
        let file = Expectations::parse(
            "t",
            "platform: Pumice\ndriver: any 1\n\nimages/* * skip none yet\na x fail|crash\na y fail\n",
        )
        .unwrap();
        let run = run(&[
            ("a", "x", Status::Crash),
            ("a", "y", Status::Pass),
            ("a", "z", Status::Skip),
            ("images/b", "q", Status::Skip),
        ]);
        assert!(file.is_for(&run));
        let tests: Vec<String> = file.deviations(&run).into_iter().map(|d| d.test).collect();
        assert_eq!(tests, ["y", "z"]);
        assert!(Expectations::parse("t", "a x sometimes").is_err());
    }

    #[test]
    fn lines_of_a_run_make_it_hold() {
        let run = run(&[
            ("a", "x", Status::Fail),
            ("a", "y", Status::Pass),
            ("b", "x", Status::Skip),
            ("b", "y", Status::Skip),
        ]);
        let text = lines_for(&run);
        assert_eq!(text, "a x fail\nb * skip\n");
        let file = Expectations::parse("t", &text).unwrap();
        assert_eq!(file.deviations(&run), []);
    }
}
