//! clRemapCommandBufferKHR.

use super::mutable::MutableCommand;
use super::record::{CommandSource, Entry};
use super::{CommandBuffer, State};
use crate::base::error::{Error, Result};
use crate::base::object::{Object, Ref};
use crate::command::Command;
use crate::queue::Queue;

impl Object<CommandBuffer> {
    /// clRemapCommandBufferKHR; returns the copy, and its handles of the commands that `handles` name.
    ///
    /// # Errors
    /// Those that the specification lists for clRemapCommandBufferKHR, in its order.
    pub fn remap(
        self: &Ref<CommandBuffer>,
        automatic: bool,
        queues: &[Ref<Queue>],
        handles: &[Ref<MutableCommand>],
    ) -> Result<(Ref<CommandBuffer>, Vec<Ref<MutableCommand>>)> {
        self.context().check_live()?;
        // CL_INVALID_VALUE if there are not as many queues as before, unless the runtime chooses.
        if !automatic && queues.len() != self.queues.len() {
            return Err(Error::InvalidValue);
        }
        // CL_INVALID_VALUE if a handle is none of the command buffer's.
        let indices: Vec<usize> = (handles.iter())
            .map(|handle| handle.index_in(self).map_err(|_| Error::InvalidValue))
            .collect::<Result<_>>()?;
        // CL_INVALID_CONTEXT if a queue has another context.
        for queue in queues {
            queue.on().check_context(self.context())?;
        }
        let copy = CommandBuffer::empty(queues, self.property_list.clone(), self.flags);
        // Commands are made without a lock.
        let (finalized, commands) = {
            let state = self.state.lock();
            let commands: Vec<_> = state.entries.iter().map(Entry::without_command).collect();
            (state.segments.is_some(), commands)
        };
        let mut made = State {
            order: self.state.lock().order.without_queues(),
            ..State::default()
        };
        for (index, (old, mut entry)) in commands.into_iter().enumerate() {
            (entry.queue, entry.command) = self.choose(automatic, queues, old, &entry.source)?;
            if !queues[entry.queue].out_of_order() {
                made.order
                    .place_in_queue(index, entry.queue, &mut entry.after);
            }
            if let CommandSource::Kernel(command) = &mut entry.source {
                let handle = &mut command.handle;
                *handle = (handle.as_ref()).map(|_| MutableCommand::new(&copy, index));
            }
            made.entries.push(entry);
        }
        let commands = indices
            .iter()
            .map(|index| match &made.entries[*index].source {
                CommandSource::Kernel(command) => command.handle.clone().ok_or(Error::InvalidValue),
                CommandSource::Recipe(_) => Err(Error::InvalidValue),
            });
        let commands: Vec<Ref<MutableCommand>> = commands.collect::<Result<_>>()?;
        if finalized {
            copy.finalize_state(&mut made)?;
        }
        *copy.state.lock() = made;
        Ok((copy, commands))
    }

    /// Chooses the queue of a command in the copy, by its index, and makes the command for it. An
    /// `automatic` choice is a queue of the same device or, without one, the first queue that can take the
    /// command.
    fn choose(
        &self,
        automatic: bool,
        queues: &[Ref<Queue>],
        old: usize,
        source: &CommandSource,
    ) -> Result<(usize, Option<Command>)> {
        if !automatic {
            return Ok((old, source.make(&queues[old])?));
        }
        let device = self.queues[old].device().handle();
        let same = |place: &usize| queues[*place].device().handle() == device;
        let all = 0..queues.len();
        let preferred = all
            .clone()
            .filter(same)
            .chain(all.filter(|place| !same(place)));
        let mut refused = Error::InvalidValue;
        for place in preferred {
            match source.make(&queues[place]) {
                Ok(command) => return Ok((place, command)),
                Err(error) => refused = error,
            }
        }
        Err(refused)
    }
}
