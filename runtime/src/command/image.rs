//! clEnqueueReadImage and clEnqueueWriteImage.

use opencl_sys as cl;

use crate::base::error::{Error, Result};
use crate::base::host_ptr::HostSlice;
use crate::base::object::Ref;
use crate::command::Command;
use crate::command::transfer::{Direction, Transfer};
use crate::context::Placement;
use crate::device::Device;
use crate::device::depth_stencil::CL_DEPTH_STENCIL;
use crate::memory::Mem;
use crate::memory::image::{ImageMem, Origin};
use crate::memory::planar;

/// The image that an object is: CL_INVALID_MEM_OBJECT if it is none.
///
/// # Errors
/// [`Error::InvalidMemObject`].
pub fn image_of(mem: &Ref<Mem>) -> Result<&ImageMem> {
    mem.image().ok_or(Error::InvalidMemObject)
}

/// CL_INVALID_OPERATION if the device has no images, CL_IMAGE_FORMAT_NOT_SUPPORTED if it does not
/// have this one's format.
///
/// # Errors
/// [`Error::InvalidOperation`], [`Error::ImageFormatNotSupported`].
pub fn check_device(device: &Ref<Device>, image: &ImageMem) -> Result<()> {
    if !device.has_images() {
        return Err(Error::InvalidOperation);
    }
    if planar::is_planar(image) {
        let reason = "a planar image is used by its planes";
        return Err(Error::InvalidOperation.because(reason));
    }
    let features = device.capabilities().format(image.format().vulkan);
    match features.sampled || features.storage_write || features.uniform_texel {
        true => Ok(()),
        false => Err(Error::ImageFormatNotSupported),
    }
}

/// [`check_device`] for a command that moves texels: CL_INVALID_OPERATION for depths beside stencil values and for samples, which
/// kernels alone read.
///
/// # Errors
/// Those of [`check_device`].
pub fn check_moves(device: &Ref<Device>, image: &ImageMem) -> Result<()> {
    check_device(device, image)?;
    if image.samples() > 0 {
        let reason = "an image with samples is for kernels alone";
        return Err(Error::InvalidOperation.because(reason));
    }
    match image.format().order {
        CL_DEPTH_STENCIL => {
            let reason = "an image of CL_DEPTH_STENCIL is for kernels alone";
            Err(Error::InvalidOperation.because(reason))
        }
        _ => Ok(()),
    }
}

/// A box of texels, and its pitches in the application's memory.
#[derive(Clone, Copy, Debug)]
pub struct ImageRegion {
    /// The first texel.
    pub origin: Origin,
    /// Texels in each dimension.
    pub region: [usize; 3],
    /// 0 for the tight one.
    pub row_pitch: usize,
    /// 0 for the tight one.
    pub slice_pitch: usize,
}

/// clEnqueueReadImage and clEnqueueWriteImage. `host` gives that many bytes from ptr on, `None`
/// for NULL.
///
/// # Errors
/// Those that the specification lists for clEnqueueReadImage and clEnqueueWriteImage, in its order.
pub fn transfer(
    on: &Placement,
    mem: &Ref<Mem>,
    direction: Direction,
    region: ImageRegion,
    host: impl FnOnce(usize) -> Option<HostSlice>,
) -> Result<Command> {
    on.check_context(mem.context())?;
    let image = image_of(mem)?;
    // CL_INVALID_VALUE if the region is out of bounds, ptr is NULL or a pitch not valid.
    let area = image.region(region.origin, region.region)?;
    let layout = image.host_layout(area, region.row_pitch, region.slice_pitch)?;
    let host = host(image.host_end(area, layout)).ok_or(Error::InvalidValue)?;
    check_moves(on.device(), image)?;
    let transfer = Transfer {
        command_type: match direction {
            Direction::Read => cl::CL_COMMAND_READ_IMAGE,
            Direction::Write => cl::CL_COMMAND_WRITE_IMAGE,
        },
        name: "image transfer",
        direction,
        mem: mem.clone(),
        part: image.part(area),
        host,
        layout,
    };
    transfer.command(on)
}
