//! A trace of what the driver does, for Perfetto or chrome://tracing (`PUMICE_TRACE`).
//!
//! The format is the JSON array of Chrome's trace events. Each event is written at once, over the end
//! bracket and with a new one behind it: the file is whole at every moment, also when the process
//! dies. Threads have a track each, with the API calls and the
//! stages of builds as slices; queues have one each, with what the device ran, in the host's
//! clock. Without the option every function here costs one load.
//!
//! `pumice-trace` reads the file; docs/environment.md lists the events.

use std::collections::HashSet;
use std::fs::File;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;

use crate::base::clock::host_time;
use crate::base::config;
use crate::base::files::{self, OpenMode};
use crate::base::json::Fields;
use crate::base::log;
use crate::os;

/// The end of the file.
const END: &str = "\n]\n";
/// Tracks of queues have numbers from here on.
const FIRST_QUEUE: u64 = 1_000_000;

/// Who ran a command: the category of its slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RanBy {
    /// The device, at the host's order.
    Device,
    /// The host, in the queue's order.
    Host,
    /// The device, at the order of the kernel whose slice lies around.
    Kernel,
}

impl RanBy {
    fn category(self) -> &'static str {
        match self {
            RanBy::Device => "device",
            RanBy::Host => "host",
            RanBy::Kernel => "enqueued",
        }
    }
}

struct Trace {
    file: File,
    /// Bytes written so far, without the end. Guards the order of events.
    length: Mutex<u64>,
    process: u32,
    /// Launches seen so far, by their keys.
    launched: Mutex<HashSet<FirstLaunch>>,
}

fn trace() -> Option<&'static Trace> {
    static TRACE: OnceLock<Option<Trace>> = OnceLock::new();
    let open = || {
        let path = log::process_path(&config::TRACE)?;
        let file = files::open_private(path.as_ref(), OpenMode::Truncate)
            .inspect_err(|error| {
                log::error!(
                    "{}: no trace is written: {path}: {error}",
                    config::TRACE.name
                );
            })
            .ok()?;
        let trace = Trace {
            file,
            length: Mutex::new(0),
            process: std::process::id(),
            launched: Mutex::default(),
        };
        trace.write("[");
        trace.describe_process();
        Some(trace)
    };
    TRACE.get_or_init(open).as_ref()
}

impl Trace {
    /// Adds an event, which is one line.
    fn event(&self, text: &str) {
        // A child that was forked does not know how much its parent has written.
        if self.process == std::process::id() {
            self.write(text);
        }
    }

    fn write(&self, text: &str) {
        let mut length = self.length.lock();
        let before = match *length {
            0 => "",
            1 => "\n",
            _ => ",\n",
        };
        let added = format!("{before}{text}");
        let whole = format!("{added}{END}");
        // A full disk ends the trace, not the program.
        if os::write_at(&self.file, whole.as_bytes(), *length).is_ok() {
            *length += added.len() as u64;
        }
    }

    /// A slice on a track, from and to nanoseconds of the host's clock.
    fn slice(&self, track: u64, category: &str, name: &str, times: (u64, u64), args: Fields) {
        let (start, end) = times;
        let microseconds = |time: u64| format!("{}.{:03}", time / 1000, time % 1000);
        let event = Fields::default()
            .text("ph", "X")
            .with("pid", self.process)
            .with("tid", track)
            .text("cat", category)
            .text("name", name)
            .with("ts", microseconds(start))
            .with("dur", microseconds(end.saturating_sub(start)));
        let event = match args.is_empty() {
            true => event,
            false => event.with("args", args.object()),
        };
        self.event(&event.object());
    }

    /// Tells a fact about a track.
    fn metadata(&self, track: u64, name: &str, args: Fields) {
        let event = Fields::default()
            .text("ph", "M")
            .with("pid", self.process)
            .with("tid", track)
            .text("name", name)
            .with("args", args.object());
        self.event(&event.object());
    }

    fn name_track(&self, track: u64, name: &str) {
        self.metadata(track, "thread_name", Fields::default().text("name", name));
    }

    /// Tells the program and the driver's version.
    fn describe_process(&self) {
        let program = std::env::current_exe().unwrap_or_default();
        let name = program.file_name().unwrap_or_default().to_string_lossy();
        self.metadata(0, "process_name", Fields::default().text("name", &name));
        let version = Fields::default().text("version", env!("CARGO_PKG_VERSION"));
        self.metadata(0, "pumice", version);
    }
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
pub struct Span(Option<Begun>);

struct Begun {
    category: &'static str,
    name: &'static str,
    start: u64,
    args: Fields,
}

/// Begins a slice.
pub fn span(category: &'static str, name: &'static str) -> Span {
    span_with(category, name, Fields::default)
}

/// Begins a slice with details.
pub(crate) fn span_with(
    category: &'static str,
    name: &'static str,
    args: impl FnOnce() -> Fields,
) -> Span {
    Span(trace().map(|_| Begun {
        category,
        name,
        start: host_time(),
        args: args(),
    }))
}

impl Span {
    /// Ends an API call's slice with what it returned.
    pub fn returns(mut self, result: &str) {
        if self.0.is_some() {
            self.tell("result", result);
        }
    }

    /// Adds a detail.
    pub(crate) fn tell(&mut self, name: &str, value: &str) {
        if let Some(begun) = &mut self.0 {
            begun.args = std::mem::take(&mut begun.args).text(name, value);
        }
    }
}

impl Drop for Span {
    fn drop(&mut self) {
        if let (Some(begun), Some(trace)) = (self.0.take(), trace()) {
            let times = (begun.start, host_time());
            trace.slice(
                thread_track(trace),
                begun.category,
                begun.name,
                times,
                begun.args,
            );
        }
    }
}

/// A queue's track, named after its device, whose Vulkan driver it tells; 0 without a trace.
pub(crate) fn queue_track(device: &str, driver: impl FnOnce() -> String) -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(FIRST_QUEUE);
    let Some(trace) = trace() else { return 0 };
    let track = NEXT.fetch_add(1, Ordering::Relaxed);
    let number = track - FIRST_QUEUE;
    trace.name_track(track, &format!("queue {number}: {device}"));
    let described = Fields::default().text("device", device);
    trace.metadata(track, "queue", described.text("driver", &driver()));
    track
}

/// Traces a command of a queue, from and to nanoseconds of the host's clock.
pub(crate) fn command(
    (track, by): (u64, RanBy),
    name: &str,
    times: (u64, u64),
    details: impl FnOnce() -> Fields,
) {
    if let Some(trace) = trace() {
        trace.slice(track, by.category(), name, times, details());
    }
}

/// Traces that the driver generated a kernel's code in a queue, from and to nanoseconds of the host's clock.
pub(crate) fn generated_code(track: u64, kernel: &str, times: (u64, u64)) {
    if let Some(trace) = trace() {
        let details = Fields::default().text("kernel", kernel);
        trace.slice(
            track,
            "build",
            "the Vulkan driver generates code",
            times,
            details,
        );
    }
}

/// A kernel's address, its work-group size, and the work-items of an invocation.
type FirstLaunch = (usize, [u32; 3], u32);

/// Tells whether a kernel is launched for the first time in this way.
pub(crate) fn first_launch(launch: FirstLaunch) -> bool {
    trace().is_some_and(|trace| trace.launched.lock().insert(launch))
}
