//! clEnqueueMapBuffer and clEnqueueUnmapMemObject.

use opencl_sys as cl;

use crate::command::{Command, WaitList, check_context};
use crate::error::{Error, Result};
use crate::event::Event;
use crate::memory::Mem;
use crate::memory::buffer::Mapping;
use crate::memory::storage::Access;
use crate::object::Ref;
use crate::queue::Queue;
use crate::scheduler;

/// A map: brings the host's view up to date.
pub struct Map {
    buffer: Ref<Mem>,
    mapping: Mapping,
    /// Whether the view is a copy that must be filled.
    fill: bool,
}

/// An unmap: brings the device's bytes up to date.
pub struct Unmap {
    buffer: Ref<Mem>,
    mapping: Mapping,
}

/// clEnqueueMapBuffer; gives the mapped address and the event.
pub fn map(
    queue: &Ref<Queue>,
    buffer: &Ref<Mem>,
    blocking: bool,
    flags: u64,
    offset: usize,
    size: usize,
    wait: WaitList,
) -> Result<(usize, Ref<Event>)> {
    check_context(queue, buffer.context())?;
    // CL_INVALID_VALUE if the region is out of bounds, size is 0, or the flags are not valid.
    buffer.check_range(offset, size)?;
    let write_only = cl::CL_MAP_WRITE_INVALIDATE_REGION;
    let known = cl::CL_MAP_READ | cl::CL_MAP_WRITE | write_only;
    let mixed = flags & write_only != 0 && flags & (cl::CL_MAP_READ | cl::CL_MAP_WRITE) != 0;
    if size == 0 || flags & !known != 0 || mixed {
        return Err(Error::InvalidValue);
    }
    buffer.check_alignment(queue.device())?;
    // CL_INVALID_OPERATION if the host may not access the buffer in this way.
    if flags & cl::CL_MAP_READ != 0 {
        buffer.check_host_reads()?;
    }
    let writes = flags & (cl::CL_MAP_WRITE | write_only) != 0;
    if writes {
        buffer.check_host_writes()?;
    }
    // CL_MAP_FAILURE if there is no host memory for the view.
    let (view, copied) = buffer.storage().host_view(queue.device_index())?;
    let start = buffer.origin() + offset;
    let mapping = Mapping {
        address: view.part(start, size).address(),
        offset: start,
        size,
        writes,
    };
    buffer.add_mapping(mapping);
    let command = Command::Map(Map {
        buffer: buffer.clone(),
        mapping,
        fill: copied && flags & write_only == 0,
    });
    match scheduler::enqueue(queue, command, wait, blocking) {
        Ok(event) => Ok((mapping.address, event)),
        Err(error) => {
            let _ = buffer.take_mapping(mapping.address);
            Err(error)
        }
    }
}

/// clEnqueueUnmapMemObject.
pub fn unmap(
    queue: &Ref<Queue>,
    buffer: &Ref<Mem>,
    address: usize,
    wait: WaitList,
) -> Result<Ref<Event>> {
    check_context(queue, buffer.context())?;
    // CL_INVALID_VALUE if mapped_ptr is not a pointer that a map of this object gave.
    let mapping = buffer.take_mapping(address).ok_or(Error::InvalidValue)?;
    let command = Command::Unmap(Unmap {
        buffer: buffer.clone(),
        mapping,
    });
    scheduler::enqueue(queue, command, wait, false).inspect_err(|_| buffer.add_mapping(mapping))
}

impl Map {
    /// Copies the device's bytes to the host's view, where that is a copy.
    pub fn run(&self, queue: &Ref<Queue>) -> Result<()> {
        if !self.fill {
            return Ok(());
        }
        let Mapping { offset, size, .. } = self.mapping;
        let storage = self.buffer.storage();
        let (view, _) = storage.host_view(queue.device_index())?;
        storage.read(queue.device_index(), offset, view.part(offset, size))
    }
}

impl Unmap {
    /// Copies what the application may have written from the host's view to the device.
    pub fn run(&self, queue: &Ref<Queue>) -> Result<()> {
        let Mapping {
            offset,
            size,
            writes,
            ..
        } = self.mapping;
        if !writes {
            return Ok(());
        }
        let storage = self.buffer.storage();
        let (view, copied) = storage.host_view(queue.device_index())?;
        if copied {
            return storage.write(queue.device_index(), offset, view.part(offset, size));
        }
        // The application has written into the device's memory itself.
        storage
            .on_device(queue.device_index(), Access::Write)
            .map(|_| ())
    }
}
