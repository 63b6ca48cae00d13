//! Command queues: order between commands, batches, and the two helper threads of a queue.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use crossbeam_channel::{Sender, unbounded};
use opencl_sys as cl;
use parking_lot::Mutex;

use crate::command::{Class, Command, Retire};
use crate::context::Context;
use crate::device::{Device, host_time, report_validation};
use crate::error::{Error, Result};
use crate::event::{Event, Moment};
use crate::exit;
use crate::gpu;
use crate::info::Info;
use crate::log;
use crate::object::{Kind, Object, Ref};
pub use crate::queue_properties::{check_bits, check_properties};
use crate::scheduler::{self, Node};
use crate::trace;

/// A batch is submitted at the latest when it holds this many commands.
const BATCH_LIMIT: usize = 64;
/// Batches that are submitted at once; further commands are collected until one of them ends.
const SUBMIT_AHEAD: usize = 2;

/// Batches that may be submitted and not ended before an enqueue waits for the oldest ones, so that
/// an application which never waits itself needs no memory for ever more commands.
const IN_FLIGHT_LIMIT: usize = 64;

/// A recorded command, and what is left to do when the device has run it.
struct Recorded {
    node: Arc<Node>,
    retire: Retire,
    /// Its times on the device, if anyone can ask for them.
    clock: Option<gpu::Times>,
}

/// Commands that are submitted together and share a timeline value.
struct Batch {
    value: u64,
    recorder: gpu::Recorder,
    /// Semaphores of other queues, with the values to wait for.
    waits: Vec<gpu::Wait>,
    commands: Vec<Recorded>,
    /// The clock of the last command, if it has one.
    last_clock: Option<gpu::Times>,
}

/// A submitted batch.
struct InFlight {
    value: u64,
    commands: Vec<Recorded>,
}

/// The device side of a queue.
struct Lane {
    open: Option<Batch>,
    in_flight: VecDeque<InFlight>,
    /// The commands of all batches that are recorded behind the last barrier and have not ended,
    /// by their event's address.
    unordered: HashSet<usize>,
}

impl Lane {
    /// Takes the oldest batch in flight.
    fn pop(&mut self) -> Option<InFlight> {
        let batch = self.in_flight.pop_front()?;
        self.forget(&batch.commands);
        Some(batch)
    }

    /// Drops commands that have ended: nothing waits for them on the device any more.
    fn forget(&mut self, commands: &[Recorded]) {
        for recorded in commands {
            self.unordered.remove(&recorded.node.event.handle());
        }
    }
}

/// What orders a queue's commands.
#[derive(Default)]
struct Order {
    /// In-order queues: the last command.
    last: Option<Ref<Event>>,
    /// Out-of-order queues: the last barrier.
    barrier: Option<Ref<Event>>,
    /// Every command that has not ended, by its event's address.
    outstanding: HashMap<usize, Ref<Event>>,
}

/// A command queue object.
pub struct Queue {
    context: Ref<Context>,
    device: Ref<Device>,
    device_index: usize,
    properties: u64,
    /// The list given to clCreateCommandQueueWithProperties, with its terminator.
    property_list: Option<Vec<u64>>,
    stream: Arc<gpu::Stream>,
    /// Its track in a trace.
    track: u64,
    /// Guards the order of commands.
    order: Mutex<Order>,
    /// Guards recording and submission.
    lane: Mutex<Lane>,
    /// To the host thread, once there is one.
    host_thread: Mutex<Option<Sender<Arc<Node>>>>,
    /// To the completion thread, once there is one.
    completion_thread: Mutex<Option<Sender<u64>>>,
}

impl std::fmt::Debug for Queue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Queue")
            .field("properties", &self.properties)
            .finish_non_exhaustive()
    }
}

impl Kind for Queue {
    const TAG: u64 = u64::from_le_bytes(*b"pmcQUEUE");
    const INVALID: Error = Error::InvalidCommandQueue;
}

/// Runs a host command on a thread of the runtime's.
fn run_posted(node: Arc<Node>) {
    let _work = exit::work();
    scheduler::run_posted(&node);
    // What the node owns may be a Vulkan object: it goes under the lock too.
    drop(node);
}

