//! Memory objects of OpenGL's buffers, textures and renderbuffers (cl_khr_gl_sharing).
//!
//! The memory object has contents of its own: to acquire it copies those of OpenGL's object to it, to release it copies
//! them back (`command/gl.rs`).

use opencl_sys as cl;
use pumice_gl_layer::{
    Channels, Numbers, Object, ObjectError, Picture, Shape, TextureFormat, shape_of_target,
};

use crate::base::error::{Error, Result};
use crate::base::info::Info;
use crate::base::object::{self, Ref};
use crate::context::Context;
use crate::device::depth_stencil::{CL_DEPTH_STENCIL, CL_UNORM_INT24};
use crate::memory::Mem;
use crate::memory::external::{External, Properties, Shared};
use crate::memory::image::ImageMem;
use crate::memory::image_desc::Desc;

/// `GL_TEXTURE_BUFFER`.
const TEXTURE_BUFFER: u32 = 0x8C2A;
/// `GL_TEXTURE_RECTANGLE`.
const TEXTURE_RECTANGLE: u32 = 0x84F5;
/// The flags that an object of OpenGL's may have.
const FLAGS: u64 = cl::CL_MEM_READ_WRITE | cl::CL_MEM_READ_ONLY | cl::CL_MEM_WRITE_ONLY;

/// The object of OpenGL that a memory object was made of.
pub struct GlObject {
    /// CL_GL_OBJECT_*.
    kind: u32,
    /// Its name.
    name: u32,
    /// CL_GL_TEXTURE_TARGET and CL_GL_MIPMAP_LEVEL, as given.
    texture: Option<(u32, i32)>,
    /// The object that has the contents: for a buffer texture, the buffer.
    shared: Shared,
}

impl GlObject {
    /// The object as copies know it.
    pub(super) fn shared(&self) -> &Shared {
        &self.shared
    }
}

/// The forms of clCreateFromGLTexture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextureForm {
    /// clCreateFromGLTexture.
    Any,
    /// clCreateFromGLTexture2D.
    Planes,
    /// clCreateFromGLTexture3D.
    Boxes,
}

/// The channel order and data type of the images of a format.
pub(super) fn image_format(format: &TextureFormat) -> [u32; 2] {
    let order = match format.channels {
        Channels::R => cl::CL_R,
        Channels::Rg => cl::CL_RG,
        Channels::Rgba => cl::CL_RGBA,
        Channels::SrgbAlpha => cl::CL_sRGBA,
        Channels::Depth => cl::CL_DEPTH,
        Channels::DepthStencil => CL_DEPTH_STENCIL,
    };
    let data_type = match format.numbers {
        Numbers::Unorm8 => cl::CL_UNORM_INT8,
        Numbers::Unorm16 => cl::CL_UNORM_INT16,
        Numbers::Unorm24 => CL_UNORM_INT24,
        Numbers::Snorm8 => cl::CL_SNORM_INT8,
        Numbers::Snorm16 => cl::CL_SNORM_INT16,
        Numbers::Sint8 => cl::CL_SIGNED_INT8,
        Numbers::Sint16 => cl::CL_SIGNED_INT16,
        Numbers::Sint32 => cl::CL_SIGNED_INT32,
        Numbers::Uint8 => cl::CL_UNSIGNED_INT8,
        Numbers::Uint16 => cl::CL_UNSIGNED_INT16,
        Numbers::Uint32 => cl::CL_UNSIGNED_INT32,
        Numbers::Half => cl::CL_HALF_FLOAT,
        Numbers::Float => cl::CL_FLOAT,
    };
    [order, data_type]
}

/// The error of an object that cannot be used.
pub fn object_error(error: ObjectError) -> Error {
    match error {
        ObjectError::Invalid(reason) => Error::InvalidGlObject.because(reason),
        ObjectError::Level(reason) => Error::InvalidMipLevel.because(reason),
        ObjectError::Format(internal) => {
            let reason = format!("no image has the internal format {internal:#x}");
            Error::InvalidImageFormatDescriptor.because(reason)
        }
        ObjectError::Channels(reason) => Error::InvalidImageFormatDescriptor.because(reason),
        ObjectError::Unsupported(reason) => Error::InvalidOperation.because(reason),
    }
}

/// The answer of a call of OpenGL.
///
/// # Errors
/// Those of [`object_error`]; CL_OUT_OF_RESOURCES if the thread of OpenGL has ended.
pub fn answered<T>(answer: Option<std::result::Result<T, ObjectError>>) -> Result<T> {
    answer.ok_or(Error::OutOfResources)?.map_err(object_error)
}

/// CL_INVALID_VALUE if flags are not valid.
fn check_flags(flags: u64) -> Result<()> {
    match flags & !FLAGS == 0 && flags.count_ones() <= 1 {
        true => Ok(()),
        false => {
            let reason = format!("flags {flags:#x} are not those of an object of OpenGL's");
            Err(Error::InvalidValue.because(reason))
        }
    }
}

