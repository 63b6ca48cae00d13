//! The device side of a queue: commands are recorded into batches, submitted, and returned when the
//! device has done them.
//!
//! A lane is a sequence of batches on one VkQueue. An in-order queue has one, an out-of-order queue several where the
//! device has several VkQueues. A batch is one command buffer and one value of its lane's timeline. This module records, submits and
//! asks; what follows from a submission or an ended batch is for `schedule.rs`, which gets it returned.
//!
//! Invariant: no function here ends a command or wakes another.

use std::collections::VecDeque;
use std::sync::Arc;

use parking_lot::Mutex;
use rustc_hash::FxHashSet;

use super::event::{Event, Node};
use super::open_batch::{Last, OpenBatch, Recorded, Submission, Submit, may_be_left};
use super::pace::Pace;
use super::spent::{Finished, Spending, is_recent};
use super::untold::Unsent;
use super::watch::{Look, Waiting, Watch};
use super::worker::Worker;
use crate::base::clock::host_time;
use crate::base::error::{Error, Result};
use crate::base::exit;
use crate::base::log;
use crate::base::object::Ref;
use crate::command::{Command, DeviceCommand, Retire};
use crate::context::Placement;
use crate::device::gpu;
use crate::memory::residency::{Access, Contents};

/// A batch is submitted at the latest when it holds this many commands with events of their own.
const BATCH_LIMIT: usize = 64;
/// The same for commands without, while the application enqueues more and more and waits for nothing.
const JOINED_LIMIT: usize = 256;
/// Batches that are submitted at once; further commands are collected until one of them ends.
const SUBMIT_AHEAD: usize = 2;

/// Batches that may be submitted and not ended before an enqueue waits for the oldest ones, so that
/// an application which never waits itself needs no memory for ever more commands.
const IN_FLIGHT_LIMIT: usize = 64;

/// No batch is submitted early for its events while so many are in flight.
const MOST_APART: usize = IN_FLIGHT_LIMIT / 2;

/// A command that is to be recorded.
pub(super) struct Request<'a> {
    pub node: &'a Arc<Node>,
    pub command: &'a dyn DeviceCommand,
    /// Values of other queues that it waits for.
    pub waits: Vec<gpu::Wait>,
    /// Contents that are cleared before it.
    pub clears: Vec<(Arc<dyn Contents>, Access)>,
    /// [`changes`](crate::memory::residency::changes) from before its contents were found.
    pub changes: u64,
    /// True if it has times.
    pub clocked: bool,
}

/// A submitted batch.
#[derive(Default)]
struct InFlight {
    value: u64,
    /// The host's time when it was submitted, in nanoseconds.
    submitted: u64,
    /// The time until which it stays in flight so that commands are collected.
    gathers_until: Option<u64>,
    commands: Vec<Recorded>,
}

/// A command that was recorded to end with another.
pub(super) struct Joined {
    /// The error of its recording.
    pub recorded: Result<()>,
    /// The submission of the batch, if it was due, behind one that was left.
    pub submissions: [Option<Submission>; 2],
    /// True if there is something to wait for, see [`Lane::excess`].
    pub is_too_much: bool,
}

/// The place of a recorded command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The lane of its queue.
    pub lane: usize,
    /// The value that the lane's timeline reaches at the end of its batch.
    pub value: u64,
}

/// A lane of a queue.
pub(super) struct Lane {
    stream: Arc<gpu::Stream>,
    /// Those of the queue's other lanes.
    beside: Vec<Arc<gpu::Stream>>,
    out_of_order: bool,
    /// Waits for the timeline values of submitted batches.
    pub completion_thread: Worker<u64>,
    /// Guards recording and submission.
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    open: Option<OpenBatch>,
    in_flight: VecDeque<InFlight>,
    spending: Spending,
    pace: Pace,
    watch: Watch,
    /// In-order queues: the commands that are collected while one batch is under way. A submission costs as much as
    /// dozens of launches, so it doubles with each until somebody flushes or waits: the device has half as many then.
    ahead: usize,
    /// Out-of-order queues: the commands of all batches that are recorded behind the last barrier and have
    /// not ended, by their event's address.
    unordered: FxHashSet<usize>,
}

