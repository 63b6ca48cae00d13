//! Decides when commands run: dependencies, launching, completion.
//!
//! A node that waits for nothing more is launched: a device command is recorded into its queue's open
//! batch by the thread that found it ready, a host command runs on the enqueuing thread or on its
//! queue's host thread. Ending a command wakes the nodes that waited for its event.
//!
//! Invariant: a node is launched only when everything that it depends on has been recorded on the
//! same device or has ended, so nothing is ever submitted to Vulkan that waits for a signal not
//! yet submitted. User events and other devices' commands therefore hold back their dependants
//! here, and no other queue. So do commands of other queues while one of theirs has something left for the host
//! ([`DeviceCommand::ends_on_host`]).
//!
//! Invariant: no function here calls another with a lock of an event or queue held.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

use opencl_sys as cl;
use rustc_hash::FxHashMap;

use super::Queue;
use super::batch::{Lane, Place, Request};
use super::event::{Event, Moment, Node};
use super::open_batch::{Submission, Submit};
use super::spent::Finished;
use super::watch;
use crate::base::callback;
use crate::base::clock::host_time;
use crate::base::error::{Error, Result};
use crate::base::exit;
use crate::base::log;
use crate::base::object::{Object, Ref};
use crate::base::reason::Call;
use crate::base::trace::{self, RanBy};
use crate::command::{Command, DeviceCommand, HostCommand};
use crate::device::gpu;
use crate::device::report_validation;
use crate::memory::residency::{self, Access, Contents, Found, Recording, Writer};

impl Object<Queue> {
    /// clFlush.
    pub fn flush(self: &Ref<Queue>) {
        for (index, lane) in self.lanes.iter().enumerate() {
            self.follow_up(index, lane.flush());
        }
    }

    /// Ends the commands of every batch that the device has finished, and submits what has been
    /// collected meanwhile when nothing else is under way.
    pub(super) fn retire(self: &Ref<Queue>) {
        let _ending = self.ending.lock();
        self.end_finished();
    }

    /// Does as [`Object::retire`] if the device has done a batch and no thread is ending this queue's; tells whether it did.
    /// It waits for no thread: this one may be ending another queue's batches, and that one want to end batches there.
    fn try_retire(self: &Ref<Queue>, lane: usize, value: u64) -> bool {
        let reached = self.lanes[lane].stream().reached();
        let reached = reached.is_ok_and(|reached| reached >= value);
        if !reached || self.ending.is_owned_by_current_thread() {
            return false;
        }
        let ending = self.ending.try_lock();
        if ending.is_some() {
            self.end_finished();
        }
        ending.is_some()
    }

    /// Does the work of [`Object::retire`], with `ending` locked.
    fn end_finished(self: &Ref<Queue>) {
        for (index, lane) in self.lanes.iter().enumerate() {
            loop {
                let (finished, submission) = lane.take_finished();
                self.follow_up(index, submission);
                let Some(finished) = finished else {
                    break;
                };
                self.end_batch(lane, finished);
            }
        }
    }

    /// Ends the commands of a terminated context; gives their number. One that the host runs ends by itself.
    pub(super) fn terminate(self: &Ref<Queue>) -> usize {
        // Nothing that is being retired writes to the application's memory any more behind this lock.
        let _ending = self.ending.lock();
        let status = Error::ContextTerminated.code();
        let mut ended = 0;
        for event in self.order.outstanding() {
            let waiters = event.advance_if(status, |before| before != cl::CL_RUNNING);
            if let Some(waiters) = waiters {
                self.order.forget(&event);
                wake(waiters);
                ended += 1;
            }
        }
        ended
    }

