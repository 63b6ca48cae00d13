//! clFinalizeCommandBufferKHR and clEnqueueCommandBufferKHR.

use std::sync::Arc;

use opencl_sys as cl;

use super::record::Entry;
use super::replay::{Replay, SegmentUses};
use super::segment::{Body, Segment, cut};
use super::{CommandBuffer, State};
use crate::base::error::{Error, Result};
use crate::base::object::{Object, Ref};
use crate::command::{Command, Empty, Parts, Times};
use crate::device::command_buffers::QUEUE_PROPERTIES;
use crate::queue::event::{Event, Moment};
use crate::queue::{Queue, WaitList};

impl Object<CommandBuffer> {
    /// clFinalizeCommandBufferKHR. Records the segments for the command buffer's own queues.
    ///
    /// # Errors
    /// Those that the specification lists for clFinalizeCommandBufferKHR, in its order.
    pub fn finalize(self: &Ref<CommandBuffer>) -> Result<()> {
        let mut state = self.state.lock();
        // CL_INVALID_OPERATION if the command buffer is not in the recording state.
        if state.segments.is_some() {
            return Err(Error::InvalidOperation);
        }
        self.finalize_state(&mut state)
    }

    pub(super) fn finalize_state(self: &Ref<CommandBuffer>, state: &mut State) -> Result<()> {
        let segments = cut(&state.entries, self.queues.len(), self.is_mutable());
        let segments: Vec<Arc<Segment>> = segments.into_iter().map(Arc::new).collect();
        state.complete = state.entries.iter().all(|entry| entry.command.is_some());
        if state.complete {
            for segment in &segments {
                // The command is dropped; the recordings made for it stay.
                segment.command(self, &state.entries, &self.queues)?;
            }
        }
        state.segments = Some(segments);
        Ok(())
    }

    /// CL_INVALID_OPERATION if the command buffer is not in the executable state.
    ///
    /// # Errors
    /// [`Error::InvalidOperation`].
    pub fn check_executable(&self) -> Result<()> {
        match self.state.lock().complete {
            true => Ok(()),
            false => Err(Error::InvalidOperation),
        }
    }

    /// clEnqueueCommandBufferKHR; `queues` is `None` for NULL.
    ///
    /// # Errors
    /// Those that the specification lists for clEnqueueCommandBufferKHR, in its order.
    pub fn enqueue(
        self: &Ref<CommandBuffer>,
        queues: Option<&[Ref<Queue>]>,
        wait: WaitList,
    ) -> Result<Ref<Event>> {
        self.context().check_live()?;
        let (segments, commands) = {
            let state = self.state.lock();
            // CL_INVALID_OPERATION if the command buffer is not in the executable state.
            let segments = state.segments.as_ref().filter(|_| state.complete);
            let segments = segments.ok_or(Error::InvalidOperation)?;
            if let Some(queues) = queues {
                self.check_queues(queues)?;
            }
            // CL_INVALID_CONTEXT if an event is of another context.
            for event in &wait.events {
                self.queues[0].on().check_context(event.context())?;
            }
            let queues = queues.unwrap_or(&self.queues);
            let commands: Result<Vec<Command>> = (segments.iter())
                .map(|segment| segment.command(self, &state.entries, queues))
                .collect();
            (segments.clone(), commands?)
        };
        self.submit(queues.unwrap_or(&self.queues), &segments, commands, wait)
    }

    /// Checks the queues that replace its own for one enqueue.
    fn check_queues(&self, queues: &[Ref<Queue>]) -> Result<()> {
        // CL_INVALID_VALUE if there are not as many.
        if queues.len() != self.queues.len() {
            return Err(Error::InvalidValue);
        }
        let pairs = || queues.iter().zip(&self.queues);
        // CL_INCOMPATIBLE_COMMAND_QUEUE_KHR if a queue has a property that is not supported.
        if queues
            .iter()
            .any(|q| q.properties() & !QUEUE_PROPERTIES != 0)
        {
            return Err(Error::IncompatibleCommandQueue);
        }
        // CL_INVALID_DEVICE if a queue has another device than the one that it replaces.
        if pairs().any(|(a, b)| a.device().handle() != b.device().handle()) {
            return Err(Error::InvalidDevice);
        }
        // CL_INVALID_CONTEXT if a queue has another context.
        pairs().try_for_each(|(a, b)| a.on().check_context(b.context()))
    }

