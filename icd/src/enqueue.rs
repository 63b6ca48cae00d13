//! Enqueue entry points for buffers, markers and barriers.

use std::ffi::c_void;

use opencl_sys::{
    cl_bitfield, cl_bool, cl_command_queue, cl_event, cl_map_flags, cl_mem, cl_mem_migration_flags,
    cl_uint,
};
use pumice_runtime::base::error::{Error, Result};
use pumice_runtime::base::object::Ref;
use pumice_runtime::base::region::{Layout, Sides};
use pumice_runtime::command::{Command, copy, fill, map, migrate, transfer};
use pumice_runtime::memory::Mem;
use pumice_runtime::queue::{Queue, WaitList};
use transfer::Direction;

use crate::handle;
use crate::memory::host_slice;

/// Puts a command into a queue and gives the application its event, if it wants one.
///
/// # Safety
/// `event` is NULL or writable.
pub unsafe fn enqueue(
    queue: &Ref<Queue>,
    command: Command,
    wait: WaitList,
    blocking: bool,
    event: *mut cl_event,
) -> Result<()> {
    if event.is_null() && !blocking {
        return queue.enqueue_without_event(command, wait);
    }
    let done = queue.enqueue(command, wait, blocking)?;
    // SAFETY: the caller's contract.
    unsafe { handle::give_event(event, done) };
    Ok(())
}

/// A `size_t[3]`; NULL is CL_INVALID_VALUE.
///
/// # Safety
/// `from` is NULL or points to three elements.
pub unsafe fn triple(from: *const usize) -> Result<[usize; 3]> {
    if from.is_null() {
        return Err(Error::InvalidValue.because("an origin or region is NULL"));
    }
    // SAFETY: the caller's contract.
    Ok(unsafe { from.cast::<[usize; 3]>().read() })
}

pub unsafe fn enqueue_read_buffer(
    command_queue: cl_command_queue,
    buffer: cl_mem,
    blocking_read: cl_bool,
    offset: usize,
    size: usize,
    ptr: *mut c_void,
    num_events_in_wait_list: cl_uint,
    event_wait_list: *const cl_event,
    event: *mut cl_event,
) -> Result<()> {
    // SAFETY: the arguments are those of clEnqueueReadBuffer.
    unsafe {
        let queue = handle::get::<Queue>(command_queue)?;
        let buffer = handle::get::<Mem>(buffer)?;
        let wait = handle::wait_list(num_events_in_wait_list, event_wait_list, event)?;
        let command = transfer::linear(
            queue.on(),
            &buffer,
            Direction::Read,
            offset,
            size,
            host_slice(ptr, size),
        )?;
        enqueue(&queue, command, wait, blocking_read != 0, event)
    }
}

pub unsafe fn enqueue_write_buffer(
    command_queue: cl_command_queue,
    buffer: cl_mem,
    blocking_write: cl_bool,
    offset: usize,
    size: usize,
    ptr: *const c_void,
    num_events_in_wait_list: cl_uint,
    event_wait_list: *const cl_event,
    event: *mut cl_event,
) -> Result<()> {
    // SAFETY: the arguments are those of clEnqueueWriteBuffer.
    unsafe {
        let queue = handle::get::<Queue>(command_queue)?;
        let buffer = handle::get::<Mem>(buffer)?;
        let wait = handle::wait_list(num_events_in_wait_list, event_wait_list, event)?;
        let command = transfer::linear(
            queue.on(),
            &buffer,
            Direction::Write,
            offset,
            size,
            host_slice(ptr, size),
        )?;
        enqueue(&queue, command, wait, blocking_write != 0, event)
    }
}