    /// Does what follows from submissions of a lane.
    pub(super) fn follow_up(
        self: &Ref<Queue>,
        lane: usize,
        submissions: impl IntoIterator<Item = Submission>,
    ) {
        for submission in submissions {
            match submission {
                Submission::Sent(value) => self.await_completion(lane, value),
                Submission::Left => {}
                // It may have ended long ago; what was recorded behind it need not wait for the other thread then.
                Submission::Told(value) if self.try_retire(lane, value) => {}
                Submission::Told(value) => self.await_completion(lane, value),
                Submission::Failed(batch) => {
                    // At once: commands behind these may end before them.
                    if batch.has_untold {
                        self.untold.note(batch.error);
                    }
                    callback::post_failure(move || {
                        for recorded in batch.commands {
                            complete(&recorded.node.event, batch.error.code());
                        }
                    });
                }
            }
        }
    }

    /// Lets the lane's completion thread know of a submitted batch.
    fn await_completion(self: &Ref<Queue>, lane: usize, value: u64) {
        let stream = self.lanes[lane].stream().clone();
        let queue = Arc::downgrade(self);
        // Without the thread, batches end when somebody waits for them.
        let _ = (self.lanes[lane].completion_thread).send(value, move |told| {
            let end = |value| {
                let _work = exit::begin_work();
                if let Err(error) = stream.wait(value) {
                    log::error!("waiting for the device failed: {error}");
                }
                // A batch in flight keeps its queue alive through its nodes.
                if let Some(queue) = queue.upgrade() {
                    queue.gather(lane, value);
                    queue.retire();
                }
            };
            let look = || {
                let _work = exit::begin_work();
                let queue = queue.upgrade()?;
                Some(queue.lanes[lane].look(&queue.waiting))
            };
            watch::complete_batches(&told, look, end);
            // The queue is gone and this may be the last owner of its Vulkan side.
            let _work = exit::begin_work();
            drop(stream);
        });
    }

    /// Has the completion threads told of batches that were left.
    pub(super) fn tell_of_left(self: &Ref<Queue>) {
        for (index, lane) in self.lanes.iter().enumerate() {
            self.follow_up(index, lane.tell());
        }
    }

    fn end_batch(self: &Ref<Queue>, lane: &Lane, batch: Finished) {
        let mut ran = batch.ran;
        match batch.lost {
            None => batch.note_time(),
            Some(_) => ran.0 = ran.1,
        }
        for mut recorded in batch.commands {
            let node = recorded.node;
            let event = &node.event;
            let clock = recorded.clock.filter(|_| batch.lost.is_none());
            let measured = clock.as_ref().and_then(gpu::Times::read);
            let (start, end) = measured.unwrap_or(ran);
            event.mark(Moment::Start, start);
            event.mark(Moment::End, end);
            if let (true, Command::Device(command)) = (trace::enabled(), &node.command) {
                let place = (self.track, RanBy::Device);
                trace::command(place, command.name(), (start, end), || command.details());
                if let Some(from) = clock.as_ref().and_then(gpu::Times::untimed_from) {
                    trace::generated_code(self.track, command.name(), (from, start));
                }
            }
            let result = match batch.lost {
                Some(error) => Err(error),
                // Terminated: the application may have taken its memory back.
                None if event.is_done() => continue,
                // Its kernels may have ended because they were told to, before their event was.
                None if node.queue.context().is_terminated() => Err(Error::ContextTerminated),
                None => recorded.retire.run(),
            };
            let status = match result {
                Ok(()) if node.wait_list_failed() => {
                    Error::ExecStatusErrorForEventsInWaitList.code()
                }
                Ok(()) => self.untold.status_of(&node),
                Err(error) => {
                    self.untold.note_of(&node, error);
                    error.code()
                }
            };
            // Callbacks for CL_RUNNING are called by it too.
            complete(event, status);
        }
        exit::batch_ended();
        lane.stream().reclaim();
        report_validation();
    }