    /// Enqueues the segments; returns the event of them all.
    fn submit(
        self: &Ref<CommandBuffer>,
        queues: &[Ref<Queue>],
        segments: &[Arc<Segment>],
        mut commands: Vec<Command>,
        wait: WaitList,
    ) -> Result<Ref<Event>> {
        if let ([segment], 1) = (segments, queues.len()) {
            if matches!(segment.body, Body::Device { .. }) {
                if let Some(command) = commands.pop() {
                    return queues[0].enqueue(command, wait, false);
                }
            }
        }
        let mut events: Vec<Ref<Event>> = Vec::with_capacity(segments.len());
        for (segment, command) in segments.iter().zip(commands) {
            let after = match segment.after.is_empty() {
                true => wait.events.clone(),
                false => (segment.after.iter())
                    .map(|before| events[*before].clone())
                    .collect(),
            };
            let wait = WaitList {
                events: after,
                gives_event: wait.gives_event,
            };
            events.push(queues[segment.queue].enqueue(command, wait, false)?);
        }
        // The event has times only if all queues measure them: else its queue is one that does not.
        let without_times = queues.iter().find(|queue| !queue.profiling());
        let end = Command::Empty(Empty {
            command_type: cl::CL_COMMAND_COMMAND_BUFFER_KHR,
            keeps: Some(Arc::new(self.clone())),
            parts: Some(Arc::new(Whole {
                events: events.clone(),
                several: queues.len() > 1,
            })),
        });
        let wait = WaitList {
            events: if events.is_empty() {
                wait.events
            } else {
                events
            },
            gives_event: wait.gives_event,
        };
        without_times
            .unwrap_or(&queues[0])
            .enqueue(end, wait, false)
    }
}

/// All segments of an enqueue.
struct Whole {
    events: Vec<Ref<Event>>,
    several: bool,
}

impl Parts for Whole {
    fn times(&self) -> Option<Times> {
        let times = |moment| self.events.iter().map(move |event| event.time(moment));
        Some(Times {
            queued: times(Moment::Queued).min()?,
            submitted: times(Moment::Submit).min()?,
            started: times(Moment::Start).min()?,
            ended: times(Moment::End).max()?,
            completed: times(Moment::Complete).max()?,
        })
    }

    fn in_several_queues(&self) -> bool {
        self.several
    }
}

impl Segment {
    /// Makes the command that runs the segment on its queue.
    fn command(
        &self,
        buffer: &Ref<CommandBuffer>,
        entries: &[Entry],
        queues: &[Ref<Queue>],
    ) -> Result<Command> {
        let (chunks, slot) = match &self.body {
            Body::Device { chunks, uses } => (chunks, uses),
            Body::Host(entry) => {
                // Only an entry with a command becomes a host segment.
                return (entries[*entry].command.clone()).ok_or(Error::OutOfResources);
            }
        };
        let mut slot = slot.lock();
        let uses = match &*slot {
            Some(uses) => uses.clone(),
            None => slot
                .insert(Arc::new(SegmentUses::of(entries, chunks)?))
                .clone(),
        };
        let leases = (chunks.iter())
            .map(|chunk| chunk.lease(entries, &queues[self.queue]))
            .collect::<Result<_>>()?;
        Ok(Command::Device(Arc::new(Replay {
            _buffer: buffer.clone(),
            leases,
            uses,
        })))
    }

    /// Drops the recordings of a command that has changed.
    pub(super) fn invalidate(&self, entry: usize) {
        if let Body::Device { chunks, uses } = &self.body {
            let mut holding =
                (chunks.iter()).filter(|chunk| chunk.steps.iter().any(|step| step.entry == entry));
            if let Some(chunk) = holding.next() {
                chunk.invalidate();
                *uses.lock() = None;
            }
        }
    }
}
