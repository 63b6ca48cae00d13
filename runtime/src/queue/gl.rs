//! Events of fences of OpenGL and EGL (cl_khr_gl_event, cl_khr_egl_event), and the order between a release and what the
//! same thread tells OpenGL next.

use std::time::Duration;

use opencl_sys as cl;
use parking_lot::Mutex;
use pumice_gl_layer::{EglSync, Fence, Gl, SyncState};

use super::event::Event;
use super::schedule::complete;
use crate::base::error::{Error, Result};
use crate::base::exit;
use crate::base::log;
use crate::base::object::{Object, Ref};
use crate::context::Context;

/// The time between two looks at fences that have not been passed.
const INTERVAL: Duration = Duration::from_micros(500);

/// A look at a fence; does not wait.
type Poll = Box<dyn Fn(&Ref<Context>) -> SyncState + Send>;

/// A fence that somebody may wait for.
struct Watch {
    event: Ref<Event>,
    poll: Poll,
}

/// The fences that have not been passed, and the thread that looks at them.
struct Watches {
    list: Vec<Watch>,
    has_thread: bool,
}

/// Guards the fences. No event is ended under the lock.
static WATCHES: Mutex<Watches> = Mutex::new(Watches {
    list: Vec::new(),
    has_thread: false,
});

/// The status of an event once its fence is in a state; `None` while it waits.
fn status(state: SyncState) -> Option<i32> {
    match state {
        SyncState::Waiting => None,
        SyncState::Passed => Some(cl::CL_COMPLETE),
        SyncState::Gone => {
            log::error!("a fence of OpenGL was deleted before it was passed: its event fails");
            Some(Error::InvalidGlObject.code())
        }
    }
}

/// Looks at all fences and ends the events of those that have been passed. False if none is left: the thread ends.
fn look() -> bool {
    let _work = exit::begin_work();
    let watches = std::mem::take(&mut WATCHES.lock().list);
    let mut left = Vec::new();
    for watch in watches {
        match status((watch.poll)(watch.event.context())) {
            Some(status) => drop(complete(&watch.event, status)),
            None => left.push(watch),
        }
    }
    let mut watches = WATCHES.lock();
    watches.list.extend(left);
    watches.has_thread = !watches.list.is_empty();
    watches.has_thread
}

/// Makes the event of a fence and has a thread look at it until it is passed.
fn watch(context: &Ref<Context>, command_type: u32, poll: Poll) -> Result<Ref<Event>> {
    let event = Event::of_fence(context, command_type);
    if let Some(status) = status(poll(context)) {
        complete(&event, status);
        return Ok(event);
    }
    let mut watches = WATCHES.lock();
    if !watches.has_thread {
        let work = || {
            while look() {
                std::thread::sleep(INTERVAL);
            }
        };
        let builder = std::thread::Builder::new().name("pumice-gl-fence".into());
        if builder.spawn(work).is_err() {
            return Err(Error::OutOfResources.because("a thread cannot be started"));
        }
        watches.has_thread = true;
    }
    watches.list.push(Watch {
        event: event.clone(),
        poll,
    });
    Ok(event)
}

/// The state of a fence by its own answer or, once the application has deleted it, by that of a fence of our own that
/// follows it.
fn state_of(
    context: &Ref<Context>,
    own: Option<Fence>,
    ask: impl FnOnce(&Gl) -> SyncState + Send,
) -> SyncState {
    let ask = |gl: &Gl| {
        let state = match (ask(gl), own) {
            (SyncState::Gone, Some(own)) => gl.wait(own, 0),
            (state, _) => state,
        };
        if let (Some(own), true) = (own, state != SyncState::Waiting) {
            gl.delete(own);
        }
        state
    };
    let group = context.share_group().ok();
    let state = group.and_then(|group| group.call(ask));
    state.unwrap_or(SyncState::Gone)
}

/// clCreateEventFromGLsyncKHR.
///
/// # Errors
/// Those that the specification lists for clCreateEventFromGLsyncKHR, in its order.
pub fn of_gl_sync(context: &Ref<Context>, sync: usize) -> Result<Ref<Event>> {
    let group = context.share_group()?;
    let fence = Fence(sync);
    // What is behind a fence that nobody flushes never begins.
    group.flush_here();
    // CL_INVALID_GL_OBJECT if sync is not the name of a sync object of the share group.
    let own = group.call(|gl| gl.is_fence(fence).then(|| gl.follow(fence)));
    let Some(Some(own)) = own else {
        return Err(Error::InvalidGlObject.because("sync is no fence of the share group"));
    };
    let poll = move |context: &Ref<Context>| state_of(context, Some(own), |gl| gl.wait(fence, 0));
    watch(
        context,
        cl::CL_COMMAND_GL_FENCE_SYNC_OBJECT_KHR,
        Box::new(poll),
    )
}

/// clCreateEventFromEGLSyncKHR, with a sync object that was found valid.
///
/// # Errors
/// Those that the specification lists for clCreateEventFromEGLSyncKHR, in its order.
pub fn of_egl_sync(context: &Ref<Context>, sync: EglSync) -> Result<Ref<Event>> {
    let group = context.share_group()?;
    group.flush_here();
    let own = match group.is_of_egl() {
        true => group.call(|gl| sync.wait_in_context().then(|| gl.fence())),
        false => None,
    };
    let own = own.flatten();
    let poll = move |context: &Ref<Context>| state_of(context, own, |_| sync.poll());
    watch(
        context,
        cl::cl_egl::CL_COMMAND_EGL_FENCE_SYNC_OBJECT_KHR,
        Box::new(poll),
    )
}

impl Object<Event> {
    /// Tells whether it is the event of a fence, which only commands that acquire and release may wait for.
    pub(super) fn is_of_fence(&self) -> bool {
        matches!(
            self.command_type(),
            cl::CL_COMMAND_GL_FENCE_SYNC_OBJECT_KHR
                | cl::cl_egl::CL_COMMAND_EGL_FENCE_SYNC_OBJECT_KHR
        )
    }

    /// Waits for a release of objects to OpenGL on behalf of the thread, which uses them next. While the application has user
    /// events to set, which the release may wait for, only what ends without it is waited for.
    pub fn wait_before_gl(self: &Ref<Event>) {
        if let Some(queue) = self.queue() {
            queue.flush();
        }
        while !self.is_done() {
            if self.context().has_open_user_events() {
                log::warn!(
                    "a release to OpenGL may wait for a user event: OpenGL must not use the objects before its event has ended"
                );
                return;
            }
            if let Some(queue) = self.queue() {
                queue.retire();
            }
            self.wait_change(INTERVAL);
        }
    }
}
