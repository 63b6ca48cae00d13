//! Events: the state of one command, the commands that wait for it, and its callbacks.
//!
//! A [`Node`] is a command in a queue. It counts the events that it waits for; an event holds the nodes
//! that wait for it. This module only keeps that state: `schedule.rs` acts on it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use opencl_sys as cl;
use parking_lot::{Condvar, Mutex};

use crate::base::callback;
use crate::base::clock::host_time;
use crate::base::error::{Error, Result};
use crate::base::object::{Kind, Object, Ref};
use crate::base::reason::Callback;
use crate::command::Command;
use crate::context::Context;
use crate::queue::Queue;
use crate::queue::batch::Place;
use crate::queue::order::Events;

/// The application's event callback, called with the event's handle and the status.
pub type EventCallback = Box<dyn FnOnce(usize, i32) + Send>;

/// The progress that a command needs of an event that it depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Recorded on the same device: a barrier or semaphore orders the rest.
    Recorded,
    /// Finished, its results visible to the host.
    Complete,
}

/// A point on the clock of one command.
#[derive(Clone, Copy, Debug)]
pub enum Moment {
    /// CL_PROFILING_COMMAND_QUEUED
    Queued,
    /// CL_PROFILING_COMMAND_SUBMIT
    Submit,
    /// CL_PROFILING_COMMAND_START
    Start,
    /// CL_PROFILING_COMMAND_END
    End,
    /// CL_PROFILING_COMMAND_COMPLETE: the end of what a kernel has enqueued too. Not marked where that is nothing.
    Complete,
}

struct State {
    /// CL_QUEUED … CL_COMPLETE, or a negative error code.
    status: i32,
    /// The place of the batch that holds the command, once it is recorded.
    batch: Option<Place>,
    /// Commands that wait for this event.
    waiters: Vec<(Progress, Arc<Node>)>,
    /// Callbacks with the status that triggers each.
    callbacks: Vec<(i32, EventCallback)>,
    /// User events that end as this event does.
    followers: Vec<Ref<Event>>,
}

impl State {
    /// Takes the callbacks that a status triggers.
    fn triggered(&mut self, status: i32) -> Vec<(i32, EventCallback)> {
        if self.callbacks.is_empty() {
            return Vec::new();
        }
        let all = std::mem::take(&mut self.callbacks).into_iter();
        let (fired, kept) = all.partition(|(trigger, _)| status <= *trigger);
        self.callbacks = kept;
        fired
    }
}

/// An event object.
pub struct Event {
    context: Ref<Context>,
    /// `None` for a user event.
    queue: Option<Ref<Queue>>,
    /// False where the application knows no queue of the event.
    shows_queue: bool,
    command_type: u32,
    /// Mirrors `state.status`, for reading without the lock.
    status: AtomicI32,
    /// Guards the command's progress and everything that hangs on it.
    state: Mutex<State>,
    /// Signalled when the status or the batch changes.
    changed: Condvar,
    /// True once a command waits for the end, or a callback for any progress.
    is_awaited: AtomicBool,
    times: [AtomicU64; 5],
}

impl std::fmt::Debug for Event {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Event")
            .field("command_type", &self.command_type)
            .field("status", &self.status.load(Ordering::Acquire))
            .finish_non_exhaustive()
    }
}

impl Kind for Event {
    const TAG: u64 = u64::from_le_bytes(*b"pmcEVENT");
    const INVALID: Error = Error::InvalidEvent;

    fn error_callback(&self) -> Option<Callback> {
        self.context.error_callback()
    }
}

impl Event {
    fn make(
        context: Ref<Context>,
        queue: Option<Ref<Queue>>,
        shows_queue: bool,
        command_type: u32,
        status: i32,
    ) -> Ref<Event> {
        let event = Object::new(Event {
            context,
            queue,
            shows_queue,
            command_type,
            status: AtomicI32::new(status),
            state: Mutex::new(State {
                status,
                batch: None,
                waiters: Vec::new(),
                callbacks: Vec::new(),
                followers: Vec::new(),
            }),
            changed: Condvar::new(),
            is_awaited: AtomicBool::new(false),
            times: Default::default(),
        });
        event.mark_now(Moment::Queued);
        event
    }

    /// The event of a command in a queue, CL_QUEUED.
    pub fn of_command(queue: &Ref<Queue>, command: &Command) -> Ref<Event> {
        let several = command
            .parts()
            .is_some_and(|parts| parts.in_several_queues());
        Self::make(
            queue.context().clone(),
            Some(queue.clone()),
            !several,
            command.command_type(),
            cl::CL_QUEUED,
        )
    }

    /// clCreateUserEvent.
    pub fn create_user(context: &Ref<Context>) -> Ref<Event> {
        let (kind, status) = (cl::CL_COMMAND_USER, cl::CL_SUBMITTED);
        context.user_event_opened();
        Self::make(context.clone(), None, false, kind, status)
    }