impl State {
    /// Tells whether the open batch of so many commands is to be submitted before it is full: when the device has little
    /// else to do for the queue. `grows` is true of a batch that may be large.
    fn is_due(&mut self, count: usize, grows: bool) -> bool {
        let due = match self.in_flight.len() {
            0 => return true,
            under_way => under_way < SUBMIT_AHEAD && (!grows || count >= self.ahead),
        };
        if due && grows {
            self.ahead = (2 * self.ahead).min(JOINED_LIMIT);
        }
        due
    }

    /// Tells whether `is_last` is true of the event of the open batch's last command.
    fn ends_with(&self, is_last: impl Fn(&Ref<Event>) -> bool) -> bool {
        let last = (self.open.as_ref()).and_then(|batch| batch.commands.last());
        last.is_some_and(|last| is_last(&last.node.event))
    }

    /// Tells whether the open batch is to end before a command: the application may wait for one of its events, which end with
    /// the batch, and the command may take long.
    fn ends_before(&self, command: &dyn DeviceCommand) -> bool {
        let gives_event = self.open.as_ref().is_some_and(|open| open.gives_event);
        gives_event && self.in_flight.len() < MOST_APART && command.may_take_long()
    }

    /// A batch that was left and that the completion thread has to be told of.
    fn tell(&mut self) -> Option<Submission> {
        self.watch.tell().map(Submission::Told)
    }

    /// Drops commands that have ended: nothing waits for them on the device any more.
    fn forget(&mut self, commands: &[Recorded]) {
        for recorded in commands {
            self.unordered.remove(&recorded.node.event.handle());
        }
    }
}

impl Lane {
    /// The lanes of a queue, one for each stream.
    pub fn all(streams: Vec<gpu::Stream>, out_of_order: bool) -> Vec<Self> {
        let streams: Vec<_> = streams.into_iter().map(Arc::new).collect();
        let lane = |(index, stream): (usize, &Arc<gpu::Stream>)| {
            let others = streams.iter().enumerate();
            let beside = others.filter(|(other, _)| *other != index);
            let beside = beside.map(|(_, stream)| stream.clone()).collect();
            Self::new(stream.clone(), beside, out_of_order)
        };
        streams.iter().enumerate().map(lane).collect()
    }

    fn new(stream: Arc<gpu::Stream>, beside: Vec<Arc<gpu::Stream>>, out_of_order: bool) -> Self {
        Self {
            stream,
            beside,
            out_of_order,
            completion_thread: Worker::new("pumice-complete"),
            state: Mutex::new(State {
                ahead: 1,
                ..State::default()
            }),
        }
    }

    /// The timeline.
    pub fn stream(&self) -> &Arc<gpu::Stream> {
        &self.stream
    }

    /// Records a command into the open batch; returns the batch's timeline value, or `None` if something
    /// has happened to contents that were to be cleared. `submit` is asked for where there are some. What
    /// had to be submitted is added to `submitted`.
    pub fn record(
        &self,
        request: Request<'_>,
        submit: impl FnOnce() -> Submit,
        submitted: &mut Vec<Submission>,
    ) -> Result<Option<u64>> {
        let mut state = self.state.lock();
        submitted.extend(state.tell());
        let recorded = self.record_in(&mut state, request, submit, submitted);
        // A batch that was submitted on the way and left has a command behind it now.
        if state.open.is_some() {
            submitted.extend(state.tell());
        }
        recorded
    }

