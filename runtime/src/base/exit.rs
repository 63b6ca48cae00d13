//! The end of the process, and its children.
//!
//! The driver's helper threads live until the process ends. While its exit handlers and the
//! destructors of other libraries run, the Vulkan driver and its layers take themselves apart;
//! a helper thread that is inside Vulkan at that moment would crash, and so would a driver that
//! runs kernels on threads of its own. So the end first waits for what has been submitted, and
//! helper threads register their work and the application's threads their calls, which [`quiesce`]
//! lets end and then never lets begin again.
//!
//! A child that was forked has one thread and copies of locks: neither our helper threads nor the
//! Vulkan driver's are there. Once a device is open, a child can only query and release.

use std::cell::Cell;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

/// The helper threads at work.
static WORKERS: Workers = Workers {
    state: Mutex::new(WorkersState {
        at_work: 0,
        closed: false,
    }),
    changed: Condvar::new(),
};

struct Workers {
    /// Guards the count.
    state: Mutex<WorkersState>,
    /// A thread has ended its work.
    changed: Condvar,
}

struct WorkersState {
    /// Threads at work.
    at_work: usize,
    /// True if the process is ending, so that no work may begin.
    closed: bool,
}

/// A thread, as the end of the process sees it.
struct Thread {
    /// The depth of work that it is in: a callback may run inside other work.
    depth: Cell<usize>,
    /// True in a call that counts: its callbacks may make others.
    in_call: Cell<bool>,
    /// True on the thread that ends the process, whose destructors may release objects.
    ends_process: Cell<bool>,
}

thread_local! {
    /// One value: a look-up of such a value costs a library twenty instructions, in each call of the API.
    static THREAD: Thread = const {
        Thread {
            depth: Cell::new(0),
            in_call: Cell::new(false),
            ends_process: Cell::new(false),
        }
    };
}

/// Tells whether this thread is in a call that counts.
fn in_call() -> bool {
    THREAD.with(|thread| thread.in_call.get())
}

/// Some work of a helper thread; it ends with the value.
#[must_use]
pub(crate) struct WorkGuard {
    /// It ends on the thread that began it.
    _not_send: PhantomData<*const ()>,
}

impl Drop for WorkGuard {
    fn drop(&mut self) {
        let depth = THREAD.with(|thread| {
            let depth = thread.depth.get() - 1;
            thread.depth.set(depth);
            depth
        });
        if depth == 0 {
            WORKERS.state.lock().at_work -= 1;
            WORKERS.changed.notify_all();
        }
    }
}

/// Calls of the API that are under way, without those that wait for the application or the compiler.
static CALLS: AtomicUsize = AtomicUsize::new(0);

/// Set once calls of the API may not begin any more.
static CALLS_CLOSED: AtomicBool = AtomicBool::new(false);

/// The time for which a call that begins too late waits for the process's end. It then fails, so
/// that a destructor may join its thread.
const LATE: Duration = Duration::from_secs(1);

/// A call of the API; it ends with the value.
#[must_use]
pub struct CallGuard {
    /// False inside another call, or inside work, whose guard counts.
    counted: bool,
    /// It ends on the thread that began it.
    _not_send: PhantomData<*const ()>,
}

impl std::fmt::Debug for CallGuard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CallGuard").finish_non_exhaustive()
    }
}

impl Drop for CallGuard {
    fn drop(&mut self) {
        if self.counted {
            THREAD.with(|thread| thread.in_call.set(false));
            CALLS.fetch_sub(1, Ordering::SeqCst);
        }
    }
}

/// Begins a call of the API, which ends with the guard. Gives `None`, late, once the process has
/// come so far with its end that the Vulkan driver may be gone.
#[must_use]
pub fn begin_call() -> Option<CallGuard> {
    let counted = THREAD.with(|thread| {
        let counted = !thread.in_call.get() && thread.depth.get() == 0;
        if counted && !count_call(thread) {
            return None;
        }
        thread.in_call.set(counted || thread.in_call.get());
        Some(counted)
    });
    if counted.is_none() {
        std::thread::sleep(LATE);
    }
    Some(CallGuard {
        counted: counted?,
        _not_send: PhantomData,
    })
}

/// Counts a call, unless none may begin any more. The call is counted before the test, and the test's
/// flag is set before calls are counted, so that one of the two sees the other.
fn count_call(thread: &Thread) -> bool {
    CALLS.fetch_add(1, Ordering::SeqCst);
    let begins = !CALLS_CLOSED.load(Ordering::SeqCst) || thread.ends_process.get();
    if !begins {
        CALLS.fetch_sub(1, Ordering::SeqCst);
    }
    begins
}

