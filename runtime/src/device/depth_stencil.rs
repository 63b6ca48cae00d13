//! Formats of depths beside stencil values (cl_khr_gl_depth_images).

use opencl_sys as cl;
use pumice_vulkan_layer::{Format, IDENTITY};

use crate::device::format::{Class, ImageFormat, Packing};

/// CL_DEPTH_STENCIL (cl_khr_gl_depth_images).
pub const CL_DEPTH_STENCIL: u32 = 0x10BE;
/// CL_UNORM_INT24.
pub const CL_UNORM_INT24: u32 = 0x10DF;

/// A depth beside a stencil value, which kernels do not see: images are made of textures of OpenGL alone, and hold the depths
/// as floats.
const fn depth_stencil(data_type: u32) -> ImageFormat {
    ImageFormat {
        order: CL_DEPTH_STENCIL,
        data_type,
        vulkan: Format::R32Sfloat,
        class: Class::Float,
        components: IDENTITY,
        channels: &[(32, Some(0))],
        packing: Packing::Native,
    }
}

/// The formats of CL_DEPTH_STENCIL.
pub static DEPTH_STENCIL: [ImageFormat; 2] =
    [depth_stencil(CL_UNORM_INT24), depth_stencil(cl::CL_FLOAT)];