/// clCreateFromGLBuffer.
///
/// # Errors
/// Those that the specification lists for clCreateFromGLBuffer, in its order.
pub fn create_buffer(context: &Ref<Context>, flags: u64, name: u32) -> Result<Ref<Mem>> {
    let group = context.share_group()?;
    check_flags(flags)?;
    let size = answered(group.call(|gl| gl.buffer_size(name)))?;
    let made = GlObject {
        kind: cl::CL_GL_OBJECT_BUFFER,
        name,
        texture: None,
        shared: Shared::new(group, Object::Buffer(name), Vec::new()),
    };
    let properties = Properties::of_shared(External::Gl(made));
    bytes(context, flags, size, properties)
}

/// A buffer of a size that OpenGL has given.
fn bytes(
    context: &Ref<Context>,
    flags: u64,
    size: u64,
    properties: Properties,
) -> Result<Ref<Mem>> {
    let size = usize::try_from(size).map_err(|_| Error::OutOfResources)?;
    Mem::create(context, properties, flags, size, None).map_err(|error| match error {
        Error::InvalidBufferSize => Error::OutOfResources,
        other => other,
    })
}

/// The type of image and the kind of object that textures of a target are.
fn types(target: u32, form: TextureForm) -> Option<(Shape, u32, u32)> {
    let shape = shape_of_target(target)?;
    let (image_type, kind) = match shape {
        Shape::D1 => (cl::CL_MEM_OBJECT_IMAGE1D, cl::CL_GL_OBJECT_TEXTURE1D),
        Shape::D1Array => {
            let image_type = cl::CL_MEM_OBJECT_IMAGE1D_ARRAY;
            (image_type, cl::CL_GL_OBJECT_TEXTURE1D_ARRAY)
        }
        Shape::Buffer => {
            let image_type = cl::CL_MEM_OBJECT_IMAGE1D_BUFFER;
            (image_type, cl::CL_GL_OBJECT_TEXTURE_BUFFER)
        }
        Shape::D2 => (cl::CL_MEM_OBJECT_IMAGE2D, cl::CL_GL_OBJECT_TEXTURE2D),
        Shape::D2Array => {
            let image_type = cl::CL_MEM_OBJECT_IMAGE2D_ARRAY;
            (image_type, cl::CL_GL_OBJECT_TEXTURE2D_ARRAY)
        }
        Shape::D2Samples => (cl::CL_MEM_OBJECT_IMAGE2D, cl::CL_GL_OBJECT_TEXTURE2D),
        Shape::D2ArraySamples => {
            let image_type = cl::CL_MEM_OBJECT_IMAGE2D_ARRAY;
            (image_type, cl::CL_GL_OBJECT_TEXTURE2D_ARRAY)
        }
        Shape::D3 => (cl::CL_MEM_OBJECT_IMAGE3D, cl::CL_GL_OBJECT_TEXTURE3D),
    };
    let suits = match form {
        TextureForm::Any => true,
        TextureForm::Planes => shape == Shape::D2,
        TextureForm::Boxes => shape == Shape::D3,
    };
    suits.then_some((shape, image_type, kind))
}

/// clCreateFromGLTexture, clCreateFromGLTexture2D and clCreateFromGLTexture3D.
///
/// # Errors
/// Those that the specification lists for clCreateFromGLTexture, in its order.
pub fn create_texture(
    context: &Ref<Context>,
    flags: u64,
    form: TextureForm,
    (target, miplevel, name): (u32, i32, u32),
) -> Result<Ref<Mem>> {
    let group = context.share_group()?;
    check_flags(flags)?;
    let (shape, image_type, kind) = types(target, form).ok_or_else(|| {
        let reason = format!("{target:#x} is no texture target of this function");
        Error::InvalidValue.because(reason)
    })?;
    let [base, last] = answered(group.call(|gl| gl.texture_levels(target, name)))?;
    // CL_INVALID_MIP_LEVEL if the level is not between the base level and the last one. A negative one stands for all.
    let levels = match u32::try_from(miplevel) {
        Ok(level) if (base..=last).contains(&level) => level..=level,
        Err(_) if has_levels(target, shape) => base..=last,
        _ => {
            let reason = format!("the texture has levels {base} to {last}, not {miplevel}");
            return Err(Error::InvalidMipLevel.because(reason));
        }
    };
    let levels = answered(group.call(|gl| {
        let level = |level| Ok((level, gl.texture(target, name, level)?));
        levels
            .map(level)
            .collect::<std::result::Result<Vec<_>, _>>()
    }))?;
    let mut made = GlObject {
        kind,
        name,
        texture: Some((target, miplevel)),
        shared: Shared::new(group, Object::Texture { target, name }, levels),
    };
    let picture = made.shared.levels[0].1;
    let mut desc = desc(image_type, shape, &picture);
    if miplevel < 0 {
        desc.num_mip_levels = made.shared.levels.len() as u32;
    }
    if shape == Shape::Buffer {
        // The image is the whole buffer's.
        let buffer = answered(group.call(|gl| gl.buffer_of_texture(name)))?;
        let size = answered(group.call(|gl| gl.buffer_size(buffer)))?;
        made.shared.object = Object::Buffer(buffer);
        made.shared.levels.clear();
        desc.mem_object = Some(bytes(context, flags, size, Properties::default())?);
    }
    image(context, flags, picture.format, desc, made)
}

