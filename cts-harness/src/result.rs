//! Results of a run: the model, its JSON form, and the comparison of two.

use serde_json::{Value, json};
use std::collections::BTreeMap;

/// What became of a sub-test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// It said that it passed.
    Pass,
    /// It said that it failed, or ended with another exit status than its verdict explains.
    Fail,
    /// It says that the device lacks what it needs.
    Skip,
    /// It was killed at the time limit.
    Timeout,
    /// It died by a signal.
    Crash,
}

impl Status {
    /// The word used in files and reports.
    pub fn word(self) -> &'static str {
        match self {
            Status::Pass => "pass",
            Status::Fail => "fail",
            Status::Skip => "skip",
            Status::Timeout => "timeout",
            Status::Crash => "crash",
        }
    }

    /// All, in the order of reports.
    pub const ALL: [Status; 5] = [
        Status::Pass,
        Status::Fail,
        Status::Crash,
        Status::Timeout,
        Status::Skip,
    ];

    fn from_word(word: &str) -> Option<Status> {
        Status::ALL.into_iter().find(|status| status.word() == word)
    }
}

/// One sub-test's result.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Suite name, e.g. `basic`.
    pub suite: String,
    /// Sub-test name.
    pub test: String,
    /// Verdict.
    pub status: Status,
    /// Wall time.
    pub seconds: f64,
    /// The end of its output; empty for passes.
    pub log: String,
}

/// A whole run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Run {
    /// Facts about the device and driver, as key and value.
    pub facts: BTreeMap<String, String>,
    /// Results in the order of suites.
    pub outcomes: Vec<Outcome>,
}

impl Run {
    /// As JSON.
    pub fn to_json(&self) -> String {
        let outcomes: Vec<Value> = self
            .outcomes
            .iter()
            .map(|o| json!({"suite": o.suite, "test": o.test, "status": o.status.word(), "seconds": o.seconds, "log": o.log}))
            .collect();
        let mut text =
            serde_json::to_string_pretty(&json!({"facts": self.facts, "results": outcomes}))
                .unwrap_or_default();
        text.push('\n');
        text
    }

    /// From JSON.
    pub fn from_json(text: &str) -> Result<Run, String> {
        let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let mut run = Run::default();
        if let Some(facts) = value["facts"].as_object() {
            for (key, fact) in facts {
                run.facts
                    .insert(key.clone(), fact.as_str().unwrap_or_default().to_string());
            }
        }
        for row in value["results"].as_array().ok_or("no `results`")? {
            let word = |key: &str| {
                row[key]
                    .as_str()
                    .map(String::from)
                    .ok_or_else(|| format!("a result lacks `{key}`"))
            };
            run.outcomes.push(Outcome {
                suite: word("suite")?,
                test: word("test")?,
                status: Status::from_word(&word("status")?).ok_or("unknown status")?,
                seconds: row["seconds"].as_f64().unwrap_or(0.0),
                log: row["log"].as_str().unwrap_or_default().to_string(),
            });
        }
        Ok(run)
    }

    /// How many of each status, by suite in order of first appearance.
    pub fn counts(&self) -> Vec<(String, BTreeMap<Status, usize>)> {
        let mut list: Vec<(String, BTreeMap<Status, usize>)> = Vec::new();
        for outcome in &self.outcomes {
            let at = match list.iter().position(|(suite, _)| *suite == outcome.suite) {
                Some(at) => at,
                None => {
                    list.push((outcome.suite.clone(), BTreeMap::new()));
                    list.len() - 1
                }
            };
            *list[at].1.entry(outcome.status).or_default() += 1;
        }
        list
    }

    /// A table of the counts.
    pub fn table(&self) -> String {
        let mut text = format!("{:24}", "suite");
        for status in Status::ALL {
            text.push_str(&format!("{:>9}", status.word()));
        }
        text.push('\n');
        let mut total: BTreeMap<Status, usize> = BTreeMap::new();
        let mut row = |name: &str, counts: &BTreeMap<Status, usize>| {
            text.push_str(&format!("{name:24}"));
            for status in Status::ALL {
                text.push_str(&format!("{:>9}", counts.get(&status).copied().unwrap_or(0)));
            }
            text.push('\n');
        };
        for (suite, counts) in self.counts() {
            row(&suite, &counts);
            for (status, count) in counts {
                *total.entry(status).or_default() += count;
            }
        }
        row("all", &total);
        text
    }
}

/// What changed between two runs: (sub-test, before, after), regressions first.
pub fn compare(before: &Run, after: &Run) -> Vec<(String, Status, Status)> {
    let old: BTreeMap<(&str, &str), Status> = before
        .outcomes
        .iter()
        .map(|o| ((o.suite.as_str(), o.test.as_str()), o.status))
        .collect();
    let mut changes: Vec<(String, Status, Status)> = after
        .outcomes
        .iter()
        .filter_map(|o| {
            let was = *old.get(&(o.suite.as_str(), o.test.as_str()))?;
            (was != o.status).then(|| (format!("{} {}", o.suite, o.test), was, o.status))
        })
        .collect();
    changes.sort_by_key(|(_, was, _)| *was != Status::Pass);
    changes
}

#[cfg(test)]
mod tests {
    use super::{Outcome, Run, Status, compare};

    fn run(statuses: &[Status]) -> Run {
        let outcomes = statuses.iter().enumerate().map(|(i, &status)| Outcome {
            suite: "s".to_string(),
            test: format!("t{i}"),
            status,
            seconds: 0.5,
            log: "a \"quoted\" line\n".to_string(),
        });
        Run {
            facts: [("device".to_string(), "x".to_string())].into(),
            outcomes: outcomes.collect(),
        }
    }

    #[test]
    fn json_round_trips() {
        let run = run(&Status::ALL);
        assert_eq!(Run::from_json(&run.to_json()), Ok(run));
        assert!(Run::from_json("{}").is_err());
    }

    #[test]
    fn regressions_come_first() {
        let before = run(&[Status::Fail, Status::Pass, Status::Skip]);
        let after = run(&[Status::Pass, Status::Crash, Status::Skip]);
        let changes = compare(&before, &after);
        assert_eq!(changes.len(), 2);
        assert_eq!(
            changes[0],
            ("s t1".to_string(), Status::Pass, Status::Crash)
        );
    }
}
