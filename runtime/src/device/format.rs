//! The one list of image formats: OpenCL's channel order and data type, Vulkan's format, the order of
//! components in memory and the components that a kernel gets.

use opencl_sys as cl;
use pumice_vulkan_layer::quirks::{self, QuirkKind};
use pumice_vulkan_layer::{Capabilities, Component, Format, FormatFeatures, IDENTITY};

use crate::device::depth_stencil::{CL_DEPTH_STENCIL, CL_UNORM_INT24, DEPTH_STENCIL};

/// The numbers that channels hold, which decides how colours become bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// 0 to 1.
    Unorm,
    /// -1 to 1.
    Snorm,
    /// Signed integers.
    Sint,
    /// Unsigned integers.
    Uint,
    /// Floats of the channel's width.
    Float,
    /// 0 to 1 with sRGB's curve on red, green and blue.
    Srgb,
}

/// The places of channels in the application's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packing {
    /// As Vulkan's format has them.
    Native,
    /// 16 bits a channel, of which the highest so many are the number; the others mean nothing.
    High(u32),
    /// Texels of so many bits, in groups: the highest eight bits of each, then a byte with the others of all.
    Raw(u32),
    /// Two texels in four bytes: the places of the first luma (lowest digit) and of the shared U and V.
    Yuv(u32),
}

/// A format.
#[derive(Debug, PartialEq, Eq)]
pub struct ImageFormat {
    /// CL_R, …
    pub order: u32,
    /// CL_UNORM_INT8, …
    pub data_type: u32,
    /// Vulkan's format of the images that kernels use.
    pub vulkan: Format,
    /// The numbers that channels hold.
    pub class: Class,
    /// The places of channels in the application's memory. An image of another packing than Vulkan's is converted before
    /// and after each launch that uses it.
    pub packing: Packing,
    /// The component of Vulkan's format for each one that a kernel reads.
    pub components: [Component; 4],
    /// Bits of each channel from the lowest address or bit on, and which of red, green, blue and
    /// alpha it is; `None` for bits that mean nothing.
    pub channels: &'static [(u32, Option<usize>)],
}

use Component::{A as CA, B as CB, G as CG, One, R as CR, Zero};

const ARGB: [Component; 4] = [CG, CB, CA, CR];
const ABGR: [Component; 4] = [CA, CB, CG, CR];
const ALPHA: [Component; 4] = [Zero, Zero, Zero, CR];
const INTENSITY: [Component; 4] = [CR, CR, CR, CR];
const LUMINANCE: [Component; 4] = [CR, CR, CR, One];
const RED_ALPHA: [Component; 4] = [CR, Zero, Zero, CG];
const OPAQUE: [Component; 4] = [CR, CG, CB, One];

/// The order of channels in memory, all of one width.
macro_rules! channels {
    ($bits:literal: $($which:literal)*) => { &[$(($bits, Some($which)),)*] };
}

macro_rules! formats {
    ($($order:ident $components:ident: {
        $($data_type:ident $format:ident $class:ident $bits:literal $which:tt $($packing:ident $of:literal)?,)*
    })*) => {
        /// Every format.
        pub const FORMATS: &[ImageFormat] = &[$($(ImageFormat {
            order: cl::$order,
            data_type: cl::$data_type,
            vulkan: Format::$format,
            class: Class::$class,
            packing: formats!(@packing $($packing $of)?),
            components: $components,
            channels: formats!(@channels $bits $which),
        },)*)*];
    };
    (@channels $bits:literal [$($which:literal)*]) => { channels!($bits: $($which)*) };
    (@channels $bits:literal $packed:ident) => { $packed };
    (@packing) => { Packing::Native };
    (@packing $packing:ident $of:literal) => { Packing::$packing($of) };
}

/// Packed formats, from the lowest bit on.
const P565: &[(u32, Option<usize>)] = &[(5, Some(2)), (6, Some(1)), (5, Some(0))];
const P555: &[(u32, Option<usize>)] = &[(5, Some(2)), (5, Some(1)), (5, Some(0)), (1, None)];
const P2101010: &[(u32, Option<usize>)] =
    &[(10, Some(0)), (10, Some(1)), (10, Some(2)), (2, Some(3))];
const P101010: &[(u32, Option<usize>)] = &[(10, Some(2)), (10, Some(1)), (10, Some(0)), (2, None)];

