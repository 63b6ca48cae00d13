//! Sharing of objects with the application's OpenGL: every call of OpenGL, EGL and GLX.
//!
//! Takes the handles of a context of the application's ([`Request`]) and makes a context of its own in the same share
//! group, current on a thread of its own ([`ShareGroup`]). There it looks at buffers, textures and renderbuffers, and copies
//! their contents to host memory and back. That needs nothing of OpenGL but version 3.2, so it works with any driver.
//! Images of EGL are shown by renderbuffers of its own ([`ShownImage`]), which needs GL_OES_EGL_image.
//!
//! The libraries are those that the application has loaded: nothing is linked, and nothing is loaded that is not there.
//! Knows no OpenCL and no Vulkan, reads no environment, and writes no log.

mod binding;
mod context;
mod draw;
mod egl;
mod error;
mod extensions;
mod fence;
mod format;
mod functions;
mod glx;
mod image;
mod library;
mod object;
mod os;
mod request;
mod samples;
mod share_group;
mod sync;
mod transfer;

/// Tells whether OpenGL of this operating system is known: EGL and GLX are.
pub const AVAILABLE: bool = cfg!(unix);

pub use context::Gl;
pub use egl::EglSync;
pub use error::{ObjectError, Refusal};
pub use format::{Channels, FORMATS, Numbers, TextureFormat};
pub use image::ShownImage;
pub use object::{Object, Picture, Shape, shape_of_target};
pub use request::{BindingKind, Request};
pub use share_group::ShareGroup;
pub use sync::{Fence, SyncState};
