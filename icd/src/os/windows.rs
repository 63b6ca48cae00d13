//! Windows. It forks no processes, and ends a process's other threads before libraries hear of its end, so there
//! is nothing left for a handler to wait for.

use std::ffi::{c_int, c_uint, c_void};

unsafe extern "C" {
    fn __acrt_iob_func(index: c_uint) -> *mut c_void;
    fn fwrite(data: *const c_void, size: usize, count: usize, file: *mut c_void) -> usize;
    fn fflush(file: *mut c_void) -> c_int;
}

/// Does nothing: there are no forks.
pub fn on_fork(_: extern "C" fn()) {}

/// Does nothing: see the module.
pub fn at_exit(_: fn(i32)) {}

/// Ends the process.
pub fn end_process(status: i32) -> ! {
    std::process::exit(status)
}

/// The C library's stdout.
fn stdout() -> *mut c_void {
    // SAFETY: 1 is the number of stdout.
    unsafe { __acrt_iob_func(1) }
}

/// Writes to the C library's stdout. What cannot be written is lost, as with printf.
pub fn write_output(text: &[u8]) {
    // SAFETY: stdout is the C library's open stream, which locks itself; `text` is readable.
    let _ = unsafe { fwrite(text.as_ptr().cast(), 1, text.len(), stdout()) };
}

/// Makes what was written visible.
pub fn flush_output() {
    // SAFETY: as above.
    let _ = unsafe { fflush(stdout()) };
}
