//! Images, views of images and views of buffers as texels.
//!
//! Images have optimal tiling and, once [`crate::Recorder::initialize_image`] has run,
//! the general layout for ever: barriers of memory are all that they need.

use std::sync::Arc;

use ash::vk;
use gpu_allocator::MemoryLocation;
use gpu_allocator::vulkan::{Allocation, AllocationCreateDesc, AllocationScheme};

use crate::device::fault;
use crate::device::memory::{self, DEDICATED_FROM};
use crate::device::{DeviceShared, LogicalDevice};
use crate::error::{Context, Error, Result};
use crate::format::Format;
use crate::objects::buffer::Buffer;

/// A box of texels in one level. The third coordinate of an array's box is the layer, the second one of an
/// array of rows is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageBox {
    /// The mip level.
    pub level: u32,
    /// The first texel.
    pub origin: [u32; 3],
    /// Texels in each dimension, none of them 0.
    pub extent: [u32; 3],
}

/// The shape of an image and of what shaders see of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ImageKind {
    /// A row.
    D1,
    /// Rows.
    D1Array,
    /// A plane.
    D2,
    /// Planes.
    D2Array,
    /// A box.
    D3,
}

/// Creation parameters of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ImageDesc {
    /// The shape.
    pub kind: ImageKind,
    /// The texels.
    pub format: Format,
    /// Texels in each dimension; 1 where the kind has none.
    pub extent: [u32; 3],
    /// Rows or planes of an array, else 1.
    pub layers: u32,
    /// Mip levels, at least 1.
    pub levels: u32,
    /// Views may have another format with texels of the same size.
    pub reinterpreted: bool,
}

impl ImageDesc {
    /// Texels of a level in each dimension: half of those of the level before, rounded down, and at least 1.
    pub fn level_extent(&self, level: u32) -> [u32; 3] {
        self.extent
            .map(|size| size.checked_shr(level).unwrap_or(0).max(1))
    }

    /// All texels of a level.
    pub fn level_box(&self, level: u32) -> ImageBox {
        let [width, height, depth] = self.level_extent(level);
        ImageBox {
            level,
            origin: [0; 3],
            extent: match self.kind {
                ImageKind::D3 => [width, height, depth],
                _ => [width, height, self.layers],
            },
        }
    }

    /// The most levels that an image of this extent can have: down to one texel.
    pub fn most_levels(&self) -> u32 {
        let largest = self.extent.into_iter().max().unwrap_or(1);
        largest.max(1).ilog2() + 1
    }
}

/// Source of a component that a shader reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Component {
    R,
    G,
    B,
    A,
    Zero,
    One,
}

/// Red, green, blue and alpha as they are.
pub const IDENTITY: [Component; 4] = [Component::R, Component::G, Component::B, Component::A];

/// An image. Cheap to clone; the memory goes with the last clone.
#[derive(Clone)]
pub struct Image(Arc<ImageInner>);

struct ImageInner {
    device: Arc<DeviceShared>,
    raw: vk::Image,
    desc: ImageDesc,
    usage: vk::ImageUsageFlags,
    /// Taken out once, by Drop.
    allocation: Option<Allocation>,
}

/// A view of an image. Cheap to clone; it keeps the image.
#[derive(Clone)]
pub struct ImageView(Arc<ViewInner>);

struct ViewInner {
    image: Image,
    raw: vk::ImageView,
    format: Format,
    identity: bool,
}

/// A range of a buffer as texels. Cheap to clone; it keeps the buffer.
#[derive(Clone)]
pub struct BufferView(Arc<BufferViewInner>);

struct BufferViewInner {
    device: Arc<DeviceShared>,
    buffer: Buffer,
    raw: vk::BufferView,
    format: Format,
}

