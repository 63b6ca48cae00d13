//! The report of a kit's run, for people.

use super::{Ended, Kit, Outcome, Results};
use crate::facts;
use std::fmt::Write as _;

/// Most lines of a job's output that the report has.
const LINES: usize = 8;

/// Most characters of such a line.
const WIDTH: usize = 160;

impl Kit {
    /// Counts by part, and what did not pass with its reasons.
    pub fn report(&self, results: &Results) -> String {
        let mut text = format!("{}\n", self.about);
        let fact = |key: &str| results.facts.get(key).map_or("unknown", String::as_str);
        match results.facts.get(facts::ERROR) {
            Some(error) => text += &format!("No device: {error}\n"),
            None => {
                let (device, driver) = (fact(facts::DEVICE), fact(facts::VULKAN_DRIVER));
                text += &format!("Device: {device}\nVulkan driver: {driver}\n");
            }
        }
        if results.own_loader {
            text += "OpenCL loader: the kit's, since the system's does not find the driver by OCL_ICD_VENDORS\n";
        }
        text += &format!("Time: {:.0} s\n\n", results.seconds);
        text += &self.counts(results);
        let mut bad: Vec<&Outcome> = (results.outcomes.iter())
            .filter(|outcome| outcome.ended != Ended::Pass)
            .collect();
        if !bad.is_empty() {
            let place = |o: &Outcome| {
                let name = |(part, name): &(String, String)| *part == o.part && *name == o.name;
                results.selected.iter().position(name)
            };
            bad.sort_by_key(|outcome| (place(outcome), outcome.ended));
            text += "\nDid not pass (logs/PART-NAME.txt has the whole output):\n";
        }
        for outcome in bad {
            let (word, part) = (outcome.ended.word(), &outcome.part);
            let (name, seconds) = (&outcome.name, outcome.seconds);
            let _ = writeln!(text, "{word:8} {part} {name} ({seconds:.1} s)");
            for line in reasons(outcome) {
                let line: String = line.chars().take(WIDTH).collect();
                let _ = writeln!(text, "         {line}");
            }
        }
        text
    }

    /// A table with a row a part.
    fn counts(&self, results: &Results) -> String {
        let mut text = format!("{:10}{:>6}", "part", "jobs");
        for ended in Ended::ALL {
            let _ = write!(text, "{:>9}", ended.word());
        }
        text += "  not run\n";
        for part in self.parts() {
            let all = results.selected.iter().filter(|(p, _)| p == part).count();
            if all == 0 {
                continue;
            }
            let _ = write!(text, "{part:10}{all:>6}");
            let mut ran = 0;
            for ended in Ended::ALL {
                let such = |o: &&Outcome| o.part == part && o.ended == ended;
                let count = results.outcomes.iter().filter(such).count();
                ran += count;
                let _ = write!(text, "{count:>9}");
            }
            let _ = writeln!(text, "{:>9}", all.saturating_sub(ran));
        }
        text
    }
}

/// The lines of a job's output that say why it did not pass: those that tell of failures, or the last one.
fn reasons(outcome: &Outcome) -> Vec<&str> {
    let lines = || outcome.log.lines().map(str::trim);
    let mut told: Vec<&str> = match outcome.ended {
        // It says nothing that the time limit of the run does not say.
        Ended::Pass | Ended::Cut => return Vec::new(),
        Ended::Fail => lines()
            .filter(|line| line.starts_with("FAIL"))
            .take(LINES)
            .collect(),
        Ended::Crash | Ended::Timeout | Ended::Skip => Vec::new(),
    };
    if told.is_empty() {
        let full: Vec<&str> = lines().filter(|line| !line.is_empty()).collect();
        // The last one says how the job ended, the one before it how far it came.
        told.extend(&full[full.len().saturating_sub(2)..]);
    }
    told
}

#[cfg(test)]
mod tests {
    use super::reasons;
    use crate::kit::{Ended, Outcome};

    #[test]
    fn failures_are_told_before_last_lines() {
        let outcome = |ended, log: &str| Outcome {
            part: String::new(),
            name: String::new(),
            ended,
            seconds: 0.0,
            log: log.to_string(),
        };
        let log = "ok a\nFAIL b\n     why\nFAIL c\n3 passed\n\nexit status 1";
        assert_eq!(reasons(&outcome(Ended::Fail, log)), ["FAIL b", "FAIL c"]);
        assert_eq!(
            reasons(&outcome(Ended::Crash, log)),
            ["3 passed", "exit status 1"]
        );
        assert!(reasons(&outcome(Ended::Cut, "begun")).is_empty());
    }
}
