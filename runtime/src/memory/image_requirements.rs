//! clGetImageRequirementsInfoEXT (cl_ext_image_requirements_info): the limits and alignments of images that nobody has made
//! yet.

use opencl_sys as cl;
use pumice_vulkan_layer::ImageKind;

use crate::base::error::{Error, Result};
use crate::base::info::Info;
use crate::base::object::Ref;
use crate::context::Context;
use crate::device::format::{self, FORMATS, ImageFormat, TexelGroup};
use crate::memory::flags;
use crate::memory::image::kind;
use crate::memory::image_desc::Desc;

/// clGetImageRequirementsInfoEXT, after the properties.
///
/// # Errors
/// Those that cl_ext_image_requirements_info lists, in its order.
pub fn requirements(
    context: &Ref<Context>,
    flags: u64,
    format: Option<[u32; 2]>,
    desc: Option<&Desc>,
    name: u32,
) -> Result<Info> {
    // CL_INVALID_VALUE if flags are not valid.
    flags::check_flags(flags)?;
    let group = format.map(group_of).transpose()?;
    match name {
        cl::CL_IMAGE_REQUIREMENTS_BASE_ADDRESS_ALIGNMENT_EXT
        | cl::CL_IMAGE_REQUIREMENTS_ROW_PITCH_ALIGNMENT_EXT
        | cl::CL_IMAGE_REQUIREMENTS_SLICE_PITCH_ALIGNMENT_EXT => {
            if let Some(desc) = desc {
                desc.check_alone(group.unwrap_or(TexelGroup::of_single(1)))?;
            }
            // Rows are copied, whatever their pitches are.
            Ok(Info::size(
                group.map_or_else(largest_texel, |group| group.alignment),
            ))
        }
        cl::CL_IMAGE_REQUIREMENTS_SIZE_EXT => {
            // CL_INVALID_VALUE if format or desc is NULL.
            let (Some(group), Some(desc)) = (group, desc) else {
                return Err(Error::InvalidValue.because("image_format or image_desc is NULL"));
            };
            let kind = desc.check_alone(group)?;
            Ok(Info::size(desc.buffer_size(kind, desc.layout(kind, group))))
        }
        cl::CL_IMAGE_REQUIREMENTS_MAX_WIDTH_EXT
        | cl::CL_IMAGE_REQUIREMENTS_MAX_HEIGHT_EXT
        | cl::CL_IMAGE_REQUIREMENTS_MAX_DEPTH_EXT
        | cl::CL_IMAGE_REQUIREMENTS_MAX_ARRAY_SIZE_EXT => {
            let image_type = desc.map_or(0, |desc| desc.image_type);
            largest(context, image_type, name).map(Info::u32)
        }
        _ => Err(Error::InvalidValue),
    }
}

/// The groups of a format's texels: CL_INVALID_IMAGE_FORMAT_DESCRIPTOR if it is none.
fn group_of([order, data_type]: [u32; 2]) -> Result<TexelGroup> {
    if !format::is_valid(order, data_type) {
        return Err(Error::InvalidImageFormatDescriptor);
    }
    let format = format::find(order, data_type);
    Ok(format.map_or_else(
        || TexelGroup::of_single(largest_texel()),
        ImageFormat::group,
    ))
}

fn largest_texel() -> usize {
    let sizes = FORMATS.iter().map(ImageFormat::texel_size);
    sizes.max().unwrap_or(1)
}

/// The image types that a query is about.
fn types_of(name: u32) -> &'static [u32] {
    match name {
        cl::CL_IMAGE_REQUIREMENTS_MAX_WIDTH_EXT => &[
            cl::CL_MEM_OBJECT_IMAGE1D,
            cl::CL_MEM_OBJECT_IMAGE1D_BUFFER,
            cl::CL_MEM_OBJECT_IMAGE1D_ARRAY,
            cl::CL_MEM_OBJECT_IMAGE2D,
            cl::CL_MEM_OBJECT_IMAGE2D_ARRAY,
            cl::CL_MEM_OBJECT_IMAGE3D,
        ],
        cl::CL_IMAGE_REQUIREMENTS_MAX_HEIGHT_EXT => &[
            cl::CL_MEM_OBJECT_IMAGE2D,
            cl::CL_MEM_OBJECT_IMAGE2D_ARRAY,
            cl::CL_MEM_OBJECT_IMAGE3D,
        ],
        cl::CL_IMAGE_REQUIREMENTS_MAX_DEPTH_EXT => &[cl::CL_MEM_OBJECT_IMAGE3D],
        _ => &[
            cl::CL_MEM_OBJECT_IMAGE1D_ARRAY,
            cl::CL_MEM_OBJECT_IMAGE2D_ARRAY,
        ],
    }
}

/// The largest size of a dimension that some device has; of type 0, the least of all types.
fn largest(context: &Ref<Context>, image_type: u32, name: u32) -> Result<u32> {
    let types = types_of(name);
    // CL_INVALID_IMAGE_DESCRIPTOR if images of the type do not have the dimension.
    if image_type != 0 && !types.contains(&image_type) {
        return Err(Error::InvalidImageDescriptor);
    }
    let asked = types
        .iter()
        .filter(|&&ty| image_type == 0 || ty == image_type);
    let most = |ty: u32| {
        let devices = context.devices().iter();
        let limits = devices
            .filter(|device| device.has_images())
            .map(|device| &device.capabilities().limits);
        let most = limits.map(|limits| match (name, kind(ty)) {
            (cl::CL_IMAGE_REQUIREMENTS_MAX_ARRAY_SIZE_EXT, _) => limits.max_image_layers,
            (_, Some(ImageKind::D3)) => limits.max_image_3d,
            _ if ty == cl::CL_MEM_OBJECT_IMAGE1D_BUFFER => limits.max_texel_buffer_elements,
            (cl::CL_IMAGE_REQUIREMENTS_MAX_WIDTH_EXT, _) => {
                limits.max_image_2d.min(limits.max_image_1d)
            }
            _ => limits.max_image_2d,
        });
        most.max().unwrap_or(0)
    };
    Ok(asked.map(|&ty| most(ty)).min().unwrap_or(0))
}
