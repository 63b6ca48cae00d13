//! The threads of the compiler: a large stack, and a guard against its panics.
//!
//! The compiler itself has no threads and no globals. A panic in it is a build failure with a log, never
//! the application's end.

use std::io::ErrorKind;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crossbeam_channel::{Sender, bounded, unbounded};
use parking_lot::Mutex;
use pumice_budget as budget;
use pumice_compiler::STACK_BYTES;

use crate::base::error::{Error, Result};
use crate::base::exit;
use crate::base::log;

/// The next work of a compiling thread.
type Job = Box<dyn FnOnce() + Send>;

/// Compiling threads that have nothing to do. A thread with its stack and its share of the
/// heap costs as much as compiling a small kernel, so they are kept.
static IDLE: Mutex<Vec<Sender<Job>>> = Mutex::new(Vec::new());
/// More idle threads than this are not kept.
const MAX_IDLE: usize = 2;

/// clUnloadPlatformCompiler: ends the threads that are kept, with their stacks.
pub fn unload_compiler() {
    let idle = std::mem::take(&mut *IDLE.lock());
    drop(idle);
}

/// Starts a compiling thread, with a stack that deeply nested source does not overflow. Fails too if the stack takes
/// the last memory: what a job allocates before it looks at its budget would end the process.
fn start_compiler() -> std::io::Result<Sender<Job>> {
    let (sender, jobs) = unbounded::<Job>();
    std::thread::Builder::new()
        .name("pumice-compile".into())
        .stack_size(STACK_BYTES)
        .spawn(move || {
            for job in jobs {
                job();
            }
        })?;
    if budget::has_headroom() {
        Ok(sender)
    } else {
        Err(ErrorKind::OutOfMemory.into())
    }
}

/// Runs a job of the compiler that nobody waits for. Without memory for a thread it is left out; a panic in it is logged.
/// The end of the process does not wait for it, and takes the Vulkan driver apart meanwhile: what the job holds, perhaps as the
/// last one, is let go as a helper thread's work.
pub(super) fn in_background<T: Send + 'static>(held: T, job: impl FnOnce(&T) + Send + 'static) {
    let idle = IDLE.lock().pop();
    let Ok(compiler) = idle.map_or_else(start_compiler, Ok) else {
        return;
    };
    let kept = compiler.clone();
    let _ = compiler.send(Box::new(move || {
        if catch_unwind(AssertUnwindSafe(|| job(&held))).is_err() {
            log::error!("the compiler panicked: this is a bug of Pumice");
        }
        let work = exit::begin_work();
        drop(held);
        drop(work);
        keep(kept);
    }));
}

/// Keeps a compiling thread that has nothing to do.
fn keep(compiler: Sender<Job>) {
    let mut idle = IDLE.lock();
    if idle.len() < MAX_IDLE {
        idle.push(compiler);
    }
}

/// Runs a job of the compiler; a panic in it becomes `failed`'s answer.
///
/// # Errors
/// CL_OUT_OF_HOST_MEMORY if there is no memory for the thread.
pub(super) fn on_large_stack<T: Send + 'static>(
    job: impl FnOnce() -> T + Send + 'static,
    failed: impl FnOnce(&str) -> T,
) -> Result<T> {
    let idle = IDLE.lock().pop();
    let compiler = idle.map_or_else(start_compiler, Ok).map_err(|error| {
        log::error!("cannot start the compiler: {error}");
        Error::OutOfHostMemory
    })?;
    let (done, result) = bounded(1);
    let sent = compiler.send(Box::new(move || {
        let _ = done.send(catch_unwind(AssertUnwindSafe(job)));
    }));
    let answer = sent
        .ok()
        .and_then(|()| exit::outside(|| result.recv().ok()));
    keep(compiler);
    Ok(match answer {
        Some(Ok(value)) => value,
        _ => {
            log::error!("the compiler panicked: this is a bug of Pumice");
            failed(
                "error: internal compiler error\nnote: this is a bug of Pumice; PUMICE_DUMP=FOLDER writes the source to report it with\n",
            )
        }
    })
}
