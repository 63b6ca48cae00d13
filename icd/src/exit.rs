//! The process's exit handler, and what tells its children that they are some.

use std::ffi::c_int;
use std::sync::Once;

unsafe extern "C" {
    fn atexit(handler: extern "C" fn()) -> c_int;
    fn pthread_atfork(
        prepare: Option<extern "C" fn()>,
        parent: Option<extern "C" fn()>,
        child: Option<extern "C" fn()>,
    ) -> c_int;
}

extern "C" fn in_child() {
    pumice_runtime::exit::forked();
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

extern "C" fn at_exit() {
    pumice_runtime::exit::quiesce();
}

/// Registers the handler. To be called once a device has run its first shader: handlers run in
/// reverse order, so ours comes before those that the Vulkan driver and its compiler registered.
pub fn register() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: the handler is a plain function of a library that is never unloaded. If it
        // cannot be registered, the process may only end less gracefully.
        let _ = unsafe { atexit(at_exit) };
    });
}
