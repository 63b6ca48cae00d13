//! clEnqueueReadBuffer, clEnqueueWriteBuffer and their Rect forms.
//!
//! The host copies where it reaches the buffer's memory. Elsewhere the device copies from or to staging
//! memory, among the queue's other commands; the host copies between that and the application's memory when a
//! write is recorded, or when a read has ended. Large transfers and those of many rows go batch by batch.

use std::sync::Arc;

use opencl_sys as cl;
use pumice_vulkan_layer::{Buffer, CopyRegion, MemoryClass};

use crate::base::error::{Error, Result};
use crate::base::host_ptr::HostSlice;
use crate::base::json::Fields;
use crate::base::object::Ref;
use crate::base::region::{Layout, Sides, piece_count, pieces};
use crate::command::{Command, DeviceCommand, HostCommand, Retire, Visit};
use crate::context::Placement;
use crate::device::gpu;
use crate::device::staging::Reservation;
use crate::memory::residency::Access;
use crate::memory::{Mem, written};

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
        sides: Sides::linear(offset, size),
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
        Ok(match self.reserve(on) {
            Some(reservation) => Command::Device(Arc::new(Staged {
                transfer: self,
                reservation,
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

    /// Reserves the staging memory, if the device is to do it.
    fn reserve(&self, on: &Placement) -> Option<Reservation> {
        let Sides {
            buffer,
            host,
            extent,
        } = self.sides;
        let bytes = self.sides.bytes();
        if bytes == 0 || bytes > gpu::STAGING || piece_count(buffer, host, extent) > MOST_ROWS {
            return None;
        }
        let memory = self.buffer.storage().ok()?.allocation(on.index()).ok()?;
        if gpu::host_view(&memory).is_some() || self.is_shared(on) {
            return None;
        }
        let staging = on.device().gpu().ok()?.staging();
        match self.direction {
            Direction::Read => staging.reserve_read(bytes, self.host),
            Direction::Write => staging.reserve_write(bytes, self.host),
        }
    }
}

/// A transfer that the device does.
struct Staged {
    transfer: Transfer,
    reservation: Reservation,
}

impl Staged {
    /// The place of the region in staging memory.
    fn packed(&self) -> Layout {
        let [row_pitch, rows, _] = self.transfer.sides.extent;
        Layout {
            offset: 0,
            row_pitch,
            slice_pitch: row_pitch * rows,
        }
    }

    /// Staging memory, and the host's view of it.
    fn take(&self, on: &Placement, class: MemoryClass) -> Result<(Buffer, HostSlice)> {
        let device = on.device().gpu()?.raw();
        let staging = (self.reservation).take(device, class, self.transfer.sides.bytes())?;
        let view = HostSlice::of_buffer(&staging).ok_or(Error::OutOfResources)?;
        Ok((staging, view))
    }
}

impl DeviceCommand for Staged {
    fn command_type(&self) -> u32 {
        self.transfer.command_type
    }

    fn name(&self) -> &str {
        HostCommand::name(&self.transfer)
    }

    fn details(&self) -> Fields {
        HostCommand::details(&self.transfer)
    }

    fn joins(&self) -> bool {
        // A read is brought to the application's memory when it has ended.
        self.transfer.direction == Direction::Write
    }

    fn uses(&self, visit: &mut Visit<'_>) -> Result<()> {
        let Transfer { buffer, sides, .. } = &self.transfer;
        let storage = buffer.storage()?;
        let place = sides.buffer.shifted(buffer.origin());
        let access = match self.transfer.direction {
            Direction::Read => Access::Read,
            Direction::Write => storage.writing(place, sides.extent),
        };
        visit(written::marked(storage), access)
    }

    fn record(&self, on: &Placement, recorder: &mut gpu::Recorder) -> Result<Retire> {
        let Transfer {
            buffer,
            sides,
            host,
            direction,
            ..
        } = &self.transfer;
        let (host, packed, extent) = (*host, self.packed(), sides.extent);
        let (outside, origin) = (sides.host, buffer.origin());
        let memory = buffer.storage()?.allocation(on.index())?;
        let inside = pieces(sides.buffer, packed, extent).map(|(at, packed, size)| {
            let (at, packed) = ((origin + at) as u64, packed as u64);
            (at, packed, size as u64)
        });
        match direction {
            Direction::Write => {
                let (staging, view) = self.take(on, MemoryClass::Staging)?;
                for (from, to, length) in pieces(outside, packed, extent) {
                    view.part(to, length).copy_from(host.part(from, length));
                }
                let regions = inside.map(|(to, from, size)| CopyRegion { from, to, size });
                let regions: Vec<_> = regions.collect();
                let copied = recorder.copy_buffer(&staging, &memory, &regions);
                copied.map_err(gpu::error)?;
                let written = buffer.storage()?.written();
                for region in &regions {
                    written.record(recorder, region.to, region.size)?;
                }
                Ok(Retire::nothing())
            }
            Direction::Read => {
                let (staging, view) = self.take(on, MemoryClass::Readback)?;
                let regions = inside.map(|(from, to, size)| CopyRegion { from, to, size });
                let regions: Vec<_> = regions.collect();
                let copied = recorder.copy_buffer(&memory, &staging, &regions);
                copied.map_err(gpu::error)?;
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
        "transfer"
    }

    fn details(&self) -> Fields {
        let bytes = self.sides.bytes();
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
        let sides = Sides {
            buffer: self.sides.buffer.shifted(self.buffer.origin()),
            ..self.sides
        };
        match self.direction {
            Direction::Read => storage.read(on.index(), sides, self.host),
            Direction::Write => storage.write(on.index(), sides, self.host),
        }
    }
}
