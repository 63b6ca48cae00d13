//! Linux and Android.

use std::ffi::{c_int, c_void};

unsafe extern "C" {
    static stdout: *mut c_void;
    fn fwrite(data: *const c_void, size: usize, count: usize, file: *mut c_void) -> usize;
    fn fflush(file: *mut c_void) -> c_int;
    fn _exit(status: c_int) -> !;
    fn pthread_atfork(
        prepare: Option<extern "C" fn()>,
        parent: Option<extern "C" fn()>,
        child: Option<extern "C" fn()>,
    ) -> c_int;
}

/// Has every child that is forked call a function first.
pub fn on_fork(in_child: extern "C" fn()) {
    // SAFETY: the handler is a function of a library that is never unloaded. Without it, calls in a child may
    // wait for ever.
    let _ = unsafe { pthread_atfork(None, None, Some(in_child)) };
}

/// Registers a handler for the end of the process, which is given the status; the last one runs first. If it
/// cannot be registered, the process may only end less gracefully.
#[cfg(not(target_os = "android"))]
pub fn at_exit(handler: fn(i32)) {
    unsafe extern "C" {
        fn on_exit(handler: extern "C" fn(c_int, *mut c_void), data: *mut c_void) -> c_int;
    }
    extern "C" fn run(status: c_int, handler: *mut c_void) {
        // SAFETY: the pointer is the function that was registered below.
        let handler: fn(i32) = unsafe { std::mem::transmute(handler) };
        handler(status);
    }
    // SAFETY: both are functions of a library that is never unloaded.
    let _ = unsafe { on_exit(run, handler as *mut c_void) };
}

/// Registers a handler for the end of the process, which is given 0 (Android's C library tells no status); the
/// last one runs first.
#[cfg(target_os = "android")]
pub fn at_exit(handler: fn(i32)) {
    use std::sync::Mutex;

    static HANDLERS: Mutex<Vec<fn(i32)>> = Mutex::new(Vec::new());
    unsafe extern "C" {
        fn atexit(handler: extern "C" fn()) -> c_int;
    }
    extern "C" fn run() {
        let last = HANDLERS.lock().ok().and_then(|mut all| all.pop());
        if let Some(handler) = last {
            handler(0);
        }
    }
    if let Ok(mut all) = HANDLERS.lock() {
        all.push(handler);
    }
    // SAFETY: the handler is a function of a library that is never unloaded.
    let _ = unsafe { atexit(run) };
}

/// Writes what the streams hold and ends the process without its other exit handlers.
pub fn end_process(status: i32) -> ! {
    // SAFETY: NULL is every open stream. One that the exit is still writing is locked, so that
    // its end is waited for.
    let _ = unsafe { fflush(std::ptr::null_mut()) };
    // SAFETY: _exit has no precondition.
    unsafe { _exit(status) }
}

/// Writes to the C library's stdout. What cannot be written is lost, as with printf.
pub fn write_output(text: &[u8]) {
    // SAFETY: stdout is the C library's open stream, which locks itself; `text` is readable.
    let _ = unsafe { fwrite(text.as_ptr().cast(), 1, text.len(), stdout) };
}

/// Makes what was written visible.
pub fn flush_output() {
    // SAFETY: as above.
    let _ = unsafe { fflush(stdout) };
}
