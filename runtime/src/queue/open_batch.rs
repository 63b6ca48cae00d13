//! The batch that a lane is recording, and what becomes of it.

use std::sync::Arc;

use super::event::Node;
use super::untold::Unsent;
use crate::base::error::Result;
use crate::command::{DeviceCommand, Retire};
use crate::context::Placement;
use crate::device::gpu;
use crate::memory::clearing::Clearing;
use crate::memory::residency::{Access, Cleared, Contents};

/// A recorded command, and what is left to do when the device has run it.
pub(super) struct Recorded {
    pub node: Arc<Node>,
    pub retire: Retire,
    /// Its times on the device, if anyone can ask for them.
    pub clock: Option<gpu::Times>,
    /// Commands recorded behind it that end with it, see `join.rs`: they live as long.
    pub joined: Vec<Arc<dyn DeviceCommand>>,
}

/// Submits what a queue has recorded.
pub(super) type Submit = Box<dyn Fn() + Send + Sync>;

/// Commands that are submitted together and share a timeline value.
pub(super) struct OpenBatch {
    pub value: u64,
    pub recorder: gpu::Recorder,
    /// Semaphores of other queues, with the values to wait for.
    pub waits: Vec<gpu::Wait>,
    pub commands: Vec<Recorded>,
    /// The number of recorded commands.
    pub count: usize,
    /// True if the application has the event of one of them.
    pub gives_event: bool,
    /// The clock of the last command, if it has one.
    pub last_clock: Option<gpu::Times>,
    /// The clears in it.
    pub clearing: Option<Clearing>,
    /// The last command recorded, if nothing but a barrier is needed to record it again.
    pub last: Option<Last>,
    /// True if only dispatches were recorded behind a barrier of this batch for all commands, of an in-order queue.
    pub only_dispatches: bool,
}

/// An attempt to submit a batch.
#[must_use]
pub(super) enum Submission {
    /// The device will reach this value of the timeline, which the completion thread has to be told of.
    Sent(u64),
    /// The same, which it need not be told of now.
    Left,
    /// The device was given this value before, and it has to be told of it now.
    Told(u64),
    /// The commands will never run.
    Failed(Unsent),
}

/// A command that was recorded, and the state in which it found its contents.
pub(super) struct Last {
    pub command: Arc<dyn DeviceCommand>,
    /// [`changes`](crate::memory::residency::changes) from before its contents were found.
    pub changes: u64,
}

impl OpenBatch {
    /// Tells whether its last command is a launch that waits for nothing.
    pub fn ends_light(&self) -> bool {
        let last = self.last.as_ref();
        last.is_some_and(|last| last.command.is_light())
    }

    pub fn new(recorder: gpu::Recorder, value: u64) -> OpenBatch {
        OpenBatch {
            value,
            recorder,
            waits: Vec::new(),
            commands: Vec::new(),
            count: 0,
            gives_event: false,
            last_clock: None,
            clearing: None,
            last: None,
            only_dispatches: false,
        }
    }

    /// Records a barrier that a command is to follow. Between dispatches it names shaders alone: on NVIDIA's driver a barrier
    /// for all commands takes 2 µs more. Without an order, another command may rely on the barrier later.
    pub fn barrier_before(&mut self, command: &dyn DeviceCommand, in_order: bool) {
        match self.only_dispatches && command.is_dispatch() {
            true => self.recorder.barrier_of_dispatches(),
            false => self.recorder.barrier(),
        }
        self.only_dispatches |= in_order;
    }

    /// Starts a command's clock, behind what is no part of its time; at the end of the command before if that has a clock.
    pub fn start_clock(
        &mut self,
        command: &dyn DeviceCommand,
        on: &Placement,
        (stream, before): (&gpu::Stream, Option<gpu::Times>),
    ) -> Option<gpu::Start> {
        let now = stream.start_clock(&mut self.recorder, before.as_ref());
        // What cannot be recorded here fails again when the command is recorded.
        let recorded = command.record_untimed(on, &mut self.recorder);
        let (untimed_from, start) = match recorded.unwrap_or(false) {
            true => (now, stream.start_clock(&mut self.recorder, None)),
            false => (None, now),
        };
        start.map(|start| gpu::Start {
            untimed_from,
            start,
        })
    }

    /// Notes a command that was recorded.
    pub fn note(&mut self, command: &dyn DeviceCommand) {
        self.only_dispatches &= command.is_dispatch();
    }

    /// Records clears of contents; false if something else has happened to one of them. Those that have
    /// been recorded stand before a barrier.
    pub fn clear(
        &mut self,
        index: usize,
        clears: &[(Arc<dyn Contents>, Access)],
        end: gpu::Wait,
        submit: Submit,
    ) -> Result<bool> {
        let clearing = (self.clearing).get_or_insert_with(|| Clearing::recorded(end, submit));
        let mut recorded = false;
        let mut done = Ok(true);
        for (contents, access) in clears {
            match contents.clear(index, *access, &mut self.recorder, clearing) {
                Ok(Cleared::Now) => recorded = true,
                Ok(Cleared::Before) => {}
                Ok(Cleared::Elsewhere) => done = Ok(false),
                Err(error) => done = Err(error),
            }
            if !matches!(done, Ok(true)) {
                break;
            }
        }
        if recorded {
            self.recorder.barrier();
        }
        done
    }
}

/// Tells whether the batch of some commands may be left to a thread of the application's: one is expected to wait, and looks for
/// the batch's end.
pub(super) fn may_be_left(commands: &[Recorded]) -> bool {
    let expected = commands.last().is_some_and(|last| {
        let queue = &last.node.queue;
        queue.waiting.is_expected() && !queue.context().is_terminable()
    });
    expected && !commands.iter().any(|c| c.node.event.is_awaited())
}
