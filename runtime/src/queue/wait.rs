//! Waiting and polling, by which the application's threads move commands on.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use opencl_sys as cl;

use super::Queue;
use super::batch::{Lane, Place};
use super::event::{Event, Moment};
use super::schedule::complete;
use crate::base::callback;
use crate::base::error::{Error, Result};
use crate::base::exit;
use crate::base::info::Info;
use crate::base::object::{Object, Ref};
use crate::device::gpu::Keeper;

/// The time for which a wait for a user event spins before it blocks.
const SPIN: Duration = Duration::from_micros(40);

/// A wait that takes longer gains nothing from spinning.
const LONG: Duration = Duration::from_micros(400);

/// The choice between spinning and blocking at once, which waits do where the last one was long: spinning saves the time of
/// waking up, which long waits do not notice.
#[derive(Debug)]
pub(super) struct Spinning {
    /// The time for which a wait spins unless the last one was long.
    longest: Duration,
    last_was_long: AtomicBool,
}

impl Spinning {
    /// For a queue of a device whose waits poll for this time.
    pub fn new(poll_time: Duration) -> Spinning {
        Spinning {
            longest: poll_time,
            last_was_long: AtomicBool::new(false),
        }
    }

    fn time(&self) -> Duration {
        match self.last_was_long.load(Ordering::Relaxed) {
            true => Duration::ZERO,
            false => self.longest,
        }
    }

    fn note(&self, waited: Duration) {
        self.last_was_long.store(waited > LONG, Ordering::Relaxed);
    }
}

/// The time after which a wait in a context that can be terminated looks for ended batches itself.
const TERMINABLE: Duration = Duration::from_millis(10);

impl Object<Queue> {
    /// clFinish.
    ///
    /// # Errors
    /// CL_OUT_OF_RESOURCES if a command failed whose event nobody has.
    pub fn finish(self: &Ref<Queue>) -> Result<()> {
        self.wait_all();
        callback::wait_called(callback::STAY_OF_WAITS);
        self.untold.tell()
    }

    /// Blocks until all commands have ended.
    pub(super) fn wait_all(self: &Ref<Queue>) {
        self.flush();
        for event in self.order.outstanding() {
            event.wait();
        }
        self.context().wait_printed();
    }

    /// Blocks until an in-order queue's last command has ended; does nothing for others.
    pub(super) fn wait_idle(&self) {
        if self.out_of_order() {
            return;
        }
        if let Some(last) = self.order.last() {
            last.wait();
        }
    }

    /// Waits while too much is submitted. For threads of the application, with no lock held: what
    /// is submitted depends on nothing that is not.
    pub(super) fn hold_back(self: &Ref<Queue>) {
        let excess = |(lane, of_lane): (usize, &Lane)| {
            let value = of_lane.excess()?;
            Some(Place { lane, value })
        };
        if let Some(place) = self.lanes.iter().enumerate().find_map(excess) {
            self.wait_batch(place);
            self.retire();
        }
    }

    /// Blocks until the device has done a batch of this queue.
    pub(super) fn wait_batch(&self, Place { lane, value }: Place) {
        self.lanes[lane].wait(value);
    }
}

impl Keeper for Object<Queue> {
    fn busy_queues(&self) -> Vec<u32> {
        let has_commands = |lane: &&Lane| lane.load() != (0, 0);
        let busy = self.lanes.iter().filter(has_commands);
        busy.map(|lane| lane.stream().index()).collect()
    }

    fn let_go(self: Arc<Self>, end: Instant) {
        self.flush();
        for lane in &self.lanes {
            lane.stream().wait_until(end);
        }
        self.retire();
    }
}

impl Event {
    /// clWaitForEvents.
    ///
    /// # Errors
    /// Those that the specification lists for clWaitForEvents, in its order.
    pub fn wait_all(events: &[Ref<Event>]) -> Result<()> {
        // CL_INVALID_VALUE if num_events is zero or event_list is NULL.
        let Some(first) = events.first() else {
            return Err(Error::InvalidValue.because("the list of events is empty"));
        };
        // CL_INVALID_CONTEXT if the events are not of one context.
        if events
            .iter()
            .any(|e| e.context().handle() != first.context().handle())
        {
            return Err(Error::InvalidContext.because("the events are of several contexts"));
        }
        // Flush all queues first: the commands may depend on each other across queues.
        for event in events {
            if let Some(queue) = event.queue() {
                queue.flush();
            }
        }
        for event in events {
            event.wait();
        }
        first.context().wait_printed();
        callback::wait_called(callback::STAY_OF_WAITS);
        // CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST if any of them ended abnormally.
        if let Some(index) = events.iter().position(|e| e.status() < 0) {
            let reason = format!(
                "the command of event {index} failed with {}",
                events[index].status()
            );
            return Err(Error::ExecStatusErrorForEventsInWaitList.because(reason));
        }
        Ok(())
    }
}

