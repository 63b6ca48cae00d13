//! Image objects: their creation with its rules, and what they say of themselves.

use std::sync::Arc;

use opencl_sys as cl;
use parking_lot::Mutex;
use pumice_vulkan_layer::{
    BufferView, IDENTITY, Image as VkImage, ImageBox, ImageDesc, ImageKind, ImageView,
};

use crate::context::Context;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::gpu;
use crate::info::Info;
use crate::memory::buffer::{self, Mem, Parts};
use crate::memory::format::{self, ImageFormat, Uses};
use crate::memory::host_ptr::HostSlice;
use crate::memory::image_storage::ImageStorage;
use crate::memory::part::Part;
use crate::memory::region::Layout;
use crate::memory::residency::Access;
use crate::memory::storage::Storage;
use crate::object::Ref;

/// What makes a memory object an image.
pub struct Image {
    format: &'static ImageFormat,
    /// CL_MEM_OBJECT_IMAGE*.
    image_type: u32,
    /// Sizes that the type has; others are 0.
    width: usize,
    height: usize,
    depth: usize,
    array_size: usize,
    /// Where texels lie in the host's view.
    layout: Layout,
    texels: Texels,
}

enum Texels {
    Own {
        storage: Arc<ImageStorage>,
        /// Guards the views of each device of the context, made at first use.
        views: Mutex<Vec<Views>>,
    },
    /// A buffer's bytes, from a byte on.
    Buffer {
        storage: Arc<Storage>,
        offset: usize,
    },
}

/// What kernels see of an image on a device.
#[derive(Clone, Default)]
struct Views {
    sampled: Option<ImageView>,
    storage: Option<ImageView>,
}

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

/// The shape of an image type; `None` for what is no image type.
fn kind(image_type: u32) -> Option<ImageKind> {
    Some(match image_type {
        cl::CL_MEM_OBJECT_IMAGE1D | cl::CL_MEM_OBJECT_IMAGE1D_BUFFER => ImageKind::D1,
        cl::CL_MEM_OBJECT_IMAGE1D_ARRAY => ImageKind::D1Array,
        cl::CL_MEM_OBJECT_IMAGE2D => ImageKind::D2,
        cl::CL_MEM_OBJECT_IMAGE2D_ARRAY => ImageKind::D2Array,
        cl::CL_MEM_OBJECT_IMAGE3D => ImageKind::D3,
        _ => return None,
    })
}

/// CL_INVALID_OPERATION if no device of the context supports images.
pub fn check_support(context: &Ref<Context>) -> Result<()> {
    let supports = |device: &Ref<Device>| device.has_images();
    if context.devices().iter().any(supports) {
        return Ok(());
    }
    Err(Error::InvalidOperation)
}

/// clGetSupportedImageFormats: channel orders and data types.
pub fn supported_formats(
    context: &Ref<Context>,
    flags: u64,
    image_type: u32,
) -> Result<Vec<[u32; 2]>> {
    // CL_INVALID_VALUE if flags or image_type are not valid.
    buffer::check_flags(flags)?;
    kind(image_type).ok_or(Error::InvalidValue)?;
    let uses = Uses::of_flags(flags);
    let devices = || {
        context
            .devices()
            .iter()
            .filter(|device| device.has_images())
    };
    let formats = format::FORMATS.iter().filter(|format| {
        devices().any(|device| format.suits(device.capabilities(), image_type, uses))
    });
    Ok(formats
        .map(|format| [format.order, format.data_type])
        .collect())
}

