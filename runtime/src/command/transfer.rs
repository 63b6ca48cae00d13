//! clEnqueueReadBuffer, clEnqueueWriteBuffer and their Rect forms, and what reads and writes of images have in common with them.
//!
//! The host copies where it reaches the memory. Elsewhere the device copies from or to staging
//! memory, among the queue's other commands; the host copies between that and the application's memory when a
//! write is recorded, or when a read has ended. Large transfers and those of many rows go batch by batch.

use std::sync::Arc;

use opencl_sys as cl;
use pumice_vulkan_layer::{Buffer, MemoryClass};

use crate::base::error::{Error, Result};
use crate::base::host_ptr::HostSlice;
use crate::base::json::Fields;
use crate::base::object::Ref;
use crate::base::region::{Layout, Sides, piece_count, pieces};
use crate::command::{Command, DeviceCommand, HostCommand, Retire, Visit};
use crate::context::Placement;
use crate::device::gpu;
use crate::device::staging::Reservation;
use crate::memory::Mem;
use crate::memory::part::Part;
use crate::memory::residency::Access;

/// The name of a buffer's transfer in a trace.
const OF_BUFFER: &str = "transfer";

/// Rows of a transfer that the device does.
const MOST_ROWS: usize = 4096;

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

/// A read or write.
pub(super) struct Transfer {
    /// CL_EVENT_COMMAND_TYPE.
    pub command_type: u32,
    /// Its name in a trace.
    pub name: &'static str,
    /// From device to host or back.
    pub direction: Direction,
    /// Lives as long as its commands, as its destructor callbacks are promised.
    pub mem: Ref<Mem>,
    /// The part of the object.
    pub part: Part,
    /// The application's memory.
    pub host: HostSlice,
    /// The part's place there.
    pub layout: Layout,
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
    let host = host.ok_or_else(null_ptr)?;
    buffer.check_alignment(on.device())?;
    let transfer = Transfer {
        command_type: match direction {
            Direction::Read => cl::CL_COMMAND_READ_BUFFER,
            Direction::Write => cl::CL_COMMAND_WRITE_BUFFER,
        },
        name: OF_BUFFER,
        direction,
        mem: buffer.clone(),
        part: buffer.bytes(offset, size)?,
        host,
        layout: Layout::linear(0),
    };
    transfer.command(on)
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
    buffer.check_alignment(on.device())?;
    let transfer = Transfer {
        command_type: match direction {
            Direction::Read => cl::CL_COMMAND_READ_BUFFER_RECT,
            Direction::Write => cl::CL_COMMAND_WRITE_BUFFER_RECT,
        },
        name: OF_BUFFER,
        direction,
        mem: buffer.clone(),
        part: Part::Bytes {
            storage: buffer.storage()?.clone(),
            place: sides.buffer.shifted(buffer.origin()),
            extent: sides.extent,
        },
        host,
        layout: sides.host,
    };
    transfer.command(on)
}

fn null_ptr() -> Error {
    Error::InvalidValue.because("ptr is NULL")
}

impl Transfer {
    /// The command, on the device where that serves.
    ///
    /// # Errors
    /// CL_INVALID_OPERATION if the host may not access the object in this way, and what is wrong with the host's memory.
    pub fn command(self, on: &Placement) -> Result<Command> {
        self.direction.check_host_access(&self.mem)?;
        on.context().check_host_memory(self.host)?;
        Ok(match self.reserve(on) {
            Some(reservation) => Command::Device(Arc::new(Staged {
                transfer: self,
                _reservation: reservation,
            })),
            None => Command::Host(Arc::new(self)),
        })
    }

    /// Tells whether kernels may use the host's side too, which then has to be read and written in the
    /// command's place.
    fn is_shared(&self, on: &Placement) -> bool {
        let system = cl::CL_DEVICE_SVM_FINE_GRAIN_SYSTEM;
        on.device().svm_capabilities() & system != 0
            || on.context().svm_find(self.host.address()).is_some()
    }