formats! {
    CL_R IDENTITY: {
        CL_UNORM_INT8 R8Unorm Unorm 8 [0],
        CL_UNORM_INT16 R16Unorm Unorm 16 [0],
        CL_SNORM_INT8 R8Snorm Snorm 8 [0],
        CL_SNORM_INT16 R16Snorm Snorm 16 [0],
        CL_SIGNED_INT8 R8Sint Sint 8 [0],
        CL_SIGNED_INT16 R16Sint Sint 16 [0],
        CL_SIGNED_INT32 R32Sint Sint 32 [0],
        CL_UNSIGNED_INT8 R8Uint Uint 8 [0],
        CL_UNSIGNED_INT16 R16Uint Uint 16 [0],
        CL_UNSIGNED_INT32 R32Uint Uint 32 [0],
        CL_HALF_FLOAT R16Sfloat Float 16 [0],
        CL_FLOAT R32Sfloat Float 32 [0],
        CL_UNORM_INT10X6_EXT R32Sfloat Unorm 16 [0] High 10,
        CL_UNSIGNED_INT10X6_EXT R32Uint Uint 16 [0] High 10,
        CL_UNORM_INT12X4_EXT R32Sfloat Unorm 16 [0] High 12,
        CL_UNSIGNED_INT12X4_EXT R32Uint Uint 16 [0] High 12,
        CL_UNORM_INT14X2_EXT R32Sfloat Unorm 16 [0] High 14,
        CL_UNSIGNED_INT14X2_EXT R32Uint Uint 16 [0] High 14,
        CL_UNSIGNED_INT_RAW10_EXT R32Uint Uint 16 [0] Raw 10,
        CL_UNSIGNED_INT_RAW12_EXT R32Uint Uint 16 [0] Raw 12,
    }
    CL_RG IDENTITY: {
        CL_UNORM_INT8 Rg8Unorm Unorm 8 [0 1],
        CL_UNORM_INT16 Rg16Unorm Unorm 16 [0 1],
        CL_SNORM_INT8 Rg8Snorm Snorm 8 [0 1],
        CL_SNORM_INT16 Rg16Snorm Snorm 16 [0 1],
        CL_SIGNED_INT8 Rg8Sint Sint 8 [0 1],
        CL_SIGNED_INT16 Rg16Sint Sint 16 [0 1],
        CL_SIGNED_INT32 Rg32Sint Sint 32 [0 1],
        CL_UNSIGNED_INT8 Rg8Uint Uint 8 [0 1],
        CL_UNSIGNED_INT16 Rg16Uint Uint 16 [0 1],
        CL_UNSIGNED_INT32 Rg32Uint Uint 32 [0 1],
        CL_HALF_FLOAT Rg16Sfloat Float 16 [0 1],
        CL_FLOAT Rg32Sfloat Float 32 [0 1],
        CL_UNORM_INT10X6_EXT Rg32Sfloat Unorm 16 [0 1] High 10,
        CL_UNSIGNED_INT10X6_EXT Rg32Uint Uint 16 [0 1] High 10,
        CL_UNORM_INT12X4_EXT Rg32Sfloat Unorm 16 [0 1] High 12,
        CL_UNSIGNED_INT12X4_EXT Rg32Uint Uint 16 [0 1] High 12,
        CL_UNORM_INT14X2_EXT Rg32Sfloat Unorm 16 [0 1] High 14,
        CL_UNSIGNED_INT14X2_EXT Rg32Uint Uint 16 [0 1] High 14,
    }
    CL_RGBA IDENTITY: {
        CL_UNORM_INT8 Rgba8Unorm Unorm 8 [0 1 2 3],
        CL_UNORM_INT16 Rgba16Unorm Unorm 16 [0 1 2 3],
        CL_SNORM_INT8 Rgba8Snorm Snorm 8 [0 1 2 3],
        CL_SNORM_INT16 Rgba16Snorm Snorm 16 [0 1 2 3],
        CL_SIGNED_INT8 Rgba8Sint Sint 8 [0 1 2 3],
        CL_SIGNED_INT16 Rgba16Sint Sint 16 [0 1 2 3],
        CL_SIGNED_INT32 Rgba32Sint Sint 32 [0 1 2 3],
        CL_UNSIGNED_INT8 Rgba8Uint Uint 8 [0 1 2 3],
        CL_UNSIGNED_INT16 Rgba16Uint Uint 16 [0 1 2 3],
        CL_UNSIGNED_INT32 Rgba32Uint Uint 32 [0 1 2 3],
        CL_HALF_FLOAT Rgba16Sfloat Float 16 [0 1 2 3],
        CL_FLOAT Rgba32Sfloat Float 32 [0 1 2 3],
        CL_UNORM_INT10X6_EXT Rgba32Sfloat Unorm 16 [0 1 2 3] High 10,
        CL_UNSIGNED_INT10X6_EXT Rgba32Uint Uint 16 [0 1 2 3] High 10,
        CL_UNORM_INT12X4_EXT Rgba32Sfloat Unorm 16 [0 1 2 3] High 12,
        CL_UNSIGNED_INT12X4_EXT Rgba32Uint Uint 16 [0 1 2 3] High 12,
        CL_UNORM_INT14X2_EXT Rgba32Sfloat Unorm 16 [0 1 2 3] High 14,
        CL_UNSIGNED_INT14X2_EXT Rgba32Uint Uint 16 [0 1 2 3] High 14,
    }
    CL_BGRA IDENTITY: {
        CL_UNORM_INT8 Bgra8Unorm Unorm 8 [2 1 0 3],
        CL_SNORM_INT8 Bgra8Snorm Snorm 8 [2 1 0 3],
        CL_SIGNED_INT8 Bgra8Sint Sint 8 [2 1 0 3],
        CL_UNSIGNED_INT8 Bgra8Uint Uint 8 [2 1 0 3],
    }
    CL_ARGB ARGB: {
        CL_UNORM_INT8 Rgba8Unorm Unorm 8 [3 0 1 2],
        CL_SNORM_INT8 Rgba8Snorm Snorm 8 [3 0 1 2],
        CL_SIGNED_INT8 Rgba8Sint Sint 8 [3 0 1 2],
        CL_UNSIGNED_INT8 Rgba8Uint Uint 8 [3 0 1 2],
    }
    CL_ABGR ABGR: {
        CL_UNORM_INT8 Rgba8Unorm Unorm 8 [3 2 1 0],
        CL_SNORM_INT8 Rgba8Snorm Snorm 8 [3 2 1 0],
        CL_SIGNED_INT8 Rgba8Sint Sint 8 [3 2 1 0],
        CL_UNSIGNED_INT8 Rgba8Uint Uint 8 [3 2 1 0],
    }
    // Packed from alpha in the highest bits down, as Vulkan has it.
    CL_ABGR IDENTITY: {
        CL_UNORM_INT_2_101010_EXT A2b10g10r10Unorm Unorm 0 P2101010,
    }
    CL_A ALPHA: {
        CL_UNORM_INT8 R8Unorm Unorm 8 [3],
        CL_UNORM_INT16 R16Unorm Unorm 16 [3],
        CL_SNORM_INT8 R8Snorm Snorm 8 [3],
        CL_SNORM_INT16 R16Snorm Snorm 16 [3],
        CL_HALF_FLOAT R16Sfloat Float 16 [3],
        CL_FLOAT R32Sfloat Float 32 [3],
    }
    CL_RA RED_ALPHA: {
        CL_UNORM_INT8 Rg8Unorm Unorm 8 [0 3],
        CL_UNORM_INT16 Rg16Unorm Unorm 16 [0 3],
        CL_SNORM_INT8 Rg8Snorm Snorm 8 [0 3],
        CL_SNORM_INT16 Rg16Snorm Snorm 16 [0 3],
        CL_HALF_FLOAT Rg16Sfloat Float 16 [0 3],
        CL_FLOAT Rg32Sfloat Float 32 [0 3],
    }
    CL_INTENSITY INTENSITY: {
        CL_UNORM_INT8 R8Unorm Unorm 8 [0],
        CL_UNORM_INT16 R16Unorm Unorm 16 [0],
        CL_SNORM_INT8 R8Snorm Snorm 8 [0],
        CL_SNORM_INT16 R16Snorm Snorm 16 [0],
        CL_HALF_FLOAT R16Sfloat Float 16 [0],
        CL_FLOAT R32Sfloat Float 32 [0],
    }
    CL_LUMINANCE LUMINANCE: {
        CL_UNORM_INT8 R8Unorm Unorm 8 [0],
        CL_UNORM_INT16 R16Unorm Unorm 16 [0],
        CL_SNORM_INT8 R8Snorm Snorm 8 [0],
        CL_SNORM_INT16 R16Snorm Snorm 16 [0],
        CL_HALF_FLOAT R16Sfloat Float 16 [0],
        CL_FLOAT R32Sfloat Float 32 [0],
    }
    CL_DEPTH IDENTITY: {
        CL_UNORM_INT16 R16Unorm Unorm 16 [0],
        CL_FLOAT R32Sfloat Float 32 [0],
    }
    CL_sRGBA IDENTITY: {
        CL_UNORM_INT8 Rgba8Srgb Srgb 8 [0 1 2 3],
    }
    CL_sBGRA IDENTITY: {
        CL_UNORM_INT8 Bgra8Srgb Srgb 8 [2 1 0 3],
    }
    CL_RGB OPAQUE: {
        CL_UNORM_SHORT_565 R5g6b5Unorm Unorm 0 P565,
        CL_UNORM_SHORT_555 A1r5g5b5Unorm Unorm 0 P555,
        CL_UNORM_INT_101010 A2r10g10b10Unorm Unorm 0 P101010,
    }
    // Kernels get V, Y, U and 1.
    CL_YUYV_INTEL IDENTITY: {
        CL_UNORM_INT8 Rgba8Unorm Unorm 8 [1 2] Yuv 0x310,
    }
    CL_UYVY_INTEL IDENTITY: {
        CL_UNORM_INT8 Rgba8Unorm Unorm 8 [2 1] Yuv 0x201,
    }
    CL_YVYU_INTEL IDENTITY: {
        CL_UNORM_INT8 Rgba8Unorm Unorm 8 [1 0] Yuv 0x130,
    }
    CL_VYUY_INTEL IDENTITY: {
        CL_UNORM_INT8 Rgba8Unorm Unorm 8 [0 1] Yuv 0x021,
    }
}