impl Desc {
    /// Checks sizes and pitches. `has_host` says whether host_ptr is not NULL.
    fn check(&self, texel: usize, has_host: bool) -> Result<ImageKind> {
        let invalid = Err(Error::InvalidImageDescriptor);
        // CL_INVALID_IMAGE_DESCRIPTOR if a value of image_desc is not valid.
        let kind = kind(self.image_type).ok_or(Error::InvalidImageDescriptor)?;
        let arrays = matches!(kind, ImageKind::D1Array | ImageKind::D2Array);
        let planes = matches!(kind, ImageKind::D2 | ImageKind::D2Array | ImageKind::D3);
        let empty = self.width == 0
            || planes && self.height == 0
            || kind == ImageKind::D3 && self.depth == 0
            || arrays && self.array_size == 0;
        // There are no images with levels or samples.
        if empty || self.num_mip_levels != 0 || self.num_samples != 0 {
            return invalid;
        }
        let of_buffer = self.image_type == cl::CL_MEM_OBJECT_IMAGE1D_BUFFER;
        let may_have_object = of_buffer || self.image_type == cl::CL_MEM_OBJECT_IMAGE2D;
        if of_buffer && self.mem_object.is_none() || self.mem_object.is_some() && !may_have_object {
            return invalid;
        }
        // Pitches are for memory of the application's.
        let row = self
            .width
            .checked_mul(texel)
            .ok_or(Error::InvalidImageSize)?;
        if self.row_pitch != 0 {
            let right = self.row_pitch >= row && self.row_pitch % texel == 0;
            if !right || !has_host && self.mem_object.is_none() {
                return invalid;
            }
        }
        let rows = if planes { self.height } else { 1 };
        let row = row.max(self.row_pitch);
        let slice = row.checked_mul(rows).ok_or(Error::InvalidImageSize)?;
        if self.slice_pitch != 0 && (arrays || kind == ImageKind::D3) {
            let right = self.slice_pitch >= slice && self.slice_pitch % row == 0;
            if !right || !has_host {
                return invalid;
            }
        }
        Ok(kind)
    }

    /// Whether a device has images of these sizes.
    fn fits(&self, device: &Device, kind: ImageKind) -> bool {
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

    /// What Vulkan is asked for.
    fn vulkan(&self, kind: ImageKind, format: &ImageFormat) -> ImageDesc {
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
            // 2D images can be made of others that differ in sRGB only.
            reinterpreted: kind == ImageKind::D2 && format.data_type == cl::CL_UNORM_INT8,
        }
    }