fn check_desc(device: &DeviceShared, desc: &ImageDesc) -> Result<()> {
    let limits = &device.caps.limits;
    let [width, height, depth] = desc.extent;
    let (most, used) = match desc.kind {
        ImageKind::D1 | ImageKind::D1Array => (limits.max_image_1d, 1),
        ImageKind::D2 | ImageKind::D2Array => (limits.max_image_2d, 2),
        ImageKind::D3 => (limits.max_image_3d, 3),
    };
    let unused = desc.extent.iter().skip(used).all(|&size| size == 1);
    let array = matches!(desc.kind, ImageKind::D1Array | ImageKind::D2Array);
    let levels = 1..=desc.most_levels();
    if desc.extent.contains(&0) || desc.layers == 0 || !unused || (desc.layers != 1 && !array) {
        return Err(Error::InvalidUse(format!("an image of {desc:?}")));
    }
    if !levels.contains(&desc.levels) {
        return Err(Error::InvalidUse(format!("an image of {desc:?}")));
    }
    for (what, size, limit) in [
        ("an image's width", width, most),
        ("an image's height", height, most),
        ("an image's depth", depth, most),
        ("a number of layers", desc.layers, limits.max_image_layers),
    ] {
        if size > limit {
            let (size, limit) = (u64::from(size), u64::from(limit));
            return Err(Error::TooLarge { what, size, limit });
        }
    }
    let features = device.caps.format(desc.format);
    if !features.sampled && !features.storage_write {
        return Err(Error::Unsupported(format!("images of {:?}", desc.format)));
    }
    Ok(())
}

impl Image {
    fn allocate(device: &Arc<DeviceShared>, desc: &ImageDesc) -> Result<Self> {
        check_desc(device, desc)?;
        let features = device.caps.format(desc.format);
        let mut usage = vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST;
        if features.sampled {
            usage |= vk::ImageUsageFlags::SAMPLED;
        }
        if features.storage_write || features.storage_read {
            usage |= vk::ImageUsageFlags::STORAGE;
        }
        let mut flags = vk::ImageCreateFlags::empty();
        if desc.reinterpreted {
            // A view may do what the image's own format does not.
            usage |= vk::ImageUsageFlags::SAMPLED | vk::ImageUsageFlags::STORAGE;
            flags |= vk::ImageCreateFlags::MUTABLE_FORMAT | vk::ImageCreateFlags::EXTENDED_USAGE;
        }
        let [width, height, depth] = desc.extent;
        let info = vk::ImageCreateInfo::default()
            .flags(flags)
            .image_type(match desc.kind {
                ImageKind::D1 | ImageKind::D1Array => vk::ImageType::TYPE_1D,
                ImageKind::D2 | ImageKind::D2Array => vk::ImageType::TYPE_2D,
                ImageKind::D3 => vk::ImageType::TYPE_3D,
            })
            .format(desc.format.raw())
            .extent(vk::Extent3D {
                width,
                height,
                depth,
            })
            .mip_levels(desc.levels)
            .array_layers(desc.layers)
            .samples(vk::SampleCountFlags::TYPE_1)
            .tiling(vk::ImageTiling::OPTIMAL)
            .usage(usage)
            .sharing_mode(vk::SharingMode::EXCLUSIVE)
            .initial_layout(vk::ImageLayout::UNDEFINED);
        fault::check("vkCreateImage")?;
        // SAFETY: `info` lives through the call.
        let raw = unsafe { device.raw.create_image(&info, None) }.call("vkCreateImage")?;
        let mut image = ImageInner {
            device: Arc::clone(device),
            raw,
            desc: *desc,
            usage,
            allocation: None,
        };
        // SAFETY: the image belongs to the device.
        let requirements = unsafe { device.raw.get_image_memory_requirements(raw) };
        let limit = device.caps.limits.max_allocation;
        if requirements.size > limit {
            let (what, size) = ("an image", requirements.size);
            return Err(Error::TooLarge { what, size, limit });
        }
        let scheme = if requirements.size >= DEDICATED_FROM {
            AllocationScheme::DedicatedImage(raw)
        } else {
            AllocationScheme::GpuAllocatorManaged
        };
        let desc = AllocationCreateDesc {
            name: "image",
            requirements,
            location: MemoryLocation::GpuOnly,
            linear: false,
            allocation_scheme: scheme,
        };
        let alone = AllocationScheme::DedicatedImage(raw);
        let allocation = memory::allocate(device, &desc, alone)?;
        // SAFETY: the memory is the allocator's and meets the image's requirements.
        let bound = unsafe {
            (device.raw).bind_image_memory(raw, allocation.memory(), allocation.offset())
        };
        image.allocation = Some(allocation);
        bound.call("vkBindImageMemory")?;
        Ok(Self(Arc::new(image)))
    }

