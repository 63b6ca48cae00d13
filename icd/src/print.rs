//! Kernels' printf output, through the C library's stdout.

use std::ffi::{c_int, c_void};

use pumice_runtime::base::printf::{Sink, set_sink};

unsafe extern "C" {
    static stdout: *mut c_void;
    fn fwrite(data: *const c_void, size: usize, count: usize, file: *mut c_void) -> usize;
    fn fflush(file: *mut c_void) -> c_int;
}

fn write(text: &[u8]) {
    // SAFETY: stdout is the C library's open stream, which locks itself; `text` is readable.
    // What cannot be written is lost, as with printf.
    let _ = unsafe { fwrite(text.as_ptr().cast(), 1, text.len(), stdout) };
}

fn flush() {
    // SAFETY: as above.
    let _ = unsafe { fflush(stdout) };
}

/// Sends kernels' output to stdout.
pub fn install() {
    set_sink(Sink { write, flush });
}
