//! Creation of images: clCreateImageWithProperties and clGetSupportedImageFormats.

use opencl_sys as cl;
use pumice_vulkan_layer::ImageKind;

use crate::base::error::{Error, Result};
use crate::base::host_ptr::HostSlice;
use crate::base::object::Ref;
use crate::base::region::Layout;
use crate::context::Context;
use crate::device::Device;
use crate::device::depth_stencil::CL_DEPTH_STENCIL;
use crate::device::format::{self, ImageFormat, ImageUses, NO_ACCESS, NV12, Packing, TexelGroup};
use crate::memory::buffer::{Content, Mem, MemDesc};
use crate::memory::external::Properties;
use crate::memory::flags;
use crate::memory::image::{ImageMem, Texels, has_height, kind};
use crate::memory::image_desc::Desc;
use crate::memory::image_rows::Rows;
use crate::memory::image_storage::{ImageStorage, level_layouts};
use crate::memory::planar;
use crate::memory::storage::Storage;

/// clGetSupportedImageFormats: channel orders and data types.
///
/// # Errors
/// Those that the specification lists for clGetSupportedImageFormats, in its order.
pub fn supported_formats(
    context: &Ref<Context>,
    flags: u64,
    image_type: u32,
) -> Result<Vec<[u32; 2]>> {
    // CL_INVALID_VALUE if flags or image_type are not valid.
    flags::check_flags(flags)?;
    kind(image_type).ok_or(Error::InvalidValue)?;
    // Formats that no kernel reads or writes.
    if flags & NO_ACCESS != 0 {
        let here = image_type == cl::CL_MEM_OBJECT_IMAGE2D
            && context.devices().iter().any(|device| device.has_images());
        let formats = [[NV12.order, NV12.data_type]];
        return Ok(if here { formats.to_vec() } else { Vec::new() });
    }
    let uses = ImageUses::of_flags(flags);
    let devices = || {
        context
            .devices()
            .iter()
            .filter(|device| device.has_images())
    };
    // Programs take any region of the formats listed for images that they read and write, or that are immutable
    // (OpenCL-CTS does): formats whose texels lie in groups are listed for reading and for writing alone.
    let grouped = flags & (cl::CL_MEM_READ_ONLY | cl::CL_MEM_WRITE_ONLY) != 0;
    let listed = format::FORMATS
        .iter()
        .filter(|format| grouped || format.group().texels == 1);
    let formats = listed.filter(|format| {
        devices().any(|device| format.suits(device.capabilities(), image_type, uses))
    });
    Ok(formats
        .map(|format| [format.order, format.data_type])
        .collect())
}

fn immutable(flags: u64) -> bool {
    flags & cl::CL_MEM_IMMUTABLE_EXT != 0
}

/// An image to be made, as a call asks for it and with nothing wrong.
struct NewImage {
    /// The call's flags, with what those of a memory object that the image shows add.
    flags: u64,
    format: &'static ImageFormat,
    kind: ImageKind,
    /// The samples of a pixel are layers here.
    desc: Desc,
    /// Type, array size and samples as the call has them.
    asked: (u32, usize, u32),
    layout: Layout,
}

/// The channel order and data type of a call.
fn checked_format(format: Option<[u32; 2]>) -> Result<[u32; 2]> {
    // CL_INVALID_IMAGE_FORMAT_DESCRIPTOR if image_format is NULL or not valid.
    let [order, data_type] = format
        .ok_or_else(|| Error::InvalidImageFormatDescriptor.because("image_format is NULL"))?;
    if !format::is_valid(order, data_type) {
        let reason = format!("order {order:#x} does not go with data type {data_type:#x}");
        return Err(Error::InvalidImageFormatDescriptor.because(reason));
    }
    Ok([order, data_type])
}

/// CL_INVALID_IMAGE_DESCRIPTOR if mem_object is no buffer or image of the context: an object has memory on the devices of
/// its own context alone.
fn check_object(context: &Ref<Context>, object: &Ref<Mem>) -> Result<()> {
    if object.context().handle() != context.handle() {
        let reason = "mem_object is of another context";
        return Err(Error::InvalidImageDescriptor.because(reason));
    }
    if object.image().is_none() && object.storage().is_err() {
        let reason = "mem_object is neither a buffer nor an image";
        return Err(Error::InvalidImageDescriptor.because(reason));
    }
    Ok(())
}