    /// The lane for a command: the first if it takes turns with others, that of the last command that it follows. Else, for
    /// a short one, the first that will soon come to it, and for others the one with the least to do.
    fn choose_lane(self: &Ref<Queue>, node: &Node, command: &dyn DeviceCommand) -> usize {
        if self.lanes.len() == 1 || command.takes_turns(self.on()) {
            return 0;
        }
        let own = |event: &&Ref<Event>| {
            let queue = event.queue();
            queue.is_some_and(|queue| queue.handle() == self.handle()) && !event.is_done()
        };
        let place = node.after.iter().filter(own).rev().find_map(|e| e.batch());
        if let Some(place) = place {
            return place.lane;
        }
        let lanes = 0..self.lanes.len();
        let prompt = match command.is_short() {
            true => lanes.clone().find(|&lane| self.lanes[lane].is_prompt()),
            false => None,
        };
        let least = || lanes.min_by_key(|&lane| self.lanes[lane].load());
        prompt.or_else(least).unwrap_or(0)
    }

    /// Records a device command; gives its place.
    fn record(self: &Ref<Queue>, node: &Arc<Node>, command: &dyn DeviceCommand) -> Result<Place> {
        let lane = self.choose_lane(node, command);
        // The signals of other lanes must be submitted before a wait for them is.
        let mut waits = command.initializers();
        for event in &node.after {
            let Some(other) = event.queue() else { continue };
            let Some(place) = event.batch().filter(|_| !event.is_done()) else {
                continue;
            };
            if other.handle() == self.handle() && place.lane == lane {
                continue;
            }
            let of_other = &other.lanes[place.lane];
            other.follow_up(place.lane, of_other.flush());
            // Its batch could not be submitted: a wait for it would never end.
            if of_other.stream().last_submitted() < place.value {
                return Err(Error::ExecStatusErrorForEventsInWaitList);
            }
            waits.push(of_other.stream().at(place.value));
        }
        let clocked = self.profiling() && node.gives_event || trace::enabled();
        let writing = self.writing(lane);
        loop {
            let mut waits = waits.clone();
            let changes = residency::changes();
            let request = Request {
                clears: self.find_contents(command, (lane, &writing), &mut waits)?,
                node,
                command,
                waits,
                changes,
                clocked,
            };
            let mut submitted = Vec::new();
            let submit = || self.submitter();
            let recorded = self.lanes[lane].record(request, submit, &mut submitted);
            self.follow_up(lane, submitted);
            if let Some(value) = recorded? {
                if let Some(writing) = &writing {
                    writing.value.store(value, Ordering::Release);
                }
                return Ok(Place { lane, value });
            }
        }
    }

    /// Has the device hold what a command of a lane uses; gives what must be cleared before, and adds to `waits`
    /// what others are clearing.
    pub(super) fn find_contents(
        &self,
        command: &dyn DeviceCommand,
        (lane, writing): (usize, &Option<Arc<Writing>>),
        waits: &mut Vec<gpu::Wait>,
    ) -> Result<Vec<(Arc<dyn Contents>, Access)>> {
        let index = self.on().index();
        let writer = (writing.as_ref()).map(|writing| writing.clone() as Arc<dyn Writer>);
        let recording = Recording {
            queue: self.lanes[lane].stream().timeline(),
            writer: writer.as_ref(),
        };
        let mut unwritten: FxHashMap<usize, (Arc<dyn Contents>, Access)> = FxHashMap::default();
        command.uses(&mut |contents, access| {
            let key = Arc::as_ptr(&contents).addr();
            if let Some((_, known)) = unwritten.get_mut(&key) {
                *known = known.then(access);
                return Ok(());
            }
            match contents.find(index, access, &recording)? {
                Found::There(wait) => waits.extend(wait),
                Found::Unwritten => {
                    unwritten.insert(key, (contents, access));
                }
            }
            Ok(())
        })?;
        Ok(match unwritten.is_empty() {
            true => Vec::new(),
            false => unwritten.into_values().collect(),
        })
    }

