//! The context that is current on its thread, for whatever is asked of it there.

use std::cell::RefCell;
use std::sync::Arc;

use crate::binding::OwnContext;
use crate::error::ObjectError;
use crate::extensions::Extensions;
use crate::functions::{self as gl, Functions};

/// The context, on its thread.
pub struct Gl {
    pub(crate) functions: Arc<Functions>,
    pub(crate) extensions: Extensions,
    /// The programs that have been drawn with, by their fragment shaders.
    pub(crate) programs: RefCell<Vec<(String, u32)>>,
    pub(crate) context: OwnContext,
}

impl Drop for Gl {
    fn drop(&mut self) {
        self.delete_programs();
    }
}

impl Gl {
    pub(crate) fn functions(&self) -> &Functions {
        &self.functions
    }

    /// Tells whether the display still knows the context. It does not once the application has ended the display.
    pub fn is_valid(&self) -> bool {
        self.context.is_valid()
    }

    /// Tells whether the display has an image of EGL.
    pub(crate) fn knows_image(&self, image: usize) -> bool {
        self.context.knows_image(image)
    }

    /// The UUIDs of the devices that render; none if OpenGL does not tell (GL_EXT_memory_object).
    pub fn device_uuids(&self) -> Vec<[u8; 16]> {
        let Some(bytes_indexed) = self.extensions.bytes_indexed else {
            return Vec::new();
        };
        let mut count = 0;
        // SAFETY: the context is current on this thread, and there is space for one value.
        unsafe { (self.functions.get_integer)(gl::NUM_DEVICE_UUIDS, &mut count) };
        let uuid = |index| {
            let mut bytes = [0; 16];
            // SAFETY: the context is current on this thread, and there is space for GL_UUID_SIZE_EXT bytes.
            unsafe { bytes_indexed(gl::DEVICE_UUID, index, bytes.as_mut_ptr()) };
            bytes
        };
        let uuids = (0..count.max(0) as u32).map(uuid).collect();
        self.clear_errors();
        uuids
    }

    /// Forgets errors that nobody has asked for.
    pub(crate) fn clear_errors(&self) {
        // A lost context gives an error for ever.
        for _ in 0..16 {
            // SAFETY: the context is current on this thread.
            let code = unsafe { (self.functions.get_error)() };
            if code == gl::NO_ERROR {
                return;
            }
        }
    }

    /// An error if OpenGL has noted one.
    pub(crate) fn check(&self, action: &str) -> Result<(), ObjectError> {
        // SAFETY: the context is current on this thread.
        match unsafe { (self.functions.get_error)() } {
            gl::NO_ERROR => Ok(()),
            code => {
                self.clear_errors();
                let reason = format!("{action}: OpenGL's error {code:#x}");
                Err(ObjectError::Invalid(reason))
            }
        }
    }
}
