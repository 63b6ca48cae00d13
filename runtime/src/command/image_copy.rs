//! clEnqueueCopyImage, clEnqueueCopyImageToBuffer, clEnqueueCopyBufferToImage and
//! clEnqueueFillImage: copies on the device between images and bytes.

use std::sync::Arc;

use opencl_sys as cl;
use pumice_vulkan_layer::{Buffer, CopyRegion, Image as VkImage, ImageBox};

use crate::command::image::{check_device, image_of};
use crate::command::{Command, Retire, WaitList, check_context};
use crate::error::{Error, Result};
use crate::event::Event;
use crate::gpu;
use crate::memory::Mem;
use crate::memory::image::Place;
use crate::memory::region::boxes_intersect;
use crate::memory::storage::{Access, Storage};
use crate::memory::texel::{self, Color};
use crate::object::Ref;
use crate::queue::Queue;
use crate::scheduler;

/// One side of a copy.
enum Side {
    /// A box of an image that has texels of its own.
    Image(Ref<Mem>, ImageBox),
    /// Bytes of a buffer, from an offset on.
    Bytes {
        /// Lives as long as its commands, as its destructor callbacks are promised.
        _object: Ref<Mem>,
        storage: Arc<Storage>,
        offset: usize,
    },
}

/// A copy, or a fill.
pub struct ImageCopy {
    /// CL_COMMAND_*.
    pub command_type: u32,
    from: From,
    to: Side,
    /// In bytes.
    size: usize,
    texel: usize,
}

enum From {
    Side(Side),
    /// The texel that fills.
    Fill(Vec<u8>),
}

/// The side of a copy that is a box of an image, or the bytes of one that is a buffer's.
fn side(mem: &Ref<Mem>, part: ImageBox) -> Result<Side> {
    let image = image_of(mem)?;
    Ok(match image.place() {
        Place::Image(_) => Side::Image(mem.clone(), part),
        Place::Buffer(storage, offset) => {
            let first = part.origin[0] as usize * image.row().texel_size();
            Side::Bytes {
                _object: mem.clone(),
                storage,
                offset: offset + first,
            }
        }
    })
}

fn buffer_side(buffer: &Ref<Mem>, offset: usize) -> Result<Side> {
    Ok(Side::Bytes {
        _object: buffer.clone(),
        storage: buffer.storage()?.clone(),
        offset: buffer.origin() + offset,
    })
}

fn bytes(part: ImageBox, texel: usize) -> usize {
    let texels: usize = part.extent.iter().map(|&n| n as usize).product();
    texels * texel
}

/// clEnqueueCopyImage; `origins` are those of source and destination.
pub fn copy(
    queue: &Ref<Queue>,
    [source, destination]: [&Ref<Mem>; 2],
    [from, to]: [[usize; 3]; 2],
    region: [usize; 3],
    wait: WaitList,
) -> Result<Ref<Event>> {
    check_context(queue, source.context())?;
    check_context(queue, destination.context())?;
    let (a, b) = (image_of(source)?, image_of(destination)?);
    // CL_IMAGE_FORMAT_MISMATCH if the images do not have the same format.
    if a.row() != b.row() {
        return Err(Error::ImageFormatMismatch);
    }
    // CL_INVALID_VALUE if a region is out of bounds.
    let (from, to) = (a.region(from, region)?, b.region(to, region)?);
    check_device(queue.device(), a)?;
    check_device(queue.device(), b)?;
    let texel = a.row().texel_size();
    let size = bytes(from, texel);
    // CL_MEM_COPY_OVERLAP if both are of one image and the regions overlap.
    let overlap = match (a.place(), b.place()) {
        (Place::Image(x), Place::Image(y)) if Arc::ptr_eq(&x, &y) => {
            let origin = |part: ImageBox| part.origin.map(|n| n as usize);
            let extent = from.extent.map(|n| n as usize);
            boxes_intersect(origin(from), origin(to), extent)
        }
        (Place::Buffer(x, i), Place::Buffer(y, j)) if Arc::ptr_eq(&x, &y) => {
            let first = |part: ImageBox, offset: usize| offset + part.origin[0] as usize * texel;
            first(from, i).abs_diff(first(to, j)) < size
        }
        _ => false,
    };
    if overlap {
        return Err(Error::MemCopyOverlap);
    }
    let (from, to) = (From::Side(side(source, from)?), side(destination, to)?);
    enqueue(
        queue,
        cl::CL_COMMAND_COPY_IMAGE,
        from,
        to,
        [size, texel],
        wait,
    )
}

