//! Memory objects of images of EGL (cl_khr_egl_image).
//!
//! The image of OpenCL has contents of its own: to acquire it copies those of EGL's image to it, to release it copies them
//! back (`command/gl.rs`).

use std::sync::Arc;

use opencl_sys as cl;
use pumice_gl_layer::{ObjectError, Shape, ShareGroup, ShownImage};

use crate::base::error::{Error, Result};
use crate::base::object::Ref;
use crate::context::Context;
use crate::memory::Mem;
use crate::memory::external::{External, Properties, Shared};
use crate::memory::flags;
use crate::memory::gl::{desc, image_format};

/// The flags that an image of EGL may have.
const FLAGS: u64 = cl::CL_MEM_READ_WRITE
    | cl::CL_MEM_READ_ONLY
    | cl::CL_MEM_WRITE_ONLY
    | cl::CL_MEM_IMMUTABLE_EXT
    | cl::CL_MEM_HOST_WRITE_ONLY
    | cl::CL_MEM_HOST_READ_ONLY
    | cl::CL_MEM_HOST_NO_ACCESS;

/// The image of EGL that a memory object was made of.
pub struct EglImage {
    shared: Shared,
    /// Keeps the renderbuffer that copies go through.
    _shown: ShownImage,
}

impl EglImage {
    /// The image as copies know it.
    pub(super) fn shared(&self) -> &Shared {
        &self.shared
    }
}

/// Checks the arguments of clCreateFromEGLImageKHR that need no display.
///
/// # Errors
/// CL_INVALID_VALUE if there are properties, or flags that are not valid.
pub fn check_arguments(flags: u64, has_properties: bool) -> Result<()> {
    if has_properties {
        return Err(Error::InvalidValue.because("no properties are known"));
    }
    if flags & !FLAGS != 0 {
        let reason = format!("flags {flags:#x} are not those of an image of EGL");
        return Err(Error::InvalidValue.because(reason));
    }
    flags::check_flags(flags)
}

/// The error of an image that cannot be shown.
fn image_error(error: ObjectError) -> Error {
    match error {
        ObjectError::Invalid(reason) => Error::InvalidEglObject.because(reason),
        ObjectError::Format(internal) => {
            let reason = format!("no image of OpenCL has texels of OpenGL's format {internal:#x}");
            Error::ImageFormatNotSupported.because(reason)
        }
        ObjectError::Unsupported(reason) => Error::ImageFormatNotSupported.because(reason),
        ObjectError::Channels(reason) => Error::ImageFormatNotSupported.because(reason),
        ObjectError::Level(reason) => Error::InvalidEglObject.because(reason),
    }
}

/// clCreateFromEGLImageKHR, with a context of our own on the display.
///
/// # Errors
/// Those that the specification lists for clCreateFromEGLImageKHR, in its order.
pub fn create(
    context: &Ref<Context>,
    group: &Arc<ShareGroup>,
    image: usize,
    flags: u64,
) -> Result<Ref<Mem>> {
    // CL_INVALID_EGL_OBJECT_KHR if image is not a valid image; CL_IMAGE_FORMAT_NOT_SUPPORTED if no image of OpenCL can be
    // made of it.
    let shown = ShownImage::open(group, image).ok_or(Error::OutOfResources)?;
    let shown = shown.map_err(image_error)?;
    let picture = shown.picture();
    let format = image_format(picture.format);
    let desc = desc(cl::CL_MEM_OBJECT_IMAGE2D, Shape::D2, &picture);
    let made = External::Egl(EglImage {
        shared: Shared::new(group, shown.object(), vec![(0, picture)]),
        _shown: shown,
    });
    let properties = Properties::of_shared(made);
    let made = Mem::create_image(
        context,
        properties,
        flags,
        Some(format),
        Some(desc),
        false,
        |_| None,
    );
    made.map_err(|error| match error {
        // CL_OUT_OF_RESOURCES: OpenGL has larger textures.
        Error::InvalidImageSize => Error::OutOfResources,
        other => other,
    })
}
