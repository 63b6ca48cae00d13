//! clEnqueueMapBuffer, clEnqueueMapImage and clEnqueueUnmapMemObject.

use opencl_sys as cl;

use crate::command::image::{check_device, image_of};
use crate::command::{Command, WaitList, check_context};
use crate::error::{Error, Result};
use crate::event::Event;
use crate::memory::Mem;
use crate::memory::buffer::Mapping;
use crate::memory::image::Place;
use crate::memory::storage::Access;
use crate::object::Ref;
use crate::queue::Queue;
use crate::scheduler;

/// A map: brings the host's view up to date.
pub struct Map {
    object: Ref<Mem>,
    mapping: Mapping,
    /// Whether the view is a copy that must be filled.
    fill: bool,
}

/// An unmap: brings the device's bytes up to date.
pub struct Unmap {
    object: Ref<Mem>,
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
    let storage = buffer.storage()?;
    // CL_INVALID_VALUE if the region is out of bounds, size is 0, or the flags are not valid.
    buffer.check_range(offset, size)?;
    if size == 0 {
        return Err(Error::InvalidValue);
    }
    check_flags(flags)?;
    buffer.check_alignment(queue.device())?;
    let writes = check_access(buffer, flags)?;
    // CL_MAP_FAILURE if there is no host memory for the view.
    let (view, copied) = storage.host_view(queue.device_index())?;
    let start = buffer.origin() + offset;
    let mapping = Mapping {
        address: view.part(start, size).address(),
        offset: start,
        size,
        writes,
        part: None,
    };
    enqueue_map(
        queue,
        buffer,
        mapping,
        blocking,
        copied && reads(flags),
        wait,
    )
}

/// CL_INVALID_VALUE if map flags are not valid.
fn check_flags(flags: u64) -> Result<()> {
    let whole = cl::CL_MAP_WRITE_INVALIDATE_REGION;
    let part = cl::CL_MAP_READ | cl::CL_MAP_WRITE;
    if flags & !(whole | part) != 0 || flags & whole != 0 && flags & part != 0 {
        return Err(Error::InvalidValue);
    }
    Ok(())
}

/// CL_INVALID_OPERATION if the host may not access the object in this way; says whether it writes.
fn check_access(object: &Mem, flags: u64) -> Result<bool> {
    if flags & cl::CL_MAP_READ != 0 {
        object.check_host_reads()?;
    }
    let writes = flags & (cl::CL_MAP_WRITE | cl::CL_MAP_WRITE_INVALIDATE_REGION) != 0;
    if writes {
        object.check_host_writes()?;
    }
    Ok(writes)
}

/// Whether the application is to see what is there.
fn reads(flags: u64) -> bool {
    flags & cl::CL_MAP_WRITE_INVALIDATE_REGION == 0
}

/// clEnqueueMapImage; gives the mapped address, row and slice pitch, and the event. The slice
/// pitch is 0 where the image has no slices.
#[allow(clippy::too_many_arguments, reason = "the C call's")]
pub fn map_image(
    queue: &Ref<Queue>,
    mem: &Ref<Mem>,
    blocking: bool,
    flags: u64,
    origin: [usize; 3],
    region: [usize; 3],
    has_slice_pitch: bool,
    wait: WaitList,
) -> Result<(usize, [usize; 2], Ref<Event>)> {
    check_context(queue, mem.context())?;
    let image = image_of(mem)?;
    // CL_INVALID_VALUE if the region is out of bounds or the flags are not valid.
    let part = image.region(origin, region)?;
    check_flags(flags)?;
    // CL_INVALID_VALUE if image_slice_pitch is NULL for an image with slices.
    let pitches = image.map_pitches();
    if pitches[1] != 0 && !has_slice_pitch {
        return Err(Error::InvalidValue);
    }
    check_device(queue.device(), image)?;
    let writes = check_access(mem, flags)?;
    let texel = image.row().texel_size();
    let (mapping, copied) = match image.place() {
        Place::Image(storage) => {
            let (view, layout) = storage.host_view(part)?;
            let mapping = Mapping {
                address: view.from(layout.offset).address(),
                offset: 0,
                size: 0,
                writes,
                part: Some(part),
            };
            (mapping, true)
        }
        Place::Buffer(storage, offset) => {
            let (view, copied) = storage.host_view(queue.device_index())?;
            let start = offset + part.origin[0] as usize * texel;
            let size = part.extent[0] as usize * texel;
            let mapping = Mapping {
                address: view.part(start, size).address(),
                offset: start,
                size,
                writes,
                part: None,
            };
            (mapping, copied)
        }
    };
    let fill = copied && reads(flags);
    let (address, event) = enqueue_map(queue, mem, mapping, blocking, fill, wait)?;
    Ok((address, pitches, event))
}