/// The common part of both Rect transfers.
///
/// # Safety
/// The arguments are those of clEnqueueReadBufferRect or clEnqueueWriteBufferRect.
unsafe fn rect(
    command_queue: cl_command_queue,
    buffer: cl_mem,
    direction: Direction,
    blocking: cl_bool,
    [buffer_origin, host_origin, region]: [*const usize; 3],
    [buffer_row, buffer_slice, host_row, host_slice_pitch]: [usize; 4],
    ptr: *const c_void,
    (count, list): (cl_uint, *const cl_event),
    event: *mut cl_event,
) -> Result<()> {
    // SAFETY: the caller's contract.
    unsafe {
        let queue = handle::get::<Queue>(command_queue)?;
        let buffer = handle::get::<Mem>(buffer)?;
        let wait = handle::wait_list(count, list, event)?;
        let extent = triple(region)?;
        let sides = Sides {
            buffer: Layout::new(triple(buffer_origin)?, extent, buffer_row, buffer_slice)?,
            host: Layout::new(triple(host_origin)?, extent, host_row, host_slice_pitch)?,
            extent,
        };
        let end = (sides.host.end(extent)).ok_or_else(|| {
            Error::InvalidValue.because("the region of host memory is larger than any memory")
        })?;
        let host = host_slice(ptr, end);
        let command = transfer::rect(queue.on(), &buffer, direction, sides, host)?;
        enqueue(&queue, command, wait, blocking != 0, event)
    }
}

pub unsafe fn enqueue_read_buffer_rect(
    command_queue: cl_command_queue,
    buffer: cl_mem,
    blocking_read: cl_bool,
    buffer_origin: *const usize,
    host_origin: *const usize,
    region: *const usize,
    buffer_row_pitch: usize,
    buffer_slice_pitch: usize,
    host_row_pitch: usize,
    host_slice_pitch: usize,
    ptr: *mut c_void,
    num_events_in_wait_list: cl_uint,
    event_wait_list: *const cl_event,
    event: *mut cl_event,
) -> Result<()> {
    // SAFETY: the arguments are those of clEnqueueReadBufferRect.
    unsafe {
        rect(
            command_queue,
            buffer,
            Direction::Read,
            blocking_read,
            [buffer_origin, host_origin, region],
            [
                buffer_row_pitch,
                buffer_slice_pitch,
                host_row_pitch,
                host_slice_pitch,
            ],
            ptr,
            (num_events_in_wait_list, event_wait_list),
            event,
        )
    }
}

pub unsafe fn enqueue_write_buffer_rect(
    command_queue: cl_command_queue,
    buffer: cl_mem,
    blocking_write: cl_bool,
    buffer_origin: *const usize,
    host_origin: *const usize,
    region: *const usize,
    buffer_row_pitch: usize,
    buffer_slice_pitch: usize,
    host_row_pitch: usize,
    host_slice_pitch: usize,
    ptr: *const c_void,
    num_events_in_wait_list: cl_uint,
    event_wait_list: *const cl_event,
    event: *mut cl_event,
) -> Result<()> {
    // SAFETY: the arguments are those of clEnqueueWriteBufferRect.
    unsafe {
        rect(
            command_queue,
            buffer,
            Direction::Write,
            blocking_write,
            [buffer_origin, host_origin, region],
            [
                buffer_row_pitch,
                buffer_slice_pitch,
                host_row_pitch,
                host_slice_pitch,
            ],
            ptr,
            (num_events_in_wait_list, event_wait_list),
            event,
        )
    }
}

pub unsafe fn enqueue_copy_buffer(
    command_queue: cl_command_queue,
    src_buffer: cl_mem,
    dst_buffer: cl_mem,
    src_offset: usize,
    dst_offset: usize,
    size: usize,
    num_events_in_wait_list: cl_uint,
    event_wait_list: *const cl_event,
    event: *mut cl_event,
) -> Result<()> {
    // SAFETY: the arguments are those of clEnqueueCopyBuffer.
    unsafe {
        let queue = handle::get::<Queue>(command_queue)?;
        let source = handle::get::<Mem>(src_buffer)?;
        let destination = handle::get::<Mem>(dst_buffer)?;
        let wait = handle::wait_list(num_events_in_wait_list, event_wait_list, event)?;
        let command = copy::linear(
            queue.on(),
            &source,
            &destination,
            src_offset,
            dst_offset,
            size,
        )?;
        enqueue(&queue, command, wait, false, event)
    }
}