    /// The pitches of the application's memory, or those that a map gives.
    fn layout(&self, kind: ImageKind, texel: usize) -> Layout {
        let row_pitch = self.row_pitch.max(self.width * texel);
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
}

impl Mem {
    /// clCreateImageWithProperties. `host` gives that many bytes of host_ptr; `None` for NULL.
    pub fn create_image(
        context: &Ref<Context>,
        properties: Option<&[[u64; 2]]>,
        flags: u64,
        format: Option<[u32; 2]>,
        desc: Option<Desc>,
        has_host: bool,
        host: impl FnOnce(usize) -> Option<HostSlice>,
    ) -> Result<Ref<Mem>> {
        check_support(context)?;
        // CL_INVALID_PROPERTY if a property is not supported: there is none for images.
        let properties = match properties {
            None => None,
            Some([]) => Some(vec![0]),
            Some(_) => return Err(Error::InvalidProperty),
        };
        buffer::check_flags(flags)?;
        // CL_INVALID_IMAGE_FORMAT_DESCRIPTOR if image_format is NULL or not valid.
        let [order, data_type] = format.ok_or(Error::InvalidImageFormatDescriptor)?;
        if !format::is_valid(order, data_type) {
            return Err(Error::InvalidImageFormatDescriptor);
        }
        let desc = desc.ok_or(Error::InvalidImageDescriptor)?;
        let format = format::find(order, data_type);
        let texel = format.map_or(1, ImageFormat::texel_size);
        let kind = desc.check(texel, has_host)?;
        // CL_IMAGE_FORMAT_NOT_SUPPORTED if no device supports the format for the type and flags.
        let format = format.ok_or(Error::ImageFormatNotSupported)?;
        let effective = match &desc.mem_object {
            Some(object) => buffer::inherited_flags(object, flags)?,
            None => buffer::with_default_access(flags),
        };
        let uses = Uses::of_flags(effective);
        let images = |device: &&Ref<Device>| device.has_images();
        let devices = || context.devices().iter().filter(images);
        if !devices().any(|d| format.suits(d.capabilities(), desc.image_type, uses)) {
            return Err(Error::ImageFormatNotSupported);
        }
        // CL_INVALID_IMAGE_SIZE if the sizes are beyond those of every device.
        if !devices().any(|d| desc.fits(d, kind)) {
            return Err(Error::InvalidImageSize);
        }
        // CL_INVALID_HOST_PTR if host_ptr is NULL and a flag needs it, or is given without one.
        let needs_host = flags & (cl::CL_MEM_USE_HOST_PTR | cl::CL_MEM_COPY_HOST_PTR) != 0;
        if needs_host != has_host {
            return Err(Error::InvalidHostPtr);
        }
        let layout = desc.layout(kind, format.texel_size());
        let image = |texels| Image {
            format,
            image_type: desc.image_type,
            width: desc.width,
            height: if has_height(kind) { desc.height } else { 0 },
            depth: if kind == ImageKind::D3 { desc.depth } else { 0 },
            array_size: match kind {
                ImageKind::D1Array | ImageKind::D2Array => desc.array_size,
                _ => 0,
            },
            layout,
            texels,
        };
        let parts = Parts {
            context: context.clone(),
            flags: effective,
            size: desc.host_size(kind, layout),
            properties,
            parent: desc.mem_object.clone(),
            host_address: 0,
        };
        if let Some(object) = &desc.mem_object {
            let texels = desc.of_object(object, format)?;
            let image = image(texels);
            return Ok(Mem::of_image(parts, image));
        }
        // CL_INVALID_IMAGE_SIZE: no device could hold it.
        if !devices().any(|d| parts.size as u64 <= d.max_allocation()) {
            return Err(Error::InvalidImageSize);
        }
        let host = host(parts.size);
        let use_host = host.filter(|_| flags & cl::CL_MEM_USE_HOST_PTR != 0);
        let storage = ImageStorage::new(
            context.devices(),
            desc.vulkan(kind, format),
            layout,
            parts.size,
            host.filter(|_| flags & cl::CL_MEM_COPY_HOST_PTR != 0),
            use_host,
        )?;
        let parts = Parts {
            host_address: use_host.map_or(0, HostSlice::address),
            ..parts
        };
        let texels = Texels::own(storage, context.devices().len());
        Ok(Mem::of_image(parts, image(texels)))
    }
}

fn has_height(kind: ImageKind) -> bool {
    matches!(kind, ImageKind::D2 | ImageKind::D2Array | ImageKind::D3)
}

impl Desc {
    /// Bytes of the host's view, up to the end of the last row.
    fn host_size(&self, kind: ImageKind, layout: Layout) -> usize {
        let rows = if has_height(kind) { self.height } else { 1 };
        let slices = match kind {
            ImageKind::D1 | ImageKind::D2 => 1,
            ImageKind::D1Array | ImageKind::D2Array => self.array_size,
            ImageKind::D3 => self.depth,
        };
        let slices = layout.slice_pitch.saturating_mul(slices - 1);
        slices.saturating_add(layout.row_pitch.saturating_mul(rows))
    }

