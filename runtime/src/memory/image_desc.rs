//! `cl_image_desc`: sizes and pitches, what is wrong with them, and where the texels of such an image lie.

use opencl_sys as cl;
use pumice_reflection::MAX_LEVELS;
use pumice_vulkan_layer::{ImageDesc, ImageKind};

use crate::base::error::{Error, Result};
use crate::base::object::Ref;
use crate::base::region::Layout;
use crate::device::Device;
use crate::device::format::{Class, ImageFormat, TexelGroup};
use crate::memory::buffer::Mem;
use crate::memory::image::{Texels, has_height, kind};
use crate::memory::image_rows::Rows;
use crate::memory::planar;

/// `cl_image_desc`, with the memory object resolved.
#[derive(Clone, Debug)]
pub struct Desc {
    /// CL_MEM_OBJECT_IMAGE*.
    pub image_type: u32,
    /// image_width.
    pub width: usize,
    /// image_height.
    pub height: usize,
    /// image_depth.
    pub depth: usize,
    /// image_array_size.
    pub array_size: usize,
    /// image_row_pitch.
    pub row_pitch: usize,
    /// image_slice_pitch.
    pub slice_pitch: usize,
    /// num_mip_levels.
    pub num_mip_levels: u32,
    /// num_samples.
    pub num_samples: u32,
    /// buffer or mem_object.
    pub mem_object: Option<Ref<Mem>>,
}

impl Desc {
    /// Checks sizes and pitches. `has_host` says whether host_ptr is not NULL.
    pub(super) fn check(&self, group: TexelGroup, has_host: bool) -> Result<ImageKind> {
        // CL_INVALID_IMAGE_DESCRIPTOR if a value of image_desc is not valid.
        let kind = kind(self.image_type).ok_or_else(|| {
            let reason = format!("image_type {:#x} is not known", self.image_type);
            Error::InvalidImageDescriptor.because(reason)
        })?;
        let arrays = matches!(kind, ImageKind::D1Array | ImageKind::D2Array);
        let planes = matches!(kind, ImageKind::D2 | ImageKind::D2Array | ImageKind::D3);
        let empty = self.width == 0
            || planes && self.height == 0
            || kind == ImageKind::D3 && self.depth == 0
            || arrays && self.array_size == 0;
        if empty || self.num_samples != 0 {
            return Err(Error::InvalidImageDescriptor.because(match empty {
                true => "a dimension of the image is 0",
                false => "only images of textures of OpenGL have samples",
            }));
        }
        let of_buffer = self.image_type == cl::CL_MEM_OBJECT_IMAGE1D_BUFFER;
        if self.width % group.texels != 0 || group.texels > 1 && self.num_mip_levels > 1 {
            let reason = format!(
                "texels lie in groups of {}: the width is a multiple, and there are no mip levels",
                group.texels
            );
            return Err(Error::InvalidImageDescriptor.because(reason));
        }
        if self.num_mip_levels > 1 {
            self.check_levels(kind, of_buffer)?;
        }
        let object = self.mem_object.as_ref();
        let shows_image = object.is_some_and(|object| object.image().is_some());
        let of_image = self.image_type == cl::CL_MEM_OBJECT_IMAGE2D;
        if of_buffer && object.is_none() || shows_image && !of_image {
            return Err(Error::InvalidImageDescriptor.because(match shows_image {
                true => "only a CL_MEM_OBJECT_IMAGE2D can be made of another image",
                false => "CL_MEM_OBJECT_IMAGE1D_BUFFER needs a buffer in mem_object",
            }));
        }
        // CL_INVALID_IMAGE_FORMAT_DESCRIPTOR if a pitch does not suit an image of a buffer.
        let wrong_pitch = match object.is_some() && !shows_image {
            true => Error::InvalidImageFormatDescriptor,
            false => Error::InvalidImageDescriptor,
        };
        // Pitches are for memory of the application's.
        let row = group.row(self.width).ok_or(Error::InvalidImageSize)?;
        if self.row_pitch != 0 {
            let right = self.row_pitch >= row && self.row_pitch % group.alignment == 0;
            if !right || !has_host && self.mem_object.is_none() {
                let reason = format!(
                    "row pitch {} does not suit {row} bytes a row",
                    self.row_pitch
                );
                return Err(wrong_pitch.because(reason));
            }
        }
        let rows = if planes { self.height } else { 1 };
        let row = row.max(self.row_pitch);
        let slice = row.checked_mul(rows).ok_or(Error::InvalidImageSize)?;
        if self.slice_pitch != 0 && (arrays || kind == ImageKind::D3) {
            let right = self.slice_pitch >= slice && self.slice_pitch % row == 0;
            if !right || !has_host && self.mem_object.is_none() {
                return Err(wrong_pitch.because("the slice pitch does not suit the rows"));
            }
        }
        Ok(kind)
    }

