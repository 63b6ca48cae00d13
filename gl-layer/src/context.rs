//! The context that is current on its thread, for whatever is asked of it there.

use std::sync::Arc;

use crate::error::ObjectError;
use crate::functions::{self as gl, Functions};

/// The context, on its thread.
pub struct Gl {
    pub(crate) functions: Arc<Functions>,
}

impl Gl {
    pub(crate) fn functions(&self) -> &Functions {
        &self.functions
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
