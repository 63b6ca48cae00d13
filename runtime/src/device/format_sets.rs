//! The sets of image formats on which extensions and features of devices depend.

use opencl_sys as cl;
use pumice_vulkan_layer::Capabilities;

use crate::device::format::{Class, FORMATS, ImageFormat, ImageUses, Packing, find};

/// Tells whether kernels can read all planes of these formats.
fn reads_all(caps: &Capabilities, wanted: impl Fn(&ImageFormat) -> bool) -> bool {
    let read = ImageUses {
        read: true,
        write: false,
        both: false,
    };
    let mut wanted = FORMATS.iter().filter(|format| wanted(format));
    wanted.all(|format| format.suits(caps, cl::CL_MEM_OBJECT_IMAGE2D, read))
}

/// Tells whether kernels can read images of ten bits a colour and two of alpha.
pub fn has_2_101010(caps: &Capabilities) -> bool {
    reads_all(caps, |format| {
        format.data_type == cl::CL_UNORM_INT_2_101010_EXT
    })
}

/// Tells whether kernels can read images whose channels are the highest bits of 16.
pub fn has_high_bits(caps: &Capabilities) -> bool {
    reads_all(caps, |format| matches!(format.packing, Packing::High(_)))
}

/// Tells whether kernels can read RAW images.
pub fn has_raw(caps: &Capabilities) -> bool {
    reads_all(caps, |format| matches!(format.packing, Packing::Raw(_)))
}

/// Tells whether kernels can read packed YUV.
pub fn has_packed_yuv(caps: &Capabilities) -> bool {
    reads_all(caps, |format| matches!(format.packing, Packing::Yuv(_)))
}

/// Tells whether kernels can write images of sRGB.
pub fn has_srgb_writes(caps: &Capabilities) -> bool {
    let write = ImageUses {
        read: false,
        write: true,
        both: false,
    };
    let format = find(cl::CL_sRGBA, cl::CL_UNORM_INT8);
    format.is_some_and(|format| format.suits(caps, cl::CL_MEM_OBJECT_IMAGE2D, write))
}

/// Tells whether a device has what OpenCL asks of one with images: the formats of version 1.2 for all
/// types of images, and its sizes.
pub fn minimum(caps: &Capabilities) -> bool {
    use cl::{CL_MEM_OBJECT_IMAGE1D_BUFFER as BUFFER, CL_MEM_OBJECT_IMAGE2D as PLANE};
    let uses = ImageUses {
        read: true,
        write: true,
        both: false,
    };
    let wanted = |format: &&ImageFormat| match format.order {
        _ if format.packing != Packing::Native => false,
        cl::CL_RGBA => !matches!(format.class, Class::Snorm),
        cl::CL_BGRA => format.class == Class::Unorm,
        _ => false,
    };
    let limits = &caps.limits;
    let mut wanted = FORMATS.iter().filter(wanted);
    wanted.all(|format| {
        let buffer = format.order == cl::CL_BGRA || format.suits(caps, BUFFER, uses);
        format.suits(caps, PLANE, uses) && buffer
    }) && limits.max_image_1d >= 16384
        && limits.max_image_2d >= 16384
        && limits.max_image_3d >= 2048
        && limits.max_image_layers >= 2048
        && limits.max_texel_buffer_elements >= 65536
        && limits.max_sampled_images >= 128
        && limits.max_storage_images >= 64
        && limits.max_samplers >= 16
}

/// Tells whether a kernel can both read and write images of the formats that OpenCL asks for then (section 5.3.1.1).
pub fn read_and_written(caps: &Capabilities) -> bool {
    let uses = ImageUses {
        read: true,
        write: true,
        both: true,
    };
    let wanted = |format: &&ImageFormat| {
        let channels = matches!(format.order, cl::CL_R | cl::CL_RGBA);
        let normalized = [cl::CL_UNORM_INT16, cl::CL_SNORM_INT8, cl::CL_SNORM_INT16];
        channels && format.packing == Packing::Native && !normalized.contains(&format.data_type)
    };
    let mut wanted = FORMATS.iter().filter(wanted);
    wanted.all(|format| format.suits(caps, cl::CL_MEM_OBJECT_IMAGE2D, uses))
}