impl Object<Event> {
    /// clSetUserEventStatus.
    ///
    /// # Errors
    /// Those that the specification lists for clSetUserEventStatus, in its order.
    pub fn set_user_status(self: &Ref<Event>, status: i32) -> Result<()> {
        // CL_INVALID_EVENT if event is not a user event.
        if self.command_type() != cl::CL_COMMAND_USER {
            return Err(Error::InvalidEvent.because("the event is a command's, not a user event"));
        }
        // CL_INVALID_VALUE if the status is not CL_COMPLETE or a negative integer.
        if status > cl::CL_COMPLETE {
            let reason = format!("execution_status is {status}, not CL_COMPLETE or negative");
            return Err(Error::InvalidValue.because(reason));
        }
        // CL_INVALID_OPERATION if the status has already been changed.
        if self.is_done() || !complete(self, status) {
            return Err(Error::InvalidOperation.because("the status has been set before"));
        }
        Ok(())
    }

    /// Has a user event end as this one does, at once and on the thread that ends this one.
    pub fn lead(&self, follower: Ref<Event>) {
        if let Some((follower, status)) = self.add_follower(follower) {
            complete(&follower, status);
        }
    }

    /// Blocks until the command has ended: a short spin, then a blocking wait for the device or
    /// for the thread that will run the command.
    pub fn wait(self: &Ref<Event>) {
        if self.is_done() {
            return;
        }
        let Some(queue) = self.queue() else {
            return self.wait_from(Instant::now(), SPIN);
        };
        queue.waiting.begin();
        queue.flush();
        let start = Instant::now();
        self.wait_from(start, queue.spinning.time());
        queue.waiting.end();
        queue.spinning.note(start.elapsed());
    }

    fn wait_from(self: &Ref<Event>, start: Instant, spin: Duration) {
        loop {
            if self.is_done() {
                return;
            }
            if start.elapsed() >= spin {
                break;
            }
            if let Some(queue) = self.queue() {
                queue.retire();
            }
            std::hint::spin_loop();
        }
        loop {
            let Some(place) = self.wait_for_place() else {
                return;
            };
            if let Some(queue) = self.queue() {
                queue.flush();
                if queue.context().is_terminable() {
                    // The end of the command may come before that of its batch.
                    self.wait_change(TERMINABLE);
                    queue.retire();
                    continue;
                }
                queue.wait_batch(place);
                queue.retire();
                // Another thread may be retiring the batch at this moment.
                self.wait_change(Duration::from_millis(1));
            }
        }
    }

    /// Blocks until the command has ended or is recorded; returns the place of its batch in the second case. The thread looks
    /// at no batch meanwhile, so that it is not one that left batches are left to.
    fn wait_for_place(&self) -> Option<Place> {
        let waiting = self.queue().map(|queue| &queue.waiting);
        if let Some(waiting) = waiting {
            waiting.end();
        }
        let place = exit::outside(|| self.wait_recorded());
        if let Some(waiting) = waiting {
            waiting.begin();
        }
        place
    }

    /// clGetEventInfo.
    ///
    /// # Errors
    /// [`Error::InvalidValue`] for other names.
    pub fn info(self: &Ref<Event>, name: u32) -> Result<Info> {
        Ok(match name {
            cl::CL_EVENT_COMMAND_QUEUE => Info::optional(self.shown_queue()),
            cl::CL_EVENT_CONTEXT => Info::object(self.context()),
            cl::CL_EVENT_COMMAND_TYPE => Info::u32(self.command_type()),
            cl::CL_EVENT_COMMAND_EXECUTION_STATUS => {
                // A poll moves things on: an application may poll instead of waiting.
                if let (Some(queue), false) = (self.queue(), self.is_done()) {
                    queue.retire();
                }
                Info::i32(self.status())
            }
            cl::CL_EVENT_REFERENCE_COUNT => Info::u32(self.reference_count()),
            _ => return Err(Error::InvalidValue),
        })
    }

    /// clGetEventProfilingInfo.
    ///
    /// # Errors
    /// Those that the specification lists for clGetEventProfilingInfo.
    pub fn profiling_info(&self, name: u32) -> Result<Info> {
        // CL_PROFILING_INFO_NOT_AVAILABLE if the queue does not profile, the command has not
        // completed, the event is a user event, or the context has been terminated.
        let profiled = self.queue().is_some_and(|q| q.profiling());
        let terminated = self.context().is_terminated();
        if !profiled || terminated || self.status() != cl::CL_COMPLETE {
            return Err(Error::ProfilingInfoNotAvailable.because(if terminated {
                "the context has been terminated"
            } else if self.queue().is_none() {
                "a user event has no times"
            } else if !profiled {
                "the queue was made without CL_QUEUE_PROFILING_ENABLE"
            } else {
                "the command has not completed; wait for its event first"
            }));
        }
        let moment = match name {
            cl::CL_PROFILING_COMMAND_QUEUED => Moment::Queued,
            cl::CL_PROFILING_COMMAND_SUBMIT => Moment::Submit,
            cl::CL_PROFILING_COMMAND_START => Moment::Start,
            cl::CL_PROFILING_COMMAND_END => Moment::End,
            cl::CL_PROFILING_COMMAND_COMPLETE => Moment::Complete,
            _ => return Err(Error::InvalidValue),
        };
        Ok(Info::u64(self.time(moment)))
    }
}
