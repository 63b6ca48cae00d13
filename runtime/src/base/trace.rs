//! A trace of what the driver does, for Perfetto or chrome://tracing (`PUMICE_TRACE`).
//!
//! The format is the JSON array of Chrome's trace events, whose end bracket may be missing: the
//! trace of a process that died is as good. Threads have a track each, with the API calls and the
//! stages of builds as slices; queues have one each, with what the device ran, in the host's
//! clock. Without the option every function here costs one load.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;

use crate::base::clock::host_time;
use crate::base::config;
use crate::base::exit::{self, Stage};
use crate::base::files::{self, Contents};
use crate::base::log;

/// Written to at most so many bytes at a time.
const BUFFER: usize = 64 << 10;
/// Tracks of queues have numbers from here on.
const FIRST_QUEUE: u64 = 1_000_000;

struct Trace {
    /// Guards the order of lines.
    file: Mutex<BufWriter<File>>,
    process: u32,
}

fn trace() -> Option<&'static Trace> {
    static TRACE: OnceLock<Option<Trace>> = OnceLock::new();
    let open = || {
        let path = log::process_path(&config::TRACE)?;
        let file = files::open_private(path.as_ref(), Contents::Replaced)
            .inspect_err(|error| log::error!("{path}: {error}"))
            .ok()?;
        let trace = Trace {
            file: Mutex::new(BufWriter::with_capacity(BUFFER, file)),
            process: std::process::id(),
        };
        trace.line("[");
        exit::at_end(Stage::Trace, |_| end());
        Some(trace)
    };
    TRACE.get_or_init(open).as_ref()
}

impl Trace {
    fn line(&self, text: &str) {
        // A child that was forked has its parent's buffer, which the parent will write.
        if self.process == std::process::id() {
            let _ = writeln!(self.file.lock(), "{text}");
        }
    }

    /// A slice on a track, from and to nanoseconds of the host's clock.
    fn slice(&self, track: u64, category: &str, name: &str, times: (u64, u64), args: &str) {
        let (start, end) = times;
        let length = end.saturating_sub(start);
        self.line(&format!(
            "{{\"ph\":\"X\",\"pid\":{},\"tid\":{track},\"cat\":\"{category}\",\"name\":{},\
             \"ts\":{}.{:03},\"dur\":{}.{:03}{args}}},",
            self.process,
            quoted(name),
            start / 1000,
            start % 1000,
            length / 1000,
            length % 1000,
        ));
    }

    fn name_track(&self, track: u64, name: &str) {
        self.line(&format!(
            "{{\"ph\":\"M\",\"pid\":{},\"tid\":{track},\"name\":\"thread_name\",\
             \"args\":{{\"name\":{}}}}},",
            self.process,
            quoted(name)
        ));
    }
}

/// A JSON string.
fn quoted(text: &str) -> String {
    let mut json = String::with_capacity(text.len() + 2);
    json.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => json.extend(['\\', c]),
            c if c < ' ' => json.push_str(&format!("\\u{:04x}", c as u32)),
            c => json.push(c),
        }
    }
    json.push('"');
    json
}

/// The calling thread's track.
fn thread_track(trace: &Trace) -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    thread_local! {
        static TRACK: OnceLock<u64> = const { OnceLock::new() };
    }
    let name = || {
        let track = NEXT.fetch_add(1, Ordering::Relaxed);
        let thread = std::thread::current();
        let name = thread.name().map(str::to_string);
        trace.name_track(track, &name.unwrap_or_else(|| format!("thread {track}")));
        track
    };
    // Threads that are ending have no such variable any more.
    TRACK
        .try_with(|track| *track.get_or_init(name))
        .unwrap_or(0)
}

/// Tells whether a trace is written.
pub fn enabled() -> bool {
    trace().is_some()
}

/// Something under way on this thread; its end ends the slice.
#[must_use]
pub struct Span(Option<(&'static str, &'static str, u64)>);

/// Begins a slice.
pub fn span(category: &'static str, name: &'static str) -> Span {
    Span(trace().map(|_| (category, name, host_time())))
}

impl Span {
    /// Ends an API call's slice with what it returned.
    pub fn returns(mut self, result: &str) {
        if self.0.is_some() {
            let args = format!(",\"args\":{{\"result\":{}}}", quoted(result));
            self.end(&args);
        }
    }

    fn end(&mut self, args: &str) {
        if let (Some((category, name, start)), Some(trace)) = (self.0.take(), trace()) {
            let track = thread_track(trace);
            trace.slice(track, category, name, (start, host_time()), args);
        }
    }
}

impl Drop for Span {
    fn drop(&mut self) {
        self.end("");
    }
}

/// A queue's track, named after its device; 0 without a trace.
pub(crate) fn queue_track(device: &str) -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(FIRST_QUEUE);
    let Some(trace) = trace() else { return 0 };
    let track = NEXT.fetch_add(1, Ordering::Relaxed);
    let number = track - FIRST_QUEUE;
    trace.name_track(track, &format!("queue {number}: {device}"));
    track
}

/// Traces a command of a device, from and to nanoseconds of the host's clock.
pub(crate) fn command(track: u64, name: &str, times: (u64, u64)) {
    if let Some(trace) = trace() {
        trace.slice(track, "device", name, times, "");
    }
}

/// Writes out what is buffered: the process ends.
fn end() {
    if let Some(trace) = trace() {
        if trace.process == std::process::id() {
            let _ = trace.file.lock().flush();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn strings_are_json() {
        assert_eq!(quoted("a\"b\\c\n"), "\"a\\\"b\\\\c\\u000a\"");
    }
}
