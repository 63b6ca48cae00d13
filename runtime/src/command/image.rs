//! clEnqueueReadImage and clEnqueueWriteImage.

use opencl_sys as cl;
use pumice_vulkan_layer::ImageBox;

use crate::command::transfer::Direction;
use crate::command::{Command, WaitList, check_context};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::event::Event;
use crate::memory::Mem;
use crate::memory::host_ptr::HostSlice;
use crate::memory::image::{Image, Place};
use crate::memory::region::Layout;
use crate::object::Ref;
use crate::queue::Queue;
use crate::scheduler;

/// A read or write.
pub struct ImageTransfer {
    direction: Direction,
    image: Ref<Mem>,
    part: ImageBox,
    host: HostSlice,
    layout: Layout,
}

/// What makes an object an image: CL_INVALID_MEM_OBJECT if it is none.
pub fn image_of(mem: &Ref<Mem>) -> Result<&Image> {
    mem.image().ok_or(Error::InvalidMemObject)
}

/// CL_INVALID_OPERATION if the device has no images, CL_IMAGE_FORMAT_NOT_SUPPORTED if it does not
/// have this one's format.
pub fn check_device(device: &Ref<Device>, image: &Image) -> Result<()> {
    if !device.has_images() {
        return Err(Error::InvalidOperation);
    }
    let features = device.capabilities().format(image.row().format);
    match features.sampled || features.storage_write || features.uniform_texel {
        true => Ok(()),
        false => Err(Error::ImageFormatNotSupported),
    }
}

/// Which texels, and where they lie in the application's memory.
#[derive(Clone, Copy, Debug)]
pub struct Region {
    /// The first texel.
    pub origin: [usize; 3],
    /// Texels in each dimension.
    pub region: [usize; 3],
    /// 0 for the tight one.
    pub row_pitch: usize,
    /// 0 for the tight one.
    pub slice_pitch: usize,
}

/// clEnqueueReadImage and clEnqueueWriteImage. `host` gives that many bytes from ptr on, `None`
/// for NULL.
pub fn transfer(
    queue: &Ref<Queue>,
    mem: &Ref<Mem>,
    direction: Direction,
    blocking: bool,
    region: Region,
    host: impl FnOnce(usize) -> Option<HostSlice>,
    wait: WaitList,
) -> Result<Ref<Event>> {
    check_context(queue, mem.context())?;
    let image = image_of(mem)?;
    // CL_INVALID_VALUE if the region is out of bounds, ptr is NULL or a pitch not valid.
    let part = image.region(region.origin, region.region)?;
    let layout = image.host_layout(part, region.row_pitch, region.slice_pitch)?;
    let host = host(image.host_end(part, layout)).ok_or(Error::InvalidValue)?;
    check_device(queue.device(), image)?;
    // CL_INVALID_OPERATION if the host may not access the image in this way.
    match direction {
        Direction::Read => mem.check_host_reads()?,
        Direction::Write => mem.check_host_writes()?,
    }
    let command = Command::ImageTransfer(ImageTransfer {
        direction,
        image: mem.clone(),
        part,
        host,
        layout,
    });
    scheduler::enqueue(queue, command, wait, blocking)
}

impl ImageTransfer {
    /// CL_COMMAND_*.
    pub fn command_type(&self) -> u32 {
        match self.direction {
            Direction::Read => cl::CL_COMMAND_READ_IMAGE,
            Direction::Write => cl::CL_COMMAND_WRITE_IMAGE,
        }
    }

    /// Copies between the application's memory and the device's.
    pub fn run(&self, queue: &Ref<Queue>) -> Result<()> {
        let image = image_of(&self.image)?;
        let index = queue.device_index();
        match (image.place(), self.direction) {
            (Place::Image(storage), Direction::Read) => {
                storage.read(index, self.part, self.host, self.layout)
            }
            (Place::Image(storage), Direction::Write) => {
                storage.write(index, self.part, self.host, self.layout)
            }
            // One row.
            (Place::Buffer(storage, offset), direction) => {
                let texel = image.row().texel_size();
                let at = offset + self.part.origin[0] as usize * texel;
                match direction {
                    Direction::Read => storage.read(index, at, self.host),
                    Direction::Write => storage.write(index, at, self.host),
                }
            }
        }
    }
}
