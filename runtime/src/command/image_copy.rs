//! clEnqueueCopyImage, clEnqueueCopyImageToBuffer, clEnqueueCopyBufferToImage and
//! clEnqueueFillImage: copies on the device between images and bytes.

use std::sync::Arc;

use opencl_sys as cl;
use pumice_vulkan_layer::{Buffer, CopyRegion, Image, ImageBox, ImageKind};

use crate::base::error::{Error, Result};
use crate::base::json::Fields;
use crate::base::object::Ref;
use crate::base::region::{Extent, Layout, pieces};
use crate::command::image::{check_moves, image_of};
use crate::command::{Command, DeviceCommand, Retire, Visit};
use crate::context::Placement;
use crate::device::gpu;
use crate::memory::Mem;
use crate::memory::image::Origin;
use crate::memory::part::Part;
use crate::memory::residency::Access;
use crate::memory::texel::{self, Color};

/// Bytes of texels that a fill copies at a time, if a slice has no more: one copy fills many small slices.
const FILL_BYTES: u64 = 1 << 20;

/// A copy, or a fill.
struct ImageCopy {
    command_type: u32,
    from: Source,
    to: Part,
    /// Bytes of all texels.
    size: usize,
    /// Bytes of one texel.
    texel: usize,
    /// Live as long as their commands, as their destructor callbacks are promised.
    _objects: Vec<Ref<Mem>>,
}

enum Source {
    Part(Part),
    /// The texel that fills.
    Fill(Vec<u8>),
}

/// clEnqueueCopyImage; `origins` are those of source and destination.
///
/// # Errors
/// Those that the specification lists for clEnqueueCopyImage, in its order.
pub fn copy(
    on: &Placement,
    [source, destination]: [&Ref<Mem>; 2],
    origins: [Origin; 2],
    region: [usize; 3],
) -> Result<Command> {
    on.check_context(source.context())?;
    on.check_context(destination.context())?;
    let (a, b) = (image_of(source)?, image_of(destination)?);
    // CL_IMAGE_FORMAT_MISMATCH if the images do not have the same format.
    if a.format() != b.format() {
        return Err(Error::ImageFormatMismatch);
    }
    // CL_INVALID_VALUE if a region is out of bounds.
    let (from, to) = (a.region(origins[0], region)?, b.region(origins[1], region)?);
    check_moves(on.device(), a)?;
    check_moves(on.device(), b)?;
    destination.check_mutable()?;
    let (size, texel) = (a.bytes(from), a.format().texel_size());
    let (from, to) = of_one_shape([(a.kind(), a.part(from)), (b.kind(), b.part(to))]);
    // CL_MEM_COPY_OVERLAP if both are of one image and the regions overlap.
    if from.overlaps(&to) {
        return Err(Error::MemCopyOverlap);
    }
    Ok(Command::Device(Arc::new(ImageCopy {
        command_type: cl::CL_COMMAND_COPY_IMAGE,
        from: Source::Part(from),
        to,
        size,
        texel,
        _objects: vec![source.clone(), destination.clone()],
    })))
}

/// The source and destination of a copy, of one shape: a region of a 1D image array has layers where one of another
/// image has rows. Texels keep what they are, so bytes follow them.
fn of_one_shape([(a, from), (b, to)]: [(ImageKind, Part); 2]) -> (Part, Part) {
    let is_array = |kind| kind == ImageKind::D1Array;
    let is_bytes = |part: &Part| matches!(part, Part::Bytes { .. });
    if is_array(a) == is_array(b) {
        return (from, to);
    }
    // Of two sides of bytes one changes. Texels on both sides go by way of bytes without gaps.
    match is_bytes(&from) {
        true => (from.transposed(), to),
        false => (from, to.transposed()),
    }
}

/// clEnqueueCopyImageToBuffer.
///
/// # Errors
/// Those that the specification lists for clEnqueueCopyImageToBuffer, in its order.
pub fn to_buffer(
    on: &Placement,
    images: [&Ref<Mem>; 2],
    origin: Origin,
    region: [usize; 3],
    offset: usize,
) -> Result<Command> {
    between(on, images, origin, region, offset, true)
}

/// clEnqueueCopyBufferToImage.
///
/// # Errors
/// Those that the specification lists for clEnqueueCopyBufferToImage, in its order.
pub fn from_buffer(
    on: &Placement,
    [buffer, image]: [&Ref<Mem>; 2],
    offset: usize,
    origin: Origin,
    region: [usize; 3],
) -> Result<Command> {
    between(on, [image, buffer], origin, region, offset, false)
}