/// CL_MEM_NO_ACCESS_INTEL.
pub const NO_ACCESS: u64 = cl::CL_MEM_NO_ACCESS_INTEL as u64;
/// Widths and heights of CL_NV12_INTEL are multiples of it.
pub const NV12_STEP: usize = 4;

/// CL_DEVICE_PLANAR_YUV_MAX_WIDTH_INTEL or CL_DEVICE_PLANAR_YUV_MAX_HEIGHT_INTEL, of the size of 2D images.
pub fn planar_size(most: u32) -> usize {
    most as usize / NV12_STEP * NV12_STEP
}

/// CL_NV12_INTEL: bytes of luma, and behind them pairs of chroma for two by two of them. No kernel reads it: its
/// planes are images.
pub const NV12: ImageFormat = ImageFormat {
    order: cl::CL_NV12_INTEL,
    data_type: cl::CL_UNORM_INT8,
    vulkan: Format::R8Unorm,
    class: Class::Unorm,
    packing: Packing::Native,
    components: IDENTITY,
    channels: &[(8, Some(0))],
};

/// The uses that an image is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageUses {
    /// Kernels read it.
    pub read: bool,
    /// Kernels write it.
    pub write: bool,
    /// A kernel does both.
    pub both: bool,
}

impl ImageUses {
    /// Of `cl_mem_flags`: without any, kernels read and write.
    pub fn of_flags(flags: u64) -> Self {
        let has = |bit: u64| flags & bit != 0;
        let both = has(cl::CL_MEM_KERNEL_READ_AND_WRITE);
        let read_only = has(cl::CL_MEM_READ_ONLY | cl::CL_MEM_IMMUTABLE_EXT);
        // What no kernel uses is to be an image all the same.
        let read_only = read_only || has(NO_ACCESS);
        let write_only = has(cl::CL_MEM_WRITE_ONLY);
        Self {
            read: both || !write_only,
            write: both || !read_only,
            both,
        }
    }
}