    /// Does the work of [`Lane::record`].
    fn record_in(
        &self,
        state: &mut State,
        request: Request<'_>,
        submit: impl FnOnce() -> Submit,
        submitted: &mut Vec<Submission>,
    ) -> Result<Option<u64>> {
        let Request {
            node,
            command,
            waits,
            clears,
            changes,
            clocked,
        } = request;
        let found = waits.is_empty() && clears.is_empty();
        let on = node.queue.on();
        // A batch waits as a whole: what has been collected does not wait for others' signals.
        let open_waits = (state.open.as_ref()).is_some_and(|batch| !batch.waits.is_empty());
        let is_alone = command.is_alone() || clocked && !self.stream.has_timestamps();
        let apart = is_alone || state.ends_before(command);
        if apart || !waits.is_empty() && !open_waits {
            submitted.extend(self.submit(state));
        }
        let batch = self.open(state)?;
        batch.last = None;
        batch.waits.extend(waits);
        if !clears.is_empty() {
            let end = self.stream.at(batch.value);
            // A command's time is without the clears.
            batch.last_clock = None;
            let cleared = batch.clear(on.index(), &clears, end, submit());
            if !matches!(cleared, Ok(true)) {
                // Others rely on what has been recorded.
                submitted.extend(self.submit(state));
                return cleared.map(|_| None);
            }
        }
        // An in-order queue has a barrier before each command, an out-of-order queue only where a
        // command waits for one since the last barrier, of this batch or an earlier one: what the
        // application has not ordered by events may overlap.
        let mut after = node.after.iter();
        if !self.out_of_order || after.any(|event| state.unordered.contains(&event.handle())) {
            (self.open(state)?).barrier_before(command, !self.out_of_order);
            state.unordered.clear();
        }
        let batch = self.open(state)?;
        // Between the commands of an in-order queue there is nothing but a barrier, so that one
        // starts when the one before ends.
        let before = batch.last_clock.take().filter(|_| !self.out_of_order);
        let start = clocked.then(|| batch.start_clock(command, on, (&self.stream, before)));
        let start = start.flatten();
        let retire = match self.record_slices(state, command, on, submitted) {
            Ok(retire) => retire,
            Err(error) => {
                if !clears.is_empty() {
                    submitted.extend(self.submit(state));
                }
                return Err(error);
            }
        };
        let batch = self.open(state)?;
        batch.note(command);
        let clock = start.and_then(|start| self.stream.stop_clock(&mut batch.recorder, start));
        batch.last_clock.clone_from(&clock);
        batch.commands.push(Recorded {
            node: node.clone(),
            retire,
            clock,
            joined: Vec::new(),
        });
        batch.last = match &node.command {
            Command::Device(command) if found && command.joins() => Some(Last {
                command: command.clone(),
                changes,
            }),
            _ => None,
        };
        batch.count += 1;
        batch.gives_event |= node.gives_event;
        let (value, count) = (batch.value, batch.count);
        if self.out_of_order {
            state.unordered.insert(node.event.handle());
        }
        if is_alone || count >= BATCH_LIMIT {
            submitted.extend(self.submit(state));
        }
        Ok(Some(value))
    }

    /// Tells whether `is_last` is true of the event of the open batch's last command.
    pub fn ends_with(&self, is_last: impl Fn(&Ref<Event>) -> bool) -> bool {
        self.state.lock().ends_with(is_last)
    }

    /// Records a command of an in-order queue behind the last one of the open batch, if `is_last` is true of that one's
    /// event, which then stands for both. `None` if there is no such batch. `changes` is
    /// [`changes`](crate::memory::residency::changes) from before its contents were found.
    pub fn join(
        &self,
        command: &Arc<dyn DeviceCommand>,
        on: &Placement,
        changes: u64,
        is_last: impl Fn(&Ref<Event>) -> bool,
    ) -> Option<Joined> {
        let mut guard = self.state.lock();
        let state = &mut *guard;
        if !state.ends_with(is_last) || state.ends_before(&**command) {
            return None;
        }
        let batch = state.open.as_mut()?;
        batch.commands.last()?;
        batch.barrier_before(&**command, true);
        batch.note(&**command);
        let before = batch.commands.last_mut()?;
        // The command before has its end noted, this one its start not.
        batch.last_clock = None;
        let recorded = command.record(on, &mut batch.recorder).map(drop);
        let kept = before.joined.last();
        if !kept.is_some_and(|kept| Arc::ptr_eq(kept, command)) {
            before.joined.push(command.clone());
        }
        batch.last = recorded.is_ok().then(|| Last {
            command: command.clone(),
            changes,
        });
        Some(self.joined(state, recorded))
    }

