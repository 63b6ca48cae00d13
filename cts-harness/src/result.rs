//! Results of a run: the model, its JSON form, merging and comparing.

use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Outcome of a sub-test.
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

    /// The status of that word.
    pub fn from_word(word: &str) -> Option<Status> {
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
    /// Processor time of all its processes, where it was measured: what a busy machine changes less.
    pub processor_seconds: Option<f64>,
    /// The end of its output; empty for passes.
    pub log: String,
}

/// A whole run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Run {
    /// Facts about the device, the driver and the run, as key and value.
    pub facts: BTreeMap<String, String>,
    /// Suites that were selected and not run, and why.
    pub left_out: Vec<(String, String)>,
    /// Results in the order of suites.
    pub outcomes: Vec<Outcome>,
}

/// Number of sub-tests of a suite by outcome.
pub type Counts = BTreeMap<Status, usize>;

impl Run {
    /// As JSON.
    pub fn to_json(&self) -> String {
        let outcomes: Vec<Value> = self
            .outcomes
            .iter()
            .map(|o| json!({"suite": o.suite, "test": o.test, "status": o.status.word(), "seconds": o.seconds, "processor_seconds": o.processor_seconds, "log": o.log}))
            .collect();
        let left_out: Vec<Value> = (self.left_out.iter())
            .map(|(suite, why)| json!({"suite": suite, "why": why}))
            .collect();
        let all = json!({"facts": self.facts, "left_out": left_out, "results": outcomes});
        let mut text = serde_json::to_string_pretty(&all).unwrap_or_default();
        text.push('\n');
        text
    }

    /// From JSON.
    ///
    /// # Errors
    /// A field that is missing or of the wrong type.
    pub fn from_json(text: &str) -> Result<Run, String> {
        let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let word = |row: &Value, key: &str| {
            row[key]
                .as_str()
                .map(String::from)
                .ok_or_else(|| format!("an entry lacks `{key}`"))
        };
        let mut run = Run::default();
        if let Some(facts) = value["facts"].as_object() {
            for (key, fact) in facts {
                run.facts
                    .insert(key.clone(), fact.as_str().unwrap_or_default().to_string());
            }
        }
        for row in value["left_out"].as_array().into_iter().flatten() {
            run.left_out.push((word(row, "suite")?, word(row, "why")?));
        }
        for row in value["results"].as_array().ok_or("no `results`")? {
            run.outcomes.push(Outcome {
                suite: word(row, "suite")?,
                test: word(row, "test")?,
                status: Status::from_word(&word(row, "status")?).ok_or("unknown status")?,
                seconds: row["seconds"].as_f64().unwrap_or(0.0),
                processor_seconds: row["processor_seconds"].as_f64(),
                log: row["log"].as_str().unwrap_or_default().to_string(),
            });
        }
        Ok(run)
    }

    /// Counts per suite, in the order of the results.
    pub fn counts(&self) -> Vec<(String, Counts)> {
        let mut list: Vec<(String, Counts)> = Vec::new();
        for outcome in &self.outcomes {
            let at = match list.iter().position(|(suite, _)| *suite == outcome.suite) {
                Some(at) => at,
                None => {
                    list.push((outcome.suite.clone(), Counts::new()));
                    list.len() - 1
                }
            };
            *list[at].1.entry(outcome.status).or_default() += 1;
        }
        list
    }

    /// A table of the counts.
    pub fn table(&self) -> String {
        let mut text = format!("{:40}", "suite");
        for status in Status::ALL {
            text.push_str(&format!("{:>9}", status.word()));
        }
        text.push('\n');
        let mut total = Counts::new();
        let mut row = |name: &str, counts: &Counts| {
            text.push_str(&format!("{name:40}"));
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

    /// Results by suite and sub-test.
    pub fn by_name(&self) -> BTreeMap<(&str, &str), &Outcome> {
        (self.outcomes.iter())
            .map(|o| ((o.suite.as_str(), o.test.as_str()), o))
            .collect()
    }

    /// Adds the results of another shard of the same run. A sub-test that both have takes the
    /// other's result.
    pub fn merge(&mut self, other: Run) {
        for outcome in other.outcomes {
            let same =
                |have: &&mut Outcome| have.suite == outcome.suite && have.test == outcome.test;
            match self.outcomes.iter_mut().find(same) {
                Some(have) => *have = outcome,
                None => {
                    // Beside the rest of its suite.
                    let at = (self.outcomes.iter())
                        .rposition(|have| have.suite == outcome.suite)
                        .map_or(self.outcomes.len(), |last| last + 1);
                    self.outcomes.insert(at, outcome);
                }
            }
        }
        for left in other.left_out {
            if !self.left_out.contains(&left) {
                self.left_out.push(left);
            }
        }
        self.left_out
            .retain(|(suite, _)| self.outcomes.iter().all(|o| o.suite != *suite));
        for (key, fact) in other.facts {
            self.facts.entry(key).or_insert(fact);
        }
    }
}

/// Returns the changes between two runs: (sub-test, before, after), regressions first.
pub fn compare(before: &Run, after: &Run) -> Vec<(String, Status, Status)> {
    let old = before.by_name();
    let mut changes: Vec<(String, Status, Status)> = after
        .outcomes
        .iter()
        .filter_map(|o| {
            let was = old.get(&(o.suite.as_str(), o.test.as_str()))?.status;
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
            processor_seconds: (i == 0).then_some(0.25),
            log: "a \"quoted\" line\n".to_string(),
        });
        Run {
            facts: [("device".to_string(), "x".to_string())].into(),
            left_out: vec![("gl".to_string(), "not built".to_string())],
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

    #[test]
    fn shards_make_one_run() {
        let mut whole = run(&[Status::Pass, Status::Fail]);
        let mut other = run(&[Status::Pass, Status::Pass, Status::Skip]);
        other.outcomes[0].suite = "gl".to_string();
        whole.merge(other);
        let names: Vec<(&str, &str)> = (whole.outcomes.iter())
            .map(|o| (o.suite.as_str(), o.test.as_str()))
            .collect();
        assert_eq!(names, [("s", "t0"), ("s", "t1"), ("s", "t2"), ("gl", "t0")]);
        assert_eq!(whole.outcomes[1].status, Status::Pass);
        assert!(whole.left_out.is_empty(), "gl has run in the other shard");
    }
}
