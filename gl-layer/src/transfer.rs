//! Copies between objects of the share group and host memory.
//!
//! A read ends with the contents in host memory. A write ends when OpenGL has done it ([`Gl::finish`] waits), so that
//! every context of the group sees it.

use std::ffi::c_void;

use crate::context::Gl;
use crate::error::ObjectError;
use crate::functions as gl;
use crate::object::{Object, Picture, Shape, shape_of_target};

/// The direction of a copy, with the host's memory.
enum Host<'a> {
    To(&'a mut [u8]),
    From(&'a [u8]),
}

impl Host<'_> {
    fn len(&self) -> usize {
        match self {
            Host::To(bytes) => bytes.len(),
            Host::From(bytes) => bytes.len(),
        }
    }
}

fn invalid<T>(reason: impl Into<String>) -> Result<T, ObjectError> {
    Err(ObjectError::Invalid(reason.into()))
}

/// The attachment of a framebuffer that texels are, and the buffer that is read or drawn.
fn parts(picture: &Picture) -> (u32, u32) {
    match picture.format.is_depth() {
        true => (gl::DEPTH_ATTACHMENT, gl::NONE),
        false => (gl::COLOR_ATTACHMENT0, gl::COLOR_ATTACHMENT0),
    }
}

impl Gl {
    /// Waits until OpenGL has done everything that this context was told.
    pub fn finish(&self) {
        // SAFETY: the context is current on this thread.
        unsafe { (self.functions().finish)() };
    }

    /// Copies a whole buffer to the host.
    ///
    /// # Errors
    /// [`ObjectError::Invalid`] if it is no buffer, is gone, of another size, or mapped.
    pub fn read_bytes(&self, object: Object, to: &mut [u8]) -> Result<(), ObjectError> {
        self.copy_bytes(object, Host::To(to))
    }

    /// Copies the host's bytes to a whole buffer.
    ///
    /// # Errors
    /// As [`Gl::read_bytes`].
    pub fn write_bytes(&self, object: Object, from: &[u8]) -> Result<(), ObjectError> {
        self.copy_bytes(object, Host::From(from))
    }

    fn copy_bytes(&self, object: Object, host: Host<'_>) -> Result<(), ObjectError> {
        match object {
            Object::Buffer(name) => self.copy_buffer(name, host),
            other => invalid(format!("{other:?} is no buffer")),
        }
    }

    fn copy_buffer(&self, name: u32, host: Host<'_>) -> Result<(), ObjectError> {
        let size = self.buffer_size(name)?;
        if size != host.len() as u64 {
            return invalid(format!(
                "buffer {name} has {size} bytes now, not {}",
                host.len()
            ));
        }
        self.clear_errors();
        let f = self.functions();
        let (read, write) = (gl::COPY_READ_BUFFER, gl::COPY_WRITE_BUFFER);
        // SAFETY: the context is current on this thread, and the memory has as many bytes as the buffer.
        unsafe {
            match host {
                Host::To(to) => {
                    (f.bind_buffer)(read, name);
                    (f.get_buffer_sub_data)(read, 0, size as isize, to.as_mut_ptr().cast());
                }
                // By way of a buffer of our own: immutable ones take nothing from the host.
                Host::From(from) => {
                    let mut staging = 0;
                    (f.gen_buffers)(1, &mut staging);
                    (f.bind_buffer)(read, staging);
                    let data = from.as_ptr().cast();
                    (f.buffer_data)(read, size as isize, data, gl::STREAM_COPY);
                    (f.bind_buffer)(write, name);
                    (f.copy_buffer_sub_data)(read, write, 0, 0, size as isize);
                    (f.bind_buffer)(write, 0);
                    (f.delete_buffers)(1, &staging);
                }
            }
            (f.bind_buffer)(read, 0);
        }
        self.check(&format!("a copy of buffer {name}"))
    }

    /// Copies a level of a texture, or a renderbuffer, to the host; `picture` is what it was at its creation.
    ///
    /// # Errors
    /// [`ObjectError`] if it is gone or has changed.
    pub fn read_picture(
        &self,
        object: Object,
        level: u32,
        picture: &Picture,
        to: &mut [u8],
    ) -> Result<(), ObjectError> {
        self.copy_picture(object, level, picture, Host::To(to))
    }

    /// Copies the host's texels to a level of a texture, or to a renderbuffer.
    ///
    /// # Errors
    /// As [`Gl::read_picture`].
    pub fn write_picture(
        &self,
        object: Object,
        level: u32,
        picture: &Picture,
        from: &[u8],
    ) -> Result<(), ObjectError> {
        self.copy_picture(object, level, picture, Host::From(from))
    }