/// Waits, by `wait`, for the application or the compiler: the end of the process does not wait for
/// that.
pub(crate) fn outside<R>(wait: impl FnOnce() -> R) -> R {
    if !in_call() {
        return wait();
    }
    CALLS.fetch_sub(1, Ordering::SeqCst);
    let result = wait();
    if !THREAD.with(count_call) {
        std::thread::sleep(LATE);
        CALLS.fetch_add(1, Ordering::SeqCst);
    }
    result
}

/// Set once the process is ending.
static ENDING: AtomicBool = AtomicBool::new(false);

/// Batches that were submitted, or are about to be.
static BEGUN: AtomicUsize = AtomicUsize::new(0);

/// Those of [`BEGUN`] that have ended.
static ENDED: AtomicUsize = AtomicUsize::new(0);

/// A stage of the process's end, in the order in which they run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stage {
    /// Devices become idle.
    Devices,
    /// The cache is written.
    Cache,
}

/// The process's end, as its jobs see it.
pub(crate) struct Ending {
    /// True if all that was submitted has ended.
    pub idle: bool,
    deadline: Instant,
}

impl Ending {
    /// The time that is left.
    pub fn time_left(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }
}

type EndJob = Box<dyn Fn(&Ending) + Send>;

/// Guards the jobs of the process's end.
static AT_END: Mutex<Vec<(Stage, EndJob)>> = Mutex::new(Vec::new());

/// The process that opened devices; 0 before.
static OWNER: AtomicU32 = AtomicU32::new(0);

/// Set once a device is open whose driver's exit handlers must not run in a forked child.
static FORKED_EXITS: AtomicBool = AtomicBool::new(false);

/// Set in children that were forked after a device was opened.
static FORKED: AtomicBool = AtomicBool::new(false);

/// The longest that the end waits in all for the device, the cache and helper threads; a kernel that runs
/// longer is left alone.
const PATIENCE: Duration = Duration::from_secs(10);

/// The microseconds that [`settle`] has waited: they count for [`PATIENCE`].
static SETTLING: AtomicU64 = AtomicU64::new(0);

/// Set once the process runs its exit handlers, though the application's may still use OpenCL.
static LEAVING: AtomicBool = AtomicBool::new(false);

/// The longest that the exit handlers of a forked child may do nothing.
const STUCK: Duration = Duration::from_secs(2);

/// Adds a job to the process's end.
pub(crate) fn at_end(stage: Stage, job: impl Fn(&Ending) + Send + 'static) {
    AT_END.lock().push((stage, Box::new(job)));
}

/// Notes that a device was opened, and whether its driver's exit handlers fail in a forked child. It stays open until the
/// process ends.
pub(crate) fn device_opened(forked_exits_fail: bool) {
    OWNER.store(std::process::id(), Ordering::Release);
    FORKED_EXITS.fetch_or(forked_exits_fail, Ordering::AcqRel);
}

/// Counts a batch that is about to be submitted: the end of the process waits for its
/// [`batch_ended`]. Returns false once the process is ending; nothing may be submitted then.
///
/// The batch is counted before the test, and the end is set before it counts batches, so that one
/// of the two sees the other (sequentially consistent on both sides).
#[must_use]
pub(crate) fn begin_batch() -> bool {
    BEGUN.fetch_add(1, Ordering::SeqCst);
    let goes_on = !ENDING.load(Ordering::SeqCst);
    if !goes_on {
        batch_ended();
    }
    goes_on
}

/// Uncounts a batch that has ended, or could not be submitted.
pub(crate) fn batch_ended() {
    ENDED.fetch_add(1, Ordering::SeqCst);
}

/// Begins some work of a helper thread, which ends with the guard. Blocks for ever once the process
/// is ending.
pub(crate) fn begin_work() -> WorkGuard {
    let depth = THREAD.with(|thread| thread.depth.get());
    if depth == 0 {
        let mut state = WORKERS.state.lock();
        while state.closed {
            WORKERS.changed.wait(&mut state);
        }
        state.at_work += 1;
    }
    THREAD.with(|thread| thread.depth.set(depth + 1));
    WorkGuard {
        _not_send: PhantomData,
    }
}

/// Tells whether the process is ending.
pub(crate) fn is_ending() -> bool {
    ENDING.load(Ordering::Acquire)
}

/// Tells whether the process runs its exit handlers: nothing should begin then that can as well be left out.
pub(crate) fn is_leaving() -> bool {
    LEAVING.load(Ordering::Acquire)
}