    /// Records the last command of the open batch once more, as [`Lane::join`] does, if `is_it` is true of it. `None` if
    /// it is not, or something has changed since its contents were found.
    pub fn repeat(
        &self,
        is_it: impl Fn(&dyn DeviceCommand) -> bool,
        on: &Placement,
        changes: u64,
        is_last: impl Fn(&Ref<Event>) -> bool,
    ) -> Option<Joined> {
        let mut guard = self.state.lock();
        let state = &mut *guard;
        let last = state.open.as_ref()?.last.as_ref()?;
        if last.changes != changes || !is_it(&*last.command) {
            return None;
        }
        if !state.ends_with(is_last) || state.ends_before(&*last.command) {
            return None;
        }
        let batch = state.open.as_mut()?;
        let last = batch.last.as_ref()?;
        batch.last_clock = None;
        let recorded = last.command.record_again(on, &mut batch.recorder);
        Some(self.joined(state, recorded))
    }

    /// Counts a command that was recorded behind another, and submits the batch if it is time.
    fn joined(&self, state: &mut State, recorded: Result<()>) -> Joined {
        let grows = self.grows(state);
        let count = state.open.as_mut().map_or(0, |batch| {
            batch.count += 1;
            batch.count
        });
        let limit = match grows {
            true => BATCH_LIMIT.max(state.ahead),
            false => BATCH_LIMIT,
        };
        let is_full = count >= limit;
        if is_full && grows {
            state.ahead = (2 * limit).min(JOINED_LIMIT);
        }
        let goes = is_full || state.is_due(count, grows);
        let before = state.tell();
        let submission = goes.then(|| self.submit(state)).flatten();
        Joined {
            recorded,
            submissions: [before, submission],
            is_too_much: state.in_flight.len() >= IN_FLIGHT_LIMIT,
        }
    }

    /// Tells whether the open batch may be large: it is of an in-order queue, and its last command is a launch that waits for
    /// nothing.
    fn grows(&self, state: &State) -> bool {
        !self.out_of_order && state.open.as_ref().is_some_and(OpenBatch::ends_light)
    }

    /// [`InFlight::gathers_until`].
    pub fn gathers_until(&self, value: u64) -> Option<u64> {
        let state = self.state.lock();
        let mut batches = state.in_flight.iter();
        batches.find(|batch| batch.value == value)?.gathers_until
    }

