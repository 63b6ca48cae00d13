//! The end of the process.
//!
//! The driver's helper threads live until the process ends. While its exit handlers and the
//! destructors of other libraries run, the Vulkan driver and its layers take themselves apart;
//! a helper thread that is inside Vulkan at that moment would crash, and so would a driver that
//! runs kernels on threads of its own. So the end first waits for what has been submitted, and
//! helper threads work under a shared lock, which [`quiesce`] takes for itself and never gives
//! back.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use parking_lot::{Mutex, RwLock, RwLockReadGuard};
use pumice_vulkan_layer::Device;

use crate::{cache, trace};

/// Held shared by helper threads at work, for good by the exiting process.
static AT_WORK: RwLock<()> = RwLock::new(());

/// Set once the process is ending.
static ENDING: AtomicBool = AtomicBool::new(false);

/// Batches that the device has not finished.
static SUBMITTED: AtomicUsize = AtomicUsize::new(0);

/// The devices that have been opened, and the size of the pipeline cache that each began with.
static OPENED: Mutex<Vec<(Device, usize)>> = Mutex::new(Vec::new());

/// The process that opened devices; 0 before.
static OWNER: AtomicU32 = AtomicU32::new(0);

/// How long the end waits for the device and for helper threads; a kernel that runs longer is
/// left alone.
const PATIENCE: Duration = Duration::from_secs(10);

/// A device was opened. It stays open until the process ends.
pub(crate) fn device_opened(device: &Device, pipelines: usize) {
    OWNER.store(std::process::id(), Ordering::Release);
    OPENED.lock().push((device.clone(), pipelines));
}

/// A batch is being submitted.
pub(crate) fn batch_submitted() {
    SUBMITTED.fetch_add(1, Ordering::AcqRel);
}

/// A batch has ended, or could not be submitted.
pub(crate) fn batch_ended() {
    SUBMITTED.fetch_sub(1, Ordering::AcqRel);
}

/// A helper thread begins some work. Blocks for ever once the process is ending.
pub(crate) fn work() -> RwLockReadGuard<'static, ()> {
    // Recursive: a callback may run inside other work.
    AT_WORK.read_recursive()
}

/// Whether the process is ending. Objects released from now on (by destructors of static objects,
/// say) are left as they are: the Vulkan driver may be gone already.
pub fn is_ending() -> bool {
    ENDING.load(Ordering::Acquire)
}

/// Waits until helper threads are idle, and keeps them so. Called by the process's exit handler.
pub fn quiesce() {
    ENDING.store(true, Ordering::Release);
    // A child that was forked has none of the threads that work ends by, and perhaps locks that
    // nobody will give back.
    if OWNER.load(Ordering::Acquire) != std::process::id() {
        return;
    }
    let start = Instant::now();
    while SUBMITTED.load(Ordering::Acquire) != 0 && start.elapsed() < PATIENCE {
        std::thread::sleep(Duration::from_micros(100));
    }
    // Batches have ended when their timelines say so; the driver's own threads may still be
    // tidying up after them, and would do so in the middle of its destructors.
    if SUBMITTED.load(Ordering::Acquire) == 0 {
        for (device, pipelines) in OPENED.lock().iter() {
            device.wait_idle();
            cache::store_pipelines(device, *pipelines);
        }
    }
    cache::finish(PATIENCE);
    trace::end();
    if let Some(guard) = AT_WORK.try_write_for(PATIENCE) {
        std::mem::forget(guard);
    }
}