impl ImageFormat {
    /// Tells whether a device has images of this format and type for the uses.
    pub fn suits(&self, caps: &Capabilities, image_type: u32, uses: ImageUses) -> bool {
        let plain = self.components == IDENTITY;
        let planes = matches!(
            image_type,
            cl::CL_MEM_OBJECT_IMAGE2D | cl::CL_MEM_OBJECT_IMAGE2D_ARRAY
        );
        let depth = matches!(self.order, cl::CL_DEPTH | CL_DEPTH_STENCIL);
        let small = matches!(
            self.data_type,
            cl::CL_UNORM_SHORT_565 | cl::CL_UNORM_SHORT_555
        );
        if depth && !planes || small && quirks::has(&caps.driver, QuirkKind::NoSmallChannels) {
            return false;
        }
        if self.packing != Packing::Native {
            // What a kernel writes is rounded when it ends: it cannot read it before. Packed YUV is for reading (its
            // extension), in planes, as RAW images are.
            let whole = matches!(self.packing, Packing::High(_));
            let has_type = match whole {
                true => image_type != cl::CL_MEM_OBJECT_IMAGE1D_BUFFER,
                false => image_type == cl::CL_MEM_OBJECT_IMAGE2D,
            };
            let writes = uses.write && matches!(self.packing, Packing::Yuv(_));
            if !has_type || writes || uses.both {
                return false;
            }
        }
        if image_type == cl::CL_MEM_OBJECT_IMAGE1D_BUFFER {
            // Buffers are made for both kinds of texel buffers, whatever the kernels do.
            let features = caps.format(self.of_texel_buffers(caps));
            let both = !uses.both || features.storage_texel_read;
            return plain
                && self.class != Class::Srgb
                && features.uniform_texel
                && features.storage_texel_write
                && both;
        }
        let features = caps.format(self.vulkan);
        let stored = caps.format(self.stored());
        // What a kernel reads from a storage image is not decoded.
        let both = plain && self.class != Class::Srgb;
        (!uses.read || self.sampled(&features))
            && (!uses.write || self.keeps_places() && stored.storage_write)
            && (!uses.both || both && stored.storage_read)
    }