fn enqueue_map(
    queue: &Ref<Queue>,
    object: &Ref<Mem>,
    mapping: Mapping,
    blocking: bool,
    fill: bool,
    wait: WaitList,
) -> Result<(usize, Ref<Event>)> {
    object.add_mapping(mapping);
    let command = Command::Map(Map {
        object: object.clone(),
        mapping,
        fill,
    });
    match scheduler::enqueue(queue, command, wait, blocking) {
        Ok(event) => Ok((mapping.address, event)),
        Err(error) => {
            let _ = object.take_mapping(mapping.address);
            Err(error)
        }
    }
}

/// clEnqueueUnmapMemObject.
pub fn unmap(
    queue: &Ref<Queue>,
    object: &Ref<Mem>,
    address: usize,
    wait: WaitList,
) -> Result<Ref<Event>> {
    check_context(queue, object.context())?;
    // CL_INVALID_VALUE if mapped_ptr is not a pointer that a map of this object gave.
    let mapping = object.take_mapping(address).ok_or(Error::InvalidValue)?;
    let command = Command::Unmap(Unmap {
        object: object.clone(),
        mapping,
    });
    scheduler::enqueue(queue, command, wait, false).inspect_err(|_| object.add_mapping(mapping))
}

impl Map {
    /// CL_COMMAND_*.
    pub fn command_type(&self) -> u32 {
        match self.object.image() {
            Some(_) => cl::CL_COMMAND_MAP_IMAGE,
            None => cl::CL_COMMAND_MAP_BUFFER,
        }
    }

    /// Copies the device's bytes to the host's view, where that is a copy.
    pub fn run(&self, queue: &Ref<Queue>) -> Result<()> {
        if !self.fill {
            return Ok(());
        }
        let index = queue.device_index();
        let Mapping {
            offset, size, part, ..
        } = self.mapping;
        match (place(&self.object)?, part) {
            (Place::Image(storage), Some(part)) => {
                let (view, layout) = storage.host_view(part)?;
                storage.read(index, part, view, layout)
            }
            (Place::Image(_), None) => Ok(()),
            (Place::Buffer(storage, _), _) => {
                let (view, _) = storage.host_view(index)?;
                storage.read(index, offset, view.part(offset, size))
            }
        }
    }
}

/// Where a memory object's contents are.
fn place(object: &Ref<Mem>) -> Result<Place> {
    Ok(match object.image() {
        Some(image) => image.place(),
        None => Place::Buffer(object.storage()?.clone(), object.origin()),
    })
}

impl Unmap {
    /// Copies what the application may have written from the host's view to the device.
    pub fn run(&self, queue: &Ref<Queue>) -> Result<()> {
        let index = queue.device_index();
        let Mapping {
            offset,
            size,
            writes,
            part,
            ..
        } = self.mapping;
        if !writes {
            return Ok(());
        }
        match (place(&self.object)?, part) {
            (Place::Image(storage), Some(part)) => {
                let (view, layout) = storage.host_view(part)?;
                storage.write(index, part, view, layout)
            }
            (Place::Image(_), None) => Ok(()),
            (Place::Buffer(storage, _), _) => {
                let (view, copied) = storage.host_view(index)?;
                if copied {
                    return storage.write(index, offset, view.part(offset, size));
                }
                // The application has written into the device's memory itself.
                storage.on_device(index, Access::Write).map(|_| ())
            }
        }
    }
}