    /// Checks the number of mip levels.
    fn check_levels(&self, kind: ImageKind, of_buffer: bool) -> Result<()> {
        let of_rows = (self.mem_object.as_ref()).is_some_and(|object| object.image().is_none());
        let invalid = |reason: &str| Err(Error::InvalidImageDescriptor.because(reason));
        if of_buffer || of_rows {
            return invalid("an image of a buffer has no mip levels");
        }
        let height = if has_height(kind) { self.height } else { 1 };
        let depth = if kind == ImageKind::D3 { self.depth } else { 1 };
        let most = self.width.max(height).max(depth).ilog2() + 1;
        if self.num_mip_levels > most.min(MAX_LEVELS) {
            return invalid("there are more mip levels than the image's sizes can be halved");
        }
        Ok(())
    }

    /// Checks sizes and pitches of an image of any memory.
    pub(super) fn check_alone(&self, group: TexelGroup) -> Result<ImageKind> {
        let buffer = cl::CL_MEM_OBJECT_IMAGE1D_BUFFER;
        let image_type = match self.image_type {
            // The buffer does not matter.
            ty if ty == buffer => cl::CL_MEM_OBJECT_IMAGE1D,
            ty => ty,
        };
        let alone = Desc {
            image_type,
            mem_object: None,
            ..self.clone()
        };
        alone.check(group, true)
    }

    /// Tells whether a device has images of these sizes.
    pub(super) fn fits(&self, device: &Device, kind: ImageKind) -> bool {
        let limits = &device.capabilities().limits;
        let most = match kind {
            ImageKind::D1 | ImageKind::D1Array => limits.max_image_1d.min(limits.max_image_2d),
            ImageKind::D2 | ImageKind::D2Array => limits.max_image_2d,
            ImageKind::D3 => limits.max_image_3d,
        };
        let within = |size: usize, most: u32| size as u64 <= u64::from(most);
        if self.image_type == cl::CL_MEM_OBJECT_IMAGE1D_BUFFER {
            return within(self.width, limits.max_texel_buffer_elements);
        }
        let (arrays, planes) = match kind {
            ImageKind::D1 => (false, false),
            ImageKind::D1Array => (true, false),
            ImageKind::D2Array => (true, true),
            ImageKind::D2 | ImageKind::D3 => (false, true),
        };
        within(self.width, most)
            && (!planes || within(self.height, most))
            && (kind != ImageKind::D3 || within(self.depth, most))
            && (!arrays || within(self.array_size, limits.max_image_layers))
    }

    /// The description for Vulkan.
    pub(super) fn vulkan(&self, kind: ImageKind, format: &ImageFormat) -> ImageDesc {
        // All are within the device's limits.
        let [width, height, depth] = [self.width, self.height, self.depth].map(|n| n as u32);
        let (extent, layers) = match kind {
            ImageKind::D1 => ([width, 1, 1], 1),
            ImageKind::D1Array => ([width, 1, 1], self.array_size as u32),
            ImageKind::D2 => ([width, height, 1], 1),
            ImageKind::D2Array => ([width, height, 1], self.array_size as u32),
            ImageKind::D3 => ([width, height, depth], 1),
        };
        ImageDesc {
            kind,
            format: format.vulkan,
            extent,
            layers,
            levels: self.num_mip_levels.max(1),
            // 2D images can be made of others that differ in sRGB only, and kernels see the bits of small pixels.
            // Images of sRGB are written as others.
            reinterpreted: kind == ImageKind::D2 && format.vulkan.texel_size() <= 4
                || format.class == Class::Srgb,
        }
    }

    /// The pitches of the application's memory, or those that a map gives.
    pub(super) fn layout(&self, kind: ImageKind, group: TexelGroup) -> Layout {
        let row_pitch = self.row_pitch.max(group.bytes(self.width));
        let rows = match kind {
            ImageKind::D1 | ImageKind::D1Array => 1,
            ImageKind::D2 | ImageKind::D2Array | ImageKind::D3 => self.height,
        };
        Layout {
            offset: 0,
            row_pitch,
            slice_pitch: self.slice_pitch.max(row_pitch * rows),
        }
    }

    /// The description of the layers that the samples of an image are.
    pub(super) fn samples_as_layers(self) -> Self {
        Self {
            image_type: cl::CL_MEM_OBJECT_IMAGE2D_ARRAY,
            array_size: self.array_size.max(1) * self.num_samples as usize,
            num_samples: 0,
            ..self
        }
    }

    /// Bytes of the host's view, up to the end of the last row.
    pub(super) fn host_size(&self, kind: ImageKind, layout: Layout) -> usize {
        let rows = if has_height(kind) { self.height } else { 1 };
        let slices = match kind {
            ImageKind::D1 | ImageKind::D2 => 1,
            ImageKind::D1Array | ImageKind::D2Array => self.array_size,
            ImageKind::D3 => self.depth,
        };
        let slices = layout.slice_pitch.saturating_mul(slices - 1);
        slices.saturating_add(layout.row_pitch.saturating_mul(rows))
    }

