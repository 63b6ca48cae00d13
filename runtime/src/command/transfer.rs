//! clEnqueueReadBuffer, clEnqueueWriteBuffer and their Rect forms.

use std::sync::Arc;

use opencl_sys as cl;

use crate::base::error::{Error, Result};
use crate::base::host_ptr::HostSlice;
use crate::base::json::Fields;
use crate::base::object::Ref;
use crate::base::region::{Extent, Layout, pieces};
use crate::command::{Command, HostCommand};
use crate::context::Placement;
use crate::memory::Mem;

/// From device to host or back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// To the application's memory.
    Read,
    /// From the application's memory.
    Write,
}

impl Direction {
    /// CL_INVALID_OPERATION if the host may not access an object in this way.
    pub(super) fn check_host_access(self, mem: &Mem) -> Result<()> {
        match self {
            Direction::Read => mem.check_host_reads(),
            Direction::Write => mem.check_host_writes(),
        }
    }
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
struct Transfer {
    command_type: u32,
    direction: Direction,
    buffer: Ref<Mem>,
    sides: Sides,
    host: HostSlice,
}

/// clEnqueueReadBuffer and clEnqueueWriteBuffer; `host` has `size` bytes, `None` for NULL.
///
/// # Errors
/// Those that the specification lists for clEnqueueReadBuffer and clEnqueueWriteBuffer, in its
/// order.
pub fn linear(
    on: &Placement,
    buffer: &Ref<Mem>,
    direction: Direction,
    offset: usize,
    size: usize,
    host: Option<HostSlice>,
) -> Result<Command> {
    on.check_context(buffer.context())?;
    buffer.storage()?;
    // CL_INVALID_VALUE if the region is out of bounds or ptr is NULL.
    buffer.check_range(offset, size)?;
    let transfer = Transfer {
        command_type: match direction {
            Direction::Read => cl::CL_COMMAND_READ_BUFFER,
            Direction::Write => cl::CL_COMMAND_WRITE_BUFFER,
        },
        direction,
        buffer: buffer.clone(),
        sides: Sides {
            buffer: Layout::linear(offset),
            host: Layout::linear(0),
            extent: [size, 1, 1],
        },
        host: host.ok_or_else(null_ptr)?,
    };
    transfer.checked(on)
}

/// clEnqueueReadBufferRect and clEnqueueWriteBufferRect; `host` reaches to the region's end.
///
/// # Errors
/// Those that the specification lists for clEnqueueReadBufferRect and clEnqueueWriteBufferRect, in
/// its order.
pub fn rect(
    on: &Placement,
    buffer: &Ref<Mem>,
    direction: Direction,
    sides: Sides,
    host: Option<HostSlice>,
) -> Result<Command> {
    on.check_context(buffer.context())?;
    buffer.storage()?;
    // CL_INVALID_VALUE if the region is out of bounds, ptr is NULL or a region element is 0.
    buffer.check_region(sides.buffer, sides.extent)?;
    let host = host.ok_or_else(null_ptr)?;
    if sides.extent.contains(&0) {
        return Err(Error::InvalidValue.because("an element of the region is 0"));
    }
    let transfer = Transfer {
        command_type: match direction {
            Direction::Read => cl::CL_COMMAND_READ_BUFFER_RECT,
            Direction::Write => cl::CL_COMMAND_WRITE_BUFFER_RECT,
        },
        direction,
        buffer: buffer.clone(),
        sides,
        host,
    };
    transfer.checked(on)
}

fn null_ptr() -> Error {
    Error::InvalidValue.because("ptr is NULL")
}

impl Transfer {
    fn checked(self, on: &Placement) -> Result<Command> {
        self.buffer.check_alignment(on.device())?;
        self.direction.check_host_access(&self.buffer)?;
        on.context().check_host_memory(self.host)?;
        Ok(Command::Host(Arc::new(self)))
    }
}

impl HostCommand for Transfer {
    fn command_type(&self) -> u32 {
        self.command_type
    }

    fn name(&self) -> &str {
        "transfer"
    }

    fn details(&self) -> Fields {
        let bytes: usize = self.sides.extent.iter().product();
        let direction = match self.direction {
            Direction::Read => "read",
            Direction::Write => "write",
        };
        Fields::default()
            .text("direction", direction)
            .with("bytes", bytes)
    }

    fn run(&self, on: &Placement) -> Result<()> {
        let storage = self.buffer.storage()?;
        let (index, origin) = (on.index(), self.buffer.origin());
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
