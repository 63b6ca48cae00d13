//! clEnqueueNativeKernel.

use std::sync::Arc;

use opencl_sys as cl;

use crate::base::error::{Error, Result};
use crate::base::object::Ref;
use crate::base::region::Sides;
use crate::command::{Command, HostCommand};
use crate::context::Placement;
use crate::memory::Mem;
use crate::memory::residency::Access;

/// The application's function, given its copied arguments.
pub type Function = Box<dyn Fn(&mut [u8]) + Send + Sync>;

/// A native kernel.
struct Native {
    function: Function,
    args: Vec<u8>,
    /// Buffers whose host address goes into `args` at the given offset.
    buffers: Vec<(usize, Option<Ref<Mem>>)>,
}

/// clEnqueueNativeKernel. `buffers` are offsets in `args` and the memory object at each.
///
/// # Errors
/// Those that the specification lists for clEnqueueNativeKernel, in its order.
pub fn native(
    on: &Placement,
    function: Option<Function>,
    args: Vec<u8>,
    buffers: Vec<(usize, Option<Ref<Mem>>)>,
) -> Result<Command> {
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
            on.check_context(buffer.context())?;
            // CL_INVALID_MEM_OBJECT if it is no buffer.
            buffer.storage()?;
        }
    }
    Ok(Command::Host(Arc::new(Native {
        function,
        args,
        buffers,
    })))
}

impl HostCommand for Native {
    fn command_type(&self) -> u32 {
        cl::CL_COMMAND_NATIVE_KERNEL
    }

    fn name(&self) -> &str {
        "native kernel"
    }

    fn takes_long(&self) -> bool {
        true
    }

    /// Calls the function with the buffers' host addresses filled in.
    fn run(&self, on: &Placement) -> Result<()> {
        let index = on.index();
        let mut args = self.args.clone();
        let mut views = Vec::new();
        for (offset, buffer) in &self.buffers {
            let mut address = 0;
            if let Some(buffer) = buffer {
                let (view, copied) = buffer.storage()?.host_view(index)?;
                let view = view.part(buffer.origin(), buffer.size());
                if copied {
                    let sides = Sides::linear(buffer.origin(), view.len());
                    buffer.storage()?.read(index, sides, view)?;
                    views.push((buffer, view));
                } else {
                    buffer.storage()?.on_device(index, Access::Write)?;
                }
                address = view.address();
            }
            args[*offset..*offset + size_of::<usize>()].copy_from_slice(&address.to_ne_bytes());
        }
        (self.function)(&mut args);
        for (buffer, view) in views {
            let sides = Sides::linear(buffer.origin(), view.len());
            buffer.storage()?.write(index, sides, view)?;
        }
        Ok(())
    }
}
