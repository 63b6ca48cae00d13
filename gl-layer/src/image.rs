//! Images of EGL, shown by renderbuffers of our own: those reach levels, faces and slices of textures as well, where Mesa's
//! functions for textures take the first of them. A texture shows an image where a renderbuffer is left without texels, as
//! by NVIDIA's driver.

use std::ffi::c_void;
use std::sync::Arc;

use crate::context::Gl;
use crate::error::ObjectError;
use crate::extensions::ImageTarget;
use crate::format::TextureFormat;
use crate::functions as gl;
use crate::object::{Object, Picture, RenderbufferNumbers, Shown};
use crate::share_group::ShareGroup;

/// An object of our own that shows an image of EGL: it has the image's texels. It keeps them when the application
/// destroys the image.
pub struct ShownImage {
    group: Arc<ShareGroup>,
    shown: Shown,
    picture: Picture,
}

impl ShownImage {
    /// Has a new object show an image of the group's display.
    ///
    /// # Errors
    /// [`ObjectError::Invalid`] if there is no such image; [`ObjectError::Channels`] and [`ObjectError::Unsupported`] if
    /// OpenCL or OpenGL has no images of its texels. `None` if the thread of OpenGL has ended.
    pub fn open(group: &Arc<ShareGroup>, image: usize) -> Option<Result<Self, ObjectError>> {
        let shown = group.call(|gl| gl.show_image(image))?;
        Some(shown.map(|(shown, picture)| Self {
            group: group.clone(),
            shown,
            picture,
        }))
    }

    /// The object that copies name.
    pub fn object(&self) -> Object {
        Object::Image(self.shown)
    }

    /// The texels.
    pub fn picture(&self) -> Picture {
        self.picture
    }

    /// The share group that has the object.
    pub fn group(&self) -> &Arc<ShareGroup> {
        &self.group
    }
}

impl Drop for ShownImage {
    fn drop(&mut self) {
        let shown = self.shown;
        self.group.call(|gl| gl.delete_shown(shown));
    }
}

impl Gl {
    /// Makes an object that shows an image of EGL.
    fn show_image(&self, image: usize) -> Result<(Shown, Picture), ObjectError> {
        let extensions = &self.extensions;
        let (Some(to_renderbuffer), Some(to_texture)) =
            (extensions.image_target, extensions.image_target_texture)
        else {
            let reason = "OpenGL lacks GL_OES_EGL_image";
            return Err(ObjectError::Unsupported(reason));
        };
        if image == 0 || !self.knows_image(image) {
            let reason = format!("{image:#x} is no image of the display");
            return Err(ObjectError::Invalid(reason));
        }
        let by_renderbuffer = self.show_by_renderbuffer(to_renderbuffer, image)?;
        if by_renderbuffer.1.is_some() {
            return self.shown_image(by_renderbuffer);
        }
        self.delete_shown(by_renderbuffer.0);
        self.shown_image(self.show_by_texture(to_texture, image)?)
    }

    /// Makes a renderbuffer that shows an image; gives its numbers if it has texels.
    fn show_by_renderbuffer(
        &self,
        target: ImageTarget,
        image: usize,
    ) -> Result<Showing, ObjectError> {
        self.clear_errors();
        let f = self.functions();
        let mut name = 0;
        // SAFETY: the context is current on this thread; OpenGL asks EGL whether the value is an image.
        let code = unsafe {
            (f.gen_renderbuffers)(1, &mut name);
            (f.bind_renderbuffer)(gl::RENDERBUFFER, name);
            target(gl::RENDERBUFFER, image as *mut c_void);
            let code = (f.get_error)();
            (f.bind_renderbuffer)(gl::RENDERBUFFER, 0);
            code
        };
        let shown = Shown::Renderbuffer(name);
        self.keep_shown(shown, code)?;
        // The internal format tells no sizes.
        let RenderbufferNumbers { size, bits, .. } = self.renderbuffer_numbers(name);
        Ok((shown, has_texels(size).then_some((size, bits))))
    }

    /// Makes a texture that shows an image; gives its numbers if it has texels.
    fn show_by_texture(&self, target: ImageTarget, image: usize) -> Result<Showing, ObjectError> {
        self.clear_errors();
        let f = self.functions();
        let mut name = 0;
        // SAFETY: as above.
        let (code, (size, bits)) = unsafe {
            (f.gen_textures)(1, &mut name);
            (f.bind_texture)(gl::TEXTURE_2D, name);
            target(gl::TEXTURE_2D, image as *mut c_void);
            let code = (f.get_error)();
            let numbers = self.plane_numbers();
            (f.bind_texture)(gl::TEXTURE_2D, 0);
            (code, numbers)
        };
        let shown = Shown::Texture(name);
        self.keep_shown(shown, code)?;
        Ok((shown, has_texels(size).then_some((size, bits))))
    }

    /// Deletes a new object if OpenGL refused the image with an error's code.
    fn keep_shown(&self, shown: Shown, code: u32) -> Result<(), ObjectError> {
        let error = match code {
            gl::NO_ERROR => return Ok(()),
            gl::INVALID_OPERATION => ObjectError::Unsupported(
                "OpenGL has neither renderbuffers nor textures of the image's format",
            ),
            code => {
                ObjectError::Invalid(format!("no image of the display: OpenGL's error {code:#x}"))
            }
        };
        self.delete_shown(shown);
        Err(error)
    }

    /// The texels of an object that shows an image; deletes the object if OpenCL does not have such.
    fn shown_image(&self, (shown, numbers): Showing) -> Result<(Shown, Picture), ObjectError> {
        let picture = match numbers {
            Some((size, bits)) => self.shown_picture(shown, size, bits),
            None => Err(ObjectError::Unsupported("the image has no texels")),
        };
        picture
            .map(|picture| (shown, picture))
            .inspect_err(|_| self.delete_shown(shown))
    }

    fn shown_picture(
        &self,
        shown: Shown,
        size: [i32; 2],
        bits: [i32; 4],
    ) -> Result<Picture, ObjectError> {
        self.check("the sizes of an image of EGL")?;
        let (data_type, encoding) = self.attachment_numbers(shown)?;
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

    /// Deletes an object of our own.
    fn delete_shown(&self, shown: Shown) {
        let f = self.functions();
        // SAFETY: the context is current on this thread.
        unsafe {
            match shown {
                Shown::Renderbuffer(name) => (f.delete_renderbuffers)(1, &name),
                Shown::Texture(name) => (f.delete_textures)(1, &name),
            }
        }
    }
}

/// An object that shows an image: width and height, and the bits of red, green, blue and alpha; none if it has no texels.
type Showing = (Shown, Option<([i32; 2], [i32; 4])>);

fn has_texels(size: [i32; 2]) -> bool {
    size.iter().all(|&n| n > 0)
}