/// clEnqueueCopyImageToBuffer.
pub fn to_buffer(
    queue: &Ref<Queue>,
    [source, buffer]: [&Ref<Mem>; 2],
    origin: [usize; 3],
    region: [usize; 3],
    offset: usize,
    wait: WaitList,
) -> Result<Ref<Event>> {
    let (part, [size, texel]) = beside(queue, source, buffer, origin, region, offset)?;
    let to = buffer_side(buffer, offset)?;
    let from = From::Side(side(source, part)?);
    let command = cl::CL_COMMAND_COPY_IMAGE_TO_BUFFER;
    enqueue(queue, command, from, to, [size, texel], wait)
}

/// clEnqueueCopyBufferToImage.
pub fn from_buffer(
    queue: &Ref<Queue>,
    [buffer, destination]: [&Ref<Mem>; 2],
    offset: usize,
    origin: [usize; 3],
    region: [usize; 3],
    wait: WaitList,
) -> Result<Ref<Event>> {
    let (part, [size, texel]) = beside(queue, destination, buffer, origin, region, offset)?;
    let from = buffer_side(buffer, offset)?;
    let (from, to) = (From::Side(from), side(destination, part)?);
    let command = cl::CL_COMMAND_COPY_BUFFER_TO_IMAGE;
    enqueue(queue, command, from, to, [size, texel], wait)
}

/// What copies between an image and a buffer check; gives the box with its bytes, and a texel's.
fn beside(
    queue: &Ref<Queue>,
    mem: &Ref<Mem>,
    buffer: &Ref<Mem>,
    origin: [usize; 3],
    region: [usize; 3],
    offset: usize,
) -> Result<(ImageBox, [usize; 2])> {
    check_context(queue, mem.context())?;
    check_context(queue, buffer.context())?;
    // CL_INVALID_MEM_OBJECT if one is no image or the other no buffer.
    let image = image_of(mem)?;
    let storage = buffer.storage()?;
    // CL_INVALID_VALUE if a region is out of bounds.
    let part = image.region(origin, region)?;
    let texel = image.row().texel_size();
    let size = bytes(part, texel);
    buffer.check_range(offset, size)?;
    buffer.check_alignment(queue.device())?;
    check_device(queue.device(), image)?;
    // CL_MEM_COPY_OVERLAP if the image is the buffer's own and the regions overlap.
    if let Place::Buffer(own, first) = image.place() {
        let first = first + part.origin[0] as usize * texel;
        if Arc::ptr_eq(&own, storage) && first.abs_diff(buffer.origin() + offset) < size {
            return Err(Error::MemCopyOverlap);
        }
    }
    Ok((part, [size, texel]))
}

/// clEnqueueFillImage; `color` is `None` for NULL.
pub fn fill(
    queue: &Ref<Queue>,
    mem: &Ref<Mem>,
    color: Option<Color>,
    origin: [usize; 3],
    region: [usize; 3],
    wait: WaitList,
) -> Result<Ref<Event>> {
    check_context(queue, mem.context())?;
    let image = image_of(mem)?;
    // CL_INVALID_VALUE if fill_color is NULL, or the region is out of bounds.
    let color = color.ok_or(Error::InvalidValue)?;
    let part = image.region(origin, region)?;
    check_device(queue.device(), image)?;
    let from = From::Fill(texel::pack(image.row(), color));
    let texel = image.row().texel_size();
    let size = bytes(part, texel);
    let to = side(mem, part)?;
    enqueue(
        queue,
        cl::CL_COMMAND_FILL_IMAGE,
        from,
        to,
        [size, texel],
        wait,
    )
}

fn enqueue(
    queue: &Ref<Queue>,
    command_type: u32,
    from: From,
    to: Side,
    [size, texel]: [usize; 2],
    wait: WaitList,
) -> Result<Ref<Event>> {
    let command = Command::ImageCopy(Box::new(ImageCopy {
        command_type,
        from,
        to,
        size,
        texel,
    }));
    scheduler::enqueue(queue, command, wait, false)
}

/// A side on the queue's device.
enum OnDevice {
    Image(VkImage, ImageBox),
    Bytes(Buffer, u64),
}

