//! clEnqueueCopyBuffer and clEnqueueCopyBufferRect.

use std::sync::Arc;

use opencl_sys as cl;
use pumice_vulkan_layer::CopyRegion;

use crate::base::error::{Error, Result};
use crate::base::json::Fields;
use crate::base::object::Ref;
use crate::base::region::{
    Extent, Layout, ascending_pieces, boxes_intersect, overlap, piece_count, pieces,
};
use crate::command::{Command, DeviceCommand, Retire, Visit};
use crate::context::Placement;
use crate::device::gpu;
use crate::memory::residency::Access;
use crate::memory::{Mem, written};

/// Regions of one Vulkan command.
const REGIONS_AT_ONCE: usize = 4096;
/// More regions than this make a command buffer larger than drivers should be asked to hold.
const MOST_REGIONS: usize = 1 << 22;

/// A copy between buffers.
pub struct Copy {
    command_type: u32,
    source: Ref<Mem>,
    destination: Ref<Mem>,
    from: Layout,
    to: Layout,
    extent: Extent,
    /// True if the regions share bytes, which are then copied in ascending order.
    ascending: bool,
}

/// More pieces than this, each behind a barrier, take longer than an overlapping copy may.
const MOST_ASCENDING: usize = 1 << 16;

/// clEnqueueCopyBuffer.
///
/// # Errors
/// Those that the specification lists for clEnqueueCopyBuffer, in its order.
pub fn linear(
    on: &Placement,
    source: &Ref<Mem>,
    destination: &Ref<Mem>,
    from: usize,
    to: usize,
    size: usize,
) -> Result<Command> {
    let copy = Copy {
        command_type: cl::CL_COMMAND_COPY_BUFFER,
        source: source.clone(),
        destination: destination.clone(),
        from: Layout::linear(from),
        to: Layout::linear(to),
        extent: [size, 1, 1],
        ascending: false,
    };
    copy.checked(on, false)
}

/// clEnqueueCopyBufferRect.
///
/// `origins` are given when the application left out the pitches. The specification's overlap rule
/// (appendix "Checking for Memory Copy Overlap") then also counts bytes that boxes apart from each
/// other share only because their rows are packed tightly. The conformance tests
/// (`bufferreadwriterect`) ask for such copies and check the result of copying byte after byte; so
/// they are done in that order.
///
/// # Errors
/// Those that the specification lists for clEnqueueCopyBufferRect, in its order.
pub fn rect(
    on: &Placement,
    source: &Ref<Mem>,
    destination: &Ref<Mem>,
    [from, to]: [Layout; 2],
    extent: Extent,
    origins: Option<[[usize; 3]; 2]>,
) -> Result<Command> {
    // CL_INVALID_VALUE if a region element is 0.
    if extent.contains(&0) {
        return Err(Error::InvalidValue.because("a size of the region is 0"));
    }
    // CL_INVALID_VALUE if both are the same buffer and their pitches differ.
    if source.handle() == destination.handle()
        && (from.row_pitch != to.row_pitch || from.slice_pitch != to.slice_pitch)
    {
        let reason = "within one buffer, source and destination need the same pitches";
        return Err(Error::InvalidValue.because(reason));
    }
    let apart = source.handle() == destination.handle()
        && origins.is_some_and(|[a, b]| !boxes_intersect((a, extent), (b, extent)));
    let copy = Copy {
        command_type: cl::CL_COMMAND_COPY_BUFFER_RECT,
        source: source.clone(),
        destination: destination.clone(),
        from,
        to,
        extent,
        ascending: false,
    };
    copy.checked(on, apart)
}

