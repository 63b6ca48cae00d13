//! Buffers, textures and renderbuffers of the share group, as their creation needs to know them.

use crate::context::Gl;
use crate::error::ObjectError;
use crate::format::TextureFormat;
use crate::functions as gl;

/// An object by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Object {
    /// A buffer.
    Buffer(u32),
    /// A texture, and the target that says which of its images is meant.
    Texture {
        /// `GL_TEXTURE_2D`, `GL_TEXTURE_CUBE_MAP_POSITIVE_X`, …
        target: u32,
        /// Its name.
        name: u32,
    },
    /// A renderbuffer.
    Renderbuffer(u32),
    /// A renderbuffer of our own that shows an image of EGL.
    Image(u32),
}

/// The shape of a texture's image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A row.
    D1,
    /// Layers of one row.
    D1Array,
    /// A buffer's texels.
    Buffer,
    /// A plane.
    D2,
    /// Layers of one plane.
    D2Array,
    /// A plane with samples a pixel.
    D2Samples,
    /// Layers of one plane with samples a pixel.
    D2ArraySamples,
    /// A box.
    D3,
}

/// The numbers of a renderbuffer.
pub(crate) struct RenderbufferNumbers {
    /// Width and height.
    pub size: [i32; 2],
    /// The internal format.
    pub internal: u32,
    /// The bits of red, green, blue and alpha.
    pub bits: [i32; 4],
    /// The samples of a pixel; 0 for one.
    pub samples: i32,
}

/// One image: a level of a texture, or a renderbuffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Its format.
    pub format: &'static TextureFormat,
    /// Width, height and depth; 1 where the shape has none. Layers are the last dimension of arrays.
    pub size: [u32; 3],
    /// Samples a pixel, which lie in host memory as planes, those of one layer behind each other; 0 for a shape without.
    pub samples: u32,
}

/// The shape that a texture target means; `None` for others.
pub fn shape_of_target(target: u32) -> Option<Shape> {
    Some(match target {
        gl::TEXTURE_1D => Shape::D1,
        gl::TEXTURE_1D_ARRAY => Shape::D1Array,
        gl::TEXTURE_BUFFER => Shape::Buffer,
        gl::TEXTURE_2D | gl::TEXTURE_RECTANGLE => Shape::D2,
        gl::TEXTURE_CUBE_MAP_POSITIVE_X..=gl::TEXTURE_CUBE_MAP_NEGATIVE_Z => Shape::D2,
        gl::TEXTURE_2D_ARRAY => Shape::D2Array,
        gl::TEXTURE_2D_MULTISAMPLE => Shape::D2Samples,
        gl::TEXTURE_2D_MULTISAMPLE_ARRAY => Shape::D2ArraySamples,
        gl::TEXTURE_3D => Shape::D3,
        _ => return None,
    })
}

/// The target that a texture is bound to of which a face is meant.
pub(crate) fn binding_target(target: u32) -> u32 {
    match target {
        gl::TEXTURE_CUBE_MAP_POSITIVE_X..=gl::TEXTURE_CUBE_MAP_NEGATIVE_Z => gl::TEXTURE_CUBE_MAP,
        other => other,
    }
}

/// Tells whether textures of a target have one level, whose number is 0.
fn has_one_level(target: u32) -> bool {
    matches!(
        target,
        gl::TEXTURE_BUFFER
            | gl::TEXTURE_RECTANGLE
            | gl::TEXTURE_2D_MULTISAMPLE
            | gl::TEXTURE_2D_MULTISAMPLE_ARRAY
    )
}

impl Picture {
    /// Bytes of its texels in host memory, without gaps.
    pub fn bytes(&self) -> usize {
        let texels: usize = self.size.iter().map(|&n| n as usize).product();
        texels * self.samples.max(1) as usize * self.format.texel_size()
    }
}

fn invalid<T>(reason: impl Into<String>) -> Result<T, ObjectError> {
    Err(ObjectError::Invalid(reason.into()))
}

