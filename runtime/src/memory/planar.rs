//! Planar images (cl_intel_planar_yuv): CL_NV12_INTEL, whose planes are images of rows of the same bytes. Kernels and the host
//! use the planes alone.

use opencl_sys as cl;
use pumice_vulkan_layer::{ImageDesc, ImageKind};

use crate::base::error::{Error, Result};
use crate::base::host_ptr::HostSlice;
use crate::base::object::Ref;
use crate::base::region::Layout;
use crate::context::Context;
use crate::device::Device;
use crate::device::format::{ImageFormat, NO_ACCESS, NV12, NV12_STEP};
use crate::memory::buffer::{Content, Mem, MemDesc};
use crate::memory::flags;
use crate::memory::image::{ImageMem, Texels};
use crate::memory::image_desc::Desc;
use crate::memory::image_rows::Rows;
use crate::memory::storage::Storage;

/// Tells whether an image is planar.
pub fn is_planar(image: &ImageMem) -> bool {
    image.format().order == NV12.order
}

/// clCreateImage for CL_NV12_INTEL, after flags and format. `host` gives that many bytes of host_ptr.
///
/// # Errors
/// Those that cl_intel_planar_yuv adds to clCreateImage's.
pub(super) fn create(
    context: &Ref<Context>,
    memory_flags: u64,
    desc: &Desc,
    list: Option<Vec<u64>>,
    has_host: bool,
    host: impl FnOnce(usize) -> Option<HostSlice>,
) -> Result<Ref<Mem>> {
    // CL_INVALID_VALUE if flags do not include CL_MEM_HOST_NO_ACCESS.
    if memory_flags & cl::CL_MEM_HOST_NO_ACCESS == 0 {
        let reason = "an image of CL_NV12_INTEL needs CL_MEM_HOST_NO_ACCESS";
        return Err(Error::InvalidValue.because(reason));
    }
    // CL_IMAGE_FORMAT_NOT_SUPPORTED for kernels, for other types and of other objects' memory.
    let is_plane = desc.image_type == cl::CL_MEM_OBJECT_IMAGE2D && desc.mem_object.is_none();
    if memory_flags & NO_ACCESS == 0 || !is_plane {
        let reason = "CL_NV12_INTEL is for 2D images of their own with CL_MEM_NO_ACCESS_INTEL";
        return Err(Error::ImageFormatNotSupported.because(reason));
    }
    // CL_INVALID_IMAGE_DESCRIPTOR if a value is not valid.
    if desc.depth > 1 || desc.row_pitch % 2 != 0 {
        let reason = "the depth is not 1, or the row pitch is odd";
        return Err(Error::InvalidImageDescriptor.because(reason));
    }
    let kind = desc.check(NV12.group(), has_host)?;
    // CL_INVALID_IMAGE_SIZE if a size is no multiple of 4, or beyond every device's.
    let images = |device: &&Ref<Device>| device.has_images();
    let mut devices = context.devices().iter().filter(images);
    let whole = desc.width % NV12_STEP == 0 && desc.height % NV12_STEP == 0;
    if !whole || !devices.any(|device| desc.fits(device, kind)) {
        let reason = "sizes are no multiples of 4, or beyond the limits of every device";
        return Err(Error::InvalidImageSize.because(reason));
    }
    flags::check_host_ptr(memory_flags, has_host)?;
    let layout = desc.layout(kind, NV12.group());
    let size = layout
        .slice_pitch
        .checked_mul(3)
        .ok_or(Error::InvalidImageSize)?
        / 2;
    let most = context
        .devices()
        .iter()
        .map(|device| device.max_allocation());
    if size as u64 > most.max().unwrap_or(0) {
        let reason = format!("{size} bytes are more than CL_DEVICE_MAX_MEM_ALLOC_SIZE");
        return Err(Error::InvalidImageSize.because(reason));
    }
    let host = host(size);
    let use_host = host.filter(|_| memory_flags & cl::CL_MEM_USE_HOST_PTR != 0);
    let contents = host.filter(|_| memory_flags & cl::CL_MEM_COPY_HOST_PTR != 0);
    let storage = Storage::new(context.devices(), size, contents, use_host, None, false)?;
    let vulkan = ImageDesc {
        kind: ImageKind::D2,
        format: NV12.vulkan,
        extent: [desc.width as u32, desc.height as u32, 1],
        layers: 1,
        levels: 1,
        reinterpreted: false,
    };
    let image = ImageMem {
        format: &NV12,
        image_type: desc.image_type,
        width: desc.width,
        height: desc.height,
        depth: 0,
        array_size: 0,
        mip_levels: 0,
        samples: 0,
        layout,
        texels: Texels::Rows(Rows::new(storage, 0, vec![layout], vulkan, &NV12)),
    };
    let mem = MemDesc {
        context: context.clone(),
        flags: flags::with_default_access(memory_flags),
        size,
        properties: list,
        parent: None,
        host_address: use_host.map_or(0, HostSlice::address),
        external: None,
    };
    Ok(Mem::of_desc(mem, Content::Image(image)))
}

/// The description of a plane, and its first byte: of one whose mem_object is a planar image, image_depth is the plane.
///
/// # Errors
/// CL_INVALID_IMAGE_DESCRIPTOR for other planes, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR for formats that a plane does not have.
pub(super) fn plane(desc: &Desc, image: &ImageMem, [order, data_type]: [u32; 2]) -> Result<Desc> {
    let (format, divisor) = match desc.depth {
        0 => (cl::CL_R, 1),
        1 => (cl::CL_RG, 2),
        _ => return Err(Error::InvalidImageDescriptor.because("there is no such plane")),
    };
    if desc.image_type != cl::CL_MEM_OBJECT_IMAGE2D {
        return Err(Error::InvalidImageDescriptor.because("a plane is a 2D image"));
    }
    let types = [cl::CL_UNORM_INT8, cl::CL_UNSIGNED_INT8];
    if order != format || !types.contains(&data_type) {
        return Err(Error::InvalidImageFormatDescriptor.because("the plane has other channels"));
    }
    Ok(Desc {
        width: image.width / divisor,
        height: image.height / divisor,
        depth: 0,
        row_pitch: image.layout.row_pitch,
        slice_pitch: 0,
        ..desc.clone()
    })
}

/// The texels of a plane, by its description: the second begins where the first ends.
pub(super) fn plane_rows(
    image: &ImageMem,
    rows: &Rows,
    layout: Layout,
    desc: ImageDesc,
    format: &'static ImageFormat,
) -> Texels {
    let Layout { slice_pitch, .. } = image.layout;
    let first = desc.extent[1] as usize == image.height;
    let offset = if first { 0 } else { slice_pitch };
    let (storage, offset) = (rows.storage.clone(), rows.offset + offset);
    Texels::Rows(Rows::new(storage, offset, vec![layout], desc, format))
}
