//! The thread that runs the application's callbacks.
//!
//! One thread for the process, started at the first callback. Callbacks never run on a thread
//! that waits for the driver or completes commands: the application may hold a lock of its own
//! around clFinish that its callback takes too.

use std::cell::Cell;
use std::sync::OnceLock;

use crossbeam_channel::{Sender, unbounded};

use crate::base::exit;
use crate::base::log;

thread_local! {
    static IS_CALLBACK_THREAD: Cell<bool> = const { Cell::new(false) };
}

/// Tells whether this is the callback thread, which must not wait for callbacks.
pub fn is_callback_thread() -> bool {
    IS_CALLBACK_THREAD.get()
}

type Job = Box<dyn FnOnce() + Send>;

/// Runs `job` on the callback thread, after the jobs posted before it.
pub fn post(job: impl FnOnce() + Send + 'static) {
    static SENDER: OnceLock<Option<Sender<Job>>> = OnceLock::new();
    let sender = SENDER.get_or_init(|| {
        let (sender, receiver) = unbounded::<Job>();
        std::thread::Builder::new()
            .name("pumice-callback".into())
            .spawn(move || {
                IS_CALLBACK_THREAD.set(true);
                for job in receiver {
                    let _work = exit::begin_work();
                    job();
                }
            })
            .inspect_err(|error| log::error!("cannot start the callback thread: {error}"))
            .ok()
            .map(|_| sender)
    });
    match sender {
        // The receiver lives as long as its thread, which never ends.
        Some(sender) => drop(sender.send(Box::new(job))),
        None => job(),
    }
}
