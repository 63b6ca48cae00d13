//! Events: the state of one command, who waits for it, and what to call when it changes.

use std::sync::Arc;
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use opencl_sys as cl;
use parking_lot::{Condvar, Mutex};

use crate::callback;
use crate::context::Context;
use crate::device::host_time;
use crate::error::{Error, Result};
use crate::info::Info;
use crate::object::{Kind, Object, Ref};
use crate::queue::Queue;
use crate::scheduler::{self, Node};

/// How long a host wait spins before it blocks.
const SPIN: Duration = Duration::from_micros(40);

/// What the application's event callback gets: the event's handle and the status.
pub type EventCallback = Box<dyn FnOnce(usize, i32) + Send>;

/// What a command needs from an event that it depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
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
}

struct State {
    /// CL_QUEUED … CL_COMPLETE, or a negative error code.
    status: i32,
    /// The timeline value of the queue's batch that holds the command, once it is recorded.
    batch: Option<u64>,
    /// Commands that wait for this event.
    waiters: Vec<(Need, Arc<Node>)>,
    /// Callbacks with the status that triggers each.
    callbacks: Vec<(i32, EventCallback)>,
}

/// An event object.
pub struct Event {
    context: Ref<Context>,
    /// `None` for a user event.
    queue: Option<Ref<Queue>>,
    command_type: u32,
    /// Mirrors `state.status`, for reading without the lock.
    status: AtomicI32,
    /// Guards the command's progress and everything that hangs on it.
    state: Mutex<State>,
    /// Signalled when the status or the batch changes.
    changed: Condvar,
    times: [AtomicU64; 4],
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
}

impl Event {
    fn make(
        context: Ref<Context>,
        queue: Option<Ref<Queue>>,
        command_type: u32,
        status: i32,
    ) -> Ref<Event> {
        let event = Object::new(Event {
            context,
            queue,
            command_type,
            status: AtomicI32::new(status),
            state: Mutex::new(State {
                status,
                batch: None,
                waiters: Vec::new(),
                callbacks: Vec::new(),
            }),
            changed: Condvar::new(),
            times: Default::default(),
        });
        event.mark(Moment::Queued, host_time());
        event
    }

    /// The event of a command in a queue, CL_QUEUED.
    pub fn of_command(queue: &Ref<Queue>, command_type: u32) -> Ref<Event> {
        Self::make(
            queue.context().clone(),
            Some(queue.clone()),
            command_type,
            cl::CL_QUEUED,
        )
    }

    /// clCreateUserEvent.
    pub fn create_user(context: &Ref<Context>) -> Ref<Event> {
        Self::make(context.clone(), None, cl::CL_COMMAND_USER, cl::CL_SUBMITTED)
    }

    /// clWaitForEvents.
    pub fn wait_all(events: &[Ref<Event>]) -> Result<()> {
        // CL_INVALID_VALUE if num_events is zero or event_list is NULL.
        let Some(first) = events.first() else {
            return Err(Error::InvalidValue);
        };
        // CL_INVALID_CONTEXT if the events are not of one context.
        if events
            .iter()
            .any(|e| e.context.handle() != first.context.handle())
        {
            return Err(Error::InvalidContext);
        }
        // Flush all queues first: the commands may depend on each other across queues.
        for event in events {
            if let Some(queue) = &event.queue {
                queue.flush();
            }
        }
        for event in events {
            event.wait();
        }
        // CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST if any of them ended abnormally.
        if events.iter().any(|e| e.status() < 0) {
            return Err(Error::ExecStatusErrorForEventsInWaitList);
        }
        Ok(())
    }
}

impl Object<Event> {
    /// clSetUserEventStatus.
    pub fn set_user_status(self: &Ref<Event>, status: i32) -> Result<()> {
        // CL_INVALID_EVENT if event is not a user event.
        if self.command_type != cl::CL_COMMAND_USER {
            return Err(Error::InvalidEvent);
        }
        // CL_INVALID_VALUE if the status is not CL_COMPLETE or a negative integer.
        if status > cl::CL_COMPLETE {
            return Err(Error::InvalidValue);
        }
        // CL_INVALID_OPERATION if the status has already been changed.
        if self.is_done() {
            return Err(Error::InvalidOperation);
        }
        if !scheduler::complete(self, status) {
            return Err(Error::InvalidOperation);
        }
        Ok(())
    }

    /// The context.
    pub fn context(&self) -> &Ref<Context> {
        &self.context
    }

    /// The queue; `None` for a user event.
    pub fn queue(&self) -> Option<&Ref<Queue>> {
        self.queue.as_ref()
    }

    /// CL_EVENT_COMMAND_EXECUTION_STATUS.
    pub fn status(&self) -> i32 {
        self.status.load(Ordering::Acquire)
    }

    /// Whether the command has ended, well or not.
    pub fn is_done(&self) -> bool {
        self.status() <= cl::CL_COMPLETE
    }

    /// The timeline value of the queue's batch that holds the command.
    pub fn batch(&self) -> Option<u64> {
        self.state.lock().batch
    }

    /// Stores a profiling time (nanoseconds of the host's clock).
    pub fn mark(&self, moment: Moment, time: u64) {
        self.times[moment as usize].store(time, Ordering::Release);
    }

    /// Registers `node` to be told; `false` when the event already gives what is needed.
    pub(crate) fn subscribe(&self, need: Need, node: &Arc<Node>) -> bool {
        let mut state = self.state.lock();
        let satisfied =
            state.status <= cl::CL_COMPLETE || (need == Need::Recorded && state.batch.is_some());
        if !satisfied {
            state.waiters.push((need, node.clone()));
        }
        !satisfied
    }