impl Gl {
    /// Bytes of a buffer's data store.
    ///
    /// # Errors
    /// [`ObjectError::Invalid`] if there is no such buffer, or it has no data store.
    pub fn buffer_size(&self, name: u32) -> Result<u64, ObjectError> {
        let f = self.functions();
        let mut size = 0;
        // SAFETY: the context is current on this thread, and there is space for one value.
        unsafe {
            if name == 0 || (f.is_buffer)(name) == 0 {
                return invalid(format!("{name} is no buffer of the share group"));
            }
            (f.bind_buffer)(gl::COPY_READ_BUFFER, name);
            (f.get_buffer_parameter)(gl::COPY_READ_BUFFER, gl::BUFFER_SIZE, &mut size);
            (f.bind_buffer)(gl::COPY_READ_BUFFER, 0);
        }
        self.check("the size of a buffer")?;
        match u64::try_from(size) {
            Ok(0) | Err(_) => invalid(format!("buffer {name} has no data store")),
            Ok(size) => Ok(size),
        }
    }

    /// Binds a texture to the target that its type has, for the time of a call.
    pub(crate) fn with_texture<T>(
        &self,
        (target, name): (u32, u32),
        work: impl FnOnce() -> Result<T, ObjectError>,
    ) -> Result<T, ObjectError> {
        let f = self.functions();
        let bound = binding_target(target);
        // SAFETY: the context is current on this thread.
        unsafe {
            if name == 0 || (f.is_texture)(name) == 0 {
                return invalid(format!("{name} is no texture of the share group"));
            }
            self.clear_errors();
            (f.bind_texture)(bound, name);
        }
        let checked = self.check(&format!("texture {name} is not one of target {target:#x}"));
        let done = checked.and_then(|()| work());
        // SAFETY: as above.
        unsafe { (f.bind_texture)(bound, 0) };
        done
    }

    fn level_parameter(&self, target: u32, level: i32, parameter: u32) -> i32 {
        let mut value = 0;
        // SAFETY: the context is current on this thread, and there is space for one value.
        unsafe { (self.functions().get_tex_level_parameter)(target, level, parameter, &mut value) };
        value
    }

    /// The levels that a texture may have: its base level and the last one (OpenGL 2.1, 3.8.10).
    ///
    /// # Errors
    /// [`ObjectError::Invalid`] if there is no such texture of the target, or its base level is empty.
    pub fn texture_levels(&self, target: u32, name: u32) -> Result<[u32; 2], ObjectError> {
        let f = self.functions();
        self.with_texture((target, name), || {
            if has_one_level(target) {
                return Ok([0, 0]);
            }
            let bound = binding_target(target);
            let (mut base, mut most) = (0, 0);
            // SAFETY: the context is current on this thread, and there is space for one value each.
            unsafe {
                (f.get_tex_parameter)(bound, gl::TEXTURE_BASE_LEVEL, &mut base);
                (f.get_tex_parameter)(bound, gl::TEXTURE_MAX_LEVEL, &mut most);
            }
            let size = |parameter| self.level_parameter(target, base, parameter);
            let (width, height) = (size(gl::TEXTURE_WIDTH), size(gl::TEXTURE_HEIGHT));
            let longest = match shape_of_target(target) {
                Some(Shape::D1 | Shape::D1Array) => width,
                Some(Shape::D3) => width.max(height).max(size(gl::TEXTURE_DEPTH)),
                _ => width.max(height),
            };
            self.check("the levels of a texture")?;
            let Some(halvings) = u32::try_from(longest).ok().and_then(u32::checked_ilog2) else {
                return invalid(format!("texture {name} is empty"));
            };
            let base = base.max(0) as u32;
            Ok([base, (most.max(0) as u32).min(base + halvings)])
        })
    }