impl NewImage {
    /// Checks what a call asks for, in the order of the specification.
    fn check(
        context: &Ref<Context>,
        flags: u64,
        [order, data_type]: [u32; 2],
        desc: Desc,
        properties: &Properties,
        has_host: bool,
    ) -> Result<NewImage> {
        let is_shared = properties.shared.is_some();
        let asked = (desc.image_type, desc.array_size, desc.num_samples);
        let desc = match is_shared && desc.num_samples > 0 {
            true => desc.samples_as_layers(),
            false => desc,
        };
        let format = format::find(order, data_type);
        let group = format.map_or(TexelGroup::of_single(1), ImageFormat::group);
        let kind = desc.check(group, has_host || properties.is_external())?;
        // CL_INVALID_IMAGE_DESCRIPTOR: an image has the memory of one other thing.
        if properties.is_external() && desc.mem_object.is_some() {
            let reason = "both mem_object and another API's memory are given";
            return Err(Error::InvalidImageDescriptor.because(reason));
        }
        // CL_INVALID_IMAGE_DESCRIPTOR: images in other memory have one level.
        if desc.num_mip_levels > 1 && properties.is_external() {
            let reason = "an image of another API's memory has no mip levels";
            return Err(Error::InvalidImageDescriptor.because(reason));
        }
        // CL_IMAGE_FORMAT_NOT_SUPPORTED if no device supports the format for the type and flags.
        let unsupported = || {
            let reason = format!(
                "no device has images of this type with order {order:#x}, data type {data_type:#x} and these flags"
            );
            Error::ImageFormatNotSupported.because(reason)
        };
        // Depths beside stencil values are for textures of OpenGL alone.
        let format = format.filter(|_| order != CL_DEPTH_STENCIL || is_shared);
        let format = format.ok_or_else(unsupported)?;
        let flags = match &desc.mem_object {
            // CL_INVALID_VALUE if an image of an immutable object is not to be immutable.
            Some(object) if object.check_mutable().is_err() && !immutable(flags) => {
                let reason = "an image of an immutable object must be immutable";
                return Err(Error::InvalidValue.because(reason));
            }
            Some(object) => flags::inherited_flags(object, flags)?,
            None => flags::with_default_access(flags),
        };
        let uses = ImageUses::of_flags(flags);
        let images = |device: &&Ref<Device>| device.has_images();
        let devices = || context.devices().iter().filter(images);
        let is_served = format.packing == Packing::Native || !properties.is_external();
        let suits = |d: &Ref<Device>| format.suits(d.capabilities(), desc.image_type, uses);
        if !is_served || !devices().any(suits) {
            return Err(unsupported());
        }
        // CL_INVALID_IMAGE_SIZE if the sizes are beyond those of every device.
        if !devices().any(|d| desc.fits(d, kind)) {
            let (width, height, depth) = (desc.width, desc.height, desc.depth);
            let reason = format!("{width}x{height}x{depth} is beyond the limits of every device");
            return Err(Error::InvalidImageSize.because(reason));
        }
        let layout = desc.layout(kind, group);
        Ok(NewImage {
            flags,
            format,
            kind,
            desc,
            asked,
            layout,
        })
    }

    /// The image of these texels.
    fn with_texels(&self, mem: MemDesc, texels: Texels) -> Ref<Mem> {
        let (image_type, array_size, samples) = self.asked;
        let (desc, kind) = (&self.desc, self.kind);
        let image = ImageMem {
            format: self.format,
            image_type,
            width: desc.width,
            height: if has_height(kind) { desc.height } else { 0 },
            depth: if kind == ImageKind::D3 { desc.depth } else { 0 },
            array_size: match kind {
                ImageKind::D1Array | ImageKind::D2Array => array_size,
                _ => 0,
            },
            mip_levels: desc.num_mip_levels,
            samples,
            layout: self.layout,
            texels,
        };
        Mem::of_desc(mem, Content::Image(image))
    }

    /// The layouts of the levels in the application's memory, and their bytes in sum.
    fn level_layouts(&self) -> (Vec<Layout>, usize) {
        let size = self.desc.host_size(self.kind, self.layout);
        let vulkan = self.desc.vulkan(self.kind, self.format);
        level_layouts(&vulkan, self.format.group().bytes, self.layout, size)
    }

    /// Makes the image of the texels of another memory object.
    fn of_object(
        &self,
        context: &Ref<Context>,
        object: &Ref<Mem>,
        mut properties: Properties,
    ) -> Result<Ref<Mem>> {
        let shared = properties.shared.take();
        let mem = MemDesc {
            context: context.clone(),
            flags: self.flags,
            size: match object.image() {
                None => self.desc.buffer_size(self.kind, self.layout),
                Some(_) => self.level_layouts().1,
            },
            properties: properties.list.take(),
            // The bytes behind a buffer texture are no object of the application's.
            parent: Some(object.clone()).filter(|_| shared.is_none()),
            host_address: 0,
            external: shared,
        };
        let texels = self.desc.of_object(object, self.kind, self.format)?;
        Ok(self.with_texels(mem, texels))
    }

