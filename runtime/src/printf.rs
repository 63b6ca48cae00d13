//! Where kernels' printf output goes.
//!
//! To the C library's stdout, which the ICD provides: the application's own output goes through
//! that buffer, and the order of both must be kept.

use std::sync::OnceLock;

use crate::config;
use crate::executable::Decoded;
use crate::log;

/// How text is written and flushed.
#[derive(Clone, Copy, Debug)]
pub struct Sink {
    /// Writes bytes.
    pub write: fn(&[u8]),
    /// Makes them visible.
    pub flush: fn(),
}

static SINK: OnceLock<Sink> = OnceLock::new();

/// Sets the sink; the first one stays.
pub fn set_sink(sink: Sink) {
    let _ = SINK.set(sink);
}

pub(crate) fn print(text: &[u8]) {
    if let Some(sink) = SINK.get() {
        (sink.write)(text);
    }
}

/// Logs what a launch printed in vain; gives the text, for the application.
pub(crate) fn complain(launch: &str, decoded: Decoded) -> Option<String> {
    let complaint = if decoded.lost() > 0 {
        format!(
            "{launch}: printf: {} of {} bytes of output found no room in the buffer of {} and are lost \
             ({}=N makes it N MiB)",
            decoded.lost(),
            decoded.asked,
            decoded.room,
            config::PRINTF_BUFFER.name,
        )
    } else if decoded.is_damaged() {
        format!("{launch}: printf: the buffer was written over by a kernel, output is missing")
    } else {
        return None;
    };
    log::warn!("{complaint}");
    Some(complaint)
}

pub(crate) fn flush() {
    if let Some(sink) = SINK.get() {
        (sink.flush)();
    }
}