    /// Tells whether what a kernel writes needs no other places in the pixel: its red is the one channel of an
    /// intensity or a luminance.
    pub fn keeps_places(&self) -> bool {
        matches!(self.components, IDENTITY | INTENSITY | LUMINANCE)
    }

    /// Vulkan's format of image buffers: integers where a device has no uniform texel buffers of RGBA in
    /// 16-bit UNORM, as kernels for it expect (`Target::unorm16_texel_buffers`).
    pub fn of_texel_buffers(&self, caps: &Capabilities) -> Format {
        match self.vulkan {
            Format::Rgba16Unorm if !caps.format(Format::Rgba16Unorm).uniform_texel => {
                Format::Rgba16Uint
            }
            format => format,
        }
    }

    /// Vulkan's format of storage images: that of the numbers that channels hold, which kernels write where they are of
    /// sRGB.
    pub fn stored(&self) -> Format {
        match self.vulkan {
            Format::Rgba8Srgb => Format::Rgba8Unorm,
            Format::Bgra8Srgb => Format::Bgra8Unorm,
            format => format,
        }
    }

    /// OpenCL filters whatever is no integer.
    fn sampled(&self, features: &FormatFeatures) -> bool {
        let integer = matches!(self.class, Class::Sint | Class::Uint);
        features.sampled && (integer || features.linear_filter)
    }

    /// CL_IMAGE_ELEMENT_SIZE.
    pub fn element_size(&self) -> usize {
        match (self.order, self.data_type) {
            (CL_DEPTH_STENCIL, cl::CL_FLOAT) => 8,
            _ => self.texel_size(),
        }
    }

    /// Bytes of a texel. Those of RAW images, which lie closer, count as their numbers do in
    /// memory of the application's.
    pub fn texel_size(&self) -> usize {
        let bits: u32 = self.channels.iter().map(|(bits, _)| bits).sum();
        bits as usize / 8
    }

    /// The least texels that whole bytes hold.
    pub fn group(&self) -> TexelGroup {
        let (texels, bytes) = match self.packing {
            Packing::Native | Packing::High(_) => (1, self.texel_size()),
            Packing::Raw(10) => (4, 5),
            Packing::Raw(_) => (2, 3),
            Packing::Yuv(_) => (2, 4),
        };
        // Of RAW images the rows begin anywhere.
        let alignment = match self.packing {
            Packing::Raw(_) => 1,
            _ => self.texel_size(),
        };
        TexelGroup {
            texels,
            bytes,
            alignment,
        }
    }
}

/// Texels that lie in whole bytes together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TexelGroup {
    /// Their number: widths and origins are multiples of it.
    pub texels: usize,
    /// Their bytes.
    pub bytes: usize,
    /// Bytes that pitches and first bytes are multiples of.
    pub alignment: usize,
}

