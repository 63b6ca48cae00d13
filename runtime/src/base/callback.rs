//! The threads that run the application's callbacks.
//!
//! One thread for the process, started at the first callback, and another for the text of cl_arm_printf, for which clFinish
//! waits. Callbacks never run on a thread that waits for the driver or completes commands, and nothing that a command needs
//! to end is done behind them: the application may hold a lock of its own around clFinish that its callback takes too.
//!
//! Yet other drivers call an event's callbacks before anyone learns of the command's end, and applications count on that: ImageMagick's
//! callback uses what is destroyed once a blocking call has returned. So waits stay for callbacks, but not for long ([`wait_called`]).

use std::cell::Cell;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use crossbeam_channel::{Sender, unbounded};
use parking_lot::{Condvar, Mutex};

use crate::base::exit;
use crate::base::log;

thread_local! {
    static IS_CALLBACK_THREAD: Cell<bool> = const { Cell::new(false) };
}

/// Tells whether this is a callback thread, which must not wait for callbacks.
pub fn is_callback_thread() -> bool {
    IS_CALLBACK_THREAD.get()
}

type Job = Box<dyn FnOnce() + Send>;

/// The time for which a wait for commands stays for callbacks.
pub const STAY_OF_WAITS: Duration = Duration::from_millis(10);
/// The time for which a build stays for its callback.
pub const STAY_OF_BUILDS: Duration = Duration::from_secs(1);

/// Numbers of jobs of the callback thread.
struct Calls {
    posted: u64,
    returned: u64,
    /// A wait has stayed in vain for so many.
    given_up: u64,
}

static CALLS: Mutex<Calls> = Mutex::new(Calls {
    posted: 0,
    returned: 0,
    given_up: 0,
});
static RETURNED: Condvar = Condvar::new();

/// Runs `job` on the callback thread, after the jobs posted before it.
pub fn post(job: impl FnOnce() + Send + 'static) {
    static SENDER: OnceLock<Option<Sender<Job>>> = OnceLock::new();
    CALLS.lock().posted += 1;
    let counted = move || {
        job();
        CALLS.lock().returned += 1;
        RETURNED.notify_all();
    };
    post_to(&SENDER, "pumice-callback", Box::new(counted));
}

/// Waits until the jobs posted so far have returned, for the time `stay` at most. Does not wait for those for which it has
/// done so in vain, nor on a callback thread.
pub fn wait_called(stay: Duration) {
    if is_callback_thread() {
        return;
    }
    let mut calls = CALLS.lock();
    let (posted, end) = (calls.posted, Instant::now() + stay);
    while calls.returned < posted && calls.given_up <= calls.returned {
        if RETURNED.wait_until(&mut calls, end).timed_out() {
            calls.given_up = posted;
        }
    }
}

/// Runs `job`, which gives the application text, on the thread for that, after the jobs posted before it.
pub fn post_text(job: impl FnOnce() + Send + 'static) {
    static SENDER: OnceLock<Option<Sender<Job>>> = OnceLock::new();
    post_to(&SENDER, "pumice-printf", Box::new(job));
}

/// Runs `job`, which ends commands that could not be submitted, on the thread for that: it holds none of the locks that the
/// caller may hold, and stands behind no callback.
pub fn post_failure(job: impl FnOnce() + Send + 'static) {
    static SENDER: OnceLock<Option<Sender<Job>>> = OnceLock::new();
    post_to(&SENDER, "pumice-failed", Box::new(job));
}

/// Runs `job` on the thread behind `sender`, which is started if there is none.
fn post_to(sender: &'static OnceLock<Option<Sender<Job>>>, thread: &'static str, job: Job) {
    let sender = sender.get_or_init(|| {
        let (sender, receiver) = unbounded::<Job>();
        std::thread::Builder::new()
            .name(thread.into())
            .spawn(move || {
                IS_CALLBACK_THREAD.set(true);
                for job in receiver {
                    let _work = exit::begin_work();
                    job();
                }
            })
            .inspect_err(|error| log::error!("cannot start the thread {thread}: {error}"))
            .ok()
            .map(|_| sender)
    });
    match sender {
        // The receiver lives as long as its thread, which never ends.
        Some(sender) => drop(sender.send(job)),
        None => job(),
    }
}