    /// A level of a texture.
    ///
    /// # Errors
    /// All of [`ObjectError`].
    pub fn texture(&self, target: u32, name: u32, level: u32) -> Result<Picture, ObjectError> {
        self.with_texture((target, name), || {
            let value = |parameter| self.level_parameter(target, level as i32, parameter);
            let size = [gl::TEXTURE_WIDTH, gl::TEXTURE_HEIGHT, gl::TEXTURE_DEPTH].map(value);
            let internal = value(gl::TEXTURE_INTERNAL_FORMAT) as u32;
            let bits = [value(gl::TEXTURE_RED_SIZE), value(gl::TEXTURE_ALPHA_SIZE)];
            let samples = match shape_of_target(target) {
                // OpenGL may count one as none.
                Some(Shape::D2Samples | Shape::D2ArraySamples) => value(gl::TEXTURE_SAMPLES).max(1),
                _ => 0,
            };
            let border = match target {
                gl::TEXTURE_BUFFER => 0,
                _ if samples > 0 => 0,
                _ => value(gl::TEXTURE_BORDER),
            };
            self.check("the sizes of a texture")?;
            if size[0] <= 0 || size[1] <= 0 {
                return invalid(format!("level {level} of texture {name} is not there"));
            }
            if border > 0 {
                return Err(ObjectError::Unsupported("the texture has a border"));
            }
            let format = TextureFormat::find(internal, bits);
            Ok(Picture {
                format: format.ok_or(ObjectError::Format(internal))?,
                size: size.map(|n| n.max(1) as u32),
                samples: samples as u32,
            })
        })
    }

    /// The buffer that a buffer texture shows.
    ///
    /// # Errors
    /// [`ObjectError::Invalid`] if it shows none.
    pub fn buffer_of_texture(&self, name: u32) -> Result<u32, ObjectError> {
        let [buffer, offset] = self.with_texture((gl::TEXTURE_BUFFER, name), || {
            let value = |parameter| self.level_parameter(gl::TEXTURE_BUFFER, 0, parameter);
            let buffer = value(gl::TEXTURE_BUFFER_DATA_STORE_BINDING);
            // Versions without it show whole buffers.
            let offset = value(gl::TEXTURE_BUFFER_OFFSET);
            self.clear_errors();
            Ok([buffer, offset])
        })?;
        match (buffer, offset) {
            (0, _) => invalid(format!("texture {name} shows no buffer")),
            (buffer, 0) => Ok(buffer as u32),
            _ => Err(ObjectError::Unsupported(
                "the texture begins inside its buffer",
            )),
        }
    }

    /// A renderbuffer.
    ///
    /// # Errors
    /// All of [`ObjectError`] but [`ObjectError::Level`].
    pub fn renderbuffer(&self, name: u32) -> Result<Picture, ObjectError> {
        // SAFETY: the context is current on this thread.
        if name == 0 || unsafe { (self.functions().is_renderbuffer)(name) } == 0 {
            return invalid(format!("{name} is no renderbuffer of the share group"));
        }
        let RenderbufferNumbers {
            size,
            internal,
            bits: [red, _, _, alpha],
            samples,
        } = self.renderbuffer_numbers(name);
        self.check("the sizes of a renderbuffer")?;
        if size[0] <= 0 || size[1] <= 0 {
            return invalid(format!("renderbuffer {name} is empty"));
        }
        if samples > 0 {
            return Err(ObjectError::Unsupported("the renderbuffer has samples"));
        }
        let format = TextureFormat::find(internal, [red, alpha]);
        Ok(Picture {
            format: format.ok_or(ObjectError::Format(internal))?,
            size: [size[0] as u32, size[1] as u32, 1],
            samples: 0,
        })
    }

    /// The numbers of a renderbuffer, which there is.
    pub(crate) fn renderbuffer_numbers(&self, name: u32) -> RenderbufferNumbers {
        let f = self.functions();
        let value = |parameter| {
            let mut value = 0;
            // SAFETY: the context is current on this thread, and there is space for one value.
            unsafe { (f.get_renderbuffer_parameter)(gl::RENDERBUFFER, parameter, &mut value) };
            value
        };
        // SAFETY: as above.
        unsafe { (f.bind_renderbuffer)(gl::RENDERBUFFER, name) };
        let numbers = RenderbufferNumbers {
            size: [gl::RENDERBUFFER_WIDTH, gl::RENDERBUFFER_HEIGHT].map(value),
            internal: value(gl::RENDERBUFFER_INTERNAL_FORMAT) as u32,
            bits: gl::RENDERBUFFER_SIZES.map(value),
            samples: value(gl::RENDERBUFFER_SAMPLES),
        };
        // SAFETY: as above.
        unsafe { (f.bind_renderbuffer)(gl::RENDERBUFFER, 0) };
        numbers
    }
}
