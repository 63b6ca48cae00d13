//! The destination of kernels' printf output.
//!
//! To the C library's stdout, which the ICD provides: the application's own output goes through
//! that buffer, and the order of both must be kept.

use std::sync::OnceLock;

use crate::base::config;
use crate::base::log;

/// Functions that write and flush text.
#[derive(Clone, Copy, Debug)]
pub struct Sink {
    /// Writes bytes.
    pub write: fn(&[u8]),
    /// Makes them visible.
    pub flush: fn(),
}

/// The sizes of a printf buffer's output, in bytes of records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Decoded {
    /// The output of the kernels, as far as 32 bits count it in words.
    pub asked: u64,
    /// The room in the buffer.
    pub room: u64,
    /// The part that came out as text.
    pub decoded: u64,
}

impl Decoded {
    /// Bytes of records that found no room, and so were not written.
    pub fn lost(&self) -> u64 {
        match self.asked > self.room {
            true => self.asked - self.decoded,
            false => 0,
        }
    }

    /// Tells whether there was room for everything and yet not everything is a record: a kernel has
    /// written over the buffer.
    pub fn is_damaged(&self) -> bool {
        self.asked <= self.room && self.decoded < self.asked
    }
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