    /// Tells whether the part is memory of the device's that the host reaches, or has too many rows for one command.
    fn is_for_host(&self, on: &Placement) -> Result<bool> {
        let Part::Bytes {
            storage,
            place,
            extent,
        } = &self.part
        else {
            return Ok(false);
        };
        let rows = piece_count(*place, self.layout, *extent);
        let memory = storage.allocation(on.index())?;
        Ok(rows > MOST_ROWS || gpu::host_view(&memory).is_some())
    }

    /// Reserves the staging memory, if the device is to do it.
    fn reserve(&self, on: &Placement) -> Option<Reservation> {
        let bytes = self.part.bytes();
        if bytes == 0 || bytes > gpu::STAGING || self.is_shared(on) || self.is_for_host(on).ok()? {
            return None;
        }
        let staging = on.device().gpu().ok()?.staging();
        match self.direction {
            Direction::Read => staging.reserve_read(bytes, self.host),
            Direction::Write => staging.reserve_write(bytes, self.host),
        }
    }

    fn about(&self) -> Fields {
        let direction = match self.direction {
            Direction::Read => "read",
            Direction::Write => "write",
        };
        Fields::default()
            .text("direction", direction)
            .with("bytes", self.part.bytes())
    }
}

/// A transfer that the device does.
struct Staged {
    transfer: Transfer,
    _reservation: Reservation,
}

impl Staged {
    /// Staging memory, and the host's view of it.
    fn take(&self, on: &Placement, class: MemoryClass) -> Result<(Buffer, HostSlice)> {
        let gpu = on.device().gpu()?;
        let staging = gpu.take_staging(class, self.transfer.part.bytes())?;
        let view = HostSlice::of_buffer(&staging).ok_or(Error::OutOfResources)?;
        Ok((staging, view))
    }
}

impl DeviceCommand for Staged {
    fn command_type(&self) -> u32 {
        self.transfer.command_type
    }

    fn name(&self) -> &str {
        self.transfer.name
    }

    fn details(&self) -> Fields {
        self.transfer.about()
    }

    fn joins(&self) -> bool {
        // A read is brought to the application's memory when it has ended.
        self.transfer.direction == Direction::Write
    }

    fn ends_on_host(&self) -> bool {
        self.transfer.direction == Direction::Read
    }

    fn only_takes_from_host(&self) -> bool {
        self.transfer.direction == Direction::Write
    }

    fn uses(&self, visit: &mut Visit<'_>) -> Result<()> {
        let part = &self.transfer.part;
        match self.transfer.direction {
            Direction::Read => visit(part.contents(), Access::Read),
            Direction::Write => visit(part.marked(), part.writing()),
        }
    }

    fn record(&self, on: &Placement, recorder: &mut gpu::Recorder) -> Result<Retire> {
        let Transfer {
            part,
            host,
            layout,
            direction,
            ..
        } = &self.transfer;
        let (host, outside) = (*host, *layout);
        let (packed, extent) = (part.packed(), part.extent());
        match direction {
            Direction::Write => {
                let (staging, view) = self.take(on, MemoryClass::Staging)?;
                for (from, to, length) in pieces(outside, packed, extent) {
                    view.part(to, length).copy_from(host.part(from, length));
                }
                part.record_write(on.index(), recorder, &staging)?;
                Ok(Retire::nothing())
            }
            Direction::Read => {
                let (staging, view) = self.take(on, MemoryClass::Readback)?;
                part.record_read(on.index(), recorder, &staging)?;
                Ok(Retire::with(move || {
                    let _kept = &staging;
                    for (from, to, length) in pieces(packed, outside, extent) {
                        host.part(to, length).copy_from(view.part(from, length));
                    }
                    Ok(())
                }))
            }
        }
    }
}

impl HostCommand for Transfer {
    fn command_type(&self) -> u32 {
        self.command_type
    }

    fn name(&self) -> &str {
        self.name
    }

    fn details(&self) -> Fields {
        self.about()
    }

    fn run(&self, on: &Placement) -> Result<()> {
        match self.direction {
            Direction::Read => self.part.read(on.index(), self.host, self.layout),
            Direction::Write => self.part.write(on.index(), self.host, self.layout),
        }
    }
}
