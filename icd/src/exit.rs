//! The process's exit handler, and what tells its children that they are some.

use std::ffi::{c_int, c_void};
use std::sync::Once;

use pumice_runtime::{exit, log};

unsafe extern "C" {
    fn on_exit(handler: extern "C" fn(c_int, *mut c_void), data: *mut c_void) -> c_int;
    fn fflush(file: *mut c_void) -> c_int;
    fn _exit(status: c_int) -> !;
    fn pthread_atfork(
        prepare: Option<extern "C" fn()>,
        parent: Option<extern "C" fn()>,
        child: Option<extern "C" fn()>,
    ) -> c_int;
}

extern "C" fn in_child() {
    exit::forked();
}

/// Has every child know that it was forked. To be called before a device is opened.
pub fn watch_forks() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: the handler is a plain function of a library that is never unloaded. Without it,
        // calls in a child may wait for ever.
        let _ = unsafe { pthread_atfork(None, None, Some(in_child)) };
    });
}

extern "C" fn at_exit(status: c_int, _: *mut c_void) {
    exit::quiesce();
    if exit::is_forked() {
        end_when_stuck(status);
    }
}

/// Ends a forked child whose exit handlers wait for ever: Mesa's joins threads that only the parent
/// has, which newer C libraries wait for (seen with Mesa 26.2 on glibc 2.43). The handlers behind it
/// are lost; without this the child would stay.
fn end_when_stuck(status: c_int) {
    let watch = move || {
        exit::wait_until_stuck();
        log::warn!("a forked child's exit handlers wait for nothing; it ends with status {status}");
        // SAFETY: NULL is every open stream. One that the exit is still writing is locked, so that
        // its end is waited for.
        let _ = unsafe { fflush(std::ptr::null_mut()) };
        // SAFETY: _exit has no precondition.
        unsafe { _exit(status) }
    };
    let name = "pumice-exit".to_string();
    if let Err(error) = std::thread::Builder::new().name(name).spawn(watch) {
        log::warn!("nobody watches a forked child's exit: {error}");
    }
}

/// Registers the handler. To be called once a device has run its first shader: handlers run in
/// reverse order, so ours comes before those that the Vulkan driver and its compiler registered.
pub fn register() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: the handler is a plain function of a library that is never unloaded. If it
        // cannot be registered, the process may only end less gracefully.
        let _ = unsafe { on_exit(at_exit, std::ptr::null_mut()) };
    });
}
