//! Images: their texels, parts and views, and clGetImageInfo.

use std::sync::Arc;

use opencl_sys as cl;
use parking_lot::Mutex;
use pumice_vulkan_layer::{
    BufferView, Component, Format, IDENTITY, Image, ImageBox, ImageKind, ImageView,
};

use crate::base::error::{Error, Result};
use crate::base::info::Info;
use crate::base::region::Layout;
use crate::device::format::{Class, ImageFormat, Packing};
use crate::device::gpu;
use crate::memory::image_rows::Rows;
use crate::memory::image_storage::ImageStorage;
use crate::memory::part::Part;
use crate::memory::residency::Contents;
use crate::memory::storage::Storage;

/// An origin as the API gives it: texels, layers and the mip level ([`ImageMem::level_element`]).
pub type Origin = [usize; 4];

/// The properties of a memory object that is an image.
pub struct ImageMem {
    pub(super) format: &'static ImageFormat,
    /// CL_MEM_OBJECT_IMAGE*.
    pub(super) image_type: u32,
    /// Sizes that the type has; others are 0.
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) depth: usize,
    pub(super) array_size: usize,
    /// num_mip_levels; 0 is one level, as 1 is.
    pub(super) mip_levels: u32,
    /// Samples a pixel, which are layers of its texels; 0 for an image without samples.
    pub(super) samples: u32,
    /// The places of texels in the host's view.
    pub(super) layout: Layout,
    pub(super) texels: Texels,
}

pub(super) enum Texels {
    Own {
        storage: Arc<ImageStorage>,
        /// Guards the views of each device of the context, made at first use.
        views: Mutex<Vec<Views>>,
    },
    /// Rows of a buffer.
    Rows(Rows),
    /// A buffer's bytes, from a byte on.
    Buffer {
        storage: Arc<Storage>,
        offset: usize,
    },
}

/// The views of an image that kernels get on a device: a few.
pub(super) type Views = Vec<(Shown, ImageView)>;

/// An image's pixels as a kernel sees them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shown {
    /// The format of the view.
    pub format: Format,
    /// The components that the kernel gets.
    pub components: [Component; 4],
    /// The level that the kernel sees; `None` for all, which it reads.
    pub level: Option<u32>,
}

/// The shape of an image type; `None` for what is no image type.
pub(super) fn kind(image_type: u32) -> Option<ImageKind> {
    Some(match image_type {
        cl::CL_MEM_OBJECT_IMAGE1D | cl::CL_MEM_OBJECT_IMAGE1D_BUFFER => ImageKind::D1,
        cl::CL_MEM_OBJECT_IMAGE1D_ARRAY => ImageKind::D1Array,
        cl::CL_MEM_OBJECT_IMAGE2D => ImageKind::D2,
        cl::CL_MEM_OBJECT_IMAGE2D_ARRAY => ImageKind::D2Array,
        cl::CL_MEM_OBJECT_IMAGE3D => ImageKind::D3,
        _ => return None,
    })
}

pub(super) fn has_height(kind: ImageKind) -> bool {
    matches!(kind, ImageKind::D2 | ImageKind::D2Array | ImageKind::D3)
}

impl Texels {
    pub fn own(storage: Arc<ImageStorage>, devices: usize) -> Self {
        Self::Own {
            storage,
            views: Mutex::new(vec![Views::new(); devices]),
        }
    }
}