impl Side {
    /// Where it lies on a device of the context, to be read, or to be written: `size` bytes of a
    /// buffer.
    fn on_device(&self, index: usize, writes: bool, size: usize) -> Result<OnDevice> {
        let access = |whole: Access| if writes { whole } else { Access::Read };
        Ok(match self {
            Side::Image(mem, part) => match image_of(mem)?.place() {
                Place::Image(storage) => {
                    let access = access(storage.writing(*part));
                    OnDevice::Image(storage.on_device(index, access)?, *part)
                }
                Place::Buffer(..) => return Err(Error::InvalidMemObject),
            },
            Side::Bytes {
                storage, offset, ..
            } => {
                let access = access(storage.writing(*offset, size));
                OnDevice::Bytes(storage.on_device(index, access)?, *offset as u64)
            }
        })
    }
}

impl ImageCopy {
    /// Records the copy.
    pub fn record(&self, queue: &Ref<Queue>, recorder: &mut gpu::Recorder) -> Result<Retire> {
        let index = queue.device_index();
        let from = match &self.from {
            From::Side(side) => side.on_device(index, false, self.size)?,
            From::Fill(texel) => {
                let to = self.to.on_device(index, true, self.size)?;
                return self.fill(queue, recorder, texel, to);
            }
        };
        let to = self.to.on_device(index, true, self.size)?;
        let straight = self.record_straight(recorder, &from, &to)?;
        if !straight {
            // By way of bytes in between.
            let between = queue.device().gpu()?.allocate(self.size as u64, false)?;
            let between = OnDevice::Bytes(between, 0);
            self.record_straight(recorder, &from, &between)?;
            recorder.barrier();
            self.record_straight(recorder, &between, &to)?;
        }
        Ok(Retire::nothing())
    }

    /// Records the copy as one command of Vulkan's; false where there is none for it.
    fn record_straight(
        &self,
        recorder: &mut gpu::Recorder,
        from: &OnDevice,
        to: &OnDevice,
    ) -> Result<bool> {
        let aligned = |offset: u64| offset % self.texel as u64 == 0;
        let recorded = match (from, to) {
            (OnDevice::Image(a, source), OnDevice::Image(b, target)) => {
                if a.desc().kind != b.desc().kind {
                    return Ok(false);
                }
                recorder.copy_image(a, source.origin, b, target.origin, source.extent)
            }
            (OnDevice::Image(image, part), OnDevice::Bytes(buffer, offset)) => {
                if !aligned(*offset) {
                    return Ok(false);
                }
                recorder.copy_image_to_buffer(image, *part, buffer, *offset)
            }
            (OnDevice::Bytes(buffer, offset), OnDevice::Image(image, part)) => {
                if !aligned(*offset) {
                    return Ok(false);
                }
                recorder.copy_buffer_to_image(buffer, *offset, image, *part)
            }
            (OnDevice::Bytes(a, source), OnDevice::Bytes(b, target)) => {
                let region = CopyRegion {
                    from: *source,
                    to: *target,
                    size: self.size as u64,
                };
                recorder.copy_buffer(a, b, &[region])
            }
        };
        recorded.map_err(gpu::error)?;
        Ok(true)
    }

    /// Records a fill: bytes at once, an image slice by slice from a slice of bytes.
    fn fill(
        &self,
        queue: &Ref<Queue>,
        recorder: &mut gpu::Recorder,
        texel: &[u8],
        to: OnDevice,
    ) -> Result<Retire> {
        match to {
            OnDevice::Bytes(buffer, offset) => recorder
                .fill_buffer(&buffer, offset, self.size as u64, texel)
                .map_err(gpu::error)?,
            OnDevice::Image(image, part) => {
                let [x, y, z] = part.origin;
                let [width, height, depth] = part.extent;
                let slice = (self.size / depth as usize) as u64;
                let bytes = queue.device().gpu()?.allocate(slice, false)?;
                recorder
                    .fill_buffer(&bytes, 0, slice, texel)
                    .map_err(gpu::error)?;
                recorder.barrier();
                for layer in 0..depth {
                    let part = ImageBox {
                        origin: [x, y, z + layer],
                        extent: [width, height, 1],
                    };
                    recorder
                        .copy_buffer_to_image(&bytes, 0, &image, part)
                        .map_err(gpu::error)?;
                }
            }
        }
        Ok(Retire::nothing())
    }
}
