//! Commands that change between two enqueues (cl_khr_command_buffer_mutable_dispatch).

use std::collections::HashMap;
use std::sync::Weak;

use opencl_sys as cl;

use super::CommandBuffer;
use super::record::{CommandSource, KernelCommand};
use crate::base::error::{Error, Result};
use crate::base::info::Info;
use crate::base::object::{Kind, Object, Ref};
use crate::command::Command;
use crate::executable::RangeRequest;
use crate::program::kernel::Kernel;

/// The handle of a kernel's command. The command buffer owns it; applications
/// neither retain nor release it.
pub struct MutableCommand {
    buffer: Weak<Object<CommandBuffer>>,
    /// The command's index in the command buffer.
    index: usize,
}

impl std::fmt::Debug for MutableCommand {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MutableCommand")
            .field("index", &self.index)
            .finish_non_exhaustive()
    }
}

impl Kind for MutableCommand {
    const TAG: u64 = u64::from_le_bytes(*b"pmcMUTCM");
    const INVALID: Error = Error::InvalidMutableCommand;
}

/// A list of cl_mutable_dispatch_config_khr, by its length and whether it is NULL.
#[derive(Clone, Copy, Debug)]
pub struct List {
    /// The number of elements.
    pub count: u32,
    /// True for NULL.
    pub is_null: bool,
}

/// A cl_mutable_dispatch_config_khr.
pub struct Change<'a> {
    /// The command.
    pub command: Ref<MutableCommand>,
    /// work_dim; 0 keeps the command's.
    pub dimensions: u32,
    /// Gives the new global offset, global size and local size of that many dimensions.
    pub range: &'a dyn Fn(u32) -> [Option<[usize; 3]>; 3],
    /// The lists of arguments, of arguments in shared virtual memory, and of execution information.
    pub lists: [List; 3],
    /// Applies the lists to a kernel.
    pub apply: &'a dyn Fn(&Ref<Kernel>) -> Result<()>,
}

impl MutableCommand {
    pub(super) fn new(buffer: &Ref<CommandBuffer>, index: usize) -> Ref<MutableCommand> {
        Object::new(MutableCommand {
            buffer: std::sync::Arc::downgrade(buffer),
            index,
        })
    }

    /// Its index in a command buffer. CL_INVALID_MUTABLE_COMMAND_KHR if it belongs to another one.
    pub(super) fn index_in(&self, buffer: &Ref<CommandBuffer>) -> Result<usize> {
        let own = std::ptr::eq(self.buffer.as_ptr(), std::sync::Arc::as_ptr(buffer));
        own.then_some(self.index)
            .ok_or(Error::InvalidMutableCommand)
    }
}

impl Object<MutableCommand> {
    /// clGetMutableCommandInfoKHR.
    ///
    /// # Errors
    /// [`Error::InvalidValue`] for other names.
    pub fn info(&self, name: u32) -> Result<Info> {
        let buffer = self.buffer.upgrade().ok_or(Error::InvalidMutableCommand)?;
        let state = buffer.state.lock();
        let entry = &state.entries[self.index];
        let CommandSource::Kernel(command) = &entry.source else {
            return Err(Error::InvalidMutableCommand);
        };
        let dimensions = command.request.dimensions as usize;
        let sizes = |sizes: Option<[usize; 3]>| Info::sizes(&sizes.unwrap_or([0; 3])[..dimensions]);
        Ok(match name {
            cl::CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR => Info::object(&buffer.queues[entry.queue]),
            cl::CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR => Info::object(&buffer),
            cl::CL_MUTABLE_COMMAND_COMMAND_TYPE_KHR => Info::u32(cl::CL_COMMAND_NDRANGE_KERNEL),
            cl::CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR => {
                Info::u64s(command.properties.as_deref().unwrap_or_default())
            }
            cl::CL_MUTABLE_DISPATCH_KERNEL_KHR => Info::object(&command.kernel),
            cl::CL_MUTABLE_DISPATCH_DIMENSIONS_KHR => Info::u32(command.request.dimensions),
            cl::CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR => sizes(command.request.offset),
            cl::CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR => sizes(command.request.global),
            cl::CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR => sizes(command.request.local),
            _ => return Err(Error::InvalidValue),
        })
    }
}