impl Copy {
    /// The command; boxes that are `apart` may overlap in memory.
    fn checked(mut self, on: &Placement, apart: bool) -> Result<Command> {
        let (source, destination) = (&self.source, &self.destination);
        let (from, to, extent) = (self.from, self.to, self.extent);
        on.check_context(source.context())?;
        on.check_context(destination.context())?;
        // CL_INVALID_MEM_OBJECT if one is no buffer.
        let storages = [source.storage()?, destination.storage()?];
        // CL_INVALID_VALUE if a region is out of bounds.
        source.check_region(from, extent)?;
        destination.check_region(to, extent)?;
        destination.check_mutable()?;
        source.check_alignment(on.device())?;
        destination.check_alignment(on.device())?;
        // CL_MEM_COPY_OVERLAP if both are of one buffer and the regions overlap.
        if Arc::ptr_eq(storages[0], storages[1]) {
            let shift = |layout: Layout, origin: usize| Layout {
                offset: layout.offset + origin,
                ..layout
            };
            let (a, b) = (
                shift(from, source.origin()),
                shift(to, destination.origin()),
            );
            if overlap((a, extent), (b, extent)) {
                let mut steps = ascending_pieces(from, to, extent);
                let few = steps.nth(MOST_ASCENDING).is_none();
                if !apart || !few {
                    return Err(Error::MemCopyOverlap.because("source and destination overlap"));
                }
                self.ascending = true;
            }
        }
        // CL_OUT_OF_RESOURCES: the device could not take so many rows in one command.
        if piece_count(from, to, extent) > MOST_REGIONS {
            let reason = format!("the copy has more than {MOST_REGIONS} rows that lie apart");
            return Err(Error::OutOfResources.because(reason));
        }
        Ok(Command::Device(Arc::new(self)))
    }
}

impl Copy {
    /// Records that a copy of what nothing wrote leaves that as if nothing wrote it.
    fn mark(&self, recorder: &mut gpu::Recorder, regions: &[CopyRegion]) -> Result<()> {
        let [from, to] = [self.source.storage()?, self.destination.storage()?];
        if let (Some(from), Some(to)) = (from.written().shadow(), to.written().shadow()) {
            return recorder.copy_buffer(from, to, regions).map_err(gpu::error);
        }
        let written = to.written();
        (regions.iter()).try_for_each(|region| written.record(recorder, region.to, region.size))
    }
}

impl DeviceCommand for Copy {
    fn command_type(&self) -> u32 {
        self.command_type
    }

    fn name(&self) -> &str {
        "copy"
    }

    fn details(&self) -> Fields {
        let bytes: usize = self.extent.iter().product();
        Fields::default().with("bytes", bytes)
    }

    fn joins(&self) -> bool {
        true
    }

    fn uses(&self, visit: &mut Visit<'_>) -> Result<()> {
        visit(self.source.storage()?.clone(), Access::Read)?;
        let written = self.destination.storage()?;
        let place = self.to.shifted(self.destination.origin());
        let access = written.writing(place, self.extent);
        visit(written::marked(written), access)
    }

    fn record(&self, on: &Placement, recorder: &mut gpu::Recorder) -> Result<Retire> {
        let index = on.index();
        let source = self.source.storage()?.allocation(index)?;
        let destination = self.destination.storage()?.allocation(index)?;
        let shift = |offset: usize, mem: &Mem| (offset + mem.origin()) as u64;
        let region = |(from, to, length): (usize, usize, usize)| CopyRegion {
            from: shift(from, &self.source),
            to: shift(to, &self.destination),
            size: length as u64,
        };
        if self.ascending {
            // Onto itself there is nothing to copy.
            if self.from == self.to {
                return Ok(Retire::nothing());
            }
            for piece in ascending_pieces(self.from, self.to, self.extent).map(region) {
                recorder
                    .copy_buffer(&source, &destination, &[piece])
                    .map_err(gpu::error)?;
                self.mark(recorder, &[piece])?;
                recorder.barrier();
            }
            return Ok(Retire::nothing());
        }
        let mut regions = pieces(self.from, self.to, self.extent)
            .map(region)
            .peekable();
        while regions.peek().is_some() {
            let some: Vec<CopyRegion> = regions.by_ref().take(REGIONS_AT_ONCE).collect();
            recorder
                .copy_buffer(&source, &destination, &some)
                .map_err(gpu::error)?;
            self.mark(recorder, &some)?;
        }
        Ok(Retire::nothing())
    }
}