/// A copy between an image and a buffer, or back.
fn between(
    on: &Placement,
    [mem, buffer]: [&Ref<Mem>; 2],
    origin: Origin,
    region: [usize; 3],
    offset: usize,
    to_buffer: bool,
) -> Result<Command> {
    on.check_context(mem.context())?;
    on.check_context(buffer.context())?;
    // CL_INVALID_MEM_OBJECT if one is no image or the other no buffer.
    let image = image_of(mem)?;
    buffer.storage()?;
    // CL_INVALID_VALUE if a region is out of bounds.
    let area = image.region(origin, region)?;
    let size = image.bytes(area);
    buffer.check_range(offset, size)?;
    buffer.check_alignment(on.device())?;
    check_moves(on.device(), image)?;
    let written = if to_buffer { buffer } else { mem };
    written.check_mutable()?;
    // CL_MEM_COPY_OVERLAP if the image is the buffer's own and the regions overlap.
    let (texels, bytes) = (image.part(area), buffer.bytes(offset, size)?);
    if texels.overlaps(&bytes) {
        return Err(Error::MemCopyOverlap);
    }
    let (command_type, from, to) = match to_buffer {
        true => (cl::CL_COMMAND_COPY_IMAGE_TO_BUFFER, texels, bytes),
        false => (cl::CL_COMMAND_COPY_BUFFER_TO_IMAGE, bytes, texels),
    };
    Ok(Command::Device(Arc::new(ImageCopy {
        command_type,
        from: Source::Part(from),
        to,
        size,
        texel: image.format().texel_size(),
        _objects: vec![mem.clone(), buffer.clone()],
    })))
}

/// clEnqueueFillImage; `color` is `None` for NULL.
///
/// # Errors
/// Those that the specification lists for clEnqueueFillImage, in its order.
pub fn fill(
    on: &Placement,
    mem: &Ref<Mem>,
    color: Option<Color>,
    origin: Origin,
    region: [usize; 3],
) -> Result<Command> {
    on.check_context(mem.context())?;
    let image = image_of(mem)?;
    // CL_INVALID_VALUE if fill_color is NULL, or the region is out of bounds.
    let color = color.ok_or(Error::InvalidValue)?;
    let area = image.region(origin, region)?;
    check_moves(on.device(), image)?;
    mem.check_mutable()?;
    Ok(Command::Device(Arc::new(ImageCopy {
        command_type: cl::CL_COMMAND_FILL_IMAGE,
        from: Source::Fill(texel::pack(image.format(), color)),
        to: image.part(area),
        size: image.bytes(area),
        texel: image.format().texel_size(),
        _objects: vec![mem.clone()],
    })))
}

/// A part in the memory of a device.
enum Memory {
    Texels(Image, ImageBox),
    /// Rows: their places, and their bytes, rows and slices.
    Bytes(Buffer, Layout, Extent),
}

impl Memory {
    /// The memory of a part, whatever is in it.
    fn of(part: &Part, index: usize) -> Result<Memory> {
        Ok(match part {
            Part::Texels { storage, area } => Memory::Texels(storage.allocation(index)?, *area),
            Part::Bytes {
                storage,
                place,
                extent,
            } => Memory::Bytes(storage.allocation(index)?, *place, *extent),
        })
    }
}

impl DeviceCommand for ImageCopy {
    fn command_type(&self) -> u32 {
        self.command_type
    }

    fn name(&self) -> &str {
        "image copy"
    }

    fn details(&self) -> Fields {
        Fields::default().with("bytes", self.size)
    }

    fn uses(&self, visit: &mut Visit<'_>) -> Result<()> {
        if let Source::Part(from) = &self.from {
            visit(from.contents(), Access::Read)?;
        }
        visit(self.to.contents(), self.to.writing())
    }