    /// A command that is about to be recorded for a lane, where another device of the context may want what it writes.
    pub(super) fn writing(self: &Ref<Queue>, lane: usize) -> Option<Arc<Writing>> {
        (self.context().devices().len() > 1).then(|| {
            Arc::new(Writing {
                queue: Arc::downgrade(self),
                lane,
                value: AtomicU64::new(u64::MAX),
            })
        })
    }

    /// A function that submits what has been recorded, while the queue lives.
    fn submitter(self: &Ref<Queue>) -> Submit {
        let queue = Arc::downgrade(self);
        Box::new(move || {
            if let Some(queue) = queue.upgrade() {
                queue.flush();
            }
        })
    }

    /// Hands a host command to the queue's host thread. In an out-of-order queue the application's
    /// own code gets a thread of its own: nobody knows how long it runs, or what it waits for.
    fn post_host(&self, node: Arc<Node>, command: &dyn HostCommand) {
        if self.out_of_order() && command.takes_long() {
            let own = node.clone();
            let spawned = std::thread::Builder::new()
                .name("pumice-native".into())
                .spawn(move || run_posted(own));
            match spawned {
                Ok(_) => return,
                Err(error) => log::warn!("no thread of its own for a native kernel: {error}"),
            }
        }
        let sent = (self.host_thread).send(node, |nodes| nodes.into_iter().for_each(run_posted));
        if let Err(node) = sent {
            self.untold.note_of(&node, Error::OutOfResources);
            complete(&node.event, Error::OutOfResources.code());
        }
    }
}

/// A command that is recorded for a lane of a queue.
pub(super) struct Writing {
    queue: Weak<Object<Queue>>,
    lane: usize,
    /// The timeline value of its batch, the largest number until that is known.
    value: AtomicU64,
}

impl Writer for Writing {
    fn finish(&self) {
        let Some(queue) = self.queue.upgrade() else {
            return;
        };
        queue.flush();
        let lane = &queue.lanes[self.lane];
        let value = self.value.load(Ordering::Acquire);
        lane.wait(value.min(lane.stream().last_submitted()));
    }
}

/// Launches a node that waits for nothing more, and whatever that makes ready in turn. With
/// `inline`, the node's own host work may run on this thread.
pub(super) fn launch(node: Arc<Node>, mut inline: bool) {
    let mut ready = VecDeque::new();
    let mut next = Some(node);
    while let Some(node) = next {
        let woken = launch_one(&node, inline);
        ready.extend(woken.into_iter().filter(|next| next.satisfy()));
        inline = false;
        next = ready.pop_front();
    }
}

/// Launches one node; gives the nodes that were told.
fn launch_one(node: &Arc<Node>, inline: bool) -> Vec<Arc<Node>> {
    if node.queue.context().is_terminated() {
        return end(&node.event, Error::ContextTerminated.code()).unwrap_or_default();
    }
    if node.wait_list_failed() {
        return end(
            &node.event,
            Error::ExecStatusErrorForEventsInWaitList.code(),
        )
        .unwrap_or_default();
    }
    node.event.mark_now(Moment::Submit);
    match &node.command {
        Command::Device(command) => record(node, &**command),
        Command::Empty(_) | Command::Marker | Command::Barrier => {
            let now = host_time();
            let (mut started, mut ended) = (now, now);
            if let Some(times) = node.command.parts().and_then(|parts| parts.times()) {
                node.event.mark(Moment::Queued, times.queued);
                node.event.mark(Moment::Submit, times.submitted);
                node.event.mark(Moment::Complete, times.completed);
                (started, ended) = (times.started, times.ended);
            }
            node.event.mark(Moment::Start, started);
            node.event.mark(Moment::End, ended);
            let status = node.queue.untold.status_of(node);
            end(&node.event, status).unwrap_or_default()
        }
        Command::Host(command) if inline && !command.takes_long() => run_on_host(node, &**command),
        Command::Host(command) => {
            let _ = node.event.advance(cl::CL_SUBMITTED);
            node.queue.post_host(node.clone(), &**command);
            Vec::new()
        }
    }
}