    /// The event of a fence of another API.
    pub(super) fn of_fence(context: &Ref<Context>, command_type: u32) -> Ref<Event> {
        Self::make(context.clone(), None, false, command_type, cl::CL_SUBMITTED)
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        if self.command_type == cl::CL_COMMAND_USER && *self.status.get_mut() > cl::CL_COMPLETE {
            self.context.user_event_closed();
        }
    }
}

impl Object<Event> {
    /// The context.
    pub fn context(&self) -> &Ref<Context> {
        &self.context
    }

    /// The queue; `None` for a user event.
    pub fn queue(&self) -> Option<&Ref<Queue>> {
        self.queue.as_ref()
    }

    /// CL_EVENT_COMMAND_QUEUE: `None` for a user event and for commands of several queues.
    pub fn shown_queue(&self) -> Option<&Ref<Queue>> {
        self.queue.as_ref().filter(|_| self.shows_queue)
    }

    /// CL_EVENT_COMMAND_EXECUTION_STATUS.
    pub fn status(&self) -> i32 {
        self.status.load(Ordering::Acquire)
    }

    /// Tells whether the command has ended, well or not.
    pub fn is_done(&self) -> bool {
        self.status() <= cl::CL_COMPLETE
    }

    /// The place of the batch that holds the command.
    pub fn batch(&self) -> Option<Place> {
        self.state.lock().batch
    }

    /// Stores a profiling time (nanoseconds of the host's clock).
    pub fn mark(&self, moment: Moment, time: u64) {
        self.times[moment as usize].store(time, Ordering::Release);
    }

    /// Stores this moment as a profiling time that the application alone can ask for, if it can.
    pub(super) fn mark_now(&self, moment: Moment) {
        if self.queue().is_some_and(|queue| queue.profiling()) {
            self.mark(moment, host_time());
        }
    }

    /// Registers `node` to be told; `false` when the event already gives what is needed.
    pub(super) fn subscribe(&self, progress: Progress, node: &Arc<Node>) -> bool {
        let mut state = self.state.lock();
        let satisfied = state.status <= cl::CL_COMPLETE
            || (progress == Progress::Recorded && state.batch.is_some());
        if !satisfied {
            state.waiters.push((progress, node.clone()));
        }
        drop(state);
        if !satisfied && progress == Progress::Complete {
            self.await_end();
        }
        !satisfied
    }

    /// Has the command end also where no thread waits for it.
    fn await_end(&self) {
        // Before the queue is asked: a batch that is submitted meanwhile is not left, or was and is told of.
        self.is_awaited.store(true, Ordering::Release);
        if let Some(queue) = self.queue() {
            queue.tell_of_left();
        }
    }

    /// Tells whether more than a thread of the application's waits for the command.
    pub(super) fn is_awaited(&self) -> bool {
        self.is_awaited.load(Ordering::Acquire)
    }

    /// Notes that the command is recorded in a batch, CL_SUBMITTED; gives the waiters that need no more.
    pub(super) fn set_recorded(self: &Ref<Event>, place: Place) -> Vec<Arc<Node>> {
        let (ready, fired) = {
            let mut state = self.state.lock();
            state.batch = Some(place);
            let mut fired = Vec::new();
            if state.status > cl::CL_SUBMITTED {
                state.status = cl::CL_SUBMITTED;
                self.status.store(cl::CL_SUBMITTED, Ordering::Release);
                fired = state.triggered(cl::CL_SUBMITTED);
            }
            let mut ready = Vec::new();
            state.waiters.retain(|(progress, node)| {
                let wake = *progress == Progress::Recorded;
                if wake {
                    ready.push(node.clone());
                }
                !wake
            });
            (ready, fired)
        };
        self.changed.notify_all();
        self.post_callbacks(fired, cl::CL_SUBMITTED);
        ready
    }

    /// Moves the status forward (never back, never after the end). Callbacks are posted; the
    /// waiters of an ended command are given back. `None` when nothing changed.
    pub(super) fn advance(self: &Ref<Event>, status: i32) -> Option<Vec<Arc<Node>>> {
        self.advance_if(status, |_| true)
    }

    /// As [`Event::advance`], if `may` is true of the status so far.
    pub(super) fn advance_if(
        self: &Ref<Event>,
        status: i32,
        may: impl Fn(i32) -> bool,
    ) -> Option<Vec<Arc<Node>>> {
        let (mut waiters, fired, followers) = {
            let mut state = self.state.lock();
            if state.status <= cl::CL_COMPLETE || status >= state.status || !may(state.status) {
                return None;
            }
            state.status = status;
            self.status.store(status, Ordering::Release);
            let fired = state.triggered(status);
            let waiters = if status <= cl::CL_COMPLETE && !state.waiters.is_empty() {
                std::mem::take(&mut state.waiters)
                    .into_iter()
                    .map(|(_, node)| node)
                    .collect()
            } else {
                Vec::new()
            };
            let followers = match status <= cl::CL_COMPLETE {
                true => std::mem::take(&mut state.followers),
                false => Vec::new(),
            };
            (waiters, fired, followers)
        };
        if self.command_type == cl::CL_COMMAND_USER && status <= cl::CL_COMPLETE {
            self.context.user_event_closed();
        }
        self.changed.notify_all();
        self.post_callbacks(fired, status);
        for follower in followers {
            waiters.extend(follower.advance(status).unwrap_or_default());
        }
        Some(waiters)
    }