    fn record(&self, on: &Placement, recorder: &mut gpu::Recorder) -> Result<Retire> {
        let to = Memory::of(&self.to, on.index())?;
        let from = match &self.from {
            Source::Part(part) => Memory::of(part, on.index())?,
            Source::Fill(texel) => {
                self.fill(on, recorder, texel, to)?;
                // Texels come from bytes that are filled first.
                return Ok(Retire::alone());
            }
        };
        if self.record_straight(recorder, &from, &to)? {
            return Ok(Retire::nothing());
        }
        // By way of bytes in between.
        let between = on.device().gpu()?.allocate(self.size as u64, false)?;
        let linear = [self.size, 1, 1];
        let between = Memory::Bytes(between, Layout::linear(0), linear);
        self.record_straight(recorder, &from, &between)?;
        recorder.barrier();
        self.record_straight(recorder, &between, &to)?;
        Ok(Retire::alone())
    }
}

/// Records a copy of rows between buffers; one side may have all of them without gaps, as one row.
fn copy_rows(
    recorder: &mut gpu::Recorder,
    (a, from, shape): (&Buffer, Layout, Extent),
    (b, to, of_target): (&Buffer, Layout, Extent),
) -> Result<bool> {
    let shape = if shape[1] * shape[2] > 1 {
        shape
    } else {
        of_target
    };
    let tight = |layout: Layout| match layout.row_pitch {
        0 => Layout {
            offset: layout.offset,
            row_pitch: shape[0],
            slice_pitch: shape[0] * shape[1],
        },
        _ => layout,
    };
    let regions = pieces(tight(from), tight(to), shape).map(|(from, to, size)| CopyRegion {
        from: from as u64,
        to: to as u64,
        size: size as u64,
    });
    let regions: Vec<CopyRegion> = regions.collect();
    recorder.copy_buffer(a, b, &regions).map_err(gpu::error)?;
    Ok(true)
}

impl ImageCopy {
    /// Records the copy as one command of Vulkan's; false where there is none for it.
    fn record_straight(
        &self,
        recorder: &mut gpu::Recorder,
        from: &Memory,
        to: &Memory,
    ) -> Result<bool> {
        // Texels without gaps have no pitches.
        let rows = |place: &Layout| {
            let rows = place.texel_rows(self.texel);
            rows.filter(|rows| rows.offset % self.texel as u64 == 0)
        };
        let recorded = match (from, to) {
            (Memory::Texels(a, source), Memory::Texels(b, target)) => {
                if a.desc().kind != b.desc().kind {
                    return Ok(false);
                }
                recorder.copy_image((a, *source), (b, *target))
            }
            (Memory::Texels(image, part), Memory::Bytes(buffer, place, _)) => {
                let Some(rows) = rows(place) else {
                    return Ok(false);
                };
                recorder.copy_image_to_buffer(image, *part, buffer, rows)
            }
            (Memory::Bytes(buffer, place, _), Memory::Texels(image, part)) => {
                let Some(rows) = rows(place) else {
                    return Ok(false);
                };
                recorder.copy_buffer_to_image(buffer, rows, image, *part)
            }
            (Memory::Bytes(a, source, shape), Memory::Bytes(b, target, of_target)) => {
                return copy_rows(recorder, (a, *source, *shape), (b, *target, *of_target));
            }
        };
        recorded.map_err(gpu::error)?;
        Ok(true)
    }

    /// Records a fill: bytes at once, an image by as many slices as there are in [`FILL_BYTES`] of texels, at least one.
    fn fill(
        &self,
        on: &Placement,
        recorder: &mut gpu::Recorder,
        texel: &[u8],
        to: Memory,
    ) -> Result<()> {
        match to {
            Memory::Bytes(buffer, place, extent) => {
                for (at, _, size) in pieces(place, place, extent) {
                    recorder
                        .fill_buffer(&buffer, at as u64, size as u64, texel)
                        .map_err(gpu::error)?;
                }
            }
            Memory::Texels(image, part) => {
                let [x, y, z] = part.origin;
                let [width, height, depth] = part.extent;
                let slice = (self.size / depth as usize) as u64;
                let slices = (FILL_BYTES / slice.max(1)).clamp(1, u64::from(depth));
                let bytes = on.device().gpu()?.allocate(slice * slices, false)?;
                recorder
                    .fill_buffer(&bytes, 0, slice * slices, texel)
                    .map_err(gpu::error)?;
                recorder.barrier();
                for first in (0..depth).step_by(slices as usize) {
                    let part = ImageBox {
                        level: part.level,
                        origin: [x, y, z + first],
                        extent: [width, height, (depth - first).min(slices as u32)],
                    };
                    recorder
                        .copy_buffer_to_image(&bytes, 0, &image, part)
                        .map_err(gpu::error)?;
                }
            }
        }
        Ok(())
    }
}
