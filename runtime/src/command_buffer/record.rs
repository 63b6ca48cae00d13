//! The clCommand* functions.

use std::collections::HashMap;
use std::sync::Arc;

use opencl_sys as cl;

use super::create::{check_properties, property, with_terminator};
use super::mutable::MutableCommand;
use super::{CommandBuffer, State};
use crate::base::error::{Error, Result};
use crate::base::object::{Object, Ref};
use crate::command::{Command, ndrange};
use crate::context::Placement;
use crate::device::command_buffers::FIELDS;
use crate::executable::RangeRequest;
use crate::program::device_kernel::DeviceKernel;
use crate::program::kernel::{ArgBlock, Kernel};
use crate::queue::Queue;

/// Makes a command for a queue; called again for each queue that the command is remapped to.
pub type Recipe = Box<dyn Fn(&Placement) -> Result<Command> + Send + Sync>;

/// The arguments that all clCommand* functions have.
pub struct CommandArgs {
    /// `None` for NULL.
    pub queue: Option<Ref<Queue>>,
    /// `None` for NULL.
    pub properties: Option<Vec<[u64; 2]>>,
    /// The sync points that the command waits for; `None` if the list and its length contradict each
    /// other.
    pub waits: Option<Vec<u32>>,
    /// True if the application takes the command's handle.
    pub takes_handle: bool,
}

/// A recorded command.
pub(super) struct Entry {
    /// The index of its queue in the command buffer.
    pub queue: usize,
    /// The indices of the earlier commands that it waits for.
    pub after: Vec<usize>,
    /// `None` while arguments of a kernel are missing.
    pub command: Option<Command>,
    pub source: CommandSource,
}

/// All that is needed to make a command again.
pub(super) enum CommandSource {
    Recipe(Arc<Recipe>),
    Kernel(Box<KernelCommand>),
}

/// A kernel over a range, as it was recorded or last changed.
#[derive(Clone)]
pub struct KernelCommand {
    /// The kernel that was recorded.
    pub kernel: Ref<Kernel>,
    /// True if it enqueues others: the host leads its launches.
    pub enqueues: bool,
    /// Its arguments, `None` for those not set.
    pub args: ArgBlock,
    /// Its range.
    pub request: RangeRequest,
    /// CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR.
    pub fields: u64,
    /// The list of properties, with its terminator.
    pub properties: Option<Vec<u64>>,
    /// The handle, if the application took one.
    pub handle: Option<Ref<MutableCommand>>,
}

impl CommandSource {
    /// Makes the command for a queue; `None` while arguments are missing.
    pub fn make(&self, queue: &Ref<Queue>) -> Result<Option<Command>> {
        match self {
            CommandSource::Recipe(recipe) => recipe(queue.on()).map(Some),
            CommandSource::Kernel(command) => command.make(queue.on()),
        }
    }
}

impl Entry {
    /// The kernel that it launches: such a command may change.
    pub fn kernel(&self) -> Option<&KernelCommand> {
        match &self.source {
            CommandSource::Kernel(command) => Some(command),
            CommandSource::Recipe(_) => None,
        }
    }

    /// A copy without its command, and the index of its queue.
    pub fn without_command(&self) -> (usize, Entry) {
        let copy = Entry {
            queue: self.queue,
            after: self.after.clone(),
            command: None,
            source: match &self.source {
                CommandSource::Recipe(recipe) => CommandSource::Recipe(recipe.clone()),
                CommandSource::Kernel(command) => CommandSource::Kernel(command.clone()),
            },
        };
        (self.queue, copy)
    }
}

impl KernelCommand {
    /// Makes the command; `None` while arguments are missing.
    ///
    /// # Errors
    /// Those of clEnqueueNDRangeKernel.
    pub(super) fn make(&self, on: &Placement) -> Result<Option<Command>> {
        if self.kernel.missing_argument(&self.args)?.is_some() {
            return ndrange::check(on, &self.kernel, &self.request).map(|()| None);
        }
        let args = || Ok(self.args.clone());
        let kind = cl::CL_COMMAND_NDRANGE_KERNEL;
        ndrange::launch_with(on, kind, &self.kernel, args, &self.request).map(Some)
    }
}

/// The order that queues and barriers give to the commands.
#[derive(Clone, Default)]
pub(super) struct RecordOrder {
    /// The last command of each in-order queue.
    last: HashMap<usize, usize>,
    /// The last barrier.
    barrier: Option<usize>,
    /// The index of the last barrier that waits for all commands before it.
    full: usize,
}

impl RecordOrder {
    /// Orders a new command behind sync points `waits`; returns all commands that it must follow.
    fn place(
        &mut self,
        index: usize,
        queue: (usize, bool),
        is_barrier: bool,
        waits: &[u32],
    ) -> Vec<usize> {
        let mut after: Vec<usize> = waits.iter().map(|point| *point as usize - 1).collect();
        after.extend(self.barrier);
        let (queue, in_order) = queue;
        if in_order {
            self.place_in_queue(index, queue, &mut after);
        }
        if is_barrier {
            if waits.is_empty() {
                after.extend(self.full..index);
                self.full = index;
            }
            self.barrier = Some(index);
        }
        after.sort_unstable();
        after.dedup();
        after
    }

    /// Orders a command of an in-order queue behind the one before it there, beside those that it must follow in any case.
    pub fn place_in_queue(&mut self, index: usize, queue: usize, after: &mut Vec<usize>) {
        let before = self.last.insert(queue, index);
        after.extend(before.filter(|before| !after.contains(before)));
    }

    /// The order of the barriers alone.
    pub fn without_queues(&self) -> Self {
        Self {
            last: HashMap::new(),
            ..*self
        }
    }
}