impl Object<CommandBuffer> {
    /// clUpdateMutableCommandsKHR. All changes are made, or none.
    ///
    /// # Errors
    /// Those that the specification lists for clUpdateMutableCommandsKHR, in its order.
    pub fn update(self: &Ref<CommandBuffer>, changes: &[Change<'_>]) -> Result<()> {
        let mut changed: HashMap<usize, (KernelCommand, Option<Command>)> = HashMap::new();
        for change in changes {
            let index = change.command.index_in(self)?;
            let there = changed.get(&index).map(|(command, _)| command.clone());
            let (mut command, queue) = {
                let state = self.state.lock();
                let entry = &state.entries[index];
                let CommandSource::Kernel(recorded) = &entry.source else {
                    return Err(Error::InvalidMutableCommand);
                };
                let command = there.unwrap_or_else(|| (**recorded).clone());
                (command, self.queues[entry.queue].clone())
            };
            command.change(change)?;
            let made = command.make(queue.on())?;
            changed.insert(index, (command, made));
        }
        let mut state = self.state.lock();
        let segments = state.segments.clone().unwrap_or_default();
        for (index, (command, made)) in changed {
            let entry = &mut state.entries[index];
            entry.command = made;
            entry.source = CommandSource::Kernel(Box::new(command));
            for segment in &segments {
                segment.invalidate(index);
            }
        }
        state.complete = state.entries.iter().all(|entry| entry.command.is_some());
        Ok(())
    }

    /// The checks of clUpdateMutableCommandsKHR before its lists.
    ///
    /// # Errors
    /// [`Error::InvalidOperation`].
    pub fn check_update(&self) -> Result<()> {
        // CL_INVALID_OPERATION if the command buffer is not finalized, or not mutable.
        if self.state.lock().segments.is_none() || !self.is_mutable() {
            return Err(Error::InvalidOperation);
        }
        Ok(())
    }
}

impl KernelCommand {
    /// Applies a change.
    fn change(&mut self, change: &Change<'_>) -> Result<()> {
        let dimensions = self.request.dimensions;
        // CL_INVALID_OPERATION if work_dim is neither 0 nor that of the recording.
        if change.dimensions != 0 && change.dimensions != dimensions {
            return Err(Error::InvalidOperation);
        }
        let range = (change.range)(dimensions);
        // CL_INVALID_OPERATION if a field changes that was not declared updatable.
        let [arguments, svm, exec_infos] = change.lists;
        let fields = [
            (
                cl::CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR,
                range[0].is_some(),
            ),
            (cl::CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR, range[1].is_some()),
            (cl::CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR, range[2].is_some()),
            (
                cl::CL_MUTABLE_DISPATCH_ARGUMENTS_KHR,
                arguments.count != 0 || svm.count != 0,
            ),
            (cl::CL_MUTABLE_DISPATCH_EXEC_INFO_KHR, exec_infos.count != 0),
        ];
        if fields
            .iter()
            .any(|(field, used)| *used && self.fields & field == 0)
        {
            return Err(Error::InvalidOperation);
        }
        // CL_INVALID_VALUE if a list and its length contradict each other.
        if (change.lists.iter()).any(|list| list.is_null != (list.count == 0)) {
            return Err(Error::InvalidValue);
        }
        let kernel = self.kernel.with_arguments(&self.args);
        (change.apply)(&kernel)?;
        let args = kernel.arguments();
        let request = RangeRequest {
            dimensions,
            offset: range[0].or(self.request.offset),
            global: range[1].or(self.request.global),
            local: range[2].or(self.request.local),
        };
        // CL_INVALID_OPERATION if uniform work-groups become non-uniform, or the reverse.
        if is_uniform(&self.request)
            .zip(is_uniform(&request))
            .is_some_and(|(before, after)| before != after)
        {
            return Err(Error::InvalidOperation);
        }
        (self.args, self.request) = (args, request);
        Ok(())
    }
}

/// Tells whether all work-groups have the size that the application has given; `None` without one.
fn is_uniform(request: &RangeRequest) -> Option<bool> {
    let (global, local) = request.global.zip(request.local)?;
    let mut sizes = global.iter().zip(local);
    Some(sizes.all(|(global, local)| local != 0 && global % local == 0))
}
