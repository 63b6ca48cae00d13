//! clEnqueueFillBuffer.

use std::sync::Arc;

use opencl_sys as cl;

use crate::base::error::{Error, Result};
use crate::base::json::Fields;
use crate::base::object::Ref;
use crate::base::region::Layout;
use crate::command::{Command, DeviceCommand, Retire, Visit};
use crate::context::Placement;
use crate::device::gpu;
use crate::memory::{Mem, written};

/// A fill.
struct Fill {
    buffer: Ref<Mem>,
    pattern: Vec<u8>,
    offset: usize,
    size: usize,
}

/// clEnqueueFillBuffer; `pattern` is `None` for NULL.
///
/// # Errors
/// Those that the specification lists for clEnqueueFillBuffer, in its order.
pub fn buffer(
    on: &Placement,
    buffer: &Ref<Mem>,
    pattern: Option<&[u8]>,
    offset: usize,
    size: usize,
) -> Result<Command> {
    on.check_context(buffer.context())?;
    buffer.storage()?;
    // CL_INVALID_VALUE if the region is out of bounds.
    buffer.check_range(offset, size)?;
    let pattern = check_pattern(pattern)?;
    // CL_INVALID_VALUE if offset and size are not multiples of the pattern's size.
    if offset % pattern.len() != 0 || size % pattern.len() != 0 {
        return Err(Error::InvalidValue);
    }
    buffer.check_alignment(on.device())?;
    buffer.check_mutable()?;
    Ok(Command::Device(Arc::new(Fill {
        buffer: buffer.clone(),
        pattern: pattern.to_vec(),
        offset,
        size,
    })))
}

/// Bytes of the largest pattern.
pub const MOST_PATTERN: usize = 128;

/// CL_INVALID_VALUE if a pattern is NULL, or its size is not one of 1, 2, 4, … 128.
pub(super) fn check_pattern(pattern: Option<&[u8]>) -> Result<&[u8]> {
    pattern
        .filter(|pattern| pattern.len().is_power_of_two() && pattern.len() <= MOST_PATTERN)
        .ok_or(Error::InvalidValue)
}

impl DeviceCommand for Fill {
    fn command_type(&self) -> u32 {
        cl::CL_COMMAND_FILL_BUFFER
    }

    fn name(&self) -> &str {
        "fill"
    }

    fn details(&self) -> Fields {
        Fields::default().with("bytes", self.size)
    }

    fn joins(&self) -> bool {
        true
    }

    fn uses(&self, visit: &mut Visit<'_>) -> Result<()> {
        let storage = self.buffer.storage()?;
        let offset = self.buffer.origin() + self.offset;
        visit(
            written::marked(storage),
            storage.writing(Layout::linear(offset), [self.size, 1, 1]),
        )
    }

    fn record(&self, on: &Placement, recorder: &mut gpu::Recorder) -> Result<Retire> {
        let storage = self.buffer.storage()?;
        let memory = storage.allocation(on.index())?;
        let (offset, size) = (
            (self.buffer.origin() + self.offset) as u64,
            self.size as u64,
        );
        recorder
            .fill_buffer(&memory, offset, size, &self.pattern)
            .map_err(gpu::error)?;
        storage.written().record(recorder, offset, size)?;
        Ok(Retire::nothing())
    }
}