impl TexelGroup {
    /// Texels that have bytes of their own.
    pub fn of_single(bytes: usize) -> Self {
        Self {
            texels: 1,
            bytes,
            alignment: bytes,
        }
    }

    /// Bytes of so many texels of a row; `None` on overflow.
    pub fn row(self, texels: usize) -> Option<usize> {
        texels.div_ceil(self.texels).checked_mul(self.bytes)
    }

    /// Bytes of so many texels of a row, of an image that there is.
    pub fn bytes(self, texels: usize) -> usize {
        texels / self.texels * self.bytes
    }
}

/// The format of an order and a data type.
pub fn find(order: u32, data_type: u32) -> Option<&'static ImageFormat> {
    let is = |format: &&ImageFormat| format.order == order && format.data_type == data_type;
    FORMATS.iter().chain(&DEPTH_STENCIL).find(is)
}

/// Tells whether the specification knows the combination, supported or not (section 5.3.1.1).
pub fn is_valid(order: u32, data_type: u32) -> bool {
    let any = (cl::CL_SNORM_INT8..=cl::CL_FLOAT).contains(&data_type);
    let packed = matches!(
        data_type,
        cl::CL_UNORM_SHORT_565 | cl::CL_UNORM_SHORT_555 | cl::CL_UNORM_INT_101010
    );
    let floating =
        any && !packed && !(cl::CL_SIGNED_INT8..=cl::CL_UNSIGNED_INT32).contains(&data_type);
    let bytes = matches!(
        data_type,
        cl::CL_UNORM_INT8 | cl::CL_SNORM_INT8 | cl::CL_SIGNED_INT8 | cl::CL_UNSIGNED_INT8
    );
    let high = matches!(
        data_type,
        cl::CL_UNORM_INT10X6_EXT
            | cl::CL_UNORM_INT12X4_EXT
            | cl::CL_UNORM_INT14X2_EXT
            | cl::CL_UNSIGNED_INT10X6_EXT
            | cl::CL_UNSIGNED_INT12X4_EXT
            | cl::CL_UNSIGNED_INT14X2_EXT
    );
    let raw = matches!(
        data_type,
        cl::CL_UNSIGNED_INT_RAW10_EXT | cl::CL_UNSIGNED_INT_RAW12_EXT
    );
    match order {
        cl::CL_R if raw => true,
        cl::CL_R | cl::CL_RG | cl::CL_RGBA if high => true,
        cl::CL_YUYV_INTEL | cl::CL_UYVY_INTEL | cl::CL_YVYU_INTEL | cl::CL_VYUY_INTEL => {
            data_type == cl::CL_UNORM_INT8
        }
        cl::CL_R | cl::CL_Rx | cl::CL_A | cl::CL_RG | cl::CL_RGx | cl::CL_RA => any && !packed,
        cl::CL_RGBA => any && !packed || data_type == cl::CL_UNORM_INT_101010_2,
        cl::CL_NV12_INTEL => data_type == cl::CL_UNORM_INT8,
        cl::CL_INTENSITY | cl::CL_LUMINANCE => floating,
        cl::CL_DEPTH => matches!(data_type, cl::CL_UNORM_INT16 | cl::CL_FLOAT),
        CL_DEPTH_STENCIL => matches!(data_type, CL_UNORM_INT24 | cl::CL_FLOAT),
        cl::CL_RGB | cl::CL_RGBx => packed,
        cl::CL_ABGR => bytes || data_type == cl::CL_UNORM_INT_2_101010_EXT,
        cl::CL_ARGB | cl::CL_BGRA => bytes,
        cl::CL_sRGB | cl::CL_sRGBx | cl::CL_sRGBA | cl::CL_sBGRA => data_type == cl::CL_UNORM_INT8,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::{FORMATS, ImageFormat, Packing, find, is_valid};

    #[test]
    fn rows_are_valid_and_unique() {
        for format in FORMATS {
            assert!(is_valid(format.order, format.data_type), "{format:?}");
            let bits: u32 = format.channels.iter().map(|(bits, _)| bits).sum();
            assert_eq!(bits as usize, format.texel_size() * 8, "{format:?}");
            if format.packing == Packing::Native {
                assert_eq!(format.vulkan.texel_size(), format.texel_size());
            }
            let found = find(format.order, format.data_type);
            assert!(
                found.is_some_and(|found: &ImageFormat| found == format),
                "{format:?}"
            );
        }
    }
}
