//! The process's exit handler.

use std::ffi::c_int;
use std::sync::Once;

unsafe extern "C" {
    fn atexit(handler: extern "C" fn()) -> c_int;
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
