//! A progress bar with the time left; lines instead where the output is no terminal.

use crate::result::{Outcome, Status};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::{IsTerminal, Write};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Counts what has ended and guesses what is left. Shared by the threads that run tests.
pub struct Progress {
    total: usize,
    /// Seconds that sub-tests took in an earlier run.
    known: HashMap<(String, String), f64>,
    bar: bool,
    started: Instant,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    done: usize,
    bad: usize,
    /// Seconds of an earlier run that are still to come.
    known_left: f64,
    known_done: f64,
}

/// Cells of the bar.
const WIDTH: usize = 24;

impl Progress {
    /// For so many sub-tests; `known` are times of an earlier run of some of them.
    pub fn new(tests: &[(String, String)], known: HashMap<(String, String), f64>) -> Progress {
        let known_left = tests.iter().filter_map(|test| known.get(test)).sum();
        Progress {
            total: tests.len(),
            known,
            bar: std::io::stdout().is_terminal(),
            started: Instant::now(),
            state: Mutex::new(State {
                known_left,
                ..State::default()
            }),
        }
    }

    /// Counts an outcome and shows where the run stands.
    pub fn ended(&self, outcome: &Outcome) {
        let Ok(mut state) = self.state.lock() else {
            return;
        };
        state.done += 1;
        let bad = !matches!(outcome.status, Status::Pass | Status::Skip);
        state.bad += usize::from(bad);
        let key = (outcome.suite.clone(), outcome.test.clone());
        if let Some(seconds) = self.known.get(&key) {
            state.known_left -= seconds;
            state.known_done += seconds;
        }
        let text = self.show(&state, outcome, self.started.elapsed());
        let mut out = std::io::stdout().lock();
        // What cannot be shown is no reason to end the run.
        let _ = if self.bar {
            if bad {
                let _ = writeln!(out, "\r\x1b[K{}", line(outcome));
            }
            write!(out, "\r\x1b[K{text}")
        } else {
            writeln!(out, "{text}  {}", line(outcome))
        };
        if self.bar && state.done == self.total {
            let _ = writeln!(out);
        }
        let _ = out.flush();
    }

    fn show(&self, state: &State, outcome: &Outcome, elapsed: Duration) -> String {
        let left = seconds_left(state, self.total, elapsed);
        let mut text = String::from("[");
        if self.bar {
            let full = WIDTH * state.done / self.total.max(1);
            text.extend((0..WIDTH).map(|cell| if cell < full { '#' } else { '.' }));
            text += "] ";
        }
        let _ = write!(text, "{}/{}, {} left", state.done, self.total, span(left));
        if self.bar {
            let _ = write!(
                text,
                ", {} bad  {} {}",
                state.bad, outcome.suite, outcome.test
            );
            // One line, whatever the names are.
            text = text.chars().take(78).collect();
        } else {
            text.push(']');
        }
        text
    }
}

/// Guesses by the speed so far: in seconds of the earlier run where it knows them, else in tests.
fn seconds_left(state: &State, total: usize, elapsed: Duration) -> f64 {
    let elapsed = elapsed.as_secs_f64();
    if state.known_done > 0.0 {
        elapsed / state.known_done * state.known_left
    } else {
        elapsed / state.done.max(1) as f64 * total.saturating_sub(state.done) as f64
    }
}

fn line(outcome: &Outcome) -> String {
    format!(
        "{:8} {} {} ({:.1} s)",
        outcome.status.word(),
        outcome.suite,
        outcome.test,
        outcome.seconds
    )
}

/// Seconds, minutes or hours.
pub fn span(seconds: f64) -> String {
    match seconds {
        s if s < 100.0 => format!("{s:.0} s"),
        s if s < 6000.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::{State, seconds_left, span};
    use std::time::Duration;

    #[test]
    fn the_time_left_knows_of_long_tests_to_come() {
        let even = State {
            done: 1,
            ..State::default()
        };
        assert_eq!(seconds_left(&even, 4, Duration::from_secs(10)), 30.0);
        let known = State {
            done: 3,
            known_done: 5.0,
            known_left: 100.0,
            ..State::default()
        };
        assert_eq!(seconds_left(&known, 4, Duration::from_secs(10)), 200.0);
        assert_eq!((span(61.0), span(240.0)), ("61 s".into(), "4 min".into()));
    }
}