    /// Returns the parameters that the image was created with.
    pub fn desc(&self) -> &ImageDesc {
        &self.0.desc
    }

    pub(crate) fn raw(&self) -> vk::Image {
        self.0.raw
    }

    pub(crate) fn belongs_to(&self, device: &Arc<DeviceShared>) -> bool {
        Arc::ptr_eq(&self.0.device, device)
    }

    pub(crate) fn range(&self) -> vk::ImageSubresourceRange {
        vk::ImageSubresourceRange::default()
            .aspect_mask(vk::ImageAspectFlags::COLOR)
            .level_count(self.0.desc.levels)
            .layer_count(self.0.desc.layers)
    }

    /// The texels of one level.
    pub(crate) fn level_range(&self, level: u32) -> vk::ImageSubresourceRange {
        self.range().base_mip_level(level).level_count(1)
    }
}

impl ImageView {
    pub(crate) fn raw(&self) -> vk::ImageView {
        self.0.raw
    }

    /// Returns whether the view keeps components in memory order, as storage images require.
    pub(crate) fn is_identity(&self) -> bool {
        self.0.identity
    }

    pub(crate) fn belongs_to(&self, device: &Arc<DeviceShared>) -> bool {
        self.0.image.belongs_to(device)
    }

    /// The format of what shaders see.
    pub fn format(&self) -> Format {
        self.0.format
    }

    /// The image.
    pub fn image(&self) -> &Image {
        &self.0.image
    }
}

impl BufferView {
    pub(crate) fn raw(&self) -> vk::BufferView {
        self.0.raw
    }

    pub(crate) fn belongs_to(&self, device: &Arc<DeviceShared>) -> bool {
        Arc::ptr_eq(&self.0.device, device)
    }

    /// The format of its texels.
    pub fn format(&self) -> Format {
        self.0.format
    }

    /// The buffer.
    pub fn buffer(&self) -> &Buffer {
        &self.0.buffer
    }
}

impl LogicalDevice {
    /// Makes an image. Nothing may use it before [`crate::Recorder::initialize_image`].
    ///
    /// # Errors
    /// [`Error::InvalidUse`] for extents that do not suit the kind, [`Error::TooLarge`] beyond the
    /// device's limits, [`Error::Unsupported`] for a format that the device has no images of, out
    /// of memory.
    pub fn create_image(&self, desc: &ImageDesc) -> Result<Image> {
        Image::allocate(&self.shared, desc)
    }

    /// Makes a view of an image: for sampling with any components, for storage with [`IDENTITY`]. It shows
    /// one level, or all for `None`; a shader that stores has the first.
    ///
    /// # Errors
    /// [`Error::InvalidUse`] for another format than the image's where that was not asked for when
    /// it was made, or a level that it does not have; out of memory.
    pub fn create_image_view(
        &self,
        image: &Image,
        format: Format,
        components: [Component; 4],
        level: Option<u32>,
    ) -> Result<ImageView> {
        let device = &self.shared;
        let desc = image.desc();
        let fits = format == desc.format
            || desc.reinterpreted && format.texel_size() == desc.format.texel_size();
        let there = level.is_none_or(|level| level < desc.levels);
        if !fits || !there || !image.belongs_to(device) {
            return Err(Error::InvalidUse(format!(
                "a view of {format:?}, level {level:?}"
            )));
        }
        let mut range = image.range();
        if let Some(level) = level {
            range = range.base_mip_level(level).level_count(1);
        }
        let identity = components == IDENTITY;
        let [r, g, b, a] = components.map(|component| match component {
            Component::R => vk::ComponentSwizzle::R,
            Component::G => vk::ComponentSwizzle::G,
            Component::B => vk::ComponentSwizzle::B,
            Component::A => vk::ComponentSwizzle::A,
            Component::Zero => vk::ComponentSwizzle::ZERO,
            Component::One => vk::ComponentSwizzle::ONE,
        });
        let features = device.caps.format(format);
        let mut usage = vk::ImageUsageFlags::empty();
        if features.sampled {
            usage |= vk::ImageUsageFlags::SAMPLED;
        }
        if identity && (features.storage_write || features.storage_read) {
            usage |= vk::ImageUsageFlags::STORAGE;
        }
        let usage = usage & image.0.usage;
        let mut usage = vk::ImageViewUsageCreateInfo::default().usage(usage);
        let info = vk::ImageViewCreateInfo::default()
            .push_next(&mut usage)
            .image(image.raw())
            .view_type(match desc.kind {
                ImageKind::D1 => vk::ImageViewType::TYPE_1D,
                ImageKind::D1Array => vk::ImageViewType::TYPE_1D_ARRAY,
                ImageKind::D2 => vk::ImageViewType::TYPE_2D,
                ImageKind::D2Array => vk::ImageViewType::TYPE_2D_ARRAY,
                ImageKind::D3 => vk::ImageViewType::TYPE_3D,
            })
            .format(format.raw())
            .components(vk::ComponentMapping { r, g, b, a })
            .subresource_range(range);
        fault::check("vkCreateImageView")?;
        // SAFETY: `info` lives through the call; the image has memory and is kept below.
        let raw = unsafe { device.raw.create_image_view(&info, None) };
        Ok(ImageView(Arc::new(ViewInner {
            image: image.clone(),
            raw: raw.call("vkCreateImageView")?,
            format,
            identity,
        })))
    }