/// Tells the log and the context's callback of a command that fails after its call has returned.
pub(super) fn tell_failure(queue: &Queue, name: &str, reason: Option<String>, error: Error) {
    let reason = reason.map_or(String::new(), |text| format!(": {text}"));
    let line = format!("command {name}: {error}{reason}");
    log::warn!("{line}");
    let context = queue.context().clone();
    callback::post(move || context.notify(&line));
}

/// Records a device command; gives the nodes that were told.
fn record(node: &Arc<Node>, command: &dyn DeviceCommand) -> Vec<Arc<Node>> {
    let queue = &node.queue;
    let call = Call::begin();
    match queue.record(node, command) {
        Ok(place) => {
            let ready = node.event.set_recorded(place);
            // Only now: a batch that ends before its events know their value is still found by
            // the completion thread, which holds the nodes.
            queue.follow_up(place.lane, queue.lanes[place.lane].flush_if_idle());
            ready
        }
        Err(error) => {
            tell_failure(&node.queue, command.name(), call.text(error), error);
            queue.untold.note_of(node, error);
            end(&node.event, error.code()).unwrap_or_default()
        }
    }
}

/// Runs a host command on this thread; gives the nodes that were told.
fn run_on_host(node: &Arc<Node>, command: &dyn HostCommand) -> Vec<Arc<Node>> {
    let _ = node.event.advance(cl::CL_SUBMITTED);
    let start = host_time();
    node.event.mark(Moment::Start, start);
    // Once it runs, what it does to the application's memory has to end before its event does.
    if node.event.advance(cl::CL_RUNNING).is_none() {
        return Vec::new();
    }
    let call = Call::begin();
    let result = command.run(node.queue.on());
    let ended = host_time();
    let own_end = match node.queue.profiling() && node.gives_event {
        true => command.own_end(),
        false => None,
    };
    let own_end = own_end.map_or(ended, |time| time.clamp(start, ended));
    node.event.mark(Moment::End, own_end);
    node.event.mark(Moment::Complete, ended);
    let track = node.queue.track;
    let by = match command.is_for_device() {
        true => RanBy::Device,
        false => RanBy::Host,
    };
    trace::command((track, by), command.name(), (start, ended), || {
        command.details()
    });
    for part in command.parts() {
        let place = (track, RanBy::Kernel);
        trace::command(place, &part.name, part.times, || part.details);
    }
    let status = match result {
        _ if node.queue.context().is_terminated() => Error::ContextTerminated.code(),
        Ok(()) => node.queue.untold.status_of(node),
        Err(error) => {
            tell_failure(&node.queue, command.name(), call.text(error), error);
            node.queue.untold.note_of(node, error);
            error.code()
        }
    };
    end(&node.event, status).unwrap_or_default()
}

/// Runs a host command on a thread of the runtime's, and launches what it made ready.
fn run_posted(node: Arc<Node>) {
    let _work = exit::begin_work();
    if let Command::Host(command) = &node.command {
        wake(run_on_host(&node, &**command));
    }
    // What the node owns may be a Vulkan object: it goes under the lock too.
    drop(node);
}

/// Launches the nodes that waited for nothing else.
fn wake(told: Vec<Arc<Node>>) {
    for node in told {
        if node.satisfy() {
            launch(node, false);
        }
    }
}

/// Ends a command; gives the nodes that were told. `None` if it had ended before.
fn end(event: &Ref<Event>, status: i32) -> Option<Vec<Arc<Node>>> {
    let waiters = event.advance(status)?;
    if let Some(queue) = event.queue() {
        queue.order.forget(event);
    }
    Some(waiters)
}

/// Ends a command and launches what waited for it. False if it had ended before.
pub(super) fn complete(event: &Ref<Event>, status: i32) -> bool {
    let Some(waiters) = end(event, status) else {
        return false;
    };
    wake(waiters);
    true
}
