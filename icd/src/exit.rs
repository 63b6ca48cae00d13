//! The process's exit handlers, and what tells its children that they are some.
//!
//! Handlers run in reverse order of their registration. The handler that ends the driver's work is
//! registered with the first context, so the application's later handlers can still use OpenCL. But
//! a Vulkan driver that compiles for the processor registers destructors of its compiler when that
//! runs first, perhaps after ours: they would pull the compiler away under a kernel that is still
//! being compiled. So a thread that ends, perhaps by `exit`, registers a second handler then, which
//! runs before all others and waits for what the device has.
//!
//! One case is left: `exit` by a thread that never called OpenCL, or while other threads submit
//! their first kernels, may still crash in such a driver.

use std::sync::Once;
use std::sync::atomic::{AtomicUsize, Ordering};

use pumice_runtime::base::{exit, log};

use crate::os;

extern "C" fn in_child() {
    exit::forked();
}

/// Has every child know that it was forked. To be called before a device is opened.
pub fn watch_forks() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        os::on_fork(in_child);
    });
}

fn at_exit(status: i32) {
    exit::quiesce();
    if exit::forked_exits_fail() {
        os::end_process(status)
    }
    if exit::is_forked() {
        end_when_stuck(status);
    }
}

/// Ends a forked child whose exit handlers wait for ever: Mesa's joins threads that only the parent
/// has, which newer C libraries wait for (seen with Mesa 26.2 on glibc 2.43). The handlers behind it
/// are lost; without this the child would stay.
fn end_when_stuck(status: i32) {
    let watch = move || {
        exit::wait_until_stuck();
        log::warn!("a forked child's exit handlers wait for nothing; it ends with status {status}");
        os::end_process(status)
    };
    let name = "pumice-exit".to_string();
    if let Err(error) = std::thread::Builder::new().name(name).spawn(watch) {
        log::warn!("nobody watches a forked child's exit: {error}");
    }
}

fn settle_at_exit(_: i32) {
    exit::settle();
}

/// The most handlers that threads register: each takes memory until the process ends. By then the
/// driver's compiler has run, and newer handlers are of no use.
const THREAD_HANDLERS: usize = 1000;

/// Registers [`settle_at_exit`] when its thread ends.
struct ThreadEnd;

impl Drop for ThreadEnd {
    fn drop(&mut self) {
        static REGISTERED: AtomicUsize = AtomicUsize::new(0);
        if exit::has_device() && REGISTERED.fetch_add(1, Ordering::Relaxed) < THREAD_HANDLERS {
            os::at_exit(settle_at_exit);
        }
    }
}

thread_local! {
    /// Dropped by `exit` before it calls any handler, on the thread that calls it.
    static THREAD_END: ThreadEnd = const { ThreadEnd };
}

/// Has the end of this thread registered. To be called by every call of the API.
pub fn watch_thread() {
    // Destructors of other thread-local values may call the API after this one's.
    let _ = THREAD_END.try_with(|_| ());
}

/// Registers the handler. To be called once a device has run its first shader: handlers run in
/// reverse order, so ours comes before those that the Vulkan driver and its compiler registered.
pub fn register() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        os::at_exit(at_exit);
    });
}