    /// Makes a view of a part of a buffer: `texels` from byte `offset` on, which is a multiple of
    /// the device's alignment of texel buffers.
    ///
    /// # Errors
    /// [`Error::InvalidUse`] for a range beyond the buffer or an offset that is not aligned,
    /// [`Error::TooLarge`] for more texels than the device takes, [`Error::Unsupported`] for a
    /// format that it has no texel buffers of, out of memory.
    pub fn create_buffer_view(
        &self,
        buffer: &Buffer,
        format: Format,
        offset: u64,
        texels: u64,
    ) -> Result<BufferView> {
        let device = &self.shared;
        let limits = &device.caps.limits;
        let range = texels.saturating_mul(format.texel_size() as u64);
        if !buffer.belongs_to(device) {
            return Err(Error::InvalidUse("a buffer of another device".into()));
        }
        buffer.check_range(offset, range)?;
        if texels == 0 || offset % limits.min_texel_buffer_alignment.max(1) != 0 {
            return Err(Error::InvalidUse(format!("{texels} texels at {offset}")));
        }
        let limit = u64::from(limits.max_texel_buffer_elements);
        if texels > limit {
            let (what, size) = ("a texel buffer", texels);
            return Err(Error::TooLarge { what, size, limit });
        }
        // Buffers are made for both uses, and then a view's format must suit both.
        let features = device.caps.format(format);
        if !features.uniform_texel || !features.storage_texel_write {
            return Err(Error::Unsupported(format!("texel buffers of {format:?}")));
        }
        let info = vk::BufferViewCreateInfo::default()
            .buffer(buffer.raw())
            .format(format.raw())
            .offset(offset)
            .range(range);
        fault::check("vkCreateBufferView")?;
        // SAFETY: `info` lives through the call; the buffer is kept below.
        let raw = unsafe { device.raw.create_buffer_view(&info, None) };
        Ok(BufferView(Arc::new(BufferViewInner {
            device: Arc::clone(device),
            buffer: buffer.clone(),
            raw: raw.call("vkCreateBufferView")?,
            format,
        })))
    }
}

impl Drop for ImageInner {
    fn drop(&mut self) {
        // SAFETY: views and recordings keep the image, so nothing uses it; it goes before its
        // memory.
        unsafe { self.device.raw.destroy_image(self.raw, None) };
        if let Some(allocation) = self.allocation.take() {
            // Freeing fails only for allocations of another allocator.
            let _ = self.device.allocator.lock().free(allocation);
        }
    }
}

impl Drop for ViewInner {
    fn drop(&mut self) {
        // SAFETY: descriptor sets keep the view, and recordings the sets.
        unsafe { (self.image.0.device.raw).destroy_image_view(self.raw, None) };
    }
}

impl Drop for BufferViewInner {
    fn drop(&mut self) {
        // SAFETY: descriptor sets keep the view, and recordings the sets.
        unsafe { self.device.raw.destroy_buffer_view(self.raw, None) };
    }
}