    /// The texels of an image that shows another memory object.
    fn of_object(&self, object: &Ref<Mem>, format: &ImageFormat) -> Result<Texels> {
        let size = self.width * format.texel_size();
        if self.image_type == cl::CL_MEM_OBJECT_IMAGE1D_BUFFER {
            // CL_INVALID_IMAGE_DESCRIPTOR if it is no buffer, or too small.
            let buffer = object.image().is_none() && size <= object.size();
            let storage = object.storage().ok().filter(|_| buffer);
            let storage = storage.ok_or(Error::InvalidImageDescriptor)?;
            return Ok(Texels::Buffer {
                storage: storage.clone(),
                offset: object.origin(),
            });
        }
        // CL_INVALID_OPERATION if it is a buffer: there is no cl_khr_image2d_from_buffer.
        let other = object.image().ok_or(Error::InvalidOperation)?;
        let Texels::Own { storage, views } = &other.texels else {
            return Err(Error::InvalidImageDescriptor);
        };
        if other.image_type != cl::CL_MEM_OBJECT_IMAGE2D {
            return Err(Error::InvalidImageDescriptor);
        }
        // CL_INVALID_IMAGE_FORMAT_DESCRIPTOR if sizes or data types differ, or channel orders in
        // more than sRGB.
        let alike = |a: u32, b: u32| {
            let pair = |x, y| (a, b) == (x, y) || (b, a) == (x, y);
            pair(cl::CL_RGBA, cl::CL_sRGBA) || pair(cl::CL_BGRA, cl::CL_sBGRA) || a == b
        };
        let same = (self.width, self.height) == (other.width, other.height)
            && format.data_type == other.format.data_type
            && alike(format.order, other.format.order);
        if !same {
            return Err(Error::InvalidImageFormatDescriptor);
        }
        let devices = views.lock().len();
        Ok(Texels::own(storage.clone(), devices))
    }
}

impl Texels {
    fn own(storage: Arc<ImageStorage>, devices: usize) -> Self {
        Self::Own {
            storage,
            views: Mutex::new(vec![Views::default(); devices]),
        }
    }
}

impl Image {
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
                offset: offset + area.origin[0] as usize * self.format.texel_size(),
                size: self.bytes(area),
            },
        }
    }

    /// The number of bytes in a box.
    pub fn bytes(&self, area: ImageBox) -> usize {
        let texels: usize = area.extent.iter().map(|&n| n as usize).product();
        texels * self.format.texel_size()
    }

    /// The box of an origin and region as the API gives them: CL_INVALID_VALUE if they are not
    /// inside, or not 0 and 1 in dimensions that the image does not have.
    pub fn region(&self, origin: [usize; 3], region: [usize; 3]) -> Result<ImageBox> {
        let size = match self.kind() {
            ImageKind::D1 => [self.width, 1, 1],
            ImageKind::D1Array => [self.width, self.array_size, 1],
            ImageKind::D2 => [self.width, self.height, 1],
            ImageKind::D2Array => [self.width, self.height, self.array_size],
            ImageKind::D3 => [self.width, self.height, self.depth],
        };
        for d in 0..3 {
            let end = origin[d].checked_add(region[d]);
            if region[d] == 0 || end.is_none_or(|end| end > size[d]) {
                return Err(Error::InvalidValue);
            }
        }
        // Sizes are within the device's limits.
        let (mut origin, mut extent) = (origin.map(|n| n as u32), region.map(|n| n as u32));
        if self.kind() == ImageKind::D1Array {
            origin.swap(1, 2);
            extent.swap(1, 2);
        }
        Ok(ImageBox { origin, extent })
    }

    /// The host's pitches for a transfer of a box, where 0 selects the tight ones.
    pub fn host_layout(&self, part: ImageBox, row: usize, slice: usize) -> Result<Layout> {
        let [width, height, _] = part.extent.map(|n| n as usize);
        let bytes = width * self.format.texel_size();
        // CL_INVALID_VALUE if a row pitch is not 0 and less than a row.
        if row != 0 && row < bytes {
            return Err(Error::InvalidValue);
        }
        let row_pitch = row.max(bytes);
        let tight = row_pitch.checked_mul(height).ok_or(Error::InvalidValue)?;
        // CL_INVALID_VALUE if a slice pitch is not 0 and less than a slice, or the image has none.
        let slices = !matches!(self.kind(), ImageKind::D1 | ImageKind::D2);
        if slice != 0 && (slice < tight || !slices) {
            return Err(Error::InvalidValue);
        }
        let slice_pitch = slice.max(tight);
        let layout = Layout {
            offset: 0,
            row_pitch,
            slice_pitch,
        };
        let extent = [bytes, height, part.extent[2] as usize];
        layout.end(extent).ok_or(Error::InvalidValue)?;
        Ok(layout)
    }

    /// Bytes of the host's memory that a transfer of a box reaches over.
    pub fn host_end(&self, part: ImageBox, layout: Layout) -> usize {
        let [width, height, depth] = part.extent.map(|n| n as usize);
        let extent = [width * self.format.texel_size(), height, depth];
        layout.end(extent).unwrap_or(0)
    }

    /// The pitches that a map gives: a slice pitch of 0 where the image has no slices.
    pub fn map_pitches(&self) -> [usize; 2] {
        match self.kind() {
            ImageKind::D1 | ImageKind::D2 => [self.layout.row_pitch, 0],
            _ => [self.layout.row_pitch, self.layout.slice_pitch],
        }
    }

    /// Makes a device of the context hold the newest texels.
    pub fn on_device(&self, index: usize, access: Access) -> Result<()> {
        match &self.texels {
            Texels::Own { storage, .. } => storage.on_device(index, access).map(drop),
            Texels::Buffer { storage, .. } => storage.on_device(index, access).map(drop),
        }
    }

    /// What a kernel reads by a sampler or without, on a device of the context.
    pub fn sampled_view(&self, index: usize, device: &gpu::Device) -> Result<ImageView> {
        self.view(index, device, self.format.components, |views| {
            &mut views.sampled
        })
    }

    /// What a kernel writes: CL_IMAGE_FORMAT_NOT_SUPPORTED where components would have to change
    /// their places.
    pub fn storage_view(&self, index: usize, device: &gpu::Device) -> Result<ImageView> {
        if self.format.components != IDENTITY {
            return Err(Error::ImageFormatNotSupported);
        }
        self.view(index, device, IDENTITY, |views| &mut views.storage)
    }

    fn view(
        &self,
        index: usize,
        device: &gpu::Device,
        components: [pumice_vulkan_layer::Component; 4],
        slot: impl Fn(&mut Views) -> &mut Option<ImageView>,
    ) -> Result<ImageView> {
        let Texels::Own { storage, views } = &self.texels else {
            return Err(Error::InvalidMemObject);
        };
        let mut views = views.lock();
        let slot = slot(&mut views[index]);
        if let Some(view) = slot {
            return Ok(view.clone());
        }
        let image: VkImage = storage.allocation(index)?;
        let format = self.format.vulkan;
        let view = device.raw().create_image_view(&image, format, components);
        Ok(slot.insert(view.map_err(gpu::error)?).clone())
    }

    /// What a kernel sees of an image that is a buffer's.
    pub fn buffer_view(&self, index: usize, device: &gpu::Device) -> Result<BufferView> {
        let Texels::Buffer { storage, offset } = &self.texels else {
            return Err(Error::InvalidMemObject);
        };
        let buffer = storage.allocation(index)?;
        let (offset, texels) = (*offset as u64, self.width as u64);
        let view = (device.raw()).create_buffer_view(&buffer, self.format.vulkan, offset, texels);
        view.map_err(gpu::error)
    }

    /// clGetImageInfo. `parent` is the object that the image shows.
    pub fn info(&self, name: u32, parent: Option<&Ref<Mem>>) -> Result<Info> {
        let [row_pitch, slice_pitch] = self.map_pitches();
        Ok(match name {
            cl::CL_IMAGE_FORMAT => Info::u32s(&[self.format.order, self.format.data_type]),
            cl::CL_IMAGE_ELEMENT_SIZE => Info::size(self.format.texel_size()),
            cl::CL_IMAGE_ROW_PITCH => Info::size(row_pitch),
            cl::CL_IMAGE_SLICE_PITCH => Info::size(slice_pitch),
            cl::CL_IMAGE_WIDTH => Info::size(self.width),
            cl::CL_IMAGE_HEIGHT => Info::size(self.height),
            cl::CL_IMAGE_DEPTH => Info::size(self.depth),
            cl::CL_IMAGE_ARRAY_SIZE => Info::size(self.array_size),
            cl::CL_IMAGE_BUFFER => {
                let buffer = parent.filter(|parent| parent.image().is_none());
                Info::optional(buffer)
            }
            cl::CL_IMAGE_NUM_MIP_LEVELS | cl::CL_IMAGE_NUM_SAMPLES => Info::u32(0),
            _ => return Err(Error::InvalidValue),
        })
    }
}