    /// Has a user event end as this one does; gives it back with the status if this one has ended.
    pub(super) fn add_follower(&self, follower: Ref<Event>) -> Option<(Ref<Event>, i32)> {
        let mut state = self.state.lock();
        if state.status <= cl::CL_COMPLETE {
            return Some((follower, state.status));
        }
        state.followers.push(follower);
        drop(state);
        self.await_end();
        None
    }

    /// Calls in the order CL_SUBMITTED, CL_RUNNING, CL_COMPLETE, with no lock held.
    fn post_callbacks(self: &Ref<Event>, mut fired: Vec<(i32, EventCallback)>, status: i32) {
        fired.sort_by_key(|(trigger, _)| std::cmp::Reverse(*trigger));
        for (trigger, function) in fired {
            // An abnormal end is passed on as it is, whatever status was asked for.
            let reported = if status < 0 { status } else { trigger };
            let event = self.clone();
            callback::post(move || function(event.handle(), reported));
        }
    }

    /// clSetEventCallback.
    ///
    /// # Errors
    /// Those that the specification lists for clSetEventCallback, in its order.
    pub fn set_callback(self: &Ref<Event>, trigger: i32, function: EventCallback) -> Result<()> {
        // CL_INVALID_VALUE if the callback type is not CL_SUBMITTED, CL_RUNNING or CL_COMPLETE.
        if ![cl::CL_SUBMITTED, cl::CL_RUNNING, cl::CL_COMPLETE].contains(&trigger) {
            return Err(Error::InvalidValue);
        }
        let status = {
            let mut state = self.state.lock();
            if state.status > trigger {
                state.callbacks.push((trigger, function));
                drop(state);
                self.await_end();
                return Ok(());
            }
            state.status
        };
        self.post_callbacks(vec![(trigger, function)], status);
        Ok(())
    }

    /// Blocks until the command has ended or is recorded; returns the place of its batch in the second case.
    pub(super) fn wait_recorded(&self) -> Option<Place> {
        let mut state = self.state.lock();
        while state.status > cl::CL_COMPLETE && state.batch.is_none() {
            self.changed.wait(&mut state);
        }
        state.batch.filter(|_| state.status > cl::CL_COMPLETE)
    }

    /// Blocks until something changes or `limit` has passed, unless the command has ended.
    pub(super) fn wait_change(&self, limit: Duration) {
        let mut state = self.state.lock();
        if state.status > cl::CL_COMPLETE {
            self.changed.wait_for(&mut state, limit);
        }
    }

    /// CL_EVENT_COMMAND_TYPE.
    pub fn command_type(&self) -> u32 {
        self.command_type
    }

    /// A profiling time (nanoseconds of the host's clock).
    pub fn time(&self, moment: Moment) -> u64 {
        let marked = |moment: Moment| self.times[moment as usize].load(Ordering::Acquire);
        match moment {
            Moment::Complete => marked(Moment::Complete).max(marked(Moment::End)),
            moment => marked(moment),
        }
    }
}

/// A command in a queue.
pub struct Node {
    /// The command's event.
    pub event: Ref<Event>,
    /// The queue.
    pub queue: Ref<Queue>,
    /// The command.
    pub command: Command,
    /// The events of the wait list, whose failure is passed on.
    pub wait_list: Vec<Ref<Event>>,
    /// True if the application has the event, and may ask for the command's times.
    pub gives_event: bool,
    /// True if the application learns how the command ends: by its event, or since its call waits.
    pub is_told: bool,
    /// Commands of the device's queues that it follows once they are recorded: those of other queues by
    /// semaphores, those of its own, if that is out of order, by a barrier.
    pub after: Events,
    /// Dependencies not yet satisfied, plus one while the node is being set up.
    pub pending: AtomicUsize,
}

impl std::fmt::Debug for Node {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Node").field("event", &*self.event).finish()
    }
}

impl Node {
    /// Tells whether an event of the wait list ended abnormally.
    pub fn wait_list_failed(&self) -> bool {
        self.wait_list.iter().any(|e| e.status() < 0)
    }

    /// Notes that one dependency is satisfied; true when it was the last.
    pub fn satisfy(&self) -> bool {
        self.pending.fetch_sub(1, Ordering::AcqRel) == 1
    }
}
