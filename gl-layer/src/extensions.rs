//! Functions of extensions of OpenGL, which a context may lack.

use std::ffi::{CStr, c_void};

use crate::functions::{self as gl, Functions};

/// `glEGLImageTargetRenderbufferStorageOES`.
type ImageTarget = unsafe extern "system" fn(u32, *mut c_void);
/// `glGetUnsignedBytei_vEXT`.
type BytesIndexed = unsafe extern "system" fn(u32, u32, *mut u8);

/// The functions of the extensions that a context has.
pub(crate) struct Extensions {
    /// Has a renderbuffer show an image of EGL (GL_OES_EGL_image).
    pub image_target: Option<ImageTarget>,
    /// Tells the UUIDs of the devices that render (GL_EXT_memory_object).
    pub bytes_indexed: Option<BytesIndexed>,
}

impl Extensions {
    /// Looks up what the context that is current on this thread has. `find` gives the address of a function of OpenGL.
    ///
    /// # Safety
    /// A context is current on this thread, and the functions are its.
    pub unsafe fn load(functions: &Functions, find: impl Fn(&CStr) -> *const c_void) -> Self {
        // SAFETY: the caller's contract.
        let names = unsafe { names(functions) };
        // Libraries give addresses of functions that the context does not have, too.
        let function = |extension: &CStr, name: &CStr| {
            let listed = names.contains(&extension);
            let address = find(name);
            (listed && !address.is_null()).then_some(address)
        };
        let image_target = function(
            c"GL_OES_EGL_image",
            c"glEGLImageTargetRenderbufferStorageOES",
        );
        let bytes_indexed = function(c"GL_EXT_memory_object", c"glGetUnsignedBytei_vEXT");
        // SAFETY: the types are those of the functions in GL/glext.h.
        unsafe {
            Self {
                image_target: image_target
                    .map(|address| std::mem::transmute::<*const c_void, ImageTarget>(address)),
                bytes_indexed: bytes_indexed
                    .map(|address| std::mem::transmute::<*const c_void, BytesIndexed>(address)),
            }
        }
    }
}

/// The names of the context's extensions.
///
/// # Safety
/// A context is current on this thread.
unsafe fn names<'a>(functions: &Functions) -> Vec<&'a CStr> {
    let mut count = 0;
    // SAFETY: there is space for one value; OpenGL gives C strings that stay, or NULL.
    unsafe {
        (functions.get_integer)(gl::NUM_EXTENSIONS, &mut count);
        (0..count.max(0) as u32)
            .map(|index| (functions.get_string_indexed)(gl::EXTENSIONS, index))
            .filter(|name| !name.is_null())
            .map(|name| CStr::from_ptr(name.cast()))
            .collect()
    }
}
