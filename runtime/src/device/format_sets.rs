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

/// A profile of OpenCL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// The one that applications expect (OpenCL 3.0 API §4.2).
    Full,
    /// Smaller images, and fewer in a kernel (OpenCL 3.0 API §7).
    Embedded,
}

impl Profile {
    /// CL_DEVICE_PROFILE and CL_PLATFORM_PROFILE.
    pub fn name(self) -> &'static str {
        match self {
            Self::Full => "FULL_PROFILE",
            Self::Embedded => "EMBEDDED_PROFILE",
        }
    }
}

/// The least sizes and numbers of images.
struct Least {
    width: u32,
    layers: u32,
    texels: u32,
    read: u32,
    written: u32,
    samplers: u32,
}

/// Tells whether a device has what a profile asks of one with images: the formats of version 1.2 for all types of images,
/// and the sizes.
pub fn suffice(caps: &Capabilities, profile: Profile) -> bool {
    use cl::{CL_MEM_OBJECT_IMAGE1D_BUFFER as BUFFER, CL_MEM_OBJECT_IMAGE2D as PLANE};
    let uses = ImageUses {
        read: true,
        write: true,
        both: false,
    };
    let wanted = |format: &&ImageFormat| match format.order {
        _ if format.packing != Packing::Native => false,
        cl::CL_RGBA => !matches!(format.class, Class::Snorm),
        cl::CL_BGRA => profile == Profile::Full && format.class == Class::Unorm,
        _ => false,
    };
    let least = match profile {
        Profile::Full => Least {
            width: 16384,
            layers: 2048,
            texels: 65536,
            read: 128,
            written: 64,
            samplers: 16,
        },
        Profile::Embedded => Least {
            width: 2048,
            layers: 256,
            texels: 2048,
            read: 8,
            written: 8,
            samplers: 8,
        },
    };
    let limits = &caps.limits;
    let mut wanted = FORMATS.iter().filter(wanted);
    limits.max_image_1d >= least.width
        && limits.max_image_2d >= least.width
        && limits.max_image_3d >= 2048
        && limits.max_image_layers >= least.layers
        && limits.max_texel_buffer_elements >= least.texels
        && limits.max_sampled_images >= least.read
        && limits.max_storage_images >= least.written
        && limits.max_samplers >= least.samplers
        && wanted.all(|format| {
            let buffer = format.order == cl::CL_BGRA || format.suits(caps, BUFFER, uses);
            format.suits(caps, PLANE, uses) && buffer
        })
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
