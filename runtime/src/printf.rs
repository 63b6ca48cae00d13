//! Where kernels' printf output goes.
//!
//! To the C library's stdout, which the ICD provides: the application's own output goes through
//! that buffer, and the order of both must be kept.

use std::sync::OnceLock;

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

pub(crate) fn flush() {
    if let Some(sink) = SINK.get() {
        (sink.flush)();
    }
}