/// Notes that this process is a child that was just forked. Takes no lock: other threads' locks may
/// be held here for ever.
pub fn forked() {
    // Calls of threads that are not there never end.
    CALLS.store(usize::from(in_call()), Ordering::SeqCst);
    if OWNER.load(Ordering::Acquire) != 0 {
        FORKED.store(true, Ordering::Release);
    }
}

/// Tells whether this process was forked from one that had opened a device, so that the threads are
/// missing by which commands and builds end.
pub fn is_forked() -> bool {
    FORKED.load(Ordering::Acquire)
}

/// Tells whether this is such a process, and a driver's exit handlers fail in it.
pub fn forked_exits_fail() -> bool {
    is_forked() && FORKED_EXITS.load(Ordering::Acquire)
}

/// Tells whether objects that are released are left as they are: at the end of the process (by
/// destructors of static objects, say) the Vulkan driver may be gone already, and in a forked child
/// its threads are.
pub fn keeps_released() -> bool {
    is_ending() || is_forked()
}

/// Returns once the process has used no processor time for [`STUCK`]; never, where that cannot be
/// known.
pub fn wait_until_stuck() {
    // User and system time of all threads: the 12th and 13th fields behind the name, which may hold
    // anything but the last bracket (proc_pid_stat(5)).
    let processor_time = || {
        let text = std::fs::read_to_string("/proc/self/stat").ok()?;
        let fields = text.rsplit_once(')')?.1;
        let times: Vec<u64> = (fields.split_whitespace().skip(11).take(2))
            .filter_map(|field| field.parse().ok())
            .collect();
        (times.len() == 2).then(|| times.iter().sum::<u64>())
    };
    let mut last = (processor_time(), Instant::now());
    loop {
        std::thread::sleep(STUCK / 20);
        let now = processor_time();
        if now.is_none() || now != last.0 {
            last = (now, Instant::now());
        } else if last.1.elapsed() >= STUCK {
            return;
        }
    }
}

/// Waits for the batches that the device has at this moment, and leaves everything usable. For exit handlers
/// before the one that calls [`quiesce`].
pub fn settle() {
    if !has_device() {
        return;
    }
    LEAVING.store(true, Ordering::Release);
    let start = Instant::now();
    let spent = Duration::from_micros(SETTLING.load(Ordering::Acquire));
    let begun = BEGUN.load(Ordering::SeqCst);
    // Batches of several queues may end in another order; the number is what can be waited for.
    while ENDED.load(Ordering::SeqCst) < begun && spent + start.elapsed() < PATIENCE {
        std::thread::sleep(Duration::from_micros(100));
    }
    let spent = u64::try_from(start.elapsed().as_micros()).unwrap_or(u64::MAX);
    SETTLING.fetch_add(spent, Ordering::AcqRel);
}

/// Tells whether this process has opened a device, which its exit handlers wait for.
pub fn has_device() -> bool {
    OWNER.load(Ordering::Acquire) == std::process::id()
}

/// Waits until helper threads are idle, and keeps them so. Called by the process's exit handler,
/// which may run inside a callback of the application's.
pub fn quiesce() {
    THREAD.with(|thread| thread.ends_process.set(true));
    ENDING.store(true, Ordering::SeqCst);
    // A child that was forked has none of the threads that work ends by, and perhaps locks that
    // nobody will give back.
    if !has_device() {
        return;
    }
    let spent = Duration::from_micros(SETTLING.load(Ordering::Acquire));
    let end = Instant::now() + PATIENCE.saturating_sub(spent);
    let idle = || ENDED.load(Ordering::SeqCst) == BEGUN.load(Ordering::SeqCst);
    while !idle() && Instant::now() < end {
        std::thread::sleep(Duration::from_micros(100));
    }
    let ending = Ending {
        idle: idle(),
        deadline: end,
    };
    let mut jobs = std::mem::take(&mut *AT_END.lock());
    jobs.sort_by_key(|(stage, _)| *stage);
    for (_, job) in jobs {
        job(&ending);
    }
    CALLS_CLOSED.store(true, Ordering::SeqCst);
    let own_call = usize::from(in_call());
    while CALLS.load(Ordering::SeqCst) > own_call && Instant::now() < end {
        std::thread::sleep(Duration::from_micros(100));
    }
    let own = usize::from(THREAD.with(|thread| thread.depth.get()) > 0);
    let mut state = WORKERS.state.lock();
    state.closed = true;
    while state.at_work > own && !WORKERS.changed.wait_until(&mut state, end).timed_out() {}
}