impl Queue {
    /// clCreateCommandQueueWithProperties, after the list.
    pub fn create(
        context: &Ref<Context>,
        device: &Ref<Device>,
        properties: u64,
        property_list: Option<Vec<u64>>,
    ) -> Result<Ref<Queue>> {
        // CL_INVALID_DEVICE if device is not associated with context.
        let device_index = context.device_index(device).ok_or(Error::InvalidDevice)?;
        let stream = device.gpu()?.create_stream()?;
        Ok(Object::new(Queue {
            context: context.clone(),
            device: device.clone(),
            device_index,
            properties,
            property_list,
            stream: Arc::new(stream),
            track: trace::queue_track(device.name()),
            order: Mutex::new(Order::default()),
            lane: Mutex::new(Lane {
                open: None,
                in_flight: VecDeque::new(),
                unordered: HashSet::new(),
            }),
            host_thread: Mutex::new(None),
            completion_thread: Mutex::new(None),
        }))
    }
}

impl Object<Queue> {
    /// The context.
    pub fn context(&self) -> &Ref<Context> {
        &self.context
    }

    /// The device.
    pub fn device(&self) -> &Ref<Device> {
        &self.device
    }

    /// Where the device stands in the context.
    pub fn device_index(&self) -> usize {
        self.device_index
    }

    /// Whether CL_QUEUE_PROFILING_ENABLE is set.
    pub fn profiling(&self) -> bool {
        self.properties & cl::CL_QUEUE_PROFILING_ENABLE != 0
    }

    fn out_of_order(&self) -> bool {
        self.properties & cl::CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE != 0
    }

    /// Places a new command in the queue's order; gives the events that it follows from that
    /// alone, without its wait list.
    pub(crate) fn order(
        &self,
        event: &Ref<Event>,
        command: &Command,
        empty_wait_list: bool,
    ) -> Vec<Ref<Event>> {
        let mut order = self.order.lock();
        let mut after = Vec::new();
        if self.out_of_order() {
            // A marker or barrier without a wait list waits for every earlier command; a barrier
            // holds back every later one.
            if matches!(command, Command::Marker | Command::Barrier) && empty_wait_list {
                after.extend(order.outstanding.values().cloned());
            }
            after.extend(order.barrier.clone());
            if matches!(command, Command::Barrier) {
                order.barrier = Some(event.clone());
            }
        } else {
            after.extend(order.last.replace(event.clone()));
        }
        order.outstanding.insert(event.handle(), event.clone());
        after
    }

    /// Drops an ended command from the order.
    pub(crate) fn forget(&self, event: &Ref<Event>) {
        let is_this = |other: &Option<Ref<Event>>| {
            other
                .as_ref()
                .is_some_and(|other| other.handle() == event.handle())
        };
        let mut order = self.order.lock();
        // The references are dropped after the lock is released.
        let _last = is_this(&order.last).then(|| order.last.take());
        let _barrier = is_this(&order.barrier).then(|| order.barrier.take());
        let _entry = order.outstanding.remove(&event.handle());
        drop(order);
    }

    /// Blocks until an in-order queue's last command has ended; does nothing for others.
    pub(crate) fn wait_idle(&self) {
        if self.out_of_order() {
            return;
        }
        let last = self.order.lock().last.clone();
        if let Some(last) = last {
            last.wait();
        }
    }

    /// Its track in a trace.
    pub(crate) fn track(&self) -> u64 {
        self.track
    }

    /// clFinish.
    pub fn finish(self: &Ref<Queue>) {
        self.flush();
        let outstanding: Vec<_> = self.order.lock().outstanding.values().cloned().collect();
        for event in outstanding {
            event.wait();
        }
    }

    /// Records a device command into the open batch; gives the batch's timeline value.
    pub(crate) fn record(self: &Ref<Queue>, node: &Arc<Node>) -> Result<u64> {
        // The signals of other queues must be submitted before a wait for them is.
        let mut waits: Vec<gpu::Wait> = node.command.startup().into_iter().collect();
        for event in &node.after {
            let Some(other) = event.queue() else { continue };
            if other.handle() == self.handle() || event.is_done() {
                continue;
            }
            if let Some(value) = event.batch() {
                other.flush();
                waits.push(other.stream.at(value));
            }
        }
        let mut guard = self.lane.lock();
        let lane = &mut *guard;
        // A batch waits as a whole: what has been collected does not wait for others' signals.
        if !waits.is_empty()
            && lane
                .open
                .as_ref()
                .is_some_and(|batch| batch.waits.is_empty())
        {
            self.submit(lane);
        }
        if lane.open.is_none() {
            let (recorder, value) = self.stream.begin()?;
            lane.open = Some(Batch {
                value,
                recorder,
                waits: Vec::new(),
                commands: Vec::new(),
                last_clock: None,
            });
        }
        let Some(batch) = lane.open.as_mut() else {
            return Err(Error::OutOfResources);
        };
        // An in-order queue has a barrier before each command, an out-of-order queue only where a
        // command waits for one since the last barrier, of this batch or an earlier one: what the
        // application has not ordered by events may overlap.
        let depends = |event: &Ref<Event>| lane.unordered.contains(&event.handle());
        if !self.out_of_order() || node.after.iter().any(depends) {
            batch.recorder.barrier();
            lane.unordered.clear();
        }
        // Between the commands of an in-order queue there is nothing but a barrier, so that one
        // starts when the one before ends.
        let before = batch.last_clock.take().filter(|_| !self.out_of_order());
        let start = (self.profiling() && node.gives_event || trace::enabled())
            .then(|| (self.stream).start_clock(&mut batch.recorder, before.as_ref()))
            .flatten();
        let retire = node.command.record(self, &mut batch.recorder)?;
        let clock = start.and_then(|start| self.stream.stop_clock(&mut batch.recorder, start));
        batch.last_clock.clone_from(&clock);
        batch.waits.extend(waits);
        lane.unordered.insert(node.event.handle());
        batch.commands.push(Recorded {
            node: node.clone(),
            retire,
            clock,
        });
        let value = batch.value;
        if batch.commands.len() >= BATCH_LIMIT {
            self.submit(lane);
        }
        Ok(value)
    }

