//! Lines on stderr about work of the compilers' that takes long (`PUMICE_PROGRESS`).
//!
//! On a terminal there is one line, which shows the step and the seconds and goes when the work ends. Elsewhere
//! a line is written when the work begins to take long and one when it has ended.

use std::io::{IsTerminal, Write};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, bounded};
use parking_lot::Mutex;

use crate::base::config;

/// Time after which work takes long, unless the option names another.
const LONG: Duration = Duration::from_secs(2);
/// Time between two looks at the step.
const EVERY: Duration = Duration::from_secs(1);

/// The step that some work is at: its name, empty for none. Whoever works sets it, on any thread.
#[derive(Debug, Default)]
pub(crate) struct Step(Mutex<&'static str>);

impl Step {
    /// Begins a step.
    pub fn begin(&self, name: &'static str) {
        *self.0.lock() = name;
    }
}

/// The time after which work takes long; `None` for no lines at all.
///
/// `on`, `off` or a number of seconds; without any of them `on` where stderr is a terminal.
fn delay(value: Option<&str>, terminal: bool) -> Option<Duration> {
    match value {
        None => terminal.then_some(LONG),
        Some("0" | "off" | "no" | "false") => None,
        Some(value) => match value.parse::<f64>() {
            Ok(seconds) => Duration::try_from_secs_f64(seconds).ok(),
            Err(_) => Some(LONG),
        },
    }
}

/// Does work, and tells of it on stderr while it takes long. `what` names the work.
pub(crate) fn during<R>(what: impl FnOnce() -> String, step: &Step, work: impl FnOnce() -> R) -> R {
    static DELAY: OnceLock<Option<Duration>> = OnceLock::new();
    let terminal = std::io::stderr().is_terminal();
    let after = DELAY.get_or_init(|| delay(config::PROGRESS.value().as_deref(), terminal));
    let Some(after) = *after else { return work() };
    let (ended, end) = bounded(0);
    static SHOWN: Mutex<()> = Mutex::new(());
    let watch = Watch {
        what: what(),
        step,
        after,
        terminal,
        shown: &SHOWN,
    };
    std::thread::scope(|scope| {
        // Dropped when the work has ended, also by a panic.
        let ended: crossbeam_channel::Sender<()> = ended;
        let thread = std::thread::Builder::new().name("pumice-progress".into());
        let run = move || watch.run(&end, &mut std::io::stderr());
        // Without the thread nobody is told.
        let _ = thread.spawn_scoped(scope, run);
        let result = work();
        drop(ended);
        result
    })
}

/// Tells of some work.
struct Watch<'a> {
    what: String,
    step: &'a Step,
    after: Duration,
    terminal: bool,
    /// Held by the work whose line is shown: two would write over each other.
    shown: &'a Mutex<()>,
}

impl Watch<'_> {
    /// Writes lines until the work has ended.
    fn run(&self, end: &Receiver<()>, out: &mut dyn Write) {
        let began = Instant::now();
        let goes_on = |time| end.recv_timeout(time) == Err(RecvTimeoutError::Timeout);
        if !self.after.is_zero() && !goes_on(self.after) {
            return;
        }
        let mut shown = None;
        loop {
            if shown.is_none() {
                shown = self.shown.try_lock();
                if shown.is_some() && !self.terminal {
                    let _ = out.write_all(format!("{}\n", self.line(began)).as_bytes());
                }
            }
            if shown.is_some() && self.terminal {
                // To the line's beginning, and without its rest.
                let _ = out.write_all(format!("\r\x1b[K{}", self.line(began)).as_bytes());
                let _ = out.flush();
            }
            if !goes_on(EVERY) {
                break;
            }
        }
        let last = match (shown.is_some(), self.terminal) {
            (false, _) => return,
            (true, true) => "\r\x1b[K".to_string(),
            (true, false) => {
                let seconds = began.elapsed().as_secs_f64();
                format!("pumice: {} took {seconds:.1} s\n", self.what)
            }
        };
        // Nobody reads it where that fails.
        let _ = out.write_all(last.as_bytes());
        let _ = out.flush();
    }

    /// The work, its step and the seconds that it has taken.
    fn line(&self, began: Instant) -> String {
        let step = match *self.step.0.lock() {
            "" => String::new(),
            name => format!(", step {name}"),
        };
        let seconds = began.elapsed().as_secs();
        format!("pumice: {}{step}: {seconds} s so far", self.what)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use crossbeam_channel::bounded;
    use parking_lot::Mutex;

    use super::{LONG, Step, Watch, delay};

    #[test]
    fn the_option_gives_the_time() {
        assert_eq!(delay(None, true), Some(LONG));
        assert_eq!(delay(None, false), None);
        assert_eq!(delay(Some("on"), false), Some(LONG));
        assert_eq!(delay(Some("off"), true), None);
        assert_eq!(delay(Some("0"), true), None);
        assert_eq!(delay(Some("0.5"), false), Some(Duration::from_millis(500)));
        assert_eq!(delay(Some("0.0"), false), Some(Duration::ZERO));
        assert_eq!(delay(Some("-1"), false), None);
        assert_eq!(delay(Some("inf"), false), None);
    }

    /// The output about work that has ended when the watch begins.
    fn watched(after: Duration, terminal: bool) -> String {
        let step = Step::default();
        step.begin("lower");
        let watch = Watch {
            what: "building a program".to_string(),
            step: &step,
            after,
            terminal,
            shown: &Mutex::new(()),
        };
        let (ended, end) = bounded(0);
        drop(ended);
        let mut out = Vec::new();
        watch.run(&end, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn short_work_is_not_told_of() {
        assert_eq!(watched(LONG, false), "");
        assert_eq!(watched(LONG, true), "");
    }

    #[test]
    fn a_terminal_has_one_line_that_goes() {
        let line = "\r\x1b[Kpumice: building a program, step lower: 0 s so far\r\x1b[K";
        assert_eq!(watched(Duration::ZERO, true), line);
    }

    #[test]
    fn a_file_has_a_line_at_the_beginning_and_one_at_the_end() {
        let text = watched(Duration::ZERO, false);
        let (first, last) = text.split_once('\n').unwrap();
        assert_eq!(first, "pumice: building a program, step lower: 0 s so far");
        assert!(
            last.starts_with("pumice: building a program took "),
            "{last}"
        );
        assert!(last.ends_with(" s\n"), "{last}");
    }
}