    fn copy_picture(
        &self,
        object: Object,
        level: u32,
        picture: &Picture,
        host: Host<'_>,
    ) -> Result<(), ObjectError> {
        let now = match object {
            Object::Texture { target, name } => self.texture(target, name, level)?,
            Object::Renderbuffer(name) => self.renderbuffer(name)?,
            // It cannot change.
            Object::Image(_) => *picture,
            Object::Buffer(name) => return self.copy_buffer(name, host),
        };
        if now != *picture {
            return invalid(format!(
                "{object:?} has other sizes or another format than before"
            ));
        }
        if picture.bytes() != host.len() {
            return invalid(format!(
                "{} bytes for a picture of {}",
                host.len(),
                picture.bytes()
            ));
        }
        self.clear_errors();
        match object {
            Object::Texture { target, name } => self.with_texture((target, name), || {
                if picture.samples > 0 {
                    return match host {
                        Host::To(to) => self.read_samples(target, picture, to),
                        Host::From(_) => invalid("nothing writes a texture with samples"),
                    };
                }
                self.copy_level(target, level as i32, picture, host);
                self.check(&format!("a copy of texture {name}"))
            }),
            Object::Renderbuffer(name) => match host {
                Host::To(to) => self.read_renderbuffer(name, picture, to),
                Host::From(from) => self.write_renderbuffer(name, picture, from),
            },
            Object::Image(name) => match host {
                Host::To(to) => self.read_renderbuffer(name, picture, to),
                Host::From(from) => self.write_image(name, picture, from),
            },
            Object::Buffer(_) => Ok(()),
        }
    }

    /// Copies a level of the texture that is bound.
    fn copy_level(&self, target: u32, level: i32, picture: &Picture, host: Host<'_>) {
        let f = self.functions();
        let (format, data_type) = picture.format.transfer();
        let [width, height, depth] = picture.size.map(|n| n as i32);
        // SAFETY: the context is current on this thread; the memory has the bytes of the whole level without gaps, as the
        // context's pixel store says (checked above).
        unsafe {
            let from: *const c_void = match host {
                Host::To(to) => {
                    (f.get_tex_image)(target, level, format, data_type, to.as_mut_ptr().cast());
                    return;
                }
                Host::From(from) => from.as_ptr().cast(),
            };
            match shape_of_target(target) {
                Some(Shape::D1) => {
                    (f.tex_sub_image_1d)(target, level, 0, width, format, data_type, from);
                }
                Some(Shape::D2Array | Shape::D3) => (f.tex_sub_image_3d)(
                    target, level, 0, 0, 0, width, height, depth, format, data_type, from,
                ),
                _ => (f.tex_sub_image_2d)(
                    target, level, 0, 0, width, height, format, data_type, from,
                ),
            }
        }
    }

    /// Makes a framebuffer for the time of a call and binds it to `target`, with an attachment and the buffer that is read or
    /// drawn.
    pub(crate) fn with_framebuffer<T>(
        &self,
        target: u32,
        (attachment, buffer): (u32, u32),
        attach: impl FnOnce(u32),
        work: impl FnOnce() -> Result<T, ObjectError>,
    ) -> Result<T, ObjectError> {
        let f = self.functions();
        let mut framebuffer = 0;
        // SAFETY: the context is current on this thread.
        let status = unsafe {
            (f.gen_framebuffers)(1, &mut framebuffer);
            (f.bind_framebuffer)(target, framebuffer);
            attach(attachment);
            match target {
                gl::READ_FRAMEBUFFER => (f.read_buffer)(buffer),
                _ => (f.draw_buffer)(buffer),
            }
            (f.check_framebuffer_status)(target)
        };
        let done = match status {
            gl::FRAMEBUFFER_COMPLETE => work(),
            status => invalid(format!("OpenGL cannot render to that format: {status:#x}")),
        };
        // SAFETY: as above.
        unsafe {
            (f.bind_framebuffer)(target, 0);
            (f.delete_framebuffers)(1, &framebuffer);
        }
        done
    }

    /// Attaches the first level of a plane to a framebuffer.
    pub(crate) fn attach_texture(&self, target: u32, attachment: u32, name: u32) {
        let f = self.functions();
        // SAFETY: the context is current on this thread.
        unsafe { (f.framebuffer_texture_2d)(target, attachment, gl::TEXTURE_2D, name, 0) };
    }

    fn attach_renderbuffer(&self, target: u32, attachment: u32, name: u32) {
        let f = self.functions();
        // SAFETY: the context is current on this thread.
        unsafe { (f.framebuffer_renderbuffer)(target, attachment, gl::RENDERBUFFER, name) };
    }

    /// The type of the numbers of a renderbuffer of colours (`GL_UNSIGNED_NORMALIZED`, …), and `GL_SRGB` or `GL_LINEAR`.
    pub(crate) fn attachment_numbers(&self, name: u32) -> Result<(i32, i32), ObjectError> {
        let f = self.functions();
        let (target, attachment) = (gl::READ_FRAMEBUFFER, gl::COLOR_ATTACHMENT0);
        let attach = |attachment| self.attach_renderbuffer(target, attachment, name);
        self.with_framebuffer(target, (attachment, attachment), attach, || {
            let value = |parameter| {
                let mut value = 0;
                // SAFETY: the context is current on this thread, and there is space for one value.
                unsafe { (f.get_attachment_parameter)(target, attachment, parameter, &mut value) };
                value
            };
            let data_type = value(gl::ATTACHMENT_COMPONENT_TYPE);
            let numbers = (data_type, value(gl::ATTACHMENT_COLOR_ENCODING));
            self.check("the numbers of an image of EGL")?;
            Ok(numbers)
        })
    }

