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
    guess: Guess,
    bar: bool,
    started: Instant,
    state: Mutex<State>,
}

/// Estimated duration of sub-tests, from an earlier run.
struct Guess {
    seconds: HashMap<(String, String), f64>,
    /// The mean of those: what sub-tests that it does not know are taken for.
    mean: f64,
}

impl Guess {
    fn new(tests: &[(String, String)], seconds: HashMap<(String, String), f64>) -> Guess {
        let known: Vec<f64> =
            (tests.iter().filter_map(|test| seconds.get(test).copied())).collect();
        let sum: f64 = known.iter().sum();
        let mean = if sum > 0.0 {
            sum / known.len() as f64
        } else {
            1.0
        };
        Guess { seconds, mean }
    }

    fn of(&self, test: &(String, String)) -> f64 {
        self.seconds.get(test).copied().unwrap_or(self.mean)
    }
}

#[derive(Default)]
struct State {
    done: usize,
    bad: usize,
    /// Estimated duration of the sub-tests that have ended.
    guessed_done: f64,
    /// Estimated duration of those to come.
    guessed_left: f64,
}

/// Cells of the bar.
const WIDTH: usize = 24;

impl Progress {
    /// For so many sub-tests; `known` are times of an earlier run of some of them.
    pub fn new(tests: &[(String, String)], known: HashMap<(String, String), f64>) -> Progress {
        let guess = Guess::new(tests, known);
        let guessed_left = tests.iter().map(|test| guess.of(test)).sum();
        Progress {
            total: tests.len(),
            guess,
            bar: std::io::stdout().is_terminal(),
            started: Instant::now(),
            state: Mutex::new(State {
                guessed_left,
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
        let guessed = self.guess.of(&key);
        state.guessed_left -= guessed;
        state.guessed_done += guessed;
        let text = self.show(&state, outcome, self.started.elapsed());
        let mut out = std::io::stdout().lock();
        // A progress line that cannot be shown must not end the run.
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
        let left = seconds_left(state, elapsed);
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

/// Guesses by the speed so far, in seconds of the earlier run.
fn seconds_left(state: &State, elapsed: Duration) -> f64 {
    // Sums of what is taken off one by one may end a little below zero.
    let left = state.guessed_left.max(0.0);
    elapsed.as_secs_f64() * left / state.guessed_done.max(f64::MIN_POSITIVE)
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
    use super::{Guess, State, seconds_left, span};
    use std::collections::HashMap;
    use std::time::Duration;

    #[test]
    fn the_time_left_knows_of_long_tests_to_come() {
        let state = |guessed_done, guessed_left| State {
            guessed_done,
            guessed_left,
            ..State::default()
        };
        let left = |done, left| seconds_left(&state(done, left), Duration::from_secs(10));
        assert_eq!(left(1.0, 3.0), 30.0);
        assert_eq!(left(5.0, 100.0), 200.0);
        assert_eq!(span(left(3.0, -1e-12)), "0 s");
        assert_eq!((span(61.0), span(240.0)), ("61 s".into(), "4 min".into()));
    }

    #[test]
    fn tests_that_an_earlier_run_lacks_take_its_mean() {
        let tests = ["a", "b", "c"].map(|name| ("suite".to_string(), name.to_string()));
        let known = HashMap::from([(tests[0].clone(), 2.0), (tests[1].clone(), 4.0)]);
        let guess = Guess::new(&tests, known);
        assert_eq!(tests.each_ref().map(|test| guess.of(test)), [2.0, 4.0, 3.0]);
        let nothing = Guess::new(&tests, HashMap::new());
        assert_eq!(nothing.of(&tests[2]), 1.0);
    }
}