    /// Submits the open batch when the device has little else to do for this queue; otherwise it
    /// goes on collecting until the device is done or someone waits.
    pub(crate) fn submit_if_idle(self: &Ref<Queue>) {
        let mut lane = self.lane.lock();
        if lane.in_flight.len() < SUBMIT_AHEAD {
            self.submit(&mut lane);
        }
    }

    /// Waits while too much is submitted. For threads of the application, with no lock held: what
    /// is submitted depends on nothing that is not.
    pub(crate) fn hold_back(self: &Ref<Queue>) {
        let middle = {
            let lane = self.lane.lock();
            if lane.in_flight.len() < IN_FLIGHT_LIMIT {
                return;
            }
            lane.in_flight.get(IN_FLIGHT_LIMIT / 2).map(|b| b.value)
        };
        if let Some(value) = middle {
            self.wait_batch(value);
            self.retire();
        }
    }

    /// clFlush.
    pub fn flush(self: &Ref<Queue>) {
        let mut lane = self.lane.lock();
        self.submit(&mut lane);
    }

    fn submit(self: &Ref<Queue>, lane: &mut Lane) {
        // The end of the process waits for what is submitted; nothing more is then.
        if exit::is_ending() {
            return;
        }
        let Some(mut batch) = lane.open.take() else {
            return;
        };
        // What a batch without a barrier reads of ended ones is visible to it by this wait, which
        // is over before it begins.
        if self.out_of_order() {
            if let Ok(reached) = self.stream.reached() {
                batch.waits.push(self.stream.at(reached));
            }
        }
        log::debug!(
            "submits {} commands with {} timestamps",
            batch.commands.len(),
            batch.recorder.timestamps()
        );
        exit::batch_submitted();
        match self.stream.submit(batch.recorder, &batch.waits) {
            Ok(_) => {
                lane.in_flight.push_back(InFlight {
                    value: batch.value,
                    commands: batch.commands,
                });
                self.tell_completion_thread(batch.value);
            }
            Err(error) => {
                exit::batch_ended();
                log::error!("a submission failed: {error}");
                // The events end on the callback thread, which holds none of our locks.
                let commands = batch.commands;
                lane.forget(&commands);
                crate::callback::post(move || {
                    for recorded in commands {
                        scheduler::complete(&recorded.node.event, error.code());
                    }
                });
            }
        }
    }

    /// Blocks until the device has reached `value` on this queue's timeline.
    /// Returns at once if the batch could not be submitted.
    pub(crate) fn wait_batch(&self, value: u64) {
        if self.stream.last_submitted() < value {
            return;
        }
        if let Err(error) = self.stream.wait(value) {
            log::error!("waiting for the device failed: {error}");
        }
    }

    /// Ends the commands of every batch that the device has finished, and submits what has been
    /// collected meanwhile when nothing else is under way.
    pub(crate) fn retire(self: &Ref<Queue>) {
        loop {
            let (done, lost) = {
                let mut lane = self.lane.lock();
                if lane.in_flight.is_empty() {
                    self.submit(&mut lane);
                    return;
                }
                let (reached, lost) = match self.stream.reached() {
                    Ok(value) => (value, None),
                    // After a device loss nothing is reached any more: everything ends.
                    Err(error) => (u64::MAX, Some(error)),
                };
                match lane.in_flight.front() {
                    Some(batch) if batch.value <= reached => {}
                    _ => return,
                }
                let done = lane.pop();
                if lane.in_flight.is_empty() {
                    self.submit(&mut lane);
                }
                (done, lost)
            };
            if let Some(batch) = done {
                self.end_batch(batch, lost);
            }
        }
    }