pub unsafe fn enqueue_copy_buffer_rect(
    command_queue: cl_command_queue,
    src_buffer: cl_mem,
    dst_buffer: cl_mem,
    src_origin: *const usize,
    dst_origin: *const usize,
    region: *const usize,
    src_row_pitch: usize,
    src_slice_pitch: usize,
    dst_row_pitch: usize,
    dst_slice_pitch: usize,
    num_events_in_wait_list: cl_uint,
    event_wait_list: *const cl_event,
    event: *mut cl_event,
) -> Result<()> {
    // SAFETY: the arguments are those of clEnqueueCopyBufferRect.
    unsafe {
        let queue = handle::get::<Queue>(command_queue)?;
        let source = handle::get::<Mem>(src_buffer)?;
        let destination = handle::get::<Mem>(dst_buffer)?;
        let wait = handle::wait_list(num_events_in_wait_list, event_wait_list, event)?;
        let extent = triple(region)?;
        let origins = [triple(src_origin)?, triple(dst_origin)?];
        let from = Layout::new(origins[0], extent, src_row_pitch, src_slice_pitch)?;
        let to = Layout::new(origins[1], extent, dst_row_pitch, dst_slice_pitch)?;
        let tight = (src_row_pitch == 0 || src_slice_pitch == 0).then_some(origins);
        let command = copy::rect(queue.on(), &source, &destination, [from, to], extent, tight)?;
        enqueue(&queue, command, wait, false, event)
    }
}

pub unsafe fn enqueue_fill_buffer(
    command_queue: cl_command_queue,
    buffer: cl_mem,
    pattern: *const c_void,
    pattern_size: usize,
    offset: usize,
    size: usize,
    num_events_in_wait_list: cl_uint,
    event_wait_list: *const cl_event,
    event: *mut cl_event,
) -> Result<()> {
    // SAFETY: the arguments are those of clEnqueueFillBuffer.
    unsafe {
        let queue = handle::get::<Queue>(command_queue)?;
        let buffer = handle::get::<Mem>(buffer)?;
        let wait = handle::wait_list(num_events_in_wait_list, event_wait_list, event)?;
        let pattern =
            (!pattern.is_null()).then(|| handle::slice(pattern.cast::<u8>(), pattern_size));
        let command = fill::buffer(queue.on(), &buffer, pattern, offset, size)?;
        enqueue(&queue, command, wait, false, event)
    }
}

pub unsafe fn enqueue_map_buffer(
    command_queue: cl_command_queue,
    buffer: cl_mem,
    blocking_map: cl_bool,
    map_flags: cl_map_flags,
    offset: usize,
    size: usize,
    num_events_in_wait_list: cl_uint,
    event_wait_list: *const cl_event,
    event: *mut cl_event,
) -> Result<*mut c_void> {
    // SAFETY: the arguments are those of clEnqueueMapBuffer.
    unsafe {
        let queue = handle::get::<Queue>(command_queue)?;
        let buffer = handle::get::<Mem>(buffer)?;
        let wait = handle::wait_list(num_events_in_wait_list, event_wait_list, event)?;
        let (command, address) = map::buffer(queue.on(), &buffer, map_flags, offset, size)?;
        enqueue(&queue, command, wait, blocking_map != 0, event)?;
        Ok(address as *mut c_void)
    }
}

pub unsafe fn enqueue_unmap_mem_object(
    command_queue: cl_command_queue,
    memobj: cl_mem,
    mapped_ptr: *mut c_void,
    num_events_in_wait_list: cl_uint,
    event_wait_list: *const cl_event,
    event: *mut cl_event,
) -> Result<()> {
    // SAFETY: the arguments are those of clEnqueueUnmapMemObject.
    unsafe {
        let queue = handle::get::<Queue>(command_queue)?;
        let buffer = handle::get::<Mem>(memobj)?;
        let wait = handle::wait_list(num_events_in_wait_list, event_wait_list, event)?;
        let command = map::unmap(queue.on(), &buffer, mapped_ptr as usize)?;
        enqueue(&queue, command, wait, false, event)
    }
}

pub unsafe fn enqueue_migrate_mem_objects(
    command_queue: cl_command_queue,
    num_mem_objects: cl_uint,
    mem_objects: *const cl_mem,
    flags: cl_mem_migration_flags,
    num_events_in_wait_list: cl_uint,
    event_wait_list: *const cl_event,
    event: *mut cl_event,
) -> Result<()> {
    // SAFETY: the arguments are those of clEnqueueMigrateMemObjects.
    unsafe {
        let queue = handle::get::<Queue>(command_queue)?;
        let buffers = handle::required(mem_objects, num_mem_objects as usize)?
            .iter()
            .map(|&buffer| handle::get::<Mem>(buffer))
            .collect::<Result<Vec<_>>>()?;
        let wait = handle::wait_list(num_events_in_wait_list, event_wait_list, event)?;
        let command = migrate::migrate(queue.on(), buffers, flags)?;
        enqueue(&queue, command, wait, false, event)
    }
}