    /// Makes the image with memory of its own, or that of another API.
    fn with_memory(
        &self,
        context: &Ref<Context>,
        mut properties: Properties,
        host: impl FnOnce(usize) -> Option<HostSlice>,
    ) -> Result<Ref<Mem>> {
        let (layouts, size) = self.level_layouts();
        let devices = context.devices();
        // CL_INVALID_IMAGE_SIZE: no device could hold it.
        let mut with_images = devices.iter().filter(|device| device.has_images());
        if !with_images.any(|device| size as u64 <= device.max_allocation()) {
            let reason =
                format!("{size} bytes are more than CL_DEVICE_MAX_MEM_ALLOC_SIZE of every device");
            return Err(Error::InvalidImageSize.because(reason));
        }
        let host = host(size);
        if let Some(host) = host {
            // CL_INVALID_HOST_PTR if it is memory that the host cannot use.
            let checked = context.check_host_memory(host);
            checked
                .map_err(|_| Error::InvalidHostPtr.because("the host has no access to host_ptr"))?;
        }
        let use_host = host.filter(|_| self.flags & cl::CL_MEM_USE_HOST_PTR != 0);
        let copied = host.filter(|_| self.flags & cl::CL_MEM_COPY_HOST_PTR != 0);
        let vulkan = self.desc.vulkan(self.kind, self.format);
        let texels = match self.format.packing == Packing::Native {
            true => {
                let first_size = self.desc.host_size(self.kind, self.layout);
                let storage =
                    ImageStorage::new(devices, vulkan, self.layout, first_size, copied, use_host)?;
                Texels::own(storage, devices.len())
            }
            false => {
                let storage = Storage::new(devices, size, copied, use_host, None, false)?;
                Texels::Rows(Rows::new(storage, 0, layouts, vulkan, self.format))
            }
        };
        let mem = MemDesc {
            context: context.clone(),
            flags: self.flags,
            size,
            properties: properties.list.take(),
            parent: None,
            host_address: use_host.map_or(0, HostSlice::address),
            external: properties.import(size)?,
        };
        Ok(self.with_texels(mem, texels))
    }
}

impl Mem {
    /// clCreateImageWithProperties. `host` gives that many bytes of host_ptr; `None` for NULL.
    ///
    /// # Errors
    /// Those that the specification lists for clCreateImageWithProperties, in its order.
    pub fn create_image(
        context: &Ref<Context>,
        mut properties: Properties,
        flags: u64,
        format: Option<[u32; 2]>,
        desc: Option<Desc>,
        has_host: bool,
        host: impl FnOnce(usize) -> Option<HostSlice>,
    ) -> Result<Ref<Mem>> {
        context.check_images()?;
        properties.check_image()?;
        flags::check_flags(flags)?;
        properties.check_flags(flags)?;
        let shows = desc.as_ref().and_then(|desc| desc.mem_object.as_ref());
        let has_contents =
            properties.is_external() || properties.shared.is_some() || shows.is_some();
        flags::check_immutable(flags, has_contents)?;
        let format = checked_format(format)?;
        let desc =
            desc.ok_or_else(|| Error::InvalidImageDescriptor.because("image_desc is NULL"))?;
        if let Some(object) = &desc.mem_object {
            check_object(context, object)?;
        }
        if format[0] == NV12.order && !properties.is_external() {
            let list = properties.list.take();
            return planar::create(context, flags, &desc, list, has_host, host);
        }
        let shown = desc.mem_object.as_ref().and_then(|object| object.image());
        let desc = match shown.filter(|image| planar::is_planar(image)) {
            Some(image) => planar::plane(&desc, image, format)?,
            None => desc,
        };
        let image = NewImage::check(context, flags, format, desc, &properties, has_host)?;
        flags::check_host_ptr(flags, has_host)?;
        if image.desc.num_mip_levels > 1 && has_host {
            let reason = "an image with mip levels has no host_ptr";
            return Err(Error::InvalidHostPtr.because(reason));
        }
        match &image.desc.mem_object {
            Some(object) => image.of_object(context, object, properties),
            None => image.with_memory(context, properties, host),
        }
    }
}