impl ImageMem {
    /// Its format.
    pub fn format(&self) -> &'static ImageFormat {
        self.format
    }

    /// CL_MEM_OBJECT_IMAGE*.
    pub fn image_type(&self) -> u32 {
        self.image_type
    }

    /// Its shape.
    pub fn kind(&self) -> ImageKind {
        // Checked when the image was made.
        kind(self.image_type).unwrap_or(ImageKind::D1)
    }

    /// Samples a pixel; 0 for an image without samples.
    pub fn samples(&self) -> u32 {
        self.samples
    }

    /// The box of all samples of an image that has samples: layer times samples, plus the sample.
    pub fn all_samples(&self) -> ImageBox {
        let layers = self.array_size.max(1) as u32 * self.samples;
        ImageBox {
            level: 0,
            origin: [0; 3],
            extent: [self.width as u32, self.height as u32, layers],
        }
    }

    /// The numbers of its size in the order in which kernels are told them: dimensions, then layers.
    pub fn size_in_kernels(&self) -> [u32; 3] {
        let [width, height, depth] = [self.width, self.height, self.depth].map(|n| n as u32);
        let layers = self.array_size as u32;
        match self.kind() {
            ImageKind::D1 => [width, 0, 0],
            ImageKind::D1Array => [width, layers, 0],
            ImageKind::D2 => [width, height, 0],
            ImageKind::D2Array => [width, height, layers],
            ImageKind::D3 => [width, height, depth],
        }
    }

    /// CL_IMAGE_FORMAT_NOT_SUPPORTED for an image of sRGB whose channels a kernel gets as they are (`plain`): what it reads
    /// and writes would have another meaning.
    ///
    /// # Errors
    /// [`Error::ImageFormatNotSupported`].
    pub fn check_srgb(&self, plain: bool) -> Result<()> {
        match plain && self.format.class == Class::Srgb {
            true => Err(Error::ImageFormatNotSupported.because("the kernel does not write sRGB")),
            false => Ok(()),
        }
    }

    /// CL_IMAGE_FORMAT_NOT_SUPPORTED for an image whose pixels a kernel would read, beside writing them, without the places of
    /// its components.
    ///
    /// # Errors
    /// [`Error::ImageFormatNotSupported`].
    pub fn check_places(&self) -> Result<()> {
        self.check_read_and_written(self.format.components == IDENTITY)
    }

    /// CL_IMAGE_FORMAT_NOT_SUPPORTED unless a kernel `can` read the image beside writing it.
    ///
    /// # Errors
    /// [`Error::ImageFormatNotSupported`].
    pub fn check_read_and_written(&self, can: bool) -> Result<()> {
        match can {
            true => Ok(()),
            false => Err(Error::ImageFormatNotSupported.because("the kernel reads and writes it")),
        }
    }

    /// The part of it that a box is.
    pub fn part(&self, area: ImageBox) -> Part {
        match &self.texels {
            Texels::Own { storage, .. } => Part::Texels {
                storage: storage.clone(),
                area,
            },
            // One row.
            Texels::Buffer { storage, offset } => Part::Bytes {
                storage: storage.clone(),
                place: Layout::linear(offset + area.origin[0] as usize * self.format.texel_size()),
                extent: [self.bytes(area), 1, 1],
            },
            Texels::Rows(rows) => {
                let [x, y, z] = area.origin.map(|n| n as usize);
                let [width, height, depth] = area.extent.map(|n| n as usize);
                let group = self.format.group();
                let level = rows.layouts[area.level as usize];
                let offset = rows.offset + level.row(y, z) + group.bytes(x);
                Part::Bytes {
                    storage: rows.storage.clone(),
                    place: Layout { offset, ..level },
                    extent: [group.bytes(width), height, depth],
                }
            }
        }
    }

    /// All bytes of the buffer that it shows as texels: CL_INVALID_MEM_OBJECT if it shows none.
    ///
    /// # Errors
    /// [`Error::InvalidMemObject`].
    pub fn bytes_behind(&self) -> Result<Part> {
        match &self.texels {
            Texels::Buffer { storage, .. } => Ok(Part::Bytes {
                extent: [storage.size(), 1, 1],
                storage: storage.clone(),
                place: Layout::linear(0),
            }),
            _ => Err(Error::InvalidMemObject),
        }
    }

    /// The number of bytes in a box.
    pub fn bytes(&self, area: ImageBox) -> usize {
        let texels: usize = area.extent.iter().map(|&n| n as usize).product();
        self.format.group().bytes(texels)
    }

    /// The number of its levels, at least 1.
    pub fn levels(&self) -> u32 {
        self.mip_levels.max(1)
    }

    /// The element of an origin that is the level; `None` for images with one level. It is the fourth for arrays of
    /// planes and for boxes, whose origins are longer then.
    pub fn level_element(&self) -> Option<usize> {
        (self.levels() > 1).then(|| match self.kind() {
            ImageKind::D1 => 1,
            ImageKind::D1Array | ImageKind::D2 => 2,
            ImageKind::D2Array | ImageKind::D3 => 3,
        })
    }

    /// The box of an origin and region as the API gives them: CL_INVALID_VALUE if they are not
    /// inside, or not 0 and 1 in dimensions that the image does not have, or begin or end within a group of texels;
    /// CL_INVALID_MIP_LEVEL for a level that it does not have.
    ///
    /// # Errors
    /// [`Error::InvalidValue`], [`Error::InvalidMipLevel`].
    pub fn region(&self, mut origin: Origin, region: [usize; 3]) -> Result<ImageBox> {
        let level = match self.level_element() {
            Some(element) => std::mem::take(&mut origin[element]),
            None => 0,
        };
        if level >= self.levels() as usize {
            let reason = format!("there is no level {level} among {}", self.levels());
            return Err(Error::InvalidMipLevel.because(reason));
        }
        let of_level = |size: usize| (size >> level).max(1);
        let width = of_level(self.width);
        let height = of_level(self.height);
        let size = match self.kind() {
            ImageKind::D1 => [width, 1, 1],
            ImageKind::D1Array => [width, self.array_size, 1],
            ImageKind::D2 => [width, height, 1],
            ImageKind::D2Array => [width, height, self.array_size],
            ImageKind::D3 => [width, height, of_level(self.depth)],
        };
        let origin = [origin[0], origin[1], origin[2]];
        let group = self.format.group().texels;
        if origin[0] % group != 0 || region[0] % group != 0 {
            let reason = format!("the texels of this format lie in groups of {group}");
            return Err(Error::InvalidValue.because(reason));
        }
        for d in 0..3 {
            let end = origin[d].checked_add(region[d]);
            if region[d] == 0 || end.is_none_or(|end| end > size[d]) {
                let [origin, region] =
                    [origin, region].map(|sizes| sizes.map(|n| n.to_string()).join("x"));
                let size = size.map(|n| n.to_string()).join("x");
                return Err(Error::InvalidValue.because(format!(
                    "region {region} at {origin} is empty or not inside the image of {size}"
                )));
            }
        }
        // Sizes are within the device's limits.
        let (mut origin, mut extent) = (origin.map(|n| n as u32), region.map(|n| n as u32));
        if self.kind() == ImageKind::D1Array {
            origin.swap(1, 2);
            extent.swap(1, 2);
        }
        Ok(ImageBox {
            level: level as u32,
            origin,
            extent,
        })
    }

    /// The host's pitches for a transfer of a box, where 0 selects the tight ones.
    ///
    /// # Errors
    /// [`Error::InvalidValue`] for pitches that are too small.
    pub fn host_layout(&self, part: ImageBox, row: usize, slice: usize) -> Result<Layout> {
        let [width, height, _] = part.extent.map(|n| n as usize);
        let bytes = self.format.group().bytes(width);
        // CL_INVALID_VALUE if a row pitch is not 0 and less than a row.
        if row != 0 && row < bytes {
            let reason = format!("row pitch {row} is less than the {bytes} bytes of a row");
            return Err(Error::InvalidValue.because(reason));
        }
        let too_large = || Error::InvalidValue.because("the pitches reach beyond any memory");
        let row_pitch = row.max(bytes);
        let tight = row_pitch.checked_mul(height).ok_or_else(too_large)?;
        // CL_INVALID_VALUE if a slice pitch is not 0 and less than a slice, or the image has none.
        let slices = !matches!(self.kind(), ImageKind::D1 | ImageKind::D2);
        if slice != 0 && (slice < tight || !slices) {
            return Err(Error::InvalidValue.because(match slices {
                true => format!("slice pitch {slice} is less than the {tight} bytes of a slice"),
                false => format!("slice pitch {slice} is given, but the image has no slices"),
            }));
        }
        let slice_pitch = slice.max(tight);
        let layout = Layout {
            offset: 0,
            row_pitch,
            slice_pitch,
        };
        let extent = [bytes, height, part.extent[2] as usize];
        layout.end(extent).ok_or_else(too_large)?;
        Ok(layout)
    }

    /// Bytes of the host's memory that a transfer of a box reaches over.
    pub fn host_end(&self, part: ImageBox, layout: Layout) -> usize {
        let [width, height, depth] = part.extent.map(|n| n as usize);
        let extent = [self.format.group().bytes(width), height, depth];
        layout.end(extent).unwrap_or(0)
    }

    /// The pitches that a map of a level gives: a slice pitch of 0 where the image has no slices.
    pub fn map_pitches(&self, level: u32) -> [usize; 2] {
        let layout = match &self.texels {
            Texels::Own { storage, .. } => storage.layout(level),
            Texels::Rows(rows) => rows.layouts[level as usize],
            Texels::Buffer { .. } => self.layout,
        };
        match self.kind() {
            ImageKind::D1 | ImageKind::D2 => [layout.row_pitch, 0],
            _ => [layout.row_pitch, layout.slice_pitch],
        }
    }

    /// Its own texels on a device of the context, whatever they are, and the box of all of them in the first level.
    ///
    /// # Errors
    /// CL_INVALID_MEM_OBJECT if it shows a buffer.
    pub fn texels(&self, index: usize) -> Result<(Image, ImageBox)> {
        match &self.texels {
            Texels::Own { storage, .. } => Ok((storage.allocation(index)?, storage.whole())),
            Texels::Buffer { .. } | Texels::Rows(_) => Err(Error::InvalidMemObject),
        }
    }

    /// The places of its texels in memory of the application's or of another API.
    pub fn layout(&self) -> Layout {
        self.layout
    }

    /// Its contents: texels, or the bytes of the buffer that it shows.
    pub fn contents(&self) -> Arc<dyn Contents> {
        match &self.texels {
            Texels::Own { storage, .. } => storage.clone(),
            Texels::Buffer { storage, .. } => storage.clone(),
            Texels::Rows(rows) => rows.storage.clone(),
        }
    }

    /// The rows of a buffer that it is; `None` for other images.
    pub fn rows(&self) -> Option<&Rows> {
        match &self.texels {
            Texels::Rows(rows) => Some(rows),
            _ => None,
        }
    }

    /// The pixels as a kernel sees them that reads all levels or writes the first, as numbers or (`raw`) as bits.
    ///
    /// # Errors
    /// CL_IMAGE_FORMAT_NOT_SUPPORTED where writing numbers would change the places of components, and for bits
    /// of images that have no such view.
    pub fn shown(&self, writes: bool, raw: bool) -> Result<Shown> {
        let level = writes.then_some(0);
        if raw && self.format.packing != Packing::Native {
            let reason = "blocks of an image whose texels Vulkan does not have";
            return Err(Error::ImageFormatNotSupported.because(reason));
        }
        if raw {
            let format = match self.format.texel_size() {
                1 => Format::R8Uint,
                2 => Format::R16Uint,
                4 => Format::R32Uint,
                bytes => {
                    let reason = format!("blocks of an image with pixels of {bytes} bytes");
                    return Err(Error::ImageFormatNotSupported.because(reason));
                }
            };
            let components = IDENTITY;
            return Ok(Shown {
                format,
                components,
                level,
            });
        }
        match writes {
            true if !self.format.keeps_places() => Err(Error::ImageFormatNotSupported),
            true => Ok(Shown {
                format: self.format.stored(),
                components: IDENTITY,
                level,
            }),
            false => Ok(Shown {
                format: self.format.vulkan,
                components: self.format.components,
                level,
            }),
        }
    }

    /// The view of a level that a kernel writes: CL_IMAGE_FORMAT_NOT_SUPPORTED where components would have to change
    /// their places.
    ///
    /// # Errors
    /// [`Error::ImageFormatNotSupported`]; out of memory.
    pub fn level_view(
        &self,
        index: usize,
        device: &gpu::OpenDevice,
        level: u32,
    ) -> Result<ImageView> {
        self.view(index, device, self.shown_level(level)?)
    }

    /// The pixels of a level as a kernel sees them that writes it.
    ///
    /// # Errors
    /// [`Error::ImageFormatNotSupported`].
    pub fn shown_level(&self, level: u32) -> Result<Shown> {
        Ok(Shown {
            level: Some(level),
            ..self.shown(true, false)?
        })
    }

    /// The view that a kernel has, on a device of the context.
    ///
    /// # Errors
    /// Out of memory, or a lost device.
    pub fn view(&self, index: usize, device: &gpu::OpenDevice, shown: Shown) -> Result<ImageView> {
        let Texels::Own { storage, views } = &self.texels else {
            return Err(Error::InvalidMemObject);
        };
        let mut views = views.lock();
        let made = &mut views[index];
        if let Some((_, view)) = made.iter().find(|(known, _)| *known == shown) {
            return Ok(view.clone());
        }
        let image: Image = storage.allocation(index)?;
        let view =
            (device.raw()).create_image_view(&image, shown.format, shown.components, shown.level);
        let view = view.map_err(gpu::error)?;
        made.push((shown, view.clone()));
        Ok(view)
    }

    /// The view that a kernel has of an image that is a buffer's.
    ///
    /// # Errors
    /// [`Error::InvalidMemObject`] if the image is not made from a buffer; out of memory.
    pub fn buffer_view(&self, index: usize, device: &gpu::OpenDevice) -> Result<BufferView> {
        let Texels::Buffer { storage, offset } = &self.texels else {
            return Err(Error::InvalidMemObject);
        };
        let buffer = storage.allocation(index)?;
        let (offset, texels) = (*offset as u64, self.width as u64);
        let format = self.format.of_texel_buffers(device.raw().capabilities());
        let view = (device.raw()).create_buffer_view(&buffer, format, offset, texels);
        view.map_err(gpu::error)
    }

    /// clGetImageInfo, but for CL_IMAGE_BUFFER.
    ///
    /// # Errors
    /// [`Error::InvalidValue`] for other names.
    pub fn info(&self, name: u32) -> Result<Info> {
        let [row_pitch, slice_pitch] = self.map_pitches(0);
        Ok(match name {
            cl::CL_IMAGE_FORMAT => Info::u32s(&[self.format.order, self.format.data_type]),
            cl::CL_IMAGE_ELEMENT_SIZE => Info::size(self.format.element_size()),
            cl::CL_IMAGE_ROW_PITCH => Info::size(row_pitch),
            cl::CL_IMAGE_SLICE_PITCH => Info::size(slice_pitch),
            cl::CL_IMAGE_WIDTH => Info::size(self.width),
            cl::CL_IMAGE_HEIGHT => Info::size(self.height),
            cl::CL_IMAGE_DEPTH => Info::size(self.depth),
            cl::CL_IMAGE_ARRAY_SIZE => Info::size(self.array_size),
            cl::CL_IMAGE_NUM_MIP_LEVELS => Info::u32(self.mip_levels),
            cl::CL_IMAGE_NUM_SAMPLES => Info::u32(self.samples),
            _ => return Err(Error::InvalidValue),
        })
    }
}