pub unsafe fn enqueue_migrate_mem_object_ext(
    command_queue: cl_command_queue,
    num_mem_objects: cl_uint,
    mem_objects: *const cl_mem,
    flags: cl_bitfield,
    num_events_in_wait_list: cl_uint,
    event_wait_list: *const cl_event,
    event: *mut cl_event,
) -> Result<()> {
    // SAFETY: the arguments are those of clEnqueueMigrateMemObjectEXT.
    unsafe {
        let queue = handle::get::<Queue>(command_queue)?;
        let objects = handle::required(mem_objects, num_mem_objects as usize)?
            .iter()
            .map(|&object| handle::get::<Mem>(object))
            .collect::<Result<Vec<_>>>()?;
        let wait = handle::wait_list(num_events_in_wait_list, event_wait_list, event)?;
        let command = migrate::migrate_ext(queue.on(), objects, flags)?;
        enqueue(&queue, command, wait, false, event)
    }
}

/// Enqueues a marker or barrier behind its wait list.
///
/// # Safety
/// As the entry points below.
unsafe fn plain(
    command_queue: cl_command_queue,
    command: Command,
    (count, list): (cl_uint, *const cl_event),
    event: *mut cl_event,
) -> Result<()> {
    // SAFETY: the caller's contract.
    unsafe {
        let queue = handle::get::<Queue>(command_queue)?;
        let wait = handle::wait_list(count, list, event)?;
        enqueue(&queue, command, wait, false, event)
    }
}

pub unsafe fn enqueue_marker(command_queue: cl_command_queue, event: *mut cl_event) -> Result<()> {
    // SAFETY: the arguments are those of clEnqueueMarker.
    unsafe {
        handle::get::<Queue>(command_queue)?;
        if event.is_null() {
            return Err(Error::InvalidValue.because("event is NULL"));
        }
        plain(command_queue, Command::Marker, (0, std::ptr::null()), event)
    }
}

pub unsafe fn enqueue_wait_for_events(
    command_queue: cl_command_queue,
    num_events: cl_uint,
    event_list: *const cl_event,
) -> Result<()> {
    // CL_INVALID_EVENT is this call's error for something that is no event.
    let own = |error| match error {
        Error::InvalidEventWaitList => Error::InvalidEvent.because("an element is not an event"),
        other => other,
    };
    // SAFETY: the arguments are those of clEnqueueWaitForEvents.
    unsafe {
        handle::get::<Queue>(command_queue)?;
        // CL_INVALID_VALUE if num_events is zero or event_list is NULL.
        let list =
            handle::required(event_list, num_events as usize).map(|_| (num_events, event_list))?;
        plain(command_queue, Command::Barrier, list, std::ptr::null_mut()).map_err(own)
    }
}

pub unsafe fn enqueue_barrier(command_queue: cl_command_queue) -> Result<()> {
    // SAFETY: the argument is that of clEnqueueBarrier.
    unsafe {
        plain(
            command_queue,
            Command::Barrier,
            (0, std::ptr::null()),
            std::ptr::null_mut(),
        )
    }
}

pub unsafe fn enqueue_marker_with_wait_list(
    command_queue: cl_command_queue,
    num_events_in_wait_list: cl_uint,
    event_wait_list: *const cl_event,
    event: *mut cl_event,
) -> Result<()> {
    let wait = (num_events_in_wait_list, event_wait_list);
    // SAFETY: the arguments are those of clEnqueueMarkerWithWaitList.
    unsafe { plain(command_queue, Command::Marker, wait, event) }
}

pub unsafe fn enqueue_barrier_with_wait_list(
    command_queue: cl_command_queue,
    num_events_in_wait_list: cl_uint,
    event_wait_list: *const cl_event,
    event: *mut cl_event,
) -> Result<()> {
    let wait = (num_events_in_wait_list, event_wait_list);
    // SAFETY: the arguments are those of clEnqueueBarrierWithWaitList.
    unsafe { plain(command_queue, Command::Barrier, wait, event) }
}