    fn read_renderbuffer(
        &self,
        name: u32,
        picture: &Picture,
        to: &mut [u8],
    ) -> Result<(), ObjectError> {
        let f = self.functions();
        let target = gl::READ_FRAMEBUFFER;
        let attach = |attachment| self.attach_renderbuffer(target, attachment, name);
        self.with_framebuffer(target, parts(picture), attach, || {
            let (format, data_type) = picture.format.transfer();
            let [width, height, _] = picture.size.map(|n| n as i32);
            // SAFETY: the context is current on this thread; the memory has the bytes of all texels (the caller checked).
            unsafe {
                let to = to.as_mut_ptr().cast();
                (f.read_pixels)(0, 0, width, height, format, data_type, to);
            }
            self.check(&format!("a read of renderbuffer {name}"))
        })
    }

    /// Writes texels to a texture of the renderbuffer's format, and copies that.
    fn write_renderbuffer(
        &self,
        name: u32,
        picture: &Picture,
        from: &[u8],
    ) -> Result<(), ObjectError> {
        let f = self.functions();
        let [width, height, _] = picture.size.map(|n| n as i32);
        let (source, target) = (gl::READ_FRAMEBUFFER, gl::DRAW_FRAMEBUFFER);
        self.with_texels(picture, picture.format.internal, from, |texture| {
            let attach_texture = |attachment| self.attach_texture(source, attachment, texture);
            let attach = |attachment| self.attach_renderbuffer(target, attachment, name);
            self.with_framebuffer(source, parts(picture), attach_texture, || {
                self.with_framebuffer(target, parts(picture), attach, || {
                    let part = match picture.format.is_depth() {
                        true => gl::DEPTH_BUFFER_BIT,
                        false => gl::COLOR_BUFFER_BIT,
                    };
                    let near = gl::NEAREST;
                    // SAFETY: as above.
                    unsafe {
                        (f.blit_framebuffer)(0, 0, width, height, 0, 0, width, height, part, near);
                    }
                    self.check(&format!("a write of renderbuffer {name}"))
                })
            })
        })
    }

    /// Writes texels to a texture, and draws that onto a renderbuffer that shows an image of EGL: Mesa's blits write the
    /// first layer, whichever the image is.
    fn write_image(&self, name: u32, picture: &Picture, from: &[u8]) -> Result<(), ObjectError> {
        let target = gl::DRAW_FRAMEBUFFER;
        let [width, height, _] = picture.size.map(|n| n as i32);
        let internal = picture.format.plain_internal();
        self.with_texels(picture, internal, from, |_| {
            let attach = |attachment| self.attach_renderbuffer(target, attachment, name);
            self.with_framebuffer(target, parts(picture), attach, || {
                self.draw_texels(picture.format.kind(), [width, height])?;
                self.check("a write of an image of EGL")
            })
        })
    }

    /// Makes a texture of the host's texels for the time of a call and binds it to `GL_TEXTURE_2D`.
    fn with_texels<T>(
        &self,
        picture: &Picture,
        internal: u32,
        from: &[u8],
        work: impl FnOnce(u32) -> Result<T, ObjectError>,
    ) -> Result<T, ObjectError> {
        let (format, data_type) = picture.format.transfer();
        let formats = (internal, format, data_type);
        let from = from.as_ptr().cast();
        // SAFETY: the memory has the bytes of all texels (the caller checked).
        unsafe { self.with_plane(picture.size, formats, from, work) }
    }

    /// Makes a texture of one plane for the time of a call and binds it to `GL_TEXTURE_2D`: width and height, internal
    /// format, and format and type of the transfer.
    ///
    /// # Safety
    /// `from` is NULL, for texels with any value, or has the bytes of all texels.
    pub(crate) unsafe fn with_plane<T>(
        &self,
        [width, height, _]: [u32; 3],
        (internal, format, data_type): (u32, u32, u32),
        from: *const c_void,
        work: impl FnOnce(u32) -> Result<T, ObjectError>,
    ) -> Result<T, ObjectError> {
        let f = self.functions();
        let mut texture = 0;
        let [width, height] = [width, height].map(|n| n as i32);
        // SAFETY: the context is current on this thread; the caller's contract.
        unsafe {
            let target = gl::TEXTURE_2D;
            (f.gen_textures)(1, &mut texture);
            (f.bind_texture)(target, texture);
            // Else textures of integers are incomplete.
            for filter in gl::TEXTURE_FILTERS {
                (f.tex_parameter)(target, filter, gl::NEAREST as i32);
            }
            let internal = internal as i32;
            (f.tex_image_2d)(
                target, 0, internal, width, height, 0, format, data_type, from,
            );
        }
        let done = work(texture);
        // SAFETY: as above.
        unsafe {
            (f.bind_texture)(gl::TEXTURE_2D, 0);
            (f.delete_textures)(1, &texture);
        }
        done
    }
}
