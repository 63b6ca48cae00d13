//! The end of the process.
//!
//! The driver's helper threads live until the process ends. While its exit handlers and the
//! destructors of other libraries run, the Vulkan driver and its layers take themselves apart;
//! a helper thread that is inside Vulkan at that moment would crash. So helper threads work under
//! a shared lock, which [`quiesce`] takes for itself and never gives back.

use std::time::Duration;

use parking_lot::{RwLock, RwLockReadGuard};

/// Held shared by helper threads at work, for good by the exiting process.
static AT_WORK: RwLock<()> = RwLock::new(());

/// How long the end waits for helper threads; a kernel that runs longer is left alone.
const PATIENCE: Duration = Duration::from_secs(2);

/// A helper thread begins some work. Blocks for ever once the process is ending.
pub(crate) fn work() -> RwLockReadGuard<'static, ()> {
    // Recursive: a callback may run inside other work.
    AT_WORK.read_recursive()
}

/// Waits until helper threads are idle, and keeps them so. Called by the process's exit handler.
pub fn quiesce() {
    if let Some(guard) = AT_WORK.try_write_for(PATIENCE) {
        std::mem::forget(guard);
    }
}
