//! Kernels' printf output, through the C library's stdout.

use pumice_runtime::base::printf::{Sink, set_sink};

use crate::os;

/// Sends kernels' output to stdout.
pub fn install() {
    set_sink(Sink {
        write: os::write_output,
        flush: os::flush_output,
    });
}
