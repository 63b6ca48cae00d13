//! The interface between OpenGL and the window system by which a context is reached: EGL or GLX.

use std::ffi::{CStr, c_void};

use crate::egl::EglContext;
use crate::error::Refusal;
use crate::glx::GlxContext;
use crate::request::{BindingKind, Request};

/// A context of our own, by either interface.
pub(crate) enum OwnContext {
    Egl(EglContext),
    Glx(GlxContext),
}

impl OwnContext {
    /// Makes a context that shares objects with the application's, and makes it current on this thread.
    ///
    /// # Safety
    /// The handles of the request are valid, or such that the interface refuses them, while the value lives.
    pub unsafe fn make(request: Request) -> Result<Self, Refusal> {
        // SAFETY: the caller's contract.
        unsafe {
            match request.kind {
                BindingKind::Egl => EglContext::make(request).map(OwnContext::Egl),
                BindingKind::Glx => GlxContext::make(request).map(OwnContext::Glx),
            }
        }
    }

    /// The address of a function of OpenGL; NULL if the library knows none of that name.
    pub fn address(&self, name: &CStr) -> *const c_void {
        match self {
            OwnContext::Egl(context) => context.functions().address(name),
            OwnContext::Glx(context) => context.functions().address(name),
        }
    }

    /// Tells whether the display still knows the context.
    pub fn is_valid(&self) -> bool {
        match self {
            OwnContext::Egl(context) => context.is_valid(),
            // A connection to the X server stays while the OpenCL context lives.
            OwnContext::Glx(_) => true,
        }
    }

    /// Tells whether the display has an image of EGL.
    pub fn knows_image(&self, image: usize) -> bool {
        match self {
            OwnContext::Egl(context) => context.knows_image(image),
            OwnContext::Glx(_) => false,
        }
    }

    /// The means to ask, from any thread, for the context that is current there.
    pub fn current(&self) -> Current {
        match self {
            OwnContext::Egl(context) => Current(context.functions().get_current_context),
            OwnContext::Glx(context) => Current(context.functions().get_current_context),
        }
    }
}

/// `eglGetCurrentContext` or `glXGetCurrentContext`.
#[derive(Clone, Copy)]
pub(crate) struct Current(unsafe extern "C" fn() -> *mut c_void);

impl Current {
    /// The context that is current on this thread; 0 for none.
    pub fn get(self) -> usize {
        // SAFETY: the function takes nothing, and its library stays loaded: whoever holds this value holds the share
        // group too.
        unsafe { (self.0)() as usize }
    }
}