    /// Bytes of a buffer that the image's texels are in, whole slices.
    pub(super) fn buffer_size(&self, kind: ImageKind, layout: Layout) -> usize {
        match kind {
            ImageKind::D1 | ImageKind::D2 => self.host_size(kind, layout),
            ImageKind::D1Array | ImageKind::D2Array => {
                layout.slice_pitch.saturating_mul(self.array_size)
            }
            ImageKind::D3 => layout.slice_pitch.saturating_mul(self.depth),
        }
    }

    /// The texels of an image that shows a buffer.
    fn of_buffer(
        &self,
        buffer: &Ref<Mem>,
        kind: ImageKind,
        format: &'static ImageFormat,
    ) -> Result<Texels> {
        let (storage, offset) = (buffer.storage()?.clone(), buffer.origin());
        let alignment = format.group().alignment;
        let layout = self.layout(kind, format.group());
        let needed = self.buffer_size(kind, layout);
        // CL_INVALID_IMAGE_SIZE if the buffer is too small.
        if needed > buffer.size() {
            let reason = format!(
                "the buffer has {} bytes, {needed} are needed",
                buffer.size()
            );
            return Err(Error::InvalidImageSize.because(reason));
        }
        // CL_INVALID_IMAGE_FORMAT_DESCRIPTOR if the memory's address does not suit.
        if buffer.host_address() % alignment != 0 || offset % alignment != 0 {
            let reason = format!("the buffer does not begin on a multiple of {alignment} bytes");
            return Err(Error::InvalidImageFormatDescriptor.because(reason));
        }
        Ok(match self.image_type {
            cl::CL_MEM_OBJECT_IMAGE1D_BUFFER => Texels::Buffer { storage, offset },
            _ => {
                let vulkan = self.vulkan(kind, format);
                Texels::Rows(Rows::new(storage, offset, vec![layout], vulkan, format))
            }
        })
    }

    /// The texels of an image that shows another memory object.
    pub(super) fn of_object(
        &self,
        object: &Ref<Mem>,
        kind: ImageKind,
        format: &'static ImageFormat,
    ) -> Result<Texels> {
        let Some(other) = object.image() else {
            return self.of_buffer(object, kind, format);
        };
        if let (true, Texels::Rows(rows)) = (planar::is_planar(other), &other.texels) {
            let layout = self.layout(kind, format.group());
            let vulkan = self.vulkan(kind, format);
            return Ok(planar::plane_rows(other, rows, layout, vulkan, format));
        }
        if other.image_type != cl::CL_MEM_OBJECT_IMAGE2D || other.samples > 0 {
            let reason = "mem_object is an image, but no CL_MEM_OBJECT_IMAGE2D without samples";
            return Err(Error::InvalidImageDescriptor.because(reason));
        }
        // CL_INVALID_IMAGE_FORMAT_DESCRIPTOR if sizes or data types differ, or channel orders in
        // more than sRGB. Depths are kept as the texels of CL_R are.
        let alike = |a: u32, b: u32| {
            let pair = |x, y| (a, b) == (x, y) || (b, a) == (x, y);
            let is_depth = (a, b) == (cl::CL_DEPTH, cl::CL_R);
            pair(cl::CL_RGBA, cl::CL_sRGBA) || pair(cl::CL_BGRA, cl::CL_sBGRA) || is_depth || a == b
        };
        let same = (self.width, self.height) == (other.width, other.height)
            && self.num_mip_levels.max(1) == other.levels()
            && format.data_type == other.format.data_type
            && alike(format.order, other.format.order);
        if !same {
            let reason = "size, levels, data type or channel order differ from those of mem_object";
            return Err(Error::InvalidImageFormatDescriptor.because(reason));
        }
        match &other.texels {
            // CL_INVALID_IMAGE_FORMAT_DESCRIPTOR if a row pitch is given and differs.
            Texels::Own { .. } if ![0, other.map_pitches(0)[0]].contains(&self.row_pitch) => {
                let reason = "the row pitch differs from that of mem_object";
                Err(Error::InvalidImageFormatDescriptor.because(reason))
            }
            Texels::Own { storage, views } => {
                let devices = views.lock().len();
                Ok(Texels::own(storage.clone(), devices))
            }
            Texels::Rows(rows) if self.layout(kind, format.group()) == other.layout => {
                let desc = self.vulkan(kind, format);
                let (storage, layouts) = (rows.storage.clone(), rows.layouts.clone());
                Ok(Texels::Rows(Rows::new(
                    storage,
                    rows.offset,
                    layouts,
                    desc,
                    format,
                )))
            }
            // CL_INVALID_IMAGE_FORMAT_DESCRIPTOR if the pitches differ.
            Texels::Rows(_) => {
                let reason = "the pitches differ from those of mem_object";
                Err(Error::InvalidImageFormatDescriptor.because(reason))
            }
            Texels::Buffer { .. } => {
                let reason = "mem_object is itself an image of a buffer";
                Err(Error::InvalidImageDescriptor.because(reason))
            }
        }
    }
}
