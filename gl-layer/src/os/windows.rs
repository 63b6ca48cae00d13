//! Windows, whose OpenGL (WGL) this crate does not know: no library is found, and contexts that share with OpenGL
//! are refused.

use std::ffi::c_void;

/// A library, of which none is found.
pub(crate) enum Library {}

impl Library {
    /// Always `None`.
    pub fn loaded(_: &str) -> Option<Self> {
        None
    }

    /// Is never called.
    pub fn function(&self, _: &str) -> Option<*mut c_void> {
        match *self {}
    }
}