    /// Notes that the command is recorded in batch `value`; gives the waiters that need no more.
    pub(crate) fn set_recorded(self: &Ref<Event>, value: u64) -> Vec<Arc<Node>> {
        let ready = {
            let mut state = self.state.lock();
            state.batch = Some(value);
            let mut ready = Vec::new();
            state.waiters.retain(|(need, node)| {
                let wake = *need == Need::Recorded;
                if wake {
                    ready.push(node.clone());
                }
                !wake
            });
            ready
        };
        self.changed.notify_all();
        ready
    }

    /// Moves the status forward (never back, never after the end). Callbacks are posted; the
    /// waiters of an ended command are given back. `None` when nothing changed.
    pub(crate) fn advance(self: &Ref<Event>, status: i32) -> Option<Vec<Arc<Node>>> {
        let (waiters, fired) = {
            let mut state = self.state.lock();
            if state.status <= cl::CL_COMPLETE || status >= state.status {
                return None;
            }
            state.status = status;
            self.status.store(status, Ordering::Release);
            let mut fired = Vec::new();
            if !state.callbacks.is_empty() {
                let all = std::mem::take(&mut state.callbacks);
                for (trigger, callback) in all {
                    if status <= trigger {
                        fired.push((trigger, callback));
                    } else {
                        state.callbacks.push((trigger, callback));
                    }
                }
            }
            let waiters = if status <= cl::CL_COMPLETE {
                std::mem::take(&mut state.waiters)
                    .into_iter()
                    .map(|(_, node)| node)
                    .collect()
            } else {
                Vec::new()
            };
            (waiters, fired)
        };
        self.changed.notify_all();
        self.post_callbacks(fired, status);
        Some(waiters)
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
    pub fn set_callback(self: &Ref<Event>, trigger: i32, function: EventCallback) -> Result<()> {
        // CL_INVALID_VALUE if the callback type is not CL_SUBMITTED, CL_RUNNING or CL_COMPLETE.
        if ![cl::CL_SUBMITTED, cl::CL_RUNNING, cl::CL_COMPLETE].contains(&trigger) {
            return Err(Error::InvalidValue);
        }
        let status = {
            let mut state = self.state.lock();
            if state.status > trigger {
                state.callbacks.push((trigger, function));
                return Ok(());
            }
            state.status
        };
        self.post_callbacks(vec![(trigger, function)], status);
        Ok(())
    }

    /// Blocks until the command has ended: a short spin, then a blocking wait for the device or
    /// for the thread that will run the command.
    pub fn wait(self: &Ref<Event>) {
        if self.is_done() {
            return;
        }
        if let Some(queue) = &self.queue {
            queue.flush();
        }
        let start = Instant::now();
        loop {
            if self.is_done() {
                return;
            }
            if start.elapsed() >= SPIN {
                break;
            }
            if let Some(queue) = &self.queue {
                queue.retire();
            }
            std::hint::spin_loop();
        }
        loop {
            let batch = {
                let mut state = self.state.lock();
                while state.status > cl::CL_COMPLETE && state.batch.is_none() {
                    self.changed.wait(&mut state);
                }
                if state.status <= cl::CL_COMPLETE {
                    return;
                }
                state.batch
            };
            if let (Some(queue), Some(value)) = (&self.queue, batch) {
                queue.flush();
                queue.wait_batch(value);
                queue.retire();
                // Another thread may be retiring the batch at this moment.
                let mut state = self.state.lock();
                if state.status > cl::CL_COMPLETE {
                    self.changed.wait_for(&mut state, Duration::from_millis(1));
                }
            }
        }
    }

    /// clGetEventInfo.
    pub fn info(self: &Ref<Event>, name: u32) -> Result<Info> {
        Ok(match name {
            cl::CL_EVENT_COMMAND_QUEUE => Info::optional(self.queue.as_ref()),
            cl::CL_EVENT_CONTEXT => Info::object(&self.context),
            cl::CL_EVENT_COMMAND_TYPE => Info::u32(self.command_type),
            cl::CL_EVENT_COMMAND_EXECUTION_STATUS => {
                // A poll moves things on: an application may poll instead of waiting.
                if let (Some(queue), false) = (&self.queue, self.is_done()) {
                    queue.retire();
                }
                Info::i32(self.status())
            }
            cl::CL_EVENT_REFERENCE_COUNT => Info::u32(self.reference_count()),
            _ => return Err(Error::InvalidValue),
        })
    }

    /// clGetEventProfilingInfo.
    pub fn profiling_info(&self, name: u32) -> Result<Info> {
        // CL_PROFILING_INFO_NOT_AVAILABLE if the queue does not profile, the command has not
        // completed, or the event is a user event.
        let profiled = self.queue.as_ref().is_some_and(|q| q.profiling());
        if !profiled || self.status() != cl::CL_COMPLETE {
            return Err(Error::ProfilingInfoNotAvailable);
        }
        let moment = match name {
            cl::CL_PROFILING_COMMAND_QUEUED => Moment::Queued,
            cl::CL_PROFILING_COMMAND_SUBMIT => Moment::Submit,
            cl::CL_PROFILING_COMMAND_START => Moment::Start,
            // Without child kernels a command is complete when it ends.
            cl::CL_PROFILING_COMMAND_END | cl::CL_PROFILING_COMMAND_COMPLETE => Moment::End,
            _ => return Err(Error::InvalidValue),
        };
        Ok(Info::u64(
            self.times[moment as usize].load(Ordering::Acquire),
        ))
    }
}
