//! clEnqueueReadBuffer, clEnqueueWriteBuffer and their Rect forms.

use opencl_sys as cl;

use crate::command::{Command, WaitList, check_context};
use crate::error::{Error, Result};
use crate::event::Event;
use crate::memory::Mem;
use crate::memory::host_ptr::HostSlice;
use crate::memory::region::{Extent, Layout, pieces};
use crate::object::Ref;
use crate::queue::Queue;
use crate::scheduler;

/// From device to host or back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// To the application's memory.
    Read,
    /// From the application's memory.
    Write,
}

/// Both sides of a transfer.
#[derive(Clone, Copy, Debug)]
pub struct Sides {
    /// The region in the buffer.
    pub buffer: Layout,
    /// The region in the application's memory.
    pub host: Layout,
    /// Its extent.
    pub extent: Extent,
}

/// A read or write.
pub struct Transfer {
    /// CL_COMMAND_*.
    pub command_type: u32,
    direction: Direction,
    buffer: Ref<Mem>,
    sides: Sides,
    host: HostSlice,
}

/// clEnqueueReadBuffer and clEnqueueWriteBuffer; `host` has `size` bytes, `None` for NULL.
#[allow(clippy::too_many_arguments, reason = "the C call's")]
pub fn linear(
    queue: &Ref<Queue>,
    buffer: &Ref<Mem>,
    direction: Direction,
    blocking: bool,
    offset: usize,
    size: usize,
    host: Option<HostSlice>,
    wait: WaitList,
) -> Result<Ref<Event>> {
    check_context(queue, buffer.context())?;
    buffer.storage()?;
    // CL_INVALID_VALUE if the region is out of bounds or ptr is NULL.
    buffer.check_range(offset, size)?;
    let host = host.ok_or(Error::InvalidValue)?;
    let command_type = match direction {
        Direction::Read => cl::CL_COMMAND_READ_BUFFER,
        Direction::Write => cl::CL_COMMAND_WRITE_BUFFER,
    };
    let sides = Sides {
        buffer: Layout::linear(offset),
        host: Layout::linear(0),
        extent: [size, 1, 1],
    };
    enqueue(
        queue,
        buffer,
        command_type,
        direction,
        blocking,
        sides,
        host,
        wait,
    )
}

/// clEnqueueReadBufferRect and clEnqueueWriteBufferRect; `host` reaches to the region's end.
pub fn rect(
    queue: &Ref<Queue>,
    buffer: &Ref<Mem>,
    direction: Direction,
    blocking: bool,
    sides: Sides,
    host: Option<HostSlice>,
    wait: WaitList,
) -> Result<Ref<Event>> {
    check_context(queue, buffer.context())?;
    buffer.storage()?;
    // CL_INVALID_VALUE if the region is out of bounds, ptr is NULL or a region element is 0.
    buffer.check_region(sides.buffer, sides.extent)?;
    let host = host.ok_or(Error::InvalidValue)?;
    if sides.extent.contains(&0) {
        return Err(Error::InvalidValue);
    }
    let command_type = match direction {
        Direction::Read => cl::CL_COMMAND_READ_BUFFER_RECT,
        Direction::Write => cl::CL_COMMAND_WRITE_BUFFER_RECT,
    };
    enqueue(
        queue,
        buffer,
        command_type,
        direction,
        blocking,
        sides,
        host,
        wait,
    )
}

#[allow(clippy::too_many_arguments, reason = "what both calls have in common")]
fn enqueue(
    queue: &Ref<Queue>,
    buffer: &Ref<Mem>,
    command_type: u32,
    direction: Direction,
    blocking: bool,
    sides: Sides,
    host: HostSlice,
    wait: WaitList,
) -> Result<Ref<Event>> {
    buffer.check_alignment(queue.device())?;
    // CL_INVALID_OPERATION if the host may not access the buffer in this way.
    match direction {
        Direction::Read => buffer.check_host_reads()?,
        Direction::Write => buffer.check_host_writes()?,
    }
    let command = Command::Transfer(Transfer {
        command_type,
        direction,
        buffer: buffer.clone(),
        sides,
        host,
    });
    scheduler::enqueue(queue, command, wait, blocking)
}

impl Transfer {
    /// Copies between the application's memory and the device's.
    pub fn run(&self, queue: &Ref<Queue>) -> Result<()> {
        let storage = self.buffer.storage()?;
        let index = queue.device_index();
        let origin = self.buffer.origin();
        let Sides {
            buffer,
            host,
            extent,
        } = self.sides;
        for (from, to, length) in pieces(buffer, host, extent) {
            let host = self.host.part(to, length);
            match self.direction {
                Direction::Read => storage.read(index, origin + from, host)?,
                Direction::Write => storage.write(index, origin + from, host)?,
            }
        }
        Ok(())
    }
}