impl Object<CommandBuffer> {
    /// All clCommand* functions but clCommandNDRangeKernelKHR; returns the sync point.
    ///
    /// # Errors
    /// Those that the specification lists for the function, in its order.
    pub fn record(self: &Ref<CommandBuffer>, args: CommandArgs, recipe: Recipe) -> Result<u32> {
        let (queue, waits) = self.check(&args)?;
        // CL_INVALID_VALUE if properties are not valid, or mutable_handle is not NULL.
        check_properties(args.properties.as_deref().unwrap_or_default(), |_| None)?;
        if args.takes_handle {
            return Err(Error::InvalidValue);
        }
        let waits = waits.ok_or(Error::InvalidSyncPointWaitList)?;
        let command = recipe(self.queues[queue].on())?;
        let source = CommandSource::Recipe(Arc::new(recipe));
        self.append(queue, &waits, Some(command), |_| source)
    }

    /// clCommandNDRangeKernelKHR; returns the sync point and the handle.
    ///
    /// # Errors
    /// Those that the specification lists for clCommandNDRangeKernelKHR, in its order.
    pub fn record_kernel(
        self: &Ref<CommandBuffer>,
        args: CommandArgs,
        kernel: &Ref<Kernel>,
        request: RangeRequest,
    ) -> Result<(u32, Option<Ref<MutableCommand>>)> {
        let (queue, waits) = self.check(&args)?;
        let pairs = args.properties.as_deref().unwrap_or_default();
        check_properties(pairs, |name| match name {
            cl::CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR => Some(FIELDS),
            cl::CL_MUTABLE_DISPATCH_ASSERTS_KHR => {
                Some(cl::CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR)
            }
            _ => None,
        })?;
        let waits = waits.ok_or(Error::InvalidSyncPointWaitList)?;
        let given = property(pairs, cl::CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR);
        // CL_INVALID_KERNEL_ARGS if an argument is not set and cannot be set later.
        let later = given.unwrap_or(0) & cl::CL_MUTABLE_DISPATCH_ARGUMENTS_KHR != 0;
        let deferred = later && self.is_mutable() && args.takes_handle;
        let on = self.queues[queue].on();
        let enqueues = |kernel: &DeviceKernel| kernel.info().enqueues;
        let mut command = KernelCommand {
            kernel: kernel.clone(),
            enqueues: kernel.device_kernel(on.device()).is_ok_and(enqueues),
            args: kernel.arguments(),
            request,
            fields: given.unwrap_or(FIELDS),
            properties: args.properties.as_deref().map(with_terminator),
            handle: None,
        };
        let made = match deferred {
            true => command.make(on)?,
            false => {
                let kind = cl::CL_COMMAND_NDRANGE_KERNEL;
                Some(ndrange::launch(on, kind, kernel, &command.request)?)
            }
        };
        let mut handle = None;
        let point = self.append(queue, &waits, made, |index| {
            handle = (args.takes_handle).then(|| MutableCommand::new(self, index));
            command.handle.clone_from(&handle);
            CommandSource::Kernel(Box::new(command))
        })?;
        Ok((point, handle))
    }

    /// Makes the checks that all functions share; returns the queue's index and the sync points.
    fn check(&self, args: &CommandArgs) -> Result<(usize, Option<Vec<u32>>)> {
        // CL_INVALID_COMMAND_QUEUE if command_queue is NULL and there are several queues, or none of
        // the command buffer's.
        let queue = match &args.queue {
            None if self.queues.len() == 1 => Some(0),
            None => None,
            Some(queue) => (self.queues.iter()).position(|own| own.handle() == queue.handle()),
        };
        let queue = queue.ok_or(Error::InvalidCommandQueue)?;
        let state = self.state.lock();
        // CL_INVALID_OPERATION if the command buffer has been finalized.
        if state.segments.is_some() {
            return Err(Error::InvalidOperation);
        }
        // CL_INVALID_SYNC_POINT_WAIT_LIST_KHR if a sync point is not valid.
        let known = 1..=state.entries.len();
        let waits = (args.waits.clone()).filter(|points| {
            points
                .iter()
                .all(|point| known.contains(&(*point as usize)))
        });
        Ok((queue, waits))
    }

    /// Adds a command; returns its sync point.
    fn append(
        &self,
        queue: usize,
        waits: &[u32],
        command: Option<Command>,
        source: impl FnOnce(usize) -> CommandSource,
    ) -> Result<u32> {
        let in_order = !self.queues[queue].out_of_order();
        let mut state = self.state.lock();
        let State { entries, order, .. } = &mut *state;
        let index = entries.len();
        // CL_OUT_OF_RESOURCES beyond the most commands that sync points can name.
        let point = u32::try_from(index + 1).map_err(|_| Error::OutOfResources)?;
        let is_barrier = matches!(command, Some(Command::Barrier));
        let after = order.place(index, (queue, in_order), is_barrier, waits);
        entries.push(Entry {
            queue,
            after,
            command,
            source: source(index),
        });
        Ok(point)
    }
}

#[cfg(test)]
mod tests {
    use super::RecordOrder;

    #[test]
    fn commands_that_move_to_one_in_order_queue_follow_each_other_there() {
        let mut order = RecordOrder::default();
        let recorded = [0, 1].map(|index| order.place(index, (index, true), false, &[]));
        assert!(recorded.iter().all(Vec::is_empty));
        let mut moved = order.without_queues();
        let after = [0, 1].map(|index| {
            let mut after = recorded[index].clone();
            moved.place_in_queue(index, 0, &mut after);
            after
        });
        assert_eq!(after, [vec![], vec![0]]);
        assert_eq!(moved.place(2, (0, true), false, &[]), [1]);
    }
}
