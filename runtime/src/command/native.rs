//! clEnqueueNativeKernel.

use parking_lot::Mutex;

use crate::command::{Command, WaitList, check_context};
use crate::error::{Error, Result};
use crate::event::Event;
use crate::memory::Mem;
use crate::memory::storage::Access;
use crate::object::Ref;
use crate::queue::Queue;
use crate::scheduler;

/// The application's function, given its copied arguments.
pub type Function = Box<dyn FnOnce(&mut [u8]) + Send>;

/// A native kernel.
pub struct Native {
    /// Guards the function, which runs once.
    function: Mutex<Option<Function>>,
    args: Vec<u8>,
    /// Buffers whose host address goes into `args` at the given offset.
    buffers: Vec<(usize, Option<Ref<Mem>>)>,
}

/// clEnqueueNativeKernel. `buffers` are offsets in `args` and what stands there.
pub fn enqueue(
    queue: &Ref<Queue>,
    function: Option<Function>,
    args: Vec<u8>,
    buffers: Vec<(usize, Option<Ref<Mem>>)>,
    wait: WaitList,
) -> Result<Ref<Event>> {
    // CL_INVALID_VALUE if user_func is NULL.
    let function = function.ok_or(Error::InvalidValue)?;
    for (offset, buffer) in &buffers {
        // CL_INVALID_VALUE: a place of a memory object must be inside the arguments.
        if offset
            .checked_add(size_of::<usize>())
            .is_none_or(|end| end > args.len())
        {
            return Err(Error::InvalidValue);
        }
        if let Some(buffer) = buffer {
            check_context(queue, buffer.context())?;
        }
    }
    let command = Command::Native(Native {
        function: Mutex::new(Some(function)),
        args,
        buffers,
    });
    scheduler::enqueue(queue, command, wait, false)
}

impl Native {
    /// Calls the function with the buffers' host addresses filled in.
    pub fn run(&self, queue: &Ref<Queue>) -> Result<()> {
        let index = queue.device_index();
        let mut args = self.args.clone();
        let mut views = Vec::new();
        for (offset, buffer) in &self.buffers {
            let mut address = 0;
            if let Some(buffer) = buffer {
                let (view, copied) = buffer.storage()?.host_view(index)?;
                let view = view.part(buffer.origin(), buffer.size());
                if copied {
                    buffer.storage()?.read(index, buffer.origin(), view)?;
                    views.push((buffer, view));
                } else {
                    buffer.storage()?.on_device(index, Access::Write)?;
                }
                address = view.address();
            }
            args[*offset..*offset + size_of::<usize>()].copy_from_slice(&address.to_ne_bytes());
        }
        if let Some(function) = self.function.lock().take() {
            function(&mut args);
        }
        for (buffer, view) in views {
            buffer.storage()?.write(index, buffer.origin(), view)?;
        }
        Ok(())
    }
}