    fn end_batch(self: &Ref<Queue>, batch: InFlight, lost: Option<Error>) {
        let now = host_time();
        for recorded in batch.commands {
            let event = &recorded.node.event;
            let clock = recorded.clock.filter(|_| lost.is_none());
            let measured = clock.as_ref().and_then(gpu::Times::read);
            let (start, end) = measured.unwrap_or((now, now));
            event.mark(Moment::Start, start);
            event.mark(Moment::End, end);
            if trace::enabled() {
                trace::command(self.track, recorded.node.command.name(), (start, end));
            }
            let result = match lost {
                Some(error) => Err(error),
                None => recorded.retire.run(),
            };
            let status = match result {
                Ok(()) if recorded.node.wait_list_failed() => {
                    Error::ExecStatusErrorForEventsInWaitList.code()
                }
                Ok(()) => cl::CL_COMPLETE,
                Err(error) => error.code(),
            };
            if status == cl::CL_COMPLETE {
                let _ = event.advance(cl::CL_RUNNING);
            }
            scheduler::complete(event, status);
        }
        exit::batch_ended();
        self.stream.reclaim();
        report_validation();
    }

    /// Hands a host command to the queue's host thread. In an out-of-order queue the application's
    /// own code gets a thread of its own: nobody knows how long it runs, or what it waits for.
    pub(crate) fn post_host(&self, node: Arc<Node>) {
        if self.out_of_order() && node.command.class() == Class::Callback {
            let own = node.clone();
            let spawned = std::thread::Builder::new()
                .name("pumice-native".into())
                .spawn(move || run_posted(own));
            match spawned {
                Ok(_) => return,
                Err(error) => log::warn!("no thread of its own for a native kernel: {error}"),
            }
        }
        let mut slot = self.host_thread.lock();
        if slot.is_none() {
            let (sender, receiver) = unbounded::<Arc<Node>>();
            let spawned = std::thread::Builder::new()
                .name("pumice-host".into())
                .spawn(move || {
                    receiver.into_iter().for_each(run_posted);
                });
            match spawned {
                Ok(_) => *slot = Some(sender),
                Err(error) => log::error!("cannot start a queue's host thread: {error}"),
            }
        }
        match slot.as_ref() {
            Some(sender) => drop(sender.send(node)),
            None => {
                drop(slot);
                scheduler::complete(&node.event, Error::OutOfResources.code());
            }
        }
    }

    /// Lets the completion thread know of a submitted batch.
    fn tell_completion_thread(self: &Ref<Queue>, value: u64) {
        let mut slot = self.completion_thread.lock();
        if slot.is_none() {
            let (sender, receiver) = unbounded::<u64>();
            let stream = self.stream.clone();
            let queue = Arc::downgrade(self);
            let spawned = std::thread::Builder::new()
                .name("pumice-complete".into())
                .spawn(move || {
                    for value in receiver {
                        let _work = exit::work();
                        if let Err(error) = stream.wait(value) {
                            log::error!("waiting for the device failed: {error}");
                        }
                        // A batch in flight keeps its queue alive through its nodes.
                        if let Some(queue) = queue.upgrade() {
                            queue.retire();
                        }
                    }
                    // The queue is gone and this may be the last owner of its Vulkan side.
                    let _work = exit::work();
                    drop(stream);
                });
            match spawned {
                Ok(_) => *slot = Some(sender),
                Err(error) => log::error!("cannot start a queue's completion thread: {error}"),
            }
        }
        if let Some(sender) = slot.as_ref() {
            let _ = sender.send(value);
        }
    }

    /// clGetCommandQueueInfo.
    pub fn info(self: &Ref<Queue>, name: u32) -> Result<Info> {
        Ok(match name {
            cl::CL_QUEUE_CONTEXT => Info::object(&self.context),
            cl::CL_QUEUE_DEVICE => Info::object(&self.device),
            cl::CL_QUEUE_REFERENCE_COUNT => Info::u32(self.reference_count()),
            cl::CL_QUEUE_PROPERTIES => Info::u64(self.properties),
            cl::CL_QUEUE_PROPERTIES_ARRAY => {
                Info::u64s(self.property_list.as_deref().unwrap_or_default())
            }
            cl::CL_QUEUE_DEVICE_DEFAULT => Info::size(0),
            // CL_INVALID_COMMAND_QUEUE: CL_QUEUE_SIZE is a device queue's.
            cl::CL_QUEUE_SIZE => return Err(Error::InvalidCommandQueue),
            _ => return Err(Error::InvalidValue),
        })
    }
}
