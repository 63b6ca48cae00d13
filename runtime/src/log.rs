//! Log lines on stderr, asked for by `PUMICE_LOG`; silent otherwise.

use std::fmt::Arguments;
use std::sync::OnceLock;

use crate::config;

/// How much is said; each level includes the ones before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Nothing.
    Off,
    /// The driver's own failures.
    Error,
    /// Something does not work as the application may expect.
    Warn,
    /// Devices found and left out, and why.
    Info,
    /// Error codes returned, builds, submissions.
    Debug,
}

fn level() -> Level {
    static LEVEL: OnceLock<Level> = OnceLock::new();
    *LEVEL.get_or_init(|| match config::LOG.value().as_deref() {
        Some("error") => Level::Error,
        Some("warn") => Level::Warn,
        Some("info") => Level::Info,
        Some("debug") => Level::Debug,
        _ => Level::Off,
    })
}

/// Whether lines of this level are wanted.
pub fn enabled(wanted: Level) -> bool {
    wanted <= level()
}

/// Writes one line; the macros below call it.
pub fn line(wanted: Level, text: Arguments<'_>) {
    if enabled(wanted) {
        let tag = match wanted {
            Level::Off => return,
            Level::Error => "error",
            Level::Warn => "warn",
            Level::Info => "info",
            Level::Debug => "debug",
        };
        eprintln!("pumice: {tag}: {text}");
    }
}

/// Logs at [`Level::Error`].
#[macro_export]
macro_rules! log_error {
    ($($arg:tt)*) => { $crate::log::line($crate::log::Level::Error, format_args!($($arg)*)) };
}
/// Logs at [`Level::Warn`].
#[macro_export]
macro_rules! log_warn {
    ($($arg:tt)*) => { $crate::log::line($crate::log::Level::Warn, format_args!($($arg)*)) };
}
/// Logs at [`Level::Info`].
#[macro_export]
macro_rules! log_info {
    ($($arg:tt)*) => { $crate::log::line($crate::log::Level::Info, format_args!($($arg)*)) };
}
/// Logs at [`Level::Debug`].
#[macro_export]
macro_rules! log_debug {
    ($($arg:tt)*) => { $crate::log::line($crate::log::Level::Debug, format_args!($($arg)*)) };
}

pub use crate::{log_debug as debug, log_error as error, log_info as info, log_warn as warn};