/// Tells whether textures of a target may have several levels.
fn has_levels(target: u32, shape: Shape) -> bool {
    let one = matches!(target, TEXTURE_BUFFER | TEXTURE_RECTANGLE);
    !one && !matches!(shape, Shape::D2Samples | Shape::D2ArraySamples)
}

/// The description of the image that a picture is.
pub(super) fn desc(image_type: u32, shape: Shape, picture: &Picture) -> Desc {
    let [width, height, depth] = picture.size.map(|n| n as usize);
    let array_size = match shape {
        Shape::D1Array => height,
        Shape::D2Array | Shape::D2ArraySamples => depth,
        _ => 0,
    };
    Desc {
        image_type,
        width,
        height,
        depth,
        array_size,
        row_pitch: 0,
        slice_pitch: 0,
        num_mip_levels: 0,
        num_samples: picture.samples,
        mem_object: None,
    }
}

fn image(
    context: &Ref<Context>,
    flags: u64,
    format: &TextureFormat,
    desc: Desc,
    made: GlObject,
) -> Result<Ref<Mem>> {
    let format = image_format(format);
    let made = Properties::of_shared(External::Gl(made));
    let made = Mem::create_image(
        context,
        made,
        flags,
        Some(format),
        Some(desc),
        false,
        |_| None,
    );
    made.map_err(|error| match error {
        // CL_INVALID_IMAGE_FORMAT_DESCRIPTOR if the internal format does not map to one of OpenCL's.
        Error::ImageFormatNotSupported => Error::InvalidImageFormatDescriptor.because(format!(
            "no device has such images of order {:#x}, data type {:#x}",
            format[0], format[1]
        )),
        // CL_OUT_OF_RESOURCES: OpenGL has larger textures.
        Error::InvalidImageSize => Error::OutOfResources,
        Error::InvalidImageDescriptor => Error::InvalidMipLevel,
        other => other,
    })
}

/// clCreateFromGLRenderbuffer.
///
/// # Errors
/// Those that the specification lists for clCreateFromGLRenderbuffer, in its order.
pub fn create_renderbuffer(context: &Ref<Context>, flags: u64, name: u32) -> Result<Ref<Mem>> {
    let group = context.share_group()?;
    check_flags(flags)?;
    let picture = answered(group.call(|gl| gl.renderbuffer(name)))?;
    let made = GlObject {
        kind: cl::CL_GL_OBJECT_RENDERBUFFER,
        name,
        texture: None,
        shared: Shared::new(group, Object::Renderbuffer(name), vec![(0, picture)]),
    };
    let desc = desc(cl::CL_MEM_OBJECT_IMAGE2D, Shape::D2, &picture);
    image(context, flags, picture.format, desc, made)
}

impl Mem {
    /// The object of OpenGL that it was made of: CL_INVALID_GL_OBJECT if there is none.
    ///
    /// # Errors
    /// [`Error::InvalidGlObject`].
    pub fn gl_object(&self) -> Result<&GlObject> {
        match self.external() {
            Some(External::Gl(object)) => Ok(object),
            _ => Err(Error::InvalidGlObject.because("the object was not made of one of OpenGL's")),
        }
    }
}

impl object::Object<Mem> {
    /// clGetGLObjectInfo: the type and the name.
    ///
    /// # Errors
    /// [`Error::InvalidGlObject`].
    pub fn gl_object_info(&self) -> Result<[u32; 2]> {
        let object = self.gl_object()?;
        Ok([object.kind, object.name])
    }

    /// clGetGLTextureInfo.
    ///
    /// # Errors
    /// Those that the specification lists for clGetGLTextureInfo, in its order.
    pub fn gl_texture_info(&self, name: u32) -> Result<Info> {
        // CL_INVALID_GL_OBJECT if there is no texture.
        let (target, miplevel) = self.gl_object()?.texture.ok_or_else(|| {
            Error::InvalidGlObject.because("the object was not made of a texture")
        })?;
        match name {
            cl::CL_GL_TEXTURE_TARGET => Ok(Info::u32(target)),
            cl::CL_GL_MIPMAP_LEVEL => Ok(Info::i32(miplevel)),
            // One, if it is no texture with samples.
            cl::CL_GL_NUM_SAMPLES => {
                let samples = self.image().map_or(0, ImageMem::samples);
                Ok(Info::i32(samples.max(1) as i32))
            }
            _ => Err(Error::InvalidValue),
        }
    }
}