    /// The open batch.
    fn open<'a>(&self, state: &'a mut State) -> Result<&'a mut OpenBatch> {
        if state.open.is_none() {
            let (recorder, value) = self.stream.begin()?;
            state.open = Some(OpenBatch::new(recorder, value));
        }
        state.open.as_mut().ok_or(Error::OutOfResources)
    }

    /// Records a command, and submits what comes before its last slice.
    fn record_slices(
        &self,
        state: &mut State,
        command: &dyn DeviceCommand,
        on: &Placement,
        submitted: &mut Vec<Submission>,
    ) -> Result<Retire> {
        let last = command.slices(on).saturating_sub(1);
        for slice in 0..last {
            let batch = self.open(state)?;
            drop(command.record_slice(on, &mut batch.recorder, slice)?);
            let value = batch.value;
            submitted.extend(self.submit(state));
            if self.stream.last_submitted() < value {
                // The rest without this would be a wrong result.
                return Err(Error::OutOfResources);
            }
        }
        let batch = self.open(state)?;
        command.record_slice(on, &mut batch.recorder, last)
    }

    /// Submits the open batch.
    pub fn flush(&self) -> Option<Submission> {
        let mut state = self.state.lock();
        state.ahead = 1;
        self.submit(&mut state)
    }

    /// Submits the open batch when the device has little else to do for this queue; otherwise it
    /// goes on collecting until the device is done or someone waits.
    pub fn flush_if_idle(&self) -> Option<Submission> {
        let mut state = self.state.lock();
        let count = state.open.as_ref().map_or(0, |open| open.count);
        let grows = self.grows(&state);
        match state.is_due(count, grows) {
            true => self.submit(&mut state),
            false => None,
        }
    }

    fn submit(&self, state: &mut State) -> Option<Submission> {
        if state.open.is_none() || !exit::begin_batch() {
            return None;
        }
        let Some(mut batch) = state.open.take() else {
            exit::batch_ended();
            return None;
        };
        let is_short = batch.ends_light() && self.stream.runs_beside();
        // What a batch without a barrier reads of ended ones is visible to it by these waits, which
        // are over before it begins.
        if self.out_of_order {
            for stream in self.beside.iter().chain([&self.stream]) {
                if let Ok(reached) = stream.reached() {
                    batch.waits.push(stream.at(reached));
                }
            }
        }
        log::debug!(
            "submits {} commands with {} timestamps",
            batch.count,
            batch.recorder.timestamps()
        );
        let sent = self.stream.submit(batch.recorder, &batch.waits);
        if let Some(clearing) = batch.clearing {
            clearing.note_submission(sent.is_ok());
        }
        Some(match sent {
            Ok(_) => {
                let leaves = may_be_left(&batch.commands) && state.watch.leave(batch.value);
                let now = host_time();
                state.in_flight.push_back(InFlight {
                    value: batch.value,
                    submitted: now,
                    gathers_until: state.pace.note(now, is_short),
                    commands: batch.commands,
                });
                match leaves {
                    true => Submission::Left,
                    false => Submission::Sent(batch.value),
                }
            }
            Err(error) => {
                exit::batch_ended();
                log::error!("a submission failed: {error}");
                state.forget(&batch.commands);
                Submission::Failed(Unsent::new(batch.commands, batch.count, error))
            }
        })
    }

    /// Takes the oldest batch in flight if the device has finished it, and submits what has been
    /// collected when nothing else is under way.
    pub fn take_finished(&self) -> (Option<Finished>, Option<Submission>) {
        let mut state = self.state.lock();
        if state.in_flight.is_empty() {
            return (None, self.submit(&mut state));
        }
        let (reached, lost) = match self.stream.reached() {
            Ok(value) => (value, None),
            // After a device loss nothing is reached any more: everything ends.
            Err(error) => (u64::MAX, Some(error)),
        };
        let finished = (state.in_flight.front()).is_some_and(|batch| batch.value <= reached);
        let Some(batch) = finished.then(|| state.in_flight.pop_front()).flatten() else {
            return (None, None);
        };
        state.forget(&batch.commands);
        state.watch.has_ended(batch.value);
        let submission = match state.in_flight.is_empty() {
            true => self.submit(&mut state),
            false => None,
        };
        let finished = Finished {
            commands: batch.commands,
            ran: state.spending.end(batch.submitted),
            lost,
        };
        (Some(finished), submission)
    }

    /// The batch that was left, if there is one.
    pub fn tell(&self) -> Option<Submission> {
        self.state.lock().tell()
    }

    /// [`Watch::look`].
    pub fn look(&self, waiting: &Waiting) -> Look {
        self.state.lock().watch.look(waiting)
    }

    /// The number of batches that are submitted and have not ended, and of commands that are to be submitted.
    pub fn load(&self) -> (usize, usize) {
        let state = self.state.lock();
        let open = state.open.as_ref().map_or(0, |open| open.count);
        (state.in_flight.len(), open)
    }

    /// Tells whether no batch has been under way for long.
    pub fn is_prompt(&self) -> bool {
        let state = self.state.lock();
        (state.in_flight.front()).is_none_or(|batch| is_recent(batch.submitted))
    }

    /// The value to wait for while too much is submitted.
    pub fn excess(&self) -> Option<u64> {
        let state = self.state.lock();
        if state.in_flight.len() < IN_FLIGHT_LIMIT {
            return None;
        }
        state.in_flight.get(IN_FLIGHT_LIMIT / 2).map(|b| b.value)
    }

    /// Blocks until the device has reached `value` on this queue's timeline.
    /// Returns at once if the batch could not be submitted.
    pub fn wait(&self, value: u64) {
        if self.stream.last_submitted() < value {
            return;
        }
        if let Err(error) = self.stream.wait(value) {
            log::error!("waiting for the device failed: {error}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{InFlight, JOINED_LIMIT, State};

    #[test]
    fn batches_of_launches_beside_one_under_way_double() {
        let mut state = State {
            ahead: 1,
            ..State::default()
        };
        assert!(state.is_due(1, true) && state.is_due(1, true));
        state.in_flight.push_back(InFlight::default());
        let counts = (1..=600).filter(|&count| state.is_due(count, true));
        let sizes: Vec<usize> = counts.take(9).collect();
        assert_eq!(sizes, [1, 2, 4, 8, 16, 32, 64, 128, JOINED_LIMIT]);
        assert!(state.is_due(1, false) && !state.is_due(1, true));
    }
}
