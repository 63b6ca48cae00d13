//! Images of EGL, shown by renderbuffers of our own: those reach levels, faces and slices of textures as well, where Mesa's
//! functions for textures take the first of them.

use std::ffi::c_void;
use std::sync::Arc;

use crate::context::Gl;
use crate::error::ObjectError;
use crate::format::TextureFormat;
use crate::functions as gl;
use crate::object::{Object, Picture, RenderbufferNumbers};
use crate::share_group::ShareGroup;

/// A renderbuffer of our own that shows an image of EGL: it has the image's texels. It keeps them when the application
/// destroys the image.
pub struct ShownImage {
    group: Arc<ShareGroup>,
    name: u32,
    picture: Picture,
}

impl ShownImage {
    /// Has a new renderbuffer show an image of the group's display.
    ///
    /// # Errors
    /// [`ObjectError::Invalid`] if there is no such image; [`ObjectError::Channels`] and [`ObjectError::Unsupported`] if
    /// OpenCL or OpenGL has no images of its texels. `None` if the thread of OpenGL has ended.
    pub fn open(group: &Arc<ShareGroup>, image: usize) -> Option<Result<Self, ObjectError>> {
        let shown = group.call(|gl| gl.show_image(image))?;
        Some(shown.map(|(name, picture)| Self {
            group: group.clone(),
            name,
            picture,
        }))
    }

    /// The object that copies name.
    pub fn object(&self) -> Object {
        Object::Image(self.name)
    }

    /// The texels.
    pub fn picture(&self) -> Picture {
        self.picture
    }

    /// The share group that has the renderbuffer.
    pub fn group(&self) -> &Arc<ShareGroup> {
        &self.group
    }
}

impl Drop for ShownImage {
    fn drop(&mut self) {
        let name = self.name;
        self.group.call(|gl| gl.delete_renderbuffer(name));
    }
}

impl Gl {
    /// Makes a renderbuffer that shows an image of EGL.
    fn show_image(&self, image: usize) -> Result<(u32, Picture), ObjectError> {
        let Some(image_target) = self.extensions.image_target else {
            let reason = "OpenGL lacks GL_OES_EGL_image";
            return Err(ObjectError::Unsupported(reason));
        };
        if image == 0 || !self.knows_image(image) {
            let reason = format!("{image:#x} is no image of the display");
            return Err(ObjectError::Invalid(reason));
        }
        self.clear_errors();
        let f = self.functions();
        let mut name = 0;
        // SAFETY: the context is current on this thread; OpenGL asks EGL whether the value is an image.
        let code = unsafe {
            (f.gen_renderbuffers)(1, &mut name);
            (f.bind_renderbuffer)(gl::RENDERBUFFER, name);
            image_target(gl::RENDERBUFFER, image as *mut c_void);
            let code = (f.get_error)();
            (f.bind_renderbuffer)(gl::RENDERBUFFER, 0);
            code
        };
        let shown = match code {
            gl::NO_ERROR => self.shown_image(name),
            gl::INVALID_OPERATION => Err(ObjectError::Unsupported(
                "OpenGL has no renderbuffers of the image's format",
            )),
            code => {
                let reason = format!("no image of the display: OpenGL's error {code:#x}");
                Err(ObjectError::Invalid(reason))
            }
        };
        shown
            .map(|picture| (name, picture))
            .inspect_err(|_| self.delete_renderbuffer(name))
    }

    /// The texels of a renderbuffer that shows an image. Its internal format tells no sizes.
    fn shown_image(&self, name: u32) -> Result<Picture, ObjectError> {
        let RenderbufferNumbers { size, bits, .. } = self.renderbuffer_numbers(name);
        self.check("the sizes of an image of EGL")?;
        if size[0] <= 0 || size[1] <= 0 {
            return Err(ObjectError::Unsupported("the image has no texels"));
        }
        let (data_type, encoding) = self.attachment_numbers(name)?;
        let format = TextureFormat::of_channels(bits, data_type, encoding == gl::SRGB);
        let format = format.ok_or_else(|| {
            let reason = format!("channels of {bits:?} bits of type {data_type:#x}");
            ObjectError::Channels(reason)
        })?;
        Ok(Picture {
            format,
            size: [size[0] as u32, size[1] as u32, 1],
            samples: 0,
        })
    }

    /// Deletes a renderbuffer of our own.
    fn delete_renderbuffer(&self, name: u32) {
        // SAFETY: the context is current on this thread.
        unsafe { (self.functions().delete_renderbuffers)(1, &name) };
    }
}
